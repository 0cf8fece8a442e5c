"""From JSON as a model wrote it to tool calls: the shapes a call may have, and the slips with one plausible reading.

Shared by the formats that write a call as a JSON object with a name and arguments, whatever markers stand around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from families.base import CallError, Text
from families.lenient_json import JsonError, Reading, read_json, same
from families.reading import Scanner, Span

Tools = Mapping[str, frozenset[str]]
"""The tools that are offered: each one's name and the names of its parameters."""

_NAMES = ("name", "tool_name", "function_name", "tool", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "kwargs", "input")
_WRAPPERS = ("function", "tool_call", "function_call")
_IDS = frozenset({"id", "call_id", "tool_call_id"})
_OWN = _IDS | {"type", "index"}
"""Fields of a call that are no arguments, unless the tool has a parameter of that name."""

_DOUBLE = Text("引數是包在字串裡的 JSON", "arguments that were JSON inside a string")
_WRAPPED = Text("呼叫外面多包了一層物件", "a call wrapped in one more object")
SEVERAL = Text("一對標記裡寫了多個呼叫", "several calls between one pair of markers")
_KEYED = Text("直接以工具名稱當鍵名", "the tool's name used as the key")
_FLAT = Text("引數沒有放進 arguments 裡", "arguments that stood beside the name instead of inside \"arguments\"")
NO_ARGUMENTS = Text("沒有寫引數，當作沒有引數", "missing arguments, read as none")
_NAME_FIRST = Text("工具名稱寫在 JSON 外面", "the tool's name written outside the JSON")
_EXTRA_BRACKET = Text("JSON 後面多了括號或標點", "a superfluous bracket or punctuation mark after the JSON")
_FENCE = Text("JSON 外面多了程式碼框", "a code fence around the JSON")

_FENCE_OPEN = re.compile(r"(?:```[a-zA-Z]*+\s*+)?")
_FENCE_CLOSE = re.compile(r"(?:\s*+```)?")
_NAME_BEFORE = re.compile(r"([\w.\-]++)\s*+(?=\{)")
_NAME_INSIDE = re.compile(r"""["'](?:name|function|tool_name)["']\s*+:\s*+["']([^"'\\<>\n]{1,100})["']|<function=([\w.\-]++)>""")
_ARGUMENTS_KEY = re.compile(rf"""["'](?:{"|".join(_ARGUMENTS)})["']\s*+:\s*+""")
_NAME_OUTSIDE = re.compile(r"\s*+([\w.\-]++)\s*+[({]")
_BETWEEN = re.compile(r"(?:\s*+[,;]?\s*+(?=[{\[]))?")
_EXTRA = re.compile(r"(?:[\s}\];,]*[}\];,])?")


@dataclass
class CallText:
    """One call that was read from a text: `span` is where it stands, without markers around it. `arguments` do not count where
    `error` is set. `closed` says that a marker of its own ends it, in a format whose calls have none otherwise."""

    name: str
    arguments: dict[str, Any] | None
    raw_args: str
    span: Span
    slips: list[Text] = field(default_factory=list)
    error: CallError | None = None
    closed: bool = False

    @property
    def repaired(self) -> Text | None:
        """The slips in one sentence part."""
        if not self.slips or self.error:
            return None
        return Text("、".join(slip.zh for slip in self.slips), ", ".join(slip.en for slip in self.slips))


def offered(tools: Sequence[Mapping[str, Any]]) -> Tools:
    """The names of the tools and of their parameters, from OpenAI-style schemas; what has another shape is passed over."""
    found: dict[str, frozenset[str]] = {}
    for tool in tools:
        function = tool.get("function", tool) if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        parameters = function.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        found[function["name"]] = frozenset(properties) if isinstance(properties, Mapping) else frozenset()
    return found


def excerpt(text: str, at: int, end: int | None = None) -> str:
    """A few characters from `at` on and before `end`, on one line, to show where reading broke."""
    return " ".join(text[at : min(at + 24, len(text) if end is None else end)].split())


def bad_arguments(text: str, at: int, why: Text, end: int | None = None) -> CallError:
    """The error of a call whose JSON or arguments cannot be read."""
    near = excerpt(text, at, end)
    here = Text(f"（在「{near}」處）", f" (at {near!r})") if near else Text("", "")
    return CallError("bad_arguments", at, Text(f"呼叫讀不懂：{why.zh}{here.zh}", f"the call cannot be read: {why.en}{here.en}"))


def unterminated(at: int) -> CallError:
    """The error of a call that was cut off."""
    return CallError("unterminated", at, Text("呼叫還沒寫完，文字就停了", "the text stopped before the call was complete"))


def not_a_call(at: int, why: Text, near: str) -> CallError:
    """The error of what stands where a call should, of which `near` is the beginning."""
    wrote = Text(f"，而是「{near}」", f" but {near!r}") if near else Text("", "")
    return CallError("not_a_call", at, Text(why.zh + wrote.zh, why.en + wrote.en))


def no_name(at: int) -> CallError:
    return CallError("no_name", at, Text("呼叫沒有寫出工具名稱", "the call does not name a tool"))


def arguments_under(key: str) -> Text:
    """The slip of arguments under another key than "arguments"."""
    return Text(f"引數寫在「{key}」裡", f"the arguments under {key!r}")


def arguments_begin(text: str, at: int) -> int:
    """Where the arguments begin in the JSON of a call that is not complete yet, from `at` on; -1 where they have not begun."""
    found = _ARGUMENTS_KEY.search(text, at)
    return found.end() if found and found.end() < len(text) else -1


def likely_name(scanner: Scanner, start: int, end: int) -> str:
    """The tool's name in the text of a call that cannot be read, "" where none can be made out."""
    found = next(iter(scanner.all(_NAME_INSIDE, start, end)), None) or scanner.match(_NAME_OUTSIDE, start, end)
    return next((name.strip() for name in found.groups() if name), "") if found else ""


def read_calls(scanner: Scanner, at: int, end: int, tools: Tools, *, closed: bool) -> tuple[list[CallText], int]:
    """Reads the calls that begin at `at`; gives them and the character after the last one.

    No calls where no JSON object begins there. `closed` is as for `read_json`. Raises JsonError where the JSON cannot be
    read.
    """
    at = scanner.past_space(at, end)
    slips: list[Text] = []
    inside = scanner.past(_FENCE_OPEN, at, end)
    if inside > at:
        slips.append(_FENCE)
    calls, after = _read_named(scanner, inside, end, tools, closed) or _read_objects(scanner, inside, end, tools, closed)
    if not calls:
        return [], at
    extra = scanner.past(_EXTRA, after, end)
    if extra > after:
        slips.append(_EXTRA_BRACKET)
    after = scanner.past(_FENCE_CLOSE, extra, end) if inside > at else extra
    calls[0].slips = [*slips, *calls[0].slips]
    return calls, after


def read_arguments(scanner: Scanner, at: int, end: int, *, closed: bool, fenced: bool) -> tuple[dict[str, Any], list[Text], int]:
    """Reads the arguments of a call whose name stands elsewhere; gives them, the slips, and the character after them.

    `closed` is as for `read_json`; `fenced` says that the format puts a code fence around them. Raises JsonError.
    """
    slips: list[Text] = []
    at = scanner.past_space(at, end)
    inside = scanner.past(_FENCE_OPEN, at, end)
    reading = read_json(scanner, inside, end, closed=closed)
    arguments = as_object(scanner, reading.value, inside, slips)
    after = scanner.past(_EXTRA, reading.end, end)
    if after > reading.end:
        slips.append(_EXTRA_BRACKET)
    if inside > at:
        after = scanner.past(_FENCE_CLOSE, after, end)
        if not fenced:
            slips.append(_FENCE)
    return arguments, [*reading.slips, *slips], after


def _read_named(scanner: Scanner, at: int, end: int, tools: Tools, closed: bool) -> tuple[list[CallText], int] | None:
    """`name {arguments}`: the name of a tool that is offered, outside the object."""
    named = scanner.match(_NAME_BEFORE, at, end)
    if not named or named[1] not in tools:
        return None
    reading = read_json(scanner, named.end(), end, closed=closed)
    raw_args = scanner.text[named.end() : reading.end]
    call = CallText(named[1], reading.value, raw_args, (at, reading.end), [_NAME_FIRST, *reading.slips])
    return [call], reading.end


def _read_objects(scanner: Scanner, at: int, end: int, tools: Tools, closed: bool) -> tuple[list[CallText], int]:
    """One object, several after one another, or a list of them."""
    calls: list[CallText] = []
    after = at
    while at < end and scanner.text[at] in "{[":
        reading = read_json(scanner, at, end, closed=closed)
        whole = (at, reading.end)
        if reading.value == []:
            why = Text("清單裡沒有呼叫", "an empty list of calls")
            calls.append(_broken(scanner, whole, "", bad_arguments(scanner.text, at, why, whole[1])))
        for value in reading.value if isinstance(reading.value, list) else [reading.value]:
            calls.append(_call(scanner, value, reading.spans.get(id(value), whole), reading, tools))
        after = reading.end
        at = scanner.past(_BETWEEN, after, end)
    if len(calls) > 1:
        for call in calls:
            call.slips.insert(0, SEVERAL)
    return calls, after


def _broken(scanner: Scanner, span: Span, name: str, error: CallError, raw_args: str = "") -> CallText:
    """A call that cannot be run. Where no arguments can be told from the rest of it, all of it is kept for the model to see."""
    return CallText(name, None, raw_args or scanner.broken(*span), span, error=error)


def _call(scanner: Scanner, value: Any, span: Span, reading: Reading, tools: Tools) -> CallText:
    """The call that one JSON value stands for."""
    slips = list(reading.slips)
    if not isinstance(value, dict):
        why = Text("這裡應該是一個 JSON 物件", "a call must be a JSON object")
        return _broken(scanner, span, "", bad_arguments(scanner.text, span[0], why, span[1]))
    for wrapper in _WRAPPERS:
        if isinstance(value.get(wrapper), dict) and not isinstance(value.get("name"), str):
            value = value[wrapper]
            slips.append(_WRAPPED)
    return _CallObject(scanner, value, span, reading.members[id(value)], slips).read(tools)


@dataclass
class _CallObject:
    """A JSON object that should be a call: `members` is where the value of each member stands."""

    scanner: Scanner
    value: dict[str, Any]
    span: Span
    members: dict[str, Span]
    slips: list[Text]
    name: str = ""

    def read(self, tools: Tools) -> CallText:
        named = next((key for key in _NAMES if isinstance(self.value.get(key), str)), None)
        if named is None:
            return self._keyed(tools)
        self.name = self.value[named].strip()
        if not self.name:
            return _broken(self.scanner, self.span, "", no_name(self.members[named][0]))
        if named != "name":
            self.slips.append(Text(f"工具名稱寫在「{named}」裡", f"the tool's name under {named!r}"))
        parameters = tools.get(self.name, frozenset())
        rest = {key: part for key, part in self.value.items() if key != named}
        keys = [key for key in _ARGUMENTS if key in rest and self._could_be_arguments(key, rest[key], parameters)]
        rest = {key: part for key, part in rest.items() if not self._is_own(key, part, parameters, bool(keys))}
        return self._with_arguments(keys, rest, parameters) if keys else self._flat(rest, parameters)

    @staticmethod
    def _could_be_arguments(key: str, value: Any, parameters: frozenset[str]) -> bool:
        return key == "arguments" or (isinstance(value, dict | str) and key not in parameters)

    @staticmethod
    def _is_own(key: str, value: Any, parameters: frozenset[str], has_arguments: bool) -> bool:
        """Whether a field is the call's own and no argument. Beside a field of arguments, an id in letters is the call's: several
        formats write one there."""
        if key not in _OWN or key not in parameters:
            return key in _OWN
        return value == "function" if key == "type" else has_arguments and key in _IDS and isinstance(value, str)

    def _keyed(self, tools: Tools) -> CallText:
        """`{"tool": {arguments}}`, read so when the only key is a tool that is offered."""
        name, arguments = next(iter(self.value.items()), ("", None))
        if len(self.value) == 1 and name in tools and isinstance(arguments, dict):
            return CallText(name, arguments, self._written(self.members[name]), self.span, [*self.slips, _KEYED])
        return _broken(self.scanner, self.span, "", no_name(self.span[0]))

    def _written(self, span: Span) -> str:
        return self.scanner.text[span[0] : span[1]].rstrip()

    def _bad(self, at: int, why: Text, raw_args: str) -> CallText:
        error = bad_arguments(self.scanner.text, at, why, self.span[1])
        return _broken(self.scanner, self.span, self.name, error, raw_args)

    def _with_arguments(self, keys: list[str], rest: dict[str, Any], parameters: frozenset[str]) -> CallText:
        """The arguments stand under one of `keys`; what else is in the object may belong to them too."""
        key, at, raw_args = keys[0], self.members[keys[0]][0], self._written(self.members[keys[0]])
        other = next((other for other in keys[1:] if rest[other] != rest[key]), None)
        if other:
            why = Text(
                f"「{key}」和「{other}」都寫了引數，內容卻不同",
                f"{key!r} and {other!r} both give arguments, and they differ",
            )
            return self._bad(at, why, raw_args)
        if key != "arguments":
            self.slips.append(arguments_under(key))
        try:
            arguments = as_object(self.scanner, rest[key], at, self.slips)
        except JsonError as error:
            return self._bad(at, error.text, raw_args)
        for other in [key for key in rest if key not in keys]:
            if other not in parameters:
                self.slips.append(Text(f"略過不認得的欄位「{other}」", f"the unknown field {other!r}, passed over"))
            elif not same(arguments.setdefault(other, rest[other]), rest[other]):
                why = Text(
                    f"「{other}」在 arguments 裡外各寫了一次，值卻不同",
                    f"{other!r} stands inside and outside the arguments with different values",
                )
                return self._bad(self.members[other][0], why, self._written(self.span))
            else:
                self.slips.append(Text(f"「{other}」寫在 arguments 外面", f"{other!r} outside the arguments"))
        return CallText(self.name, arguments, raw_args, self.span, self.slips)

    def _flat(self, rest: dict[str, Any], parameters: frozenset[str]) -> CallText:
        """There is no field for the arguments: they stand beside the name, or there are none."""
        if not rest:
            return CallText(self.name, {}, "", self.span, [*self.slips, NO_ARGUMENTS])
        raw_args = self._written(self.span)
        if rest.keys() <= parameters:
            return CallText(self.name, dict(rest), raw_args, self.span, [*self.slips, _FLAT])
        return self._bad(self.span[0], Text("沒有「arguments」欄位", 'there is no field "arguments"'), raw_args)


def as_object(scanner: Scanner, value: Any, at: int, slips: list[Text]) -> dict[str, Any]:
    """Arguments as an object, also where they are JSON inside a string, or nothing. Raises JsonError for anything else."""
    for _ in range(2):
        if not isinstance(value, str) or not value.strip():
            break
        inner = Scanner(value.strip())
        try:
            reading = read_json(inner, 0, len(inner.text), closed=True)
        except JsonError as error:
            raise JsonError(at, error.text) from error
        scanner.steps += inner.steps
        if reading.end != len(inner.text):
            raise JsonError(at, Text("字串裡的 JSON 後面還有別的文字", "more text follows the JSON inside the string"))
        value = reading.value
        slips += [_DOUBLE, *reading.slips]
    if value is None or value == [] or (isinstance(value, str) and not value.strip()):
        slips.append(NO_ARGUMENTS)
        return {}
    if not isinstance(value, dict):
        raise JsonError(at, Text("引數應該是一個 JSON 物件", "the arguments must be a JSON object"))
    return value
