"""A layer of the key/value cache with room to spare, so that a new token is written behind the last one.

transformers puts the keys and values of all tokens into new tensors for every token, which costs more the longer the
conversation is. Knows nothing about models; which numbers are kept, and in which order, is as in transformers.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

_SPARE = 256
"""Tokens that there is room for beyond those held and a quarter of them, when new room is made."""


class RoomyLayer(DynamicLayer):  # type: ignore[misc]  # transformers has no types here
    """Keys and values of shape [batch, heads, tokens, head_dim] that lie at the beginning of larger tensors."""

    keys: Tensor
    values: Tensor

    def __init__(self) -> None:
        super().__init__()
        self._room: dict[str, Tensor] = {}

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Takes the keys and values of new tokens in; returns those of all."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        self.keys = self._behind("keys", self.keys, key_states)
        self.values = self._behind("values", self.values, value_states)
        return self.keys, self.values

    def _behind(self, name: str, held: Tensor, new: Tensor) -> Tensor:
        """`new` behind what is held, in the room for it; new room where it is too small, or what is held lies elsewhere."""
        n_held = held.shape[-2] if held.numel() else 0
        end = n_held + new.shape[-2]
        room = self._room.get(name)
        lies_there = room is not None and (not n_held or held.data_ptr() == room.data_ptr())
        if room is None or not lies_there or end > room.shape[-2]:
            room = new.new_empty((*new.shape[:-2], end + end // 4 + _SPARE, new.shape[-1]))
            if n_held:
                room[..., :n_held, :] = held
            self._room[name] = room
        room[..., n_held:end, :] = new
        return room[..., :end, :]


def with_room(cache: DynamicCache) -> DynamicCache:
    """A cache that nothing has been read into yet, its plain layers replaced by roomy ones."""
    cache.layers = [RoomyLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache
