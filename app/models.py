"""The one model in memory: loaded in a thread of its own, with progress that any page can show.

Knows nothing about Streamlit. A model belongs to the server, not to a tab: choosing another one replaces it for every tab,
once the runs that use it have ended.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from backends.base import Backend, BackendError, Progress
from families.base import Text

_log = logging.getLogger(__name__)

Loader = Callable[[str, Progress], Backend]
"""Takes a model's name ("builtin", or a folder) and loads it. Raises BackendError."""

_STARTING = Text("準備載入模型…", "Getting ready to load the model …")
_WAITING = Text("等進行中的提問結束，才換模型…", "Waiting for the run in progress to end before the model is changed …")
_WARMING = Text("暖機：先讓模型跑一小段，第一個 token 才不會慢…", "Warming up, so that the first token is not slow …")


@dataclass(frozen=True)
class Loading:
    """`done` is 0 to 1, or None where it is not known."""

    model: str
    text: Text
    done: float | None = None


@dataclass(frozen=True)
class Ready:
    """The model can be asked."""

    model: str
    backend: Backend


@dataclass(frozen=True)
class Failed:
    """Loading ended with an error, worded for the user."""

    model: str
    text: Text


State = Loading | Ready | Failed


def load_checkpoint(model: str, progress: Progress) -> Backend:
    """Loads the built-in model or a checkpoint's folder with transformers. Raises BackendError."""
    # Imported here: torch takes seconds, and the page should stand before they have passed.
    from backends.hub import resolve
    from backends.local import LocalBackend

    checkpoint = resolve(model, progress)
    return LocalBackend.load(checkpoint.path, checkpoint.model_id, progress=progress, commit=checkpoint.commit)


class Models:
    """Holds the state of the model that was asked for last. `wait_idle` returns when no run uses the old model."""

    def __init__(self, load: Loader, wait_idle: Callable[[], None]) -> None:
        self._load = load
        self._wait_idle = wait_idle
        self._state: State | None = None
        self._changing = threading.Lock()
        self._loading = threading.Lock()

    @property
    def state(self) -> State | None:
        """Where loading stands; None before the first request."""
        return self._state

    def request(self, model: str) -> None:
        """Asks for `model`. Does nothing where it is loaded or being loaded; tries again where it failed."""
        with self._changing:
            if self._state is not None and self._state.model == model and not isinstance(self._state, Failed):
                return
            first = Loading(model, _WAITING if isinstance(self._state, Ready) else _STARTING)
            self._state = first
        threading.Thread(target=self._run, args=(first,), name=f"load {model}", daemon=True).start()

    def _run(self, request: Loading) -> None:
        """Loads unless another model has been asked for meanwhile. One at a time: two would not fit in memory."""
        with self._loading:
            self._wait_idle()
            if not (isinstance(self._state, Loading) and self._wanted(request.model)):
                return
            self._set(self._outcome(request.model))

    def _outcome(self, model: str) -> State:
        self._set(Loading(model, _STARTING))
        try:
            backend = self._load(model, lambda text, done: self._set(Loading(model, text, done)))
            self._set(Loading(model, _WARMING))
            backend.warmup()
        except BackendError as error:
            return Failed(model, Text(error.zh, str(error)))
        except Exception as error:
            _log.exception("loading %s failed", model)
            what = f"{type(error).__name__}: {error}"
            return Failed(model, Text(f"載入時出了意外的錯（{what}）。", f"Something unexpected went wrong ({what})."))
        return Ready(model, backend)

    def _wanted(self, model: str) -> bool:
        return self._state is not None and self._state.model == model

    def _set(self, state: State) -> None:
        """Changes the state unless another model has been asked for since."""
        with self._changing:
            if self._wanted(state.model):
                self._state = state
