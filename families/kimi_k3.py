"""Kimi K3: elements between control tokens, `<|open|>NAME attributes<|sep|>` and `<|close|>NAME<|sep|>`.

    <|open|>think<|sep|>…<|close|>think<|sep|><|open|>response<|sep|>…<|close|>response<|sep|>
    <|open|>tools<|sep|><|open|>call tool="NAME" index="1"<|sep|>
    <|open|>argument key="KEY" type="string"<|sep|>VALUE<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>

(in one line); `<|open|>json type="object"<|sep|>{…}<|close|>json<|sep|>` may stand in place of the arguments. `type` says whether
a value is text as it stands or JSON; in an attribute, & and " are written &amp; and &quot;.
The format is the one of the encoder that Moonshot AI ships with the model in place of a chat template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from families.base import Call, Family, Text, TokenGroup, Turn
from families.chatml import FILE_NOTES, TURN_OVER
from families.tagged_calls import parse_turn
from families.tags import TagFormat
from families.turns import END_THINK, THINK

OPEN, CLOSE, SEP, END = "<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"


def _opened(name: str) -> str:
    return f"{OPEN}{name}{SEP}"


def _closed(name: str) -> str:
    return f"{CLOSE}{name}{SEP}"


MESSAGE = _opened('message role="assistant"')
_ATTRIBUTE = '[^"\\n]{1,200}'
_CALL = rf'{re.escape(OPEN)}call tool="(?P<function_name>{_ATTRIBUTE})"(?: index="\d{{1,9}}")?{re.escape(SEP)}'
_ARGUMENT = (
    rf'{re.escape(OPEN)}argument key="(?P<parameter_name>{_ATTRIBUTE})" type="(?P<parameter_mark>\w{{1,20}})"{re.escape(SEP)}'
)
_END_THINK = rf"{re.escape(_closed('think'))}(?:{re.escape(_opened('response'))})?|{re.escape(_opened('response'))}"

FORMAT = TagFormat(
    call=_opened("tools"),
    end_call=_closed("tools"),
    function=_CALL,
    exact_function=re.compile(re.escape(OPEN) + r'call tool="[^"]+" index="\d+"' + re.escape(SEP)),
    end_function=_closed("call"),
    parameter=_ARGUMENT,
    exact_parameter=re.compile(re.escape(OPEN) + "argument .+" + re.escape(SEP)),
    end_parameter=_closed("argument"),
    stops=(END, _closed("message"), _closed("response"), MESSAGE),
    layout=False,
    several=True,
    text_mark="string",
    whole=(_opened('json type="object"'), _closed("json")),
    partial=re.compile(r"<(?:\|(?:open|close)\|>[^<>\n]{0,200}(?:<(?:\|[a-z]{0,3}\|?)?)?|[^<>\n]{0,20})\Z"),
    # The answer begins where its element does, even where the element of the thinking was not closed.
    thinking=rf"(?P<think>{re.escape(_opened('think'))})|(?P<end_think>{_END_THINK})",
)


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of Kimi K3; see `families.base.Family` for what the arguments are."""
    # The walk over a turn knows how a prompt ends by the usual markers of the thinking.
    known = {_opened("think"): THINK, _opened("response"): END_THINK}
    ending = next((mark for end, mark in known.items() if prefix.endswith(end)), "")
    turn = parse_turn(FORMAT, raw, tools, ending)
    return replace(turn, calls=tuple(_unescaped(call) for call in turn.calls))


def _unescaped(call: Call) -> Call:
    """The call with its names as they are meant."""
    arguments = call.arguments and {_plain(key): value for key, value in call.arguments.items()}
    return replace(call, name=_plain(call.name), arguments=arguments)


def _plain(attribute: str) -> str:
    return attribute.replace("&quot;", '"').replace("&amp;", "&")


_ELEMENTS = TokenGroup(
    Text("元素", "Elements"),
    Text(
        "每個元素都由控制 token 圍起來：開頭、名稱與屬性、再到內容。名稱是普通文字，所以一個標記由好幾個 token 組成。",
        "Control tokens frame each element: where it opens, its name and attributes, then what is in it. The names are ordinary "
        "text, so that a tag is several tokens.",
    ),
    {
        OPEN: Text("一個元素從這裡開始，後面是名稱與屬性。", "An element begins; its name and attributes follow."),
        CLOSE: Text("一個元素到此結束，後面是名稱。", "An element ends; its name follows."),
        SEP: Text("名稱與屬性寫完了。", "The name and the attributes are over."),
        END: Text(
            "一則訊息到此結束。模型寫出它，就表示這一輪說完了。", "The message ends. When the model writes it, its turn is over."
        ),
        MESSAGE: Text("模型的訊息從這裡開始。", "The model's message begins."),
        _closed("message"): Text("訊息的內容寫完了。", "What the message holds is complete."),
    },
)

_PARTS = TokenGroup(
    Text("思考、回答與呼叫", "Thinking, answer and calls"),
    Text(
        "模型的訊息依序是思考、回答，需要工具時再加上呼叫。",
        "The model's message is its thinking, then its answer, and calls where it needs tools, in this order.",
    ),
    {
        _opened("think"): Text("思考從這裡開始。", "Thinking begins."),
        _closed("think"): Text("思考到此為止。", "Thinking ends."),
        _opened("response"): Text("回答從這裡開始。", "The answer begins."),
        _closed("response"): Text("回答到此結束。", "The answer ends."),
        _opened("tools"): Text("工具呼叫從這裡開始。", "Tool calls begin."),
        _closed("tools"): Text("工具呼叫都寫完了，可以執行。", "The tool calls are complete and can be run."),
    },
)

KIMI_K3 = Family(
    key="kimi_k3",
    name="Kimi K3",
    model_types=frozenset({"kimi_k3"}),
    required_tokens=(OPEN, CLOSE, SEP, END),
    parse=parse,
    channels={
        _opened("think"): "thought",
        _closed("think"): "content",
        _opened("response"): "content",
        _closed("response"): "control",
        _opened("tools"): "tool_call",
        _closed("tools"): "content",
        _closed("message"): "control",
        MESSAGE: "control",
        END: "control",
    },
    thinking_openers=(_opened("think"),),
    stop_tokens={END: TURN_OVER},
    thinking_field="reasoning_content",
    thinking_argument="thinking",
    keeps_text_before_call=True,
    user_turn_start=_opened('message role="user"'),
    token_groups=(_ELEMENTS, _PARTS),
    thinking_note=Text(
        "開啟時，提示停在 think 元素裡，模型一開口就在思考；關閉時，提示停在 response 元素裡，模型直接作答。",
        "On: the prompt ends inside the think element, so that the model's first word is thinking. Off: it ends inside the "
        "response element, and the model answers straight away.",
    ),
    tools_note=Text(
        "模型沒有附對話模板，而是附一支 Python 程式來寫提示。要用它，檢查點得另有模板，或由替它寫提示的伺服器來跑。",
        "The model comes without a chat template: a Python program writes its prompts instead. It needs a checkpoint to which a "
        "template was added, or a server that writes the prompt for it.",
    ),
    # No recommendation for it was found: nothing is cut or sharpened.
    sampling={"temperature": 1.0, "top_p": 1.0, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(_closed("tools"),),
)
