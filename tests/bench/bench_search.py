"""Search over the text of 1 000 chats of 100 messages each.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import string
import tempfile

import figures

CHATS = 1000
MESSAGES = 100
ROUNDS = 5
# Each key searches, so the beginnings of words count as much as the words.
QUERIES = {
    "one letter": list(string.ascii_lowercase),
    "two letters": ["co", "da", "in", "na", "pr", "sa", "te", "un"],
    "the beginning of a word": ["conf", "sater", "impo", "valu"],
    "words": ["con da", "python name value", "fer gi hu", "math.sqrt"],
}


def main():
    with tempfile.TemporaryDirectory(prefix="interpreter-bench-", ignore_cleanup_errors=True) as folder:
        figures.run("bench-store", "fill", folder, CHATS, MESSAGES)
        for name, queries in QUERIES.items():
            found = figures.run("bench-store", "search", folder, ROUNDS, *queries)
            if not any(found["hits"]):
                raise AssertionError(f"nothing is found by {queries}")
            times = found["search"]
            slowest, query = max((figures.median(times[i * ROUNDS:(i + 1) * ROUNDS]), query)
                                 for i, query in enumerate(queries))
            figures.amount(f"search: {name}, the slowest", slowest, "ms", at_most=50,
                           note=f"“{query}”; the very first took {figures.number(times[0])} ms")


main()
