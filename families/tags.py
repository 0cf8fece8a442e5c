"""Calls written as tags, one around each argument: which tags a format has, and where they stand in a turn.

Knows nothing about what a call means; `families/tagged_calls.py` reads calls from the tags. The formats have no escapes:
a value may hold any of the tags, so that only what follows a tag says whether it is one. All of that is found out here, in
one pass over the turn.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Literal

from families.reading import Scanner
from families.turns import Mark

TagKind = Literal["think", "end_think", "stop", "call", "end_call", "function", "end_function", "parameter", "end_parameter"]

_THINKING = r"(?P<think><think>)|(?P<end_think></think>|</ ?think(?:ing)? ?>|<\\think>)"
_PARTIAL = re.compile(r"<[^<>\n]{0,200}\Z")
_LIKE_CLOSER = re.compile(r"<[/\\]{1,2} ?\|?(?!think|tool_response)[\w\- :]{2,30}[|>\]]{0,2}")


@dataclass(frozen=True)
class TagFormat:
    """How a family writes calls: `function` and `parameter` are patterns of the opening tags, with a group "…_name" each.

    A group "parameter_mark" is what the format says about the type of a value: `text_mark` where it is text, anything else
    where it is JSON. A group "function_mark" that holds "/" says that the tag closes itself.
    A call stands between `call` and `end_call`; where `end_call` is "", a function's tags are the call's. `exact_…` are the
    opening tags as the family's template writes them. With `layout`, a line break on each side of a value is no part of it.
    """

    call: str
    end_call: str
    function: str
    exact_function: re.Pattern[str]
    end_function: str
    parameter: str
    exact_parameter: re.Pattern[str]
    end_parameter: str
    stops: tuple[str, ...]
    layout: bool
    several: bool = False
    """Whether several calls may stand between one `call` and `end_call`."""
    text_mark: str = ""
    whole: tuple[str, str] = ("", "")
    """What may stand around all of the arguments in one JSON object, instead of a tag for each."""
    thinking: str = _THINKING
    """A pattern of the markers of the thinking, with the groups "think" and "end_think"."""
    partial: re.Pattern[str] = _PARTIAL
    """A tag that was cut off, up to the end of the text."""
    pattern: re.Pattern[str] = field(init=False)
    """Every tag and marker."""

    def __post_init__(self) -> None:
        tags = [
            self.thinking,
            _group("stop", "|".join(map(re.escape, self.stops))),
            _group("function", self.function),
            _group("call", re.escape(self.call)),
            _group("end_function", re.escape(self.end_function)),
            _group("parameter", self.parameter),
            _group("end_parameter", re.escape(self.end_parameter)),
        ]
        if self.end_call:
            tags.append(_group("end_call", re.escape(self.end_call)))
        object.__setattr__(self, "pattern", re.compile("|".join(tags)))


def _group(name: str, pattern: str) -> str:
    return f"(?P<{name}>{pattern})"


def opening_tag(word: str, group: str) -> str:
    """A pattern of `<word=NAME>` and of the ways in which models miss it; NAME is the group `group`."""
    return rf"""<{word}(?: ?= ?| name ?= ?)["'“]?(?P<{group}_name>[^<>"'“”=\n]{{1,200}}?)["'”]?(?: ?>|(?=\n))"""


@dataclass(frozen=True)
class Tag:
    """A tag at the characters [start, end); `after` is where what follows it begins, white space left out.

    `following` is the number of the tag that stands there, None where something else does.
    """

    kind: TagKind
    start: int
    end: int
    name: str
    mark: str
    after: int
    following: int | None


class Tags:
    """The tags of a text up to `end`, numbered in the order of the text. `ended` says whether the model ended its turn itself.

    For each tag: `begins` whether it begins a call; `closes` whether it ends what it should, judged by what follows;
    `almost` whether it does so though a tag is missing after it.
    """

    def __init__(self, scanner: Scanner, form: TagFormat, end: int, ended: bool) -> None:
        self.scanner, self.text, self.form, self.end, self.ended = scanner, scanner.text, form, end, ended
        self.tags = self._found()
        numbers = range(len(self.tags))
        self._thinking_ends = [tag.start for tag in self.tags if tag.kind == "end_think"]
        self.leads_to: list[int | None] = [None] * len(self.tags)
        """For `call` and `function`: the function that begins there."""
        self.outer = [tag.start for tag in self.tags]
        """For a function: where the first `call` before it begins."""
        for number in reversed(numbers):
            self._lead(number)
        self.begins = [self._begins(number) for number in numbers]
        self.closes = [self._closes(number) for number in numbers]
        self.almost = [self._almost(number) for number in numbers]
        self.last_end = max((number for number in numbers if self.tags[number].kind in ("end_function", "end_call")), default=-1)
        """The last tag that ends a function or a call."""
        self.matching = self._matching()
        self.value_end = self._value_ends()
        self.all = [Mark("call" if kind == "function" else kind, tag.start, tag.end)  # type: ignore[arg-type]
                    for number, tag in enumerate(self.tags) if (kind := self._mark_kind(number))]  # fmt: skip
        scanner.steps += 8 * len(self.tags)

    def _found(self) -> list[Tag]:
        found = self.scanner.all(self.form.pattern, 0, self.end)
        self._number_at = {match.start(): number for number, match in enumerate(found)}
        tags = []
        for match in found:
            kind = match.lastgroup or ""
            said = {name: match.groupdict().get(f"{kind}_{name}") or "" for name in ("name", "mark")}
            after = self.past_space(match.end())
            following = self._number_at.get(after)
            tags.append(Tag(kind, *match.span(), said["name"].strip(), said["mark"], after, following))  # type: ignore[arg-type]
        return tags

    def past_space(self, at: int) -> int:
        return self.scanner.past_space(at, self.end)

    def kind(self, number: int | None) -> TagKind | None:
        return None if number is None else self.tags[number].kind

    def thinking_ends(self, start: int, end: int) -> bool:
        """Whether a marker that ends the thinking stands in [start, end)."""
        place = bisect_left(self._thinking_ends, start)
        return place < len(self._thinking_ends) and self._thinking_ends[place] < end

    def cut_at(self, at: int) -> bool:
        """Whether the text was cut off at `at`, or inside a tag that begins there."""
        return not self.ended and (at == self.end or self.scanner.match(self.form.partial, at, self.end) is not None)

    def like_closer(self, at: int) -> str:
        """What stands at `at` and was meant as a closing tag, "" where nothing does."""
        found = self.scanner.match(_LIKE_CLOSER, at, self.end)
        return found[0].rstrip() if found else ""

    # What a tag means, judged by what follows it.

    def _lead(self, number: int) -> None:
        tag = self.tags[number]
        if tag.kind == "function":
            self.leads_to[number] = number
        elif tag.kind == "call" and tag.following is not None:
            function = self.leads_to[tag.following]
            self.leads_to[number] = function
            if function is not None:
                self.outer[function] = tag.start

    def _begins(self, number: int) -> bool:
        tag = self.tags[number]
        if tag.kind != "function":
            return False
        followed = self.kind(tag.following) in ("parameter", "end_function")
        next_kind = self.tags[number + 1].kind if number + 1 < len(self.tags) else None
        # JSON in the place of tags, but not where the end of a value follows: there the tag and the brace stand in the value.
        followed |= self.text.startswith("{", tag.after) and next_kind not in ("parameter", "end_parameter")
        followed |= tag.mark == "/" and self.kind(tag.following) in ("function", "end_call")
        return followed or self.cut_at(tag.after)

    def _closes(self, number: int) -> bool:
        tag = self.tags[number]
        if tag.kind == "end_parameter":
            return self.kind(tag.following) in ("parameter", "end_function")
        if tag.kind == "end_call":
            function = None if tag.following is None else self.leads_to[tag.following]
            return (tag.after == self.end and self.ended) or (function is not None and self.begins[function])
        if tag.kind != "end_function":
            return False
        if not self.form.end_call or tag.after == self.end or self.like_closer(tag.after):
            return True
        return self.kind(tag.following) in ("end_call", "call", "function")

    def _almost(self, number: int) -> bool:
        tag = self.tags[number]
        if tag.kind != "end_parameter" or self.closes[number]:
            return False
        if tag.following is None:
            return (tag.after == self.end and self.ended) or bool(self.like_closer(tag.after))
        following = self.leads_to[tag.following]
        return self.kind(tag.following) == "end_call" or (following is not None and self.begins[following])

    def _matching(self) -> dict[int, int]:
        """The closing tag of each function that has one, as brackets are matched."""
        opened: list[int] = []
        matching: dict[int, int] = {}
        for number, tag in enumerate(self.tags):
            if self.begins[number]:
                opened.append(number)
            elif tag.kind == "end_function" and opened:
                matching[opened.pop()] = number
        return matching

    def _value_ends(self) -> list[int | None]:
        """For a value that begins at each tag: the closing tag that ends it, if whole calls inside it are passed over."""
        ends: list[int | None] = [None] * (len(self.tags) + 1)
        for number in range(len(self.tags) - 1, -1, -1):
            if self.begins[number]:
                closer = self.matching.get(number)
                ends[number] = None if closer is None else ends[closer + 1]
            elif self.closes[number] and self.tags[number].kind == "end_parameter":
                ends[number] = number
            else:
                ends[number] = ends[number + 1]
        return ends

    # What the walk over the turn asks for.

    def _mark_kind(self, number: int) -> str | None:
        kind = self.tags[number].kind
        if kind == "function":
            return None if self.outer[number] < self.tags[number].start else kind
        if kind == "end_function" and not self.form.end_call:
            return "end_call"
        return kind if kind in ("think", "end_think", "stop", "call", "end_call") else None

    def at(self, at: int) -> int | None:
        """The number of the tag that begins at the character `at`, None where none does."""
        return self._number_at.get(at)

    def past_run(self, mark: Mark) -> int:
        """The character from which to read on after a marker that turned out to open nothing."""
        number = self.at(mark.start)
        function = None if number is None else self.leads_to[number]
        return mark.end if function is None else self.tags[function].end
