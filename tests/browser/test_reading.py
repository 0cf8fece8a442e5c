"""Reading a run: the popover's numbers, the keyboard, a narrow window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Site, Tab
from tests.browser.turns import ANSWER, CALCULATE, THINK

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]


@pytest.fixture
def run(site: Sites, tab: Tabs) -> tuple[Site, Tab]:
    """A finished run of two steps."""
    here = site([*THINK, *CALCULATE], ANSWER)
    page = tab(here.url)
    page.ask("What is 37 * 48?")
    page.wait_ended()
    return here, page


def tokens(site: Site, run_id: str, step: int) -> list[dict[str, Any]]:
    return [event for event in site.run_file(run_id) if event["kind"] == "token" and event["step"] == step]


def test_the_popover_says_what_the_run_file_says(run: tuple[Site, Tab]) -> None:
    here, page = run
    for index, token in enumerate(tokens(here, page.run_id, 2)):
        page.page.locator(".lg-strip >> nth=1").locator(".lg-t").nth(index).click()
        popover = page.page.locator(".lg-popover")
        assert f"id {token['id']}" in popover.locator(".lg-where").inner_text()
        facts = popover.locator(".lg-pop-facts .lg-num").evaluate_all("all => all.map(each => Number(each.dataset.value))")
        assert facts == [token[name] for name in ("p", "rank", "logprob", "entropy", "p_sampled")]
        assert f"({token['kept']} " in popover.locator(".lg-pop-facts").inner_text()
        rows = popover.locator(".lg-candidate:not(.lg-extra)").evaluate_all(
            "all => all.map(row => [Number(row.dataset.id), Number(row.querySelector('.lg-num').dataset.value), "
            "row.classList.contains('lg-cut') ? 0 : 1])",
        )
        assert rows[:5] == [[number, p, kept] for number, _, p, kept in token["top"]]
        assert popover.locator(".lg-chosen").get_attribute("data-id") == str(token["id"])
        number, exact = popover.locator("[data-fact=p_sampled]"), page.page.locator(".lg-tip")
        number.click()
        exact.wait_for(state="visible")
        assert float(exact.inner_text()) == token["p_sampled"], "a tap says the number unrounded"


def selected(page: Tab) -> tuple[int, int]:
    """Step and index of the token that has the focus."""
    found = page.page.locator(".lg-t:focus")
    step = found.evaluate("span => [...span.getRootNode().querySelectorAll('.lg-strip')].indexOf(span.closest('.lg-strip'))")
    return step + 1, int(found.get_attribute("data-i") or -1)


def test_the_keyboard_walks_through_tokens_and_steps(run: tuple[Site, Tab]) -> None:
    _, page = run
    press = page.page.keyboard.press
    popover = page.page.locator(".lg-popover")
    page.page.locator(".lg-strip >> nth=0").locator(".lg-t").nth(2).click()
    press("Escape")
    assert selected(page) == (1, 2)
    press("ArrowRight")
    assert selected(page) == (1, 3)
    press("ArrowLeft")
    press("ArrowLeft")
    assert selected(page) == (1, 1)
    assert popover.is_hidden()
    press("Enter")
    assert popover.is_visible()
    before = popover.inner_text()
    press("ArrowRight")
    assert popover.inner_text() != before, "an open popover follows the token"
    press("Escape")
    assert popover.is_hidden()
    press("ArrowDown")
    assert selected(page) == (2, 0)
    press("ArrowUp")
    assert selected(page)[0] == 1


@pytest.mark.parametrize("locale", ["en-US", "zh-TW"])
def test_a_narrow_window_needs_no_sideways_scrolling(site: Sites, tab: Tabs, locale: str) -> None:
    here = site([*THINK, *CALCULATE], ANSWER)
    page = tab(here.url, locale=locale, width=380, height=800)
    assert page.page.evaluate("document.scrollingElement.scrollWidth") <= 380
    page.ask("What is 37 * 48?")
    page.wait_ended()
    page.page.locator(".lg-strip >> nth=1").locator(".lg-t").nth(3).click()
    for part in (".lg-root", ".lg-card >> nth=0", ".lg-popover", ".lg-status", "[data-testid=stChatInput]"):
        box = page.page.locator(part).first.bounding_box()
        assert box is not None
        assert box["x"] >= 0, part
        assert box["x"] + box["width"] <= 380, part
    assert page.page.locator(".lg-root").evaluate("root => root.scrollWidth <= root.clientWidth")


def test_a_models_name_can_be_typed_and_a_wrong_one_mended(site: Sites, tab: Tabs) -> None:
    here = site(ANSWER)
    page = tab(here.url)
    page.page.get_by_role("button", name="Choose a model").click()
    page.page.get_by_role("heading", name="Recommended").wait_for()  # Then the whole dialog stands.
    box = page.page.get_by_role("textbox", name="Path or name")
    box.fill("/no/such/folder")
    box.press("Enter")
    page.page.get_by_text("There is no model “/no/such/folder”").wait_for()
    assert box.input_value() == "/no/such/folder"
    box.fill("acme/other")
    box.press("Enter")
    page.page.get_by_text("acme/other (").wait_for()
    page.ask("What is 37 * 48?")
    page.wait_ended()
    assert here.run_file(page.run_id)[0]["model"] == "acme/other"
    assert page.errors == []


def test_the_browsers_language_is_used_at_first(site: Sites, tab: Tabs) -> None:
    here = site()
    for locale, text, other in (
        ("zh-TW", "從一個例子開始", "Start with an example"), ("fr-FR", "Start with an example", "從一個例子開始"),
    ):
        page = tab(here.url, locale=locale).page
        page.get_by_text(text).wait_for()
        assert page.get_by_text(other).count() == 0
