"""What the desktop tests share: the application before a scripted model, and the steps of its story.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))

from driver import Desktop, Timeout, wait  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402


@contextlib.contextmanager
def stage(turns, *arguments, width=1280, height=800, files=None, env=None):
    """The window with a scripted model and a working folder of its own: yields (app, server, folder)."""
    with ScriptedServer(turns) as server, Desktop(width, height) as desktop:
        folder = Path(desktop.env["HOME"]) / "project"
        folder.mkdir()
        for name, content in (files or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        with desktop.app("--api_base", server.url, "--model", "openai/scripted", "--api_key", "test",
                         *arguments, folder=str(folder), env=env) as app:
            yield app, server, folder


def send(app, text):
    """Writes into the composer and presses Enter."""
    app.find("text", "Message").click()
    app.desktop.type(text)
    app.desktop.key("Return")


def approval(app, language="Python"):
    """The open approval dialog."""
    return app.find("dialog", f"Run {language} Code?")


def run_button(app, dialog):
    """Its Run button once it may be pressed: it pages while text was not on screen."""
    return app.find("button", "Run", within=dialog)


def press(app, dialog, name, done, what):
    """Presses a button of the dialog until something comes of it: within its first half second nothing does."""
    def pressed():
        app.find("button", name, within=dialog).click()
        try:
            return wait(done, what, timeout=3)
        except Timeout:
            return False

    wait(pressed, what)


def approve(app, language="Python"):
    """Reads and presses Run with the pointer, as a person does: half a second after the dialog came."""
    dialog = approval(app, language)

    def answered():
        if not dialog.showing:  # another one may be there by now
            return True
        for name in ("Run", "Show Rest"):
            for button in app.all("button", name, within=dialog):
                if button.showing:
                    button.click()
                    return False
        return False

    wait(answered, f"the approval of {language} code to be taken")


def cell_state(app, text):
    """Waits until a cell says @text ("Done in", "Failed")."""
    return app.find(contains=text)


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="interpreter-test-")


def python():
    return os.environ.get("PYTHON", sys.executable)
