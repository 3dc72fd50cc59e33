"""Safe mode on the command line: real kernels in a real sandbox, and what they try in vain.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROGRAM, PROMPT, ScriptedServer, approve, ask, call, chat, do, home, last_content, messages, model  # noqa: E402

import tap  # noqa: E402


def needs_sandbox(test):
    """Where the system makes none there is nothing to test but that it says so."""
    def run():
        made = subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "--proc", "/proc", "true"],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise tap.Skip(f"no sandbox here: {made.stderr.strip()}")
        test()
    run.__name__ = test.__name__
    return run


def run_safe(place, *blocks):
    """Runs blocks unasked in the sandbox; the outcome."""
    outcome = do([call(language, code) for language, code in blocks] + [{"text": "End."}], "--safe_mode", place=place)
    assert outcome.status == 0 and outcome.answer == "End.", (outcome.events, outcome.stderr)
    return outcome


ESCAPES = """
import glob, os, signal, socket, subprocess, sys
def attempt(what, function):
    try:
        result = function()
    except Exception as error:
        print(what, "failed:", type(error).__name__)
    else:
        print(what, "WORKED:", result)
def run(*words):
    return subprocess.run(words, check=True, capture_output=True, timeout=20)
def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(5)
        s.connect(address)
home = os.path.expanduser("~")
attempt("home", lambda: open(home + "/secret.txt").read())
attempt("root", lambda: open("/proc/1/root" + home + "/secret.txt").read())
attempt("database", lambda: [open(os.path.join(p, n), "rb").read(1) for p, _, ns in os.walk(home + "/data") for n in ns][0])
attempt("rules", lambda: os.listdir(home + "/config"))
attempt("socket", lambda: connect(socket.AF_UNIX, SOCKET))
attempt("name", lambda: connect(socket.AF_UNIX, "\\0" + NAME))
attempt("network", lambda: connect(socket.AF_INET, ("127.0.0.1", PORT)))
attempt("model", lambda: os.kill(ENGINE, 0))
attempt("others", lambda: [p for p in os.listdir("/proc") if p.isdigit() and int(p) > 1
                           and b"interpreter\\0" in open(f"/proc/{p}/cmdline", "rb").read()][0])
attempt("systemd", lambda: run("systemd-run", "--user", "touch", os.path.join(home, "work", "made")))
attempt("bus", lambda: [p for p in os.listdir(f"/run/user/{os.getuid()}")][0])
attempt("mount", lambda: run("mount", "-t", "tmpfs", "x", "/mnt"))
attempt("system", lambda: open("/usr/made", "w"))
attempt("sudo", lambda: run("sudo", "-n", "true"))
attempt("environment", lambda: [os.environ[n] for n in ("DISPLAY", "SSH_AUTH_SOCK", "MY_SECRET", "DBUS_SESSION_BUS_ADDRESS")
                                if n in os.environ][0])
# Where our process writes the code that is to run.
cells, = glob.glob(home + "/run/interpreter/kernel-*/cells")
attempt("cells", lambda: os.rename(cells, cells + "-moved"))
attempt("cell", lambda: open(cells + "/99.py", "w"))
attempt("repository", lambda: os.rename(".git", ".moved"))
attempt("hook", lambda: open(".git/hooks/post-commit", "w"))
"""


@needs_sandbox
def test_escapes_fail():
    with home() as place, socket.socket(socket.AF_UNIX) as by_file, socket.socket(socket.AF_UNIX) as by_name, \
         socket.socket() as by_port:
        (place.top / "secret.txt").write_text("secret")
        subprocess.run(["git", "init", "-q", str(place.folder)], check=True)
        name = f"interpreter-test-{os.getpid()}"
        by_file.bind(str(place.top / "run/socket"))
        by_name.bind("\0" + name)
        by_port.bind(("127.0.0.1", 0))
        for one in (by_file, by_name, by_port):
            one.listen()
        place.env |= {"DISPLAY": ":77", "SSH_AUTH_SOCK": str(place.top / "run/socket"), "MY_SECRET": "x",
                      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
        head = (f"SOCKET = {str(place.top / 'run/socket')!r}; NAME = {name!r}; PORT = {by_port.getsockname()[1]}\n"
                f"ENGINE = {os.getpid()}")
        # From a file: the words in it would be asked about in every mode.
        (place.folder / "escapes.py").write_text(head + ESCAPES)
        outcome = run_safe(place, ("python", "exec(open('escapes.py').read())"))
        lines = outcome.outputs[0].strip().splitlines()
        assert len(lines) == ESCAPES.count("\nattempt(") and all("failed:" in line for line in lines), outcome.outputs[0]
        assert not (place.folder / "made").exists()


@needs_sandbox
def test_work_in_the_folder_goes_on():
    with home() as place:
        (place.top / ".gitconfig").write_text("[user]\n\tname = Anna\n\temail = anna@example.org\n")
        (place.folder / "in.csv").write_text("a,b\n1,2\n")
        outcome = run_safe(
            place,
            ("python", "import csv; rows = list(csv.reader(open('in.csv'))); open('out.txt', 'w').write('made'); rows"),
            ("python", "len(rows)"),
            ("shell", "git init -q && git add out.txt && git commit -qm first && git log --format=%an; x=kept"),
            ("shell", "echo $x; sleep 30 & jobs; kill %1; wait; echo over"),
            ("shell", "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; print(sys.prefix)'"),
            ("shell", "echo lost > ~/note; echo lost > /tmp/note; ls ~ /tmp"),
        )
        assert "[['a', 'b'], ['1', '2']]" in outcome.outputs[0] and outcome.outputs[1].strip() == "2"
        assert outcome.outputs[2].strip() == "Anna"
        assert "kept" in outcome.outputs[3] and "Running" in outcome.outputs[3] and "over" in outcome.outputs[3]
        assert outcome.outputs[4].strip() == str(place.folder / ".venv")
        assert "note" in outcome.outputs[5]
        assert (place.folder / "out.txt").read_text() == "made" and not (place.top / "note").exists()
        assert outcome.states == ["done"] * 6
        assert all(result["approved_by"] == "auto" for result in outcome.results)
        told = outcome.requests[0]["json"]["messages"][0]["content"]
        assert "sandbox" in told and "no network" in told
        assert "Safe mode" in outcome.stderr and "no network" in outcome.stderr


@needs_sandbox
def test_other_languages():
    with home() as place:
        blocks = [("javascript", "let a = 20; console.log(a + 1)")] if shutil.which("node") else []
        blocks += [("r", "cat(20 + 1)")] if shutil.which("Rscript") else []
        if not blocks:
            raise tap.Skip("neither node nor R")
        outcome = run_safe(place, *blocks)
        assert all("21" in output for output in outcome.outputs), outcome.outputs


@needs_sandbox
def test_what_was_blocked_is_said():
    with home() as place:
        pictures = place.top / "Pictures"
        pictures.mkdir()
        (pictures / "a.png").write_text("a")
        outcome = run_safe(place, ("python", "import os; os.listdir(os.path.expanduser('~/Pictures'))"),
                           ("python", "import socket; socket.create_connection(('example.org', 80))"),
                           ("shell", "ls"))
        files, network, neither = outcome.results
        assert (files["blocked_folder"], files["network_blocked"]) == (str(pictures), False)
        assert network["network_blocked"] is True
        assert (neither.get("blocked_folder"), neither["network_blocked"]) == (None, False)


@needs_sandbox
def test_a_folder_that_the_task_names_is_given():
    with home() as place, ScriptedServer([call("shell", "cd ~/Pictures && mkdir 2026 && mv a.png 2026/ && ls"),
                                          {"text": "Sorted."}]) as server:
        pictures = place.top / "Pictures"
        pictures.mkdir()
        (pictures / "a.png").write_text("a")
        done = place.run(*model(server), "--auto_run", "--safe_mode", "--task", "Sort ~/Pictures by year.")
        assert done.returncode == 0 and done.stdout == "Sorted.\n", done.stderr
        assert (pictures / "2026/a.png").read_text() == "a"
        assert "~/Pictures" in done.stderr


@needs_sandbox
def test_folders_from_the_command_line():
    with home() as place:
        other = place.top / "other"
        other.mkdir()
        outcome = do([call("shell", "echo made > ../other/made"), {"text": "End."}], "--safe_mode", "--add_dir", "../other",
                     place=place)
        assert outcome.states == ["done"] and (other / "made").read_text() == "made\n"
        # The home folder is never given, whoever says so.
        outcome = do([call("shell", "ls ~; echo over"), {"text": "End."}], "--safe_mode", "--add_dir", str(place.top),
                     place=place)
        assert "home folder" in outcome.stderr and set(outcome.outputs[0].split()) <= {"run", "work", "over"}, outcome.outputs


def refused(wrapped, expected):
    """Runs a task inside a program that takes something away: nothing runs, and it is said why."""
    with home() as place, ScriptedServer([call("shell", "touch made"), {"text": "End."}]) as server:
        done = subprocess.run([*wrapped, PROGRAM, *model(server), "--auto_run", "--safe_mode", "--task", "x"],
                              cwd=place.folder, env=place.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)
        assert done.returncode == 1, (done.returncode, done.stderr)
        assert re.search(expected, done.stderr), done.stderr
        assert not (place.folder / "made").exists() and not server.requests


@needs_sandbox
def test_without_bubblewrap_nothing_runs():
    refused(["bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap"], "needs bubblewrap")


@needs_sandbox
def test_without_namespaces_nothing_runs():
    refused(["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns"], "sandbox")


def test_a_folder_that_is_never_given():
    with home() as place, ScriptedServer([call("shell", "touch made"), {"text": "End."}]) as server:
        place.folder = place.top
        done = place.run(*model(server), "--auto_run", "--safe_mode", "--task", "x")
        assert done.returncode == 1 and "home folder" in done.stderr and not (place.top / "made").exists(), done.stderr


@needs_sandbox
def test_ctrl_c_stops_the_code_alone():
    turns = [call("python", "x = 5\nimport time\nprint('be' + 'gun', flush=True)\ntime.sleep(600)"),
             call("python", "print(x * 2)"), {"text": "Kept."}]
    with chat(turns, "--safe_mode") as (terminal, server, _place):
        ask(terminal, "wait")
        approve(terminal)
        terminal.expect("begun")
        terminal.type("\x03")
        terminal.expect("interrupted")
        terminal.expect(PROMPT)
        ask(terminal, "go on")
        approve(terminal)
        terminal.expect("done in")
        terminal.expect(PROMPT)
        assert any("10" in str(message.get("content")) for message in messages(server))


@needs_sandbox
def test_in_the_terminal():
    def prepare(place):
        (place.top / "Pictures").mkdir()
        (place.top / "Pictures/a.png").write_text("a")

    turns = [call("shell", "ls ~/Pictures"), {"text": "One."}, call("shell", "ls ~/Pictures; echo $((40 + 2))"), {"text": "Two."}]
    with chat(turns, "--safe_mode", prepare=prepare) as (terminal, server, place):
        ask(terminal, "list ~/Pictures")
        terminal.expect("%add_dir ~/Pictures")
        approve(terminal)
        terminal.expect("%add_dir ~/Pictures")
        terminal.expect("One.")
        terminal.expect(PROMPT)
        ask(terminal, "%add_dir ~/Pictures")
        terminal.expect("sandbox with ~/work, ~/Pictures and no network")
        terminal.expect(PROMPT)
        ask(terminal, "again")
        approve(terminal)
        terminal.expect("a.png")
        terminal.expect("Two.")
        terminal.expect(PROMPT)
        assert "a.png" in last_content(server)
        ask(terminal, "%safe_mode false")
        terminal.expect("Safe mode is off")
        terminal.expect(PROMPT)
        ask(terminal, f"%% ls {place.top}")
        terminal.expect("Pictures")


def test_it_is_said_at_the_beginning():
    with chat([], "--safe_mode") as (terminal, _server, _place):
        assert "Safe mode: code runs in a sandbox with ~/work and no network" in terminal.text


if __name__ == "__main__":
    tap.main()
