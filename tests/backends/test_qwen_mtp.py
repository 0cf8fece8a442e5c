"""Qwen3.5's MTP head: its numbers against a computation of their own, what it keeps of a conversation, and that what a model
writes with it is what it writes without."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import (
    Qwen3_5Config,
    Qwen3_5ForCausalLM,
    Qwen3_5ForConditionalGeneration,
    Qwen3_5MoeForCausalLM,
    Qwen3_5MoeTextConfig,
    Qwen3_5TextConfig,
)

from backends import qwen_mtp
from backends.base import BackendError, BackendEvent, Done, Encoded, Prefill, Sampling, Token
from backends.checkpoint import INDEX, WEIGHTS
from backends.local import LocalBackend
from backends.qwen_mtp import MtpConversation, MtpHead, load_head
from families.base import Text
from tests.backends import tiny

VOCABULARY = 40
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 16, "num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"],
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "linear_num_key_heads": 2, "linear_num_value_heads": 2, "initializer_range": 0.4, "mtp_num_hidden_layers": 1,
    "pad_token_id": None, "bos_token_id": None, "eos_token_id": None,
}
EPS = 1e-6


def dense(**changes: Any) -> Any:
    return Qwen3_5ForCausalLM(Qwen3_5TextConfig(**{**SIZES, "intermediate_size": 24, **changes}))


def experts(**changes: Any) -> Any:
    own = {"moe_intermediate_size": 12, "shared_expert_intermediate_size": 20, "num_experts": 4, "num_experts_per_tok": 2}
    return Qwen3_5MoeForCausalLM(Qwen3_5MoeTextConfig(**{**SIZES, **own, **changes}))


def mtp_tensors(moe: bool) -> dict[str, Tensor]:
    """A random head for the sizes above, under the names and in the shapes of Qwen's checkpoints."""
    projections = {"q_proj": (128, 16), "k_proj": (32, 16), "v_proj": (32, 16), "o_proj": (16, 64)}
    attention = {**projections, "q_norm": (16,), "k_norm": (16,)}
    shapes: dict[str, tuple[int, ...]] = {
        "fc.weight": (16, 32), "pre_fc_norm_embedding.weight": (16,), "pre_fc_norm_hidden.weight": (16,), "norm.weight": (16,),
        "layers.0.input_layernorm.weight": (16,), "layers.0.post_attention_layernorm.weight": (16,),
        **{f"layers.0.self_attn.{name}.weight": shape for name, shape in attention.items()},
    }
    if moe:
        shapes |= {
            "layers.0.mlp.gate.weight": (4, 16), "layers.0.mlp.shared_expert_gate.weight": (1, 16),
            "layers.0.mlp.experts.gate_up_proj": (4, 24, 16), "layers.0.mlp.experts.down_proj": (4, 16, 12),
            **_swiglu("layers.0.mlp.shared_expert", 20),
        }
    else:
        shapes |= _swiglu("layers.0.mlp", 24)
    generator = torch.Generator().manual_seed(11)
    return {f"mtp.{name}": torch.randn(shape, generator=generator) * 0.4 for name, shape in shapes.items()}


def _swiglu(part: str, width: int) -> dict[str, tuple[int, ...]]:
    up = {f"{part}.{name}_proj.weight": (width, 16) for name in ("gate", "up")}
    return {**up, f"{part}.down_proj.weight": (16, width)}


def one_by_one(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same head with each expert's matrices as tensors of their own."""
    part = "mtp.layers.0.mlp.experts"
    single = {name: tensor for name, tensor in tensors.items() if not name.startswith(part)}
    for number in range(4):
        gate, up = tensors[f"{part}.gate_up_proj"][number].chunk(2)
        down = tensors[f"{part}.down_proj"][number]
        for name, tensor in (("gate", gate), ("up", up), ("down", down)):
            single[f"{part}.{number}.{name}_proj.weight"] = tensor.clone()
    return single


def write(folder: Path, model: Any, mtp: Mapping[str, Tensor], in_shards: bool = False) -> Path:
    """A checkpoint of `model` with further tensors: in its one file, or in a second one that an index names."""
    model.save_pretrained(folder)
    weights = load_file(folder / WEIGHTS)
    if not in_shards:
        save_file({**weights, **mtp}, folder / WEIGHTS, metadata={"format": "pt"})
        return folder
    (folder / WEIGHTS).unlink()
    shards = {"model-00001-of-00002.safetensors": weights, "model-00002-of-00002.safetensors": dict(mtp)}
    for name, tensors in shards.items():
        save_file(tensors, folder / name, metadata={"format": "pt"})
    names = {tensor: name for name, tensors in shards.items() for tensor in tensors}
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": names}))
    return folder


def norm(x: Tensor, weight: Tensor) -> Tensor:
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPS) * (1 + weight)


def turned(vector: Tensor, place: int) -> Tensor:
    """A head's vector after the rotary embedding: of its 16 numbers the first 4 are turned, 0 with 2 and 1 with 3."""
    out = vector.clone()
    for pair, speed in enumerate((1.0, 10_000.0**-0.5)):
        a, b = vector[pair], vector[pair + 2]
        cos, sin = math.cos(place * speed), math.sin(place * speed)
        out[pair], out[pair + 2] = a * cos - b * sin, b * cos + a * sin
    return out


def swiglu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    inner = gate @ x
    return down @ (inner * torch.sigmoid(inner) * (up @ x))


def mlp(x: Tensor, of: Mapping[str, Tensor]) -> Tensor:
    """The feed-forward part at one place, dense or of experts, two of which are asked."""
    if "mlp.gate.weight" not in of:
        return swiglu(x, *(of[f"mlp.{name}_proj.weight"] for name in ("gate", "up", "down")))
    shares = torch.softmax(of["mlp.gate.weight"] @ x, 0)
    best = shares.topk(2).indices.tolist()
    shared = swiglu(x, *(of[f"mlp.shared_expert.{name}_proj.weight"] for name in ("gate", "up", "down")))
    total = torch.sigmoid(of["mlp.shared_expert_gate.weight"] @ x) * shared
    for number in best:
        gate, up = of["mlp.experts.gate_up_proj"][number].chunk(2)
        total = total + shares[number] / shares[best].sum() * swiglu(x, gate, up, of["mlp.experts.down_proj"][number])
    return total


class Plain:
    """The head as its description says, place by place in float64, from the tensors alone."""

    def __init__(self, tensors: Mapping[str, Tensor], embedding: Tensor, output: Tensor) -> None:
        self.tensors = {name.removeprefix("mtp."): tensor.double() for name, tensor in tensors.items()}
        self.layer = {name.removeprefix("layers.0."): tensor for name, tensor in self.tensors.items()}
        self.embedding, self.output = embedding.double(), output.double()
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []

    def read(self, token: int, hidden: Tensor) -> Tensor:
        """What the head gives at the next place."""
        embedded = norm(self.embedding[token], self.tensors["pre_fc_norm_embedding.weight"])
        before = norm(hidden.double(), self.tensors["pre_fc_norm_hidden.weight"])
        x = self.tensors["fc.weight"] @ torch.cat([embedded, before])
        x = x + self.attend(norm(x, self.layer["input_layernorm.weight"]))
        x = x + mlp(norm(x, self.layer["post_attention_layernorm.weight"]), self.layer)
        return norm(x, self.tensors["norm.weight"])

    def attend(self, x: Tensor) -> Tensor:
        of, place = self.layer, len(self.keys)
        asked = (of["self_attn.q_proj.weight"] @ x).view(4, 32)  # A head's query, then the gate of what it finds.
        keys = norm((of["self_attn.k_proj.weight"] @ x).view(2, 16), of["self_attn.k_norm.weight"])
        self.keys.append(torch.stack([turned(key, place) for key in keys]))
        self.values.append((of["self_attn.v_proj.weight"] @ x).view(2, 16))
        found = []
        for number in range(4):
            query = turned(norm(asked[number, :16], of["self_attn.q_norm.weight"]), place)
            scores = torch.stack([query @ key[number // 2] for key in self.keys]) / 4
            seen = sum(share * value[number // 2] for share, value in zip(torch.softmax(scores, 0), self.values, strict=True))
            found.append(seen * torch.sigmoid(asked[number, 16:]))
        return of["self_attn.o_proj.weight"] @ torch.cat(found)

    def logits(self, given: Tensor) -> Tensor:
        return self.output @ given


@pytest.fixture(params=["dense", "tied", "shards", "experts", "experts one by one"])
def checkpoint(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Any, dict[str, Tensor]]:
    """A folder, the model in it, and its MTP tensors (experts put together)."""
    torch.manual_seed(5)
    moe = request.param.startswith("experts")
    model = (experts() if moe else dense(tie_word_embeddings=request.param == "tied")).eval()
    tensors = mtp_tensors(moe)
    stored = one_by_one(tensors) if request.param == "experts one by one" else tensors
    return write(tmp_path, model, stored, in_shards=request.param == "shards"), model, tensors


def head_of(path: Path, model: Any) -> MtpHead:
    head = load_head(path, model)
    assert isinstance(head, MtpHead)
    return head


def text(n: int, seed: int = 1) -> list[int]:
    numbers = random.Random(seed)
    return [numbers.randrange(VOCABULARY) for _ in range(n)]


@torch.inference_mode()
def hidden_of(model: Any, ids: list[int]) -> Tensor:
    """What the model's decoder gives after its final norm, from one plain pass."""
    states: Tensor = model.model(input_ids=torch.tensor([ids])).last_hidden_state[0]
    return states


@torch.inference_mode()
def test_the_numbers_are_those_of_the_tensors(checkpoint: tuple[Path, Any, dict[str, Tensor]]) -> None:
    path, model, tensors = checkpoint
    head, plain = head_of(path, model), Plain(tensors, model.get_input_embeddings().weight, model.get_output_embeddings().weight)
    ids = text(12)
    hidden = hidden_of(model, ids[:-1])
    cache = head.new_cache()
    given = head(torch.tensor(ids[1:]), hidden, cache)
    expected = [plain.read(token, state) for token, state in zip(ids[1:], hidden, strict=True)]
    torch.testing.assert_close(given.double(), torch.stack(expected), rtol=1e-3, atol=1e-4)
    for _ in range(3):  # Further guesses, each from the one before.
        logits, wanted = head.logits(given[-1:])[0], plain.logits(expected[-1])
        torch.testing.assert_close(logits.double(), wanted, rtol=1e-3, atol=1e-3)
        guess = int(wanted.argmax())
        given = head(torch.tensor([guess]), given[-1:], cache)
        expected.append(plain.read(guess, expected[-1]))


@torch.inference_mode()
def test_guesses_are_what_the_plain_head_says(checkpoint: tuple[Path, Any, dict[str, Tensor]]) -> None:
    path, model, tensors = checkpoint
    for ids in (text(2, seed=2), text(9, seed=3)):
        plain = Plain(tensors, model.get_input_embeddings().weight, model.get_output_embeddings().weight)
        hidden = hidden_of(model, ids[:-1])
        for token, state in zip(ids[1:], hidden, strict=True):
            given = plain.read(token, state)
        wanted = [int(plain.logits(given).argmax())]
        for _ in range(3):
            given = plain.read(wanted[-1], given)
            wanted.append(int(plain.logits(given).argmax()))
        assert MtpConversation(head_of(path, model)).guess(ids, hidden, 4) == wanted


@pytest.mark.parametrize("seed", range(4))
@torch.inference_mode()
def test_what_is_kept_is_as_if_read_anew(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that go on, are cut, depart from what was read, or are another one altogether."""
    torch.manual_seed(6)
    model = dense().eval()
    head = head_of(write(tmp_path, model, mtp_tensors(moe=False)), model)
    numbers = random.Random(seed)
    conversation, ids = MtpConversation(head), text(20, seed)
    for _ in range(25):
        monkeypatch.setattr(qwen_mtp, "_CHUNK", numbers.choice([3, 2048]))
        cut = numbers.choice([0, 0, 1, 3, len(ids)])
        ids = ids[: len(ids) - cut]
        ids = ids + text(numbers.randrange(0 if len(ids) > 1 else 2, 7), numbers.random())
        hidden = hidden_of(model, ids[:-1])
        assert conversation.guess(ids, hidden, 5) == MtpConversation(head).guess(ids, hidden, 5)


@torch.inference_mode()
def test_a_failure_leaves_nothing_half_read(tmp_path: Path) -> None:
    torch.manual_seed(6)
    model = dense().eval()
    head = head_of(write(tmp_path, model, mtp_tensors(moe=False)), model)
    ids = text(9)
    conversation, hidden = MtpConversation(head), hidden_of(model, ids[:-1])
    expected = conversation.guess(ids, hidden, 3)
    with pytest.raises(RuntimeError):
        conversation.guess([*ids, 4], torch.cat([hidden, hidden])[:, :-1], 3)
    assert conversation.guess(ids, hidden, 3) == expected


def test_the_head_has_the_models_number_format(tmp_path: Path) -> None:
    model = dense().eval()
    head = head_of(write(tmp_path, model, mtp_tensors(moe=False)), model.bfloat16())
    assert {parameter.dtype for parameter in head.parameters()} == {torch.bfloat16}
    assert sum(parameter.numel() for parameter in head.parameters()) == sum(t.numel() for t in mtp_tensors(moe=False).values())


def without(tensors: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return {key: tensor for key, tensor in tensors.items() if key != name}


SHARED = "mtp.embed_tokens.weight"
BAD = {
    "lacks one": (without(mtp_tensors(moe=False), "mtp.norm.weight"), "mtp.norm.weight"),
    "has one more": ({**mtp_tensors(moe=False), SHARED: torch.zeros(VOCABULARY, 16)}, SHARED),
    "another shape": ({**mtp_tensors(moe=False), "mtp.fc.weight": torch.zeros(16, 16)}, "mtp.fc.weight"),
    "a second layer": ({**mtp_tensors(moe=False), "mtp.layers.1.mlp.up_proj.weight": torch.zeros(24, 16)}, "mtp.layers.1"),
    "an expert's part is missing": (
        without(one_by_one(mtp_tensors(moe=True)), "mtp.layers.0.mlp.experts.2.up_proj.weight"), "mtp.layers.0.mlp.experts",
    ),
}


@pytest.mark.parametrize(("tensors", "named"), BAD.values(), ids=BAD)
def test_a_head_of_another_layout_is_not_used(tmp_path: Path, tensors: dict[str, Tensor], named: str) -> None:
    model = experts() if named.endswith("experts") else dense()
    why_not = load_head(write(tmp_path, model, tensors), model)
    assert isinstance(why_not, Text)
    assert named in why_not.en
    assert named in why_not.zh


def test_a_checkpoint_without_a_head_says_so(tmp_path: Path) -> None:
    model = dense()
    why_not = load_head(write(tmp_path, model, {}), model)
    assert isinstance(why_not, Text)
    assert "mtp.*" in why_not.en
    assert "mtp.*" in why_not.zh


def test_a_gguf_file_says_so(tmp_path: Path) -> None:
    file = tmp_path / "qwen.gguf"
    file.write_bytes(b"GGUF")
    why_not = load_head(file, dense())
    assert isinstance(why_not, Text)
    assert ".gguf" in why_not.en
    assert ".gguf" in why_not.zh


def test_experts_that_do_not_fit_together_are_a_sentence(tmp_path: Path) -> None:
    uneven = {**one_by_one(mtp_tensors(moe=True)), "mtp.layers.0.mlp.experts.2.up_proj.weight": torch.zeros(3, 16)}
    model = experts()
    with pytest.raises(BackendError, match="loading the MTP head"):
        load_head(write(tmp_path, model, uneven), model)


# --- in the backend, with a head that was taught what the model writes

FIRST = text(10, seed=21)
MORE = text(4, seed=22)
ELSEWHERE = [*FIRST[:5], *text(6, seed=23)]
LENGTH = 24
GREEDY = Sampling(temperature=0, max_new_tokens=LENGTH)


def seeing(rows: int) -> Any:
    """Qwen3.5 as it is published, with an encoder for images beside the text model."""
    vision = {"hidden_size": 16, "intermediate_size": 24, "depth": 1, "num_heads": 2, "out_hidden_size": 16}
    of_text = {**SIZES, "intermediate_size": 24, "vocab_size": rows}
    return Qwen3_5ForConditionalGeneration(Qwen3_5Config(text_config=of_text, vision_config=vision))


@torch.no_grad()
def continued(model: Any, ids: list[int]) -> list[int]:
    """`ids` and the LENGTH tokens that the model takes to be likeliest behind them."""
    for _ in range(LENGTH):
        ids = [*ids, int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax())]
    return ids


def teach(head: MtpHead, hidden: Tensor, ids: list[int]) -> None:
    """Makes the head say, at each place of a text, the token two behind it."""
    head.requires_grad_(True)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.02)
    for _ in range(80):
        given = head(torch.tensor(ids[1:-1]), hidden[:-1], head.new_cache())
        loss = torch.nn.functional.cross_entropy(head.logits(given), torch.tensor(ids[2:]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> LocalBackend:
    """A tiny Qwen3.5 that never stops by itself, and its head, which was taught a conversation of two turns."""
    folder = tmp_path_factory.mktemp("taught")
    words = tiny.tokenizer()
    words.save_pretrained(folder)
    torch.manual_seed(8)
    model = seeing(len(words)).eval()
    head = head_of(write(folder, model, mtp_tensors(moe=False)), model)
    ids = continued(model, [*continued(model, FIRST), *MORE])
    teach(head, model.get_decoder()(input_ids=torch.tensor([ids[:-1]])).last_hidden_state[0].detach(), ids)
    write(folder, model, {f"mtp.{name}": tensor.clone() for name, tensor in head.state_dict().items()})
    loaded = LocalBackend.load(folder, "tiny", device="cpu")
    loaded._stop_ids = frozenset()
    return loaded


def turn(backend: LocalBackend, ids: list[int], sampling: Sampling, drafter: str | None = "mtp") -> list[BackendEvent]:
    return list(backend.generate(Encoded("", tuple(ids)), dataclasses.replace(sampling, drafter=drafter), lambda: False))


def written(events: list[BackendEvent]) -> list[int]:
    return [event.id for event in events if isinstance(event, Token)]


def guessed(events: list[BackendEvent]) -> list[bool]:
    return [event.draft.accepted for event in events if isinstance(event, Token) and event.draft is not None]


def done(events: list[BackendEvent]) -> Done:
    assert isinstance(events[-1], Done)
    return events[-1]


@pytest.mark.parametrize(
    "sampling", [GREEDY, *(Sampling(temperature=1.5, seed=seed, max_new_tokens=LENGTH) for seed in (1, 2))],
    ids=["greedy", "sampled", "sampled otherwise"],
)
def test_a_conversation_is_the_same_with_the_head(backend: LocalBackend, sampling: Sampling) -> None:
    """A turn, one that goes on from it, one that departs from what was read, and the first again."""
    assert backend.drafters["mtp"] is None
    first = written(turn(backend, FIRST, sampling, None))
    prompts = [FIRST, [*FIRST, *first, *MORE], ELSEWHERE, FIRST]
    plain = []
    for ids in prompts:
        backend._cache.clear()
        plain.append(written(turn(backend, ids, sampling, None)))
    passes: list[int] = []
    seen = backend._model.register_forward_pre_hook(
        lambda _model, _given, named: passes.append(named["input_ids"].shape[1]), with_kwargs=True,
    )
    turns = []
    for ids in prompts:
        passes.clear()
        turns.append(turn(backend, ids, sampling))
        assert isinstance(turns[-1][0], Prefill)
        assert turns[-1][0].n_reused == len(ids) - passes[0], "what the model read of it did not come from the cache"
    seen.remove()
    assert [written(events) for events in turns] == plain
    read_again = turns[1][0]
    assert isinstance(read_again, Prefill)
    assert len(FIRST) < read_again.n_reused <= len(FIRST) + LENGTH - 1
    for events in turns:
        assert guessed(events)
        assert done(events).n_forwards == LENGTH - 1 - sum(guessed(events))


def test_a_taught_head_saves_passes(backend: LocalBackend) -> None:
    for ids in (FIRST, [*FIRST, *written(turn(backend, FIRST, GREEDY, None)), *MORE]):
        events = turn(backend, ids, GREEDY)
        assert sum(guessed(events)) >= LENGTH // 3
        assert not all(guessed(events))  # It was taught the first guess of a draft alone, so that others fall.


def test_limits_and_stops_hold_with_the_head(backend: LocalBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(turn(backend, FIRST, GREEDY, None))
    for limit in (1, 2, 5, LENGTH):
        events = turn(backend, FIRST, dataclasses.replace(GREEDY, max_new_tokens=limit))
        assert (written(events), done(events).finish) == (whole[:limit], "max_new_tokens")
    prompt = Encoded("", tuple(FIRST))
    for n_before in range(6):
        answers = itertools.chain([False] * n_before, itertools.repeat(True))
        events = list(backend.generate(prompt, dataclasses.replace(GREEDY, drafter="mtp"), answers.__next__))
        assert (written(events), done(events).finish) == (whole[: len(written(events))], "user_stopped")
    with monkeypatch.context() as patch:
        patch.setattr(backend, "context_length", len(FIRST) + 9)
        events = turn(backend, FIRST, GREEDY)
        assert (written(events), done(events).finish) == (whole[:9], "context_full")
    for stop in (whole[3], whole[8]):
        with monkeypatch.context() as patch:
            patch.setattr(backend, "_stop_ids", frozenset({stop}))
            events = turn(backend, FIRST, GREEDY)
        assert (written(events), done(events).finish) == (whole[: whole.index(stop) + 1], "stop_token")
        assert written(turn(backend, FIRST, GREEDY)) == whole
