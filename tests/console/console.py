"""What the tests of the command share: a home of its own, the program on pipes or in a terminal, a scripted model.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))

from scripted_server import ScriptedServer  # noqa: E402
from terminal import Terminal  # noqa: E402

SOURCE_ROOT = Path(os.environ.get("INTERP_TEST_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
BUILD_ROOT = Path(os.environ.get("INTERP_TEST_BUILD_ROOT", SOURCE_ROOT / "build"))
PROGRAM = str(BUILD_ROOT / "src/console/interpreter")
PROMPT = re.compile(r"(?:^|\n)> $")


class Home:
    """Folders that are nobody else's, and the program's environment in them."""

    def __init__(self, top):
        self.top = Path(top)
        self.folder = self.top / "work"
        for name in ("work", "config", "data", "cache", "run"):
            (self.top / name).mkdir(mode=0o700)
        kept = {k: v for k, v in os.environ.items()
                if k not in ("DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "VISUAL", "EDITOR", "DBUS_SESSION_BUS_ADDRESS")
                and not k.endswith("_API_KEY")}
        self.env = {**kept, "HOME": str(self.top), "XDG_CONFIG_HOME": str(self.top / "config"),
                    "XDG_DATA_HOME": str(self.top / "data"), "XDG_CACHE_HOME": str(self.top / "cache"),
                    "XDG_RUNTIME_DIR": str(self.top / "run"), "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8",
                    "TERM": "xterm-256color", "GSETTINGS_BACKEND": "memory", "SHELL": "/bin/bash"}

    def write_program(self, name, text):
        """A program that comes before the system's own of that name."""
        folder = self.top / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
        self.env["PATH"] = f"{folder}:{self.env['PATH'].removeprefix(f'{folder}:')}"

    def run(self, *arguments, input=None, env=None, timeout=120):
        """Runs the program on pipes; without `input` there is none."""
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env={**self.env, **(env or {})}, capture_output=True,
                              text=True, timeout=timeout, check=False,
                              **({"stdin": subprocess.DEVNULL} if input is None else {"input": input}))

    def terminal(self, *arguments, env=None, **more):
        return Terminal([PROGRAM, *arguments], env={**self.env, **(env or {})}, cwd=self.folder, **more)


@contextlib.contextmanager
def home():
    with tempfile.TemporaryDirectory(prefix="interpreter-console-", ignore_cleanup_errors=True) as top:
        yield Home(top)


def model(server, name="openai/scripted"):
    """The options that choose the scripted model. One without tools has Ollama's native API, which tells so."""
    if not server.tools:
        return ["--api_base", server.root, "--model", "ollama/scripted"]
    return ["--api_base", server.url, "--api_key", "test", "--model", name]


@contextlib.contextmanager
def chat(turns, *arguments, env=None, columns=100, rows=30, prepare=None, **server):
    """The chat in a terminal, at its first prompt: yields (terminal, server, home). `prepare` is given the home before."""
    with home() as place, ScriptedServer(turns, **server) as server:
        if prepare:
            prepare(place)
        with place.terminal("--terminal", *model(server), *arguments, env=env, columns=columns, rows=rows) as terminal:
            yield (begin(terminal), server, place)


class Outcome:
    """What a task did that ran to its end: what was printed, as events, and what the model was asked."""

    def __init__(self, done, requests):
        self.status = done.returncode
        self.stderr = done.stderr
        self.requests = requests
        self.events = [json.loads(line) for line in done.stdout.splitlines()]
        self.results = self.of("result")
        self.text = "".join(event["text"] for event in self.of("text"))
        self.answer = self.events[-1]["answer"] if self.events else None

    def of(self, kind):
        return [event for event in self.events if event["event"] == kind]

    @property
    def outputs(self):
        return [result["output"] for result in self.results]

    @property
    def states(self):
        return [result["state"] for result in self.results]

    @property
    def codes(self):
        return [(event["language"], event["code"]) for event in self.of("code")]

    @property
    def told(self):
        """What the model was told of each block, in the order in which they ran."""
        return [content(message) for message in self.requests[-1]["json"]["messages"]
                if message["role"] == "tool" or content(message).startswith("⟦result")]


def do(turns, *arguments, place=None, env=None, auto_run=True, **server):
    """Runs a task against the turns, its code approved beforehand unless said otherwise; its Outcome."""
    with contextlib.ExitStack() as stack:
        place = place or stack.enter_context(home())
        server = stack.enter_context(ScriptedServer(turns, **server))
        done = place.run(*model(server), *(["--auto_run"] if auto_run else []), "--json", *arguments, "--task", "x", env=env,
                         timeout=300)
        return Outcome(done, server.requests)


def run_blocks(*blocks, **more):
    """Runs the blocks (language, code), one a turn; an Outcome whose task ended well, with a result for each."""
    outcome = do([call(language, code) for language, code in blocks] + [{"text": "End."}], **more)
    assert outcome.status == 0 and outcome.answer == "End." and len(outcome.results) == len(blocks), outcome.events
    return outcome


def wait_until(condition, what, timeout=60):
    """Returns what the condition gives once it is true: for what only looking again and again can tell."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.01)
    return value


def begin(terminal):
    terminal.expect("Ctrl+D leaves")
    terminal.expect(PROMPT)
    return terminal


def call(language, code, text=""):
    return {"text": text, "calls": [{"language": language, "code": code}]}


def ask(terminal, text):
    terminal.type(text + "\r")


def approve(terminal):
    """Answers the next question with yes; what was shown up to it."""
    shown = terminal.expect("Run? [y/n/e] ")
    terminal.type("y\r")
    return shown


def messages(server, number=-1):
    return server.requests[number]["json"]["messages"]


def content(message):
    """A message as text."""
    text = message.get("content") or ""
    return text if isinstance(text, str) else "".join(part.get("text", "") for part in text)


def last_content(server, number=-1):
    """What stands last in a request, as text."""
    return content(messages(server, number)[-1])


def processes_with(word):
    """Processes whose command line has `word`, but for ourselves."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if word.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found
