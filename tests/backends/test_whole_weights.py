"""A folder whose files are not all there, or not whole, says which and what to do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from backends.base import BackendError
from backends.checkpoint import INDEX, WEIGHTS
from backends.local import LocalBackend

SHARDS = [f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)]


def cut(n_bytes: int) -> Callable[[Path], None]:
    """Keeps the first bytes of the weights; a number below zero is taken away at the end."""
    def breaks(folder: Path) -> None:
        (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:n_bytes])

    return breaks


def sharded(folder: Path) -> None:
    """The weights as the first of three files, the others missing."""
    (folder / WEIGHTS).rename(folder / SHARDS[0])
    (folder / INDEX).write_text(json.dumps({"weight_map": {name: name for name in SHARDS}}), "utf-8")


def pointer(folder: Path) -> None:
    (folder / WEIGHTS).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 270000000\n", "utf-8")


def pickled(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")


def untokenized(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def no_json(folder: Path) -> None:
    (folder / "config.json").write_text("<html>", "utf-8")


WRONG = {
    "the last byte is missing": (cut(-1), f"{WEIGHTS} ends too soon"),
    "only its head": (cut(5000), f"{WEIGHTS} ends too soon: it has 5.00 kB"),
    "a part of its head": (cut(100), f"{WEIGHTS} ends too soon: it has 100 B"),
    "empty": (cut(0), f"{WEIGHTS} ends too soon: it has 0 B"),
    "files are missing": (sharded, f"2 of the 3 files of its weights are missing, {SHARDS[1]} first. Copy or download"),
    "a pointer": (pointer, "Run “git lfs pull”"),
    "another format": (pickled, "Only weights in the format safetensors are read"),
    "no tokenizer": (untokenized, "has no tokenizer.json"),
    "no configuration": (no_json, "config.json"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_missing_or_cut_off_is_a_sentence(case: str, tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "broken"))
    breaks, said = WRONG[case]
    breaks(folder)
    with pytest.raises(BackendError) as caught:
        LocalBackend.load(folder, "broken", device="cpu")
    assert said in str(caught.value)
    assert str(folder) in str(caught.value)
    assert str(folder) in caught.value.zh
    assert "deserializing" not in str(caught.value)
