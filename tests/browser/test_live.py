"""Runs as they happen: tokens arrive, and no reload, second tab, lost line or switch of language loses or repeats one."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import ROOT, Site, Tab
from tests.browser.turns import ANSWER, CALCULATE, THINK, call, gated, words

Sites = Callable[..., Site]
Tabs = Callable[..., Tab]
LONG = " ".join(f"word{n}" for n in range(300))


def written(site: Site, run_id: str) -> list[list[int]]:
    """The indices of the tokens in the run file, step by step."""
    steps: dict[int, list[int]] = {}
    for event in site.run_file(run_id):
        if event["kind"] == "token":
            steps.setdefault(event["step"], []).append(event["index"])
    return list(steps.values())


def test_tokens_arrive_one_after_another_until_the_answer(site: Sites, tab: Tabs) -> None:
    here = site([*THINK, *CALCULATE], gated("The result is", "go", "1776."))
    page = tab(here.url)
    page.ask("What is 37 * 48?")
    page.page.locator(".lg-card >> nth=1").locator(".lg-t >> nth=2").wait_for()
    before = page.indices()
    assert before == [list(range(len(THINK) + len(CALCULATE) + 1)), [0, 1, 2]]
    assert page.page.locator(".lg-status").first.get_attribute("data-phase") == "writing"
    here.open("go")
    page.wait_ended()
    after = page.indices()
    assert after == written(here, page.run_id)
    assert [step[: len(seen)] for step, seen in zip(after, before, strict=True)] == before
    assert page.page.locator(".lg-answer-text:visible").all_inner_texts() == ["The result is 1776."] * 2
    assert page.errors == []


def test_an_example_needs_one_click(site: Sites, tab: Tabs) -> None:
    here = site(CALCULATE, ANSWER)
    page = tab(here.url)
    page.page.get_by_role("button", name="What is 37 * 48?").click()
    page.wait_ended()
    assert page.page.locator(".lg-question-text:visible").inner_text() == "What is 37 * 48?"


def test_stop_ends_a_run_in_the_middle(site: Sites, tab: Tabs) -> None:
    here = site(gated("One two", "never", "three."))
    page = tab(here.url)
    page.ask("Count.")
    page.wait_tokens(2)
    page.page.locator(".lg-stop").click()
    page.wait_ended()
    end = here.run_file(page.run_id)[-1]
    assert (end["kind"], end["stop_reason"]) == ("run_end", "user_stopped")
    assert page.page.locator(".lg-status").get_attribute("data-outcome") == "user_stopped"
    assert page.indices() == written(here, page.run_id)


def test_a_reload_in_the_middle_loses_and_repeats_nothing(site: Sites, tab: Tabs) -> None:
    here = site(gated(LONG, "go", "done."))
    page = tab(here.url)
    page.ask("Go on.")
    page.wait_tokens(300)
    run_id = page.run_id
    page.page.reload()
    page.idle()
    page.wait_tokens(300)
    assert page.run_id == run_id
    assert page.indices() == [list(range(300))]
    assert page.page.locator("[data-testid=stChatInputTextArea]").is_disabled()
    here.open("go")
    page.wait_ended()
    assert page.indices() == written(here, run_id) == [list(range(302))]


def test_a_second_tab_shows_the_same_run_and_goes_on(site: Sites, tab: Tabs) -> None:
    here = site(gated(LONG, "go", "done."))
    first = tab(here.url)
    first.ask("Go on.")
    first.wait_tokens(300)
    second = tab(first.page.url)
    second.wait_tokens(300)
    here.open("go")
    for each in (first, second):
        each.wait_ended()
        assert each.indices() == [list(range(302))]
    second.ask("And now?")
    second.page.locator(".lg-run >> nth=1").wait_for()
    assert first.page.locator(".lg-run").count() == 1


def test_another_tabs_run_is_said_plainly(site: Sites, tab: Tabs) -> None:
    here = site(gated("Slow", "go", "answer."), words("Mine."))
    first = tab(here.url)
    first.ask("The slow question")
    first.wait_tokens(1)
    second = tab(here.url)
    second.page.get_by_text("The slow question").wait_for()
    second.ask("The quick question")
    second.page.locator(".lg-status[data-phase=waiting]").wait_for()
    here.open("go")
    first.wait_ended()
    second.wait_ended()
    assert second.page.locator(".lg-answer-text:visible").first.inner_text() == "Mine."


def test_a_tab_at_rest_learns_that_another_is_answered_and_that_it_ended(site: Sites, tab: Tabs) -> None:
    here = site(gated("Slow", "go", "answer."))
    first, resting = tab(here.url), tab(here.url)
    box = resting.page.locator("[data-testid=stChatInputTextArea]:not([disabled])")
    box.fill("Half a question")
    first.ask("The slow question at www.example.com, https://example.com or a@example.com")
    notice = resting.page.locator("[data-testid=stAlert]", has_text="The slow question")
    notice.wait_for()
    assert notice.locator("a").count() == 0, "what somebody wrote is text, also an address"
    here.open("go")
    first.wait_ended()
    notice.wait_for(state="detached")
    assert box.input_value() == "Half a question"
    assert box.evaluate("box => box === document.activeElement")
    assert resting.errors == []


def test_a_second_question_continues_and_a_new_conversation_starts_afresh(site: Sites, tab: Tabs) -> None:
    here = site(words("Hello Ada."), words("You are Ada."), words("I do not know."))
    page = tab(here.url)
    page.ask("I am Ada.")
    page.wait_ended()
    first = page.run_id
    page.ask("Who am I?")
    page.page.wait_for_url(lambda url: first not in url)
    page.wait_ended()
    prompt = next(event["text"] for event in here.run_file(page.run_id) if event["kind"] == "context")
    assert "I am Ada." in prompt
    assert "Hello Ada." in prompt
    fold = page.page.locator(".lg-run-fold:visible")
    assert "I am Ada." in fold.inner_text()
    fold.click()
    page.page.locator(".lg-run").first.locator(".lg-t >> nth=1").wait_for()
    assert page.indices() == [list(range(3)), list(range(4))]
    earlier = page.page.locator(".lg-run").first
    assert "seed" in earlier.locator(".lg-run-settings").inner_text()
    assert not earlier.locator(".lg-question-text").is_visible(), "the fold shows it already"
    page.page.get_by_role("button", name="New conversation").click()
    page.page.wait_for_url(lambda url: "run=" not in url)
    page.page.get_by_text("What you will see").wait_for()
    assert page.page.locator(".lg-run").count() == 0
    page.ask("Who am I?")
    page.wait_ended()
    prompt = next(event["text"] for event in here.run_file(page.run_id) if event["kind"] == "context")
    assert "Ada" not in prompt


def test_a_switch_of_language_in_the_middle_keeps_every_token(site: Sites, tab: Tabs) -> None:
    here = site(gated(LONG, "go", "done."))
    page = tab(here.url)
    page.ask("Go on.")
    page.wait_tokens(300)
    page.page.locator(".lg-t").first.evaluate("span => { span.mine = true; }")
    page.page.get_by_text("中文", exact=True).click()
    page.page.locator(".lg-stop", has_text="停止").wait_for()
    page.page.get_by_text("步數上限").first.wait_for()
    assert page.page.locator(".lg-t").first.evaluate("span => span.mine === true"), "the viewer was drawn anew"
    here.open("go")
    page.wait_ended()
    assert page.indices() == [list(range(302))]
    page.page.reload()
    page.idle()
    page.page.get_by_text("步數上限").first.wait_for()


def test_a_setting_moved_in_the_middle_keeps_the_viewer(site: Sites, tab: Tabs) -> None:
    here = site(gated(LONG, "go", "done."))
    page = tab(here.url)
    page.ask("Go on.")
    page.wait_tokens(300)
    page.page.locator(".lg-t").first.evaluate("span => { span.mine = true; }")
    page.page.get_by_role("slider").first.press("ArrowRight")
    page.page.get_by_text("Changed: Temperature.").wait_for()
    here.open("go")
    page.wait_ended()
    assert page.page.locator(".lg-t").first.evaluate("span => span.mine === true")
    assert page.indices() == [list(range(302))]


def test_two_seconds_without_a_network(site: Sites, tab: Tabs) -> None:
    here = site(gated(LONG, "go", " ".join(["more"] * 100)))
    page = tab(here.url)
    page.ask("Go on.")
    page.wait_tokens(300)
    page.page.context.set_offline(True)
    page.page.get_by_role("alert").filter(has_text="lost").wait_for()
    here.open("go")
    page.page.wait_for_timeout(2000)
    assert page.indices() == [list(range(300))]
    page.page.context.set_offline(False)
    page.wait_ended()
    assert page.indices() == [list(range(401))]


def test_a_finished_run_is_shown_after_the_server_was_started_again(site: Sites, tab: Tabs) -> None:
    here = site([*THINK, *CALCULATE], ANSWER)
    page = tab(here.url)
    page.ask("What is 37 * 48?")
    page.wait_ended()
    before = page.indices()
    here.stop()
    here.start()
    again = tab(page.page.url)
    again.wait_ended()
    assert again.indices() == before == written(here, again.run_id)


def test_a_killed_server_leaves_a_run_that_says_so(site: Sites, tab: Tabs) -> None:
    here = site(gated("One two", "never", "three."))
    page = tab(here.url)
    page.ask("Count.")
    page.wait_tokens(2)
    assert here.process is not None
    here.process.send_signal(signal.SIGKILL)
    here.process.communicate()
    page.page.get_by_role("alert").filter(has_text="lost").wait_for()
    here.start()
    page.page.get_by_role("alert").filter(has_text="breaks off").wait_for()
    assert page.indices() == [[0, 1]]


def test_ctrl_c_ends_the_server_with_pages_open_and_a_run_going_on(site: Sites, tab: Tabs) -> None:
    here = site(gated("One two", "never", "three."))
    page = tab(here.url)
    page.ask("Count.")
    page.wait_tokens(2)
    tab(page.page.url).wait_tokens(2)
    printed = here.stop()
    assert "Traceback" not in printed
    assert here.run_file(page.run_id)[-1]["kind"] == "run_end"


def test_a_taken_port_is_said_in_a_sentence(tmp_path: Any) -> None:
    (tmp_path / "script.json").write_text('{"turns": []}')
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "-m", "tests.browser.launcher", str(tmp_path), str(port)],
            cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
        )
    assert ended.returncode == 1
    assert f"127.0.0.1:{port} is already in use" in ended.stderr
    assert "--port" in ended.stderr
    assert "Traceback" not in ended.stderr


HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>**bold** [link](javascript:window.hacked=1)'


@pytest.mark.parametrize("lang", ["en-US", "zh-TW"])
def test_text_that_looks_like_markup_stays_text(site: Sites, tab: Tabs, lang: str) -> None:
    place = '{"place": "<img src=x onerror=window.hacked=1>"}'
    here = site([*THINK[:2], HOSTILE, *THINK[-3:], *call("current_time", place)], [HOSTILE])
    page = tab(here.url, locale=lang)
    page.ask(HOSTILE)
    page.wait_ended()
    shown = page.page.locator(".lg-root").inner_text()
    assert shown.count(HOSTILE) >= 4, "in the question, the prompt, the thinking and the answer"
    result = next(event for event in here.run_file(page.run_id) if event["kind"] == "tool_result")
    assert "<img" in result["error"]
    assert result["error"] in shown
    assert page.page.locator(".lg-root img, .lg-root script, .lg-root a").count() == 0
    assert page.page.evaluate("window.hacked") is None
    other = tab(here.url, locale=lang)
    assert other.page.evaluate("window.hacked") is None
