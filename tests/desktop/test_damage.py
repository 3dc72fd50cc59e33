"""What is kept, when it cannot be read, cannot be written, or is another's.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from driver import BUILD_ROOT
from stage import Desktop, ScriptedServer, send, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402

# A banner that is not revealed keeps its name; its label goes.
OTHER_PROCESS = "Another process works with this chat."


def store_of(desktop):
    return Path(desktop.env["XDG_DATA_HOME"]) / "interpreter"


def start(desktop, server):
    return desktop.app("--api_base", server.url, "--model", "openai/scripted", "--api_key", "test")


@contextlib.contextmanager
def with_a_chat(*turns):
    """A home in which one chat was had: "an old question" and its answer."""
    with ScriptedServer([{"text": "The old answer."}, *turns]) as server, Desktop() as desktop:
        with start(desktop, server) as app:
            send(app, "an old question")
            app.find(contains="The old answer.")
            app.wait_gone("button", "Stop")
            app.desktop.key("ctrl+q")
            wait(lambda: app.process.poll() == 0, "it to end")
        yield desktop, server


def content(store):
    return {str(path.relative_to(store)): path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}


def see_that_it_can_only_be_read(app, server, reason):
    app.find("label", contains=reason)
    assert not app.has("label", contains=OTHER_PROCESS), "no other process has to do with it"
    app.find("list item", contains="an old question").click()
    app.find("paragraph", contains="The old answer.")
    app.find("label", contains=reason)
    app.find("text", "Message").click()
    app.desktop.type("hello")
    app.desktop.key("Return")
    app.desktop.key("ctrl+n")
    app.wait_gone("paragraph", contains="The old answer.")
    app.find("label", contains=reason)
    assert not app.has("label", contains=OTHER_PROCESS)
    assert not app.find("button", "Send").enabled
    assert len(server.requests) == 1, "what cannot be kept is not sent"


def test_a_damaged_database_is_set_aside_and_the_chat_works():
    junk = b"This is no database.\n" * 3000
    with ScriptedServer([{"text": "A new answer."}]) as server, Desktop() as desktop:
        store = store_of(desktop)
        store.mkdir(mode=0o700)
        (store / "conversations.db").write_bytes(junk)
        with start(desktop, server) as app:
            said = app.find("label", contains="damaged")
            (aside,) = store.glob("conversations.damaged-*.db")
            assert aside.name in said.name + said.text, (said.name, said.text)
            send(app, "a new question")
            app.find(contains="A new answer.")
            app.find("list item", contains="a new question")
            app.find("button", "Dismiss").click()
            app.wait_gone("label", contains=aside.name)
        assert aside.read_bytes() == junk, "what was there is not there any more"
        with start(desktop, server) as app:
            app.find("list item", contains="a new question").click()
            app.find("paragraph", contains="A new answer.")
            assert not app.has("label", contains="damaged"), "it is said once"


def test_what_a_newer_version_wrote_can_be_read():
    with with_a_chat() as (desktop, server):
        database = store_of(desktop) / "conversations.db"
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA user_version = 9999")
        before = database.read_bytes()
        with start(desktop, server) as app:
            see_that_it_can_only_be_read(app, server, "were written by a newer version of Interpreter")
        assert database.read_bytes() == before


def test_a_read_only_folder_is_said_to_be_one():
    if os.getuid() == 0:
        raise tap.Skip("root may write everywhere")
    with with_a_chat() as (desktop, server):
        store = store_of(desktop)
        inside = sorted(store.rglob("*"))
        before = content(store)
        for path in inside:
            path.chmod(0o400 if path.is_file() else 0o500)
        store.chmod(0o500)
        try:
            with start(desktop, server) as app:
                see_that_it_can_only_be_read(app, server, "is read-only. Conversations can be read, but nothing new is saved.")
        finally:
            store.chmod(0o700)
            for path in inside:
                path.chmod(0o600 if path.is_file() else 0o700)
        assert content(store) == before


def test_a_chat_of_another_process_is_followed_and_then_taken_over():
    with with_a_chat({"text": "Half of it", "hold": "end", "more": " and the rest."}, {"text": "My own answer."}) \
            as (desktop, server):
        with subprocess.Popen([str(BUILD_ROOT / "src/console/interpreter"), "--api_base", server.url, "--api_key", "test",
                               "--model", "openai/scripted", "--task", "asked in a terminal"],
                              env=desktop.env, cwd=desktop.env["HOME"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as other:
            try:
                server.wait_for_requests(2)
                with start(desktop, server) as app:
                    app.find("list item", contains="asked in a terminal").click()
                    app.find("paragraph", contains="asked in a terminal")
                    app.find("label", contains=OTHER_PROCESS)
                    server.release("end")
                    said = other.communicate()[0]
                    assert other.returncode == 0, said
                    app.find("paragraph", contains="Half of it and the rest.")
                    app.wait_gone("label", contains=OTHER_PROCESS)
                    send(app, "now I")
                    app.find("paragraph", contains="My own answer.")
                    assert "Half of it and the rest." in str(server.requests[2]["json"]["messages"])
            finally:
                if other.poll() is None:
                    other.kill()


if __name__ == "__main__":
    tap.main(apart=True)
