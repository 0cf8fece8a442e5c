"""The rows of the package canitoolcall: each is read right, or stands in a list with the reason why it is not.

`tests/data/canitoolcall_misses.json` is that list. A row that becomes wrong is a step back; one that becomes right must leave it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from canitoolcall.fixtures import Family, Fixture

from benchmarks.families import FAMILIES, canitoolcall_rows, read_row, score, wrong_checks

MISSES: dict[str, str] = json.loads((Path(__file__).parents[1] / "data" / "canitoolcall_misses.json").read_text("utf-8"))
ROWS = canitoolcall_rows()


@pytest.mark.parametrize(("row", "family"), ROWS, ids=[row.id for row, _ in ROWS])
def test_a_row_is_right_unless_it_is_listed(row: Fixture, family: Family) -> None:
    wrong = wrong_checks(row, family, read_row(row, family))
    if row.id in MISSES:
        assert wrong, "this row is right now: take it out of canitoolcall_misses.json"
    else:
        assert not wrong


def test_the_list_names_rows_that_there_are_and_says_why() -> None:
    assert len(ROWS) == 469
    assert set(MISSES) <= {row.id for row, _ in ROWS}
    assert all(len(reason.split()) >= 5 for reason in MISSES.values())


def test_every_family_of_the_rows_is_read() -> None:
    assert set(FAMILIES) == {row.family for row, _ in ROWS}


def test_the_two_families_that_the_page_is_for_are_nearly_always_right() -> None:
    scores = score((row.family, row.id not in MISSES) for row, _ in ROWS)
    for family in ("gemma4", "qwen3-xml"):
        right, total = scores[family]
        assert right / total >= 0.95, family
