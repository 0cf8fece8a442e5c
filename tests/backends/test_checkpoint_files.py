"""What files of a checkpoint say, read without loading it."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from backends.checkpoint_files import list_files, look_up, part_of, size, stored
from families.base import FileNote, Text

MEANING = Text("意思", "meaning")
NOTES = (
    FileNote("config.json", Text("設定", "settings"), {"layers": MEANING, "text_config.width": MEANING, "absent": MEANING}),
    FileNote("model.safetensors", Text("權重", "weights")),
    FileNote("generation_config.json", Text("抽樣", "sampling"), {"temperature": MEANING}),
)


@pytest.mark.parametrize(
    ("n_bytes", "written"),
    [
        (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (3_522_616, "3.52 MB"), (9_996_000, "10.0 MB"), (123_456_789, "123 MB"),
        (999_600, "1.00 MB"), (1_740_000_000, "1.74 GB"), (1_234 * 10**9, "1234 GB"),
    ],
)
def test_sizes_have_three_digits(n_bytes: int, written: str) -> None:
    assert size(n_bytes) == written


def test_files_stand_in_the_notes_order_then_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"layers": 3, "text_config": {"width": None}}))
    (tmp_path / "z.txt").write_text("12345")
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / ".hidden").write_text("1")
    (tmp_path / "folder").mkdir()
    for number, n_bytes in ((1, 10), (2, 20)):
        (tmp_path / f"model-0000{number}-of-00002.safetensors").write_bytes(b"x" * n_bytes)
    files = list_files(tmp_path, NOTES)
    assert [(file.name, file.n_bytes, file.n_files) for file in files] == [
        ("config.json", (tmp_path / "config.json").stat().st_size, 1),
        ("model-*-of-00002.safetensors", 30, 2),
        ("generation_config.json", None, 0),
        ("a.txt", 1, 1),
        ("z.txt", 5, 1),
    ]
    assert [(field.path, field.value, field.found) for field in files[0].fields] == [
        ("layers", 3, True), ("text_config.width", None, True), ("absent", None, False),
    ]
    assert files[1].note == NOTES[1].note
    assert files[3].note is None


def test_the_fields_of_a_checkpoint_for_text_alone_are_found_at_the_top(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"layers": 3, "width": 64}))
    (file,) = list_files(tmp_path, NOTES[:1])
    assert [(field.path, field.value, field.found) for field in file.fields] == [
        ("layers", 3, True), ("width", 64, True), ("absent", None, False),
    ]


@pytest.mark.parametrize("content", ["{", "\ufffe", ""])
def test_a_file_that_is_no_json_is_said_to_be_unreadable(content: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(content)
    (file, *_) = list_files(tmp_path, NOTES)
    assert file.unreadable
    assert not file.fields


def test_a_folder_that_is_gone_has_no_files(tmp_path: Path) -> None:
    files = list_files(tmp_path / "gone", NOTES)
    assert [file.n_bytes for file in files] == [None] * len(NOTES)


def test_one_file_is_listed_alone(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    (file,) = list_files(tmp_path / "model.gguf", NOTES)
    assert (file.name, file.n_bytes) == ("model.gguf", 4)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b", (1, True)), ("a", ({"b": 1}, True)), ("list.1", ("y", True)), ("list.2", (None, False)),
        ("list.x", (None, False)), ("a.b.c", (None, False)), ("none", (None, True)), ("no", (None, False)),
    ],
)
def test_dotted_paths(path: str, expected: tuple[object, bool]) -> None:
    assert look_up({"a": {"b": 1}, "list": ["x", "y"], "none": None}, path) == expected


@pytest.mark.parametrize(
    ("tensor", "part"),
    [
        ("model.layers.3.self_attn.q_proj.weight", "model.layers.*.self_attn"),
        ("model.layers.3.linear_attn.A_log", "model.layers.*.linear_attn"),
        ("model.language_model.layers.11.layer_scalar", "model.language_model.layers.*"),
        ("model.layers.0.mlp.experts.17.down_proj.weight", "model.layers.*.mlp"),
        ("model.embed_tokens.weight", "model.embed_tokens"),
        ("model.visual.patch_embed.proj.bias", "model.visual.patch_embed.proj"),
        ("weight", "weight"),
    ],
)
def test_the_part_of_a_tensor(tensor: str, part: str) -> None:
    assert part_of(tensor) == part


def test_headers_say_what_safetensors_says(tmp_path: Path) -> None:
    save_file({"a.0.x.weight": torch.zeros(2, 3), "a.1.x.weight": torch.zeros(2, 3), "scale": torch.tensor(1.0)}, tmp_path / "1")
    save_file({"b.weight": torch.zeros(5, dtype=torch.bfloat16), "empty": torch.zeros(0, 4)}, tmp_path / "2", {"format": "pt"})
    found = stored([tmp_path / "1", tmp_path / "2"])
    assert found is not None
    n_numbers = 0
    for name in "12":
        with safe_open(tmp_path / name, "pt") as file:
            n_numbers += sum(file.get_tensor(key).numel() for key in file.keys())  # noqa: SIM118 -- not a dict
    assert found.n_numbers == n_numbers == 18
    assert found.dtypes == {"F32": 13, "BF16": 5}
    assert [(part.name, part.n_tensors, part.n_numbers) for part in found.parts[:2]] == [("a.*.x", 2, 12), ("b", 1, 5)]


@pytest.mark.parametrize(
    "content", [b"", b"1234567", struct.pack("<Q", 2**62), struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 2) + b"{x"],
)
def test_what_is_no_safetensors_file_gives_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    assert stored([tmp_path / "model.safetensors"]) is None
    assert stored([tmp_path / "absent"]) is None
