"""The families that call tools in the Hermes format: Qwen2.5, Qwen3, and others whose control tokens say so.

One parser serves them all (`families/hermes_parser.py`); what differs is whether there is thinking, and the vocabulary.
The built-in model's config.json says "llama", as many models do that write nothing of the kind: its control tokens decide.
"""

from __future__ import annotations

from dataclasses import replace

from families.base import Family, Text
from families.chatml import (
    CALLS,
    CODE,
    FILE_NOTES,
    GROUNDING,
    QWEN_GROUPS,
    REPOSITORIES,
    RESPONSES,
    STOP_TOKENS,
    THINKING,
    TURNS,
    VISION,
)
from families.hermes_parser import CALL, END_CALL, parse
from families.turns import END_THINK, THINK

_TURN_TOKENS = ("<|im_start|>", "<|im_end|>")

_TOOLS_NOTE = Text(
    "工具寫在系統訊息最後的「# Tools」一節：<tools> 與 </tools> 之間，每行是一個工具的 JSON Schema，接著說明呼叫要怎麼寫。"
    "工具的結果以使用者訊息的身分送回，夾在 <tool_response> 與 </tool_response> 之間。",
    "Tools stand at the end of the system message, under “# Tools”: one JSON Schema a line between <tools> and </tools>, then "
    "how a call is to be written. A tool's result comes back in a user message, between <tool_response> and </tool_response>.",
)

HERMES = Family(
    key="hermes",
    name="Hermes",
    model_types=frozenset({"llama"}),
    required_tokens=(*_TURN_TOKENS, THINK, END_THINK, CALL, END_CALL),
    parse=parse,
    channels={
        THINK: "thought",
        END_THINK: "content",
        CALL: "tool_call",
        END_CALL: "content",
        "<|im_start|>": "control",
        "<|im_end|>": "control",
        "<|endoftext|>": "control",
    },
    thinking_openers=("<think>", "<think>\n"),
    stop_tokens=STOP_TOKENS,
    thinking_field="reasoning_content",
    thinking_argument="enable_thinking",
    keeps_text_before_call=True,
    user_turn_start="<|im_start|>user\n",
    token_groups=(TURNS, THINKING, CALLS, RESPONSES, REPOSITORIES),
    thinking_note=Text(
        "開啟時，提示停在助理訊息的開頭，由模型自己寫 <think> 開始思考。關閉時，模板替它寫好一段空的思考（<think> 馬上接 "
        "</think>），模型便直接作答。",
        "On: the prompt ends where the assistant's message begins, and the model writes <think> itself. Off: the template writes "
        "an empty thinking block for it, <think> and at once </think>, so that the model answers straight away.",
    ),
    tools_note=_TOOLS_NOTE,
    # The SmolLM3-3B model card: "We recommend setting temperature=0.6 and top_p=0.95".
    sampling={"temperature": 0.6, "top_p": 0.95, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(END_CALL,),
    string_marks=('"',),
)

QWEN3 = replace(
    HERMES,
    key="qwen3",
    name="Qwen3",
    model_types=frozenset({"qwen3", "qwen3_moe"}),
    token_groups=(TURNS, THINKING, CALLS, RESPONSES, VISION, GROUNDING, CODE),
    # The Qwen3 model cards: thinking on "Temperature=0.6, TopP=0.95, TopK=20, and MinP=0 (the default setting in
    # generation_config.json)"; with thinking off they name 0.7, 0.8 and 20.
    sampling={"temperature": 0.6, "top_p": 0.95, "top_k": 20},
)

QWEN2_5 = replace(
    HERMES,
    key="qwen2_5",
    name="Qwen2.5",
    model_types=frozenset({"qwen2", "qwen2_moe"}),
    required_tokens=(*_TURN_TOKENS, CALL, END_CALL),
    thinking_field=None,
    thinking_argument=None,
    token_groups=QWEN_GROUPS,
    channels={token: channel for token, channel in HERMES.channels.items() if token not in (THINK, END_THINK)},
    thinking_openers=(),
    thinking_note=Text(
        "Qwen2.5 不另外思考：模板裡沒有開關，開或關提示都一樣。",
        "Qwen2.5 does not think in a block of its own: its template has no switch, and the prompt is the same either way.",
    ),
    # The vLLM examples of Qwen's documentation: "temperature=0.7, top_p=0.8"; they name no top_k.
    sampling={"temperature": 0.7, "top_p": 0.8, "top_k": 0},
)
