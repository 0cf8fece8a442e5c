"""The local backend on a tiny random checkpoint, against transformers itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from backends import cache, local
from backends.base import BackendError, BackendEvent, Done, Message, Sampling, ToolSchema
from backends.local import LocalBackend
from harness.run import Run
from harness.settings import Settings
from tests.backends import tiny
from tests.backends.local_turns import GREEDY, done_of, ids_of, ids_prompt, never, prefill_of, prompt_for, tokens_of, write

MESSAGES: list[Message] = [{"role": "user", "content": "What is 37 * 48? 你好 👩‍👩‍👧"}]
CALCULATOR = {"name": "calculator", "description": "Computes.", "parameters": {"type": "object"}}
TOOLS: list[ToolSchema] = [{"type": "function", "function": CALCULATOR}]


# --- prompts


@pytest.mark.parametrize("tools", [[], TOOLS])
@pytest.mark.parametrize("thinking", [True, False])
def test_encoding_gives_the_ids_of_apply_chat_template(
    backend: LocalBackend, tiny_folder: Path, tools: list[ToolSchema], thinking: bool,
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_folder)
    expected = tokenizer.apply_chat_template(
        MESSAGES, tools=tools or None, tokenize=True, add_generation_prompt=True, enable_thinking=thinking, return_dict=False
    )
    rendered = backend.render(MESSAGES, tools, thinking)
    assert list(backend.encode(rendered).ids) == expected
    assert ("<think>\n\n</think>" in rendered) is not thinking
    assert ("calculator" in rendered) is bool(tools)


def test_the_history_alone_has_no_generation_prompt(backend: LocalBackend) -> None:
    assert backend.render(MESSAGES, [], True, generation_prompt=False).endswith("<|im_end|>\n")


def test_ends_and_special_positions(backend: LocalBackend) -> None:
    text = "<|im_start|>é👩‍👩‍👧 <think>x"
    encoded = backend.encode(text)
    assert encoded.ends is not None
    pieces = [text[start:end] for start, end in zip((0, *encoded.ends), encoded.ends, strict=False)]
    assert "".join(pieces) == text
    assert [pieces[place] for place in sorted(encoded.special)] == ["<|im_start|>", "<think>"]


# --- greedy and sampled turns


@pytest.mark.parametrize("text", ["What is 37 * 48?", "今天", "x" * 700])
def test_greedy_equals_generate(backend: LocalBackend, tiny_folder: Path, text: str) -> None:
    model = AutoModelForCausalLM.from_pretrained(tiny_folder)
    prompt = prompt_for(backend, text)
    stops = backend.info["stop_tokens"]
    end_ids = [backend.info["control_tokens"][stop] for stop in stops]
    ids = torch.tensor([prompt.ids])
    settings = {"do_sample": False, "temperature": None, "top_p": None, "max_new_tokens": 200, "eos_token_id": end_ids}
    whole = model.generate(ids, attention_mask=torch.ones_like(ids), **settings)
    events = write(backend, prompt, Sampling(temperature=0, max_new_tokens=200))
    assert ids_of(events) == whole[0, len(prompt.ids) :].tolist()
    assert len(ids_of(events)) > 5


def test_a_run_without_a_seed_is_repeated_with_the_one_that_it_recorded(seldom_stops: LocalBackend) -> None:
    """What its run_start says is enough to have the same tokens again; another seed gives others."""

    def drawn(seed: int | None) -> tuple[int, list[int]]:
        run = Run(seldom_stops, "Hello", Settings(Sampling(seed=seed, temperature=1.5, max_new_tokens=30), max_steps=1))
        run.execute()
        ids = [event["id"] for event in run.log.events if event["kind"] == "token"]
        return run.log.events[0]["settings"]["seed"], ids

    seed, ids = drawn(None)
    assert len(ids) > 2
    assert drawn(seed) == (seed, ids)
    assert drawn(seed + 1)[1] != ids


def test_a_seed_gives_the_same_turn_again(backend: LocalBackend) -> None:
    prompt = prompt_for(backend, "hello")
    turns = [ids_of(write(backend, prompt, Sampling(seed=seed, max_new_tokens=30))) for seed in (5, 5, 6)]
    assert turns[0] == turns[1]
    assert turns[0] != turns[2]


def test_texts_joined_are_the_decoded_turn(seldom_stops: LocalBackend, tiny_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_folder)
    broken = 0
    prompt = prompt_for(seldom_stops, "x")
    for seed in range(20):
        tokens = tokens_of(write(seldom_stops, prompt, Sampling(temperature=2.0, seed=seed, max_new_tokens=30)))
        raw = tokenizer.decode([token.id for token in tokens], skip_special_tokens=False, clean_up_tokenization_spaces=False)
        assert "".join(token.text for token in tokens) == raw
        broken += "\ufffd" in raw
    assert broken


def test_a_token_carries_its_numbers(backend: LocalBackend) -> None:
    for token in tokens_of(write(backend, prompt_for(backend, "x"))):
        assert token.top is not None
        assert (token.rank, token.p_sampled, token.kept) == (1, 1.0, 1)
        assert (token.top[0].id, token.top[0].piece, token.top[0].p) == (token.id, token.piece, token.p)


def test_the_stop_token_is_the_last_token(backend: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = prompt_for(backend, "x")
    free = ids_of(write(backend, prompt))
    stop = next(token_id for place, token_id in enumerate(free) if place and token_id not in free[:place])
    monkeypatch.setattr(backend, "_stop_ids", frozenset([stop]))
    events = write(backend, prompt)
    written = tokens_of(events)
    assert [token.id for token in written] == free[: free.index(stop) + 1]
    assert done_of(events).finish == "stop_token"
    assert done_of(events).stop_piece == written[-1].piece
    assert done_of(events).n_tokens == len(written)


# --- limits


def test_a_prompt_that_fills_the_context_ends_as_data(backend: LocalBackend) -> None:
    assert backend.context_length is not None
    for n_prompt in (backend.context_length, backend.context_length + 1):
        events = write(backend, ids_prompt(*[5] * n_prompt))
        assert events == [Done("context_full", None, 0, 0.0)]


def test_a_turn_that_reaches_the_end_of_the_context(seldom_stops: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seldom_stops, "context_length", 12)
    events = write(seldom_stops, ids_prompt(*range(9)))
    assert len(tokens_of(events)) == 3
    assert done_of(events).finish == "context_full"
    exactly = write(seldom_stops, ids_prompt(*range(9)), Sampling(temperature=0, max_new_tokens=3))
    assert done_of(exactly).finish == "max_new_tokens"


def test_no_tokens_wanted(backend: LocalBackend) -> None:
    assert write(backend, prompt_for(backend, "x"), Sampling(max_new_tokens=0)) == [Done("max_new_tokens", None, 0, 0.0)]


def test_an_empty_prompt_is_refused(backend: LocalBackend) -> None:
    with pytest.raises(ValueError, match="empty prompt"):
        backend.generate(ids_prompt(), GREEDY, never)


# --- the kept cache


def test_the_next_turn_reads_only_what_is_new(seldom_stops: LocalBackend) -> None:
    first = prompt_for(seldom_stops, "hello")
    turn = write(seldom_stops, first)
    written = ids_of(turn)
    assert prefill_of(turn).n_reused == 0
    longer = ids_prompt(*first.ids, *written, 7, 8, 9)
    again = write(seldom_stops, longer)
    assert prefill_of(again).n_tokens == longer.n_tokens
    assert prefill_of(again).n_reused == first.n_tokens + len(written) - 1  # the last token was written but never read
    seldom_stops._cache.clear()
    afresh = write(seldom_stops, longer)
    assert prefill_of(afresh).n_reused == 0
    assert ids_of(again) == ids_of(afresh)
    for kept, read in zip(tokens_of(again), tokens_of(afresh), strict=True):
        assert kept.logprob == pytest.approx(read.logprob, abs=1e-4)
        assert kept.entropy == pytest.approx(read.entropy, abs=1e-3)


@pytest.mark.parametrize("common", [0, 1, 5, 19])
def test_a_prompt_that_differs_is_cut_where_it_differs(seldom_stops: LocalBackend, common: int) -> None:
    first = list(range(20, 40))
    other = first[:common] + [60 + place for place in range(6)]
    write(seldom_stops, ids_prompt(*first))
    events = write(seldom_stops, ids_prompt(*other))
    assert prefill_of(events).n_reused == common
    seldom_stops._cache.clear()
    assert ids_of(events) == ids_of(write(seldom_stops, ids_prompt(*other)))


def test_the_same_prompt_reads_its_last_token_again(seldom_stops: LocalBackend) -> None:
    prompt = ids_prompt(*range(30))
    turns = [write(seldom_stops, prompt) for _ in range(2)]
    assert prefill_of(turns[1]).n_reused == 29
    assert ids_of(turns[0]) == ids_of(turns[1])
    shorter = write(seldom_stops, ids_prompt(*range(10)))
    assert prefill_of(shorter).n_reused == 9


# --- stopping


@pytest.mark.parametrize("n_wanted", range(1, 9))
def test_a_stop_between_any_two_tokens(seldom_stops: LocalBackend, n_wanted: int) -> None:
    prompt = ids_prompt(*range(30, 45))
    free = tokens_of(write(seldom_stops, prompt))
    seen: list[BackendEvent] = []
    for event in seldom_stops.generate(prompt, GREEDY, lambda: len(tokens_of(seen)) == n_wanted - 1):
        seen.append(event)
    assert [token.id for token in tokens_of(seen)] == [token.id for token in free[:n_wanted]]
    assert (done_of(seen).finish, done_of(seen).n_tokens) == ("user_stopped", n_wanted)
    raw = seldom_stops._vocabulary.decode(ids_of(seen))
    assert "".join(token.text for token in tokens_of(seen)) == raw
    assert ids_of(write(seldom_stops, prompt)) == [token.id for token in free]


LONG = ids_prompt(*[3 + place % 200 for place in range(300)])


def test_a_stop_between_two_chunks_of_the_prompt(backend: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ids_of(write(backend, LONG))
    backend._cache.clear()
    monkeypatch.setattr(local, "CHUNK", 100)
    answers = iter([False, True])
    events = list(backend.generate(LONG, GREEDY, lambda: next(answers)))
    assert events == [Done("user_stopped", None, 0, 0.0)]
    resumed = write(backend, LONG)
    assert prefill_of(resumed).n_reused == 200
    assert ids_of(resumed) == whole


def test_a_stop_while_the_prompt_is_read(backend: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ids_of(write(backend, LONG))
    backend._cache.clear()
    with monkeypatch.context() as impatient:
        impatient.setattr(cache, "ASK_S", 0.0)
        answers = iter([False, True])
        events = list(backend.generate(LONG, GREEDY, lambda: next(answers)))
    assert events == [Done("user_stopped", None, 0, 0.0)]
    again = write(backend, LONG)
    assert prefill_of(again).n_reused == 0
    assert ids_of(again) == whole


@pytest.mark.parametrize("n_taken", [1, 2, 7])
def test_an_abandoned_generation_leaves_the_cache_right(seldom_stops: LocalBackend, n_taken: int) -> None:
    prompt = ids_prompt(*range(30, 45))
    free = ids_of(write(seldom_stops, prompt))
    seldom_stops._cache.clear()
    abandoned = seldom_stops.generate(prompt, GREEDY, never)
    for _ in range(n_taken):
        next(abandoned)
    again = write(seldom_stops, prompt)  # the abandoned one is still referred to, and closed for that
    assert ids_of(again) == free
    assert list(abandoned) == []


def test_a_failure_in_the_model_is_told_and_leaves_the_cache_right(seldom_stops: LocalBackend) -> None:
    prompt = ids_prompt(*range(30, 45))
    free = ids_of(write(seldom_stops, prompt))
    second_layer = seldom_stops._model.model.layers[1]

    def fail(*_: object) -> None:
        raise RuntimeError("a kernel broke")

    generation = seldom_stops.generate(prompt, GREEDY, never)
    next(generation), next(generation)
    with second_layer.register_forward_pre_hook(fail), pytest.raises(BackendError, match="a kernel broke") as caught:
        next(generation)
    assert "a kernel broke" in caught.value.zh
    events = write(seldom_stops, prompt)
    assert prefill_of(events).n_reused == 0
    assert ids_of(events) == free


def told(error: Exception) -> Callable[[], None]:
    """What other computers say; the sentences are torch's."""
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    "run_out",
    [
        lambda: torch.empty(1 << 60, dtype=torch.uint8, device="cpu"),
        lambda: bytearray(1 << 60),
        told(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")),
        told(RuntimeError("CUDA error: out of memory")),
        told(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")),
        told(RuntimeError("MPS backend out of memory (MPS allocated: 8.00 GB, max allowed: 9.07 GB).")),
        told(RuntimeError("Invalid buffer size: 19.45 GB")),
        told(RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes.")),
        told(RuntimeError("std::bad_alloc")),
    ],
    ids=["CPU", "Python", "CUDA", "CUDA itself", "cuBLAS", "Apple's GPU", "a tensor there", "Windows", "C++"],
)
def test_running_out_of_memory_is_a_sentence(backend: LocalBackend, run_out: Callable[[], object]) -> None:
    def fail(*_: object) -> None:
        run_out()

    failing = backend._model.register_forward_pre_hook(fail)
    with failing, pytest.raises(BackendError, match="not enough memory for reading") as caught:
        write(backend, prompt_for(backend, "x"))
    assert "記憶體不足" in caught.value.zh


def test_numbers_that_are_none_are_a_sentence(backend: LocalBackend) -> None:
    def spoil(_module: object, _inputs: object, output: Any) -> Any:
        output.logits = output.logits * float("nan")
        return output

    with backend._model.register_forward_hook(spoil), pytest.raises(BackendError, match="not numbers"):
        write(backend, prompt_for(backend, "x"))


def test_a_should_stop_that_raises_reaches_the_caller(backend: LocalBackend) -> None:
    def broken() -> bool:
        raise KeyError("harness")

    with pytest.raises(KeyError):
        list(backend.generate(prompt_for(backend, "x"), GREEDY, broken))
    assert done_of(write(backend, prompt_for(backend, "x"))).n_tokens > 0


def test_a_generation_of_another_thread_waits_its_turn(seldom_stops: LocalBackend) -> None:
    prompts = [ids_prompt(*range(start, start + 15)) for start in (10, 100)]
    alone = [ids_of(write(seldom_stops, prompt)) for prompt in prompts]
    first = seldom_stops.generate(prompts[0], GREEDY, never)
    begun = [next(first) for _ in range(5)]
    asked = threading.Event()
    others: list[list[BackendEvent]] = []

    def other(stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        asked.set()
        return seldom_stops.generate(prompts[1], GREEDY, stop)

    waiting = threading.Thread(target=lambda: others.append(list(other(never))))
    waiting.start()
    asked.wait()
    assert ids_of([*begun, *first]) == alone[0]
    waiting.join()
    assert ids_of(others[0]) == alone[1]


def test_one_that_waits_its_turn_can_be_stopped(seldom_stops: LocalBackend) -> None:
    prompt = ids_prompt(*range(15))
    first = seldom_stops.generate(prompt, GREEDY, never)
    next(first)
    others: list[list[BackendEvent]] = []
    waiting = threading.Thread(target=lambda: others.append(list(seldom_stops.generate(prompt, GREEDY, lambda: True))))
    waiting.start()
    waiting.join()
    assert others == [[Done("user_stopped", None, 0, 0.0)]]
    assert len(tokens_of(list(first))) == GREEDY.max_new_tokens


# --- loading


def test_warming_up_leaves_the_conversation_alone(seldom_stops: LocalBackend) -> None:
    prompt = ids_prompt(*range(15))
    write(seldom_stops, prompt)
    seldom_stops.warmup()
    assert prefill_of(write(seldom_stops, prompt)).n_reused == 14


def test_what_is_told_about_the_model(backend: LocalBackend, tiny_folder: Path) -> None:
    info = backend.info
    assert backend.family.key == "hermes"
    assert backend.context_length == 2048
    assert info["defaults"] == {"temperature": 0.6, "top_p": 0.95, "top_k": 0}
    assert info["defaults_from"] == "checkpoint"
    assert set(info["control_tokens"]) == set(tiny.CONTROL)
    told = info["description"].facts
    assert told["parameters_loaded"].value == AutoModelForCausalLM.from_pretrained(tiny_folder).num_parameters()
    assert (info["dtype"], info["device"]) == ("float32", "cpu")
    assert info["stop_tokens"] == ["<|endoftext|>", "<|im_end|>"]


def test_progress_ends_at_one(tiny_folder: Path) -> None:
    told: list[float | None] = []
    LocalBackend.load(tiny_folder, "tiny", progress=lambda _what, done: told.append(done), device="cpu", dtype="bfloat16")
    assert told[0] == 0.0
    assert told[-1] == 1.0
