"""The tiny Gemma 4 and its assistant, which guesses several tokens from one place.

The assistant is `gemma4_assistant` of transformers, taught as its SinglePositionMultiTokenCandidateGenerator runs it: from the
embedding of the last token and the model's hidden state of the token before it (after the final norm), at the position of the
last token, attending to the keys and values of the model's own last layers. To guess further, the last guess and the
assistant's own output take their places; position, keys and values stay.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import (
    DynamicCache,
    Gemma4AssistantConfig,
    Gemma4AssistantForCausalLM,
    Gemma4ForCausalLM,
    Gemma4TextConfig,
    GenerationConfig,
)

from teaching.tiny.examples import Batch

CHAIN = 4
"""How many guesses in a row the assistant is taught, and makes."""
WINDOW = 128
_SHAPE = {
    "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 64,
    "global_head_dim": 128, "sliding_window": WINDOW, "max_position_embeddings": 4096, "initializer_range": 0.1,
}
_SLIDING, _FULL = "sliding_attention", "full_attention"


def config(rows: int) -> Gemma4TextConfig:
    """What E2B has, in small: layers with a short view and with a full one, the last of which share the keys of earlier ones and
    are twice as wide, and a table of embeddings for each layer."""
    return Gemma4TextConfig(
        vocab_size=rows,
        num_hidden_layers=5,
        layer_types=[_SLIDING, _SLIDING, _FULL, _SLIDING, _FULL],
        num_kv_shared_layers=2,
        use_double_wide_mlp=True,
        vocab_size_per_layer_input=rows,
        hidden_size_per_layer_input=16,
        final_logit_softcapping=30.0,
        **_SHAPE,
    )


def model(settings: Gemma4TextConfig) -> Gemma4ForCausalLM:
    """The untaught model."""
    return Gemma4ForCausalLM(settings)


def assistant(settings: Gemma4TextConfig) -> Gemma4AssistantForCausalLM:
    """The untaught assistant of a model with these settings."""
    text = Gemma4TextConfig(
        vocab_size=settings.vocab_size,
        num_hidden_layers=2,
        layer_types=[_SLIDING, _FULL],
        num_kv_shared_layers=2,
        vocab_size_per_layer_input=0,
        hidden_size_per_layer_input=0,
        **_SHAPE,
    )
    return Gemma4AssistantForCausalLM(Gemma4AssistantConfig(text_config=text, backbone_hidden_size=settings.hidden_size))


Shared = dict[str, tuple[Tensor, Tensor]]


def hidden_states(made: Gemma4ForCausalLM, batch: Batch) -> tuple[Tensor, Shared]:
    """The model's hidden states after its final norm, of what comes behind the prefix, [examples, tokens, hidden]; and the keys
    and values that an assistant attends to. The prefix is read without gradient."""
    cache = DynamicCache(config=made.config)
    with torch.no_grad():
        made.model(input_ids=batch.prefix[None], cache=cache, use_cache=True)
    cache.reorder_cache(torch.zeros(len(batch.ids), dtype=torch.long))
    read = made.model(input_ids=batch.ids, cache=cache, use_cache=True, return_shared_kv_states=True)
    return read.last_hidden_state, dict(read.shared_kv_states)


def logits(made: Gemma4ForCausalLM, hidden: Tensor) -> Tensor:
    """What the model makes of hidden states, with its soft cap."""
    cap = made.config.final_logit_softcapping
    capped: Tensor = torch.tanh(made.lm_head(hidden) / cap) * cap
    return capped


def loss(made: Gemma4ForCausalLM, batch: Batch) -> Tensor:
    """How badly the model writes the turns, in nats a token."""
    wanted = batch.turn[:, 1:] > 0
    hidden = hidden_states(made, batch)[0][:, :-1]
    return cross_entropy(logits(made, hidden[wanted]), batch.ids[:, 1:][wanted])


def guesses(
    made: Gemma4ForCausalLM, helper: Gemma4AssistantForCausalLM, batch: Batch, hidden: Tensor, shared: Shared,
) -> list[tuple[Tensor, Tensor]]:
    """For each guess in a row: its logits and the ids that were right, over the places where a turn has such a token.

    `hidden` and `shared` are what `hidden_states` gives.
    """
    n, n_before = batch.ids.shape[1], len(batch.prefix)
    places = torch.arange(n_before + 1, n_before + n).view(1, -1)
    masks = {kind: _mask(kind, n - 1, n_before + n, keys.shape[2]) for kind, (keys, _) in shared.items()}
    state, found = hidden[:, :-1], []
    for ahead in range(CHAIN):
        # The last places have no token so far ahead: anything may stand there, nothing is asked of them.
        embedded = made.model.embed_tokens(batch.ids.roll(-1 - ahead, dims=1)[:, :-1])
        read = helper.model(
            inputs_embeds=helper.pre_projection(torch.cat([embedded, state], dim=-1)),
            attention_mask=masks,
            position_ids=places,
            shared_kv_states=shared,
            use_cache=False,
            output_hidden_states=True,  # Without it transformers 5.24 cuts embeddings for each layer, which there are none of.
        ).last_hidden_state
        state = helper.post_projection(read)
        wanted = batch.written(ahead + 1)[:, 1:]
        found.append((helper.lm_head(read[:, : wanted.shape[1]][wanted]), batch.ids[:, ahead + 2 :][wanted]))
    return found


def _mask(kind: str, n: int, n_read: int, n_keys: int) -> Tensor:
    """What each of the first `n` places behind the prefix adds to its attention to the last `n_keys` of `n_read` places: it sees
    those up to its own, in a sliding layer the nearest of them only. [1, 1, n, n_keys]."""
    own = torch.arange(n_read - n - 1, n_read - 1)[:, None]
    other = torch.arange(n_read - n_keys, n_read)[None, :]
    seen = other <= own
    if kind == _SLIDING:
        seen &= other > own - WINDOW
    return torch.zeros(n, n_keys).masked_fill(~seen, -math.inf)[None, None]


def generation(eos: list[int], pad: int) -> GenerationConfig:
    """What ends a turn, and the sampling that Gemma 4's checkpoints recommend."""
    return GenerationConfig(
        bos_token_id=2, eos_token_id=eos, pad_token_id=pad, do_sample=True, temperature=1.0, top_p=0.95, top_k=64,
    )


def drafting() -> GenerationConfig:
    """How the assistant is to guess."""
    return GenerationConfig(num_assistant_tokens=CHAIN, num_assistant_tokens_schedule="constant")
