"""Models of the Hugging Face hub that suit this program: one of each family, a small one where the family has small ones.

The ids stand in transformers' documentation and source, with these exceptions: GLM-4.5-Air's and the R1 distill's are from their
makers' READMEs, Qwen3.5-0.8B's is from its page on the hub, and those of FunctionGemma and of this Llama 3.2 are as other
projects' documentation writes them. What a model reads beside text is what transformers' documentation says of its family. Size
and licence are not written here: the hub is asked. Kimi K2 is missing because transformers cannot run it without code from its
repository, which is never run here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backends import hub_client
from backends.hub_client import Hub

Medium = Literal["image", "audio", "video"]


@dataclass(frozen=True)
class Recommended:
    """A hub model, the name of its family, and what it reads beside text."""

    model_id: str
    family: str
    reads: tuple[Medium, ...] = ()


RECOMMENDED = (
    Recommended("Qwen/Qwen3.5-0.8B", "Qwen3.5", ("image", "video")),
    Recommended("google/gemma-4-E2B-it", "Gemma 4", ("image", "audio", "video")),
    Recommended("Qwen/Qwen3-0.6B", "Qwen3"),
    Recommended("HuggingFaceTB/SmolLM3-3B", "SmolLM3"),
    Recommended("google/functiongemma-270m-it", "FunctionGemma"),
    Recommended("LiquidAI/LFM2-1.2B", "LFM2"),
    Recommended("meta-llama/Llama-3.2-1B-Instruct", "Llama 3"),
    Recommended("mistralai/Ministral-3-3B-Instruct-2512", "Ministral", ("image",)),
    Recommended("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "DeepSeek R1"),
    Recommended("openai/gpt-oss-20b", "gpt-oss"),
    Recommended("zai-org/GLM-4.5-Air", "GLM-4.5"),
    Recommended("MiniMaxAI/MiniMax-M2", "MiniMax M2"),
)
"""In the order in which they are offered: the two families that this program is made for, then from small to large."""


@dataclass(frozen=True)
class Facts:
    """What the hub says about a model: the bytes that would be fetched, its licence (None where its card names none), and
    whether it is given only to those whom its makers let in."""

    n_bytes: int
    licence: str | None
    gated: bool


def ask_facts(model_id: str) -> Facts:
    """Asks the hub about a model as it is now. Raises BackendError."""
    listing = hub_client.ask(Hub(), model_id, "main")
    return Facts(listing.n_bytes, listing.licence, listing.gated)
