"""Qwen3.5's own MTP head (multi-token prediction) as a drafter.

Checkpoints of Qwen3.5 hold one decoder layer more than the model runs, their `mtp.*` tensors, trained to say from the model's
hidden state and the token that was drawn what the token after that is. transformers 5.24 leaves these tensors out when it
loads a checkpoint; here they are loaded and guess. The head's place p reads the token p + 1 and the hidden state that the model
has after its final norm at p, at the rotary position p, and says the token p + 2:

    layer(fc([pre_fc_norm_embedding(embedding(token[p + 1])), pre_fc_norm_hidden(hidden[p])])), then norm, then the model's head

For a further guess the next place reads the token guessed and, where the model's hidden state would stand, what the head's own
norm gave at the place before. Embedding and output head are the model's; norms multiply by 1 + weight. So the head is run by vLLM
(vllm/model_executor/models/qwen3_5_mtp.py, with propose in vllm/v1/spec_decode/llm_base_proposer.py) and by SGLang
(python/sglang/srt/models/qwen3_5_mtp.py).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor, nn
from transformers import DynamicCache
from transformers.masking_utils import create_causal_mask

from backends.cache import ConversationCache, n_common
from backends.checkpoint import weight_files
from backends.loading import SMALLER, as_held, room_for, worded_failures
from families.base import Text

MODEL_TYPES = frozenset({"qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"})
"""The architectures, by `model_type` of config.json, whose checkpoints come with this head."""
AHEAD = 3
"""How many tokens are guessed at most, each one from the guess before it. In the sizes of Qwen3.5-0.8B on a CPU, in bfloat16, a
guess costs 0.26 of a pass, most of it the output layer, and a pass over several tokens 1.14 times that over one: where 7 or 8 of
10 guesses hold, three is the best number or as good as the best."""
_CHUNK = 2048
"""Places that the head reads at a time, which bounds the memory for it."""
_PREFIX = "mtp."
_EXPERT = re.compile(r"(.+\.experts)\.(\d+)\.(gate|up|down)_proj\.weight")
_LOADING = Text("載入 MTP 頭", "loading the MTP head")
_NO_TENSORS = Text("這個檢查點沒有 mtp.* 張量。", "This checkpoint has no mtp.* tensors.")
_GGUF = Text(
    "transformers 讀 .gguf 檔時不讀 MTP 頭；請改用 safetensors 的檢查點。",
    "transformers does not read the MTP head of a .gguf file; choose a checkpoint in safetensors.",
)


class MtpHead(nn.Module):  # type: ignore[misc]
    """The head: what stands in the `mtp.*` tensors, under their names. `load_head` makes one with its weights."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        decoder = model.get_decoder()
        self._config = copy.deepcopy(decoder.config)
        self._config.num_hidden_layers, self._config.layer_types = 1, ["full_attention"]
        norm, width, eps = type(decoder.norm), self._config.hidden_size, self._config.rms_norm_eps
        self.fc = nn.Linear(2 * width, width, bias=False)
        self.pre_fc_norm_embedding = norm(width, eps=eps)
        self.pre_fc_norm_hidden = norm(width, eps=eps)
        self.layers = nn.ModuleList([type(decoder.layers[0])(self._config, 0)])
        self.norm = norm(width, eps=eps)
        # The model's own parts stand in a tuple, so that torch does not take them for parameters of the head.
        self._of_model = (model.get_input_embeddings(), decoder.rotary_emb, model.get_output_embeddings())

    def forward(self, ids: Tensor, hidden: Tensor, cache: DynamicCache) -> Tensor:
        """Reads further places behind those in `cache`: `ids`, shape [places], are the tokens one behind the places, `hidden`,
        shape [places, hidden_size], what the model (or, for further guesses, the head) gave at them. Returns what the head gives
        there, shape [places, hidden_size]."""
        embedding, rotary, _ = self._of_model
        embedded = self.pre_fc_norm_embedding(embedding(ids))
        states = self.fc(torch.cat([embedded, self.pre_fc_norm_hidden(hidden)], dim=-1))[None]
        first = cache.get_seq_length()
        places = torch.arange(first, first + len(ids), device=ids.device)[None]
        mask = create_causal_mask(
            config=self._config, inputs_embeds=states, attention_mask=None, cache=cache, position_ids=places,
        )
        states = self.layers[0](
            states, position_embeddings=rotary(states, places), attention_mask=mask, position_ids=places, cache=cache,
        )
        given: Tensor = self.norm(states)[0]
        return given

    def logits(self, given: Tensor) -> Tensor:
        """The logits of the token two behind each place, shape [places, vocabulary], from what `forward` returned."""
        logits: Tensor = self._of_model[2](given)
        return logits

    def new_cache(self) -> DynamicCache:
        """A cache for the keys and values of the head's layer."""
        return DynamicCache(config=self._config)


def load_head(path: Path, model: Any) -> MtpHead | Text:
    """The head of the checkpoint at `path`, a folder or one .gguf file, in the number format and on the device of `model`,
    which was loaded from there; or why it has none that can be used. Raises BackendError where memory runs out."""
    if path.is_file():
        return _GGUF
    with worded_failures(_LOADING, SMALLER):
        return _load(path, model)


def _load(path: Path, model: Any) -> MtpHead | Text:
    tensors = _grouped(_tensors(path))
    if not tensors:
        return _NO_TENSORS
    with torch.device("meta"):
        head = MtpHead(model)
    wanted = {name: parameter.shape for name, parameter in head.state_dict().items()}
    found = {name: tensor.shape for name, tensor in tensors.items()}
    # A tensor that has no place, such as the scales of a quantized weight, would make the others mean something else.
    odd = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if odd:
        named = ", ".join(_PREFIX + name for name in odd[:3])
        return Text(
            f"這個檢查點的 MTP 頭不是這裡認得的樣子：{named} 等 {len(odd)} 個張量缺少、多出或形狀不同。",
            f"This checkpoint's MTP head is not laid out as it is known here: {len(odd)} tensors are missing, added or of "
            f"another shape, such as {named}.",
        )
    held = as_held(sum(tensor.numel() for tensor in tensors.values()), model)
    with room_for(f"{path.name}: {_PREFIX}*", held, str(model.device)):
        head.load_state_dict({name: tensor.to(model.device, model.dtype) for name, tensor in tensors.items()}, assign=True)
    head.requires_grad_(False).eval()
    return head


def _tensors(folder: Path) -> dict[str, Tensor]:
    """The `mtp.*` tensors of the folder's safetensors, by their names without the prefix."""
    found: dict[str, Tensor] = {}
    for name in weight_files(folder):
        with safe_open(folder / name, framework="pt") as file:
            names = [key for key in file.keys() if key.startswith(_PREFIX)]  # noqa: SIM118 -- it has keys and is no dict
            found.update({name.removeprefix(_PREFIX): file.get_tensor(name) for name in names})
    return found


def _grouped(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors, with experts that are stored one by one put together as transformers' layers hold them."""
    grouped = dict(tensors)
    numbers: dict[str, set[str]] = {}
    for match in filter(None, map(_EXPERT.fullmatch, tensors)):
        numbers.setdefault(match[1], set()).add(match[2])
    for experts, of in numbers.items():
        names = [[f"{experts}.{number}.{kind}_proj.weight" for number in range(len(of))] for kind in ("gate", "up", "down")]
        if all(name in tensors for each in names for name in each):
            gate, up, down = (torch.stack([grouped.pop(name) for name in each]) for each in names)
            grouped |= {f"{experts}.gate_up_proj": torch.cat([gate, up], dim=1), f"{experts}.down_proj": down}
    return grouped


class MtpConversation:
    """What the head has read of a conversation: its keys and values, kept from one turn to the next.

    It stands for ids, not for turns: of a text that departs from what was read, what is common is kept and the rest read anew.
    """

    def __init__(self, head: MtpHead) -> None:
        self._head = head
        self.clear()

    def clear(self) -> None:
        """Forgets everything that was read."""
        self._ids: list[int] = []
        self._cache = self._head.new_cache()

    def guess(self, ids: Sequence[int], hidden: Tensor, n: int) -> list[int]:
        """The `n` (at least 1) tokens that the head takes to come behind `ids` (at least 2). `hidden` is the model's state at all
        of them but the last, after its final norm, shape [ids - 1, hidden_size]. If it fails, everything is forgotten."""
        try:
            given = self._catch_up(ids, hidden)
            guesses = [self._head.logits(given).argmax(-1)]
            for _ in range(n - 1):
                given = self._head(guesses[-1], given, self._cache)
                guesses.append(self._head.logits(given).argmax(-1))
        except BaseException:
            self.clear()
            raise
        guessed: list[int] = torch.cat(guesses).tolist()
        return guessed

    def _catch_up(self, ids: Sequence[int], hidden: Tensor) -> Tensor:
        """Reads what of `ids` was not read; what the head gives at the last place, shape [1, hidden_size]."""
        n_places = len(ids) - 1
        kept = max(0, min(n_common(self._ids, ids) - 1, n_places - 1))  # A place reads the token behind it too.
        # Places of guesses go too: they rest on the head's own states, and the model has its own once it has read the tokens.
        surplus = self._cache.get_seq_length() - kept
        if surplus:
            self._cache.crop(-surplus)
        tokens = torch.tensor(ids[kept + 1 :], device=hidden.device)
        for start in range(kept, n_places, _CHUNK):
            end = min(start + _CHUNK, n_places)
            given = self._head(tokens[start - kept : end - kept], hidden[start:end], self._cache)
        self._ids = list(ids)
        return given[-1:]


class MtpDrafter:
    """Guesses of one turn. Implements `backends.drafting.Drafter`.

    `cache` is the one that the model reads the conversation into; it must keep the hidden states of every id.
    """

    def __init__(self, conversation: MtpConversation, cache: ConversationCache) -> None:
        self._conversation = conversation
        self._cache = cache
        self._ids: list[int] = []

    def take(self, ids: Sequence[int]) -> None:
        self._ids.extend(ids)

    def guess(self, at_most: int) -> list[int]:
        n = min(at_most, AHEAD)
        return self._conversation.guess(self._ids, self._cache.hidden, n) if n > 0 else []
