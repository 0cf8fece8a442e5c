"""Matrix products with few rows, which is what writing tokens consists of: a faster way to the same numbers, up to rounding.

A step multiplies every weight of the model with one row (a token), or with a few (a token and its guesses). For float32 on a
CPU, torch hands one row to a matrix-vector kernel and a few rows to one that first rearranges the weights. Exchanging the two
factors, weight times columns, avoids both where the MKL library does the work; README, "Speed", says by how much.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

_ANY = 2
"""So many rows are faster this way whatever the weight's shape."""
_TALL = 4
"""So many are where the weight has at least as many rows as columns. Both are even: one row costs more than two and
three more than four, so that the first is multiplied twice."""

_CACHED = 2**23
"""A model of fewer weights than this (32 MB) stays in the processor's caches, where torch's own ways are faster: 5 µs in place of
16 for a layer of 64 by 48."""


class FewRowsLinear(nn.Linear):  # type: ignore[misc]  # torch has no types here
    """A linear layer for float32 on a CPU that takes few rows the other way round. Shapes are those of `nn.Linear`."""

    def forward(self, input: Tensor) -> Tensor:
        n_rows = input.numel() // self.in_features
        if not 0 < n_rows <= (_TALL if self.out_features >= self.in_features else _ANY):
            return functional.linear(input, self.weight, self.bias)
        rows = input.reshape(n_rows, self.in_features)
        if n_rows % 2:
            rows = torch.cat((rows, rows[:1]))
        weight, bias = self.weight, self.bias
        output = torch.mm(weight, rows.t())[:, :n_rows].t()
        if bias is not None:
            output = output + bias
        return output.reshape(*input.shape[:-1], self.out_features).contiguous()


def quicken(model: nn.Module) -> None:
    """Makes the linear layers of a float32 model on a CPU take few rows the faster way, where MKL does the work and the model is
    not a very small one."""
    plain = [
        module for module in model.modules()
        if type(module) is nn.Linear and module.weight.dtype == torch.float32 and module.weight.device.type == "cpu"
    ]
    if torch.backends.mkl.is_available() and sum(module.weight.numel() for module in plain) >= _CACHED:
        for module in plain:
            module.__class__ = FewRowsLinear
