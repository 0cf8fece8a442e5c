"""MiniMax M2: calls as `<invoke name="…">` with a `<parameter name="…">` for each argument, several between one pair of tags.

The template writes text as it is and everything else as JSON, with no line breaks around a value.
"""

from __future__ import annotations

import re
from functools import partial

from families.base import Family, Text, TokenGroup
from families.chatml import FILE_NOTES, THINKING, TURN_OVER
from families.tagged_calls import parse_turn
from families.tags import TagFormat, opening_tag
from families.turns import END_THINK, THINK

CALL, END_CALL = "<minimax:tool_call>", "</minimax:tool_call>"

STOP_TOKENS = {"[e~[": TURN_OVER}

FORMAT = TagFormat(
    call=CALL,
    end_call=END_CALL,
    function=opening_tag("invoke", "function"),
    exact_function=re.compile(r'<invoke name="[^<>"\s]+">'),
    end_function="</invoke>",
    parameter=opening_tag("parameter", "parameter"),
    exact_parameter=re.compile(r'<parameter name="[^<>"\n]+">'),
    end_parameter="</parameter>",
    stops=tuple(STOP_TOKENS),
    layout=False,
    several=True,
)

parse = partial(parse_turn, FORMAT)


_TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text("標出誰在說話，以及話說到哪裡為止。", "Who is speaking, and where that ends."),
    {
        "]~!b[": Text("整段提示的開頭。", "The beginning of the prompt."),
        "]~b]": Text(
            "一則訊息從這裡開始，後面接著角色：system、user、ai 或 tool。",
            "A message begins; its role follows: system, user, ai or tool.",
        ),
        "[e~[": Text(
            "一則訊息到此結束。模型寫出它，就表示這一輪說完了。",
            "The message ends. When the model writes it, its turn is over.",
        ),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "框住一輪裡全部的工具呼叫；每個呼叫是一個 <invoke>，那是普通文字，不是控制 token。",
        "Frames all tool calls of a turn; each one is an <invoke>, which is ordinary text, no control token.",
    ),
    {
        CALL: Text("工具呼叫從這裡開始，後面應該是 <invoke>。", "Tool calls begin; an <invoke> should follow."),
        END_CALL: Text("工具呼叫都寫完了，可以執行。", "The tool calls are complete and can be run."),
    },
)

MINIMAX_M2 = Family(
    key="minimax_m2",
    name="MiniMax M2",
    model_types=frozenset({"minimax_m2"}),
    required_tokens=("]~b]", "[e~[", THINK, END_THINK, CALL, END_CALL),
    parse=parse,
    channels={THINK: "thought", END_THINK: "content", CALL: "tool_call", END_CALL: "content", "[e~[": "control"},
    thinking_openers=("<think>", "<think>\n"),
    stop_tokens=STOP_TOKENS,
    thinking_field="reasoning_content",
    # The template has no switch: every prompt ends with an open <think>.
    thinking_argument=None,
    keeps_text_before_call=True,
    user_turn_start="]~b]user\n",
    token_groups=(_TURNS, THINKING, _CALLS),
    thinking_note=Text(
        "MiniMax M2 的模板沒有開關：提示一律停在 <think> 之後，模型每一輪都先思考。",
        "The template of MiniMax M2 has no switch: every prompt ends after <think>, and the model thinks in every turn.",
    ),
    tools_note=Text(
        "工具寫在系統訊息最後的「# Tools」一節：<tools> 與 </tools> 之間，每行是一個包在 <tool> 裡的 JSON Schema，接著說明"
        "呼叫要怎麼寫。工具的結果放在角色 tool 的訊息裡，夾在 <response> 與 </response> 之間。",
        "Tools stand at the end of the system message, under “# Tools”: one JSON Schema a line, each inside <tool>, between "
        "<tools> and </tools>, then how a call is to be written. A tool's result comes back in a message of the role tool, "
        "between <response> and </response>.",
    ),
    # The MiniMax-M2.5 model card: "temperature=1.0, top_p = 0.95, top_k = 40".
    sampling={"temperature": 1.0, "top_p": 0.95, "top_k": 40},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(END_CALL,),
)
