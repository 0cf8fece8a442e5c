"""Reads the arguments of a call as the Gemma families write them: `{key:<|"|>text<|"|>,n:3,list:[true,null]}`.

Keys stand bare, strings stand between two string marks (Gemma 4's `<|"|>`, FunctionGemma's `<escape>`) and know no escapes:
what is between the marks is the value, whatever it looks like. The chat templates of Gemma 4 write arguments this way
(`format_argument`). Slips that leave one reading are read through and named. Never recursive, linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from families.base import Text
from families.lenient_json import (
    MAX_DEPTH,
    MAX_DIGITS,
    MISSING_BRACKET,
    MISSING_COMMA,
    OPEN_STRING,
    PYTHON,
    TRAILING_COMMA,
    JsonError,
    read_json,
)
from families.marked_calls import Markers
from families.reading import Scanner, Span

QUOTED = Text("字串用了一般的引號", "strings in ordinary quotation marks")
UNMARKED = Text("字串前後沒有標記", "a string without its marks")
PARENTHESES = Text("引數寫成 Python 的括號形式", "arguments in parentheses, as Python has them")

_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?=\s*+(?:[,\]})<]|\Z))")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_WORD = re.compile(r"(?:true|false|null|True|False|None)(?=\s*+(?:[,\]})<]|\Z))")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_TEXT = re.compile(r"(?:[^,:{}\[\]()<>\"'`\n]|:(?=//)|(?<=\d):(?=\d)|(?<=\w)'(?=\w))++")
_KEY = re.compile(r"[^:,{}\[\]<\n]++")
_PYTHON_KEY = re.compile(r"[^:,{}\[\]()<=\n]++")
_KEY_FOLLOWS = re.compile(r"[^:,{}\[\]()<\s]++\s*+:")
_TWO_READINGS = frozenset({"nan", "inf", "infinity", "none", "null", "true", "false", "undefined", "nil"})
_CLOSERS = {"{": "}", "[": "]", "(": ")"}


@dataclass
class Arguments:
    """Arguments that were read, the character after them, and the slips."""

    value: dict[str, Any]
    end: int
    slips: list[Text]


@dataclass
class _Open:
    """An object or list whose end has not been reached; `key` is the member that is being read."""

    value: Any
    closer: str
    key: str = ""


@dataclass
class ArgumentReader:
    """Reads the arguments that begin at `at` with a bracket, looking no further than `end`.

    `string` is what stands around strings; `ended` says that the model ended its turn itself at `end`. After a failure
    `suspect` is a string that took in the end of a call, if there was one: it was probably never closed.
    """

    scanner: Scanner
    marks: Markers
    string: str
    at: int
    end: int
    ended: bool
    slips: list[Text] = field(default_factory=list)
    suspect: Span | None = None
    _stack: list[_Open] = field(default_factory=list)

    def read(self) -> Arguments:
        """Raises JsonError where the text cannot be read."""
        if self.scanner.text[self.at] == "(":
            self._slip(PARENTHESES)
        self._push(self.scanner.text[self.at])
        outermost = self._stack[0].value
        done = self._first()
        while self._stack:
            done = self._after(done)
        return Arguments(outermost, self.at, self.slips)

    def _slip(self, text: Text) -> None:
        if text not in self.slips:
            self.slips.append(text)

    def _peek(self) -> str:
        """Skips white space; the character that follows, "" at the end and where a marker stands."""
        self.at = self.scanner.past_space(self.at, self.end)
        if self.at >= self.end or self.marks.at(self.at):
            return ""
        return self.scanner.text[self.at]

    def _fail(self, zh: str, en: str, at: int | None = None) -> JsonError:
        return JsonError(self.at if at is None else at, Text(zh, en))

    def _stopped(self) -> JsonError:
        """The text ends, or a marker stands, where a value or key should."""
        cut = self.at >= self.end and not self.ended
        return JsonError(self.at, Text("引數還沒寫完就結束了", "the arguments end before they are complete"), cut=cut)

    # Brackets.

    def _push(self, bracket: str) -> None:
        if len(self._stack) >= MAX_DEPTH:
            raise self._fail(f"巢狀超過 {MAX_DEPTH} 層", f"nested more than {MAX_DEPTH} levels deep")
        self._stack.append(_Open([] if bracket == "[" else {}, _CLOSERS[bracket]))
        self.at += 1

    def _first(self) -> Any:
        """What stands first in the innermost bracket; the bracket's own value where it is empty."""
        opened = self._stack[-1]
        if self._peek() == opened.closer:
            self.at += 1
            return self._stack.pop().value
        return self._next(opened)

    def _next(self, opened: _Open) -> Any:
        if isinstance(opened.value, dict):
            self._key(opened)
        return self._value()

    def _after(self, value: Any) -> Any:
        """Puts `value` where it belongs and reads on: the next value, or the bracket's own value where it closes."""
        opened = self._stack[-1]
        self._store(opened, value)
        char = self._peek()
        if char == ",":
            return self._after_comma(opened)
        if char == opened.closer:
            self.at += 1
            return self._stack.pop().value
        if char == "":
            if self.at >= self.end and not self.ended:
                raise self._stopped()
            self._slip(MISSING_BRACKET)
            return self._stack.pop().value
        if isinstance(opened.value, dict) and self.suspect is None and self.scanner.match(_KEY_FOLLOWS, self.at, self.end):
            self._slip(MISSING_COMMA)
            return self._next(opened)
        closer = opened.closer
        raise self._fail(f"這裡應該是逗號或「{closer}」，卻是「{char}」", f"expected a comma or {closer!r}, found {char!r}")

    def _after_comma(self, opened: _Open) -> Any:
        comma = self.at
        self.at += 1
        char = self._peek()
        if char == ",":
            raise self._fail("兩個逗號之間沒有值", "nothing stands between two commas", comma)
        if char != opened.closer:
            return self._next(opened)
        self._slip(TRAILING_COMMA)
        self.at += 1
        return self._stack.pop().value

    def _store(self, opened: _Open, value: Any) -> None:
        if isinstance(opened.value, list):
            opened.value.append(value)
            return
        key = opened.key
        if key in opened.value and repr(opened.value[key]) != repr(value):
            raise self._fail(f"鍵「{key}」出現兩次，值卻不同", f"the key {key!r} appears twice with different values")
        opened.value[key] = value

    # Keys and values.

    def _key(self, opened: _Open) -> None:
        """A key and the colon after it."""
        char = self._peek()
        python = opened.closer == ")"
        if char == "":
            raise self._stopped()
        if self._string_mark() or char in "\"'":
            key = self._string()
        elif bare := self.scanner.match(_PYTHON_KEY if python else _KEY, self.at, self.end):
            key, self.at = bare[0].strip(), bare.end()
        else:
            raise self._fail(f"這裡應該是鍵名，卻是「{char}」", f"expected a key, found {char!r}")
        char = self._peek()
        if char == "":
            raise self._stopped()
        if char != ":" and not (python and char == "="):
            raise self._fail(f"鍵「{key}」後面應該是冒號，卻是「{char}」", f"expected a colon after {key!r}, found {char!r}")
        self.at += 1
        opened.key = key

    def _value(self) -> Any:
        """A value; for an object or list with contents, its first innermost value, with the brackets on the stack."""
        char = self._peek()
        if char == "":
            raise self._stopped()
        if self._string_mark() or char in "\"'":
            return self._string()
        if char in "{[":
            self._push(char)
            return self._first()
        if number := self.scanner.match(_NUMBER, self.at, self.end):
            return self._number(number)
        if word := self.scanner.match(_WORD, self.at, self.end):
            if word[0][0].isupper():
                self._slip(PYTHON)
            self.at = word.end()
            return _WORDS[word[0]]
        return self._unmarked(char)

    def _string_mark(self) -> bool:
        return self.scanner.startswith(self.string, self.at)

    def _string(self) -> str:
        """A string between two marks, or as a slip between ordinary quotation marks."""
        if not self._string_mark():
            self._slip(QUOTED)
            reading = read_json(self.scanner, self.at, self.end, closed=self.ended)
            self.at = reading.end
            for slip in reading.slips:
                self._slip(slip)
            return str(reading.value)
        start = self.at + len(self.string)
        stop = self.marks.next_string(start)
        if stop >= self.end:
            self.suspect = (start, self.end)
            raise JsonError(self.at, OPEN_STRING, cut=True)
        if self.marks.closer(start, stop):
            self.suspect = (start, stop)
        self.at = stop + len(self.string)
        return self.scanner.text[start:stop]

    def _number(self, found: re.Match[str]) -> Any:
        """A number as JSON writes it; with a leading zero or plus sign it is text, as telephone numbers are."""
        plain = _PLAIN_NUMBER.fullmatch(found[0])
        if plain is None:
            return self._unmarked(found[0][0])
        if plain[1] is None and plain[2] is None:
            if len(plain[0]) > MAX_DIGITS:
                raise self._fail("這個整數太長，無法精確讀取", "this whole number is too long to be read exactly")
            self.at = found.end()
            return int(plain[0])
        value = float(plain[0])
        if value in (float("inf"), float("-inf")):
            raise self._fail("這個數超出可表示的範圍", "this number is too large to be represented")
        self.at = found.end()
        return value

    def _unmarked(self, char: str) -> str:
        """Text where a value should stand: a string without its marks, if its end is plain to see."""
        found = self.scanner.match(_TEXT, self.at, self.end)
        text = found[0].strip() if found else ""
        if found is None or not text:
            raise self._fail(f"「{char}」不是任何值的開頭", f"{char!r} does not begin a value")
        if found.end() >= self.end and not self.ended:
            self.at = self.end
            raise self._stopped()
        follows = self.scanner.text[found.end() : found.end() + 1]
        if text.lstrip("+-").casefold() in _TWO_READINGS or follows not in tuple(",}])"):
            near = text[:40]
            raise self._fail(f"「{near}」不是值，字串要放在標記之間", f"{near!r} is no value; a string stands between marks")
        self._slip(UNMARKED)
        self.at = found.end()
        return text
