"""The sidebar's choice of a drafter, in each of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import service
from app.i18n import Words
from app.models import Models, Ready
from app.service import Service
from families.base import Text
from harness.events import EventLog
from tests.app.conftest import scripted, wait_loaded
from tests.app.test_page import ask, page, run, said

EN, ZH = Words("en"), Words("zh")
MTP = "The model’s own MTP head"
NO_WEIGHTS = Text("檢查點裡沒有這些張量。", "The checkpoint has no such tensors.")
DRAFTERS: Mapping[str, Mapping[str, Text | None]] = {
    "builtin": {"prompt_lookup": None, "mtp": NO_WEIGHTS},
    "with-mtp": {"prompt_lookup": None, "mtp": None},
    "of-tomorrow": {"medusa": None},
    "without": {},
    "barred": {"mtp": NO_WEIGHTS},
}


@pytest.fixture(autouse=True)
def _service(installed: Service) -> None:
    """A server whose models have the drafters above, and which has loaded the first."""

    def load(model: str, _progress: object) -> object:
        return scripted("Hi.", "Hello.", model_id=model, drafters=DRAFTERS[model])

    service.install(Service(installed.runs, Models(load, installed.runs.wait_idle), installed.token))  # type: ignore[arg-type]
    choose_model("builtin")


def choose_model(model: str) -> None:
    service.current().models.request(model)
    wait_loaded()
    assert isinstance(service.current().models.state, Ready)


def drafter(test: AppTest) -> Any:
    return test.selectbox(key="drafter")


def test_those_that_can_be_had_are_offered_and_the_others_say_why_not() -> None:
    test = page()
    assert drafter(test).options == ["None", "Prompt lookup"]
    assert drafter(test).value is None
    assert MTP in said(test)
    assert "The checkpoint has no such tensors" in said(test)
    assert EN("drafter_cannot") not in said(test)


def test_the_choice_reaches_the_run() -> None:
    test = page()
    drafter(test).set_value("prompt_lookup")
    run(test)
    ask(test, "Hi?")
    service.current().runs.wait_idle()
    start = service.current().runs.run_start(test.query_params["run"])
    assert start is not None
    assert start["settings"]["drafter"] == "prompt_lookup"


def test_a_model_that_cannot_draft_says_so() -> None:
    choose_model("without")
    test = page()
    assert drafter(test).disabled
    assert EN("drafter_cannot") in said(test)
    choose_model("barred")
    test = page(lang="zh")
    assert drafter(test).disabled
    assert "檢查點裡沒有這些張量" in said(test)


def test_a_drafter_without_a_name_here_goes_by_its_own() -> None:
    choose_model("of-tomorrow")
    assert drafter(page()).options == ["None", "medusa"]


def given_up() -> AppTest:
    """A page on which the MTP head was chosen before another model, which has none, was."""
    choose_model("with-mtp")
    test = page()
    drafter(test).set_value("mtp")
    run(test)
    choose_model("builtin")
    return run(test)


def test_a_drafter_that_the_next_model_has_not_is_given_up_with_a_word_and_comes_back_with_its_model() -> None:
    test = given_up()
    gone = EN("drafter_gone", name=MTP)
    assert drafter(test).value is None
    assert gone in said(test).replace("\\", "")
    run(test)
    assert gone in said(test).replace("\\", ""), "it is said as long as it is so"
    choose_model("with-mtp")
    run(test)
    assert drafter(test).value == "mtp"
    assert gone not in said(test).replace("\\", "")


def test_back_to_defaults_stops_the_guessing_too() -> None:
    test = page()
    assert test.button(key="reset").disabled
    drafter(test).set_value("prompt_lookup")
    run(test)
    assert EN("defaults_changed", names=EN("drafter")) in said(test)
    test.button(key="reset").click()
    run(test)
    assert drafter(test).value is None
    assert test.button(key="reset").disabled


def test_what_is_chosen_next_settles_it() -> None:
    test = given_up()
    drafter(test).set_value("prompt_lookup")
    run(test)
    assert EN("drafter_gone", name=MTP) not in said(test).replace("\\", "")
    choose_model("with-mtp")
    run(test)
    assert drafter(test).value == "prompt_lookup"


@pytest.mark.parametrize("saved", ["mtp", "no-such-drafter"])
def test_a_run_that_was_saved_with_a_drafter_opens_without_it(saved: str, installed: Service) -> None:
    registry = service.current().runs
    log = EventLog({"run_id": "20260101T000000000000-saved"}, registry.folder / "20260101T000000000000-saved.jsonl")
    log.append("run_start", run_id="20260101T000000000000-saved", question="?", continues=None, model="with-mtp",
               settings={"drafter": saved, "temperature": 0.5}, tools=[])
    log.append("run_end", stop_reason="answer", final="!", n_steps=0, n_tokens=0, seconds=0, error=None)
    test = page(run="20260101T000000000000-saved")
    assert drafter(test).value is None
    assert "was chosen before" in said(test)
