"""The registry of runs: what is in memory, what is on disk, and what a conversation is."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE

import pytest

from app.runs import CannotContinue, Recent, Runs
from harness.events import EventLog
from harness.run_file import hold
from harness.settings import Settings
from tests.app.conftest import CALL, scripted
from tests.harness.scripts import SlowPrefill

ROOT = Path(__file__).parents[2]


def finished(runs: Runs, *turns: str, continues: str | None = None) -> str:
    run_id = runs.start(scripted(*turns), "What is 37 * 48?", Settings(), "en", continues)
    runs.wait_idle()
    return run_id


def test_a_run_is_active_until_it_ends_and_stays_readable(runs: Runs) -> None:
    go_on = threading.Event()
    run_id = runs.start(scripted([go_on, "Done."]), "Hi", Settings(), "en")
    assert runs.active() == [run_id]
    assert runs.left(run_id) is None
    assert not runs.continuable(run_id)
    go_on.set()
    runs.wait_idle()
    assert runs.active() == []
    log = runs.in_memory(run_id)
    assert log is not None
    assert log.events[-1]["stop_reason"] == "answer"
    left = runs.left(run_id)
    assert left is not None
    assert left.messages[-1]["content"] == "Done."


def test_a_generation_that_is_slow_to_stop_still_counts(runs: Runs) -> None:
    """The run leaves it and ends, but the model is in use until it is over: another one must not be loaded beside it."""
    slow = SlowPrefill("never")
    run_id = runs.start(slow, "Hi", Settings(), "en")
    slow.reads.wait()
    runs.stop(run_id)
    waiting = threading.Thread(target=runs.wait_idle)
    waiting.start()
    while runs.active():
        time.sleep(0.01)
    waiting.join(0.2)
    assert waiting.is_alive()
    slow.may_go_on.set()
    waiting.join(30)
    assert not waiting.is_alive()


def test_a_second_run_reads_the_first_ones_messages(runs: Runs) -> None:
    first = finished(runs, "Hello Ada.")
    backend = scripted("You are Ada.")
    second = runs.start(backend, "Who am I?", Settings(), "en", first)
    runs.wait_idle()
    read = [message["content"] for message in backend.rendered[0].messages]
    assert read[-3:] == ["What is 37 * 48?", "Hello Ada.", "Who am I?"]
    assert runs.conversation(second) == [first, second]
    assert runs.conversation(first) == [first]


def ids(recent: Recent) -> list[str]:
    return [each.run_id for each in recent.conversations]


def test_recent_conversations_stand_once_newest_first_with_their_first_question(runs: Runs) -> None:
    assert runs.recent(50).conversations == [], "there is not even a folder"
    assert not runs.any_besides(())
    first = finished(runs, "One.")
    alone = finished(runs, "Two.")
    backend = scripted("Three.", model_id="other")
    last = runs.start(backend, "And then?", Settings(), "en", first)
    runs.wait_idle()
    for registry in (runs, Runs(runs.folder)):
        found = registry.recent(50).conversations
        assert [each.run_id for each in found] == [last, alone]
        assert [(each.question, each.model, each.n_questions) for each in found] == [
            ("What is 37 * 48?", "other", 2), ("What is 37 * 48?", "scripted", 1),
        ]
        assert all(each.at is not None and abs(datetime.now(UTC) - each.at) < timedelta(minutes=5) for each in found)
        assert ids(registry.recent(1)) == [last]
        assert ids(registry.recent(1, without=(first, last))) == [alone]
        assert ids(registry.recent(50, without=(first,))) == [last, alone], "what continues it is another"
        assert registry.any_besides((first, last))
        assert not registry.any_besides((first, last, alone))


def test_what_cannot_be_read_is_counted_beside_the_recent(runs: Runs) -> None:
    run_id = finished(runs, "One.")
    start = '{"loopglass": 1}\n{"seq":0,"kind":"run_start"%s}\n'
    files = {f"bad{n}.jsonl": text for n, text in enumerate(DAMAGED)}
    files["20990101T000000000000-step.jsonl"] = '{"loopglass": 1}\n{"seq":0,"kind":"step_start"}\n'
    files.update(dict.fromkeys(("no id.jsonl", "other.txt", ".jsonl"), start % ""))
    for name, text in files.items():
        (runs.folder / name).write_text(text)
    (runs.folder / "folder.jsonl").mkdir()
    assert ids(runs.recent(50)) == [run_id]
    assert runs.recent(50).unreadable == {"newer": 1, "damaged": len(DAMAGED)}, "step_start is no beginning"
    (runs.folder / "bare.jsonl").write_text(start % ',"question":null,"continues":[7]')
    bare = runs.recent(50).conversations[0]
    assert (bare.question, bare.model, bare.at, bare.n_questions) == ("bare", "", None, 1)


def test_a_run_that_goes_on_cannot_be_continued(runs: Runs) -> None:
    go_on = threading.Event()
    first = runs.start(scripted([go_on, "x"]), "Hi", Settings(), "en")
    with pytest.raises(ValueError, match="cannot be continued"):
        runs.start(scripted("y"), "And?", Settings(), "en", first)
    go_on.set()


def test_a_run_that_could_not_begin_does_not_go_on_for_ever(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        run_id = runs.start(scripted("x"), "Hi", Settings(), "en")
    assert runs.active() == []
    log = runs.in_memory(run_id)
    assert log is not None
    assert [event["kind"] for event in log.events] == ["run_start", "run_end"]
    assert "can't start new thread" in log.events[-1]["error"]["en"]
    runs.wait_idle()


def test_a_run_whose_file_cannot_be_written_goes_on_in_memory_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    runs = Runs(tmp_path / "taken" / "runs")
    first = finished(runs, "Hello Ada.")
    log = runs.in_memory(first)
    assert log is not None
    assert log.events[-1]["final"] == "Hello Ada."
    assert log.write_error is not None
    assert str(tmp_path / "taken") in log.write_error
    assert runs.conversation(finished(runs, "You are Ada.", continues=first))[0] == first


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


WRITER = """
import sys
from pathlib import Path
from harness.events import EventLog
log = EventLog({}, Path(sys.argv[1]) / "told.jsonl")
for kind, fields in (("run_start", {"question": "?", "continues": None}), ("step_start", {"step": 1})):
    log.append(kind, **fields)
    print("written", flush=True)
    sys.stdin.readline()
log.append("run_end")
"""


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
    again, left = later.left(second), runs.left(second)
    assert again is not None
    assert left is not None
    assert again.messages == left.messages
    assert later.continuable(second)
    (runs.folder / f"{first}.jsonl").unlink()
    assert Runs(runs.folder).left(second) is None
    assert not Runs(runs.folder).continuable(second)
    assert runs.continuable(second), "what is in memory needs no file"


def test_few_ended_runs_stay_in_memory_and_the_others_on_disk(tmp_path: Path) -> None:
    runs = Runs(tmp_path, in_memory=2)
    ids = [finished(runs, f"Answer {n}.") for n in range(4)]
    assert [runs.in_memory(run_id) is not None for run_id in ids] == [False, False, True, True]
    for n, run_id in enumerate(ids):
        log = runs.log(run_id)
        assert log is not None
        assert json.loads(log.lines_after(-1)[-1])["final"] == f"Answer {n}."


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there that tell whether a file is still written")
def test_a_run_of_another_process_is_watched_to_its_end(tmp_path: Path) -> None:
    """`loopglass ask` writes the file, the page reads it on; what the file holds by then is what a poll gives."""
    runs = Runs(tmp_path)
    other = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT)
    assert other.stdin is not None
    assert other.stdout is not None

    def seen() -> tuple[int, bool, bool]:
        log = runs.log("told")
        assert log is not None
        return len(log.lines_after(-1)), log.ended, runs.goes_on("told")

    try:
        for n in (1, 2):
            assert other.stdout.readline() == "written\n"
            assert seen() == (n, False, True)
            assert not runs.continuable("told")
            other.stdin.write("go on\n")
            other.stdin.flush()
        assert other.wait(30) == 0
        assert seen() == (3, True, False)
    finally:
        other.kill()
        other.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there that tell whether a file is still written")
def test_a_run_whose_process_was_killed_is_over(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "written\n"
        assert runs.goes_on("told")
        other.kill()
    log = runs.log("told")
    assert log is not None
    assert (log.ended, len(log.lines_after(-1)), runs.goes_on("told")) == (True, 1, False)


@pytest.mark.parametrize("run_id", ["", "..", "../secret", "a/b", "a\\b", ".hidden", "x" * 101, "none"])
def test_ids_that_are_no_run_of_ours(tmp_path: Path, run_id: str) -> None:
    (tmp_path / "secret.jsonl").write_text('{"loopglass": 1}\n{"seq":0,"kind":"run_start"}\n')
    runs = Runs(tmp_path / "runs")
    runs.folder.mkdir()
    assert runs.log(run_id) is None
    assert runs.run_start(run_id) is None
    assert runs.conversation(run_id) == []


NEWER = '{"loopglass": 99}\n'
DAMAGED = ["", "not json\n", NEWER, '{"loopglass": 1}\nbroken\n', '{"loopglass": 1}\n[]\n']


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_no_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    runs = Runs(tmp_path)
    assert runs.run_start("bad") is None
    assert runs.conversation("bad") == []
    assert runs.log("bad") is None
    assert runs.unreadable("bad") == ("newer" if text == NEWER else "damaged")


def test_why_a_run_cannot_be_read_is_known_of_one_that_is_there(runs: Runs) -> None:
    run_id = finished(runs, "One.")
    path, later = runs.folder / f"{run_id}.jsonl", Runs(runs.folder)
    assert runs.unreadable(run_id) is later.unreadable(run_id) is later.unreadable("none") is later.unreadable("../none") is None
    whole = path.read_text("utf-8")
    lines = whole.split("\n")
    path.write_text("\n".join([*lines[:3], "{", *lines[4:]]), "utf-8")
    assert runs.unreadable(run_id) is None, "it is in memory"
    assert later.unreadable(run_id) is None, "it has been read before"
    assert Runs(runs.folder).unreadable(run_id) == "damaged"
    path.write_text("\n".join(lines[:-3]), "utf-8")
    assert Runs(runs.folder).unreadable(run_id) is None, "a run that was cut short is one"


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there that tell whether a file is still written")
@pytest.mark.parametrize("begun", ["", '{"loopglass":1}\n'])
def test_a_file_that_is_being_begun_is_not_yet_unreadable(tmp_path: Path, begun: str) -> None:
    runs, path = Runs(tmp_path), tmp_path / "new.jsonl"
    with path.open("w", encoding="utf-8") as file:
        hold(file)
        file.write(begun)
        file.flush()
        assert runs.unreadable("new") is None
        assert runs.recent(50).unreadable == {}
    assert runs.unreadable("new") == "damaged"


def test_a_file_that_the_system_keeps_closed_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder stands for it: opening one fails for every user, the administrator too."""
    (tmp_path / "kept.jsonl").touch()
    runs = Runs(tmp_path)
    monkeypatch.setattr(runs, "_path", lambda run_id: tmp_path)
    assert runs.unreadable("kept") == "closed"
    assert runs.recent(50).unreadable == {"closed": 1}


def test_a_file_that_cannot_be_opened_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is deleted while it is looked for, or that belongs to another user: the page and its routes must not fail."""
    runs = Runs(tmp_path)
    monkeypatch.setattr(runs, "_path", lambda run_id: tmp_path / f"{run_id}.jsonl")
    assert runs.log("gone") is None
    assert runs.run_start("gone") is None
    assert runs.left("gone") is None
    assert runs.unreadable("gone") is None


@pytest.mark.parametrize("lacks", ['"finish":"stop_token",', '"call":0,', '"error":null,'])
def test_a_run_whose_events_lack_a_field_can_be_read_but_not_continued(runs: Runs, lacks: str) -> None:
    run_id = finished(runs, CALL, "It is 1776.")
    path = runs.folder / f"{run_id}.jsonl"
    text = path.read_text("utf-8")
    assert lacks in text
    path.write_text(text.replace(lacks, ""), "utf-8")
    later = Runs(runs.folder)
    assert later.log(run_id) is not None
    assert later.left(run_id) is None
    with pytest.raises(CannotContinue):
        later.start(scripted("Two."), "And?", Settings(), "en", run_id)


def test_runs_that_name_each_other_end_the_conversation(tmp_path: Path) -> None:
    for run_id, continues in (("a", "b"), ("b", "a")):
        log = EventLog({"run_id": run_id}, tmp_path / f"{run_id}.jsonl")
        log.append("run_start", question="?", continues=continues)
        log.append("run_end")
    assert Runs(tmp_path).conversation("a") == ["b", "a"]


BROKEN = '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>'


def test_what_the_harness_said_is_its_own_after_a_restart_and_for_another_model(runs: Runs) -> None:
    first = finished(runs, BROKEN, "One.")
    again = {}
    for name, registry in (("in memory", runs), ("from its file", Runs(runs.folder))):
        for model_id in ("scripted", "other"):
            run_id = registry.start(scripted("Two.", model_id=model_id), "And?", Settings(), "en", first)
            registry.wait_idle()
            log = registry.in_memory(run_id)
            assert log is not None
            (context,) = [event for event in log.events if event["kind"] == "context"]
            at, said = 0, {"harness": "", "user": ""}
            for author, _, _, n in context["origins"]:
                said[author] = said.get(author, "") + context["text"][at : at + n]
                at += n
            again[name, model_id] = (said["harness"], said["user"])
    told = next(event["text"] for event in runs.in_memory(first).events if event["kind"] == "feedback")  # type: ignore[union-attr]
    assert set(again.values()) == {(told, "What is 37 * 48?And?")}


def test_a_run_that_is_damaged_in_the_middle_is_found_out_when_it_is_continued(runs: Runs) -> None:
    run_id = finished(runs, "One.")
    path = runs.folder / f"{run_id}.jsonl"
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join([*lines[:3], lines[3][:-5], *lines[4:]]), "utf-8")
    later = Runs(runs.folder)
    assert later.continuable(run_id), "its beginning tells nothing else"
    assert later.left(run_id) is None
    with pytest.raises(CannotContinue):
        later.start(scripted("Two."), "And?", Settings(), "en", run_id)


@pytest.mark.parametrize("size", range(0, 1400, 37))
def test_a_file_cut_anywhere_is_a_run_as_far_as_it_goes_or_none(runs: Runs, size: int) -> None:
    run_id = finished(runs, CALL, "It is 1776. 好。")
    path = runs.folder / f"{run_id}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * size // 1400])
    later = Runs(runs.folder)
    log, whole_lines = later.log(run_id), path.read_bytes().count(b"\n")
    assert (0 if log is None else 1 + len(log.lines_after(-1))) == whole_lines
    assert (later.run_start(run_id) is not None) == later.continuable(run_id) == (whole_lines > 1)
    if later.continuable(run_id):
        backend = scripted("Go on.")
        later.start(backend, "And?", Settings(), "en", run_id)
        later.wait_idle()
        asked = [message["content"] for message in backend.rendered[0].messages if message["role"] == "user"]
        assert (asked[0], asked[-1]) == ("What is 37 * 48?", "And?")


def test_runs_that_name_each_other_cannot_be_continued(tmp_path: Path) -> None:
    for run_id, continues in (("a", "b"), ("b", "a")):
        log = EventLog({"run_id": run_id}, tmp_path / f"{run_id}.jsonl")
        log.append("run_start", question="?", continues=continues, family="qwen3", tools=[], model="m")
        log.append("run_end")
    assert not Runs(tmp_path).continuable("a")
    assert Runs(tmp_path).left("a") is None


def test_turns_that_would_be_read_otherwise_now_are_not_continued(runs: Runs) -> None:
    """As of a checkpoint whose calls only its own tokenizer tells."""
    run_id = finished(runs, CALL, "It is 1776.")
    path = runs.folder / f"{run_id}.jsonl"
    path.write_text(path.read_text("utf-8").replace('"family":"hermes"', '"family":"plain"'), "utf-8")
    assert Runs(runs.folder).left(run_id) is None
