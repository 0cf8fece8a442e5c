"""Reads Python's string literals as models write them, with the slips that leave one reading. Nothing is ever evaluated."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from families.base import Text
from families.lenient_json import BACKSLASH, CONTROL, OPEN_STRING, JsonError
from families.reading import Scanner

OPEN_QUOTE = Text("字串裡的引號沒有跳脫", "a quotation mark inside a string that was not escaped")

_START = re.compile(r"([a-zA-Z]*)(\"\"\"|'''|[\"'])")
_BODY = {
    '"': re.compile(r'(?:[^"\\]++|\\[\s\S])*+'),
    "'": re.compile(r"(?:[^'\\]++|\\[\s\S])*+"),
    '"""': re.compile(r'(?:[^"\\]++|\\[\s\S]|"(?!""))*+'),
    "'''": re.compile(r"(?:[^'\\]++|\\[\s\S]|'(?!''))*+"),
}
_CLOSES = re.compile(r"\s*+(?:[,)\]}:]|[rRuUfFbB]{0,2}[\"']|$)")
_ESCAPE = re.compile(r"\\(N\{[^}]*+\}|U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|[\s\S])")
_ESCAPED = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "/": "/",
}
_RAW_CONTROL = re.compile(r"(?<!\\)\n|[\x00-\x09\x0b-\x1f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SURROGATES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")


def read_string(scanner: Scanner, at: int, end: int, slip: Callable[[Text], None], closed: bool) -> tuple[str, int]:
    """The string that begins at `at`, and the character after it; `slip` is told of what was read through.

    A quotation mark after which no string can end is taken as part of the text. Raises JsonError.
    """
    start = scanner.match(_START, at, end)
    assert start is not None, "a string was seen here"
    prefix, quote = start[1].lower(), start[2]
    if prefix not in ("", "r", "u", "f"):
        raise JsonError(at, Text(f"不接受「{start[1]}」開頭的字串", f"a string with the prefix {start[1]} is no text"))
    stop = _end_of(scanner, start.end(), end, quote, slip, at, closed)
    body = scanner.text[start.end() : stop]
    if prefix == "f" and ("{" in body or "}" in body):
        raise JsonError(at, Text("f 字串要執行才知道內容", "an f-string would have to be evaluated"))
    if len(quote) == 1 and _RAW_CONTROL.search(body):
        slip(CONTROL)
    return (body if prefix == "r" else _unescape(body, start.end(), slip)), stop + len(quote)


def _end_of(
    scanner: Scanner, at: int, end: int, quote: str, slip: Callable[[Text], None], opened: int, closed: bool
) -> int:
    """The character of the closing quotation mark of a string whose text begins at `at`."""
    first: int | None = None
    while True:
        body = scanner.match(_BODY[quote], at, end)
        stop = body.end() if body else at
        if not scanner.startswith(quote, stop) or stop + len(quote) > end:
            if closed and first is not None:
                return first  # No quotation mark can end the string; what follows the first one is the mistake.
            if closed:
                raise JsonError(opened, OPEN_STRING, string_at=opened)
            raise JsonError(end, Text("文字在字串還沒寫完時就結束了", "the text ends inside a string"), True, opened)
        if scanner.match(_CLOSES, stop + len(quote), end):
            if first is not None:
                slip(OPEN_QUOTE)
            return stop
        first = stop if first is None else first
        at = stop + len(quote)


def _unescape(body: str, start: int, slip: Callable[[Text], None]) -> str:
    if "\\" not in body:
        return body
    escapes = [escape[1] for escape in _ESCAPE.finditer(body)]
    odd = [escape for escape in escapes if _is_odd(escape)]
    if odd and any(escape[0] in "abfnrtv" for escape in escapes):
        # "C:\new\data": either every backslash is meant literally or the first is a line break.
        raise JsonError(start, Text("字串裡的反斜線有兩種讀法", "the backslashes in this string can be read in two ways"))
    if odd:
        slip(BACKSLASH)
    text = _ESCAPE.sub(lambda escape: _character(escape[1], start), body)
    text = _SURROGATES.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    if _SURROGATE.search(text) and not _SURROGATE.search(body):
        raise JsonError(start, Text("字串裡有半個字元（單獨的 surrogate）", "half a character (a lone surrogate) in a string"))
    return text


def _is_odd(escape: str) -> bool:
    """Whether Python knows no such escape and keeps the backslash."""
    return len(escape) == 1 and escape not in _ESCAPED and not escape.isdigit()


def _character(escape: str, at: int) -> str:
    if escape[0] == "N" and len(escape) > 1:
        try:
            return unicodedata.lookup(escape[2:-1])
        except (KeyError, UnicodeError) as error:  # The latter for a name that UTF-8 cannot hold.
            raise JsonError(at, Text(f"沒有叫「{escape[2:-1]}」的字元", f"there is no character {escape[2:-1]!r}")) from error
    if escape[0] in "Uux" and len(escape) > 1:
        code = int(escape[1:], 16)
        if code > 0x10FFFF:
            raise JsonError(at, Text("沒有這個編號的字元", f"there is no character {escape}"))
        return chr(code)
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    return _ESCAPED.get(escape, "\\" + escape)
