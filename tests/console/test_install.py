"""The programs as they are installed: at their prefix, with neither the sources nor the build folder in reach.

`meson install` itself runs, into a folder that stands where the prefix is (bwrap mounts it there).

SPDX-License-Identifier: GPL-3.0-or-later
"""

import configparser
import gettext
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import BUILD_ROOT, SOURCE_ROOT, Home, ScriptedServer, call, last_content, model  # noqa: E402

import tap  # noqa: E402

APP_ID = "io.github.interpreter_app.Interpreter"


def introspect(what):
    done = subprocess.run(["meson", "introspect", what, str(BUILD_ROOT)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


class Installed:
    """What was installed, once for all tests."""

    def __init__(self):
        options = {option["name"]: option["value"] for option in introspect("--buildoptions")}
        self.version = introspect("--projectinfo")["version"]
        self.prefix = Path(options["prefix"])
        self.place = {name: self.prefix / options[name] for name in ("bindir", "libexecdir", "datadir", "mandir", "localedir")}
        if self.prefix == Path("/usr") or not self.prefix.is_dir():
            raise tap.Skip(f"nothing can stand in the place of {self.prefix}")
        self._top = tempfile.TemporaryDirectory(prefix="interpreter-install-", ignore_cleanup_errors=True)
        self.folder = Path(self._top.name) / "prefix"
        home = Path(self._top.name) / "home"
        for folder in (self.folder, home):
            folder.mkdir()
        self.home = Home(home)
        for variable in [name for name in self.home.env if name.startswith("INTERP_") or name == "GSETTINGS_SCHEMA_DIR"]:
            del self.home.env[variable]
        probe = self.run("true")
        if probe.returncode != 0:
            raise tap.Skip(f"bwrap cannot be had here: {probe.stderr.strip()}")
        self.install = subprocess.run(self.wrapped("meson", "install", "--no-rebuild", "-C", str(BUILD_ROOT), hide=False),
                                      capture_output=True, text=True, check=False, timeout=120)
        assert self.install.returncode == 0, self.install.stdout + self.install.stderr

    def wrapped(self, *command, hide=True):
        hidden = [option for folder in {SOURCE_ROOT.resolve(), BUILD_ROOT.resolve()} for option in ("--tmpfs", str(folder))]
        return ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind", str(self.folder), str(self.prefix),
                *(hidden if hide else []), "--die-with-parent", "--", *command]

    def run(self, *command, env=None, **more):
        return subprocess.run(self.wrapped(*command), cwd=self.home.folder, env={**self.home.env, **(env or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120, **more)

    def there(self, kind, *parts):
        """A file's name once it is installed, and that it is."""
        path = self.place[kind].joinpath(*parts)
        real = self.folder / path.relative_to(self.prefix)
        assert real.is_file(), f"{path} is not installed"
        return path, real


_installed = None


def installed():
    global _installed
    if _installed is None:
        if shutil.which("bwrap") is None:
            raise tap.Skip("bwrap is not installed")
        _installed = Installed()
    return _installed


def test_version():
    there = installed()
    program, _real = there.there("bindir", "interpreter")
    result = there.run(str(program), "--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"Interpreter {there.version}\n", ""), result
    result = there.run("test", "-e", str(SOURCE_ROOT / "meson.build"))
    assert result.returncode == 1, "the sources are in reach"


def test_a_task_runs_in_installed_kernels():
    there = installed()
    program, _real = there.there("bindir", "interpreter")
    launcher, _real = there.there("libexecdir", "interpreter", "interpreter-launch")
    python = ("import os\nprint(open('/proc/self/cmdline').read().replace('\\0', ' '))\n"
              "print(os.readlink(f'/proc/{os.getppid()}/exe'))")
    shell = "tr '\\0' '\\n' </proc/$$/environ; readlink /proc/$PPID/exe"
    with ScriptedServer([call("python", python), call("shell", shell), {"text": "done"}]) as server:
        result = there.run(str(program), *model(server), "--auto_run", "--task", "x")
        assert (result.returncode, result.stdout) == (0, "done\n"), result
        for number, harness in ((1, "python/harness.py"), (2, "shell/harness.bash")):
            path, _real = there.there("datadir", APP_ID, "kernels", harness)
            output = last_content(server, number)
            assert str(path) in output, f"{path} is not what ran:\n{output}"
            assert str(launcher) in output, f"{launcher} did not start it:\n{output}"
    # Such as that the schema is missing.
    assert "warning" not in result.stderr.lower(), result.stderr


def test_settings_come_from_the_schema():
    there = installed()
    _path, schemas = there.there("datadir", "glib-2.0", "schemas", f"{APP_ID}.gschema.xml")
    assert (schemas.parent / "gschemas.compiled").is_file(), "the schemas were not compiled"
    result = there.run("gsettings", "--schemadir", str(there.place["datadir"] / "glib-2.0/schemas"), "list-keys", APP_ID)
    if shutil.which("gsettings"):
        assert result.returncode == 0 and "last-folder" in result.stdout, result


def test_the_tour_is_there():
    there = installed()
    there.there("datadir", APP_ID, "tour", "tour.json")
    program, _real = there.there("bindir", "interpreter")
    result = there.run(str(program), "--model", "tour", "--json", "--task", "hello")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines and lines[0]["model"] == "tour", result
    assert any(line["event"] in ("text", "code") for line in lines), result


def test_desktop_entry_and_service_start_what_is_there():
    there = installed()
    window, _real = there.there("bindir", "interpreter-window")
    _path, entry = there.there("datadir", "applications", f"{APP_ID}.desktop")
    parsed = configparser.RawConfigParser(strict=True, interpolation=None)
    parsed.optionxform = str
    parsed.read(entry, encoding="utf-8")
    assert parsed["Desktop Entry"]["Exec"].split()[0] == str(window)
    assert parsed["Desktop Entry"]["Icon"] == APP_ID
    assert parsed["Desktop Entry"].get("Comment[de]"), "the entry is not translated"
    for action in parsed["Desktop Entry"]["Actions"].rstrip(";").split(";"):
        assert parsed[f"Desktop Action {action}"]["Exec"].split()[0] == str(window)

    _path, service = there.there("datadir", "dbus-1", "services", f"{APP_ID}.service")
    parsed = configparser.RawConfigParser(strict=True, interpolation=None)
    parsed.optionxform = str
    parsed.read(service, encoding="utf-8")
    assert parsed["D-BUS Service"]["Name"] == APP_ID
    assert parsed["D-BUS Service"]["Exec"] == f"{window} --gapplication-service"


def test_icons_and_metainfo():
    there = installed()
    there.there("datadir", "icons", "hicolor", "scalable", "apps", f"{APP_ID}.svg")
    there.there("datadir", "icons", "hicolor", "symbolic", "apps", f"{APP_ID}-symbolic.svg")
    path, _real = there.there("datadir", "metainfo", f"{APP_ID}.metainfo.xml")
    if shutil.which("appstreamcli"):
        result = there.run("appstreamcli", "validate", "--no-net", str(path))
        assert result.returncode == 0, result.stdout


def test_german():
    there = installed()
    program, _real = there.there("bindir", "interpreter")
    _path, catalogue = there.there("localedir", "de", "LC_MESSAGES", "interpreter.mo")
    with open(catalogue, "rb") as file:
        translated = gettext.GNUTranslations(file).gettext("Print the version")
    assert translated != "Print the version", "it is not in the catalogue"
    if "de_DE.utf8" not in subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split():
        raise tap.Skip("the system has no German locale")
    result = there.run(str(program), "--help", env={"LC_ALL": "de_DE.UTF-8"})
    assert result.returncode == 0 and translated in result.stdout, result


def test_man_page():
    there = installed()
    path, _real = there.there("mandir", "man1", "interpreter.1")
    if shutil.which("man") is None or shutil.which("groff") is None:
        raise tap.Skip("man is not installed")
    result = there.run("man", "--warnings", "-E", "UTF-8", "-l", str(path), env={"MANROFFSEQ": "", "MANWIDTH": "100", "MANPAGER": "cat"})
    assert result.returncode == 0, result
    assert result.stderr == "", result.stderr
    assert "--auto_run" in result.stdout and "EXIT STATUS" in result.stdout, result.stdout


if __name__ == "__main__":
    tap.main()
