"""A fixed session of 20 blocks in Ask mode: how often one is asked, and the keys that an approval takes.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re

import figures

from console import call, chat  # noqa: E402

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


def main():
    asked, keys = in_the_terminal()
    figures.amount("20 blocks in Ask mode: approvals asked", asked, "of 20", note="in the terminal chat")
    figures.amount("keys an approval", keys / asked, "keys", note="in the terminal chat: y and Enter")


main()
