"""What a checkpoint's files say, read without loading it: their sizes, fields of their JSON, and the headers of safetensors
and .gguf files.

Knows nothing about torch or transformers; the meaning of files and fields comes from a family's notes.
"""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from families.base import FileNote, Text

_SHARD = re.compile(r"(.+)-\d+-of-(\d+)(\.\w+)")
_MOST_HEADER_BYTES = 100_000_000
"""The safetensors format's own limit for a header."""


@dataclass(frozen=True)
class FieldValue:
    """A field that a note names: its dotted path, what it means, and this checkpoint's value; not `found` where the file
    has no such field."""

    path: str
    meaning: Text
    value: Any
    found: bool


@dataclass(frozen=True)
class CheckpointFile:
    """A file of a checkpoint, or one that the family's notes name and this checkpoint lacks (`n_bytes` None).

    The shards of one set of weights are one entry: `n_files` of them, their name with a * for the number. `note` is None
    where the family says nothing about the file. `unreadable` is set where its JSON could not be read for the fields.
    """

    name: str
    n_bytes: int | None
    n_files: int
    note: Text | None
    fields: tuple[FieldValue, ...]
    unreadable: bool = False


@dataclass(frozen=True)
class Part:
    """Tensors that belong together by their names, in which * stands for a layer's number: `n_tensors` of them, holding
    `n_numbers` numbers in all."""

    name: str
    n_tensors: int
    n_numbers: int


@dataclass(frozen=True)
class Stored:
    """What the headers of the weights say: parts (largest first), and how many numbers are stored in each dtype."""

    parts: tuple[Part, ...]
    dtypes: Mapping[str, int]

    @property
    def n_numbers(self) -> int:
        return sum(self.dtypes.values())


def size(n_bytes: float) -> str:
    """A number of bytes in three digits and the unit that fits: "526 B", "3.52 MB", "269 MB" (powers of 1000)."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 999.5 or unit == "GB":
            break
        n_bytes /= 1000
    digits = 0 if unit == "B" or n_bytes >= 99.95 else 1 if n_bytes >= 9.995 else 2
    return f"{n_bytes:.{digits}f} {unit}"


def list_files(path: Path, notes: Iterable[FileNote]) -> tuple[CheckpointFile, ...]:
    """The files of a checkpoint (a folder's own, hidden ones and subfolders aside; or the one file): those that the notes
    name in the notes' order, found or not, then the others by name. A folder that is gone has none of them."""
    folder, paths = (path.parent, [path]) if path.is_file() else (path, sorted(path.iterdir()) if path.is_dir() else [])
    sizes: dict[str, list[int]] = {}
    for each in paths:
        if each.is_file() and not each.name.startswith("."):
            sizes.setdefault(_SHARD.sub(r"\1-*-of-\2\3", each.name), []).append(each.stat().st_size)
    files: list[CheckpointFile] = []
    for note in notes:
        named = [name for name in sizes if name == note.file or re.sub(r"-\*-of-\d+", "", name) == note.file]
        files += [_file(folder, name, sizes.pop(name), note) for name in named]
        if not named and not path.is_file():
            files.append(CheckpointFile(note.file, None, 0, note.note, ()))
    return (*files, *(_file(folder, name, sizes[name], None) for name in sorted(sizes)))


def _file(folder: Path, name: str, sizes: list[int], note: FileNote | None) -> CheckpointFile:
    if note is None or not note.fields:
        return CheckpointFile(name, sum(sizes), len(sizes), note.note if note else None, ())
    try:
        content = json.loads((folder / name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return CheckpointFile(name, sum(sizes), len(sizes), note.note, (), unreadable=True)
    places = {_place(content, path): meaning for path, meaning in note.fields.items()}
    fields = tuple(FieldValue(path, meaning, *look_up(content, path)) for path, meaning in places.items())
    return CheckpointFile(name, sum(sizes), len(sizes), note.note, fields)


def _place(content: Any, path: str) -> str:
    """Where a field stands in this file: a checkpoint for text alone has the fields of its text_config at the top."""
    part, _, rest = path.partition(".")
    return rest if part == "text_config" and isinstance(content, dict) and part not in content else path


def look_up(content: Any, path: str) -> tuple[Any, bool]:
    """The value at a dotted path into JSON, with numbers for places in a list, and whether there is one."""
    for name in path.split("."):
        if isinstance(content, dict) and name in content:
            content = content[name]
        elif isinstance(content, list) and name.isdecimal() and int(name) < len(content):
            content = content[int(name)]
        else:
            return None, False
    return content, True


def stored(paths: Iterable[Path]) -> Stored | None:
    """What the headers of these safetensors files say. None where one is missing or is no such file."""
    numbers: Counter[str] = Counter()
    tensors: Counter[str] = Counter()
    dtypes: Counter[str] = Counter()
    for path in paths:
        header = _header(path)
        if header is None:
            return None
        for name, tensor in header.items():
            n_numbers = 1
            for length in tensor["shape"]:
                n_numbers *= length
            part = part_of(name)
            numbers[part] += n_numbers
            tensors[part] += 1
            dtypes[tensor["dtype"]] += n_numbers
    parts = tuple(Part(name, tensors[name], n_numbers) for name, n_numbers in numbers.most_common())
    return Stored(parts, dict(dtypes.most_common()))


def tensor_bytes(paths: Iterable[Path]) -> dict[str, int]:
    """How many bytes each tensor takes in these safetensors files, by name. Files that are missing or no such files add none."""
    found: dict[str, int] = {}
    for path in paths:
        for name, tensor in (_header(path) or {}).items():
            begin, end = tensor["data_offsets"]
            found[name] = end - begin
    return found


def least_bytes(path: Path) -> int | None:
    """How many bytes a safetensors file must have, by what it begins with. None where it is no such file."""
    try:
        with path.open("rb") as file:
            begins = file.read(8)
    except OSError:
        return None
    if len(begins) < 8:
        return 8
    (length,) = struct.unpack("<Q", begins)
    if length > _MOST_HEADER_BYTES:
        return None
    ends = (int(tensor["data_offsets"][1]) for tensor in (_header(path) or {}).values())
    return 8 + int(length) + max(ends, default=0)


def gguf_numbers(path: Path) -> int | None:
    """How many numbers the tensors of a .gguf file hold, whatever they are quantised to. None where it is no such file."""
    from gguf import GGUFReader  # Only who loads such a file needs it.

    try:
        return sum(int(tensor.n_elements) for tensor in GGUFReader(path).tensors)
    except (OSError, ValueError, LookupError):
        return None


def part_of(tensor: str) -> str:
    """The part that a tensor belongs to: its name without the last piece, with * for a layer's number, and no deeper than one
    piece below that. "model.layers.3.self_attn.q_proj.weight" -> "model.layers.*.self_attn"."""
    pieces = ["*" if piece.isdecimal() else piece for piece in tensor.split(".")]
    if "*" in pieces:
        return ".".join(pieces[: pieces.index("*") + 2][: max(len(pieces) - 1, 1)])
    return ".".join(pieces[: max(len(pieces) - 1, 1)])


def _header(path: Path) -> dict[str, Any] | None:
    """The tensors of a safetensors file: name to dtype and shape (https://github.com/huggingface/safetensors#format)."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > _MOST_HEADER_BYTES:
                return None
            header = json.loads(file.read(length))
    except (OSError, ValueError, RecursionError, struct.error):
        return None
    return {name: tensor for name, tensor in header.items() if name != "__metadata__"} if isinstance(header, dict) else None
