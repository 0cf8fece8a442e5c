"""What fits in memory, and what is said where it does not."""

from __future__ import annotations

import json
from pathlib import Path

import psutil
import pytest

from backends.base import BackendError
from backends.checkpoint import DTYPES
from backends.loading import load_checkpoint
from backends.memory import BYTES, Weights, does_not_fit, free_bytes, require_room, smaller
from families.base import Text
from tests.backends import tiny

GB = 1_000_000_000


def test_every_number_format_that_can_be_chosen_has_its_bytes() -> None:
    import torch

    assert {name: getattr(torch, name).itemsize for name in DTYPES} == BYTES


def test_what_is_needed() -> None:
    assert Weights(4 * GB, "float32").n_bytes == 16 * GB
    assert Weights(4 * GB, "bfloat16").n_bytes == 8 * GB


@pytest.mark.parametrize(
    ("dtype", "free", "fits"),
    [("float32", 10 * GB, ("bfloat16", "float16")), ("float32", 8 * GB, ()), ("float32", 4 * GB, ()), ("bfloat16", 4 * GB, ())],
)
def test_only_smaller_formats_that_leave_room_to_compute_are_said_to_fit(
    dtype: str, free: int, fits: tuple[str, ...]
) -> None:
    assert smaller(Weights(4 * GB, dtype), free) == fits


def test_what_fits_is_let_through() -> None:
    require_room("Acme/Tiny", Weights(1 * GB, "float32"), 4 * GB)
    with pytest.raises(BackendError):
        require_room("Acme/Tiny", Weights(1 * GB + 1, "float32"), 4 * GB)


def test_a_smaller_format_is_named_where_it_fits() -> None:
    error = does_not_fit("Acme/Tiny", Weights(4 * GB, "float32"), 10 * GB)
    assert str(error) == (
        "There is not enough memory for Acme/Tiny: its weights take 16.0 GB in float32, and 10.0 GB are free. "
        "In bfloat16 or float16 they take 8.00 GB, which fits."
    )
    assert "bfloat16 或 float16" in error.zh


def test_a_smaller_model_is_named_where_no_format_fits() -> None:
    error = does_not_fit("Acme/Tiny", Weights(4 * GB, "bfloat16"), 6 * GB)
    assert "about 2500 million parameters fit in bfloat16" in str(error)
    assert "25 億個參數" in error.zh


def test_the_memory_that_is_free_here() -> None:
    free = free_bytes("cpu")
    assert free is not None
    assert 0 < free < psutil.virtual_memory().total
    assert free_bytes("meta") is None, "a device that does not say"


def test_a_model_that_cannot_fit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """The header promises more numbers than any computer here has room for; the file behind it holds none of them."""
    folder = tiny.write(tmp_path)
    header = json.dumps({"huge": {"dtype": "BF16", "shape": [10**9, 10**6], "data_offsets": [0, 2 * 10**15]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    said: list[Text] = []
    with pytest.raises(BackendError, match=r"its weights take 4000000 GB in float32, and .* are free") as caught:
        load_checkpoint(folder, lambda what, done: said.append(what), "cpu", None)
    assert "Choose a smaller model" in str(caught.value)
    assert "記憶體放不下" in caught.value.zh
    assert not any("weights" in what.en for what in said)
