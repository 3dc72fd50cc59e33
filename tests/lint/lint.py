"""The rules of the house: what may include what, how long a file may be, and what every file must have.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ast
import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(os.environ.get("INTERP_TEST_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("INTERP_TEST_BUILD_ROOT", ROOT / "build"))
sys.path.insert(0, str(ROOT / "tests/fixtures"))
import tap  # noqa: E402

APP_ID = "io.github.interpreter_app.Interpreter"
LONGEST = 1500
# Bottom up. A room includes its own headers and those of lower floors, never its neighbours'.
FLOORS = [{"base"}, {"launch", "store"}, {"llm", "kernel", "policy", "mcp"}, {"changes"}, {"session"}]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
GTK = re.compile(r"^(gtk|gdk|gsk|adwaita|adw|vte|gtksourceview|libspelling|graphene|pango)")
TEXT_ENDINGS = {".c", ".h", ".py", ".sh", ".bash", ".js", ".R", ".blp", ".css", ".build", ".options", ".xml", ".in",
                ".svg", ".md", ".kernel", ".json", ".po", ".yml", ".yaml", ".provider", ".profile", ".tour", ".1", ""}
LEFT_OUT = {".git", "build", "build-asan", "build-coverage", "build-install", "__pycache__", ".flatpak-builder"}


def files(*folders, endings=None):
    """Files that belong to the project, not what builds and editors leave."""
    for folder in folders or (".",):
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if any(part in LEFT_OUT or part.startswith("build-") for part in parts) or not path.is_file():
                continue
            if endings is None or path.suffix in endings:
                yield path


def name_of(path):
    return str(path.relative_to(ROOT))


def read(path):
    return path.read_text(encoding="utf-8")


def fail_on(wrong):
    assert not wrong, "\n" + "\n".join(wrong)


def run(*arguments):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments[0]} says:\n{done.stdout}{done.stderr}"


def test_engine_knows_no_front_end():
    wrong = []
    for path in files("src/engine", "src/launcher", "src/console", endings={".c", ".h"}):
        for _, header in INCLUDE.findall(read(path)):
            front = header.split("/")[0] in ("desktop", "console") and "engine" in path.parts
            if GTK.match(header) or front:
                wrong.append(f"{name_of(path)} includes {header}")
    fail_on(wrong)


def test_rooms_include_downwards_only():
    wrong = []
    for path in files("src/engine", endings={".c", ".h"}):
        parts = path.relative_to(ROOT / "src/engine").parts
        if len(parts) < 2:
            continue
        room = parts[0]
        assert room in FLOOR_OF, f"{room} stands on no floor: add it to FLOORS"
        for kind, header in INCLUDE.findall(read(path)):
            other = header.split("/")[0]
            if kind == '"' and "/" in header and other in FLOOR_OF and other != room \
               and FLOOR_OF[other] >= FLOOR_OF[room]:
                wrong.append(f"{name_of(path)} includes {header}: {other} is not below {room}")
            if kind == '"' and ".." in header:
                wrong.append(f"{name_of(path)} includes {header}: name the room instead")
    fail_on(wrong)


def test_files_are_short():
    wrong = []
    for path in files("src", "ui", "data", "tests", "tools", endings={".c", ".h", ".py", ".blp", ".sh", ".js", ".R"}):
        lines = read(path).count("\n")
        if lines > LONGEST:
            wrong.append(f"{name_of(path)} has {lines} lines, {LONGEST} is the most")
    fail_on(wrong)


def test_licence_is_named():
    wrong = []
    for path in files("src", "ui", "tests", "tools", "data/kernels",
                      endings={".c", ".h", ".py", ".blp", ".sh", ".bash", ".js", ".R", ".css", ".svg"}):
        if "SPDX-License-Identifier:" not in read(path)[:2000]:
            wrong.append(f"{name_of(path)} has no SPDX-License-Identifier")
    fail_on(wrong)


def test_headers_and_sources_begin_right():
    wrong = []
    for path in files("src", endings={".h"}):
        if "#pragma once" not in read(path):
            wrong.append(f"{name_of(path)} lacks #pragma once")
    for path in files("src/engine", "src/desktop", "src/console", endings={".c"}):
        includes = INCLUDE.findall(read(path))
        if includes and includes[0][1] != "config.h":
            wrong.append(f"{name_of(path)} includes {includes[0][1]} before config.h")
    fail_on(wrong)


def test_sources_are_formatted():
    run("clang-format", "--dry-run", "--Werror", *files("src", "tests", endings={".c", ".h"}))
    # It opens what it only looks at for writing too.
    with tempfile.TemporaryDirectory() as folder:
        run("blueprint-compiler", "format", *(shutil.copy(path, folder) for path in files("ui", endings={".blp"})))


def test_nothing_is_put_off():
    word = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
    wrong = []
    for path in files("src", "ui", "data", "tests", "tools", "flatpak"):
        if path.suffix in TEXT_ENDINGS - {".po"}:
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                # TAP and mktemp have words of their own.
                if word.search(line) and "mktemp" not in line and "mkdtemp" not in line and "mkstemp" not in line:
                    wrong.append(f"{name_of(path)}:{number}: {line.strip()}")
    fail_on(wrong)


def test_no_machine_is_named():
    """Paths and package hosts of whoever wrote it help nobody else."""
    places = [r"(?<![\w.])/wo" + r"rk/", r"/tmp/ro" + r"ots", r"(?<![\w$])/ro" + r"ot/", r"/home/(?!\$|%|<|\*)[a-z]+/",
              r"\bdeb\.deb" + r"ian\.org", r"\bsnapshot\.deb" + r"ian", r"\barchive\.ubu" + r"ntu", r"\bpypi\.o" + r"rg",
              r"\bregistry\.npm" + r"js", r"\bcran\.(?:r-project|rstudio)"]
    pattern = re.compile("|".join(places))
    # Input of path and redaction tests is made up: people in it are called anna, ben, me or user.
    made_up = re.compile(r"/home/(?:anna|ben|me|user|someone|person)\b")
    wrong = []
    for path in files():
        if path.suffix in TEXT_ENDINGS:
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if pattern.search(made_up.sub("", line)):
                    wrong.append(f"{name_of(path)}:{number}: {line.strip()[:120]}")
    fail_on(wrong)


def test_strings_are_translatable():
    """xgettext sees no string that a format macro interrupts."""
    macro = re.compile(r'\b(?:_|N_|C_|ngettext)\s*\((?:[^()";]|"(?:[^"\\]|\\.)*")*?"(?:[^"\\]|\\.)*"\s*G_G[A-Z0-9]+_(?:FORMAT|MODIFIER)')
    wrong = []
    for path in files("src", endings={".c", ".h"}):
        wrong += [f"{name_of(path)}: {match.group(0)[:100]}" for match in macro.finditer(read(path))]
    fail_on(wrong)


def test_translations_are_complete():
    run(sys.executable, ROOT / "tools/update-po", "--check")


def test_desktop_entry():
    run("desktop-file-validate", BUILD / "data" / f"{APP_ID}.desktop")


def test_metainfo():
    run("appstreamcli", "validate", "--no-net", BUILD / "data" / f"{APP_ID}.metainfo.xml")


def test_man_page():
    """The manual and --help have the same options, and the manual the variables that providers read."""
    page = read(ROOT / "data/man/interpreter.1").replace("\\-", "-").replace("\\\n", " ")
    options = page[page.index(".SH OPTIONS"):page.index(".SH IN THE TERMINAL")]
    tags = "\n".join(re.findall(r"^\.TP\n(.*)$", options, re.MULTILINE)).replace('"', " ").replace(",", " ")
    described = {word.replace("_", "-") for word in re.findall(r"(?<!\S)--?[a-z][a-z_-]*", tags)}
    table = re.findall(r'^  \{ "([a-z-]+)", "([a-z]*)", KIND_(\w+)', read(ROOT / "src/console/interp-command-line.c"), re.MULTILINE)
    assert table, "interp-command-line.c has no table of options"
    known = {f"--{name}" for name, _short, _kind in table} | {f"-{short}" for _name, short, _kind in table if short}
    known |= {f"--no-{name}" for name, _short, kind in table if kind == "SUPPORT"}
    wrong = [f"the manual lacks {name}" for name in sorted(known - described)]
    wrong += [f"the manual has {name}, which is no option" for name in sorted(described - known)]
    environment = page[page.index(".SH ENVIRONMENT"):page.index(".SH FILES")]
    for path in files("data/providers", endings={".provider"}):
        for line in re.findall(r"^(?:Key|Address)Variables=(.*)$", read(path), re.MULTILINE):
            wrong += [f"the manual lacks {name}" for name in line.split(";") if name and not re.search(rf"\b{name}\b", environment)]
    statuses = re.findall(r"#define INTERP_EXIT_\w+ (\d+)", read(ROOT / "src/console/interp-task.h"))
    told = page[page.index(".SH EXIT STATUS"):page.index(".SH ENVIRONMENT")]
    wrong += [f"the manual lacks the exit status {status}" for status in statuses if f"\n.B {status}\n" not in told]
    fail_on(wrong)


def test_settings():
    run("glib-compile-schemas", "--strict", "--dry-run", ROOT / "data")
    schema = ElementTree.parse(ROOT / "data" / f"{APP_ID}.gschema.xml")
    keys = {key.get("name"): key.findtext("default").strip() for key in schema.iter("key")}
    text = read(ROOT / "src/engine/base/interp-settings.c")
    fallback = dict(re.findall(r'\{\s*"([a-z0-9-]+)",\s*"((?:[^"\\]|\\.)*)"\s*\}', text))
    assert fallback, "interp-settings.c has no table of defaults"
    wrong = [f"{key} is only in the schema" for key in keys if key not in fallback]
    wrong += [f"{key} is only in interp-settings.c" for key in fallback if key not in keys]
    wrong += [f"{key} is {keys[key]} in the schema, {fallback[key]} in interp-settings.c" for key in keys
              if key in fallback and fallback[key].removeprefix("@as ") != keys[key]]
    used = set()
    for path in files("src", endings={".c"}):
        used |= set(re.findall(r'interp_settings_[gs]et_\w+ \([^;"]*"([a-z0-9-]+)"', read(path)))
    wrong += [f"{key} is used but in no schema" for key in used if key not in keys]
    fail_on(wrong)


def test_icons():
    wrong = []
    for path in files("data/icons", endings={".svg"}):
        picture = ElementTree.parse(path).getroot()
        if not picture.get("viewBox"):
            wrong.append(f"{name_of(path)} has no viewBox")
        if path.stem.endswith("-symbolic") and 'stroke="' in read(path):
            wrong.append(f"{name_of(path)} has strokes, which GTK fills in symbolic icons")
    own = {path.stem for path in files("data/icons", endings={".svg"})}
    for path in files("src", "ui", "data/kernels", endings={".c", ".blp", ".kernel"}):
        for icon in re.findall(r"\binterpreter-[a-z-]+-symbolic\b", read(path)):
            if icon not in own:
                wrong.append(f"{name_of(path)} shows {icon}, which is not in data/icons")
    fail_on(wrong)


def test_kernel_descriptions():
    wrong = []
    for path in files("data/kernels", endings={".kernel"}):
        parser = configparser.RawConfigParser(strict=True, delimiters=("=",))
        parser.optionxform = str
        parser.read_string(read(path))
        for key in ("Id", "Title", "Interpreters"):
            if not parser.has_option("Kernel", key):
                wrong.append(f"{name_of(path)} lacks {key}")
        if parser.get("Kernel", "Id", fallback="") != path.parent.name:
            wrong.append(f"{name_of(path)}: Id is not the folder's name")
    fail_on(wrong)


def test_scripts_parse():
    for path in [ROOT / "dev", ROOT / ".ci/run", *files("tools", endings={".sh"})]:
        run("sh", "-n", path)
    for path in files("tests", "tools", "data", endings={".py", ""}):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
            ast.parse(text, filename=name_of(path))


def test_benchmarks_are_listed():
    done = subprocess.run([sys.executable, ROOT / "tools/run-bench", "--list"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0]: line.split(maxsplit=1)[1:] for line in done.stdout.splitlines()}
    there = {path.stem.removeprefix("bench_") for path in files("tests/bench", endings={".py"})
             if path.stem.startswith("bench_")}
    assert there and set(listed) == there, f"listed are {sorted(listed)}, there are {sorted(there)}"
    fail_on([f"{name} says nothing of itself" for name, words in listed.items() if not words])


def test_package_lists_agree():
    """Each list serves the same three purposes, and names nothing twice."""
    wrong = []
    for path in files("tools/packages"):
        lines = [line.strip() for line in read(path).splitlines() if line.strip() and not line.startswith("#")]
        sections = [line for line in lines if line.startswith("[")]
        if sections != ["[build]", "[run]", "[test]"]:
            wrong.append(f"{name_of(path)} has the sections {sections}")
        wrong += [f"{name_of(path)} names {line} twice" for line in set(lines) if lines.count(line) > 1]
    fail_on(wrong)


# What GNOME's runtime and the SDK have, by the names that pkg-config knows them by.
FLATPAK_RUNTIME = {"gio-unix-2.0", "gobject-2.0", "json-glib-1.0", "libsoup-3.0", "sqlite3", "libsecret-1", "readline",
                   "libadwaita-1", "gtk4", "gtksourceview-5"}
# What the Flatpak's own modules build.
FLATPAK_MODULES = {"libdex": "libdex-1", "libgit2": "libgit2", "md4c": "md4c", "libspelling": "libspelling-1",
                   "vte": "vte-2.91-gtk4"}


def flatpak_modules(modules):
    for module in modules:
        yield from flatpak_modules(module.get("modules", []))
        yield module


def test_flatpak():
    """The manifest builds all that meson asks for, from sources that nobody can exchange, and starts what is installed."""
    manifest = json.loads(read(ROOT / "flatpak" / f"{APP_ID}.json"))
    modules = list(flatpak_modules(manifest["modules"]))
    names = [module["name"] for module in modules]
    options = set(re.findall(r"^option\('(\w+)'", read(ROOT / "meson.options"), re.MULTILINE))
    programs, dependencies = set(), set()
    for path in files(endings={".build"}):
        if path.is_relative_to(ROOT / "tests"):
            continue
        text = read(path)
        dependencies |= set(re.findall(r"\bdependency\('([^']+)'", text))
        programs |= {name for name, rest in re.findall(r"executable\('([^']+)',(.*?)^\)", text, re.MULTILINE | re.DOTALL)
                     if "install: true" in rest and "install_dir:" not in rest}
    assert dependencies and programs, "meson's files are not understood"

    wrong = []
    if manifest["id"] != APP_ID:
        wrong.append(f"the manifest is of {manifest['id']}")
    if manifest["command"] not in programs:
        wrong.append(f"meson installs no {manifest['command']} into bin, only {sorted(programs)}")
    if names[-1] != "interpreter" or len(set(names)) != len(names):
        wrong.append(f"modules are named once each, ours last: {names}")
    provided = FLATPAK_RUNTIME | {FLATPAK_MODULES[name] for name in names if name in FLATPAK_MODULES}
    wrong += [f"nothing provides {name}" for name in sorted(dependencies - provided)]
    wrong += [f"nothing asks for {FLATPAK_MODULES[name]}" for name in names
              if name in FLATPAK_MODULES and FLATPAK_MODULES[name] not in dependencies]
    for option in modules[-1].get("config-opts", []):
        if option.removeprefix("-D").split("=")[0] not in options:
            wrong.append(f"{option} is no option of ours")
    for module in modules[:-1]:
        for source in module["sources"]:
            fixed = re.fullmatch(r"[0-9a-f]{64}", source.get("sha256", "")) if source["type"] == "archive" else \
                re.fullmatch(r"[0-9a-f]{40}", source.get("commit", "")) and source.get("tag")
            if not fixed or not source["url"].startswith("https://"):
                wrong.append(f"{module['name']}: {source['url']} is not fixed by a checksum, or by a tag and its commit")
    fail_on(wrong)


if __name__ == "__main__":
    tap.main()
