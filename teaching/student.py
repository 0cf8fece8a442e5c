"""The base model with an adapter on it, as a function from packed token ids to a loss.

Only what training needs: one shared prefix whose keys and values carry no gradient, no padding in the linear layers, and
vocabulary products only where there is a loss. The matrix products are made in `dtype`; what is trained, the sums between the
layers and the loss are float32. Knows nothing about text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

LINEARS = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)
RANK = 16
SCALE = 2.0
"""What a product B @ A is multiplied with before it is added to its weight."""

KeysValues = list[tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Pack:
    """Conversations laid end to end. `ids` and `place` are [N]: a token, and where it stands in its conversation."""

    ids: Tensor
    place: Tensor
    lengths: list[int]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Pack:
        return cls(
            ids=torch.tensor([id for row in rows for id in row]),
            place=torch.tensor([place for row in rows for place in range(len(row))]),
            lengths=[len(row) for row in rows],
        )


class Student:
    """Frozen base weights, and the trainable tensors in `trained`.

    These are "<linear>.A" [rank, in], "<linear>.B" [out, rank] and "rows" [n, hidden], the embedding's rows at `rows_at`.
    """

    def __init__(
        self, weights: Mapping[str, Tensor], config: Mapping[str, int], rows_at: Sequence[int], first_rows: Tensor, seed: int,
        dtype: torch.dtype,
    ) -> None:
        self.weights = {name: weight.to(dtype if weight.dim() > 1 else weight.dtype) for name, weight in weights.items()}
        self.dtype = dtype
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
            empty = torch.zeros(self.kv_heads, 0, self.head_dim, dtype=self.dtype)
            return [(empty, empty)] * self.layers
        collected: KeysValues = []
        with torch.no_grad():
            self._hidden(Pack.of([prefix]), None, collected)
        return collected

    def loss(self, pack: Pack, before: KeysValues, at: Tensor, wanted: Tensor, weights: Tensor) -> Tensor:
        """Mean cross entropy, weighted with `weights` [M], of `wanted` [M] (ids) as predicted at the positions `at` [M]."""
        hidden = self._hidden(pack, before, None)[at]
        logits = functional.linear(hidden.to(self.dtype), self.table).float()
        logits = logits.index_copy(1, self.rows_at, functional.linear(hidden, self.trained["rows"]))
        return (functional.cross_entropy(logits, wanted, reduction="none") * weights).sum() / weights.sum()

    def _hidden(self, pack: Pack, before: KeysValues | None, collect: KeysValues | None) -> Tensor:
        """The last layer's normed states, [N, hidden]."""
        offset = before[0][0].shape[1] if before else 0
        positions = pack.place + offset
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        longest = max(pack.lengths)
        later = torch.full((longest, offset + longest), -torch.inf).triu(offset + 1)
        state = self._embedded(pack.ids)
        for layer in range(self.layers):
            name = f"model.layers.{layer}"
            normed = self._norm(state, f"{name}.input_layernorm").to(self.dtype)
            state = state + self._attention(name, normed, pack, cos, sin, later, before[layer] if before else None, collect)
            normed = self._norm(state, f"{name}.post_attention_layernorm").to(self.dtype)
            gate, up = self._linear(f"{name}.mlp.gate_proj", normed), self._linear(f"{name}.mlp.up_proj", normed)
            state = state + self._linear(f"{name}.mlp.down_proj", functional.silu(gate) * up)
        return self._norm(state, "model.norm")

    def _embedded(self, ids: Tensor) -> Tensor:
        same = ids[:, None] == self.rows_at[None, :]
        taught = functional.linear(same.float(), self.trained["rows"].T)
        return torch.where(same.any(1, keepdim=True), taught, functional.embedding(ids, self.table).float())

    def _norm(self, state: Tensor, name: str) -> Tensor:
        return functional.rms_norm(state, (state.shape[-1],), self.weights[f"{name}.weight"], self.eps)

    def _linear(self, name: str, state: Tensor) -> Tensor:
        """The product with the weight and its adapter, in `dtype` as `state` is."""
        low = functional.linear(state, self.trained[f"{name}.A"].to(self.dtype))
        base = functional.linear(state, self.weights[f"{name}.weight"])
        return torch.addmm(base, low, self.trained[f"{name}.B"].to(self.dtype).T, alpha=SCALE)

    def _attention(
        self, name: str, state: Tensor, pack: Pack, cos: Tensor, sin: Tensor, later: Tensor,
        before: tuple[Tensor, Tensor] | None, collect: KeysValues | None,
    ) -> Tensor:
        query = _rotated(self._linear(f"{name}.self_attn.q_proj", state).view(-1, self.heads, self.head_dim), cos, sin)
        key = _rotated(self._linear(f"{name}.self_attn.k_proj", state).view(-1, self.kv_heads, self.head_dim), cos, sin)
        value = self._linear(f"{name}.self_attn.v_proj", state).view(-1, self.kv_heads, self.head_dim)
        if collect is not None:
            collect.append((key.transpose(0, 1), value.transpose(0, 1)))
        parts = zip(*(tensor.split(pack.lengths) for tensor in (query, key, value)), strict=True)
        mixed = [self._mixed(*part, later, before) for part in parts]
        return self._linear(f"{name}.self_attn.o_proj", torch.cat(mixed))

    def _mixed(self, query: Tensor, key: Tensor, value: Tensor, later: Tensor, before: tuple[Tensor, Tensor] | None) -> Tensor:
        """What the heads of one conversation of L tokens take from the values before them, [L, heads * head_dim].

        The products are written out: backwards torch's fused attention is slower on a processor.
        """
        length, group = len(query), self.heads // self.kv_heads
        asked = (query * self.head_dim**-0.5).view(length, self.kv_heads, group, self.head_dim)
        asked = asked.permute(1, 2, 0, 3).reshape(self.kv_heads, group * length, self.head_dim)
        keys, values = key.transpose(0, 1), value.transpose(0, 1)
        if before is not None:
            keys, values = torch.cat((before[0], keys), 1), torch.cat((before[1], values), 1)
        scores = torch.bmm(asked, keys.transpose(1, 2)).float().view(self.kv_heads, group, length, -1)
        shares = torch.softmax(scores + later[:length, : scores.shape[-1]], -1).to(self.dtype)
        found = torch.bmm(shares.view(self.kv_heads, group * length, -1), values)
        return found.view(self.kv_heads, group, length, -1).permute(2, 0, 1, 3).reshape(length, -1)


def _rotated(states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = states.chunk(2, -1)
    return (states * cos + torch.cat((-second, first), -1) * sin).to(states.dtype)
