"""Safe mode in the window: switched, shown, escaped from in vain, and left only by a new approval.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import subprocess
import sys
from pathlib import Path

from stage import approval, approve, cell_state, repeat, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


def call(code, language="python"):
    return {"calls": [{"language": language, "code": code}]}


def needs_sandbox(test):
    def run():
        made = subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "--proc", "/proc", "true"],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise tap.Skip(f"no sandbox here: {made.stderr.strip()}")
        test()
    run.__name__ = test.__name__
    return run


def secret(folder):
    path = folder.parent / "Secrets"
    path.mkdir()
    (path / "diary.txt").write_text("dear diary")
    return path


def safe_button(app):
    return app.find("button", "Safe Mode")


def last_told(server):
    return str(server.requests[-1]["json"]["messages"][-1]["content"])


@needs_sandbox
def test_auto_in_sandbox_from_the_command_line():
    read = "print(open('in.txt').read()); import os; print(os.listdir(os.path.expanduser('~/Secrets')))"
    turns = [call(read), {"text": "It was kept from me."}]
    with stage(turns, "--auto-run", "--safe-mode", files={"in.txt": "given"}) as (app, server, folder):
        secrets = secret(folder)
        send(app, "look")
        cell_state(app, "Failed")
        app.find(contains="It was kept from me.")
        assert "given" in last_told(server) and "diary" not in last_told(server)
        assert not app.has("dialog", "Run Python Code?")
        assert "on" in safe_button(app).description
        app.find(contains="The sandbox does not have ~/Secrets.")
        app.desktop.screenshot("safe-blocked")

        # Out of it only by a new question, on the same code.
        app.find("button", "Run Outside…").click()
        dialog = approval(app)
        app.find(contains="outside the sandbox", within=dialog)
        app.find(contains="this computer", within=dialog)
        app.desktop.screenshot("safe-outside")
        approve(app)
        app.find(contains="diary.txt")
        app.find(contains="Outside the sandbox, in a kernel of its own.")

        # Or by giving the folder, which is said to the user first.
        app.find("button", "Allow This Folder…").click()
        app.find(contains="Give ~/Secrets to Code?")
        app.desktop.screenshot("safe-give")
        before = len(app.all(contains="Done in"))
        app.find("button", "Allow").click()
        wait(lambda: len(app.all(contains="Done in")) > before, "the code to run again with the folder")
        assert secrets.exists()
        safe_button(app).click()
        app.find(contains="~/Secrets", role="label")
        app.find("button", "Take ~/Secrets Away")
        app.desktop.screenshot("safe-popover")


@needs_sandbox
def test_switched_in_the_header():
    turns = [call("import os; print(os.path.exists(os.path.expanduser('~/Secrets')), 'first')"), {"text": "One."},
             call("print(os.path.exists(os.path.expanduser('~/Secrets')), 'second')"), {"text": "Two."},
             call("import os; print(os.path.exists(os.path.expanduser('~/Secrets')), 'third')"), {"text": "Three."}]
    with stage(turns) as (app, server, folder):
        secret(folder)
        send(app, "one")
        approve(app)
        app.find(contains="One.")
        assert "True first" in last_told(server)
        safe_button(app).click()
        app.find("check box", "Safe Mode").click()
        # Variables would go: it is asked, and can be left.
        app.find(contains="their variables are lost")
        repeat(lambda: [button.click() for button in app.all("button", "Cancel") if button.showing],
               lambda: not app.has(contains="their variables are lost"), "the question to go")
        assert "off" in safe_button(app).description
        send(app, "two")
        approve(app)
        app.find(contains="Two.")
        assert "True second" in last_told(server)
        safe_button(app).click()
        app.find("check box", "Safe Mode").click()
        app.find("button", "Start Anew").click()
        wait(lambda: "on" in safe_button(app).description, "safe mode to be on")
        send(app, "three")
        dialog = approval(app)
        app.find(contains="in the sandbox", within=dialog)
        approve(app)
        app.find(contains="Three.")
        assert "False third" in last_told(server)


@needs_sandbox
def test_offered_after_the_third_approval():
    turns = [turn for n in range(3) for turn in (call(f"print({n})"), {"text": f"Answer {n}."})]
    turns += [call("import os; print(os.listdir(os.path.expanduser('~')))"), {"text": "Unasked."}]
    with stage(turns) as (app, server, _folder):
        for n in range(3):
            assert not app.has("button", "Auto in Sandbox")
            send(app, f"run {n}")
            approve(app)
            if n < 2:
                app.find(contains=f"Answer {n}.")
        app.find(contains="Answer 2.")
        app.find("button", "Auto in Sandbox").click()
        app.find("button", "Start Anew").click()
        wait(lambda: "on" in safe_button(app).description, "safe mode to be on")
        app.wait_gone(contains="their variables are lost")
        send(app, "four")
        app.find(contains="Unasked.")
        assert "['project']" in last_told(server)


@needs_sandbox
def test_a_folder_that_the_message_names_is_one_click_away():
    turns = [{"text": "Which one?", "hold": "start"}, call("import os; print(os.listdir(os.path.expanduser('~/Secrets')))"),
             {"text": "End."}]
    with stage(turns, "--auto-run", "--safe-mode") as (app, server, folder):
        secret(folder)
        send(app, "Sort ~/Secrets.")
        app.find("button", "Allow This Folder").click()
        server.release("start")
        app.find(contains="Which one?")
        send(app, "That one")
        app.find(contains="End.")
        assert "diary.txt" in last_told(server)


@needs_sandbox
def test_network_once():
    # Not everything is up in a sandbox without network, its own loopback apart: names of others are not found.
    code = "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 9), 0.2)\nexcept TimeoutError:\n    print('tried')"
    with stage([call(code), {"text": "End."}], "--auto-run", "--safe-mode") as (app, server, _folder):
        send(app, "call")
        app.find(contains="The sandbox has no network.")
        app.find(contains="End.")
        app.find("button", "Allow Network Once").click()
        wait(lambda: len(app.all(contains="Done in")) + len(app.all(contains="Failed")) > 1, "it to run again")
        safe_button(app).click()
        assert not app.find("check box", "Network").state("checked"), "once is not for good"


def test_why_it_cannot_run_is_shown():
    with stage([call("open('ran', 'w')"), {"text": "End."}], "--auto-run", "--safe-mode", "--folder=..") as (app, _server, folder):
        wait(lambda: "home folder" in safe_button(app).description, "the shield to say it")
        send(app, "run")
        app.find(contains="End.")
        app.find("button", contains="Folder")
        app.desktop.screenshot("safe-problem")
        assert not (folder.parent / "ran").exists()


if __name__ == "__main__":
    tap.main(apart=True)
