"""Fits parameters to a loss, step by step, with a warm-up and a cosine; says how far it is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

WARMUP = 20
CLIP = 1.0
LOWEST = 0.02
"""The last learning rate, as a part of the highest."""
_EVERY = 50

Say = Callable[[str], None]


def fit(
    what: str, parameters: Iterable[nn.Parameter], loss_of: Callable[[int], Tensor], steps: int, highest: float, say: Say,
) -> float:
    """Runs `steps` steps of AdamW on what `loss_of(step)` gives; returns the last loss."""
    taught = list(parameters)
    optimizer = torch.optim.AdamW(taught, lr=highest, betas=(0.9, 0.98), weight_decay=0.0)
    began, last = time.monotonic(), math.nan
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = highest * _part(step, steps)
        optimizer.zero_grad()
        loss = loss_of(step)
        loss.backward()
        nn.utils.clip_grad_norm_(taught, CLIP)
        optimizer.step()
        last = loss.item()
        if step % _EVERY == 0 or step + 1 == steps:
            say(f"{what}: step {step + 1} of {steps}, loss {last:.4f}, {time.monotonic() - began:.0f} s")
    return last


def _part(step: int, steps: int) -> float:
    """The learning rate of a step as a part of the highest."""
    if step < WARMUP:
        return (step + 1) / WARMUP
    done = (step - WARMUP) / max(1, steps - WARMUP)
    return LOWEST + (1 - LOWEST) * (1 + math.cos(math.pi * done)) / 2
