"""What the benchmarks share: figures, one JSON object a line on standard output, and the programs they measure.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

SOURCE_ROOT = Path(os.environ["INTERP_TEST_SOURCE_ROOT"])
BUILD_ROOT = Path(os.environ["INTERP_TEST_BUILD_ROOT"])
for folder in ("fixtures", "console", "desktop"):
    sys.path.append(str(SOURCE_ROOT / "tests" / folder))

median = statistics.median


def percentile(values, part):
    """The value that `part` (0 to 1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def number(value):
    """Three digits that count."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _figure(name, measured, compared="", goal="", met=None):
    print(json.dumps({"name": name, "measured": measured, "compared": compared, "goal": goal, "met": met}), flush=True)


def amount(name, value, unit, at_most=None, at_least=None, note=""):
    """A figure by itself, with a bound or without a goal."""
    goal, met = "", None
    if at_most is not None:
        goal, met = f"≤ {number(at_most)} {unit}", value <= at_most
    elif at_least is not None:
        goal, met = f"≥ {number(at_least)} {unit}", value >= at_least
    _figure(name, f"{number(value)} {unit}".strip(), note, goal, met)


def ratio(name, value, unit, base, base_name, at_most=None, at_least=None):
    """A figure beside another of the same run."""
    part = value / base
    goal, met = "", None
    if at_most is not None:
        goal, met = f"≤ {number(at_most)} ×", part <= at_most
    elif at_least is not None:
        goal, met = f"≥ {number(at_least)} ×", part >= at_least
    _figure(name, f"{number(value)} {unit}, {number(part)} ×", f"{base_name}: {number(base)} {unit}", goal, met)


def unmeasured(name, reason, goal=""):
    """A figure that cannot be had here."""
    _figure(name, "not measured", reason, goal)


def program(name):
    """The path of a program of the benchmarks."""
    return str(BUILD_ROOT / "tests/bench" / name)


def run(name, *arguments, env=None, timeout=600):
    """Runs a program of the benchmarks: the values it prints ("key value" a line) as lists by key."""
    done = subprocess.run([program(name), *map(str, arguments)], env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, timeout=timeout, check=True)
    values = {}
    for line in done.stdout.splitlines():
        key, value = line.split()
        values.setdefault(key, []).append(float(value))
    return values
