"""The numbers of a token against an independent computation in float64 over the whole distribution, the kept set against
transformers' own warpers, and the draws against the probabilities that are reported."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from backends.base import Sampling
from backends.sampling import Report, Row, Sampler, Seen, choose

TEMPERATURES = (0.0, 0.3, 1.0, 1.7)
TOP_KS = (0, 1, 5, 50)
TOP_PS = (1.0, 0.9, 0.5, 0.1, 0.0)
SETTINGS = [
    Sampling(temperature=temperature, top_k=top_k, top_p=top_p)
    for temperature, top_k, top_p in itertools.product(TEMPERATURES, TOP_KS, TOP_PS)
]


def random_logits(seed: int) -> torch.Tensor:
    """Rows of many sizes and shapes: peaked, flat, on a coarse grid with many ties, bfloat16, with tokens ruled out."""
    rng = np.random.default_rng(seed)
    size = int(rng.choice([1, 2, 4, 7, 64, 65, 300, 1000, 5000]))
    row = rng.normal(scale=rng.choice([0.01, 1.0, 4.0, 12.0]), size=size)
    shape = seed % 4
    if shape == 1:
        row = np.round(row * 2) / 2
    if shape == 2 and size > 2:
        row[rng.choice(size, size // 3, replace=False)] = -np.inf
    logits = torch.tensor(row, dtype=torch.float32)
    return logits.bfloat16() if shape == 3 else logits


def distribution(logits: torch.Tensor) -> np.ndarray:
    exact = logits.double().numpy()
    weights = np.exp(exact - exact.max())
    return weights / weights.sum()


def warped(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """What transformers leaves of the logits, -inf where it cuts."""
    warpers = LogitsProcessorList([TemperatureLogitsWarper(sampling.temperature)])
    if sampling.top_k:
        warpers.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p < 1:
        warpers.append(TopPLogitsWarper(sampling.top_p))
    return warpers(None, logits.float()[None])[0]


def check_own_distribution(report: Report, logits: torch.Tensor) -> None:
    p = distribution(logits)
    assert report.p == pytest.approx(p[report.id], rel=1e-6)
    assert report.logprob == pytest.approx(math.log(p[report.id]), rel=1e-6, abs=1e-7)
    assert report.rank == 1 + int((logits > logits[report.id]).sum())
    possible = p[p > 0]
    assert report.entropy == pytest.approx(-(possible * np.log2(possible)).sum(), rel=1e-6, abs=1e-6)
    exact = logits.double().numpy()
    best = np.lexsort((np.arange(len(exact)), -exact))[:5]
    assert [token for token, _, _ in report.top] == best.tolist()
    assert [p_top for _, p_top, _ in report.top] == pytest.approx(p[best].tolist(), rel=1e-6)


def check_kept(report: Report, logits: torch.Tensor, sampling: Sampling) -> None:
    left = warped(logits, sampling)
    kept = torch.isfinite(left)
    assert report.kept == int(kept.sum())
    lowest = logits[kept].min()
    for token, _, is_kept in report.top:
        if logits[token] != lowest:  # which of several equal ones at the edge it keeps, transformers leaves open
            assert is_kept == bool(kept[token])
    exact = np.where(kept, logits.double() / sampling.temperature, -np.inf)
    weights = np.exp(exact - exact.max())
    equal_and_kept = weights[int((logits == logits[report.id]).logical_and(kept).nonzero()[0])]
    assert report.p_sampled == pytest.approx(equal_and_kept / weights.sum(), rel=1e-6)


@pytest.mark.parametrize("sampling", SETTINGS, ids=lambda s: f"T{s.temperature}-k{s.top_k}-p{s.top_p}")
def test_report_agrees_with_float64_and_with_the_warpers(sampling: Sampling) -> None:
    for seed in range(30):
        logits = random_logits(seed)
        report = choose(logits, sampling, uniform=(seed * 0.618034) % 1)
        check_own_distribution(report, logits)
        if sampling.temperature == 0:
            assert (report.id, report.p_sampled, report.kept) == (int(logits.argmax()), 1.0, 1)
            assert [kept for _, _, kept in report.top] == [True, False, False, False, False][: len(report.top)]
        else:
            check_kept(report, logits, sampling)


grids = st.lists(st.integers(-3, 3), min_size=1, max_size=200)


@settings(max_examples=300, deadline=None)
@given(grids, st.sampled_from(SETTINGS), st.floats(0, 1, exclude_max=True))
def test_any_row_of_ties(grid: list[int], sampling: Sampling, uniform: float) -> None:
    logits = torch.tensor(grid, dtype=torch.float32)
    report = choose(logits, sampling, uniform)
    check_own_distribution(report, logits)
    if sampling.temperature:
        check_kept(report, logits, sampling)


def test_top_k_keeps_ties_with_the_kth() -> None:
    report = choose(torch.tensor([3.0, 2.0, 2.0, 2.0, 1.0]), Sampling(top_k=2), 0.0)
    assert report.kept == 4
    assert [kept for _, _, kept in report.top] == [True, True, True, True, False]


def test_equal_tokens_at_the_edge_of_top_p_stay_lowest_id_first() -> None:
    report = choose(torch.zeros(10), Sampling(top_p=0.3), 0.99)
    assert report.kept == 3
    assert report.id == 2
    assert report.top == tuple((token, pytest.approx(0.1), token < 3) for token in range(5))


def test_the_last_bit_decides_among_equal_tokens_as_in_transformers() -> None:
    assert choose(torch.zeros(10), Sampling(top_p=0.9), 0.5).kept == 9
    edge = torch.tensor([-2.0, -2.0, 3.0, 3.0])
    settings_ = Sampling(temperature=0.3, top_k=5, top_p=0.5)
    check_kept(choose(edge, settings_, 0.0), edge, settings_)


WIDE = [Sampling(top_p=0.999), Sampling(top_k=3000), Sampling(temperature=3.0, top_p=0.95)]


@pytest.mark.parametrize("size", [49152, 50001])
@pytest.mark.parametrize("sampling", WIDE, ids=str)
def test_kept_sets_of_thousands(size: int, sampling: Sampling) -> None:
    logits = torch.from_numpy(np.random.default_rng(5).normal(size=size)).float()
    report = choose(logits, sampling, 0.7)
    assert report.kept >= 3000
    check_own_distribution(report, logits)
    check_kept(report, logits, sampling)


@pytest.mark.parametrize("sampling", [Sampling(top_p=0.9), Sampling(temperature=2.0, top_p=0.8), Sampling()], ids=str)
@pytest.mark.parametrize("grid", [False, True])
def test_each_of_many_kept_tokens_is_drawn_for_its_share(sampling: Sampling, grid: bool) -> None:
    """Draws at evenly spread places meet every token as often as its share says, one more or one fewer; also where many
    tokens are equal at the edge."""
    logits = torch.from_numpy(np.random.default_rng(8).normal(scale=0.7, size=1500)).float()
    logits = (logits * 3).round() / 3 if grid else logits
    n_draws = 1000
    drawn = np.bincount([choose(logits, sampling, (n + 0.5) / n_draws).id for n in range(n_draws)], minlength=1500)
    left = torch.isfinite(warped(logits, sampling))
    assert left.sum() > 512
    lowest = logits[left].min()
    n_lowest = int((logits[left] == lowest).sum())
    kept = (logits > lowest).numpy()
    kept[(logits == lowest).nonzero().squeeze(1)[:n_lowest]] = True  # of equal ones at the edge, the lowest ids
    weights = np.where(kept, np.exp(logits.double().numpy() / sampling.temperature), 0.0)
    share = weights / weights.sum() * n_draws
    assert np.abs(drawn - share).max() <= 1 + 1e-6
    assert drawn[~kept].sum() == 0


def test_ranking_by_keys_equals_ranking_by_blocks() -> None:
    """Accelerators rank by integer keys; that runs on any device."""
    for seed in range(200):
        logits = random_logits(seed)
        row = Row(len(logits), logits.device)
        row.load(logits)
        n = min(7, row.size)
        assert row.best_from_keys(n)[1].tolist() == row.best_from_blocks(n)[1][:n].tolist()


class Far(Row):
    """A row as on an accelerator, where asking for a number costs a transfer. `n_seen` counts those that are meant."""

    is_near = False
    n_seen = 0

    def see(self, look: int, *extra: torch.Tensor) -> Seen:
        self.n_seen += 1
        return super().see(look, *extra)


class Asked(TorchDispatchMode):
    """Counts what makes the host wait for a number or for a size, whatever the device."""

    WAITS = ("_local_scalar_dense", "nonzero", "masked_select", "is_nonzero", "unique")

    def __init__(self) -> None:
        super().__init__()
        self.n = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.n += func.overloadpacket.__name__ in self.WAITS
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("sampling", "n_transfers"),
    [
        (Sampling(temperature=0), 1), (Sampling(), 1), (Sampling(temperature=0.7), 1), (Sampling(top_k=20), 1),
        (Sampling(top_k=20, top_p=0.9), 1), (Sampling(temperature=0.1, top_p=0.5), 1), (Sampling(temperature=4.0, top_p=0.95), 3),
    ],
    ids=str,
)
def test_a_token_costs_one_transfer_from_the_device(sampling: Sampling, n_transfers: int) -> None:
    """And a few where top-p keeps thousands. What comes out is what comes out on the CPU."""
    logits = torch.from_numpy(np.random.default_rng(5).normal(scale=2.0, size=5000)).float()
    row = Far(5000, logits.device)
    with Asked() as asked:
        far = choose(logits, sampling, 0.37, row)
    assert (asked.n, row.n_seen) == (0, n_transfers)
    near = choose(logits, sampling, 0.37)
    assert (far.id, far.rank, far.kept, far.top) == (near.id, near.rank, near.kept, near.top)
    with Asked() as asked:
        torch.arange(9)[torch.tensor(3)]
    assert asked.n, "else the test would see nothing"


def chi_square_p(counts: np.ndarray, expected: np.ndarray) -> float:
    """The p-value of the counts, places that expect fewer than five pooled into one."""
    possible = expected > 0
    counts, expected = counts[possible], expected[possible]
    small = expected < 5
    observed, wanted = counts[~small], expected[~small]
    if small.any():
        observed, wanted = np.append(observed, counts[small].sum()), np.append(wanted, expected[small].sum())
    return float(stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue)


DRAWN = [
    Sampling(seed=11),
    Sampling(temperature=0.7, seed=12),
    Sampling(temperature=1.5, top_k=8, seed=13),
    Sampling(top_p=0.8, seed=14),
    Sampling(temperature=0.8, top_k=20, top_p=0.9, seed=15),
]


@pytest.mark.parametrize("sampling", DRAWN, ids=str)
def test_tokens_are_drawn_as_often_as_p_sampled_says(sampling: Sampling) -> None:
    n_draws = 1500
    logits = torch.from_numpy(np.random.default_rng(3).normal(scale=1.5, size=150)).float()
    sampler = Sampler(sampling)
    counts, told = np.zeros(150), np.zeros(150)
    for _ in range(n_draws):
        report = sampler(logits)
        counts[report.id] += 1
        told[report.id] = report.p_sampled
    expected = np.nan_to_num(np.exp(warped(logits, sampling).double().log_softmax(0).numpy())) * n_draws
    drawn = counts > 0
    assert told[drawn] * n_draws == pytest.approx(expected[drawn], rel=1e-5)
    assert counts[expected == 0].sum() == 0
    assert chi_square_p(counts, expected) > 1e-3
    wrong = np.exp(warped(logits, replace(sampling, temperature=sampling.temperature * 1.5)).double().log_softmax(0).numpy())
    assert chi_square_p(counts, wrong * n_draws) < 1e-6


def test_the_same_seed_draws_the_same_tokens() -> None:
    rows = [random_logits(seed) for seed in range(50)]
    settings_ = Sampling(temperature=1.3, seed=99)

    def drawn(sampling: Sampling) -> list[int]:
        sampler = Sampler(sampling)
        return [sampler(row).id for row in rows]

    assert drawn(settings_) == drawn(settings_)
    assert drawn(settings_) != drawn(replace(settings_, seed=100))
    assert drawn(replace(settings_, seed=None)) != drawn(replace(settings_, seed=None))


@pytest.mark.parametrize("uniform", [0.0, math.nextafter(1, 0)])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(top_k=3), Sampling(top_p=0.99)], ids=str)
def test_the_ends_of_the_draw_are_possible_tokens(uniform: float, sampling: Sampling) -> None:
    logits = torch.full((130,), -math.inf)
    logits[[5, 64, 100]] = torch.tensor([1.0, 2.0, 0.5])
    report = choose(logits, sampling, uniform)
    assert report.id in {5, 64, 100}
    assert report.kept <= 3


@pytest.mark.parametrize("broken", [[math.nan, 1.0], [1.0, math.inf], [-math.inf, -math.inf]])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0), Sampling(top_k=1), Sampling(top_p=0.5)], ids=str)
def test_logits_that_are_no_numbers_raise(broken: list[float], sampling: Sampling) -> None:
    with pytest.raises(ArithmeticError):
        choose(torch.tensor(broken), sampling, 0.5)


@pytest.mark.parametrize(
    "sampling",
    [
        *(Sampling(temperature=temperature) for temperature in (-1, math.nan, 1e-46)), *(Sampling(top_p=p) for p in (1.1, -0.1)),
        Sampling(top_k=-1),
    ],
    ids=str,
)
def test_settings_out_of_range_raise(sampling: Sampling) -> None:
    with pytest.raises(ValueError, match="came"):
        Sampler(sampling)
