"""What the page says above a conversation: files that cannot be read, and what other tabs are having answered."""

from __future__ import annotations

import dataclasses
import threading

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from app import service
from app.i18n import Words, plain
from app.models import Models
from app.runs import Runs
from app.service import Service, install
from backends.scripted import ScriptedBackend
from families.hermes import HERMES
from harness.settings import Settings
from tests.app.conftest import scripted, serve_with, wait_loaded
from tests.app.test_page import ask, page, run, said, viewer

EN, ZH = Words("en"), Words("zh")
NEWER = '{"loopglass":2}\n{"seq":0,"kind":"run_start"}\n'


def restarted(installed: Service) -> None:
    """As after a restart: the runs of before are known from their files alone."""
    install(Service(Runs(installed.runs.folder), service.current().models))


def unreadable(words: Words, run_id: str, why: str) -> str:
    return words("run_unreadable", run=plain(run_id), why=words(f"unreadable_{why}"))


@pytest.mark.parametrize(("words", "text", "why"), [(EN, NEWER, "newer"), (ZH, NEWER, "newer"), (EN, "no run", "damaged")])
def test_a_file_in_the_address_that_cannot_be_read_says_why(
    backend: ScriptedBackend, installed: Service, words: Words, text: str, why: str,
) -> None:
    installed.runs.folder.mkdir()
    (installed.runs.folder / "told.jsonl").write_text(text)
    test = page(run="told", lang=words.lang)
    assert unreadable(words, "told", why) in said(test)
    assert words("run_unknown", run="told") not in said(test)
    assert viewer(test) is None
    assert not test.chat_input[0].disabled


def test_a_conversation_that_begins_in_a_newer_file_says_so(backend: ScriptedBackend, installed: Service) -> None:
    first = installed.runs.start(backend, "I am Ada.", Settings(), "en")
    installed.runs.wait_idle()
    second = installed.runs.start(backend, "Who am I?", Settings(), "en", first)
    installed.runs.wait_idle()
    (installed.runs.folder / f"{first}.jsonl").write_text(NEWER)
    restarted(installed)
    test = page(run=second)
    assert unreadable(EN, first, "newer") in said(test)
    assert EN("run_archived") in said(test)
    shown = viewer(test)
    assert shown is not None
    assert shown["runs"] == [second]


def test_a_file_that_is_damaged_behind_its_beginning_says_so(backend: ScriptedBackend, installed: Service) -> None:
    run_id = installed.runs.start(backend, "I am Ada.", Settings(), "en")
    installed.runs.wait_idle()
    assert EN("unreadable_damaged") not in said(page(run=run_id))
    path = installed.runs.folder / f"{run_id}.jsonl"
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join([*lines[:4], "{", *lines[4:]]), "utf-8")
    restarted(installed)
    assert unreadable(EN, run_id, "damaged") in said(page(run=run_id))


class Looking:
    """Runs a page and then, as the browser's timer does, only the fragment that looks again by itself."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.runners: list[LocalScriptRunner] = []
        begin = LocalScriptRunner.request_rerun

        def request_rerun(runner: LocalScriptRunner, data: RerunData) -> bool:
            self.runners.append(runner)
            return begin(runner, data)

        monkeypatch.setattr(LocalScriptRunner, "request_rerun", request_rerun)

    def timers(self) -> dict[str, float]:
        """The fragments that the last run of the script had the browser run again, and after how many seconds."""
        messages = [each.auto_rerun for each in self.runners[-1].forward_msgs() if each.HasField("auto_rerun")]
        return {each.fragment_id: each.interval for each in messages}

    def again(self, test: AppTest, fragments: dict[str, float]) -> str:
        """What the fragments alone draw."""
        with self._monkeypatch.context() as patch:
            begin = LocalScriptRunner.request_rerun

            def only(runner: LocalScriptRunner, data: RerunData) -> bool:
                runner._requests = ScriptRequests()  # One for the whole script waits in it, and would swallow this one.
                return begin(runner, dataclasses.replace(data, fragment_id_queue=list(fragments), is_auto_rerun=True))

            patch.setattr(LocalScriptRunner, "request_rerun", only)
            run(test)
        return said(test)


def test_a_page_at_rest_learns_that_another_tab_is_answered_and_that_it_ended(
    installed: Service, monkeypatch: pytest.MonkeyPatch,
) -> None:
    looking, go_on = Looking(monkeypatch), threading.Event()
    serve_with(installed, scripted([go_on, "Done."]))
    test = page()
    timers = looking.timers()
    assert len(timers) == 1
    assert all(2 <= seconds <= 10 for seconds in timers.values())
    assert looking.again(test, timers) == "", "nothing is drawn while nothing is to be said"
    ask(page(), "The *first* question")
    notice = EN("other_run", question="The \\*first\\* question")
    assert looking.again(test, timers) == notice, "and nothing beside it is drawn"
    assert [button.key for button in test.button] == ["watch"]
    go_on.set()
    installed.runs.wait_idle()
    assert looking.again(test, timers) == ""
    assert not test.button


def test_a_page_at_rest_learns_that_another_tab_has_changed_the_model(
    installed: Service, monkeypatch: pytest.MonkeyPatch,
) -> None:
    looking = Looking(monkeypatch)
    models = Models(lambda model, _progress: scripted(model_id=model), installed.runs.wait_idle)
    install(Service(installed.runs, models, installed.token))
    for model in ("first", "second"):
        models.request(model)
        wait_loaded()
        if model == "first":
            test = page()
            timers = looking.timers()
            assert looking.again(test, timers) == "", "it still shows the model that is there"
    assert EN("family", model="second", family=HERMES.name) in looking.again(test, timers)


def test_nothing_looks_while_the_pages_own_tokens_arrive(installed: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    looking = Looking(monkeypatch)
    go_on, then = threading.Event(), threading.Event()
    serve_with(installed, scripted([go_on, "Done."], [then, "Mine."]))
    first = ask(page(), "First")
    assert looking.timers() == {}
    second = ask(page(), "Second")
    assert len(looking.timers()) == 1, "it waits for its turn"
    go_on.set()
    while len(installed.runs.active()) == 2:
        threading.Event().wait(0.01)
    run(second)
    assert looking.timers() == {}
    run(first)
    assert len(looking.timers()) == 1
    then.set()
    installed.runs.wait_idle()
