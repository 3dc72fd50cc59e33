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
    """Writes into the composer and presses Enter, once there is a chat that takes it."""
    composer = app.find("text", "Message").click()
    app.desktop.type(text)
    wait(lambda: composer.text == text and app.find("button", "Send").enabled, "the composer to take text")
    app.desktop.key("Return")


def approval(app, language="Python"):
    """The open approval dialog."""
    return app.find("dialog", f"Run {language} Code?")


def run_button(app, dialog):
    """Its Run button once it may be pressed: it pages while text was not on screen."""
    return app.find("button", "Run", within=dialog)


def press(app, dialog, name, done, what):
    """Presses a button of the dialog until something comes of it: within its first half second nothing does."""
    repeat(lambda: app.find("button", name, within=dialog).click(), done, what)


def repeat(act, done, what):
    """Does again what may have come too early, until something comes of it."""
    def acted():
        act()
        try:
            return wait(done, what, timeout=3)
        except Timeout:
            return False

    wait(acted, what)


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


def paragraphs(first, last):
    return "".join(f"Paragraph {n} is long enough to stand on a line of its own.\n\n" for n in range(first, last + 1))


def view(app):
    """The part of the window in which the transcript is seen: its top and bottom."""
    _, y, _, height = app.find("log", "Transcript").extents()
    return y, y + height


def in_view(app, node):
    top, bottom = view(app)
    _, y, _, height = node.extents()
    return height > 0 and y + height > top and y < bottom


def find_in_view(app, text):
    return wait(lambda: next((n for n in app.all("paragraph", contains=text) if in_view(app, n)), None), f"“{text}” in view")


def scroll(app, clicks):
    """The wheel over the transcript: negative is up."""
    x, y = app.find("log", "Transcript").centre()
    app.desktop.xdotool("mousemove", "--sync", x, y, "click", "--repeat", abs(clicks), 4 if clicks < 0 else 5)


def at_rest(app, node):
    """Its place once it does not move any more."""
    last = [None]

    def still():
        place = node.extents()[1]
        same, last[0] = place == last[0], place
        return same

    wait(still, "the view to come to rest")
    return last[0]


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="interpreter-test-")


def python():
    return os.environ.get("PYTHON", sys.executable)
