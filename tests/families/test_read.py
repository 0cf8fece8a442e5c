"""The command that reads raw turns."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from families.read import main

ADD = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


def test_a_turn_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('[{"type": "function", "function": {"name": "add"}}]', "utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"So.\n</think>\n\n臺北\n{ADD}<|im_end|>"))
    assert main(["qwen3", "--prefix", "<|im_start|>assistant\n<think>\n", "--tools", str(tools)]) == 0
    turn = json.loads(capsys.readouterr().out)
    assert (turn["thinking"], turn["content"]) == ("So.", "臺北")
    assert turn["calls"][0]["arguments"] == {"a": 1}
    assert turn["calls"][0]["error"] is None


def test_an_error_and_a_repair_come_in_both_languages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('<tool_call>{"name": "add", "parameters": {}}</tool_call><tool_call>'))
    assert main(["qwen2_5"]) == 0
    repaired, broken = json.loads(capsys.readouterr().out)["calls"]
    assert repaired["repaired"]["zh"] != repaired["repaired"]["en"]
    assert broken["error"]["kind"] == "unterminated"
    assert broken["error"]["zh"] != broken["error"]["en"]


def test_cases(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cases = [
        {"id": "whole", "family": "smollm3", "prefix": "", "raw": ADD + "<|im_end|>", "finish": "stop", "tools": []},
        {
            "id": "stop token left out",
            "family": "hermes",
            "prefix": "",
            "raw": ADD.removesuffix("</tool_call>"),
            "finish": "stop",
        },
        {"id": "cut", "family": "hermes", "prefix": "", "raw": ADD.removesuffix("</tool_call>"), "finish": "length", "tools": []},
        {"id": "new", "family": "no_such_family", "prefix": "", "raw": "", "finish": "stop", "tools": []},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(case) for case in cases), "utf-8")
    assert main(["--cases", str(path)]) == 0
    added = {"name": "add", "arguments": {"a": 1}, "error": None}
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"id": "whole", "thinking": None, "content": "", "tool_calls": [added]},
        {"id": "stop token left out", "thinking": None, "content": "", "tool_calls": [added]},
        {
            "id": "cut",
            "thinking": None,
            "content": "",
            "tool_calls": [{"name": "add", "arguments": None, "error": "unterminated"}],
        },
        {"id": "new", "unknown_family": "no_such_family"},
    ]


def test_cases_with_anything_in_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A byte order mark, a line break of Unicode inside a string, nulls, half a character: all of it is valid input."""
    cases = [
        {"id": "a", "family": "hermes", "prefix": None, "raw": "one\u2028two", "tools": None},
        {"id": "b", "family": "hermes", "raw": "half \ud83d"},
        {"id": "c", "family": "hermes", "raw": "whole 😀"},
    ]
    path = tmp_path / "cases.jsonl"
    lines = [json.dumps(case, ensure_ascii=case["id"] == "b") for case in cases]
    path.write_text("\ufeff" + "\r\n".join(lines), "utf-8")
    assert main(["--cases", str(path)]) == 0
    printed = capsys.readouterr().out
    assert [json.loads(line)["content"] for line in printed.strip().split("\n")] == [case["raw"] for case in cases]
    assert "😀" in printed
    printed.encode("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either a family or --cases"),
        (["qwen3", "--cases", "x"], "either a family or --cases"),
        (["no_such_family"], "qwen2_5, qwen3"),
        (["qwen3", "--tools", "no_such_file.json"], "no_such_file.json cannot be read"),
        (["--cases", "no_such_file.jsonl"], "no_such_file.jsonl cannot be read"),
        (["--cases", "x", "--prefix", "<think>"], "leave out --prefix and --tools"),
    ],
)
def test_wrong_use_says_what_is_allowed(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{not json", "line 2 is no JSON"),
        ("[1]", "line 2 is no JSON object"),
        ('{"id": "a", "raw": "x"}', "line 2 lacks text under family"),
        ('{"id": "a", "family": "qwen3", "raw": 5}', "line 2 lacks text under raw"),
        ("{}", "line 2 lacks text under family and raw"),
    ],
)
def test_a_case_that_cannot_be_read_is_named_by_its_line(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"family": "qwen3", "raw": "x"}\n' + line, "utf-8")
    with pytest.raises(SystemExit):
        main(["--cases", str(path)])
    printed = capsys.readouterr()
    assert json.loads(printed.out)["content"] == "x", "the lines before it are answered"
    assert message in printed.err


@pytest.mark.parametrize(("content", "message"), [("{", "is no JSON"), ('{"name": "add"}', "holds no list of tools")])
def test_tools_that_cannot_be_read_are_said(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "tools.json"
    path.write_text(content, "utf-8")
    with pytest.raises(SystemExit):
        main(["qwen3", "--tools", str(path)])
    assert message in capsys.readouterr().err
