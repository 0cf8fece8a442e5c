"""Channels of tokens as they come, and spans of tokens."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import families
from families.reading import ChannelReader, joined, quoted, token_ends, token_span, trimmed

QWEN3 = families.named("qwen3")
ADD = '{"name": "add", "arguments": {"text": "a </tool_call> \\" <think> b"}}'


def channels(tokens: list[str], prompt: str = "") -> list[str]:
    reader = ChannelReader(QWEN3, prompt)
    return [reader.feed(token) for token in tokens]


def by_character(tokens: list[str], prompt: str = "") -> str:
    """One letter for each character: the first of its token's channel, with C for control."""
    letters = {"thought": "h", "content": "c", "tool_call": "t", "control": "C"}
    return "".join(letters[channel] * len(token) for token, channel in zip(tokens, channels(tokens, prompt), strict=True))


def test_control_tokens_switch_the_channel() -> None:
    tokens = ["<think>", "\n", "So", "</think>", "\n\n", "Hi", "<tool_call>", "{}", "</tool_call>", "\n", "<|im_end|>"]
    assert channels(tokens) == [
        "control",
        "thought",
        "thought",
        "control",
        "content",
        "content",
        "control",
        "tool_call",
        "control",
        "content",
        "control",
    ]


def test_a_prompt_can_have_opened_the_thinking() -> None:
    assert channels(["So", "</think>", "Hi"], "<|im_start|>assistant\n<think>\n") == ["thought", "control", "content"]


def test_after_a_call_the_interrupted_channel_goes_on() -> None:
    tokens = ["<think>", "a", "<tool_call>", "{}", "</tool_call>", "b", "</think>", "c"]
    assert channels(tokens)[-3:] == ["thought", "control", "content"]


def test_thinking_that_ends_inside_an_open_call() -> None:
    assert channels(["<think>", "<tool_call>", "draft", "</think>", "c"])[-2:] == ["control", "content"]


def test_a_marker_inside_a_string_of_a_call_belongs_to_the_value() -> None:
    tokens = ["<tool_call>", '{"text": "', "<think>", " ", "</tool_call>", '\\"', "</tool_call>", '"}', "</tool_call>", "Hi"]
    assert channels(tokens) == ["control", *["tool_call"] * 7, "control", "content"]


def test_a_stop_token_ends_an_open_string() -> None:
    assert channels(["<tool_call>", '{"a": "', "<|im_end|>"])[-1] == "control"


def test_an_unfinished_character_stands_where_the_turn_stands() -> None:
    assert channels(["<think>", "", "", "北"]) == ["control", "thought", "thought", "thought"]


def expected(text: str, cuts: list[int]) -> list[str]:
    """The channels of the pieces of a text between the cuts, from the channel of each character in the one-character split."""
    single = channels(list(text))
    found, start = [], 0
    for end in [*cuts, len(text)]:
        ends_marker = any(single[at] == "control" for at in range(start, end))
        found.append("control" if ends_marker else single[end - 1] if end else "content")
        start = end
    return found


pieces = st.sampled_from(
    ["<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>", ADD, "\\", '"', "<", ">", "text", " 北", "\n"]
)


@given(text=st.lists(pieces, min_size=1, max_size=12).map("".join), data=st.data())
def test_any_split_gives_the_same_channels(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(text) - 1)), max_size=8)))
    cuts = [cut for cut in cuts if cut < len(text)]
    tokens = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert channels(tokens) == expected(text, cuts)


def test_the_reader_keeps_no_more_than_a_marker() -> None:
    """The cost of a token must not grow with the turn."""
    reader = ChannelReader(QWEN3)
    for token in ["word " * 50] * 50 + ["<tool_call>", '{"a": "'] + ["\\\\" * 50] * 50:
        reader.feed(token)
        assert len(reader._tail) < 40


def test_by_character_of_a_whole_turn() -> None:
    text = "<think>ab</think>cd<tool_call>{}</tool_call>"
    tokens = [found[0] for found in re.finditer(r"</?\w+>|[^<]", text)]
    assert by_character(tokens) == "C" * 7 + "hh" + "C" * 8 + "cc" + "C" * 11 + "tt" + "C" * 12


@pytest.mark.parametrize(
    ("span", "tokens"),
    [
        ((0, 5), (0, 2)),
        ((5, 9), (2, 4)),
        ((6, 8), (2, 4)),
        ((0, 1), (0, 1)),
        ((9, 10), (4, 7)),
        ((10, 11), (7, 8)),
        ((4, 4), (1, 1)),
        ((0, 11), (0, 8)),
    ],
)
def test_token_span(span: tuple[int, int], tokens: tuple[int, int]) -> None:
    ends = token_ends(["He", "llo", " w", "or", "", "", "北", "!"])
    assert ends == (2, 5, 7, 9, 9, 9, 10, 11)
    assert token_span(span, ends) == tokens


def test_trimmed_and_joined() -> None:
    text = "  one \n two "
    assert trimmed(text, (0, 6)) == (2, 5)
    assert trimmed("   ", (0, 3)) == (3, 3)
    assert joined("ab cd", [(0, 2), (3, 5)]) == "ab\ncd"
    assert joined("ab cd", [(0, 2), (2, 5)]) == "ab cd"


@pytest.mark.parametrize(
    ("before", "after", "right"),
    [("「", "」", True), ("『", "』", True), ("“", "”", True), ("‘", "’", True), ("`", "`", True), ('"', '"', True),
     ("」", "「", False), ("”", "“", False), ("「", "』", False), ("`", '"', False), ("", "`", False), ("`", "", False)],
)  # fmt: skip
def test_a_marker_is_quoted_between_a_quotation_mark_and_its_partner(before: str, after: str, right: bool) -> None:
    text = f"{before}<x>{after}"
    assert quoted(text, len(before), len(before) + 3) is right
