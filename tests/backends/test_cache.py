"""The kept cache on architectures that can and cannot be cut: full attention, sliding windows, convolutions, recurrence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import (
    DynamicCache,
    Gemma4ForCausalLM,
    Gemma4TextConfig,
    Lfm2Config,
    Lfm2ForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen3_5ForCausalLM,
    Qwen3_5MoeForCausalLM,
    Qwen3_5MoeTextConfig,
    Qwen3_5TextConfig,
)

from backends.cache import ConversationCache, Interrupted, KeepsHidden
from tests.backends import networks, tiny

SMALL = {
    "vocab_size": 100, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2,
    "initializer_range": 0.3, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None,
}


def full_attention() -> Any:
    return tiny.model(100)


def sliding_window() -> Any:
    return MistralForCausalLM(MistralConfig(**SMALL, num_hidden_layers=2, sliding_window=8))


def convolution() -> Any:
    return Lfm2ForCausalLM(Lfm2Config(**SMALL, layer_types=["conv", "full_attention"], num_hidden_layers=2))


def recurrence() -> Any:
    return Qwen3_5ForCausalLM(
        Qwen3_5TextConfig(
            **SMALL, num_hidden_layers=2, layer_types=["linear_attention", "full_attention"], head_dim=8, linear_key_head_dim=8,
            linear_value_head_dim=8, linear_num_key_heads=2, linear_num_value_heads=2,
        )
    )


def experts() -> Any:
    """The same recurrence in the model of experts."""
    return Qwen3_5MoeForCausalLM(
        Qwen3_5MoeTextConfig(
            **SMALL, num_hidden_layers=2, layer_types=["linear_attention", "full_attention"], head_dim=8, linear_key_head_dim=8,
            linear_value_head_dim=8, linear_num_key_heads=2, linear_num_value_heads=2, num_experts=2, num_experts_per_tok=1,
            moe_intermediate_size=8, shared_expert_intermediate_size=8,
        )
    )


def shared_keys() -> Any:
    """Gemma 4, whose last layers use the keys and values of earlier ones, and leave out the ids whose logits nobody wants."""
    return Gemma4ForCausalLM(
        Gemma4TextConfig(
            **SMALL, num_hidden_layers=4, layer_types=["sliding_attention", "full_attention"] * 2, sliding_window=8, head_dim=8,
            global_head_dim=8, num_kv_shared_layers=2, hidden_size_per_layer_input=4, vocab_size_per_layer_input=100,
        )
    )


MODELS = [full_attention, sliding_window, convolution, recurrence, shared_keys]


@pytest.fixture(params=MODELS, ids=lambda make: make.__name__)
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(3)
    return request.param().eval()


def logits_after(model: Any, ids: list[int]) -> torch.Tensor:
    """What the model says after `ids` without any cache."""
    with torch.inference_mode():
        logits: torch.Tensor = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
    return logits


FIRST = [3 + place * 7 % 90 for place in range(20)]


@pytest.mark.parametrize(
    "second",
    [[*FIRST, 5, 6, 7], [*FIRST[:19], 50, 51], FIRST[:10] + [60] * 15, FIRST[:4], [99, 98], FIRST],
    ids=["longer", "last token differs", "middle differs", "shorter", "all differs", "same"],
)
def test_a_second_prompt_reads_as_if_nothing_had_been_kept(model: Any, second: list[int]) -> None:
    cache = ConversationCache(model)
    with torch.inference_mode():
        assert cache.keep_common(FIRST) == 0
        cache.read(FIRST)
        kept = cache.keep_common(second)
        logits = cache.read(second[kept:])
    assert kept < len(second)
    torch.testing.assert_close(logits, logits_after(model, second), rtol=1e-3, atol=1e-3)


def test_what_only_grows_is_kept_whatever_the_architecture(model: Any) -> None:
    cache = ConversationCache(model)
    with torch.inference_mode():
        cache.read(FIRST)
        assert cache.keep_common([*FIRST, 5]) == len(FIRST)


def test_full_attention_is_cut_exactly() -> None:
    cache = ConversationCache(full_attention())
    with torch.inference_mode():
        cache.read(FIRST)
        assert cache.keep_common(FIRST[:10] + [60] * 15) == 10
        assert cache.keep_common(FIRST[:10]) == 9


@pytest.mark.parametrize(("network", "n_kept"), [("indexed", 6), ("compressing", 0)])
def test_a_layer_that_holds_more_than_keys_is_cut_whole_or_not_at_all(network: str, n_kept: int) -> None:
    model: Any = networks.made(network)
    ids = [place * 5 % networks.VOCABULARY for place in range(12)]
    second = [*ids[:6], 9, 1, 1]
    cache = ConversationCache(model)
    with torch.inference_mode():
        cache.read(ids)
        assert cache.keep_common(second) == n_kept
        torch.testing.assert_close(cache.read(second[n_kept:]), model(input_ids=torch.tensor([second])).logits[0, -1])


# --- hidden states


def hidden_after(model: Any, ids: list[int]) -> torch.Tensor:
    """What the decoder gives for `ids` without any cache."""
    with torch.inference_mode():
        output = model(input_ids=torch.tensor([ids]), use_cache=False, output_hidden_states=True)
    hidden: torch.Tensor = output.hidden_states[-1][0]
    return hidden


def check_hidden(model: Any, cache: ConversationCache, ids: list[int]) -> None:
    assert cache.n_read == len(ids)
    assert cache.hidden.shape == (len(ids), model.config.hidden_size)
    torch.testing.assert_close(cache.hidden, hidden_after(model, ids), rtol=1e-3, atol=1e-3)


def test_hidden_states_are_kept_in_step_with_what_was_read(model: Any) -> None:
    cache = ConversationCache(model, keeps_hidden=True)
    with torch.inference_mode():
        cache.read(FIRST[:12])
        cache.read_until(FIRST[12:], lambda: False)
        check_hidden(model, cache, FIRST)
        cache.read_all([5, 6, 7, 8])
        check_hidden(model, cache, [*FIRST, 5, 6, 7, 8])
        cache.drop(3)
        check_hidden(model, cache, [*FIRST, 5])
        for token in range(30):
            cache.read([token])
        check_hidden(model, cache, [*FIRST, 5, *range(30)])
        other = [*FIRST[:10], *[60] * 15]
        kept = cache.keep_common(other)
        assert len(cache.hidden) == cache.n_read == kept
        cache.read(other[kept:])
        check_hidden(model, cache, other)
        cache.clear()
        assert len(cache.hidden) == cache.n_read == 0


def test_the_last_hidden_states_alone(model: Any) -> None:
    cache = ConversationCache(model, keeps_hidden="last")
    with torch.inference_mode():
        cache.read(FIRST)
        torch.testing.assert_close(cache.hidden, hidden_after(model, FIRST)[-1:], rtol=1e-3, atol=1e-3)
        cache.read_all([5, 6, 7, 8])
        after = hidden_after(model, [*FIRST, 5, 6, 7, 8])
        torch.testing.assert_close(cache.hidden, after[-4:], rtol=1e-3, atol=1e-3)
        cache.drop(2)
        torch.testing.assert_close(cache.hidden[-1], after[-3], rtol=1e-3, atol=1e-3)
        cache.keep_common([*FIRST[:3], 90, 91])
        assert len(cache.hidden) == 0


def test_what_reads_with_hidden_states_reads_as_without(model: Any) -> None:
    cache = ConversationCache(model, keeps_hidden=True)
    with torch.inference_mode():
        torch.testing.assert_close(cache.read(FIRST), logits_after(model, FIRST), rtol=1e-3, atol=1e-3)
        every = cache.read_all([5, 6])
    torch.testing.assert_close(every[0], logits_after(model, [*FIRST, 5]), rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(every[1], logits_after(model, [*FIRST, 5, 6]), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("make", [recurrence, experts], ids=lambda make: make.__name__)
def test_a_few_tokens_are_little_work_for_a_gated_delta_net(make: Callable[[], Any]) -> None:
    torch.manual_seed(3)
    model = make().eval()
    with torch.inference_mode():
        cache, plain = ConversationCache(model), DynamicCache(config=model.config)
        cache.read(FIRST)
        model(input_ids=torch.tensor([FIRST]), cache=plain)
        with FlopCounterMode(display=False) as ours:
            read = cache.read_all([5, 6, 7, 8])
        with FlopCounterMode(display=False) as theirs:
            expected = model(input_ids=torch.tensor([[5, 6, 7, 8]]), cache=plain).logits[0]
    torch.testing.assert_close(read, expected, rtol=1e-3, atol=1e-3)
    assert ours.get_total_flops() < theirs.get_total_flops() / 2


def test_hidden_states_that_nobody_asked_for_are_not_there() -> None:
    cache = ConversationCache(full_attention())
    with pytest.raises(ValueError, match="keeps no hidden states"):
        _ = cache.hidden


@pytest.mark.parametrize("before", [False, "last"])
def test_hidden_states_wanted_later_are_read_again(before: KeepsHidden) -> None:
    model = full_attention()
    cache = ConversationCache(model, before)
    with torch.inference_mode():
        cache.read(FIRST)
        cache.keep_hidden("last")
        assert cache.keep_common([*FIRST, 5]) == len(FIRST)
        cache.keep_hidden(True)
        assert cache.keep_common([*FIRST, 5]) == 0
        cache.read([*FIRST, 5])
        check_hidden(model, cache, [*FIRST, 5])
        cache.keep_hidden(True)
        assert cache.keep_common([*FIRST, 5, 6]) == len(FIRST) + 1
        cache.read([6])
        check_hidden(model, cache, [*FIRST, 5, 6])


def test_the_keys_that_a_layer_holds() -> None:
    torch.manual_seed(3)
    model = shared_keys().eval()
    cache = ConversationCache(model)
    with torch.inference_mode():
        plain = model(input_ids=torch.tensor([FIRST]), return_shared_kv_states=True).shared_kv_states
        cache.read(FIRST[:-3])
        cache.read_all([*FIRST[-3:], 50, 51])
        cache.drop(2)
    for layer, kind, n in ((0, "sliding_attention", 7), (1, "full_attention", 20)):
        for held, fresh in zip(cache.keys_values(layer), plain[kind], strict=True):
            torch.testing.assert_close(held, fresh[:, :, -n:], rtol=1e-3, atol=1e-3)


# --- what fails or is stopped half-way


def test_what_had_been_read_before_a_stop_stays_where_it_can_be_cut(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.cache.ASK_S", 0.0)
    cache = ConversationCache(model)
    with torch.inference_mode():
        cache.read(FIRST[:6])
        asked = iter([False, True])  # The first layer reads, the second is not begun.
        with pytest.raises(Interrupted):
            cache.read_until(FIRST[6:], lambda: next(asked))
        whole = type(model).__name__ == "LlamaForCausalLM"
        assert cache.n_read == (6 if whole else 0)
        kept = cache.keep_common(FIRST)
        assert kept == cache.n_read
        torch.testing.assert_close(cache.read(FIRST[kept:]), logits_after(model, FIRST), rtol=1e-3, atol=1e-3)


def test_a_draft_that_cannot_be_taken_back_whole_leaves_nothing() -> None:
    model = networks.sinks().eval()
    cache = ConversationCache(model)
    with torch.inference_mode():
        cache.read([1, 2, 3])
        cache.read_all([4, 5, 6])
        cache._cache.layers[0].sliding_window = None  # One layer of two fails.
        with pytest.raises(TypeError):
            cache.drop(2)
        assert cache.n_read == 0
        assert cache.keep_common([1, 2, 3, 4, 9]) == 0


def test_passes_do_not_grow_where_every_guess_falls() -> None:
    """A recurrent layer reads what stands of a fallen draft again, which must not pile up from draft to draft."""
    model = networks.recurrent().eval()
    cache = ConversationCache(model)
    sizes: list[int] = []
    model.register_forward_pre_hook(lambda _model, _args, given: sizes.append(given["input_ids"].shape[1]), with_kwargs=True)
    with torch.inference_mode():
        cache.read([1, 2, 3])
        for token in range(60):
            guesses = [5, 6, 7][: cache.most_ahead]
            cache.read_all([token % 13, *guesses])
            cache.drop(len(guesses))
    assert max(sizes) <= 16
    assert sizes.count(4) > 3, "guesses are read again once that is settled"
