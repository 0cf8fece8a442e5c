"""Products with few rows against torch's own in float64, and which layers are made to take them so."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from backends.few_rows import FewRowsLinear, quicken


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(96, 32), (32, 96), (64, 64)])
@pytest.mark.parametrize("rows", [(1,), (1, 1), (1, 2), (1, 3), (4,), (2, 3), (0,), (1, 40)])
def test_the_numbers_are_those_of_the_exact_product(rows: tuple[int, ...], shape: tuple[int, int], bias: bool) -> None:
    torch.manual_seed(1)
    layer = nn.Linear(shape[1], shape[0], bias=bias)
    layer.__class__ = FewRowsLinear
    given = torch.randn(*rows, shape[1])
    with torch.inference_mode():
        output = layer(given)
        exact = given.double() @ layer.weight.double().T + (layer.bias.double() if bias else 0)
    assert output.shape == (*rows, shape[0])
    assert output.is_contiguous()
    torch.testing.assert_close(output.double(), exact, rtol=1e-5, atol=1e-5)


def test_rows_that_do_not_lie_together() -> None:
    torch.manual_seed(2)
    layer = nn.Linear(16, 8)
    layer.__class__ = FewRowsLinear
    given = torch.randn(16, 3).T
    with torch.inference_mode():
        torch.testing.assert_close(layer(given), nn.functional.linear(given.contiguous(), layer.weight, layer.bias))


class Special(nn.Linear):
    """A layer with a way of its own."""


def test_only_plain_float32_layers_are_changed_and_they_keep_their_weights() -> None:
    plain, half, special = nn.Linear(2048, 4096), nn.Linear(4, 8).bfloat16(), Special(4, 8)
    weight = plain.weight
    model = nn.Sequential(plain, nn.Sequential(half, special))
    quicken(model)
    assert type(half) is nn.Linear
    assert type(special) is Special
    assert type(plain) is (FewRowsLinear if torch.backends.mkl.is_available() else nn.Linear)
    assert plain.weight is weight
    assert list(model.state_dict()) == ["0.weight", "0.bias", "1.0.weight", "1.0.bias", "1.1.weight", "1.1.bias"]


def test_a_very_small_model_stays_as_it_is() -> None:
    model = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))
    quicken(model)
    assert {type(layer) for layer in model} == {nn.Linear}
