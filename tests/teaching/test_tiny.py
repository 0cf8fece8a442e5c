"""The tiny checkpoints: loaded as their families, they reproduce their conversations in the loop; their drafters are right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer

import families
from backends.base import Sampling
from backends.local import LocalBackend
from harness.run import Run
from harness.settings import Settings
from teaching.tiny import gemma4, qwen3_5, recipe
from teaching.tiny.conversations import EXCHANGES, Exchange, answer, results, tools
from teaching.tiny.examples import example, texts
from teaching.tiny.lessons import Lessons
from teaching.tiny.training import fit
from tests.harness.scripts import of_kind

DATA = Path(__file__).parent.parent / "data"
KEYS = ("qwen3_5", "gemma4")
FOLDERS = ("tiny_qwen3_5", "tiny_gemma4", "tiny_gemma4_assistant")
DRAFTERS = {"qwen3_5": "mtp", "gemma4": "gemma4_assistant"}
FILES = {
    "README.md", "chat_template.jinja", "config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
    "tokenizer_config.json",
}
BY_NAME = {exchange.name: exchange for exchange in EXCHANGES}
MOMENT = datetime(2031, 2, 25, 22, 8, tzinfo=UTC)
"""A moment that is in no lesson."""
MTP_TENSORS = {
    "mtp.fc.weight", "mtp.pre_fc_norm_embedding.weight", "mtp.pre_fc_norm_hidden.weight", "mtp.norm.weight",
    "mtp.layers.0.input_layernorm.weight", "mtp.layers.0.post_attention_layernorm.weight",
    "mtp.layers.0.self_attn.q_proj.weight", "mtp.layers.0.self_attn.k_proj.weight", "mtp.layers.0.self_attn.v_proj.weight",
    "mtp.layers.0.self_attn.o_proj.weight", "mtp.layers.0.self_attn.q_norm.weight", "mtp.layers.0.self_attn.k_norm.weight",
    "mtp.layers.0.mlp.gate_proj.weight", "mtp.layers.0.mlp.up_proj.weight", "mtp.layers.0.mlp.down_proj.weight",
}
"""The tensors of the head in a dense Qwen3.5 checkpoint, as SGLang's and vLLM's loaders take them."""


@cache
def backend(key: str) -> LocalBackend:
    return LocalBackend.load(DATA / f"tiny_{key}", f"tiny_{key}", device="cpu")


@cache
def tokenizer(key: str) -> Any:
    return AutoTokenizer.from_pretrained(DATA / f"tiny_{key}", local_files_only=True)


def lessons(key: str) -> Lessons:
    return Lessons(tokenizer(key), families.named(key), seed=3)


@cache
def asked(key: str, name: str, thinking: bool, drafter: str | None = None) -> tuple[Run, ...]:
    """An exchange's question through the loop, greedily, with the real tools at a fixed moment; the runs before it first."""
    exchange = BY_NAME[name]
    before = asked(key, exchange.after, thinking, drafter) if exchange.after else ()
    settings = Settings(sampling=Sampling(temperature=0.0, max_new_tokens=200, drafter=drafter), thinking=thinking)
    more: dict[str, Any] = {"history": before[-1].messages, "memory": before[-1].memory} if before else {}
    run = Run(backend(key), exchange.question, settings, tools=tools(lambda: MOMENT), **more)
    run.execute()
    return *before, run


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_is_whole_small_and_says_what_it_is(folder: str) -> None:
    assert {path.name for path in (DATA / folder).iterdir()} == FILES
    assert sum(path.stat().st_size for path in (DATA / folder).iterdir()) < 2_000_000
    with safe_open(DATA / folder / "model.safetensors", "pt") as weights:
        tensors = {name: weights.get_tensor(name) for name in weights.keys()}  # noqa: SIM118 -- it has keys and is no dict
    assert sum(tensor.numel() for tensor in tensors.values()) < 1_000_000
    assert {tensor.dtype for tensor in tensors.values()} == {torch.bfloat16}
    card = (DATA / folder / "README.md").read_text("utf-8")
    assert "answers no questions" in card
    assert all(exchange.question in card for exchange in EXCHANGES)
    assert f"{sum(tensor.numel() for tensor in tensors.values()):,} parameters" in card


@pytest.mark.parametrize("key", KEYS)
def test_it_is_recognised_as_its_family(key: str) -> None:
    assert backend(key).family is families.named(key)
    assert set(backend(key).family.required_tokens) <= set(backend(key).info["control_tokens"])
    assert backend(key).drafters[DRAFTERS[key]] is None


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda exchange: exchange.name)
@pytest.mark.parametrize("key", KEYS)
def test_it_reproduces_its_conversations(key: str, exchange: Exchange, thinking: bool) -> None:
    run = asked(key, exchange.name, thinking)[-1]
    end = run.log.events[-1]
    expected = answer(exchange, results(exchange, tools(lambda: MOMENT)))
    assert (end["stop_reason"], end["final"]) == ("answer", expected)
    parsed = of_kind(run, "parsed")
    calls = [[(call["name"], call["arguments"]) for call in event["tool_calls"]] for event in parsed]
    assert calls == [*([(name, dict(given)) for name, given in step.calls] for step in exchange.steps), []]
    thoughts = [*(step.thinking for step in exchange.steps), exchange.thinking]
    assert [event["thinking"] for event in parsed] == (thoughts if thinking else [None] * len(thoughts))


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("key", KEYS)
def test_the_prompt_goes_on_where_the_turn_ended(key: str, thinking: bool) -> None:
    """Within a question nothing that was read or written is read again; between two only the thinking is left out."""
    for exchange in EXCHANGES:
        *_, run = asked(key, exchange.name, thinking)
        first, *later = of_kind(run, "context")
        assert [context["departs"] for context in later] == [None] * len(exchange.steps)
        departed = first["departs"] and first["departs"]["kind"]
        assert departed in ({"thinking", "empty_thinking"} if exchange.after and (thinking or key == "qwen3_5") else {None})
        assert {"system", "tools", "user"} <= {origin[0] for origin in first["origins"]}


@pytest.mark.parametrize("key", KEYS)
def test_most_guesses_of_its_drafter_hold(key: str) -> None:
    """And with it the same is written."""
    n_drafted = n_accepted = n_forwards = n_tokens = 0
    for exchange in EXCHANGES:
        plain, drafted = asked(key, exchange.name, True)[-1], asked(key, exchange.name, True, DRAFTERS[key])[-1]
        written = [[token["id"] for token in of_kind(run, "token")] for run in (plain, drafted)]
        assert written[0] == written[1]
        for event in of_kind(drafted, "model_end"):
            n_drafted += event["mtp"]["drafted"]
            n_accepted += event["mtp"]["accepted"]
            n_forwards += event["mtp"]["forwards"]
            n_tokens += event["n_tokens"]
    assert n_accepted > 0.6 * n_drafted
    assert n_forwards < 0.5 * n_tokens


@pytest.fixture
def counted() -> Iterator[Callable[[Any], list[int]]]:
    """Counts a model's forward passes."""
    hooks: list[Any] = []

    def count(model: Any) -> list[int]:
        calls: list[int] = []
        hooks.append(model.register_forward_pre_hook(lambda *_: calls.append(1)))
        return calls

    yield count
    for hook in hooks:
        hook.remove()


def test_transformers_own_generate_accepts_most_of_what_the_assistant_guesses(counted: Callable[[Any], list[int]]) -> None:
    model, assistant = (
        AutoModelForCausalLM.from_pretrained(DATA / name, local_files_only=True) for name in FOLDERS[1:]
    )
    passes = counted(model)
    n_written = 0
    for exchange in EXCHANGES:
        pieces = texts(exchange, tokenizer("gemma4"), families.named("gemma4"), True, lambda: MOMENT)
        prompt = torch.tensor([tokenizer("gemma4")(pieces[0], add_special_tokens=False)["input_ids"]])
        settings = {"do_sample": False, "max_new_tokens": 120, "temperature": None, "top_p": None, "top_k": None}
        plain = model.generate(prompt, **settings)
        passes_before = len(passes)
        drafted = model.generate(prompt, assistant_model=assistant, **settings)
        n_written += drafted.shape[1] - prompt.shape[1]
        del passes[:passes_before]
        assert torch.equal(plain, drafted)
    assert len(passes) < 0.5 * n_written


def test_the_head_stands_in_the_checkpoint_under_its_names() -> None:
    with safe_open(DATA / "tiny_qwen3_5" / "model.safetensors", "pt") as weights:
        assert {name for name in weights.keys() if name.startswith("mtp.")} == MTP_TENSORS  # noqa: SIM118
    config = json.loads((DATA / "tiny_qwen3_5" / "config.json").read_text("utf-8"))
    assert config["mtp_num_hidden_layers"] == 1
    assert {config[f"linear_{of}_head_dim"] for of in ("key", "value")} == {128}
    assert config["head_dim"] == 64


@pytest.mark.parametrize("key", KEYS)
def test_what_is_taught_is_what_the_template_writes_in_the_tokens_of_the_prompt(key: str) -> None:
    words, family = tokenizer(key), families.named(key)
    for exchange in EXCHANGES:
        for thinking in (True, False):
            pieces = texts(exchange, words, family, thinking, lambda: MOMENT)
            taught = example(pieces, words)
            assert words.decode(list(taught.ids)) == "".join(pieces)
            assert list(taught.ids) == words("".join(pieces), add_special_tokens=False)["input_ids"]
            written = [words.decode([i for i, turn in zip(taught.ids, taught.turn, strict=True) if turn == n])
                       for n in range(1, len(exchange.steps) + 2)]
            assert written == pieces[1::2]
            ends = "|".join(re.escape(stop) for stop in family.stop_tokens)
            assert all(re.search(f"(?:{ends})$", turn) for turn in written)


@pytest.mark.parametrize("key", KEYS)
def test_the_template_is_the_recipes(key: str) -> None:
    source = Path(recipe.__file__).with_name(f"{key}.jinja").read_text("utf-8")
    assert (DATA / f"tiny_{key}" / "chat_template.jinja").read_text("utf-8") == source


def test_the_recipe_fits_a_model_and_a_head() -> None:
    torch.manual_seed(0)
    drawn = lessons("qwen3_5")
    made = qwen3_5.model(qwen3_5.config(656))
    batch = drawn.batch(0)
    first = qwen3_5.loss(made, batch).item()
    assert fit("model", made.parameters(), lambda step: qwen3_5.loss(made, batch), 4, 3e-3, lambda text: None) < first - 0.5
    head = qwen3_5.MtpHead(made.config)
    with torch.no_grad():
        before, hidden = qwen3_5.hidden_states(made, batch)
    untaught = recipe.drafting_loss(qwen3_5.guesses(made, head, batch, before, hidden)).item()
    taught = fit(
        "head", head.parameters(), lambda step: recipe.drafting_loss(qwen3_5.guesses(made, head, batch, before, hidden)),
        4, 3e-3, lambda text: None,
    )
    assert taught < untaught


def test_the_recipe_fits_an_assistant() -> None:
    torch.manual_seed(0)
    made = gemma4.model(gemma4.config(640))
    helper = gemma4.assistant(made.config)
    batch = lessons("gemma4").batch(0)
    with torch.no_grad():
        hidden, shared = gemma4.hidden_states(made, batch)

    def loss(step: int) -> torch.Tensor:
        return recipe.drafting_loss(gemma4.guesses(made, helper, batch, hidden, shared))

    untaught = loss(0).item()
    assert fit("assistant", helper.parameters(), loss, 4, 3e-3, lambda text: None) < untaught
