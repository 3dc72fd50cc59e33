"""Models and what they are given (rows C): servers that are not there, windows that are small, turns without an end.

C5's pictures are in tests/unit/session/test-context-pictures.c: the terminal takes none.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROMPT, ScriptedServer, ask, begin, chat, do, home, model  # noqa: E402

import tap  # noqa: E402


def test_server_that_is_down():
    """C2: a server that is not there at the start is one sentence with its address."""
    with home() as place:
        with ScriptedServer([]) as server:
            options, port = model(server), server.port
        with place.terminal("--terminal", *options) as terminal:
            assert terminal.wait() == 1
            said = [line for line in terminal.text.splitlines() if f"127.0.0.1:{port}" in line]
            assert len(said) == 1 and "Traceback" not in terminal.text, terminal.text


def test_server_that_goes_down():
    """C2: a server that goes away is one sentence with its address; the chat stays, and works once it is back."""
    with home() as place:
        with ScriptedServer([{"text": "Here."}]) as server:
            options, port = model(server), server.port
            terminal = place.terminal("--terminal", *options)
            with contextlib.ExitStack() as stack:
                stack.enter_context(terminal)
                begin(terminal)
                ask(terminal, "anybody there?")
                terminal.expect("Here.")
                terminal.expect(PROMPT)
                kept = stack.pop_all()
        with kept:
            ask(terminal, "and now?")
            said = [line for line in terminal.expect(PROMPT).splitlines() if f"127.0.0.1:{port}" in line]
            assert len(said) == 1 and "Traceback" not in terminal.text, terminal.text
            with ScriptedServer([{"text": "Back again."}], port=port):
                ask(terminal, "and now?")
                terminal.expect("Back again.")
                terminal.expect(PROMPT)


def windows_asked_for(context, *arguments):
    """The num_ctx of each request of a conversation of three messages, and what %tokens says of it."""
    with chat([{"text": "ok"}] * 3, *arguments, tools=False, context=context) as (terminal, server, _place):
        for text in ("one", "two", "three"):
            ask(terminal, text)
            terminal.expect("ok")
            terminal.expect(PROMPT)
        ask(terminal, "%tokens")
        shown = terminal.expect(re.compile(r"about \d+ tokens, of \d+ "))
        used, available = map(int, re.search(r"about (\d+) tokens, of (\d+) ", shown).groups())
        assert 0 < used < available
        return [request["json"]["options"]["num_ctx"] for request in server.requests], available


def test_ollama_is_told_the_window():
    """C3: each request to Ollama says how large a window it needs, always the same, and that is what is shown."""
    assert windows_asked_for(8192) == ([8192] * 3, 8192)
    assert windows_asked_for(40960, "--context_window", "4096") == ([4096] * 3, 4096)
    asked, shown = windows_asked_for(131072)
    assert set(asked) == {shown} and 8192 <= shown <= 131072, "room for work, not all that the model could have"


def test_window_is_the_servers():
    """C4: the window is asked from the server and shown; nobody is nagged about it."""
    with chat([{"text": "ok"}], context=12345) as (terminal, _server, _place):
        ask(terminal, "hello")
        terminal.expect("ok")
        terminal.expect(PROMPT)
        ask(terminal, "%tokens")
        terminal.expect(re.compile(r"of 12345 "))
        assert "window" not in terminal.text.lower(), terminal.text
    with home() as place, ScriptedServer([], context=12345) as server:
        listed = place.run("--list-models", *model(server), env={"OLLAMA_HOST": server.root})
        assert "12345" in listed.stdout, listed


def test_unknown_window_is_no_matter():
    """C4: a server that does not say how much the model can take is used without a word about it."""
    with home() as place, ScriptedServer([{"text": "ok"}], context=None) as server:
        done = place.run(*model(server), "--task", "hello")
        assert (done.returncode, done.stdout) == (0, "ok\n"), done
        assert "context" not in done.stderr.lower() and "window" not in done.stderr.lower(), done.stderr


def size(request):
    """Tokens of what is said in a request, as roughly as anybody counts them."""
    return sum(len(message.get("content") or "") for message in request["json"]["messages"]) // 4


def test_long_chat_in_a_small_window():
    """C5: two hundred messages and an output that fills it never make a request larger than the window; that older
    messages are left out is said, once."""
    window = 8192
    words = "Some words to remember, again and again. " * 8
    turns = [{"text": words, "piece": 4000}] * 99 + [
        {"calls": [{"language": "shell", "code": "seq 1 100000"}]}, {"text": words, "piece": 4000}] + [
        {"text": words, "piece": 4000}] * 100 + [{"text": "The last answer."}]
    with chat(turns, "--auto_run", context=window, rows=50) as (terminal, server, _place):
        for number in range(200):
            ask(terminal, f"message {number}: {words}")
            server.wait_for_requests(number + 1 + (number >= 100))
            terminal.expect(PROMPT)
        ask(terminal, "the last one")
        terminal.expect("The last answer.")
        assert len(server.requests) == 202
        assert max(map(size, server.requests)) < window, max(map(size, server.requests))
        assert size(server.requests[-1]) > window / 4, "no more is left out than must be"
        assert "the last one" in server.requests[-1]["body"] and "message 199:" in server.requests[-1]["body"]
        assert "message 0:" not in server.requests[-1]["body"]
        assert terminal.text.replace("\n", " ").count("longer than the model can read") == 1


def test_empty_answers_end_the_turn():
    """C7: an answer of which nothing came ends the turn, in loop mode too, and is said to have been empty."""
    for answer in ({"text": ""}, {"text": " \n"}):
        for options in ((), ("--loop",)):
            outcome = do([answer] * 60, *options)
            assert len(outcome.requests) <= 4, len(outcome.requests)
            assert outcome.status == 1 and "empty" in (outcome.of("notice") + outcome.of("error"))[-1]["text"]


def test_loop_has_an_end():
    """C7: in loop mode a model that never says that it is done is asked a fixed number of times."""
    outcome = do([{"text": "Still at it."}] * 60, "--loop")
    assert len(outcome.requests) == 25
    assert "without the model saying that the work is done" in outcome.of("notice")[-1]["text"]


if __name__ == "__main__":
    tap.main()
