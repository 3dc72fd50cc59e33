"""A key is sent to its provider and is nowhere else.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from pathlib import Path

from console import call, home

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import tap  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402

KEY = "sk-marked-4711-0815"
# What a kernel sees: its own environment, and the arguments of every process of the user.
LOOK = """
import glob, os
print("environment:", dict(os.environ))
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        print(open(path, "rb").read())
    except OSError:
        pass
"""


def run(place, server, *arguments):
    # Through a variable: given as an option, it would be in an argument list by right.
    return place.run("--model", "openai/scripted", "--auto_run", "--task", "x", *arguments,
                     env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url, "G_MESSAGES_DEBUG": "all",
                          "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"})


def assert_nowhere(place, done, but_not_in):
    assert KEY not in done.stdout, done.stdout
    assert KEY not in done.stderr, [line for line in done.stderr.splitlines() if KEY in line]
    assert KEY not in str(but_not_in)
    files = [path for path in place.top.rglob("*") if path.is_file()]
    assert any(path.suffix in (".db", ".sqlite") for path in files), files
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path


def test_a_key_is_in_no_log_event_argument_environment_or_file():
    turns = [call("python", LOOK), call("shell", "env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"), {"text": "Seen."}]
    with home() as place, ScriptedServer(turns) as server:
        done = run(place, server, "--json")
        assert done.returncode == 0, done
        assert "Seen." in done.stdout and "environment:" in done.stdout
        assert {request["headers"].get("Authorization") for request in server.requests} == {f"Bearer {KEY}"}
        assert_nowhere(place, done, [request["body"] for request in server.requests])


def test_a_key_that_the_server_repeats_is_not_repeated():
    refusal = {"status": 401, "body": {"error": {"message": f"Incorrect API key provided: {KEY}.", "type": "invalid_request_error"}}}
    with home() as place, ScriptedServer([refusal]) as server:
        done = run(place, server, "--json")
        assert done.returncode != 0
        assert "Incorrect API key provided: \u2026" in done.stdout + done.stderr or "provided: …" in done.stdout + done.stderr, done
        assert_nowhere(place, done, [])


if __name__ == "__main__":
    tap.main()
