"""interpreter policy check, from outside.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from console import SOURCE_ROOT, home  # noqa: E402

import tap  # noqa: E402

RULES = "[rules]\nVersion=1\n[build]\nVerdict=allow\nCommand=make\n[no web]\nVerdict=deny\nCommand=curl\n"


def check(place, *arguments, **more):
    result = place.run("policy", "check", *arguments, **more)
    assert result.returncode == 0 and result.stderr == "", result
    return result.stdout


def verdict(place, script, *arguments, **more):
    return json.loads(check(place, "--json", *arguments, script, **more))


def own_rules(place, text, name="own.rules"):
    folder = place.top / "config/interpreter/rules"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_verdicts():
    with home() as place:
        assert check(place, "ls -l | wc -l").splitlines() == ["allow", "  allow ls -l", "  allow wc -l"]
        lines = check(place, "ls; rm -rf x").splitlines()
        assert lines[:3] == ["ask", "  allow ls", "  ask   rm -rf x"] and "rm" in lines[3], lines
        answer = verdict(place, "ls; touch x")
        assert answer["verdict"] == "ask" and len(answer["reasons"]) == 1, answer
        assert [c["text"] for c in answer["commands"]] == ["ls", "touch x"], answer
        assert [c["verdict"] for c in answer["commands"]] == ["allow", "ask"], answer
        assert not list(place.folder.iterdir()), "nothing is run"


def test_scripts_from_standard_input():
    with home() as place:
        assert check(place, input="ls\npwd\n").startswith("allow\n")
        assert check(place, "-", input="touch x").startswith("ask\n"), "“-” is a script like any other"
        assert check(place).startswith("ask\n"), "nothing is no command"
        assert check(place, input="ls\0").startswith("ask\n")


def test_own_rules():
    with home() as place:
        assert verdict(place, "make")["verdict"] == "ask"
        own_rules(place, RULES)
        answer = verdict(place, "make && ls")
        assert answer["verdict"] == "allow" and answer["commands"][0]["rule"] == "build", answer
        assert verdict(place, "ls; sudo sh -c 'curl x'")["verdict"] == "deny"
        own_rules(place, "[rules]\nVersion=1\n[x]\nVerdict=allow\nCommand=a\nMatches=b\n", "z.rules")
        answer = verdict(place, "make")
        assert answer["verdict"] == "ask" and "z.rules" in answer["reasons"][0], answer
        assert verdict(place, "curl x")["verdict"] == "deny"


def test_other_rules():
    with home() as place:
        own_rules(place, RULES)
        path = place.top / "other.rules"
        path.write_text(RULES.replace("make", "ninja"))
        assert verdict(place, "ninja", "--rules", str(path))["verdict"] == "allow"
        assert verdict(place, "make", f"--rules={path}")["verdict"] == "ask", "by these alone"
        path.write_text("[rules]\nVersion=9\n")
        for wrong in (path, place.top / "nowhere.rules"):
            result = place.run("policy", "check", "--rules", str(wrong), "ls")
            assert result.returncode == 2 and result.stdout == "" and result.stderr.count("\n") == 1, result


def test_languages():
    with home() as place:
        assert verdict(place, "print(1)", "--language", "python")["verdict"] == "ask"
        assert verdict(place, "ls", "--language=shell")["verdict"] == "allow"


def test_without_the_parser():
    with home() as place:
        answer = verdict(place, "ls", env={"PATH": str(place.folder)})
        assert answer["verdict"] == "ask" and "shfmt" in answer["reasons"][0], answer


def test_invisible_text_is_shown():
    with home() as place:
        out = check(place, "ls '\u202etxt'; rm '\x1b[2J'")
        assert out.startswith("ask\n") and "\u202e" not in out and "\x1b" not in out, out
        assert "\x1b" not in check(place, "rm 'a\nb'; rm \"\x1b[31m\"")


def test_wrong_usage():
    with home() as place:
        for arguments in ((), ("serve",), ("check", "--frob"), ("check", "a", "b"), ("check", "--language"),
                          ("check", "--rules="), ("check", "--jsonx"), ("check", "--rulesx", "a")):
            result = place.run("policy", *arguments)
            assert result.returncode == 2 and result.stdout == "", (arguments, result)
            assert result.stderr.startswith("interpreter: ") and result.stderr.count("\n") == 1, result.stderr


def test_help_and_manual_agree():
    page = (SOURCE_ROOT / "data/man/interpreter.1").read_text().replace("\\-", "-")
    section = page[page.index(".SH RULES"):page.index(".SH EVENTS")]
    with home() as place:
        text = place.run("policy", "--help").stdout
        assert place.run("policy", "check", "--help").stdout == text
        options = re.findall(r"^  (--[a-z-]+)", text, re.M)
        described = re.findall(r"^\.TP\n\.BI? (--[a-z-]+)", section, re.M)
        assert sorted(options) == sorted(described + ["--help"]), (options, described)
        assert "policy check" in place.run("--help").stdout


if __name__ == "__main__":
    tap.main()
