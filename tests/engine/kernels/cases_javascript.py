# SPDX-License-Identifier: GPL-3.0-or-later

from cases import case, contains, ended, equal, lacks


@case("javascript")
def const_and_let_live_on_and_may_be_declared_again(k):
    for _ in range(2):
        ended(k.run("const a = 5; let b = {\n  x: 1,\n  y: [1, 2]\n}"), "ok", 0)
    equal(k.run("console.log(`${a} ${b.y.length}`)").plain, "5 2\n")


@case("javascript")
def template_with_an_empty_line_is_exact(k):
    equal(k.run("console.log(`one\n\ntwo`)").plain, "one\n\ntwo\n")


@case("javascript")
def last_value_is_printed(k):
    equal(k.run("[1, 'x']").plain, "[ 1, 'x' ]\n")
    equal(k.run("undefined").plain, "")


@case("javascript")
def await_stands_at_the_top(k):
    equal(k.run("const p = await new Promise (r => setTimeout (() => r (9), 5)); p").plain, "9\n")
    equal(k.run("for (let i = 0; i < 2; i++) { await 1; console.log(i) }").plain, "0\n1\n")


@case("javascript")
def imports_of_all_forms(k):
    code = ("import path from 'node:path'\n"
            "import { join as j, sep } from \"node:path\";\n"
            "import * as system from 'node:os'\n"
            "import 'node:fs'\n"
            "const q = await import('node:url')\n"
            "j('a', 'b') + sep + path.sep + typeof system.EOL + typeof q.URL")
    equal(k.run(code).plain, "'a/b//stringfunction'\n")


@case("javascript")
def import_in_text_stays_text(k):
    equal(k.run("console.log('import(x)', `import y from \"z\"`, /import/.source) // import a from 'b'").plain,
          "import(x) import y from \"z\" import\n")


@case("javascript")
def errors_name_line_and_message(k):
    cell = k.run("function f () {\n  throw new TypeError ('bad')\n}\n\n\n\nf ()")
    ended(cell, "error", 1)
    equal((cell.error["name"], cell.error["message"], cell.error["line"]), ("TypeError", "bad", 2))
    contains(cell.output, "TypeError: bad")
    lacks(cell.output, "harness.js")


@case("javascript")
def syntax_errors_and_thrown_values(k):
    equal(k.run("let = = 3").error["name"], "SyntaxError")
    ended(k.run("throw 5"), "error", 1)


@case("javascript")
def exit_ends_the_cell(k):
    cell = k.run("console.log('before'); process.exit (3); console.log('after')")
    ended(cell, "exit", 3)
    lacks(cell.plain, "after")


@case("javascript")
def late_output_and_late_errors_do_not_kill(k):
    k.run("setTimeout (() => { console.log('LATE'); throw new Error ('later') }, 5); 1")
    k.until_background("LATE")
    k.until_background("later")
    k.run("Promise.reject (new Error ('nobody waits')); 1")
    k.until_background("nobody waits")


@case("javascript")
def missing_module_is_named(k):
    cell = k.run("require ('nosuchmodule_x')")
    equal(cell.error["module"], "nosuchmodule_x")


@case("javascript")
def display_shows(k):
    cell = k.run("display ('image/svg+xml', '<svg/>', { text: 'a drawing' })")
    equal(k.content(cell.displays[0]), b"<svg/>")
    equal(cell.displays[0]["text"], "a drawing")


@case("javascript")
def readline_takes_what_is_typed(k):
    cell = k.begin("const rl = require ('readline/promises').createInterface ({ input: process.stdin, output: process.stdout })\n"
                   "const n = await rl.question ('name? '); rl.close (); console.log ('hi ' + n)")
    k.until_output(cell, "name? ")
    k.type("Ada\n")
    k.finish(cell)
    contains(cell.plain, "hi Ada")
