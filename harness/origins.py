"""Who wrote each character of a rendered prompt: the texts of messages are their authors', what the model wrote around its own
texts is its, and the rest is the template's, or there for the tools."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from backends.base import Message, ToolSchema
from families.base import Family
from harness.marks import TAG, Author, Found, Key, Part, Source, found_texts

Render = Callable[[Sequence[Message], Sequence[ToolSchema]], str]


class Stretch(NamedTuple):
    """Characters [start, end) of a prompt and who wrote them; `message` and `part` say of what, where it is a message's."""

    start: int
    end: int
    author: Author
    message: Key | None = None
    part: Part = ""


Cut = tuple[Key, str]
"""A text of a message, to be found again in another rendering: "content", "thinking", "name 0", "arguments 0", …"""


@dataclass(frozen=True)
class Authored:
    """A prompt's stretches, which together are the whole of it, and where the messages' texts stand."""

    stretches: tuple[Stretch, ...]
    cuts: Mapping[Cut, tuple[int, int]]


@dataclass(frozen=True)
class Turn:
    """What the model wrote as one message: `raw`, after `opening`, which the template wrote behind the last message."""

    raw: str
    opening: str


def authored(
    text: str,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    render: Render,
    family: Family,
    turns: Mapping[Key, Turn],
    by_harness: Collection[Key] = (),
) -> Authored:
    """Who wrote each character of `text`, which is what `render(messages, tools)` gives.

    `turns` are the messages that the model wrote in this conversation, as it wrote them; `by_harness` are those that carry what
    the harness told the model in a user's or a tool's place.
    """
    found = found_texts(text, messages, lambda marked: render(marked, tools), family, by_harness)
    cuts: dict[Cut, tuple[int, int]] = {}
    for each in found:
        start, _ = cuts.get((each.source.message, each.source.name), (each.start, 0))
        cuts[each.source.message, each.source.name] = (start, each.end)
    owned = list(_with_turns(text, found, turns, family))
    return Authored(tuple(_filled(text, owned, _added_by_tools(text, messages, tools, render))), cuts)


def _with_turns(text: str, found: Sequence[Found], turns: Mapping[Key, Turn], family: Family) -> Iterator[Stretch]:
    """The stretches of the messages. To a turn of the model belongs what stands between its texts too, and around them what the
    model wrote there itself."""
    messages = [list(group) for _, group in groupby(found, lambda each: each.source.message)]
    limits = [*(following[0].start for following in messages[1:]), len(text)]
    before = 0
    for texts, limit in zip(messages, limits, strict=False):  # Where no text was found, the one limit is no message's.
        first, last = texts[0], texts[-1]
        turn = turns.get(first.source.message) if first.source.author == "model" else None
        if turn:
            yield _of_turn(_turn_start(text, turn, first, before), first.start, first, _edge(first))
        yield from _of_message(texts)
        before = last.end
        if turn:
            before = _turn_end(text, turn, last, limit, family)
            yield _of_turn(last.end, before, last, _edge(last))


def _of_message(texts: Sequence[Found]) -> Iterator[Stretch]:
    """The texts of one message; of one of the model's, with what stands between them."""
    for place, each in enumerate(texts):
        source = each.source
        if place and source.author == "model":
            yield _of_turn(texts[place - 1].end, each.start, each, _between(texts[place - 1].source, source))
        yield Stretch(each.start, each.end, source.author, source.message, source.part)


def _of_turn(start: int, end: int, beside: Found, part: Part) -> Stretch:
    return Stretch(start, end, "model", beside.source.message, part)


def _edge(found: Found) -> Part:
    """What stands around a turn's texts: a call's marks belong to the call."""
    return "call" if found.source.part == "call" else ""


def _between(one: Source, other: Source) -> Part:
    """What the characters between two texts of a turn are: of a call if both are the same call's."""
    return "call" if one.part == other.part == "call" and one.name.split()[1] == other.name.split()[1] else ""


def _in_raw(turn: Turn, source: Source, *, last: bool = False) -> tuple[int, int] | None:
    """Where the model wrote a text of its turn, if it stands there as it is."""
    text = source.text.strip()
    at = turn.raw.rfind(text) if last else turn.raw.find(text)
    return None if at < 0 or not text else (at, at + len(text))


def _turn_start(text: str, turn: Turn, first: Found, after: int) -> int:
    """Where the model's turn begins before its first text: behind what the template opens a turn with; where it opens this one in
    another way, as far back as the prompt has what the model wrote."""
    n_opening = common_prefix(turn.opening, text[after : first.start])
    if n_opening < len(turn.opening):  # The template opened more than it writes now, such as thinking: up to the last whole mark.
        n_opening = max(turn.opening.rfind(end, 0, n_opening) for end in (">", "\n")) + 1
    if n_opening:
        return after + n_opening
    place = _in_raw(turn, first.source)
    start, raw_at = first.start, place[0] if place else 0
    while start > after and raw_at and text[start - 1] == turn.raw[raw_at - 1]:
        start, raw_at = start - 1, raw_at - 1
    return start


def _turn_end(text: str, turn: Turn, last: Found, limit: int, family: Family) -> int:
    """Where the model's turn ends after its last text: with its stop token or with the mark that the template puts in that one's
    place, or as far as the prompt has what the model wrote."""
    stops = [at + len(stop) for stop in family.stop_tokens if (at := text.find(stop, last.end, limit)) >= 0]
    if stops:
        return min(stops)
    place = _in_raw(turn, last.source, last=True)
    raw_at = place[1] if place else len(turn.raw)
    written = common_prefix(text[last.end : limit], turn.raw[raw_at:])
    ending = turn.raw[raw_at:].rstrip()
    if ending in family.stop_tokens:
        other = TAG.match(text, last.end, limit)
        return other.end() if other else last.end
    return last.end + written


def _added_by_tools(
    text: str, messages: Sequence[Message], tools: Sequence[ToolSchema], render: Render,
) -> list[tuple[int, int]]:
    """Where the prompt holds what it would not hold without tools."""
    if not tools:
        return []
    try:
        without = render(messages, [])
    except Exception:  # Some templates refuse calls without tools.
        return []
    return list(_added(text, without))


def _added(text: str, other: str) -> Iterator[tuple[int, int]]:
    """Where a text holds lines, or parts of lines, that the other one does not."""
    tail = common_prefix(text[::-1], other[::-1])
    head = common_prefix(text[: len(text) - tail], other[: len(other) - tail])
    lines = text[head : len(text) - tail].splitlines(keepends=True)
    others = other[head : len(other) - tail].splitlines(keepends=True)
    begins = [*accumulate(map(len, lines), initial=head)]
    for tag, from_other, to_other, first, last in SequenceMatcher(None, others, lines, autojunk=False).get_opcodes():
        if tag in ("insert", "replace"):
            new, old = "".join(lines[first:last]), "".join(others[from_other:to_other])
            same = common_prefix(new, old)
            start, end = begins[first] + same, begins[last] - common_prefix(new[same:][::-1], old[same:][::-1])
            while start < end < len(text) and text[start].isspace() and text[start] == text[end]:
                start, end = start + 1, end + 1  # White space that could be either side's ends the addition.
            yield start, end


def _filled(text: str, owned: Sequence[Stretch], by_tools: Sequence[tuple[int, int]]) -> Iterator[Stretch]:
    """The whole prompt: what no message has written is the template's, or there for the tools."""
    at = 0
    for stretch in [*owned, Stretch(len(text), len(text), "template")]:
        for start, end in by_tools:
            start, end = max(start, at), min(end, stretch.start)
            if start < end:
                if at < start:
                    yield Stretch(at, start, "template")
                yield Stretch(start, end, "tools")
                at = end
        if at < stretch.start:
            yield Stretch(at, stretch.start, "template")
        if stretch.start < stretch.end:
            yield stretch
        at = max(at, stretch.end)


def common_prefix(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences begin with in common."""
    shortest = min(len(one), len(other))
    if one[:shortest] == other[:shortest]:
        return shortest
    return next(place for place in range(shortest) if one[place] != other[place])
