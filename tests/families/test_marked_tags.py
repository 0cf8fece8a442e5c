"""The families whose tags say of what type a value is, DeepSeek's DSML and Kimi K3: turns written by hand, a row a slip."""

from __future__ import annotations

from typing import Any

import pytest

import families
from families.base import Call, Turn
from harness.conversation import Conversation

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [
    {"type": "function", "function": {"name": "note", "parameters": TEXT}},
    {"type": "function", "function": {"name": "now"}},
]
END = "<｜end▁of▁sentence｜>"
V3_2, V4, V4_1 = ("｜DSML｜", "function_calls"), ("｜DSML｜", "tool_calls"), ("｜DSML｜ ", "calls")
each_version = pytest.mark.parametrize("version", [V3_2, V4, V4_1], ids=["v3.2", "v4", "v4.1"])


def dsml(version: tuple[str, str], body: str) -> str:
    """A section of calls, where `body` writes tags in angle brackets without their mark."""
    mark, outer = version
    for tag in ("invoke", "parameter"):
        body = body.replace(f"<{tag}", f"<{mark}{tag}").replace(f"</{tag}", f"</{mark}{tag}")
    return f"<{mark}{outer}>\n{body}\n</{mark}{outer}>"


def parameter(name: str, value: str, string: bool) -> str:
    return f'<parameter name="{name}" string="{str(string).lower()}">{value}</parameter>\n'


def calls(turn: Turn) -> list[tuple[str, Any]]:
    """Each call's name, and its arguments or the kind of its error."""
    return [(call.name, call.error.kind if call.error else call.arguments) for call in turn.calls]


def read(raw: str, prefix: str = "<｜Assistant｜></think>") -> Turn:
    return families.named("deepseek_v3_2").parse(raw, TOOLS, prefix)


@each_version
@pytest.mark.parametrize(
    ("written", "right"),
    [
        (parameter("text", "007", True), "007"),
        (parameter("text", " a\n", True), " a\n"),
        (parameter("text", "<b>1 < 2</b>", True), "<b>1 < 2</b>"),
        (parameter("text", "7", False), 7),
        (parameter("text", "[1, null, {}]", False), [1, None, {}]),
        (parameter("text", "true", False), True),
        (parameter("text", "not JSON", False), "not JSON"),
    ],
)
def test_the_mark_of_a_value_rules(version: tuple[str, str], written: str, right: Any) -> None:
    raw = "Look.\n\n" + dsml(version, f'<invoke name="note">\n{written}</invoke>') + END
    turn = read(raw)
    assert (turn.content, calls(turn)) == ("Look.", [("note", {"text": right})])
    assert bool(turn.calls[0].repaired) is (right == "not JSON")


@each_version
def test_a_tag_in_a_value_belongs_to_it(version: tuple[str, str]) -> None:
    raw = dsml(version, '<invoke name="note">\n' + parameter("text", "a </parameter> b <invoke c", True) + "</invoke>") + END
    assert calls(read(raw)) == [("note", {"text": f"a </{version[0]}parameter> b <{version[0]}invoke c"})]


@each_version
def test_several_calls_and_thinking(version: tuple[str, str]) -> None:
    now, note = '<invoke name="now">\n\n</invoke>\n', '<invoke name="note">\n' + parameter("text", "a", True) + "</invoke>"
    turn = read(f"First this.</think>{dsml(version, now + note)}{END}", "<｜Assistant｜><think>")
    assert (turn.thinking, turn.content) == ("First this.", "")
    assert calls(turn) == [("now", {}), ("note", {"text": "a"})]
    assert not any(call.repaired for call in turn.calls)


@each_version
def test_a_tag_that_closes_itself_is_a_call_without_arguments(version: tuple[str, str]) -> None:
    turn = read(dsml(version, '<invoke name="now"/>') + END)
    assert calls(turn) == [("now", {})]
    assert turn.calls[0].repaired


@each_version
def test_a_call_cut_off_anywhere_is_never_run(version: tuple[str, str]) -> None:
    raw = dsml(version, '<invoke name="note">\n' + parameter("text", "abc", True) + "</invoke>")
    for cut in range(len(raw)):
        assert all(call.error for call in read(raw[:cut]).calls), raw[:cut]


def test_thinking_before_a_call_stays_in_the_conversation() -> None:
    talk = Conversation([], "Note it.", families.named("deepseek_v3_2").thinking_field)
    talk.turn_with_calls(0, Turn("Hm.", "", (Call("note", {}, "", (0, 0)),)), "")
    assert talk()[-1]["reasoning_content"] == "Hm."


# Kimi K3.

START = '<|open|>message role="assistant"<|sep|>'
THINK, ANSWER = f"{START}<|open|>think<|sep|>", f"{START}<|open|>response<|sep|>"
CALLS = "<|close|>response<|sep|>"
STOP = "<|close|>message<|sep|><|end_of_msg|>"


def element(head: str, body: str) -> str:
    return f"<|open|>{head}<|sep|>{body}<|close|>{head.split()[0]}<|sep|>"


def argument(key: str, kind: str, value: str) -> str:
    return element(f'argument key="{key}" type="{kind}"', value)


def tools(*written: str) -> str:
    """An element of calls to the tool "note", with these arguments each."""
    return element("tools", "".join(element(f'call tool="note" index="{n}"', each) for n, each in enumerate(written, 1)))


JSON_ARGUMENTS = element('json type="object"', '{"text": "x", "n": [1, null]}')


def k3(raw: str, prefix: str) -> tuple[str | None, str, list[tuple[str, Any]]]:
    turn = families.named("kimi_k3").parse(raw, TOOLS, prefix)
    return turn.thinking, turn.content, calls(turn)


@pytest.mark.parametrize(
    ("raw", "prefix", "right"),
    [
        (f"So.<|close|>think<|sep|>{element('response', 'Yes.')}{STOP}", THINK, ("So.", "Yes.", [])),
        (f"<|close|>think<|sep|>{element('response', '')}{tools('')}{STOP}", THINK, (None, "", [("note", {})])),
        (f"Yes.<|close|>response<|sep|>{STOP}", ANSWER, (None, "Yes.", [])),
        (f"{element('response', 'Yes.')}{STOP}", THINK, (None, "Yes.", [])),
        ("I think", THINK, ("I think", "", [])),
        ("Yes, I", ANSWER, (None, "Yes, I", [])),
        (f"{CALLS}{tools(argument('text', 'string', '7'))}{STOP}", ANSWER, (None, "", [("note", {"text": "7"})])),
        (f"{CALLS}{tools(argument('n', 'number', '7'))}{STOP}", ANSWER, (None, "", [("note", {"n": 7})])),
        (f"{CALLS}{tools(argument('a&amp;b &quot;', 'null', 'null'))}{STOP}", ANSWER,
         (None, "", [("note", {'a&b "': None})])),
        (f"{CALLS}{tools(argument('text', 'string', '<|close|>argument<|sep|>!'))}{STOP}", ANSWER,
         (None, "", [("note", {"text": "<|close|>argument<|sep|>!"})])),
        (f"{CALLS}{tools('', argument('text', 'string', 'x'))}{STOP}", ANSWER,
         (None, "", [("note", {}), ("note", {"text": "x"})])),
        (f"{CALLS}{tools(JSON_ARGUMENTS, '')}{STOP}", ANSWER,
         (None, "", [("note", {"text": "x", "n": [1, None]}), ("note", {})])),
        (f'{CALLS}<|open|>tools<|sep|><|open|>call tool="note" ind', ANSWER, (None, "", [("", "unterminated")])),
        (f"{CALLS}{tools('', '').partition('2')[0]}", ANSWER, (None, "", [("note", {}), ("", "unterminated")])),
    ],
    ids=["thinking and answer", "call", "answer opened by the prompt", "answer though thinking was opened", "cut in thinking",
         "cut in the answer", "text", "number", "escaped name", "marker in a value", "two calls", "arguments in one",
         "cut in a call", "cut in the second call"],
)  # fmt: skip
def test_turns_of_kimi_k3(raw: str, prefix: str, right: tuple[str | None, str, list[tuple[str, Any]]]) -> None:
    assert k3(raw, prefix) == right


@pytest.mark.parametrize("arguments", [argument("text", "string", "abc"), JSON_ARGUMENTS], ids=["tags", "JSON"])
def test_a_call_of_kimi_k3_cut_off_anywhere_is_never_run(arguments: str) -> None:
    raw = CALLS + tools(arguments)
    for cut in range(len(raw)):
        assert all(isinstance(outcome, str) for _, outcome in k3(raw[:cut], ANSWER)[2]), raw[:cut]
