"""The line of runs that wait for one backend: a model answers one run at a time, in the order in which they came."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable

_POLL_S = 0.02
_lines: dict[int, Line] = {}
_lines_lock = threading.Lock()


class Line:
    """First come, first served; whoever waits can give up at any moment."""

    def __init__(self) -> None:
        self._waiting: deque[object] = deque()
        self._moved = threading.Condition()

    def enter(self, give_up: Callable[[], bool]) -> Place | None:
        """Waits for the turn; None where `give_up` said yes first."""
        ticket = object()
        with self._moved:
            self._waiting.append(ticket)
            try:
                while not give_up():
                    if self._waiting[0] is ticket:
                        return Place(self)
                    self._moved.wait(_POLL_S)
            except BaseException:  # Ctrl+C while waiting must not hold up the others for ever.
                self._withdraw(ticket)
                raise
            self._withdraw(ticket)
            return None

    def _withdraw(self, ticket: object) -> None:
        self._waiting.remove(ticket)
        self._moved.notify_all()

    def leave(self) -> None:
        """The first one goes; its `Place` calls this."""
        with self._moved:
            self._withdraw(self._waiting[0])


class Place:
    """The first place in the line. A run shares it with the generation it starts, and it is free once both have released it:
    a generation that its run has left still uses the model until its next token."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._holders = 1
        self._lock = threading.Lock()

    def share(self) -> None:
        with self._lock:
            self._holders += 1

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            free = self._holders == 0
        if free:
            self._line.leave()


def line_for(backend: object) -> Line:
    """The one line of a backend object; it is forgotten with the backend."""
    key = id(backend)
    with _lines_lock:
        if key not in _lines:
            _lines[key] = Line()
            weakref.finalize(backend, _lines.pop, key, None)
        return _lines[key]
