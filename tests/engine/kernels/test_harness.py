#!/usr/bin/env python3
# Runs the kernel harnesses alone on a terminal: hostile code, input, interrupts, rich results. Speaks TAP.
#
#   test_harness.py [LANGUAGE…] [-k TEXT]
#
# A language whose interpreter is missing is skipped. INTERP_TEST_PYTHON=/path (or _SHELL, _JAVASCRIPT, _R) chooses one.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import driver
from cases import ALL, Skip
import cases_common
import cases_javascript
import cases_python
import cases_r
import cases_shell


def chosen(arguments):
    languages, words = [], []
    rest = iter(arguments)
    for argument in rest:
        if argument == "-k":
            words.append(next(rest))
        else:
            languages.append(argument)
    return [
        case
        for case in ALL
        if (not languages or case.language in languages) and all(word in case.name for word in words)
    ]


def main():
    cases = chosen(sys.argv[1:])
    print("TAP version 13")
    print("1..%d" % len(cases), flush=True)
    kernel = None
    failed = 0
    for number, case in enumerate(cases, 1):
        title = "%d - %s: %s" % (number, case.language, case.name)
        if driver.Description(case.language).interpreter() is None:
            print("ok %s # SKIP no interpreter for it is installed" % title, flush=True)
            continue
        if kernel and (case.own or kernel.description.keys["Id"] != case.language):
            kernel.close()
            kernel = None
        try:
            if case.own:
                case.function()
            else:
                kernel = kernel or driver.Kernel(case.language)
                case.function(kernel)
                if case.ends:
                    kernel.close()
                    kernel = None
                else:
                    check_alive(kernel, case)
            print("ok " + title, flush=True)
        except Skip as reason:
            print("ok %s # SKIP %s" % (title, reason), flush=True)
        except Exception:
            failed += 1
            print("not ok " + title)
            for line in traceback.format_exc().rstrip().split("\n"):
                print("# " + line)
            sys.stdout.flush()
            if kernel:
                kernel.close()
                kernel = None
    if kernel:
        kernel.close()
    return 1 if failed else 0


def check_alive(kernel, case):
    """After every case, whatever it did, the next cell works."""
    cell = kernel.run(case.probe)
    assert cell.status == "ok", "the next cell: %r %r" % (cell.finished, cell.output)
    assert "42" in cell.plain, "the next cell printed %r" % cell.output


if __name__ == "__main__":
    sys.exit(main())
