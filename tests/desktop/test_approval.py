"""Approving with real pointer and key events: what must never run code by accident.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from pathlib import Path

from stage import approval, approve, run_button, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


def call(code, language="python"):
    return {"calls": [{"language": language, "code": code}]}


def waits(app):
    return app.has(contains="Waits for you")


def test_dialog_waits_while_the_user_types():
    turns = [{**call("open('ran', 'w').write('x')"), "hold": "start"}, {"text": "End."}]
    with stage(turns) as (app, server, folder):
        send(app, "do it")
        wait(lambda: server.requests, "the request")
        server.release("start")
        # Somebody in mid-sentence, with Enters: queued messages, never an approval.
        for word in ("one ", "two ", "three ", "four ", "five "):
            app.desktop.type(word)
        assert not app.has("dialog", "Run Python Code?"), "opened under the fingers"
        approval(app)
        assert not (folder / "ran").exists()


def test_enter_does_not_run_from_the_code():
    with stage([call("open('ran', 'w').write('x')"), {"text": "End."}]) as (app, _server, folder):
        send(app, "do it")
        dialog = approval(app)
        run_button(app, dialog)
        wait(lambda: app.focused() and app.focused().name == "Code", "neutral focus on the code")
        for _ in range(5):
            app.desktop.key("Return")
        assert app.has("dialog", "Run Python Code?")
        assert not (folder / "ran").exists()
        app.desktop.key("ctrl+Return")
        wait(lambda: (folder / "ran").exists(), "Ctrl+Return to run it")


def test_second_question_under_the_same_pointer_is_not_hit():
    turns = [call("open('first', 'w').write('x')"), call("open('second', 'w').write('x')"), {"text": "End."}]
    with stage(turns) as (app, _server, folder):
        send(app, "do both")
        dialog = approval(app)
        button = run_button(app, dialog)
        x, y = button.centre()
        # Pressed again and again where the second question's Run comes to be, for less than its half second.
        app.desktop.xdotool("mousemove", "--sync", x, y, "click", "--repeat", 8, "--delay", 50, 1)
        wait(lambda: (folder / "first").exists(), "the first to run")
        second = approval(app)
        app.find(contains="second", within=second)
        assert not (folder / "second").exists()
        app.desktop.key("Escape")


def test_long_code_has_to_be_paged_to_its_end():
    code = "\n".join(f"x{i} = {i}" for i in range(90)) + "\nopen('ran', 'w').write('x')"
    with stage([call(code), {"text": "End."}]) as (app, _server, folder):
        send(app, "long")
        dialog = approval(app)
        app.find("button", "Show Rest", within=dialog)
        assert not any(b.showing for b in app.all("button", "Run", within=dialog))
        app.desktop.key("ctrl+Return")
        assert not (folder / "ran").exists(), "pages, does not run"
        approve(app)
        wait(lambda: (folder / "ran").exists(), "it to run once all was seen")


def test_narrow_window_shows_six_lines():
    code = "\n".join(f"line_{i} = {i}" for i in range(6))
    with stage([call(code), {"text": "End."}], width=700, height=600) as (app, _server, _folder):
        app.resize(360, 294)
        send(app, "narrow")
        dialog = approval(app)
        run_button(app, dialog)  # it says Run only when all six lines were on screen
        app.desktop.screenshot("approval-360x294")


def test_diff_on_every_block():
    turns = [
        call("import nosuchmodule_x"),
        call("import os\nprint(os.getcwd())"),
        call("open('notes.txt', 'w').write('new line\\n')"),
        {"text": "End."},
    ]
    with stage(turns, files={"notes.txt": "old line\n"}) as (app, _server, _folder):
        send(app, "three blocks")
        dialog = approval(app)
        app.find("page tab", "Changes", within=dialog).click()
        app.find(contains="nosuchmodule_x", within=dialog)
        approve(app)
        dialog = approval(app)
        app.find("page tab", "Changes", within=dialog).click()
        app.find(contains="previous attempt", within=dialog)
        approve(app)
        dialog = approval(app)
        app.find("page tab", "Changes", within=dialog).click()
        app.find(contains="notes.txt", within=dialog)
        app.find(contains="old line", within=dialog)
        app.desktop.screenshot("approval-diff")


def test_answer_in_the_chat_is_remembered():
    turns = [call("print(1)"), call("print(2)"), {"text": "Both ran."}]
    with stage(turns) as (app, _server, _folder):
        send(app, "two")
        dialog = approval(app)
        app.find("button", "Show in Chat", within=dialog).click()
        app.wait_gone("dialog", "Run Python Code?")
        for code in ("print(1)", "print(2)"):
            app.find("text", "Code", contains=code)

            def answered():
                waiting = [b for b in app.all("button", "Run") if b.showing]
                if waiting and any(n.showing and code in n.text for n in app.all("text", "Code")):
                    waiting[0].click()
                return app.has(contains="Both ran.") or not any(
                    n.showing and code in n.text for n in app.all("text", "Code"))

            wait(answered, f"{code} to be answered")
        app.find(contains="Both ran.")
        assert not app.has("dialog")


def test_nothing_on_the_bus_approves():
    import subprocess

    with stage([call("print(1)"), {"text": "End."}]) as (app, server, _folder):
        send(app, "one")
        approval(app)
        name = "io.github.interpreter_app.Interpreter"
        path = "/io/github/interpreter_app/Interpreter"

        def busctl(*arguments):
            return subprocess.run(["gdbus", *arguments], env=app.desktop.env, capture_output=True, text=True,
                                  timeout=60, check=False).stdout

        tree = busctl("introspect", "--session", "--dest", name, "--object-path", path, "--recurse")
        assert "org.gtk.Actions" in tree, tree
        forbidden = ("approve", "run", "mode", "rule", "refuse", "safe")
        for object_path in [path] + [line.split()[1] for line in tree.splitlines() if line.strip().startswith("node ")]:
            listed = busctl("call", "--session", "--dest", name, "--object-path", object_path, "--method",
                            "org.gtk.Actions.List").lower()
            for action in listed.replace("[", "").replace("]", "").replace("'", "").replace("(", "").replace(")", "").split(","):
                assert not any(word in action for word in forbidden), f"{object_path} exports {action.strip()}"
        assert waits(app) or app.has("dialog", "Run Python Code?")
        assert len(server.requests) == 1


def test_many_approvals_in_one_chat_by_pointer_and_keyboard():
    count = 12
    turns = [call(f"print('block {i}')") for i in range(count)] + [{"text": "All ran."}]
    with stage(turns) as (app, server, _folder):
        send(app, "many")
        for i in range(count):
            dialog = approval(app)
            app.find(contains=f"block {i}'", within=dialog)
            if i % 2:
                wait(lambda d=dialog: (app.desktop.key("ctrl+Return"), not d.showing)[1], "the keyboard to approve")
            else:
                approve(app)
        app.find(contains="All ran.")
        assert len(server.requests) == count + 1


if __name__ == "__main__":
    tap.main(apart=True)
