"""What is told while transformers reads weights."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from transformers.utils import logging as transformers_logging

from backends.loading import load_checkpoint
from backends.weight_progress import told
from families.base import Text

BAR = {"desc": "Loading weights"}


def parameters(sizes: dict[str, int], n_bytes: int, names: list[str]) -> list[tuple[str, float | None]]:
    """What is told, in English, while parameters of these names are read."""
    said: list[tuple[str, float | None]] = []
    with told(lambda what, done: said.append((what.en, done)), n_bytes, sizes):
        read = [name for name, _ in transformers_logging.tqdm(dict.fromkeys(names).items(), **BAR)]
    assert read == names
    return said


def test_bytes_of_parameters_add_up() -> None:
    said = parameters({"a": 1_000_000, "b": 3_000_000}, 4_000_000, ["a", "b"])
    assert said == [
        ("Reading the weights: 1.00 MB of 4.00 MB, 0 s", 0.25),
        ("Reading the weights: 4.00 MB of 4.00 MB, 0 s", 1.0),
    ]


def test_parameters_with_other_names_share_what_is_left() -> None:
    assert [done for _, done in parameters({"a": 400}, 1000, ["a", "x", "y"])] == pytest.approx([0.4, 0.7, 1.0])


def test_other_bars_are_left_alone_and_the_hook_is_taken_back() -> None:
    said: list[str] = []
    with told(lambda what, done: said.append(what.en), 10, {}):
        assert list(transformers_logging.tqdm(range(3), desc="Something else", disable=True)) == [0, 1, 2]
    assert list(transformers_logging.tqdm(range(3), disable=True, **BAR)) == [0, 1, 2]
    assert said == []


def test_a_checkpoint_is_told_in_bytes_up_to_all_of_them(tiny_folder: Path) -> None:
    said: list[tuple[Text, float | None]] = []
    load_checkpoint(tiny_folder, lambda what, done: said.append((what, done)), "cpu", None)
    reading = [(what, done) for what, done in said if what.en.startswith("Reading the weights")]
    assert len(reading) > 10
    shares = [done for _, done in reading if done is not None]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert all(re.fullmatch(r"讀取權重：[\d.]+ k?B，共 [\d.]+ k?B，\d+ 秒", what.zh) for what, _ in reading)


class GivenUpError(Exception):
    pass


def test_reading_ends_where_the_one_who_is_told_gives_up(tiny_folder: Path) -> None:
    def give_up(what: Text, _done: float | None) -> None:
        if what.en.startswith("Reading the weights"):
            raise GivenUpError

    with pytest.raises(GivenUpError):
        load_checkpoint(tiny_folder, give_up, "cpu", None)
