"""Walks over the markers of a turn that has thinking, text and calls, whatever the calls look like.

Knows nothing about any one format of calls: which markers there are is the `Marks` of a format, and what stands at one
is for its `CallReader` to say. A turn is read once from left to right.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, Protocol

from families.base import Call, Text, Turn
from families.json_calls import CallText, unterminated
from families.reading import Scanner, Span, joined, kept, quoted

THINK, END_THINK = "<think>", "</think>"

Kind = Literal["think", "end_think", "call", "end_call", "stop", "like_call", "like_end_call"]


@dataclass(frozen=True)
class Mark:
    """A marker, or what looks like one, at the characters [start, end)."""

    kind: Kind
    start: int
    end: int


@dataclass
class Found:
    """Calls found at one opener, and the characters [start, end) that they take up, markers included."""

    calls: list[CallText]
    start: int
    end: int
    example: bool = False
    """It only looks like a call, and is text."""
    final: bool = False
    """Though it is broken, nothing else begins inside it."""

    @property
    def whole(self) -> bool:
        return all(call.error is None for call in self.calls)

    def slip(self, text: Text) -> None:
        """Notes a slip that concerns all of the calls."""
        for call in self.calls:
            call.slips.append(text)

    def cut(self, at: int) -> None:
        """The text was cut off at `at`, before the marker that would have ended all of the calls."""
        self.end = at
        for call in self.calls:
            call.error = call.error or unterminated(at)

    def placed(self) -> list[Call]:
        """The calls with their spans: what stands between two calls belongs to the later one."""
        ends = [call.span[1] for call in self.calls[:-1]] + [self.end]
        starts = [self.start, *ends[:-1]]
        return [
            Call(call.name, call.arguments if call.error is None else None, call.raw_args, span, call.error, call.repaired)
            for call, span in zip(self.calls, zip(starts, ends, strict=True), strict=True)
        ]


class Marks(Protocol):
    """The markers of a text."""

    all: list[Mark]
    """In the order of the text."""

    def past_run(self, mark: Mark) -> int:
        """The character from which to read on after a marker that turned out to open nothing."""


class CallReader(Protocol):
    """Finds the calls of one text."""

    def offers(self, name: str) -> bool:
        """Whether a tool of this name is offered."""

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        """The calls that begin at `opener`; None where it is only the marker's name in a text.

        `in_sentence` says that words stand before it on its line.
        """

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        """A call whose opener is missing: it begins somewhere from `start` on and reaches up to `closer`.

        In a code fence (`fenced`) only a tool that is offered counts.
        """

    def bare(self, span: Span) -> Found | None:
        """A call without any marker: nothing else stands in `span`."""


@dataclass
class _State:
    """What has been read so far. `piece` is where the text that is being read began."""

    piece: int = 0
    thinking: bool = False
    thought_known: bool = False
    blank_until: int = 0
    """In the thinking: where its text begins."""
    fenced: bool = False
    fence_at: int = 0
    """Up to where code fences have been counted."""
    searched: int = 0
    """Up to where calls without an opener have been looked for."""
    content: list[Span] = field(default_factory=list)
    thoughts: list[Span] = field(default_factory=list)
    calls: list[Found] = field(default_factory=list)
    drafts: list[Found] = field(default_factory=list)


class TurnReader:
    """Reads one turn, up to `end`, where nothing but stop tokens follows. `prefix` is how the prompt ends."""

    def __init__(self, scanner: Scanner, end: int, marks: Marks, calls: CallReader, prefix: str) -> None:
        self.scanner, self.text, self.end = scanner, scanner.text, end
        self.ended = end < len(self.text)
        self.marks, self.calls = marks, calls
        self.last_end_think = max((mark.start for mark in self.marks.all if mark.kind == "end_think"), default=-1)
        ending = prefix[-200:].rstrip()
        self.state = _State(thinking=ending.endswith(THINK), thought_known=ending.endswith((THINK, END_THINK)))
        self._begin_piece(0)

    def _begin_piece(self, at: int) -> None:
        """Text that is read together begins at `at`: after a marker, or with the turn."""
        self.state.piece = self.state.fence_at = at
        if self.state.thinking:
            self.state.blank_until = self.scanner.past_space(at, self.end)

    # The walk over the markers.

    def read(self) -> Turn:
        position = 0
        for mark in self.marks.all:
            if mark.start >= position:
                position = self._thought_mark(mark) if self.state.thinking else self._text_mark(mark)
        if self.state.thinking:
            self._end_open_thought()
        else:
            self._take(self.end)
        if not self.state.calls and self.ended:
            self._bare_call()
        return self._turn()

    def _thought_mark(self, mark: Mark) -> int:
        """A marker inside the thinking; the character from which to read on."""
        state = self.state
        if mark.kind == "end_think" and not self._quoted_in_thought(mark):
            state.thoughts.append((state.piece, mark.start))
            state.thinking, state.thought_known, state.fenced = False, True, False
            state.drafts.clear()
            self._begin_piece(mark.end)
        elif mark.kind == "think" and mark.start == state.blank_until:
            self._begin_piece(mark.end)
        elif mark.kind == "end_call" and (found := self._without_opener(mark)):
            state.drafts.append(found)
        elif mark.kind == "call" and (found := self._call(mark)):
            if not found.example:
                state.drafts.append(found)
            return found.end if found.whole or found.final else self.marks.past_run(mark)
        return self.marks.past_run(mark)

    def _text_mark(self, mark: Mark) -> int:
        """A marker outside the thinking; the character from which to read on."""
        state = self.state
        found: Found | None = None
        if mark.kind == "call" or mark.kind == "like_call":
            found = self._call(mark)
        elif mark.kind == "end_call":
            found = self._without_opener(mark)
            if found is None and not self._quoted(mark) and not self._in_fence(mark.start):
                self._drop(mark)
        elif mark.kind == "think" and self._opens_thought(mark):
            self._take(mark.start)
            state.thinking = True
            self._begin_piece(mark.end)
        elif mark.kind == "end_think" and not self._quoted(mark):
            self._stray_end_of_thought(mark)
        elif mark.kind == "stop" and not self._quoted(mark):
            self._drop(mark)
        if found is None or found.example:
            return found.end if found else self.marks.past_run(mark)
        self._take(found.start)
        state.calls.append(found)
        self._begin_piece(found.end)
        return found.end

    def _take(self, end: int) -> None:
        """What was read since the last marker is content."""
        self._in_fence(end)
        if end > self.state.piece:
            self.state.content.append((self.state.piece, end))

    def _drop(self, mark: Mark) -> None:
        """A marker without a job here: it is not content."""
        self._take(mark.start)
        self._begin_piece(mark.end)

    # Thinking.

    def _opens_thought(self, mark: Mark) -> bool:
        """Whether a `<think>` begins thinking, or is a word of the answer."""
        if self._quoted(mark) or self._in_fence(mark.start):
            return False
        if not self._in_sentence(mark):
            return True
        # In the middle of a line it is one if it closes again and does not stand there as a word of the sentence does.
        before, after = self.text[mark.start - 1], self.text[mark.end : mark.end + 1]
        return self.last_end_think > mark.start and not (before.isspace() and not after.isalnum())

    def _quoted_in_thought(self, mark: Mark) -> bool:
        """Whether `</think>` is a word of the thinking.

        A quotation mark that opens and closes alike may also end one quotation before the marker and begin another after it, as
        in "hi"</think>"hi". If another `</think>` follows, the thinking ends there. The last one of a turn that the model ended
        must end it, or there is no answer; in one that was cut off the marks before it on its line are counted.
        """
        if not self._quoted(mark):
            return False
        before = self.text[mark.start - 1]
        if before != self.text[mark.end] or mark.start < self.last_end_think:
            return True
        line = max(self.state.piece, self.text.rfind("\n", self.state.piece, mark.start) + 1)
        self.scanner.steps += mark.start - line
        return not self.ended and self.text.count(before, line, mark.start) % 2 == 1

    def _stray_end_of_thought(self, mark: Mark) -> None:
        """`</think>` without `<think>`: what stands before was thinking, if the prompt left that open and an answer follows."""
        state = self.state
        if not state.thought_known and not state.calls and self.text[mark.end : self.end].strip():
            state.thoughts += [*state.content, (state.piece, mark.start)]
            state.content.clear()
            state.fenced = False
            self.scanner.steps += self.end - mark.end
            self._begin_piece(mark.end)
        else:
            self._drop(mark)
        state.thought_known = True

    def _end_open_thought(self) -> None:
        """The thinking never closed: a whole call in it counts, and a broken one if the model ended its turn after it."""
        state = self.state
        for draft in state.drafts:
            if draft.start < state.piece or not (draft.whole or (self.ended and _tried(draft))):
                continue
            state.thoughts.append((state.piece, draft.start))
            state.calls.append(draft)
            state.piece = draft.end
        state.thoughts.append((state.piece, self.end))

    # Calls.

    def _call(self, opener: Mark) -> Found | None:
        """The calls that begin at `opener`; None where it is only the marker's name in a text."""
        found = self.calls.read(opener, self._in_sentence(opener))
        if found:
            found.example = self._is_example(opener, found)
        return found

    def _without_opener(self, closer: Mark) -> Found | None:
        """The call that ends at `closer` and whose opener is missing; None where what stands there is no call."""
        state = self.state
        after = max([state.piece, state.searched, *(draft.end for draft in state.drafts[-1:])])
        state.searched = closer.end
        return None if self._quoted(closer) else self.calls.without_opener(after, closer, self._in_fence(closer.start))

    def _bare_call(self) -> None:
        """A turn that is nothing but the JSON of a call: the markers are missing."""
        state = self.state
        spans = kept(self.text, state.content)
        found = self.calls.bare(spans[0]) if len(spans) == 1 else None
        if found:
            state.calls.append(found)
            state.content.clear()

    def _is_example(self, opener: Mark, found: Found) -> bool:
        """Whether it is an example: about a tool that is not offered, in a code fence, in quotation marks, or in a sentence."""
        if any(self.calls.offers(call.name) for call in found.calls):
            return False
        if self.text.endswith("`", 0, opener.start) or self._in_fence(opener.start):
            return True
        return found.whole and self._in_sentence(opener) and self.text[found.end : found.end + 1] not in ("", "\n", "<")

    def _in_fence(self, at: int) -> bool:
        """Whether `at` stands inside a code fence; asked for ever later places."""
        state = self.state
        if at > state.fence_at:
            self.scanner.steps += at - state.fence_at
            state.fenced ^= bool(self.text.count("```", state.fence_at, at) % 2)
            state.fence_at = at
        return state.fenced

    def _quoted(self, mark: Mark) -> bool:
        return quoted(self.text, mark.start, mark.end)

    def _in_sentence(self, opener: Mark) -> bool:
        """Whether words stand before the marker on its line."""
        before = self.text[max(self.state.piece, opener.start - 200) : opener.start]
        return bool(before.rpartition("\n")[2].strip())

    def _turn(self) -> Turn:
        state = self.state
        thoughts = kept(self.text, state.thoughts)
        content = kept(self.text, state.content)
        calls = [call for found in state.calls for call in found.placed()]
        return Turn(joined(self.text, state.thoughts) or None, joined(self.text, state.content), tuple(calls), thoughts, content)


def end_of_text(text: str, stops: Collection[str]) -> int:
    """Where the text ends and nothing but the stop tokens `stops` and white space follows."""
    end = at = len(text)
    while True:
        while at and text[at - 1].isspace():
            at -= 1
        stop = next((stop for stop in stops if text.endswith(stop, 0, at)), None)
        if stop is None:
            return end
        end = at = at - len(stop)


def _tried(found: Found) -> bool:
    """Whether a broken call was meant as one: JSON was begun."""
    return all(call.error is None or call.error.kind != "not_a_call" for call in found.calls)
