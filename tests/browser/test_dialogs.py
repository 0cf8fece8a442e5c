"""Dialogs and tabs that are at rest, while the page is drawn anew around them."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.conftest import Site, Tab
from tests.browser.turns import ANSWER, gated

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]


def test_a_dialog_keeps_what_is_typed_while_a_run_ends(site: Sites, tab: Tabs) -> None:
    here = site(gated("One two", "go", "three."))
    page = tab(here.url)
    page.ask("Count.")
    page.wait_tokens(2)
    page.page.get_by_role("button", name="Choose a model").click()
    dialog = page.page.get_by_role("dialog")
    box = dialog.get_by_role("textbox", name="Path or name")
    box.fill("/models/mine")
    here.open("go")
    page.wait_ended()
    page.idle()
    assert box.input_value() == "/models/mine"
    page.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.idle()
    assert dialog.count() == 0
    assert page.errors == []


def test_a_tab_at_rest_shows_the_model_that_another_tab_has_chosen(site: Sites, tab: Tabs) -> None:
    here = site(ANSWER)
    first, second = tab(here.url), tab(here.url)
    typed = first.page.locator("[data-testid=stChatInputTextArea]:not([disabled])")
    typed.fill("What is 37")
    second.page.get_by_role("button", name="Choose a model").click()
    box = second.page.get_by_role("dialog").get_by_role("textbox", name="Path or name")
    box.fill("acme/other")
    box.press("Enter")
    first.page.get_by_text("acme/other (").wait_for()
    first.idle()
    assert typed.input_value() == "What is 37"
    assert first.errors == []
