"""The registry of families. A new family is one file and one line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from families.base import Family
from families.functiongemma import FUNCTIONGEMMA
from families.gemma4 import GEMMA4
from families.hermes import HERMES, QWEN2_5, QWEN3

FAMILIES: tuple[Family, ...] = (QWEN3, QWEN2_5, HERMES, GEMMA4, FUNCTIONGEMMA)
"""Every family; where several fit a checkpoint the first one is taken."""

ALIASES: Mapping[str, str] = {"smollm3": "hermes", "builtin": "hermes", "qwen2": "qwen2_5"}
"""Other names under which a family can be asked for, and its key."""


class UnknownFamily(Exception):  # noqa: N818 -- it is an answer that callers put into words, not a failure
    """No family fits. `model_type` is what the checkpoint or the user named, `known` what could have been named."""

    def __init__(self, model_type: str | None, known: Collection[str]) -> None:
        super().__init__(f"no known family for {model_type!r}; known are {', '.join(sorted(known))}")
        self.model_type = model_type
        self.known = tuple(sorted(known))


def for_checkpoint(config: Mapping[str, Any] | str, control_tokens: Collection[str]) -> Family:
    """The family of a checkpoint, from config.json (or its `model_type` alone) and the control tokens of its tokenizer.

    Several chat formats can share a model_type, so a family must find its control tokens too. Raises UnknownFamily.
    """
    model_type = config if isinstance(config, str) else config.get("model_type")
    for family in FAMILIES:
        if model_type in family.model_types and set(family.required_tokens) <= set(control_tokens):
            return family
    raise UnknownFamily(model_type, {known for family in FAMILIES for known in family.model_types})


def named(key: str) -> Family:
    """The family with this key or alias. Raises UnknownFamily."""
    for family in FAMILIES:
        if family.key == ALIASES.get(key, key):
            return family
    raise UnknownFamily(key, {family.key for family in FAMILIES})
