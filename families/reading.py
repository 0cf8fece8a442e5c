"""Reading helpers that families share: counted scanning, pieces of a turn joined, and the channel of each token.

Knows nothing about any one format: which markers there are and what they mean is in the family's tables.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from families.base import Channel, Family, Headers

Span = tuple[int, int]

MAX_HEADER = 200
"""Characters of a message's header; what goes on longer without its closing marker is no header but text."""
_BEGINNING = 200
_SPACE = re.compile(r"\s*+")
_CLOSING_QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』"}


class Scanner:
    """A text and the reading of it, counted.

    `steps` grows by the characters that each look at the text may touch, so that a test can tell linear reading from
    quadratic without a clock.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self._spare = 8 * len(text) + 1000

    def match(self, pattern: re.Pattern[str], at: int, end: int | None = None) -> re.Match[str] | None:
        """`pattern` at exactly `at`."""
        found = pattern.match(self.text, at, len(self.text) if end is None else end)
        self.steps += 1 + (found.end() - at if found else 0)
        return found

    def past(self, pattern: re.Pattern[str], at: int, end: int | None = None) -> int:
        """The character after `pattern`, which is `at` where it does not stand there."""
        found = self.match(pattern, at, end)
        return found.end() if found else at

    def past_space(self, at: int, end: int | None = None) -> int:
        """The first character from `at` on that is no white space."""
        return self.past(_SPACE, at, end)

    def all(self, pattern: re.Pattern[str], at: int, end: int) -> list[re.Match[str]]:
        """Every place of `pattern` in [at, end)."""
        self.steps += 1 + max(0, end - at)
        return list(pattern.finditer(self.text, at, end))

    def startswith(self, what: str, at: int) -> bool:
        self.steps += len(what)
        return self.text.startswith(what, at)

    def broken(self, start: int, end: int) -> str:
        """The text [start, end) of a call that cannot be read, without the white space at its ends.

        Such calls can reach into one another; after much text of them only the beginning of each is given.
        """
        self._spare -= end - start
        return self.text[start : end if self._spare > 0 else min(end, start + _BEGINNING)].strip()


def quoted(text: str, start: int, end: int) -> bool:
    """Whether the marker at [start, end) stands between quotation marks, as its name does in a sentence: between one that opens
    and its partner. In 「好」</think>「好」 it does not."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return after != "" and _CLOSING_QUOTES.get(before) == after


def trimmed(text: str, span: Span) -> Span:
    """`span` without the white space at its ends; an empty span where there is nothing else."""
    start, end = span
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, max(start + left, end - len(part) + len(part.rstrip())))


def kept(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans, trimmed, that hold more than white space."""
    return tuple(span for part in spans if (span := trimmed(text, part))[0] < span[1])


def joined(text: str, spans: Sequence[Span], glue: str = "\n") -> str:
    """The text of several spans as one; `glue` stands where two would otherwise run into each other."""
    parts: list[str] = []
    for start, end in spans:
        part = text[start:end]
        if parts and part and not parts[-1][-1:].isspace() and not part[:1].isspace():
            parts.append(glue)
        parts.append(part)
    return "".join(parts).strip()


def token_ends(texts: Iterable[str]) -> tuple[int, ...]:
    """The character at which each token ends, given the text that each token completes."""
    return tuple(accumulate(len(text) for text in texts))


def token_span(span: Span, ends: Sequence[int]) -> Span:
    """The tokens [from, to) that wrote the characters [span), given `token_ends` of the turn.

    A token that only began a character (its text is "") belongs to the characters that the next one completes.
    """
    start, end = span
    first = bisect_right(ends, start)
    while first and ends[first - 1] == start == (ends[first - 2] if first > 1 else 0):
        first -= 1
    if end <= start:
        return (first, first)
    return (first, min(bisect_left(ends, end) + 1, len(ends)))


class ChannelReader:
    """Gives each token of a turn its channel as it comes; the cost of a token does not grow with the turn.

    A marker may be one token or span several: the token in which a marker ends is shown in the channel "control", and
    the channel switches after it. Inside a string of a call (`family.string_marks`) a marker is part of the value; where
    strings stand in quotation marks, a backslash takes the next character with it. What follows a call goes back to the
    channel that the call interrupted. Where the model heads its messages (`family.headers`), a header is "control" from end to
    end and says the channel.
    """

    def __init__(self, family: Family, prompt: str = "") -> None:
        self._family = family
        markers = {*family.channels, *family.stop_tokens}
        strings = set(family.string_marks)
        self._in_text = _any_of(markers)
        self._in_call = _any_of(markers | strings)
        escapes = {mark: (r"\\[\s\S]",) if len(mark) == 1 else () for mark in strings}
        self._in_string = {mark: _any_of({mark, *family.stop_tokens}, *escapes[mark]) for mark in strings}
        self._reach = max(map(len, markers | strings), default=1)
        self._tail = ""
        self._open_string: str | None = None
        self._interrupted: Channel = "content"
        last = family.headers.last_in(prompt) if family.headers else None
        self._header: str | None = last[0] if last and not last[1] else None
        self.reach = 0
        """How many characters before the last token the marker began that ended in it; 0 where it began in it, or none did."""
        self.channel: Channel = family.opening_channel(prompt)
        """The channel in which the next token stands."""

    def feed(self, text: str) -> Channel:
        """The channel of the token that completes `text` ("" for a token that ends inside a character)."""
        window, at, control, before = self._tail + text, 0, False, len(self._tail)
        self.reach = 0
        while found := self._pattern().search(window, at):
            self._read_header(window[at : found.start()])
            if self._pass(found[0]):
                control, self.reach = True, max(self.reach, before - found.start())
            at = found.end()
        # What is kept may begin a marker; what a marker has used up must not be read again.
        kept = max(at, len(window) - self._reach + 1)
        self._read_header(window[at:kept])
        self._tail = window[kept:]
        if self._header is not None and len(self._header) + len(self._tail) > MAX_HEADER:
            self._header, self.channel = None, "content"
        return "control" if control else self.channel

    def _read_header(self, text: str) -> None:
        if self._header is not None:
            self._header += text

    def _pass_header(self, headers: Headers, mark: str) -> bool:
        """Goes past a marker that begins, belongs to or ends a header; False where it has to do with none."""
        if self._header is None:
            if mark not in headers.openers:
                return False
            self._header, self.channel = mark, "control"
        elif mark == headers.closer:
            channel = headers.channel_of(self._header) if len(self._header) <= MAX_HEADER else "content"
            self._header, self._interrupted, self.channel = None, "content", channel
        elif mark in self._family.stop_tokens or mark in self._family.call_closers:
            self._header, self.channel = None, "content"
        else:
            self._header += mark
        self._open_string = None
        return True

    def _pattern(self) -> re.Pattern[str]:
        if self._open_string is not None:
            return self._in_string[self._open_string]
        return self._in_call if self.channel == "tool_call" else self._in_text

    def _pass(self, mark: str) -> bool:
        """Goes past what was found; whether it is a marker and not part of a call's text."""
        if mark in self._family.string_marks:
            self._open_string = None if self._open_string else mark
            return False
        if mark.startswith("\\"):
            return False
        if self._family.headers and self._pass_header(self._family.headers, mark):
            return True
        self._open_string = None
        target = self._family.channels.get(mark, "control")
        if target == "tool_call":
            self._interrupted = self._interrupted if self.channel == "tool_call" else self.channel
            self.channel = "tool_call"
        elif self.channel == "tool_call" and mark in self._family.call_closers:
            self.channel = self._interrupted
        elif target != "control":
            self.channel = target
        return True


def _any_of(words: Iterable[str], *patterns: str) -> re.Pattern[str]:
    """A pattern for the longest of the words that stands at a place, or one of the further patterns; for nothing without any."""
    return re.compile("|".join([*map(re.escape, sorted(words, key=len, reverse=True)), *patterns]) or r"(?!)")
