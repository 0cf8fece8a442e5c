"""The parser of the harmony format, in which gpt-oss writes messages with headers of their own.

    <|channel|>analysis<|message|>…<|end|>
    <|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>
    <|start|>assistant<|channel|>final<|message|>…<|return|>

A header names the channel: analysis is thinking, final is the answer, commentary is for calls and, without a recipient, for
words to the user. The recipient stands before or after the channel. Source: OpenAI's description of the format, "harmony
response format". Where a marker does not do what it is for, as in a sentence about it, it is text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from families.base import Call, CallError, Channel, Text, Turn
from families.json_calls import CallText, Tools, bad_arguments, no_name, offered, unterminated
from families.marked_arguments import ArgumentReader, Bound
from families.reading import MAX_HEADER, Scanner, Span, joined, kept, quoted

START, END, MESSAGE, CHANNEL, CONSTRAIN = "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>"
RETURN, CALL, END_OF_TEXT = "<|return|>", "<|call|>", "<|endoftext|>"

_ENDS = (END, RETURN, CALL, END_OF_TEXT)
_MARKS = re.compile(r"<\|(?:start|end|message|channel|constrain|return|call|endoftext)\|>")
_PARTIAL = re.compile(r"<(?:\|(?:[a-z]{1,9}\|?)?)?\Z")
_RECIPIENT = re.compile(r"\bto=([^\s<]*)")
_ROLE = re.compile(r"\s*(?:<\|start\|>)?\s*(\w*)")
_CHANNEL = re.compile(r"<\|channel\|>\s*([^\s<]*)")
_TO = r"(?:\s++to=[^\s<{]*+)"
_IN_CHANNEL = rf"(?:\s*+<\|channel\|>\s*+(?:analysis|commentary|final)?{_TO}?)"
_TYPE = r"(?:\s*+<\|constrain\|>)?(?:\s*+json\b)?"
_WHOLE = re.compile(
    rf"\s*+(?:<\|start\|>)?\s*+(?:(?!to=)[\w.\-]++)?\s*+(?:to=[^\s<]*+)?"
    rf"(?:\s*+<\|channel\|>\s*+(?:(?!to=)[^\s<]++)?{_TO}?){{0,3}}+(?:\s*+<\|constrain\|>)?(?:\s*+[\w.\-/]++)?\s*+"
)
"""All that a header may hold before its `<|message|>`."""
_BEGUN = re.compile(
    rf"(?:\s*+<\|start\|>(?:assistant|[\w.\-]*+(?=\s+to=|<\|channel\|>|\s*\Z))?+)?"
    rf"(?:{_TO}{_IN_CHANNEL}{{0,3}}+{_TYPE}|{_IN_CHANNEL}{{1,3}}+{_TYPE})?"
)
"""The words of a header as far as they go."""
_CHANNELS = ("analysis", "commentary", "final")
_NO_TOOL = ("assistant", "user", "all")
"""Recipients that are no tool."""
_PREFIX = "functions."
_FENCE = "```"

_NO_MESSAGE = Text(f"少了 {MESSAGE}", f"a missing {MESSAGE}")


class Header(NamedTuple):
    """What a message's header says: its channel, "" where it names none, and who it is for, tools alone."""

    channel: str
    recipients: tuple[str, ...]

    @property
    def meaning(self) -> Channel:
        if self.recipients:
            return "tool_call"
        return "thought" if self.channel.startswith("analysis") else "content"


def read_header(text: str) -> Header:
    """The header that stands in `text`; where models begin it anew inside, the last channel counts."""
    channels = _CHANNEL.findall(text)
    recipients = tuple(recipient for recipient in _RECIPIENT.findall(text) if recipient not in _NO_TOOL)
    named = _ROLE.match(text)
    without_marker = named[1] if named and named[1] in _CHANNELS else ""
    return Header(channels[-1] if channels else without_marker, recipients)


def channel_of(header: str) -> Channel:
    """The channel of a message with this header."""
    return read_header(header).meaning


@dataclass(frozen=True)
class _Mark:
    token: str
    start: int
    end: int


@dataclass
class _Read:
    """What has been read so far."""

    thoughts: list[Span] = field(default_factory=list)
    content: list[Span] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn in the harmony format; see `families.base.Family` for what the arguments are."""
    return read_turn(Scanner(raw), offered(tools), prefix)


def read_turn(scanner: Scanner, tools: Tools, prefix: str) -> Turn:
    """`parse` on a scanner, which counts the steps."""
    return _Parser(scanner, tools, prefix).read()


class _Parser:
    def __init__(self, scanner: Scanner, tools: Tools, prefix: str) -> None:
        self.scanner, self.text, self.tools = scanner, scanner.text, tools
        self.marks = [_Mark(found[0], found.start(), found.end()) for found in scanner.all(_MARKS, 0, len(scanner.text))]
        self.starts = [mark.start for mark in self.marks]
        self.ended = self.text.rstrip().endswith((RETURN, CALL, END_OF_TEXT))
        self.arguments = ArgumentReader(scanner, [_bound(mark) for mark in self.marks], CALL, self.ended)
        self.ends = self._which_end()
        self.last_fence = self.text.rfind(_FENCE)
        self.found = _Read()
        start = prefix.rfind(START)
        self.before, message, _ = prefix[start:].partition(MESSAGE) if start >= 0 else ("", "", "")
        self.opened = bool(message)
        """Whether the prompt has begun a message, whose header it holds."""

    def read(self) -> Turn:
        at = self._message(0, 0, read_header(self.before)) if self.opened else self._header(0, self.before)
        while at < len(self.text):
            at = self._header(at, "")
        text, found = self.text, self.found
        thoughts, content = kept(text, found.thoughts), kept(text, found.content)
        return Turn(joined(text, thoughts) or None, joined(text, content), tuple(found.calls), thoughts, content)

    def _next(self, at: int) -> int:
        """The number of the first marker from the character `at` on."""
        return bisect_left(self.starts, at)

    # Headers.

    def _header(self, at: int, before: str) -> int:
        """Reads the message whose header begins at `at` (its beginning `before` in the prompt); the character after it."""
        close = self._closes_header(at)
        if close is None:
            return self._broken_header(at, before)
        header = read_header(before + self.text[at : close.start])
        return self._message(at, close.end, header)

    def _closes_header(self, at: int) -> _Mark | None:
        """The `<|message|>` that ends a header which begins at `at`; None where what stands there is no whole header."""
        found = self.scanner.match(_WHOLE, at, min(at + MAX_HEADER, len(self.text)))
        number = self._next(found.end()) if found else len(self.marks)
        mark = self.marks[number] if number < len(self.marks) else None
        return mark if mark and found and mark.start == found.end() and mark.token == MESSAGE else None

    def _broken_header(self, at: int, before: str) -> int:
        """A header that nothing closes: what it holds beside the header's own words is the message."""
        begun = self.scanner.match(_BEGUN, at)
        end = begun.end() if begun else at
        header = read_header(before + self.text[at:end])
        if header.recipients:
            return self._unheaded_call(at, end, header)
        return len(self.text) if self._cut_off(at, end) else self._text(end, header)

    def _unheaded_call(self, at: int, end: int, header: Header) -> int:
        """A call whose header is not closed: read if its arguments follow, else it is cut off or broken."""
        space = self.scanner.past_space(end)
        if self.text.startswith("{", space):
            return self._call(at, space, header, [_NO_MESSAGE])
        bound = self.arguments.next(end)
        stop = bound.start if bound else len(self.text)
        why = Text(f"標頭後面沒有 {MESSAGE}", f"no {MESSAGE} follows the header")
        error = unterminated(stop) if bound is None else bad_arguments(self.text, end, why, stop)
        after = bound.end if bound and bound.kind != "other" else stop
        self._add(CallText(self._name(header)[0], None, self.scanner.broken(end, stop), (at, after), error=error))
        return self._past_end(after)

    # Messages.

    def _message(self, at: int, body: int, header: Header) -> int:
        """Reads the message whose header begins at `at` and whose text begins at `body`; the character after it."""
        return self._call(at, body, header, []) if header.recipients else self._text(body, header)

    def _text(self, start: int, header: Header) -> int:
        """Thinking, or text for the user, up to the marker that ends it."""
        thinking = header.meaning == "thought"
        number, fence_at, fenced = self._next(start), start, False
        while number < len(self.marks):
            mark = self.marks[number]
            if not thinking:
                self.scanner.steps += mark.start - fence_at
                fenced ^= bool(self.text.count(_FENCE, fence_at, mark.start) % 2)
                fence_at = mark.start
            if self._ends_text(number) and not self._quoted(mark, fenced):
                self._keep((start, mark.start), thinking)
                return mark.start if mark.token in (START, CHANNEL) else mark.end
            number += 1
        self._keep((start, len(self.text)), thinking)
        return len(self.text)

    def _keep(self, span: Span, thinking: bool) -> None:
        (self.found.thoughts if thinking else self.found.content).append(span)

    def _which_end(self) -> list[bool]:
        """For each end marker whether it ends a message, judged by what follows: in a sentence about it words would."""
        ends = [False] * len(self.marks)
        for number in range(len(self.marks) - 1, -1, -1):
            mark = self.marks[number]
            after = self.scanner.past_space(mark.end)
            following = self.text[mark.end : mark.end + 1]
            if mark.token not in _ENDS:
                continue
            if after == len(self.text) or following == "\n" or following.isalnum():
                ends[number] = True
            elif number + 1 < len(self.marks) and self.marks[number + 1].start == after:
                ends[number] = ends[number + 1] or self.marks[number + 1].token in (START, CHANNEL)
        return ends

    def _ends_text(self, number: int) -> bool:
        """Whether a marker ends the text before it, or only stands in it as a word does."""
        mark = self.marks[number]
        if mark.token in (START, CHANNEL):
            return self._closes_header(mark.start) is not None or self._cut_header(mark)
        return self.ends[number]

    def _cut_header(self, mark: _Mark) -> bool:
        """Whether a header begins at the marker in which the turn was cut off."""
        if len(self.text) - mark.start > MAX_HEADER:
            return False
        begun = self.scanner.match(_BEGUN, mark.start)
        return begun is not None and self._cut_off(mark.start, begun.end())

    def _cut_off(self, at: int, end: int) -> bool:
        """Whether the turn was cut off in a header of which [at, end) is whole."""
        if self.ended or end == at or len(self.text) - end > len(END_OF_TEXT):
            return False
        begun, rest = self.text[at:end].rstrip(), self.text[end:].strip()
        words = _CHANNELS if begun.endswith(CHANNEL) else ("to=", "json")
        in_word = any(word.startswith(rest) for word in words)
        return not rest or in_word or _PARTIAL.match(rest) is not None

    def _quoted(self, mark: _Mark, fenced: bool) -> bool:
        """Whether a marker stands in quotation marks, or in a code fence that closes again, and calls no tool that there is."""
        if quoted(self.text, mark.start, mark.end):
            return True
        if not fenced or self.last_fence < mark.end:
            return False
        close = self._closes_header(mark.start) if mark.token in (START, CHANNEL) else None
        return close is None or self._name(read_header(self.text[mark.start : close.start]))[0] not in self.tools

    # Calls.

    def _call(self, at: int, body: int, header: Header, slips: list[Text]) -> int:
        """Reads the call whose header begins at `at` and whose arguments begin at `body`; the character after it."""
        name, slip = self._name(header)
        arguments = self.arguments.read(body)
        error = arguments.error or self._name_error(header, name, at)
        value = None if error else arguments.value
        self._add(CallText(name, value, arguments.raw, (at, arguments.end), [*slips, *slip, *arguments.slips], error))
        return self._past_end(arguments.end)

    def _name_error(self, header: Header, name: str, at: int) -> CallError | None:
        if len(set(header.recipients)) > 1:
            both = " / ".join(header.recipients)
            different = Text(f"標頭寫了不同的收件者：{both}", f"the header names different recipients: {both}")
            return CallError("no_name", at, different)
        return None if name else no_name(at)

    def _name(self, header: Header) -> tuple[str, list[Text]]:
        """The tool's name in a recipient, and the slip where its namespace is missing."""
        recipient = header.recipients[-1] if header.recipients else ""
        if recipient.startswith(_PREFIX):
            return recipient.removeprefix(_PREFIX), []
        if recipient in self.tools:
            return recipient, [Text(f"工具名稱前少了 {_PREFIX}", f"a missing {_PREFIX!r} before the tool's name")]
        return "" if recipient == _PREFIX.rstrip(".") else recipient, []

    def _past_end(self, at: int) -> int:
        """The character after the end marker that follows at `at`, if one does."""
        bound = self.arguments.at(self.scanner.past_space(at))
        return bound.end if bound and bound.kind != "other" else at

    def _add(self, call: CallText) -> None:
        error: CallError | None = call.error
        value = None if error else call.arguments
        self.found.calls.append(Call(call.name, value, call.raw_args, call.span, error, call.repaired))


def _bound(mark: _Mark) -> Bound:
    return Bound(mark.start, mark.end, "closer" if mark.token == CALL else "end" if mark.token in _ENDS else "other")
