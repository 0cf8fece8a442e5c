"""The registry of runs: what is in memory, what is on disk, and what a conversation is."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from app.runs import Runs
from harness.events import EventLog
from harness.settings import Settings
from tests.app.conftest import scripted


def finished(runs: Runs, *turns: str, continues: str | None = None) -> str:
    run_id = runs.start(scripted(*turns), "What is 37 * 48?", Settings(), "en", continues)
    runs.wait_idle()
    return run_id


def test_a_run_is_active_until_it_ends_and_stays_readable(runs: Runs) -> None:
    go_on = threading.Event()
    run_id = runs.start(scripted([go_on, "Done."]), "Hi", Settings(), "en")
    assert runs.active() == [run_id]
    assert runs.messages(run_id) is None
    go_on.set()
    runs.wait_idle()
    assert runs.active() == []
    log = runs.in_memory(run_id)
    assert log is not None
    assert log.events[-1]["stop_reason"] == "answer"
    messages = runs.messages(run_id)
    assert messages is not None
    assert messages[-1]["content"] == "Done."


def test_a_second_run_reads_the_first_ones_messages(runs: Runs) -> None:
    first = finished(runs, "Hello Ada.")
    backend = scripted("You are Ada.")
    second = runs.start(backend, "Who am I?", Settings(), "en", first)
    runs.wait_idle()
    read = [message["content"] for message in backend.rendered[0].messages]
    assert read[-3:] == ["What is 37 * 48?", "Hello Ada.", "Who am I?"]
    assert runs.conversation(second) == [first, second]
    assert runs.conversation(first) == [first]


def test_a_run_that_goes_on_cannot_be_continued(runs: Runs) -> None:
    go_on = threading.Event()
    first = runs.start(scripted([go_on, "x"]), "Hi", Settings(), "en")
    with pytest.raises(ValueError, match="cannot be continued"):
        runs.start(scripted("y"), "And?", Settings(), "en", first)
    go_on.set()


def test_stop_ends_a_run_and_knows_ids(runs: Runs) -> None:
    run_id = runs.start(scripted([threading.Event(), "never"]), "Hi", Settings(), "en")
    assert runs.stop(run_id)
    runs.wait_idle()
    log = runs.in_memory(run_id)
    assert log is not None
    assert log.events[-1]["stop_reason"] == "user_stopped"
    assert runs.stop(run_id), "stopping an ended run is no mistake"
    assert not runs.stop("20260101-no-such-run")


def test_stop_all_closes_every_file(runs: Runs) -> None:
    ids = [runs.start(scripted([threading.Event(), "never"]), "Hi", Settings(), "en") for _ in range(3)]
    runs.stop_all(30)
    for run_id in ids:
        last = (runs.folder / f"{run_id}.jsonl").read_text("utf-8").splitlines()[-1]
        assert json.loads(last)["kind"] == "run_end"


def test_another_process_reads_a_conversation_from_its_files(runs: Runs) -> None:
    first = finished(runs, "One.")
    second = finished(runs, "Two.", continues=first)
    later = Runs(runs.folder)
    assert later.conversation(second) == [first, second]
    log, memory = later.log(second), runs.in_memory(second)
    assert log is not None
    assert memory is not None
    assert log.ended
    assert list(log.lines_after(-1)) == memory.lines_after(-1)
    assert list(log.lines_after(3, 2)) == memory.lines_after(3, 2)
    assert later.messages(second) == runs.messages(second)
    (runs.folder / f"{first}.jsonl").unlink()
    assert Runs(runs.folder).messages(second) is None


def test_few_ended_runs_stay_in_memory_and_the_others_on_disk(tmp_path: Path) -> None:
    runs = Runs(tmp_path, in_memory=2)
    ids = [finished(runs, f"Answer {n}.") for n in range(4)]
    assert [runs.in_memory(run_id) is not None for run_id in ids] == [False, False, True, True]
    for n, run_id in enumerate(ids):
        log = runs.log(run_id)
        assert log is not None
        assert json.loads(log.lines_after(-1)[-1])["final"] == f"Answer {n}."


def test_a_file_cut_short_is_read_anew_each_time(tmp_path: Path) -> None:
    log = EventLog({"run_id": "cut"}, tmp_path / "cut.jsonl")
    log.append("run_start", question="?", continues=None)
    runs = Runs(tmp_path)
    first = runs.log("cut")
    log.append("step_start", step=1)
    second = runs.log("cut")
    assert first is not None
    assert second is not None
    assert (len(first.lines_after(-1)), len(second.lines_after(-1))) == (1, 2)
    log.append("run_end")


@pytest.mark.parametrize("run_id", ["", "..", "../secret", "a/b", "a\\b", ".hidden", "x" * 101, "none"])
def test_ids_that_are_no_run_of_ours(tmp_path: Path, run_id: str) -> None:
    (tmp_path / "secret.jsonl").write_text('{"loopglass": 1}\n{"seq":0,"kind":"run_start"}\n')
    runs = Runs(tmp_path / "runs")
    runs.folder.mkdir()
    assert runs.log(run_id) is None
    assert runs.run_start(run_id) is None
    assert runs.conversation(run_id) == []


DAMAGED = ["", "not json\n", '{"loopglass": 99}\n', '{"loopglass": 1}\nbroken\n', '{"loopglass": 1}\n[]\n']


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_no_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    runs = Runs(tmp_path)
    assert runs.run_start("bad") is None
    assert runs.conversation("bad") == []


def test_runs_that_name_each_other_end_the_conversation(tmp_path: Path) -> None:
    for run_id, continues in (("a", "b"), ("b", "a")):
        log = EventLog({"run_id": run_id}, tmp_path / f"{run_id}.jsonl")
        log.append("run_start", question="?", continues=continues)
        log.append("run_end")
    assert Runs(tmp_path).conversation("a") == ["b", "a"]
