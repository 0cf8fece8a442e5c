"""What the formats share whose calls begin at a marker, and mostly end at one: where these stand, and how a call ends.

Knows nothing about thinking, nor how a call is written: `families/delimited.py` and `families/gemma_calls.py` read those.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from typing import cast

from families.base import CallError, Text
from families.json_calls import CallText, Tools, bad_arguments, unterminated
from families.reading import Scanner, Span
from families.turns import Found, Kind, Mark

CLOSERS = ("end_call", "like_end_call")
NO_MARKERS = Text("整個呼叫沒有標記", "a call without its markers")
_MORE_TEXT = Text("呼叫後面還有別的文字", "more text follows the call")


class Markers:
    """The markers of a text up to `end`, and what stands nearest to a place; each look-up is a binary search.

    `pattern` names the kind of each marker as the group in which it stands; a group "string" is what stands around strings,
    which is no marker. A call may begin at an empty match. `begins` is what must follow an opener for a call to begin there.
    """

    def __init__(self, scanner: Scanner, pattern: re.Pattern[str], end: int, begins: re.Pattern[str]) -> None:
        self.end = end
        found = scanner.all(pattern, 0, end)
        self.all = [Mark(cast(Kind, each.lastgroup), *each.span()) for each in found if each.lastgroup != "string"]
        self._strings = [each.start() for each in found if each.lastgroup == "string"]
        self._starts = [mark.start for mark in self.all]
        self._closers = [mark for mark in self.all if mark.kind in CLOSERS]
        self._closer_starts = [mark.start for mark in self._closers]
        calls = [mark for mark in self.all if mark.kind == "call" and mark.start < mark.end]
        self._openers = [mark.start for mark in calls if scanner.match(begins, mark.end, end)]
        self._run_ends: dict[int, int] = {}
        for mark in reversed(calls):
            after = scanner.past_space(mark.end, end)
            again = scanner.startswith(scanner.text[mark.start : mark.end], after)
            self._run_ends[mark.start] = self._run_ends.get(after, mark.end) if again else mark.end

    def at(self, at: int) -> Mark | None:
        """The marker that begins at `at`."""
        index = bisect_left(self._starts, at)
        return self.all[index] if index < len(self.all) and self._starts[index] == at else None

    def past_run(self, mark: Mark) -> int:
        """The character after a marker, or where an opener is repeated at once after the last of them."""
        return self._run_ends.get(mark.start, mark.end)

    def next(self, at: int) -> int:
        """Where the first marker from `at` on begins, or the end."""
        return _first(self._starts, at, self.end)

    def next_call(self, at: int) -> int:
        """Where the first opener from `at` on that a call follows begins, or the end."""
        return _first(self._openers, at, self.end)

    def next_string(self, at: int) -> int:
        """Where the first string mark from `at` on begins, or the end."""
        return _first(self._strings, at, self.end)

    def closer(self, at: int, limit: int) -> Mark | None:
        """The first closing marker in [at, limit)."""
        index = bisect_left(self._closer_starts, at)
        return self._closers[index] if index < len(self._closers) and self._closer_starts[index] < limit else None

    def last_closer(self, at: int, limit: int) -> Mark | None:
        """The last closing marker in [at, limit)."""
        index = bisect_left(self._closer_starts, limit) - 1
        return self._closers[index] if index >= 0 and self._closer_starts[index] >= at else None


def _first(places: Sequence[int], at: int, end: int) -> int:
    index = bisect_left(places, at)
    return places[index] if index < len(places) else end


class MarkedCalls(ABC):
    """Reads the calls of one text, with a method `_attempt` of each format.

    `opener` and `closer` are the markers of a call, `closer` "" where the format has none; `like_closer` is what models write
    in its place. `ended` says whether the model ended its turn itself rather than being cut off.
    """

    def __init__(
        self, scanner: Scanner, tools: Tools, marks: Markers, opener: str, closer: str, like_closer: re.Pattern[str], ended: bool
    ) -> None:
        self._scanner, self._text, self._tools, self._marks = scanner, scanner.text, tools, marks
        self._opener, self._closer, self._like_closer = opener, closer, like_closer
        self._end, self._ended = marks.end, ended
        # Reading what turns out to be no call is lost work, and a hostile text could make every attempt run to its end.
        # So the steps of all of it together are limited; after that an attempt ends at the next marker.
        self._patience = 8 * len(self._text) + 1000

    @abstractmethod
    def _attempt(self, opener: Mark, at: int, in_sentence: bool) -> Found | None:
        """The calls after `opener`, read from `at` on; see `families.turns.CallReader.read`."""

    def offers(self, name: str) -> bool:
        return name in self._tools

    def read(self, opener: Mark, in_sentence: bool) -> Found | None:
        began = self._scanner.steps
        at = self._marks.past_run(opener)
        found = self._attempt(opener, at, in_sentence)
        known = found is not None and found.whole and self._all_offered(found.calls)
        if not known:
            self._patience -= self._scanner.steps - began
        if opener.kind == "like_call":
            if found is None or not known:
                return None
            wrong = self._text[opener.start : opener.end]
            found.slip(Text(f"開頭的標記寫成 {wrong}", f"the opening marker written {wrong}"))
        elif found and at > opener.end:
            token = self._text[opener.start : opener.end]
            found.slip(Text(f"開頭的 {token} 重複了", f"a doubled {token}"))
        return found

    def _all_offered(self, calls: Sequence[CallText]) -> bool:
        return all(call.name in self._tools for call in calls)

    def _limit(self, at: int) -> int:
        """How far an attempt that begins at `at` may look."""
        return self._end if self._patience > 0 else self._marks.next(at)

    def _past_space(self, at: int) -> int:
        return self._scanner.past_space(at, self._end)

    def _closed(self, found: Found) -> Found:
        """Finds the end of calls that were read whole."""
        if not self._closer:
            return self._self_closed(found)
        after = self._past_space(found.end)
        mark = self._marks.at(after)
        rest = self._text[after : self._end] if self._end - after < len(self._closer) else None
        if mark and mark.kind == "end_call":
            found.end = mark.end
        elif rest is not None and self._closer.startswith(rest) and not self._ended:
            found.cut(self._end)
        elif wrong := self._wrong_closer(mark, after):
            found.slip(Text(f"結尾的標記寫成 {wrong}", f"the closing marker written {wrong}"))
            found.end = after + len(wrong)
        elif not mark and (later := self._marks.closer(after, self._marks.next_call(after))):
            found.calls[-1].error = bad_arguments(self._text, after, _MORE_TEXT, later.start)
            found.end = later.end
        else:
            found.slip(Text(f"少了結尾的 {self._closer}", f"a missing {self._closer}"))
        return found

    def _self_closed(self, found: Found) -> Found:
        """Calls that no marker ends: of a turn that was cut off behind the last one, nobody knows whether that was all of it."""
        last = found.calls[-1]
        if not self._ended and not last.closed and self._past_space(found.end) == self._end:
            found.end = self._end
            last.error = last.error or unterminated(self._end)
        return found

    def _wrong_closer(self, mark: Mark | None, at: int) -> str:
        """What stands at `at` in place of the closing marker, "" where nothing does."""
        if mark and mark.kind in ("call", "like_call"):
            opens = mark.kind == "like_call" or self._marks.next_call(mark.start) == mark.start
            return "" if opens else self._text[mark.start : mark.end]
        found = self._scanner.match(self._like_closer, at, self._end)
        return found[0].rstrip() if found else ""

    def _missing_opener(self) -> Text:
        return Text(f"少了開頭的 {self._opener}", f"a missing {self._opener}")

    def _error(self, opener: Mark, name: str, body: Span, end: int, problem: CallError) -> Found:
        """A call that cannot be read, whose text is `body`."""
        call = CallText(name, None, self._scanner.broken(*body), body, error=problem)
        return Found([call], opener.start, end)
