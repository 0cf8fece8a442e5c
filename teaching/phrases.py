"""The phrases that the curriculum fills with values, from teaching/data/phrases (its README says what a line is).

A file holds one block, or several that each open with a line "## NAME".
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "phrases"


@functools.cache
def _blocks(file: str) -> dict[str, str]:
    text = (FOLDER / f"{file}.txt").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in f"\n{text}".replace("\n## ", "\0").split("\0"))
    return {name.strip(): lines.strip() for name, _, lines in parts}


def block(file: str, name: str = "") -> str:
    """One block of a file, a phrase a line; the block without a heading is named ""."""
    return _blocks(file)[name]


def lines(file: str, name: str = "") -> tuple[str, ...]:
    """The same, cut into phrases."""
    return tuple(block(file, name).split("\n"))


@functools.cache
def keyed(file: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """The lines of a block by what stands before their first colon."""
    found: dict[str, list[str]] = {}
    for line in lines(file, name):
        key, _, sentence = line.partition(": ")
        found.setdefault(key, []).append(sentence)
    return {key: tuple(sentences) for key, sentences in found.items()}


def lowered(text: str) -> str:
    """A question as it goes on behind other words: its first letter is small, unless it begins with I."""
    return text if text[:2] in ("I ", "I'") or text[:1].isdigit() else text[:1].lower() + text[1:]
