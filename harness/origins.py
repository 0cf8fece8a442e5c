"""Who wrote each character of a rendered prompt, whatever the chat template did with the messages.

A template may strip, drop, move or re-serialise what it is given, so texts are not searched for: the messages are rendered a
second time with characters that stand for themselves alone (of Unicode's private planes), each for one place of one message.
Where such a character comes out, that place of that message stands. The second rendering counts only if it is the first one
with the characters put back; texts on which the template looks more closely than that are left out of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from backends.base import Message, ToolSchema
from families.base import Family

Author = Literal["system", "tools", "user", "tool", "model", "harness", "template"]
"""tools: what stands in the prompt only because tools are offered; harness: what the harness told the model; template: all the
text that no message holds."""
Key = tuple[int, str]
"""A message: its place in the conversation, the system message not counted (it is -1), and its role."""
Part = Literal["content", "thinking", "call", ""]
Render = Callable[[Sequence[Message], Sequence[ToolSchema]], str]

_FIRST, _SECOND, _PLANE = 0xF0000, 0x100000, 65534  # Two private planes, without the two non-characters at their ends.
_PRIVATE = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_TAG = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Z_]+\]")
_LOOKED_AT = frozenset(" <>|[]{}\"'\\`/")
"""Templates look for these in a message (white space, a tag, a quotation mark), so they stay as they are."""


class Stretch(NamedTuple):
    """Characters [start, end) of a prompt and who wrote them; `message` and `part` say of what, where it is a message's."""

    start: int
    end: int
    author: Author
    message: Key | None = None
    part: Part = ""


Cut = tuple[Key, str]
"""A text of a message, to be found again in another rendering: "content", "thinking", "name 0", "arguments 0", …"""


@dataclass(frozen=True)
class Authored:
    """A prompt's stretches, which together are the whole of it, and where the messages' texts stand."""

    stretches: tuple[Stretch, ...]
    cuts: Mapping[Cut, tuple[int, int]]


@dataclass(frozen=True)
class Turn:
    """What the model wrote as one message: `raw`, after `opening`, which the template wrote behind the last message."""

    raw: str
    opening: str


class _Source(NamedTuple):
    message: Key
    name: str
    author: Author
    text: str

    @property
    def part(self) -> Part:
        return self.name if self.name in ("content", "thinking") else "call"  # type: ignore[return-value]


class _Found(NamedTuple):
    source: _Source
    start: int
    end: int


def keys(messages: Sequence[Message]) -> list[Key]:
    """The key of each message."""
    shift = 1 if messages and messages[0]["role"] == "system" else 0
    return [(place - shift, message["role"]) for place, message in enumerate(messages)]


def authored(
    text: str,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    render: Render,
    family: Family,
    turns: Mapping[Key, Turn],
    by_harness: Collection[Key] = (),
) -> Authored:
    """Who wrote each character of `text`, which is what `render(messages, tools)` gives.

    `turns` are the messages that the model wrote in this conversation, as it wrote them; `by_harness` are those that carry what
    the harness told the model in a user's or a tool's place.
    """
    finder = _Finder(text, messages, lambda marked: render(marked, tools), family, by_harness)
    found = finder.find()
    cuts: dict[Cut, tuple[int, int]] = {}
    for each in found:
        start, _ = cuts.get((each.source.message, each.source.name), (each.start, 0))
        cuts[each.source.message, each.source.name] = (start, each.end)
    owned = list(_with_turns(text, found, turns, family))
    return Authored(tuple(_filled(text, owned, _added_by_tools(text, messages, tools, render))), cuts)


class _Finder:
    """Finds the texts of the messages in a prompt by rendering them marked."""

    def __init__(
        self, text: str, messages: Sequence[Message], render: Callable[[Sequence[Message]], str], family: Family,
        by_harness: Collection[Key],
    ) -> None:
        self._text, self._messages, self._render = text, messages, render
        self._thinking_field = family.thinking_field
        self._by_harness = by_harness
        grouped = {token for group in family.token_groups for token in group.tokens}
        control = sorted({*family.channels, *family.stop_tokens, *grouped}, key=len, reverse=True)
        self._kept = re.compile("|".join([*map(re.escape, control), _TAG.pattern]))
        self._sources: list[_Source] = []
        self._rewrite(self._collect)

    def find(self) -> list[_Found]:
        """Every text that was found, where it stands first, in order and without overlap."""
        return self._extended(sorted(self._attempt(range(len(self._sources))), key=lambda found: found.start))

    def _attempt(self, chosen: Sequence[int]) -> list[_Found]:
        """Finds the chosen texts; where the template does not hand them on as they are, each half of them by itself."""
        marks = self._marked(chosen)
        if marks is not None:
            return self._runs(*marks)
        if len(chosen) < 2:
            return []
        middle = len(chosen) // 2
        return [*self._attempt(chosen[:middle]), *self._attempt(chosen[middle:])]

    # The messages and their texts.

    def _collect(self, source: _Source) -> str:
        self._sources.append(source)
        return source.text

    def _rewrite(self, change: Callable[[_Source], str]) -> list[Message]:
        """The messages with each text replaced by what `change` makes of it."""
        return [self._message(message, key, change) for key, message in zip(keys(self._messages), self._messages, strict=True)]

    def _message(self, message: Message, key: Key, change: Callable[[_Source], str]) -> Message:
        author = _author(key, self._by_harness)
        changed = dict(message)
        if isinstance(message.get("content"), str):
            changed["content"] = change(_Source(key, "content", author, message["content"]))
        if self._thinking_field is not None and isinstance(message.get(self._thinking_field), str):
            changed[self._thinking_field] = change(_Source(key, "thinking", author, message[self._thinking_field]))
        if "tool_calls" in message:
            changed["tool_calls"] = [
                {**call, "function": self._function(call["function"], key, number, change)}
                for number, call in enumerate(message["tool_calls"])
            ]
        return changed

    def _function(self, function: Mapping[str, Any], key: Key, number: int, change: Callable[[_Source], str]) -> dict[str, Any]:
        def leaves(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: leaves(inner) for name, inner in value.items()}
            if isinstance(value, list):
                return [leaves(inner) for inner in value]
            return change(_Source(key, f"arguments {number}", "model", value)) if isinstance(value, str) else value

        name = change(_Source(key, f"name {number}", "model", function["name"]))
        return {**function, "name": name, "arguments": leaves(function["arguments"])}

    # Marks.

    def _marked(self, chosen: Sequence[int]) -> tuple[str, list[tuple[int, int]]] | None:
        """The prompt with marks, and which source and which of its characters each mark stands for; None where the template
        does not write the same prompt."""
        stride = 1 + sum(len(self._sources[number].text) for number in chosen) // _PLANE
        places: list[tuple[int, int]] = []
        wanted = set(chosen)
        counter = iter(range(len(self._sources)))

        def change(source: _Source) -> str:
            number = next(counter)
            return self._mark(source.text, number, places, stride) if number in wanted else source.text

        marked = self._rewrite(change)
        try:
            prompt = self._render(marked)
        except Exception:  # Whatever a template or a server raises on a text that it did not expect.
            return None
        back = {_code(mark): self._sources[number].text[place] for mark, (number, place) in enumerate(places)}
        return (prompt, places) if prompt.translate(back) == _PRIVATE.sub("\ufffd", self._text) else None

    def _mark(self, text: str, number: int, places: list[tuple[int, int]], stride: int) -> str:
        """The text with every `stride`th character that no template looks at replaced by a mark of its own."""
        characters = list(_PRIVATE.sub("\ufffd", text))
        kept = {place for tag in self._kept.finditer(text) for place in range(*tag.span())}
        last = -stride
        for place, character in enumerate(text):
            if place - last < stride or place in kept or not character.isprintable() or character in _LOOKED_AT:
                continue
            if len(places) == 2 * _PLANE:
                break
            characters[place] = chr(_code(len(places)))
            places.append((number, place))
            last = place
        return "".join(characters)

    def _runs(self, prompt: str, places: Sequence[tuple[int, int]]) -> list[_Found]:
        """The marks that follow each other as in the text that they mark. What a template writes a second time, such as a tool's
        name before its result, is the template's."""
        runs: list[tuple[int, list[int]]] = []
        reached: dict[int, int] = {}
        for mark in _PRIVATE.finditer(prompt):
            number, place = places[_number(mark[0])]
            if place <= reached.get(number, -1):
                continue
            reached[number] = place
            if not runs or runs[-1][0] != number:
                runs.append((number, [mark.start(), place, 0, 0]))
            runs[-1][1][2:] = [mark.end(), place + 1]
        return [
            _Found(self._sources[number], *self._widened(self._sources[number].text, *ends)) for number, ends in runs
        ]

    def _widened(self, text: str, start: int, first: int, end: int, last: int) -> tuple[int, int]:
        """Takes in the characters before the first mark and after the last one that are the text's too, escaped or not."""
        while first and (width := _width(self._text, text[first - 1], start, before=True)):
            start, first = start - width, first - 1
        while last < len(text) and (width := _width(self._text, text[last], end, before=False)):
            end, last = end + width, last + 1
        return start, end

    def _extended(self, found: Sequence[_Found]) -> list[_Found]:
        """Without overlap: what two texts could both have written is the earlier one's."""
        kept: list[_Found] = []
        for each in found:
            start = max(each.start, kept[-1].end) if kept else each.start
            if start < each.end:
                kept.append(each._replace(start=start))
        return kept


def _author(key: Key, by_harness: Collection[Key]) -> Author:
    if key in by_harness:
        return "harness"
    by_role: dict[str, Author] = {"system": "system", "developer": "system", "user": "user", "tool": "tool"}
    return by_role.get(key[1], "model")


def _code(mark: int) -> int:
    return _FIRST + mark if mark < _PLANE else _SECOND + mark - _PLANE


def _number(mark: str) -> int:
    return ord(mark) - _FIRST if ord(mark) < _SECOND else ord(mark) - _SECOND + _PLANE


def _width(prompt: str, character: str, at: int, *, before: bool) -> int:
    """How many characters of the prompt, before or after `at`, write this one; 0 where others stand there."""
    for written in (character, json.dumps(character, ensure_ascii=False)[1:-1]):
        if prompt.endswith(written, 0, at) if before else prompt.startswith(written, at):
            return len(written)
    return 0


def _with_turns(text: str, found: Sequence[_Found], turns: Mapping[Key, Turn], family: Family) -> Iterator[Stretch]:
    """The stretches of the messages. To a turn of the model belongs what stands between its texts too, and around them what the
    model wrote there itself."""
    before = 0
    for place, each in enumerate(found):
        source = each.source
        start, end, part = each.start, each.end, source.part
        following = found[place + 1] if place + 1 < len(found) else None
        limit = following.start if following else len(text)
        if source.author == "model":
            turn = turns.get(source.message)
            if place and found[place - 1].source.message == source.message:
                yield Stretch(before, start, "model", source.message, _between(found[place - 1].source, source))
            elif turn:
                begin = _turn_start(text, turn, each, before)
                yield Stretch(begin, start, "model", source.message, "call" if part == "call" else "")
            yield Stretch(start, end, "model", source.message, part)
            if turn and not (following and following.source.message == source.message):
                stop = _turn_end(text, turn, each, limit, family)
                yield Stretch(end, stop, "model", source.message, "call" if part == "call" else "")
                end = stop
        else:
            yield Stretch(start, end, source.author, source.message, part)
        before = end


def _between(one: _Source, other: _Source) -> Part:
    """What the characters between two texts of a turn are: of a call if both are the same call's."""
    return "call" if one.part == other.part == "call" and one.name.split()[1] == other.name.split()[1] else ""


def _in_raw(turn: Turn, source: _Source, *, last: bool = False) -> tuple[int, int] | None:
    """Where the model wrote a text of its turn, if it stands there as it is."""
    text = source.text.strip()
    at = turn.raw.rfind(text) if last else turn.raw.find(text)
    return None if at < 0 or not text else (at, at + len(text))


def _turn_start(text: str, turn: Turn, first: _Found, after: int) -> int:
    """Where the model's turn begins before its first text: behind what the template opens a turn with; where it opens this one in
    another way, as far back as the prompt has what the model wrote."""
    n_opening = common_prefix(turn.opening, text[after : first.start])
    if n_opening < len(turn.opening):  # The template opened more than it writes now, such as thinking: up to the last whole mark.
        n_opening = max(turn.opening.rfind(end, 0, n_opening) for end in (">", "\n")) + 1
    if n_opening:
        return after + n_opening
    place = _in_raw(turn, first.source)
    start, raw_at = first.start, place[0] if place else 0
    while start > after and raw_at and text[start - 1] == turn.raw[raw_at - 1]:
        start, raw_at = start - 1, raw_at - 1
    return start


def _turn_end(text: str, turn: Turn, last: _Found, limit: int, family: Family) -> int:
    """Where the model's turn ends after its last text: with its stop token or with the mark that the template puts in that one's
    place, or as far as the prompt has what the model wrote."""
    stops = [text.find(stop, last.end, limit) + len(stop) for stop in family.stop_tokens if text.find(stop, last.end, limit) >= 0]
    if stops:
        return min(stops)
    place = _in_raw(turn, last.source, last=True)
    raw_at = place[1] if place else len(turn.raw)
    written = common_prefix(text[last.end : limit], turn.raw[raw_at:])
    ending = turn.raw[raw_at:].rstrip()
    if ending in family.stop_tokens:
        other = _TAG.match(text, last.end, limit)
        return other.end() if other else last.end
    return last.end + written


def _added_by_tools(
    text: str, messages: Sequence[Message], tools: Sequence[ToolSchema], render: Render,
) -> list[tuple[int, int]]:
    """Where the prompt holds what it would not hold without tools."""
    if not tools:
        return []
    try:
        without = render(messages, [])
    except Exception:  # Some templates refuse calls without tools.
        return []
    tail = common_prefix(text[::-1], without[::-1])
    head = common_prefix(text[: len(text) - tail], without[: len(without) - tail])
    lines = text[head : len(text) - tail].splitlines(keepends=True)
    others = without[head : len(without) - tail].splitlines(keepends=True)
    begins = [head]
    for line in lines:
        begins.append(begins[-1] + len(line))
    spans = []
    for tag, from_other, to_other, first, last in SequenceMatcher(None, others, lines, autojunk=False).get_opcodes():
        if tag in ("insert", "replace"):
            new, old = "".join(lines[first:last]), "".join(others[from_other:to_other])
            same = common_prefix(new, old)
            rest = common_prefix(new[same:][::-1], old[same:][::-1])
            start, end = begins[first] + same, begins[last] - rest
            while start < end < len(text) and text[start].isspace() and text[start] == text[end]:
                start, end = start + 1, end + 1  # White space that could be either side's ends the addition.
            spans.append((start, end))
    return spans


def _filled(text: str, owned: Sequence[Stretch], by_tools: Sequence[tuple[int, int]]) -> Iterator[Stretch]:
    """The whole prompt: what no message has written is the template's, or there for the tools."""
    at = 0
    for stretch in [*owned, Stretch(len(text), len(text), "template")]:
        for start, end in by_tools:
            start, end = max(start, at), min(end, stretch.start)
            if start < end:
                if at < start:
                    yield Stretch(at, start, "template")
                yield Stretch(start, end, "tools")
                at = end
        if at < stretch.start:
            yield Stretch(at, stretch.start, "template")
        if stretch.start < stretch.end:
            yield stretch
        at = max(at, stretch.end)


def common_prefix(one: Sequence[Any], other: Sequence[Any]) -> int:
    """How many items two sequences begin with in common."""
    shortest = min(len(one), len(other))
    if one[:shortest] == other[:shortest]:
        return shortest
    return next(place for place in range(shortest) if one[place] != other[place])
