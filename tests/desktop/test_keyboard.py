"""The whole story by keyboard alone.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from pathlib import Path

from stage import approve, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


def test_enter_sends_and_shift_enter_breaks_the_line():
    """D1: Shift+Enter makes a line, Enter sends them all."""
    with stage([{"text": "Two lines."}]) as (app, server, _folder):
        app.find("text", "Message").click()
        app.desktop.type("first")
        app.desktop.key("shift+Return")
        app.desktop.type("second")
        wait(lambda: app.find("text", "Message").text == "first\nsecond", "the line break")
        assert not server.requests
        app.desktop.key("Return")
        app.find(contains="Two lines.")
        assert server.requests[0]["json"]["messages"][-1]["content"] == "first\nsecond"


def test_composer_to_waiting_cell_to_run_in_three_keys():
    turns = [{"calls": [{"language": "python", "code": "open('ran', 'w').write('x')"}]}, {"text": "End."}]
    with stage(turns) as (app, _server, folder):
        send(app, "do it")
        app.find("dialog", "Run Python Code?")
        app.desktop.key("Escape")
        app.wait_gone("dialog", "Run Python Code?")
        app.desktop.key("ctrl+l")
        wait(lambda: app.focused() and app.focused().name == "Message", "the composer to have the focus")
        app.desktop.key("ctrl+Up")
        app.desktop.key("ctrl+Return")
        wait(lambda: app.has("dialog", "Run Python Code?") or (folder / "ran").exists(), "the question to be taken up")
        if not (folder / "ran").exists():
            wait(lambda: (app.desktop.key("ctrl+Return"), (folder / "ran").exists())[1], "the third key to run it")


def test_transcript_is_one_tab_stop_with_arrow_keys():
    turns = [{"text": "One."}, {"text": "Two."}]
    with stage(turns) as (app, _server, _folder):
        send(app, "first")
        app.find(contains="One.")
        send(app, "second")
        app.find(contains="Two.")
        # The order is sidebar, transcript, composer, terminals: from the composer one back.
        app.desktop.key("shift+F6")
        seen = []
        for _ in range(3):
            node = app.focused()
            seen.append(node.name if node else None)
            app.desktop.key("Up")
        assert len(set(seen)) > 1, seen
        # Tab leaves the transcript instead of walking through it.
        app.desktop.key("Tab")
        wait(lambda: app.focused() and app.focused().name not in seen, "Tab to leave the transcript")


def test_terminal_gets_its_keys():
    code = ("import sys, termios, tty\n"
            "old = termios.tcgetattr(0)\n"
            "tty.setraw(0)\n"
            "print('ready', end='\\r\\n', flush=True)\n"
            "got = []\n"
            "while len(got) < 4:\n"
            "    got.append(ord(sys.stdin.buffer.raw.read(1)))\n"
            "termios.tcsetattr(0, termios.TCSADRAIN, old)\n"
            "print('keys', got)\n")
    turns = [{"calls": [{"language": "python", "code": code}]}, {"text": "End."}]
    with stage(turns) as (app, server, _folder):
        send(app, "keys")
        approve(app)
        app.find(contains="ready")
        app.desktop.key("ctrl+grave")
        terminal = app.find("terminal")
        terminal.focus()
        wait(lambda: app.focused() and app.focused().role == "terminal", "the terminal to have the focus")
        for key in ("ctrl+d", "ctrl+l", "ctrl+w", "ctrl+m"):
            app.desktop.key(key)
        app.find(contains="keys [4, 12, 23, 13]")
        wait(lambda: len(server.requests) == 2, "the model to get it")


def test_new_chat_search_rename_and_delete_with_undo():
    with stage([{"text": "The quick brown fox."}, {"text": "Another answer."}]) as (app, _server, _folder):
        send(app, "animals please")
        app.find(contains="quick brown fox")
        app.desktop.key("ctrl+n")
        app.wait_gone(contains="quick brown fox")
        send(app, "something else")
        app.find(contains="Another answer.")
        app.desktop.key("ctrl+shift+f")
        wait(lambda: app.focused() and app.focused().name == "Search all chats", "the search to have the focus")
        app.desktop.type("brown")
        app.find(contains="animals please").click()
        app.find(contains="quick brown fox")
        app.desktop.key("F2")
        wait(lambda: app.focused() and app.focused().name == "Title", "the title to be editable")
        app.desktop.key("ctrl+a")
        app.desktop.type("all about foxes")
        app.desktop.key("Return")
        app.desktop.key("ctrl+shift+f", "Escape")
        app.find("list item", contains="all about foxes").click(button=3)
        wait(lambda: app.focused() and app.focused().role == "menu item", "the menu to have the focus")
        app.desktop.key("d")
        app.wait_gone("list item", contains="all about foxes")
        app.find("button", "Undo").act()
        app.find("list item", contains="all about foxes").click()
        app.find(contains="quick brown fox")


def test_an_input_method_that_composes_gets_enter():
    with stage([{"text": "Never."}]) as (app, server, _folder):
        app.find("text", "Message").click()
        # GTK's own input method: a character by its number, ended by Enter.
        app.desktop.key("ctrl+shift+u", "e", "9", "Return")
        wait(lambda: app.find("text", "Message").text == "é", "the composed character")
        assert not server.requests
        app.desktop.key("Return")
        server.wait_for_requests(1)
        assert server.requests[0]["json"]["messages"][-1]["content"] == "é"


def test_standard_keys():
    with stage([{"text": "An answer of one line."}]) as (app, _server, _folder):
        send(app, "a question")
        paragraph = app.find("paragraph", contains="An answer of one line.")
        app.wait_gone("button", "Stop")
        height = paragraph.extents()[3]
        app.desktop.key("ctrl+plus", "ctrl+plus")
        wait(lambda: paragraph.extents()[3] > height, "larger text")
        app.desktop.key("ctrl+0")
        wait(lambda: paragraph.extents()[3] == height, "the normal size")
        app.desktop.key("ctrl+minus", "ctrl+minus")
        wait(lambda: paragraph.extents()[3] < height, "smaller text")
        app.desktop.key("ctrl+0")

        for key, dialog in (("ctrl+question", "Keyboard Shortcuts"), ("ctrl+comma", "Preferences")):
            app.desktop.key(key)
            app.find("dialog", dialog)
            app.desktop.key("Escape")
            app.wait_gone("dialog", dialog)
        sidebar = app.find("toggle button", "Sidebar")
        for shown in (False, True):
            app.desktop.key("F9")
            wait(lambda: sidebar.state("pressed") == shown, "the sidebar to go and come")
        app.desktop.key("F10")
        wait(lambda: app.focused() and app.focused().role == "menu item", "the menu to have the focus")
        app.desktop.key("Escape")
        app.desktop.key("ctrl+f")
        wait(lambda: app.focused() and app.focused().name == "Find in chat", "the search to have the focus")
        app.desktop.key("Escape", "ctrl+q")
        wait(lambda: app.process.poll() == 0, "it to quit")


if __name__ == "__main__":
    tap.main(apart=True)
