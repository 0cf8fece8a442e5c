"""Reads the arguments of a call written as Python, `key=value, …)`. Nothing is ever evaluated.

The values are Python's literals. Slips that leave one reading are read through and named; everything else ends with a
`JsonError` that says where and why. Never recursive, so that no nesting can exhaust the stack; linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from families.base import Text
from families.lenient_json import BARE_KEY, MAX_DEPTH, MAX_DIGITS, MISSING_BRACKET, JsonError
from families.python_strings import read_string
from families.reading import Scanner

JSON_CONSTANTS = Text("用了 JSON 的 true/false/null", "JSON's true/false/null for True/False/None")
JSON_DICTIONARY = Text("字典寫成 JSON", "a dictionary written as JSON")
COLON = Text("引數名稱後面用了冒號", "a colon after an argument's name")
POSITIONAL = Text("引數沒有寫名稱", "an argument without its name")
NUMBER_KEY = Text("字典的鍵不是文字", "a key of a dictionary that is no text")

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
_TOO_LARGE = 10**MAX_DIGITS
"""Hexadecimal, octal and binary digits can stand for more decimal ones than Python writes."""


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


class Arguments:
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
        self.at = self.scanner.past_space(self.at, self.end)
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
            self.slip(JSON_DICTIONARY if self.stack and self.stack[0].bracket == "{" else JSON_CONSTANTS)
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
        too_long = self.fail("這個數太長，無法精確讀取", "this number is too long to be read exactly", number.start())
        if len(number[0]) > MAX_DIGITS:
            raise too_long
        if number["based"] or number["whole"]:
            whole = int(number["based"] or number["whole"].replace("_", ""), 0 if number["based"] else 10)
            if whole >= _TOO_LARGE:
                raise too_long
            return sign * whole
        value = float(number["real"])
        if value == float("inf"):
            raise self.fail("這個數超出可表示的範圍", "this number is too large to be represented", number.start())
        return sign * value
