"""What is taken for code (rows B): models without tools write it as text, others call a tool, and each makes mistakes.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROMPT, approve, ask, call, chat, do, last_content, messages, wait_until  # noqa: E402

import tap  # noqa: E402


def write(text, *more, piece=1, **options):
    """A task whose model has no tools and writes the text, token by token."""
    return do([{"text": text, "piece": piece}, *more, {"text": "End."}], tools=False, **options)


def test_code_in_text_is_byte_exact():
    """B1: the language's name in the code stays, whatever the pieces in which it comes."""
    python = "import subprocess\nsubprocess.run(['python3', '-c', 'print(\"python\")'], check=True)\nr = 'r'"
    for piece in (1, 2, 3, 7, 1000):
        outcome = write(f"I run python:\n```python\n{python}\n```\n", piece=piece)
        assert outcome.codes == [("python", python)]
        assert outcome.outputs == ["python\n"]
        assert outcome.status == 0 and outcome.answer == "End."


def test_code_of_one_letter_languages_is_byte_exact():
    """B1: no letter r is lost from R's code."""
    code = 'print("hello world"); r <- paste("r", "err")'
    assert write(f"```r\n{code}\n```\n").codes == [("r", code)]


def test_inner_fences_do_not_end_the_block():
    """B2: Python that writes a README with a fence in it runs whole; a longer outer fence counts."""
    code = 'open("README.md", "w").write("""# Title\n```sh\nls\n```\nend\n""")\nprint("whole")'
    for fence in ("```", "````"):
        outcome = write(f"{fence}python\n{code}\n{fence}\n")
        assert outcome.codes == [("python", code)]
        assert outcome.outputs == ["whole\n"]


def test_both_of_two_blocks_are_shown_and_can_run():
    """B3: of two blocks in an answer both are shown with the prose around them; the first is asked about, the other
    can be run by the user."""
    text = "First:\n```python\nprint('o' + 'ne')\n```\nthen\n```shell\necho t''wo\n```\nClosing words.\n"
    with chat([{"text": text}, {"text": "End."}], tools=False) as (terminal, server, place):
        ask(terminal, "two blocks")
        assert "print('o' + 'ne')" in terminal.expect("Run? [y/n/e] ")
        # The answer goes on while it asks; what has come of it is kept before it is shown.
        wait_until(lambda: any(b"Closing words." in path.read_bytes() for path in (place.top / "data").rglob("*.db*")),
                   "the whole answer")
        terminal.type("y\r")
        shown = terminal.expect("End.")
        assert "one\n" in shown
        terminal.expect(PROMPT)
        assert "echo t''wo" in shown and "Closing words." in shown, shown
        number = re.search(r"%run (\d+) runs it", shown).group(1)
        assert "echo" not in server.requests[1]["body"], "it was written before the result"
        ask(terminal, f"%run {number}")
        terminal.expect("two\n")
        terminal.expect("done in")


def test_backticks_in_prose_are_prose():
    """B5: three backticks within a line are shown as they stand and run nothing."""
    outcome = do([{"text": "Use ```ls``` to list, or ``` alone.", "piece": 1}], tools=False)
    assert outcome.answer == "Use ```ls``` to list, or ``` alone."
    assert not outcome.codes and not outcome.results and outcome.status == 0


def test_block_without_a_language_is_shown_and_the_user_picks():
    """B6: a block without a language is shown and runs nothing until the user names one; no model is asked again."""
    outcome = do([{"text": "Type this:\n```\nls\n```\nThat is it.", "piece": 1}], tools=False)
    assert outcome.answer == "Type this:\n\n```\nls\n```\n\nThat is it." and outcome.status == 0
    assert outcome.states == ["not-run"] and len(outcome.requests) == 1
    turns = [{"text": "Look:\n```\necho pick''ed\n```\nand\n```sh\necho na''med\n```\n"}, {"text": "End."}]
    with chat(turns, tools=False) as (terminal, server, _place):
        ask(terminal, "x")
        shown = approve(terminal)
        assert "echo pick''ed" in shown and "%run 1 and a language" in shown
        terminal.expect("named\n")
        terminal.expect(PROMPT)
        assert "echo pick" in server.requests[1]["body"] and "picked" not in server.requests[1]["body"]
        ask(terminal, "%run 1")
        terminal.expect("names no language")
        terminal.expect(PROMPT)
        ask(terminal, "%run 1 bash")
        terminal.expect("picked\n")
        terminal.expect("done in")


def test_blocks_that_are_no_code_are_text():
    """B6: what is tagged as text runs nothing and asks no model again, whatever stands in it."""
    for language in ("markdown", "text", "output", "json"):
        text = f"Look:\n```{language}\nprint(1)\n```\nThat is it."
        outcome = do([{"text": text, "piece": 1}], tools=False)
        assert outcome.answer == text and not outcome.codes, outcome.events
        assert len(outcome.requests) == 1 and outcome.status == 0


def test_language_is_always_named():
    """B6: the language stands over each block before it runs."""
    with chat([{"text": "```sh\necho a\n```\n"}, {"text": "```js\nconsole.log(1)\n```\n"}, {"text": "End."}], tools=False) as (
            terminal, _server, _place):
        ask(terminal, "x")
        assert "\nShell\n" in approve(terminal)
        assert "\nJavaScript\n" in approve(terminal)
        terminal.expect("End.")


def test_other_names_of_languages():
    """B7: the names that models use for the languages are known, in calls and in fences."""
    names = {"js": "javascript", "node": "javascript", "python3": "python", "py": "python", "bash": "shell", "sh": "shell",
             "console": "shell", "zsh": "shell", "R": "r"}
    code = {"javascript": "console.log(6 * 7)", "python": "print(6 * 7)", "shell": "echo $((6 * 7))", "r": "cat(6 * 7)"}
    outcome = do([call(name, code[language]) for name, language in names.items()] + [{"text": "End."}])
    assert [language for language, _code in outcome.codes] == list(names.values())
    assert [text.strip() for text in outcome.outputs] == ["42"] * len(names)
    outcome = do([{"text": f"```{name}\n{code[language]}\n```\n"} for name, language in names.items()] + [{"text": "End."}],
                 tools=False)
    assert [text.strip() for text in outcome.outputs] == ["42"] * len(names)


def test_unknown_languages_are_said_to_be():
    """B7: a language that cannot run is a friendly card, its code unmangled; the model hears of it and goes on."""
    for name in ("c++", "cobol", "cmd"):
        outcome = do([call(name, "int a; ++a;"), {"text": "I see."}])
        assert outcome.status == 0 and outcome.answer == "I see."
        assert outcome.states == ["not-run"] and outcome.codes[0][1] == "int a; ++a;"
        assert name in outcome.results[0]["note"] or "cannot run" in outcome.results[0]["note"]
        assert "Nothing was run" in outcome.told[0] and "python" in outcome.told[0]
        text = f"Look:\n```{name}\nint a; ++a;\n```\n"
        outcome = do([{"text": text, "piece": 1}], tools=False)
        assert outcome.answer == text and not outcome.codes


def test_calls_written_as_text_are_calls():
    """B9: a call that a model writes as text is taken for one and asked about, never printed raw."""
    arguments = {"language": "python", "code": "print(6 * 7)"}
    written = json.dumps({"name": "run_code", "arguments": arguments})
    for text in (f"<tool_call>\n{written}\n</tool_call>", written, f"```json\n{written}\n```",
                 f"<|im_start|>assistant\n<tool_call>{written}</tool_call><|im_end|>"):
        with chat([{"text": text, "piece": 3}, {"text": "End."}]) as (terminal, server, _place):
            ask(terminal, "x")
            shown = approve(terminal)
            assert "print(6 * 7)" in shown
            terminal.expect("42")
            terminal.expect("End.")
            assert "tool_call" not in terminal.text and "run_code" not in terminal.text and "<|" not in terminal.text
            assert "42" in last_content(server)


def test_calls_written_as_text_are_asked_about_in_every_mode():
    """B9: what may have been meant as an example does not run by itself."""
    written = json.dumps({"name": "run_code", "arguments": {"language": "python", "code": "open('made', 'w')"}})
    outcome = do([{"text": f"<tool_call>\n{written}\n</tool_call>"}, {"text": "never"}])
    assert outcome.status == 3 and outcome.states == ["refused"]


def test_tokens_of_templates_are_not_shown():
    """B9: what a template puts around an answer is no part of it."""
    outcome = do([{"text": "Hello.<|im_end|>", "piece": 2}])
    assert outcome.answer.strip() == "Hello.", outcome.answer


def test_every_call_of_an_answer_gets_its_result():
    """B10: of calls in one answer each has its approval, its result and its own id."""
    turns = [{"calls": [{"language": "python", "code": f"print('block {n}')"} for n in range(3)]}, {"text": "End."}]
    outcome = do(turns)
    said, *results = messages_of(outcome)[-4:]
    assert [call["id"] for call in said["tool_calls"]] == [result["tool_call_id"] for result in results]
    assert len({call["id"] for call in said["tool_calls"]}) == 3
    assert all(f"block {n}" in results[n]["content"] for n in range(3))
    with chat(turns) as (terminal, _server, _place):
        ask(terminal, "x")
        for n in range(3):
            approve(terminal)
            terminal.expect(re.compile(rf"(?<!')block {n}\n"))
        terminal.expect("End.")


def messages_of(outcome):
    return outcome.requests[-1]["json"]["messages"]


HALF = '{"language": "python", "code": "open(\'made\', \'w\').write(\'hal'


def test_cut_inside_the_code_runs_nothing():
    """B11: when the connection ends within the code nothing runs, whether called or written."""
    for turn, options in (({"calls": [{"name": "run_code", "arguments": HALF}], "drop": True}, {}),
                          ({"text": "```python\nopen('made', 'w').write('hal", "drop": True}, {"tools": False}),
                          ({"text": "```python\nopen('made', 'w')\n", "drop": True}, {"tools": False})):
        outcome = do([turn] * 8, **options)
        assert outcome.status == 1
        assert not outcome.states or set(outcome.states) == {"not-run"}, outcome.results
        assert outcome.of("error") and "made" not in outcome.of("error")[-1]["text"]


def test_cut_answer_is_kept_once_and_can_be_asked_for_again():
    """B11: what had arrived stands there once, the next message goes on from it, nothing was run."""
    turns = [{"text": "Let me write it. ", "calls": [{"name": "run_code", "arguments": HALF}], "drop": True},
             {"text": "Let me write it again."}]
    with chat(turns, "--auto_run") as (terminal, server, place):
        ask(terminal, "x")
        terminal.expect("kept")
        terminal.expect(PROMPT)
        assert terminal.text.count("Let me write it.") == 1
        assert len(server.requests) == 1, "an answer that had begun is not asked for again by itself"
        ask(terminal, "try again")
        terminal.expect("again.")
        assert not (place.folder / "made").exists()
        assert "never run" in json.dumps(messages(server))


def test_code_cut_by_the_length_limit_does_not_run():
    """B12: code that the length limit cut is marked as not whole and is not run, even unasked."""
    for turn, options in (({"calls": [{"name": "run_code", "arguments": HALF}], "finish": "length"}, {}),
                          ({"text": "```python\nopen('made', 'w')\nprint(", "finish": "length"}, {"tools": False})):
        outcome = do([turn, {"text": "I see."}, {"text": "I see."}], **options)
        assert outcome.states == ["not-run"], outcome.events
        assert outcome.results[0]["note"], outcome.results
        assert "Nothing was run" in outcome.told[0] or "never run" in outcome.told[0], outcome.told


if __name__ == "__main__":
    tap.main()
