"""The dialog of earlier conversations: when it can be had, what it lists, and that a click opens one."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from app import earlier_runs
from app.i18n import Words
from app.runs import Runs
from app.service import Service
from harness.events import EventLog
from harness.settings import Settings
from tests.app.conftest import scripted
from tests.app.test_page import page, run, said, viewer

EN, ZH = Words("en"), Words("zh")


def asked(runs: Runs, question: str, continues: str | None = None) -> str:
    run_id = runs.start(scripted("Yes."), question, Settings(), "en", continues)
    runs.wait_idle()
    return run_id


def opened(test: AppTest) -> AppTest:
    test.button(key="earlier").click()
    return run(test)


def listed(test: AppTest) -> list[str]:
    return [button.key.removeprefix("open ") for button in test.button if (button.key or "").startswith("open ")]


def test_the_button_is_there_where_there_is_something_to_find(installed: Service) -> None:
    def offered(test: AppTest) -> bool:
        return "earlier" in [button.key for button in test.button]

    assert not offered(page())
    first = asked(installed.runs, "First?")
    assert offered(page())
    assert not offered(page(run=first)), "it is the one that is shown"
    second = asked(installed.runs, "Second?")
    assert offered(page(run=first))
    assert listed(opened(page(run=first))) == [second]


def test_it_lists_conversations_and_opens_one_with_a_click(installed: Service) -> None:
    first = asked(installed.runs, "A *long*\nquestion " + "x" * 200)
    last = asked(installed.runs, "And?", continues=first)
    other = asked(installed.runs, "Hi?")
    test = opened(page())
    assert listed(test) == [other, last]
    text = said(test)
    assert "**A \\*long\\* question xxx" in text
    assert "x" * 90 not in text
    assert EN("earlier_questions", n=2) in text
    assert "scripted · 20" in text
    assert installed.runs.folder.name in text
    test.button(key=f"open {last}").click()
    run(test)
    assert test.query_params["run"] in (last, [last])
    shown = viewer(test)
    assert shown is not None
    assert shown["runs"] == [first, last]
    run(test)
    assert listed(test) == [], "the dialog is closed"


def test_a_folder_of_nothing_that_can_be_read_says_so(installed: Service) -> None:
    installed.runs.folder.mkdir()
    for name, text in (("bad", "no run"), ("20990101T000000000000-new", '{"loopglass":2}\n'), ("new", '{"loopglass":3}\n')):
        (installed.runs.folder / f"{name}.jsonl").write_text(text)
    test = opened(page(lang="zh"))
    assert ZH("earlier_none") in said(test)
    assert ZH("earlier_unreadable", n=1, why=ZH("unreadable_damaged")) in said(test)
    assert ZH("earlier_unreadable", n=2, why=ZH("unreadable_newer")) in said(test)
    assert listed(test) == []
    asked(installed.runs, "First?")
    assert EN("earlier_unreadable", n=2, why=EN("unreadable_newer")) in said(opened(page()))


def test_a_run_of_few_words_is_listed_by_its_id(installed: Service) -> None:
    log = EventLog({"run_id": "old"}, installed.runs.folder / "old.jsonl")
    log.append("run_start")
    log.append("run_end")
    assert "**old**" in said(opened(page()))


@pytest.mark.parametrize(
    ("zone", "expected"), [("Asia/Taipei", "2026-03-02 00:30"), ("America/New_York", "2026-03-01 11:30")],
)
def test_times_are_those_of_the_reader(zone: str, expected: str) -> None:
    assert earlier_runs._local(datetime(2026, 3, 1, 16, 30, tzinfo=UTC), ZoneInfo(zone)) == expected
    assert earlier_runs._local(None, ZoneInfo(zone)) == ""
