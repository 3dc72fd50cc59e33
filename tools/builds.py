"""Build folders, for the tools that use some: the same as in ./dev.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import shutil
import subprocess
import sys


class Fault(Exception):
    """What ends the run with one sentence."""


def system_name():
    name = {}
    with open("/etc/os-release", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().partition("=")
            name[key] = value.strip('"')
    marker = "/etc/interpreter-root"
    root = ""
    if os.environ.get("INTERPRETER_DEVELOPMENT_ROOT") and os.path.exists(marker):
        with open(marker, encoding="utf-8") as file:
            root = " " + file.read().strip()
    return f"{name.get('ID', '')} {name.get('VERSION_ID', '')}{root}"


def configure(source, build, options):
    """A build folder of another system is made anew."""
    system = system_name()
    stamp = os.path.join(build, ".system")
    try:
        with open(stamp, encoding="utf-8") as file:
            same = file.read().strip() == system
    except FileNotFoundError:
        same = False
    if same and os.path.exists(os.path.join(build, "build.ninja")):
        return
    os.makedirs(build, exist_ok=True)
    for name in os.listdir(build):
        path = os.path.join(build, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    done = subprocess.run(["meson", "setup", build, source, *options], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.stderr.write("\n".join(done.stdout.splitlines()[-15:]) + "\n" + done.stderr)
        raise Fault(f"The build in {build} could not be configured; the reasons are above.")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(system + "\n")


def compile_targets(build, targets):
    done = subprocess.run(["ninja", "--quiet", "-C", build, *targets], check=False)
    if done.returncode != 0:
        raise Fault("The build failed; the reasons are above.")
