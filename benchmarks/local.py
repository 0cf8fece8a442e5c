"""How fast the local backend writes beside transformers' own generate(): `python -m benchmarks.local [--rounds N] [--only CELL]
[--setting SETTING]`.

One process, the same weights, prompts and settings for both, turn by turn in alternation; generate() runs a model as
transformers loads it and has a streamer that decodes its tokens, as a page would need it. Ours runs it as the page does and gives
each token's whole report besides. A figure is the median of our tokens a second over the median of theirs. The models:

- builtin: the built-in model, on a turn that calls tools;
- qwen3_5_vocabulary, gemma4_vocabulary: random models of about 0.1 billion parameters with those vocabularies (248,320 and
  262,144 rows), where a report has the most to look at;
- long_turns: the built-in model again, on one turn of 4,000 tokens, where the others have several of 64. It takes half an hour
  and is measured only where --only names it; --setting measures one of its settings alone.

Drafting is prompt lookup on both sides (generate() then has no streamer). Further figures:

- calls: our speed on the built-in model's tool-calling runs with prompt lookup over that without; both write the same text;
- assistant: the tiny Gemma 4 of the tests with its assistant, over `generate(assistant_model=…)`; a model so small that the
  work between its passes is most of what is measured;
- growth: what a token costs beyond the model's forward pass at place 4,000 over what it costs at place 400;
- loading: the time in which the built-in model is loaded over that in which safetensors reads its weights into memory, in the
  number format that the model has there; and the same for transformers' own two calls that load model and tokenizer. From the
  disk, as when the page is first served after the computer was started, and from the system's cache of files.

The last line is JSON: {"builtin": {"greedy": ratio, …}, …, "calls": ratio, "assistant": ratio, …, "loading": {"disk": {"ours":
ratio, "transformers": ratio}, "cache": {"ours": ratio, "transformers": ratio}}}.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import functools
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    Qwen3Config,
    Qwen3ForCausalLM,
    TextIteratorStreamer,
)
from transformers.utils import logging as transformers_logging

from backends.base import Done, Encoded, Sampling
from backends.builtin import checkpoint
from backends.checkpoint import WEIGHTS
from backends.few_rows import quicken
from backends.loading import Loaded, load_checkpoint
from backends.local import LocalBackend
from harness.run import Run
from harness.settings import DEFAULT_SYSTEM_PROMPT, Settings
from harness.tools import registry
from teaching.tiny.conversations import EXCHANGES
from teaching.tiny.examples import texts

N_TOKENS, N_LONG = 64, 4000
LONG = "long_turns"
TINY = Path(__file__).parents[1] / "tests" / "data" / "tiny_gemma4"
MOMENT = datetime(2031, 2, 25, 22, 8, tzinfo=UTC)
"""What the clock says in the tiny model's conversations."""
QUESTION = "What is 37 * 48, and what is 37 * 48 + 1? Use the calculator for 37 * 48 first."
SETTINGS = {
    "greedy": Sampling(temperature=0),
    "top_k_top_p": Sampling(temperature=1.0, top_k=20, top_p=0.95, seed=1),
    "top_p": Sampling(temperature=1.0, top_p=0.95, seed=1),
    "drafting": Sampling(temperature=0, drafter="prompt_lookup"),
}
SIZES: dict[str, Any] = {
    "hidden_size": 256, "intermediate_size": 1024, "num_hidden_layers": 20, "num_attention_heads": 8, "num_key_value_heads": 2,
    "head_dim": 64, "max_position_embeddings": 8192, "tie_word_embeddings": True,
}
CALLS = ("What is 37 * 48?", "How many kilometers are 26 miles?", "What time is it in Tokyo?", "What is 12% of 250?",
         "Convert 10 miles to kilometers and multiply the result by 3.", "What is 512 / 16 and what is 777 + 888?")
"""Questions that take a tool: on these turns prompt lookup must pay."""


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the local backend writes beside generate().")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side in a cell (default %(default)s)")
    parser.add_argument("--only", choices=(*_MODELS, *_FIGURES), help="one model or further figure")
    parser.add_argument("--setting", choices=SETTINGS, help="one setting of the models (default all)")
    given = parser.parse_args()
    transformers_logging.disable_progress_bar()
    folder = checkpoint()
    loaded = load_checkpoint(folder, lambda _what, _done: None, None, None)
    results: dict[str, Any] = {}
    for name, figure in _FIGURES.items():
        if given.only in (None, name):
            results[name] = figure(folder, loaded)
    for name, make in _MODELS.items():
        if given.only == name or (given.only is None and name != LONG):
            model = make(folder).eval()
            endless = dataclasses.replace(_endless(loaded), model=_without_end(model))
            results[name] = _cells(name, folder, endless, given.rounds, [given.setting] if given.setting else SETTINGS)
    print(json.dumps(results))


def _builtin(folder: Path) -> Any:
    """The built-in model as transformers loads it."""
    return AutoModelForCausalLM.from_pretrained(folder, dtype="auto")


def _endless(loaded: Loaded) -> Loaded:
    """The same with nothing in the family that ends a turn, so that every turn has the same length."""
    return dataclasses.replace(loaded, family=dataclasses.replace(loaded.family, stop_tokens={}))


def _qwen(_folder: Path) -> Any:
    return Qwen3ForCausalLM(Qwen3Config(vocab_size=248_320, **SIZES))


def _gemma(_folder: Path) -> Any:
    return Gemma3ForCausalLM(Gemma3TextConfig(vocab_size=262_144, **SIZES))


def _without_end(model: Any) -> Any:
    model.generation_config.eos_token_id = None
    return model


def _cells(name: str, folder: Path, loaded: Loaded, rounds: int, settings: Iterable[str]) -> dict[str, float]:
    """The ratios of one model, setting by setting."""
    ours = copy.deepcopy(loaded.model)
    quicken(ours)
    backend = LocalBackend(dataclasses.replace(loaded, model=ours), name, folder)
    lengths = [N_TOKENS, N_LONG] if name == LONG else [N_TOKENS] * (rounds + 1)
    found = {}
    for setting in settings:
        found[setting] = _ratio(backend, loaded, SETTINGS[setting], lengths)
        _say(f"{name} {setting}: {found[setting]}")
    return found


def _ratio(backend: LocalBackend, loaded: Loaded, sampling: Sampling, lengths: Sequence[int]) -> float:
    """Our tokens a second over generate()'s, on turns of these many tokens; the first turn of each warms up."""
    ours, theirs = [], []
    for turn, length in enumerate(lengths):
        prompt, settings = _prompt(backend, turn), dataclasses.replace(sampling, max_new_tokens=length)
        ours.append(_ours(backend, prompt, settings))
        theirs.append(_theirs(loaded, prompt, settings))
    return round(median(ours[1:]) / median(theirs[1:]), 3)


def _calls_gain(folder: Path, loaded: Loaded) -> float:
    """Milliseconds that runs with tool calls decode without a drafter over those with prompt lookup, in alternation."""
    backend = LocalBackend(loaded, "builtin", folder)
    spent = {None: 0.0, "prompt_lookup": 0.0}
    for question in (CALLS[0], *CALLS):
        if question is CALLS[0]:
            spent = dict.fromkeys(spent, 0.0)  # The first question warms up; it is asked once more.
        for drafter in spent:
            run = Run(backend, question, Settings(sampling=Sampling(temperature=0, drafter=drafter), thinking=False))
            run.execute()
            spent[drafter] += sum(event["decode_ms"] for event in run.log.events if event["kind"] == "model_end")
    gain: float = spent[None] / spent["prompt_lookup"]
    _say(f"prompt lookup on tool-calling runs: {gain:.3f} times as fast")
    return round(gain, 3)


def _assistant(_folder: Path, _loaded: Loaded) -> float:
    """Tokens a second of the tiny Gemma 4 with its assistant over those of generate() with it, on all of its conversations."""
    backend = LocalBackend.load(TINY, TINY.name, device="cpu")
    model, assistant = (AutoModelForCausalLM.from_pretrained(f"{TINY}{end}", local_files_only=True) for end in ("", "_assistant"))
    tokenizer = AutoTokenizer.from_pretrained(TINY, local_files_only=True)
    prompts = [backend.encode(texts(exchange, tokenizer, backend.family, True, lambda: MOMENT)[0]) for exchange in EXCHANGES]
    sampling = Sampling(temperature=0, max_new_tokens=120, drafter="gemma4_assistant")
    ours, theirs = [], []
    for prompt in (prompts[0], *prompts * 3):
        ours.append(_ours(backend, prompt, sampling))
        ids = torch.tensor([prompt.ids])
        began = time.perf_counter()
        written = model.generate(ids, assistant_model=assistant, do_sample=False, max_new_tokens=sampling.max_new_tokens)
        theirs.append((written.shape[1] - ids.shape[1]) / (time.perf_counter() - began))
    _say(f"with Gemma 4's assistant: {median(ours[1:]):.0f} tokens a second, generate() {median(theirs[1:]):.0f}")
    return round(median(ours[1:]) / median(theirs[1:]), 3)


def _prompt(backend: LocalBackend, turn: int) -> Encoded:
    """A prompt that begins as no other does, so that nothing of it is in our cache."""
    messages = [{"role": "system", "content": f"({turn}) {DEFAULT_SYSTEM_PROMPT}"}, {"role": "user", "content": QUESTION}]
    return backend.encode(backend.render(messages, [tool.schema for tool in registry().values()], True))


def _ours(backend: LocalBackend, prompt: Encoded, sampling: Sampling) -> float:
    """Tokens a second of one whole turn, the reading of the prompt included."""
    began = time.perf_counter()
    *_, done = backend.generate(prompt, sampling, lambda: False)
    assert isinstance(done, Done)
    return done.n_tokens / (time.perf_counter() - began)


def _theirs(loaded: Loaded, prompt: Encoded, sampling: Sampling) -> float:
    """The same with generate()."""
    streamer = TextIteratorStreamer(loaded.tokenizer, skip_prompt=True)
    ids = torch.tensor([prompt.ids], device=loaded.model.device)
    drawn: dict[str, Any] = {"do_sample": False}
    if sampling.temperature > 0:
        drawn = {"do_sample": True, "temperature": sampling.temperature, "top_k": sampling.top_k, "top_p": sampling.top_p}
    if sampling.drafter:
        drawn["prompt_lookup_num_tokens"] = 6
    began = time.perf_counter()
    written = loaded.model.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=sampling.max_new_tokens, min_new_tokens=sampling.max_new_tokens,
        streamer=None if sampling.drafter else streamer, pad_token_id=0, **drawn,
    )
    n_written: int = written.shape[1] - ids.shape[1]
    return n_written / (time.perf_counter() - began)


def _growth(folder: Path, loaded: Loaded) -> float:
    """What a token costs beyond the forward pass around place 4,000, over the same around place 400."""
    spent = {"forward": 0.0}
    loaded = _endless(loaded)
    ends, loaded.model.generation_config.eos_token_id = loaded.model.generation_config.eos_token_id, None
    backend = LocalBackend(loaded, "builtin", folder)
    loaded.model.generation_config.eos_token_id = ends
    costs: list[float] = []
    with _timed_forward(loaded.model, spent):
        for event in backend.generate(_prompt(backend, 0), Sampling(temperature=0, max_new_tokens=4101), lambda: False):
            now = time.perf_counter()
            if costs:
                costs[-1] = now - costs[-1] - spent["forward"]
            spent["forward"] = 0.0
            if isinstance(event, Done):
                break
            costs.append(time.perf_counter())
    early, late = median(costs[301:501]), median(costs[3901:4101])
    _say(f"beyond the forward pass: {early * 1e3:.3f} ms a token around 400, {late * 1e3:.3f} ms around 4,000")
    return round(late / early, 3)


def _loading(folder: Path, loaded: Loaded) -> dict[str, dict[str, float]]:
    """Seconds to load the built-in model, and seconds in which transformers does, over seconds to bring its weights into memory:
    from the disk, where the system can be told to forget what it has of the files, and from the system's cache."""
    dtype = loaded.model.dtype
    ways: dict[str, Callable[[], Any]] = {
        # load_file only maps the file.
        "reading": lambda: [tensor.to(dtype, copy=True) for tensor in load_file(folder / WEIGHTS).values()],
        "ours": lambda: LocalBackend.load(folder, "builtin"),
        "transformers": lambda: (
            AutoTokenizer.from_pretrained(folder),
            AutoModelForCausalLM.from_pretrained(folder, dtype="auto", use_safetensors=True),
        ),
    }
    places: dict[str, Callable[[Path], None]] = {"cache": lambda _folder: None}
    if hasattr(os, "posix_fadvise"):
        places = {"disk": _forget} | places
    return {place: _over_reading(place, ways, functools.partial(before, folder)) for place, before in places.items()}


def _forget(folder: Path) -> None:
    """Takes a folder's files out of the system's cache: what is read next comes from the disk."""
    for file in folder.iterdir():
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _over_reading(place: str, ways: dict[str, Callable[[], Any]], before: Callable[[], None]) -> dict[str, float]:
    """The median seconds of each way over those of "reading", in alternation; `before` is called before each try, untimed."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for name, way in [*ways.items()] * 7:
        gc.collect()  # As the page does before it loads another model, outside of the time of loading.
        before()
        began = time.perf_counter()
        held = way()
        seconds[name].append(time.perf_counter() - began)
        del held
    found = {name: median(each) for name, each in seconds.items()}
    _say(f"the built-in model from the {place}: " + ", ".join(f"{name} {each:.2f} s" for name, each in found.items()))
    return {name: round(each / found["reading"], 3) for name, each in found.items() if name != "reading"}


@contextmanager
def _timed_forward(model: Any, spent: dict[str, float]) -> Iterator[None]:
    """Adds the seconds that the model's forward passes take to spent["forward"]."""
    began = 0.0

    def before(*_: object) -> None:
        nonlocal began
        began = time.perf_counter()

    def after(*_: object) -> None:
        spent["forward"] += time.perf_counter() - began

    hooks = [model.register_forward_pre_hook(before), model.register_forward_hook(after)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


_MODELS: dict[str, Callable[[Path], Any]] = {
    "builtin": _builtin, "qwen3_5_vocabulary": _qwen, "gemma4_vocabulary": _gemma, LONG: _builtin,
}
_FIGURES = {"calls": _calls_gain, "assistant": _assistant, "growth": _growth, "loading": _loading}


if __name__ == "__main__":
    main()
