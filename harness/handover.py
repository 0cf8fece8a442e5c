"""Work in a thread of its own, handed over item by item to a caller who can turn away at any moment.

A model that reads a long prompt and a tool that computes cannot be interrupted from outside. So they run beside the run,
and when the run ends it leaves them: they end on their own and what they still bring is dropped.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")

_POLL_S = 0.02
_WORK = "loopglass-work"


class LeftAlone(Exception):  # noqa: N818  # Not an error: the caller turned away.
    """The caller gave up before the work was done."""


@dataclass(frozen=True)
class _End:
    """The work is over; `error` is what it raised."""

    error: BaseException | None


class Handover(Generic[Item]):
    """Iterates `work()` in a daemon thread. `on_end` is called once the work is over, left alone or not: in that thread, or here,
    before the RuntimeError, where there is no thread to be had."""

    def __init__(self, work: Callable[[], Iterable[Item]], on_end: Callable[[], None] | None = None) -> None:
        self._items: queue.SimpleQueue[Item | _End] = queue.SimpleQueue()
        self._work = work
        self._on_end = on_end
        try:
            threading.Thread(target=self._bring, name=_WORK, daemon=True).start()
        except RuntimeError:  # What the work would have freed at its end must not stay taken for ever.
            if on_end is not None:
                on_end()
            raise

    def _bring(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._work():
                self._items.put(item)
        except BaseException as raised:  # It is raised again where the items are taken.
            error = raised
        finally:
            if self._on_end is not None:
                self._on_end()
            self._items.put(_End(error))

    def take(self, give_up: Callable[[], bool], grace_s: float) -> Iterator[Item]:
        """The items as they come. Raises what the work raised, and LeftAlone where it is not over `grace_s` seconds after
        `give_up` said yes."""
        asked: float | None = None
        while True:
            if give_up():
                asked = time.monotonic() if asked is None else asked
                if time.monotonic() - asked >= grace_s:
                    raise LeftAlone
            try:
                item = self._items.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if not isinstance(item, _End):
                yield item
            elif item.error is not None:
                raise item.error
            else:
                return


def settled(within_s: float) -> bool:
    """Waits until all work that was left alone is over; whether it is, `within_s` seconds later at most."""
    latest = time.monotonic() + within_s
    for thread in [thread for thread in threading.enumerate() if thread.name == _WORK]:
        thread.join(max(0.0, latest - time.monotonic()))
    return not any(thread.name == _WORK for thread in threading.enumerate())
