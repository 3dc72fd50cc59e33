"""Execution (rows A): what people complain of in other interpreters, and what has to come of it here.

Rows that other tests hold, each named there: A10 and A14 in test_chat.py.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import (PROGRAM, PROMPT, ScriptedServer, approve, ask, call, chat, do, home, last_content, messages,  # noqa: E402
                     model, processes_with, run_blocks, wait_until)

import tap  # noqa: E402


def need_modules(*names):
    """Charts and tables need what the system's Python may not have."""
    for name in names:
        if subprocess.run(["python3", "-c", f"import {name}"], capture_output=True, check=False).returncode:
            raise tap.Skip(f"Python has no {name}")


def shell_of_login(name):
    """A1: a listing under the login shell `name` shows the files and its exit status, and ends."""
    path = shutil.which(name)
    if not path:
        raise tap.Skip(f"{name} is not installed")
    with home() as place:
        (place.folder / "listed").touch()
        outcome = run_blocks(("shell", "ls"), place=place, env={"SHELL": path})
        assert outcome.outputs == ["listed\n"]
        assert outcome.results[0]["exit_code"] == 0 and outcome.states == ["done"]


def test_listing_under_bash():
    """A1 with bash."""
    shell_of_login("bash")


def test_listing_under_zsh():
    """A1 with zsh."""
    shell_of_login("zsh")


def test_listing_under_fish():
    """A1 with fish."""
    shell_of_login("fish")


def test_exit_ends_the_block_only():
    """A3: a block that calls exit ends with that status; the next one works, in the same folder."""
    outcome = run_blocks(("shell", "mkdir inner; cd inner; echo a; exit 3; echo never"), ("shell", "basename $PWD"),
                         ("shell", "echo )"), ("shell", "fi"), ("shell", "echo on"))
    assert outcome.results[0]["exit_code"] == 3
    assert outcome.outputs[0] == "a\n" and "exit status 3" in outcome.told[0]
    assert outcome.outputs[1] == "inner\n"
    assert outcome.states == ["failed", "done", "failed", "failed", "done"]


def test_unclosed_if_is_a_syntax_error():
    """A4: an unclosed compound command is a syntax error at once, and the shell goes on."""
    outcome = run_blocks(("shell", "if true; then"), ("shell", "echo 'never closed"), ("shell", "echo on"))
    assert outcome.states == ["failed", "failed", "done"]
    assert "syntax error" in outcome.told[0] and "exit status 2" in outcome.told[0]


def test_here_document_is_byte_exact():
    """A6: what a here-document writes is what stands in it."""
    with home() as place:
        run_blocks(("shell", "cat <<EOF > f\none\n\ttwo  \n  three # not a comment\nEOF"), place=place)
        assert (place.folder / "f").read_bytes() == b"one\n\ttwo  \n  three # not a comment\n"


def test_text_over_two_lines_is_not_altered():
    """A7: a quoted string with a line end prints two lines."""
    assert run_blocks(("shell", 'echo "first\nsecond"')).outputs == ["first\nsecond\n"]


def test_programs_that_read_get_what_is_typed():
    """A9: read, a Python program and cat say that they wait, get what is typed, and end."""
    turns = [call("shell", "read x; echo got=$x"), call("shell", "python3 -c \"print('say ' + input())\""),
             call("shell", "cat > copy; echo copied"), {"text": "End."}]
    with chat(turns) as (terminal, server, place):
        ask(terminal, "read")
        for typed, wanted in (("Ada\r", "got=Ada"), ("Lovelace\r", "say Lovelace"), ("one line\r\x04", "copied")):
            approve(terminal)
            terminal.expect("waits for your input")
            terminal.type(typed)
            terminal.expect(wanted)
        terminal.expect("End.")
        assert (place.folder / "copy").read_text() == "one line\n"
        assert "got=Ada" in last_content(server, 1)
        assert len(server.requests) == 4, "no model is asked what to type"


def test_nobody_to_type():
    """A9 where nobody can type: code that reads gets the end of its input instead of hanging."""
    outcome = run_blocks(("shell", "read x; echo got=$x."), ("shell", "cat; echo end"), ("python", "input('name? ')"))
    assert outcome.outputs[:2] == ["got=.\n", "end\n"]
    assert outcome.results[2]["error"] == "EOFError"


# sudo as it is to its caller: it takes the terminal, turns echo off and asks there.
SUDO = """#!/bin/bash
[ "$1" = -k ] && exit 0
exec 3<>/dev/tty
old=$(stty -g <&3)
stty -echo <&3
printf '[sudo] password for ada: ' >&3
IFS= read -r password <&3
stty "$old" <&3
echo >&3
[ "$password" = swordfish ] || { echo 'Sorry.'; exit 1; }
exec "$@"
"""


def test_password_for_sudo_is_asked_for_and_kept_nowhere():
    """A11: sudo's question is seen, its answer is not, and stands in no log, request or file."""
    with chat([call("shell", "sudo -k; sudo echo allowed"), {"text": "End."}], "--auto_run",
              prepare=lambda place: place.write_program("sudo", SUDO)) as (terminal, server, place):
        ask(terminal, "x")
        assert "administrator" in approve(terminal), "asked for in every mode"
        terminal.expect("password for ada")
        terminal.expect("what you type is not recorded")
        terminal.type("swordfish\r")
        terminal.expect("allowed")
        terminal.expect("End.")
        assert "swordfish" not in terminal.text
        assert not any("swordfish" in request["body"] for request in server.requests)
        for folder in ("data", "cache", "config", "run"):
            for path in (place.top / folder).rglob("*"):
                assert not path.is_file() or b"swordfish" not in path.read_bytes(), path


def test_sudo_with_nobody_there_is_refused():
    """A11 where nobody can type: refused before anything runs."""
    with home() as place:
        place.write_program("sudo", "#!/bin/sh\ntouch ran\n")
        outcome = do([call("shell", "sudo true"), {"text": "never"}], place=place)
        assert outcome.status == 3 and outcome.states == ["refused"]
        assert not (place.folder / "ran").exists()


def test_unknown_command():
    """A12: a command that is not there is an error with status 127."""
    outcome = run_blocks(("shell", "nosuchcommand_x"))
    assert outcome.results[0]["exit_code"] == 127 and outcome.states == ["failed"]
    assert "not found" in outcome.told[0] and "exit status 127" in outcome.told[0]


def test_server_in_the_foreground_is_stopped():
    """A13: a job without an end is stopped by hand; the chat goes on, its output was seen."""
    turns = [call("shell", "python3 -u -m http.server --bind 127.0.0.1 0"), {"text": "Stopped."}, {"text": "Here."}]
    with chat(turns, "--auto_run") as (terminal, _server, _place):
        ask(terminal, "serve")
        port = re.search(r"port (\d+)", terminal.expect(re.compile(r"Serving HTTP on 127\.0\.0\.1 port \d+ "))).group(1)
        terminal.type("\x03")
        terminal.expect(re.compile(r"interrupted|done in"))  # it ends by itself when it is told to
        terminal.expect(PROMPT)
        ask(terminal, "still there?")
        terminal.expect(re.compile(r"Stopped\.|Here\."))
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/")
        except OSError:
            return
        raise AssertionError("it still serves")


def test_server_in_the_background_frees_the_chat():
    """A13: a job sent to the background frees the chat, and what it prints later can be read."""
    turns = [call("shell", "python3 -u -m http.server --bind 127.0.0.1 0 &\nuntil jobs -r | grep -q http; do :; done"),
             {"text": "It serves."}, {"text": "Here."}]
    with chat(turns, "--auto_run") as (terminal, _server, place):
        (place.folder / "page").write_text("served")
        ask(terminal, "serve")
        shown = terminal.expect("It serves.")
        terminal.expect(PROMPT)
        found = re.search(r"port (\d+) ", shown) or re.search(r"port (\d+) ", terminal.expect(re.compile(r"port \d+ ")))
        with urllib.request.urlopen(f"http://127.0.0.1:{found.group(1)}/page") as answer:
            assert answer.read() == b"served"
        terminal.expect("GET /page")
        ask(terminal, "go on")
        terminal.expect("Here.")
        terminal.expect(PROMPT)
        terminal.type("\x04")
        assert terminal.wait() == 0
        wait_until(lambda: not processes_with("http.server --bind 127.0.0.1 0"), "the server to end with the chat")


def test_stops_leave_a_usable_chat_and_the_model_knows():
    """A16: stopped in the answer, while code is written, and while it runs: the chat is idle and the model is told."""
    turns = [{"text": "Once upon a time", "hold": "end"},
             {**call("python", "open('made', 'w')\nprint('half')", "I write."), "hold": "end"},
             call("python", "print('beg' + 'un', flush=True)\nwhile True: pass"), {"text": "Never."}, {"text": "Here."}]
    with chat(turns, "--auto_run") as (terminal, server, place):
        ask(terminal, "tell")
        terminal.expect("upon a")
        terminal.type("\x03")
        terminal.expect("(stopped)")
        terminal.expect(PROMPT)
        ask(terminal, "write")
        terminal.expect("open('made', 'w')")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        assert "stopped your last answer" in server.requests[1]["body"]
        ask(terminal, "run")
        terminal.expect("begun")
        assert "user stopped" in messages(server, 2)[-2]["content"], messages(server, 2)
        terminal.type("\x03")
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        ask(terminal, "and now")
        terminal.expect(re.compile(r"Never\.|Here\."))
        assert "interrupted this code" in server.requests[3]["body"]
        assert not (place.folder / "made").exists()


def test_nothing_outlives_a_killed_program():
    """A17: the program killed outright leaves no process behind, whatever its kernels had started."""
    shell = "(setsid sleep 76543 &); sleep 76543 & nohup sleep 76543 >/dev/null 2>&1 & touch begun; wait"
    python = ("import os, subprocess\nsubprocess.Popen(['sleep', '76543'], start_new_session=True)\n"
              "if os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '76543'])")
    with home() as place, ScriptedServer([call("python", python), call("shell", shell)]) as server:
        process = subprocess.Popen([PROGRAM, *model(server), "--auto_run", "--task", "x"], cwd=place.folder, env=place.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: process.poll() is not None or (place.folder / "begun").exists()
                       and len(processes_with("76543")) >= 5, "all of them")
            assert process.poll() is None
        finally:
            process.kill()
            process.wait()
        wait_until(lambda: not processes_with("76543"), "their end")
        wait_until(lambda: not processes_with(str(place.top)), "the end of all that knows the folder")


def test_names_of_a_language_share_a_kernel():
    """A18: bash and shell, py and python are one kernel each."""
    outcome = run_blocks(("bash", "cd /tmp; X=1"), ("shell", "pwd; echo $X"), ("py", "y = 2"), ("python3", "print(y + 1)"),
                         ("js", "z = 3"), ("node", "console.log(z + 1)"))
    assert outcome.outputs[1::2] == ["/tmp\n1\n", "3\n", "4\n"]


def test_javascript_declarations_live_on():
    """A19: const and let of one block are there in the next; the block can run again."""
    block = ("javascript", "const a = 5; let b = 1")
    outcome = run_blocks(block, ("javascript", "console.log(a)"), block, ("javascript", "b += a; console.log(b)"))
    assert outcome.states == ["done"] * 4
    assert outcome.outputs == ["", "5\n", "", "6\n"] or outcome.outputs[1::2] == ["5\n", "6\n"], outcome.outputs


def test_javascript_text_over_lines_is_exact():
    """A21: an object over several lines and a template with an empty line print as they stand."""
    outcome = run_blocks(("javascript", "const o = {\n  a: 1,\n\n  b: [\n    2,\n  ],\n}\nconsole.log(JSON.stringify(o))"),
                         ("javascript", "console.log(`one\n\n  two ${o.a}`)"))
    assert outcome.outputs == ['{"a":1,"b":[2]}\n', "one\n\n  two 1\n"]


def test_javascript_await_exit_and_late_output():
    """A22: await at the top, process.exit and output after the end of the block: each works or ends with a status."""
    turns = [call("javascript", "const v = await Promise.resolve(41); console.log('await ' + (v + 1))"),
             call("javascript", "console.log('before'); process.exit(3)"),
             call("javascript", "setTimeout(() => console.log('LA' + 'TE'), 50); 1"), {"text": "End."}]
    with chat(turns, "--auto_run") as (terminal, server, _place):
        ask(terminal, "x")
        terminal.expect("await 42")
        terminal.expect("before")
        terminal.expect("failed with exit status 3")
        terminal.expect("LATE")
        assert "exit status 3" in last_content(server, 2)


def test_r_results_are_rs_own():
    """A23: values print as in R, functions over several lines work, errors are told."""
    if not shutil.which("R"):
        raise tap.Skip("R is not installed")
    outcome = run_blocks(("r", "f<-function(x) x/2; f(4)"), ("r", "g <- function(a,\n              b = 2) {\n  a + b\n}\ng(1)"),
                         ("r", "stop('e')"), ("r", "cat('on\\n')"))
    assert outcome.outputs[:2] == ["[1] 2\n", "[1] 3\n"]
    assert outcome.states == ["done", "done", "failed", "done"]
    assert outcome.results[2]["message"] == "e"


def test_bytes_that_are_no_text():
    """A25: invalid bytes and other encodings become replacement characters; what follows is whole."""
    split = ("import sys, time\nout = sys.stdout.buffer\n"
             "for byte in '😀 split'.encode():\n    out.write(bytes([byte]))\n    out.flush()\n")
    outcome = run_blocks(("shell", "printf '\\377\\376 begun\\n'; echo whole"),
                         ("python", "import sys\nsys.stdout.buffer.write('你好'.encode('gbk') + b'\\n')\nprint('whole')"),
                         ("python", "print(\"中文 日本語\")"), ("python", split))
    assert outcome.states == ["done"] * 4
    assert "\ufffd" in outcome.outputs[0] and outcome.outputs[0].endswith(" begun\nwhole\n")
    assert "\ufffd" in outcome.outputs[1] and outcome.outputs[1].endswith("\nwhole\n")
    assert outcome.outputs[2] == "中文 日本語\n"
    assert outcome.outputs[3].strip() == "😀 split"


def test_python_runs_as_it_stands():
    """A27: marking the running line changes nothing in the code: future imports, docstrings, lambdas, line numbers."""
    outcome = run_blocks(("python", "from __future__ import annotations\nx: Undefined = 1\nprint(x)"),
                         ("python", "def f():\n    'The doc.'\n    return 1\nprint(f.__doc__)"),
                         ("python", "g = lambda a: a + 1\nprint(g(1), f.__code__.co_firstlineno)"),
                         ("python", "a = 1\n\n# a comment\n\n\n\nraise ValueError('seven')"))
    assert outcome.outputs[:3] == ["1\n", "The doc.\n", "2 1\n"]
    assert "line 7" in outcome.outputs[3] and "(line 7 of the code)" in outcome.told[3]


def test_charts_are_shown_once():
    """A28: each figure is one picture, shown or as a last value; saving one does not double it; the model knows."""
    need_modules("matplotlib")
    outcome = run_blocks(
        ("python", "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()"),
        ("python", "plt.figure(); plt.plot([1])\nplt.figure(); plt.plot([2])\nplt.show()"),
        ("python", "fig, ax = plt.subplots()\nax.plot([3])\nfig"),
        ("python", "plt.plot([4]); plt.savefig('saved.png'); plt.show()"),
        env={"MPLCONFIGDIR": "/tmp"})
    assert [len(result["displays"]) for result in outcome.results] == [1, 2, 1, 1], outcome.results
    assert all(display["mime"] == "image/png" for result in outcome.results for display in result["displays"])
    assert [text.count("[Chart shown to the user") for text in outcome.told] == [1, 2, 1, 1]


def test_large_output_is_kept_whole():
    """A29: of large output the model gets the beginning, the end, how much there was, and the file that has it all."""
    with home() as place:
        outcome = run_blocks(("shell", "seq 1 200000"), place=place)
        told = outcome.told[0]
        assert len(told) < 20000
        assert re.search(r"^1\n2\n3$", told, re.M) and re.search(r"^199999\n200000$", told, re.M)
        assert "200000 lines" in told and outcome.results[0]["log"] in told
        assert Path(outcome.results[0]["log"]).read_bytes().split() == [b"%d" % n for n in range(1, 200001)]


def test_a_million_lines_in_bounded_memory():
    """A30: a million short lines, each written by itself, are counted to the last one, in bounded memory."""
    code = "import os\nfor n in range(1000000): os.write(1, b'%d\\n' % n)"
    with home() as place, ScriptedServer([call("python", code), {"text": "End.", "hold": "start"}]) as server:
        process = subprocess.Popen([PROGRAM, *model(server), "--auto_run", "--json", "--task", "x"], cwd=place.folder,
                                   env=place.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            server.wait_for_requests(2, 300)
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text()).group(1))
            server.release("start")
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 0
        assert "1000000 lines" in last_content(server), last_content(server)
        assert "999999" in last_content(server)
        assert len(output) < 4 << 20
        assert peak < 128 << 10, f"{peak} kB"


def test_progress_is_one_line_in_the_end():
    """A31: of a progress bar and of colours the text alone is kept: the last state of each line, no escapes."""
    code = ("import sys\nfor n in range(0, 101):\n"
            "    sys.stdout.write(f'\\r\\x1b[32m{n:3d} %\\x1b[0m |' + '#' * (n // 5) + '|\\x1b[K'); sys.stdout.flush()\n"
            "print('\\n\\x1b[1;31mred\\x1b[0m end')")
    outcome = run_blocks(("python", code))
    assert outcome.outputs == ["100 % |####################|\nred end\n"]
    assert "100 %" in outcome.told[0] and " 99 %" not in outcome.told[0] and "\x1b" not in outcome.told[0]


def test_exit_status_is_told():
    """A32: the model is told an exit status that is not 0."""
    outcome = run_blocks(("shell", "false"), ("shell", "true"))
    assert "exit status 1" in outcome.told[0] and "status" not in outcome.told[1]


def make_wheel(folder):
    """A package that can be installed without a network."""
    name = "demopackage_x-1.0-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as wheel:
        wheel.writestr("demopackage_x.py", "answer = 42\n")
        wheel.writestr("demopackage_x-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demopackage-x\nVersion: 1.0\n")
        wheel.writestr("demopackage_x-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("demopackage_x-1.0.dist-info/RECORD",
                       "demopackage_x.py,,\ndemopackage_x-1.0.dist-info/METADATA,,\n"
                       "demopackage_x-1.0.dist-info/WHEEL,,\ndemopackage_x-1.0.dist-info/RECORD,,\n")
    return name


def test_what_pip_installs_can_be_imported():
    """A33: %pip installs for the very Python that runs the blocks."""
    with home() as place:
        environment = place.top / "environment"
        made = subprocess.run(["python3", "-m", "venv", str(environment)], capture_output=True, text=True, check=False)
        if made.returncode:
            raise tap.Skip("Python cannot make a virtual environment here")
        wheel = make_wheel(place.folder)
        outcome = run_blocks(("python", "import demopackage_x"), ("python", f"%pip install --no-index ./{wheel}"),
                             ("python", "import demopackage_x, sys\nprint(demopackage_x.answer, sys.prefix)"), place=place,
                             env={"PATH": f"{environment / 'bin'}:{os.environ['PATH']}"})
        assert outcome.states == ["failed", "done", "done"], outcome.outputs
        assert outcome.outputs[2] == f"42 {environment}\n"


if __name__ == "__main__":
    tap.main()
