"""Tasks without a conversation.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import PROGRAM, ScriptedServer, call, home, last_content, messages, model, processes_with  # noqa: E402

import tap  # noqa: E402


def run(place, turns, *arguments, **more):
    with ScriptedServer(turns) as server:
        return place.run(*model(server), *arguments, **more), server


DRAW = """
import base64
for number in range(12):
    with open(f"dot{number}.png", "wb") as file:
        file.write(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
"""


def pictures_in(request):
    return [part for message in request["json"]["messages"] if isinstance(message["content"], list)
            for part in message["content"] if part["type"] == "image_url"]


def test_charts_go_back_to_models_that_can_see():
    turns = [call("python", DRAW), call("python", "print(1)"), {"text": "Dots."}]
    with home() as place:
        for arguments, sees in ((("--llm_supports_vision",), True), ((), False), (("--no_llm_supports_vision",), False)):
            result, server = run(place, turns, *arguments, "--auto_run", "--task", "draw")
            assert result.returncode == 0, result
            assert [bool(pictures_in(request)) for request in server.requests] == [False, sees, sees], arguments
            assert all(len(pictures_in(request)) <= 8 for request in server.requests)
            said = [message for message in server.requests[-1]["json"]["messages"] if message["role"] == "tool"]
            assert "Chart shown to the user" in said[0]["content"]
            if sees:
                url = pictures_in(server.requests[-1])[0]["image_url"]["url"]
                assert url.startswith("data:image/png;base64,iVBORw0KGgo"), url[:60]


def test_answer_and_progress_are_apart():
    with home() as place:
        result, server = run(place, [call("python", "print(6 * 7)", "I will compute it."), {"text": "It is **42**."}], "--auto_run",
                             "--task", "compute")
        assert result.returncode == 0, result
        assert result.stdout == "It is **42**.\n"
        assert "I will compute it." in result.stderr
        assert "print(6 * 7)" in result.stderr
        assert "42" in result.stderr
        assert "It is" not in result.stderr
        assert "\x1b" not in result.stderr + result.stdout
        assert "42" in last_content(server)


def test_nobody_to_approve():
    with home() as place:
        result, server = run(place, [call("python", "open('made', 'w')"), {"text": "never"}], "--task", "make it")
        assert result.returncode == 3, result
        assert "--auto_run" in result.stderr
        assert not (place.folder / "made").exists()
        assert len(server.requests) == 1
        assert result.stdout == ""


def test_auto_run_asks_for_what_is_dangerous():
    """E3: dangers are asked about under auto-run as well."""
    with home() as place:
        for code in ("sudo -n true && touch made", "rm -rf /var/lib/nothing-here; touch made"):
            result, _server = run(place, [call("shell", code), {"text": "never"}], "--auto_run", "--task", "x")
            assert result.returncode == 3, result
            assert not (place.folder / "made").exists()


def test_state_stays_between_blocks():
    with home() as place:
        result, server = run(place, [call("python", "a = 20"), call("shell", "X=1; cd /; pwd"), call("python", "print(a + 3)"),
                                     call("bash", "echo $X$PWD"), {"text": "done"}], "-y", "--task", "x")
        assert result.returncode == 0, result
        assert "23" in last_content(server, 3)
        assert "1/" in last_content(server, 4)


def events(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_events():
    with home() as place:
        result, _server = run(place, [{"reasoning": "Hm, ", **call("python", "print('x' * 3)\n1/0", "Now:")}, {"text": "It failed."}],
                              "--auto_run", "--json", "--task", "x")
        assert result.returncode == 0, result
        lines = events(result)
        kinds = [line["event"] for line in lines]
        assert kinds[0] == "start" and kinds[-1] == "end"
        assert lines[0]["model"].endswith("#scripted")
        assert lines[0]["folder"] == str(place.folder)
        assert "".join(line["text"] for line in lines if line["event"] == "text") == "Now:It failed."
        assert "".join(line["text"] for line in lines if line["event"] == "reasoning") == "Hm, "
        (code,) = [line for line in lines if line["event"] == "code"]
        assert (code["language"], code["code"]) == ("python", "print('x' * 3)\n1/0")
        (outcome,) = [line for line in lines if line["event"] == "result"]
        assert outcome["item"] == code["item"]
        assert outcome["state"] == "failed"
        assert outcome["error"] == "ZeroDivisionError"
        assert outcome["approved_by"] == "auto"
        assert "xxx" in outcome["output"]
        shown = [kind for i, kind in enumerate(kinds) if kind != kinds[i - 1]]
        assert shown == ["start", "reasoning", "text", "code", "result", "text", "end"], "as the model said it"
        assert (lines[-1]["status"], lines[-1]["answer"]) == (0, "It failed.")
        assert lines[-1]["conversation"] > 0


def test_events_of_a_refusal():
    with home() as place:
        result, _server = run(place, [call("python", "open('made', 'w')")], "--json", "--task", "x")
        assert result.returncode == 3, result
        lines = events(result)
        assert [line["state"] for line in lines if line["event"] == "result"] == ["refused"]
        assert lines[-1]["status"] == 3


def test_events_of_a_chart():
    with home() as place:
        code = ("import base64\nopen('dot.png', 'wb').write(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR"
                "42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='))")
        result, _server = run(place, [call("python", code), {"text": "ok"}], "-y", "--json", "--task", "x")
        (outcome,) = [line for line in events(result) if line["event"] == "result"]
        (display,) = outcome["displays"]
        assert display["mime"] == "image/png"
        assert Path(display["path"]).read_bytes().startswith(b"\x89PNG")


def test_failures_are_one_sentence():
    """C2: a server that is down or says no is one sentence."""
    with home() as place:
        with ScriptedServer([]) as server:
            arguments = model(server)
        result = place.run(*arguments, "--task", "x")  # the server is gone by now
        assert result.returncode == 1, result
        assert "127.0.0.1" in result.stderr and "Traceback" not in result.stderr
        assert result.stdout == ""
        for turn, word in (({"status": 401, "body": {"error": {"message": "no such key"}}}, "key"),
                           ({"status": 404, "body": {"error": {"message": "model not found"}}}, "scripted")):
            result, _server = run(place, [turn] * 8, "--task", "x")
            assert result.returncode == 1, result
            assert word in result.stderr, result.stderr


def test_no_model_at_all():
    with home() as place:
        result = place.run("--task", "x", "--offline", env={"OLLAMA_HOST": "http://127.0.0.1:9"})
        assert result.returncode == 1, result
        assert "--list-models" in result.stderr or "model" in result.stderr


def test_a_cut_connection_runs_nothing():
    """B11: a call whose end never came does not run."""
    with home() as place:
        result, server = run(place, [{"calls": [{"language": "python", "code": "open('made', 'w')"}], "drop": True}] * 6,
                             "--auto_run", "--task", "x")
        assert result.returncode == 1, result
        assert not (place.folder / "made").exists()
        assert len(server.requests) >= 1


def start(place, server, *arguments):
    return subprocess.Popen([PROGRAM, *model(server), *arguments], cwd=place.folder, env=place.env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_line(process, word):
    for line in process.stderr:
        if word in line:
            return
    raise AssertionError(f"{word} did not come")


def test_interrupted_code():
    with home() as place, ScriptedServer([call("shell", "echo begun > begun; sleep 98765"), {"text": "never"}]) as server:
        process = start(place, server, "--auto_run", "--task", "x")
        wait_for_line(process, "sleep 98765")
        while not (place.folder / "begun").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert not processes_with("98765")
        assert len(server.requests) == 1
        process.communicate()


def test_interrupted_answer():
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with home() as place, ScriptedServer([{"text": "Half", "hold": "end"}]) as server:
            process = start(place, server, "--json", "--task", "x")
            for line in process.stdout:
                if json.loads(line)["event"] == "text":
                    break
            process.send_signal(number)
            assert process.wait(60) == status
            process.communicate()


def test_killed_task_is_kept():
    """D5: what was said before a kill is kept."""
    with home() as place:
        with ScriptedServer([{"text": "Kept words", "hold": "end"}]) as server:
            process = start(place, server, "--json", "--task", "remember me")
            for line in process.stdout:
                if "words" in line:
                    break
            process.kill()
            process.communicate()
        listed = place.run("--conversations")
        assert listed.returncode == 0
        assert "remember me" in listed.stdout, listed


def test_a_terminal_can_approve():
    with home() as place, ScriptedServer([call("python", "open('made', 'w'); print(5 * 5)"), {"text": "Twenty-five."}]) as server:
        read, write = os.pipe()
        with place.terminal(*model(server), "--task", "x", stdout=write) as terminal:
            os.close(write)
            terminal.expect("Run? [y/n/e] ")
            assert not (place.folder / "made").exists()
            terminal.type("y\r")
            terminal.expect("25")
            assert terminal.wait() == 0
        with os.fdopen(read) as output:
            assert output.read() == "Twenty-five.\n", "the answer alone"


def test_a_terminal_can_refuse():
    with home() as place, ScriptedServer([call("python", "open('made', 'w')"), {"text": "never"}]) as server, \
            place.terminal(*model(server), "--task", "x") as terminal:
        terminal.expect("Run? [y/n/e] ")
        terminal.type("n\r")
        terminal.expect("Why not?")
        terminal.type("\r")
        assert terminal.wait() == 3
        assert not (place.folder / "made").exists()


def test_loop_has_a_cap():
    with home() as place:
        result, server = run(place, [{"text": "Still at it."}] * 60, "--loop", "--task", "x")
        assert 2 <= len(server.requests) <= 26, len(server.requests)
        assert result.returncode in (0, 1)


def test_long_output_is_shortened_for_the_model():
    with home() as place:
        result, server = run(place, [call("shell", "seq 1 200000"), {"text": "ok"}], "-y", "-xo", "2000", "--task", "x")
        assert result.returncode == 0, result
        content = last_content(server)
        assert "200000" in content and len(content) < 8000


if __name__ == "__main__":
    tap.main()
