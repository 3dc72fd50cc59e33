"""Memory of a headless task: the command's peak, with a model on the loopback and code that runs.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import subprocess
import tempfile
from pathlib import Path

import figures

from console import PROGRAM, Home, call, model  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402


def status_megabytes(pid, key):
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(rf"^{key}:\s+(\d+) kB", text, re.MULTILINE).group(1)) / 1024


def main():
    turns = [call("python", "for i in range(2000):\n    print(i, 'x' * 60)", "I will count."),
             call("shell", "ls -l /"), {"text": "All is counted. " * 50, "hold": "end"}]
    with tempfile.TemporaryDirectory(prefix="interpreter-bench-", ignore_cleanup_errors=True) as top, \
            ScriptedServer(turns) as server:
        place = Home(top)
        process = subprocess.Popen([PROGRAM, *model(server), "--auto_run", "--task", "count"], cwd=place.folder, env=place.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.wait_for_requests(len(turns))
            peak = status_megabytes(process.pid, "VmHWM")
            server.release("end")
            if process.wait(60) != 0:
                raise AssertionError(f"the task ended with {process.returncode}")
        finally:
            process.kill()
            process.wait()
    figures.amount("headless task: peak memory", peak, "MB", at_most=30, note="VmHWM when the last answer comes")


main()
