"""Turns written by hand in the formats of Llama, Mistral, LFM2 and SmolLM3: right, with slips, and broken."""

from __future__ import annotations

from typing import Any

import pytest

import families
from families.base import Turn
from families.reading import ChannelReader
from tests.families.checks import TOOLS, tool

STOPS = {"llama3": "<|eot_id|>", "llama4": "<|eot|>", "mistral": "</s>", "lfm2": "<|im_end|>", "smollm3": "<|im_end|>"}


def read(family: str, raw: str, tools: list[Any] | None = None, prefix: str = "") -> Turn:
    return families.named(family).parse(raw + STOPS[family], TOOLS if tools is None else tools, prefix)


def calls(turn: Turn) -> list[tuple[str, Any]]:
    return [(call.name, call.error.kind if call.error else call.arguments) for call in turn.calls]


RIGHT: list[tuple[str, str, str | None, str, list[tuple[str, Any]]]] = [
    ("llama3", '{"name": "add", "parameters": {"a": 1}}', None, "", [("add", {"a": 1})]),
    ("llama3", ' \n{"type": "function", "name": "now", "parameters": {}}\n', None, "", [("now", {})]),
    ("llama3", 'So.\n{"name": "now", "parameters": {}}', None, "So.", [("now", {})]),
    ("llama3", '<|python_tag|>add.call(a="x", b="y")', None, "", [("add", {"a": "x", "b": "y"})]),
    ("llama3", '<|python_tag|>brave_search.call(query="x")', None, "", [("brave_search", {"query": "x"})]),
    ("llama3", '<function=add>{"a": 1}</function>', None, "", [("add", {"a": 1})]),
    ("llama3", "[add(a=1), now()]", None, "", [("add", {"a": 1}), ("now", {})]),
    ("llama3", "<|python_start|>[now()]<|python_end|>", None, "", [("now", {})]),
    ("llama3", '<|python_start|><|python_end|>{"name": "add", "parameters": {"a": 1}}', None, "", [("add", {"a": 1})]),
    ("llama3", '<|python_start|>So.<|python_end|>{"name": "add", "parameters": {"a": 1}}{"name": "now", "parameters": {}}', None,
     "So.", [("add", {"a": 1}), ("now", {})]),
    ("llama3", "I add.\n[add(a=1)]\nDone.", None, "I add.\n\nDone.", [("add", {"a": 1})]),
    ("llama3", '{"name": "other", "parameters": {"x": 1}}', None, "", [("other", {"x": 1})]),
    ("llama3", '{"name": "Alice", "age": 3}', None, '{"name": "Alice", "age": 3}', []),
    ("llama3", "[1, 2]", None, "[1, 2]", []),
    ("llama3", "[other(x=1)]", None, "", [("other", {"x": 1})]),
    ("llama3", "[other(x=1)] is Python", None, "[other(x=1)] is Python", []),
    ("llama3", 'Like this:\n```json\n{"name": "other", "parameters": {}}\n```', None,
     'Like this:\n```json\n{"name": "other", "parameters": {}}\n```', []),
    ("mistral", '[TOOL_CALLS] [{"name": "now", "arguments": {}, "id": "abc123def"}]', None, "", [("now", {})]),
    ("mistral", '[TOOL_CALLS]add[CALL_ID]000000001[ARGS]{"a": 1}', None, "", [("add", {"a": 1})]),
    ("mistral", 'Ok.[TOOL_CALLS]add[ARGS]{"a": "[TOOL_CALLS]now[ARGS]{}"}', None, "Ok.",
     [("add", {"a": "[TOOL_CALLS]now[ARGS]{}"})]),
    ("mistral", "[THINK]Hm. [TOOL_CALLS]now[ARGS]{}[/THINK]No.", "Hm. [TOOL_CALLS]now[ARGS]{}", "No.", []),
    ("mistral", "[THINK]Hm.[TOOL_CALLS]now[ARGS]{}", "Hm.", "", [("now", {})]),
    ("mistral", "<think>Hm.</think>Yes.", "Hm.", "Yes.", []),
    ("lfm2", "<|tool_call_start|>[add(a='x')]<|tool_call_end|>Wait.", None, "Wait.", [("add", {"a": "x"})]),
    ("lfm2", '<|tool_call_start|>[{"name": "add", "arguments": {"a": 1}}]<|tool_call_end|>', None, "", [("add", {"a": 1})]),
    ("lfm2", "<think>Hm.</think><|tool_call_start|>[now()]<|tool_call_end|>", "Hm.", "", [("now", {})]),
    ("lfm2", "<|tool_call_start|>[add(a='<|tool_call_end|>')]<|tool_call_end|>", None, "", [("add", {"a": "<|tool_call_end|>"})]),
    ("lfm2", '<|tool_call_start|>[add(a={"on": true, "off": [null]}, b=True)]<|tool_call_end|>', None, "",
     [("add", {"a": {"on": True, "off": [None]}, "b": True})]),
    ("lfm2", "The marker `<|tool_call_start|>` begins it.", None, "The marker `<|tool_call_start|>` begins it.", []),
    ("smollm3", '<think>\nHm.\n</think>\n<tool_call>{"name": "now", "arguments": {}}</tool_call>', "Hm.", "", [("now", {})]),
    ("smollm3", 'I look. <code>add(a=1)\nnow()</code> Wait.', None, "I look.\nWait.", [("add", {"a": 1}), ("now", {})]),
    ("smollm3", "<code>print(add(a=1))</code>", None, "<code>print(add(a=1))</code>", []),
    ("smollm3", "<code>x = 1</code>", None, "<code>x = 1</code>", []),
]  # fmt: skip


@pytest.mark.parametrize(("family", "raw", "thinking", "content", "expected"), RIGHT)
def test_right(family: str, raw: str, thinking: str | None, content: str, expected: list[tuple[str, Any]]) -> None:
    turn = read(family, raw)
    assert (turn.thinking, turn.content) == (thinking, content)
    assert calls(turn) == expected
    assert all(call.repaired is None for call in turn.calls)


REPAIRED: list[tuple[str, str, list[tuple[str, Any]], str]] = [
    ("llama3", '{"name": "add", "parameters": {"a": True}}', [("add", {"a": True})], "Python's True"),
    ("llama3", '```json\n{"name": "now", "parameters": {}}\n```', [("now", {})], "code fence"),
    ("llama3", "now()", [("now", {})], "without the brackets"),
    ("llama3", '<function=add>{"a": 1}', [("add", {"a": 1})], "</function>"),
    ("mistral", '[TOOL_CALLS]add{"a": 1}', [("add", {"a": 1})], "[ARGS]"),
    ("mistral", 'add[ARGS]{"a": 1}', [("add", {"a": 1})], "without its markers"),
    ("mistral", '[TOOL_CALLS]now[ARGS]{}, add[ARGS]{"a": 1}', [("now", {}), ("add", {"a": 1})], "later call"),
    ("mistral", '[{"name": "now", "arguments": {}}]', [("now", {})], "without its markers"),
    ("lfm2", "<|tool_call_start|>[add(a=1)", [("add", {"a": 1})], "<|tool_call_end|>"),
    ("lfm2", "[add(a=1)]<|tool_call_end|>", [("add", {"a": 1})], "a missing <|tool_call_start|>"),
    ("lfm2", "[add(a=1)]", [("add", {"a": 1})], "without its markers"),
    ("lfm2", "<|tool_call_start|>now()<|tool_call_end|>", [("now", {})], "brackets"),
    ("lfm2", "<|tool_call_start|>[now()]</tool_call>", [("now", {})], "</tool_call>"),
    ("lfm2", "<|tool_call_start|>[now()]<|tool_call_start|>", [("now", {})], "closing marker"),
    ("lfm2", "<|tool_call_start|><|tool_call_start|>[now()]<|tool_call_end|>", [("now", {})], "doubled"),
    ("mistral", "[TOOL_CALLS][TOOL_CALLS]now[ARGS]{}", [("now", {})], "doubled"),
    ("llama3", '<|python_tag|><|python_tag|>{"name": "now", "parameters": {}}', [("now", {})], "doubled"),
    ("llama3", '{"name": "add", "parameters": {"a": 1}\n{"name": "now", "parameters": {}}',
     [("add", {"a": 1}), ("now", {})], "bracket"),
    ("smollm3", "<code>\nadd(a=1)\n", [("add", {"a": 1})], "a missing </code>"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "raw", "expected", "slip"), REPAIRED)
def test_slips_with_one_reading_are_read_and_named(family: str, raw: str, expected: list[tuple[str, Any]], slip: str) -> None:
    turn = read(family, raw)
    assert calls(turn) == expected
    assert turn.content == ""
    assert any(slip in call.repaired.en for call in turn.calls if call.repaired)


@pytest.mark.parametrize(
    ("family", "raw", "expected"),
    [
        ("mistral", '[TOOL_CALLS][{"name": "get_user", "id": 7}]', {"id": 7}),
        ("mistral", '[TOOL_CALLS][{"name": "get_user", "arguments": {"id": 7}, "id": "D681PevKs"}]', {"id": 7}),
        ("mistral", '[TOOL_CALLS][{"name": "get_user", "arguments": {}, "id": "D681PevKs"}]', {}),
        ("llama3", '{"name": "search", "parameters": {"q": "a"}, "type": "news"}', {"q": "a", "type": "news"}),
        ("llama3", '{"type": "function", "name": "search", "parameters": {"q": "a"}}', {"q": "a"}),
    ],
)
def test_an_id_or_a_type_is_an_argument_if_the_tool_has_it(family: str, raw: str, expected: dict[str, Any]) -> None:
    tools = [tool("get_user", "id"), tool("search", "q", "type")]
    assert [call.arguments for call in read(family, raw, tools).calls] == [expected]


BROKEN: list[tuple[str, str, list[tuple[str, Any]]]] = [
    ("llama3", '{"name": "add", "parameters": {"a": oops}}', [("add", "bad_arguments")]),
    ("llama3", "[now(), add(a=oops)]", [("now", {}), ("add", "bad_arguments")]),
    ("llama3", "<|python_tag|>import math", [("", "not_a_call")]),
    ("llama3", "<function=add>please</function>", [("add", "bad_arguments")]),
    # A string that is not closed swallows the next call, up to its first quotation mark or whole.
    ("llama3", '<|python_tag|>{"name": "add", "parameters": {"a": "x}}<|python_tag|>{"name": "now", "parameters": {}}',
     [("add", "bad_arguments"), ("now", {})]),
    ("mistral", '[TOOL_CALLS]add[ARGS]{"a": "x}[TOOL_CALLS]add[ARGS]{"b": 1}', [("add", "bad_arguments"), ("add", {"b": 1})]),
    ("mistral", '[TOOL_CALLS]add[ARGS]{"a": "x}[TOOL_CALLS]now[ARGS]{}', [("add", "bad_arguments"), ("now", {})]),
    ("lfm2", "<|tool_call_start|>[add(a='x)]<|tool_call_end|><|tool_call_start|>[add(b='y')]<|tool_call_end|>",
     [("add", "bad_arguments"), ("add", {"b": "y"})]),
    ("lfm2", "<|tool_call_start|>[add(a='x)]<|tool_call_end|><|tool_call_start|>[now()]<|tool_call_end|>",
     [("add", "bad_arguments"), ("now", {})]),
    # A call that such a string only speaks of is not run.
    ("mistral", '[TOOL_CALLS]add[ARGS]{"a": "write [TOOL_CALLS]now[ARGS]{} there', [("add", "unterminated")]),
    ("mistral", '[TOOL_CALLS]add[ARGS]{"a": "write [TOOL_CALLS]now[ARGS]{}", oops}', [("add", "bad_arguments")]),
    ("lfm2", "<|tool_call_start|>[add(a='write <|tool_call_start|>[now()]<|tool_call_end|>", [("add", "bad_arguments")]),
    ("mistral", "[TOOL_CALLS] no call at all", [("", "not_a_call")]),
    ("mistral", '[TOOL_CALLS]add[ARGS]{"a": oops}[TOOL_CALLS]now[ARGS]{}', [("add", "bad_arguments"), ("now", {})]),
    ("lfm2", "<|tool_call_start|>[add(a=oops), now()]<|tool_call_end|>", [("add", "bad_arguments"), ("now", {})]),
    ("lfm2", "<|tool_call_start|><|tool_call_end|>", [("", "not_a_call")]),
    ("lfm2", "<|tool_call_start|>[now()] and more<|tool_call_end|>", [("now", "bad_arguments")]),
    ("smollm3", "<code>\nadd(a=)\n</code>", [("add", "bad_arguments")]),
    ("smollm3", "<code>now()\nadd(a=)\nadd(b=1)</code>", [("now", {}), ("add", "bad_arguments"), ("add", {"b": 1})]),
    ("smollm3", "<code>now()\nadd(1 +\n", [("now", {}), ("add", "bad_arguments")]),
    ("smollm3", "<code>add(a=1) + 2</code>", [("add", "bad_arguments")]),
    ("smollm3", "<code>now()\nprint(1)</code>", [("now", "bad_arguments")]),
]  # fmt: skip


@pytest.mark.parametrize(("family", "raw", "expected"), BROKEN)
def test_broken_calls_are_calls_with_an_error(family: str, raw: str, expected: list[tuple[str, Any]]) -> None:
    assert calls(read(family, raw)) == expected


@pytest.mark.parametrize(
    ("family", "raw"),
    [
        ("llama3", '{"name": "add", "parameters": {"a": "x'),
        ("llama3", "[now(), add(a='x"),
        ("llama3", "<|python_tag|>"),
        ("mistral", "[TOOL_CALLS]"),
        ("mistral", "[TOOL_CALLS]add"),
        ("mistral", '[TOOL_CALLS]add[ARGS]{"a": [1, 2'),
        ("lfm2", "<|tool_call_start|>[now()]"),
        ("lfm2", "<|tool_call_start|>[now()]<|tool_call"),
        ("lfm2", "<|tool_call_start|>[now(), now()]<|tool_call"),
        ("mistral", '[TOOL_CALLS]add[ARGS]{"a": "write [TOOL_CALLS]now[ARGS]{} there'),
        # Whole as they look: nothing says that the model had no more to write.
        ("mistral", '[TOOL_CALLS]add[ARGS]{"a": 1}\n'),
        ("mistral", '[TOOL_CALLS] [{"name": "now", "arguments": {}}]'),
        ("llama3", '{"name": "add", "parameters": {"a": 1}}'),
        ("llama3", '<|python_tag|>{"name": "add", "parameters": {"a": 1}}'),
        ("llama3", "<|python_tag|>add.call(a=1)"),
        ("llama3", "[add(a=1)]"),
        ("llama4", "<|python_start|>[add(a=1)]"),
        ("smollm3", "<code>\nadd(a=1, "),
        ("smollm3", "<code>\nnow()\nadd(a=1)\n</co"),
    ],
)
def test_a_turn_that_is_cut_off_leaves_unterminated_calls(family: str, raw: str) -> None:
    turn = families.named(family).parse(raw, TOOLS, "")
    assert turn.calls
    assert {call.error.kind for call in turn.calls if call.error} == {"unterminated"}
    assert all(call.arguments is None for call in turn.calls)


@pytest.mark.parametrize(
    ("family", "raw", "expected"),
    [
        ("mistral", '[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]add[ARGS]{"a": 1}', [("now", {}), ("add", "unterminated")]),
        ("llama3", "[now(), add(a=1)]", [("now", {}), ("add", "unterminated")]),
        ("llama3", '{"name": "now", "parameters": {}}\n\nThat', [("now", {})]),
        ("llama3", '<function=add>{"a": 1}</function>', [("add", {"a": 1})]),
        ("llama4", "<|python_start|>[add(a=1)]<|python_end|>", [("add", {"a": 1})]),
        ("smollm3", "<code>\nadd(a=1)\n</code>", [("add", {"a": 1})]),
    ],
)
def test_a_turn_that_is_cut_off_behind_a_call_leaves_it_whole(family: str, raw: str, expected: list[tuple[str, Any]]) -> None:
    """Something stands behind it that ends it: its own marker, another call, or text."""
    assert calls(families.named(family).parse(raw, TOOLS, "")) == expected


@pytest.mark.parametrize("raw", ['{"name": "other", "parameters": {}}', "[other()]"])
def test_without_tools_such_a_turn_is_an_answer(raw: str) -> None:
    assert read("llama3", raw, []) == Turn(None, raw, (), (), ((0, len(raw)),))


def test_a_call_says_where_its_arguments_broke() -> None:
    raw = "<|tool_call_start|>[add(a=1, b=oops)]<|tool_call_end|>"
    error = read("lfm2", raw).calls[0].error
    assert error is not None
    assert error.at == raw.index("oops")
    assert "oops" in error.text.en
    assert "oops" in error.text.zh


@pytest.mark.parametrize(
    ("family", "texts", "channels"),
    [
        ("llama3", ["<|python_tag|>", '{"name"', "<|eom_id|>"], ["control", "tool_call", "control"]),
        ("llama4", ["<|python_start|>", "[now()]", "<|python_end|>", "x"], ["control", "tool_call", "control", "content"]),
        ("mistral", ["[THINK]", "x", "[/THINK]", "y", "[TOOL_CALLS]", "now", "[ARGS]", "{}", "</s>"],
         ["control", "thought", "control", "content", "control", "tool_call", "control", "tool_call", "control"]),
        ("lfm2", ["<|tool_call_start|>", "[f(a='<think>')]", "<|tool_call_end|>", "x"],
         ["control", "tool_call", "control", "content"]),
    ],
)  # fmt: skip
def test_channels(family: str, texts: list[str], channels: list[str]) -> None:
    reader = ChannelReader(families.named(family))
    assert [reader.feed(text) for text in texts] == channels
