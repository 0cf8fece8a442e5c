"""The key/value cache of a conversation, kept from one turn to the next.

Knows nothing about text or sampling: token ids in, logits out. It remembers which ids its keys and values stand for, so
that of a new prompt only what differs from them is read. Reading a prompt can be stopped between two layers. For drafters
that build on them it keeps the model's hidden states, always of the same ids as its keys and values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from transformers import DynamicCache, cache_utils
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer
from transformers.modeling_layers import GradientCheckpointingLayer

from backends.roomy_layer import RoomyLayer, with_room

MOST_AHEAD = 64
"""Guesses that are read at a time at most, where no window says fewer."""
ASK_S = 0.2
"""While a prompt is read, a stop is asked for about this often."""
_FEW = 16
"""So few tokens at most are read in a chunk of this size where a layer is a gated delta net. transformers fills up what it reads
to chunks of 64, so that in the sizes of Qwen3.5-0.8B, on a CPU, four tokens cost 1.5 times what one does; so, 1.1 times."""
_MOST_OWED = 8
"""Where more ids than so many are owed to recurrent layers, the next pass settles that and reads no guesses: each fallen guess
adds to them, and in a text that is hard to guess the passes would grow with it."""
_DELTA_NETS = frozenset({"Qwen3_5GatedDeltaNet", "Qwen3_5MoeGatedDeltaNet"})
"""The classes of such layers that are handed what the model is given beside its ids."""


KeepsHidden = Literal[False, "last", True]
"""Which hidden states are kept: none, those after which the last pass gave logits, or those of every id."""


class Interrupted(Exception):  # noqa: N818 -- a stop that was asked for, not an error
    """The reading was stopped as asked; nothing of what was being read is kept."""


class ConversationCache:
    """Reads ids into the model behind those it has read, one conversation, batch 1."""

    def __init__(self, model: Any, keeps_hidden: KeepsHidden = False) -> None:
        self._model = model
        self._layers = [layer for layer in model.modules() if isinstance(layer, GradientCheckpointingLayer)]
        self._has_delta_net = any(type(module).__name__ in _DELTA_NETS for module in model.modules())
        self._keeps_hidden = keeps_hidden
        self._hidden = _Rows()
        self.clear()

    @property
    def n_read(self) -> int:
        """How many ids have been read and stand."""
        return len(self._read)

    @property
    def n_owed(self) -> int:
        """How many of these the layers have been made to forget, so that the next pass reads them once more."""
        return len(self._owed)

    @property
    def hidden(self) -> Tensor:
        """What the decoder gave after its final norm, which is what goes into the head, shape [ids, hidden_size]: for every id
        that was read, or, with keeps_hidden="last", for the last few, which may be none. The last row is the last id's. It
        holds until something else is read. Raises ValueError where it is not kept."""
        if not self._keeps_hidden:
            raise ValueError("this cache keeps no hidden states; it was not made with keeps_hidden")
        return self._hidden.rows

    def keep_hidden(self, which: KeepsHidden) -> None:
        """Keeps these hidden states from now on. What was read is forgotten where those of every id are wanted and missing."""
        if which is True and len(self._hidden.rows) < self.n_read:
            self.clear()
        elif which is not True:
            self._hidden = _Rows()
        self._keeps_hidden = which

    def keys_values(self, layer: int) -> tuple[Tensor, Tensor]:
        """The keys and values that a layer of attention holds, each of shape [1, heads, ids, head size]; where it slides, those
        that the next id sees: sliding_window - 1 at most."""
        held = self._cache.layers[layer]
        return held.keys, held.values

    def clear(self) -> None:
        """Forgets everything that was read."""
        self._read: list[int] = []
        self._hidden = _Rows()
        self._cache = with_room(DynamicCache(config=self._model.config))
        self._before: list[_Saved] = []
        self._last: list[int] = []
        self._owed: list[int] = []
        """Ids that stand and that the layers have been made to forget; they are read again with those that come next."""

    def keep_common(self, ids: Sequence[int]) -> int:
        """Keeps what stands for the beginning of `ids`, drops the rest, and returns how many tokens are kept.

        The last of `ids` is never kept, because its logits are wanted. A cache that cannot be cut (recurrent layers, a
        sliding window that has moved on) is dropped whole.
        """
        kept = n_common(self._read, ids[:-1])
        surplus = len(self._read) - kept
        if surplus and not (self._can_be_cut and self._crop(surplus)):
            self.clear()
            return 0
        self._read = self._read[:kept]
        self._hidden.drop(surplus)
        return kept

    @property
    def _can_be_cut(self) -> bool:
        return self._cache.is_croppable and all(map(_is_known, self._cache.layers))

    def _crop(self, surplus: int) -> bool:
        try:
            self._cache.crop(-surplus)
        except RuntimeError:  # a sliding window no longer has the keys that a shorter text would see
            return False
        return True

    def read_until(self, ids: Sequence[int], should_stop: Callable[[], bool]) -> Tensor:
        """`read`, which raises Interrupted soon after `should_stop` says yes. A long prompt takes seconds. What had been read
        before stays, where every layer can be cut."""
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
        return self._forward(ids, 1)[-1]

    def read_all(self, ids: Sequence[int]) -> Tensor:
        """Reads `ids` like `read`, and returns the logits after each of them, shape [ids, vocabulary]. `drop` can take the
        last of them back until something else is read."""
        self._before = [_saved(layer) for layer in self._cache.layers] if len(ids) > 1 else []
        self._last = [*self._owed, *ids]
        return self._forward(ids, len(ids))

    @property
    def most_ahead(self) -> int:
        """How many guesses `read_all` should read next behind a token so that `drop` can take them back: a window must hold them.
        None where it is not known what there is to be taken back, or where much of what was taken back must be read again."""
        if len(self._owed) > _MOST_OWED or not all(map(_is_known, self._cache.layers)):
            return 0
        windows = [layer.sliding_window for layer in self._cache.layers if isinstance(layer, DynamicSlidingWindowLayer)]
        return max(0, min(windows, default=MOST_AHEAD + 2) - 2)

    def drop(self, n: int) -> None:
        """Takes back the last `n` ids of those that `read_all` read, once.

        Keys and values are cut off. A recurrent state is put back to where it was before, and the layers read what is kept once
        more in the next pass, which costs less than a pass for it. If that fails half-way, everything is forgotten.
        """
        if n == 0:
            return
        recurrent = any(saved.recurrent for saved in self._before)
        try:
            for layer, saved in zip(self._cache.layers, self._before, strict=True):
                _take_back(layer, saved, len(self._last), len(self._last) if recurrent else n)
        except BaseException:
            self.clear()
            raise
        if recurrent:
            self._owed = self._last[:-n]
        del self._read[-n:]
        self._hidden.drop(n)

    def _forward(self, ids: Sequence[int], n_logits: int) -> Tensor:
        tokens = torch.tensor([[*self._owed, *ids]], device=self._model.device)
        n = tokens.shape[1]
        # Where a number is given, a model may leave out the last layers for the other ids (Gemma 4 does).
        to_keep = torch.arange(n - n_logits, n, device=tokens.device) if self._keeps_hidden is True else n_logits
        small = {"chunk_size": _FEW} if self._has_delta_net and n <= _FEW else {}
        try:
            with self._watched() as seen:
                output = self._model(input_ids=tokens, cache=self._cache, use_cache=True, logits_to_keep=to_keep, **small)
        except Interrupted:
            self._cut_to_read()
            raise
        except BaseException:
            self.clear()
            raise
        self._owed = []
        self._read.extend(ids)
        if self._keeps_hidden == "last":
            self._hidden = _Rows()
        for rows in seen:
            self._hidden.extend(rows[-(len(ids) if self._keeps_hidden is True else n_logits) :])
        logits: Tensor = output.logits[0]
        return logits

    def _cut_to_read(self) -> None:
        """Takes away what a pass that was stopped between two layers has read, and everything where a layer holds more than keys
        and values that can be cut."""
        if all(type(layer) is RoomyLayer for layer in self._cache.layers):
            for layer in self._cache.layers:
                layer.crop(self.n_read - max(self.n_read, layer.get_seq_length()))
        else:
            self.clear()

    @contextmanager
    def _watched(self) -> Iterator[list[Tensor]]:
        """What the decoder gives while it runs, where it is to be kept."""
        seen: list[Tensor] = []
        if not self._keeps_hidden:
            yield seen
            return
        decoder = self._model.get_decoder()
        hook = decoder.register_forward_hook(lambda _module, _given, output: seen.append(output.last_hidden_state[0].detach()))
        try:
            yield seen
        finally:
            hook.remove()


class _Rows:
    """A tensor that grows by rows. Its room doubles, so that a row costs the same however many there are."""

    def __init__(self) -> None:
        self._room: Tensor | None = None
        self._n = 0

    @property
    def rows(self) -> Tensor:
        return torch.empty(0, 0) if self._room is None else self._room[: self._n]

    def extend(self, rows: Tensor) -> None:
        n = self._n + len(rows)
        if self._room is None or n > len(self._room):
            room = rows.new_empty(max(n, 2 * self._n), rows.shape[1])
            if self._room is not None:
                room[: self._n] = self._room[: self._n]
            self._room = room
        self._room[self._n : n] = rows
        self._n = n

    def drop(self, n: int) -> None:
        """Takes the last `n` rows away, or all where there are fewer."""
        self._n = max(0, self._n - n)


@dataclass(frozen=True)
class _Saved:
    """A layer before guesses were read: its window of keys and values where it slides, its states where it is recurrent."""

    window: tuple[Tensor, Tensor, int] | None
    recurrent: dict[str, dict[int, Tensor]]


def _is_known(layer: Any) -> bool:
    """Whether all that a layer holds is known here, or the layer knows by itself how it is cut. A model's own kind of layer that
    inherits how it is cut holds more than is cut then (DeepSeek V4 compresses keys, and keeps what is not yet compressed)."""
    kind = type(layer)
    own = kind.__module__ not in (cache_utils.__name__, RoomyLayer.__module__)
    return not own or ("crop" in vars(kind) and not isinstance(layer, DynamicSlidingWindowLayer))


def _saved(layer: Any) -> _Saved:
    window = (layer.keys, layer.values, layer.cumulative_length) if isinstance(layer, DynamicSlidingWindowLayer) else None
    states = {name: getattr(layer, name, {}) for name in ("conv_states", "recurrent_states")}
    # The model writes recurrent states in place, and puts keys and values into new tensors.
    copies = {name: {n: state.clone() for n, state in of.items() if state is not None} for name, of in states.items() if of}
    return _Saved(window, copies)


def _take_back(layer: Any, saved: _Saved, n_read: int, n: int) -> None:
    """Makes a layer forget the last `n` of the `n_read` tokens that it read after it was saved."""
    for name, states in saved.recurrent.items():
        for number, state in states.items():
            getattr(layer, name)[number].copy_(state)
    if saved.window is None:
        if not saved.recurrent:
            layer.crop(-n)  # Its own, which knows what it holds beside keys and values (an indexer's keys, for one).
        elif getattr(layer, "keys", None) is not None:  # Its own would take the states back, too.
            DynamicLayer.crop(layer, -n)
        return
    keys, values, length = saved.window
    kept = n_read - n
    for name, before in (("keys", keys), ("values", values)):
        new = getattr(layer, name)[:, :, -n_read:][:, :, :kept]
        setattr(layer, name, torch.cat([before, new], dim=2)[:, :, -layer.sliding_window + 1 :])
    layer.cumulative_length = length + kept


def n_common(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the longest common beginning."""
    shorter = min(len(one), len(other))
    if list(one[:shorter]) == list(other[:shorter]):  # mostly so, and far quicker than id by id
        return shorter
    return next(place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
