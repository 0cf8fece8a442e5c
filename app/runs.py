"""All runs that this server knows, by id: those in memory, and those that only their run files remember.

Knows nothing about pages. A run lives here and in its thread, so that a reload, a second tab and a closed laptop do not
touch it. Runs that have ended keep their log and their messages for a while and let go of the model.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import families
from backends.base import Backend, Message
from families.base import Family, Lang
from harness.events import EventLog
from harness.handover import settled
from harness.ledger import Memory
from harness.replay import conversation_of
from harness.run import Run
from harness.run_file import Event, NewerRun, RunFile, UnreadableRun, is_held, read_start
from harness.settings import Settings
from harness.tools import registry

_RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,100}")
"""What an id may look like: it becomes a file's name."""
_LEFT_ALONE_S = 60.0
_IN_MEMORY = 32
_FROM_DISK = 8

Unreadable = Literal["newer", "damaged", "closed"]
"""Why a run's file cannot be read: a newer Loopglass wrote it; it is damaged or no run; the system does not let it be opened."""


@dataclass(frozen=True)
class Recorded:
    """A run that is read from its file. Where it is over, it may have been cut short before its run_end; else another process
    writes it, its file is read on at each look, and `lines` grows."""

    lines: Sequence[str]
    ended: bool

    @property
    def events(self) -> list[Event]:
        """Read anew each time: as dicts they take several times the memory of their lines."""
        return [json.loads(line) for line in self.lines]

    def lines_after(self, seq: int, limit: int = 1000) -> Sequence[str]:
        """The serialised events after `seq`, at most `limit`, as `EventLog.lines_after` gives them."""
        return self.lines[seq + 1 : seq + 1 + limit]


@dataclass(frozen=True)
class Earlier:
    """A conversation that the folder holds: its last run, which opens the whole of it, with that run's model and time (None where
    the id tells none), its first question, and of how many questions it is."""

    run_id: str
    question: str
    model: str
    at: datetime | None
    n_questions: int


@dataclass(frozen=True)
class Recent:
    """The last conversations, newest first, and how many of the files that were looked at for them cannot be read, and why."""

    conversations: Sequence[Earlier]
    unreadable: Mapping[Unreadable, int]


class CannotContinue(ValueError):  # noqa: N818  # The name says what is wrong.
    """The run has not ended, or its file and those before it do not tell what it left."""


@dataclass(frozen=True)
class Left:
    """What a run leaves for one that continues it."""

    messages: Sequence[Message]
    memory: Memory


@dataclass(frozen=True)
class _Ended:
    """What is kept of a run that is over."""

    log: EventLog
    left: Left


class Runs:
    """The registry. `folder` holds the run files; `in_memory` is how many runs that have ended are kept beside them."""

    def __init__(self, folder: Path, in_memory: int = _IN_MEMORY) -> None:
        self.folder = folder
        self._n_kept = in_memory
        self._lock = threading.RLock()
        self._live: dict[str, Run] = {}
        self._ended: OrderedDict[str, _Ended] = OrderedDict()
        self._files: OrderedDict[str, RunFile] = OrderedDict()

    def start(self, backend: Backend, question: str, settings: Settings, lang: Lang, continues: str | None = None) -> str:
        """Starts a run in its own thread and gives its id. It goes on where the run `continues` ended, if one is named.

        Raises CannotContinue where that cannot be.
        """
        left = Left((), Memory()) if continues is None else self.left(continues)
        if left is None:
            raise CannotContinue(f"run {continues} cannot be continued: it has not ended, or cannot be read back")
        run = Run(
            backend, question, settings, history=left.messages, continues=continues, lang=lang, folder=self.folder,
            memory=left.memory,
        )
        with self._lock:
            self._live[run.run_id] = run
        run.start()
        run.log.wait(-1, 5.0)  # Until run_start is written, which says what the run continues.
        return run.run_id

    def active(self) -> list[str]:
        """The ids of runs that have not ended, oldest first: the first one writes, the others wait their turn."""
        with self._lock:
            self._sweep()
            return list(self._live)

    def goes_on(self, run_id: str) -> bool:
        """Whether the run has not ended, here or in another process, such as `loopglass ask`."""
        if run_id in self.active():
            return True
        path = self._path(run_id)
        return self.in_memory(run_id) is None and path is not None and is_held(path)

    def stop(self, run_id: str) -> bool:
        """Asks a run to stop. False for one that this server did not start; stopping an ended run does nothing."""
        with self._lock:
            if run_id in self._live:
                self._live[run_id].stop()
                return True
            return run_id in self._ended

    def stop_all(self, timeout_s: float) -> None:
        """Stops every run and waits until their files are closed, or for the time given in all."""
        with self._lock:
            runs = list(self._live.values())
        for run in runs:
            run.stop()
        for run in runs:
            run.join(timeout_s / len(runs))

    def wait_idle(self) -> None:
        """Returns when no run is going on, and what runs have left alone is over too: a generation that is slow to stop still
        uses its model. A tool that does not end is not waited for longer than `_LEFT_ALONE_S`."""
        while self.active():
            with self._lock:
                runs = list(self._live.values())
            for run in runs:
                run.join(None)
        settled(_LEFT_ALONE_S)

    def in_memory(self, run_id: str) -> EventLog | None:
        """The log of a run of this server that is still in memory."""
        with self._lock:
            if run_id in self._live:
                return self._live[run_id].log
            return self._ended[run_id].log if run_id in self._ended else None

    def from_disk(self, run_id: str) -> Recorded | None:
        """A run from its file; None where there is none, or none that can be read: `unreadable` says why."""
        found = self._whole(run_id)
        return found if isinstance(found, Recorded) else None

    def unreadable(self, run_id: str) -> Unreadable | None:
        """Why the run's file cannot be read; None where it can, where there is none, and for a run in memory."""
        if self.in_memory(run_id) is not None:
            return None
        found: Event | Recorded | Unreadable | None = self._beginning(run_id)
        if not isinstance(found, str):
            found = self._whole(run_id)
        return found if isinstance(found, str) else None

    def _whole(self, run_id: str) -> Recorded | Unreadable | None:
        """A run from its file, or why it cannot be read; None where there is no file."""
        file = self._file(run_id)
        if file is None:
            return None
        try:
            goes_on = not file.ended and is_held(file.path)  # Asked before reading: what is over by then is read to its end.
            if not file.ended:
                file.read()
        except (UnreadableRun, OSError) as error:
            return _why(error, file.path)
        return Recorded(file.lines, ended=not goes_on)

    def _file(self, run_id: str) -> RunFile | None:
        """The run's file with what was read of it before; None where there is none."""
        with self._lock:
            path = self._path(run_id)
            if run_id not in self._files and path is not None:
                self._files[run_id] = RunFile(path)
                if len(self._files) > _FROM_DISK:
                    self._files.popitem(last=False)
            if run_id in self._files:
                self._files.move_to_end(run_id)
            return self._files.get(run_id)

    def log(self, run_id: str) -> EventLog | Recorded | None:
        """The run's log, from memory or disk; None for an id that is not known."""
        return self.in_memory(run_id) or self.from_disk(run_id)

    def run_start(self, run_id: str) -> Event | None:
        """The run's first event, read without the rest of its file; None where there is none."""
        log = self.in_memory(run_id)
        if log is not None:
            return log.events[0] if log.events else None
        found = self._beginning(run_id)
        return None if isinstance(found, str) else found

    def _beginning(self, run_id: str) -> Event | Unreadable | None:
        """The first event in the run's file, or why there is none to read; None where there is no file, or none begun yet."""
        path = self._path(run_id)
        try:
            event = None if path is None else read_start(path)
        except (UnreadableRun, OSError) as error:
            return None if path is None else _why(error, path)
        if event is not None:
            return event if event["kind"] == "run_start" else "damaged"
        return None if path is None or is_held(path) else "damaged"

    def conversation(self, run_id: str) -> list[str]:
        """The ids of the conversation that `run_id` ends, oldest first; empty where the run is not known."""
        chain: list[str] = []
        earlier: Any = run_id
        while isinstance(earlier, str) and earlier not in chain:
            start = self.run_start(earlier)
            if start is None:
                break
            chain.append(earlier)
            earlier = start.get("continues")
        return chain[::-1]

    def recent(self, limit: int, without: Collection[str] = ()) -> Recent:
        """The last conversations that the folder holds, at most `limit`; not those that a run of `without` ends. Only the
        beginnings of files are read, and a file that cannot be read is counted."""
        found: list[Earlier] = []
        unreadable: Counter[Unreadable] = Counter()
        continued: set[Any] = set()
        for run_id in sorted(self._in_folder(), reverse=True):  # Ids begin with the time.
            if len(found) == limit:
                break
            start = self.run_start(run_id) if self.in_memory(run_id) is not None else self._beginning(run_id)
            if isinstance(start, str):
                unreadable[start] += 1
            elif start is not None:
                if run_id not in continued and run_id not in without:
                    found.append(self._earlier(run_id, start))
                if isinstance(start.get("continues"), str):
                    continued.add(start["continues"])
        return Recent(found, unreadable)

    def any_besides(self, run_ids: Collection[str]) -> bool:
        """Whether the folder holds a run that is none of these. Opens no file."""
        return any(run_id not in run_ids for run_id in self._in_folder())

    def _earlier(self, run_id: str, last: Event) -> Earlier:
        chain = self.conversation(run_id)
        first = self.run_start(chain[0]) if chain else None  # Nothing where the file was deleted in this moment.
        question = (first or last).get("question")
        try:
            at = datetime.strptime(run_id.partition("-")[0], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
        except ValueError:
            at = None
        return Earlier(run_id, str(question or run_id), str(last.get("model") or ""), at, max(len(chain), 1))

    def _in_folder(self) -> Iterator[str]:
        """The ids that the files in the folder are named by, in no order; none where it cannot be read."""
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                run_id, dot, ending = entry.name.rpartition(".")
                if dot and ending == "jsonl" and _RUN_ID.fullmatch(run_id):
                    yield run_id

    def continuable(self, run_id: str) -> bool:
        """Whether a run can go on from this one, as far as the beginnings of the files tell. Reads none of them whole."""
        return self._sources(run_id) is not None

    def left(self, run_id: str) -> Left | None:
        """What the run left for one that goes on from it; None while it goes on, and where its file and those before it do not
        tell. A run that was killed can be continued, too."""
        left: Left | None = None
        for each in self._sources(run_id) or ():
            with self._lock:
                ended = self._ended.get(each)
            left = self._left_on_disk(each, left) if ended is None else ended.left
            if left is None:
                return None
        return left

    def _sources(self, run_id: str) -> list[str] | None:
        """The runs that together tell what `run_id` left, oldest first; None where they do not. What a run in memory left needs
        none before it."""
        sources: list[str] = []
        with self._lock:
            self._sweep()
            if run_id in self._live:
                return None
            in_memory = set(self._ended)
        for each in reversed(self.conversation(run_id)):
            sources.insert(0, each)
            if each in in_memory:
                return sources
            start, path = self.run_start(each), self._path(each)
            if start is None or _family_of(start) is None or path is None or is_held(path):
                return None
            if start["continues"] is None:
                return sources
        return None

    def _left_on_disk(self, run_id: str, before: Left | None) -> Left | None:
        """What the run's file tells; `before` is what the run that it continues left."""
        recorded = self.from_disk(run_id)
        events = [] if recorded is None else recorded.events
        start = events[0] if events else {}
        family, tools = _family_of(start), registry()
        if family is None or (start["continues"] is not None and before is None):
            return None
        schemas = [tools[name].schema for name in start["tools"] if name in tools]
        before = before or Left((), Memory())
        try:
            conversation = conversation_of(events, family, schemas, before.messages, before.memory.by_harness)
        except (UnreadableRun, LookupError, TypeError):  # The latter two: an event lacks what an older version did not write.
            return None
        return Left(conversation(), Memory(by_harness=frozenset(conversation.by_harness)))

    def _path(self, run_id: str) -> Path | None:
        """The run's file, for an id that is well-formed and has one."""
        path = self.folder / f"{run_id}.jsonl"
        return path if _RUN_ID.fullmatch(run_id) and path.is_file() else None

    def _sweep(self) -> None:
        """Moves runs that have ended out of the way, so that nothing here holds on to their model."""
        for run_id, run in list(self._live.items()):
            if run.log.ended:
                run.join(None)
                self._ended[run_id] = _Ended(run.log, Left(run.messages, run.memory))
                del self._live[run_id]
        while len(self._ended) > self._n_kept:
            self._ended.popitem(last=False)


def _why(error: UnreadableRun | OSError, path: Path) -> Unreadable | None:
    """What reading a run's file failed of; None where it is gone, and where its first line is being written in this moment."""
    if isinstance(error, OSError):
        return None if isinstance(error, FileNotFoundError) else "closed"
    if isinstance(error, NewerRun):
        return "newer"
    return None if is_held(path) else "damaged"


def _family_of(start: Event) -> Family | None:
    """The family that read a run's turns; None where its first event does not say enough to read them again."""
    if not {"continues", "family", "tools", "model"} <= start.keys():
        return None
    try:
        return families.named(start["family"])
    except families.UnknownFamily:
        return None
