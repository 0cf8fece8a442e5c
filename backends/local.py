"""A model run in this process by transformers: render, encode, generate.

Knows nothing about the loop, tools or the page. The steps of a token: `cache.py` reads ids and gives logits, `sampling.py`
draws a token and reports its numbers, `decoding.py` gives the text that the token completes.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from backends.base import (
    BackendError,
    BackendEvent,
    Candidate,
    Done,
    Draft,
    Encoded,
    Finish,
    Message,
    Prefill,
    Progress,
    Sampling,
    Token,
    ToolSchema,
)
from backends.cache import ConversationCache, Interrupted
from backends.checkpoint import defaults
from backends.decoding import Vocabulary
from backends.description import describe, describe_network
from backends.drafters import Target, Usable, load_drafters
from backends.drafting import Checked, Rounds
from backends.loading import Loaded, load_checkpoint, worded_failures
from backends.prompts import control_tokens, encode, render
from backends.sampling import Report, Sampler
from families.base import Text

CHUNK = 2048
"""Tokens of a prompt that are read at a time, which bounds the memory for it."""
_WAIT_S = 0.05
_READING = Text("讀取提示", "reading the prompt")
_WRITING = Text("生成 token", "writing a token")


class LocalBackend:
    """A checkpoint in this process. The keys and values of the conversation are kept from turn to turn.

    Implements `backends.base.Backend`. One generation runs at a time: a second one waits until the first has ended, and one
    that the same thread has left unfinished is closed.
    """

    modalities: frozenset[str] = frozenset()

    def __init__(
        self, loaded: Loaded, model_id: str, path: Path, commit: str | None = None, progress: Progress | None = None,
        notice: Text | None = None,
    ) -> None:
        """Makes a backend of a model in memory, and loads what drafts for it. Arguments are those of `load`."""
        self.model_id = model_id
        self.family = loaded.family
        self._tokenizer = loaded.tokenizer
        self._model = loaded.model
        self._cache = ConversationCache(loaded.model)
        self._control = control_tokens(loaded.tokenizer, loaded.family)
        self._control_ids = frozenset(self._control.values())
        text_config = loaded.model.config.get_text_config()
        self._vocabulary = _vocabulary(loaded.tokenizer, text_config.vocab_size)
        self._stop_ids = _stop_ids(loaded)
        self._drafters = load_drafters(Target(loaded.model, path, model_id, progress or _ignore))
        self.drafters: Mapping[str, Text | None] = {
            name: found if isinstance(found, Text) else None for name, found in self._drafters.items()
        }
        self.context_length: int | None = getattr(text_config, "max_position_embeddings", None)
        self.info: Mapping[str, Any] = {
            **self._describe(loaded, path), "commit": commit, "path": str(path), "notice": notice,
        }
        self._turn = threading.Lock()
        self._unfinished: tuple[int, weakref.ref[Generator[BackendEvent, None, None]]] | None = None

    @classmethod
    def load(
        cls,
        path: Path | str,
        model_id: str,
        progress: Progress | None = None,
        device: str | None = None,
        dtype: str | None = None,
        commit: str | None = None,
        notice: Text | None = None,
    ) -> LocalBackend:
        """Loads a folder that holds config.json, a tokenizer with a chat template, and safetensors; or one .gguf file.

        `device` is a torch device ("cpu", "cuda", "mps"), by default the best there is; `dtype` the name of a torch dtype
        ("bfloat16"), by default the checkpoint's own; `commit` the hub's commit that the files are of, and `notice` why they are
        not what was asked for, which are passed on in `info`. Raises BackendError.
        """
        progress = progress or _ignore
        backend = cls(load_checkpoint(Path(path), progress, device, dtype), model_id, Path(path), commit, progress, notice)
        progress(Text("模型已載入", "The model is loaded"), 1.0)
        return backend

    def _describe(self, loaded: Loaded, path: Path) -> dict[str, Any]:
        recommended, whose = defaults(path, loaded.family)
        return {
            "defaults": recommended,
            "defaults_from": whose,
            "control_tokens": dict(self._control),
            "stop_tokens": [self._vocabulary.pieces[token_id] for token_id in sorted(self._stop_ids)],
            "dtype": str(loaded.model.dtype).removeprefix("torch."),
            "device": str(loaded.model.device),
            "description": describe(path, loaded.model, loaded.tokenizer, loaded.family),
            "draft_networks": {
                name: describe_network(found.path, found.network)
                for name, found in self._drafters.items() if isinstance(found, Usable) and found.path is not None
            },
        }

    def warmup(self) -> None:
        """Reads, draws and guesses a token, apart from the conversation, so that libraries set up what they need."""
        with self._turn, torch.inference_mode(), worded_failures(_WRITING):
            warm = ConversationCache(self._model, keeps_hidden=True)
            token = min(self._stop_ids, default=0)
            Sampler(Sampling(seed=0))(warm.read([token]))
            for found in self._drafters.values():
                if isinstance(found, Usable):
                    drafter = found.make(warm)
                    drafter.take([token, token])
                    drafter.guess(1)

    def render(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], thinking: bool, generation_prompt: bool = True,
    ) -> str:
        """The prompt that the checkpoint's chat template writes."""
        return render(self._tokenizer, self.family, messages, tools, thinking, generation_prompt)

    def encode(self, prompt: str) -> Encoded:
        """The prompt's token ids; adds nothing to what the template wrote."""
        return encode(self._tokenizer, self._control, prompt)

    def generate(self, encoded: Encoded, sampling: Sampling, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        """Writes one turn, as `backends.base.Backend.generate` says. The reading of a long prompt can be stopped too, as
        can the wait for another generation. Raises ValueError for settings out of range or an empty prompt, BackendError else,
        at once for a drafter that cannot be had."""
        if not encoded.ids:
            raise ValueError("an empty prompt cannot be answered: the model needs one token to begin with")
        self._require_rows(encoded.ids)
        sampler, drafter = Sampler(sampling), self._drafter(sampling.drafter)
        itself: list[weakref.ref[Generator[BackendEvent, None, None]]] = []
        turn = self._in_turn(encoded.ids, sampler, drafter, should_stop, itself)
        itself.append(weakref.ref(turn))
        return turn

    def _require_rows(self, ids: Sequence[int]) -> None:
        """Raises BackendError for a token that the tokenizer knows and the model has no weights for."""
        rows = self._model.get_input_embeddings().weight.shape[0]
        if max(ids) >= rows:
            piece = self._tokenizer.convert_ids_to_tokens(max(ids))
            raise BackendError(
                f"The prompt holds {piece}, a token that this model has no weights for. Leave it out of the question.",
                f"提示裡有 {piece}，這個模型沒有它的權重。請從問題中拿掉。",
            )

    def _in_turn(
        self,
        ids: Sequence[int],
        sampler: Sampler,
        drafter: Usable | None,
        should_stop: Callable[[], bool],
        itself: Sequence[weakref.ref[Generator[BackendEvent, None, None]]],
    ) -> Generator[BackendEvent, None, None]:
        """The generation, once no other one runs. `itself` refers to this generator, so that its thread can close it."""
        thread = threading.get_ident()
        if self._unfinished is not None and self._unfinished[0] == thread:
            left = self._unfinished[1]()
            if left is not None:
                left.close()
        while not self._turn.acquire(timeout=_WAIT_S):
            if should_stop():
                yield Done("user_stopped", None, 0, 0.0)
                return
        self._unfinished = thread, itself[0]
        try:
            yield from self._write(ids, sampler, drafter, should_stop)
        finally:
            self._unfinished = None
            self._turn.release()

    def _write(
        self, ids: Sequence[int], sampler: Sampler, drafter: Usable | None, should_stop: Callable[[], bool]
    ) -> Iterator[BackendEvent]:
        most, at_most = _limit(sampler.sampling.max_new_tokens, self.context_length, len(ids))
        if most <= 0:
            yield Done(at_most, None, 0, 0.0)
            return
        began = time.perf_counter()
        self._cache.keep_hidden(drafter.keeps_hidden if drafter is not None else False)
        n_reused, logits = self._read_prompt(ids, should_stop)
        if logits is None:
            yield Done("user_stopped", None, 0, 0.0)
            return
        yield Prefill(len(ids), n_reused, (time.perf_counter() - began) * 1000)
        rounds = Rounds(self._cache, sampler, drafter.make(self._cache) if drafter is not None else None, ids, logits)
        try:
            yield from self._tokens(rounds, most, at_most, should_stop)
        finally:
            with torch.inference_mode(), worded_failures(_WRITING):
                rounds.close()

    def _tokens(self, rounds: Rounds, most: float, at_most: Finish, should_stop: Callable[[], bool]) -> Iterator[BackendEvent]:
        stream = self._vocabulary.stream()
        spent = 0.0  # without the time in which the caller does something with a token
        for n in itertools.count(1):
            began = time.perf_counter()
            with torch.inference_mode(), worded_failures(_WRITING):
                report, checked = rounds.draw(most - n + 1)
            finish: Finish | None = at_most if n >= most else None
            if should_stop():
                finish = "user_stopped"
            elif report.id in self._stop_ids:
                finish = "stop_token"
            if finish is not None:
                checked = rounds.ended(checked)
            token = self._token(report, checked, stream.feed(report.id, last=finish is not None))
            spent += time.perf_counter() - began
            yield token
            if finish is not None:
                yield Done(finish, token.piece if finish == "stop_token" else None, n, spent * 1000, rounds.n_forwards)
                return

    def _drafter(self, name: str | None) -> Usable | None:
        """The drafter of a name; None for nobody. Raises ValueError for one that there is not, BackendError where it cannot be
        had."""
        if name is None:
            return None
        if name not in self._drafters:
            raise ValueError(f"no drafter {name!r}; there are {sorted(self._drafters)}")
        found = self._drafters[name]
        if isinstance(found, Text):
            raise BackendError(found.en, found.zh)
        return found

    def _read_prompt(self, ids: Sequence[int], should_stop: Callable[[], bool]) -> tuple[int, Tensor | None]:
        """Reads what the cache does not hold; how many tokens it held, and the last logits, or None after a stop."""
        with torch.inference_mode(), worded_failures(_READING):
            kept = self._cache.keep_common(ids)
            n_reused, logits = kept - self._cache.n_owed, None
            for start in range(kept, len(ids), CHUNK):
                if start > kept and should_stop():
                    return n_reused, None
                try:
                    logits = self._cache.read_until(ids[start : start + CHUNK], should_stop)
                except Interrupted:
                    return n_reused, None
            if self._model.device.type != "cpu":
                torch.accelerator.synchronize()  # else the time of the prompt would be counted to the first token
            return n_reused, logits

    def _token(self, report: Report, checked: Checked | None, text: str) -> Token:
        pieces = self._vocabulary.pieces
        draft = None
        if checked is not None:
            dropped = tuple(pieces[token_id] for token_id in checked.dropped)
            draft = Draft(pieces[checked.id], checked.accepted, checked.place, dropped)
        return Token(
            id=report.id,
            piece=pieces[report.id],
            text=text,
            special=report.id in self._control_ids,
            p=report.p,
            logprob=report.logprob,
            rank=report.rank,
            entropy=report.entropy,
            p_sampled=report.p_sampled,
            kept=report.kept,
            top=tuple(Candidate(token_id, pieces[token_id], p, kept) for token_id, p, kept in report.top),
            draft=draft,
        )


def _limit(max_new_tokens: int, context_length: int | None, n_prompt: int) -> tuple[float, Finish]:
    """How many tokens may be written, and what ends the turn when they are."""
    room = math.inf if context_length is None else context_length - n_prompt
    return (max_new_tokens, "max_new_tokens") if 0 < room >= max_new_tokens else (room, "context_full")


def _stop_ids(loaded: Loaded) -> frozenset[int]:
    """The generation config's end tokens, and those of the family that the tokenizer has."""
    ends = loaded.model.generation_config.eos_token_id
    configured = ends if isinstance(ends, list) else [] if ends is None else [ends]
    of_family = (loaded.tokenizer.backend_tokenizer.token_to_id(token) for token in loaded.family.stop_tokens)
    return frozenset([*configured, *(token_id for token_id in of_family if token_id is not None)])


def _vocabulary(tokenizer: Any, size: int) -> Vocabulary:
    try:
        return Vocabulary(tokenizer, size)
    except ValueError as error:
        raise BackendError(f"This tokenizer is not supported: {error}.", f"不支援這種分詞器：{error}。") from error


def _ignore(what: Text, done: float | None) -> None:
    """For callers who do not want to know how far it is."""
