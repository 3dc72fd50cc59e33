"""Tasks with models that are spoken to in the API of their provider.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import ScriptedServer, call, home  # noqa: E402

import tap  # noqa: E402

TURNS = [{"reasoning": "Hm, ", **call("python", "print(6 * 7)", "I will compute it.")}, {"text": "It is **42**."}]


def run(name):
    with home() as place, ScriptedServer(TURNS) as server:
        result = place.run("--model", f"{name}/scripted", "--api_base", server.url, "--api_key", "of-the-test", "--auto_run", "--task",
                           "compute")
        assert result.returncode == 0, result
        assert result.stdout == "It is **42**.\n"
        assert "I will compute it." in result.stderr
        assert len(server.requests) == 2
        return server.requests


def test_messages():
    first, second = run("anthropic")
    assert first["path"] == "/v1/messages"
    assert first["headers"]["x-api-key"] == "of-the-test"
    thinking, text, use = second["json"]["messages"][1]["content"]
    assert thinking == {"type": "thinking", "thinking": "Hm, ", "signature": "c2lnbmVk"}
    assert text["text"] == "I will compute it."
    assert use["input"]["code"] == "print(6 * 7)"
    result = second["json"]["messages"][2]["content"][0]
    assert result["tool_use_id"] == use["id"] and "42" in str(result["content"])


def test_responses():
    first, second = run("openai-responses")
    assert first["path"] == "/v1/responses"
    assert first["headers"]["Authorization"] == "Bearer of-the-test"
    assert first["json"]["store"] is False
    user, reasoning, text, use, result = second["json"]["input"]
    assert user["content"] == "compute"
    assert reasoning == {"type": "reasoning", "id": "rs_0", "summary": [{"type": "summary_text", "text": "Hm, "}],
                         "encrypted_content": "c2VhbGVk"}
    assert text["content"] == [{"type": "output_text", "text": "I will compute it."}]
    assert (use["id"], use["call_id"], result["call_id"]) == ("fc_0", "call_0", "call_0")
    assert "print(6 * 7)" in use["arguments"] and "42" in result["output"]


def test_gemini():
    first, second = run("gemini")
    assert first["path"] == "/v1beta/models/scripted:streamGenerateContent?alt=sse"
    assert first["headers"]["x-goog-api-key"] == "of-the-test" and "Authorization" not in first["headers"]
    user, turn, results = second["json"]["contents"]
    assert (user["role"], turn["role"], results["role"]) == ("user", "model", "user")
    text, use = turn["parts"]
    assert text == {"text": "I will compute it."}
    assert use["thoughtSignature"] == "c2lnbmVk+/=" and "id" not in use["functionCall"]
    assert use["functionCall"]["args"]["code"] == "print(6 * 7)"
    [result] = results["parts"]
    assert result["functionResponse"]["name"] == use["functionCall"]["name"] == "run_code"
    assert "42" in result["functionResponse"]["response"]["result"]


def test_gemini_where_it_speaks_chat_completions():
    with home() as place, ScriptedServer([{"text": "Hello."}]) as server:
        result = place.run("--model", "gemini/scripted", "--api_base", server.root + "/v1beta/openai/", "--api_key", "of-the-test", "--task",
                           "greet")
        assert result.returncode == 0 and result.stdout == "Hello.\n", result
        [request] = server.requests
        assert request["path"] == "/v1beta/openai/chat/completions" and request["json"]["model"] == "scripted"
        assert request["headers"]["Authorization"] == "Bearer of-the-test"


if __name__ == "__main__":
    tap.main()
