"""The one model in memory: loaded in a thread of its own, with progress that any page can show.

Knows nothing about Streamlit. A model belongs to the server, not to a tab: choosing another one replaces it for every tab,
once the runs that use it have ended.
"""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from backends.base import Backend, BackendError, Progress
from families.base import Text
from harness.records import checkpoint_fields

_log = logging.getLogger(__name__)
_Started = TypeVar("_Started")

Loader = Callable[..., Backend]
"""Takes a model's name (see `backends.hub.resolve`) and a Progress and loads it; takes `device` and `dtype` where they were
chosen. What its Progress raises must pass through. Raises BackendError."""

_STARTING = Text("準備載入模型……", "Getting ready to load the model …")
_WAITING = Text("沒有提問在用上一個模型時就換……", "Changing the model as soon as no run uses the last one …")
_WARMING = Text("暖機：先讓模型跑一小段，第一個 token 才不會慢……", "Warming up, so that the first token is not slow …")


@dataclass(frozen=True)
class Placement:
    """Where a model runs (a torch device) and in which number format; None leaves it to the machine and the checkpoint."""

    device: str | None = None
    dtype: str | None = None

    @property
    def chosen(self) -> dict[str, Any]:
        """The arguments of a loader for what was chosen."""
        return {name: value for name, value in (("device", self.device), ("dtype", self.dtype)) if value is not None}


AUTOMATIC = Placement()


@dataclass(frozen=True)
class Loading:
    """`done` is 0 to 1, or None where it is not known."""

    model: str
    text: Text
    done: float | None = None
    placement: Placement = AUTOMATIC


@dataclass(frozen=True)
class Ready:
    """The model can be asked."""

    model: str
    backend: Backend
    placement: Placement = AUTOMATIC


@dataclass(frozen=True)
class Failed:
    """Loading ended with an error, worded for the user. `before` is the model that was last ready (None where none was), and
    `placement_before` is where it ran: what one can go back to."""

    model: str
    text: Text
    placement: Placement = AUTOMATIC
    before: str | None = None
    placement_before: Placement = AUTOMATIC


State = Loading | Ready | Failed


def shown_as(state: State | None) -> tuple[Any, ...]:
    """What of the state a page shows, to tell later whether it still does. The model itself is not in it: it could not go."""
    if isinstance(state, Ready):
        info = state.backend.info
        return (Ready, *checkpoint_fields(state.backend).values(), info.get("device"), info.get("dtype"))
    if isinstance(state, Failed):
        return (Failed, state.model, state.text)
    return (type(state), None if state is None else state.model)


def can_be_tried_again(state: State | None) -> bool:
    """Whether asking for the same model once more may end better: loading failed, or the model is not what was asked for."""
    return isinstance(state, Failed) or (isinstance(state, Ready) and state.backend.info.get("notice") is not None)


class _NotWantedError(Exception):
    """Another model was asked for while this one was on its way."""


def load_checkpoint(model: str, progress: Progress, device: str | None = None, dtype: str | None = None) -> Backend:
    """Gets the model if it is not here and loads it with transformers. Raises BackendError."""
    # Imported here: torch takes seconds, and the page should stand before they have passed.
    from backends.hub import resolve
    from backends.local import LocalBackend

    checkpoint = resolve(model, progress)
    return LocalBackend.load(
        checkpoint.path, checkpoint.model_id, progress=progress, device=device, dtype=dtype, commit=checkpoint.commit,
        notice=checkpoint.notice,
    )


class Models:
    """Holds the state of the model that was asked for last. `wait_idle` returns when no run uses the old model; `placement` is
    where models run until something else is chosen."""

    def __init__(self, load: Loader, wait_idle: Callable[[], None], placement: Placement = AUTOMATIC) -> None:
        self._load = load
        self._wait_idle = wait_idle
        self.placement = placement
        self._state: State | None = None
        self._last_ready: tuple[str, Placement] | None = None
        """Its name only: the model itself must go before the next one comes."""
        self._old_stays = False
        """Whether the model before may still be in memory, because a run uses it or because nothing has collected it."""
        self._changing = threading.Lock()
        self._loading = threading.Lock()

    @property
    def state(self) -> State | None:
        """Where loading stands; None before the first request."""
        return self._state

    def request(self, model: str, placement: Placement | None = None) -> None:
        """Asks for `model`, from now on with `placement` where it is given. Does nothing where the model is loaded or being
        loaded so, unless it can be tried again. What is on its way for another request is given up."""
        with self._changing:
            self.placement = placement or self.placement
            old_stays = self._old_stays or isinstance(self._state, Ready)
            first = Loading(model, _WAITING if old_stays else _STARTING, placement=self.placement)
            if self._wanted(first) and not can_be_tried_again(self._state):
                return
            self._state, self._old_stays = first, old_stays
        threading.Thread(target=self._run, args=(first,), name=f"load {model}", daemon=True).start()

    def start_run(self, ready: Ready, start: Callable[[], _Started]) -> _Started | None:
        """Calls `start`, which is to begin a run with the model that is `ready`. None where another one has been asked for since:
        a change waits for the runs that have begun, so none may begin once it has stopped waiting."""
        with self._changing:
            return start() if self._state is ready else None

    def _run(self, request: Loading) -> None:
        """Loads unless another model has been asked for meanwhile. One at a time: two would not fit in memory."""
        with self._loading:
            self._wait_idle()
            with self._changing:
                old_stays, self._old_stays = self._old_stays, False
            if old_stays:
                gc.collect()  # The last model goes before the next one comes, whatever in it refers to whatever.
            if isinstance(self._state, Loading) and self._wanted(request):
                with suppress(_NotWantedError):
                    self._set(self._outcome(request.model, request.placement))

    def _outcome(self, model: str, placement: Placement) -> State:
        def tell(text: Text, done: float | None = None) -> None:
            self._set(Loading(model, text, done, placement))

        tell(_STARTING)
        try:
            backend = self._load(model, tell, **placement.chosen)
            tell(_WARMING)
            backend.warmup()
        except BackendError as error:
            return self._failed(model, Text(error.zh, str(error)), placement)
        except _NotWantedError:
            raise
        except BaseException as error:  # A panic in the Rust of tokenizers and safetensors is no Exception.
            _log.exception("loading %s failed", model)
            what = f"{type(error).__name__}: {error}"
            text = Text(f"載入時出了意外的錯（{what}）。", f"Something unexpected went wrong ({what}).")
            return self._failed(model, text, placement)
        return Ready(model, backend, placement)

    def _failed(self, model: str, text: Text, placement: Placement) -> Failed:
        before, placement_before = self._last_ready or (None, AUTOMATIC)
        return Failed(model, text, placement, before, placement_before)

    def _wanted(self, state: State) -> bool:
        current = self._state
        return current is not None and (current.model, current.placement) == (state.model, state.placement)

    def _set(self, state: State) -> None:
        """Changes the state. Raises _NotWantedError where another model has been asked for since."""
        with self._changing:
            if not self._wanted(state):
                raise _NotWantedError
            self._state = state
            if isinstance(state, Ready):
                self._last_ready = (state.model, state.placement)
