"""Long and fast answers: whole, usable meanwhile, and read again from the end to the beginning.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import re
import sys
from pathlib import Path

from driver import BUILD_ROOT
from stage import Desktop, ScriptedServer, at_rest, find_in_view, paragraphs, send, stage, view, wait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402
from terminal import Terminal  # noqa: E402

RICH = 15  # answers of a long chat


def write_meanwhile(app, text):
    """Types into the composer and sees it there."""
    app.find("text", "Message").click()
    app.desktop.type(text)
    wait(lambda: app.find("text", "Message").text == text, "the composer to take text")


def test_five_thousand_words_in_small_pieces_arrive_whole():
    """D3: what comes faster than it can be drawn is neither lost nor does it take the composer away."""
    words = [f"word{n}" for n in range(5000)]
    text = "".join(" ".join(words[n:n + 100]) + "\n\n" for n in range(0, len(words), 100))
    half = len(text) // 2
    with stage([{"text": text[:half], "hold": "end", "more": text[half:] + "The end.", "piece": 5}]) as (app, server, _folder):
        send(app, "write much")
        app.find("button", "Stop")
        write_meanwhile(app, "while the first half comes")
        server.release("end")
        app.desktop.type(", and the second")
        wait(lambda: app.find("text", "Message").text == "while the first half comes, and the second", "the composer to take text")
        find_in_view(app, "The end.")
        app.wait_gone("button", "Stop")
        shown = " ".join(node.text for node in app.all("paragraph", within=app.find("article", "Answer"))).split()
        assert shown == [*words, "The", "end."]


def test_code_of_five_thousand_lines_streams_and_can_be_unfolded():
    lines = [f"value_{n} = compute({n}, name='n{n}')  # line {n}" for n in range(1, 5001)]
    code = "\n".join(lines) + "\n"
    half = len(code) // 2
    turns = [{"text": "Here it is.\n\n```python\n" + code[:half], "hold": "end", "more": code[half:] + "```\n\nThe end.",
              "piece": 200}]
    with stage(turns) as (app, server, _folder):
        send(app, "write a long program")
        answer = app.find("article", "Answer")
        block = app.find("text", "Python", within=answer)
        app.find("button", contains="Show All (", within=answer, showing=False)
        write_meanwhile(app, "still usable")
        assert block.text.count("\n") < 200, "it is folded while it comes"
        server.release("end")
        find_in_view(app, "The end.")
        app.wait_gone("button", "Stop")
        assert block.text.count("\n") < 200, "it stays folded"
        app.find("button", contains="Show All (5000 Lines)", within=answer, showing=False).act()
        wait(lambda: block.text == code.rstrip("\n"), "the whole code")
        # It scrolls in a place of its own: the answer's end is no hundred screens away.
        begin, end = (app.find("paragraph", contains=text, showing=False) for text in ("Here it is.", "The end."))
        top, bottom = view(app)
        assert at_rest(app, end) - at_rest(app, begin) < 2 * (bottom - top)
        assert app.find("text", "Message").text == "still usable"


def test_formatting_stays_while_more_comes():
    turns = [{"text": "A **bold** word, `code` and [a link](https://example.org).\n\n- one\n\n## Part\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
              "hold": "end", "more": paragraphs(1, 20), "piece": 1}]
    with stage(turns) as (app, server, _folder):
        send(app, "write")
        app.find("table cell", "2")

        def attributes():
            node = app.find("paragraph", contains="A bold word, code and a link.", showing=False)
            atspi = app.desktop.atspi
            text = node.accessible.get_text_iface()
            return [tuple(sorted(atspi.Text.get_attribute_run(text, offset, False)[0].items())) for offset in (3, 13)]

        before = attributes()
        assert before[0] != before[1], "bold and code are told apart"
        server.release("end")
        find_in_view(app, "Paragraph 20")
        app.wait_gone("button", "Stop")
        assert attributes() == before
        assert not app.all("paragraph", contains="**")
        app.find("heading", "Part", showing=False)
        app.find("table cell", "2", showing=False)


def rich(n):
    return (f"## Part {n}\n\nAnswer {n} begins here, with **bold**, `code` and a [link](https://example.org/{n}).\n\n"
            f"1. first of {n}\n2. second of {n}\n   - below {n}\n   - [x] done {n}\n\n"
            "```python\n" + "".join(f"value_{i} = {i} * {n}\n" for i in range(5 + n % 7)) + "```\n\n"
            f"| n | square |\n|--:|-------:|\n| {n} | {n * n} |\n\n> Quoted in {n}.\n\n"
            + f"Long prose {n} that is wrapped over several lines of the column. " * (3 + n % 5) + f"\n\nAnswer {n} ends here.")


def test_long_chat_is_scrolled_to_its_top_without_jumps():
    """Turning the wheel moves everything in view by the same way, though the heights of what comes in were guessed."""
    with ScriptedServer([{"text": rich(n), "piece": 400} for n in range(1, RICH + 1)]) as server, Desktop() as desktop:
        options = ["--api_base", server.url, "--api_key", "test", "--model", "openai/scripted"]
        with Terminal([str(BUILD_ROOT / "src/console/interpreter"), "--terminal", *options],
                      env={**desktop.env, "TERM": "xterm-256color"}, cwd=desktop.env["HOME"]) as terminal:
            prompt = re.compile(r"(?:^|\n)> $")
            for n in range(1, RICH + 1):
                terminal.expect(prompt)
                terminal.type(f"question {n}\r")
                terminal.expect(f"Answer {n} ends here.")
            terminal.expect(prompt)
            terminal.type("\x04")
            assert terminal.wait() == 0
        with desktop.app(*options) as app:
            app.find("list item", contains="question 1").click()
            find_in_view(app, f"Answer {RICH} ends here.")
            scroll_to_the_top(app)
            find_in_view(app, "Answer 1 begins here")


def places(log, top, bottom):
    """Where each message stands that is in view, and whether none is above: only what is near the view is in the tree."""
    boxes = {node.accessible: node.extents() for node in log.children()}
    shown = {node: (y, height) for node, (_, y, _, height) in boxes.items() if height > 0}
    return ({node: y for node, (y, height) in shown.items() if y + height > top and y < bottom},
            all(y >= top for y, _height in shown.values()))


def way_of(before, after):
    """How far everything went that was and is in view; all of it must go the same way."""
    moved = [after[node] - before[node] for node in before.keys() & after.keys()]
    assert moved, "nothing of what was in view is there any more"
    assert max(moved) - min(moved) <= 2, moved
    return max(moved)


def scroll_to_the_top(app):
    log = app.find("log", "Transcript")
    top, bottom = view(app)
    before, step = places(log, top, bottom)[0], 0
    app.desktop.xdotool("mousemove", "--sync", *log.centre())
    for number in range(1000):
        last = [None]
        app.desktop.xdotool("click", "--repeat", 4, 4)

        def done():
            """Under load the wheel's turns come one by one."""
            found = places(log, top, bottom)
            still, last[0] = found == last[0], found
            return still and found[0] != before and (found[1] or way_of(before, found[0]) >= step - 2)

        wait(done, "the view to go on and come to rest")
        after, is_top = last[0]
        way = way_of(before, after)
        assert way > 0
        if number < 3:
            step = max(step, way)
        assert way <= step + 2, (way, step)
        if is_top:
            assert number > 10, number
            return
        before = after
    raise AssertionError("the top did not come")


if __name__ == "__main__":
    tap.main(apart=True)
