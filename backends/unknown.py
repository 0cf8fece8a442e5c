"""The family of a checkpoint that no family knows, made from its tokenizer: its special tokens, and its response template.

A response template is a description of what the model writes that a tokenizer may carry; transformers reads a turn by it
(`transformers.utils.chat_parsing`). One call that it cannot read makes it give up the whole turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transformers.utils.chat_parsing import ResponseParser
from transformers.utils.chat_parsing.response_templates import load_response_template

from families.base import Call, CallError, Family, Parser, Text, Turn
from families.plain import plain
from families.reading import Span, joined, trimmed

_ROLES = ("eos_token", "bos_token", "pad_token", "unk_token")
_THOUGHTS = ("thinking", "reasoning_content", "reasoning")


def unknown_family(tokenizer: Any) -> Family:
    """The family for this transformers tokenizer; its turns are read by its response template where it carries one."""
    special = {token.content: None for token in tokenizer.added_tokens_decoder.values() if token.special}
    named = {token: role for role in reversed(_ROLES) if (token := getattr(tokenizer, role))}
    stops = [tokenizer.eos_token] if tokenizer.eos_token else []
    spaced = any(piece.startswith("▁") for piece in tokenizer.get_vocab())
    return plain({**special, **named}, stops, "sentencepiece" if spaced else "byte_level", _by_template(tokenizer))


def _by_template(tokenizer: Any) -> Parser | None:
    """A parser by the tokenizer's response template; None where it carries none that transformers can use."""
    if getattr(tokenizer, "response_template", None) is None:
        return None
    try:
        template = load_response_template(tokenizer.response_template)
    except (TypeError, ValueError):  # What is wrong with it; a value of a wrong type can also be met before it is looked at.
        return None

    def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
        try:
            return _turn(raw, list(_regions(ResponseParser(template, prefix, tools=[dict(tool) for tool in tools]), raw)))
        except Exception as error:  # What it raises on a text that it cannot read is not documented.
            return _unreadable(raw, error)

    return parse


@dataclass
class _Region:
    """A part of the turn that belongs to one field of the message: the characters [start, end) and what was read there."""

    name: str
    start: int
    end: int
    value: Any = None
    spans: list[Span] = field(default_factory=list)


def _regions(parser: ResponseParser, raw: str) -> Iterator[_Region]:
    """The regions of a turn in order. The parser tells texts and no places: each text is looked for after the last one."""
    events = [*parser.initial_events, {"type": "turn"}, *parser.feed(raw)]
    events += parser.finalize()[1]
    at, begun, region = 0, False, _Region("", 0, 0)
    for event in events:
        begun = begun or event["type"] == "turn"
        if event["type"] == "region_open":
            region = _Region(event["field"], at, at)
        elif event["type"] == "region_chunk" and begun:
            start = max(at, raw.find(event["text"], at))
            at = min(start + len(event["text"]), len(raw))
            region.start = region.start if region.spans else start
            region.end = at
            region.spans.append((start, at))
        elif event["type"] == "region_close" and begun:
            region.value = event["value"]
            yield region


def _turn(raw: str, regions: Sequence[_Region]) -> Turn:
    thoughts: list[Span] = []
    content: list[Span] = []
    calls: list[Call] = []
    for index, region in enumerate(regions):
        if region.name == "tool_calls":
            before = regions[index - 1].end if index else 0
            after = regions[index + 1] if index + 1 < len(regions) else None
            end = len(raw) if after is None else region.end if after.name == "tool_calls" else after.start
            calls += _calls(raw, region, (before, end))
        elif region.name in _THOUGHTS:
            thoughts += region.spans
        else:
            content += region.spans
    thinking = joined(raw, thoughts) or None
    return Turn(thinking, joined(raw, content), tuple(calls), _trimmed(raw, thoughts), _trimmed(raw, content))


def _trimmed(raw: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    return tuple(span for part in spans if (span := trimmed(raw, part))[0] < span[1])


def _calls(raw: str, region: _Region, span: Span) -> Iterator[Call]:
    """The calls of a region; where it holds several, the first one has all of its text as its span."""
    for value in region.value if isinstance(region.value, list) else [region.value]:
        yield _call(value, raw[region.start : region.end].strip(), span)
        span = (span[1], span[1])


def _call(value: Any, written: str, span: Span) -> Call:
    function = value.get("function", value) if isinstance(value, Mapping) else {}
    name, arguments = (function.get("name"), function.get("arguments")) if isinstance(function, Mapping) else (None, None)
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = None
    if isinstance(name, str) and name and isinstance(arguments, dict):
        return Call(name, arguments, written, span)
    text = Text(
        "回應模板讀出的不是帶名稱與引數的呼叫", "what the response template read there is no call with name and arguments"
    )
    return Call(name if isinstance(name, str) else "", None, written, span, CallError("bad_arguments", span[0], text))


def _unreadable(raw: str, error: Exception) -> Turn:
    """A turn that transformers gave up: what the model wrote is kept as one broken call, so that nothing of it is lost."""
    text = Text(
        f"transformers 照回應模板讀不懂這一輪：{error}",
        f"transformers cannot read this turn by its response template: {error}",
    )
    return Turn(None, "", (Call("", None, raw, (0, len(raw)), CallError("bad_arguments", 0, text)),))
