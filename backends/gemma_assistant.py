"""Gemma 4's MTP drafter: a small checkpoint, the assistant, that guesses from what the model itself has computed.

It has no keys and values of its own: its layers attend to those of the model's last layer of each kind that keeps any. For a
guess it reads the embedding of the last token, which the model has not read yet, beside the model's hidden state before it; for
each further one the guess and its own hidden state instead, always at the position of the last token (in transformers:
`SinglePositionMultiTokenCandidateGenerator` and the architecture `gemma4_assistant`). A layer that slides sees what the model's
own layer would see from that position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from backends import hub_cache
from backends.base import BackendError
from backends.cache import ConversationCache
from backends.checkpoint import weight_files
from backends.loading import load_assistant
from backends.model_settings import ModelSettings, settings_file
from families.base import Text

MODEL_TYPES = frozenset({"gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text"})
"""The architectures, by `model_type` of config.json, that an assistant can guess for."""
ASSISTANTS: Mapping[str, str] = {
    "google/gemma-4-E2B-it": "google/gemma-4-E2B-it-assistant",
    "google/gemma-4-E4B-it": "google/gemma-4-E4B-it-assistant",
    "google/gemma-4-12B-it": "google/gemma-4-12B-it-assistant",
    "google/gemma-4-26B-A4B-it": "google/gemma-4-26B-A4B-it-assistant",
    "google/gemma-4-31B-it": "google/gemma-4-31B-it-assistant",
}
"""The hub models that have an assistant, as Google names them (ai.google.dev/gemma/docs/mtp/mtp; the 12B's is named in mlx-node's
pull request 88)."""
AHEAD = 6
"""How many tokens are guessed at most where the assistant's generation config does not say."""


def find(path: Path, model_id: str, settings: ModelSettings, cache: Path | None = None) -> Path | Text:
    """The folder of the assistant for the model at `path`, or what to do to have one. Looked for in this order: the folder that
    the settings name for the model; one beside the model's, of its name and "-assistant" or "_assistant"; the hub's cache."""
    named = settings.drafters.get(model_id) or settings.drafters.get(str(path))
    if named is not None:
        folder = Path(named).expanduser()
        return folder if _is_there(folder) else Text(
            f"設定檔「{settings_file()}」為這個模型指定的資料夾「{folder}」裡沒有草稿模型。請改正路徑。",
            f"{settings_file()} names {folder} as this model's drafter, which holds no checkpoint. Correct the path.",
        )
    beside = [path.with_name(f"{path.name}{end}") for end in ("-assistant", "_assistant")]
    found = next(filter(_is_there, beside), None)
    if found is not None:
        return found
    assistant_id = ASSISTANTS.get(model_id)
    if assistant_id is None:
        return _not_found(beside[0] if model_id == path.name else None)
    here = hub_cache.snapshot(assistant_id, settings.pins.get(assistant_id, "main"), cache, _is_there)
    return here[0] if here is not None else Text(
        f"它的草稿模型 {assistant_id} 不在這台電腦上。請用「hf download {assistant_id}」下載，再重新載入模型。",
        f"Its drafter {assistant_id} is not on this computer. Fetch it with “hf download {assistant_id}”, then load the model "
        "again.",
    )


def _not_found(beside: Path | None) -> Text:
    """What to do where no assistant is known: put it beside the model, where that is a folder of the user's, or name it."""
    return Text(
        "Gemma 4 的草稿模型是另一個檢查點，這裡沒有找到。"
        + (f"請把它放在「{beside}」，或在" if beside else "請在")
        + f"「{settings_file()}」的 drafters 裡寫明它的資料夾。",
        "Gemma 4's drafter is a checkpoint of its own, and none was found. "
        + (f"Put it into {beside}, or name" if beside else "Name")
        + f' its folder in {settings_file()} under "drafters".',
    )


def load(folder: Path, model: Any) -> Any:
    """The assistant in `folder`, ready to guess for `model`. Raises BackendError, also for one that belongs to another model."""
    assistant = load_assistant(folder, model)
    misfit = _misfit(assistant.config, model.config.get_text_config())
    if misfit is not None:
        name, given, needed = misfit
        raise BackendError(
            f"The drafter in {folder} belongs to another model: its {name} is {given}, this model's {needed}.",
            f"「{folder}」的草稿模型屬於別的模型：它的 {name} 是 {given}，這個模型的是 {needed}。",
        )
    return assistant


def _misfit(config: Any, of_model: Any) -> tuple[str, Any, Any] | None:
    """What the assistant reads or writes and the model does not give or have: its name, the assistant's value and the model's."""
    text = getattr(config, "text_config", None)
    if text is None or not hasattr(config, "backbone_hidden_size"):
        return "model_type", config.model_type, "gemma4_assistant"
    compared = [
        ("hidden size", config.backbone_hidden_size, of_model.hidden_size),
        ("vocabulary", text.vocab_size, of_model.vocab_size),
    ]
    shared = shared_layers(of_model)
    for layer, kind in enumerate(text.layer_types):
        if kind not in shared:
            return "layers", kind, sorted(shared)
        theirs, ours = text.per_layer_config[layer], of_model.per_layer_config[shared[kind]]
        compared += [
            (f"head size ({kind})", theirs.head_dim, ours.head_dim),
            (f"number of key heads ({kind})", theirs.num_key_value_heads, ours.num_key_value_heads),
        ]
    return next((different for different in compared if different[1] != different[2]), None)


def shared_layers(config: Any) -> dict[str, int]:
    """By kind of attention the model's layer whose keys and values an assistant uses: the last one that keeps any. `config` is
    that of the model's text."""
    last = config.num_hidden_layers - config.num_kv_shared_layers
    return {kind: layer for layer, kind in enumerate(config.layer_types[:last])}


def _is_there(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("config.json", *weight_files(folder)))


class GemmaDrafter:
    """Guesses of one turn. Implements `backends.drafting.Drafter`.

    `cache` is the one that `model` reads the conversation into; it must keep the hidden state of the last id.
    """

    def __init__(self, assistant: Any, model: Any, cache: ConversationCache) -> None:
        self._assistant = assistant
        self._embed = model.get_input_embeddings()
        self._shared = shared_layers(model.config.get_text_config())
        self._cache = cache
        self._ahead = assistant.generation_config.num_assistant_tokens or AHEAD
        self._last = -1

    def take(self, ids: Sequence[int]) -> None:
        self._last = ids[-1]

    def guess(self, at_most: int) -> list[int]:
        hidden = self._cache.hidden[-1:].unsqueeze(0)
        token = torch.tensor([[self._last]], device=hidden.device)
        position = torch.tensor([[self._cache.n_read]], device=hidden.device)
        keys_values = {kind: self._cache.keys_values(layer) for kind, layer in self._shared.items()}
        guesses = []
        for _ in range(min(at_most, self._ahead)):
            output = self._assistant(
                inputs_embeds=torch.cat([self._embed(token), hidden], dim=-1),
                position_ids=position,
                shared_kv_states=keys_values,
            )
            token, hidden = output.logits.argmax(dim=-1), output.last_hidden_state
            guesses.append(token)
        drawn: list[int] = torch.cat(guesses, dim=1)[0].tolist() if guesses else []
        return drawn
