"""200 MB of output in a kernel's terminal, against the same in a VTE that has its own PTY.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
from pathlib import Path

import figures

from driver import Desktop  # noqa: E402

MEGABYTES = 200
ROUNDS = 5
MEMORY = 100  # MB: scrollback, history and budgets, whatever the output's size


def write_lines(path):
    """Lines as a build or a log prints them, some of them coloured."""
    block = "".join(f"[{i:5}] compiling module_{i * 7919 % 9973}.c: \x1b[32mdone\x1b[0m in {i % 97} ms, {i * 31} bytes kept\n"
                    for i in range(20000)).encode()
    with path.open("wb") as file:
        written = 0
        while written < MEGABYTES * 1_000_000:
            written += file.write(block)
    return written / 1e6


def main():
    rates, frames, memory = ({"kernel": [], "vte": []} for _ in range(3))
    with Desktop() as desktop, tempfile.TemporaryDirectory(prefix="interpreter-bench-", ignore_cleanup_errors=True) as top:
        file = Path(top) / "output"
        size = write_lines(file)
        for _ in range(ROUNDS):
            for kind in rates:
                with tempfile.TemporaryDirectory(dir=top) as folder:
                    values = figures.run("bench-terminal", kind, file, folder, env=desktop.env)
                rates[kind].append(size / values["seconds"][0])
                frames[kind].append(figures.percentile(values["frame"], 0.95))
                memory[kind].append(values["memory"][0])
    base = "VTE with its own PTY"
    figures.ratio(f"{MEGABYTES} MB of output, median of {ROUNDS}", figures.median(rates["kernel"]), "MB/s",
                  figures.median(rates["vte"]), base, at_least=0.85)
    figures.ratio("… from frame to frame, 95 %", figures.median(frames["kernel"]), "ms", figures.median(frames["vte"]), base,
                  at_most=0.5)
    figures.amount("… memory at most", max(memory["kernel"]), "MB", at_most=MEMORY,
                   note=f"{base}: {figures.number(max(memory['vte']))} MB")


main()
