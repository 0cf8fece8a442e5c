"""Finds the calls of the formats that write JSON or Python after a marker, be it written or understood: Hermes, Llama, Mistral,
LFM2.

Knows nothing about thinking; `families/turns.py` walks over the turn and asks here at each marker. What stands after a
marker is for the format's own reader to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from families.base import Text, Turn
from families.json_calls import (
    NO_ARGUMENTS,
    CallText,
    Tools,
    bad_arguments,
    excerpt,
    not_a_call,
    offered,
    read_calls,
    unterminated,
)
from families.lenient_json import OPEN_STRING, JsonError
from families.marked_calls import CLOSERS, NO_MARKERS, MarkedCalls, Markers
from families.python_calls import begins_calls, read_python_calls, salvage_python_calls
from families.python_strings import OPEN_QUOTE
from families.reading import Scanner, Span, quoted
from families.turns import Found, Mark, TurnReader, end_of_text

_LIKE_CLOSER = re.compile(r"<[/\\]{1,2} ?\|?(?!think|tool_response)[A-Za-z_\- ]{2,24}[|>\]]{0,2}")
_BRACKETS = ("}", "]", ")")
_NO_CALL = Text("呼叫標記後面不是呼叫", "no call follows the call's marker")
_NO_OBJECT = Text("引數不是 JSON 物件", "the arguments are no JSON object")


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
    """What follows a marker where a call begins."""
    unmarked: re.Pattern[str]
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
    """Calls as a list of Python calls, or as JSON, whatever the marker; see `ReadCalls`."""
    if begins_calls(scanner, at, end):
        return read_python_calls(scanner, at, end, tools, closed=closed)
    return read_calls(scanner, at, end, tools, closed=closed)


def parse_turn(form: CallFormat, raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of this format; see `families.base.Family` for the other arguments."""
    return read_turn(Scanner(raw), form, offered(tools), prefix)


def read_turn(scanner: Scanner, form: CallFormat, tools: Tools, prefix: str) -> Turn:
    """`parse_turn` on a scanner, which counts the steps."""
    end = end_of_text(scanner.text, form.stops)
    marks = Markers(scanner, form.marks, end, form.begins)
    calls = DelimitedCalls(form, scanner, tools, marks, ended=end < len(scanner.text))
    return TurnReader(scanner, end, marks, calls, prefix).read()


class DelimitedCalls(MarkedCalls):
    """Reads the calls of one text."""

    def __init__(self, form: CallFormat, scanner: Scanner, tools: Tools, marks: Markers, ended: bool) -> None:
        super().__init__(scanner, tools, marks, form.opener, form.closer, _LIKE_CLOSER, ended)
        self._form, self._first = form, self._past_space(0)

    def _calls(self, opener: Mark, at: int, end: int, *, closed: bool) -> tuple[list[CallText], int]:
        marker = self._text[opener.start : opener.end]
        return self._form.read(self._scanner, marker, at, end, self._tools, closed=closed)

    def _named(self, opener: Mark, at: int, end: int) -> str:
        return self._form.name(self._scanner, self._text[opener.start : opener.end], at, end)

    def _attempt(self, opener: Mark, at: int, in_sentence: bool) -> Found | None:
        if opener.start == opener.end:
            return self._unmarked(opener)
        try:
            calls, after = self._calls(opener, at, self._limit(at), closed=False)
        except JsonError as error:
            return self._retry(opener, at, error)
        if any(OPEN_QUOTE in call.slips and self._swallowed(*call.span) for call in calls):
            return self._broken(opener, at, JsonError(at, OPEN_STRING))
        return self._closed(Found(calls, opener.start, after)) if calls else self._no_call(opener, at, in_sentence)

    def _swallowed(self, start: int, end: int) -> int | None:
        """Where in a string in [start, end) that was never closed another call begins, behind the end of its own one."""
        following = self._marks.next_call(start)
        if following >= end:
            return None
        own_end = self._marks.last_closer(start, following) if self._closer else self._text.endswith(_BRACKETS, start, following)
        return following if own_end else None

    def _retry(self, opener: Mark, at: int, error: JsonError) -> Found:
        """Calls that broke off: read again up to the marker where they broke, which closes them; else they are broken."""
        mark = self._marks.at(error.at)
        stopped = error.at == self._end and self._ended
        if stopped or (mark and error.at > at and mark.kind in (*CLOSERS, "call", "stop")):
            try:
                calls, after = self._calls(opener, at, error.at, closed=True)
                if calls:
                    return self._closed(Found(calls, opener.start, after))
            except JsonError as second:
                error = error if stopped else second
        return self._broken(opener, at, error)

    def _broken(self, opener: Mark, at: int, error: JsonError) -> Found:
        """Calls that cannot be read: they end at their closing marker, or where the next call begins."""
        following = self._next_call(max(at, opener.start + 1), error)
        closer = self._marks.closer(max(at, error.at), following) or self._marks.last_closer(at, following)
        end, stop = (closer.end, closer.start) if closer else (following, following)
        last = closer is None and following == self._end
        cut = last and not self._ended
        if begins_calls(self._scanner, at, stop):
            # What stands behind a marker in a string that never ends is of another list, if it is a call at all.
            limit = stop if error.string_at is None else min(stop, self._marks.next_call(error.string_at))
            return Found(salvage_python_calls(self._scanner, at, limit, self._tools, cut), opener.start, end)
        if cut or (last and error.cut):
            problem = unterminated(min(error.at, stop))
        else:
            problem = bad_arguments(self._text, min(error.at, stop), error.text if error.at <= stop else OPEN_STRING, stop)
        return self._error(opener, self._named(opener, at, stop), (at, stop), end, problem)

    def _next_call(self, at: int, error: JsonError) -> int:
        """Where the next call begins after calls that begin at `at` and broke off; in a string that ended, none does."""
        marks = self._marks
        if self._patience <= 0:
            return marks.next(at)
        whole = self._ended or error.at < self._end
        if error.string_at is not None and whole and (swallowed := self._swallowed(error.string_at, error.at)):
            return swallowed
        following = marks.next_call(at if self._closer else max(at, error.at))
        while following < error.at and marks.closer(following, error.at):
            following = marks.next_call(following + 1)
        return following

    def _no_call(self, opener: Mark, at: int, in_sentence: bool) -> Found | None:
        """A marker with no call after it: a call cut off, a call that is none, or the name of the marker in a sentence."""
        closer = self._marks.closer(at, self._marks.next_call(at)) if self._patience > 0 else None
        nothing = self._past_space(at) == self._end
        if quoted(self._text, opener.start, opener.end) or (closer is None and not nothing and in_sentence):
            return None
        end = closer.end if closer else self._marks.next(at)
        body = (at, closer.start if closer else end)
        name = self._named(opener, *body)
        if closer is None and end == self._end and not self._ended:
            problem = unterminated(self._end)
        elif name:
            problem = bad_arguments(self._text, at, _NO_OBJECT, body[1])
        else:
            problem = not_a_call(at, _NO_CALL, excerpt(self._text, *body))
        return self._error(opener, name, body, end, problem)

    # Calls without all their markers.

    def _unmarked(self, start: Mark) -> Found | None:
        """A call where the format asks for no marker: of a tool that is offered, or all that the turn is."""
        at = self._past_space(start.start)
        try:
            calls, after = self._calls(start, start.end, self._limit(at + 1), closed=False)
        except JsonError as error:
            named = begins_calls(self._scanner, at, self._end) or self._named(start, at, min(self._marks.next(at + 1), at + 200))
            return self._retry(start, start.end, error) if named in self._tools else None
        if not calls:
            return None
        if not self._all_offered(calls):
            alone = at == self._first and self._past_space(after) == self._end and not self._scanner.startswith("```", at)
            if not (alone and self._tools and all(call.raw_args and call.error is None for call in calls)):
                return None
        return self._closed(Found(calls, start.start, after))

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        """A call that begins somewhere from `start` on and reaches up to `closer`; in a code fence, one that is offered."""
        for begins in self._scanner.all(self._form.unmarked, start, closer.start):
            if self._patience <= 0:
                return None
            began = self._scanner.steps
            found = self._exactly((begins.start(), closer.start), closed=True)
            if found and (not fenced or self._all_offered(found.calls)):
                found.end = closer.end
                found.slip(self._missing_opener())
                return found
            self._patience -= self._scanner.steps - began
        return None

    def bare(self, span: Span) -> Found | None:
        """Calls without any marker: of tools that are offered, with arguments, and nothing else."""
        found = self._exactly(span, closed=False)
        if not found or not self._all_offered(found.calls) or any(NO_ARGUMENTS in call.slips for call in found.calls):
            return None
        found.slip(NO_MARKERS)
        return found

    def _exactly(self, span: Span, *, closed: bool) -> Found | None:
        """Whole calls that take up all of `span`."""
        start, end = span
        try:
            calls, after = self._calls(Mark("call", start, start), start, end, closed=closed)
        except JsonError:
            return None
        found = Found(calls, start, end)
        return found if calls and found.whole and self._past_space(after) >= end else None
