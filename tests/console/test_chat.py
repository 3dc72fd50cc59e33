"""The conversation in a terminal.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROMPT, ScriptedServer, ask, call, chat, home, last_content, messages, model, processes_with  # noqa: E402

import tap  # noqa: E402

def test_answers_stream_and_it_leaves():
    with chat([{"text": "Hello **there**, friend.", "hold": "end"}]) as (terminal, server, _place):
        ask(terminal, "hi")
        terminal.expect("Hello there, frien")  # before the answer has ended
        server.release("end")
        terminal.expect(PROMPT)
        assert b"\x1b[0;1mthere" in terminal.raw
        terminal.type("\x04")
        assert terminal.wait() == 0


def test_ctrl_c_at_an_empty_prompt_leaves():
    with chat([]) as (terminal, _server, _place):
        terminal.type("half a line")
        terminal.expect("half a line")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        terminal.type("\x03")
        assert terminal.wait() == 0
        assert not _server.requests


def test_approved_code_runs():
    with chat([call("python", "x = 41\nprint(x + 1)", "Let me see."), {"text": "It is 42."}]) as (terminal, server, place):
        ask(terminal, "compute")
        shown = terminal.expect("Run? [y/n/e] ")
        assert "Python" in shown
        assert "   1 │ x = 41\n" in shown and "   2 │ print(x + 1)\n" in shown
        assert "work" in shown, "where it runs"
        terminal.type("y\r")
        terminal.expect("42")
        terminal.expect("done in")
        terminal.expect("It is 42.")
        terminal.expect(PROMPT)
        assert "42" in last_content(server)


def test_refused_with_a_reason():
    with chat([call("python", "open('made', 'w')"), {"text": "I see."}, {"text": "again"}]) as (terminal, server, place):
        ask(terminal, "make")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("n\r")
        terminal.expect("Why not?")
        terminal.type("use another folder\r")
        terminal.expect("refused")
        terminal.expect("I see.")
        assert "use another folder" in last_content(server)
        assert not (place.folder / "made").exists()


def test_refused_in_one_line():
    with chat([call("python", "open('made', 'w')"), {"text": "I see."}]) as (terminal, server, _place):
        ask(terminal, "make")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("n not there\r")
        terminal.expect("I see.")
        assert "not there" in last_content(server)


def test_refused_without_a_reason_ends_the_turn():
    with chat([call("python", "1"), {"text": "never"}]) as (terminal, server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("n\r")
        terminal.expect("Why not?")
        terminal.type("\r")
        terminal.expect(PROMPT)
        assert len(server.requests) == 1


def test_enter_and_noise_decide_nothing():
    with chat([call("python", "print('ran')"), {"text": "ok"}]) as (terminal, server, _place):
        ask(terminal, "x")
        for text in ("", "maybe", "yy", "y y"):
            terminal.expect("Run? [y/n/e] ")
            terminal.type(text + "\r")
            terminal.expect("y runs it")
        terminal.expect("Run? [y/n/e] ")
        assert len(server.requests) == 1
        terminal.type("yes\r")
        terminal.expect("ran")
        terminal.expect(PROMPT)


def test_what_was_typed_before_the_question_is_no_answer():
    with chat([{**call("python", "open('made', 'w')", "Wait"), "hold": "end"}, {"text": "ok"}]) as (terminal, server, place):
        ask(terminal, "x")
        terminal.expect("Wait")
        terminal.type("y\ry\r")
        server.release("end")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("\r")
        terminal.expect("y runs it")  # an answer to the question came only now
        terminal.expect("Run? [y/n/e] ")
        assert not (place.folder / "made").exists()


def test_edited_code_is_shown_and_runs():
    """D6: code is edited, shown again and approved; the model sees what ran."""
    with home() as place:
        editor = place.top / "editor"
        editor.write_text("#!/bin/sh\nstat -c %a \"$2\" > \"$HOME/mode\"; echo \"$2\" > \"$HOME/name\"\n"
                          "sed -i s/wrong/right/ \"$2\"; test \"$1\" = --wait\n")
        editor.chmod(0o755)
        with ScriptedServer([call("python", "print('wrong' + '!')"), {"text": "ok"}]) as server, \
                place.terminal("--terminal", *model(server), env={"EDITOR": f"{editor} --wait"}) as terminal:
            terminal.expect(PROMPT)
            ask(terminal, "x")
            terminal.expect("Run? [y/n/e] ")
            terminal.type("e\r")
            shown = terminal.expect("Run? [y/n/e] ")
            assert "print('right' + '!')" in shown
            assert "- print('wrong' + '!')" in shown, "against the model's text"
            terminal.type("y\r")
            terminal.expect("right!")
            terminal.expect(PROMPT)
            assert "right" in last_content(server)
        assert (place.top / "mode").read_text().strip() == "600"
        name = (place.top / "name").read_text().strip()
        assert name.endswith(".py") and not os.path.exists(name)


def test_an_editor_that_fails_changes_nothing():
    with chat([call("python", "print(1)")], env={"EDITOR": "false"}) as (terminal, _server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("e\r")
        terminal.expect("as it was")
        terminal.expect("Run? [y/n/e] ")


def test_input_reaches_the_code():
    """A10: what Python asks for is asked of the user, not of a model."""
    with chat([call("python", "name = input('name? ')\nprint('hello ' + name.upper())"), {"text": "ok"}]) as (terminal, server, _p):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("name? ")
        terminal.type("ada\r")
        terminal.expect("hello ADA")
        terminal.expect(PROMPT)
        assert len(server.requests) == 2, "the model is not asked what to type"


def test_a_password_is_not_shown():
    """A11: a password is masked, and stands in no log, transcript or request."""
    with chat([call("python", "import getpass\np = getpass.getpass('Password: ')\nprint(len(p))"), {"text": "ok"}]) as (
            terminal, server, place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("Password: ")
        terminal.type("hunter2hunter2\r")
        terminal.expect("14")
        terminal.expect(PROMPT)
        assert "hunter2" not in terminal.text
        assert "hunter2" not in server.requests[1]["body"]
        for path in (place.top / "data").rglob("*"):
            assert not path.is_file() or b"hunter2" not in path.read_bytes(), path


def test_ctrl_c_stops_the_code_and_keeps_the_chat():
    """A14: an endless loop is stopped, the variables are kept."""
    with chat([call("python", "kept = 7\nprint('begun', flush=True)\nwhile True: pass"), {"text": "You stopped it."},
               call("python", "print(kept * 2)"), {"text": "ok"}]) as (terminal, server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("begun")
        terminal.type("\x03")
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        ask(terminal, "go on")
        text = terminal.expect(re.compile(r"You stopped it\.|Run\? "))
        if "You stopped it." in text:
            terminal.expect(PROMPT)
            ask(terminal, "and now")
            terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("14")


def test_ctrl_c_stops_the_answer():
    """A16: stopped in the middle of an answer."""
    with chat([{"text": "Once upon a time", "hold": "end"}, {"text": "Fine."}]) as (terminal, server, _place):
        ask(terminal, "tell")
        terminal.expect("upon a")
        terminal.type("\x03")
        terminal.expect("(stopped)")
        terminal.expect(PROMPT)
        ask(terminal, "again")
        terminal.expect("Fine.")
        assert "Once upon" in json.dumps(messages(server)), "the model knows what it had said"


def test_ctrl_c_at_the_question_stops_the_turn():
    with chat([call("python", "open('made', 'w')"), {"text": "ok"}]) as (terminal, server, place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        assert not (place.folder / "made").exists()
        ask(terminal, "next")
        terminal.expect("ok")


def test_pasted_lines_are_one_message():
    """D1: pasted lines are one message."""
    with chat([{"text": "ok"}]) as (terminal, server, _place):
        terminal.paste("first line\n\tsecond line\nthird")
        terminal.type("\r")
        terminal.expect("ok")
        terminal.expect(PROMPT)
        assert len(server.requests) == 1
        assert last_content(server).startswith("first line\n\tsecond line\nthird")


def test_three_quotes_begin_and_end_a_message():
    with chat([{"text": "ok"}]) as (terminal, server, _place):
        terminal.type('"""one\r')
        terminal.expect("… ")
        terminal.type("  two\r")
        terminal.expect("… ")
        terminal.type('three"""\r')
        terminal.expect("ok")
        assert last_content(server).startswith("one\n  two\nthree")


def test_history_is_kept():
    with home() as place, ScriptedServer([{"text": "ok"}] * 3) as server:
        for keys in ("a question of mine\r", "\x1b[A\r"):
            with place.terminal("--terminal", *model(server)) as terminal:
                terminal.expect(PROMPT)
                terminal.type(keys)
                terminal.expect("ok")
                terminal.expect(PROMPT)
                terminal.type("\x04")
                assert terminal.wait() == 0
        assert last_content(server).startswith("a question of mine")
        kept = place.top / "data/interpreter/terminal-history"
        assert kept.stat().st_mode & 0o777 == 0o600


def test_model_text_cannot_speak_to_the_terminal():
    evil = "Safe \x1b]0;evil\x07 \x1b[2J\x9b31m \u202egnp\u202c end"
    with chat([{"text": evil}, call("shell", "echo fine # \x1b[8mrm -rf ~\u202e"), {"text": "ok"}]) as (terminal, _server, _place):
        before = len(terminal.raw)
        ask(terminal, "x")
        terminal.expect("end")
        terminal.expect(PROMPT)
        shown = terminal.raw[before:]
        assert b"\x1b]0;" not in shown and b"\x1b[2J" not in shown and "\u202e".encode() not in shown
        assert "␛]0;evil␇" in terminal.text and "⟨U+202E⟩" in terminal.text
        ask(terminal, "y")
        code = terminal.expect("Run? [y/n/e] ")
        assert "␛[8mrm -rf ~⟨U+202E⟩" in code
        assert b"\x1b[8m" not in terminal.raw


def test_the_terminal_is_reset_before_a_question():
    paint = "printf '\\033[8m\\033[?25l\\033[3;5r\\033]11;#000000\\007'"
    with chat([call("shell", paint), call("shell", "echo next"), {"text": "ok"}]) as (terminal, _server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("Run? [y/n/e] ")
        tail = terminal.raw[terminal.raw.rfind(b"\x1b]11;#000000"):]
        question = tail[:tail.rfind(b"Run?")]
        for sequence in (b"\x1b[0m", b"\x1b[?25h", b"\x1b[r", b"\x1b]111"):
            assert sequence in question, sequence


def test_the_running_line_is_marked():
    code = "import sys\nprint('one', flush=True)\nsys.stdin.readline()\nprint('three')"
    with chat([call("python", code), {"text": "ok"}]) as (terminal, _server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect(re.compile(r"line 3: sys\.stdin\.readline\(\)|waits for your input"))
        assert "line 3" in terminal.text
        terminal.type("\r")
        terminal.expect("three")
        terminal.expect(PROMPT)


def test_the_running_line_need_not_be_marked():
    with chat([call("python", "print('one')"), {"text": "ok"}], "-nhl") as (terminal, _server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("ok")
        terminal.expect(PROMPT)
        assert "line 1" not in terminal.text


def test_code_knows_the_terminals_size():
    code = "stty size\nuntil [ \"$(stty size)\" = '24 77' ]; do :; done\necho fol''lowed"
    with chat([call("shell", code), {"text": "ok"}], columns=91, rows=33) as (terminal, _server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("32 91")
        terminal.resize(77, 25)
        terminal.expect("followed")


def test_a_lost_connection_leaves_a_chat():
    with chat([{"text": "Half of it", "drop": True}, {"text": "Better."}]) as (terminal, server, _place):
        ask(terminal, "x")
        terminal.expect("Half of it")
        terminal.expect(PROMPT)
        ask(terminal, "again")
        terminal.expect("Better.")


def test_words_are_the_first_message():
    with home() as place, ScriptedServer([{"text": "Indeed."}]) as server, \
            place.terminal(*model(server), "say", "indeed") as terminal:
        terminal.expect("Indeed.")
        terminal.expect(PROMPT)
        assert last_content(server).startswith("say indeed")


def test_several_calls_ask_one_after_the_other():
    """B10: two calls in one answer have two questions and two results."""
    turns = [{"calls": [{"language": "python", "code": "print('first')"}, {"language": "shell", "code": "echo second"}]},
             {"text": "ok"}]
    with chat(turns) as (terminal, server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("first")
        terminal.expect("echo second")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("second")
        terminal.expect("ok")
        results = [m for m in messages(server) if m["role"] == "tool"]
        assert len(results) == 2


def test_commands():
    with chat([call("python", "print('from ' + 'python')"), {"text": "An answer."}, {"text": "Loaded."}]) as (terminal, server, place):
        def command(line, wanted):
            ask(terminal, line)
            text = terminal.expect(wanted)
            terminal.expect(PROMPT)
            return text

        ask(terminal, "a question")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("An answer.")
        terminal.expect(PROMPT)

        command("%help", "%save_message")
        command("%nonsense", "There is no command")
        command("%tokens", "tokens")
        command("%info", "#scripted")
        command("%%echo $((40 + 3))", "43")
        command("%save_message saved", "saved.json")
        saved = json.loads((place.folder / "saved.json").read_text())
        assert [m["role"] for m in saved[:4]] == ["user", "assistant", "computer", "assistant"]
        assert saved[1] == {"role": "assistant", "type": "code", "format": "python", "content": "print('from ' + 'python')"}
        assert "from python" in saved[2]["content"]
        command("%markdown talk", "talk.md")
        assert "from python" in (place.folder / "talk.md").read_text()
        command("%jupyter book", "book.ipynb")
        notebook = json.loads((place.folder / "book.ipynb").read_text())
        assert notebook["nbformat"] == 4
        assert any("from python" in json.dumps(cell.get("outputs", "")) for cell in notebook["cells"])
        assert "a question" in command("%undo", "Taken back: a question")
        command("%reset", "conversation is empty")
        command("%load_message saved", "with what you write next")
        ask(terminal, "what was it?")
        terminal.expect("Loaded.")
        assert "from python" in json.dumps(messages(server)) and "what was it?" in last_content(server)
        command("%load_message nowhere", "cannot be loaded")
        command("%auto_run", "without asking")
        command("%auto_run false", "asks before")
        command("%auto_run perhaps", "true or false")


def test_what_is_said_while_kernels_end_is_heard():
    code = "import atexit, time\natexit.register(time.sleep, 1)\nprint('beg' + 'un')"
    with chat([call("python", code), {"text": "Ready."}, {"text": "Heard."}], "--auto_run") as (terminal, server, _place):
        ask(terminal, "begin")
        terminal.expect("begun")
        terminal.expect("Ready.")
        terminal.expect(PROMPT)
        ask(terminal, "%reset")
        terminal.expect("conversation is empty")
        terminal.expect(PROMPT)
        ask(terminal, "anew")
        terminal.expect("Heard.")
        terminal.expect(PROMPT)
        said = json.dumps(messages(server))
        assert "anew" in said and "begin" not in said


def test_auto_run_does_not_ask():
    with chat([call("python", "print('by' + 'itself')"), {"text": "ok"}], "--auto_run") as (terminal, _server, _place):
        assert "without asking" in terminal.text
        ask(terminal, "x")
        terminal.expect("byitself")
        terminal.expect(PROMPT)
        assert "Run?" not in terminal.text


def test_leaving_ends_what_runs():
    """A17: nothing outlives the program."""
    with chat([call("shell", "(setsid sleep 87654 &) ; echo begun; sleep 87654"), {"text": "ok"}]) as (terminal, _server, _place):
        ask(terminal, "x")
        terminal.expect("Run? [y/n/e] ")
        terminal.type("y\r")
        terminal.expect("begun")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 143
        assert not processes_with("87654")
        assert terminal.echoes(), "the terminal is as it was"


def test_a_kept_conversation_goes_on():
    """With its model, wherever that was: nothing but the chat says so."""
    for dialect in ("chat", "ollama"):
        with home() as place, ScriptedServer([{"text": "My name is Scripted."}, {"text": "As I said."}]) as server:
            options = model(server) if dialect == "chat" else ["--api_base", server.root, "--model", "ollama/scripted"]
            with place.terminal("--terminal", *options) as terminal:
                terminal.expect(PROMPT)
                ask(terminal, "who are you?")
                terminal.expect("Scripted.")
                terminal.expect(PROMPT)
                terminal.type("\x04")
                assert terminal.wait() == 0
            with place.terminal("--conversations") as terminal:
                terminal.expect("who are you?")
                terminal.expect("Which one?")
                terminal.type("1\r")
                terminal.expect("My name is Scripted.")
                terminal.expect(PROMPT)
                ask(terminal, "again?")
                terminal.expect("As I said.")
                assert "My name is Scripted." in json.dumps(messages(server))
                assert server.requests[0]["path"] == server.requests[1]["path"]


def test_plain_has_no_styles():
    with chat([{"text": "# Title\n**bold**"}], "--plain") as (terminal, _server, _place):
        ask(terminal, "x")
        text = terminal.expect("**bold**")
        assert "# Title" in text
        assert b"\x1b[1" not in terminal.raw and b"\x1b[0;1" not in terminal.raw


if __name__ == "__main__":
    tap.main()
