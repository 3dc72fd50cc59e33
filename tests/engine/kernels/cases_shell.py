# SPDX-License-Identifier: GPL-3.0-or-later

import os
import termios

from cases import case, contains, ended, equal, lacks


@case("shell")
def state_is_kept(k):
    k.run("foo(){ echo foo:$v; }; v=1; mkdir -p inner; cd inner; export E=2; declare -A m=([a]=1)")
    cell = k.run("foo; basename \"$PWD\"; echo $E ${m[a]}")
    equal(cell.output, "foo:1\ninner\n2 1\n")
    equal(os.path.basename(cell.finished["cwd"]), "inner")
    k.run("cd ..")


@case("shell")
def exit_ends_the_cell_and_keeps_the_shell(k):
    k.run("kept=yes")
    cell = k.run("echo a; exit 3; echo never")
    ended(cell, "exit", 3)
    contains(cell.output, "a\n")
    lacks(cell.output, "never")
    contains(k.run("echo $kept").output, "yes")


@case("shell")
def exit_in_a_subshell_is_its_own(k):
    contains(k.run("(exit 3); echo rc=$?").output, "rc=3")


@case("shell")
def unclosed_if_is_a_syntax_error(k):
    cell = k.run("if true; then")
    ended(cell, "error", 2)
    contains(cell.error["message"], "syntax error")


@case("shell")
def unclosed_quote_and_stray_fi(k):
    for code in ("echo 'never closed", "fi", "done", "echo )"):
        cell = k.run(code)
        ended(cell, "error")


@case("shell")
def set_e_stops_the_cell_only(k):
    cell = k.run("set -e; false; echo never")
    ended(cell, "error", 1)
    lacks(cell.output, "never")
    ended(k.run("false; true"), "ok", 0)


@case("shell")
def set_u_stops_the_cell_only(k):
    cell = k.run("set -u; echo $undefined_thing; echo never")
    ended(cell, "error")
    lacks(cell.output, "never")
    lacks(cell.output, "BASH_SOURCE")


@case("shell")
def heredoc_is_byte_exact(k):
    k.run("cat <<'EOF' > exact\none\n\ttwo  \n$three\nEOF")
    with open(os.path.join(k.folder, "exact"), "rb") as file:
        equal(file.read(), b"one\n\ttwo  \n$three\n")


@case("shell")
def quoted_text_over_two_lines_is_not_altered(k):
    equal(k.run('echo "first\nsecond"').output, "first\nsecond\n")


@case("shell")
def status_of_the_last_command_is_told(k):
    ended(k.run("false"), "error", 1)
    cell = k.run("nosuchcommand_x")
    ended(cell, "error", 127)
    contains(cell.output, "not found")


@case("shell")
def read_takes_what_is_typed(k):
    cell = k.begin("read -p 'name? ' n; echo got=$n")
    k.until_output(cell, "name? ")
    k.type("Ada\n")
    k.finish(cell)
    contains(cell.output, "got=Ada")


@case("shell")
def silent_read_turns_echo_off(k):
    cell = k.begin("read -s -p 'password? ' p; echo; echo length=${#p}")
    k.until_output(cell, "password? ")
    k.wait(lambda: not termios.tcgetattr(k.master)[3] & termios.ECHO, "echo to go off")
    k.type("secret\n")
    k.finish(cell)
    contains(cell.output, "length=6")
    lacks(cell.output, "secret")


@case("shell")
def background_job_goes_on(k):
    # It waits for a file, not for time.
    cell = k.run("(until [ -e go ]; do read -t 0.05 < /dev/zero || :; sleep 0.02; done; echo LATE) & echo started")
    ended(cell, "ok", 0)
    open(os.path.join(k.folder, "go"), "w").close()
    k.until_background("LATE")


@case("shell")
def traps_of_the_user_do_not_break_it(k):
    k.run("trap 'echo trapped' ERR INT; PROMPT_COMMAND='echo mine'; set -x")
    ended(k.run("true"), "ok", 0)


@case("shell")
def children_do_not_inherit_the_channels(k):
    # The pipe to sed is its own and only one.
    cell = k.run("ls -l /proc/self/fd | sed -n 's/.*-> pipe/pipe/p'")
    equal(cell.plain.count("pipe"), 1)


@case("shell", ends=True)
def exec_ends_the_kernel(k):
    import driver

    cell = k.begin("exec echo replaced")
    try:
        k.finish(cell)
    except driver.Lost:
        return
    raise AssertionError("the kernel was replaced and goes on")
