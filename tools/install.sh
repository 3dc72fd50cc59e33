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
  configure "$_dir" "$@"
  compile "$_dir"
  command_uninstall quiet
  meson install -C "$_dir" --no-rebuild >"$_dir/install.log" 2>&1 ||
    fail "Installing into $install_prefix failed; the reasons are in $_dir/install.log."

  mkdir -p "${installed_list%/*}" "$install_prefix/bin"
  grep -v '^#' "$_dir/meson-logs/install-log.txt" >"$installed_list"
  if [ -n "$inside_root" ]; then
    for _program in interpreter interpreter-window; do
      printf '#!/bin/sh\n# Starts Interpreter in its development root.\nexec "%s/dev" start "%s" "$@"\n' \
        "$source_dir" "$install_prefix/libexec/interpreter/bin/$_program" >"$install_prefix/bin/$_program"
      chmod 755 "$install_prefix/bin/$_program"
      printf '%s\n' "$install_prefix/bin/$_program" >>"$installed_list"
    done
  fi
  printf '%s\n' "$installed_list" >>"$installed_list"
  say "Interpreter is installed: it is in the menu, and the command is $install_prefix/bin/interpreter."
}

command_uninstall ()
{
  if [ ! -f "$installed_list" ]; then
    [ "${1:-}" = quiet ] || say "Interpreter is not installed for this user."
    return 0
  fi
  while IFS= read -r _file; do
    case $_file in
      "$install_prefix"/*)
        rm -f "$_file"
        # Folders that were made for it go with it.
        _folder=${_file%/*}
        while [ "$_folder" != "$install_prefix" ] && rmdir "$_folder" 2>/dev/null; do
          _folder=${_folder%/*}
        done
        ;;
    esac
  done <"$installed_list"
  rm -f "$installed_list"
  rmdir "${installed_list%/*}" 2>/dev/null || true
  refresh_desktop
  [ "${1:-}" = quiet ] || say "Interpreter is uninstalled. Conversations and settings are kept."
}

refresh_desktop ()
{
  _share=$install_prefix/share
  if [ -d "$_share/glib-2.0/schemas" ]; then
    if ls "$_share"/glib-2.0/schemas/*.xml >/dev/null 2>&1; then
      ! have glib-compile-schemas || glib-compile-schemas "$_share/glib-2.0/schemas" || true
    else
      rm -f "$_share/glib-2.0/schemas/gschemas.compiled"
      rmdir "$_share/glib-2.0/schemas" "$_share/glib-2.0" 2>/dev/null || true
    fi
  fi
  ! have update-desktop-database || update-desktop-database -q "$_share/applications" 2>/dev/null || true
  if [ -d "$_share/icons/hicolor" ] && have gtk-update-icon-cache; then
    gtk-update-icon-cache -q -t -f "$_share/icons/hicolor" 2>/dev/null || true
  fi
}
