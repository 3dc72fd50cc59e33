# SPDX-License-Identifier: GPL-3.0-or-later

import json
import os

from cases import case, contains, ended, equal, lacks


@case("r")
def values_print_as_in_r(k):
    equal(k.run("f <- function(x) x / 2\nf(4)").output, "[1] 2\n")
    equal(k.run("x <- 1:3\nprint(x)\nx * 2\ninvisible(9)").output, "[1] 1 2 3\n[1] 2 4 6\n")


@case("r")
def function_over_several_lines(k):
    equal(k.run("g <- function(a,\n              b = 2) {\n  a + b\n}\ng(1)").output, "[1] 3\n")


@case("r")
def errors_name_message_and_line(k):
    cell = k.run("f <- function(x) {\n  stop('bad ', x)\n}\n\nf(1)")
    ended(cell, "error", 1)
    equal(cell.error["message"], "bad 1")
    contains(cell.output, "Error in f(1): bad 1")
    assert cell.error["line"] in (2, 5), cell.error


@case("r")
def syntax_error_names_its_line(k):
    cell = k.run("a <- 1\nx <- = 3")
    ended(cell, "error", 1)
    equal(cell.error["line"], 2)


@case("r")
def warnings_come_in_order(k):
    output = k.run("cat('one\\n'); as.integer('a'); cat('two\\n')").output
    assert output.index("one") < output.index("Warning") < output.index("two"), output


@case("r")
def plots_are_shown_without_a_window(k):
    cell = k.run("plot(1:3)\nhist(c(1, 2, 2, 3))")
    equal(len(cell.displays), 2)
    for display in cell.displays:
        equal(k.content(display)[:4], b"\x89PNG")
        equal(display["scale"], 2)


@case("r")
def data_frame_is_a_table(k):
    cell = k.run("data.frame(a = c(1, 2.5, NA), b = c('x', 'y\"', NA))")
    table = json.loads(k.content(cell.displays[0]))
    equal(table["columns"], ["a", "b"])
    equal(table["rows"], [[1, "x"], [2.5, 'y"'], [None, None]])
    equal(table["total_rows"], 3)
    contains(cell.displays[0]["text"], "2.5")


@case("r")
def row_names_lead(k):
    table = json.loads(k.content(k.run("mtcars").displays[0]))
    equal(table["rows"][0][0], "Mazda RX4")
    equal(table["total_rows"], 32)


@case("r")
def quit_ends_the_cell(k):
    k.run("kept <- 'yes'")
    ended(k.run("q('no', 4)"), "exit", 4)
    contains(k.run("cat(kept)").output, "yes")


@case("r")
def readline_takes_what_is_typed(k):
    cell = k.begin("n <- readline('name? '); cat('hi', n, '\\n')")
    k.until_output(cell, "name? ")
    k.type("Ada\n")
    k.finish(cell)
    contains(cell.output, "hi Ada")


@case("r")
def missing_package_is_named(k):
    cell = k.run("library(nosuchpackage)")
    equal(cell.error["module"], "nosuchpackage")


@case("r")
def folder_is_told(k):
    equal(os.path.realpath(k.run("dir.create('inner'); setwd('inner')").finished["cwd"]),
          os.path.realpath(os.path.join(k.folder, "inner")))
    lacks(k.run("setwd('..')").output, "Error")


@case("r")
def the_harness_is_out_of_sight(k):
    equal(k.run("print(ls())").output.count("serve"), 0)
    contains(k.run("cat(Sys.getenv('INTERP_KERNEL_TOKEN'), 'none')").output, "none")


@case("r")
def idle_interrupt_is_harmless(k):
    k.type("\x03")
    # The terminal raises the signal and then echoes.
    k.wait(lambda: b"^C" in k.background, "the interrupt")
    k.send("nop")
    contains(k.run("cat(6 * 7)").output, "42")
