"""Compares what a model writes with each of its drafters and without: the checks of `loopglass selftest drafting`.

Knows nothing about how anything is guessed, or who runs the model: it asks a backend for the same turn twice. Greedy and with a
seed, the two must be the same token for token; drawn with other seeds, they must be of one distribution.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from app.selftest_words import SELFTEST
from backends.base import Backend, Done, Encoded, Message, Progress, Sampling, Token
from families.base import Text
from harness.conversation import call_id
from harness.ends import Over, backend_errors
from harness.tools import registry

Verdict = Literal["same", "rounding", "differs"]

N_TOKENS = 48
"""Tokens that are compared one by one, of each turn."""
N_DRAWS, N_DRAWN = 200, 3
"""Continuations that are drawn with a drafter, and as many without; the tokens of each."""
DRAWING_S = 40.0
"""A model that is slow draws fewer: so long, and no longer, for each of the settings."""
ALARM = 1e-4
"""Counts so different that chance brings them about less often than this count as of two distributions."""
_SEED = 20
_LEAST_COUNT = 10
"""An outcome that came up fewer times than this, with and without together, is counted among the others."""

_GREEDY = Sampling(temperature=0, max_new_tokens=N_TOKENS)
# With five candidates at most, all of them stand in a token's report.
_SEEDED = Sampling(temperature=1.0, top_k=5, seed=_SEED, max_new_tokens=N_TOKENS)
DRAWN: Mapping[str, Sampling] = {
    "drawn_all": Sampling(temperature=1.0, max_new_tokens=N_DRAWN),
    "drawn_top_k": Sampling(temperature=0.8, top_k=5, max_new_tokens=N_DRAWN),
    "drawn_top_p": Sampling(temperature=1.3, top_p=0.8, max_new_tokens=N_DRAWN),
}


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


_ASKED = _user("What is 4821 * 967? Use the calculator.")
_CALLED = {"name": "calculator", "arguments": {"expression": "4821 * 967"}}
_ANSWERED: tuple[Message, ...] = (
    {"role": "assistant", "content": "", "tool_calls": [{"id": call_id(1, 0), "type": "function", "function": _CALLED}]},
    {"role": "tool", "name": "calculator", "tool_call_id": call_id(1, 0), "content": "4661907"},
)
_COPIED = "Write this once more, letter by letter: The 1776 lamps of Maple Street 48 glow at 6:37, and 1776 lamps answer."
PROMPTS: Mapping[str, tuple[Sequence[Message], bool]] = {
    "call": ([_ASKED], True),
    "answer": ([_ASKED, *_ANSWERED], True),
    "copy": ([_user(_COPIED)], False),
    "question": ([_user("Why is the sky blue?")], False),
}
"""What is asked, and whether tools are offered: a call is to be written, a call has been answered, a text is to be copied, and a
plain question."""
_TOSSES = "heads tails heads heads tails tails heads tails tails tails heads heads tails heads heads heads tails heads tails"
"""An answer that has begun: what comes next is in doubt, and yet there is much to guess from."""

_ROUNDING: Mapping[str, float] = {"float64": 1e-6, "float32": 1e-3, "float16": 0.1, "bfloat16": 0.5}
"""How far a log probability may move by rounding alone: logits about 20 come in steps of 0.000002 in float32, of 0.016 in float16
and of 0.125 in bfloat16, and some steps come together."""


@dataclass(frozen=True)
class Side:
    """One of two tokens that stand where texts part: its piece and text, its probability, and there the other one's; None where
    that is not known."""

    piece: str
    text: str
    p: float | None
    p_other: float | None


@dataclass(frozen=True)
class Compared:
    """A turn written with a drafter and without. `n_same` tokens are the same from the first on; `drift` is the largest change of
    a log probability among them, None where none is known. `without` and `drafted` are the tokens where the two part, None where
    they do not or where one only ends sooner."""

    drafter: str
    check: str
    prompt: str
    verdict: Verdict
    n_same: int
    n_guessed: int
    n_held: int
    drift: float | None
    ended_alike: bool
    without: Side | None = None
    drafted: Side | None = None


@dataclass(frozen=True)
class Drawn:
    """Continuations drawn with a drafter and without, `n_draws` each, of `n_outcomes` kinds by what stands behind their first
    token; `p_value` is how often chance alone makes counts as different as these."""

    drafter: str
    check: str
    verdict: Verdict
    n_draws: int
    n_outcomes: int
    n_guessed: int
    n_held: int
    p_value: float


@dataclass(frozen=True)
class Skipped:
    """A prompt that the model's chat template does not write, and what it says of it."""

    prompt: str
    error: Text | None


Check = Compared | Drawn | Skipped


@dataclass(frozen=True)
class Turn:
    """A turn as it was written, and how it ended."""

    tokens: tuple[Token, ...]
    finish: str

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(token.id for token in self.tokens)


def checks(backend: Backend, drafters: Sequence[str], progress: Progress) -> Iterator[Check]:
    """Every check of every drafter, each as soon as it is made. Raises harness.ends.Over where the model fails."""
    prompts: dict[str, Encoded] = {}
    for name, (messages, with_tools) in PROMPTS.items():
        try:
            prompts[name] = encode(backend, messages, with_tools)
        except Over as over:
            yield Skipped(name, over.error)
    begun = tosses(backend)
    for drafter in drafters:
        for check, sampling in (("greedy", _GREEDY), ("seeded", _SEEDED)):
            for name, encoded in prompts.items():
                progress(SELFTEST[f"progress_{check}"], None)
                yield _compared(backend, drafter, check, name, encoded, sampling)
        for check, sampling in DRAWN.items():
            yield _drawn(backend, drafter, check, begun, sampling, progress)


def encode(backend: Backend, messages: Sequence[Message], with_tools: bool = False, begun: str = "") -> Encoded:
    """The prompt of a conversation as the model's own template writes it, and how the answer begins."""
    schemas = [tool.schema for tool in registry().values()] if with_tools else []
    with backend_errors():
        return backend.encode(backend.render(messages, schemas, False) + begun)


def tosses(backend: Backend) -> Encoded:
    """The prompt whose continuations are drawn."""
    return encode(backend, [_user("Toss a coin forty times and write down each toss, heads or tails.")], begun=_TOSSES)


def write(backend: Backend, encoded: Encoded, sampling: Sampling) -> Turn:
    """One turn. Raises harness.ends.Over where the model fails."""
    tokens: list[Token] = []
    finish = ""
    with backend_errors():
        for event in backend.generate(encoded, sampling, lambda: False):
            if isinstance(event, Token):
                tokens.append(event)
            elif isinstance(event, Done):
                finish = event.finish
    return Turn(tuple(tokens), finish)


def _guesses(tokens: Iterable[Token]) -> tuple[int, int]:
    """How many guesses were looked at, and how many held."""
    looked = [token.draft.accepted for token in tokens if token.draft is not None]
    return len(looked), sum(looked)


def _compared(backend: Backend, drafter: str, check: str, prompt: str, encoded: Encoded, sampling: Sampling) -> Compared:
    plain = write(backend, encoded, sampling)
    drafted = write(backend, encoded, replace(sampling, drafter=drafter))
    pairs = list(zip(plain.tokens, drafted.tokens, strict=False))
    n_same = next((place for place, (one, other) in enumerate(pairs) if one.id != other.id), len(pairs))
    known = ((one.logprob, other.logprob) for one, other in pairs[:n_same])
    drift = max((abs(one - other) for one, other in known if one is not None and other is not None), default=None)
    bound = _ROUNDING.get(str(backend.info.get("dtype")), _ROUNDING["float32"])
    steady = drift is None or drift <= bound
    alike = (plain.ids, plain.finish) == (drafted.ids, drafted.finish)
    found = Compared(drafter, check, prompt, "differs", n_same, *_guesses(drafted.tokens), drift, alike)
    if n_same == len(pairs):
        return replace(found, verdict="same" if alike and steady else "differs")
    one, other = pairs[n_same]
    rounding = steady and _only_rounding(one, other, bound, drawn=sampling.temperature > 0)
    verdict: Verdict = "rounding" if rounding else "differs"
    return replace(found, verdict=verdict, without=_side(one, other.id), drafted=_side(other, one.id))


def _known(token: Token) -> dict[int, float]:
    """The probabilities that a token's report tells, by id."""
    known = {candidate.id: candidate.p for candidate in token.top or ()}
    return known if token.p is None else {**known, token.id: token.p}


def _side(token: Token, other: int) -> Side:
    return Side(token.piece, token.text, token.p, _known(token).get(other))


def _only_rounding(plain: Token, drafted: Token, bound: float, drawn: bool) -> bool:
    """Whether the last bits explain that two tokens differ: the model gave both nearly the same probabilities each time, and
    where they were drawn, one random number leads to either."""
    one, other = _known(plain), _known(drafted)
    both = one.keys() & other.keys()
    if not {plain.id, drafted.id} <= both or not all(_near(one[each], other[each], bound) for each in both):
        return False
    if drawn:
        return _meet(_interval(plain), _interval(drafted), bound)
    return plain.rank == drafted.rank == 1 and _near(one[plain.id], one[drafted.id], bound)


def _near(one: float, other: float, bound: float) -> bool:
    return one > 0 and other > 0 and abs(math.log(one / other)) <= bound


def _interval(token: Token) -> tuple[float, float] | None:
    """The random numbers that lead to a token: candidates stand in line, the best first, each as wide as its probability."""
    kept = [candidate for candidate in token.top or () if candidate.kept]
    total, begin = sum(candidate.p for candidate in kept), 0.0
    for candidate in kept:
        if candidate.id == token.id:
            return begin / total, (begin + candidate.p) / total
        begin += candidate.p
    return None


def _meet(one: tuple[float, float] | None, other: tuple[float, float] | None, bound: float) -> bool:
    return one is not None and other is not None and max(one[0], other[0]) <= min(one[1], other[1]) + bound / 4


def _drawn(backend: Backend, drafter: str, check: str, encoded: Encoded, sampling: Sampling, progress: Progress) -> Drawn:
    until = time.monotonic() + DRAWING_S
    counts: tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]] = (Counter(), Counter())
    looked = held = n = 0
    while n < N_DRAWS and (n == 0 or time.monotonic() < until):
        for who, count in ((None, counts[0]), (drafter, counts[1])):
            turn = write(backend, encoded, replace(sampling, drafter=who, seed=2 * n + (who is not None)))
            count[turn.ids[1:]] += 1  # The first comes with the prompt, before anything can be guessed.
            more = _guesses(turn.tokens)
            looked, held = looked + more[0], held + more[1]
        n += 1
        progress(SELFTEST["progress_drawn"], n / N_DRAWS)
    p_value, n_outcomes = homogeneity(*counts)
    return Drawn(drafter, check, "same" if p_value >= ALARM else "differs", n, n_outcomes, looked, held, p_value)


def homogeneity(one: Counter[Any], other: Counter[Any]) -> tuple[float, int]:
    """The p-value of Pearson's chi-square test that two counts, of equal totals, are of one distribution, and how many kinds of
    outcomes it compares: those that are too rare for it are put together."""
    often = {key for key in one | other if one[key] + other[key] >= _LEAST_COUNT}
    pairs = [(one[key], other[key]) for key in often]
    rest = one.total() - sum(a for a, _ in pairs), other.total() - sum(b for _, b in pairs)
    pairs += [rest] if sum(rest) else []
    statistic = sum((a - b) ** 2 / (a + b) for a, b in pairs)
    return _chi_square_tail(statistic, len(pairs) - 1), len(pairs)


def _chi_square_tail(x: float, freedom: int) -> float:
    """The probability that a chi-square variable of so many degrees of freedom exceeds `x` (Abramowitz and Stegun 26.4.4-5)."""
    if freedom < 1:
        return 1.0
    half, odd = x / 2, freedom % 2
    term = math.sqrt(half) / math.gamma(1.5) if odd else 1.0
    total = 0.0
    for i in range(freedom // 2):
        total += term
        term *= half / (i + 1 + odd / 2)
    return min(1.0, (math.erfc(math.sqrt(half)) if odd else 0.0) + math.exp(-half) * total)
