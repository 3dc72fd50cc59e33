# Lines that notebooks know and Python does not: "!command" and a few "%" commands.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import builtins
import os
import subprocess
import sys

from _interpreter_harness import split_lines

CALL = "__interpreter_line__"


def replace(code, error, parse):
    """The tree of @code with such lines replaced by calls, or None if that does not make it Python.

    Only a line that the parser stumbled over is replaced, so text in strings stays as it is.
    """
    lines = split_lines(code)
    if lines[0].startswith("%%"):
        return parse(cell_magic(lines))
    replaced = set()
    candidates = [number for number, line in enumerate(lines, 1) if line.lstrip()[:1] in ("!", "%")]
    while candidates:
        number = next((n for n in reversed(candidates) if n <= (error.lineno or 0)), None)
        if number is None:
            break
        candidates.remove(number)
        replaced.add(number)
        line = lines[number - 1]
        text = line.lstrip()
        lines[number - 1] = "%s%s(%r)" % (line[: len(line) - len(text)], CALL, text.rstrip())
        setattr(builtins, CALL, run_line)
        try:
            return parse("\n".join(lines))
        except SyntaxError as another:
            error = another
    if replaced and error.lineno not in replaced:
        raise error from None
    return None


def cell_magic(lines):
    name = lines[0][2:].strip()
    body = "\n".join(lines[1:])
    if name in ("bash", "sh"):
        setattr(builtins, CALL, run_line)
        return "%s(%r)" % (CALL, "!" + body if name == "sh" else "%bash " + body)
    if name in ("time", "capture"):
        return "\n" + body
    return "raise ValueError(%r)" % ("%%" + name + " is not known here")


def run_line(line):
    if line.startswith("!"):
        run(line[1:].lstrip("!"), shell=True)
        return
    name, _, rest = line[1:].strip().partition(" ")
    rest = rest.strip()
    if name == "pip":
        import importlib
        import shlex

        run([sys.executable, "-m", "pip"] + shlex.split(rest))
        importlib.invalidate_caches()
    elif name == "bash":
        run(["bash", "-c", rest])
    elif name == "cd":
        os.chdir(os.path.expanduser(rest or "~"))
    elif name in ("matplotlib", "config", "load_ext", "autoreload"):
        pass  # settings of notebooks that have no meaning here
    else:
        raise ValueError("%%%s is not known here" % name)


def run(command, shell=False):
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    status = subprocess.call(command, shell=shell)
    if status:
        print("(exit status %d)" % status, file=sys.stderr)
