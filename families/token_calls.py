"""Calls that control tokens take apart: a section of calls, in each a head with the name, a separator, JSON, an end.

DeepSeek V3, R1 and V3.1 and Kimi K2 write their calls so; which tokens they use and where the name stands is in a
`CallTokens` each. Knows nothing about thinking; `families/turns.py` walks over the turn and asks here at each marker.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from families.base import CallError, Channel, Text, Turn
from families.json_calls import CallText, Tools, excerpt, no_name, not_a_call, offered, unterminated
from families.marked_arguments import ArgumentReader, Arguments, Bound
from families.reading import Scanner, Span, quoted
from families.turns import Found, Mark, TurnReader, end_of_text

_HEAD_THEN_JSON = re.compile(r"\s*+([^\s`{}<>|]{1,200}+)\s*+(?=[{`])")
_NAME_LINE = re.compile(r"\s*+([^\s`{}\[\]\"'<>|]{1,200}+)\s*+(?=[{`])")


@dataclass(frozen=True)
class CallTokens:
    """The control tokens of a format. `name_of` makes the tool's name of a call's head; with `typed`, the head may be a type
    (DeepSeek V3's "function"), and the name stands on the line after the separator."""

    section: str
    end_section: str
    call: str
    separator: str
    end_call: str
    stops: tuple[str, ...]
    name_of: Callable[[str, Tools], str]
    typed: bool = False
    pattern: re.Pattern[str] = field(init=False)
    """Every token that means something to the reading."""

    def __post_init__(self) -> None:
        kinds = {
            "section": self.section, "end_section": self.end_section, "call": self.call, "separator": self.separator,
            "end_call": self.end_call,
        }  # fmt: skip
        tokens = [f"(?P<{kind}>{re.escape(token)})" for kind, token in kinds.items()]
        tokens.append(f"(?P<stop>{'|'.join(map(re.escape, self.stops))})")
        tokens += ["(?P<think><think>)", r"(?P<end_think></think>|</ ?think(?:ing)? ?>|<\\think>)"]
        object.__setattr__(self, "pattern", re.compile("|".join(tokens)))

    @property
    def channels(self) -> dict[str, Channel]:
        """The channel that holds after each of the tokens of a call."""
        return {
            self.section: "control", self.end_section: "control", self.call: "tool_call", self.separator: "control",
            self.end_call: "content",
        }  # fmt: skip


@dataclass(frozen=True)
class _Token:
    kind: str
    start: int
    end: int


def parse_turn(form: CallTokens, raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of this format; see `families.base.Family` for the other arguments."""
    return read_turn(Scanner(raw), form, offered(tools), prefix)


def read_turn(scanner: Scanner, form: CallTokens, tools: Tools, prefix: str) -> Turn:
    """`parse_turn` on a scanner, which counts the steps."""
    marks = _Marks(scanner, form)
    return TurnReader(scanner, marks.end, marks, _Calls(scanner, form, tools, marks), prefix).read()


class _Marks:
    """The control tokens of a text, in order."""

    def __init__(self, scanner: Scanner, form: CallTokens) -> None:
        self._text = scanner.text
        self.end = end_of_text(scanner.text, form.stops)
        found = scanner.all(form.pattern, 0, len(scanner.text))
        self.tokens = [_Token(match.lastgroup or "", match.start(), match.end()) for match in found]
        self._starts = [token.start for token in self.tokens]
        self.all = [self._mark(number) for number, token in enumerate(self.tokens) if token.start < self.end]
        kinds = {token.start: token.kind for token in self.tokens if token.kind in ("section", "call")}
        self._run_ends: dict[int, int] = {}
        for token in reversed(self.tokens):
            after = scanner.past_space(token.end)
            self._run_ends[token.start] = self._run_ends[after] if kinds.get(after) == token.kind else token.end

    def _mark(self, number: int) -> Mark:
        """A token as the walk over the turn sees it: what opens calls, what should not stand alone, and the rest."""
        token = self.tokens[number]
        if token.kind in ("section", "call"):
            following = self.tokens[number + 1] if number + 1 < len(self.tokens) else None
            empty = following and following.kind == "end_section" and not self._text[token.end : following.start].strip()
            return Mark("stop" if token.kind == "section" and empty else "call", token.start, token.end)
        if token.kind in ("end_section", "separator", "end_call"):
            return Mark("end_call", token.start, token.end)
        return Mark(token.kind, token.start, token.end)  # type: ignore[arg-type]

    def next(self, at: int) -> _Token | None:
        """The first token from the character `at` on."""
        index = bisect_left(self._starts, at)
        return self.tokens[index] if index < len(self.tokens) else None

    def past_run(self, mark: Mark | _Token) -> int:
        """The character after a token, or where the opener of a section or call is repeated at once after the last of them."""
        return self._run_ends[mark.start]


class _Calls:
    """Reads the calls of one text."""

    def __init__(self, scanner: Scanner, form: CallTokens, tools: Tools, marks: _Marks) -> None:
        self._scanner, self._text, self._form, self._tools, self._marks = scanner, scanner.text, form, tools, marks
        self._ended = marks.end < len(scanner.text)
        bounds = [Bound(token.start, token.end, "closer" if token.kind == "end_call" else "other") for token in marks.tokens]
        self._arguments = ArgumentReader(scanner, bounds, form.end_call, self._ended)

    def offers(self, name: str) -> bool:
        return name in self._tools

    def without_opener(self, start: int, closer: Mark, fenced: bool) -> Found | None:
        """Calls without any opener are not read: what a control token did not open is text."""
        return None

    def bare(self, span: Span) -> Found | None:
        """A call without any marker is text here: its name stands outside the JSON."""
        return None

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        """The calls of a section, or the one call that a section's opener is missing before."""
        if quoted(self._text, opener.start, opener.end):
            return None
        sectioned = self._text.startswith(self._form.section, opener.start)
        found = Found([], opener.start, self._marks.past_run(opener) if sectioned else opener.start)
        doubled = found.end > opener.end
        while self._read_next(found, sectioned) and sectioned:
            pass
        self._end_section(found, sectioned)
        if not found.calls:
            return None
        if not sectioned:
            found.calls[0].slips.append(Text(f"少了開頭的 {self._form.section}", f"a missing {self._form.section}"))
        elif doubled:
            found.slip(_doubled(self._form.section))
        return found

    def _read_next(self, found: Found, sectioned: bool) -> bool:
        """Reads the next call of the section and puts it into `found`; False where there is none."""
        token = self._marks.next(found.end)
        between = self._text[found.end : token.start].strip() if token else ""
        if token is None or token.start >= self._marks.end or (between and not sectioned):
            return False
        if token.kind == "separator" and between and sectioned:
            call = self._call(found.end, token)
            call.slips.append(Text(f"少了開頭的 {self._form.call}", f"a missing {self._form.call}"))
            if not self._text.endswith(self._form.end_call, 0, call.span[1]):
                call.error = call.error or _no_call(found.end, self._form.call, between)
        elif token.kind == "call":
            head = self._marks.past_run(token)
            following = self._marks.next(head)
            call = self._call(head, following if following and following.kind == "separator" else None)
            if head > token.end:
                call.slips.append(_doubled(self._form.call))
        else:
            return False
        found.calls.append(call)
        found.end = call.span[1]
        return True

    def _end_section(self, found: Found, sectioned: bool) -> None:
        """Takes in the end of the section, and what stands before it: text in a section is no answer."""
        token = self._marks.next(found.end)
        closes = token is not None and token.kind == "end_section"
        stop = token.start if token else len(self._text)
        left = self._text[found.end : stop].strip()
        if not sectioned:
            if closes and not left and token:
                found.end = token.end
            return
        if left and not found.calls:
            cut = token is None and not self._ended
            error = unterminated(stop) if cut else _no_call(found.end, self._form.call, left)
            found.calls.append(CallText("", None, left, (found.start, stop), error=error))
        if left or closes:
            found.end = token.end if closes and token else stop

    def _call(self, at: int, separator: _Token | None) -> CallText:
        """The call whose head begins at `at`; its span ends where the call does."""
        if separator is None:
            return self._without_separator(at)
        head, body = self._text[at : separator.start].strip(), separator.end
        name = self._form.name_of(head, self._tools)
        line = self._scanner.match(_NAME_LINE, body) if self._form.typed else None
        if line:
            name, body = line[1], line.end()
        return self._with(name, at, self._arguments.read(body, fenced=self._form.typed))

    def _without_separator(self, at: int) -> CallText:
        """A call without its separator: read if the head and JSON follow one another, else it is none."""
        head = self._scanner.match(_HEAD_THEN_JSON, at)
        if head:
            call = self._with(self._form.name_of(head[1], self._tools), at, self._arguments.read(head.end(), fenced=True))
            call.slips.append(Text(f"少了 {self._form.separator}", f"a missing {self._form.separator}"))
            return call
        token = self._marks.next(at)
        stop = token.start if token else len(self._text)
        left = self._text[at:stop].strip()
        error = unterminated(stop) if token is None else _no_call(at, self._form.separator, left)
        end = token.end if token and token.kind == "end_call" else stop
        return CallText("", None, left, (at, end), error=error)

    def _with(self, name: str, at: int, arguments: Arguments) -> CallText:
        span = (at, arguments.end)
        error = arguments.error or (None if name else no_name(at))
        value = None if error else arguments.value
        return CallText(name, value, arguments.raw, span, arguments.slips, error)


def _doubled(token: str) -> Text:
    return Text(f"開頭的 {token} 重複了", f"a doubled {token}")


def _no_call(at: int, missing: str, left: str) -> CallError:
    return not_a_call(at, Text(f"這裡該有 {missing}", f"{missing} should stand here"), excerpt(left, 0))
