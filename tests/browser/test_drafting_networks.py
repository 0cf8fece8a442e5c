"""The two networks that draft, on the page: the tiny Qwen3.5 with its MTP head, the tiny Gemma 4 with its assistant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import ROOT, Site, Tab
from tests.browser.test_drafting import choose_drafter, lane
from tests.browser.turns import drafting_facts

COPIES_NUMBERS = "Add up 48213.75, 90577.2 and 16264.08 for me."


@pytest.mark.parametrize(
    ("model", "drafter", "choice"),
    [("tiny_qwen3_5", "mtp", "The model’s own MTP head"), ("tiny_gemma4", "gemma4_assistant", "Gemma 4’s drafter (MTP)")],
)
def test_most_guesses_hold_and_the_lane_counts_as_the_run_file(
    site: Callable[..., Site], tab: Callable[..., Tab], model: str, drafter: str, choice: str
) -> None:
    here = site(model=str(ROOT / "tests/data" / model))
    page = tab(here.url)
    choose_drafter(page, choice)
    page.ask(COPIES_NUMBERS)
    page.wait_ended()
    events = here.run_file(page.run_id)
    assert events[0]["settings"]["drafter"] == drafter
    ends = [event for event in events if event["kind"] == "model_end"]
    for step, end in enumerate(ends, start=1):
        mtp = end["mtp"]
        assert mtp["accepted"] > mtp["drafted"] / 2
        assert lane(page, step).locator(".lg-guess[data-state=held]").count() == mtp["accepted"]
        assert lane(page, step).locator(".lg-draft-facts").inner_text() == drafting_facts(end)
    assert ends
    assert not page.errors
