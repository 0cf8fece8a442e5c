"""GLM-4.5 and later: calls as the tool's name, then an `<arg_key>` and an `<arg_value>` for each argument.

GLM-4.5 and 4.6 put each tag on a line of its own, GLM-4.7 and 5 write no line breaks; what stands between the tags of a
value is the value, to the character. The template of GLM-4.6 writes text as it is and everything else as JSON.
"""

from __future__ import annotations

import re
from functools import partial

from families.base import Family, Text, TokenGroup
from families.chatml import DOCUMENT_OVER, FILE_NOTES, RESPONSES, THINKING
from families.tagged_calls import parse_turn
from families.tags import TagFormat
from families.turns import END_THINK, THINK

CALL, END_CALL = "<tool_call>", "</tool_call>"

STOP_TOKENS = {
    "<|user|>": Text(
        "模型說完了，輪到使用者。GLM 的一輪沒有自己的結束標記，下一輪的開頭就是結束。",
        "The model has finished and the user is next. A turn of GLM has no end of its own: the next one's beginning ends it.",
    ),
    "<|observation|>": Text(
        "模型呼叫了工具，停下來等結果。",
        "The model has called tools and stops to wait for their results.",
    ),
    "<|endoftext|>": DOCUMENT_OVER,
}

FORMAT = TagFormat(
    call=CALL,
    end_call="",
    function=rf"""{CALL}\s*+(?P<function_name>[^\s<>{{}}\[\]()"'`]{{1,200}})""",
    exact_function=re.compile(rf"{CALL}\S+"),
    end_function=END_CALL,
    parameter=r"<arg_key>\s{0,4}(?P<parameter_name>[^<>\n]{1,200}?)\s{0,4}(?:</arg_key>)?\s{0,4}<arg_value>",
    exact_parameter=re.compile(r"<arg_key>[^<>]+</arg_key>\s*<arg_value>"),
    end_parameter="</arg_value>",
    stops=tuple(STOP_TOKENS),
    layout=False,
)

parse = partial(parse_turn, FORMAT)


_TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text("標出接下來是誰在說話；前一輪也就到此為止。", "Who speaks next; the turn before ends there as well."),
    {
        "[gMASK]": Text("整段提示的開頭，每份提示都有。", "Stands at the beginning of every prompt."),
        "<sop>": Text("緊接在 [gMASK] 後面，內容從這裡開始。", "Follows [gMASK]; the contents begin here."),
        "<|system|>": Text("系統訊息從這裡開始。", "The system message begins."),
        "<|user|>": Text("使用者的訊息從這裡開始。", "A message of the user begins."),
        "<|assistant|>": Text("模型的訊息從這裡開始。", "A message of the model begins."),
        "<|observation|>": Text("工具的結果從這裡開始。", "The results of tools begin."),
        "<|endoftext|>": Text("整份文件到此結束；也用來補齊長度。", "The whole document ends; it also serves as padding."),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text("框住一個工具呼叫，以及它的每個引數。", "Frames one tool call, and each of its arguments."),
    {
        CALL: Text("工具呼叫從這裡開始，後面緊接著工具名稱。", "A tool call begins; the tool's name follows at once."),
        END_CALL: Text("這個工具呼叫寫完了，可以執行。", "The tool call is complete and can be run."),
        "<arg_key>": Text("引數的名稱從這裡開始。", "The name of an argument begins."),
        "</arg_key>": Text("引數的名稱到此結束。", "The name of the argument ends."),
        "<arg_value>": Text("引數的值從這裡開始，照原樣寫，不加引號。", "The value begins, as it is, without quotes."),
        "</arg_value>": Text("引數的值到此結束。", "The value ends."),
    },
)

_SWITCH = TokenGroup(
    Text("開關", "Switch"),
    Text("寫在使用者訊息裡的指示。", "An instruction inside a message of the user."),
    {
        "/nothink": Text(
            "接在使用者訊息後面，請模型這一輪不要思考。",
            "After a message of the user: asks the model not to think in this turn.",
        ),
    },
)

GLM4_5 = Family(
    key="glm4_5",
    name="GLM-4.5",
    model_types=frozenset({"glm4_moe", "glm4_moe_lite", "glm_moe_dsa"}),
    required_tokens=("<|user|>", "<|assistant|>", "<|observation|>", THINK, END_THINK, CALL, "<arg_key>", "<arg_value>"),
    parse=parse,
    channels={
        THINK: "thought",
        END_THINK: "content",
        CALL: "tool_call",
        END_CALL: "content",
        "<|user|>": "control",
        "<|observation|>": "control",
        "<|endoftext|>": "control",
    },
    thinking_openers=(THINK,),
    stop_tokens=STOP_TOKENS,
    thinking_field="reasoning_content",
    thinking_argument="enable_thinking",
    keeps_text_before_call=True,
    user_turn_start="<|user|>\n",
    token_groups=(_TURNS, THINKING, _CALLS, RESPONSES, _SWITCH),
    thinking_note=Text(
        "開啟時，GLM-4.5 與 4.6 的提示停在 <|assistant|>，由模型自己寫 <think> 開始思考。關閉時，這兩代的模板在使用者訊息後面"
        "加上 /nothink，並替模型寫好一段空的思考。GLM-4.7 的提示開啟時停在 <think> 之後，關閉時停在 </think> 之後。",
        "On: the prompts of GLM-4.5 and 4.6 end after <|assistant|>, and the model writes <think> itself. Off: the templates of "
        "these two add /nothink to the user's message and write an empty thinking block for the model. Prompts of GLM-4.7 end "
        "after <think> when it is on, and after </think> when it is off.",
    ),
    tools_note=Text(
        "工具寫在自己的一則系統訊息裡，在「# Tools」之下：<tools> 與 </tools> 之間，每行是一個工具的 JSON Schema，接著說明"
        "呼叫要怎麼寫。你的系統訊息另外一則，排在後面。工具的結果放在 <|observation|> 之後，夾在 <tool_response> 與 "
        "</tool_response> 之間。",
        "Tools stand in a system message of their own, under “# Tools”: one JSON Schema a line between <tools> and </tools>, "
        "then how a call is to be written; your own system message follows as another one. A tool's result comes after "
        "<|observation|>, between <tool_response> and </tool_response>.",
    ),
    # The model card of GLM-4.7: "For general evaluations, we recommend using a sampling temperature of 1.0"; the
    # generation_config.json of GLM-4.6 and 4.7 names temperature 1.0 and nothing else.
    sampling={"temperature": 1.0, "top_p": 1.0, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(END_CALL,),
)
