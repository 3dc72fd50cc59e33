"""Choosing a model, and the models that Ollama keeps.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import sys
from pathlib import Path

from stage import repeat, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402
from driver import Desktop  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402

GB = 10 ** 9


def layer(digit, completed, total):
    digest = digit * 64
    return {"status": f"pulling {digest[:12]}", "digest": f"sha256:{digest}", "completed": completed, "total": total}


@contextlib.contextmanager
def ollama(models, *arguments, width=1280, height=800):
    """The window beside an Ollama that keeps these models."""
    with ScriptedServer([], models=models) as server, Desktop(width, height) as desktop:
        server.memory = {}
        with desktop.app(*arguments, env={"OLLAMA_HOST": server.root}) as app:
            yield app, server


def open_picker(app):
    app.find("text", "Message")
    repeat(lambda: app.desktop.key("ctrl+m"),
           lambda: app.focused() and app.focused().name == "Find or type a model", "the search to have the focus")


def open_manager(app):
    open_picker(app)
    app.find("button", "Manage Local Models…").click()
    return app.find("dialog", "Local Models")


def rows(app):
    """The models of the picker from top to bottom."""
    return [node.name for node in app.all("list item") if node.showing]


def answers(app, name):
    wait(lambda: name in app.find(["toggle button", "button"], "Model").description, f"{name} to be the one that answers")


def get(app, dialog, name):
    app.find("text", "Name", within=dialog).click()
    app.desktop.type(name)
    app.desktop.key("Return")


def test_find_choose_and_star_by_keyboard():
    with ollama(("tiny:latest", "zebra:7b", "quagga:3b"), "--model", "ollama/tiny:latest") as (app, server):
        open_picker(app)
        wait(lambda: len(rows(app)) == 3, "the models to be listed")
        app.find(contains="k tokens")
        assert app.has("image", "Calls tools")
        app.desktop.screenshot("models-picker")
        app.desktop.type("ollama zeb")
        wait(lambda: rows(app) == ["zebra:7b", "Use “ollama zeb”"], "the one that is meant")
        app.desktop.key("Return")
        answers(app, "zebra:7b")
        # Used last goes first.
        open_picker(app)
        wait(lambda: rows(app)[:1] == ["zebra:7b"], "the model used last to stand first")
        app.desktop.key("Down")
        wait(lambda: app.focused() and app.focused().name == "zebra:7b", "the list to have the focus")
        app.desktop.key("End")
        wait(lambda: app.focused() and app.focused().role == "list item" and app.focused().name != "zebra:7b", "the last one")
        last = app.focused().name
        app.desktop.key("Tab")
        wait(lambda: app.focused() and app.focused().name == f"{last} is a favourite", "its star to have the focus")
        app.desktop.key("space")
        wait(lambda: app.focused().state("checked") or app.focused().state("pressed"), "the star to be set")
        app.desktop.key("Escape")
        open_picker(app)
        app.find("label", "Favourites")
        wait(lambda: rows(app)[0] == last, "the favourite to stand first")
        app.desktop.screenshot("models-favourite")


def test_name_that_is_not_in_the_list():
    with ollama(("tiny:latest",), "--model", "ollama/tiny:latest") as (app, server):
        open_picker(app)
        server.models = ("tiny:latest", "later:1b")
        app.desktop.type("ollama/later:1b")
        wait(lambda: rows(app)[-1:] == ["Use “ollama/later:1b”"], "the name as it was typed")
        app.find("list item", "Use “ollama/later:1b”").click()
        answers(app, "later:1b")


def test_get_shows_layers_and_can_be_cancelled():
    with ollama(("tiny:latest",), "--model", "ollama/tiny:latest") as (app, server):
        server.pulls["big:8b"] = [{"status": "pulling manifest"}, layer("a", GB, 4 * GB), layer("b", 0, GB), None]
        dialog = open_manager(app)
        get(app, dialog, "ollama pull big:8b")
        app.find("label", contains="Downloading · 1.0 GB of 5.0 GB", within=dialog)
        app.find(name="Layers", within=dialog).click()
        app.find(name="Layer aaaaaaaaaaaa", within=dialog)
        app.find(name="Layer bbbbbbbbbbbb", within=dialog)
        app.desktop.screenshot("models-get")
        app.find("button", "Cancel", within=dialog).act()
        wait(lambda: server.gone == ["big:8b"], "the connection to be closed")
        wait(lambda: not app.all(contains="1.0 GB of 5.0 GB", within=dialog), "the download to leave the list")
        assert server.models == ("tiny:latest",)


def test_got_model_is_listed_and_the_unknown_is_said():
    with ollama(("tiny:latest",), "--model", "ollama/tiny:latest") as (app, server):
        server.pulls["new:1b"] = [layer("a", GB, 2 * GB), "rest", layer("a", 2 * GB, 2 * GB), {"status": "success"}]
        dialog = open_manager(app)
        get(app, dialog, "new:1b")
        app.find("label", contains="1.0 GB of 2.0 GB", within=dialog)
        server.release("rest")
        app.find("button", "Delete new:1b", within=dialog)
        get(app, dialog, "nonesuch")
        app.find("label", contains="There is no model “nonesuch” to be got.", within=dialog)
        server.pulls["nonesuch"] = [{"status": "success"}]
        app.find("button", "Try Again", within=dialog).click()
        app.find("button", "Delete nonesuch", within=dialog)


def test_delete_asks_first():
    with ollama(("tiny:latest", "old:7b"), "--model", "ollama/tiny:latest") as (app, server):
        server.sizes["old:7b"] = 4 * GB
        server.memory = {"tiny:latest": (2 * GB, GB)}
        dialog = open_manager(app)
        app.find("label", contains="loaded, takes 2.0 GB of memory, 1.0 GB of it on the graphics card", within=dialog)
        app.desktop.screenshot("models-kept")
        app.find("button", "Delete old:7b", within=dialog).click()
        question = app.find(contains="Delete old:7b?")
        assert question.showing and not server.deleted
        app.desktop.key("Escape")
        app.wait_gone(name="Delete old:7b?")
        assert not server.deleted
        app.find("button", "Delete old:7b", within=dialog).click()
        app.find("button", "Delete").click()
        wait(lambda: not app.all("button", "Delete old:7b", within=dialog), "the model to leave the list")
        assert server.deleted == ["old:7b"]
        assert app.all("button", "Delete tiny:latest", within=dialog)


def test_greeting_gets_its_model():
    with ollama(()) as (app, server):
        button = app.find("button", "Get", showing=False)
        name = app.find("list item", contains="ollama pull ", showing=False).name.removeprefix("ollama pull ")
        server.pulls[name] = [layer("a", GB, 2 * GB), "rest", {"status": "success"}]
        button.act()
        app.find("label", contains="1.0 GB of 2.0 GB", showing=False)
        app.desktop.screenshot("models-greeting")
        server.release("rest")
        app.find("list item", name, showing=False)


def test_narrow_window():
    with ollama(("tiny:latest", "a-model-with-a-rather-long-name-of-its-own:70b-instruct-q4_K_M"), "--model", "ollama/tiny:latest",
                width=420, height=720) as (app, server):
        server.pulls["big:8b"] = [layer("a", GB, 4 * GB), None]
        app.resize(360, 640)
        open_picker(app)
        wait(lambda: len(rows(app)) == 2, "the models to be listed")
        app.desktop.screenshot("models-narrow-picker")
        app.find("button", "Manage Local Models…").click()
        dialog = app.find("dialog", "Local Models")
        get(app, dialog, "big:8b")
        app.find("label", contains="1.0 GB of 4.0 GB", within=dialog)
        app.desktop.screenshot("models-narrow-dialog")
        _, _, width, _ = dialog.extents()
        assert width <= 360, width


if __name__ == "__main__":
    tap.main(apart=True)
