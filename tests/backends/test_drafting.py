"""Drafting: what prompt lookup guesses, and that guesses never change what is written or how often."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from scipy import stats
from torch import Tensor

from backends.base import Sampling
from backends.cache import ConversationCache
from backends.drafters import Target, Usable, load_drafters
from backends.drafting import Checked, Drafter, PromptLookup, Rounds
from backends.gemma_assistant import GemmaDrafter
from backends.qwen_mtp import MtpConversation, MtpDrafter, MtpHead
from backends.sampling import Report, Sampler
from families.base import Text
from tests.backends import networks, tiny
from tests.backends.networks import VOCABULARY

PROMPT = [1, 5, 2, 7, 5, 2, 9, 3]


class Fixed:
    """A drafter that names whatever a function of the text so far says: right ones, wrong ones, too many."""

    def __init__(self, names: Callable[[list[int]], list[int]]) -> None:
        self._ids: list[int] = []
        self._names = names

    def take(self, ids: Sequence[int]) -> None:
        self._ids.extend(ids)

    def guess(self, at_most: int) -> list[int]:
        return self._names(self._ids)[:at_most]


def fixed(names: Callable[[list[int]], list[int]]) -> Usable:
    return Usable(lambda cache: Fixed(names))


LOOKUP = Usable(lambda cache: PromptLookup())


@pytest.fixture(params=[name for name in networks.NETWORKS if name != "compressing"])
def model(request: pytest.FixtureRequest) -> torch.nn.Module:
    return networks.made(request.param)


def assisted(vocabulary: int) -> tuple[torch.nn.Module, Usable]:
    """A Gemma 4 with its assistant."""
    model = tiny.gemma4(vocabulary, sliding_window=6).double()
    assistant = tiny.gemma4_assistant(vocabulary, sliding_window=6).double()
    return model, Usable(lambda cache: GemmaDrafter(assistant, model, cache), "last")


def headed(vocabulary: int) -> tuple[torch.nn.Module, Usable]:
    """A Qwen3.5 with its MTP head, which knows one conversation."""
    torch.manual_seed(3)
    model = networks.recurrent(vocab_size=vocabulary).double().eval()
    conversation = MtpConversation(MtpHead(model).double().eval())
    return model, Usable(lambda cache: MtpDrafter(conversation, cache), True)


NETWORKS = {"gemma4_assistant": assisted, "mtp": headed}


def write(
    model: torch.nn.Module, drafter: Usable | None, sampling: Sampling, n: int
) -> tuple[list[int], list[Checked | None], int]:
    """The `n` tokens that a fresh cache writes after PROMPT, what had been guessed for each, and how many passes it took."""
    with torch.inference_mode():
        cache = ConversationCache(model, drafter.keeps_hidden if drafter is not None else False)
        made = drafter.make(cache) if drafter is not None else None
        rounds = Rounds(cache, Sampler(sampling), made, PROMPT, cache.read(PROMPT))
        drawn = [rounds.draw(n - place) for place in range(n)]
        rounds.close()
        written = [report.id for report, _ in drawn]
        check_left_over(model, cache, [*PROMPT, *written])
    return written, [checked for _, checked in drawn], rounds.n_forwards


def check_left_over(model: torch.nn.Module, cache: ConversationCache, ids: list[int]) -> None:
    """What is left in the cache is as if the text had been read at once: the next token's logits are those of a fresh read."""
    following = [*ids, 4]
    kept = cache.keep_common(following)
    assert kept in (0, len(ids) - 1, len(ids))
    fresh: Tensor = model(input_ids=torch.tensor([following])).logits[0, -1]
    torch.testing.assert_close(cache.read(following[kept:]), fresh, rtol=1e-3, atol=1e-5)  # The delta net adds in float32.


def test_prompt_lookup_names_what_followed_last_time() -> None:
    lookup = PromptLookup()
    lookup.take([1, 2, 3, 4, 9, 8, 7, 1, 2])
    assert lookup.guess(2) == [3, 4]
    assert lookup.guess(9) == [3, 4, 9], "three at most"
    lookup.take([6])
    assert lookup.guess(3) == []


def test_prompt_lookup_guesses_nothing_where_it_was_not_the_same_the_last_two_times() -> None:
    lookup = PromptLookup()
    lookup.take([1, 2, 5, 1, 2, 6, 1, 2])
    assert lookup.guess(3) == []
    lookup.take([6, 1, 2])
    assert lookup.guess(1) == [6], "the same the last two times"


def test_prompt_lookup_prefers_the_longer_match() -> None:
    lookup = PromptLookup()
    lookup.take([7, 1, 2, 3, 10, 8, 1, 2, 3, 11, 7, 1, 2, 3])
    assert lookup.guess(1) == [10]


def test_prompt_lookup_looks_for_its_guesses_too() -> None:
    lookup = PromptLookup()
    lookup.take([1, 2, 3, 9, 9, 2, 3, 4, 8, 8, 1, 2])
    assert lookup.guess(3) == [3, 9, 9], "1 2 3 was followed by 9, though 2 3 was followed by 4 later"


class Broken(ConversationCache):
    """A cache whose model fails while what is kept of a draft is read again, as where memory runs out."""

    fails = True

    def drop(self, n: int) -> None:
        if not self.fails:
            return super().drop(n)
        self.clear()
        raise MemoryError("no room")


def test_a_failure_in_the_middle_of_a_draft_is_the_one_that_is_told() -> None:
    torch.manual_seed(3)
    with torch.inference_mode():
        cache = Broken(networks.llama().eval())
        wrong = Fixed(lambda ids: [(ids[-1] + place) % VOCABULARY for place in range(5)])
        rounds = Rounds(cache, Sampler(SETTINGS[0]), wrong, PROMPT, cache.read(PROMPT))
        rounds.draw(20)  # comes with the prompt
        with pytest.raises(MemoryError, match="no room"):
            rounds.draw(19)
        cache.fails = False
        rounds.close()


SETTINGS = [Sampling(temperature=0), Sampling(temperature=1.3, seed=5), Sampling(temperature=0.8, top_k=4, top_p=0.9, seed=6)]
GUESSES: dict[str, Callable[[list[int]], list[int]]] = {
    "wrong or right by chance": lambda ids: [(ids[-1] * 7 + place) % VOCABULARY for place in range(3)],
    "many": lambda ids: [(sum(ids) + place) % VOCABULARY for place in range(9)],
    "none": lambda ids: [],
}


@pytest.mark.parametrize("sampling", SETTINGS, ids=["greedy", "sampled", "cut"])
@pytest.mark.parametrize("guesses", GUESSES)
def test_the_same_text_with_and_without(model: torch.nn.Module, sampling: Sampling, guesses: str) -> None:
    plain, _, passes = write(model, None, sampling, 24)
    drafted, _, drafted_passes = write(model, fixed(GUESSES[guesses]), sampling, 24)
    looked_up, _, looked_up_passes = write(model, LOOKUP, sampling, 24)
    assert drafted == looked_up == plain
    assert passes == 23
    assert max(drafted_passes, looked_up_passes) <= passes


def test_a_network_that_cannot_forget_is_written_without_guesses() -> None:
    model = networks.made("compressing")
    plain, _, passes = write(model, None, SETTINGS[1], 24)
    drafted, checked, drafted_passes = write(model, fixed(GUESSES["many"]), SETTINGS[1], 24)
    assert (drafted, drafted_passes, set(checked)) == (plain, passes, {None})
    found = load_drafters(Target(model, Path("none"), "none", lambda what, done: None))
    assert all(isinstance(why_not, Text) and "forget" in why_not.en for why_not in found.values())
    assert list(found) == ["prompt_lookup"]


@pytest.mark.parametrize("network", NETWORKS)
def test_the_same_text_with_a_network_that_guesses(network: str) -> None:
    model, drafter = NETWORKS[network](VOCABULARY)
    verdicts = set()
    for sampling in SETTINGS:
        plain, _, _ = write(model, None, sampling, 24)
        drafted, checked, passes = write(model, drafter, sampling, 24)
        assert drafted == plain
        assert passes == 23 - sum(one is not None and one.accepted for one in checked)
        verdicts |= {one.accepted for one in checked if one is not None}
    assert verdicts == {True, False}


@pytest.mark.parametrize("sampling", SETTINGS, ids=["greedy", "sampled", "cut"])
def test_a_drafter_that_knows_the_text_is_always_believed(model: torch.nn.Module, sampling: Sampling) -> None:
    plain, _, _ = write(model, None, sampling, 21)
    whole = [*PROMPT, *plain]
    drafted, checked, passes = write(model, fixed(lambda ids: whole[len(ids) : len(ids) + 4]), sampling, 21)
    assert drafted == plain
    assert all(one is None or one.accepted for one in checked)
    assert passes == 4  # The first token comes with the prompt; each pass writes five.


def test_a_fallen_guess_names_what_was_dropped(model: torch.nn.Module) -> None:
    plain, _, _ = write(model, None, SETTINGS[0], 5)
    wrong = (plain[2] + 1) % VOCABULARY
    names = fixed(lambda ids: [plain[1], wrong, 11, 12] if len(ids) == len(PROMPT) + 1 else [])
    _, checked, _ = write(model, names, SETTINGS[0], 5)
    accepted, fallen = Checked(plain[1], True, 0), Checked(wrong, False, 1, (11,))  # Room for three: the fourth is not asked for.
    assert checked == [None, accepted, fallen, None, None]


class Overheard:
    """A drafter whose guess for the next token can be looked at, as only a wrong rule would."""

    def __init__(self, drafter: Drafter) -> None:
        self._drafter = drafter
        self.coming: list[int] = []

    def take(self, ids: Sequence[int]) -> None:
        self._drafter.take(ids)
        self.coming = self.coming[1:] if self.coming[:1] == list(ids) else []

    def guess(self, at_most: int) -> list[int]:
        self.coming = self._drafter.guess(at_most)
        return list(self.coming)


class DrawsAgain(Sampler):
    """A wrong rule: what replaces a fallen guess is drawn afresh from all candidates, so that the guess gets a second chance."""

    heard: Overheard | None = None

    def __call__(self, logits: Tensor) -> Report:
        report = super().__call__(logits)
        if self.heard is not None and self.heard.coming and report.id != self.heard.coming[0]:
            report = super().__call__(logits)
        return report


def by_rule(vocabulary: int) -> tuple[torch.nn.Module, Usable]:
    """A Llama, and guesses that are likely behind some tokens and unlikely behind others."""
    torch.manual_seed(3)
    model = networks.llama(vocab_size=vocabulary).double().eval()
    return model, fixed(lambda ids: [(ids[-1] * 7 + 1) % vocabulary, (ids[-1] * 49 + 8) % vocabulary])


def looked_up(vocabulary: int) -> tuple[torch.nn.Module, Usable]:
    """The same Llama with prompt lookup."""
    return by_rule(vocabulary)[0], LOOKUP


DRAWN = {
    "all": (by_rule, 4, 800, Sampling(temperature=2.0)),
    "top-k": (by_rule, 5, 800, Sampling(temperature=1.5, top_k=3)),
    "top-p": (by_rule, 5, 800, Sampling(temperature=2.0, top_p=0.8)),
    "prompt lookup, top-k": (looked_up, 4, 600, Sampling(temperature=3.0, top_k=2)),
    "prompt lookup, top-p": (looked_up, 4, 600, Sampling(temperature=3.0, top_p=0.9)),
    "gemma4_assistant": (assisted, 2, 250, Sampling(temperature=5.0)),
    "gemma4_assistant, top-k": (assisted, 3, 250, Sampling(temperature=5.0, top_k=2)),
    "gemma4_assistant, top-p": (assisted, 3, 250, Sampling(temperature=5.0, top_p=0.6)),
    "mtp": (headed, 2, 250, Sampling(temperature=5.0)),
    "mtp, top-k": (headed, 3, 250, Sampling(temperature=5.0, top_k=2)),
    "mtp, top-p": (headed, 3, 250, Sampling(temperature=5.0, top_p=0.6)),
}
"""Model and drafter, the size of their vocabulary, how many continuations are drawn, and how: so that guesses are neither seldom
nor nearly always right."""


@pytest.mark.parametrize("case", DRAWN)
def test_every_continuation_comes_out_as_often_as_without(case: str) -> None:
    """Two tokens drawn with guesses and without are of one distribution; a wrong rule is found out by the same test."""
    make, vocabulary, n, sampling = DRAWN[case]
    model, drafter = make(vocabulary)
    prompt = [token % vocabulary for token in PROMPT] * (2 if drafter is LOOKUP else 1)  # It guesses from what comes again.
    plain = continuations(model, prompt, Sampler(dataclasses.replace(sampling, seed=1)), None, n)
    right, wrong = (rule(dataclasses.replace(sampling, seed=2)) for rule in (Sampler, DrawsAgain))
    assert same_distribution(plain, continuations(model, prompt, right, drafter, n)) > 1e-3
    assert same_distribution(plain, continuations(model, prompt, wrong, drafter, n)) < 1e-6


def continuations(
    model: torch.nn.Module, prompt: list[int], sampler: Sampler, drafter: Usable | None, n: int
) -> Counter[tuple[int, ...]]:
    """How often each pair of tokens is drawn behind the prompt's last one, of `n` with random numbers of their own."""
    certain = torch.full((model.config.get_text_config().vocab_size,), -1e4)
    certain[prompt[-1]] = 0
    found: Counter[tuple[int, ...]] = Counter()
    with torch.inference_mode():
        cache = ConversationCache(model, drafter.keeps_hidden if drafter is not None else False)
        for _ in range(n):
            cache.read(prompt[cache.keep_common(prompt[:-1]) : -1])
            heard = Overheard(drafter.make(cache)) if drafter is not None else None
            if isinstance(sampler, DrawsAgain):
                sampler.heard = heard
            rounds = Rounds(cache, sampler, heard, prompt[:-1], certain)
            _, *pair = (rounds.draw(4 - place)[0].id for place in range(3))
            found[tuple(pair)] += 1
            rounds.close()
    return found


def same_distribution(one: Counter[tuple[int, ...]], other: Counter[tuple[int, ...]]) -> float:
    """The p-value of the chi-square test of homogeneity; what came up fewer than 20 times is put together."""
    often = [key for key in one | other if one[key] + other[key] >= 20]
    table = [[counts[key] for key in often] for counts in (one, other)]
    for row, counts in zip(table, (one, other), strict=True):
        row.append(counts.total() - sum(row) + 1)
    return float(stats.chi2_contingency(table).pvalue)
