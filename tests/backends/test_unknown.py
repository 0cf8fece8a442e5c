"""A checkpoint that no family knows: it loads, shows its turn as it is, or reads it by its tokenizer's response template."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.base import Sampling
from backends.local import LocalBackend
from backends.unknown import unknown_family
from families.base import Family, Turn
from families.reading import ChannelReader
from tests.backends import tiny
from tests.families.checks import left_over

PARAMETERS = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "add", "parameters": PARAMETERS}}]
CALL = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
TEMPLATE: dict[str, Any] = {
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "tool_calls": {
            "open": "<tool_call>",
            "close": "</tool_call>",
            "content": "json",
            "repeats": True,
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close": "<|im_end|>"},
    },
}
INLINE: dict[str, Any] = {
    **TEMPLATE,
    "fields": {
        **TEMPLATE["fields"],
        "tool_calls": {
            "open_pattern": r"<tool_call>\s*<function=(?P<name>\w+)>",
            "close": "</tool_call>",
            "content": "xml-inline",
            "content_args": {"tag_pattern": r"<parameter=(?P<key>\w+)>\n(?P<value>.*?)\n</parameter>"},
            "repeats": True,
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
    },
}
"""Calls whose arguments are looked for one by one, so that half of them can be read."""
TO_THE_END: dict[str, Any] = {
    **TEMPLATE,
    "fields": {
        "tool_calls": {
            "open_pattern": r"<tool_call>(?P<name>\w+)\n",
            "content": "kv-lines",
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {},
    },
}
"""A call that nothing ends but the end of the turn."""
PROMPT = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


@pytest.fixture(scope="module")
def plain_family() -> Family:
    return unknown_family(tiny.tokenizer())


@pytest.fixture(scope="module")
def by_template() -> Family:
    return family_of(TEMPLATE)


def test_special_tokens_are_the_tokenizers_own(plain_family: Family) -> None:
    assert set(plain_family.channels) == {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}
    assert set(plain_family.stop_tokens) == {"<|im_end|>"}
    roles = {token: str(plain_family.purpose_of(token)) for token in plain_family.channels}
    assert "eos_token" in roles["<|im_end|>"]
    assert "pad_token" in roles["<|endoftext|>"]
    assert "do not say" in roles["<|im_start|>"]
    assert plain_family.vocabulary == "byte_level"


def test_a_turn_is_shown_as_it_is(plain_family: Family) -> None:
    raw = '<think>Hm.</think>\n<tool_call>{"name": "add", "arguments": {}}</tool_call>'
    assert plain_family.parse(raw + "<|im_end|>", TOOLS, PROMPT) == Turn(None, raw, (), (), ((0, len(raw)),))
    assert plain_family.parse(" \n", [], "") == Turn(None, "")


def test_its_tokens_are_content_and_control(plain_family: Family) -> None:
    reader = ChannelReader(plain_family, PROMPT)
    assert [reader.feed(text) for text in ("Hi", " <think>", "<|im_end|>")] == ["content", "content", "control"]


def test_the_reader_says_which_way_it_goes(plain_family: Family, by_template: Family) -> None:
    assert plain_family.note is not None
    assert by_template.note is not None
    assert plain_family.note != by_template.note


def test_a_response_template_tells_thinking_calls_and_content_apart(by_template: Family) -> None:
    raw = f'<think>Hm.</think>\nSo.{CALL} and <tool_call>{{"name": "now", "arguments": "{{}}"}}</tool_call><|im_end|>'
    turn = by_template.parse(raw, TOOLS, PROMPT)
    assert (turn.thinking, turn.content) == ("Hm.", "So. and")
    assert [(call.name, call.arguments, call.error) for call in turn.calls] == [("add", {"a": 1}, None), ("now", {}, None)]
    assert turn.calls[0].raw_args == '{"name": "add", "arguments": {"a": 1}}'
    assert raw[slice(*turn.calls[0].span)] == CALL


@pytest.mark.parametrize(
    ("template", "call", "name"),
    [
        (TEMPLATE, CALL.removesuffix("</tool_call>"), "add"),
        (TEMPLATE, CALL.removesuffix("}}</tool_call>"), "add"),
        (TEMPLATE, CALL.removesuffix("call>"), "add"),
        (TEMPLATE, CALL.removesuffix("</tool_call>") + "<|im_end|>", "add"),
        (TEMPLATE, "<tool_call>", ""),
        (INLINE, "<tool_call><function=add><parameter=a>\n1\n</parameter>\n<parameter=b>\nhal", "add"),
        (INLINE, "<tool_call><function=add><parameter=a>\n1\n</parameter>\n<parameter=b>\nhal<|im_end|>", "add"),
        (TO_THE_END, "<tool_call>add\na: 1\nb: 2", ""),
    ],
)
def test_a_call_that_was_cut_off_is_not_run(template: dict[str, Any], call: str, name: str) -> None:
    turn = family_of(template).parse("Sure." + call, TOOLS, PROMPT)
    assert [(call.name, call.arguments, call.error.kind) for call in turn.calls if call.error] == [(name, None, "unterminated")]
    assert turn.content == "Sure."
    assert turn.calls[0].span == (5, 5 + len(call))


@pytest.mark.parametrize(
    ("template", "call"),
    [
        (TEMPLATE, CALL),
        (INLINE, "<tool_call><function=add><parameter=a>\n1\n</parameter></tool_call>"),
        (TO_THE_END, "<tool_call>add\na: 1\n<|im_end|>"),
    ],
)
def test_a_call_that_ended_is_whole(template: dict[str, Any], call: str) -> None:
    (read,) = family_of(template).parse(call, TOOLS, PROMPT).calls
    assert (read.name, read.error) == ("add", None)
    assert read.arguments is not None
    assert read.arguments["a"] == 1


@pytest.mark.parametrize(
    ("raw", "thoughts", "content"),
    [
        ("<think>think</think>ok", ["think"], ["ok"]),
        ("<think>hm</think>t" + CALL, ["hm"], ["t"]),
        ("<think>a</think>tool" + CALL + "call<tool", ["a"], ["tool", "call<tool"]),
    ],
)
def test_spans_are_where_the_texts_stand_and_not_in_a_marker(
    raw: str, thoughts: list[str], content: list[str], by_template: Family
) -> None:
    turn = by_template.parse(raw, TOOLS, PROMPT)
    assert [raw[slice(*span)] for span in turn.thinking_spans] == thoughts
    assert [raw[slice(*span)] for span in turn.content_spans] == content
    assert all(raw[slice(*call.span)] == CALL for call in turn.calls)
    starts = [span[0] for span in (*turn.thinking_spans, *turn.content_spans)]
    assert all(raw[start - 1] == ">" for start in starts)


def test_the_prompt_may_have_opened_the_thinking(by_template: Family) -> None:
    turn = by_template.parse("Hm.</think>Done.<|im_end|>", [], PROMPT + "<think>")
    assert (turn.thinking, turn.content, turn.thinking_spans) == ("Hm.", "Done.", ((0, 3),))


@pytest.mark.parametrize(
    "call", ['{"name": "add", "arguments": {"a": 1', '{"name": 1, "arguments": {}}', '{"name": "add", "arguments": [1]}', "[1]"]
)
def test_what_transformers_cannot_read_is_a_broken_call(call: str, by_template: Family) -> None:
    raw = f"Sure.<tool_call>{call}</tool_call><|im_end|>"
    turn = by_template.parse(raw, TOOLS, PROMPT)
    assert [call.arguments for call in turn.calls] == [None]
    assert turn.calls[0].error is not None
    assert call in raw[slice(*turn.calls[0].span)]


@pytest.mark.parametrize("template", [{"fields": {}}, "<b>", {"start_anchor": "a", "fields": {"content": {"content": ["text"]}}}])
def test_a_response_template_that_transformers_refuses_is_left_aside(template: Any) -> None:
    tokenizer = tiny.tokenizer()
    tokenizer.response_template = template
    assert unknown_family(tokenizer).note == unknown_family(tiny.tokenizer()).note


def family_of(template: dict[str, Any]) -> Family:
    tokenizer = tiny.tokenizer()
    tokenizer.response_template = template
    return unknown_family(tokenizer)


FRAGMENTS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>", CALL, "{", '"', "x", "\n", "臺"]


@given(raw=st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=16).map("".join))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read_in_order(raw: str) -> None:
    tokenizer = tiny_with_template()
    turn = tokenizer.parse(raw, TOOLS, PROMPT)
    spans = sorted([*turn.thinking_spans, *turn.content_spans, *(call.span for call in turn.calls)])
    assert all(0 <= start <= end <= len(raw) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    marker = re.compile("|".join(map(re.escape, FRAGMENTS[:5])))
    if not any(call.error and call.error.kind == "bad_arguments" for call in turn.calls):  # Such a turn is given up whole.
        assert not marker.sub("", left_over(raw, turn)).strip()


_MADE: list[Family] = []


def tiny_with_template() -> Family:
    """The family by the response template; made once, because Hypothesis does not mix with fixtures."""
    if not _MADE:
        _MADE.append(family_of(TEMPLATE))
    return _MADE[0]


@pytest.mark.parametrize("template", [None, TEMPLATE])
def test_such_a_checkpoint_loads_and_writes(template: dict[str, Any] | None, tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in tiny_folder.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    tokenizer = (folder / "tokenizer.json").read_text("utf-8").replace("<tool_call>", "<do>").replace("</tool_call>", "</do>")
    (folder / "tokenizer.json").write_text(tokenizer, "utf-8")
    if template is not None:
        config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        (folder / "tokenizer_config.json").write_text(json.dumps({**config, "response_template": template}), "utf-8")
    backend = LocalBackend.load(folder, "copy")
    assert backend.family.key == "plain"
    assert (backend.family.note != unknown_family(tiny.tokenizer()).note) is (template is not None)
    prompt = backend.render([{"role": "user", "content": "hi"}], [], thinking=True)
    events = list(backend.generate(backend.encode(prompt), Sampling(max_new_tokens=8, seed=1), lambda: False))
    raw = "".join(event.text for event in events if hasattr(event, "text"))
    assert backend.family.parse(raw, [], prompt).content_spans or not raw.strip()
