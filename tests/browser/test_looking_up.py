"""What a reader looks up: explanations and a token's details, wherever they stand, and conversations of before."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.browser.conftest import ROOT, Site, Tab
from tests.browser.turns import ANSWER, CALCULATE

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]
WRITER = """
import sys
from pathlib import Path
from backends.scripted import ScriptedBackend
from families.hermes import HERMES
from harness.run import Run
from harness.settings import Settings
from tests.browser.launcher import gate
folder = Path(sys.argv[1])
run = Run(ScriptedBackend([["One ", gate(folder / "go"), "two."]], HERMES), "Count.", Settings(), folder=folder / "runs")
print(run.run_id, flush=True)
run.execute()
"""
"""A run in a process of its own, as `loopglass ask` has it."""


def test_an_explanation_is_reached_by_keyboard_and_says_it(site: Sites, tab: Tabs) -> None:
    page = tab(site(CALCULATE, ANSWER).url)
    page.ask("What is 37 * 48?")
    page.wait_ended()
    item = page.page.locator(".lg-ledger-item [data-tip]").first
    item.focus()
    tip = page.page.locator(".lg-tip")
    tip.wait_for(state="visible")
    assert tip.inner_text() == item.get_attribute("aria-description") == item.get_attribute("data-tip")
    page.page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    page.page.keyboard.press("Tab")
    tip.wait_for(state="visible")
    assert tip.inner_text() != item.get_attribute("data-tip")
    assert page.errors == []


@pytest.mark.parametrize(("width", "height"), [(853, 640), (420, 800)])
def test_a_tokens_details_stand_above_the_question_box(site: Sites, tab: Tabs, width: int, height: int) -> None:
    page = tab(site(ANSWER).url, width=width, height=height)
    page.ask("What is 37 * 48?")
    page.wait_ended()
    page.page.locator(".lg-strip .lg-t").last.click()
    details = page.page.locator(".lg-popover")
    details.wait_for(state="visible")
    at, box = details.bounding_box(), page.page.locator("[data-testid=stChatInput]").bounding_box()
    assert at["y"] >= 0
    assert at["y"] + at["height"] <= box["y"], "its last row can be read"
    assert details.locator(".lg-candidate").count() == 5
    page.page.keyboard.press("Escape")
    details.wait_for(state="hidden")


def test_an_earlier_conversation_is_found_again(site: Sites, tab: Tabs) -> None:
    page = tab(site(ANSWER, ["Hello", "."]).url)
    page.ask("What is 37 * 48?")
    page.wait_ended()
    first = page.run_id
    page.page.get_by_role("button", name="New conversation").click()
    page.page.wait_for_url(lambda url: "run=" not in url)
    page.ask("Hi!")
    page.wait_ended()
    page.page.get_by_role("button", name="Earlier questions").click()
    dialog = page.page.get_by_role("dialog")
    dialog.get_by_text("What is 37 * 48?").wait_for()
    dialog.get_by_role("button", name="Open").first.click()
    page.page.wait_for_url(f"**run={first}*")
    dialog.wait_for(state="hidden")
    page.page.locator(f".lg-run[data-run='{first}'] .lg-answer-text:visible").first.wait_for()
    assert page.errors == []


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there that tell whether a file is still written")
def test_a_run_of_another_process_is_watched_live(site: Sites, tab: Tabs) -> None:
    here = site(ANSWER)
    page = tab(here.url)
    command = [sys.executable, "-c", WRITER, str(here.folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        run_id = other.stdout.readline().strip()
        page.go(f"{here.url}/?run={run_id}")
        page.wait_tokens(1)
        assert page.page.locator(".lg-status").get_attribute("data-phase") == "writing"
        page.page.locator(".lg-stop").click()
        page.page.get_by_text("another program is running it").wait_for()
        here.open("go")
        page.wait_ended()
    assert page.page.locator(".lg-answer-text:visible").first.inner_text() == "One two."
