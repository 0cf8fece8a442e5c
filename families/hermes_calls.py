"""Finds the tool calls of the Hermes format in a turn: where each begins and ends, also where its markers or JSON slipped.

Knows nothing about thinking; `families/turns.py` walks over the turn and asks here at each marker.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from families.base import CallError, Text
from families.json_calls import CallText, Tools, bad_arguments, excerpt, likely_name, read_calls, unterminated
from families.lenient_json import OPEN_STRING, JsonError
from families.reading import Scanner, Span
from families.turns import Found, Kind, Mark

CALL, END_CALL = "<tool_call>", "</tool_call>"
STOPS = ("<|im_end|>", "<|endoftext|>")

_MARKS = re.compile(
    r"(?P<think><think>)"
    r"|(?P<end_think></think>|</ ?think(?:ing)? ?>|<\\think>)"
    r"|(?P<call><tool_call>)"
    r"|(?P<end_call></tool_call>)"
    r"|(?P<stop><\|im_end\|>|<\|endoftext\|>)"
    r"|(?P<like_end_call><[/\\]{1,2} ?\|?(?:tool|func|call)[a-z_\- ]{0,16}(?<!response)\|?>|<[/\\]{1,2}tool_call\b)"
    r"|(?P<like_call><\|?(?:tool|function)s?(?:[_\- ]?ca?l{0,2}s?)?\|?>?(?=\s*+[\[{`]))"
)
_ANY_CLOSER = re.compile(r"<[/\\]{1,2} ?\|?(?!think|tool_response)[A-Za-z_\- ]{2,24}[|>\]]{0,2}")
_CALL_BEGINS = re.compile(r"\s*+(?:```[a-zA-Z]*+\s*+)?[{\[]")
_BARE_CALL = re.compile(r"""\{\s*+["'](?:name|function|arguments|parameters|type)["']\s*:""")
_SPACE = re.compile(r"\s*")
_QUOTES = "`\"'“”‘’「」『』"

_NO_OPENER = Text("少了開頭的 <tool_call>", "a missing <tool_call>")
_NO_CLOSER = Text("少了結尾的 </tool_call>", "a missing </tool_call>")
_NO_MARKERS = Text("整個呼叫沒有標記", "a call without its markers")
_MORE_TEXT = Text("JSON 後面還有別的文字", "more text follows the JSON")
_NO_OBJECT = Text("引數不是 JSON 物件", "the arguments are no JSON object")
_DOUBLE_OPENER = Text("開頭的 <tool_call> 重複了", "a doubled <tool_call>")


class Marks:
    """The markers of a text up to `end`, and what stands nearest to a place; each look-up is a binary search."""

    def __init__(self, scanner: Scanner, end: int) -> None:
        self._text, self.end = scanner.text, end
        self.all = [Mark(_kind(found), found.start(), found.end()) for found in scanner.all(_MARKS, 0, end)]
        calls = [mark for mark in self.all if mark.kind == "call"]
        self._openers = [mark.start for mark in calls if scanner.match(_CALL_BEGINS, mark.end, end)]
        self._run_ends: dict[int, int] = {}
        for mark in reversed(calls):
            space = scanner.match(_SPACE, mark.end, end)
            self._run_ends[mark.start] = self._run_ends.get(space.end() if space else mark.end, mark.end)
        self._closers = [mark for mark in self.all if mark.kind in ("end_call", "like_end_call")]
        self._closer_starts = [mark.start for mark in self._closers]

    def at(self, at: int) -> Mark | None:
        index = bisect_left(self.all, at, key=lambda mark: mark.start)
        return self.all[index] if index < len(self.all) and self.all[index].start == at else None

    def past_run(self, mark: Mark) -> int:
        """The character after a marker, or where `<tool_call>` is repeated at once after the last of them."""
        return self._run_ends.get(mark.start, mark.end)

    def next(self, at: int) -> int:
        """Where the first marker from `at` on begins, or the end."""
        index = bisect_left(self.all, at, key=lambda mark: mark.start)
        return self.all[index].start if index < len(self.all) else self.end

    def next_call(self, at: int) -> int:
        """Where the first `<tool_call>` from `at` on that JSON follows begins, or the end."""
        index = bisect_left(self._openers, at)
        return self._openers[index] if index < len(self._openers) else self.end

    def closer(self, at: int, limit: int) -> Mark | None:
        """The first closing marker in [at, limit)."""
        index = bisect_left(self._closer_starts, at)
        return self._closers[index] if index < len(self._closers) and self._closers[index].start < limit else None

    def last_closer(self, at: int, limit: int) -> Mark | None:
        """The last closing marker in [at, limit)."""
        index = bisect_left(self._closer_starts, limit) - 1
        return self._closers[index] if index >= 0 and self._closers[index].start >= at else None

    def quoted(self, mark: Mark) -> bool:
        """Whether the marker stands between quotation marks, as its name does in a sentence."""
        before, after = self._text[mark.start - 1 : mark.start] if mark.start else "", self._text[mark.end : mark.end + 1]
        return before != "" and after != "" and before in _QUOTES and after in _QUOTES


def _kind(found: re.Match[str]) -> Kind:
    kind = found.lastgroup
    assert kind is not None, "every alternative of _MARKS is named"
    return kind  # type: ignore[return-value]


class CallReader:
    """Reads the calls of one text. `ended` says whether the model ended its turn itself rather than being cut off."""

    def __init__(self, scanner: Scanner, tools: Tools, marks: Marks, ended: bool) -> None:
        self._scanner, self._text, self._tools, self._marks = scanner, scanner.text, tools, marks
        self._end, self._ended = marks.end, ended
        # Reading a call that turns out to be broken is lost work, and a hostile text could make every attempt run to its
        # end. So the steps of all of it together are limited; after that an attempt ends at the next marker.
        self._patience = 8 * len(self._text) + 1000

    def offers(self, name: str) -> bool:
        """Whether a tool of this name is offered."""
        return name in self._tools

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        """The calls that begin at `opener`; None where it is only the marker's name in a text.

        `in_sentence` says that words stand before it on its line.
        """
        began = self._scanner.steps
        found = self._attempt(opener, in_sentence)
        if found is None or not found.whole or not all(call.name in self._tools for call in found.calls):
            self._patience -= self._scanner.steps - began
        return found

    def _attempt(self, opener: Mark, in_sentence: bool) -> Found | None:
        at = self._marks.past_run(opener)
        try:
            calls, after = self._calls(at, self._end if self._patience > 0 else self._marks.next(at), closed=False)
        except JsonError as error:
            found: Found | None = self._retry(opener, at, error)
        else:
            found = self._closed(Found(calls, opener.start, after)) if calls else self._no_json(opener, at, in_sentence)
        if opener.kind == "like_call":
            if found is None or not found.whole or not all(call.name in self._tools for call in found.calls):
                return None
            wrong = self._text[opener.start : opener.end]
            found.slip(Text(f"開頭的標記寫成 {wrong}", f"the opening marker written {wrong}"))
        elif found and at > opener.end:
            found.slip(_DOUBLE_OPENER)
        return found

    def _past_space(self, at: int) -> int:
        space = self._scanner.match(_SPACE, at, self._end)
        return space.end() if space else at

    def _calls(self, at: int, end: int, *, closed: bool) -> tuple[list[CallText], int]:
        return read_calls(self._scanner, at, end, self._tools, closed=closed)

    def _closed(self, found: Found) -> Found:
        """Finds the end of calls whose JSON was read whole."""
        after = self._past_space(found.end)
        mark = self._marks.at(after)
        rest = self._text[after : self._end] if self._end - after < len(END_CALL) else None
        closer = self._marks.closer(after, self._marks.next_call(after))
        if mark and mark.kind == "end_call":
            found.end = mark.end
        elif rest is not None and END_CALL.startswith(rest) and not self._ended:
            found.end = self._end
            found.calls[-1].error = unterminated(self._end)
        elif wrong := self._wrong_closer(mark, after):
            found.slip(Text(f"結尾的標記寫成 {wrong}", f"the closing marker written {wrong}"))
            found.end = after + len(wrong)
        elif closer and not (mark and mark.kind in ("call", "end_think", "stop")):
            found.calls[-1].error = bad_arguments(self._text, after, _MORE_TEXT, closer.start)
            found.end = closer.end
        else:
            found.slip(_NO_CLOSER)
        return found

    def _wrong_closer(self, mark: Mark | None, at: int) -> str:
        """What stands at `at` in place of `</tool_call>`, "" where nothing does."""
        if mark and mark.kind == "call" and self._marks.next_call(mark.start) != mark.start:
            return CALL
        found = self._scanner.match(_ANY_CLOSER, at, self._end)
        return found[0].rstrip() if found else ""

    def _retry(self, opener: Mark, at: int, error: JsonError) -> Found:
        """JSON that broke off: read again up to the marker where it broke, which closes it; else it is a broken call."""
        mark = self._marks.at(error.at)
        stopped = error.at == self._end and self._ended
        if stopped or (mark and error.at > at and mark.kind in ("end_call", "like_end_call", "call", "stop")):
            try:
                calls, after = self._calls(at, error.at, closed=True)
                if calls:
                    return self._closed(Found(calls, opener.start, after))
            except JsonError as second:
                error = error if stopped else second
        return self._broken(opener, at, error)

    def _broken(self, opener: Mark, at: int, error: JsonError) -> Found:
        """A call whose JSON cannot be read: it ends at its closing marker, or where the next call begins."""
        marks = self._marks
        following = marks.next_call(at) if self._patience > 0 else marks.next(at)
        while following < error.at and marks.closer(following, error.at):
            following = marks.next_call(following + 1)  # It stood inside a string that was closed again.
        closer = marks.closer(max(at, error.at), following) or marks.last_closer(at, following)
        end, stop = (closer.end, closer.start) if closer else (following, following)
        if closer is None and (error.cut or (following == self._end and not self._ended)):
            problem = unterminated(min(error.at, stop))
        else:
            problem = bad_arguments(self._text, min(error.at, stop), error.text if error.at <= stop else OPEN_STRING, stop)
        return self._error(opener, (at, stop), end, problem)

    def _error(self, opener: Mark, body: Span, end: int, problem: CallError) -> Found:
        name = likely_name(self._scanner, *body)
        call = CallText(name, None, self._scanner.broken(*body), body, error=problem)
        return Found([call], opener.start, end)

    def _no_json(self, opener: Mark, at: int, in_sentence: bool) -> Found | None:
        """A marker with no JSON after it: a call cut off, a call that is none, or the name of the marker in a sentence."""
        closer = self._marks.closer(at, self._marks.next_call(at)) if self._patience > 0 else None
        nothing = self._past_space(at) == self._end
        if self._marks.quoted(opener) or (closer is None and not nothing and in_sentence):
            return None
        end = closer.end if closer else self._marks.next(at)
        body = (at, closer.start if closer else end)
        if closer is None and end == self._end and not self._ended:
            problem = unterminated(self._end)
        elif likely_name(self._scanner, *body):
            problem = bad_arguments(self._text, at, _NO_OBJECT, body[1])
        else:
            problem = _not_a_call(at, excerpt(self._text, at, body[1]))
        return self._error(opener, body, end, problem)

    # Calls without all their markers.

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        """A call whose opener is missing: it begins somewhere from `start` on and reaches up to `closer`.

        In a code fence (`fenced`) only a tool that is offered counts.
        """
        for begins in self._scanner.all(_BARE_CALL, start, closer.start):
            if self._patience <= 0:
                return None
            began = self._scanner.steps
            try:
                calls, after = self._calls(begins.start(), closer.start, closed=True)
            except JsonError:
                calls, after = [], begins.start()
            found = Found(calls, begins.start(), closer.end)
            known = all(call.name in self._tools for call in calls)
            if calls and found.whole and (known or not fenced) and self._past_space(after) == closer.start:
                found.slip(_NO_OPENER)
                return found
            self._patience -= self._scanner.steps - began
        return None

    def bare(self, span: Span) -> Found | None:
        """A call without any marker: the JSON of a call to a tool that is offered, and nothing else."""
        start, end = span
        if not self._scanner.match(_CALL_BEGINS, start, end):
            return None
        try:
            calls, after = self._calls(start, end, closed=False)
        except JsonError:
            return None
        found = Found(calls, start, end)
        if not calls or after != end or not all(call.raw_args and call.name in self._tools for call in calls) or not found.whole:
            return None
        found.slip(_NO_MARKERS)
        return found


def _not_a_call(at: int, near: str) -> CallError:
    wrote = Text(f"，而是「{near}」", f" but {near!r}") if near else Text("", "")
    text = Text(f"呼叫標記裡沒有 JSON 物件{wrote.zh}", f"no JSON object stands between the call's markers{wrote.en}")
    return CallError("not_a_call", at, text)
