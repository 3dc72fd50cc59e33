"""The main job through the real window: greet, ask, see, approve, run, watch, chart.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from pathlib import Path

from stage import Desktop, ScriptedServer, approval, approve, press, repeat, run_button, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402

SALES = "month,amount\nJan,10\nFeb,30\nMar,20\n"
CHART = """import pandas as pd
import matplotlib.pyplot as plt
table = pd.read_csv("sales.csv")
plt.bar(table.month, table.amount)
plt.show()
"""


def test_story_from_question_to_chart():
    """A28: the chart is shown in the chat."""
    turns = [
        {"text": "I read the file **first**.", "calls": [{"language": "python", "code": "print(open('sales.csv').read())"}]},
        {"text": "Now the chart.", "calls": [{"language": "python", "code": CHART}]},
        {"text": "February was the **best** month."},
    ]
    with stage(turns, files={"sales.csv": SALES}) as (app, server, _folder):
        send(app, "Load sales.csv, show me the months and plot them")
        dialog = approval(app)
        app.find(contains="open('sales.csv')", within=dialog)
        app.desktop.screenshot("approval")
        approve(app)
        app.find(contains="Feb,30")
        approve(app)
        app.find("image", contains="Chart")
        app.find(contains="February was the best month.")
        app.desktop.screenshot("chart")
        assert len(server.requests) == 3
        assert "Feb,30" in str(server.requests[1]), "the model gets the real output"


def bare_python(desktop):
    """The user's Python, found by the login shell, has the standard library and nothing else."""
    home = Path(desktop.env["HOME"])
    python = home / "tools/python3"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n')
    python.chmod(0o755)
    for name in (".profile", ".bash_profile", ".bashrc"):
        (home / name).write_text(f'export PATH="{python.parent}:$PATH"\n')
    desktop.env["SHELL"] = "/bin/bash"


def test_missing_module_is_offered_to_be_installed():
    turns = [{"calls": [{"language": "python", "code": "import pandas"}]}, {"text": "It is not there."}]
    with ScriptedServer(turns) as server, Desktop() as desktop:
        bare_python(desktop)
        with desktop.app("--api_base", server.url, "--model", "openai/scripted", "--api_key", "test") as app:
            send(app, "load it")
            approve(app)
            app.find(contains="No module named")
            app.find(contains="It is not there.")
            app.find("button", "Install pandas…").act()
            # Nothing is installed before it was shown and approved.
            dialog = app.find("alert", "Install pandas?")
            app.find(contains="pip install", within=dialog)
            desktop.key("Escape")
            app.wait_gone("alert", "Install pandas?")


def test_greeting_says_when_nothing_was_found():
    with Desktop() as desktop, desktop.app() as app:
        app.find(contains="No model answers on this computer")
        assert app.has("list", "Without a Model")
        assert not app.has("list", "Found"), "what is empty has no frame"


def test_tour_needs_no_model_no_packages_and_ends_with_a_chart():
    with Desktop() as desktop:
        bare_python(desktop)
        take_the_tour(desktop)


def take_the_tour(desktop):
    with desktop.app() as app:
        app.find(contains="Take the Tour")
        desktop.screenshot("greeting")
        app.find(["button", "list item"], contains="Take the Tour").click()
        app.find(contains="script, not a model")
        app.find("text", "Message").click()
        desktop.type("show me")
        desktop.key("Return")
        answered = False

        def over():
            nonlocal answered
            for language in ("Python", "Shell"):
                if app.has("dialog", f"Run {language} Code?"):
                    approve(app, language)
            if not answered and app.has("button", "Go to Terminal"):
                app.find("button", "Go to Terminal").click()
                wait(lambda: app.focused() and app.focused().role == "terminal", "the terminal to have the focus")
                desktop.type("Corner Shop\n")
                answered = True
            return app.has("image", contains="Corner Shop")

        wait(over, "the chart of the tour", 180)
        app.find(contains="That was the tour")
        desktop.screenshot("tour")


def test_refuse_tells_the_model_why():
    turns = [{"calls": [{"language": "shell", "code": "rm -r build"}]}, {"text": "I leave it as it is."}]
    with stage(turns) as (app, server, folder):
        (folder / "build").mkdir()
        send(app, "clean up")
        dialog = approval(app, "Shell")
        run_button(app, dialog)
        press(app, dialog, "Refuse", lambda: any(n.showing for n in app.all("text", "Reason for refusing", within=dialog)),
              "the reason to be asked for")
        app.desktop.type("keep the build")
        app.desktop.key("Return")
        app.find(contains="I leave it as it is.")
        assert (folder / "build").is_dir()
        assert "keep the build" in str(server.requests[1])


def test_edited_code_is_what_runs_and_what_the_model_sees():
    """D6: edited in place, approved, and seen by the model as it ran."""
    turns = [{"calls": [{"language": "python", "code": "print('model')"}]}, {"text": "Seen."}]
    with stage(turns) as (app, server, _folder):
        send(app, "say something")
        dialog = approval(app)
        run_button(app, dialog)
        press(app, dialog, "Edit", lambda: app.find("text", "Code", within=dialog).state("editable"), "the editor")
        app.desktop.key("ctrl+a")
        app.desktop.type("print('user' + 'text')")
        repeat(lambda: app.desktop.key("ctrl+Return"), lambda: not app.has("dialog", "Run Python Code?"), "the code to be approved")
        app.find(contains="usertext")
        app.find(contains="Seen.")
        assert "usertext" in str(server.requests[1])
        assert "print('user' + 'text')" in str(server.requests[1])


def test_escape_leaves_it_waiting_in_its_cell():
    turns = [{"calls": [{"language": "python", "code": "print(6 * 7)"}]}, {"text": "Done."}]
    with stage(turns) as (app, server, _folder):
        send(app, "compute")
        approval(app)
        app.desktop.key("Escape")
        app.wait_gone("dialog", "Run Python Code?")
        app.find(contains="Waits for you")
        assert len(server.requests) == 1, "nothing ran, nothing was told"


def test_endless_loop_is_stopped_and_the_chat_goes_on():
    """A14: an endless loop is stopped."""
    turns = [{"calls": [{"language": "python", "code": "x = 5\nwhile True:\n    pass"}]}, {"text": "It was stopped."}]
    with stage(turns) as (app, _server, _folder):
        send(app, "loop")
        approve(app)
        app.find(contains="Running")
        app.find("button", "Stop").click()
        app.find(contains="Interrupted")


def test_input_is_answered_in_the_terminal():
    """A10: what Python asks for is typed in its terminal."""
    turns = [{"calls": [{"language": "python", "code": "name = input('name? ')\nprint('hello ' + name)"}]}, {"text": "Greeted."}]
    with stage(turns) as (app, server, _folder):
        send(app, "greet me")
        approve(app)
        app.find(contains="Python waits for your input.")
        app.find("button", "Go to Terminal").click()
        wait(lambda: app.focused() and app.focused().role == "terminal", "the terminal to have the focus")
        app.desktop.type("Ada\n")
        app.find(contains="hello Ada")
        app.find(contains="Greeted.")
        app.desktop.screenshot("terminal")
        assert "hello Ada" in str(server.requests[1])


def test_killed_in_mid_answer_and_reopened():
    """D5: what had come before a kill is there again."""
    turns = [{"text": "The first half of an answer that never ends", "hold": "end"}]
    with stage(turns) as (app, _server, _folder):
        send(app, "tell me")
        app.find(contains="The first half")
        app.kill()
        with app.desktop.app() as again:
            again.find(contains="tell me").click()
            again.find(contains="The first half")
            again.find(contains="nterrupted")
            assert not list((Path(app.desktop.env["XDG_DATA_HOME"]) / "interpreter").glob("*damaged*"))


if __name__ == "__main__":
    tap.main(apart=True)
