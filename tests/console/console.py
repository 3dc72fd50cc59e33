"""What the tests of the command share: a home of its own, the program on pipes or in a terminal, a scripted model.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))

from scripted_server import ScriptedServer  # noqa: E402
from terminal import Terminal  # noqa: E402

SOURCE_ROOT = Path(os.environ.get("INTERP_TEST_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
BUILD_ROOT = Path(os.environ.get("INTERP_TEST_BUILD_ROOT", SOURCE_ROOT / "build"))
PROGRAM = str(BUILD_ROOT / "src/console/interpreter")


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
    """The options that choose the scripted model."""
    return ["--api_base", server.url, "--api_key", "test", "--model", name]


@contextlib.contextmanager
def chat(turns, *arguments, env=None, columns=100, rows=30):
    """The chat in a terminal, at its first prompt: yields (terminal, server, home)."""
    with home() as place, ScriptedServer(turns) as server, \
            place.terminal("--terminal", *model(server), *arguments, env=env, columns=columns, rows=rows) as terminal:
        terminal.expect("Ctrl+D leaves")
        terminal.expect("> ")
        yield terminal, server, place


def call(language, code, text=""):
    return {"text": text, "calls": [{"language": language, "code": code}]}


def messages(server, number=-1):
    return server.requests[number]["json"]["messages"]


def last_content(server, number=-1):
    """What stands last in a request, as text."""
    content = messages(server, number)[-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def processes_with(word):
    """Processes whose command line has `word`, but for ourselves."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if word.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found
