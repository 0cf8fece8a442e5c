"""The parser of the Gemma families: `<|channel>thought … <channel|>`, text, and `<|tool_call>call:name{…}<tool_call|>`.

The formats are the ones that Gemma 4's chat templates write, and Google's "FunctionGemma formatting and best practices".
A turn is read once from left to right over its markers (`families/turns.py`); only a call is looked at more closely
(`families/gemma_calls.py`), because between string marks any marker is part of the value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from families.base import Turn
from families.gemma_calls import CallReader
from families.gemma_marks import CALL_BEGINS, Dialect
from families.json_calls import Tools, offered
from families.marked_calls import Markers
from families.reading import Scanner
from families.turns import Mark, TurnReader, end_of_text

LABEL = "thought"
"""The name of the channel that Gemma 4 thinks in, which stands on the line of its opener."""
_LABEL = re.compile(r"\s*+thought[ \t]*+(?:\n|(?=<)|\Z)")


def parse_turn(dialect: Dialect, raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of this family; see `families.base.Family` for the other arguments."""
    return read_turn(Scanner(raw), dialect, offered(tools), prefix)


def read_turn(scanner: Scanner, dialect: Dialect, tools: Tools, prefix: str) -> Turn:
    """`parse_turn` on a scanner, which counts the steps."""
    end = end_of_text(scanner.text, dialect.stops)
    marks = Markers(scanner, dialect.marks, end, CALL_BEGINS)
    calls = CallReader(scanner, tools, marks, dialect, end < len(scanner.text))
    return _GemmaTurnReader(scanner, end, marks, calls, prefix, dialect).read()


class _GemmaTurnReader(TurnReader):
    """Adds what the thinking of Gemma 4 has beside its markers: the channel's name after the opener."""

    def __init__(self, scanner: Scanner, end: int, marks: Markers, calls: CallReader, prefix: str, dialect: Dialect) -> None:
        self._dialect, self._named_by_prompt = dialect, True
        super().__init__(scanner, end, marks, calls, "")
        if dialect.think:
            ending = prefix[-200:].rstrip()
            opened = ending.removesuffix(LABEL).rstrip().endswith(dialect.think)
            self.state.thinking = opened
            self.state.thought_known = opened or ending.endswith(dialect.end_think)
            self._named_by_prompt = not ending.endswith(dialect.think)
            self._begin_piece(0)

    def _begin_piece(self, at: int) -> None:
        if self.state.thinking and (self.text.endswith(self._dialect.think, 0, at) if at else not self._named_by_prompt):
            at = self._past_label(at)
        super()._begin_piece(at)

    def _past_label(self, at: int) -> int:
        """The character after the channel's name that stands at `at`, or as much of it as was written before the end."""
        label = self.scanner.match(_LABEL, at, self.end)
        if label:
            return label.end()
        begun = self.end - at < len(LABEL) and not self.ended and LABEL.startswith(self.text[at : self.end])
        return self.end if begun else at

    def _thought_mark(self, mark: Mark) -> int:
        if mark.kind == "think" and self._past_label(mark.end) > mark.end and not self._quoted(mark):
            self.state.thoughts.append((self.state.piece, mark.start))
            self._begin_piece(mark.end)
            return mark.end
        return super()._thought_mark(mark)

    def _opens_thought(self, mark: Mark) -> bool:
        if self._quoted(mark) or self._in_fence(mark.start):
            return False
        return self._past_label(mark.end) > mark.end or super()._opens_thought(mark)

    def _stray_end_of_thought(self, mark: Mark) -> None:
        super()._stray_end_of_thought(mark)
        thoughts = self.state.thoughts
        if thoughts and thoughts[-1][1] == mark.start:
            label = self.scanner.match(_LABEL, *thoughts[0])
            thoughts[0] = (label.end() if label else thoughts[0][0], thoughts[0][1])
