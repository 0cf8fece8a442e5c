"""Turns of every family to try things with: the recorded ones, and texts put together from what those are made of.

A family's parts are its markers, whole and cut short, and what stands between them in the recorded turns.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

from hypothesis import strategies as st

import families
from benchmarks.families import canitoolcall_rows, our_family, own_cases

COMMON = [
    "add", "now", "function", "a", "1", "-1.5e3", "true", "None", "nan", '"', "'", "`", "```\n", "{", "}", "[", "]", "(", ")",
    "<", ">", "</", "|", "=", ",", ":", "\\", "\\u12", "\n", "  ", "\t", "\u2028", "\x00", "臺北", "👩‍💻", "word ", "e\u0301",
    "&lt;", '{"name": "add", "arguments": {"a": 1, "b": "x"}}', "add(a=1)", "<think>", "</think>", "</thinking>",
    "<tool_call>", "<function=add>",
]  # fmt: skip
CALLS = {
    "deepseek_r1": "So.</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n"
    '{"a": 1, "b": "x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    "hermes": '<think>\nSo.\n</think>\n\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call><|im_end|>',
    "minimax_m2": '<minimax:tool_call>\n<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>\n'
    "</minimax:tool_call>[e~[",
    "smollm3": "<think>\nSo.\n</think>\n<code>\nadd(a=1, b=2)\n</code><|im_end|>",
}
"""A turn of each family of which none with a call was recorded."""
SHARED = {"qwen2_5": "qwen3", "hermes": "qwen3", "llama4": "llama3", "qwen3_coder": "qwen3_5"}
"""Families that also get the turns of another one, and may read its markers."""


@cache
def recorded() -> dict[str, list[str]]:
    """The raw turns that there are of each family, by its key."""
    turns: dict[str, list[str]] = defaultdict(list)
    for case in own_cases():
        turns[families.named(case["family"]).key].append(case["raw"])
    for row, _ in canitoolcall_rows():
        turns[our_family(row)].append(row.raw_output)
    for key, raw in CALLS.items():
        turns[key].append(raw)
    return turns


@cache
def markers(key: str) -> tuple[str, ...]:
    """Every text that means something in this family's turns, by its tables."""
    family = families.named(key)
    named = {*family.channels, *family.stop_tokens, *family.call_closers, *family.string_marks}
    named |= {token for group in family.token_groups for token in group.tokens}
    if family.headers:
        named |= {*family.headers.openers, family.headers.closer}
    return tuple(sorted(named, key=lambda name: (-len(name), name)))


def cut_at(names: tuple[str, ...], text: str) -> list[str]:
    """A text in parts: the markers and what stands between them."""
    return [part for part in re.split("(" + "|".join(map(re.escape, names)) + ")", text) if part] if names else [text]


@cache
def fragments(key: str) -> tuple[str, ...]:
    """What the texts of this family are put together from."""
    family = families.named(key)
    names = [*family.channels, *family.stop_tokens, *family.call_closers, *family.string_marks]
    raws = [*recorded()[key], *recorded()[SHARED.get(key, key)]][:40]
    parts = {part for raw in raws for part in cut_at(markers(key), raw) if len(part) < 200}
    return tuple(sorted({"Hi", *names, *(name[:-1] for name in names), *(name[1:] for name in names), *parts} - {""}))


def texts(key: str) -> st.SearchStrategy[str]:
    piece = st.sampled_from(fragments(key)) | st.sampled_from(COMMON) | st.text(max_size=6)
    return st.lists(piece, max_size=25).map("".join)
