"""Loading: one model at a time, progress on the way, errors in words."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from app.models import Failed, Loading, Models, Placement, Ready, State, load_checkpoint
from backends.base import Backend, BackendError, Progress
from families.base import Text
from tests.app.conftest import scripted, wait_loaded


def settled(models: Models) -> State:
    """The state once loading is over."""
    wait_loaded()
    assert models.state is not None
    return models.state


def test_loading_reports_progress_then_the_model_is_ready() -> None:
    seen: list[State | None] = []
    warmed = []

    class Warming(type(scripted())):  # type: ignore[misc]
        def warmup(self) -> None:
            warmed.append(models.state)

    def load(model: str, progress: Progress) -> Backend:
        progress(Text("讀權重", "Reading weights"), 0.25)
        seen.append(models.state)
        made = scripted()
        made.__class__ = Warming
        return made

    models = Models(load, lambda: None)
    assert models.state is None
    models.request("builtin")
    state = settled(models)
    assert seen == [Loading("builtin", Text("讀權重", "Reading weights"), 0.25)]
    assert isinstance(state, Ready)
    assert state.backend.model_id == "scripted"
    assert [type(each) for each in warmed] == [Loading], "the model is warmed up before it counts as ready"


class Panic(BaseException):
    """As a panic in Rust arrives in Python: no Exception."""


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (BackendError("No such folder.", "沒有這個資料夾。"), lambda text: text == Text("沒有這個資料夾。", "No such folder.")),
        (MemoryError("too big"), lambda text: "MemoryError: too big" in text.en and "MemoryError: too big" in text.zh),
        (Panic("a header out of range"), lambda text: "Panic: a header out of range" in text.en and "Panic:" in text.zh),
    ],
)
def test_errors_are_worded_and_a_second_request_tries_again(error: BaseException, says: Callable[[Text], bool]) -> None:
    errors = [error]

    def load(model: str, progress: Progress) -> Backend:
        if errors:
            raise errors.pop()
        return scripted()

    models = Models(load, lambda: None)
    models.request("builtin")
    state = settled(models)
    assert isinstance(state, Failed)
    assert says(state.text)
    models.request("builtin")
    assert isinstance(settled(models), Ready)


def test_a_failure_names_the_model_that_was_last_ready_and_where_it_ran() -> None:
    def load(model: str, progress: Progress, **chosen: str) -> Backend:
        if model.startswith("/nope") or chosen.get("dtype") == "float16":
            raise BackendError("No.", "不行。")
        return scripted()

    def failed(model: str, placement: Placement | None = None) -> tuple[str | None, Placement]:
        models.request(model, placement)
        state = settled(models)
        assert isinstance(state, Failed)
        return state.before, state.placement_before

    models = Models(load, lambda: None)
    assert failed("/nope") == (None, Placement())
    models.request("builtin", Placement("cpu"))
    settled(models)
    assert failed("/nope") == failed("/nope/either") == ("builtin", Placement("cpu"))
    assert failed("builtin", Placement("cpu", "float16")) == ("builtin", Placement("cpu"))
    models.request("builtin", Placement("cpu"))
    assert isinstance(settled(models), Ready)


def test_a_model_is_loaded_once_however_often_it_is_asked_for() -> None:
    loads = []
    began, go_on = threading.Event(), threading.Event()

    def load(model: str, progress: Progress) -> Backend:
        loads.append(model)
        began.set()
        go_on.wait(10)
        return scripted(model_id=model)

    models = Models(load, lambda: None)
    models.request("one")
    assert began.wait(10)
    models.request("one")
    models.request("two")
    models.request("one")
    go_on.set()
    state = settled(models)
    assert isinstance(state, Ready)
    assert state.backend.model_id == "one"
    models.request("one")
    assert settled(models) is state
    assert loads == ["one"], "what nobody waits for any more is not loaded"


def test_a_change_waits_for_the_run_that_uses_the_old_model() -> None:
    idle = threading.Event()
    loads = []

    def load(model: str, progress: Progress) -> Backend:
        loads.append(model)
        return scripted()

    def wait_idle() -> None:
        idle.wait(10)

    models = Models(load, wait_idle)
    models.request("builtin")
    assert isinstance(models.state, Loading)
    assert loads == []
    idle.set()
    assert isinstance(settled(models), Ready)
    assert loads == ["builtin"]


def test_another_change_of_mind_still_waits_for_the_run_and_says_so() -> None:
    idle = threading.Event()
    idle.set()

    def wait_idle() -> None:
        idle.wait(10)

    models = Models(lambda model, _progress: scripted(model_id=model), wait_idle)
    models.request("one")
    settled(models)
    idle.clear()
    said = []
    for model in ("two", "three", "one"):
        models.request(model)
        assert isinstance(models.state, Loading)
        said.append(models.state.text.en)
    assert len(set(said)) == 1
    assert said[0].startswith("Changing the model as soon as no run uses")
    idle.set()
    assert isinstance(settled(models), Ready)


def test_no_run_begins_with_a_model_that_is_being_replaced() -> None:
    """The page looks at the state once; another tab may ask for another model before the question is sent."""
    models = Models(lambda model, _progress: scripted(model_id=model), lambda: None)
    models.request("one")
    old = settled(models)
    assert isinstance(old, Ready)
    assert models.start_run(old, lambda: "a run") == "a run"
    models.request("two")
    assert models.start_run(old, lambda: pytest.fail("it has begun")) is None
    new = settled(models)
    assert isinstance(new, Ready)
    assert models.start_run(old, lambda: pytest.fail("it has begun")) is None
    assert models.start_run(new, lambda: "a run") == "a run"


def test_device_and_number_format_reach_the_loader_only_where_they_were_chosen() -> None:
    asked: list[tuple[str, dict[str, str]]] = []

    def load(model: str, progress: Progress, **chosen: str) -> Backend:
        asked.append((model, chosen))
        return scripted()

    models = Models(load, lambda: None, Placement(dtype="float32"))
    models.request("one")
    settled(models)
    models.request("one", Placement("cpu", "bfloat16"))
    settled(models)
    models.request("one")
    models.request("two")
    state = settled(models)
    assert asked == [
        ("one", {"dtype": "float32"}),
        ("one", {"device": "cpu", "dtype": "bfloat16"}),
        ("two", {"device": "cpu", "dtype": "bfloat16"}),
    ], "what is loaded so already is not loaded again, and a choice stays"
    assert state.placement == Placement("cpu", "bfloat16")


def test_what_is_on_its_way_is_given_up_when_another_model_is_asked_for() -> None:
    began, go_on = threading.Event(), threading.Event()
    reached = []

    def load(model: str, progress: Progress) -> Backend:
        if model == "large":
            began.set()
            assert go_on.wait(10)
            progress(Text("下載", "Downloading"), 0.1)
            reached.append(model)
        return scripted()

    models = Models(load, lambda: None)
    models.request("large")
    assert began.wait(10)
    models.request("small")
    go_on.set()
    state = settled(models)
    assert isinstance(state, Ready)
    assert state.model == "small"
    assert reached == [], "its progress told it to stop"


def test_the_last_model_is_freed_before_the_next_is_read(tmp_path: Path) -> None:
    """What is in memory when the second model's weights are begun; the garbage collector is left to the one who loads."""
    from tests.backends import tiny

    folder = str(tiny.write(tmp_path))
    earlier: list[weakref.ref[object]] = []
    alive: list[list[object | None]] = []

    def load(model: str, progress: Progress, **chosen: str) -> Backend:
        def listening(what: Text, done: float | None = None) -> None:
            if what.en.startswith("Reading the configuration"):
                alive.append([each() for each in earlier])
            progress(what, done)

        backend = load_checkpoint(model, listening, device="cpu", **chosen)
        earlier.extend([weakref.ref(backend), weakref.ref(backend._model)])  # type: ignore[attr-defined]
        return backend

    models = Models(load, lambda: None)
    gc.disable()
    try:
        models.request(folder)
        assert isinstance(settled(models), Ready)
        assert all(each() is not None for each in earlier)
        models.request(folder, Placement(dtype="bfloat16"))
        assert isinstance(settled(models), Ready)
    finally:
        gc.enable()
    assert alive == [[], [None, None]]
