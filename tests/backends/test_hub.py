"""Where checkpoints come from, what they recommend, and the sentences for those that cannot be loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer

from backends import checkpoint, hub
from backends.base import BackendError, Sampling
from backends.local import LocalBackend
from families.base import Text
from families.hermes import HERMES


def ignore(what: Text, done: float | None) -> None:
    pass


def test_a_folder_is_named_by_its_name(tiny_folder: Path) -> None:
    assert hub.resolve(str(tiny_folder), ignore) == checkpoint.Checkpoint(tiny_folder.resolve(), tiny_folder.name)


def test_a_path_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine", "other.gguf"):
        (tmp_path / name).mkdir()
    (tmp_path / "model.gguf").touch()
    (tmp_path / "notes.txt").touch()
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert hub.on_this_computer("../mine") == hub.on_this_computer("~/mine") == tmp_path / "mine"
    assert hub.on_this_computer("../model.gguf") == tmp_path / "model.gguf"
    for name in ("mine", "../notes.txt", "../typo.gguf", "~nobody-here/x", "x" * 5000):
        assert hub.on_this_computer(name) is None


@pytest.mark.parametrize(
    "model", ["no-such-folder", "", "a/b/c", "a--b/c", "a/b@../../c", "no-such.gguf", "~nobody-here/x", "x" * 5000],
)
def test_anything_else_says_what_to_give(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackendError, match=r"config\.json") as caught:
        hub.resolve(model, ignore)
    assert "config.json" in caught.value.zh


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"temperature": 0.6, "top_p": 0.95, "top_k": 20}, ({"temperature": 0.6, "top_p": 0.95, "top_k": 20}, "checkpoint")),
        ({"temperature": 0.6}, ({"temperature": 0.6, "top_p": 1.0, "top_k": 0}, "checkpoint")),
        ({"temperature": 0.6, "top_p": 7, "top_k": "20"}, ({"temperature": 0.6, "top_p": 1.0, "top_k": 0}, "checkpoint")),
        ({"temperature": "<b>", "top_p": float("nan"), "top_k": 2.5}, ({**HERMES.sampling}, "family")),
        ({"temperature": -1, "top_p": True, "top_k": -1}, ({**HERMES.sampling}, "family")),
        ({"temperature": 10**400, "top_p": float("inf"), "top_k": 10**400}, ({**HERMES.sampling}, "family")),
        ({"do_sample": False, "temperature": 0.6}, ({"temperature": 0.0, "top_p": 1.0, "top_k": 0}, "checkpoint")),
        ({"eos_token_id": 2}, ({**HERMES.sampling}, "family")),
        (None, ({**HERMES.sampling}, "family")),
    ],
)
def test_recommended_sampling(config: dict[str, object] | None, expected: tuple[dict[str, float], str], tmp_path: Path) -> None:
    if config is not None:
        (tmp_path / "generation_config.json").write_text(json.dumps(config))
    assert checkpoint.defaults(tmp_path, HERMES) == expected


@pytest.mark.parametrize("content", ["{", "[]", '{"a":' + "[" * 100_000], ids=["cut off", "a list", "too deep"])
def test_a_broken_generation_config_is_a_sentence(content: str, tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text(content)
    with pytest.raises(BackendError, match="JSON"):
        checkpoint.defaults(tmp_path, HERMES)


@pytest.mark.parametrize(
    ("there", "index", "expected"),
    [
        ((), None, ("model.safetensors",)),
        ((), {"a": "model-2.safetensors", "b": "model-1.safetensors"}, ("model-1.safetensors", "model-2.safetensors")),
        (("model.safetensors",), {"a": "model-1.safetensors"}, ("model.safetensors",)),
        ((), {"a": 1, "b": ["x"]}, ("model.safetensors",)),
        ((), ["x"], ("model.safetensors",)),
    ],
)
def test_which_files_hold_the_weights(there: tuple[str, ...], index: object, expected: tuple[str, ...], tmp_path: Path) -> None:
    for name in there:
        (tmp_path / name).touch()
    if index is not None:
        (tmp_path / checkpoint.INDEX).write_text(json.dumps({"weight_map": index}))
    assert checkpoint.weight_files(tmp_path) == expected


@pytest.fixture
def copy(tiny_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_folder, tmp_path / "copy"))


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def refusal(folder: Path) -> str:
    """Why the checkpoint cannot be loaded, in English; it is said in Chinese, too."""
    with pytest.raises(BackendError) as caught:
        LocalBackend.load(folder, "broken", device="cpu")
    assert any("一" <= character <= "鿿" for character in caught.value.zh)
    return str(caught.value)


def test_a_folder_without_config(tmp_path: Path) -> None:
    assert "names no architecture" in refusal(tmp_path)


def test_weights_that_are_missing(copy: Path) -> None:
    weights = load_file(copy / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert "lacks weights of the model: model.layers.1.mlp.up_proj.weight" in refusal(copy)


def test_code_in_a_checkpoint_is_not_run(copy: Path) -> None:
    change_config(copy, model_type="mystery", auto_map={"AutoConfig": "code.Config", "AutoModelForCausalLM": "code.Model"})
    (copy / "code.py").write_text("raise SystemExit('ran')")
    assert "architecture 'mystery'" in refusal(copy)


@pytest.mark.parametrize(
    "wrong", [{"max_position_embeddings": "2048"}, {"layer_types": 5}, {"quantization_config": "x"}, {"text_config": {"a": 1}}],
)
def test_a_configuration_with_values_of_a_wrong_type(wrong: dict[str, object], copy: Path) -> None:
    change_config(copy, **wrong)
    assert "cannot be loaded" in refusal(copy)


def test_a_model_without_chat_template(copy: Path) -> None:
    (copy / "chat_template.jinja").unlink()
    assert "no chat template" in refusal(copy)


def test_a_tokenizer_of_another_model(copy: Path) -> None:
    written = json.loads((copy / "tokenizer.json").read_text("utf-8"))
    first = 1 + max([*written["model"]["vocab"].values(), *(token["id"] for token in written["added_tokens"])])
    written["model"]["vocab"].update({f"further{number}": first + number for number in range(100)})
    (copy / "tokenizer.json").write_text(json.dumps(written), "utf-8")
    assert "do not belong together" in refusal(copy)


def test_added_tokens_without_weights_are_refused_where_a_prompt_holds_them(copy: Path) -> None:
    """gemma-3-1b-it, for one, comes with a token for images that it has no row for."""
    tokenizer = AutoTokenizer.from_pretrained(copy)
    tokenizer.add_tokens([*(f"<extra {number}>" for number in range(10)), "<image_soft_token>"])
    tokenizer.save_pretrained(copy)
    backend = LocalBackend.load(copy, "with more tokens", device="cpu")
    assert list(backend.generate(backend.encode("Hello"), Sampling(max_new_tokens=2), lambda: False))
    with pytest.raises(BackendError, match="<image_soft_token>, a token that this model has no weights for"):
        backend.generate(backend.encode("Hello <image_soft_token>"), Sampling(max_new_tokens=2), lambda: False)
