"""200 MB of output in a kernel's terminal, against the same in a VTE that has its own PTY.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
from pathlib import Path

import figures

from driver import Desktop  # noqa: E402

ROUNDS = 5
MEMORY = 100  # MB: scrollback, history and budgets, whatever the output's size
BASE = "VTE with its own PTY"
# As a build or a log prints them.
PLAIN = "[{0:5}] compiling module_{1}.c: done in {2} ms, {3} bytes kept\n"
COLOURED = "[{0:5}] compiling \x1b[1mmodule_{1}.c\x1b[0m: \x1b[32mdone\x1b[0m in {2} ms, {3} bytes kept\n"


def write_lines(path, line, megabytes):
    """The megabytes written."""
    block = "".join(line.format(i, i * 7919 % 9973, i % 97, i * 31) for i in range(20000)).encode()
    with path.open("wb") as file:
        written = 0
        while written < megabytes * 1_000_000:
            written += file.write(block)
    return written / 1e6


def measure(desktop, top, name, line, megabytes):
    rates, frames, memory = ({"kernel": [], "vte": []} for _ in range(3))
    file = Path(top) / "output"
    size = write_lines(file, line, megabytes)
    for _ in range(ROUNDS):
        for kind in rates:
            with tempfile.TemporaryDirectory(dir=top) as folder:
                values = figures.run("bench-terminal", kind, file, folder, env=desktop.env)
            rates[kind].append(size / values["seconds"][0])
            frames[kind].append(figures.percentile(values["frame"], 0.95))
            memory[kind].append(values["memory"][0])
    figures.ratio(f"{name}, median of {ROUNDS}", figures.median(rates["kernel"]), "MB/s", figures.median(rates["vte"]), BASE,
                  at_least=0.85)
    figures.ratio("… from frame to frame, 95 %", figures.median(frames["kernel"]), "ms", figures.median(frames["vte"]), BASE,
                  at_most=0.5)
    figures.amount("… memory at most", max(memory["kernel"]), "MB", at_most=MEMORY,
                   note=f"{BASE}: {figures.number(max(memory['vte']))} MB")


def main():
    with Desktop() as desktop, tempfile.TemporaryDirectory(prefix="interpreter-bench-", ignore_cleanup_errors=True) as top:
        measure(desktop, top, "200 MB of output", PLAIN, 200)
        measure(desktop, top, "50 MB of coloured output", COLOURED, 50)


main()
