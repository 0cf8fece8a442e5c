"""The drafting lane with scripted guesses: its rows as they come, its figures beside the run file's, and the keyboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Site, Tab
from tests.browser.turns import PASS, drafting_facts, guessed

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]

ARGUMENTS = '{"expression": "37 * 48"}'
CALL = [
    "<tool_call>",
    PASS, guessed("\n", 0), guessed('{"name": "calculator", "arguments": ', 1), guessed("{}", 2, "}", "\n", text=ARGUMENTS),
    PASS, "}",
    PASS, guessed("\n", 0), guessed("</tool_call>", 1), "<|im_end|>",
]
ANSWER = [
    "37", PASS, guessed(" *", 0, " 48", text=" times"), PASS, guessed(" 48", 0), guessed(" is", 1), {"gate": "go"}, " 1776",
    PASS, guessed("好", 0, " then", text="."), PASS, guessed("<|im_end|>", 0),
]
LOOKUP = {"prompt_lookup": None}
ROWS = """rows => [...rows.children].map(row => [row.firstChild.textContent,
    ...[...row.querySelectorAll('.lg-guess')].map(chip => [chip.dataset.state, chip.textContent])])"""


def choose_drafter(page: Tab, name: str) -> None:
    box = page.page.locator("[data-testid=stSelectbox]").filter(has_text="Drafting").locator("input")
    box.click()
    page.page.get_by_role("option", name=name).click()
    page.idle()


@pytest.fixture
def run(site: Sites, tab: Tabs) -> tuple[Site, Tab]:
    """A question whose answer waits in the middle of a draft."""
    here = site(CALL, ANSWER, drafters=LOOKUP)
    page = tab(here.url)
    choose_drafter(page, "Prompt lookup")
    page.ask("What is 37 * 48?")
    page.page.locator(".lg-card >> nth=1").locator(".lg-t >> nth=3").wait_for()
    return here, page


def lane(page: Tab, step: int) -> Any:
    return page.page.locator(".lg-card").nth(step - 1).locator(".lg-drafting")


def test_rounds_are_rows_that_come_with_the_tokens(run: tuple[Site, Tab]) -> None:
    here, page = run
    assert lane(page, 1).locator(".lg-rounds").evaluate(ROWS) == [
        ["+3", ["held", "↵"], ["held", '{"name":␣"calculator",␣"arguments":␣'], ["fell", "{}"], ["dropped", "}"],
         ["dropped", "↵"], ["own", ARGUMENTS.replace(" ", "␣")]],
        ["+3", ["held", "↵"], ["held", "</tool_call>"], ["own", "<|im_end|>"]],
    ]
    second = lane(page, 2)
    first_row = ["+1", ["fell", "␣*"], ["dropped", "␣48"], ["own", "␣times"]]
    assert second.locator(".lg-rounds").evaluate(ROWS) == [first_row, ["+2", ["held", "␣48"], ["held", "␣is"]]]
    assert second.locator(".lg-draft-facts").inner_text() == "passes with guesses: 2"
    assert second.locator(".lg-draft-shares").count() == 0, "nothing is counted before the turn is over"
    here.open("go")
    page.wait_ended()
    assert second.locator(".lg-rounds").evaluate(ROWS) == [
        first_row, ["+3", ["held", "␣48"], ["held", "␣is"], ["own", "␣1776"]],
        ["+1", ["fell", "好"], ["dropped", "␣then"], ["own", "."]], ["+1", ["held", "<|im_end|>"]],
    ]


def test_the_figures_are_the_run_files(run: tuple[Site, Tab]) -> None:
    here, page = run
    here.open("go")
    page.wait_ended()
    ends = [event for event in here.run_file(page.run_id) if event["kind"] == "model_end"]
    assert [end["mtp"]["drafted"] for end in ends] == [7, 7]
    for step, end in enumerate(ends, start=1):
        mtp = end["mtp"]
        assert lane(page, step).locator(".lg-draft-facts").inner_text() == drafting_facts(end)
        guesses = lane(page, step).locator(".lg-rounds .lg-guess")
        drawn = Counter(guesses.evaluate_all("all => all.map((each) => each.dataset.state)"))
        assert f"{drawn['held']} of {drawn['held'] + drawn['fell']} guesses" in drafting_facts(end)
        assert f"{drawn['dropped']} more were dropped" in drafting_facts(end)
        channels, places = lane(page, step).locator(".lg-draft-shares").all_inner_texts()
        names = {"tool_call": "tool calls", "content": "content", "control": "control tokens"}
        for channel, (looked, held) in mtp["by_channel"].items():
            assert f"{names[channel]}: {held} of {looked} " in channels
        assert places.count(" of ") == len(mtp["by_place"])
        for place, (looked, held) in enumerate(mtp["by_place"], start=1):
            assert f"guess {place}: {held} of {looked} " in places
    page.page.get_by_text("中文", exact=True).click()
    said = "檢查了 5 個猜測，猜中 4 個；另外 2 個沒檢查就作廢。第一個 token 在讀提示時就有了，其餘 7 個模型只跑了 3 次，省下 4 次"
    page.page.get_by_text(said).wait_for()


def test_the_arrow_keys_walk_the_rounds_and_enter_goes_to_the_token(run: tuple[Site, Tab]) -> None:
    here, page = run
    here.open("go")
    page.wait_ended()
    keys = page.page.keyboard
    fold = lane(page, 1).locator(".lg-draft-fold")
    fold.focus()
    keys.press("Tab")
    focused = lane(page, 1).locator(".lg-guess:focus")
    assert focused.inner_text() == "↵"
    for key, shown in (
        ("ArrowRight", '{"name"'), ("ArrowRight", "{}"), ("ArrowDown", "<|im_end|>"), ("ArrowLeft", "</tool_call>"),
        ("ArrowUp", '{"name"'), ("End", "<|im_end|>"), ("ArrowDown", "<|im_end|>"), ("Home", "↵"),
    ):
        keys.press(key)
        assert focused.inner_text().startswith(shown), key
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    assert focused.get_attribute("aria-label") == "{}: fell: the model picked another"
    keys.press("Enter")
    assert page.page.locator(".lg-t:focus").inner_text() == ARGUMENTS
    assert "“{}” had been guessed here" in page.page.locator(".lg-popover").inner_text()
    fold.focus()
    keys.press("Enter")
    assert not lane(page, 1).locator(".lg-rounds").is_visible()
    keys.press("Tab")
    assert lane(page, 1).locator(".lg-guess:focus").count() == 0


def test_a_turn_without_guesses_says_so_and_one_without_a_drafter_has_no_lane(site: Sites, tab: Tabs) -> None:
    here = site(["Hello", ".", "<|im_end|>"], ["Bye", "."], drafters={**LOOKUP, "assistant": ("沒有下載", "it is not here")})
    page = tab(here.url)
    assert "it is not here" in page.page.locator("[data-testid=stSidebar]").inner_text()
    choose_drafter(page, "Prompt lookup")
    page.ask("Hello?")
    page.wait_ended()
    assert lane(page, 1).locator(".lg-draft-facts").inner_text() == "nothing was guessed in this turn"
    assert lane(page, 1).locator(".lg-draft-fold").is_disabled()
    assert not lane(page, 1).locator(".lg-draft-body").is_visible()
    assert not page.errors
