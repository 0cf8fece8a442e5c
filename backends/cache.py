"""The key/value cache of a conversation, kept from one turn to the next.

Knows nothing about text or sampling: token ids in, logits out. It remembers which ids its keys and values stand for, so
that of a new prompt only what differs from them is read. Reading a prompt can be stopped between two layers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.modeling_layers import GradientCheckpointingLayer

ASK_S = 0.2
"""While a prompt is read, a stop is asked for about this often."""


class Interrupted(Exception):  # noqa: N818 -- a stop that was asked for, not an error
    """The reading was stopped as asked; nothing is kept."""


class ConversationCache:
    """Reads ids into the model behind those it has read, one conversation, batch 1."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._layers = [layer for layer in model.modules() if isinstance(layer, GradientCheckpointingLayer)]
        self.clear()

    def clear(self) -> None:
        """Forgets everything that was read."""
        self._read: list[int] = []
        self._cache = DynamicCache(config=self._model.config)

    def keep_common(self, ids: Sequence[int]) -> int:
        """Keeps what stands for the beginning of `ids`, drops the rest, and returns how many tokens are kept.

        The last of `ids` is never kept, because its logits are wanted. A cache that cannot be cut (recurrent layers, a
        sliding window that has moved on) is dropped whole.
        """
        kept = _n_common(self._read, ids[:-1])
        surplus = len(self._read) - kept
        if surplus and not (self._cache.is_croppable and self._crop(surplus)):
            self.clear()
            return 0
        self._read = self._read[:kept]
        return kept

    def _crop(self, surplus: int) -> bool:
        try:
            self._cache.crop(-surplus)
        except RuntimeError:  # a sliding window no longer has the keys that a shorter text would see
            return False
        return True

    def read_until(self, ids: Sequence[int], should_stop: Callable[[], bool]) -> Tensor:
        """`read`, which raises Interrupted soon after `should_stop` says yes. A long prompt takes seconds."""
        asked = time.monotonic()

        def ask(*_: object) -> None:
            nonlocal asked
            if time.monotonic() - asked >= ASK_S:
                asked = time.monotonic()
                if should_stop():
                    raise Interrupted

        hooks = [layer.register_forward_pre_hook(ask) for layer in self._layers]
        try:
            return self.read(ids)
        finally:
            for hook in hooks:
                hook.remove()

    def read(self, ids: Sequence[int]) -> Tensor:
        """Reads `ids` behind what was read; returns the logits after the last one, shape [vocabulary].

        If the model fails half-way, everything is forgotten, since some layers have read the ids and some have not.
        """
        tokens = torch.tensor([ids], device=self._model.device)
        try:
            output = self._model(input_ids=tokens, cache=self._cache, use_cache=True, logits_to_keep=1)
        except BaseException:
            self.clear()
            raise
        self._read.extend(ids)
        logits: Tensor = output.logits[0, -1]
        return logits


def _n_common(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the longest common beginning."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
