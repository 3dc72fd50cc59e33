# The list of cases, and what they share.
#
# SPDX-License-Identifier: GPL-3.0-or-later

ALL = []

PROBES = {
    "python": "print(6 * 7)",
    "shell": "echo $((6 * 7))",
    "javascript": "console.log(6 * 7)",
    "r": "cat(6 * 7, '\\n')",
}


class Skip(Exception):
    """What the case needs is not here; says what."""


class Case:
    def __init__(self, language, name, function, own, ends):
        self.language = language
        self.name = name
        self.function = function
        self.own = own  # starts its kernels itself
        self.ends = ends  # the kernel is gone afterwards
        self.probe = PROBES[language]


def case(language, own=False, ends=False):
    """Registers a function as a case of @language, named after it."""

    def register(function):
        ALL.append(Case(language, function.__name__.replace("_", " "), function, own, ends))
        return function

    return register


def equal(found, expected):
    assert found == expected, "found %r, expected %r" % (found, expected)


def contains(text, part):
    assert part in text, "%r is not in %r" % (part, text)


def lacks(text, part):
    assert part not in text, "%r is in %r" % (part, text)


def ended(cell, status, code=None):
    assert cell.status == status and code in (None, cell.code), "ended %r, terminal %r" % (cell.finished, cell.output[-500:])
