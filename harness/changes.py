"""What a new prompt has changed of what the model had read and written: each place, its kind, what stood and what stands there.

Two texts are compared piece by piece: between the texts of messages that stand in both, so that a change in one turn of the model
cannot be taken for a change in another. Within a piece one change is found, from the first character that differs to the last.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, zip_longest
from typing import Literal, NamedTuple

from families.base import Family
from harness.marks import Key
from harness.origins import Cut, Stretch, common_prefix

Kind = Literal[
    "thinking", "empty_thinking", "arguments", "white_space", "order", "text", "stop_token", "system", "tools", "template",
    "tokens",
]
"""What a change is about: thinking that is dropped or rewritten; a thinking block without text; a call written in another form;
white space alone; the same characters in another order; other text of a message; the token that ended the turn; the system
message; the tools; text of the template; tokens, where the text is the same and was sampled as others."""
Span = tuple[int, int]


class Change(NamedTuple):
    """`was` stood in the old text, `now` stands in the new one; one of them may be empty."""

    kind: Kind
    was: Span
    now: Span


@dataclass(frozen=True)
class Side:
    """A text with who wrote what in it; `ends` are the characters at which its tokens end, where they are known."""

    text: str = ""
    stretches: tuple[Stretch, ...] = ()
    cuts: Mapping[Cut, Span] = field(default_factory=dict)
    keys: frozenset[Key] = frozenset()
    ends: tuple[int, ...] | None = ()


def known_before(old: Side, new: Side) -> list[Span]:
    """Where the new text holds what stood in the old one, in whatever form; the rest is new. In order."""
    last = max((place for place, each in enumerate(new.stretches) if each.message in old.keys), default=None)
    if last is None:
        return []
    until = new.stretches[last].end
    old_end = max((each.end for each in old.stretches if each.message == new.stretches[last].message), default=len(old.text))
    until += common_prefix(new.text[until : until + len(old.text) - old_end], old.text[old_end:])
    spans: list[Span] = []
    for stretch, is_known in zip(new.stretches, _are_known(new.stretches, last, old.keys), strict=True):
        if stretch.start < until and is_known:
            end = min(stretch.end, until)
            if spans and spans[-1][1] == stretch.start:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((stretch.start, end))
    return spans


def _are_known(stretches: Sequence[Stretch], last: int, keys: frozenset[Key]) -> Iterator[bool]:
    """Whether each stretch is of an old message, or the template's between old ones; the one at `last` is the last old one."""
    owners = [each.message for each in stretches]
    before = accumulate(owners, _nearest)
    after = [*accumulate(reversed(owners[: last + 1]), _nearest)][::-1]
    for neighbours in zip_longest(before, after):
        yield all(key is None or key in keys for key in neighbours)


def _nearest(key: Key | None, following: Key | None) -> Key | None:
    return following or key


class _Kept:
    """Spans of a text as one text of their own, and the way back from its places."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._begins = [0, *accumulate(end - start for start, end in spans)]
        self.text = "".join(text[start:end] for start, end in spans)

    def back(self, place: int, *, end: bool = False) -> int:
        """Where a place stands in the whole text; a place between two spans is the first one's as an end, else the next's."""
        if not self._spans:
            return 0
        number = bisect_right(self._begins, place - end, 0, len(self._spans)) - 1
        return self._spans[max(number, 0)][0] + place - self._begins[max(number, 0)]

    def there(self, place: int) -> int | None:
        """Where a place of the whole text stands here; None where it is not kept."""
        for (start, end), begin in zip(self._spans, self._begins, strict=False):
            if start <= place <= end:
                return begin + place - start
        return None


def changes(old: Side, new: Side, known: Sequence[Span], family: Family) -> list[Change]:
    """What the new text has changed of the old one, in order; `known` is what `known_before` gives. What only follows on the old
    text is no change."""
    kept = _Kept(new.text, known)
    found = []
    for (was, now), (was_end, now_end) in pairwise(_bounds(old, new, kept)):
        a, b = old.text[was:was_end], kept.text[now:now_end]
        if a == b:
            continue
        (a_from, a_to), (b_from, b_to) = _differing(a, b, was, old.ends)
        if a_from == a_to and was + a_to == len(old.text):
            continue
        spans = (was + a_from, was + a_to), (kept.back(now + b_from), kept.back(now + b_to, end=b_to > b_from))
        found.append(Change(_kind(old, new, *spans, family), *spans))
    return found


def _bounds(old: Side, new: Side, kept: _Kept) -> Iterator[tuple[int, int]]:
    """Places that stand in both texts, in order: as (place in the old one, place in the kept part of the new one)."""
    pairs = []
    for cut, (was, was_end) in sorted(old.cuts.items(), key=lambda item: item[1]):
        place = new.cuts.get(cut)
        if place is None or old.text[was:was_end] != new.text[place[0] : place[1]]:
            continue
        now, now_end = kept.there(place[0]), kept.there(place[1])
        if now is not None and now_end is not None:
            pairs.append(((was, now), (was_end, now_end)))
    yield 0, 0
    for number in _most_in_order([pair[0][1] for pair in pairs]):
        yield from pairs[number]
    yield len(old.text), len(kept.text)


def _most_in_order(numbers: Sequence[int]) -> list[int]:
    """The places of the longest rising subsequence: what was moved is left out, and as little else as possible."""
    lowest: list[int] = []  # With what number a subsequence of each length can end at the lowest, and the place of that.
    places: list[int] = []
    before: list[int | None] = []
    for place, number in enumerate(numbers):
        length = bisect_left(lowest, number)
        before.append(places[length - 1] if length else None)
        lowest[length : length + 1], places[length : length + 1] = [number], [place]
    chain: list[int] = []
    at = places[-1] if places else None
    while at is not None:
        chain.append(at)
        at = before[at]
    return chain[::-1]


def _differing(a: str, b: str, a_at: int, ends: Sequence[int] | None) -> tuple[Span, Span]:
    """The shortest parts in which two texts differ; of `a`, which begins at `a_at`, whole tokens where their ends are known."""
    head = common_prefix(a, b)
    tail = common_prefix(a[head:][::-1], b[head:][::-1])
    start, end, b_end = head, len(a) - tail, len(b) - tail
    if ends is None:
        return (start, end), (start, b_end)
    if head == b_end:  # Dropped: where it could as well begin earlier, so that it is whole tokens, it does.
        while start and a[start - 1] == a[end - 1] and not _whole(ends, a_at + start, a_at + end):
            start, end = start - 1, end - 1
        if not _whole(ends, a_at + start, a_at + end):
            start, end = head, len(a) - tail
        b_end = start
    first, last = bisect_right(ends, a_at + start), bisect_left(ends, a_at + end)
    before = start - max(0, (ends[first - 1] if first else 0) - a_at) if start else 0
    after = min(len(a), ends[last] - a_at) - end if end > start and last < len(ends) else 0
    return (start - before, end + after), (start - before, b_end + after)


def _whole(ends: Sequence[int], start: int, end: int) -> bool:
    """Whether tokens end at both places."""
    return all(place == 0 or ends[bisect_left(ends, place)] == place for place in (start, end) if place <= ends[-1])


def _kind(old: Side, new: Side, was: Span, now: Span, family: Family) -> Kind:
    before, after = old.text[slice(*was)], new.text[slice(*now)]
    touched = [*_touched(old.stretches, was), *_touched(new.stretches, now)]
    parts, authors = {each.part for each in touched}, {each.author for each in touched}
    of_old = {each.part for each in _touched(old.stretches, was)}
    if {each.part for each in _touched(old.stretches, was if before else (was[0] - 1, was[1] + 1))} == {"call"}:
        return "arguments"
    if "".join(before.split()) == "".join(after.split()):
        return "white_space"
    if before.strip() in family.stop_tokens:
        return "stop_token"
    if "thinking" in of_old:
        return "thinking"
    if any(mark in before for mark in family.thinking_tokens):
        return "empty_thinking"
    if "content" in parts and parts <= {"content", ""} and _moved(old, new, was):
        return "order"
    if "call" in parts:
        return "arguments"
    if sorted("".join(before.split())) == sorted("".join(after.split())):
        return "order"
    by_author: tuple[tuple[str, Kind], ...] = (("system", "system"), ("tools", "tools"))
    for author, kind in by_author:
        if author in authors:
            return kind
    return "text" if parts & {"content", "thinking"} else "template"


def _moved(old: Side, new: Side, was: Span) -> bool:
    """Whether the text of a message that stood here stands somewhere else now."""
    moved = old.text[slice(*was)].strip()
    return any(
        start < was[1] and was[0] < end and moved in old.text[start:end] == new.text[slice(*new.cuts.get(cut, (0, 0)))]
        for cut, (start, end) in old.cuts.items()
    )


def _touched(stretches: Sequence[Stretch], span: Span) -> list[Stretch]:
    return [each for each in stretches if each.start < span[1] and span[0] < each.end]
