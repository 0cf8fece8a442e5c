"""The prompt ledger in the step card, and the way from what was read to the tokens that wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backends.scripted import ScriptedBackend
from families.hermes import HERMES
from tests.browser.conftest import Site, Tab
from tests.browser.turns import CALCULATE

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]
MARKED = "all => all.map(span => span.textContent).join('')"


def tokens(text: str) -> list[str]:
    """A turn as the tokens that the scripted model's tokenizer makes of it, so that reading it again changes nothing."""
    ends = ScriptedBackend([], HERMES).encode(text).ends or ()
    return [text[begin:end] for begin, end in zip((0, *ends), ends, strict=False)]


THOUGHT = "<think>\nThis needs the calculator.\n</think>\n\n"
CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "37 * 48"}}\n</tool_call>'
TURNS = (tokens(THOUGHT + CALL), tokens("It is 1776."), tokens("It is 888."))


@pytest.fixture
def run(site: Sites, tab: Tabs) -> tuple[Site, Tab]:
    here = site(*TURNS)
    page = tab(here.url)
    page.ask("What is 37 * 48?")
    page.wait_ended()
    return here, page


def of_kind(site: Site, page: Tab, kind: str) -> list[dict[str, Any]]:
    return [event for event in site.run_file(page.run_id) if event["kind"] == kind]


def test_thinking_that_is_dropped_is_drawn_with_its_numbers(run: tuple[Site, Tab]) -> None:
    here, page = run
    first = page.run_id
    second = page.page.locator(".lg-card >> nth=1")
    assert "was changed" in second.locator(".lg-ledger-text").inner_text(), "nothing was, and it says so"
    assert second.locator(".lg-ledger-again").count() == 0
    page.ask("And half of that?")
    page.page.wait_for_function("run => new URLSearchParams(location.search).get('run') !== run", arg=first)
    page.wait_ended()
    (context,) = of_kind(here, page, "context")
    departs = context["departs"]
    assert departs["kind"] == "thinking"
    card = page.page.locator(".lg-run:not(.lg-earlier) .lg-card >> nth=0")
    said = card.locator(".lg-ledger-text").inner_text()
    assert said == (
        f"{departs['changes'][0][1]} thinking tokens were dropped by the template. "
        f"What stands behind the change has to be read again: {departs['n_again']} tokens."
    )
    assert departs["changes"][0][1] == len(tokens(THOUGHT))
    assert card.locator(".lg-ledger-bar > span").count() == 3
    assert "This needs" in card.locator(".lg-ledger-where").inner_text()
    assert card.locator(".lg-part.lg-has-again.lg-by-tool").inner_text().count("1776") == 1
    assert "And half of that?" in card.locator(".lg-part.lg-by-user:not(.lg-has-again)").inner_text()
    page.page.get_by_text("中文", exact=True).click()
    page.page.get_by_text(f"對話模板丟掉了 {departs['changes'][0][1]} 個思考的 token").first.wait_for()


def test_an_argument_leads_to_the_tokens_that_wrote_it(run: tuple[Site, Tab]) -> None:
    _, page = run
    card = page.page.locator(".lg-card >> nth=0")
    marked = card.locator(".lg-marked")
    argument = card.locator(".lg-argument")
    argument.click()
    assert marked.evaluate_all(MARKED) == "37 * 48"
    argument.click()
    assert marked.count() == 0, "the same way a second time takes the marks away"
    argument.focus()
    page.page.keyboard.press("Enter")
    assert marked.evaluate_all(MARKED) == "37 * 48"
    assert card.locator(".lg-t:focus").inner_text() == "37"
    card.locator(".lg-tag-thinking + .lg-row-body .lg-text").click()
    assert marked.evaluate_all(MARKED).replace("↵", "").strip() == "This needs the calculator."
    card.locator(".lg-called-name").click()
    assert marked.evaluate_all(MARKED).startswith("<tool_call>")


def test_the_least_certain_token_of_the_arguments_is_named(run: tuple[Site, Tab]) -> None:
    here, page = run
    (call,) = of_kind(here, page, "parsed")[0]["tool_calls"]
    first, last = call["args_span"]
    written = [token for token in of_kind(here, page, "token") if token["step"] == 1][first:last]
    least = min(written, key=lambda token: float(token["p"]))
    line = page.page.locator("button.lg-least")
    said = f"“{least['text'].replace(' ', '␣')}”, {least['p'] * 100:.3g}"
    assert line.inner_text().startswith(f"least likely token of the arguments: {said}")
    line.click()
    assert page.page.locator(".lg-card >> nth=0").locator(".lg-t.lg-open").get_attribute("data-i") == str(least["index"])
    assert page.page.locator(".lg-popover").is_visible()


def test_a_call_is_seen_as_it_forms_and_a_marker_of_several_tokens_as_one(site: Sites, tab: Tabs) -> None:
    opener = ["<tool", "_call", ">"]
    begun = ["\n", '{"name": "calculator", "arguments": {"expression": "', "37 *"]
    here = site([*opener, *begun, {"gate": "go"}, ' 48"', "}}", *CALCULATE[-2:]], tokens("It is 1776."))
    page = tab(here.url)
    page.ask("What is 37 * 48?")
    page.wait_tokens(6)
    page.page.get_by_text("A call as it forms").wait_for()
    call = page.page.locator(".lg-forming-name")
    assert call.inner_text() == "calculator"
    assert "37 *" in page.page.locator(".lg-reading .lg-call-text").inner_text()
    assert page.page.locator(".lg-strip .lg-control").evaluate_all(MARKED) == "".join(opener)
    here.open("go")
    page.wait_ended()
    assert call.count() == 0, "the call as it was read has taken its place"
    assert page.page.locator(".lg-argument").inner_text() == 'expression: "37 * 48"'
