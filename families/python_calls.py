"""Reads tool calls written as Python, `[name(key=value, …), …]`, as Llama 4 and LFM2 write them. Nothing is ever evaluated.

The values are Python's literals. Slips that leave one reading are read through and named; everything else ends with a
`JsonError` that says where and why. Never recursive, so that no nesting can exhaust the stack; linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from families.base import Text
from families.json_calls import CallText, Tools, bad_arguments, unterminated
from families.lenient_json import BARE_KEY, MAX_DEPTH, MAX_DIGITS, MISSING_BRACKET, JsonError
from families.python_strings import read_string
from families.reading import Scanner

JSON_CONSTANTS = Text("用了 JSON 的 true/false/null", "JSON's true/false/null for True/False/None")
NO_LIST = Text("呼叫外面少了方括號", "calls without the brackets of the list")
COLON = Text("引數名稱後面用了冒號", "a colon after an argument's name")
POSITIONAL = Text("引數沒有寫名稱", "an argument without its name")
NUMBER_KEY = Text("字典的鍵不是文字", "a key of a dictionary that is no text")

_SPACE = re.compile(r"\s*+")
_CALL = re.compile(r"([^\W\d][\w.\-]*+)\s*+\(")
_KEYWORD = re.compile(r"([^\W\d]\w*+)\s*+(=(?!=)|:)")
_STRING_START = re.compile(r"[rRuUfFbB]{0,2}[\"']")
_WORD = re.compile(r"[^\W\d][\w.]*+")
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*+(?:(?P<based>0[xX][0-9a-fA-F]++|0[oO][0-7]++|0[bB][01]++)"
    r"|(?P<whole>0|[1-9][0-9]*+(?:_[0-9]++)*+)(?![\w.])"
    r"|(?P<real>(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+|[0-9]++[eE][+-]?[0-9]++))(?![\w.])"
)
_CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_JSON_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_CLOSERS = {"[": "]", "(": ")", "{": "}"}


@dataclass
class _Open:
    """A bracket that is being read: a list, a tuple (or a value in parentheses) or a dictionary."""

    bracket: str
    at: int
    items: list[Any] = field(default_factory=list)
    members: dict[str, Any] = field(default_factory=dict)
    key: str = ""
    comma: bool = False

    def value(self) -> Any:
        if self.bracket == "{":
            return self.members
        if self.bracket == "(" and len(self.items) == 1 and not self.comma:
            return self.items[0]
        return self.items


def begins_calls(scanner: Scanner, at: int, end: int) -> str | None:
    """The name of the first call where calls begin at `at`, with the list's bracket or without; else None."""
    at = _after_space(scanner, at, end)
    if scanner.startswith("[", at):
        at = _after_space(scanner, at + 1, end)
    found = scanner.match(_CALL, at, end)
    return found[1] if found else None


def read_python_calls(scanner: Scanner, at: int, end: int, tools: Tools, *, closed: bool) -> tuple[list[CallText], int]:
    """Reads the calls that begin at `at`; gives them and the character after the last one, or after the list's bracket.

    No calls where none begins there. `closed` says that something marks the end deliberately, so that brackets that are
    missing there are a slip. Raises JsonError where a call cannot be read.
    """
    return _Calls(scanner, at, end, tools, closed).read()


def salvage_python_calls(scanner: Scanner, at: int, end: int, tools: Tools, cut: bool) -> list[CallText]:
    """Reads the calls in [at, end), of which one at least cannot be read: it becomes a call with an error, the others stay.

    `cut` says that the text stopped before the list was complete; then none of its calls is.
    """
    return _Calls(scanner, at, end, tools, closed=not cut).salvage(cut)


def _after_space(scanner: Scanner, at: int, end: int) -> int:
    found = scanner.match(_SPACE, at, end)
    return found.end() if found else at


class _Calls:
    """The list of calls."""

    def __init__(self, scanner: Scanner, at: int, end: int, tools: Tools, closed: bool) -> None:
        self.scanner, self.text, self.end, self.tools, self.closed = scanner, scanner.text, end, tools, closed
        self.calls: list[CallText] = []
        self.at = _after_space(scanner, at, end)
        self.listed = scanner.startswith("[", self.at)
        if self.listed:
            self.at += 1

    def read(self) -> tuple[list[CallText], int]:
        after = self.at
        while call := self._call():
            self.calls.append(call)
            after = self.at
            if not self._separator():
                break
        if not self.calls:
            return [], after
        if not self.listed:
            self.calls[0].slips.insert(0, NO_LIST)
            return self.calls, after
        return self.calls, self._close(after)

    def _separator(self) -> bool:
        """Goes past what stands between two calls; whether another call may follow."""
        self.at = _after_space(self.scanner, self.at, self.end)
        if self.at < self.end and self.text[self.at] in ",;":
            self.at += 1
            return True
        return False

    def _close(self, after: int) -> int:
        """The end of the list, of which the last call ended at `after`."""
        self.at = _after_space(self.scanner, self.at, self.end)
        if self.at < self.end and self.text[self.at] == "]":
            return self.at + 1
        if self.at < self.end:
            found = self.text[self.at]
            raise JsonError(self.at, Text(f"這裡應該是逗號或「]」，卻是「{found}」", f"expected a comma or ']', found {found!r}"))
        if not self.closed:
            raise JsonError(self.end, Text("呼叫的清單還沒寫完", "the list of calls does not end"), cut=True)
        self.calls[-1].slips.append(MISSING_BRACKET)
        return after

    def _call(self) -> CallText | None:
        self.at = _after_space(self.scanner, self.at, self.end)
        found = self.scanner.match(_CALL, self.at, self.end)
        if not found:
            return None
        start, name = self.at, found[1]
        arguments = _Arguments(self.scanner, found.end(), self.end, self.tools.get(name, frozenset()), self.closed)
        values = arguments.read()
        self.at = arguments.at
        raw_args = self.text[found.end() : self.at].strip().removesuffix(")").rstrip()
        return CallText(name, values, raw_args, (start, self.at), arguments.slips)

    def salvage(self, cut: bool) -> list[CallText]:
        starts = [found.start() for found in self.scanner.all(_CALL, self.at, self.end) if self._may_follow(found)]
        while True:
            start = self.at = _after_space(self.scanner, self.at, self.end)
            try:
                call = self._call()
            except JsonError as error:
                call = self._broken(start, error, starts, cut)
            if call is None:
                break
            self.calls.append(call)
            if not call.error and not self._separator():
                break
        rest = self.text[self.at : self.end].strip()
        if rest not in ("", "]") and self.calls and not self.calls[-1].error:
            why = Text("呼叫後面還有別的文字", "more text follows the call")
            self.calls[-1].error = bad_arguments(self.text, self.at, why, self.end)
        for call in self.calls if cut else []:
            call.error = call.error or unterminated(self.end)
        return self.calls

    def _may_follow(self, found: re.Match[str]) -> bool:
        """Whether the call of a tool that is offered may begin here, after another one."""
        return found[1] in self.tools and self.text[found.start() - 1] in "[,; \n"

    def _broken(self, start: int, error: JsonError, starts: Sequence[int], cut: bool) -> CallText:
        """The call at `start` with its error. It reaches to the next of `starts`, or to the end."""
        found = self.scanner.match(_CALL, start, self.end)
        assert found is not None, "only a call that began can be broken"
        following = bisect_left(starts, max(error.at, found.end()))
        self.at = stop = starts[following] if following < len(starts) else self.end
        problem = unterminated(error.at) if error.cut and cut else bad_arguments(self.text, error.at, error.text, stop)
        return CallText(found[1], None, self.text[found.end() : stop].strip(), (start, stop), error=problem)


class _Arguments:
    """The arguments of one call, from after its opening parenthesis to after the closing one."""

    def __init__(self, scanner: Scanner, at: int, end: int, parameters: frozenset[str], closed: bool) -> None:
        self.scanner, self.text, self.at, self.end = scanner, scanner.text, at, end
        self.parameters, self.closed = parameters, closed
        self.slips: list[Text] = []
        self.values: dict[str, Any] = {}
        self.stack: list[_Open] = []

    def slip(self, text: Text) -> None:
        if text not in self.slips:
            self.slips.append(text)

    def space(self) -> str:
        """Skips white space; the character that follows, "" at the end."""
        self.at = _after_space(self.scanner, self.at, self.end)
        return self.text[self.at] if self.at < self.end else ""

    def fail(self, zh: str, en: str, at: int | None = None) -> JsonError:
        return JsonError(self.at if at is None else at, Text(zh, en))

    def cut(self) -> JsonError:
        return JsonError(self.end, Text("呼叫還沒寫完，文字就結束了", "the text ends before the call does"), cut=True)

    def read(self) -> dict[str, Any]:
        while (char := self.space()) != ")":
            if char == "":
                if not self.closed or not self.values:
                    raise self.cut()
                self.slip(MISSING_BRACKET)
                return self.values
            self._argument()
            char = self.space()
            if char == ",":
                self.at += 1
            elif char not in (")", ""):
                raise self.fail(f"這裡應該是逗號或「)」，卻是「{char}」", f"expected a comma or ')', found {char!r}")
        self.at += 1
        return self.values

    def _argument(self) -> None:
        start = self.at
        found = self.scanner.match(_KEYWORD, self.at, self.end)
        if found:
            if found[2] == ":":
                self.slip(COLON)
            self.at = found.end()
            return self._store(found[1], self._value(), start)
        value = self._value()
        if isinstance(value, dict) and not self.values and value.keys() <= self.parameters:
            self.values.update(value)
        elif len(self.parameters) == 1 and not self.values:
            self.values[next(iter(self.parameters))] = value
        else:
            raise self.fail("引數沒有寫名稱，看不出是哪一個", "an argument without a name: which one it is cannot be told", start)
        return self.slip(POSITIONAL)

    def _store(self, name: str, value: Any, at: int) -> None:
        if name in self.values and repr(self.values[name]) != repr(value):
            raise self.fail(f"「{name}」出現兩次，值卻不同", f"{name!r} appears twice with different values", at)
        self.values[name] = value

    def _value(self) -> Any:
        """One value, however deep; the brackets that are open stand on the stack."""
        value, whole = self._begin()
        while self.stack:
            value, whole = self._after(value) if whole else self._begin()
        return value

    def _begin(self) -> tuple[Any, bool]:
        """A scalar or an empty bracket, and True; or None and False where a bracket with contents was opened."""
        char = self.space()
        if char not in _CLOSERS:
            return self._scalar(char), True
        if len(self.stack) >= MAX_DEPTH:
            raise self.fail(f"巢狀超過 {MAX_DEPTH} 層", f"nested more than {MAX_DEPTH} levels deep")
        self.stack.append(_Open(char, self.at, comma=True))
        self.at += 1
        if self.space() == _CLOSERS[char]:
            return self._pop(), True
        self._key()
        return None, False

    def _pop(self) -> Any:
        self.at += 1
        return self.stack.pop().value()

    def _after(self, value: Any) -> tuple[Any, bool]:
        """Puts `value` into the innermost bracket and reads on, as `_begin` does."""
        opened = self.stack[-1]
        if opened.bracket == "{":
            self._store_member(opened, value)
        else:
            opened.items.append(value)
        opened.comma = self.space() == ","
        if opened.comma:
            self.at += 1
        char, closer = self.space(), _CLOSERS[opened.bracket]
        if char == closer:
            return self._pop(), True
        if char == "":
            raise self.cut()
        if not opened.comma:
            raise self.fail(f"這裡應該是逗號或「{closer}」，卻是「{char}」", f"expected a comma or {closer!r}, found {char!r}")
        self._key()
        return None, False

    def _store_member(self, opened: _Open, value: Any) -> None:
        key = opened.key
        if key in opened.members and repr(opened.members[key]) != repr(value):
            raise self.fail(f"鍵「{key}」出現兩次，值卻不同", f"the key {key!r} appears twice with different values")
        opened.members[key] = value

    def _key(self) -> None:
        """In a dictionary: the key that comes next, and its colon."""
        opened = self.stack[-1]
        if opened.bracket != "{":
            return
        bare = self.scanner.match(_KEYWORD, self.at, self.end)
        if bare:
            self.slip(BARE_KEY)
            opened.key, self.at = bare[1], bare.end(1)
        else:
            key = self._scalar(self.space())
            if not isinstance(key, str):
                self.slip(NUMBER_KEY)
            opened.key = key if isinstance(key, str) else str(key)
        char = self.space()
        if char == "":
            raise self.cut()
        if char not in ":=":
            key = opened.key
            raise self.fail(f"鍵「{key}」後面應該是冒號，卻是「{char}」", f"expected a colon after {key!r}, found {char!r}")
        self.at += 1

    def _scalar(self, char: str) -> Any:
        if char == "":
            raise self.cut()
        if self.scanner.match(_STRING_START, self.at, self.end):
            return self._strings()
        if number := self.scanner.match(_NUMBER, self.at, self.end):
            if number.end() == self.end and not self.closed:
                raise self.cut()  # More digits might have followed.
            self.at = number.end()
            return self._number(number)
        word = self.scanner.match(_WORD, self.at, self.end)
        if word is None:
            raise self.fail(f"「{char}」不是任何值的開頭", f"{char!r} does not begin a value")
        if word.end() == self.end and not self.closed:
            raise self.cut()
        if word[0] not in _CONSTANTS and word[0] not in _JSON_CONSTANTS:
            raise self.fail(f"「{word[0][:40]}」不是值", f"{word[0][:40]} is no value")
        if word[0] in _JSON_CONSTANTS:
            self.slip(JSON_CONSTANTS)
        self.at = word.end()
        return {**_CONSTANTS, **_JSON_CONSTANTS}[word[0]]

    def _strings(self) -> str:
        """A string, and those that follow it at once, which Python joins to it."""
        parts: list[str] = []
        while self.scanner.match(_STRING_START, self.at, self.end):
            part, self.at = read_string(self.scanner, self.at, self.end, self.slip, self.closed)
            parts.append(part)
            self.space()
        return "".join(parts)

    def _number(self, number: re.Match[str]) -> int | float:
        sign = -1 if number["sign"] == "-" else 1
        if len(number[0]) > MAX_DIGITS:
            raise self.fail("這個數太長，無法精確讀取", "this number is too long to be read exactly", number.start())
        if number["based"]:
            return sign * int(number["based"], 0)
        if number["whole"]:
            return sign * int(number["whole"])
        value = float(number["real"])
        if value == float("inf"):
            raise self.fail("這個數超出可表示的範圍", "this number is too large to be represented", number.start())
        return sign * value
