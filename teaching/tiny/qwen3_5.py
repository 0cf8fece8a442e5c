"""The tiny Qwen3.5 and its MTP head, which guesses the token after next.

The head is that of Qwen3.5's checkpoints, as vLLM's qwen3_5_mtp.py and SGLang's run it: for place i the embedding of token
i + 1 and the model's hidden state of place i (after the final norm), each through a norm of its own, are joined in this order
and projected, pass one full-attention layer and a norm, and the model's output layer reads token i + 2 off. To guess
further, the head's own output takes the place of the hidden state.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import DynamicCache, GenerationConfig, Qwen3_5ForCausalLM, Qwen3_5TextConfig
from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5DecoderLayer, Qwen3_5RMSNorm

from teaching.tiny.examples import Batch

CHAIN = 4
"""How many guesses in a row the head is taught."""
_DECAY = 0.03
"""How fast a linear layer forgets at first; transformers' own start forgets nearly all from one token to the next."""


def config(rows: int) -> Qwen3_5TextConfig:
    """Three linear layers to one with full attention, as in every Qwen3.5; head sizes that vLLM takes."""
    return Qwen3_5TextConfig(
        vocab_size=rows,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=4,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=64,
        linear_num_key_heads=1,
        linear_num_value_heads=1,
        linear_key_head_dim=128,
        linear_value_head_dim=128,
        max_position_embeddings=4096,
        initializer_range=0.1,
        tie_word_embeddings=True,
        rope_parameters={
            "rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25, "mrope_section": [3, 3, 2],
            "mrope_interleaved": True,
        },
        full_attention_interval=4,
        attn_output_gate=True,
        mamba_ssm_dtype="float32",
        mtp_num_hidden_layers=1,
        mtp_use_dedicated_embeddings=False,
    )


def model(settings: Qwen3_5TextConfig) -> Qwen3_5ForCausalLM:
    """The untaught model."""
    made = Qwen3_5ForCausalLM(settings)
    for layer in made.model.layers:
        if layer.block_type == "linear_attention":
            layer.linear_attn.A_log.data.fill_(math.log(_DECAY))
    return made


class MtpHead(nn.Module):
    """The head's parameters, named as in the checkpoints behind `mtp.`."""

    def __init__(self, settings: Qwen3_5TextConfig) -> None:
        super().__init__()
        size, eps = settings.hidden_size, settings.rms_norm_eps
        one = copy.deepcopy(settings)
        one.num_hidden_layers, one.layer_types, one._attn_implementation = 1, ["full_attention"], "sdpa"
        self.fc = nn.Linear(2 * size, size, bias=False)
        self.pre_fc_norm_embedding = Qwen3_5RMSNorm(size, eps)
        self.pre_fc_norm_hidden = Qwen3_5RMSNorm(size, eps)
        self.layers = nn.ModuleList([Qwen3_5DecoderLayer(one, 0)])
        self.norm = Qwen3_5RMSNorm(size, eps)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=settings.initializer_range)

    def forward(
        self, embedded: Tensor, hidden: Tensor, rotary: tuple[Tensor, Tensor], mask: Tensor, cache: DynamicCache,
    ) -> Tensor:
        """What stands for the guesses, [examples, places, hidden], from the embeddings of the tokens before them and the hidden
        states of the places before those; `mask` is added to the attention, [1, 1, places, places read so far]."""
        joined = torch.cat([self.pre_fc_norm_embedding(embedded), self.pre_fc_norm_hidden(hidden)], dim=-1)
        read = self.layers[0](self.fc(joined), position_embeddings=rotary, attention_mask=mask, cache=cache)
        return self.norm(read)


class _Continued(DynamicCache):
    """A cache of one prefix from which the states of a whole batch begin.

    Recurrent states stay as they were at the prefix's end once `fixed`: what stands behind a batch is never read, and the
    gradient needs them unchanged.
    """

    fixed = False

    def update_recurrent_state(self, recurrent_states: Tensor, layer_idx: int, **rest: Any) -> Tensor:
        return recurrent_states if self.fixed else super().update_recurrent_state(recurrent_states, layer_idx, **rest)


def hidden_states(made: Qwen3_5ForCausalLM, batch: Batch) -> tuple[Tensor, Tensor]:
    """The model's hidden states after its final norm: of the prefix, without gradient, [1, tokens, hidden], and of what comes
    behind it, [examples, tokens, hidden]."""
    cache = _Continued(config=made.config)
    with torch.no_grad():
        before = made.model(input_ids=batch.prefix[None], cache=cache, use_cache=True).last_hidden_state
    cache.reorder_cache(torch.zeros(len(batch.ids), dtype=torch.long))
    cache.fixed = True
    return before, made.model(input_ids=batch.ids, cache=cache, use_cache=True).last_hidden_state


def loss(made: Qwen3_5ForCausalLM, batch: Batch) -> Tensor:
    """How badly the model writes the turns, in nats a token."""
    wanted = batch.turn[:, 1:] > 0
    hidden = hidden_states(made, batch)[1][:, :-1]
    return cross_entropy(made.lm_head(hidden[wanted]), batch.ids[:, 1:][wanted])


def guesses(
    made: Qwen3_5ForCausalLM, head: MtpHead, batch: Batch, before: Tensor, hidden: Tensor,
) -> list[tuple[Tensor, Tensor]]:
    """For each guess in a row: its logits and the ids that were right, over the places where a turn has such a token.

    `before` and `hidden` are what `hidden_states` gives. As in drafting, the head attends to what it read with the model's own
    hidden states, and of its own guesses only to those in the same row.
    """
    n, n_before = batch.ids.shape[1], len(batch.prefix) - 1
    cache = DynamicCache()
    with torch.no_grad():
        causal = torch.full((n_before, n_before), -math.inf).triu(1)
        _read(made, head, batch.prefix[None, 1:], before[:, :-1], 0, causal, cache)
    cache.reorder_cache(torch.zeros(len(batch.ids), dtype=torch.long))
    state = torch.cat([before[:, -1:].expand(len(batch.ids), -1, -1), hidden[:, :-1]], dim=1)
    mask = torch.cat([torch.zeros(n, n_before), torch.full((n, n), -math.inf).triu(1)], dim=1)
    own = torch.full((n, n), -math.inf).fill_diagonal_(0.0)
    found = []
    for ahead in range(CHAIN):
        # The last places have no token so far ahead: anything may stand there, nothing is asked of them.
        state = _read(made, head, batch.ids.roll(-ahead, dims=1), state, n_before + ahead, mask, cache)
        wanted = batch.written(ahead + 1)
        found.append((made.lm_head(state[:, : wanted.shape[1]][wanted]), batch.ids[:, ahead + 1 :][wanted]))
        mask = torch.cat([mask, own], dim=1)
    return found


def _read(
    made: Qwen3_5ForCausalLM, head: MtpHead, ids: Tensor, state: Tensor, place: int, mask: Tensor, cache: DynamicCache,
) -> Tensor:
    """What the head makes of tokens and of the states before them, the first of which stands at `place`."""
    embedded = made.model.embed_tokens(ids)
    places = torch.arange(place, place + ids.shape[1]).view(1, 1, -1).expand(3, 1, -1)
    read: Tensor = head(embedded, state, made.model.rotary_emb(embedded, places), mask[None, None], cache)
    return read


def generation(eos: list[int], pad: int) -> GenerationConfig:
    """What ends a turn, and the sampling that Qwen3.5's model cards recommend."""
    return GenerationConfig(eos_token_id=eos, pad_token_id=pad, do_sample=True, temperature=1.0, top_p=0.95, top_k=20)
