"""The command's start, against an empty program that has the engine's libraries loaded.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import subprocess
import time

import figures

ROUNDS = 60


def milliseconds(command):
    begin = time.monotonic()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.monotonic() - begin)


def main():
    commands = {"bare": [figures.program("bare")],
                "version": [str(figures.BUILD_ROOT / "src/console/interpreter"), "--version"]}
    times = {name: [] for name in commands}
    for number in range(ROUNDS + 1):
        for name, command in commands.items():
            taken = milliseconds(command)
            if number > 0:  # the first fills the caches
                times[name].append(taken)
    figures.ratio("interpreter --version", figures.median(times["version"]), "ms", figures.median(times["bare"]),
                  "an empty program with the engine's libraries", at_most=1.3)


main()
