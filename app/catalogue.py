"""What a model picker has to offer: what is on this computer, what is recommended, and what the hub says about those.

Knows nothing about Streamlit. The hub is asked only when somebody looks, in a thread of its own, and once in a process.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from backends.base import BackendError

if TYPE_CHECKING:
    from backends.recommended import Facts

_log = logging.getLogger(__name__)

Ask = Callable[[str], "Facts"]
"""Asks the hub about a model. Raises BackendError."""


def _ask_hub(model_id: str) -> Facts:
    from backends.recommended import ask_facts  # The hub's client takes a while to import; the page stands before that.

    return ask_facts(model_id)


class Catalogue:
    """The hub's answers about the recommended models, as they come."""

    def __init__(self, ask: Ask = _ask_hub) -> None:
        self._ask = ask
        self._facts: dict[str, Facts] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._refused = False

    @property
    def facts(self) -> Mapping[str, Facts]:
        """What is known by now, by model id."""
        return dict(self._facts)

    @property
    def asking(self) -> bool:
        """Whether answers may still come."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def silent(self) -> bool:
        """Whether the hub was asked and told nothing at all. Why, a sentence about one model, is in the log only."""
        return self._refused and not self._facts and not self.asking

    def look(self, model_ids: tuple[str, ...]) -> None:
        """Starts to ask about the models that nothing is known about; does nothing while that goes on."""
        with self._lock:
            unknown = [model_id for model_id in model_ids if model_id not in self._facts]
            if unknown and not self.asking:
                self._thread = threading.Thread(target=self._ask_all, args=(unknown,), name="ask the hub", daemon=True)
                self._thread.start()

    def _ask_all(self, model_ids: list[str]) -> None:
        """One after another. If the first question finds no answer, nobody is there, and the others are not asked."""
        for place, model_id in enumerate(model_ids):
            try:
                self._facts[model_id] = self._ask(model_id)
            except BackendError as error:
                _log.info("nothing from the hub about %s: %s", model_id, error)
                self._refused = True
                if place == 0 and not self._facts:
                    return
