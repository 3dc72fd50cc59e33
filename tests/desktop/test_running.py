"""Code that runs on, code that is stopped, and where and by whom it is run.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import sys
from pathlib import Path

from stage import ScriptedServer, Desktop, approve, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


def run(code, language="python"):
    return {"calls": [{"language": language, "code": code}]}


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def in_menu(app, button, *keys):
    """Opens a menu and chooses in it by keys."""
    button.click()
    wait(lambda: app.focused() and app.focused().role in ("menu item", "radio menu item", "check menu item"),
         "the menu to have the focus")
    app.desktop.key(*keys)


def test_code_continues_in_the_background_and_the_chat_goes_on():
    """A13: a job without an end frees the chat; what it prints is seen, and it can be stopped."""
    code = ("import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('more'): time.sleep(0.05)\n"
            "print('and' + ' more', flush=True)\nwhile True: time.sleep(0.05)\n")
    turns = [run(code), {"text": "It goes on by itself."}, {"text": "Yes, still here."}]
    with stage(turns) as (app, server, folder):
        send(app, "serve")
        approve(app)
        app.find("text", "Output", contains="begun")
        in_menu(app, app.find("toggle button", "Cell Menu"), "b")
        app.find(contains="It goes on by itself.")
        assert "still running" in str(server.requests[1]["json"]["messages"][-1])
        send(app, "are you there?")
        app.find(contains="Yes, still here.")
        (folder / "more").touch()
        app.find("text", "Output", contains="and more")
        app.find("button", "Interrupt", showing=False).act()
        app.find(contains="Interrupted after")


def test_stop_ends_what_the_code_had_started():
    code = "sleep 600 & echo \"sleeps: $!.\"\nsh -c 'echo \"serves: $$.\"; exec python3 -m http.server --bind 127.0.0.1 0'\n"
    turns = [run(code, "shell"), run("echo still usable: $((6 * 7))", "shell"), {"text": "Good."}]
    with stage(turns) as (app, _server, _folder):
        send(app, "serve")
        approve(app, "Shell")
        output = app.find("text", "Output", contains="Serving HTTP").text
        pids = [int(re.search(rf"{word}: (\d+)\.", output).group(1)) for word in ("sleeps", "serves")]
        assert not any(map(is_gone, pids)), output
        app.find("button", "Stop").click()
        wait(lambda: all(map(is_gone, pids)), "what was started to be gone")
        app.wait_gone("button", "Stop")
        send(app, "and now?")
        approve(app, "Shell")
        app.find("text", "Output", contains="still usable: 42")
        app.find(contains="Good.")


def test_model_is_changed_in_the_composer():
    with ScriptedServer([{"text": "From the first."}, {"text": "From the second."}], models=("scripted", "other-one")) as server, \
            Desktop() as desktop, \
            desktop.app("--api_base", server.url, "--model", "openai/scripted", "--api_key", "test") as app:
        send(app, "hello")
        app.find(contains="From the first.")
        app.wait_gone("button", "Stop")
        app.find(["toggle button", "button"], "Model").click()
        wait(lambda: app.focused() and app.focused().name == "Find or type a model", "the search to have the focus")
        app.desktop.type("other-one")
        app.find("list item", contains="other-one").click()
        app.find(contains="other-one", within=app.find(["toggle button", "button"], "Model"))
        send(app, "hello again")
        app.find(contains="From the second.")
        assert [request["json"]["model"] for request in server.requests] == ["scripted", "other-one"]


def test_a_chat_asks_once_before_it_leaves_this_computer():
    turns = [{"text": "A local answer."}]
    with stage(turns, env={"OPENAI_API_KEY": "test"}) as (app, _server, _folder):
        send(app, "something private")
        app.find(contains="A local answer.")
        app.wait_gone("button", "Stop")
        button = app.find(["toggle button", "button"], "Model")

        def choose(name):
            button.click()
            wait(lambda: app.focused() and app.focused().name == "Find or type a model", "the search to have the focus")
            app.desktop.type(name)
            app.find("list item", contains=name).click()

        choose("openai/gpt-4o")
        dialog = app.find("alert", contains="Send This Chat")
        assert app.find(contains="api.openai.com", within=dialog)
        app.desktop.key("Escape")
        wait(lambda: not dialog.showing, "the question to go")
        assert app.find(contains="scripted", within=button), "nothing is changed"
        choose("openai/gpt-4o")
        app.find("button", "Send There", within=app.find("alert", contains="Send This Chat")).click()
        app.find(contains="gpt-4o", within=button)
        choose("openai/gpt-4.1")
        app.find(contains="gpt-4.1", within=button)


def test_retry_counts_down_and_can_be_stopped():
    busy = {"status": 503, "body": {"error": {"message": "Overloaded"}}, "headers": {"Retry-After": "50"}}
    with stage([busy, {"text": "Here again."}]) as (app, server, _folder):
        send(app, "hello")
        status = app.find(contains="Trying again in")
        assert "is busy. Trying again in" in status.name
        first = status.name
        wait(lambda: app.find(contains="Trying again in").name != first, "the time to go down")
        app.find("button", "Stop").click()
        app.wait_gone(contains="Trying again in")
        app.wait_gone("button", "Stop")
        assert len(server.requests) == 1, "nothing is tried after that"
        send(app, "and now?")
        app.find(contains="Here again.")


def test_mode_is_changed_in_the_header():
    with stage([run("open('ran', 'w').close()"), {"text": "Only shown."}]) as (app, _server, folder):
        button = app.find("toggle button", "Mode")
        assert button.description == "Ask"
        wait(lambda: button.enabled, "a chat whose mode it is")
        button.click()
        wait(lambda: app.focused() and app.focused().role == "list item", "the modes to have the focus")
        app.desktop.key("End", "Return")
        wait(lambda: button.description == "Look", "the mode to change")
        send(app, "make a file")
        app.find(contains="open('ran', 'w').close()")
        app.wait_gone("button", "Stop")
        assert not app.has("dialog") and not (folder / "ran").exists()


def test_folder_is_changed_in_the_header():
    with ScriptedServer([run("import os; print('now in', os.getcwd())"), {"text": "There."}]) as server, Desktop() as desktop:
        home = Path(desktop.env["HOME"])
        for name in ("first_place", "second_place"):
            (home / name).mkdir()
        settings = Path(desktop.env["XDG_CONFIG_HOME"]) / "glib-2.0/settings/keyfile"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[io/github/interpreter_app/Interpreter]\nrecent-folders=['{home}/second_place']\n")
        with desktop.app("--api_base", server.url, "--model", "openai/scripted", "--api_key", "test",
                         folder=str(home / "first_place")) as app:
            button = app.find("toggle button", "Working Folder")
            assert button.description == str(home / "first_place"), button.description
            in_menu(app, button, "Home", "Return")
            wait(lambda: button.description == str(home / "second_place"), "the folder to change")
            send(app, "where?")
            approve(app)
            app.find("text", "Output", contains=f"now in {home}/second_place")
            app.find(contains="There.")
            assert str(home / "second_place") in server.requests[0]["body"]


if __name__ == "__main__":
    tap.main(apart=True)
