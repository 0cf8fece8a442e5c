"""The registry of families. A new family is one file and one line in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from families.base import Family
from families.deepseek import DEEPSEEK_R1, DEEPSEEK_V3_1
from families.deepseek_dsml import DEEPSEEK_V3_2
from families.functiongemma import FUNCTIONGEMMA
from families.gemma4 import GEMMA4
from families.glm4_5 import GLM4_5
from families.gpt_oss import GPT_OSS
from families.hermes import HERMES, QWEN2_5, QWEN3
from families.kimi_k2 import KIMI_K2
from families.kimi_k3 import KIMI_K3
from families.lfm2 import LFM2
from families.llama3 import LLAMA3, LLAMA4
from families.minimax_m2 import MINIMAX_M2
from families.mistral import MISTRAL
from families.plain import PLAIN
from families.qwen3_5 import QWEN3_5, QWEN3_CODER
from families.smollm3 import SMOLLM3

FAMILIES: tuple[Family, ...] = (
    GPT_OSS, DEEPSEEK_R1, DEEPSEEK_V3_1, DEEPSEEK_V3_2, KIMI_K2, KIMI_K3, QWEN3_5, QWEN3_CODER, GLM4_5, MINIMAX_M2,
    QWEN3, QWEN2_5, HERMES, GEMMA4, FUNCTIONGEMMA, LFM2, LLAMA3, LLAMA4, MISTRAL, SMOLLM3, PLAIN,
)  # fmt: skip
"""Every family; where several fit a checkpoint the first one is taken."""

ALIASES: Mapping[str, str] = {
    "builtin": "hermes", "qwen2": "qwen2_5", "qwen3_6": "qwen3_5", "qwen3_8": "qwen3_5", "glm4_6": "glm4_5",
}  # fmt: skip
"""Other names under which a family can be asked for, and its key."""


class UnknownFamily(Exception):  # noqa: N818 -- it is an answer that callers put into words, not a failure
    """No family fits. `model_type` is what the checkpoint or the user named, `known` what could have been named."""

    def __init__(self, model_type: str | None, known: Collection[str]) -> None:
        super().__init__(f"no known family for {model_type!r}; known are {', '.join(sorted(known))}")
        self.model_type = model_type
        self.known = tuple(sorted(known))


def for_checkpoint(config: Mapping[str, Any] | str, control_tokens: Collection[str], template: str = "") -> Family:
    """The family of a checkpoint, from config.json (or its `model_type` alone), the control tokens of its tokenizer, and its
    chat template.

    Several chat formats can share a model_type, so a family must find its control tokens too, and where they are the same
    its mark in the template. Raises UnknownFamily.
    """
    model_type = config if isinstance(config, str) else config.get("model_type")
    for family in FAMILIES:
        named_so = model_type in family.model_types and family.template_mark in template
        if named_so and set(family.required_tokens) <= set(control_tokens):
            return family
    raise UnknownFamily(model_type, {known for family in FAMILIES for known in family.model_types})


def named(key: str) -> Family:
    """The family with this key or alias. Raises UnknownFamily."""
    for family in FAMILIES:
        if family.key == ALIASES.get(key, key):
            return family
    raise UnknownFamily(key, {family.key for family in FAMILIES})
