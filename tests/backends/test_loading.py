"""Opening a checkpoint: devices and number formats, architectures, and .gguf files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer

from backends.base import BackendError, Sampling, Token
from backends.hub import resolve
from backends.loading import best_device, devices, require_architecture, usable_device
from backends.local import LocalBackend
from families.base import Text
from tests.backends import tiny

GREEDY = Sampling(temperature=0.0, max_new_tokens=24)
MESSAGES = [{"role": "user", "content": "What is 37 * 48? 今天天氣很好"}]
BLOCK = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}
TOP = {
    "model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
"""The names that tensors of a Llama have in a .gguf file."""


def ignore(_what: Text, _done: float | None) -> None:
    pass


def interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    """A query or key projection in the order of rows that GGUF has."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def write_gguf(folder: Path, path: Path) -> Path:
    """The tiny checkpoint as one .gguf file in float32, as llama.cpp's converter lays it out."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(2048)
    writer.add_embedding_length(48)
    writer.add_block_count(2)
    writer.add_feed_forward_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    write_vocabulary(writer, folder)
    for name, tensor in load_file(folder / "model.safetensors").items():
        weight = tensor.float().numpy()
        if name in TOP:
            writer.add_tensor(TOP[name], weight)
            continue
        layer, part = name.removeprefix("model.layers.").removesuffix(".weight").split(".", 1)
        heads = {"self_attn.q_proj": 4, "self_attn.k_proj": 2}.get(part)
        writer.add_tensor(f"blk.{layer}.{BLOCK[part]}.weight", interleaved(weight, heads) if heads else weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_vocabulary(writer: gguf.GGUFWriter, folder: Path) -> None:
    words = AutoTokenizer.from_pretrained(folder)
    names = {id: name for name, id in words.get_vocab().items()}
    rows = load_file(folder / "model.safetensors")["model.embed_tokens.weight"].shape[0]
    kinds = {words.convert_tokens_to_ids(token): gguf.TokenType.CONTROL for token in tiny.CONTROL[:3]}
    kinds |= {words.convert_tokens_to_ids(token): gguf.TokenType.USER_DEFINED for token in tiny.CONTROL[3:]}
    writer.add_vocab_size(rows)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([names.get(id, f"[spare {id}]") for id in range(rows)])
    spare = gguf.TokenType.UNUSED
    writer.add_token_types([kinds.get(id, gguf.TokenType.NORMAL if id in names else spare) for id in range(rows)])
    merges = words.backend_tokenizer.to_str()
    writer.add_token_merges([" ".join(pair) for pair in json.loads(merges)["model"]["merges"]])
    writer.add_eos_token_id(words.eos_token_id)
    writer.add_pad_token_id(words.pad_token_id)
    writer.add_chat_template(tiny.TEMPLATE)


def written(backend: LocalBackend) -> list[int]:
    """The ids of a turn that takes the likeliest token each time."""
    encoded = backend.encode(backend.render(MESSAGES, [], thinking=True))
    return [event.id for event in backend.generate(encoded, GREEDY, lambda: False) if isinstance(event, Token)]


@pytest.fixture(scope="module")
def gguf_file(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(tiny_folder, tmp_path_factory.mktemp("gguf") / "tiny.gguf")


def test_a_gguf_file_writes_what_its_safetensors_write(gguf_file: Path, backend: LocalBackend) -> None:
    checkpoint = resolve(str(gguf_file), ignore)
    assert (checkpoint.path, checkpoint.model_id) == (gguf_file.resolve(), "tiny.gguf")
    other = LocalBackend.load(checkpoint.path, checkpoint.model_id, device="cpu")
    assert other.family is backend.family
    assert other.render(MESSAGES, [], thinking=False) == backend.render(MESSAGES, [], thinking=False)
    assert other.encode("<|im_start|>user\nWhat is 37").ids == backend.encode("<|im_start|>user\nWhat is 37").ids
    assert written(other) == written(backend)
    assert set(other.info["control_tokens"]) == set(backend.info["control_tokens"])
    assert (other.info["dtype"], other.context_length) == ("float32", backend.context_length)
    assert other.info["defaults_from"] == "family", "a .gguf file recommends no sampling"


def test_a_file_that_is_no_gguf(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(BackendError, match=r"broken\.gguf cannot be loaded"):
        LocalBackend.load(path, "broken", device="cpu")


def test_the_number_format_can_be_chosen(tiny_folder: Path) -> None:
    assert LocalBackend.load(tiny_folder, "tiny", device="cpu", dtype="bfloat16").info["dtype"] == "bfloat16"


def test_the_best_device_comes_first_and_is_taken_where_none_is_wanted() -> None:
    assert devices()[0] == best_device() == usable_device(None)
    assert devices()[-1] == usable_device("cpu") == "cpu"
    assert len(set(devices())) == len(devices())


@pytest.mark.parametrize(("key", "value"), [
    ("dtype", [1]), ("dtype", "float99"), ("hidden_size", "many"), ("num_hidden_layers", "two"), ("num_attention_heads", None),
    ("vocab_size", {"n": 1}), ("rope_parameters", "text"), ("layer_types", ["no_such_attention"]), ("hidden_act", 5),
])
def test_a_configuration_with_a_wrong_value_is_a_sentence(key: str, value: object, tiny_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "odd"))
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, key: value}), "utf-8")
    with pytest.raises(BackendError) as caught:
        LocalBackend.load(folder, "odd")
    assert str(folder) in str(caught.value)
    assert str(folder) in caught.value.zh


@pytest.mark.parametrize("wanted", ["tpu", "cpu:7", "", "cuda:x", "mps:3", "cuda:99"])
def test_a_device_that_is_not_here_is_named(wanted: str, tiny_folder: Path) -> None:
    with pytest.raises(BackendError, match=f"There is no device '{wanted}' here. Choose .*cpu") as caught:
        LocalBackend.load(tiny_folder, "tiny", device=wanted)
    assert wanted in caught.value.zh


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU here")
def test_a_model_runs_on_the_gpu(tiny_folder: Path, backend: LocalBackend) -> None:
    on_gpu = LocalBackend.load(tiny_folder, "tiny", device="cuda")
    assert on_gpu.info["device"].startswith("cuda")
    assert len(written(on_gpu)) == len(written(backend))


def refusal(model_type: str | None) -> str:
    """Why a model of this type cannot be run, "" where it can."""
    try:
        require_architecture("Acme/Tiny", model_type)
    except BackendError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("model_type", ["resnet", "hyena_9"])
def test_what_writes_no_text_is_named(model_type: str) -> None:
    assert refusal(model_type).startswith(f"Acme/Tiny is of the architecture {model_type!r}")


def test_a_checkpoint_that_names_no_architecture() -> None:
    assert refusal(None).startswith("Acme/Tiny names no architecture")


@pytest.mark.parametrize("model_type", ["llama", "qwen3_5", "gemma4", "mistral3", "gpt_oss"])
def test_what_writes_text_passes(model_type: str) -> None:
    assert refusal(model_type) == ""


def test_a_model_from_the_hub_is_loaded_with_its_commit(tiny_folder: Path, tmp_path: Path) -> None:
    from backends.hub import from_hub
    from backends.hub_client import Hub
    from tests.backends.hub_server import HubServer

    server = HubServer()
    model = server.put("Acme/Tiny-1B", {path.name: path.read_bytes() for path in tiny_folder.iterdir()})
    try:
        checkpoint = from_hub("Acme/Tiny-1B", "main", Hub(server.endpoint, tmp_path), ignore)
    finally:
        server.close()
    loaded = LocalBackend.load(checkpoint.path, checkpoint.model_id, device="cpu", commit=checkpoint.commit)
    assert loaded.model_id == "Acme/Tiny-1B"
    assert loaded.info["commit"] == model.commit
    shutil.rmtree(tmp_path)
    assert written(loaded), "what was loaded does not need the files any more"
