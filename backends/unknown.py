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
from families.json_calls import likely_name, unterminated
from families.plain import plain
from families.reading import Scanner, Span, joined, trimmed

_ROLES = ("eos_token", "bos_token", "pad_token", "unk_token")
_CALLS = "tool_calls"
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
            parser = _PlacingParser(template, prefix, tools, ended=raw.rstrip().endswith(tokenizer.eos_token or "\0"))
            return _turn(raw, list(_regions(parser, raw)))
        except Exception as error:  # What it raises on a text that it cannot read is not documented.
            return _unreadable(raw, error)

    return parse


class _PlacingParser(ResponseParser):  # type: ignore[misc]
    """transformers' parser, with what its events do not tell: where each stands ("span"), in characters of all that it was fed,
    prompt included, and whether a call was cut off ("cut"), which it reads as far as it goes and would give out as whole.

    `ended` says that the text ends with a stop token. These are inner methods of transformers 5.24's parser; where another
    version has others, reading fails and the turn is shown as it is.
    """

    def __init__(self, template: Any, prefix: str, tools: Sequence[Mapping[str, Any]], ended: bool) -> None:
        self._written = 0
        self._ended = ended
        super().__init__(template, prefix, tools=[dict(tool) for tool in tools])
        self.begun = len(self._buffer)
        """The character at which the turn begins."""

    def _place(self, events: list[dict[str, Any]], start: int, end: int) -> None:
        for event in reversed(events):
            if "span" in event:
                break
            event["span"] = (start, end)

    def _accumulate(self, events: list[dict[str, Any]], text: str) -> None:
        super()._accumulate(events, text)
        self._written = self._pos + len(text)
        self._place(events, self._pos, self._written)

    def _open_explicit(self, events: list[dict[str, Any]], field: Any, m: Any) -> None:
        super()._open_explicit(events, field, m)
        self._written = m.end()
        self._place(events, m.start(), m.end())

    def _close_current(self, events: list[dict[str, Any]]) -> None:
        if self._opened and self._current == _CALLS and self._cut():
            events.append({"type": "region_close", "field": _CALLS, "value": None, "cut": True})
            self._reset_to_implicit()
        else:
            super()._close_current(events)
        self._place(events, self._pos, self._pos)

    def _cut(self) -> bool:
        """Whether nothing ends the call that is being closed: no marker stands after its text, and more might have followed."""
        at_end = self._written == self._pos == len(self._buffer)
        closes_itself = self._spec.fields[_CALLS].close_re is None and self._ended
        return at_end and not closes_itself


@dataclass
class _Region:
    """A part of the turn that belongs to one field of the message: the characters [start, end), markers included, and what was
    read there. `spans` is its text."""

    name: str
    start: int
    end: int = 0
    value: Any = None
    cut: bool = False
    spans: list[Span] = field(default_factory=list)


def _regions(parser: _PlacingParser, raw: str) -> Iterator[_Region]:
    """The regions of a turn in order; what the prompt wrote of the first one is left out."""
    turn = {"type": "turn", "span": (parser.begun, parser.begun)}
    events = [*parser.initial_events, turn, *parser.feed(raw)]
    events += parser.finalize()[1]
    begun, region = False, _Region("", 0)
    for event in events:
        start, end = (max(0, at - parser.begun) for at in event["span"])
        begun = begun or event["type"] == "turn"
        if event["type"] == "region_open":
            region = _Region(event["field"], start)
        elif event["type"] == "region_chunk" and begun:
            if region.spans and region.spans[-1][1] == start:
                start = region.spans.pop()[0]
            region.spans.append((start, end))
        elif event["type"] == "region_close" and begun:
            region.end, region.value, region.cut = end, event["value"], "cut" in event
            yield region


def _turn(raw: str, regions: Sequence[_Region]) -> Turn:
    thoughts: list[Span] = []
    content: list[Span] = []
    calls: list[Call] = []
    for region, after in zip(regions, [*regions[1:], None], strict=True):
        if region.name == _CALLS:
            calls += _calls(raw, region, (region.start, region.end if after is None else min(region.end, after.start)))
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
    start, end = (region.spans[0][0], region.spans[-1][1]) if region.spans else (span[1], span[1])
    written = raw[start:end].strip()
    if region.cut:
        yield Call(likely_name(Scanner(raw), region.start, end), None, written, span, unterminated(len(raw)))
        return
    for value in region.value if isinstance(region.value, list) else [region.value]:
        yield _call(value, written, span)
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
