"""What can go wrong: each gets one clear sentence and the right exit status, and nothing is lost.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROGRAM, ScriptedServer, call, home, last_content, model  # noqa: E402

import tap  # noqa: E402


def run(place, turns, *arguments, before=(), **more):
    """The program on a script, started by the command `before`; gives the result and the server."""
    with ScriptedServer(turns) as server:
        done = subprocess.run([*before, PROGRAM, *model(server), *arguments], cwd=place.folder, env=place.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False, **more)
    return done, server


def only_sentence(done, status=1):
    """The one line that was said, and nothing beside it."""
    lines = [line for line in done.stderr.splitlines() if line]
    assert (done.returncode, done.stdout, len(lines)) == (status, "", 1), done
    return lines[0]


def store_of(place):
    return place.top / "data/interpreter"


def kept(place):
    """The titles of the conversations that are kept."""
    done = place.run("--conversations")
    assert done.returncode == 0, done
    return [line.split("  ")[-1] for line in done.stdout.splitlines()]


# ---- the model ----

def test_no_model():
    with home() as place:
        done = place.run("--task", "x", "--offline", env={"OLLAMA_HOST": "http://127.0.0.1:9"})
        assert "No model was found" in only_sentence(done)


def test_a_wrong_key():
    with home() as place:
        done, server = run(place, [{"status": 401, "body": {"error": {"message": "Incorrect API key provided"}}}] * 3,
                           "--task", "the task")
        said = only_sentence(done)
        assert "does not accept the key" in said and "Incorrect API key provided" in said
        assert len(server.requests) == 1, "a wrong key is not tried again"
        assert kept(place) == ["the task"]


def test_nonsense_instead_of_an_answer():
    page = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
    for turn, words in (
            ({"raw": page}, ("not the answer of a model", "something else", "Please sign in")),
            ({"raw": b'data: {"choices": [{"delta": {"conte\n\ndata: {nope}\n\n'}, ("not JSON",)),
            ({"raw": b'data: {"no": "choices"}\n\ndata: [DONE]\n\n'}, ("could not answer",)),
            ({"raw": b"\x00\xff\xfe\x80" * 50}, ("could not answer",)),
            ({"raw": b""}, ("empty",)),
            ({"raw": b'{"error": {"message": "The quota is used up"}}'}, ("reported an error", "The quota is used up")),
            ({"status": 502, "body": "<html><body><h1>502 Bad Gateway</h1></body></html>"}, ("502 Bad Gateway",))):
        with home() as place:
            done, _server = run(place, [turn] * 9, "--auto_run", "--task", "x")
            said = only_sentence(done)
            assert all(word in said for word in words), (words, said)
            assert "<" not in said and "\ufffd" not in said and "in the middle" not in said, said
            assert kept(place) == ["x"]


def test_a_server_that_goes_away_in_mid_answer():
    with home() as place:
        done, _server = run(place, [{"text": "Half of an answer", "drop": True}] * 9, "--task", "x")
        assert done.returncode == 1, done
        assert done.stdout == "", "half an answer is none"
        lines = [line for line in done.stderr.splitlines() if line]
        assert lines[0] == "Half of an answer" and len(lines) == 2, lines
        assert "was lost" in lines[1] and lines[1].count("What had arrived is kept.") == 1, lines
        # It is: the next message stands on it.
        saved = place.folder / "messages.json"
        with ScriptedServer([{"text": "ok"}]) as server, place.terminal("--conversations", *model(server)) as terminal:
            terminal.expect("Which one?")
            terminal.type("1\r")
            terminal.expect("Half of an answer")
            terminal.expect("> ")
            terminal.type("%save_message messages.json\r")
            terminal.expect("Saved")
        assert "Half of an answer" in saved.read_text()


# ---- the computer ----

def test_a_language_that_is_not_installed():
    with home() as place:
        programs = place.top / "programs"
        programs.mkdir()
        for name in ("bash", "python3", "sh"):
            (programs / name).symlink_to(shutil.which(name))
        place.env["PATH"] = str(programs)
        done, server = run(place, [call("r", "1 + 1"), call("shell", "echo instead"), {"text": "Done without."}], "--auto_run",
                           "--task", "x")
        assert (done.returncode, done.stdout) == (0, "Done without.\n"), done
        assert done.stderr.count("R is not installed") == 1, done.stderr
        told = last_content(server, 1)
        assert "R is not installed" in told and "Available: python, shell" in told, told
        assert "instead" in last_content(server, 2)


def test_a_language_that_nobody_knows():
    with home() as place:
        done, server = run(place, [call("cobol", "DISPLAY 1."), {"text": "ok"}], "--auto_run", "--task", "x")
        assert done.returncode == 0 and done.stderr.count("“cobol” cannot run here") == 1, done
        assert "Available: " in last_content(server)


def test_a_folder_that_cannot_be_entered():
    with home() as place:
        closed = place.top / "closed"
        closed.mkdir()
        if os.getuid() == 0:
            raise tap.Skip("root may enter every folder")
        try:
            done, server = run(place, [call("python", "open('/tmp/never', 'w')"), {"text": "I cannot."}], "--auto_run", "--task", "x",
                               before=["sh", "-c", f"cd '{closed}' && chmod 0 . && exec \"$@\"", "sh"])
        finally:
            closed.chmod(0o700)
        assert (done.returncode, done.stdout) == (0, "I cannot.\n"), done
        assert done.stderr.count("~/closed cannot be entered: Permission denied") == 1, done.stderr
        assert "cannot be entered" in last_content(server)


def test_a_folder_that_is_gone():
    with home() as place:
        gone = place.top / "gone"
        gone.mkdir()
        done, server = run(place, [call("shell", "pwd"), {"text": "never"}], "--auto_run", "--task", "x",
                           before=["sh", "-c", f"cd '{gone}' && rmdir '{gone}' && exec \"$@\"", "sh"])
        assert "no longer there" in only_sentence(done)
        assert server.requests == [], "nothing runs at the root instead"


# ---- what is kept ----

def test_a_damaged_database_is_set_aside():
    for with_log in (False, True):
        with home() as place:
            run(place, [{"text": "one"}], "--task", "before")
            database = store_of(place) / "conversations.db"
            junk = b"This is no database.\n" * 3000
            database.write_bytes(junk)
            for suffix in ("-wal", "-shm"):
                path = database.with_name(database.name + suffix)
                if with_log:
                    path.write_bytes(junk)
                else:
                    path.unlink(missing_ok=True)

            done, _server = run(place, [{"text": "two"}], "--task", "after")
            assert (done.returncode, done.stdout) == (0, "two\n"), done
            (aside,) = [path for path in store_of(place).glob("conversations.damaged-*.db")]
            assert aside.read_bytes() == junk, "what was there is not there any more"
            lines = [line for line in done.stderr.splitlines() if line]
            assert len(lines) == 1 and "damaged" in lines[0] and aside.name in lines[0], lines
            assert kept(place) == ["after"]


def test_folders_that_cannot_be_written():
    if os.getuid() == 0:
        raise tap.Skip("root may write everywhere")
    with home() as place:
        run(place, [{"text": "one"}], "--task", "before")
        store = store_of(place)
        inside = sorted(store.rglob("*"))

        def make(file, folder):
            for path in inside:
                path.chmod(file if path.is_file() else folder)
            store.chmod(folder)

        try:
            make(0o400, 0o500)
            done, server = run(place, [{"text": "never"}], "--auto_run", "--task", "x")
            assert (done.returncode, done.stdout, server.requests) == (1, "", []), done
            said, what = [line for line in done.stderr.splitlines() if line]
            assert str(store) in said and "read-only" in said and what.startswith("Nothing was done"), done.stderr
            assert "before" in place.run("--conversations").stdout, "what is there can be read"

            # In the chat it is said too, and what was typed is not waited for.
            with ScriptedServer([{"text": "never"}]) as server, place.terminal("--terminal", *model(server)) as terminal:
                terminal.expect("read-only")
                terminal.expect("> ")
                terminal.type("hello\r")
                terminal.expect("Not sent: this conversation can only be read here")
                terminal.expect("> ")
            assert server.requests == []

            make(0o600, 0o500)
            done, server = run(place, [{"text": "never"}], "--auto_run", "--task", "x")
            assert "read-only" in only_sentence(done) and server.requests == []
        finally:
            make(0o600, 0o700)
        assert kept(place) == ["before"]


def test_folders_that_cannot_be_made():
    if os.getuid() == 0:
        raise tap.Skip("root may make every folder")
    with home() as place:
        (place.top / "data").chmod(0o500)
        done, _server = run(place, [{"text": "never"}], "--task", "x")
        (place.top / "data").chmod(0o700)
        said = only_sentence(done)
        assert str(store_of(place)) in said and "cannot be written" in said, said
    with home() as place:
        store_of(place).write_text("This is a file.")
        done, _server = run(place, [{"text": "never"}], "--task", "x")
        said = only_sentence(done)
        assert str(store_of(place)) in said, said
        assert store_of(place).read_text() == "This is a file."


FULL = """
mkdir "$XDG_DATA_HOME"
start () { "$PROGRAM" --api_base "$1" --api_key test --model openai/scripted --auto_run --task "$2"; echo "status $?"; }
start "$FIRST" first 2>&1
dd if=/dev/zero of="$DISK/filler" bs=4096 2>/dev/null
start "$SECOND" second 2>&1
rm "$DISK/filler"
start "$THIRD" third 2>&1
"$PROGRAM" --conversations
"""


def test_a_full_disk():
    """A small disk is mounted for it: full from the start, and filled by what code prints."""
    if shutil.which("bwrap") is None:
        raise tap.Skip("bwrap is not installed")
    flood = "for i in range(40000): print('y' * 99)"
    with home() as place, ScriptedServer([{"text": "one"}]) as first, ScriptedServer([{"text": "two"}]) as second, \
            ScriptedServer([call("python", flood), {"text": "three"}]) as third:
        disk = place.top / "disk"
        disk.mkdir()
        mounted = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--size", "3000000", "--tmpfs", str(disk), "--"]
        if subprocess.run([*mounted, "true"], capture_output=True, check=False).returncode != 0:
            raise tap.Skip("bwrap cannot mount a small disk here")
        place.env |= {"DISK": str(disk), "XDG_DATA_HOME": str(disk / "data"), "PROGRAM": PROGRAM, "FIRST": first.url,
                      "SECOND": second.url, "THIRD": third.url}
        done = subprocess.run([*mounted, "sh", "-c", FULL], cwd=place.folder, env=place.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        before, full, filled, titles = (part.strip() for part in done.stdout.split("status ", 3))
        assert before == "one", done
        assert full.splitlines()[1:] == ["interpreter: The disk is full: the conversation cannot be saved."], full
        assert full.startswith("0") and filled.startswith("1"), done.stdout[-2000:]
        assert second.requests == [], "what cannot be kept is not begun"
        assert filled.count("What follows cannot be kept") == 1 and "three" in filled.splitlines(), filled[-2000:]
        assert done.stdout.count("the conversation cannot be saved") == 2, filled[-2000:]
        status, *lines = titles.splitlines()
        assert status == "0" and [line.split("  ")[-1] for line in lines] == ["third", "first"], titles


if __name__ == "__main__":
    tap.main()
