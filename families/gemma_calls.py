"""Finds the tool calls of the Gemma families in a turn: where each begins and ends, also where its markers slipped.

Knows nothing about thinking; `families/turns.py` walks over the turn and asks here at each marker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from families.base import Text
from families.gemma_marks import NAME, Dialect
from families.gemma_values import ArgumentReader, Arguments
from families.json_calls import (
    NO_ARGUMENTS,
    CallText,
    Tools,
    bad_arguments,
    excerpt,
    no_name,
    not_a_call,
    read_calls,
    unterminated,
)
from families.lenient_json import OPEN_STRING, JsonError
from families.marked_calls import NO_MARKERS, MarkedCalls, Markers
from families.reading import Scanner, Span, quoted
from families.turns import Found, Mark

_HEAD = re.compile(
    rf"\s*+(?:(?P<whole>call\s*+:)|(?P<spaced>call(?=\s++{NAME}\s*+[{{(]))|(?P<colon>:)|)\s*+(?P<name>{NAME})?\s*+"
)
_JSON_BEGINS = re.compile(r"\s*+(?:```[a-zA-Z]*+\s*+)?(?:\[\s*+)?\{\s*+[\"']")
_LIKE_CLOSER = re.compile(r"<[/\\|]{0,2}(?:end_|start_)?(?:tool|function)s?(?:_calls?)?[|/]?>")
_UNMARKED_CALL = re.compile(rf"call:({NAME})(?=[{{(])")
_EXTRA = re.compile(r"(?:\s*+[}\])])++")

_NO_WORD = Text("工具名稱前面少了「call:」", "a missing “call:” before the tool's name")
_NO_COLON = Text("「call」後面少了冒號", "a missing colon after “call”")
_JSON = Text("呼叫寫成了 JSON", "the call written as JSON")
_EXTRA_BRACKET = Text("引數後面多了括號", "a superfluous bracket after the arguments")
_MORE_TEXT = Text("引數後面還有別的文字", "more text follows the arguments")
_NO_CALL = Text("呼叫標記裡沒有工具名稱與引數", "no tool and arguments stand between the call's markers")
_NO_BRACE = Text("工具名稱後面應該是「{」", "“{” should follow the tool's name")


@dataclass
class _Head:
    """How a call begins: the tool's name and where its arguments begin."""

    name: str
    slips: list[Text]
    after: int


class CallReader(MarkedCalls):
    """Reads the calls of one text."""

    def __init__(self, scanner: Scanner, tools: Tools, marks: Markers, dialect: Dialect, ended: bool) -> None:
        super().__init__(scanner, tools, marks, dialect.call, dialect.end_call, _LIKE_CLOSER, ended)
        self._dialect = dialect

    def _attempt(self, opener: Mark, at: int, in_sentence: bool) -> Found | None:
        return self._json_call(opener, at) or self._call(opener, at, in_sentence)

    def _head(self, at: int, end: int) -> _Head:
        found = self._scanner.match(_HEAD, at, end)
        assert found is not None, "every part of the pattern may be empty"
        slips = [] if found["whole"] else [_NO_COLON if found["spaced"] else _NO_WORD]
        return _Head(found["name"] or "", slips, found.end())

    # The call as the family writes it.

    def _call(self, opener: Mark, at: int, in_sentence: bool) -> Found | None:
        end = self._limit(at)
        head = self._head(at, end)
        if self._text[head.after : head.after + 1] not in tuple("{(") or head.after >= end:
            return self._no_arguments(opener, at, head, in_sentence)
        reader = self._arguments(head.after, end, self._ended or end < self._end)
        try:
            arguments = reader.read()
        except JsonError as error:
            return self._broken(opener, head, error, reader.suspect)
        call = self._call_text(head, arguments)
        return self._closed(Found([call], opener.start, arguments.end))

    def _arguments(self, at: int, end: int, ended: bool) -> ArgumentReader:
        return ArgumentReader(self._scanner, self._marks, self._dialect.string, at, end, ended)

    def _call_text(self, head: _Head, arguments: Arguments) -> CallText:
        span = (head.after, arguments.end)
        call = CallText(head.name, arguments.value, self._text[slice(*span)].strip(), span, [*head.slips, *arguments.slips])
        if not head.name:
            call.error = no_name(head.after)
        return call

    def _closed(self, found: Found) -> Found:
        extra = self._scanner.past(_EXTRA, found.end, self._end)
        if extra > found.end:
            found.slip(_EXTRA_BRACKET)
            found.end = extra
        return super()._closed(found)

    def _broken(self, opener: Mark, head: _Head, error: JsonError, suspect: Span | None) -> Found:
        """A call whose arguments cannot be read: it ends at its closing marker, or where the next call begins."""
        closer = self._lost_closer(suspect)
        at, why = min(error.at, self._end), error.text
        cut_in_string = bool(suspect and suspect[1] == self._end and closer is None and not self._ended)
        if closer is not None and suspect:
            at, why, stop = suspect[0], OPEN_STRING, closer.start
        elif cut_in_string:
            stop = self._end
        else:
            stop = self._marks.next_call(at)
            closer = self._marks.closer(at, stop)
            stop = closer.start if closer else stop
        end = closer.end if closer else stop
        if closer is None and (error.cut or (stop == self._end and not self._ended)):
            problem = unterminated(min(at, stop))
        else:
            problem = bad_arguments(self._text, min(at, stop), why, stop)
        found = self._error(opener, head.name, (head.after, stop), end, problem)
        found.final = cut_in_string
        return found

    def _lost_closer(self, suspect: Span | None) -> Mark | None:
        """Where the call ended if the string `suspect` was never closed; None where the marker in it is part of its text."""
        closer = self._marks.closer(*suspect) if suspect else None
        if suspect is None or closer is None:
            return None
        after = self._past_space(closer.end)
        if self._marks.at(after) or self._marks.next_call(after) < suspect[1]:
            return closer  # Another call begins, which the string has swallowed.
        # A string with no end is one that goes on if the text was cut off in it, and else one whose call ended at the marker.
        return closer if suspect[1] == self._end and (self._ended or after == self._end) else None

    def _no_arguments(self, opener: Mark, at: int, head: _Head, in_sentence: bool) -> Found | None:
        """A marker with no arguments after it: a call cut off, a broken one, or the name of the marker in a sentence."""
        following = self._marks.next_call(at)
        closer = self._marks.closer(at, following) if self._patience > 0 else None
        nothing = self._past_space(at) == self._end
        if quoted(self._text, opener.start, opener.end) or (closer is None and not nothing and in_sentence):
            return None
        if closer and head.name in self._tools and head.after == closer.start:
            call = CallText(head.name, {}, "", (at, closer.start), [*head.slips, NO_ARGUMENTS])
            return self._closed(Found([call], opener.start, closer.start))
        end = closer.end if closer else self._marks.next(at)
        stop = closer.start if closer else end
        if closer is None and end == self._end and not self._ended:
            problem = unterminated(self._end)
        elif head.name and head.after <= stop:
            problem = bad_arguments(self._text, head.after, _NO_BRACE, stop)
        else:
            problem = not_a_call(at, _NO_CALL, excerpt(self._text, at, stop))
        return self._error(opener, head.name, (min(head.after, stop), stop), end, problem)

    # Calls in another form.

    def _json_call(self, opener: Mark, at: int) -> Found | None:
        """A JSON object with the name and the arguments where the family's own notation should stand."""
        end = self._limit(at)
        if not self._scanner.match(_JSON_BEGINS, at, end):
            return None
        try:
            calls, after = read_calls(self._scanner, at, end, self._tools, closed=False)
        except JsonError:
            return None
        found = Found(calls, opener.start, after)
        if not calls or not found.whole:
            return None
        found.slip(_JSON)
        return self._closed(found)

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        """A call to a tool that is offered whose opener is missing: it begins from `start` on and reaches up to `closer`."""
        for begins in self._scanner.all(_UNMARKED_CALL, start, closer.start):
            if begins[1] not in self._tools or self._patience <= 0:
                continue
            began = self._scanner.steps
            call = self._unmarked(begins.start(), closer.start)
            if call and self._past_space(call.span[1]) == closer.start:
                call.slips.append(self._missing_opener())
                return Found([call], begins.start(), closer.end)
            self._patience -= self._scanner.steps - began
        return None

    def bare(self, span: Span) -> Found | None:
        """Calls without any marker: `call:name{…}` of tools that are offered, and nothing else."""
        calls: list[CallText] = []
        at, end = span
        while at < end and (begins := self._scanner.match(_UNMARKED_CALL, at, end)):
            call = self._unmarked(at, end) if begins[1] in self._tools else None
            if call is None:
                return None
            call.slips.append(NO_MARKERS)
            calls.append(call)
            at = self._past_space(call.span[1])
        return Found(calls, *span) if calls and at == end else None

    def _unmarked(self, at: int, end: int) -> CallText | None:
        """The call that begins at `at` with `call:`, None where it cannot be read whole."""
        head = self._head(at, end)
        try:
            arguments = self._arguments(head.after, end, False).read()
        except JsonError:
            return None
        return self._call_text(head, arguments)

