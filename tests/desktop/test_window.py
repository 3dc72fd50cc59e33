"""The window around the chat: while answers stream, with servers that fail, at its end.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import socket
import sys
from pathlib import Path

from stage import Desktop, ScriptedServer, approve, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


@contextlib.contextmanager
def silent_server():
    """Takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_resized_while_an_answer_streams():
    code = "```python\n" + "".join(f"value_{n} = {n}\n" for n in range(400)) + "```\n\n"
    table = "| a | b |\n|---|---|\n" + "".join(f"| {n} | {'x' * n} |\n" for n in range(40)) + "\n"
    turns = [{"text": "Begun.\n\n", "hold": "end", "more": code + table + "The end.", "piece": 12}]
    with stage(turns) as (app, server, _folder):
        send(app, "write")
        app.find(contains="Begun.")
        server.release("end")
        widths = iter([1100, 360, 700, 420, 1000, 380] * 200)

        def over():
            app.resize(next(widths), 600)
            return app.has(contains="The end.")

        wait(over, "the answer's end")
        app.wait_gone("button", "Stop")


def test_a_server_that_never_answers_costs_nothing():
    with silent_server() as port, Desktop() as desktop, \
            desktop.app("--api_base", f"http://127.0.0.1:{port}/v1", "--model", "openai/x", "--api_key", "k") as app:
        send(app, "are you there?")
        app.find(contains="are you there?", within=app.find("log", "Transcript"))
        app.find("text", "Message").click()
        desktop.type("still usable")
        wait(lambda: app.find("text", "Message").text == "still usable", "the composer to take text")
        app.find(contains="cannot be reached", within=app.find("article", "Error"))
        app.find("button", "Try Again")
        assert app.find("text", "Message").text == "still usable"


def test_a_wrong_key_is_said_and_the_question_kept():
    refusal = {"status": 401, "body": {"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}}}
    with stage([refusal, {"text": "Now it works."}]) as (app, server, _folder):
        send(app, "hello there")
        notice = app.find("article", "Error")
        app.find(contains="key", within=notice)
        app.find("button", "Enter Key…")
        app.find("button", "Try Again").act()
        app.find(contains="Now it works.")
        assert server.requests[1]["json"]["messages"][-1]["content"] == "hello there"


def test_a_server_that_dies_in_mid_answer():
    turns = [{"text": "Half of an answer", "drop": True}, {"text": "The whole answer."}]
    with stage(turns) as (app, _server, _folder):
        send(app, "say it")
        app.find(contains="Half of an answer")
        app.find("article", "Error")
        app.find("button", "Try Again").act()
        app.find(contains="The whole answer.")
        app.wait_gone("button", "Stop")


def test_nonsense_from_a_server_is_named_as_such():
    turns = [{"status": 502, "body": "<html><body>Welcome to the router</body></html>"}] * 8
    with stage(turns) as (app, _server, _folder):
        send(app, "say it")
        notice = app.find("article", "Error")
        assert not app.all(contains="<html>", within=notice)
        app.find("button", "Try Again")


def test_a_language_that_is_not_there():
    turns = [{"calls": [{"language": "ruby", "code": "puts 1"}]}, {"text": "Then in Python."}]
    with stage(turns) as (app, server, _folder):
        send(app, "in ruby")
        app.find(contains="cannot run here")
        app.find(contains="Then in Python.")
        assert "ruby" in str(server.requests[1]["json"]["messages"][-1]).lower()


def test_a_block_without_a_language_runs_as_what_the_user_says():
    turns = [{"text": "Try this:\n\n```\nconsole.log('said' + 'so')\n```\n"}]
    with ScriptedServer(turns, tools=False) as server, Desktop() as desktop, \
            desktop.app("--api_base", server.root, "--model", "ollama/scripted") as app:
        send(app, "how?")
        app.find(contains="The model gave no language.")
        app.find("toggle button", "Run As").click()
        wait(lambda: app.focused() and app.focused().role == "menu item", "the menu to have the focus")
        desktop.key("Home", "Return")  # JavaScript
        app.find(contains="saidso")
        assert len(server.requests) == 1


def test_closing_the_window_asks_while_code_runs():
    turns = [{"calls": [{"language": "python", "code": "import time\nprint('begun', flush=True)\nwhile True: time.sleep(1)"}]}]
    with stage(turns) as (app, _server, _folder):
        send(app, "run for ever")
        approve(app)
        app.find(contains="begun")
        app.desktop.key("ctrl+w")
        app.find("alert", "Code Is Running")
        app.desktop.key("Escape")
        app.wait_gone("alert", "Code Is Running")
        assert app.process.poll() is None
        app.desktop.key("ctrl+w")
        app.find("button", "Stop and Close").act()
        wait(lambda: app.process.poll() == 0, "it to end")


def test_auto_is_explained_before_it_is_on():
    turns = [{"calls": [{"language": "python", "code": "print('by' + 'itself')"}]}, {"text": "Ran."}]
    with stage(turns) as (app, _server, _folder):
        app.find("toggle button", "Mode").click()
        wait(lambda: app.focused() and app.focused().role == "list item", "the modes to have the focus")
        app.desktop.key("Home", "Down", "Down", "Return")
        app.find("alert", "Run Code Without Asking?")
        app.find("button", "Turn On Auto").act()
        app.wait_gone("alert", "Run Code Without Asking?")
        send(app, "go")
        app.find(contains="byitself")
        app.find(contains="Ran.")


def test_answer_and_chat_can_be_copied():
    with stage([{"text": "The **whole** answer."}]) as (app, _server, _folder):
        send(app, "question")
        answer = app.find("article", "Answer")
        app.find(contains="The whole answer.", within=answer)
        app.wait_gone("button", "Stop")
        app.find("button", "Copy", within=answer, showing=False).act()
        app.find("text", "Message").click()
        app.desktop.key("ctrl+v")
        wait(lambda: app.find("text", "Message").text == "The **whole** answer.", "the answer's source")
        app.desktop.key("ctrl+a", "Delete", "F10")
        wait(lambda: app.focused() and app.focused().role == "menu item", "the menu to have the focus")
        app.desktop.key("c")
        app.find("text", "Message").click()
        app.desktop.key("ctrl+v")
        wait(lambda: "question" in app.find("text", "Message").text
             and "The **whole** answer." in app.find("text", "Message").text, "the chat's text")


if __name__ == "__main__":
    tap.main(apart=True)
