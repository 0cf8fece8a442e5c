"""The base model with an adapter on it, as a function from packed token ids to a loss.

Only what training needs: float32 on the CPU, one shared prefix whose keys and values carry no gradient, no padding in the
linear layers, and vocabulary products only where there is a loss. Knows nothing about text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

LINEARS = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip
RANK = 16
SCALE = 2.0
"""What a product B @ A is multiplied with before it is added to its weight."""

KeysValues = list[tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Pack:
    """Conversations laid end to end. Shapes: ids, row, place: [N]; `row` is which conversation, `place` where in it."""

    ids: Tensor
    row: Tensor
    place: Tensor
    n_rows: int
    longest: int

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Pack:
        return cls(
            ids=torch.tensor([id for row in rows for id in row]),
            row=torch.tensor([index for index, row in enumerate(rows) for _ in row]),
            place=torch.tensor([place for row in rows for place in range(len(row))]),
            n_rows=len(rows),
            longest=max(map(len, rows)),
        )


class Student:
    """Frozen base weights, and the trainable tensors in `trained`: "<linear>.A" [rank, in], "<linear>.B" [out, rank], "rows" [n, hidden]."""

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, int], rows_at: Sequence[int], first_rows: Tensor, seed: int) -> None:
        self.weights = dict(weights)
        self.layers, self.heads = config["num_hidden_layers"], config["num_attention_heads"]
        self.kv_heads, self.head_dim = config["num_key_value_heads"], config["head_dim"]
        self.eps = float(config["rms_norm_eps"])
        self.rows_at = torch.tensor(rows_at)
        self.table = self.weights["model.embed_tokens.weight"]
        self.trained = {"rows": first_rows.clone()}
        generator = torch.Generator().manual_seed(seed)
        for layer in range(self.layers):
            for linear in LINEARS:
                name = f"model.layers.{layer}.{linear}"
                outputs, inputs = self.weights[f"{name}.weight"].shape
                self.trained[f"{name}.A"] = (torch.rand(RANK, inputs, generator=generator) * 2 - 1) / inputs**0.5
                self.trained[f"{name}.B"] = torch.zeros(outputs, RANK)
        for tensor in self.trained.values():
            tensor.requires_grad_(True)
        half = torch.arange(0, self.head_dim, 2).float() / self.head_dim
        angles = torch.outer(torch.arange(config["max_position_embeddings"]).float(), 1.0 / float(config["rope_theta"]) ** half)
        self.cos, self.sin = torch.cat((angles, angles), -1).cos(), torch.cat((angles, angles), -1).sin()

    def keys_values(self, prefix: Sequence[int]) -> KeysValues:
        """Keys and values of a prefix, [heads, P, head_dim] a layer, without gradient."""
        if not prefix:
            empty = torch.zeros(self.kv_heads, 0, self.head_dim)
            return [(empty, empty)] * self.layers
        collected: KeysValues = []
        with torch.no_grad():
            self._hidden(Pack.of([prefix]), None, collected)
        return collected

    def loss(self, pack: Pack, before: KeysValues, at: Tensor, wanted: Tensor) -> Tensor:
        """Mean cross entropy of `wanted` [M] (ids) as predicted at the positions `at` [M] of the pack."""
        hidden = self._hidden(pack, before, None)[at]
        logits = F.linear(hidden, self.table)
        logits = logits.index_copy(1, self.rows_at, F.linear(hidden, self.trained["rows"]))
        return F.cross_entropy(logits, wanted)

    def _hidden(self, pack: Pack, before: KeysValues | None, collect: KeysValues | None) -> Tensor:
        """The last layer's normed states, [N, hidden]."""
        offset = before[0][0].shape[1] if before else 0
        positions = pack.place + offset
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        seen = torch.ones(pack.longest, offset + pack.longest, dtype=torch.bool).tril(offset)
        state = self._embedded(pack.ids)
        for layer in range(self.layers):
            name = f"model.layers.{layer}"
            normed = self._norm(state, f"{name}.input_layernorm")
            state = state + self._attention(name, normed, pack, cos, sin, seen, before[layer] if before else None, collect)
            normed = self._norm(state, f"{name}.post_attention_layernorm")
            gate, up = self._linear(f"{name}.mlp.gate_proj", normed), self._linear(f"{name}.mlp.up_proj", normed)
            state = state + self._linear(f"{name}.mlp.down_proj", F.silu(gate) * up)
        return self._norm(state, "model.norm")

    def _embedded(self, ids: Tensor) -> Tensor:
        same = ids[:, None] == self.rows_at[None, :]
        return torch.where(same.any(1, keepdim=True), F.linear(same.float(), self.trained["rows"].T), F.embedding(ids, self.table))

    def _norm(self, state: Tensor, name: str) -> Tensor:
        return F.rms_norm(state, (state.shape[-1],), self.weights[f"{name}.weight"], self.eps)

    def _linear(self, name: str, state: Tensor) -> Tensor:
        low = F.linear(F.linear(state, self.trained[f"{name}.A"]), self.trained[f"{name}.B"])
        return F.linear(state, self.weights[f"{name}.weight"]) + SCALE * low

    def _attention(
        self, name: str, state: Tensor, pack: Pack, cos: Tensor, sin: Tensor, seen: Tensor,
        before: tuple[Tensor, Tensor] | None, collect: KeysValues | None,
    ) -> Tensor:  # fmt: skip
        query = _rotated(self._linear(f"{name}.self_attn.q_proj", state).view(-1, self.heads, self.head_dim), cos, sin)
        key = _rotated(self._linear(f"{name}.self_attn.k_proj", state).view(-1, self.kv_heads, self.head_dim), cos, sin)
        value = self._linear(f"{name}.self_attn.v_proj", state).view(-1, self.kv_heads, self.head_dim)
        if collect is not None:
            collect.append((key.transpose(0, 1), value.transpose(0, 1)))
        rows, keys, values = (_in_rows(tensor, pack) for tensor in (query, key, value))
        if before is not None:
            keys, values = (
                torch.cat((old.expand(pack.n_rows, -1, -1, -1), new), 2) for old, new in zip(before, (keys, values), strict=True)
            )
        repeat = self.heads // self.kv_heads
        mixed = F.scaled_dot_product_attention(
            rows, keys.repeat_interleave(repeat, 1), values.repeat_interleave(repeat, 1), attn_mask=seen
        )
        flat = mixed.transpose(1, 2)[pack.row, pack.place].reshape(len(pack.ids), -1)
        return self._linear(f"{name}.self_attn.o_proj", flat)


def _in_rows(flat: Tensor, pack: Pack) -> Tensor:
    """[N, heads, dim] -> [rows, heads, longest, dim], zeros where a row is shorter."""
    rows = flat.new_zeros(pack.n_rows, pack.longest, *flat.shape[1:])
    return rows.index_put((pack.row, pack.place), flat).transpose(1, 2)


def _rotated(states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = states.chunk(2, -1)
    return states * cos + torch.cat((-second, first), -1) * sin
