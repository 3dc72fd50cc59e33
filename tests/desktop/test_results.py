"""What code gives, in the window: tables, errors, long output, pictures, and the chat itself as a file.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import base64
import json
import subprocess
import sys
from pathlib import Path

from stage import approve, repeat, send, stage, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402
from terminal import plain  # noqa: E402

TABLE = """import pandas as pd
table = pd.DataFrame({"city": ["Rome", "Oslo", "Bern"], "people": [2800, 700, 134]})
table
"""
CHART = """import matplotlib.pyplot as plt
plt.bar(["a", "b"], [1, 2])
plt.show()
"""


def run(code, language="python"):
    return {"calls": [{"language": language, "code": code}]}


def ask_and_approve(app, language="Python"):
    send(app, "do it")
    approve(app, language)


def paste(app):
    app.find("text", "Message").click()
    app.desktop.key("ctrl+v")


def test_data_frame_is_a_table_that_sorts_and_copies():
    with stage([run(TABLE), {"text": "Done."}]) as (app, _server, _folder):
        ask_and_approve(app)
        app.find(contains="Done.")
        table = app.find(["table", "tree table"], "Table")
        assert "3 rows" in table.description, table.description

        def column():
            wanted = ("Rome", "Oslo", "Bern")
            return [node.name or node.text for node in app.all(["label", "static"], within=table) if (node.name or node.text) in wanted]

        wait(lambda: column() == ["Rome", "Oslo", "Bern"], "the rows in their order")
        app.find(name="people", within=table).click()
        wait(lambda: column() == ["Bern", "Oslo", "Rome"], "the rows by number")
        app.find("button", "Copy as CSV").click()
        paste(app)
        wait(lambda: "Bern,134\nOslo,700\nRome,2800" in app.find("text", "Message").text.replace("\r", ""), "the table as it is sorted")


def red_rows(app, x, y, height):
    """Which of the pixels below a place of the window are redder than grey."""
    _window, left, top, _width, _height = app.place()
    said = subprocess.run(["import", "-window", "root", "-crop", f"1x{height}+{left + x}+{top + y}", "-depth", "8", "rgb:-"],
                          env=app.desktop.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True)
    return [row for row in range(height) if said.stdout[3 * row] > said.stdout[3 * row + 1] + 8]


def test_error_is_named_its_line_marked_and_the_traceback_kept():
    code = "first = 1\nprint('before')\nthird = first / 0\nfourth = 4\nfifth = 5\n"
    with stage([run(code), {"text": "It failed."}]) as (app, server, _folder):
        ask_and_approve(app)
        app.find(contains="ZeroDivisionError: division by zero")
        app.find(contains="Failed after")
        app.find(contains="It failed.")
        view = app.find("text", "Code")
        dx, dy = view.lost_insets()
        x, y, width, height = map(int, view.extents())

        def marked():
            rows = red_rows(app, int(x + dx + width * 0.8), int(y + dy), height)
            return rows and height * 0.4 <= rows[0] and rows[-1] <= height * 0.6

        wait(marked, "the third of five lines to be marked, and no other")
        wait(lambda: app.find("text", "Output").text.strip() == "before", "the output without the traceback")
        assert not app.has("label", contains="Traceback (most recent call last)"), "the traceback is folded"
        app.find(name="Traceback").click()
        app.find("label", contains="line 3")
        assert "ZeroDivisionError" in str(server.requests[1]["json"]["messages"][-1])


def test_code_is_unfolded_where_its_error_would_be_hidden():
    code = "".join(f"value_{n} = {n}\n" for n in range(30)) + "1 / 0\n"
    with stage([run(code), {"text": "It failed."}]) as (app, _server, _folder):
        ask_and_approve(app)
        app.find(contains="It failed.")
        wait(lambda: app.find("text", "Code").text.endswith("1 / 0"), "the line of the error")


def test_long_output_is_folded_and_its_whole_log_opens():
    opener = ("[Desktop Entry]\nType=Application\nName=Opener\nNoDisplay=true\nMimeType=text/plain;text/x-log;\n"
              "Exec=sh -c 'cat \"$1\" >opened.part && mv opened.part opened' sh %f\n")
    with stage([run("for n in range(5000): print('line', n)"), {"text": "Done."}]) as (app, _server, folder):
        applications = Path(app.desktop.env["XDG_DATA_HOME"]) / "applications"
        applications.mkdir()
        (applications / "opener.desktop").write_text(opener)
        (Path(app.desktop.env["XDG_CONFIG_HOME"]) / "mimeapps.list").write_text(
            "[Default Applications]\ntext/plain=opener.desktop\ntext/x-log=opener.desktop\n")
        ask_and_approve(app)
        app.find(contains="Done.")
        head, tail = app.find("text", "Output"), app.find("text", "End of Output")
        assert head.text.splitlines() == [f"line {n}" for n in range(10)]
        assert tail.text.splitlines() == [f"line {n}" for n in range(4990, 5000)]
        app.find("button", contains="more lines")
        app.find("button", "Open Full Log").click()
        opened = wait(lambda: next(folder.parent.rglob("opened"), None), "the log to be opened")
        assert plain(opened.read_bytes()).splitlines() == [f"line {n}" for n in range(5000)]
        app.find("button", contains="more lines").act()
        wait(lambda: "line 2500" in head.text, "the lines between")


def test_picture_is_enlarged_copied_and_saved():
    with stage([run(CHART), {"text": "Drawn."}]) as (app, _server, folder):
        ask_and_approve(app)
        app.find(contains="Drawn.")
        picture = app.find("image", contains="Chart")
        width = picture.extents()[2]
        app.find("button", contains="Chart").click()
        dialog = app.find("dialog", "Chart")
        large = app.find("image", within=dialog)
        wait(lambda: large.extents()[2] >= width, "it to be large")
        app.desktop.key("Escape")
        app.wait_gone("dialog", "Chart")

        app.find("button", "Copy", within=app.find("article", contains="Python")).click()
        paste(app)
        app.find("button", contains="Remove")

        app.find("button", "Save…").click()
        app.find(["dialog", "frame", "window"], "Save Picture")
        app.desktop.key("ctrl+a")
        app.desktop.type(str(folder / "kept.png"))
        app.desktop.key("Return")
        kept = wait(lambda: (folder / "kept.png").exists() and (folder / "kept.png").read_bytes(), "the picture's file")
        assert kept.startswith(b"\x89PNG")


def test_chat_is_saved_as_markdown_and_as_a_notebook():
    with stage([run("print(6 * 7)"), {"text": "It is **42**."}]) as (app, server, folder):
        ask_and_approve(app)
        app.find(contains="It is 42.")
        app.wait_gone("button", "Stop")
        for command, name in (("markdown", "chat.md"), ("jupyter", "chat.ipynb")):
            send(app, f"/{command} {name}")
            wait(lambda name=name: (folder / name).exists(), f"{name} to be written")
            app.find(contains=name)
            wait(lambda: app.find("text", "Message").text == "", "the composer to be empty")
        text = (folder / "chat.md").read_text()
        assert text.index("do it") < text.index("print(6 * 7)") < text.index("42") < text.index("It is **42**.")
        notebook = json.loads((folder / "chat.ipynb").read_text())
        (cell,) = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert "".join(cell["source"]) == "print(6 * 7)" and "42" in str(cell["outputs"])
        assert "It is **42**." in str([cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"])
        assert len(server.requests) == 2, "a command is not the model's"


def test_thinking_is_folded_and_can_be_read():
    with stage([{"reasoning": "Numbers first, then words.", "text": "It is 42."}]) as (app, _server, _folder):
        send(app, "think about it")
        app.find(contains="It is 42.")
        heading = app.find(contains="Thought for")
        assert not app.has(contains="Numbers first")
        heading.click()
        app.find(contains="Numbers first, then words.")


def test_pasted_picture_goes_to_a_model_that_can_see():
    picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    with stage([{"text": "One dot."}], "--llm_supports_vision") as (app, server, folder):
        (folder / "dot.png").write_bytes(picture)
        app.find("text", "Message").click()
        with subprocess.Popen(["xclip", "-selection", "clipboard", "-target", "image/png", "-quiet", "-i", folder / "dot.png"],
                              env=app.desktop.env, stderr=subprocess.DEVNULL) as clipboard:
            try:
                repeat(lambda: app.desktop.key("ctrl+v"), lambda: app.has(contains="pasted-"), "the picture to be attached")
            finally:
                clipboard.terminate()
        send(app, "what is this?")
        app.find(contains="One dot.")
        parts = server.requests[0]["json"]["messages"][-1]["content"]
        assert [part["type"] for part in parts] == ["text", "image_url"]
        assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,")


if __name__ == "__main__":
    tap.main(apart=True)
