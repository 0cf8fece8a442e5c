"""What the page shows and allows while a model is loaded, changed, or could not be had."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from app import service, sidebar
from app.models import Loading, Models, Placement, Ready, State
from app.page import EXAMPLES
from app.service import Service, install
from backends.base import BackendError
from backends.scripted import ScriptedBackend
from families.base import Text
from families.hermes import HERMES
from harness.settings import Settings
from tests.app.conftest import scripted, wait_loaded
from tests.app.test_page import EN, ask, page, run, said, viewer


def test_a_model_being_loaded_shows_how_far_it_is(installed: Service) -> None:
    go_on = threading.Event()

    def load(_model: str, progress: Any) -> ScriptedBackend:
        progress(Text("讀權重", "Reading weights"), 0.5)
        began.set()
        go_on.wait(30)
        return scripted()

    began = threading.Event()
    models = Models(load, installed.runs.wait_idle)
    install(Service(installed.runs, models))
    models.request("builtin")
    assert began.wait(10)
    test = page()
    assert EN("model_loading", model="builtin") in said(test)
    assert test.get("progress")[0].proto.value == 50
    assert test.get("progress")[0].proto.text == "Reading weights"
    assert test.chat_input[0].disabled
    assert all(test.button(key=label).disabled for label, _, _ in EXAMPLES)
    go_on.set()


def test_sampling_appears_with_the_model_and_what_was_typed_before_stays(installed: Service) -> None:
    go_on = threading.Event()

    def load(_model: str, _progress: Any, **_chosen: str) -> ScriptedBackend:
        go_on.wait(120)
        return scripted()

    models = Models(load, installed.runs.wait_idle)
    install(Service(installed.runs, models))
    models.request("builtin")
    test = page()
    assert not test.slider
    assert EN("sampling_later") in said(test)
    test.number_input(key="seed").set_value(42)
    test.text_area(key="system_prompt").set_value("Be brief.")
    run(test)
    go_on.set()
    wait_loaded()
    run(test)
    assert test.slider(key="temperature").value == pytest.approx(HERMES.sampling["temperature"])
    assert EN("sampling_later") not in said(test)
    assert (test.number_input(key="seed").value, test.text_area(key="system_prompt").value) == (42, "Be brief.")
    test.slider(key="temperature").set_value(1.7)
    run(test)
    go_on.clear()
    models.request("builtin", Placement(dtype="float32"))
    assert not run(test).slider, "it is loaded again, in another number format"
    go_on.set()
    wait_loaded()
    assert run(test).slider(key="temperature").value == 1.7


def test_a_model_that_cannot_be_loaded_is_said_and_tried_again(installed: Service) -> None:
    errors: list[Exception] = [BackendError("No such folder: /nope.", "沒有這個資料夾：/nope。")]

    def load(_model: str, _progress: Any) -> ScriptedBackend:
        if errors:
            raise errors.pop()
        return scripted()

    models = Models(load, installed.runs.wait_idle)
    install(Service(installed.runs, models))
    models.request("/nope")
    wait_loaded()
    test = page()
    assert "was not loaded" in test.error[0].value
    assert "back" not in [button.key for button in test.button], "no model was ready before"
    assert test.chat_input[0].disabled
    assert test.chat_input[0].placeholder == EN("ask_no_model")
    test.button(key="again").click()
    test.run()
    wait_loaded()
    run(test)
    assert not test.chat_input[0].disabled


def test_after_a_mistyped_path_the_model_before_is_one_click_away(installed: Service) -> None:
    def load(model: str, _progress: Any) -> ScriptedBackend:
        if model != "*mine*":
            raise BackendError("No such folder.", "沒有這個資料夾。")
        return scripted()

    models = Models(load, installed.runs.wait_idle)
    install(Service(installed.runs, models))
    for model in ("*mine*", "/nope"):
        models.request(model)
        wait_loaded()
    test = page()
    assert test.button(key="back").label == EN("use_again", model="\\*mine\\*")
    test.button(key="back").click()
    test.run()
    wait_loaded()
    assert not run(test).chat_input[0].disabled
    assert isinstance(models.state, Ready)
    assert models.state.model == "*mine*"


def test_a_question_to_a_model_that_is_being_changed_is_not_lost_silently(backend: ScriptedBackend, installed: Service) -> None:
    test = page()
    go_on = threading.Event()

    def load(_model: str, _progress: Any) -> ScriptedBackend:
        go_on.wait(120)
        return backend

    models = Models(load, lambda: None)
    install(Service(installed.runs, models))
    models.request("elsewhere")
    ask(test, "Hi *there*")
    assert EN("not_ready", question="Hi \\*there\\*") in said(test)
    assert viewer(test) is None
    go_on.set()
    wait_loaded()
    assert EN("not_ready", question="Hi \\*there\\*") in said(run(test)), "until it is asked again"
    assert EN("not_ready", question="Hi \\*there\\*") not in said(ask(test, "Hi *there*"))
    assert viewer(test) is not None


def test_a_model_that_is_changed_while_the_page_is_drawn_gets_no_question(
    backend: ScriptedBackend, installed: Service, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The page looks at the model once and then draws the sidebar; another tab may change the model just then."""
    test = page()
    draw = sidebar.draw

    def changing(*given: Any) -> Settings:
        service.current().models.request("elsewhere")
        return draw(*given)

    monkeypatch.setattr(sidebar, "draw", changing)
    ask(test, "Hi")
    assert EN("not_ready", question="Hi") in said(test)
    assert viewer(test) is None
    assert installed.runs.active() == []


def named(installed: Service) -> Models:
    """Models that load the scripted one under any name; the first is ready."""
    models = Models(lambda model, _progress: scripted("Hi.", model_id=model), installed.runs.wait_idle)
    install(Service(installed.runs, models))
    models.request("first")
    wait_loaded()
    return models


def test_a_tab_at_rest_asks_no_model_that_it_does_not_show(installed: Service) -> None:
    models, test = named(installed), page()
    test.slider(key="temperature").set_value(1.7)
    run(test)
    models.request("second")
    wait_loaded()
    ask(test, "Hi")
    assert EN("model_changed", question="Hi", model="second") in said(test)
    assert viewer(test) is None
    assert installed.runs.active() == []
    assert (test.chat_input[0].proto.set_value, test.chat_input[0].proto.value) == (True, "Hi")
    assert viewer(ask(test, "Hi")) is not None, "by now it shows that model"


def test_a_model_that_is_back_by_now_is_asked(installed: Service) -> None:
    models, test = named(installed), page()
    for model in ("second", "first"):
        models.request(model)
        wait_loaded()
    assert viewer(ask(test, "Hi")) is not None


def test_choosing_a_model_changes_it_for_every_tab(backend: ScriptedBackend, installed: Service) -> None:
    test = page()
    assert EN("family", model="scripted", family=backend.family.name) in said(test)
    service.current().models.request("/models/other")
    wait_loaded()
    run(test)
    state = service.current().models.state
    assert state is not None
    assert state.model == "/models/other"


def test_a_model_that_gets_ready_while_the_page_is_drawn_is_ready_everywhere(installed: Service) -> None:
    """However often the page looks, one drawing of it tells one state; the next comes by itself."""

    class GetsReady(Models):
        looks = 0

        @property
        def state(self) -> State | None:
            self.looks += 1
            return Loading("builtin", Text("讀取", "Reading")) if self.looks <= unready else super().state

    for unready in range(1, 6):
        models = GetsReady(lambda _model, _progress: scripted(), installed.runs.wait_idle)
        install(Service(installed.runs, models, installed.token))
        models.request("builtin")
        wait_loaded()
        test = page()
        named = EN("family", model=scripted().model_id, family=HERMES.name) in said(test)
        assert named is not test.chat_input[0].disabled, unready
