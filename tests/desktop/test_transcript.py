"""What people complain of in other chats: scrolling, following, rendering.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from pathlib import Path

from stage import at_rest, find_in_view, paragraphs, scroll, send, stage, view, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402


def test_what_is_read_stays_in_place_while_more_arrives():
    """D2: a long answer does not move what is being read."""
    turns = [{"text": paragraphs(1, 60), "hold": "end", "more": paragraphs(61, 160), "piece": 40}]
    with stage(turns) as (app, server, _folder):
        send(app, "write much")
        find_in_view(app, "Paragraph 60")
        scroll(app, -12)
        app.find("button", "Jump to latest")
        top, bottom = view(app)
        reading = next(n for n in app.all("paragraph", contains="Paragraph ")
                       if top + 40 < n.extents()[1] < (top + bottom) / 2)
        before = at_rest(app, reading)
        server.release("end")
        app.find("paragraph", contains="Paragraph 160", showing=False)
        app.wait_gone("button", "Stop")
        assert abs(at_rest(app, reading) - before) <= 1, "it moved away under the eyes"

        app.find("button", "Jump to latest").act()
        find_in_view(app, "Paragraph 160")
        app.wait_gone("button", "Jump to latest")


def test_bottom_is_followed_through_prose_and_code():
    """D2: a long answer is followed to its end."""
    code = "```python\n" + "".join(f"value_{n} = {n}\n" for n in range(600)) + "```\n\n"
    turns = [{"text": paragraphs(1, 30) + code + "After the code.", "piece": 60}]
    with stage(turns) as (app, _server, _folder):
        send(app, "write code")
        find_in_view(app, "After the code.")
        assert not app.has("button", "Jump to latest")
        app.find("button", contains="Show All (600 Lines)", showing=False)


def test_own_message_is_shown_wherever_one_was():
    turns = [{"text": paragraphs(1, 60), "piece": 200}, {"text": "Second answer."}]
    with stage(turns) as (app, _server, _folder):
        send(app, "first question")
        find_in_view(app, "Paragraph 60")
        app.wait_gone("button", "Stop")
        scroll(app, -20)
        app.find("button", "Jump to latest")
        send(app, "second question")
        find_in_view(app, "second question")
        find_in_view(app, "Second answer.")


def test_wide_code_scrolls_and_never_widens_the_window():
    """D2: wide code scrolls by itself."""
    turns = [{"text": "```\n" + "x" * 3000 + "\n```\n\n" + "y" * 500 + "\n\nThe end."}]
    with stage(turns) as (app, _server, _folder):
        width = app.window.extents()[2]
        send(app, "wide")
        find_in_view(app, "The end.")
        assert app.window.extents()[2] == width


def test_prose_about_code_is_left_as_it_is():
    text = "See report_2024.csv, 2 * 3 * 4, arr[i](x), x^(n+1) and `int **p, *q`."
    with stage([{"text": text}]) as (app, _server, _folder):
        send(app, "code words")
        app.find("paragraph", contains="See report_2024.csv, 2 * 3 * 4, arr[i](x), x^(n+1) and int **p, *q.")


def test_blocks_have_their_roles():
    text = ("# Title\n\n- [x] done\n- open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n"
            "[site](https://example.org)\n\n```sh\nls\n```\n")
    with stage([{"text": text}]) as (app, _server, _folder):
        send(app, "all blocks")
        app.find("heading", "Title")
        app.find("list item")
        app.find("image", "Done")
        app.find("table cell", "2")
        app.find("block quote")
        app.find("button", "Copy Code")
        app.find("text", contains="ls", within=app.find("article", "Answer"))


def test_edit_and_resend_keeps_the_old_branch():
    turns = [{"text": "Answer one."}, {"text": "Answer two."}]
    with stage(turns) as (app, server, _folder):
        send(app, "first wording")
        app.find(contains="Answer one.")
        app.wait_gone("button", "Stop")
        app.find("button", "Edit and Resend", showing=False).act()
        editor = app.find("text", "Edit Message")
        wait(lambda: editor.state("focused"), "the editor to have the focus")
        app.desktop.key("ctrl+a")
        app.desktop.type("second wording")
        app.desktop.key("Return")
        app.find(contains="Answer two.")
        assert server.requests[1]["json"]["messages"][-1]["content"] == "second wording"
        app.find("label", "2 of 2", showing=False)
        app.find("button", "Previous Version", showing=False).act()
        app.find(contains="Answer one.")


def test_message_written_meanwhile_waits_and_can_be_changed():
    turns = [{"text": "First.", "hold": "end"}, {"text": "Second."}]
    with stage(turns) as (app, server, _folder):
        send(app, "one")
        app.find(contains="First.")
        send(app, "two")
        entry = app.find("text", "Waiting Message")
        entry.click()
        app.desktop.key("ctrl+a")
        app.desktop.type("three")
        app.desktop.key("Return")
        server.release("end")
        app.find(contains="Second.")
        assert server.requests[1]["json"]["messages"][-1]["content"] == "three"


def test_draft_is_kept_for_each_chat():
    with stage([{"text": "An answer."}]) as (app, _server, _folder):
        send(app, "a question")
        app.find(contains="An answer.")
        app.find("text", "Message").click()
        app.desktop.type("half a thought")
        app.desktop.key("ctrl+n")
        wait(lambda: app.find("text", "Message").text == "", "the new chat's empty composer")
        app.find("list item", contains="a question").click()
        wait(lambda: app.find("text", "Message").text == "half a thought", "the draft")


def test_up_recalls_the_last_message():
    with stage([{"text": "An answer."}]) as (app, _server, _folder):
        send(app, "a question")
        app.find(contains="An answer.")
        app.find("text", "Message").click()
        app.desktop.key("Up")
        wait(lambda: app.find("text", "Message").text == "a question", "the last message")


if __name__ == "__main__":
    tap.main(apart=True)
