"""DeepSeek V3.2 and V4: calls in DSML, tags with an `invoke` for each call and a `parameter` for each argument.

    <｜DSML｜function_calls>
    <｜DSML｜invoke name="NAME">
    <｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜function_calls>

`string` says whether a value is text as it stands or JSON. V4 calls the outer tag `tool_calls`; V4.1 calls it `calls` and writes
a space before the name of every tag. The format is the one of the encoders that DeepSeek ships with these models in place of
a chat template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from families.base import Channel, Text, TokenGroup, Turn
from families.chatml import THINKING
from families.deepseek import ASSISTANT, BEGIN, DEEPSEEK_V3_1, STOP_TOKENS, TURNS, USER
from families.deepseek_parser import END
from families.tagged_calls import parse_turn
from families.tags import TagFormat
from families.turns import END_THINK, THINK

DSML = "｜DSML｜"


def _format(calls: str, space: str = "") -> TagFormat:
    """The tags where the outer one is called `calls` and `space` stands before every name."""
    tag = f"{DSML}{space}"
    return TagFormat(
        call=f"<{tag}{calls}>",
        end_call=f"</{tag}{calls}>",
        function=rf'<{tag}invoke name="(?P<function_name>[^"<>\n]{{1,200}})" ?(?P<function_mark>/?)>',
        exact_function=re.compile(rf'<{tag}invoke name="[^"]+">'),
        end_function=f"</{tag}invoke>",
        parameter=rf'<{tag}parameter name="(?P<parameter_name>[^"\n]{{1,200}})" string="(?P<parameter_mark>true|false)">',
        exact_parameter=re.compile(rf"<{tag}parameter [^\n]+>"),
        end_parameter=f"</{tag}parameter>",
        stops=(END,),
        layout=False,
        several=True,
        text_mark="true",
    )


V3_2, V4, V4_1 = _format("function_calls"), _format("tool_calls"), _format("calls", " ")
FORMATS = (V3_2, V4, V4_1)


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of DeepSeek V3.2 or V4; see `families.base.Family` for what the arguments are."""
    form = V4_1 if f"<{DSML} " in raw else V3_2 if V3_2.call in raw else V4
    return parse_turn(form, raw, tools, prefix)


_TURNS = TokenGroup(
    TURNS.name,
    TURNS.purpose,
    {
        BEGIN: Text("整段提示的開頭。", "The beginning of the prompt."),
        USER: Text(
            "使用者的話從這裡開始；V4 起，工具的結果也用它。", "The user's words begin; from V4 on, tool results use it too."
        ),
        ASSISTANT: TURNS.tokens[ASSISTANT],
        END: TURNS.tokens[END],
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "只有中間的「｜DSML｜」是一個控制 token，前後的角括號與名稱是普通文字，所以一個標記由好幾個 token 組成。",
        "Only the ｜DSML｜ inside is a control token; brackets and names around it are ordinary text: a tag is several tokens.",
    ),
    {
        DSML: Text("後面是標記的名稱。", "The name of a tag follows."),
        V3_2.call: Text("V3.2：工具呼叫從這裡開始。", "V3.2: tool calls begin."),
        V3_2.end_call: Text("V3.2：工具呼叫都寫完了，可以執行。", "V3.2: the tool calls are complete and can be run."),
        V4.call: Text("V4：工具呼叫從這裡開始。", "V4: tool calls begin."),
        V4.end_call: Text("V4：工具呼叫都寫完了，可以執行。", "V4: the tool calls are complete and can be run."),
        V4_1.call: Text("V4.1：工具呼叫從這裡開始。", "V4.1: tool calls begin."),
        V4_1.end_call: Text("V4.1：工具呼叫都寫完了，可以執行。", "V4.1: the tool calls are complete and can be run."),
    },
)

_CHANNELS: dict[str, Channel] = {
    THINK: "thought",
    END_THINK: "content",
    END: "control",
    **{form.call: "tool_call" for form in FORMATS},
    **{form.end_call: "content" for form in FORMATS},
}

DEEPSEEK_V3_2 = replace(
    DEEPSEEK_V3_1,
    key="deepseek_v3_2",
    name="DeepSeek V3.2 and V4",
    model_types=frozenset({"deepseek_v32", "deepseek_v4"}),
    required_tokens=(USER, ASSISTANT, END),
    parse=parse,
    channels=_CHANNELS,
    thinking_openers=(THINK,),
    # Unlike V3.1, these models keep their thinking from call to call.
    thinking_field="reasoning_content",
    stop_tokens={END: STOP_TOKENS[END]},
    token_groups=(_TURNS, THINKING, _CALLS),
    thinking_note=Text(
        "提示的結尾決定要不要思考：停在 <think> 之後就思考，停在 </think> 之後就直接作答。思考時也能呼叫工具。",
        "How the prompt ends decides: after <think> the model thinks, after </think> it answers at once. Tools can be called in "
        "both modes.",
    ),
    tools_note=Text(
        "這些模型沒有附對話模板，而是附一支 Python 程式來寫提示。要用它們，檢查點得另有模板，或由替它們寫提示的伺服器來跑。",
        "These models come without a chat template: a Python program writes their prompts instead. They need a checkpoint to "
        "which a template was added, or a server that writes the prompt for them.",
    ),
    call_closers=tuple(form.end_call for form in FORMATS),
    string_marks=(),
)
