"""Finds the tool calls of the Gemma families in a turn: where each begins and ends, also where its markers slipped.

Knows nothing about thinking; `families/turns.py` walks over the turn and asks here at each marker.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from families.base import CallError, Text
from families.gemma_marks import NAME, Dialect, Marks
from families.gemma_values import ArgumentReader, Arguments
from families.json_calls import CallText, Tools, bad_arguments, excerpt, no_name, read_calls, unterminated
from families.lenient_json import OPEN_STRING, JsonError
from families.reading import Scanner, Span
from families.turns import Found, Mark

_SPACE = re.compile(r"\s*+")
_HEAD = re.compile(
    rf"\s*+(?:(?P<whole>call\s*+:)|(?P<spaced>call(?=\s++{NAME}\s*+[{{(]))|(?P<colon>:)|)\s*+(?P<name>{NAME})?\s*+"
)
_JSON_BEGINS = re.compile(r"\s*+(?:```[a-zA-Z]*+\s*+)?(?:\[\s*+)?\{\s*+[\"']")
_ANY_CLOSER = re.compile(r"<[/\\|]{0,2}(?:end_|start_)?(?:tool|function)s?(?:_calls?)?[|/]?>")
_UNMARKED_CALL = re.compile(rf"call:({NAME})(?=[{{(])")
_EXTRA = re.compile(r"(?:\s*+[}\])])++")

_NO_MARKERS = Text("整個呼叫沒有標記", "a call without its markers")
_NO_WORD = Text("工具名稱前面少了「call:」", "a missing “call:” before the tool's name")
_NO_COLON = Text("「call」後面少了冒號", "a missing colon after “call”")
_JSON = Text("呼叫寫成了 JSON", "the call written as JSON")
_NO_ARGUMENTS = Text("沒有寫引數，讀作沒有引數", "missing arguments, read as none")
_EXTRA_BRACKET = Text("引數後面多了括號", "a superfluous bracket after the arguments")
_MORE_TEXT = Text("引數後面還有別的文字", "more text follows the arguments")
_NO_BRACE = Text("工具名稱後面應該是「{」", "“{” should follow the tool's name")


@dataclass
class _Head:
    """How a call begins: the tool's name and where its arguments begin."""

    name: str
    slips: list[Text]
    after: int


class CallReader:
    """Reads the calls of one text. `ended` says whether the model ended its turn itself rather than being cut off."""

    def __init__(self, scanner: Scanner, tools: Tools, marks: Marks, dialect: Dialect, ended: bool) -> None:
        self._scanner, self._text, self._tools, self._marks = scanner, scanner.text, tools, marks
        self._dialect, self._end, self._ended = dialect, marks.end, ended
        # Reading a call that turns out to be broken is lost work, and a hostile text could make every attempt run to its
        # end. So the steps of all of it together are limited; after that an attempt ends at the next marker.
        self._patience = 8 * len(self._text) + 1000

    def offers(self, name: str) -> bool:
        return name in self._tools

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        began = self._scanner.steps
        at = self._marks.past_run(opener)
        found = self._json_call(opener, at) or self._call(opener, at, in_sentence)
        known = found is not None and found.whole and all(call.name in self._tools for call in found.calls)
        if not known:
            self._patience -= self._scanner.steps - began
        if opener.kind == "like_call":
            if found is None or not known:
                return None
            wrong = self._text[opener.start : opener.end]
            found.slip(Text(f"開頭的標記寫成 {wrong}", f"the opening marker written {wrong}"))
        elif found and at > opener.end:
            token = self._dialect.call
            found.slip(Text(f"開頭的 {token} 重複了", f"a doubled {token}"))
        return found

    def _limit(self, at: int) -> int:
        """How far an attempt that begins at `at` may look."""
        return self._end if self._patience > 0 else self._marks.next(at)

    def _past_space(self, at: int) -> int:
        space = self._scanner.match(_SPACE, at, self._end)
        return space.end() if space else at

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
        reader = ArgumentReader(self._scanner, self._marks, head.after, end, self._ended or end < self._end)
        try:
            arguments = reader.read()
        except JsonError as error:
            return self._broken(opener, head, error, reader.suspect)
        call = self._call_text(head, arguments)
        return self._closed(Found([call], opener.start, arguments.end))

    def _call_text(self, head: _Head, arguments: Arguments) -> CallText:
        span = (head.after, arguments.end)
        call = CallText(head.name, arguments.value, self._text[slice(*span)].strip(), span, [*head.slips, *arguments.slips])
        if not head.name:
            call.error = no_name(head.after)
        return call

    def _closed(self, found: Found) -> Found:
        """Finds the end of a call that was read whole."""
        extra = self._scanner.match(_EXTRA, found.end, self._end)
        if extra:
            found.slip(_EXTRA_BRACKET)
            found.end = extra.end()
        after = self._past_space(found.end)
        mark, token = self._marks.at(after), self._dialect.end_call
        rest = self._text[after : self._end] if self._end - after < len(token) else None
        closer = self._marks.closer(after, self._marks.next_call(after))
        wrong = self._scanner.match(_ANY_CLOSER, after, self._end)
        if mark and mark.kind == "end_call":
            found.end = mark.end
        elif rest is not None and token.startswith(rest) and not self._ended:
            found.end = self._end
            found.calls[-1].error = unterminated(self._end)
        elif wrong and not (mark and (mark.kind == "like_call" or self._marks.next_call(after) == after)):
            found.slip(Text(f"結尾的標記寫成 {wrong[0]}", f"the closing marker written {wrong[0]}"))
            found.end = wrong.end()
        elif closer is not None and not mark:
            found.calls[-1].error = bad_arguments(self._text, after, _MORE_TEXT, closer)
            found.end = closer + len(token)
        else:
            found.slip(Text(f"少了結尾的 {token}", f"a missing {token}"))
        return found

    def _broken(self, opener: Mark, head: _Head, error: JsonError, suspect: Span | None) -> Found:
        """A call whose arguments cannot be read: it ends at its closing marker, or where the next call begins."""
        closer = self._lost_closer(suspect)
        at, why = min(error.at, self._end), error.text
        cut_in_string = bool(suspect and suspect[1] == self._end and closer is None and not self._ended)
        if closer is not None and suspect:
            at, why, stop = suspect[0], OPEN_STRING, closer
        elif cut_in_string:
            stop = self._end
        else:
            stop = self._marks.next_call(at)
            closer = self._marks.closer(at, stop)
            stop = stop if closer is None else closer
        end = stop if closer is None else closer + len(self._dialect.end_call)
        if closer is None and (error.cut or (stop == self._end and not self._ended)):
            problem = unterminated(min(at, stop))
        else:
            problem = bad_arguments(self._text, min(at, stop), why, stop)
        found = self._error(opener, head.name, (head.after, stop), end, problem)
        found.final = cut_in_string
        return found

    def _lost_closer(self, suspect: Span | None) -> int | None:
        """Where the call ended if the string `suspect` was never closed; None where the marker in it is part of its text."""
        closer = self._marks.closer(*suspect) if suspect else None
        if suspect is None or closer is None:
            return None
        after = self._past_space(closer + len(self._dialect.end_call))
        if self._marks.marker_at(after) or self._marks.next_call(after) < suspect[1]:
            return closer  # Another call begins, which the string has swallowed.
        # A string with no end is one that goes on if the text was cut off in it, and else one whose call ended at the marker.
        return closer if suspect[1] == self._end and (self._ended or after == self._end) else None

    def _error(self, opener: Mark, name: str, body: Span, end: int, problem: CallError) -> Found:
        call = CallText(name, None, self._scanner.broken(*body), body, error=problem)
        return Found([call], opener.start, end)

    def _no_arguments(self, opener: Mark, at: int, head: _Head, in_sentence: bool) -> Found | None:
        """A marker with no arguments after it: a call cut off, a broken one, or the name of the marker in a sentence."""
        following = self._marks.next_call(at)
        closer = self._marks.closer(at, following) if self._patience > 0 else None
        nothing = self._past_space(at) == self._end
        if self._marks.quoted(opener) or (closer is None and not nothing and in_sentence):
            return None
        if head.name in self._tools and head.after == closer:
            call = CallText(head.name, {}, "", (at, closer), [*head.slips, _NO_ARGUMENTS])
            return self._closed(Found([call], opener.start, closer))
        end = closer + len(self._dialect.end_call) if closer is not None else self._marks.next(at)
        stop = closer if closer is not None else end
        if closer is None and end == self._end and not self._ended:
            problem = unterminated(self._end)
        elif head.name and head.after <= stop:
            problem = bad_arguments(self._text, head.after, _NO_BRACE, stop)
        else:
            problem = _not_a_call(at, excerpt(self._text, at, stop))
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
        if not calls or not all(call.error is None for call in calls):
            return None
        found = Found(calls, opener.start, after)
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
                token = self._dialect.call
                call.slips.append(Text(f"少了開頭的 {token}", f"a missing {token}"))
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
            call.slips.append(_NO_MARKERS)
            calls.append(call)
            at = self._past_space(call.span[1])
        return Found(calls, *span) if calls and at == end else None

    def _unmarked(self, at: int, end: int) -> CallText | None:
        """The call that begins at `at` with `call:`, None where it cannot be read whole."""
        head = self._head(at, end)
        try:
            arguments = ArgumentReader(self._scanner, self._marks, head.after, end, False).read()
        except JsonError:
            return None
        return self._call_text(head, arguments)


def _not_a_call(at: int, near: str) -> CallError:
    wrote = Text(f"，而是「{near}」", f" but {near!r}") if near else Text("", "")
    text = Text(f"呼叫標記裡沒有工具名稱與引數{wrote.zh}", f"no tool and arguments stand between the call's markers{wrote.en}")
    return CallError("not_a_call", at, text)
