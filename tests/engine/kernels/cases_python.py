# SPDX-License-Identifier: GPL-3.0-or-later

import json
import os
import termios

import driver
from cases import Skip, case, contains, ended, equal, lacks


@case("python")
def last_value_is_printed(k):
    cell = k.run("print('hi')\n1+1")
    ended(cell, "ok", 0)
    equal(cell.output, "hi\n2\n")


@case("python")
def errors_have_traceback_and_line(k):
    cell = k.run("a = 1\n\n\ndef f(x):\n    return 1 / x\n\nf(0)")
    ended(cell, "error", 1)
    equal(cell.error["name"], "ZeroDivisionError")
    contains(cell.error["traceback"], "return 1 / x")
    lacks(cell.error["traceback"], "harness.py")
    equal(k.run("\n" * 6 + "raise KeyError('seven')").error["line"], 7)


@case("python")
def syntax_error_names_its_line(k):
    cell = k.run("x = 1\ny = = 3")
    equal(cell.error["name"], "SyntaxError")
    equal(cell.error["line"], 2)


@case("python")
def code_is_what_python_sees(k):
    ended(k.run("from __future__ import annotations\ndef f():\n    'the doc'\ng = lambda: 3"), "ok", 0)
    equal(k.run("print(f.__doc__, g())").output, "the doc 3\n")


@case("python")
def await_stands_at_the_top(k):
    equal(k.run("import asyncio\nawait asyncio.sleep(0)\n42").output, "42\n")


@case("python")
def input_takes_what_is_typed(k):
    cell = k.begin("n = input('name? ')\nprint('hi', n)")
    k.until_output(cell, "name? ")
    k.until_event(cell, "input_request")
    k.type("Ada\n")
    k.finish(cell)
    contains(cell.output, "hi Ada")


@case("python")
def getpass_turns_echo_off(k):
    cell = k.begin("import getpass\np = getpass.getpass('password: ')\nprint(len(p))")
    k.until_output(cell, "password: ")
    k.wait(lambda: not termios.tcgetattr(k.master)[3] & termios.ECHO, "echo to go off")
    k.type("secret\n")
    k.finish(cell)
    contains(cell.output, "6")
    lacks(cell.output, "secret")


@case("python")
def exit_ends_the_cell(k):
    k.run("kept = 5")
    ended(k.run("import sys\nsys.exit(3)"), "exit", 3)
    equal(k.run("kept").output, "5\n")


@case("python")
def a_fork_never_becomes_a_second_kernel(k):
    cell = k.run("import os\npid = os.fork()\nprint('child' if pid == 0 else 'parent')\nif pid: os.waitpid(pid, 0)")
    ended(cell, "ok", 0)
    contains(cell.output, "parent")


@case("python")
def pools_work(k):
    code = ("import multiprocessing as mp\ndef square(x): return x * x\n"
            "with mp.get_context('fork').Pool(2) as pool: print(pool.map(square, [1, 2, 3]))")
    contains(k.run(code).output, "[1, 4, 9]")


@case("python")
def late_output_of_a_thread_is_background(k):
    k.run("import threading\ngate = threading.Event()\n"
          "def late():\n    gate.wait()\n    print('LATE')\nthreading.Thread(target=late).start()")
    k.run("threading.Timer(0.01, gate.set).start()")
    k.until_background("LATE")


@case("python")
def replaced_and_closed_stdout(k):
    k.run("import sys, io\nsys.stdout = io.StringIO()\nprint('swallowed')")
    contains(k.run("sys.stdout = sys.__stdout__\nprint('back')").output, "back")


@case("python")
def ignored_interrupts_come_back_with_the_next_cell(k):
    k.run("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)")
    ended(k.run("1"), "ok", 0)


@case("python")
def deep_recursion_is_an_error(k):
    equal(k.run("def g(): return g()\ng()").error["name"], "RecursionError")


def lost(k, code):
    cell = k.begin(code)
    try:
        k.finish(cell)
    except driver.Lost:
        return
    raise AssertionError("the kernel goes on after %r" % code)


@case("python", ends=True)
def hard_exit_ends_the_kernel(k):
    lost(k, "import os\nos._exit(7)")


@case("python", ends=True)
def a_crash_ends_the_kernel(k):
    lost(k, "import ctypes\nctypes.string_at(0)")


@case("python", ends=True)
def exec_ends_the_kernel(k):
    lost(k, "import os\nos.execvp('true', ['true'])")


@case("python", ends=True)
def closed_channels_end_the_kernel(k):
    lost(k, "import os\nos.closerange(3, 1024)")


@case("python")
def missing_module_is_named(k):
    equal(k.run("import nosuchmodule_x.inner").error["module"], "nosuchmodule_x")


def need(k, module):
    if "no" in k.run("import importlib.util\nprint('yes' if importlib.util.find_spec(%r) else 'no')" % module).output:
        raise Skip("%s is not installed" % module)


@case("python")
def charts_with_and_without_show(k):
    need(k, "matplotlib")
    shown = k.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    equal(len(shown.displays), 1)
    equal(k.content(shown.displays[0])[:4], b"\x89PNG")
    equal(shown.displays[0]["scale"], 2)
    equal(len(k.run("plt.plot([2, 1])\nNone").displays), 1)
    equal(len(k.run("plt.figure(); plt.plot([1])\nplt.figure(); plt.plot([2])\nplt.show()").displays), 2)
    equal(len(k.run("fig, ax = plt.subplots()\nax.plot([3])\nfig").displays), 1)


@case("python")
def data_frame_is_a_table(k):
    need(k, "pandas")
    cell = k.run("import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', None]})")
    table = json.loads(k.content(next(d for d in cell.displays if d["mime"].endswith("table+json"))))
    equal(table["columns"][-2:], ["a", "b"])
    equal(table["total_rows"], 2)
    contains(next(d for d in cell.displays if d["mime"].endswith("table+json"))["text"], "x")


@case("python")
def display_and_rich_values(k):
    cell = k.run("class V:\n    def _repr_svg_(self): return '<svg/>'\nV()")
    equal(k.content(cell.displays[0]), b"<svg/>")


@case("python")
def shell_lines_run(k):
    contains(k.run("!echo from the shell").output, "from the shell")


@case("python")
def folder_is_told(k):
    cell = k.run("import os\nos.makedirs('inner', exist_ok=True)\nos.chdir('inner')")
    equal(os.path.basename(cell.finished["cwd"]), "inner")
    k.run("os.chdir('..')")


@case("python")
def running_line_is_told(k):
    cell = k.begin("import time\nx = 1\nwhile True:\n    time.sleep(0.01)")
    k.wait(lambda: set(cell.lines) & {3, 4}, "the running line")
    k.interrupt()
    k.finish(cell)
    ended(cell, "interrupted")
