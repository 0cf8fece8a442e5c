"""The shared cases of `tests/data/parser_cases.jsonl`, of all the families."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.families import accepted, comparable, own_cases
from families.read import read_case


@pytest.mark.parametrize("case", own_cases(), ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    assert comparable(read_case(case)) in accepted(case)


def test_the_file_is_whole() -> None:
    assert len(own_cases()) == 80
