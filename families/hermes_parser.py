"""The parser of the Hermes format: `<think>…</think>`, text, and `<tool_call>` around a JSON object with name and arguments.

The format is the one that the chat templates of Qwen2.5 and Qwen3 write into the system prompt. A turn is read once from
left to right over its markers; only the JSON of a call is looked at more closely, because markers inside its strings are
part of the value.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from families.base import Call, CallError, Text, Turn
from families.json_calls import CallText, Tools, bad_arguments, excerpt, likely_name, offered, read_calls
from families.lenient_json import OPEN_STRING, JsonError
from families.reading import Scanner, Span, joined, trimmed

THINK, END_THINK, CALL, END_CALL = "<think>", "</think>", "<tool_call>", "</tool_call>"
STOPS = ("<|im_end|>", "<|endoftext|>")

Kind = Literal["think", "end_think", "call", "end_call", "stop", "like_call", "like_end_call"]

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
_DOUBLE_OPENER = Text("開頭的 <tool_call> 重複了", "a doubled <tool_call>")


@dataclass(frozen=True)
class _Mark:
    kind: Kind
    start: int
    end: int


@dataclass
class _Found:
    """Calls found at one opener, and the characters [start, end) that they take up, markers included."""

    calls: list[CallText]
    start: int
    end: int
    example: bool = False
    """It only looks like a call, and is text."""

    @property
    def whole(self) -> bool:
        return all(call.error is None for call in self.calls)

    def placed(self) -> list[Call]:
        """The calls with their spans: what stands between two calls belongs to the later one."""
        ends = [call.span[1] for call in self.calls[:-1]] + [self.end]
        starts = [self.start, *ends[:-1]]
        return [
            Call(call.name, call.arguments if call.error is None else None, call.raw_args, span, call.error, call.repaired)
            for call, span in zip(self.calls, zip(starts, ends, strict=True), strict=True)
        ]


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
    content: list[Span] = field(default_factory=list)
    thoughts: list[Span] = field(default_factory=list)
    calls: list[_Found] = field(default_factory=list)
    drafts: list[_Found] = field(default_factory=list)


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn in the Hermes format; see `families.base.Family` for what the arguments are."""
    return read_turn(Scanner(raw), offered(tools), prefix)


def read_turn(scanner: Scanner, tools: Tools, prefix: str) -> Turn:
    """`parse` on a scanner, which counts the steps."""
    return _Parser(scanner, tools, prefix).read()


class _Parser:
    def __init__(self, scanner: Scanner, tools: Tools, prefix: str) -> None:
        self.scanner, self.text, self.tools = scanner, scanner.text, tools
        self.end = self._end_of_text()
        self.ended = self.end < len(self.text)
        """Whether the model ended its turn itself; otherwise the token limit may have cut it off."""
        self.marks = [_Mark(_kind(found), found.start(), found.end()) for found in scanner.all(_MARKS, 0, self.end)]
        calls = [mark for mark in self.marks if mark.kind == "call"]
        self.openers = [mark.start for mark in calls if scanner.match(_CALL_BEGINS, mark.end, self.end)]
        self.closers = [mark for mark in self.marks if mark.kind in ("end_call", "like_end_call")]
        self.closer_starts = [mark.start for mark in self.closers]
        self.last_end_think = max((mark.start for mark in self.marks if mark.kind == "end_think"), default=-1)
        # Reading a call that turns out to be broken is lost work, and a hostile text could make every attempt run to its
        # end. So the steps of all of it together are limited; after that an attempt ends at the next marker.
        self.patience = 8 * len(self.text) + 1000
        ending = prefix[-200:].rstrip()
        self.state = _State(thinking=ending.endswith(THINK), thought_known=ending.endswith((THINK, END_THINK)))
        self._begin_piece(0)

    def _end_of_text(self) -> int:
        """Where the text ends and nothing but stop tokens and white space follows."""
        end = at = len(self.text)
        while True:
            while at and self.text[at - 1].isspace():
                at -= 1
            stop = next((stop for stop in STOPS if self.text.endswith(stop, 0, at)), None)
            if stop is None:
                return end
            end = at = at - len(stop)

    def _begin_piece(self, at: int) -> None:
        """Text that is read together begins at `at`: after a marker, or with the turn."""
        self.state.piece = self.state.fence_at = at
        if self.state.thinking:
            space = self.scanner.match(_SPACE, at, self.end)
            self.state.blank_until = space.end() if space else at

    # The walk over the markers.

    def read(self) -> Turn:
        position = 0
        for mark in self.marks:
            if mark.start >= position:
                position = self._thought_mark(mark) if self.state.thinking else self._text_mark(mark)
        if self.state.thinking:
            self._end_open_thought()
        else:
            self._take(self.end)
        if not self.state.calls and self.ended:
            self._bare_call()
        return self._turn()

    def _thought_mark(self, mark: _Mark) -> int:
        """A marker inside the thinking; the character from which to read on."""
        state = self.state
        if mark.kind == "end_think" and not self._quoted(mark):
            state.thoughts.append((state.piece, mark.start))
            state.thinking, state.thought_known, state.fenced = False, True, False
            state.drafts.clear()
            self._begin_piece(mark.end)
        elif mark.kind == "think" and mark.start == state.blank_until:
            self._begin_piece(mark.end)
        elif mark.kind == "call" and (found := self._call(mark)):
            if not found.example:
                state.drafts.append(found)
            return found.end if found.whole else mark.end
        return mark.end

    def _text_mark(self, mark: _Mark) -> int:
        """A marker outside the thinking; the character from which to read on."""
        state = self.state
        found: _Found | None = None
        if mark.kind == "call" or mark.kind == "like_call":
            found = self._call(mark)
        elif mark.kind == "end_call" and not self._quoted(mark):
            found = self._without_opener(mark)
            if found is None and not self._in_fence(mark.start):
                self._drop(mark)
        elif mark.kind == "think" and self._opens_thought(mark):
            self._take(mark.start)
            state.thinking = True
            self._begin_piece(mark.end)
        elif mark.kind == "end_think" and not self._quoted(mark):
            self._stray_end_of_thought(mark)
        elif mark.kind == "stop":
            self._drop(mark)
        if found is None or found.example:
            return found.end if found else mark.end
        self._take(found.start)
        state.calls.append(found)
        self._begin_piece(found.end)
        return found.end

    def _take(self, end: int) -> None:
        """What was read since the last marker is content."""
        self._in_fence(end)
        if end > self.state.piece:
            self.state.content.append((self.state.piece, end))

    def _drop(self, mark: _Mark) -> None:
        """A marker without a job here: it is not content."""
        self._take(mark.start)
        self._begin_piece(mark.end)

    # Thinking.

    def _opens_thought(self, mark: _Mark) -> bool:
        """Whether a `<think>` begins thinking, or is a word of the answer."""
        if self._quoted(mark) or self._in_fence(mark.start):
            return False
        before = self.text[max(self.state.piece, mark.start - 1) : mark.start]
        after = self.text[mark.end : mark.end + 1]
        if before in ("", "\n"):
            return True
        # In the middle of a line it is one if it closes again and does not stand there as a word of the sentence does.
        return self.last_end_think > mark.start and not (before.isspace() and not after.isalnum())

    def _stray_end_of_thought(self, mark: _Mark) -> None:
        """`</think>` without `<think>`: what stands before was thinking, if the prompt left that open and an answer follows."""
        state = self.state
        if not state.thought_known and not state.calls and self.text[mark.end : self.end].strip():
            state.thoughts += [*state.content, (state.piece, mark.start)]
            state.content.clear()
            state.fenced = False
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

    def _call(self, opener: _Mark) -> _Found | None:
        """The calls that begin at `opener`; None where it is only the marker's name in a text."""
        began = self.scanner.steps
        found = self._attempt(opener)
        if found:
            found.example = self._is_example(opener, found)
        if found is None or not found.whole:
            self.patience -= self.scanner.steps - began
        return found

    def _attempt(self, opener: _Mark) -> _Found | None:
        at, doubled = opener.end, False
        while opener.kind == "call" and (again := self._next_is(at, CALL)):
            at, doubled = again, True
        try:
            found = self._read(opener, at, self.end if self.patience > 0 else self._next_mark(at), closed=False)
        except JsonError as error:
            found = self._retry(opener, at, error)
        if opener.kind == "like_call":
            if found is None or not found.whole or not all(call.name in self.tools for call in found.calls):
                return None
            wrong = self.text[opener.start : opener.end]
            self._slip(found, Text(f"開頭的標記寫成 {wrong}", f"the opening marker written {wrong}"))
        if found and doubled:
            self._slip(found, _DOUBLE_OPENER)
        return found

    def _next_is(self, at: int, marker: str) -> int | None:
        """The character after `marker` where it follows at `at`, with or without white space before it."""
        space = self.scanner.match(_SPACE, at, self.end)
        at = space.end() if space else at
        return at + len(marker) if self.scanner.startswith(marker, at) and at + len(marker) <= self.end else None

    def _read(self, opener: _Mark, at: int, reach: int, *, closed: bool) -> _Found | None:
        """Reads the calls from `at` on and finds out where and how they end. Raises JsonError for broken JSON."""
        calls, after = read_calls(self.scanner, at, reach, self.tools, closed=closed)
        if not calls:
            return self._no_json(opener, at)
        return self._closed(_Found(calls, opener.start, after))

    def _closed(self, found: _Found) -> _Found:
        """Finds the end of calls whose JSON was read whole."""
        space = self.scanner.match(_SPACE, found.end, self.end)
        after = space.end() if space else found.end
        mark = self._mark_at(after)
        rest = self.text[after : self.end] if self.end - after < len(END_CALL) else None
        if mark and mark.kind == "end_call":
            found.end = mark.end
        elif rest is not None and END_CALL.startswith(rest) and not self.ended:
            found.end = self.end
            found.calls[-1].error = self._unterminated(self.end)
        elif wrong := self._wrong_closer(mark, after):
            self._slip(found, Text(f"結尾的標記寫成 {wrong}", f"the closing marker written {wrong}"))
            found.end = after + len(wrong)
        elif (closer := self._closer_after(after)) and not (mark and mark.kind in ("call", "end_think", "stop")):
            found.calls[-1].error = bad_arguments(self.text, after, Text("JSON 後面還有別的文字", "more text follows the JSON"))
            found.end = closer.end
        else:
            self._slip(found, _NO_CLOSER)
        return found

    def _wrong_closer(self, mark: _Mark | None, at: int) -> str:
        """What stands at `at` in place of `</tool_call>`, "" where nothing does."""
        if mark and mark.kind == "call" and not self._begins_call(mark):
            return CALL
        found = self.scanner.match(_ANY_CLOSER, at, self.end)
        return found[0].rstrip() if found else ""

    def _closer_after(self, at: int, following: int | None = None) -> _Mark | None:
        """The first closing marker from `at` on that stands before the next call, which begins at `following`."""
        limit = self._next_opener(at) if following is None else following
        index = bisect_left(self.closer_starts, at)
        return self.closers[index] if index < len(self.closers) and self.closers[index].start < limit else None

    def _next_opener(self, at: int) -> int:
        index = bisect_left(self.openers, at)
        return self.openers[index] if index < len(self.openers) else self.end

    def _mark_at(self, at: int) -> _Mark | None:
        index = bisect_left(self.marks, at, key=lambda mark: mark.start)
        return self.marks[index] if index < len(self.marks) and self.marks[index].start == at else None

    def _begins_call(self, mark: _Mark) -> bool:
        return self._next_opener(mark.start) == mark.start

    def _retry(self, opener: _Mark, at: int, error: JsonError) -> _Found | None:
        """JSON that broke off: read again up to the marker where it broke, which closes it; else it is a broken call."""
        mark = self._mark_at(error.at)
        stopped = error.at == self.end and self.ended
        if (mark or stopped) and error.at > at:
            try:
                return self._read(opener, at, error.at, closed=True)
            except JsonError as second:
                error = error if stopped else second
        return self._broken(opener, at, error)

    def _broken(self, opener: _Mark, at: int, error: JsonError) -> _Found:
        """A call whose JSON cannot be read: it ends at its closing marker, or where the next call begins."""
        following = self._next_opener(at) if self.patience > 0 else self._next_mark(at)
        while following < error.at and (closer := self._closer_after(following + 1)) and closer.start < error.at:
            following = self._next_opener(following + 1)  # It stood inside a string that was closed again.
        closer = self._closer_after(max(at, error.at), following) or self._last_closer(at, following)
        end, stop = (closer.end, closer.start) if closer else (following, following)
        if closer is None and (error.cut or (following == self.end and not self.ended)):
            problem = self._unterminated(min(error.at, stop))
        else:
            problem = bad_arguments(self.text, min(error.at, stop), error.text if error.at <= stop else OPEN_STRING, stop)
        return self._error(opener, (at, stop), end, problem)

    def _error(self, opener: _Mark, body: Span, end: int, problem: CallError) -> _Found:
        name = likely_name(self.scanner, *body)
        call = CallText(name, None, self.text[body[0] : body[1]].strip(), body, error=problem)
        return _Found([call], opener.start, end)

    def _last_closer(self, at: int, limit: int) -> _Mark | None:
        index = bisect_left(self.closer_starts, limit) - 1
        return self.closers[index] if index >= 0 and self.closers[index].start >= at else None

    def _no_json(self, opener: _Mark, at: int) -> _Found | None:
        """A marker with no JSON after it: a call cut off, a call that is none, or the name of the marker in a sentence."""
        closer = self._closer_after(at) if self.patience > 0 else None
        space = self.scanner.match(_SPACE, at, self.end)
        empty = space is not None and space.end() == self.end
        if self._quoted(opener) or (closer is None and not empty and self._in_sentence(opener)):
            return None
        end = closer.end if closer else self._next_mark(at)
        body = (at, closer.start if closer else end)
        near = excerpt(self.text, at, body[1])
        if closer is None and end == self.end and not self.ended:
            problem = self._unterminated(self.end)
        elif likely_name(self.scanner, *body):
            problem = bad_arguments(self.text, at, Text("引數不是 JSON 物件", "the arguments are no JSON object"), body[1])
        else:
            wrote = Text(f"，而是「{near}」", f" but {near!r}") if near else Text("", "")
            text = Text(f"呼叫標記裡沒有 JSON 物件{wrote.zh}", f"no JSON object stands between the call's markers{wrote.en}")
            problem = CallError("not_a_call", at, text)
        return self._error(opener, body, end, problem)

    def _next_mark(self, at: int) -> int:
        index = bisect_left(self.marks, at, key=lambda mark: mark.start)
        return self.marks[index].start if index < len(self.marks) else self.end

    def _unterminated(self, at: int) -> CallError:
        return CallError("unterminated", at, Text("呼叫還沒寫完，文字就停了", "the text stopped before the call was complete"))

    def _slip(self, found: _Found, slip: Text) -> None:
        for call in found.calls:
            call.slips.append(slip)

    # Calls without all their markers.

    def _without_opener(self, closer: _Mark) -> _Found | None:
        """`</tool_call>` without an opener: a call, if what stands before it is one up to the marker."""
        for start in self.scanner.all(_BARE_CALL, self.state.piece, closer.start):
            if self.patience <= 0:
                return None
            began = self.scanner.steps
            try:
                calls, after = read_calls(self.scanner, start.start(), closer.start, self.tools, closed=True)
            except JsonError:
                calls, after = [], start.start()
            if self._in_fence(start.start()) and not all(call.name in self.tools for call in calls):
                return None
            if calls and not self.text[after : closer.start].strip() and all(call.error is None for call in calls):
                found = _Found(calls, start.start(), closer.end)
                self._slip(found, _NO_OPENER)
                return found
            self.patience -= self.scanner.steps - began
        return None

    def _bare_call(self) -> None:
        """A turn that is nothing but the JSON of a call to a tool that is offered: the markers are missing."""
        state = self.state
        spans = [span for part in state.content if (span := trimmed(self.text, part))[0] < span[1]]
        if len(spans) != 1 or not self.scanner.match(_CALL_BEGINS, spans[0][0], spans[0][1]):
            return
        start, end = spans[0]
        try:
            calls, after = read_calls(self.scanner, start, end, self.tools, closed=False)
        except JsonError:
            return
        if calls and after == end and all(call.error is None and call.raw_args and call.name in self.tools for call in calls):
            found = _Found(calls, start, end)
            self._slip(found, _NO_MARKERS)
            state.calls.append(found)
            state.content.clear()

    # Text that only looks like a call.

    def _is_example(self, opener: _Mark, found: _Found) -> bool:
        """Whether it is an example: about a tool that is not offered, in a code fence, in quotation marks, or in a sentence."""
        if any(call.name in self.tools for call in found.calls):
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

    def _in_sentence(self, opener: _Mark) -> bool:
        """Whether words stand before the marker on its line and after it."""
        before = self.text[max(self.state.piece, opener.start - 200) : opener.start]
        return bool(before.rpartition("\n")[2].strip())

    def _quoted(self, mark: _Mark) -> bool:
        """Whether the marker stands between quotation marks, as its name does in a sentence."""
        before, after = self.text[mark.start - 1 : mark.start] if mark.start else "", self.text[mark.end : mark.end + 1]
        return before != "" and after != "" and before in _QUOTES and after in _QUOTES

    def _turn(self) -> Turn:
        state = self.state
        thoughts = _kept(self.text, state.thoughts)
        content = _kept(self.text, state.content)
        calls = [call for found in state.calls for call in found.placed()]
        return Turn(joined(self.text, state.thoughts) or None, joined(self.text, state.content), tuple(calls), thoughts, content)


def _kind(found: re.Match[str]) -> Kind:
    kind = found.lastgroup
    assert kind is not None, "every alternative of _MARKS is named"
    return kind  # type: ignore[return-value]


def _tried(found: _Found) -> bool:
    """Whether a broken call was meant as one: JSON was begun."""
    return all(call.error is None or call.error.kind != "not_a_call" for call in found.calls)


def _kept(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    return tuple(span for part in spans if (span := trimmed(text, part))[0] < span[1])
