"""The event log and the run file: what is promised of every run, and what is read back."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.base import Candidate, Encoded, Sampling, Token
from harness.events import STOP_REASONS, EventLog
from harness.ledger import PromptLedger, rebuild
from harness.records import jsonable, token_fields
from harness.run import Run
from harness.run_file import UnreadableRun, hold, is_held, read_run
from harness.settings import Settings
from tests.harness.scripts import QUESTION, backend, calculate, call, end, finished, of_kind

ROOT = Path(__file__).resolve().parents[2]
BROKEN = '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>'
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
turns = st.one_of(
    texts,
    st.just(BROKEN),
    st.just(""),
    st.builds("<think>\n{}\n</think>\n\n{}".format, texts, texts),
    st.builds(calculate, texts),
    st.builds(lambda one, two: calculate(one) + "\n" + call("current_time", place=two), texts, texts),
    st.builds(lambda text, name: text + call(name), texts, texts),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(turns, min_size=1, max_size=6), st.integers(1, 60), st.integers(1, 4))
def test_what_holds_for_every_log(script: list[str], limit: int, steps: int) -> None:
    model = backend(script)
    run = Run(model, QUESTION, Settings(Sampling(max_new_tokens=limit), max_steps=steps))
    run.execute()
    events = run.log.events
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert all(one["t"] <= other["t"] for one, other in pairwise(events))
    assert events[0]["kind"] == "run_start"
    assert end(run)["stop_reason"] in STOP_REASONS
    assert [json.loads(line) for line in run.log.lines_after(-1, len(events))] == events
    prompts = [(encoded.text, list(encoded.ids)) for encoded, _ in model.generated]
    assert list(rebuild(events)) == prompts
    for step in range(1, end(run)["n_steps"] + 1):
        check_step([event for event in events if event.get("step") == step])


def check_step(events: Sequence[dict[str, Any]]) -> None:
    """The tokens of a step are numbered, make up its raw text, and are what the spans of its calls point to."""
    tokens = [event for event in events if event["kind"] == "token"]
    assert [token["index"] for token in tokens] == list(range(len(tokens)))
    for finished_turn in (event for event in events if event["kind"] == "model_end"):
        assert "".join(token["text"] for token in tokens) == finished_turn["raw"]
        assert finished_turn["n_tokens"] == len(tokens)
    for parsed in (event for event in events if event["kind"] == "parsed"):
        for made in parsed["tool_calls"]:
            start, stop = made["span"]
            written = "".join(token["text"] for token in tokens[start:stop])
            assert made["raw_args"] in written
            assert written.startswith("<tool_call>")
            assert written.endswith("</tool_call>") or made["error"] is not None
            assert (made["arguments"] is None) == (made["error"] is not None)


def test_the_span_of_a_call_points_to_its_tokens() -> None:
    run = finished(["<think>\nhm\n</think>\n\nSee: " + calculate("1 + 1"), "2."])
    first = [event for event in of_kind(run, "token") if event["step"] == 1]
    start, stop = of_kind(run, "parsed")[0]["tool_calls"][0]["span"]
    assert (first[start]["text"], first[stop - 1]["text"]) == ("<tool_call>", "</tool_call>")


def test_the_channels_of_the_tokens() -> None:
    run = finished(["<think>\nhm\n</think>\n\nSee: " + calculate("1 + 1"), "2."])
    first = {event["text"]: event["channel"] for event in of_kind(run, "token") if event["step"] == 1}
    assert first["hm"] == "thought"
    assert first["See"] == "content"
    assert first["name"] == "tool_call"
    assert {first["<think>"], first["</think>"], first["<tool_call>"], first["</tool_call>"], first["<|im_end|>"]} == {"control"}


def test_the_log_stays_linear_in_the_run() -> None:
    run = finished([calculate(f"{number} + 1") for number in range(8)], Settings(max_steps=8))
    contexts = of_kind(run, "context")
    assert contexts[0]["added_from"] == contexts[0]["ids_from"] == 0
    assert all(context["added_from"] > 0 and len(context["ids"]) < contexts[0]["n_tokens"] for context in contexts[1:])
    assert sum(len(context["ids"]) for context in contexts) <= contexts[-1]["n_tokens"]


def test_ends_and_special_count_from_what_is_new() -> None:
    run = finished([calculate("1 + 1"), "2."])
    for context in of_kind(run, "context"):
        begins = [0, *context["ends"][:-1]]
        pieces = [context["text"][begin:stop] for begin, stop in zip(begins, context["ends"], strict=True)]
        assert "".join(pieces) == context["text"]
        assert all(pieces[place].startswith("<") and pieces[place].endswith(">") for place in context["special"])
        assert len(pieces) == len(context["ids"])


def read(*prompts: Encoded) -> dict[str, Any]:
    """What the ledger says of the last of the prompts."""
    ledger = PromptLedger(backend([]))
    return [ledger.read(prompt, [], [], True) for prompt in prompts][-1]


def test_a_boundary_inside_a_character_is_none_in_the_text() -> None:
    fields = read(Encoded("a你", (1, 2, 3), (1, 2, 2)), Encoded("a妳", (1, 2, 4), (1, 2, 2)))
    assert (fields["added_from"], fields["text"]) == (1, "妳")
    assert (fields["ids_from"], fields["ids"], fields["ends"]) == (1, [2, 4], [1, 1])


def test_a_prompt_without_offsets_has_no_ends() -> None:
    fields = read(Encoded("abc", (1, 2)), Encoded("abd", (1, 3)))
    assert "ends" not in fields
    assert (fields["added_from"], fields["text"], fields["ids_from"], fields["ids"]) == (2, "d", 1, [3])


def test_numbers_are_rounded_and_never_guessed() -> None:
    fields = token_fields(Token(1, "x", "x", False, p=0.123456789, logprob=float("-inf"), rank=3))
    assert fields == {"id": 1, "piece": "x", "text": "x", "special": False, "p": 0.123457, "rank": 3}


def test_a_probability_below_1_is_not_rounded_to_certain() -> None:
    nearly = token_fields(Token(1, "x", "x", False, p=0.9999997, p_sampled=1 - 2**-53, top=(Candidate(1, "x", 0.9999997, True),)))
    assert [nearly["p"], nearly["p_sampled"], nearly["top"][0][2]] == [0.999999] * 3
    certain = token_fields(Token(1, "x", "x", False, p=1.0, p_sampled=1.0, entropy=0.99999999))
    assert [certain["p"], certain["p_sampled"], certain["entropy"]] == [1, 1, 1]
    assert token_fields(Token(1, "x", "x", False, p=5e-324))["p"] > 0


def test_a_token_of_a_scripted_model_carries_its_numbers() -> None:
    token = of_kind(finished(["Hello."]), "token")[0]
    assert set(token) >= {"p", "logprob", "rank", "entropy", "p_sampled", "kept", "top"}
    assert all(len(candidate) == 4 and candidate[3] in (0, 1) for candidate in token["top"])


def test_a_token_without_numbers() -> None:
    run = Run(backend(["Hello."], numbers=False), QUESTION, Settings())
    run.execute()
    assert not {"p", "logprob", "rank", "entropy", "p_sampled", "kept", "top"} & set(of_kind(run, "token")[0])


def test_values_that_json_lacks_become_text() -> None:
    deep: Any = "core"
    for _ in range(100):
        deep = [deep]
    assert jsonable({"a": float("nan"), "b": [float("inf")], "c": "\ud800", "d": 1.5, "e": None}) == {
        "a": "nan", "b": ["inf"], "c": "?", "d": 1.5, "e": None,
    }
    assert "nested too deeply" in json.dumps(jsonable(deep))


def test_nothing_comes_after_run_end() -> None:
    log = EventLog({"run_id": "x"})
    log.append("run_end")
    assert log.ended
    with pytest.raises(ValueError, match="after run_end"):
        log.append("token")


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        EventLog({}).append("token", p=float("nan"))


def test_a_line_is_one_line_for_every_reader(tmp_path: Path) -> None:
    log = EventLog({"model": "a\u2028b"}, tmp_path / "run.jsonl")
    log.append("run_end", final="one\u2028two\u2029three\x85four\nfive\ud800")
    lines = (tmp_path / "run.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [log.header, log.events[0]]


def test_readers_ask_for_what_comes_after() -> None:
    log = EventLog({})
    for number in range(5):
        log.append("token", 1, index=number)
    assert [json.loads(line)["index"] for line in log.lines_after(1)] == [2, 3, 4]
    assert [json.loads(line)["index"] for line in log.lines_after(-1, limit=2)] == [0, 1]
    assert log.lines_after(4) == []
    assert log.wait(3, 0.0)
    assert not log.wait(4, 0.0)


def test_whoever_sees_that_the_log_has_ended_finds_its_last_line() -> None:
    """A reader takes no lock, so it can look between any two steps of `append`."""
    log = EventLog({})
    seen: list[tuple[bool, int]] = []

    class Watched(list[Any]):
        def append(self, item: Any) -> None:
            super().append(item)
            seen.append((log.ended, len(log.lines_after(-1))))

    log._events, log._lines = Watched(), Watched()
    log.append("run_start")
    log.append("run_end")
    assert {n for ended, n in seen if ended} == {2}


def test_a_reader_is_woken() -> None:
    log = EventLog({})
    woken: list[bool] = []
    reader = threading.Thread(target=lambda: woken.append(log.wait(-1, 30.0)))
    reader.start()
    log.append("token")
    reader.join()
    assert woken == [True]


def write(path: Path, *lines: str) -> Path:
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    return path


HEADER = '{"loopglass":1,"run_id":"x"}'


def test_a_file_that_a_crash_cut_reads_up_to_the_last_whole_line(tmp_path: Path) -> None:
    whole = [HEADER, '{"seq":0,"kind":"run_start","t":0.0}', '{"seq":1,"kind":"token","t":0.1,"text":"你"}']
    content = "\n".join([*whole, ""]).encode()
    for cut in range(len(HEADER) + 1, len(content) + 1):
        (tmp_path / "cut.jsonl").write_bytes(content[:cut])
        _, events = read_run(tmp_path / "cut.jsonl")
        assert len(events) == content[:cut].count(b"\n") - 1


@pytest.mark.parametrize("first", ["", "{}", "[1]", "no json", '"loopglass"', "null", '{"loopglass":"1"}', '{"loopglass":true}'])
def test_a_file_that_is_no_run(tmp_path: Path, first: str) -> None:
    with pytest.raises(UnreadableRun, match=r"x\.jsonl is not a Loopglass run"):
        read_run(write(tmp_path / "x.jsonl", first, ""))


def test_an_empty_file_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRun, match="not a Loopglass run"):
        read_run(write(tmp_path / "x.jsonl"))


def test_a_file_of_a_newer_version(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRun, match=r"newer Loopglass \(format 2, this one reads 1\): update it"):
        read_run(write(tmp_path / "x.jsonl", '{"loopglass":2}', ""))


@pytest.mark.parametrize("line", ["{broken", "[]", "7", '{"seq":0}'])
def test_a_file_that_is_damaged_in_the_middle(tmp_path: Path, line: str) -> None:
    with pytest.raises(UnreadableRun, match="damaged in line 2"):
        read_run(write(tmp_path / "x.jsonl", HEADER, line, '{"seq":1,"kind":"run_end"}', ""))


@pytest.mark.parametrize("seqs", [(0, 2), (1,), (0, 0), (0, True)])
def test_a_file_that_lacks_a_line_or_has_one_twice_is_damaged(tmp_path: Path, seqs: Sequence[int]) -> None:
    """Readers ask for what comes after the last event that they have, so they would ask for the missing one for ever."""
    lines = [json.dumps({"seq": seq, "kind": "token"}) for seq in seqs]
    with pytest.raises(UnreadableRun, match=f"damaged in line {len(seqs) + 1}"):
        read_run(write(tmp_path / "x.jsonl", HEADER, *lines, ""))


def test_kinds_and_fields_that_nobody_knows_are_handed_on(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", HEADER, '{"seq":0,"kind":"aurora","t":0.0,"colour":"green"}', "")
    assert read_run(path)[1] == [{"seq": 0, "kind": "aurora", "t": 0.0, "colour": "green"}]


def test_a_run_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text("mine")
    log = EventLog({}, tmp_path / "run.jsonl")
    assert "run.jsonl" in str(log.write_error)
    log.append("run_start")
    log.append("run_end")
    assert log.ended
    assert (tmp_path / "run.jsonl").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_a_file_is_held_though_somebody_asked_just_then(tmp_path: Path) -> None:
    import fcntl

    path = tmp_path / "run.jsonl"
    with path.open("w") as mine:
        with path.open() as asking:
            fcntl.flock(asking, fcntl.LOCK_SH)
            holding = threading.Thread(target=hold, args=(mine,))
            holding.start()
            holding.join(0.2)
            assert holding.is_alive(), "it waits"
        holding.join(10)
        assert is_held(path)
    assert not is_held(path)


FULL = """
import resource, sys
from pathlib import Path
from tests.harness.scripts import finished

resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))  # What a full disk looks like: from here on, writing fails.
run = finished(["Many words. " * 50], path=Path(sys.argv[1]))
assert run.log.write_error is not None
assert run.log.events[-1]["stop_reason"] == "answer"
"""


def test_a_full_disk_does_not_end_a_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    subprocess.run([sys.executable, "-c", FULL, str(path)], cwd=ROOT, check=True)
    _, events = read_run(path)
    assert events[0]["kind"] == "run_start"
    assert events[-1]["kind"] != "run_end"
