"""Finds the calls of the formats whose calls begin at a marker, be it written or understood: Llama, Mistral, LFM2.

Knows nothing about thinking; `families/turns.py` walks over the turn and asks here at each marker. What stands after a
marker is for the format's own reader to say.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from families.base import CallError, Text, Turn
from families.json_calls import CallText, Tools, bad_arguments, excerpt, read_calls, unterminated
from families.lenient_json import OPEN_STRING, JsonError
from families.python_calls import begins_calls, read_python_calls, salvage_python_calls
from families.reading import Scanner, Span
from families.turns import Found, Kind, Mark, TurnReader, end_of_text

_SPACE = re.compile(r"\s*+")
_QUOTES = "`\"'“”‘’「」『』"
_NO_MARKERS = Text("整個呼叫沒有標記", "a call without its markers")
_MORE_TEXT = Text("呼叫後面還有別的文字", "more text follows the call")


class ReadCalls(Protocol):
    """Reads the calls after an opening marker."""

    def __call__(
        self, scanner: Scanner, opener: str, at: int, end: int, tools: Tools, *, closed: bool
    ) -> tuple[list[CallText], int]:
        """The calls that begin at `at`, after the marker `opener` ("" where none is written), and the character after the
        last one; no calls where none begins there. `closed` says that something marks the end deliberately. Raises JsonError."""


@dataclass(frozen=True)
class CallFormat:
    """What tells one format from another."""

    marks: re.Pattern[str]
    """Every marker, each kind of `families.turns.Kind` a named group. A call without a marker begins at an empty match."""
    begins: re.Pattern[str]
    """Where a call might begin whose opening marker is missing."""
    opener: str
    closer: str
    """The marker that ends a call, "" where the format has none."""
    stops: tuple[str, ...]
    read: ReadCalls
    name: Callable[[Scanner, str, int, int], str]
    """The tool's name in the text [at, end) after the marker of a call that cannot be read; "" where none can be made out."""


def read_json_or_python(
    scanner: Scanner, opener: str, at: int, end: int, tools: Tools, *, closed: bool
) -> tuple[list[CallText], int]:
    """Calls as a list of Python calls, or as JSON; see `ReadCalls`."""
    if begins_calls(scanner, at, end):
        return read_python_calls(scanner, at, end, tools, closed=closed)
    return read_calls(scanner, at, end, tools, closed=closed)


def read_turn(form: CallFormat, scanner: Scanner, tools: Tools, prefix: str) -> Turn:
    """Reads one turn of this format."""
    end = end_of_text(scanner.text, form.stops)
    marks = DelimitedMarks(form, scanner, end)
    calls = DelimitedCalls(form, scanner, tools, marks, ended=end < len(scanner.text))
    return TurnReader(scanner, end, marks, calls, prefix).read()


class DelimitedMarks:
    """The markers of a text up to `end`, and what stands nearest to a place; each look-up is a binary search."""

    def __init__(self, form: CallFormat, scanner: Scanner, end: int) -> None:
        self._text, self.end = scanner.text, end
        self.all = [Mark(cast(Kind, found.lastgroup), found.start(), found.end()) for found in scanner.all(form.marks, 0, end)]
        self._openers = [mark.start for mark in self.all if mark.kind == "call" and mark.start < mark.end]
        self._closers = [mark for mark in self.all if mark.kind == "end_call"]

    def at(self, at: int) -> Mark | None:
        index = bisect_left(self.all, at, key=lambda mark: mark.start)
        return self.all[index] if index < len(self.all) and self.all[index].start == at else None

    def past_run(self, mark: Mark) -> int:
        return mark.end

    def next(self, at: int) -> int:
        """Where the first marker from `at` on begins, or the end."""
        index = bisect_left(self.all, at, key=lambda mark: mark.start)
        return self.all[index].start if index < len(self.all) else self.end

    def next_call(self, at: int) -> int:
        """Where the first opening marker from `at` on begins, or the end."""
        index = bisect_left(self._openers, at)
        return self._openers[index] if index < len(self._openers) else self.end

    def closer(self, at: int, limit: int) -> Mark | None:
        """The first closing marker in [at, limit)."""
        index = bisect_left(self._closers, at, key=lambda mark: mark.start)
        return self._closers[index] if index < len(self._closers) and self._closers[index].start < limit else None

    def quoted(self, mark: Mark) -> bool:
        before, after = self._text[mark.start - 1 : mark.start] if mark.start else "", self._text[mark.end : mark.end + 1]
        return mark.start < mark.end and before != "" and after != "" and before in _QUOTES and after in _QUOTES


class DelimitedCalls:
    """Reads the calls of one text. `ended` says whether the model ended its turn itself rather than being cut off."""

    def __init__(self, form: CallFormat, scanner: Scanner, tools: Tools, marks: DelimitedMarks, ended: bool) -> None:
        self._form, self._scanner, self._text = form, scanner, scanner.text
        self._tools, self._marks, self._end, self._ended = tools, marks, marks.end, ended
        self._first = self._past_space(0)
        # Reading what turns out to be no call is lost work, and a hostile text could make every attempt run to its end.
        # So the steps of all of it together are limited; after that an attempt ends at the next marker.
        self._patience = 8 * len(self._text) + 1000

    def offers(self, name: str) -> bool:
        return name in self._tools

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        began = self._scanner.steps
        found = self._attempt(opener, in_sentence) if opener.start < opener.end else self._unmarked(opener)
        if found is None or not found.whole or not all(call.name in self._tools for call in found.calls):
            self._patience -= self._scanner.steps - began
        return found

    def _past_space(self, at: int) -> int:
        space = self._scanner.match(_SPACE, at, self._end)
        return space.end() if space else at

    def _calls(self, opener: Mark, end: int, *, closed: bool) -> tuple[list[CallText], int]:
        marker = self._text[opener.start : opener.end]
        return self._form.read(self._scanner, marker, opener.end, end, self._tools, closed=closed)

    def _limit(self, at: int) -> int:
        return self._end if self._patience > 0 else self._marks.next(at)

    def _attempt(self, opener: Mark, in_sentence: bool) -> Found | None:
        try:
            calls, after = self._calls(opener, self._limit(opener.end), closed=False)
        except JsonError as error:
            return self._retry(opener, error)
        return self._closed(Found(calls, opener.start, after)) if calls else self._no_call(opener, in_sentence)

    def _closed(self, found: Found) -> Found:
        """Finds the end of calls that were read whole."""
        closer = self._form.closer
        if not closer:
            return found
        after = self._past_space(found.end)
        mark = self._marks.at(after)
        rest = self._text[after : self._end] if self._end - after < len(closer) else None
        if mark and mark.kind == "end_call":
            found.end = mark.end
        elif rest is not None and closer.startswith(rest) and not self._ended:
            found.end = self._end
            for call in found.calls:  # They share the marker that would have ended them.
                call.error = call.error or unterminated(self._end)
        elif later := self._marks.closer(after, self._marks.next_call(after)):
            found.calls[-1].error = bad_arguments(self._text, after, _MORE_TEXT, later.start)
            found.end = later.end
        else:
            found.slip(_missing(closer))
        return found

    def _retry(self, opener: Mark, error: JsonError) -> Found:
        """Calls that broke off: read again up to the marker after the place, which closes them; else they are broken."""
        begun = max(opener.end, opener.start + 1)
        following = self._marks.next_call(max(begun, error.at)) if self._patience > 0 else self._marks.next(begun)
        closer = self._marks.closer(max(opener.end, error.at), following)
        end, stop = (closer.end, closer.start) if closer else (following, following)
        cut = closer is None and following == self._end and not self._ended
        if not cut:
            try:
                calls, after = self._calls(opener, stop, closed=True)
                if calls and self._past_space(after) == stop:
                    found = Found(calls, opener.start, end)
                    if closer is None and self._form.closer:
                        found.slip(_missing(self._form.closer))
                    return found
            except JsonError as second:
                error = second
        return Found(self._salvage(opener, stop, error, cut), opener.start, end)

    def _salvage(self, opener: Mark, stop: int, error: JsonError, cut: bool) -> list[CallText]:
        """What can be said of the calls in a text that cannot be read whole."""
        at = opener.end
        if begins_calls(self._scanner, at, stop) and (calls := salvage_python_calls(self._scanner, at, stop, self._tools, cut)):
            return calls
        if error.cut and cut:
            problem = unterminated(min(error.at, stop))
        else:
            why = error.text if error.at <= stop else OPEN_STRING
            problem = bad_arguments(self._text, min(error.at, stop), why, stop)
        return [self._broken(opener, (at, stop), problem)]

    def _broken(self, opener: Mark, body: Span, problem: CallError) -> CallText:
        return CallText(self._named(opener, *body), None, self._scanner.broken(*body), body, error=problem)

    def _named(self, opener: Mark, at: int, end: int) -> str:
        return self._form.name(self._scanner, self._text[opener.start : opener.end], at, end)

    def _no_call(self, opener: Mark, in_sentence: bool) -> Found | None:
        """A marker with no call after it: a call cut off, a call that is none, or the name of the marker in a sentence."""
        at = opener.end
        closer = self._marks.closer(at, self._marks.next_call(at)) if self._patience > 0 else None
        nothing = self._past_space(at) == self._end
        if self._marks.quoted(opener) or (closer is None and not nothing and in_sentence):
            return None
        end = closer.end if closer else self._marks.next(at)
        body = (at, closer.start if closer else end)
        if closer is None and end == self._end and not self._ended:
            problem = unterminated(self._end)
        else:
            problem = _not_a_call(at, excerpt(self._text, *body))
        return Found([self._broken(opener, body, problem)], opener.start, end)

    # Calls without all their markers.

    def _unmarked(self, start: Mark) -> Found | None:
        """A call where the format asks for no marker: of a tool that is offered, or all that the turn is."""
        at = self._past_space(start.start)
        try:
            calls, after = self._calls(start, self._limit(at + 1), closed=False)
        except JsonError as error:
            named = begins_calls(self._scanner, at, self._end) or self._named(start, at, min(self._marks.next(at + 1), at + 200))
            return self._retry(start, error) if named in self._tools else None
        if not calls:
            return None
        if not all(call.name in self._tools for call in calls):
            alone = at == self._first and self._past_space(after) == self._end and not self._scanner.startswith("```", at)
            if not (alone and self._tools and all(call.raw_args and call.error is None for call in calls)):
                return None
        return Found(calls, start.start, after)

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        for begins in self._scanner.all(self._form.begins, start, closer.start):
            if self._patience <= 0:
                return None
            began = self._scanner.steps
            found = self._exactly((begins.start(), closer.start), closed=True)
            if found and (not fenced or all(call.name in self._tools for call in found.calls)):
                found.end = closer.end
                found.slip(Text(f"少了開頭的 {self._form.opener}", f"a missing {self._form.opener}"))
                return found
            self._patience -= self._scanner.steps - began
        return None

    def bare(self, span: Span) -> Found | None:
        found = self._exactly(span, closed=False)
        if not found or not all(call.name in self._tools for call in found.calls):
            return None
        found.slip(_NO_MARKERS)
        return found

    def _exactly(self, span: Span, *, closed: bool) -> Found | None:
        """Whole calls that take up all of `span`."""
        start, end = span
        try:
            calls, after = self._calls(Mark("call", start, start), end, closed=closed)
        except JsonError:
            return None
        found = Found(calls, start, end)
        return found if calls and found.whole and self._past_space(after) >= end else None


def _missing(closer: str) -> Text:
    return Text(f"少了結尾的 {closer}", f"a missing {closer}")


def _not_a_call(at: int, near: str) -> CallError:
    wrote = Text(f"，而是「{near}」", f" but {near!r}") if near else Text("", "")
    return CallError("not_a_call", at, Text(f"呼叫標記後面不是呼叫{wrote.zh}", f"no call follows the call's marker{wrote.en}"))
