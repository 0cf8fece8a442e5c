"""Reads tool calls written as Python, `[name(key=value, …), …]`, as Llama 4 and LFM2 write them. Nothing is ever evaluated.

What stands between the parentheses is for `families/python_arguments.py`. Linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from families.base import Text
from families.json_calls import CallText, Tools, bad_arguments, unterminated
from families.lenient_json import MISSING_BRACKET, JsonError
from families.python_arguments import Arguments
from families.reading import Scanner

NO_LIST = Text("呼叫外面少了方括號", "calls without the brackets of the list")

_CALL = re.compile(r"([^\W\d][\w.\-]*+)\s*+\(")
_LATER_CALL = re.compile(r"(?<=[\[,; \n])" + _CALL.pattern)
"""Where another call may begin; that it follows a separator keeps the search linear in a long word."""


def begins_calls(scanner: Scanner, at: int, end: int) -> str | None:
    """The name of the first call where calls begin at `at`, with the list's bracket or without; else None."""
    at = scanner.past_space(at, end)
    if scanner.startswith("[", at):
        at = scanner.past_space(at + 1, end)
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


class _Calls:
    """The list of calls."""

    def __init__(self, scanner: Scanner, at: int, end: int, tools: Tools, closed: bool) -> None:
        self.scanner, self.text, self.end, self.tools, self.closed = scanner, scanner.text, end, tools, closed
        self.calls: list[CallText] = []
        self.at = scanner.past_space(at, end)
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
        self.at = self.scanner.past_space(self.at, self.end)
        if self.at < self.end and self.text[self.at] in ",;":
            self.at += 1
            return True
        return False

    def _close(self, after: int) -> int:
        """The end of the list, of which the last call ended at `after`."""
        self.at = self.scanner.past_space(self.at, self.end)
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
        self.at = self.scanner.past_space(self.at, self.end)
        found = self.scanner.match(_CALL, self.at, self.end)
        if not found:
            return None
        start, name = self.at, found[1]
        arguments = Arguments(self.scanner, found.end(), self.end, self.tools.get(name, frozenset()), self.closed)
        values = arguments.read()
        self.at = arguments.at
        raw_args = self.text[found.end() : self.at].strip().removesuffix(")").rstrip()
        return CallText(name, values, raw_args, (start, self.at), arguments.slips)

    def salvage(self, cut: bool) -> list[CallText]:
        # Every broken call may have been read up to the end, so the steps of all of them together are limited.
        patience = self.scanner.steps + 8 * (self.end - self.at) + 1000
        later = self.scanner.all(_LATER_CALL, self.at, self.end)
        starts = [found.start() for found in later if found[1] in self.tools]
        while True:
            start = self.at = self.scanner.past_space(self.at, self.end)
            try:
                call = self._call()
            except JsonError as error:
                call = self._broken(start, error, starts if self.scanner.steps < patience else [], cut)
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

    def _broken(self, start: int, error: JsonError, starts: Sequence[int], cut: bool) -> CallText:
        """The call at `start` with its error. It reaches to the next of `starts`, or to the end."""
        found = self.scanner.match(_CALL, start, self.end)
        assert found is not None, "only a call that began can be broken"
        following = bisect_left(starts, max(error.at, found.end()))
        self.at = stop = starts[following] if following < len(starts) else self.end
        problem = unterminated(error.at) if error.cut and cut else bad_arguments(self.text, error.at, error.text, stop)
        return CallText(found[1], None, self.scanner.broken(found.end(), stop), (start, stop), error=problem)
