"""The command against a real llama.cpp server: its lists, its streams, its calls, its refusals, its end.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "console"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROGRAM, PROMPT, Outcome, ask, begin, home  # noqa: E402
from llama_server import LlamaServer, Unavailable  # noqa: E402
from model_file import REPEAT  # noqa: E402

import tap  # noqa: E402

CODE = "print(6 * 7)"
CALL = f'<tool_call>\n{{"name": "run_code", "arguments": {{"language": "python", "code": "{CODE}"}}}}\n</tool_call>'
SCRIPT = {
    "<|to_say|>": ["This is", " what a real", " server says."],
    "<|to_compute|>": ["I compute.\n", CALL],
    "<|after_result|>": ["So", " it", " is."],
    "<|without_end|>": ["on and ", REPEAT],
}


@contextlib.contextmanager
def started(**more):
    """The server and a home; without the server the test is left out."""
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(LlamaServer(SCRIPT, **more))
        except Unavailable as reason:
            raise tap.Skip(f"no llama.cpp server: {reason}") from reason
        yield server, stack.enter_context(home())


def options(server, key=None):
    return ["--api_base", server.url, "--api_key", key or server.key]


# The APIs that the server speaks besides Chat Completions, each under the name of a provider that speaks it.
APIS = {"openai": "/v1/responses", "anthropic": "/v1/messages"}


def named(url, key, provider):
    """That server, spoken to as to that provider."""
    return ["--model", f"{provider}+{url}#scripted", "--api_key", key]


class Relay:
    """A port that passes all on to the server and keeps what it was sent: the server itself does not tell."""

    def __init__(self, port):
        self.port = port
        self.sent = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.listener.close()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.port))
                self.sent.append(bytearray())
                threading.Thread(target=self.pass_on, args=(client, server, self.sent[-1]), daemon=True).start()
                threading.Thread(target=self.pass_on, args=(server, client, bytearray()), daemon=True).start()

    @staticmethod
    def pass_on(source, target, kept):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                kept += data
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    @property
    def posts(self):
        return {path.decode() for sent in self.sent for path in re.findall(rb"^POST (\S+) HTTP", sent, re.MULTILINE)}


def run(server, place, task, *more, model=None):
    done = place.run(*(model or options(server)), "--auto_run", "--json", *more, "--task", task)
    return Outcome(done, [])


def test_models_are_listed():
    """The list names the model, and the window that the server runs it with rather than what it was trained for."""
    with started() as (server, place):
        done = place.run("--list-models", *options(server))
        assert done.returncode == 0, done
        (line,) = done.stdout.splitlines()
        assert line.split()[0].endswith("#scripted") and str(server.context) in line, line


def test_answer_streams():
    """An answer comes in pieces and ends well; what the server counted is what the next request is judged by."""
    with started() as (server, place):
        outcome = run(server, place, "say something")
        assert outcome.status == 0 and outcome.answer == "This is what a real server says.", outcome.events
        with place.terminal("--terminal", *options(server)) as terminal:
            begin(terminal)
            ask(terminal, "say something")
            terminal.expect("This is what a real server says.")
            terminal.expect(PROMPT)
            ask(terminal, "%tokens")
            used, window = map(int, re.search(r"about (\d+) tokens, of (\d+) ", terminal.expect(
                re.compile(r"about \d+ tokens, of \d+ "))).groups())
            assert window == server.context and 0 < used < window


def test_call_runs_and_its_result_goes_back():
    """A call in the server's own form is code that runs; its result is answered."""
    with started() as (server, place):
        outcome = run(server, place, "compute")
        assert outcome.codes == [("python", CODE)], outcome.events
        assert outcome.outputs == ["42\n"] and outcome.states == ["done"]
        assert outcome.text.startswith("I compute.") and outcome.answer == "So it is."
        assert outcome.status == 0


def test_other_apis():
    """In the other APIs that the server speaks it is the same: a call runs, its result goes back and is answered."""
    for provider, path in APIS.items():
        with started() as (server, place), Relay(server.port) as relay:
            model = named(relay.url, server.key, provider)
            said = run(server, place, "say something", model=model)
            assert said.status == 0 and said.answer == "This is what a real server says.", (provider, said.events)
            outcome = run(server, place, "compute", model=model)
            assert outcome.codes == [("python", CODE)], (provider, outcome.events)
            assert outcome.outputs == ["42\n"] and outcome.states == ["done"], (provider, outcome.events)
            assert outcome.text.startswith("I compute.") and outcome.answer == "So it is.", (provider, outcome.events)
            assert outcome.status == 0
            assert relay.posts == {path}, (provider, relay.posts)


def test_wrong_key_in_other_apis():
    """Their refusals are understood as well."""
    with started() as (server, place):
        for provider in APIS:
            done = place.run(*named(server.url, "another-key", provider), "--task", "say something")
            assert done.returncode == 1 and done.stdout == "", (provider, done)
            (sentence,) = done.stderr.splitlines()
            assert "key" in sentence.lower() and "another-key" not in sentence, (provider, sentence)


def test_message_that_is_too_long_in_other_apis():
    """Nor is there an endless row of attempts there."""
    with started(context=4096) as (server, place):
        for provider in APIS:
            done = place.run(*named(server.url, server.key, provider), "--json", "--stdin", input="many words " * 3000)
            outcome = Outcome(done, [])
            assert outcome.status == 1, (provider, outcome.events)
            (error,) = outcome.of("error")
            assert "long" in error["text"] or "context" in error["text"], (provider, error)


def test_wrong_key():
    """A key that is not the server's is one sentence that says so; nothing is printed as an answer."""
    with started() as (server, place):
        for arguments in (("--task", "say something"), ("--list-models",)):
            done = place.run(*options(server, key="another-key"), *arguments)
            assert done.returncode == 1 and done.stdout == "", done
            (sentence,) = done.stderr.splitlines()
            assert "key" in sentence.lower() and "another-key" not in sentence, sentence


def test_message_that_is_too_long():
    """A message that the server cannot take in is one sentence, not an endless row of attempts."""
    with started(context=4096) as (server, place):
        done = place.run(*options(server), "--json", "--stdin", input="many words " * 3000)
        outcome = Outcome(done, [])
        assert outcome.status == 1, outcome.events
        (error,) = outcome.of("error")
        assert "long" in error["text"] or "context" in error["text"], error


def test_server_that_dies_in_an_answer():
    """A server that is killed while it answers is one sentence; what had come is kept."""
    with started() as (server, place):
        process = subprocess.Popen([PROGRAM, *options(server), "--json", "--task", "endless"], cwd=place.folder, env=place.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            n_pieces = 0
            for line in process.stdout:
                n_pieces += json.loads(line)["event"] == "text"
                if n_pieces == 3:
                    break
            server.kill()
            rest, _said = process.communicate(timeout=120)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 1
        events = [json.loads(line) for line in rest.splitlines()]
        (error,) = [event for event in events if event["event"] == "error"]
        assert "kept" in error["text"] and error["text"].count("\n") == 0, error
        assert events[-1]["status"] == 1 and events[-1]["answer"].startswith("on and on and "), events[-1]


if __name__ == "__main__":
    tap.main()
