"""Kimi K2, Instruct and Thinking. The parser is `families/kimi_parser.py`."""

from __future__ import annotations

from families.base import Family, Text, TokenGroup
from families.chatml import FILE_NOTES, THINKING, TURN_OVER
from families.kimi_parser import END, FORMAT, parse
from families.turns import END_THINK, THINK

_TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text(
        "標出誰在說話，以及話說到哪裡為止。角色各有開頭的 token，後面是名稱，再由 <|im_middle|> 隔開內容。",
        "Who is speaking, and where that ends. Each role has its opening token; a name follows, then <|im_middle|> and the text.",
    ),
    {
        "<|im_system|>": Text(
            "系統的訊息從這裡開始；工具的清單和結果也用它。",
            "A system message begins; the list of tools and their results use it too.",
        ),
        "<|im_user|>": Text("使用者的訊息從這裡開始。", "A user's message begins."),
        "<|im_assistant|>": Text("模型的訊息從這裡開始。", "The model's message begins."),
        "<|im_middle|>": Text("名稱寫完了，接下來是內容。", "The name is over and the text begins."),
        END: Text(
            "一則訊息到此結束。模型寫出它，就表示這一輪說完了。", "The message ends. When the model writes it, its turn is over."
        ),
        "[BOS]": Text("整段文字的開頭。", "The beginning of a text."),
        "[EOS]": Text("整段文字到此結束。", "The end of a text."),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "一輪的呼叫合成一段；每個呼叫先寫識別碼「functions.工具名稱:編號」，再寫 JSON 引數。",
        "The calls of a turn form one section; each is an identifier, functions.NAME:NUMBER, and then its arguments as JSON.",
    ),
    {
        FORMAT.section: Text("工具呼叫的段落開始。", "The section of tool calls begins."),
        FORMAT.end_section: Text("工具呼叫都寫完了，可以執行。", "The tool calls are complete and can be run."),
        FORMAT.call: Text("一個呼叫開始，後面是識別碼。", "A call begins; its identifier follows."),
        FORMAT.separator: Text("識別碼寫完了，接下來是 JSON 引數。", "The identifier is over; the arguments follow as JSON."),
        FORMAT.end_call: Text("這個呼叫寫完了。", "This call is complete."),
    },
)

_IMAGES = TokenGroup(
    Text("圖片與影片", "Images and video"),
    Text(
        "K2.5 起的模型看得懂圖片。文字款的詞彙表裡也有，但用不到。",
        "The models from K2.5 on see images. Those for text alone have these tokens too, without using them.",
    ),
    {
        "<|media_begin|>": Text(
            "一張圖片或一段影片從這裡開始，後面寫著是哪一種。", "An image or a video begins; which of them it is follows."
        ),
        "<|media_content|>": Text("種類寫完了，接下來是內容。", "The kind is over and the content begins."),
        "<|media_pad|>": Text("占位符，讀入時換成圖像的一小塊。", "A placeholder that a patch of an image takes the place of."),
        "<|media_end|>": Text("圖片或影片到此結束。", "The image or video ends."),
    },
)

STOP_TOKENS = {
    END: TURN_OVER,
    "[EOS]": Text(
        "模型認為整段文字結束了，也算說完，只是少見。",
        "The model holds the whole text to be over. That ends the turn too, though rarely.",
    ),
}

KIMI_K2 = Family(
    key="kimi_k2",
    name="Kimi K2",
    model_types=frozenset({"kimi_k2", "kimi_k25"}),
    required_tokens=("<|im_user|>", "<|im_assistant|>", "<|im_middle|>", END, FORMAT.section, FORMAT.call, FORMAT.separator),
    parse=parse,
    channels={
        THINK: "thought",
        END_THINK: "content",
        **FORMAT.channels,
        END: "control",
        "[EOS]": "control",
    },
    thinking_openers=(THINK,),
    stop_tokens=STOP_TOKENS,
    thinking_field="reasoning_content",
    thinking_argument="thinking",
    keeps_text_before_call=True,
    user_turn_start="<|im_user|>user<|im_middle|>",
    token_groups=(_TURNS, THINKING, _CALLS, _IMAGES),
    thinking_note=Text(
        "要看是哪個模型：K2 Instruct 不思考，K2 Thinking 一定思考，由它自己寫 <think>，兩者都沒有開關。K2.5 起才有："
        "開啟時提示停在 <think> 之後，關閉時停在 <think></think> 之後。",
        "It depends on the model: K2 Instruct does not think, K2 Thinking always does and writes <think> itself; neither has a "
        "switch. From K2.5 on there is one: on, the prompt ends after <think>, off, after <think></think>.",
    ),
    tools_note=Text(
        "工具寫在最前面，一則名叫 tool_declare 的系統訊息裡，是一份 JSON 清單。工具的結果也是系統訊息，"
        "以「## Return of」加上呼叫的識別碼開頭。",
        "Tools stand first, as a JSON list in a system message named tool_declare. A result is a system message as well and "
        "begins with “## Return of” and the call's identifier.",
    ),
    # The model cards: Kimi-K2-Instruct "temperature = 0.6", Kimi-K2-Thinking "temperature = 1.0". Neither names top_p or top_k.
    sampling={"temperature": 0.6, "top_p": 1.0, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    call_closers=(FORMAT.end_call,),
    string_marks=('"',),
    call_ids="functions.{name}:{number}",
)
