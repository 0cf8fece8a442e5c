"""The command `loopglass ask` with a scripted model, and its arguments."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.cli import main, read_questions
from backends.base import Backend, BackendError, Progress
from backends.scripted import ScriptedBackend
from families.base import Text
from harness.run_file import read_run
from tests.harness.scripts import backend, calculate

ROOT = Path(__file__).resolve().parents[2]
TURNS = ["<think>\nI calculate.\n</think>\n\n" + calculate("37 * 48"), "37 * 48 is 1776."]


class Loading:
    """Loads a scripted model, and remembers which was asked for."""

    def __init__(self, turns: Sequence[Any]) -> None:
        self.backend = backend(turns)
        self.asked: list[str] = []

    def __call__(self, model: str, progress: Progress) -> Backend:
        self.asked.append(model)
        progress(Text("載入中", "Loading"), 0.5)
        return self.backend


def ask(turns: Sequence[Any], folder: Path, *arguments: str) -> tuple[int, ScriptedBackend]:
    loading = Loading(turns)
    code = main(["ask", *arguments], load=loading, folder=folder)
    assert len(loading.asked) == 1
    return code, loading.backend


def logs(output: str) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The logs that --json printed one after another."""
    found: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    for line in output.splitlines():
        value = json.loads(line)
        if "loopglass" in value:
            found.append((value, []))
        else:
            found[-1][1].append(value)
    return found


def test_json_prints_the_log_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = ask(TURNS, tmp_path, "What is 37 * 48?", "--json")
    shown = capsys.readouterr()
    ((header, events),) = logs(shown.out)
    assert code == 0
    assert header["loopglass"] == 1
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert (events[0]["kind"], events[0]["question"]) == ("run_start", "What is 37 * 48?")
    assert (events[-1]["kind"], events[-1]["final"]) == ("run_end", "37 * 48 is 1776.")
    assert "Loading" in shown.err
    (path,) = tmp_path.iterdir()
    assert read_run(path) == (header, events)


def test_a_drawn_run_shows_everything_that_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = ask(TURNS, tmp_path, "What is 37 * 48?", "--lang", "en")
    drawn = capsys.readouterr().out
    assert code == 0
    assert "\x1b" not in drawn  # The output is no terminal.
    places = [drawn.index(part) for part in (
        "Question: What is 37 * 48?", "Step 1", "Prompt: ", "<|im_start|>system", "I calculate.", "stopped at <|im_end|>",
        'Call calculator {"expression": "37 * 48"}', "calculator, result: 1776", "Step 2", "Ended: the model has answered",
        "Answer: 37 * 48 is 1776.", "Run file: ",
    )]
    assert places == sorted(places)


def test_the_drawing_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(TURNS, tmp_path, "37 乘 48？", "--lang", "zh")
    drawn = capsys.readouterr().out
    assert "問題: 37 乘 48？" in drawn
    assert "第 1 步" in drawn
    assert "回答: 37 * 48 is 1776." in drawn


@pytest.mark.parametrize(
    ("environment", "title"),
    [
        ({"LANG": "zh_TW.UTF-8"}, "第 1 步"),
        ({"LANG": "en_US.UTF-8"}, "Step 1"),
        ({"LC_ALL": "zh_TW", "LANG": "en_US"}, "第 1 步"),
        ({}, "Step 1"),
    ],
)
def test_the_language_is_the_terminals(
    environment: dict[str, str], title: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ask(["Hi."], tmp_path, "Hello?")
    assert title in capsys.readouterr().out


def test_sampling_that_is_left_open_is_the_models_own(tmp_path: Path) -> None:
    _, model = ask(["Hi."], tmp_path, "Hello?", "--json")
    used = model.generated[0][1]
    assert {"temperature": used.temperature, "top_p": used.top_p, "top_k": used.top_k} == model.info["defaults"]
    assert (type(used.seed), used.max_new_tokens) == (int, 512)


def test_the_options_reach_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--temperature", "0", "--top-p", "0.5", "--top-k", "3", "--seed", "7", "--max-new-tokens", "40", "--max-steps", "2",
        "--time-limit", "12.5", "--no-thinking", "--tool", "current_time", "--tool", "calculator", "--json", "--lang", "zh",
    ]
    _, model = ask(["Hi."], tmp_path, "Hello?", *options, "--system", "Be brief.")
    start = logs(capsys.readouterr().out)[0][1][0]
    assert start["settings"] == {
        "temperature": 0.0, "top_p": 0.5, "top_k": 3, "seed": 7, "max_new_tokens": 40, "max_steps": 2, "time_limit_s": 12.5,
        "thinking": False, "system_prompt": "Be brief.", "drafter": None,
    }
    assert start["tools"] == ["current_time", "calculator"]
    assert start["lang"] == "zh"
    assert model.rendered[0].thinking is False


def test_no_tools(tmp_path: Path) -> None:
    _, model = ask(["Hi."], tmp_path, "Hello?", "--no-tools", "--json")
    assert model.rendered[0].tools == ()


def test_the_model_is_the_one_named(tmp_path: Path) -> None:
    loading = Loading(["Hi."])
    main(["ask", "Hello?", "--model", "some/folder", "--json"], load=loading, folder=tmp_path)
    assert loading.asked == ["some/folder"]
    loading = Loading(["Hi."])
    main(["ask", "Hello?", "--json"], load=loading, folder=tmp_path)
    assert loading.asked == ["builtin"]


OTHER = ["--model", "some/folder", "--device", "cpu", "--dtype", "bfloat16"]


@pytest.mark.parametrize("arguments", [
    ["ask", "Hello?", "--json", *OTHER],
    [*OTHER, "ask", "Hello?", "--json"],
    [*OTHER, "selftest", "drafting", "--json"],
    ["--model", "some/folder", "--device", "cuda", "ask", "Hello?", "--json", "--device", "cpu", "--dtype", "bfloat16"],
])
def test_model_device_and_number_format_reach_the_loader_before_the_command_and_behind_it(
    arguments: list[str], tmp_path: Path,
) -> None:
    given: list[tuple[str, dict[str, str]]] = []

    def load(model: str, _progress: Progress, **chosen: str) -> Backend:
        given.append((model, chosen))
        return backend(["Hi."])

    main(arguments, load=load, folder=tmp_path)
    assert given == [("some/folder", {"device": "cpu", "dtype": "bfloat16"})]


def test_where_the_page_is_served_says_nothing_to_a_command_that_serves_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--port", "9000", "ask", "Hello?"], load=Loading([]))
    assert caught.value.code == 2
    assert "--port is of the page, which ask does not serve" in capsys.readouterr().err


def test_the_largest_seed_is_used_as_it_is(tmp_path: Path) -> None:
    _, model = ask(["Hi."], tmp_path, "Hello?", "--json", "--seed", str(2**53 - 1))
    assert model.generated[0][1].seed == 2**53 - 1


def test_each_megabyte_of_a_download_is_not_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def load(_model: str, progress: Progress) -> Backend:
        for done in ("0 B", "800 kB", "1.5 MB"):
            progress(Text(f"下載：{done}／1.5 MB", f"Downloading: {done} of 1.5 MB"), None)
        for seconds in (1, 2):
            progress(Text(f"讀取權重：{seconds} 秒", f"Reading the weights: {seconds} s"), None)
        return backend(["Hi."])

    main(["ask", "Hello?", "--json", "--lang", "en"], load=load, folder=tmp_path)
    assert capsys.readouterr().err == "Downloading: 0 B of 1.5 MB\nReading the weights: 1 s\n"


def test_a_file_of_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"q": "One?", "answer": "x"}\n\n{"q": "Two\u2028lines?"}\n', encoding="utf-8")
    code, model = ask(["First.", "Second."], tmp_path / "runs", "--file", str(file), "--json")
    printed = logs(capsys.readouterr().out)
    assert code == 0
    assert [events[0]["question"] for _, events in printed] == ["One?", "Two\u2028lines?"]
    assert [events[-1]["final"] for _, events in printed] == ["First.", "Second."]
    assert [len(rendered.messages) for rendered in model.rendered] == [2, 2]  # Each a conversation of its own.
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_one_question_of_a_file_without_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"q": "One?"}\n{"q": "Two?"}\n', encoding="utf-8")
    code, model = ask([BackendError("Gone.", "沒了。"), "Second."], tmp_path, "--file", str(file), "--json")
    assert code == 1
    assert len(model.generated) == 2


def test_a_run_without_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = ask([BackendError("The server is gone.", "伺服器不見了。")], tmp_path, "Hello?", "--lang", "en")
    drawn = capsys.readouterr().out
    assert code == 1
    assert "The server is gone." in drawn
    assert "No answer" in drawn


def test_a_model_that_does_not_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_model: str, _progress: Progress) -> Backend:
        raise BackendError("There is no model 'x'.", "找不到模型「x」。")

    assert main(["ask", "Hello?", "--lang", "zh", "--json"], load=fail, folder=tmp_path) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "找不到模型「x」。" in shown.err


class Screen(io.StringIO):
    """What stands in a terminal."""

    def isatty(self) -> bool:
        return True


def test_why_a_model_does_not_load_stands_alone_in_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_model: str, progress: Progress) -> Backend:
        progress(Text("詢問", "Asking the hub"), None)
        raise BackendError("No network.", "沒有網路。")

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["ask", "Hello?", "--lang", "en"], load=fail, folder=tmp_path) == 1
    assert screen.getvalue().split("\x1b[K")[-1] == "The model could not be loaded: No network.\n"


def test_the_run_file_can_be_named(tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    code, _ = ask(["Hi."], tmp_path / "runs", "Hello?", "--out", str(out), "--json")
    assert code == 0
    assert read_run(out)[1][-1]["final"] == "Hi."
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("out", [None, "x" * 300, "file/x.jsonl"], ids=["folder", "long name", "no folder"])
def test_a_run_file_that_cannot_be_created(out: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    named = [] if out is None else ["--out", str(tmp_path / out)]
    code, backend = ask(["Hi."], tmp_path / "file", "Hello?", "--lang", "en", *named)
    assert code == 1
    assert "The run file could not be written" in capsys.readouterr().err
    assert not backend.rendered, "the model was asked for an answer that would not be kept"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give either a question or --file"),
        (["Hello?", "--file", "x.jsonl"], "give either a question or --file"),
        (["   "], "the question is empty"),
        (["--file", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--file", "x.jsonl", "--out", "y.jsonl"], "--out takes one run"),
        (["Hello?", "--out", "pyproject.toml"], "pyproject.toml exists already"),
        (["Hello?", "--temperature", "-1"], "-1 is out of range: 0 or more"),
        (["Hello?", "--temperature", "nan"], "nan is out of range"),
        (["Hello?", "--temperature", "1e-46"], "1e-46 is out of range: 0, or 1e-06 or more"),
        (["Hello?", "--temperature", "warm"], "'warm' is no number"),
        (["Hello?", "--top-p", "0"], "0 is out of range: above 0, at most 1"),
        (["Hello?", "--top-p", "1.5"], "1.5 is out of range"),
        (["Hello?", "--top-k", "2.5"], "'2.5' is no whole number"),
        (["Hello?", "--seed", "-5"], "-5 is out of range"),
        (["Hello?", "--max-new-tokens", "0"], "0 is out of range: 1 or more"),
        (["Hello?", "--max-steps", "0"], "0 is out of range: 1 or more"),
        (["Hello?", "--time-limit", "0"], "0 is out of range: above 0"),
        *((["Hello?", "--time-limit", limit], f"{limit} is out of range: above 0, at most") for limit in ("inf", "nan", "1e999")),
        (["Hello?", "--temperature", "inf"], "inf is out of range: 0 or more, at most 100"),
        *(
            (["Hello?", option, str(2**53)], "9007199254740992 is out of range")  # A browser holds no larger number exactly.
            for option in ("--seed", "--top-k", "--max-new-tokens", "--max-steps")
        ),
        (["Hello?", "--tool", "google"], "invalid choice: 'google'"),
        (["Hello?", "--tool", "calculator", "--no-tools"], "not allowed with argument"),
        (["Hello?", "--lang", "de"], "invalid choice: 'de'"),
    ],
)
def test_usage_errors(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as caught:
        main(["ask", *arguments], load=Loading([]))
    assert caught.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "holds no question"),
        ("\n\n", "holds no question"),
        ('{"q": "One?"}\n{broken\n', "line 2: this is no JSON"),
        ('{"q": "One?"}\n' + "[" * 100_000, "line 2: this is no JSON"),
        ('{"question": "One?"}', 'line 1: an object with a text "q"'),
        ('{"q": 7}', 'line 1: an object with a text "q"'),
        ('{"q": " "}', 'line 1: an object with a text "q"'),
        ('["q"]', 'line 1: an object with a text "q"'),
    ],
)
def test_files_that_hold_no_questions(content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        read_questions(tmp_path / "x.jsonl")


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'\xef\xbb\xbf{"q": "One?"}\r\n{"q": "Two?"}\r\n')
    assert read_questions(tmp_path / "x.jsonl") == ["One?", "Two?"]


SLOW = """
import sys, threading
from app.cli import main
from tests.harness.scripts import backend

model = backend([["One", " two", threading.Event()], "Never asked."])
sys.exit(main(sys.argv[1:], load=lambda name, progress: model))
"""


def slow_command(home: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SLOW, "ask", *arguments]
    environment = {**os.environ, "XDG_DATA_HOME": str(home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    return subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_token(process: subprocess.Popen[str]) -> list[str]:
    """The lines up to the second token."""
    assert process.stdout is not None
    lines = []
    while not lines or '" two"' not in lines[-1]:
        lines.append(process.stdout.readline())
        assert lines[-1], "the command ended early"
    return lines


def test_ctrl_c_stops_the_run_and_the_log_is_whole(tmp_path: Path) -> None:
    process = slow_command(tmp_path, "Hello?", "--json")
    lines = wait_for_token(process)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate()
    ((header, events),) = logs("".join(lines) + rest)
    assert process.returncode == 1
    assert events[-1]["stop_reason"] == "user_stopped"
    assert "Stopping" in errors
    assert "Traceback" not in errors
    path = tmp_path / "loopglass" / "runs" / f"{header['run_id']}.jsonl"
    assert read_run(path)[1] == events


def test_ctrl_c_ends_a_file_of_questions(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"q": "One?"}\n{"q": "Two?"}\n', encoding="utf-8")
    process = slow_command(tmp_path, "--file", str(file), "--json")
    lines = wait_for_token(process)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate()
    assert process.returncode == 1
    assert [events[0]["question"] for _, events in logs("".join(lines) + rest)] == ["One?"]


def test_a_reader_that_goes_away_is_no_crash(tmp_path: Path) -> None:
    process = slow_command(tmp_path, "Hello?", "--json", "--time-limit", "1")
    wait_for_token(process)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert "Traceback" not in process.stderr.read()
    assert process.wait() == 1


def test_python_m_works() -> None:
    command = [sys.executable, "-m", "app.cli", "ask", "--help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "--max-new-tokens" in shown.stdout


BUSY = """
import sys
import torch
from app.cli import command
from tests.harness.scripts import backend

model, numbers = backend(["Never"]), torch.rand(1000, 1000)

def busy(*_):
    while True:
        numbers @ numbers

model.generate = busy
command(sys.argv[1:], load=lambda name, progress: model)
"""


def test_a_model_that_never_lets_go_does_not_keep_the_command_from_ending_cleanly(tmp_path: Path) -> None:
    """Torch, still at work in threads of its own, aborts a program that ends as Python does."""
    ran = subprocess.run(
        [sys.executable, "-c", BUSY, "ask", "Hello?", "--json", "--time-limit", "0.2"], cwd=tmp_path,
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1])["stop_reason"] == "timed_out"
    assert "terminate" not in ran.stderr


def test_events_of_a_thread_are_shown_as_they_come(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate = threading.Event()
    shown: list[str] = []

    def release() -> None:
        while "One" not in "".join(shown):
            shown.append(capsys.readouterr().out)
        gate.set()

    threading.Thread(target=release).start()
    code, _ = ask([["One", gate, " two"]], tmp_path, "Hello?", "--json")
    assert code == 0


def test_a_drafter_that_there_is(tmp_path: Path) -> None:
    loading = Loading(TURNS)
    loading.backend.drafters = {"prompt_lookup": None}
    assert main(["ask", "Hi", "--drafter", "prompt_lookup"], load=loading, folder=tmp_path) == 0
    assert [sampling.drafter for _, sampling in loading.backend.generated] == ["prompt_lookup"] * 2


@pytest.mark.parametrize(
    ("drafters", "says"),
    [
        ({}, "it has none"),
        ({"prompt_lookup": None}, "it has prompt_lookup"),
        ({"mtp": Text("沒有權重", "no weights")}, "no weights"),
    ],
)
def test_a_drafter_that_there_is_not(
    drafters: dict[str, Text | None], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loading = Loading(TURNS)
    loading.backend.drafters = drafters
    assert main(["ask", "Hi", "--drafter", "mtp", "--lang", "en"], load=loading, folder=tmp_path) == 1
    assert says in capsys.readouterr().err
    assert not loading.backend.generated
