"""Reading run files, also while they grow: `harness.events` writes them.

Who writes a run file holds a lock on it, which the system lets go of when the process ends, however it ends. So a file without
a run_end is told apart: either it goes on, or its run was cut short.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from pathlib import Path
from typing import IO, Any

if sys.platform != "win32":
    import fcntl

FORMAT_VERSION = 1

Event = dict[str, Any]


class UnreadableRun(Exception):  # noqa: N818  # The name says what is wrong.
    """A run file that cannot be read; the message says why and what to do."""


class NewerRun(UnreadableRun):
    """One of a newer major version, which has to be read with the Loopglass that wrote it."""


def hold(file: IO[str]) -> None:
    """Locks an open file until it is closed. Some file systems cannot, nor can Windows: their files count as given up.

    Who asks `is_held` just then has the lock for a moment, which is waited for.
    """
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)


def is_held(path: Path) -> bool:
    """Whether a process, this one or another, still writes the run file; False for one that cannot be opened."""
    if sys.platform == "win32":
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class RunFile:
    """A run file as far as it has been read: `header`, and `lines`, an event each, which only grow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header: dict[str, Any] = {}
        self.lines: list[str] = []
        self.ended = False
        """Whether the last event is a run_end."""
        self._n_read = 0
        self._reading = threading.Lock()

    def read(self) -> list[Event]:
        """Reads what was added since, up to the last whole line (a crash, or a writer in the middle of one, may have cut the line
        after it), and gives the new events. Raises UnreadableRun for a file that is no run or that a newer major version wrote,
        and OSError."""
        with self._reading:
            with self.path.open("rb") as file:
                file.seek(self._n_read)
                whole = file.read().rpartition(b"\n")[0]
            if not whole and self.header:
                return []
            added = whole.decode("utf-8", errors="replace").split("\n")
            header = self.header or _header(added.pop(0), self.path)
            events = [_event(line, len(self.lines) + n, self.path) for n, line in enumerate(added)]
            self.header = header
            self.lines += added
            self._n_read += len(whole) + 1
            self.ended = self.ended or (bool(events) and events[-1]["kind"] == "run_end")
            return events


def read_run(path: Path) -> tuple[dict[str, Any], list[Event]]:
    """Reads a run file: its header and its events. Raises as `RunFile.read`."""
    file = RunFile(path)
    events = file.read()
    return file.header, events


def read_start(path: Path) -> Event | None:
    """A run file's first event, without reading the rest; None where there is none yet. Raises UnreadableRun as `read_run`."""
    with path.open(encoding="utf-8", errors="replace") as file:
        first, second = file.readline(), file.readline()
    _header(first, path)
    return _event(second, 0, path) if second.endswith("\n") else None


def _header(line: str, path: Path) -> dict[str, Any]:
    header = _object(line)
    version = None if header is None else header.get("loopglass")
    if header is None or type(version) is not int:
        raise UnreadableRun(f"{path.name} is not a Loopglass run: its first line is no header")
    if version > FORMAT_VERSION:
        newer = f"format {version}, this one reads {FORMAT_VERSION}"
        raise NewerRun(f"{path.name} was written by a newer Loopglass ({newer}): update it")
    return header


def _event(line: str, seq: int, path: Path) -> Event:
    """The event of a line, which must be the one with the number `seq`: a missing line would never be found by a reader who asks
    for what comes after the last event."""
    event = _object(line)
    if event is None or type(event.get("seq")) is not int or event["seq"] != seq or not isinstance(event.get("kind"), str):
        raise UnreadableRun(f"{path.name} is damaged in line {seq + 2}")
    return event


def _object(line: str) -> dict[str, Any] | None:
    """The JSON object of a line; None where it holds none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
