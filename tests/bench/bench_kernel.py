"""A Python kernel's start and its tiny cells, and the engine's own part of a cell that the user approves.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import figures

from console import Home, call  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402
from terminal import Terminal  # noqa: E402

STARTS = 15
CELLS = 500
APPROVALS = 60
IPYKERNEL = """
import sys, time
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3")
for _ in range(int(sys.argv[1])):
    begin = time.monotonic()
    client.execute_interactive("1 + 1", output_hook=lambda message: None)
    print("cell", 1000 * (time.monotonic() - begin))
client.stop_channels()
manager.shutdown_kernel(now=True)
"""


def prompt_time(python, env):
    """From the start of `python3 -i` in a terminal to its prompt; without the line editor, which a kernel has not either."""
    begin = time.monotonic()
    with Terminal([python, "-i"], env={**env, "PYTHON_BASIC_REPL": "1"}) as terminal:
        terminal.expect(">>> ")
        return 1000 * (time.monotonic() - begin)


def ready(place, python):
    ours, theirs = [], []
    for number in range(STARTS + 1):
        taken = figures.run("bench-kernel", place.folder, 0, env=place.env)["ready"][0]
        prompt = prompt_time(python, place.env)
        if number > 0:
            ours.append(taken)
            theirs.append(prompt)
    figures.ratio("Python kernel ready", figures.median(ours), "ms", figures.median(theirs), "python3 -i to its plain prompt",
                  at_most=1.2)


def sandboxed(place):
    """The same kernel in safe mode's sandbox."""
    name = "Python kernel ready in safe mode"
    probe = subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "--proc", "/proc", "true"],
                           capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        figures.unmeasured(name, probe.stderr.strip())
        return
    times = {"plain": [], "safe": []}
    for number in range(STARTS + 1):
        for kind, more in (("plain", ()), ("safe", ("safe",))):
            taken = figures.run("bench-kernel", place.folder, 0, *more, env=place.env)["ready"][0]
            if number > 0:
                times[kind].append(taken)
    figures.ratio(name, figures.median(times["safe"]), "ms", figures.median(times["plain"]), "outside it")


def tiny_cell(place, python):
    name = "a tiny Python cell, median"
    ours = figures.median(figures.run("bench-kernel", place.folder, CELLS, env=place.env)["cell"])
    there = subprocess.run([python, "-c", "import ipykernel, jupyter_client"], env=place.env, stdin=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False).returncode == 0
    if not there:
        figures.amount(name, ours, "ms", note="ipykernel is not installed")
        return
    done = subprocess.run([python, "-c", IPYKERNEL, str(CELLS)], env=place.env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    theirs = figures.median(float(line.split()[1]) for line in done.stdout.splitlines())
    figures.ratio(name, ours, "ms", theirs, "ipykernel", at_most=1 / 20)


def approval(place):
    turns = [call("python", f"import os; os.write(1, b'{number}')") for number in range(APPROVALS)]
    with ScriptedServer([*turns, {"text": "Done."}]) as server:
        values = figures.run("bench-session", place.folder, server.url, env=place.env)
    if len(values["output"]) != APPROVALS:
        raise AssertionError(f"{len(values['output'])} of {APPROVALS} blocks gave output")
    # The first has the kernel's start in it.
    figures.amount("approval to first byte of output, median", figures.median(values["output"][1:]), "ms", at_most=2,
                   note=f"with Python's own time; {figures.number(figures.median(values['request'][1:]))} ms of it to "
                        "hand the code to the kernel")


def main():
    python = shutil.which("python3") or sys.executable
    with tempfile.TemporaryDirectory(prefix="interpreter-bench-", ignore_cleanup_errors=True) as top:
        place = Home(top)
        os.environ.update(place.env)
        ready(place, python)
        sandboxed(place)
        tiny_cell(place, python)
        approval(place)


main()
