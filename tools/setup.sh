# setup.sh: what building, running and testing needs, from the system's packages or in a development root.
# Part of ./dev. SPDX-License-Identifier: GPL-3.0-or-later

gtk_floor=4.18
root_suite=trixie
root_format=2            # raise it when roots made before are of no use
root_size=3000000        # KB that making one takes

# --- Packages ---------------------------------------------------------------------------------------------

package_manager ()
{
  if have apt-get; then echo apt; elif have dnf; then echo dnf; elif have pacman; then echo pacman; fi
}

# The packages of the sections given, from the list of one package manager.
listed_packages ()
{
  _list=$source_dir/tools/packages/$1
  shift
  awk -v wanted=" $* " '
    /^\[/ { section = substr ($0, 2, length ($0) - 2); next }
    /^#/ || NF == 0 { next }
    index (wanted, " " section " ") { print $1 }' "$_list"
}

missing_packages ()
{
  case $1 in
    apt)
      shift
      { dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
        awk -v wanted="$*" '$1 == "installed" { there[$2] = 1 }
          END { n = split (wanted, all, " "); for (i = 1; i <= n; i++) if (!(all[i] in there)) print all[i] }'
      ;;
    dnf)
      shift
      for _package in "$@"; do
        rpm -q --whatprovides "$_package" >/dev/null 2>&1 || echo "$_package"
      done
      ;;
    pacman)
      shift
      pacman -T "$@" || true
      ;;
  esac
}

install_packages ()
{
  _manager=$1
  shift
  say "Installing: $*"
  mkdir -p "$cache"
  _log=$cache/setup.log
  case $_manager in
    apt)
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install "$@" \
        </dev/null >"$_log" 2>&1 || {
        as_root apt-get -y update </dev/null >"$_log" 2>&1 &&
          as_root env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install "$@" \
            </dev/null >>"$_log" 2>&1
      }
      ;;
    dnf) as_root dnf -y --setopt=install_weak_deps=False install "$@" </dev/null >"$_log" 2>&1 ;;
    pacman) as_root pacman -S --needed --noconfirm "$@" </dev/null >"$_log" 2>&1 ;;
  esac || fail "$(explain_failure "$_log" "$cache")"
}

need_packages ()
{
  _manager=$(package_manager)
  [ -n "$_manager" ] || return 0
  # shellcheck disable=SC2046
  _missing=$(missing_packages "$_manager" $(listed_packages "$_manager" "$@"))
  [ -n "$_missing" ] || return 0
  # shellcheck disable=SC2086
  install_packages "$_manager" $_missing
}

# One sentence for what went wrong, from the log.
explain_failure ()
{
  if grep -qiE 'no space left on device|enough free space|disk quota exceeded' "$1"; then
    echo "The disk that holds $2 is full: make room and run the same command again, it goes on where it stopped."
  elif grep -qiE 'temporary failure|could not resolve|unable to connect|could not connect|connection (refused|timed out|failed|reset)|network is unreachable|failed to (fetch|download|retrieve)|cannot download|could not retrieve|certificate' "$1"; then
    echo "The package archive cannot be reached: run the same command again when it can, it goes on where it stopped."
  elif grep -qiE 'a password is required|not in the sudoers|terminal is required' "$1"; then
    echo "Packages are missing and sudo did not permit to install them: run this as root or with a password at hand."
  else
    echo "Setting up failed; the reasons are in $1."
  fi
}

# --- Which platform ---------------------------------------------------------------------------------------

os_release ()
{
  # shellcheck disable=SC1091
  (. /etc/os-release && eval "printf '%s' \"\${$1:-}\"")
}

system_name ()
{
  printf '%s %s%s\n' "$(os_release ID)" "$(os_release VERSION_ID)" "${inside_root:+ $(cat /etc/interpreter-root)}"
}

apt_candidate ()
{
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)" { print $2 }'
}

system_is_new_enough ()
{
  [ -z "$inside_root" ] || return 0
  [ "${INTERPRETER_PLATFORM:-}" != root ] || return 1
  if have pkg-config && pkg-config --atleast-version="$gtk_floor" gtk4 2>/dev/null &&
     pkg-config --atleast-version=1.7 libadwaita-1 2>/dev/null; then
    return 0
  fi
  case $(package_manager) in
    apt)
      # A root that was made already answers the question at once.
      [ ! -d "$(root_path)" ] || return 1
      _version=$(apt_candidate libgtk-4-dev)
      if [ -z "$_version" ]; then
        refresh_apt
        _version=$(apt_candidate libgtk-4-dev)
      fi
      [ -n "$_version" ] && dpkg --compare-versions "${_version#*:}" ge "$gtk_floor"
      ;;
    dnf)
      case $(os_release ID) in
        fedora) [ "$(os_release VERSION_ID)" -ge 42 ] 2>/dev/null ;;
        *) _version=$(dnf -q repoquery --latest-limit 1 --qf '%{version}\n' gtk4-devel 2>/dev/null | head -n 1)
           [ "$(printf '%s\n' "$gtk_floor" "${_version:-0}" | sort -V | head -n 1)" = "$gtk_floor" ] ;;
      esac
      ;;
    pacman) return 0 ;;
    *) return 1 ;;
  esac
}

refresh_apt ()
{
  mkdir -p "$cache"
  as_root apt-get -y update </dev/null >"$cache/setup.log" 2>&1 ||
    fail "$(explain_failure "$cache/setup.log" "$cache")"
}

# Goes on here where the system is new enough; else starts ./dev anew, with what follows, in the development root.
#   enter_platform run|test COMMAND [arguments]
enter_platform ()
{
  if system_is_new_enough; then
    return 0
  fi
  [ "$(package_manager)" = apt ] ||
    fail "GTK $gtk_floor or newer is needed: this system has none, and the development root needs apt."
  make_root
  _purpose=$1
  shift
  enter_root "$_purpose" "$source_dir/dev" "$@"
}

# --- The development root ---------------------------------------------------------------------------------

root_packages () { listed_packages apt build run test; }

root_path ()
{
  _hash=$({ echo "$root_suite $root_format"; root_packages; } | sha256sum | cut -c 1-12)
  printf '%s\n' "$cache/root-$_hash"
}

# The archive that this system itself installs from.
debian_archive ()
{
  if [ -n "${INTERPRETER_DEBIAN_ARCHIVE:-}" ]; then
    printf '%s\n' "$INTERPRETER_DEBIAN_ARCHIVE"
    return
  fi
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(SUITE)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -F '|' '$1 == "Debian" && $2 == "Debian" && $3 == "main" && $4 !~ /updates|backports|proposed/ { print $5; exit }'
}

make_root ()
{
  root=$(root_path)
  [ ! -e "$root/etc/interpreter-root" ] || return 0
  mkdir -p "$cache" 2>/dev/null || fail "The folder $cache cannot be made."
  exec 5>"$cache/lock"
  flock -n 5 || {
    say "Another ./dev is setting up; waiting for it."
    flock 5
  }
  if [ ! -e "$root/etc/interpreter-root" ]; then
    build_root
    remove_old_roots
  fi
  exec 5>&-
}

build_root ()
{
  say "Setting up the development root in $root: once, a few minutes."
  _log=$cache/setup.log
  : >"$_log" 2>/dev/null || fail "$(echo 'No space left on device' | explain_failure /dev/stdin "$cache")"
  _partial=$root.partial
  _free=$(df -Pk "$cache" | awk 'NR == 2 { print $4 }')
  if [ ! -e "$_partial" ] && [ "$_free" -lt "$root_size" ]; then
    fail "The disk that holds $cache is full: the development root needs $((root_size / 1000)) MB and $((_free / 1000)) MB are free."
  fi

  if ! have mmdebstrap || ! have bwrap; then
    install_packages apt mmdebstrap bubblewrap debian-archive-keyring
  fi
  _archive=$(debian_archive)
  if [ -z "$_archive" ]; then
    refresh_apt
    _archive=$(debian_archive)
  fi
  [ -n "$_archive" ] ||
    fail "GTK $gtk_floor is needed and this system's package sources name no Debian archive to take it from."

  remove_partial_roots "$_partial"
  if [ ! -e "$_partial/etc/interpreter-bootstrapped" ]; then
    bootstrap_root >>"$_log" 2>&1 || fail "$(explain_failure "$_log" "$cache")"
  fi
  say "Installing packages into it."
  if ! fill_root >>"$_log" 2>&1; then
    # Downloads are kept. A root whose packages are in disorder is of no use.
    grep -qE 'dpkg: error|dpkg was interrupted' "$_log" && ! grep -qi 'no space left' "$_log" &&
      as_root rm -rf --one-file-system "$_partial"
    fail "$(explain_failure "$_log" "$cache")"
  fi
  printf '%s\n' "${root##*-}" | as_root tee "$_partial/etc/interpreter-root" >/dev/null
  as_root mv -T "$_partial" "$root" || fail "The development root could not be put in place in $cache."
  as_root rm -rf --one-file-system "$cache/packages"
}

bootstrap_root ()
{
  as_root rm -rf --one-file-system "$_partial"
  # Proxies, certificates and time checks are as this system has them.
  apt-config dump Acquire |
    grep -E '^Acquire::((https?|ftp)::|Check-|Retries|By-Hash|ForceIPv)' >"$cache/apt.conf" || true
  as_root mmdebstrap --mode=root --format=directory --variant=apt --components=main \
    --aptopt="$cache/apt.conf" --aptopt='Acquire::Languages "none"' --aptopt='Acquire::Retries "3"' \
    --aptopt='APT::Sandbox::User "root"' \
    --dpkgopt='force-unsafe-io' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/gtk-doc/*' --dpkgopt='path-exclude=/usr/share/ibus/dicts/*' \
    "$root_suite" "$_partial" "$_archive" </dev/null || return 1
  as_root touch "$_partial/etc/interpreter-bootstrapped"
}

fill_root ()
{
  as_root mkdir -p "$cache/packages"
  _command='
    set -e
    printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    dpkg --configure -a
    rm -f /etc/apt/apt.conf.d/docker-clean
    apt-get -y update
    apt-get -y --no-install-recommends install "$@" locales
    for language in en_US de_DE; do
      localedef -i "$language" -f UTF-8 "$language.UTF-8"
    done
    getent passwd interpreter >/dev/null ||
      useradd --uid 59000 --no-create-home --home-dir /tmp --shell /bin/bash interpreter
    rm -rf /var/lib/apt/lists/*
    for file in /etc/resolv.conf /etc/hosts /etc/machine-id /etc/localtime /etc/timezone; do
      [ -e "$file" ] || { rm -f "$file"; : >"$file"; }
    done'
  # shellcheck disable=SC2046
  as_root bwrap --bind "$_partial" / --bind /proc /proc --dev-bind /dev /dev --perms 1777 --tmpfs /tmp --tmpfs /run \
    --bind "$cache/packages" /var/cache/apt/archives $(bind_resolver) \
    --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin --setenv LC_ALL C.UTF-8 --setenv DEBIAN_FRONTEND noninteractive \
    --chdir / -- sh -c "$_command" sh $(root_packages) </dev/null
}

bind_resolver ()
{
  if [ -e /etc/resolv.conf ]; then
    as_root touch "$_partial/etc/resolv.conf"
    printf '%s\n' --ro-bind "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf
  fi
}

# What an interrupted run for another list of packages left.
remove_partial_roots ()
{
  for _old in "$cache"/root-*.partial; do
    [ ! -e "$_old" ] || [ "$_old" = "$1" ] || as_root rm -rf --one-file-system "$_old"
  done
}

# Roots of other lists go, but for those that something still runs in.
remove_old_roots ()
{
  for _old in "$cache"/root-*; do
    if [ -d "$_old" ] && [ "$_old" != "$root" ]; then
      flock -n -x "$_old" true && as_root rm -rf --one-file-system "$_old"
    fi
  done
}

# The rest of this process happens in the root:  enter_root run|test PROGRAM [arguments]
# For "run" it has the user's home, devices, display and session; for "test" the sources alone. Both share what was
# compiled and what tests have fetched.
enter_root ()
{
  _purpose=$1
  shift
  have bwrap || install_packages apt bubblewrap
  # Held as long as something runs in it (remove_old_roots).
  exec 6<"$root"
  flock -s 6
  mkdir -p "$cache/ccache" "$cache/peers"

  _arguments=$(mktemp)
  _passwd=$(mktemp)
  _group=$(mktemp)
  exec 7<"$_arguments" 8<"$_passwd" 9<"$_group"
  root_arguments "$_purpose" >"$_arguments"
  root_users passwd "$(id -u)" >"$_passwd"
  root_users group "$(id -g)" >"$_group"
  rm -f "$_arguments" "$_passwd" "$_group"
  exec bwrap --args 7 -- "$@"
}

root_users ()
{
  cat "$root/etc/$1"
  cut -d: -f3 "$root/etc/$1" | grep -qx "$2" ||
    getent "$1" "$2" | while IFS= read -r _line; do
      _shell=${_line##*:}
      case $1 in
        passwd) [ -x "$root$_shell" ] || _line=${_line%:*}:/bin/bash ;;
      esac
      printf '%s\n' "$_line"
    done
}

# bwrap's arguments, each ended by NUL.
root_arguments ()
{
  for _path in "$root"/*; do
    _name=/${_path##*/}
    case $_name in
      /proc|/dev|/sys|/tmp|/run|/home|/root|/mnt|/media|/srv|/boot) continue ;;
    esac
    if [ -L "$_path" ]; then
      nul --symlink "$(readlink "$_path")" "$_name"
    elif [ -d "$_path" ]; then
      nul --bind "$_path" "$_name"
    fi
  done
  nul --bind /proc /proc --dev-bind /dev /dev --ro-bind-try /sys /sys --bind /tmp /tmp
  for _path in /etc/resolv.conf /etc/hosts /etc/machine-id /etc/localtime /etc/timezone \
               /etc/ssl/certs/ca-certificates.crt; do
    if [ -f "$_path" ] && [ -f "$root$_path" ]; then
      nul --ro-bind "$(readlink -f "$_path")" "$(root_target "$_path")"
    fi
  done
  nul --perms 0644 --ro-bind-data 8 /etc/passwd --perms 0644 --ro-bind-data 9 /etc/group

  case $_purpose in
    run)
      nul --bind /run /run
      for _path in /*; do
        case $_path in
          /bin|/boot|/dev|/etc|/lib*|/lost+found|/opt|/proc|/run|/sbin|/sys|/tmp|/usr|/var) ;;
          *) [ ! -d "$_path" ] || [ -L "$_path" ] || nul --bind "$_path" "$_path" ;;
        esac
      done
      ;;
    test)
      nul --tmpfs /run --perms 0755 --dir /home --perms 0755 --dir /root
      nul_parents "$source_dir"
      nul --bind "$source_dir" "$source_dir"
      ;;
  esac
  nul_parents "$cache/ccache"
  nul --bind "$cache/ccache" "$cache/ccache" --bind "$cache/peers" "$cache/peers"

  nul --setenv INTERPRETER_DEVELOPMENT_ROOT 1 --setenv CCACHE_DIR "$cache/ccache"
  nul --setenv PATH "$HOME/.local/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
  nul --setenv XDG_DATA_DIRS /usr/local/share:/usr/share
  for _variable in LD_LIBRARY_PATH LD_PRELOAD GIO_EXTRA_MODULES GIO_MODULE_DIR GTK_PATH GI_TYPELIB_PATH \
                   GDK_PIXBUF_MODULE_FILE PYTHONPATH PYTHONHOME PYENV_ROOT PYENV_SHELL NODE_PATH R_HOME; do
    nul --unsetenv "$_variable"
  done
  [ -x "$root${SHELL:-/bin/bash}" ] || nul --setenv SHELL /bin/bash
  case ${LC_ALL:-${LANG:-}} in
    C|C.*|POSIX|en_US.*|de_DE.*) ;;
    *) nul --setenv LANGUAGE "${LANGUAGE:-${LANG:-}}" --setenv LANG C.UTF-8 --unsetenv LC_ALL ;;
  esac
  case $_purpose in
    run) nul --chdir "$(pwd -P)" ;;
    test) nul --chdir "$source_dir" ;;
  esac
}

nul () { printf '%s\0' "$@"; }

# Folders above a path, for everybody: by itself bwrap makes them for their owner alone.
nul_parents ()
{
  case ${1%/*} in
    '') ;;
    *) nul_parents "${1%/*}"
       [ -d "$root${1%/*}" ] || nul --perms 0755 --dir "${1%/*}" ;;
  esac
}

# A symbolic link in the root's /etc can be no mount point: what it names inside is.
root_target ()
{
  _target=$(readlink "$root$1" 2>/dev/null) || _target=$1
  case $_target in
    /*) echo "$_target" ;;
    *) echo "${1%/*}/$_target" ;;
  esac
}
