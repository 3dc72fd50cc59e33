# What every language must do.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import json
import os
import xml.etree.ElementTree

import driver
from cases import PROBES, case, contains, ended, equal

LOOPS = {
    "python": "while True:\n    pass",
    "shell": "while :; do :; done",
    "javascript": "while (true) {}",
    "r": "while (TRUE) {}",
}
SLEEPS = {
    "python": "import time\ntime.sleep(600)",
    "shell": "sleep 600",
    "javascript": "await new Promise (() => {})",
    "r": "for (i in 1:6000) Sys.sleep(.1)",
}
CHILDREN = {
    "python": "import subprocess\nsubprocess.run('echo up; exec sleep 600', shell=True)",
    "shell": "(echo up; sleep 600) | cat",
    "javascript": "require('child_process').execSync('echo up; exec sleep 600', { stdio: 'inherit' })",
    "r": "system('echo up; exec sleep 600')",
}
FLOODS = {
    "python": "while True: print('spam' * 20)",
    "shell": "yes spam",
    "javascript": "for (;;) console.log('spam'.repeat(20))",
    "r": "repeat cat('spam spam spam spam\\n')",
}
FOREIGN = {
    "python": "print('中文 日本語 😀')",
    "shell": "echo '中文 日本語 😀'",
    "javascript": "console.log('中文 日本語 😀')",
    "r": "cat('中文 日本語 😀\\n')",
}
BAD_BYTES = {
    "python": "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\xc4\\xe3ok\\n'); sys.stdout.flush()",
    "shell": "printf '\\377\\376\\304\\343ok\\n'",
    "javascript": "process.stdout.write(Buffer.from([255, 254, 196, 227])); console.log('ok')",
    "r": "system(\"printf '\\\\377\\\\376\\\\304\\\\343ok\\\\n'\")",
}
STATE = {
    "python": ("x = 41", "print(x + 1)"),
    "shell": ("x=41", "echo $((x + 1))"),
    "javascript": ("const x = 41", "console.log(x + 1)"),
    "r": ("x <- 41", "cat(x + 1)"),
}


def interrupted(texts):
    def check(k):
        language = k.description.keys["Id"]
        k.run(STATE[language][0])
        cell = k.begin(texts[language])
        k.until_event(cell, "started")
        if texts in (FLOODS, CHILDREN):
            k.until_output(cell, "spam" if texts is FLOODS else "up")
        # A shell that is just about to give a child the terminal does not see the first: as the engine does, try again.
        for _ in range(4):
            k.interrupt()
            try:
                k.wait(lambda: cell.of("finished"), "finished", 2)
                break
            except driver.Late:
                continue
        k.finish(cell)
        if language == "r" and texts is CHILDREN:
            ended(cell, cell.status if cell.status == "ok" else "interrupted")  # R's system () goes on after its child
        else:
            ended(cell, "interrupted", 130)
        contains(k.run(STATE[language][1]).plain, "42")

    return check


def register(name, check):
    for language in PROBES:
        function = lambda k, check=check: check(k)  # noqa: E731
        function.__name__ = name
        case(language)(function)


register("a_busy_loop_is_interrupted_and_state_is_kept", interrupted(LOOPS))
register("a_sleep_is_interrupted", interrupted(SLEEPS))
register("a_child_program_is_interrupted", interrupted(CHILDREN))
register("endless_output_is_interrupted", interrupted(FLOODS))


def check_foreign(k):
    contains(k.run(FOREIGN[k.description.keys["Id"]]).output, "中文 日本語 😀")


def check_bad_bytes(k):
    cell = k.run(BAD_BYTES[k.description.keys["Id"]])
    contains(cell.output, "ok")


def check_empty(k):
    for code in ("", "\n\n", "  \n"):
        ended(k.run(code), "ok", 0)


def check_again(k):
    language = k.description.keys["Id"]
    for _ in range(2):
        ended(k.run(STATE[language][0]), "ok", 0)


register("text_in_other_scripts_is_exact", check_foreign)
register("invalid_bytes_pass", check_bad_bytes)
register("an_empty_cell_ends", check_empty)
register("the_same_cell_runs_twice", check_again)


def own_cases(language):
    def works_over_fifos_with_inline_displays():
        kernel = driver.Kernel(language, fifo=True, inline=True)
        try:
            contains(kernel.run(PROBES[language]).plain, "42")
        finally:
            kernel.close()

    def ends_when_the_requests_end():
        kernel = driver.Kernel(language)
        kernel.send("shutdown")
        try:
            kernel.wait(lambda: kernel.process.poll() is not None, "its end")
        except driver.Lost:
            kernel.process.wait(driver.DEADLINE)
        equal(kernel.process.poll(), 0)
        kernel.close()

    case(language, own=True)(works_over_fifos_with_inline_displays)
    case(language, own=True)(ends_when_the_requests_end)


for _language in PROBES:
    own_cases(_language)


@case("python", own=True)
def the_code_of_the_tour_runs():
    with open(os.path.join(driver.SOURCE, "data", "tour", "tour.json"), encoding="utf-8") as file:
        tour = json.load(file)
    kernels = {}
    errors = []
    pictures = []
    try:
        for turn in tour["turns"]:
            assert turn["text"].strip(), "a turn without words"
            for call in turn["calls"]:
                kernel = kernels.setdefault(call["language"], None) or driver.Kernel(call["language"])
                kernels[call["language"]] = kernel
                cell = kernel.begin(call["code"])
                if "input(" in call["code"]:
                    kernel.until_event(cell, "input_request")
                    kernel.type("Ada & Sons\n")
                kernel.finish(cell)
                pictures += [kernel.content(display) for display in cell.displays]
                if cell.status != "ok":
                    errors.append(cell.error["name"] + ": " + cell.error["message"])
    finally:
        for kernel in kernels.values():
            if kernel:
                kernel.close()
    equal(errors, ["KeyError: 'December'"])  # the one that it shows how to mend
    equal(len(pictures), 1)
    contains(xml.etree.ElementTree.fromstring(pictures[0]).find(".//{*}text").text, "Ada & Sons")
    equal(tour["turns"][-1]["calls"], [])


@case("python", own=True)
def the_chart_of_the_tour_stands_alone():
    with open(os.path.join(driver.SOURCE, "data", "tour", "tour.json"), encoding="utf-8") as file:
        code = [call["code"] for turn in json.load(file)["turns"] for call in turn["calls"]][-1]
    kernel = driver.Kernel("python")
    try:
        cell = kernel.run(code)
        ended(cell, "ok", 0)
        equal(cell.displays[0]["mime"], "image/svg+xml")
        contains(cell.displays[0]["text"], "sales")
    finally:
        kernel.close()
