# install.sh: ./dev install and ./dev uninstall, for one user.
# Part of ./dev. SPDX-License-Identifier: GPL-3.0-or-later

install_prefix=$HOME/.local
installed_list=$install_prefix/share/io.github.interpreter_app.Interpreter/installed-by-dev

command_install ()
{
  enter_platform run install "$@"
  need_packages build run
  _dir=$source_dir/build-install
  set -- --buildtype=release -Dtests=false --prefix="$install_prefix"
  if [ -n "$inside_root" ]; then
    # The programs need the root's libraries: what is found in bin enters the root first.
    set -- "$@" --bindir=libexec/interpreter/bin -Dstart_dir="$install_prefix/bin"
  fi
  # Was it configured for another home, or otherwise by an earlier version?
  [ "$(cat "$_dir/.options" 2>/dev/null)" = "$*" ] || rm -f "$_dir/.system"
  configure "$_dir" "$@"
  printf '%s\n' "$*" >"$_dir/.options"
  compile "$_dir"
  meson install -C "$_dir" --no-rebuild >"$_dir/install.log" 2>&1 ||
    fail "Installing into $install_prefix failed; the reasons are in $_dir/install.log."
  if [ -n "$inside_root" ]; then
    mkdir -p "$install_prefix/bin"
    for _program in interpreter interpreter-window; do
      write_starter "$_program" >"$install_prefix/bin/$_program"
      chmod 755 "$install_prefix/bin/$_program"
    done
  fi

  list_installed "$_dir/meson-logs/install-log.txt" >"$_dir/installed"
  if [ -f "$installed_list" ]; then
    # What an earlier version had and this one has not.
    grep -vxF -f "$_dir/installed" "$installed_list" | remove_installed
  fi
  mkdir -p "${installed_list%/*}"
  cat "$_dir/installed" >"$installed_list"
  refresh_desktop
  say "Interpreter is installed: it is in the menu, and the command is $install_prefix/bin/interpreter."
}

# Meson's log names folders too; those go when they are empty.
list_installed ()
{
  grep -v '^#' "$1" | while IFS= read -r _file; do
    [ -d "$_file" ] || printf '%s\n' "$_file"
  done
  if [ -n "$inside_root" ]; then
    printf '%s\n' "$install_prefix/bin/interpreter" "$install_prefix/bin/interpreter-window"
  fi
  printf '%s\n' "$installed_list"
}

# The root is found again where the menu's environment differs from this one's.
write_starter ()
{
  cat <<END
#!/bin/sh
# Starts Interpreter in its development root.
INTERPRETER_CACHE=$(quoted "$cache") exec $(quoted "$source_dir/dev") start \\
  $(quoted "$install_prefix/libexec/interpreter/bin/$1") "\$@"
END
}

quoted () { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

command_uninstall ()
{
  [ -f "$installed_list" ] || { say "Interpreter is not installed for this user."; return 0; }
  # The list is the last in itself: a run that was interrupted can be run again.
  remove_installed <"$installed_list"
  refresh_desktop
  say "Interpreter is uninstalled. Conversations and settings are kept."
}

remove_installed ()
{
  while IFS= read -r _file; do
    case $_file in
      "$install_prefix"/*)
        [ -d "$_file" ] || rm -f "$_file"
        remove_empty "${_file%/*}"
        ;;
    esac
  done
}

# Folders that were made for it go with it.
remove_empty ()
{
  _folder=$1
  while [ "$_folder" != "$install_prefix" ] && rmdir "$_folder" 2>/dev/null; do
    _folder=${_folder%/*}
  done
}

# The desktop's indices of what is installed; they go with the last of it.
refresh_desktop ()
{
  _share=$install_prefix/share
  refresh_index "$_share/glib-2.0/schemas" gschemas.compiled '*.gschema.xml' glib-compile-schemas
  refresh_index "$_share/applications" mimeinfo.cache '*.desktop' update-desktop-database -q
  refresh_index "$_share/icons/hicolor" icon-theme.cache '*.[ps][nv]g' gtk-update-icon-cache -q -t -f
}

#   refresh_index FOLDER INDEX WHAT-IT-LISTS COMMAND…
refresh_index ()
{
  _indexed=$1 _index=$2 _pattern=$3
  shift 3
  [ -d "$_indexed" ] || return 0
  if [ -n "$(find "$_indexed" -name "$_pattern" ! -type d | head -n 1)" ]; then
    ! have "$1" || "$@" "$_indexed" >/dev/null 2>&1 || true
  else
    rm -f "$_indexed/$_index"
    remove_empty "$_indexed"
  fi
}
