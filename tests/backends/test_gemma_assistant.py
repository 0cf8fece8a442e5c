"""Gemma 4's assistant: what it guesses, held to transformers' own; where it is found; that a turn is the same with it."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import Gemma4ForCausalLM, Gemma4TextConfig, GenerationConfig
from transformers.generation.candidate_generator import SinglePositionMultiTokenCandidateGenerator

from backends.base import BackendError, BackendEvent, Done, Encoded, Prefill, Sampling, Token
from backends.cache import ConversationCache
from backends.gemma_assistant import ASSISTANTS, GemmaDrafter, find, load
from backends.local import LocalBackend
from backends.model_settings import ModelSettings, settings_file
from families.base import Text
from tests.backends import tiny

VOCABULARY = 60
N_AHEAD = 4
TEXT = [(place * 37 + 11) % VOCABULARY for place in range(40)]
WINDOW = tiny.GEMMA4_TEXT["sliding_window"]


def text_alone() -> Any:
    """The class without eyes, and without layers that share keys."""
    sizes = {**tiny.GEMMA4_TEXT, "vocab_size": VOCABULARY, "vocab_size_per_layer_input": VOCABULARY, "num_kv_shared_layers": 0}
    return Gemma4ForCausalLM(Gemma4TextConfig(**sizes)).eval()


@pytest.fixture(params=[lambda: tiny.gemma4(VOCABULARY), text_alone], ids=["seeing", "text alone"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(3)
    return request.param().double()


@pytest.fixture
def assistant() -> Any:
    made = tiny.gemma4_assistant(VOCABULARY).double()
    made.generation_config.num_assistant_tokens = N_AHEAD
    return made


def proposed(model: Any, assistant: Any, ids: list[int], hidden_at: int = -1) -> list[int]:
    """What transformers proposes behind `ids`, of which the model has read all but the last at once. A sliding layer sees from
    the position of the last token what the model's own would see; further back transformers shows it as much as it has at hand.
    """
    with torch.inference_mode():
        read = model(input_ids=torch.tensor([ids[:-1]]), output_hidden_states=True, return_shared_kv_states=True)
    keys, values = read.shared_kv_states["sliding_attention"]
    read.shared_kv_states["sliding_attention"] = keys[:, :, 1 - WINDOW :], values[:, :, 1 - WINDOW :]
    read.hidden_states = (read.hidden_states[-1][:, hidden_at:][:, :1],)
    generator = SinglePositionMultiTokenCandidateGenerator(
        assistant, model.get_input_embeddings(), GenerationConfig(max_length=1000)
    )
    candidates, _ = generator.get_candidates(torch.tensor([ids]), {}, read, is_first_iteration=False, n_last_matches=0)
    found: list[int] = candidates[0, len(ids) :].tolist()
    return found


def test_the_guesses_are_those_that_transformers_proposes(model: Any, assistant: Any) -> None:
    """Wherever the last token stands: behind a prompt, behind guesses that held or fell, behind another turn."""
    cache = ConversationCache(model, keeps_hidden="last")
    drafter = GemmaDrafter(assistant, model, cache)
    drafter.take(TEXT)

    def check(ids: list[int]) -> None:
        assert cache.n_read == len(ids) - 1
        drafter.take(ids[-1:])
        expected = proposed(model, assistant, ids)
        assert drafter.guess(99) == expected
        assert len(expected) == N_AHEAD
        assert drafter.guess(2) == expected[:2]

    with torch.inference_mode():
        cache.read(TEXT[:5])
        check(TEXT[:6])
        for n_held in range(5):
            n = cache.n_read
            cache.read_all([TEXT[n], *TEXT[n + 1 : n + 1 + n_held], *[0] * (4 - n_held)])
            cache.drop(4 - n_held)
            check(TEXT[: cache.n_read + 1])
        cache.read(TEXT[cache.n_read : 30])
        check(TEXT[:31])
        other = [*TEXT[:4], 7, 8, 9]
        kept = cache.keep_common(other)
        cache.read(other[kept:])
        check([*other, 5])


def test_guesses_depend_on_the_hidden_state_and_the_place(model: Any, assistant: Any) -> None:
    """Else the test above would not see a wrong one."""
    places = range(4, 30)
    right = [proposed(model, assistant, TEXT[:n]) for n in places]
    assert right != [proposed(model, assistant, TEXT[:n], hidden_at=-2) for n in places]
    cache = ConversationCache(model, keeps_hidden="last")
    drafter = GemmaDrafter(assistant, model, cache)
    elsewhere = []
    with torch.inference_mode():
        for n in places:
            cache.clear()
            cache.read(TEXT[: n - 1])
            cache._read.append(0)
            drafter.take(TEXT[:n])
            elsewhere.append(drafter.guess(99))
    assert right != elsewhere


# --- finding it


def place(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"")
    return folder


@pytest.mark.parametrize("end", ["-assistant", "_assistant"])
def test_an_assistant_beside_the_model(end: str, tmp_path: Path) -> None:
    folder = place(tmp_path / f"gemma{end}")
    assert find(tmp_path / "gemma", "gemma", ModelSettings()) == folder


@pytest.mark.parametrize("key", ["google/gemma-4-E2B-it", "path"])
def test_the_settings_come_first(key: str, tmp_path: Path) -> None:
    place(tmp_path / "gemma-assistant")
    named = place(tmp_path / "named")
    path = tmp_path / "gemma"
    settings = ModelSettings(drafters={str(path) if key == "path" else key: str(named)})
    assert find(path, "google/gemma-4-E2B-it", settings) == named
    (named / "config.json").unlink()
    told = find(path, "google/gemma-4-E2B-it", settings)
    assert isinstance(told, Text)
    assert str(named) in told.en
    assert str(named) in told.zh


def test_one_in_the_hubs_cache(tmp_path: Path) -> None:
    model_id, assistant_id = next(iter(ASSISTANTS.items()))
    told = find(tmp_path / "model", model_id, ModelSettings(), tmp_path / "cache")
    assert isinstance(told, Text)
    assert f"hf download {assistant_id}" in told.en
    assert f"hf download {assistant_id}" in told.zh
    home = tmp_path / "cache" / f"models--{assistant_id.replace('/', '--')}"
    main, pinned = (place(home / "snapshots" / (letter * 40)) for letter in "ab")
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("a" * 40)
    assert find(tmp_path / "model", model_id, ModelSettings(), tmp_path / "cache") == main
    settings = ModelSettings(pins={assistant_id: "b" * 40})
    assert find(tmp_path / "model", model_id, settings, tmp_path / "cache") == pinned


@pytest.mark.parametrize("model_id", ["gemma", "somebody/gemma-4-tuned"])
def test_none_found_says_what_to_do(model_id: str, tmp_path: Path) -> None:
    told = find(tmp_path / "gemma", model_id, ModelSettings())
    assert isinstance(told, Text)
    for text in (told.zh, told.en):
        assert str(settings_file()) in text
        assert (str(tmp_path / "gemma-assistant") in text) == (model_id == "gemma")


# --- in a backend


@pytest.fixture(scope="module")
def gemma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_gemma4(tmp_path_factory.mktemp("gemma") / "gemma")


@pytest.fixture(scope="module")
def whole(gemma_folder: Path) -> Iterator[tuple[LocalBackend, list[float | None]]]:
    """The backend, and how far it said that loading was."""
    told: list[float | None] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(gemma_folder / "none"))
        yield LocalBackend.load(gemma_folder, "gemma", lambda _what, done: told.append(done), "cpu", "float32"), told


@pytest.fixture
def gemma(whole: tuple[LocalBackend, list[float | None]]) -> LocalBackend:
    whole[0]._cache.clear()
    return whole[0]


def test_a_loaded_gemma_names_its_drafters(whole: tuple[LocalBackend, list[float | None]], gemma_folder: Path) -> None:
    backend, told = whole
    assert backend.drafters == {"prompt_lookup": None, "gemma4_assistant": None}
    assert told[-1] == 1.0
    network = backend.info["draft_networks"]["gemma4_assistant"]
    made = tiny.gemma4_assistant(len(tiny.tokenizer()))
    assert network.path == f"{gemma_folder}-assistant"
    kept = {id(tensor): tensor.numel() for tensor in made.state_dict(keep_vars=True).values()}
    assert network.n_parameters == sum(kept.values())
    assert network.n_bytes >= 4 * network.n_parameters


GREEDY = Sampling(temperature=0, max_new_tokens=60)
TURNS = [[20, 21, 22, 20, 21, 22, 20], list(range(100, 180)), [300] * 30]


def ids_of(events: list[BackendEvent]) -> list[int]:
    return [event.id for event in events if isinstance(event, Token)]


def both(
    backend: LocalBackend, ids: list[int], sampling: Sampling, should_stop: Callable[[], Callable[[], bool]] | None = None,
) -> list[BackendEvent]:
    """What the drafter writes, after it has been held to what is written without: every token with its numbers, and the end."""
    turns = []
    for drafter in (None, "gemma4_assistant"):
        backend._cache.clear()
        asked = dataclasses.replace(sampling, drafter=drafter)
        turns.append(list(backend.generate(Encoded("", tuple(ids)), asked, should_stop() if should_stop else lambda: False)))
    plain, drafted = turns
    assert ids_of(drafted) == ids_of(plain)
    for one, other in zip(plain, drafted, strict=True):
        if isinstance(one, Token) and isinstance(other, Token):
            assert (other.text, other.rank, other.kept) == (one.text, one.rank, one.kept)
            assert other.p == pytest.approx(one.p, rel=1e-3)
        if isinstance(one, Done) and isinstance(other, Done):
            assert (other.finish, other.stop_piece, other.n_tokens) == (one.finish, one.stop_piece, one.n_tokens)
    return drafted


@pytest.mark.parametrize("ids", TURNS, ids=["short", "beyond the window", "one token"])
@pytest.mark.parametrize(
    "sampling", [GREEDY, Sampling(temperature=1.2, seed=4, max_new_tokens=60), Sampling(0.7, 0.9, 30, 60, seed=5)],
    ids=["greedy", "sampled", "cut"],
)
def test_a_turn_is_the_same_with_the_assistant(gemma: LocalBackend, ids: list[int], sampling: Sampling) -> None:
    tokens = [event for event in both(gemma, ids, sampling) if isinstance(event, Token)]
    assert any(token.draft is not None for token in tokens)


def test_it_is_the_same_at_every_end(gemma: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = TURNS[0]
    whole = ids_of(both(gemma, ids, GREEDY))
    ends = set()
    for limit in (1, 2, 3, 7):
        ends.add(both(gemma, ids, dataclasses.replace(GREEDY, max_new_tokens=limit))[-1].finish)
    for room in (1, 2, 3, 7):
        monkeypatch.setattr(gemma, "context_length", len(ids) + room)
        ends.add(both(gemma, ids, GREEDY)[-1].finish)
    monkeypatch.undo()
    for n_before in range(6):
        stop = lambda n=n_before: itertools.chain([False] * n, itertools.repeat(True)).__next__  # noqa: E731
        ends.add(both(gemma, ids, GREEDY, stop)[-1].finish)
    for n in (1, 2, 3, 4, 9):
        monkeypatch.setattr(gemma, "_stop_ids", frozenset({whole[n]}))
        ends.add(both(gemma, ids, GREEDY)[-1].finish)
    assert ends == {"max_new_tokens", "context_full", "user_stopped", "stop_token"}


def test_the_turns_of_a_conversation_are_the_same(gemma: LocalBackend) -> None:
    """The second turn reuses what the first one read, whether it was drafted or not; then the text departs from what was read."""
    first = TURNS[0]
    written = {}
    for drafters in itertools.product((None, "gemma4_assistant"), repeat=2):
        gemma._cache.clear()
        ids, turns = list(first), []
        for drafter in drafters:
            gemma.warmup()  # changes nothing
            events = list(gemma.generate(
                Encoded("", tuple(ids)), dataclasses.replace(GREEDY, max_new_tokens=9, drafter=drafter), lambda: False,
            ))
            prefill = events[0]
            assert isinstance(prefill, Prefill)
            assert prefill.n_reused == (0 if not turns else len(ids) - 4)
            turns.append(ids_of(events))
            ids += [*turns[-1], 30, 31, 32]
        written[drafters] = turns
    assert len(set(map(str, written.values()))) == 1


def test_an_assistant_of_another_model_is_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    folder = tiny.write_gemma4(tmp_path / "gemma", head_dim=4)
    backend = LocalBackend.load(folder, "gemma", device="cpu")
    why_not = backend.drafters["gemma4_assistant"]
    assert why_not is not None
    assert "head size (sliding_attention) is 4, this model's 8" in why_not.en
    with pytest.raises(BackendError, match="head size") as refused:
        backend.generate(Encoded("", (1, 2)), Sampling(drafter="gemma4_assistant"), lambda: False)
    assert refused.value.zh == why_not.zh
    assert backend.info["draft_networks"] == {}


def test_a_damaged_assistant_leaves_the_model_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    folder = tiny.write_gemma4(tmp_path / "gemma")
    (tmp_path / "gemma-assistant" / "model.safetensors").write_bytes(b"nothing")
    backend = LocalBackend.load(folder, "gemma", device="cpu")
    why_not = backend.drafters["gemma4_assistant"]
    assert why_not is not None
    assert "cannot be loaded" in why_not.en
    assert ids_of(list(backend.generate(Encoded("", (1, 2)), dataclasses.replace(GREEDY, max_new_tokens=3), lambda: False)))


@pytest.mark.parametrize(("name", "value"), [("hidden size", 99), ("vocabulary", 7)])
def test_what_does_not_fit_is_named(name: str, value: int, tmp_path: Path) -> None:
    made = tiny.gemma4_assistant(VOCABULARY)
    made.save_pretrained(tmp_path)
    content = json.loads((tmp_path / "config.json").read_text())
    model = tiny.gemma4(VOCABULARY if name == "hidden size" else value)
    if name == "hidden size":
        model.config.text_config.hidden_size = value
    assert content["backbone_hidden_size"] == 16
    with pytest.raises(BackendError, match=f"its {name} is .*, this model's {value}"):
        load(tmp_path, model)


def test_a_checkpoint_that_is_no_assistant_is_named(tiny_folder: Path) -> None:
    with pytest.raises(BackendError, match="its model_type is llama, this model's gemma4_assistant"):
        load(tiny_folder, tiny.gemma4(VOCABULARY))
