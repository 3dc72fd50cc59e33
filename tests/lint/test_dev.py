"""./dev itself: a copy of it beside a small project, on a system whose package manager and bwrap are played.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ.get("INTERP_TEST_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tests/fixtures"))
import tap  # noqa: E402

MESON = """project('small', version: '1')
foreach name : [%s]
  install_data('file', rename: name, install_dir: get_option('datadir') / 'small' / 'deep')
endforeach
install_data('file', rename: 'small.desktop', install_dir: get_option('datadir') / 'applications')
install_data('file', rename: 'small.svg', install_dir: get_option('datadir') / 'icons/hicolor/scalable/apps')
install_data('file', rename: 'interpreter', install_dir: get_option('bindir'), install_mode: 'rwxr-xr-x')
"""
OPTIONS = """option('tests', type: 'boolean', value: true)
option('development', type: 'boolean', value: false)
option('start_dir', type: 'string', value: '')
"""
# The system: new enough and complete, unless a file says otherwise. What was called is in the log.
FAKES = {
    "pkg-config": "test ! -e $SAYS/old",
    "apt-get": 'if [ -e "$SAYS/apt" ]; then cat "$SAYS/apt" >&2; exit 100; fi; touch "$SAYS/installed"',
    "dpkg-query": '[ -e "$SAYS/missing" ] && [ ! -e "$SAYS/installed" ] && exit 1\n'
                  'shift 3; for package; do echo "installed $package"; done',
    "sudo": 'if [ -e "$SAYS/sudo" ]; then cat "$SAYS/sudo" >&2; exit 1; fi; exec "$@"',
    "setpriv": "exit 1",
    "apt-config": "true",
    "df": "echo; echo x x x 9000000",
    "mmdebstrap": 'if [ -e "$SAYS/mmdebstrap" ]; then cat "$SAYS/mmdebstrap" >&2; exit 100; fi\n'
                  'while [ $# -gt 2 ]; do shift; done; mkdir -p "$1/etc"; touch "$1/etc/passwd" "$1/etc/group"',
    "bwrap": 'case $1 in --args) printf "in the root: %s\\n" "$*"; exit 0 ;; esac\n'
             'if [ -e "$SAYS/bwrap" ]; then cat "$SAYS/bwrap" >&2; exit 100; fi',
    "update-desktop-database": 'for folder; do :; done; touch "$folder/mimeinfo.cache"',
    "gtk-update-icon-cache": 'for folder; do :; done; touch "$folder/icon-theme.cache"',
    "ccache": "false",
}


class System:
    def __init__(self, top):
        self.top = Path(top)
        self.home = self.top / "anna's $HOME"
        self.source = self.top / "a source"
        self.says = self.top / "says"
        self.fakes = self.top / "fakes"
        for folder in (self.home, self.source, self.says, self.fakes):
            folder.mkdir()
        shutil.copy(ROOT / "dev", self.source)
        shutil.copytree(ROOT / "tools", self.source / "tools")
        (self.source / "meson.options").write_text(OPTIONS)
        (self.source / "file").write_text("#!/bin/sh\necho started \"$@\"\n")
        self.set_files("one", "two")
        for name, text in FAKES.items():
            path = self.fakes / name
            path.write_text(f'#!/bin/sh\necho "{name} $*" >>"$LOG"\n{text}\n')
            path.chmod(0o755)
        self.log = self.top / "log"
        self.env = {"PATH": f"{self.fakes}:/usr/bin:/bin", "HOME": str(self.home), "LOG": str(self.log), "SAYS": str(self.says),
                    "LC_ALL": "C.UTF-8", "TMPDIR": str(self.top)}

    def set_files(self, *names):
        (self.source / "meson.build").write_text(MESON % ", ".join(repr(name) for name in names))

    def say(self, who, text):
        (self.says / who).write_text(text)

    def be_well(self, who):
        (self.says / who).unlink()

    def called(self):
        """The programs called since the last time."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("")
        return lines

    def dev(self, *arguments, status=0, **env):
        done = subprocess.run([str(self.source / "dev"), *arguments], cwd=self.top, env={**self.env, **env},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == status, done
        return done

    def at_home(self):
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*"))


@contextlib.contextmanager
def system():
    with tempfile.TemporaryDirectory(prefix="interpreter-dev-", ignore_cleanup_errors=True) as top:
        yield System(top)


def test_explains_itself():
    with system() as there:
        said = there.dev().stdout
        for command in ("run", "test", "install", "uninstall", "shell", "lint", "format", "bench", "coverage"):
            assert f"./dev {command} " in said, f"{command} is not explained"
        assert there.dev("--help").stdout == said
        wrong = there.dev("instal", status=1)
        assert wrong.stderr.splitlines()[-1] == 'There is no command "instal".'
        assert there.at_home() == [] and there.called() == []


def test_install_and_uninstall():
    with system() as there:
        kept = there.home / ".local/share/interpreter/conversations.db"
        kept.parent.mkdir(parents=True)
        kept.write_text("kept")
        before = there.at_home()
        command = there.home / ".local/bin/interpreter"
        share = there.home / ".local/share"

        done = there.dev("install")
        assert str(command) in done.stderr.splitlines()[-1], done
        started = subprocess.run([command, "a b"], env=there.env, capture_output=True, text=True, check=True)
        assert started.stdout == "started a b\n"
        assert (share / "applications/mimeinfo.cache").exists() and (share / "icons/hicolor/icon-theme.cache").exists()
        first = there.at_home()

        there.dev("install")
        assert there.at_home() == first, "installing twice differs from once"

        # A later version has other files.
        there.set_files("two", "three")
        there.dev("install")
        assert sorted(path.name for path in (share / "small/deep").iterdir()) == ["three", "two"]

        done = there.dev("uninstall")
        assert "Conversations" in done.stderr
        assert there.at_home() == before
        assert kept.read_text() == "kept"
        assert "not installed" in there.dev("uninstall").stderr


def test_installed_from_the_root_it_is_started_in_it():
    if not Path("/etc/interpreter-root").exists():
        raise tap.Skip("this is no development root")
    with system() as there:
        there.dev("install", INTERPRETER_DEVELOPMENT_ROOT="1")
        for program in ("interpreter", "interpreter-window"):
            assert (there.home / ".local/bin" / program).stat().st_mode & 0o777 == 0o755
        # The menu's environment is another than that of the shell in which it was installed.
        there.called()
        started = subprocess.run([there.home / ".local/bin/interpreter", "a b", "$c"], env={**there.env, "XDG_CACHE_HOME": "/nowhere"},
                                 capture_output=True, text=True, check=True)
        assert started.stdout == "started a b $c\n", started
        there.dev("uninstall")
        assert there.at_home() == [".local"]


def test_uninstall_leaves_what_others_installed():
    with system() as there:
        theirs = [there.home / ".local" / path for path in ("share/applications/theirs.desktop", "bin/theirs",
                                                            "share/icons/hicolor/48x48/apps/theirs.png")]
        for path in theirs:
            path.parent.mkdir(parents=True)
            path.write_text("theirs")
        there.dev("install")
        there.dev("uninstall")
        for path in theirs:
            assert path.read_text() == "theirs"
        assert (there.home / ".local/share/applications/mimeinfo.cache").exists(), "what is left is not indexed"
        assert (there.home / ".local/share/icons/hicolor/icon-theme.cache").exists()


def test_an_interrupted_uninstall_can_be_run_again():
    with system() as there:
        there.dev("install")
        (there.home / ".local/share/small/deep/one").unlink()
        there.dev("uninstall")
        assert there.at_home() == [".local"]


def failing(there, *arguments, **env):
    """What ./dev says at its end, which is one sentence."""
    done = there.dev(*arguments, status=1, **env)
    return done.stderr.splitlines()[-1]


def test_missing_packages_are_installed_or_said():
    with system() as there:
        there.say("missing", "")
        there.say("apt", "E: Failed to fetch http://packages.invalid/x.deb  Could not connect\n")
        said = failing(there, "install")
        assert "cannot be reached" in said and "same command again" in said, said
        there.say("apt", "E: You don't have enough free space in /var/cache/apt/archives/.\n")
        said = failing(there, "install")
        assert "is full" in said and "same command again" in said, said
        there.say("apt", "E: Unable to locate package gcc\n")
        said = failing(there, "install")
        log = there.home / ".cache/interpreter/setup.log"
        assert str(log) in said and "locate package gcc" in log.read_text(), said
        if os.getuid() != 0:
            there.say("sudo", "sudo: a password is required\n")
            said = failing(there, "install")
            assert "sudo did not permit" in said, said
            there.be_well("sudo")
        there.be_well("apt")
        there.called()
        there.dev("install")
        assert any(line.startswith("apt-get") and " gcc " in line for line in there.called())
        there.dev("install")
        assert not any(line.startswith("apt-get") for line in there.called()), "installs what is there"


def test_the_root_is_made_once_and_goes_on_where_it_stopped():
    with system() as there:
        env = {"INTERPRETER_PLATFORM": "root", "INTERPRETER_DEBIAN_ARCHIVE": "http://packages.invalid/debian"}
        cache = there.home / ".cache/interpreter"

        there.say("mmdebstrap", "E: Failed to fetch http://packages.invalid/  Connection refused\n")
        assert "cannot be reached" in failing(there, "run", "--version", **env)
        there.be_well("mmdebstrap")
        there.say("bwrap", "E: Write error - write (28: No space left on device)\n")
        assert "is full" in failing(there, "run", "--version", **env)
        assert any(line.startswith("mmdebstrap") for line in there.called())

        there.be_well("bwrap")
        done = there.dev("run", "--version", **env)
        called = there.called()
        assert not any(line.startswith("mmdebstrap") for line in called), "begins again"
        assert "in the root" in done.stdout and f"{there.source}/dev run --version" in done.stdout
        (made,) = [path.name for path in cache.iterdir() if path.name.startswith("root-")]
        assert not made.endswith(".partial")

        there.dev("run", "--version", **env)
        assert [line.split()[0] for line in there.called()] == ["bwrap"], "the root is made anew"
        # A menu whose environment differs finds it too.
        there.dev("start", "x", **env, XDG_CACHE_HOME=str(there.top / "other"), INTERPRETER_CACHE=str(cache))
        assert [line.split()[0] for line in there.called()] == ["bwrap"]
        assert not (there.top / "other").exists()


def test_a_full_disk_is_said_before_anything_is_made():
    with system() as there:
        (there.fakes / "df").write_text("#!/bin/sh\necho; echo x x x 1000\n")
        said = failing(there, "run", INTERPRETER_PLATFORM="root", INTERPRETER_DEBIAN_ARCHIVE="http://packages.invalid/debian")
        assert "is full" in said and "3000 MB" in said, said
        assert not any(line.startswith("mmdebstrap") for line in there.called())


def test_a_cache_that_cannot_be_made():
    with system() as there:
        (there.top / "file").write_text("")
        said = failing(there, "run", INTERPRETER_PLATFORM="root", XDG_CACHE_HOME=str(there.top / "file"))
        assert said == f"The folder {there.top}/file/interpreter cannot be made.", said


if __name__ == "__main__":
    tap.main()
