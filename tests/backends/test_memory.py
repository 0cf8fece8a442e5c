"""What fits in memory, and what is said where it does not."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import gguf
import numpy as np
import psutil
import pytest
import torch
from transformers.core_model_loading import MergeModulelist
from transformers.utils import is_kernels_available

from backends.base import BackendError
from backends.checkpoint import DTYPES
from backends.checkpoint_files import gguf_numbers
from backends.loading import load_assistant, load_checkpoint
from backends.memory import BYTES, Weights, does_not_fit, free_bytes, ran_out, require_room, smaller
from backends.qwen_mtp import load_head
from families.base import Text
from tests.backends import networks, test_cgroups, test_loading, test_qwen_mtp, tiny

GB = 1_000_000_000


def test_every_number_format_that_can_be_chosen_has_its_bytes() -> None:
    assert {name: getattr(torch, name).itemsize for name in DTYPES} == BYTES


def test_what_is_needed() -> None:
    assert Weights(4 * GB, "float32").n_bytes == 16 * GB
    assert Weights(4 * GB, "bfloat16").n_bytes == 8 * GB


@pytest.mark.parametrize(
    ("dtype", "free", "fits"),
    [("float32", 10 * GB, ("bfloat16", "float16")), ("float32", 8 * GB, ()), ("float32", 4 * GB, ()), ("bfloat16", 4 * GB, ())],
)
def test_only_smaller_formats_that_leave_room_to_compute_are_said_to_fit(
    dtype: str, free: int, fits: tuple[str, ...]
) -> None:
    assert smaller(Weights(4 * GB, dtype), free) == fits


def test_what_fits_is_let_through() -> None:
    require_room("Acme/Tiny", Weights(1 * GB, "float32"), 4 * GB + GB // 4)
    with pytest.raises(BackendError):
        require_room("Acme/Tiny", Weights(1 * GB, "float32"), 4 * GB + GB // 10)  # Room for the weights and for nothing else.


def test_a_smaller_format_is_named_where_it_fits() -> None:
    error = does_not_fit("Acme/Tiny", Weights(4 * GB, "float32"), 10 * GB)
    assert str(error) == (
        "There is not enough memory for Acme/Tiny: its weights take 16.0 GB in float32, and 10.0 GB are free. "
        "In bfloat16 or float16 they take 8.00 GB, which fits."
    )
    assert "bfloat16 或 float16" in error.zh


def test_a_smaller_model_is_named_where_no_format_fits() -> None:
    error = does_not_fit("Acme/Tiny", Weights(4 * GB, "bfloat16"), 6 * GB)
    assert "about 2500 million parameters fit in bfloat16" in str(error)
    assert "25 億個參數" in error.zh


def test_memory_that_ran_out_though_the_weights_fit_is_told_as_that() -> None:
    assert str(ran_out("Acme/Tiny", Weights(4 * GB, "float32"), 20 * GB)) == (
        "Memory ran out while Acme/Tiny was loaded: its weights take 16.0 GB in float32, and 20.0 GB were free, but loading "
        "takes more on the way. In bfloat16 or float16 they take 8.00 GB, which fits."
    )
    error = ran_out("Acme/Tiny", Weights(4 * GB, "bfloat16"), 9 * GB)
    assert str(error).endswith("on the way. Choose a smaller model, or close other programs and try again.")
    assert "載入 Acme/Tiny 時記憶體用完了" in error.zh


def test_weights_that_stay_quantised_have_no_smaller_format() -> None:
    error = does_not_fit("Acme/Tiny", Weights(4 * GB, None), 3 * GB)
    assert "its weights take 4.00 GB as they are stored, and 3.00 GB are free. Choose a smaller model" in str(error)
    assert "照檔案裡的格式要 4.00 GB" in error.zh


def test_the_memory_that_is_free_here() -> None:
    free = free_bytes("cpu")
    assert free is not None
    assert 0 < free < psutil.virtual_memory().total
    assert free_bytes("meta") is None, "a device that does not say"


def test_a_limit_of_the_container_counts(tmp_path: Path) -> None:
    test_cgroups.write(tmp_path, {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": "5000\n",
        "sys/fs/cgroup/memory.current": "3000\n",
        "sys/fs/cgroup/memory.stat": "inactive_file 0\nactive_file 0\n",
    })
    assert free_bytes("cpu", tmp_path) == 2000
    (tmp_path / "sys/fs/cgroup/memory.max").write_text(f"{1 << 60}\n")
    free = free_bytes("cpu", tmp_path)
    assert free is not None
    assert free < psutil.virtual_memory().total, "a container may be allowed more than the computer has"


def test_a_model_that_cannot_fit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """The header promises more numbers than any computer here has room for; the file behind it holds none of them."""
    folder = tiny.write(tmp_path)
    header = json.dumps({"huge": {"dtype": "BF16", "shape": [10**9, 10**6], "data_offsets": [0, 2 * 10**15]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    said: list[Text] = []
    with pytest.raises(BackendError, match=r"its weights take 4000000 GB in float32, and .* are free") as caught:
        load_checkpoint(folder, lambda what, done: said.append(what), "cpu", None)
    assert "Choose a smaller model" in str(caught.value)
    assert "記憶體放不下" in caught.value.zh
    assert not any("weights" in what.en for what in said)


def ignore(what: Text, done: float | None) -> None:
    pass


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer with hardly any memory left."""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=1000))


def test_the_numbers_of_a_gguf_file_are_counted_from_its_header(tiny_folder: Path, tmp_path: Path) -> None:
    path = test_loading.write_gguf(tiny_folder, tmp_path / "tiny.gguf")
    assert gguf_numbers(path) == sum(int(tensor.n_elements) for tensor in gguf.GGUFReader(path).tensors)
    for n_bytes in (0, 3, 30, 3000):
        (tmp_path / "cut.gguf").write_bytes(path.read_bytes()[:n_bytes])
        assert gguf_numbers(tmp_path / "cut.gguf") is None


def test_every_kind_of_value_in_a_gguf_header_is_skipped(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "odd.gguf", "llama")
    for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "uint64", "int64", "float64"):
        getattr(writer, f"add_{kind}")(f"odd.{kind}", 3)
    writer.add_bool("odd.bool", True)
    for name, values in {"texts": ["a", "今天"], "numbers": [1, 2, 3], "fractions": [0.5], "answers": [True, False]}.items():
        writer.add_array(f"odd.{name}", values)
    writer.add_tensor("one", np.zeros((3, 5), dtype=np.float32))
    writer.add_tensor("quantised", np.zeros((2, 34), dtype=np.uint8), raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert gguf_numbers(tmp_path / "odd.gguf") == 3 * 5 + 2 * 32


@pytest.mark.usefixtures("full")
def test_a_gguf_file_is_refused_for_what_its_weights_become(tiny_folder: Path, tmp_path: Path) -> None:
    path = test_loading.write_gguf(tiny_folder, tmp_path / "tiny.gguf")
    with pytest.raises(BackendError, match=r"memory for tiny\.gguf: its weights take .* in float32, and 1\.00 kB are free"):
        load_checkpoint(path, ignore, "cpu", None)


def quantised(folder: Path, method: str, dtype: str) -> Path:
    """A checkpoint whose file says that it holds 17 kB of weights quantised by a method."""
    tiny.write(folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "quantization_config": {"quant_method": method}}), "utf-8")
    header = json.dumps({"blocks": {"dtype": dtype, "shape": [17000], "data_offsets": [0, 17000]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(17000))
    return folder


@pytest.mark.usefixtures("full")
def test_quantised_weights_take_what_they_take_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"its weights take 17\.0 kB as they are stored"):
        load_checkpoint(quantised(tmp_path, "awq", "I32"), ignore, "cpu", None)


@pytest.mark.usefixtures("full")
@pytest.mark.skipif(torch.cuda.is_available() or is_kernels_available(), reason="here transformers computes on them as they are")
@pytest.mark.parametrize(("method", "dtype", "n_bytes"), [("mxfp4", "U8", "64.0 kB"), ("fp8", "F8_E4M3", "34.0 kB")])
def test_quantised_weights_that_are_expanded_take_more(method: str, dtype: str, n_bytes: str, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=f"its weights take {n_bytes} in bfloat16"):
        load_checkpoint(quantised(tmp_path, method, dtype), ignore, "cpu", None)


@pytest.mark.usefixtures("full")
def test_a_drafter_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    assistant = tiny.gemma4_assistant(60)
    assistant.save_pretrained(tmp_path / "assistant")
    with pytest.raises(BackendError, match=r"memory for assistant: its weights take .* in float32"):
        load_assistant(tmp_path / "assistant", tiny.gemma4(60))
    model = test_qwen_mtp.dense()
    folder = test_qwen_mtp.write(tmp_path / "qwen", model, test_qwen_mtp.mtp_tensors(moe=False))
    with pytest.raises(BackendError, match=r"memory for qwen: mtp\.\*: its weights take .* in float32"):
        load_head(folder, model)


def test_while_a_model_is_loaded_no_conversation_can_be_shortened(tiny_folder: Path) -> None:
    def runs_out(what: Text, done: float | None) -> None:
        raise MemoryError

    with pytest.raises(BackendError, match="Choose a smaller model or number format, or close other programs") as caught:
        load_checkpoint(tiny_folder, runs_out, "cpu", None)
    assert "對話" not in caught.value.zh


def test_memory_that_runs_out_while_experts_are_put_together_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers keeps the error to itself and refers to a report."""
    def runs_out(*_: object, **__: object) -> None:
        torch.empty(1 << 60, dtype=torch.uint8)

    tiny.write(tmp_path)
    networks.experts().save_pretrained(tmp_path)
    monkeypatch.setattr(MergeModulelist, "convert", runs_out)
    with pytest.raises(BackendError, match=r"memory runs out at that\. Choose a smaller model or number format") as caught:
        load_checkpoint(tmp_path, ignore, "cpu", None)
    assert "above report" not in str(caught.value)
    assert "記憶體不足" in caught.value.zh
