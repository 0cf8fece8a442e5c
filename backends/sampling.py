"""From one row of logits and the settings to a token and its report: pure, on tensors.

Knows nothing about models, tokenizers or text. The settings act as the warpers of `transformers.generation` do, in their
order: temperature, top-k, top-p, on float32 logits (`TemperatureLogitsWarper`, `TopKLogitsWarper`, `TopPLogitsWarper`):

- top-k keeps every token whose logit is not below the k-th, so ties with the k-th are kept beyond k;
- top-p keeps the fewest tokens whose probabilities, after top-k, reach top_p: a token is cut when it and all less likely
  ones together have at most 1 - top_p. How many are kept is as in transformers; which of several equal ones at the edge are
  kept is undefined there (its sort is not stable), and the lowest ids here.
- temperature 0 takes the most likely token, the lowest id among equals, as `argmax` does.

The vocabulary never leaves the device. One pass finds the largest logit of each block of 64 tokens; the best tokens stand in
the blocks with the largest maxima. They come to the host together with the sums over the vocabulary (float32 terms, added in
float64), where the settings are applied to them in float64. Where the settings keep more tokens than came, more are fetched.
Only where top-p alone keeps more than a few hundred is the vocabulary sorted, to find the least likely token that is kept; the
token is then drawn without a look at each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from backends.base import COLDEST, Sampling

N_TOP = 5
_BLOCK = 64
_LOOK = 64
_WIDEN = 8
_MANY = 512
"""So many of the best tokens are fetched at most to see what top-p keeps; fetching and ranking more takes longer than a sort."""
_FLOOR = -150.0
"""exp(-150) is 0 in float32; a finite floor keeps 0 * -inf out of the entropy."""

Floats = npt.NDArray[np.float64]


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
        self._row: Row | None = None

    def __call__(self, logits: Tensor) -> Report:
        """The next token, given logits of shape [vocabulary]."""
        greedy = self.sampling.temperature == 0
        uniform = 0.0 if greedy else torch.rand((), generator=self._generator, dtype=torch.float64).item()
        if self._row is None or self._row.size != logits.shape[-1]:
            self._row = Row(logits.shape[-1], logits.device)
        return choose(logits, self.sampling, uniform, self._row)


def check(sampling: Sampling) -> None:
    """Raises ValueError for settings that no distribution can be drawn from."""
    if not (math.isfinite(sampling.temperature) and (sampling.temperature == 0 or sampling.temperature >= COLDEST)):
        raise ValueError(f"temperature is 0, or {COLDEST:g} or more; came {sampling.temperature!r}")
    if not 0 <= sampling.top_p <= 1:
        raise ValueError(f"top_p is from 0 to 1; came {sampling.top_p!r}")
    if sampling.top_k < 0:
        raise ValueError(f"top_k is 0 (no limit) or more; came {sampling.top_k!r}")


def choose(logits: Tensor, sampling: Sampling, uniform: float, row: Row | None = None) -> Report:
    """The token at `uniform` (from 0 to 1, 1 excluded) of the distribution that the settings leave, and its report.

    `logits` has shape [vocabulary], any float dtype, any device. Raises ArithmeticError where they are not numbers. The
    report comes from the device in one transfer; another follows only where the settings keep more tokens than came.
    """
    with torch.inference_mode():
        row = row or Row(logits.shape[-1], logits.device)
        row.load(logits)
        top_k = sampling.top_k if sampling.top_k < row.size else 0
        if sampling.temperature == 0:
            seen = row.see(N_TOP)
            return seen.report(0, 1.0, 1)
        if not top_k and sampling.top_p >= 1:
            kept = row.n_above(torch.full((), -math.inf, device=row.flat.device))
            return _choose_unseen(row, row.weights(sampling.temperature), kept, sampling.temperature, uniform)
        total = row.weights(sampling.temperature).sum(dtype=torch.float64) if not top_k else row.normaliser
        look = max(_LOOK, top_k + _WIDEN)
        while top_k or look <= _MANY:
            seen = row.see(look, total)
            n_kept = _cut(seen, sampling, top_k)
            if n_kept is not None:
                return _draw(seen, sampling.temperature, n_kept, uniform)
            look = min(look * _WIDEN, row.size)
        weights, kept = row.nucleus(sampling.temperature, sampling.top_p)
        return _choose_unseen(row, weights, kept, sampling.temperature, uniform)


@dataclass(frozen=True)
class Seen:
    """The best tokens of a row, best first, equal ones lowest id first, none left out between; and the sums over all.

    `normaliser` is the sum of exp(logit - largest), `weighted` that of (logit - largest) * exp(logit - largest); `whole` says
    whether no token is left out. `extra` are the numbers that were asked for besides.
    """

    values: Floats
    ids: npt.NDArray[np.int64]
    largest: float
    normaliser: float
    weighted: float
    extra: tuple[float, ...]
    whole: bool

    def p(self, value: float) -> float:
        """The probability of a token with this logit, in the model's own distribution."""
        return math.exp(self.logprob(value))

    def logprob(self, value: float) -> float:
        return value - self.largest - math.log(self.normaliser)

    def report(self, place: int, p_sampled: float, kept: int) -> Report:
        """The report of the token that stands at `place` among the best."""
        value = float(self.values[place])
        rank = 1 + int((self.values > value).sum())
        return self.report_of(int(self.ids[place]), value, rank, p_sampled, kept)

    def report_of(self, token_id: int, value: float, rank: int, p_sampled: float, kept: int) -> Report:
        """The report of any token, given its logit and rank."""
        entropy = max(0.0, math.log(self.normaliser) - self.weighted / self.normaliser) / math.log(2)
        best = zip(self.ids[:N_TOP].tolist(), self.values[:N_TOP].tolist(), strict=True)
        top = tuple((candidate, self.p(logit), place < kept) for place, (candidate, logit) in enumerate(best))
        return Report(token_id, self.p(value), self.logprob(value), rank, entropy, p_sampled, kept, top)


class Row:
    """Room for one row of logits after another, and what is computed on the device: block maxima and sums over all.

    The room is kept because fresh memory for every token costs more than the arithmetic does.
    """

    def __init__(self, size: int, device: torch.device) -> None:
        self.size = size
        where = torch.device("cpu") if device.type == "mps" else device  # MPS has no float64
        self.blocks = torch.full((-(-size // _BLOCK), _BLOCK), -math.inf, device=where)
        self.flat = self.blocks.view(-1)
        self._below = torch.empty_like(self.blocks)
        self._weights = torch.empty_like(self.blocks)

    @property
    def is_near(self) -> bool:
        """Whether the host has the numbers at hand, so that asking for one costs no transfer."""
        return bool(self.flat.is_cpu)

    def load(self, logits: Tensor) -> None:
        """Takes a row of logits in; what the row says is of this one from now on."""
        self.flat[: self.size].copy_(logits.detach().reshape(-1))
        self.maxima = self.blocks.amax(1)
        self.largest = self.maxima.amax()
        torch.sub(self.blocks, self.largest, out=self._below).clamp_(min=_FLOOR)
        torch.exp(self._below, out=self._weights)
        self.normaliser = self._weights.sum(dtype=torch.float64)
        self.weighted = self._below.mul_(self._weights).sum(dtype=torch.float64)

    def weights(self, temperature: float) -> Tensor:
        """exp((logit - largest) / temperature), in blocks; valid until it is asked for again."""
        if temperature == 1:
            return self._weights
        return torch.sub(self.blocks, self.largest, out=self._below).div_(temperature).exp_()

    def nucleus(self, temperature: float, top_p: float) -> tuple[Tensor, Tensor]:
        """`weights` with 0 for every token that top-p alone cuts, and how many it keeps."""
        logits = self.flat[: self.size]
        # On a CPU numpy sorts several times as fast as torch.
        ascending = torch.from_numpy(np.sort(logits.numpy())) if self.is_near else logits.sort().values
        kept = _nucleus(ascending / temperature, top_p)
        lowest = _at(ascending, self.size - kept)
        equal = self.flat == lowest
        room = kept - (self.flat > lowest).sum()  # for those equal to the lowest one, lowest id first
        keeps = (self.flat > lowest) | (equal & (equal.cumsum(0) <= room))
        return self.weights(temperature) * keeps.view(self.blocks.shape), kept

    def n_above(self, value: Tensor) -> Tensor:
        """How many logits are above `value`. Where a wait costs nothing, only blocks that hold any are looked at."""
        return torch.count_nonzero((self.blocks[self.maxima > value] if self.is_near else self.flat) > value)

    def see(self, look: int, *extra: Tensor) -> Seen:
        """Brings at least the `look` best tokens to the host, with `extra` numbers, in one transfer.

        Raises ArithmeticError where the logits are no numbers.
        """
        values, ids = (best[: self.size] for best in self.best(min(look, self.size)))  # the filling of the last block is last
        single = torch.stack([number.double() for number in (self.largest, self.normaliser, self.weighted, *extra)])
        numbers: Floats = torch.cat([single, values.double(), ids.double()]).cpu().numpy()
        largest, normaliser, weighted, *others = numbers[: len(single)].tolist()
        if not (math.isfinite(largest) and math.isfinite(normaliser)):
            raise ArithmeticError(f"the largest logit is {largest}, their normaliser {normaliser}")
        found, places = np.split(numbers[len(single) :], 2)
        return Seen(found, places.astype(np.int64), largest, normaliser, weighted, tuple(others), len(found) >= self.size)

    def best(self, n: int) -> tuple[Tensor, Tensor]:
        """Logits and ids of at least the `n` best tokens, in the order of `Seen`."""
        return self.best_from_blocks(n) if self.is_near else self.best_from_keys(n)

    def best_from_blocks(self, n: int) -> tuple[Tensor, Tensor]:
        """`best` with sizes that depend on the data."""
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

    def best_from_keys(self, n: int) -> tuple[Tensor, Tensor]:
        """`best` for accelerators, where each size that depends on the data would cost a transfer: ranks unique integer
        keys, the logit's bits in an order that integers share and then the id, lowest first."""
        bits = (self.flat + 0.0).view(torch.int32)  # -0.0 becomes 0.0, to which it is equal
        ordered = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).long()
        places = ((ordered << 32) - torch.arange(len(bits), device=bits.device)).topk(n).indices
        return self.flat[places], places


def _cut(seen: Seen, sampling: Sampling, top_k: int) -> int | None:
    """How many of the best tokens top-k and top-p keep, or None where that cannot be told from those seen."""
    scores = seen.values.astype(np.float32) / np.float32(sampling.temperature)  # as transformers: rounding makes ties
    kept = int((scores > -math.inf).sum())
    if top_k:
        if scores[-1] == scores[top_k - 1] and not seen.whole:
            return None
        kept = min(kept, int((scores >= scores[top_k - 1]).sum()))
    if sampling.top_p >= 1:
        return kept
    if top_k or seen.whole:
        scores[kept:] = -math.inf
        ascending = (scores if seen.whole else scores[:kept])[::-1].copy()
        return int(_nucleus(torch.from_numpy(ascending), sampling.top_p))
    weights = _warmed(seen, sampling.temperature)
    left = 1 - (np.cumsum(weights) - weights) / seen.extra[0]  # with every less likely token, seen or not
    nucleus = int((left.astype(np.float32) > np.float32(1 - sampling.top_p)).sum())
    return None if nucleus == len(left) else max(1, nucleus)


def _nucleus(ascending: Tensor, top_p: float) -> Tensor:
    """How many of these scores, lowest first and all there are, top-p keeps; step by step in float32 as `TopPLogitsWarper`
    does it, because among equal tokens the last bit decides: of ten, top_p 0.9 keeps nine."""
    running = ascending.softmax(-1).cumsum(-1)
    return (running > 1 - top_p).sum().clamp(min=1)


def _draw(seen: Seen, temperature: float, kept: int, uniform: float) -> Report:
    """The token at `uniform` among the `kept` best."""
    weights = _warmed(seen, temperature)[:kept]
    running = np.cumsum(weights)
    place = int(np.searchsorted(running, min(uniform * running[-1], np.nextafter(running[-1], 0)), side="right"))
    return seen.report(place, float(weights[place] / running[-1]), kept)


def _warmed(seen: Seen, temperature: float) -> Floats:
    """exp((logit - largest) / temperature) of the best tokens."""
    weights: Floats = np.exp((seen.values - seen.largest) / temperature)
    return weights


def _choose_unseen(row: Row, weights: Tensor, kept: Tensor, temperature: float, uniform: float) -> Report:
    """The token at `uniform` of all that have a weight (shape [blocks, tokens], 0 where cut), `kept` in number and in the order
    of their ids: first its block is found, then the token in the block."""
    running = weights.sum(1, dtype=torch.float64).cumsum(0)
    target = running[-1] * uniform
    block = _first_above(running, target)
    inside = weights.index_select(0, block.view(1))[0].cumsum(0, dtype=torch.float64)
    column = _first_above(inside, target - (_at(running, block) - inside[-1]))
    token = block * _BLOCK + column
    value = _at(row.flat, token)
    seen = row.see(N_TOP, token, value, row.n_above(value), kept, running[-1])
    token_id, logit, n_above, n_kept, total = seen.extra
    p_sampled = math.exp((logit - seen.largest) / temperature) / total
    return seen.report_of(int(token_id), logit, 1 + int(n_above), p_sampled, int(n_kept))


def _at(numbers: Tensor, place: Tensor) -> Tensor:
    """The number at a place that only the device knows. An index in brackets would bring the place to the host first."""
    return numbers.index_select(0, place.view(1))[0]


def _first_above(running: Tensor, target: Tensor) -> Tensor:
    """The first place whose running sum is above `target`, which rounding may have put just outside; never one that adds
    nothing (if all are numbers)."""
    last = running[-1]
    inside = target.clamp(min=0).minimum(torch.nextafter(last, torch.zeros_like(last)))
    return torch.searchsorted(running, inside.view(1), right=True)[0].clamp(max=len(running) - 1)
