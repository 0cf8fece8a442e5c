"""From one row of logits and the settings to a token and its report: pure, on tensors.

Knows nothing about models, tokenizers or text. The settings act as the warpers of `transformers.generation` do, in their
order: temperature, top-k, top-p, on float32 logits (`TemperatureLogitsWarper`, `TopKLogitsWarper`, `TopPLogitsWarper`):

- top-k keeps every token whose logit is not below the k-th, so ties with the k-th are kept beyond k;
- top-p keeps the fewest tokens whose probabilities, after top-k, reach top_p: a token is cut when it and all less likely
  ones together have at most 1 - top_p. How many are kept is as in transformers; which of several equal ones at the edge are
  kept is undefined there (its sort is not stable), and the lowest ids here.
- temperature 0 takes the most likely token, the lowest id among equals, as `argmax` does.

The vocabulary is never sorted. One pass finds the largest logit of each block of 64 tokens; the best tokens stand in the
blocks with the largest maxima, so the rest of the work is on few numbers. Where the settings keep more tokens than were
looked at, the look is widened. The sums over the vocabulary add float32 terms in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from backends.base import Sampling

N_TOP = 5
_BLOCK = 64
_LOOK = 64
_WIDEN = 8
_FLOOR = -150.0
"""exp(-150) is 0 in float32; a finite floor keeps 0 * -inf out of the entropy."""


@dataclass(frozen=True)
class Report:
    """A chosen token and its numbers, as `backends.base.Token` defines them; `top` is (id, p, kept) for the most likely."""

    id: int
    p: float
    logprob: float
    rank: int
    entropy: float
    p_sampled: float
    kept: int
    top: tuple[tuple[int, float, bool], ...]


class Sampler:
    """Draws one token after another with one stream of random numbers: the same seed gives the same draws.

    Raises ValueError for settings out of range.
    """

    def __init__(self, sampling: Sampling) -> None:
        check(sampling)
        self.sampling = sampling
        self._generator = torch.Generator()
        if sampling.seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(sampling.seed)

    def __call__(self, logits: Tensor) -> Report:
        """The next token, given logits of shape [vocabulary]."""
        greedy = self.sampling.temperature == 0
        uniform = 0.0 if greedy else torch.rand((), generator=self._generator, dtype=torch.float64).item()
        return choose(logits, self.sampling, uniform)


def check(sampling: Sampling) -> None:
    """Raises ValueError for settings that no distribution can be drawn from."""
    if not (math.isfinite(sampling.temperature) and sampling.temperature >= 0):
        raise ValueError(f"temperature is 0 or more; came {sampling.temperature!r}")
    if not 0 <= sampling.top_p <= 1:
        raise ValueError(f"top_p is from 0 to 1; came {sampling.top_p!r}")
    if sampling.top_k < 0:
        raise ValueError(f"top_k is 0 (no limit) or more; came {sampling.top_k!r}")


def choose(logits: Tensor, sampling: Sampling, uniform: float) -> Report:
    """The token at `uniform` (from 0 to 1, 1 excluded) of the distribution that the settings leave, and its report.

    `logits` has shape [vocabulary], any float dtype, any device. Raises ArithmeticError where they are not numbers. The
    report is read from the device in one transfer; a second one follows only where the settings keep more tokens than were
    looked at.
    """
    row = _Row(logits)
    look = max(_LOOK, min(sampling.top_k, row.size) + _WIDEN)
    while True:
        packed, enough = _attempt(row, sampling, uniform, look)
        numbers = torch.cat([packed, enough.to(packed.dtype).view(1)]).tolist()
        if numbers[-1] or look >= row.size:
            return _report(numbers[:-1])
        look = min(look * _WIDEN, row.size)


class _Row:
    """One row of logits in blocks, with what every look at it needs: the largest logit, normaliser and entropy sum."""

    def __init__(self, logits: Tensor) -> None:
        self.size = logits.shape[-1]
        row = logits.detach().reshape(-1)
        row = (row.cpu() if row.device.type == "mps" else row).float()  # MPS has no float64
        short = -self.size % _BLOCK
        self.flat = torch.nn.functional.pad(row, (0, short), value=-math.inf) if short else row
        self.blocks = self.flat.view(-1, _BLOCK)
        self.maxima = self.blocks.amax(1)
        self.largest = self.maxima.amax()
        below = (self.blocks - self.largest).clamp_(min=_FLOOR)
        self._weights = below.exp()
        self.sums = self._weights.sum(1, dtype=torch.float64)
        self.normaliser = self.sums.sum()
        self.weighted = below.mul_(self._weights).sum(1, dtype=torch.float64).sum()

    def weights(self, temperature: float) -> tuple[Tensor, Tensor]:
        """exp((logit - largest) / temperature) in blocks, and its sum in each block."""
        if temperature == 1:
            return self._weights, self.sums
        weights = (self.blocks - self.largest).div_(temperature).exp_()
        return weights, weights.sum(1, dtype=torch.float64)

    def best(self, n: int) -> tuple[Tensor, Tensor]:
        """Logits and ids of at least the `n` best tokens, best first, equal ones lowest id first, none left out between."""
        n = min(n, self.size)
        return self._best_from_blocks(n) if self.flat.is_cpu else self._best_from_keys(n)

    def _best_from_keys(self, n: int) -> tuple[Tensor, Tensor]:
        # Sizes that depend on the data would each cost a transfer, so that an accelerator ranks unique integer keys: the
        # logit's bits in an order that integers share, then the id, lowest first.
        bits = (self.flat + 0.0).view(torch.int32)  # -0.0 becomes 0.0, to which it is equal
        ordered = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).long()
        ids = torch.arange(self.flat.shape[0], device=self.flat.device)
        places = ((ordered << 32) - ids).topk(n).indices
        return self.flat[places], places

    def _best_from_blocks(self, n: int) -> tuple[Tensor, Tensor]:
        # n blocks hold a token at or above the n-th largest maximum each, so that no token of the n best is below it.
        source = self.maxima if n <= self.maxima.shape[0] else self.flat
        threshold = source.topk(n, sorted=False).values.amin()
        if threshold.isnan():  # topk and amin both let a NaN win, wherever it stands
            raise ArithmeticError("the logits hold NaN")
        chosen = (self.maxima >= threshold).nonzero().squeeze(1)
        inside = self.blocks[chosen]
        rows, columns = (inside >= threshold).nonzero(as_tuple=True)
        values, order = inside[rows, columns].sort(descending=True, stable=True)
        return values, (chosen[rows] * _BLOCK + columns)[order]


def _attempt(row: _Row, sampling: Sampling, uniform: float, look: int) -> tuple[Tensor, Tensor]:
    """The numbers that `_report` reads, and whether `look` tokens were enough to know them."""
    values, ids = row.best(look)
    yes = torch.ones((), dtype=torch.bool, device=values.device)
    if sampling.temperature == 0:
        one = torch.ones((), dtype=torch.float64, device=values.device)
        return _pack(row, values, ids, ids[0], one, one), yes
    top_k = sampling.top_k if sampling.top_k < row.size else 0
    if not top_k and sampling.top_p >= 1:
        token, p_sampled = _draw_from_all(row, sampling.temperature, uniform)
        return _pack(row, values, ids, token, p_sampled, (row.flat > -math.inf).sum().double()), yes
    weights, n_kept, enough = _cut(row, values, sampling, top_k)
    running = (weights * (torch.arange(len(weights), device=weights.device) < n_kept)).cumsum(0)
    place = _at(running, uniform)
    return _pack(row, values, ids, ids[place], weights[place] / running[-1], n_kept.double()), enough


def _cut(row: _Row, values: Tensor, sampling: Sampling, top_k: int) -> tuple[Tensor, Tensor, Tensor]:
    """Weights of the candidates after temperature, how many of them top-k and top-p keep, and whether that is certain."""
    all_seen = len(values) >= row.size
    weights = ((values.double() - row.largest.double()) / sampling.temperature).exp()
    if top_k:
        warmed = values / sampling.temperature  # in float32, where transformers finds the ties
        kept = ((warmed >= warmed[top_k - 1]) & (values > -math.inf)).sum()
        enough = (warmed[-1] < warmed[top_k - 1]) | all_seen
        whole = (weights * (torch.arange(len(weights), device=weights.device) < kept)).sum()
    else:
        kept = (values > -math.inf).sum()
        enough = torch.full((), all_seen, device=values.device)
        whole = row.weights(sampling.temperature)[1].sum()
    if sampling.top_p >= 1:
        return weights, kept, enough
    before = weights.cumsum(0) - weights
    # Rounded to float32 because transformers compares there: ten equal tokens at top_p 0.9 are nine.
    reached = (1 - before / whole).float() > torch.tensor(1 - sampling.top_p, dtype=torch.float32, device=values.device)
    nucleus = reached.sum().clamp(min=1)
    if not top_k:
        enough = enough | (nucleus < len(values))
    return weights, torch.minimum(nucleus, kept), enough


def _draw_from_all(row: _Row, temperature: float, uniform: float) -> tuple[Tensor, Tensor]:
    """A token of the whole vocabulary, and its probability: first its block is drawn, then the token in the block."""
    weights, sums = row.weights(temperature)
    running = sums.cumsum(0)
    block = _at(running, uniform)
    left = running[-1] * uniform - (running[block] - sums[block])
    inside = weights[block].double().cumsum(0)
    column = _at(inside, (left / inside[-1]).clamp(0, 1))
    token = block * _BLOCK + column
    exact = ((row.flat[token].double() - row.largest.double()) / temperature).exp()
    return token, exact / running[-1]


def _at(running: Tensor, share: float | Tensor) -> Tensor:
    """The first place whose running sum is above `share` of the whole; never one that adds nothing (if all are numbers)."""
    whole = running[-1]
    target = torch.minimum(whole * share, torch.nextafter(whole, torch.zeros_like(whole)))
    return torch.searchsorted(running, target.view(1), right=True)[0].clamp(max=len(running) - 1)


def _pack(row: _Row, values: Tensor, ids: Tensor, token: Tensor, p_sampled: Tensor, n_kept: Tensor) -> Tensor:
    """Everything that the report says, as one float64 tensor."""
    n_top = min(N_TOP, row.size)
    value = row.flat[token]
    rank = torch.count_nonzero(row.flat > value) + 1
    single = [token, value, rank, p_sampled, n_kept, row.largest, row.normaliser, row.weighted]
    return torch.cat([torch.stack([number.double() for number in single]), ids[:n_top].double(), values[:n_top].double()])


def _report(numbers: list[float]) -> Report:
    token, value, rank, p_sampled, n_kept, largest, normaliser, weighted = numbers[:8]
    if not (math.isfinite(normaliser) and math.isfinite(largest)):
        raise ArithmeticError(f"the logits are not numbers: the largest is {largest}, their normaliser {normaliser}")
    log_normaliser = math.log(normaliser)
    n_top = (len(numbers) - 8) // 2
    logprob = value - largest - log_normaliser
    top = tuple(
        (int(candidate), math.exp(logit - largest - log_normaliser), place < n_kept)
        for place, (candidate, logit) in enumerate(zip(numbers[8 : 8 + n_top], numbers[8 + n_top :], strict=True))
    )
    entropy = max(0.0, (log_normaliser - weighted / normaliser) / math.log(2))
    return Report(int(token), math.exp(logprob), logprob, int(rank), entropy, p_sampled, int(n_kept), top)
