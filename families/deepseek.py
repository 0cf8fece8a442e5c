"""DeepSeek: the distilled R1 models, which are Qwen2 and Llama networks that write DeepSeek's format, and V3.1.

The distilled models' config.json says "qwen2" or "llama"; their control tokens say whose format they write. The parser is
`families/deepseek_parser.py`, which reads R1's calls and V3.1's.
"""

from __future__ import annotations

import re
from dataclasses import replace

from families.base import Family, FileNote, Text, TokenGroup
from families.chatml import FILE_NOTES, RESPONSES, THINKING, TURN_OVER
from families.deepseek_parser import END, FORMAT, parse
from families.turns import END_THINK, THINK

USER, ASSISTANT, BEGIN, END_OF_TURN = "<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<|EOT|>"

TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text(
        "標出誰在說話，以及話說到哪裡為止。直線是全形的「｜」，底線是「▁」，不是鍵盤上的那兩個。",
        "Who is speaking, and where that ends. The bar is the full-width ｜, the line is ▁; neither is on a keyboard.",
    ),
    {
        BEGIN: Text("整段提示的開頭，系統提示緊接在後。", "The beginning of the prompt; the system prompt follows at once."),
        USER: Text("使用者的話從這裡開始。", "The user's words begin."),
        ASSISTANT: Text("模型的話從這裡開始。", "The model's words begin."),
        END: Text(
            "模型的話說完了。模型寫出它，就表示這一輪結束。", "The model's words end. When the model writes it, its turn is over."
        ),
        END_OF_TURN: Text(
            "詞彙表裡另一個結束 token，對話模板不用。", "Another end token of the vocabulary; the chat template does not use it."
        ),
        "<｜▁pad▁｜>": Text("補齊長度用。", "Padding."),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "一輪的呼叫合成一段，每個呼叫又有自己的開頭與結尾，中間用分隔 token 隔開名稱與引數。",
        "The calls of a turn form one section; each has a beginning and an end of its own and a separator before its arguments.",
    ),
    {
        FORMAT.section: Text("工具呼叫的段落開始。", "The section of tool calls begins."),
        FORMAT.end_section: Text("工具呼叫都寫完了，可以執行。", "The tool calls are complete and can be run."),
        FORMAT.call: Text("一個呼叫開始。", "A call begins."),
        FORMAT.separator: Text(
            "V3.1 寫在工具名稱與引數之間；R1 寫在「function」這個字與工具名稱之間。",
            "V3.1 writes it between the tool's name and its arguments, R1 between the word “function” and the tool's name.",
        ),
        FORMAT.end_call: Text("這個呼叫寫完了。", "This call is complete."),
    },
)

_RESULTS = TokenGroup(
    RESPONSES.name,
    RESPONSES.purpose,
    {
        "<｜tool▁outputs▁begin｜>": Text("R1 的模板：全部結果從這裡開始。", "R1's template: all results begin."),
        "<｜tool▁outputs▁end｜>": Text("R1 的模板：全部結果到此結束。", "R1's template: all results end."),
        "<｜tool▁output▁begin｜>": Text("一個結果開始。", "One result begins."),
        "<｜tool▁output▁end｜>": Text("這個結果結束。", "This result ends."),
    },
)

_CODE = TokenGroup(
    Text("程式碼補全", "Code completion"),
    Text("用來把程式碼中間的空缺補上，聊天時不會出現。", "For filling a gap in code. They do not occur in chat."),
    {
        "<｜fim▁begin｜>": Text("空缺之前的程式碼。", "The code before the gap."),
        "<｜fim▁hole｜>": Text("空缺在這裡。", "The gap is here."),
        "<｜fim▁end｜>": Text(
            "空缺之後的程式碼結束，接下來補上空缺。", "The code after the gap ends; what fills the gap follows."
        ),
    },
)

_SEARCH = TokenGroup(
    Text("搜尋", "Search"),
    Text(
        "V3.1 的詞彙表才有，留給會上網搜尋的助理；這裡的模板不寫。",
        "New in V3.1, for assistants that search; the template does not write them.",
    ),
    {
        "<｜search▁begin｜>": Text("查詢的字句從這裡開始。", "The words to search for begin."),
        "<｜search▁end｜>": Text("查詢的字句到此結束。", "The words to search for end."),
    },
)

STOP_TOKENS = {
    END: TURN_OVER,
    END_OF_TURN: Text("也是結束，少見。", "An end as well, though rare."),
}

_CONFIG = FileNote(
    "config.json",
    FILE_NOTES[0].note,
    {
        **{name: note for name, note in FILE_NOTES[0].fields.items() if name != "dtype"},
        "n_routed_experts": Text(
            "每層有幾個專家可選。每個 token 只送進其中幾個，所以參數雖多，計算不多。",
            "Experts to choose from in each layer. A token goes through a few of them only: many parameters, little arithmetic.",
        ),
        "num_experts_per_tok": Text("每個 token 選中幾個專家。", "How many of them each token goes through."),
        "n_shared_experts": Text("另有幾個專家，每個 token 都經過。", "Further experts that every token goes through."),
        "first_k_dense_replace": Text("最前面幾層不分專家。", "The first layers, which have no experts."),
        "kv_lora_rank": Text(
            "鍵與值先壓成這麼多個數再放進快取，快取因此很小。",
            "Keys and values are pressed into this many numbers before they are cached, which keeps the cache small.",
        ),
    },
)

DEEPSEEK_R1 = Family(
    key="deepseek_r1",
    name="DeepSeek R1 Distill",
    model_types=frozenset({"qwen2", "llama"}),
    required_tokens=(USER, ASSISTANT, END, THINK, END_THINK),
    parse=parse,
    channels={
        THINK: "thought",
        END_THINK: "content",
        **FORMAT.channels,
        END: "control",
        END_OF_TURN: "control",
    },
    thinking_openers=(THINK, f"{THINK}\n"),
    stop_tokens=STOP_TOKENS,
    # The template cuts earlier thinking out of the text; no field of a message holds it.
    thinking_field=None,
    cut_in_text=re.compile(re.escape(END_THINK)),
    thinking_argument="enable_thinking",
    # The template writes the text of a turn after its calls, as a turn of its own.
    keeps_text_before_call=True,
    user_turn_start=USER,
    token_groups=(TURNS, THINKING, _CALLS, _RESULTS, _CODE),
    thinking_note=Text(
        "提示停在 <think> 之後，模型一開口就在思考。模板若有開關，關閉時會馬上接 </think>，讓模型直接作答；有些版本沒有開關，"
        "開或關都一樣。工具結果之後的提示不再打開思考。",
        "The prompt ends after <think>, so that the model's first word is thinking. Where the template has a switch, off closes "
        "it at once with </think>; some versions have none, and the prompt is the same either way. After a tool's result the "
        "prompt does not open the thinking again.",
    ),
    tools_note=Text(
        "模板不寫工具的說明：這些模型沒有為呼叫工具訓練過，給了工具，提示裡也看不到。要用，得自己寫進系統提示。",
        "The template writes nothing about tools: these models were not trained to call any, and the prompt is the same whether "
        "tools are offered or not. To use them, describe them in the system prompt.",
    ),
    # The generation_config.json of DeepSeek-R1, and its README: temperature 0.6 (0.5 to 0.7), top_p 0.95.
    sampling={"temperature": 0.6, "top_p": 0.95, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(FORMAT.end_call,),
    string_marks=('"',),
)

DEEPSEEK_V3_1 = replace(
    DEEPSEEK_R1,
    key="deepseek_v3_1",
    name="DeepSeek V3.1",
    model_types=frozenset({"deepseek_v3"}),
    required_tokens=(USER, ASSISTANT, END),
    thinking_argument="thinking",
    token_groups=(TURNS, THINKING, _CALLS, _RESULTS, _CODE, _SEARCH),
    thinking_note=Text(
        "同一個模型兩種用法。開啟時，提示停在 <think> 之後；關閉時，思考馬上以 </think> 收掉，模型直接作答。"
        "工具結果之後，提示什麼都不加，模型接著往下寫。",
        "One model, two modes. On: the prompt ends after <think>. Off: the thinking is closed at once with </think>, and the "
        "model answers straight away. After a tool's result the prompt adds nothing, and the model writes on.",
    ),
    tools_note=Text(
        "模板把呼叫與結果寫進對話，卻不寫有哪些工具：工具的說明要由你寫進系統提示。結果夾在 <｜tool▁output▁begin｜> 與 "
        "<｜tool▁output▁end｜> 之間。",
        "The template writes calls and results into the conversation but not which tools there are: their description has to be "
        "in your system prompt. A result stands between <｜tool▁output▁begin｜> and <｜tool▁output▁end｜>.",
    ),
    file_notes=(_CONFIG, *FILE_NOTES[1:]),
)
