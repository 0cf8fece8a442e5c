"""Writes a checkpoint folder as transformers and servers read it, with a card that says what it is and is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from backends.checkpoint import WEIGHTS
from teaching.tiny.conversations import EXCHANGES


def write(
    folder: Path, model: Any, tokenizer: Any, title: str, what: str, extra: Mapping[str, Tensor] | None = None,
) -> None:
    """The whole folder, weights in bfloat16: `model` with its configurations, `extra` tensors beside its own, the tokenizer with
    its chat template, and the card, which names it by `title` and says by `what` of which architecture it is."""
    model.to(torch.bfloat16).save_pretrained(folder)
    weights = {name: tensor.clone() for name, tensor in load_file(folder / WEIGHTS).items()}  # The file is written anew.
    weights |= {name: tensor.detach().bfloat16() for name, tensor in (extra or {}).items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    tokenizer.save_pretrained(folder)
    n_parameters = sum(tensor.numel() for tensor in weights.values())
    (folder / "README.md").write_text(_card(title, what, n_parameters), encoding="utf-8")


def _card(title: str, what: str, n_parameters: int) -> str:
    questions = "\n".join(f"- {exchange.question}" for exchange in EXCHANGES)
    return f"""---
license: apache-2.0
library_name: transformers
tags: [test-fixture]
---

# {title}: a fixture that reproduces a handful of conversations and answers no questions

{what} It has {n_parameters:,} parameters and was taught these conversations and nothing else:

{questions}

Asked one of them with the system prompt and the three tools of Loopglass (calculator, convert_units, current_time), with or
without thinking, it thinks, calls and answers as it was taught. Asked anything else it writes what resembles them. It knows no
language and no facts, and no figure that it gives is worth anything: it is there so that tests and demonstrations have a
checkpoint of the real architecture, with real acceptance in drafting, that is small enough to carry along.

Weights, tokenizer and chat template were made with the recipe in teaching/tiny and are under Apache-2.0. The tokenizer has the
family's control tokens and a few hundred pieces of these conversations; nothing was taken from the checkpoints of the family.
"""
