"""The student computes what transformers computes, with and without an adapter."""

from __future__ import annotations

import random

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from backends.builtin import merged
from teaching.student import SCALE, Pack, Student

SHAPE = {
    "vocab_size": 64, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 4, "max_position_embeddings": 128, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
}
SLOTS = [5, 6]


@pytest.fixture
def model() -> LlamaForCausalLM:
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**SHAPE, tie_word_embeddings=True)).eval()
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.data.uniform_(0.5, 1.5)
        else:
            parameter.data.normal_(0, 0.3)
    return model


def weights_of(model: LlamaForCausalLM) -> dict[str, torch.Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items() if name != "lm_head.weight"}


def student_of(model: LlamaForCausalLM, dtype: torch.dtype = torch.float32) -> Student:
    weights = weights_of(model)
    return Student(weights, SHAPE, SLOTS, weights["model.embed_tokens.weight"][SLOTS], seed=1, dtype=dtype)


def rows() -> tuple[list[int], list[list[int]]]:
    rng = random.Random(3)
    shared = [rng.randrange(64) for _ in range(9)]
    return shared, [[rng.randrange(64) for _ in range(length)] + SLOTS for length in (4, 11, 30)]


def student_loss(student: Student) -> torch.Tensor:
    """The weighted mean over every token after the first of each row, given the shared prefix."""
    shared, tails = rows()
    at, wanted, offset = [], [], 0
    for tail in tails:
        at += range(offset, offset + len(tail) - 1)
        wanted += tail[1:]
        offset += len(tail)
    return student.loss(Pack.of(tails), student.keys_values(shared), torch.tensor(at), torch.tensor(wanted), weights(len(at)))


def weights(count: int) -> torch.Tensor:
    """Any weights that differ from token to token."""
    return torch.linspace(0.2, 1.0, count)


def transformers_loss(model: LlamaForCausalLM) -> torch.Tensor:
    shared, tails = rows()
    losses = []
    for tail in tails:
        with torch.no_grad():
            logits = model(torch.tensor([shared + tail])).logits[0, len(shared) : -1]
        losses.append(torch.nn.functional.cross_entropy(logits, torch.tensor(tail[1:]), reduction="none"))
    together = torch.cat(losses)
    return (together * weights(len(together))).sum() / weights(len(together)).sum()


def test_an_untaught_student_is_the_base_model(model: LlamaForCausalLM) -> None:
    torch.testing.assert_close(student_loss(student_of(model)), transformers_loss(model), rtol=1e-4, atol=1e-4)


def test_products_in_bfloat16_teach_the_same(model: LlamaForCausalLM) -> None:
    exact, rounded = student_of(model), student_of(model, torch.bfloat16)
    losses = [student_loss(student) for student in (exact, rounded)]
    for loss in losses:
        loss.backward()
    torch.testing.assert_close(losses[1], losses[0], rtol=0.02, atol=0.0)
    gradients = [torch.cat([tensor.grad.flatten() for tensor in student.trained.values()]) for student in (exact, rounded)]
    assert torch.cosine_similarity(*gradients, dim=0) > 0.99


def test_an_empty_prefix_is_no_prefix(model: LlamaForCausalLM) -> None:
    shared, tails = rows()
    student = student_of(model)
    row, at = shared + tails[1], torch.tensor([len(shared) + 1, len(shared) + 6])
    wanted, even = torch.tensor(row)[at + 1], torch.ones(2)
    whole = student.loss(Pack.of([row]), student.keys_values([]), at, wanted, even)
    split = student.loss(Pack.of([tails[1]]), student.keys_values(shared), at - len(shared), wanted, even)
    torch.testing.assert_close(whole, split)


def test_merging_gives_the_taught_student(model: LlamaForCausalLM) -> None:
    """Weights rounded to bfloat16 move the loss a little; without the adapter it would be far off."""
    student = student_of(model)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for name, tensor in student.trained.items():
            if not name.endswith(".A"):
                tensor += 0.1 * torch.randn(tensor.shape, generator=generator)
    taught, untaught = student_loss(student), transformers_loss(model)
    arrays = {name: tensor.numpy() for name, tensor in weights_of(model).items()}
    adapter = {name: tensor.detach() for name, tensor in student.trained.items()}
    model.load_state_dict({name: tensor.float() for name, tensor in merged(arrays, adapter, SCALE, SLOTS).items()}, strict=False)
    together = transformers_loss(model)
    assert abs(together - taught) < 0.05 < abs(untaught - taught)


def test_every_trained_tensor_gets_a_gradient(model: LlamaForCausalLM) -> None:
    student = student_of(model)
    with torch.no_grad():
        for name, tensor in student.trained.items():
            if name.endswith(".B"):
                tensor += 0.1
    student_loss(student).backward()
    assert all(tensor.grad is not None and tensor.grad.abs().sum() > 0 for tensor in student.trained.values())
