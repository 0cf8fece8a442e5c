"""A call as it forms: while the model writes, which call this is, what it is called, and where its arguments begin.

The family's parser is asked, because only it knows the format: at each token of a call's first ones, then ever more rarely, and
only for what was written since the last call ended, so that the cost stays linear in the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from families.base import Channel, Family
from families.json_calls import arguments_begin
from families.reading import token_span

_EACH = 24  # The first tokens of a call, at each of which is asked.
_GROWTH = 1.3


class FormingCalls:
    """Follows a turn token by token. `schemas` are the tools that were offered, `prompt` what the turn answers."""

    def __init__(self, family: Family, schemas: Sequence[Mapping[str, Any]], prompt: str) -> None:
        self._family, self._schemas, self._prompt = family, schemas, prompt
        self._names = {schema["function"]["name"] for schema in schemas}
        self._texts: list[str] = []
        self._ends: list[int] = []  # Characters at which the tokens since the last call end.
        self._first = 0  # The token with which these begin.
        self._n_done = 0
        self._n_in_call = 0
        self._next_look = 1
        self._said: dict[str, Any] = {}

    def feed(self, text: str, channel: Channel, following: Channel) -> dict[str, Any] | None:
        """What has become known with a token of this channel: the fields of a call_forming event, or None. `following` is the
        channel in which the next token stands."""
        self._texts.append(text)
        self._ends.append(len(text) + (self._ends[-1] if self._ends else 0))
        if channel != "tool_call":
            if channel == "control" and following != "tool_call" and self._n_in_call:
                self._close()
            return None
        self._n_in_call += 1
        if self._n_in_call < self._next_look:
            return None
        self._next_look = self._n_in_call + 1 if self._n_in_call < _EACH else int(self._n_in_call * _GROWTH) + 1
        known = self._look()
        if known is None or known == self._said:
            return None
        self._said = known
        return known

    def _look(self) -> dict[str, Any] | None:
        raw = "".join(self._texts)
        calls = self._family.parse(raw, self._schemas, "" if self._first else self._prompt).calls
        if not calls:
            return None
        call = calls[-1]
        named = raw.find(call.name, *call.span) + len(call.name)
        at = raw.find(call.raw_args, named, call.span[1]) if call.raw_args.strip() else -1
        if at < 0:  # Of JSON that is not complete, a parser gives all that was written as the arguments' text.
            at = arguments_begin(raw, named)
        if not call.name or (at < 0 and call.name not in self._names):  # The name may go on.
            return None
        return {
            "call": self._n_done + len(calls) - 1,
            "name": call.name,
            "span_from": self._first + token_span(call.span, self._ends)[0],
            "args_from": None if at < 0 else self._first + token_span((at, at + 1), self._ends)[0],
        }

    def _close(self) -> None:
        """A call has ended; what follows is read by itself."""
        raw = "".join(self._texts)
        self._n_done += len(self._family.parse(raw, self._schemas, "" if self._first else self._prompt).calls)
        self._first += len(self._texts)
        self._texts, self._ends, self._n_in_call, self._next_look, self._said = [], [], 0, 1, {}
