"""The recipe: tokenizer, model, drafter, checkpoint, for each of the two families. Fixed seeds, on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from families.base import Family
from families.gemma4 import GEMMA4
from families.qwen3_5 import QWEN3_5
from teaching.tiny import checkpoint, gemma4, qwen3_5, vocabularies
from teaching.tiny.lessons import Lessons, corpus
from teaching.tiny.training import Say, fit

SEED = 1
QWEN_STEPS, GEMMA_STEPS, DRAFTER_STEPS = 200, 640, 150
RATE = 6e-3
_ROWS = 16
"""The embedding has spare rows up to a multiple of this, as real checkpoints have."""


def teach_qwen3_5(out: Path, say: Say) -> None:
    """Teaches the tiny Qwen3.5 and its MTP head, and writes both into out/tiny_qwen3_5."""
    tokenizer, lessons = _course(vocabularies.qwen3_5, QWEN3_5)
    made = qwen3_5.model(qwen3_5.config(_rows(tokenizer)))
    _teach("Qwen3.5", qwen3_5, made, lessons, QWEN_STEPS, say)
    head = qwen3_5.MtpHead(made.config)
    _teach_drafter("MTP head", qwen3_5, made, head, lessons, say)
    made.generation_config = qwen3_5.generation(_ids(tokenizer, QWEN3_5.stop_tokens), _ids(tokenizer, ["<|endoftext|>"])[0])
    extra = {f"mtp.{name}": tensor for name, tensor in head.state_dict().items()}
    what = (
        "It has the architecture of Qwen3.5 in small, three linear layers to one with full attention, and an MTP head, whose "
        "tensors are named as in Qwen3.5's checkpoints (`mtp.*`)."
    )
    checkpoint.write(out / "tiny_qwen3_5", made, tokenizer, "Tiny Qwen3.5", what, extra)


def teach_gemma4(out: Path, say: Say) -> None:
    """Teaches the tiny Gemma 4 and its assistant, and writes them into out/tiny_gemma4 and out/tiny_gemma4_assistant."""
    tokenizer, lessons = _course(vocabularies.gemma4, GEMMA4)
    made = gemma4.model(gemma4.config(_rows(tokenizer)))
    _teach("Gemma 4", gemma4, made, lessons, GEMMA_STEPS, say)
    helper = gemma4.assistant(made.config)
    _teach_drafter("assistant", gemma4, made, helper, lessons, say)
    made.generation_config = gemma4.generation(_ids(tokenizer, GEMMA4.stop_tokens), _ids(tokenizer, ["<pad>"])[0])
    helper.generation_config = gemma4.drafting()
    what = (
        "It has the architecture of Gemma 4 E2B in small: layers with a short and with a full view, the last of which share keys "
        "and values, and embeddings for each layer."
    )
    checkpoint.write(out / "tiny_gemma4", made, tokenizer, "Tiny Gemma 4", what)
    what = "It is the assistant (`gemma4_assistant`) of the tiny Gemma 4, for which it guesses tokens; alone it cannot run."
    checkpoint.write(out / "tiny_gemma4_assistant", helper, tokenizer, "Tiny Gemma 4 assistant", what)


def _course(vocabulary: Callable[[Sequence[str]], Any], family: Family) -> tuple[Any, Lessons]:
    """The tokenizer of a family and what is taught with it; from here on chance is the same each time."""
    tokenizer = vocabulary(corpus(vocabulary([]), family))
    lessons = Lessons(tokenizer, family, SEED)
    torch.manual_seed(SEED)
    return tokenizer, lessons


def _teach(what: str, kind: ModuleType, made: Any, lessons: Lessons, steps: int, say: Say) -> None:
    """Teaches the model of an architecture (`kind` is its module here), whose weights are final then."""
    fit(what, made.parameters(), lambda step: kind.loss(made, lessons.batch(step)), steps, RATE, say)
    _freeze(made)


def _teach_drafter(what: str, kind: ModuleType, made: Any, drafter: nn.Module, lessons: Lessons, say: Say) -> None:
    """Teaches what guesses for the model."""

    def guessed(step: int) -> Tensor:
        batch = lessons.batch(step)
        with torch.no_grad():
            states = kind.hidden_states(made, batch)
        return drafting_loss(kind.guesses(made, drafter, batch, *states))

    fit(what, drafter.parameters(), guessed, DRAFTER_STEPS, RATE, say)


def drafting_loss(guesses: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
    """How badly a drafter guesses, the mean over the guesses in a row, in nats a token."""
    return torch.stack([cross_entropy(logits, right) for logits, right in guesses]).mean()


def _freeze(made: Any) -> None:
    """Rounds the weights to those that are written, and teaches them no more: the drafter is for these."""
    made.requires_grad_(False).eval()
    for weight in made.parameters():
        weight.copy_(weight.bfloat16())


def _rows(tokenizer: Any) -> int:
    return -(-len(tokenizer) // _ROWS) * _ROWS


def _ids(tokenizer: Any, names: Sequence[str]) -> list[int]:
    found: list[int] = tokenizer.convert_tokens_to_ids(list(names))
    return found
