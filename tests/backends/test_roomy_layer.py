"""A layer with room to spare holds what transformers' own layer holds, however it is filled and cut."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from transformers import DynamicCache, LlamaConfig
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from backends.roomy_layer import RoomyLayer, with_room


def states(n: int) -> tuple[Tensor, Tensor]:
    return torch.randn(1, 2, n, 4), torch.randn(1, 2, n, 4)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 300), st.floats(0, 1)), min_size=1, max_size=8))
def test_what_is_held_is_what_transformers_holds(steps: list[tuple[int, float]]) -> None:
    roomy, plain = RoomyLayer(), DynamicLayer()
    for n, share in steps:
        keys, values = states(n)
        for held, expected in zip(roomy.update(keys, values), plain.update(keys, values), strict=True):
            assert torch.equal(held, expected)
        cut = int(share * plain.get_seq_length())
        for layer in (roomy, plain):
            layer.crop(-cut)
        assert roomy.get_seq_length() == plain.get_seq_length()
        assert torch.equal(roomy.keys, plain.keys)
        assert torch.equal(roomy.values, plain.values)


def test_a_token_is_written_where_the_others_lie() -> None:
    layer = RoomyLayer()
    before, _ = layer.update(*states(10))
    after, _ = layer.update(*states(1))
    assert after.data_ptr() == before.data_ptr()


def test_what_was_put_in_by_others_is_taken_over() -> None:
    layer = RoomyLayer()
    layer.update(*states(3))
    layer.keys, layer.values = states(5)
    expected = layer.keys.clone()
    keys, _ = layer.update(*states(2))
    assert torch.equal(keys[..., :5, :], expected)


def test_a_layer_that_was_reset_begins_anew() -> None:
    layer = RoomyLayer()
    layer.update(*states(3))
    layer.reset()
    assert layer.get_seq_length() == 0
    keys, values = states(2)
    assert torch.equal(layer.update(keys, values)[1], values)


def test_only_plain_layers_are_replaced() -> None:
    config = LlamaConfig(num_hidden_layers=2)
    assert [type(layer) for layer in with_room(DynamicCache(config=config)).layers] == [RoomyLayer, RoomyLayer]
    cache = DynamicCache(config=config)
    cache.layers = [DynamicSlidingWindowLayer(sliding_window=4), DynamicLayer()]
    assert [type(layer) for layer in with_room(cache).layers] == [DynamicSlidingWindowLayer, RoomyLayer]
