"""The page's logic: what a click or a question does. Tokens are none of its business; the browser tests watch those."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import server, service
from app.i18n import Words
from app.models import Models
from app.page import EXAMPLES
from app.runs import Runs
from app.service import Service, install
from backends.scripted import ScriptedBackend
from harness.events import EventLog
from tests.app.conftest import scripted, serve_with, wait_loaded

EN, ZH = Words("en"), Words("zh")


def page(**address: str) -> AppTest:
    test = AppTest.from_file(str(server.SCRIPT), default_timeout=120)
    for name, value in address.items():
        test.query_params[name] = value
    return run(test)


def run(test: AppTest) -> AppTest:
    test.run()
    assert not test.exception, test.exception
    return test


def viewer(test: AppTest) -> dict[str, Any] | None:
    """The data that the viewer was mounted with."""
    mounted = test.get("bidi_component")
    return json.loads(mounted[0].proto.json) if mounted else None


def said(test: AppTest) -> str:
    """All texts on the page."""
    return "\n".join(str(each.value) for kind in ("markdown", "caption", "info", "warning", "error") for each in test.get(kind))


def ask(test: AppTest, question: str) -> AppTest:
    test.chat_input[0].set_value(question)
    return run(test)


def test_the_empty_page_explains_and_offers_examples(backend: ScriptedBackend) -> None:
    test = page()
    for key in ("about", "examples_mistakes", "what_happens_1", "what_happens_2", "what_happens_3"):
        assert EN(key) in said(test)
    assert viewer(test) is None
    assert {label for label, _, _ in EXAMPLES} <= {button.key for button in test.button}
    assert not test.chat_input[0].disabled


def test_a_question_starts_a_run_and_shows_it(backend: ScriptedBackend, installed: Service) -> None:
    test = ask(page(), "  I am Ada.  ")
    shown = viewer(test)
    assert shown is not None
    run_id = shown["runs"][-1]
    assert test.query_params["run"] == run_id
    assert shown["runs"] == [run_id]
    assert shown["token"] == installed.token
    assert shown["lang"] == "en"
    installed.runs.wait_idle()
    start = installed.runs.run_start(run_id)
    assert start is not None
    assert start["question"] == "I am Ada."
    assert start["continues"] is None


def test_while_the_run_goes_on_the_box_is_closed(installed: Service) -> None:
    go_on = threading.Event()
    serve_with(installed, scripted([go_on, "Done."]))
    test = ask(page(), "Hi")
    assert test.chat_input[0].disabled
    assert test.chat_input[0].placeholder == EN("ask_running")
    shown = viewer(test)
    assert shown is not None
    assert shown["live"]
    go_on.set()
    installed.runs.wait_idle()
    run(test)
    assert not test.chat_input[0].disabled
    shown = viewer(test)
    assert shown is not None
    assert not shown["live"]


def test_an_example_is_asked_with_one_click(backend: ScriptedBackend, installed: Service) -> None:
    test = page()
    label, _, question = EXAMPLES[0]
    test.button(key=label).click()
    run(test)
    shown = viewer(test)
    assert shown is not None
    start = installed.runs.run_start(shown["runs"][0])
    assert start is not None
    assert start["question"] == question


def test_a_second_question_continues_and_a_new_conversation_does_not(backend: ScriptedBackend, installed: Service) -> None:
    test = ask(page(), "I am Ada.")
    installed.runs.wait_idle()
    ask(run(test), "Who am I?")
    installed.runs.wait_idle()
    shown = viewer(test)
    assert shown is not None
    assert len(shown["runs"]) == 2
    assert "Hello Ada." in [message["content"] for message in backend.rendered[-1].messages]
    test.button(key="new").click()
    run(test)
    assert viewer(test) is None
    assert "run" not in test.query_params
    backend.turns.append("Again.")
    ask(test, "Who am I?")
    installed.runs.wait_idle()
    assert "Hello Ada." not in [message["content"] for message in backend.rendered[-1].messages]


def test_the_address_opens_the_same_run_elsewhere(backend: ScriptedBackend, installed: Service) -> None:
    first = ask(page(), "I am Ada.")
    installed.runs.wait_idle()
    shown = viewer(first)
    assert shown is not None
    second = page(run=shown["runs"][0])
    again = viewer(second)
    assert again is not None
    assert again["runs"] == shown["runs"]


def test_an_opened_run_brings_its_settings(backend: ScriptedBackend, installed: Service) -> None:
    test = page()
    test.slider(key="temperature").set_value(1.25)
    test.number_input(key="seed").set_value(7)
    test.toggle(key="thinking").set_value(False)
    run(test)
    ask(test, "Hi")
    installed.runs.wait_idle()
    other = page(run=test.query_params["run"])
    assert other.slider(key="temperature").value == 1.25
    assert other.number_input(key="seed").value is None, "most seeds were drawn, and one that stays would draw the same again"
    assert not other.toggle(key="thinking").value


def test_a_run_that_is_not_known_is_said_so(backend: ScriptedBackend) -> None:
    test = page(run="<b>none</b>")
    assert "There is no run" in said(test)
    assert "<b>" not in said(test)
    assert viewer(test) is None
    assert not test.chat_input[0].disabled


def test_another_tabs_run_is_said_plainly_and_can_be_watched(installed: Service) -> None:
    go_on = threading.Event()
    backend = scripted([go_on, "Done."], "Mine.")
    serve_with(installed, backend)
    ask(page(), "The *first* question")
    second = page()
    assert "The \\*first\\* question" in said(second)
    ask(second, "The second one")
    mine = viewer(second)
    assert mine is not None
    waiting = installed.runs.active()
    assert waiting[1] == mine["runs"][-1]
    second.button(key="watch").click()
    run(second)
    watched = viewer(second)
    assert watched is not None
    assert watched["runs"] == [waiting[0]]
    go_on.set()
    installed.runs.wait_idle()


def test_the_settings_reach_the_run(backend: ScriptedBackend, installed: Service) -> None:
    test = page()
    test.slider(key="temperature").set_value(0.35)
    test.slider(key="top_p").set_value(0.9)
    test.number_input(key="top_k").set_value(11)
    test.number_input(key="seed").set_value(42)
    test.number_input(key="max_new_tokens").set_value(64)
    test.number_input(key="max_steps").set_value(3)
    test.number_input(key="time_limit").set_value(60)
    test.toggle(key="thinking").set_value(False)
    test.pills(key="tools").set_value(["current_time"])
    test.text_area(key="system_prompt").set_value("Be brief.")
    run(test)
    ask(test, "Hi")
    installed.runs.wait_idle()
    start = installed.runs.run_start(test.query_params["run"])
    assert start is not None
    assert start["settings"] == {
        "temperature": 0.35, "top_p": 0.9, "top_k": 11, "seed": 42, "max_new_tokens": 64, "max_steps": 3, "time_limit_s": 60,
        "thinking": False, "system_prompt": "Be brief.", "drafter": None,
    }
    assert start["tools"] == ["current_time"]


def test_defaults_are_the_models_and_can_be_had_back(backend: ScriptedBackend) -> None:
    test = page()
    recommended = backend.family.sampling
    for key in ("temperature", "top_p"):
        assert test.slider(key=key).value == pytest.approx(recommended[key])
    assert test.number_input(key="top_k").value == recommended["top_k"]
    assert EN("defaults_from_family", family=backend.family.name) in said(test)
    assert test.button(key="reset").disabled
    test.slider(key="temperature").set_value(1.7)
    run(test)
    assert EN("defaults_changed", names="Temperature") in said(test)
    test.button(key="reset").click()
    run(test)
    assert test.slider(key="temperature").value == pytest.approx(recommended["temperature"])
    assert test.button(key="reset").disabled


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ({"path": "/runs/a/final"}, {"path": "/runs/b/final"}, False),
        ({"path": "/runs/a/final"}, {"path": "/runs/a/final"}, True),
        ({"path": "/cache", "commit": "a" * 40}, {"path": "/cache", "commit": "b" * 40}, False),
        ({"path": "/cache", "commit": "a" * 40}, {"path": "/moved", "commit": "a" * 40}, True),
    ],
)
def test_sampling_is_the_checkpoints_own_whatever_it_is_called(
    before: dict[str, str], after: dict[str, str], kept: bool, installed: Service,
) -> None:
    first, second = scripted("Hi."), scripted()
    first.info = {**first.info, **before}
    second.info = {**second.info, **after, "defaults": {"temperature": 0.15, "top_p": 0.5, "top_k": 5}}
    serve_with(installed, first)
    test = page()
    test.slider(key="temperature").set_value(1.25)
    ask(test, "Hi")
    installed.runs.wait_idle()
    serve_with(installed, second)
    expected = 1.25 if kept else 0.15
    assert run(test).slider(key="temperature").value == expected
    opened = page(run=test.query_params["run"])
    assert opened.slider(key="temperature").value == expected, "also where the run is opened again"


def test_a_switch_of_language_keeps_run_and_settings(backend: ScriptedBackend, installed: Service) -> None:
    test = ask(page(), "I am Ada.")
    test.slider(key="temperature").set_value(1.7)
    test.text_area(key="system_prompt").set_value("Be brief.")
    run(test)
    before = viewer(test)
    test.segmented_control(key="lang").set_value("zh")
    run(test)
    after = viewer(test)
    assert before is not None
    assert after is not None
    assert after["runs"] == before["runs"]
    assert after["lang"] == "zh"
    assert test.slider(key="temperature").value == 1.7
    assert test.slider(key="temperature").label == ZH("temperature")
    assert test.text_area(key="system_prompt").value == "Be brief."
    assert test.query_params["lang"] == "zh"
    assert EN("next_question") not in said(test)


def test_the_language_of_the_address_holds_after_a_reload(backend: ScriptedBackend) -> None:
    assert ZH("about") in said(page(lang="zh"))
    assert EN("about") in said(page(lang="nonsense"))


def test_a_run_that_waits_behind_this_one_is_no_news(installed: Service) -> None:
    go_on = threading.Event()
    serve_with(installed, scripted([go_on, "Done."], "Mine."))
    first = ask(page(), "First")
    ask(page(), "Second")
    run(first)
    assert "Second" not in said(first)
    go_on.set()


def test_a_run_file_of_few_words_can_be_opened(backend: ScriptedBackend, installed: Service) -> None:
    log = EventLog({"run_id": "old"}, installed.runs.folder / "old.jsonl")
    log.append("run_start", question="?")
    log.append("run_end")
    shown = viewer(page(run="old"))
    assert shown is not None
    assert shown["runs"] == ["old"]


def test_a_conversation_from_before_a_restart_goes_on(backend: ScriptedBackend, installed: Service) -> None:
    old = ask(page(), "I am Ada.").query_params["run"]
    installed.runs.wait_idle()
    restarted = Service(Runs(installed.runs.folder), Models(lambda _m, _p: backend, lambda: None))
    install(restarted)
    restarted.models.request("builtin")
    wait_loaded()
    test = ask(page(run=old), "Who am I?")
    restarted.runs.wait_idle()
    assert EN("run_archived") not in said(test)
    shown = viewer(test)
    assert shown is not None
    assert shown["runs"][0] == old
    assert "I am Ada." in [message["content"] for message in backend.rendered[-1].messages]
    (installed.runs.folder / f"{old}.jsonl").unlink()
    install(Service(Runs(installed.runs.folder), restarted.models))
    assert EN("run_archived") in said(page(run=shown["runs"][1]))


def test_a_conversation_whose_file_is_damaged_says_so(backend: ScriptedBackend, installed: Service) -> None:
    old = ask(page(), "I am Ada.").query_params["run"]
    installed.runs.wait_idle()
    path = installed.runs.folder / f"{old}.jsonl"
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join([*lines[:4], "{", *lines[4:]]), "utf-8")
    install(Service(Runs(installed.runs.folder), service.current().models))
    test = ask(page(run=old), "Who *am* I?")
    assert EN("cannot_continue", question="Who \\*am\\* I?") in said(test)
    test.button(key="new").click()
    ask(run(test), "Who am I?")
    assert viewer(test) is not None
    service.current().runs.wait_idle()
