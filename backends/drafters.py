"""Which drafters a loaded model has, and how each is made: one table. What they do stands in files of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from backends import gemma_assistant, qwen_mtp
from backends.base import BackendError, Progress
from backends.cache import ConversationCache, KeepsHidden
from backends.drafting import Drafter, PromptLookup
from backends.model_settings import ModelSettings
from families.base import Text


@dataclass(frozen=True)
class Target:
    """The model that is drafted for, once it is loaded: where from, and under which name."""

    model: Any
    path: Path
    model_id: str
    progress: Progress


@dataclass(frozen=True)
class Usable:
    """A drafter that can be had. `make` gives the one for a turn; `keeps_hidden` is what the cache must keep for it; `network` is
    what guesses, where that is one, and `path` where it was loaded from."""

    make: Callable[[ConversationCache], Drafter]
    keeps_hidden: KeepsHidden = False
    network: Any = None
    path: Path | None = None


_READS_FOR_GOOD = Text(
    "這個架構讀過的 token 收不回來，所以猜錯的沒辦法作廢。",
    "This architecture cannot be made to forget a token that it has read, so that a guess that falls could not be dropped.",
)


def load_drafters(target: Target) -> dict[str, Usable | Text]:
    """The drafters for a model by name (see `backends.base.Sampling.drafter`): ready, or why they cannot be had. Those that are
    made for other architectures are not named. A drafter that cannot be loaded leaves the model as it is."""
    found: dict[str, Usable | Text] = {}
    takes_back = ConversationCache(target.model).most_ahead > 0
    for name, (model_types, load) in _DRAFTERS.items():
        if model_types is None or target.model.config.model_type in model_types:
            try:
                found[name] = load(target) if takes_back else _READS_FOR_GOOD
            except BackendError as error:
                found[name] = Text(error.zh, str(error))
    return found


def _prompt_lookup(target: Target) -> Usable:
    return Usable(lambda cache: PromptLookup())


def _gemma4_assistant(target: Target) -> Usable | Text:
    folder = gemma_assistant.find(target.path, target.model_id, ModelSettings.read())
    if isinstance(folder, Text):
        return folder
    target.progress(Text("載入草稿模型", "Loading the drafter"), None)
    assistant = gemma_assistant.load(folder, target.model)
    return Usable(partial(gemma_assistant.GemmaDrafter, assistant, target.model), "last", assistant, folder)


def _mtp(target: Target) -> Usable | Text:
    target.progress(Text("載入 MTP 頭", "Loading the MTP head"), None)
    head = qwen_mtp.load_head(target.path, target.model)
    if isinstance(head, Text):
        return head
    return Usable(partial(qwen_mtp.MtpDrafter, qwen_mtp.MtpConversation(head)), True, head, target.path)


_DRAFTERS: Mapping[str, tuple[frozenset[str] | None, Callable[[Target], Usable | Text]]] = {
    "prompt_lookup": (None, _prompt_lookup),
    "gemma4_assistant": (gemma_assistant.MODEL_TYPES, _gemma4_assistant),
    "mtp": (qwen_mtp.MODEL_TYPES, _mtp),
}
"""By name, in the order in which they are offered: the architectures it is for (`model_type` of config.json; None means all), and
how it is made."""
