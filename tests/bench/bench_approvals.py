"""A fixed session of 20 blocks in Ask mode: how often one is asked, and the keys that an approval takes.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import time

import figures

from console import call, chat  # noqa: E402
from stage import send, stage  # noqa: E402

BLOCKS = [
    ("shell", "ls"),
    ("shell", "printf 'month,sales\\n1,10\\n2,30\\n3,20\\n' > sales.csv"),
    ("shell", "cat sales.csv"),
    ("python", "import csv\nrows = list(csv.DictReader(open('sales.csv')))"),
    ("python", "print(len(rows))"),
    ("python", "total = sum(int(row['sales']) for row in rows)\nprint(total)"),
    ("python", "best = max(rows, key=lambda row: int(row['sales']))\nprint(best['month'])"),
    ("python", "print(undefined_name)"),
    ("python", "with open('report.txt', 'w') as file:\n    file.write(f'total {total}\\n')"),
    ("shell", "cat report.txt"),
    ("shell", "sed -i 's/total/sum/' report.txt"),
    ("shell", "grep -c sum report.txt"),
    ("shell", "mkdir -p old && cp report.txt old/"),
    ("shell", "ls -R"),
    ("python", "import os\nprint(sorted(os.listdir('.')))"),
    ("python", "for row in rows:\n    print(row['month'], row['sales'])"),
    ("shell", "wc -l sales.csv"),
    ("python", "print(total / len(rows))"),
    ("shell", "rm -r old"),
    ("shell", "ls"),
]
READING = 0.8  # seconds: a dialog takes no answer at once
ANSWERING = 10  # seconds after which a key has done nothing
QUESTION = re.compile(r"Run\? \[y/n/e\] |The work is done\.")


def in_the_terminal():
    """The number of questions, and the keys pressed to approve them."""
    asked = keys = 0
    with chat([*(call(language, code) for language, code in BLOCKS), {"text": "The work is done."}]) as (terminal, server, _):
        terminal.type("begin\r")
        while not terminal.expect(QUESTION).endswith("The work is done."):
            asked += 1
            terminal.type("y\r")
            keys += 2
        if len(server.requests) != len(BLOCKS) + 1:
            raise AssertionError(f"{len(server.requests) - 1} of {len(BLOCKS)} blocks came to their end")
    return asked, keys


def in_the_window():
    """The same with the dialog and Ctrl+Return."""
    asked = keys = 0
    turns = [*(call(language, code) for language, code in BLOCKS), {"text": "The work is done."}]
    with stage(turns) as (app, server, _folder):
        send(app, "begin")
        for number in range(1, len(BLOCKS) + 1):
            server.wait_for_requests(number)
            pressed = 0
            while len(server.requests) == number:
                if app.has("dialog", contains="Code?"):
                    time.sleep(READING)
                    app.desktop.key("ctrl+Return")
                    pressed += 1
                    answered_within(server, number + 1, ANSWERING)
            asked += pressed > 0
            keys += pressed
    return asked, keys


def answered_within(server, count, seconds):
    end = time.monotonic() + seconds
    while len(server.requests) < count and time.monotonic() < end:
        time.sleep(0.05)


def main():
    for place, words, ask in (("the terminal chat", "y and Enter", in_the_terminal), ("the window", "Ctrl+Return", in_the_window)):
        asked, keys = ask()
        figures.amount(f"20 blocks in Ask mode, {place}: asked", asked, f"of {len(BLOCKS)}")
        figures.amount("… key presses an approval", keys / asked, "", note=words)


main()
