"""Teach the base model: `python -m teaching.train GGUF OUT`. Two CPU cores, under 100 minutes, fixed seeds, can be resumed.

Each step takes the conversations of one group (same system prompt and tools), computes that prefix once without
gradient, and teaches what the assistant writes. OUT holds adapter.safetensors, the state to resume from, and log.jsonl.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from backends.gguf_base import BaseModel
from teaching.curriculum import group
from teaching.format import SLOTS, Taught, taught
from teaching.student import Pack, Student

SEED = 20
STEPS = 1300
WARMUP = 20
HIGHEST_RATE, LOWEST_RATE = 1e-3, 3e-5
CLIP = 1.0
DTYPE = torch.bfloat16
"""What the matrix products are made in: on processors that have it, half to a third of the time of float32."""
SAVE_EVERY = 40
FIRST_ROWS = {
    "<think>": "think thought", "</think>": "thought done", "<tool_call>": "call function",
    "</tool_call>": "call done", "<tool_response>": "function result", "</tool_response>": "result done",
}
"""Words whose mean embedding a control token starts from."""


def rate(step: int) -> float:
    """The learning rate: a short linear warm-up, then a cosine from the highest to the lowest."""
    if step < WARMUP:
        return HIGHEST_RATE * (step + 1) / WARMUP
    done = (step - WARMUP) / (STEPS - WARMUP)
    return LOWEST_RATE + (HIGHEST_RATE - LOWEST_RATE) * (1 + math.cos(math.pi * done)) / 2


def student_of(base: BaseModel, tokenizer: Tokenizer) -> Student:
    """The untaught student: base weights, adapter that changes nothing, rows that start from words."""
    weights = {name: torch.tensor(array) for name, array in base.tensors().items()}
    table = weights["model.embed_tokens.weight"]
    words = [tokenizer.encode(FIRST_ROWS[name], add_special_tokens=False).ids for name in SLOTS.values()]
    rows = torch.stack([table[ids].mean(0) for ids in words])
    return Student(weights, base.config(), list(SLOTS), rows, SEED, DTYPE)


def step_loss(student: Student, conversations: list[Taught]) -> Tensor:
    """Weighted mean loss over all taught tokens of conversations that share their first ids."""
    rows = [conversation.ids for conversation in conversations]
    shared = next(n for n, column in enumerate(zip(*rows, strict=False)) if len(set(column)) > 1)
    at, wanted, weights, offset = [], [], [], 0
    for conversation in conversations:
        targets = [n for n, weight in enumerate(conversation.weights) if weight]
        at += [offset + n - shared - 1 for n in targets]
        wanted += [conversation.ids[n] for n in targets]
        weights += [conversation.weights[n] for n in targets]
        offset += len(conversation.ids) - shared
    before = student.keys_values(rows[0][:shared])
    pack = Pack.of([row[shared:] for row in rows])
    return student.loss(pack, before, torch.tensor(at), torch.tensor(wanted), torch.tensor(weights))


def save(student: Student, optimizer: torch.optim.Optimizer, step: int, out: Path) -> None:
    """The adapter as it is shipped (float16), and all that resuming needs."""
    save_file({name: tensor.detach().half() for name, tensor in student.trained.items()}, out / "adapter.safetensors")
    save_file({name: tensor.detach() for name, tensor in student.trained.items()}, out / "adapter32.safetensors")
    torch.save({"step": step, "optimizer": optimizer.state_dict()}, out / "state.pt")


def resume(student: Student, optimizer: torch.optim.Optimizer, out: Path) -> int:
    """Continue from what `save` left, and return the first step to do; 0 where there is nothing."""
    if not (out / "state.pt").exists():
        return 0
    with torch.no_grad():
        for name, tensor in load_file(out / "adapter32.safetensors").items():
            student.trained[name].copy_(tensor)
    state = torch.load(out / "state.pt", weights_only=True)
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def train(gguf: Path, out: Path, until: int) -> None:
    """Run the recipe from where it stopped to step `until`."""
    out.mkdir(parents=True, exist_ok=True)
    base = BaseModel(gguf)
    tokenizer = base.tokenizer(SLOTS)
    student = student_of(base, tokenizer)
    optimizer = torch.optim.AdamW(student.trained.values(), lr=HIGHEST_RATE, betas=(0.9, 0.98), weight_decay=0.0)
    first = resume(student, optimizer, out)
    with (out / "log.jsonl").open("a", encoding="utf-8") as log:
        for step in range(first, until):
            began = time.monotonic()
            conversations = [taught(conversation, tokenizer) for conversation in group(SEED, step)]
            for settings in optimizer.param_groups:
                settings["lr"] = rate(step)
            optimizer.zero_grad()
            loss = step_loss(student, conversations)
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(student.trained.values(), CLIP)
            optimizer.step()
            entry = {"step": step, "loss": loss.item(), "norm": norm.item(), "s": time.monotonic() - began}
            log.write(json.dumps(entry) + "\n")
            log.flush()
            if (step + 1) % SAVE_EVERY == 0 or step + 1 == until:
                save(student, optimizer, step + 1, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--until", type=int, default=STEPS, help="stop before this step; the schedule stays the same")
    arguments = parser.parse_args()
    train(arguments.gguf, arguments.out, arguments.until)
