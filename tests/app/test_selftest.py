"""`loopglass selftest drafting`: a real small model with right rules and with wrong ones, and what is rounding."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scipy import stats

from app import selftest
from app.cli import main
from app.selftest import Compared, checks, homogeneity
from app.selftest_words import SELFTEST
from backends.base import BackendError, Candidate, Draft, Progress, Sampling, Token
from backends.drafting import Checked, Rounds
from backends.local import LocalBackend
from backends.scripted import ScriptedBackend
from families.base import Text
from families.hermes import HERMES
from tests.backends import tiny


class Knows:
    """A drafter that names what the model is most likely to write after a token, as far as it has been shown."""

    likely: ClassVar[dict[int, int]] = {}

    def take(self, ids: Sequence[int]) -> None:
        self._last = ids[-1]

    def guess(self, at_most: int) -> list[int]:
        guesses = [self._last]
        while len(guesses) <= min(at_most, 3):
            guesses.append(self.likely.get(guesses[-1], 7))
        return guesses[1:]


class StaysRead(Rounds):
    """A wrong rule: a guess that fell stays read, and so do those behind it."""

    def _check(self, place: int, drawn: int) -> Checked:
        guess = self._guesses[place]
        return Checked(guess, guess == drawn, place)


class DrawsAgain(Rounds):
    """A wrong rule: what replaces a fallen guess is drawn afresh from all candidates, so that the guess gets a second chance."""

    def __init__(self, cache: Any, sampler: Any, *rest: Any) -> None:
        def twice(row: Any) -> Any:
            report, place = sampler(row), self._place - 1
            fell = place < len(self._guesses) and report.id != self._guesses[place]
            return sampler(row) if fell else report

        super().__init__(cache, twice, *rest)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small model; the drafter is shown what it writes."""
    folder = tiny.write(tmp_path_factory.mktemp("tiny"))
    backend = LocalBackend.load(folder, "tiny", device="cpu")
    greedy = Sampling(temperature=0, max_new_tokens=40)
    turns = [selftest.write(backend, selftest.encode(backend, *prompt), greedy) for prompt in selftest.PROMPTS.values()]
    begun, drawn = selftest.tosses(backend), selftest.DRAWN["drawn_top_k"]
    turns += [selftest.write(backend, begun, replace(drawn, seed=1000 + n)) for n in range(40)]
    for turn in turns:
        for before, after in pairwise(turn.tokens):
            assert after.top is not None
            Knows.likely[before.id] = after.top[0].id
    return folder


@pytest.fixture(autouse=True)
def _drafter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.drafters.PromptLookup", Knows)
    monkeypatch.setattr(selftest, "DRAWING_S", 3600.0)  # However busy the machine is, as many are drawn.


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["selftest", "drafting", "--device", "cpu", *arguments])
    return code, capsys.readouterr().out


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code, out = said(capsys, "--json", *arguments)
    return code, [json.loads(line) for line in out.splitlines()]


def test_a_right_rule_passes(checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (head, *found, end) = lines(capsys, "--model", str(checkpoint))
    assert code == 0
    assert head == {
        "selftest": "drafting", "model": checkpoint.name, "drafters": ["prompt_lookup"], "dtype": "float32", "device": "cpu",
    }
    assert [(check["check"], check.get("prompt")) for check in found] == [
        *[(check, prompt) for check in ("greedy", "seeded") for prompt in ("call", "answer", "copy", "question")],
        ("drawn_all", None), ("drawn_top_k", None), ("drawn_top_p", None),
    ]
    assert {check["verdict"] for check in found} == {"same"}
    assert all(check["n_guessed"] > 0 for check in found)
    held = {kind: sum(check["n_held"] for check in found if check["check"] == kind) for kind in ("greedy", "drawn_top_k")}
    assert all(held.values()), "rules are tried on guesses that hold and on others"
    assert all(check["n_draws"] == selftest.N_DRAWS and check["p_value"] > selftest.ALARM for check in found[8:])
    assert end == {"result": "same", "n": 0, "n_checks": 11, "drafters": ""}


def test_it_is_said_in_words(
    checkpoint: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selftest, "N_DRAWS", 3)
    code, text = said(capsys, "--model", str(checkpoint), "--drafter", "prompt_lookup", "--lang", "en")
    assert code == 0
    assert "temperature 0, a tool call to write: all " in text
    assert "3 continuations each" in text
    assert text.endswith("Result: no difference was found.\n")
    code, text = said(capsys, "--model", str(checkpoint), "--lang", "zh")
    assert code == 0
    assert "溫度 0，要寫一個工具呼叫：" in text
    assert text.endswith("結果：沒有發現差別。\n")


def test_a_guess_that_stays_read_is_found_out(
    checkpoint: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selftest, "N_DRAWS", 3)
    monkeypatch.setattr("backends.local.Rounds", StaysRead)
    code, (_, *found, end) = lines(capsys, "--model", str(checkpoint))
    assert code == 1
    assert end["result"] == "differs"
    assert ("seeded", "differs") in {(check["check"], check["verdict"]) for check in found}
    assert not any(check["verdict"] == "rounding" for check in found)


def test_a_second_chance_is_found_out_by_the_counts(
    checkpoint: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("backends.local.Rounds", DrawsAgain)
    monkeypatch.setattr(selftest, "DRAWN", {"drawn_top_k": selftest.DRAWN["drawn_top_k"]})
    monkeypatch.setattr(selftest, "N_DRAWS", 600)
    code, (_, *found, _) = lines(capsys, "--model", str(checkpoint))
    assert code == 1
    verdicts = {(check["check"], check["verdict"]) for check in found}
    assert ("greedy", "differs") not in verdicts, "without a draw there is no second chance"
    assert ("seeded", "differs") in verdicts
    assert ("drawn_top_k", "differs") in verdicts


def test_a_drafter_that_guesses_nothing_has_shown_nothing(
    checkpoint: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selftest, "N_DRAWS", 2)
    monkeypatch.setattr(Knows, "guess", lambda _self, _at_most: [])
    code, text = said(capsys, "--model", str(checkpoint), "--lang", "en")
    assert code == 1
    assert "nothing was guessed here, so this shows nothing" in text
    assert text.endswith("Prompt lookup guessed nothing in any check, so nothing was shown of it.\n")


class Loading:
    """Loads a backend that is there already."""

    def __init__(self, backend: ScriptedBackend) -> None:
        self.backend = backend

    def __call__(self, _model: str, _progress: Progress) -> ScriptedBackend:
        return self.backend


@pytest.mark.parametrize(
    ("drafters", "says"),
    [
        ({}, "has no drafter that can be used"),
        ({"mtp": Text("沒有權重", "no weights")}, "The model’s own MTP head is not available: no weights"),
    ],
)
def test_a_model_without_a_drafter_has_nothing_to_check(
    drafters: dict[str, Text | None], says: str, capsys: pytest.CaptureFixture[str],
) -> None:
    backend = ScriptedBackend([], HERMES, drafters=drafters)
    assert main(["selftest", "drafting", "--lang", "en"], load=Loading(backend)) == 1
    assert says in capsys.readouterr().out
    assert not backend.generated


def test_a_drafter_that_is_not_had_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    backend = ScriptedBackend([], HERMES, drafters={"prompt_lookup": None})
    assert main(["selftest", "drafting", "--drafter", "mtp", "--lang", "en"], load=Loading(backend)) == 1
    assert "it has prompt_lookup" in capsys.readouterr().err


def test_a_model_that_fails_ends_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    backend = ScriptedBackend([BackendError("It is gone.", "它不見了。")], HERMES, drafters={"prompt_lookup": None})
    assert main(["selftest", "drafting", "--lang", "zh"], load=Loading(backend)) == 1
    assert "檢查做不下去：它不見了。" in capsys.readouterr().out


def candidates(*p: float, kept: int = 5) -> tuple[Candidate, ...]:
    return tuple(Candidate(place, f"t{place}", each, place < kept) for place, each in enumerate(p))


def token(token_id: int, top: tuple[Candidate, ...], *, drafted: bool = False) -> Token:
    by_id = {candidate.id: candidate for candidate in top}
    rank = 1 + sum(candidate.p > by_id[token_id].p for candidate in top)
    made = Token(token_id, f"t{token_id}", f"t{token_id}", False, p=by_id[token_id].p, logprob=-1.0, rank=rank, top=top)
    return replace(made, draft=Draft("t9", False, 0)) if drafted else made


def compared(check: str, plain: Token, drafted: Token, monkeypatch: pytest.MonkeyPatch) -> Compared:
    """The first comparison of a check, where each turn is one token."""
    monkeypatch.setattr(selftest, "N_DRAWS", 1)
    before = 0 if check == "greedy" else 4
    turns = [["same"]] * (2 * before) + [[plain], [drafted]] + [["same"]] * 30
    backend = ScriptedBackend(turns, HERMES, drafters={"prompt_lookup": None})
    made = list(checks(backend, ["prompt_lookup"], lambda _text, _done: None))[before]
    assert isinstance(made, Compared)
    assert made.check == check
    return made


NEARLY = (0.4001, 0.4, 0.1, 0.05, 0.04)
TURNED = (0.4, 0.4001, 0.1, 0.05, 0.04)


def test_two_tokens_as_good_as_equal_differ_by_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared("greedy", token(0, candidates(*NEARLY)), token(1, candidates(*TURNED), drafted=True), monkeypatch)
    assert (found.verdict, found.n_same) == ("rounding", 0)
    assert found.without == selftest.Side("t0", "t0", 0.4001, 0.4)
    assert found.drafted == selftest.Side("t1", "t1", 0.4001, 0.4)


@pytest.mark.parametrize(
    "drafted",
    [
        token(1, candidates(0.39, 0.41, 0.1, 0.05, 0.04)),  # The model saw something else.
        token(1, candidates(*NEARLY)),  # Not the most likely one.
        token(2, candidates(*NEARLY)),
    ],
)
def test_what_rounding_does_not_explain_is_a_difference(drafted: Token, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compared("greedy", token(0, candidates(*NEARLY)), drafted, monkeypatch).verdict == "differs"


def test_of_drawn_tokens_neighbours_differ_by_rounding_and_others_by_another_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    top = candidates(0.5, 0.3, 0.1, 0.06, 0.04)
    assert compared("seeded", token(0, top), token(1, top), monkeypatch).verdict == "rounding"
    assert compared("seeded", token(1, top), token(2, top), monkeypatch).verdict == "rounding"
    assert compared("seeded", token(0, top), token(2, top), monkeypatch).verdict == "differs"
    assert compared("seeded", token(1, top), token(4, top), monkeypatch).verdict == "differs"


def test_the_same_tokens_with_other_probabilities_are_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    top = candidates(*NEARLY)
    moved = replace(token(0, top), logprob=-1.1)
    found = compared("greedy", token(0, top), moved, monkeypatch)
    assert found.verdict == "differs"
    assert found.drift == pytest.approx(0.1)


def test_a_turn_that_ends_sooner_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    end = replace(token(0, candidates(*NEARLY)), piece="<|im_end|>")
    assert compared("greedy", token(0, candidates(*NEARLY)), end, monkeypatch).verdict == "differs"


@pytest.mark.parametrize("n_kinds", [2, 3, 8, 25])
def test_the_test_of_homogeneity_is_scipys(n_kinds: int) -> None:
    draw = random.Random(n_kinds)
    for skew in (1.0, 1.4):
        one = Counter(int(n_kinds * draw.random()) for _ in range(600))
        other = Counter(int(n_kinds * draw.random() ** skew) for _ in range(600))
        p_value, n = homogeneity(one, other)
        assert n == n_kinds
        table = [[counts[kind] for kind in range(n_kinds)] for counts in (one, other)]
        assert p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue, rel=1e-9)


def test_what_is_rare_is_put_together() -> None:
    one, other = Counter({"a": 50, "b": 46, "c": 1, "d": 3}), Counter({"a": 45, "b": 52, "e": 2, "d": 1})
    p_value, n = homogeneity(one, other)
    assert n == 3
    expected = stats.chi2_contingency([[50, 46, 4], [45, 52, 3]], correction=False).pvalue
    assert p_value == pytest.approx(expected)
    assert homogeneity(Counter({"a": 9}), Counter({"a": 9})) == (1.0, 1)


def test_every_wording_is_there_in_both_languages() -> None:
    for key, text in SELFTEST.items():
        assert text.zh.strip(), key
        assert text.en.strip(), key
