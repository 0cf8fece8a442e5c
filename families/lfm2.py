"""LFM2 and LFM2.5 of Liquid AI: ChatML turns, calls as a Python list between markers of their own. Parser: `lfm2_parser.py`."""

from __future__ import annotations

from families.base import Family, Text, TokenGroup
from families.chatml import FILE_NOTES, RESPONSES, STOP_TOKENS, THINKING, TURNS
from families.lfm2_parser import CALL, END_CALL, parse, write_turn

_DOCUMENT = TokenGroup(
    Text("文件與補齊", "Document and padding"),
    Text(
        "標出整段提示的開頭，以及把一批文字補成一樣長。",
        "Where the whole prompt begins, and what fills a batch up to one length.",
    ),
    {
        "<|startoftext|>": Text("整段提示從這裡開始。", "The whole prompt begins."),
        "<|pad|>": Text("補齊長度用。", "Padding."),
    },
)

_TOOLS = TokenGroup(
    Text("工具清單", "List of tools"),
    Text("框住系統訊息裡的工具清單。", "Frames the list of tools in the system message."),
    {
        "<|tool_list_start|>": Text("工具清單從這裡開始，後面是 JSON。", "The list of tools begins; JSON follows."),
        "<|tool_list_end|>": Text("工具清單到此結束。", "The list of tools ends."),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "框住工具呼叫：一個 Python 清單，裡面每一項是一個帶具名引數的函式呼叫。",
        "Frames the tool calls: a Python list in which each item is a function call with named arguments.",
    ),
    {
        CALL: Text("工具呼叫從這裡開始，後面應該是方括號。", "Tool calls begin; a bracket should follow."),
        END_CALL: Text("工具呼叫寫完了，可以執行。", "The tool calls are complete and can be run."),
    },
)

_RESPONSES = TokenGroup(
    RESPONSES.name,
    RESPONSES.purpose,
    {
        "<|tool_response_start|>": RESPONSES.tokens["<tool_response>"],
        "<|tool_response_end|>": RESPONSES.tokens["</tool_response>"],
    },
)

LFM2 = Family(
    key="lfm2",
    name="LFM2",
    model_types=frozenset({"lfm2", "lfm2_moe", "lfm2_vl"}),
    required_tokens=("<|im_start|>", "<|im_end|>", CALL, END_CALL),
    parse=parse,
    channels={
        "<think>": "thought",
        "</think>": "content",
        CALL: "tool_call",
        END_CALL: "content",
        "<|im_start|>": "control",
        "<|im_end|>": "control",
        "<|endoftext|>": "control",
    },
    thinking_openers=(),
    stop_tokens=STOP_TOKENS,
    # The template of LFM2.5-8B-A1B reads message.thinking and tool_calls; the others read the content alone, from which those
    # of LFM2.5 take out earlier thinking themselves.
    thinking_field="thinking",
    thinking_marks=("<think>", "</think>"),
    write_turn=write_turn,
    thinking_argument=None,
    keeps_text_before_call=True,
    user_turn_start="<|im_start|>user\n",
    token_groups=(TURNS, _DOCUMENT, THINKING, _TOOLS, _CALLS, _RESPONSES),
    thinking_note=Text(
        "模板裡沒有思考開關，開或關提示都一樣。LFM2.5 裡會思考的模型自己寫 <think> 開始；LFM2 不思考。",
        "The template has no switch for thinking; the prompt is the same either way. Those of the LFM2.5 models that think "
        "open <think> themselves; LFM2 does not think.",
    ),
    tools_note=Text(
        "工具寫在系統訊息最後：「List of tools:」之後是一個 JSON 清單，LFM2 把它夾在 <|tool_list_start|> 與 "
        "<|tool_list_end|> 之間，LFM2.5 不夾。工具的結果放在 tool 角色的訊息裡。多數模板重寫先前的訊息時只看內容："
        "這時 Loopglass 把呼叫照模型的寫法放進內容，模型才看得到自己呼叫過什麼。",
        "Tools stand at the end of the system message: after “List of tools:” comes a JSON list, which LFM2 puts "
        "between <|tool_list_start|> and <|tool_list_end|> and LFM2.5 does not. A tool's result comes back in a message of the "
        "role tool. Of earlier messages most templates write the content alone; there Loopglass puts the calls into the content, "
        "as the model writes them, so that it sees what it called.",
    ),
    # The LFM2-1.2B-Tool model card: "We recommend using greedy decoding with a temperature=0".
    sampling={"temperature": 0.0, "top_p": 1.0, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(END_CALL,),
    string_marks=('"', "'"),
)
