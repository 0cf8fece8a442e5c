"""Reads JSON as models write it: strictly where it is JSON, and through the slips that leave only one reading.

Each slip that was read through is named in words; where there are two readings, or none, the reading ends with a
`JsonError` that says where and why. Never recursive, so that no nesting can exhaust the stack; linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from families.base import Text
from families.reading import Scanner, Span

MAX_DEPTH = 200
"""Deeper nesting is refused: what handles the arguments later (JSON writers, schema validators) is recursive."""
MAX_DIGITS = 4000
"""Longer whole numbers are refused: Python neither reads nor writes them as decimal text (its limit is 4300 digits)."""

CONTROL = Text("字串裡有未跳脫的換行或控制字元", "a raw line break or control character inside a string")
SINGLE_QUOTES = Text("字串用了單引號", "single-quoted strings")
PYTHON = Text("用了 Python 的 True/False/None", "Python's True/False/None for true/false/null")
TRAILING_COMMA = Text("多了一個逗號", "a superfluous comma")
MISSING_COMMA = Text("兩個欄位之間少了逗號", "a missing comma between two members")
BARE_KEY = Text("鍵名沒有加引號", "a key without quotation marks")
BACKSLASH = Text("反斜線沒有跳脫", "a backslash that was not escaped")
MISSING_BRACKET = Text("少了收尾的括號", "a missing closing bracket")

OPEN_STRING = Text("字串沒有結尾的引號", "a string without its closing quotation mark")

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = {quote: re.compile(rf"{quote}((?:[^{quote}\\]++|\\[\s\S])*+)({quote}?)") for quote in "\"'"}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d]\w*")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_PYTHON_CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])")
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'"}
_RAW_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class JsonError(Exception):
    """Where reading ended, why in words, and whether it ended because the text ran out (`cut`).

    `string_at` is where the string begins in which, or right behind which, it ended; None where there is none.
    """

    def __init__(self, at: int, text: Text, cut: bool = False, string_at: int | None = None) -> None:
        super().__init__(text.en)
        self.at, self.text, self.cut, self.string_at = at, text, cut, string_at


@dataclass
class Reading:
    """A value that was read, the character after it, and the slips that were read through, in order, each once.

    For each object, by its id(): `spans` is where it stands in the text, `members` where the value of each member stands.
    """

    value: Any
    end: int
    slips: list[Text]
    spans: dict[int, Span]
    members: dict[int, dict[str, Span]]


@dataclass
class _Open:
    """An object or array that is being read; `key` waits for its value, which begins at or after `value_at`."""

    value: dict[str, Any] | list[Any]
    at: int
    key: str = ""
    value_at: int = 0
    members: dict[str, Span] = field(default_factory=dict)

    @property
    def closer(self) -> str:
        return "}" if isinstance(self.value, dict) else "]"


def read_json(scanner: Scanner, at: int, end: int, *, closed: bool = False) -> Reading:
    """Reads the value that begins at `at`, looking no further than `end`.

    `closed` says that something marks the end deliberately (a closing tag), so that brackets that are missing there are a
    slip and not a sign of being cut off. Raises JsonError.
    """
    return _Reader(scanner, at, end, closed).read()


class _Reader:
    def __init__(self, scanner: Scanner, at: int, end: int, closed: bool) -> None:
        self.scanner, self.text, self.at, self.end, self.closed = scanner, scanner.text, at, end, closed
        self.slips: list[Text] = []
        self.stack: list[_Open] = []
        self.spans: dict[int, Span] = {}
        self.members: dict[int, dict[str, Span]] = {}
        self.last_string: Span | None = None

    def slip(self, text: Text) -> None:
        if text not in self.slips:
            self.slips.append(text)

    def space(self) -> str:
        """Skips white space; the character that follows, "" at the end."""
        found = self.scanner.match(_SPACE, self.at, self.end)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1] if self.at < self.end else ""

    def fail(self, zh: str, en: str, at: int | None = None) -> JsonError:
        at = self.at if at is None else at
        behind = self.last_string and self.scanner.past_space(self.last_string[1], at) == at
        return JsonError(at, Text(zh, en), string_at=self.last_string[0] if self.last_string and behind else None)

    def cut(self, string_at: int | None = None) -> JsonError:
        return JsonError(self.end, Text("文字在 JSON 還沒寫完時就結束了", "the text ends before the JSON does"), True, string_at)

    def read(self) -> Reading:
        """The main loop: one value, then whatever may stand after a value, until the outermost one is closed."""
        value: Any = self.value()
        while self.stack:
            value = self.after(value)
        return Reading(value, self.at, self.slips, self.spans, self.members)

    def value(self) -> Any:
        """A value; for an object or array with contents, its first innermost value, with the brackets on the stack."""
        while True:
            char = self.space()
            if char in ("{", "["):
                self.push(char)
                opened = self.stack[-1]
                if self.space() == opened.closer:
                    return self.pop()
                if isinstance(opened.value, dict):
                    self.key(opened)
                continue
            if char in ('"', "'"):
                return self.string(char)
            return self.scalar(char)

    def push(self, bracket: str) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self.fail(f"巢狀超過 {MAX_DEPTH} 層", f"nested more than {MAX_DEPTH} levels deep")
        self.stack.append(_Open({} if bracket == "{" else [], self.at))
        self.at += 1

    def pop(self) -> Any:
        self.at += 1
        return self.finish()

    def finish(self) -> Any:
        done = self.stack.pop()
        self.spans[id(done.value)] = (done.at, self.at)
        self.members[id(done.value)] = done.members
        return done.value

    def after(self, value: Any) -> Any:
        """Puts `value` where it belongs and reads on: the next value, or the bracket's own value when it closes."""
        opened = self.stack[-1]
        self.store(opened, value)
        char = self.space()
        if char == ",":
            comma = self.at
            self.at += 1
            char = self.space()
            if char == opened.closer:
                self.slip(TRAILING_COMMA)
            elif char == ",":
                raise self.fail("兩個逗號之間沒有值", "nothing stands between two commas", comma)
            else:
                return self.next_in(opened)
        if char == opened.closer:
            return self.pop()
        if char == "":
            return self.close_for_it()
        if char in ('"', "'") and isinstance(opened.value, dict) and self.text[self.at - 1].isspace():
            self.slip(MISSING_COMMA)
            return self.next_in(opened)
        closer = opened.closer
        raise self.fail(f"這裡應該是逗號或「{closer}」，卻是「{char}」", f"expected a comma or {closer!r}, found {char!r}")

    def next_in(self, opened: _Open) -> Any:
        if isinstance(opened.value, dict):
            self.key(opened)
        return self.value()

    def close_for_it(self) -> Any:
        """The text ends inside a bracket: a slip if the end was marked, else the JSON is cut off."""
        if not self.closed:
            raise self.cut()
        self.slip(MISSING_BRACKET)
        return self.finish()

    def store(self, opened: _Open, value: Any) -> None:
        if isinstance(opened.value, list):
            opened.value.append(value)
            return
        key = opened.key
        if key in opened.value and not same(opened.value[key], value):
            raise self.fail(f"鍵「{key}」出現兩次，值卻不同", f"the key {key!r} appears twice with different values")
        opened.value[key] = value
        opened.members[key] = (opened.value_at, self.at)

    def key(self, opened: _Open) -> None:
        """A member's key, the colon after it, and the space before its value."""
        char = self.space()
        if char in ('"', "'"):
            key = self.string(char)
        elif word := self.scanner.match(_WORD, self.at, self.end):
            self.slip(BARE_KEY)
            key, self.at = word[0], word.end()
        elif char == "":
            raise self.cut()
        else:
            raise self.fail(f"這裡應該是鍵名，卻是「{char}」", f"expected a key, found {char!r}")
        char = self.space()
        if char == "":
            raise self.cut()
        if char != ":":
            raise self.fail(f"鍵「{key}」後面應該是冒號，卻是「{char}」", f"expected a colon after {key!r}, found {char!r}")
        self.at += 1
        self.space()
        opened.key, opened.value_at = key, self.at

    def scalar(self, char: str) -> Any:
        """A number or a constant."""
        if char == "":
            raise self.cut()
        if number := self.scanner.match(_NUMBER, self.at, self.end):
            self.at = number.end()
            if self.at == self.end and not self.closed:
                raise self.cut()  # More digits might have followed.
            return self.number(number)
        word = self.scanner.match(_WORD, self.at, self.end)
        if word is None:
            raise self.fail(f"「{char}」不是任何值的開頭", f"{char!r} does not begin a value")
        if word.end() == self.end and not self.closed:
            raise self.cut()
        if word[0] in _CONSTANTS:
            self.at = word.end()
            return _CONSTANTS[word[0]]
        if word[0] in _PYTHON_CONSTANTS:
            self.slip(PYTHON)
            self.at = word.end()
            return _PYTHON_CONSTANTS[word[0]]
        raise self.fail(f"「{word[0][:40]}」不是 JSON 的值", f"{word[0][:40]} is no JSON value")

    def number(self, number: re.Match[str]) -> int | float:
        if number[1] is None and number[2] is None:
            if len(number[0]) > MAX_DIGITS:
                raise self.fail("這個整數太長，無法精確讀取", "this whole number is too long to be read exactly", number.start())
            return int(number[0])
        value = float(number[0])
        if value in (float("inf"), float("-inf")):
            raise self.fail("這個數超出可表示的範圍", "this number is too large to be represented", number.start())
        return value

    def string(self, quote: str) -> str:
        found = self.scanner.match(_STRING[quote], self.at, self.end)
        assert found is not None, "a string pattern matches wherever its quotation mark stands"
        if not found[2]:
            if self.closed:
                raise JsonError(found.start(), OPEN_STRING, string_at=found.start())
            raise self.cut(found.start())
        if quote == "'":
            self.slip(SINGLE_QUOTES)
        text = self.unescape(found[1], found.start(1), quote)
        self.at = found.end()
        self.last_string = found.span()
        return text

    def unescape(self, body: str, start: int, quote: str) -> str:
        """A string's text. Raises JsonError where a backslash can be read in two ways or a character is only half there."""
        if _RAW_CONTROL.search(body):
            self.slip(CONTROL)
        if "\\" not in body:
            return body
        escapes = [escape[1] for escape in _ESCAPE.finditer(body)]
        odd = [escape for escape in escapes if not _is_escape(escape, quote)]
        if odd and any(escape[0] in "bfnrt" for escape in escapes):
            # "C:\new\data": either every backslash is meant literally or the first is a line break.
            raise self.fail("字串裡的反斜線有兩種讀法", "the backslashes in this string can be read in two ways", start)
        if odd or (quote == '"' and "'" in escapes):
            self.slip(BACKSLASH)
        text = _ESCAPE.sub(lambda escape: _unescaped(escape[1], quote), body)
        if any(escape[0] == "u" for escape in escapes):
            text = _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
            if _SURROGATE.search(text) and not _SURROGATE.search(body):
                raise self.fail("字串裡有半個字元（單獨的 surrogate）", "half a character (a lone surrogate) in a string", start)
        return text


_SURROGATES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")


def _is_escape(escape: str, quote: str) -> bool:
    """Whether what follows a backslash is an escape: JSON's, or in a single-quoted string also Python's \\xNN."""
    if escape[0] in "ux":
        return len(escape) > 1 and (escape[0] == "u" or quote == "'")
    return escape in _ESCAPED


def _unescaped(escape: str, quote: str) -> str:
    if len(escape) > 1:
        return chr(int(escape[1:], 16)) if _is_escape(escape, quote) else "\\" + escape
    return _ESCAPED.get(escape, "\\" + escape)


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1 from True and 1.0, compared as written; nesting is bounded by MAX_DEPTH."""
    return repr(one) == repr(other)
