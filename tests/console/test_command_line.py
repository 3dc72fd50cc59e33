"""The command's options, from outside.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import SOURCE_ROOT, ScriptedServer, home, messages, model  # noqa: E402

import tap  # noqa: E402


def usage_error(place, *arguments):
    result = place.run(*arguments)
    assert result.returncode == 2, (arguments, result)
    assert result.stdout == "", result.stdout
    assert result.stderr.startswith("interpreter: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def test_version_and_help_touch_nothing():
    with home() as place:
        version = place.run("--version")
        assert version.returncode == 0
        assert re.fullmatch(r"Interpreter \d+\.\d+\.\d+\n", version.stdout)
        text = place.run("--help").stdout
        for option in ("--model", "--task", "--auto-run", "--list-models", "--profile", "--conversations"):
            assert option in text, option
        assert place.run("-h").stdout == text
        assert not list((place.top / "data").iterdir()), "nothing is made for this"


def test_wrong_options_say_what_was_meant():
    with home() as place:
        assert "--model" in usage_error(place, "--modle", "x")
        assert "--auto-run" in usage_error(place, "--auto_rum")
        assert "--help" in usage_error(place, "--entirely-else")
        assert "NAME" in usage_error(place, "--model")
        assert "NAME" in usage_error(place, "--model", "--task", "x")
        assert "hot" in usage_error(place, "--temperature", "hot")
        usage_error(place, "--temperature", "nan")
        usage_error(place, "--temperature=-1")
        usage_error(place, "-cw", "0")
        usage_error(place, "-x", "12abc")
        usage_error(place, "--auto_run=yes")
        usage_error(place, "--task", "a", "b", "c")
        usage_error(place, "--profile", "/nowhere/at/all")
        usage_error(place, "--modl\x1b[31m")


def test_subcommands_to_come_are_said_to():
    with home() as place:
        for word in ("mcp", "acp"):
            assert word in usage_error(place, word, "serve")


def test_nothing_to_do():
    with home() as place:
        usage_error(place)
        usage_error(place, "--terminal")
        usage_error(place, "--json", "--stdin")


def request_with(place, *arguments, input=None):
    with ScriptedServer([{"text": "ok"}]) as server:
        result = place.run(*model(server), *arguments, input=input)
        assert result.returncode == 0, result
        assert result.stdout == "ok\n", result.stdout
        return server.requests[0]["json"]


def test_names_are_open_interpreters():
    with home() as place:
        request = request_with(place, "--temperature", "0.5", "--max_tokens=77", "--custom_instructions", "Speak French.",
                               "--task", "hello")
        assert request["temperature"] == 0.5
        assert 77 in (request.get("max_tokens"), request.get("max_completion_tokens"))
        assert "Speak French." in json.dumps(request["messages"])
        request = request_with(place, "-t", "0", "-x", "78", "-ci", "Be terse.", "-dt", "-pl", "-nhl", "-ml", "hello", "you")
        assert request["temperature"] == 0
        assert 78 in (request.get("max_tokens"), request.get("max_completion_tokens"))
        assert "Be terse." in json.dumps(request["messages"])
        assert request["messages"][-1]["content"].startswith("hello you")
        request = request_with(place, "-sm", "ONLY THIS", "--", "--verbose")
        assert "ONLY THIS" in json.dumps(request["messages"][0])
        assert request["messages"][-1]["content"].startswith("--verbose")


def test_what_the_model_can_do_is_told():
    with home() as place:
        assert "tools" in request_with(place, "hello")
        assert "tools" in request_with(place, "--llm_supports_functions", "hello")
        assert "tools" in request_with(place, "-lsf", "hello")
        for without in ("--no-llm-supports-functions", "--no_llm_supports_functions"):
            assert "tools" not in request_with(place, without, "hello")
        profile = place.top / "profile.yaml"
        profile.write_text("llm:\n  supports_functions: false\n")
        assert "tools" not in request_with(place, "-p", str(profile), "hello")
        assert "tools" in request_with(place, "-p", str(profile), "-lsf", "hello"), "the line wins"
        usage_error(place, "--no-auto-run", "hello")
        usage_error(place, "--no-llm-supports-functions=yes", "hello")


def test_profiles():
    with home() as place, ScriptedServer([{"text": "ok"}] * 4) as server:
        yaml = place.top / "profile.yaml"
        yaml.write_text(f"# mine\nllm:\n  model: \"openai/scripted\"\n  api_base: {server.url}\n  api_key: test\n"
                        "  temperature: 0.25  # low\ncustom_instructions: 'From a file.'\nauto_run: false\n"
                        "version: 0.2.5\nsomething_else: 3\n")
        result = place.run("--profile", str(yaml), "--task", "x")
        assert result.returncode == 0, result
        assert server.requests[0]["json"]["temperature"] == 0.25
        assert "From a file." in server.requests[0]["body"]
        as_json = place.top / "profile.json"
        as_json.write_text(json.dumps({"model": "openai/scripted", "api_base": server.url, "api_key": "test",
                                       "llm": {"temperature": 0.75}, "custom_instructions": "As JSON."}))
        result = place.run("-p", str(as_json), "-t", "0.5", "--task", "x")
        assert result.returncode == 0, result
        assert server.requests[1]["json"]["temperature"] == 0.5, "the line wins"
        assert "As JSON." in server.requests[1]["body"]
        for broken in ("{", "{\"temperature\": \"hot\"}", "no colon here", "auto_run: perhaps"):
            yaml.write_text(broken)
            usage_error(place, "-p", str(yaml), "--task", "x")


def test_piped_input_is_a_message():
    with home() as place:
        assert request_with(place, input="what is 2+2?\n")["messages"][-1]["content"].startswith("what is 2+2?")
        content = request_with(place, "sum", "these", input="1\n2\n")["messages"][-1]["content"]
        assert content.startswith("sum these\n\n1\n2")
        assert request_with(place, "--stdin", input="hello")["messages"][-1]["content"].startswith("hello")
        content = request_with(place, "--task", "alone", input="not read")["messages"][-1]["content"]
        assert "not read" not in content
        content = request_with(place, "--task", "with", "--stdin", input="this")["messages"][-1]["content"]
        assert content.startswith("with\n\nthis")


def test_a_display_means_the_window():
    """A window that cannot open says so on standard error; without words nothing is asked of a model."""
    with home() as place, ScriptedServer([]) as server:
        result = place.run(*model(server), env={"DISPLAY": ":987", "GDK_BACKEND": "x11"}, timeout=60)
        assert result.returncode != 0
        assert not server.requests


def test_words_never_open_a_window():
    with home() as place, ScriptedServer([{"text": "ok"}]) as server:
        result = place.run(*model(server), "say", "ok", env={"DISPLAY": ":987"})
        assert (result.returncode, result.stdout) == (0, "ok\n"), result


def test_list_models():
    with home() as place, ScriptedServer([], models=("small", "large"), context=12345) as server:
        result = place.run("--list-models", env={"OLLAMA_HOST": server.root})
        assert result.returncode == 0, result
        lines = result.stdout.splitlines()
        assert any(line.startswith("ollama/small") and "12345" in line for line in lines), result.stdout
        assert any(line.startswith("ollama/large") for line in lines)
        assert not [r for r in server.requests if "chat" in r["path"]], "nothing is asked of them"


def test_man_page_names_every_option():
    page = (SOURCE_ROOT / "data/man/interpreter.1").read_text().replace("\\", "").replace("-", "_")
    with home() as place:
        options = re.findall(r"^  (--[a-z-]+)", place.run("--help").stdout, re.M)
        assert len(options) > 20
        for option in options:
            assert option.replace("-", "_") in page, option


if __name__ == "__main__":
    tap.main()
