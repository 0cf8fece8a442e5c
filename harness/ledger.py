"""The prompt ledger: where each token of a step's prompt comes from, and where the prompt departs from what the model has read.

A step's prompt begins with what the model has read and written already, and the log records only the rest, so that it stays
linear in the run. From the context, token and model_end events alone, every prompt can be put together again (`rebuild`).
Where the template writes something differently from how it was read or written (it drops thinking, serialises arguments anew,
strips white space), everything from there on must be read again; the ledger finds each such place and names what changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from backends.base import Backend, Encoded, Message, ToolSchema
from families import base
from families.reading import token_ends
from harness.changes import Change, Side, Span, changes, known_before
from harness.marks import Author, Key, keys
from harness.origins import Cut, Stretch, Turn, authored, common_prefix
from harness.records import checkpoint_fields

State = Literal["reused", "new", "again", "rewritten"]
"""reused: the same tokens as before, from the beginning on; again: unchanged, but read again, because something before it is not
as it was; rewritten: stands where something else was read or written."""
_SHOWN = 60  # Characters of each side of a departure that the log holds.


@dataclass(frozen=True)
class Memory:
    """What a model has read and written last in a conversation; a run that goes on with it begins from there.

    `checkpoint` are the `checkpoint_fields` of that model. `turns` are the messages that the model wrote, `by_harness` those in a
    user's or a tool's place that the harness wrote; they hold for every model.
    """

    checkpoint: Mapping[str, str | None] = field(default_factory=dict)
    side: Side = field(default_factory=Side)
    ids: tuple[int, ...] = ()
    turns: Mapping[Key, Turn] = field(default_factory=dict)
    by_harness: frozenset[Key] = frozenset()


class PromptLedger:
    """Tells of each prompt of a run what is new, whose it is, and what is read again. `memory` is what an earlier run left;
    another checkpoint's is of no use and is let go."""

    def __init__(self, backend: Backend, memory: Memory | None = None) -> None:
        self._backend = backend
        checkpoint = checkpoint_fields(backend)
        self.memory = memory if memory and memory.checkpoint == checkpoint else Memory(checkpoint)
        self._first = True

    def read(
        self, encoded: Encoded, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool,
        by_harness: frozenset[Key] = frozenset(),
    ) -> dict[str, Any]:
        """The fields of the context event that say what is new, whose it is, and where the prompt departs; `encoded` is what
        the other arguments were rendered to. A run's first prompt is recorded whole, so that its log needs no other."""
        before = self.memory
        written = authored(
            encoded.text, messages, tools, lambda marked, offered: self._backend.render(marked, offered, thinking),
            self._backend.family, before.turns, by_harness,
        )
        side = Side(encoded.text, written.stretches, written.cuts, frozenset(keys(messages)), encoded.ends)
        n_same, at = common_prefix(before.ids, encoded.ids), common_prefix(before.side.text, encoded.text)
        if encoded.ends is not None:
            n_same, at = _token_boundary(encoded.ends, n_same, at)
        ids_from, added_from = (0, 0) if self._first else (n_same, at)
        found = self._changes(side, encoded, n_same)
        states = _states(side, known_before(before.side, side), found)
        origins = _origins(side, states, range(ids_from, encoded.n_tokens), n_same, added_from, at)
        self._first = False
        self.memory = Memory(before.checkpoint, side, encoded.ids, before.turns)
        return {
            **_added(encoded, ids_from, added_from),
            "origins": [list(run) for run in origins],
            "departs": _departs(before, side, found, origins, n_same, at),
        }

    def wrote(self, key: Key, texts: Sequence[str], ids: Sequence[int], turn: base.Turn) -> None:
        """The model has written a turn after the prompt read last: the text that each of its tokens completed, their ids, and how
        the family read it. The turn becomes the message `key`, if it becomes one."""
        before, raw = self.memory, "".join(texts)
        side, start = before.side, len(before.side.text)
        stretches, cuts = _as_written(key, raw, start, turn)
        opening = max((each.end for each in side.stretches if each.message), default=0)
        ends = None if side.ends is None else (*side.ends, *(start + end for end in token_ends(texts)))
        self.memory = replace(
            before,
            side=Side(side.text + raw, (*side.stretches, *stretches), {**side.cuts, **cuts}, side.keys | {key}, ends),
            ids=(*before.ids, *ids),
            turns={**before.turns, key: Turn(raw, side.text[opening:])},
        )

    def _changes(self, side: Side, encoded: Encoded, n_same: int) -> list[Change]:
        """What the prompt has changed of what was read and written, in order; empty where it only goes on from there."""
        before = self.memory
        if n_same >= len(before.ids):
            return []
        found = changes(before.side, side, known_before(before.side, side), self._backend.family)
        first = found[0].was[0] if found else len(before.side.text)
        tokens = self._other_tokens(encoded, n_same, first, only=not found)
        if tokens:
            found.insert(0, Change("tokens", tokens, tokens))
        return found

    def _other_tokens(self, encoded: Encoded, n_same: int, until: int, *, only: bool) -> Span | None:
        """The text that is in other tokens than those read and written, though it is the same; it ends before the first change of
        the text at `until`. Where they are the `only` change it is always found.

        It begins with the token `n_same`, which may still be the prompt's: it can merge with what the model wrote behind it.
        """
        before, ends = self.memory, self.memory.side.ends
        if ends is None or encoded.ends is None:
            return (until, until) if only else None
        begins = (0, *ends)
        if ends[n_same] > until:
            return None
        if not only and common_prefix(self._backend.encode(before.side.text).ids, before.ids) > n_same:
            return None  # The tokenizer's own choice; it differs because of what follows.
        again = set(zip(encoded.ids, (0, *encoded.ends), encoded.ends, strict=False))
        others = [
            end for one, start, end in zip(before.ids[n_same:], begins[n_same:], ends[n_same:], strict=False)
            if end <= until and (one, start, end) not in again
        ]
        return begins[n_same], max(others, default=ends[n_same])


def _added(encoded: Encoded, ids_from: int, added_from: int) -> dict[str, Any]:
    """What is new in a prompt: its text, ids, the ends of its tokens, and its control tokens."""
    fields: dict[str, Any] = {"added_from": added_from, "ids_from": ids_from, "text": encoded.text[added_from:]}
    fields["ids"] = list(encoded.ids[ids_from:])
    if encoded.ends is not None:
        fields["ends"] = [end - added_from for end in encoded.ends[ids_from:]]
    return {**fields, "special": [place - ids_from for place in sorted(encoded.special) if place >= ids_from]}


def _token_boundary(ends: Sequence[int], n_ids: int, n_characters: int) -> tuple[int, int]:
    """The largest common beginning that ends both a token and a character, as (tokens, characters).

    Tokens that share a character share its end, so a boundary between them is none in the text.
    """
    while n_ids and (ends[n_ids - 1] > n_characters or (n_ids < len(ends) and ends[n_ids] == ends[n_ids - 1])):
        n_ids -= 1
    return n_ids, ends[n_ids - 1] if n_ids else 0


def _as_written(key: Key, raw: str, start: int, turn: base.Turn) -> tuple[list[Stretch], dict[Cut, Span]]:
    """The stretches and texts of a turn that the model wrote from character `start` on."""
    read = [(span, "thinking") for span in turn.thinking_spans] + [(span, "content") for span in turn.content_spans]
    read += [(call.span, "call") for call in turn.calls]
    stretches, at = [], 0
    for (first, last), part in sorted(read):
        first = max(first, at)
        if at < first:
            stretches.append(Stretch(start + at, start + first, "model", key))
        if first < last:
            stretches.append(Stretch(start + first, start + last, "model", key, part))  # type: ignore[arg-type]
            at = last
    if at < len(raw):
        stretches.append(Stretch(start + at, start + len(raw), "model", key))
    cuts: dict[Cut, Span] = {}
    for name, spans in (("thinking", turn.thinking_spans), ("content", turn.content_spans)):
        if len(spans) == 1:
            cuts[key, name] = (start + spans[0][0], start + spans[0][1])
    whole = [call for call in turn.calls if call.arguments is not None]
    for number, call in enumerate(whole):
        place = raw.find(call.name, *call.span) if call.name else -1
        if place >= 0:
            cuts[key, f"name {number}"] = (start + place, start + place + len(call.name))
    return stretches, cuts


_Stated = tuple[int, int, Author, State]
_Run = tuple[Author, State, int | None, int]


def _states(side: Side, known: Sequence[Span], found: Sequence[Change]) -> list[_Stated]:
    """The stretches with whether each was known before; a stretch that is so in part is cut."""
    rewritten = [change.now for change in found if change.now[0] < change.now[1]]
    places = sorted({place for span in (*known, *rewritten) for place in span})
    stated: list[_Stated] = []
    for stretch in side.stretches:
        inner = places[bisect_right(places, stretch.start) : bisect_left(places, stretch.end)]
        for start, end in zip((stretch.start, *inner), (*inner, stretch.end), strict=True):
            state: State = "rewritten" if _inside(rewritten, start) else "again" if _inside(known, start) else "new"
            stated.append((start, end, stretch.author, state))
    return stated


def _inside(spans: Sequence[Span], place: int) -> bool:
    number = bisect_right(spans, (place, float("inf"))) - 1
    return number >= 0 and spans[number][0] <= place < spans[number][1]


def _origins(
    side: Side, states: Sequence[_Stated], tokens: range, n_same: int, added_from: int, at: int,
) -> list[_Run]:
    """The runs of equal origin of the tokens, which begin at the character `added_from`: in tokens and characters, in characters
    alone where tokens have no ends. The first `n_same` tokens of the prompt, up to the character `at`, are reused."""
    if side.ends is None:
        return _merged(_by_characters(states, added_from, at))
    return _merged(_by_tokens(side.ends, states, tokens, n_same, added_from))


def _merged(runs: Iterable[_Run]) -> list[_Run]:
    """Runs of the same origin that follow each other as one."""
    merged: list[_Run] = []
    for author, state, tokens, characters in runs:
        if merged and merged[-1][:2] == (author, state):
            _, _, more, before = merged.pop()
            merged.append((author, state, _sum(more, tokens), before + characters))
        else:
            merged.append((author, state, tokens, characters))
    return merged


def _by_characters(states: Sequence[_Stated], added_from: int, at: int) -> Iterator[_Run]:
    """What stands before the character `at` is reused."""
    for start, end, author, state in states:
        for first, last in ((max(start, added_from), min(end, at)), (max(start, added_from, at), end)):
            if first < last:
                yield author, "reused" if last <= at else state, None, last - first


def _by_tokens(
    ends: Sequence[int], states: Sequence[_Stated], tokens: range, n_same: int, added_from: int,
) -> Iterator[_Run]:
    """Token by token; the first `n_same` are reused."""
    place, before = 0, added_from
    for token in tokens:
        end = ends[token]
        while place < len(states) - 1 and states[place][1] <= min(before, end - 1):
            place += 1
        author, state = _origin(states, place, end)
        yield author, "reused" if token < n_same else state, 1, max(0, end - before)
        before = max(before, end)


def _origin(states: Sequence[_Stated], place: int, end: int) -> tuple[Author, State]:
    """The origin of a token that begins in the stretch at `place` and ends at the character `end`: that of the first character
    that the template has not written by itself."""
    first = states[place]
    for number in range(place, len(states)):
        start, _, author, state = states[number]
        if start >= end and number > place:
            break
        if author != "template":
            return author, "rewritten" if first[3] == "rewritten" else state
    return first[2], first[3]


def _departs(
    before: Memory, side: Side, found: Sequence[Change], origins: Sequence[_Run], n_same: int, at: int,
) -> dict[str, Any] | None:
    """Where and how the prompt departs from what was read and written, at the token `n_same` and the character `at`; None where
    it does not."""
    if not found:
        return None
    kinds: dict[str, list[Any]] = {}
    for change in found:
        entry = kinds.setdefault(change.kind, [change.kind, 0, 0, 0])
        entry[1] = _sum(entry[1], _overlapping(before.side.ends, change.was))
        entry[2] = _sum(entry[2], _overlapping(side.ends, change.now))
        entry[3] += 1
    return {
        "token": n_same,
        "kind": found[0].kind,
        "was": _shown(before.side.text, at),
        "now": _shown(side.text, at),
        "changes": list(kinds.values()),
        "n_again": None if side.ends is None else sum(n or 0 for _, state, n, _ in origins if state in ("again", "rewritten")),
    }


def _shown(text: str, at: int) -> str:
    return text[at : at + _SHOWN] + "…" * (len(text) > at + _SHOWN)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _overlapping(ends: Sequence[int] | None, span: Span) -> int | None:
    """How many tokens hold characters of the span."""
    if ends is None:
        return None
    return max(0, min(bisect_left(ends, span[1]) + 1, len(ends)) - bisect_right(ends, span[0])) if span[0] < span[1] else 0


def rebuild(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[int]]]:
    """The whole prompt of each step, text and ids, from a run's events alone."""
    text = ""
    ids: list[int] = []
    for event in events:
        if event["kind"] == "context":
            text = text[: event["added_from"]] + event["text"]
            ids = ids[: event["ids_from"]] + list(event["ids"])
            yield text, list(ids)
        elif event["kind"] == "token":
            ids.append(event["id"])
            text += event["text"]
