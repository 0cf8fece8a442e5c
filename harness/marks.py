"""Where the texts of messages stand in a rendered prompt, whatever the chat template did with the messages.

A template may strip, drop, move or re-serialise what it is given, so texts are not searched for: the messages are rendered a
second time with characters that stand for themselves alone (of Unicode's private planes), each for one place of one message.
Where such a character comes out, that place of that message stands. The second rendering counts only if it is the first one
with the characters put back; texts on which the template looks more closely than that are left out of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from backends.base import Message
from families.base import Family

Author = Literal["system", "tools", "user", "tool", "model", "harness", "template"]
"""tools: what stands in the prompt only because tools are offered; harness: what the harness told the model; template: all the
text that no message holds."""
Key = tuple[int, str]
"""A message: its place in the conversation, the system message not counted (it is -1), and its role."""
Part = Literal["content", "thinking", "call", ""]
Render = Callable[[Sequence[Message]], str]

_FIRST, _SECOND, _PLANE = 0xF0000, 0x100000, 65534  # Two private planes, without the two non-characters at their ends.
_PRIVATE = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
TAG = re.compile(r"<[^<>\s]{1,60}>|\[/?[A-Z_]+\]")
_LOOKED_AT = frozenset(" <>|[]{}\"'\\`/")
"""Templates look for these in a message (white space, a tag, a quotation mark), so they stay as they are."""


class Source(NamedTuple):
    """A text of a message: `name` is "content", "thinking", "name 0", "arguments 0", …"""

    message: Key
    name: str
    author: Author
    text: str

    @property
    def part(self) -> Part:
        return self.name if self.name in ("content", "thinking") else "call"  # type: ignore[return-value]


class Found(NamedTuple):
    """Where in a prompt a text stands: characters [start, end)."""

    source: Source
    start: int
    end: int


def keys(messages: Sequence[Message]) -> list[Key]:
    """The key of each message."""
    shift = 1 if messages and messages[0]["role"] == "system" else 0
    return [(place - shift, message["role"]) for place, message in enumerate(messages)]


def found_texts(
    text: str, messages: Sequence[Message], render: Render, family: Family, by_harness: Collection[Key],
) -> list[Found]:
    """Every text of the messages that stands in `text`, which is what `render(messages)` gives: where it stands first, in order
    and without overlap. `by_harness` are the messages that carry the harness's words."""
    finder = _Finder(text, messages, render, family, by_harness)
    return _without_overlap(sorted(finder.find(range(len(finder.sources))), key=lambda found: found.start))


class _Finder:
    """Finds the texts of the messages in a prompt by rendering them marked."""

    def __init__(
        self, text: str, messages: Sequence[Message], render: Render, family: Family, by_harness: Collection[Key],
    ) -> None:
        self._text, self._messages, self._render = text, messages, render
        self._thinking_field = family.thinking_field
        self._by_harness = by_harness
        grouped = {token for group in family.token_groups for token in group.tokens}
        control = sorted({*family.channels, *family.stop_tokens, *grouped}, key=len, reverse=True)
        self._kept = re.compile("|".join([*map(re.escape, control), TAG.pattern]))
        self.sources: list[Source] = []
        self._rewrite(self._collect)

    def find(self, chosen: Sequence[int]) -> list[Found]:
        """Finds the chosen texts; where the template does not hand them on as they are, each half of them by itself."""
        marks = self._marked(chosen)
        if marks is not None:
            return self._runs(*marks)
        if len(chosen) < 2:
            return []
        middle = len(chosen) // 2
        return [*self.find(chosen[:middle]), *self.find(chosen[middle:])]

    # The messages and their texts.

    def _collect(self, source: Source) -> str:
        self.sources.append(source)
        return source.text

    def _rewrite(self, change: Callable[[Source], str]) -> list[Message]:
        """The messages with each text replaced by what `change` makes of it."""
        return [self._message(message, key, change) for key, message in zip(keys(self._messages), self._messages, strict=True)]

    def _message(self, message: Message, key: Key, change: Callable[[Source], str]) -> Message:
        author = _author(key, self._by_harness)
        changed = dict(message)
        if isinstance(message.get("content"), str):
            changed["content"] = change(Source(key, "content", author, message["content"]))
        if self._thinking_field is not None and isinstance(message.get(self._thinking_field), str):
            changed[self._thinking_field] = change(Source(key, "thinking", author, message[self._thinking_field]))
        if "tool_calls" in message:
            changed["tool_calls"] = [
                {**call, "function": self._function(call["function"], key, number, change)}
                for number, call in enumerate(message["tool_calls"])
            ]
        return changed

    def _function(self, function: Mapping[str, Any], key: Key, number: int, change: Callable[[Source], str]) -> dict[str, Any]:
        def leaves(value: Any) -> Any:
            if isinstance(value, dict):
                return {name: leaves(inner) for name, inner in value.items()}
            if isinstance(value, list):
                return [leaves(inner) for inner in value]
            return change(Source(key, f"arguments {number}", "model", value)) if isinstance(value, str) else value

        name = change(Source(key, f"name {number}", "model", function["name"]))
        return {**function, "name": name, "arguments": leaves(function["arguments"])}

    # Marks.

    def _marked(self, chosen: Sequence[int]) -> tuple[str, list[tuple[int, int]]] | None:
        """The prompt with marks, and which source and which of its characters each mark stands for; None where the template
        does not write the same prompt."""
        stride = 1 + sum(len(self.sources[number].text) for number in chosen) // _PLANE
        places: list[tuple[int, int]] = []
        wanted = set(chosen)
        counter = iter(range(len(self.sources)))

        def change(source: Source) -> str:
            number = next(counter)
            return self._mark(source.text, number, places, stride) if number in wanted else source.text

        marked = self._rewrite(change)
        try:
            prompt = self._render(marked)
        except Exception:  # Whatever a template or a server raises on a text that it did not expect.
            return None
        back = {_code(mark): self.sources[number].text[place] for mark, (number, place) in enumerate(places)}
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

    def _runs(self, prompt: str, places: Sequence[tuple[int, int]]) -> list[Found]:
        """The marks that follow each other as in the text that they mark. What a template writes a second time, such as a tool's
        name before its result, is the template's."""
        runs: list[tuple[int, list[tuple[int, int]]]] = []  # Of which text, and where each mark stands in the prompt and in it.
        reached: dict[int, int] = {}
        for mark in _PRIVATE.finditer(prompt):
            number, place = places[_number(mark[0])]
            if place <= reached.get(number, -1):
                continue
            reached[number] = place
            if not runs or runs[-1][0] != number:
                runs.append((number, []))
            runs[-1][1].append((mark.start(), place))
        return [self._widened(self.sources[number], marks[0], marks[-1]) for number, marks in runs]

    def _widened(self, source: Source, first_mark: tuple[int, int], last_mark: tuple[int, int]) -> Found:
        """Takes in the characters before the first mark and after the last one that are the text's too, escaped or not."""
        text, (start, first), (end, last) = source.text, first_mark, last_mark
        end, last = end + 1, last + 1
        while first and (width := _width(self._text, text[first - 1], start, before=True)):
            start, first = start - width, first - 1
        while last < len(text) and (width := _width(self._text, text[last], end, before=False)):
            end, last = end + width, last + 1
        return Found(source, start, end)


def _without_overlap(found: Sequence[Found]) -> list[Found]:
    """Without overlap: what two texts could both have written is the earlier one's."""
    kept: list[Found] = []
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
