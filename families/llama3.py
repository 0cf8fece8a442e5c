"""Llama 3.1 to 3.3, whose calls are JSON, and Llama 4, whose calls are Python. Parser: `llama3_parser.py`."""

from __future__ import annotations

from dataclasses import replace

from families.base import Family, Text, TokenGroup
from families.chatml import FILE_NOTES, TURN_OVER
from families.llama3_parser import PYTHON_END, PYTHON_START, PYTHON_TAG, parse

_MESSAGE_OVER = Text(
    "模型寫完一則訊息，但這一輪還沒完：它在等工具的結果。",
    "The model has finished a message but not its turn: it waits for a tool's result.",
)
_TEXT_OVER = Text("模型認為整段文字結束了。聊天時少見。", "The model holds the whole text to be over. Rare in chat.")

_TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text("標出誰在說話，以及話說到哪裡為止。", "Who is speaking, and where that ends."),
    {
        "<|begin_of_text|>": Text("整段提示從這裡開始。", "The whole prompt begins."),
        "<|start_header_id|>": Text(
            "訊息的標頭開始，裡面是角色：system、user、assistant，或代表工具的 ipython。",
            "A message's header begins; in it stands the role: system, user, assistant, or ipython, which is a tool.",
        ),
        "<|end_header_id|>": Text(
            "標頭結束，空一行之後是訊息內容。", "The header ends; after an empty line the message follows."
        ),
        "<|eot_id|>": Text(
            "一輪到此結束。模型寫出它，就表示這一輪說完了。", "The turn ends. When the model writes it, its turn is over."
        ),
        "<|eom_id|>": Text(
            "一則訊息到此結束，但輪次還沒：模型要等工具的結果。提示寫著「Environment: ipython」時才會用到。",
            "A message ends, but not the turn: the model waits for a tool. Used where the prompt says “Environment: ipython”.",
        ),
        "<|end_of_text|>": Text("整段文字到此結束。基礎模型才會寫。", "The whole text ends. Only base models write it."),
        "<|finetune_right_pad_id|>": Text("訓練時把一批文字補成一樣長。", "Fills a batch up to one length in training."),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "標出工具呼叫。多半不寫：一則訊息只要以 JSON 物件開頭，就是呼叫。",
        "Marks a tool call. Mostly it is left out: a message that begins with a JSON object is a call.",
    ),
    {PYTHON_TAG: Text("工具呼叫或要執行的程式碼從這裡開始。", "A tool call, or code that is to be run, begins.")},
)

LLAMA3 = Family(
    key="llama3",
    name="Llama 3",
    model_types=frozenset({"llama", "mllama"}),
    required_tokens=("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", PYTHON_TAG),
    parse=parse,
    channels={
        PYTHON_TAG: "tool_call",
        "<|begin_of_text|>": "control",
        "<|start_header_id|>": "control",
        "<|end_header_id|>": "control",
        "<|eot_id|>": "control",
        "<|eom_id|>": "control",
        "<|end_of_text|>": "control",
    },
    thinking_openers=(),
    stop_tokens={"<|eot_id|>": TURN_OVER, "<|eom_id|>": _MESSAGE_OVER, "<|end_of_text|>": _TEXT_OVER},
    thinking_field=None,
    thinking_argument=None,
    keeps_text_before_call=False,
    user_turn_start="<|start_header_id|>user<|end_header_id|>\n\n",
    token_groups=(_TURNS, _CALLS),
    thinking_note=Text(
        "Llama 3 不另外思考：模板裡沒有開關，開或關提示都一樣。",
        "Llama 3 does not think in a block of its own: its template has no switch, and the prompt is the same either way.",
    ),
    tools_note=Text(
        "工具寫在第一則使用者訊息的前面：先說明呼叫要寫成 {\"name\": …, \"parameters\": …}，再逐一列出每個工具的 JSON Schema。"
        "系統訊息會多一行「Environment: ipython」。工具的結果以 ipython 角色送回。模板裡每則訊息只放得下一個呼叫，"
        "呼叫前的文字也不會保留。",
        "Tools stand before the text of the first user message: how to write a call, {\"name\": …, \"parameters\": …}, then the "
        "JSON Schema of each tool. The system message gets a line “Environment: ipython”. A tool's result comes back in the "
        "role ipython. The template takes one call a message, and drops text that stood before it.",
    ),
    # generation_config.json of Llama-3.1-8B-Instruct: temperature 0.6, top_p 0.9.
    sampling={"temperature": 0.6, "top_p": 0.9, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    string_marks=('"', "'"),
    one_call_a_message=True,
)

_LLAMA4_TURNS = TokenGroup(
    _TURNS.name,
    _TURNS.purpose,
    {
        "<|begin_of_text|>": _TURNS.tokens["<|begin_of_text|>"],
        "<|header_start|>": _TURNS.tokens["<|start_header_id|>"],
        "<|header_end|>": _TURNS.tokens["<|end_header_id|>"],
        "<|eot|>": _TURNS.tokens["<|eot_id|>"],
        "<|eom|>": Text(
            "一則訊息到此結束，但輪次還沒：模型要等工具的結果。",
            "A message ends, but not the turn: the model waits for a tool.",
        ),
        "<|end_of_text|>": _TURNS.tokens["<|end_of_text|>"],
    },
)

_LLAMA4_CALLS = TokenGroup(
    _CALLS.name,
    Text(
        "框住工具呼叫。多半不寫：一則訊息只要以方括號裡的函式呼叫開頭，就是呼叫。",
        "Frames tool calls. Mostly it is left out: a message that begins with a function call in brackets is a call.",
    ),
    {
        PYTHON_START: Text("工具呼叫從這裡開始。", "Tool calls begin."),
        PYTHON_END: Text("工具呼叫到此結束。", "Tool calls end."),
    },
)

_IMAGES = TokenGroup(
    Text("圖片", "Images"),
    Text("標出提示裡的圖片，以及圖片切成的小塊。", "Where an image stands in the prompt, and the pieces it is cut into."),
    {
        "<|image_start|>": Text("一張圖片從這裡開始。", "An image begins."),
        "<|image_end|>": Text("圖片到此結束。", "The image ends."),
        "<|image|>": Text(
            "隔開原尺寸的小塊與縮小成一塊的整張圖。",
            "Keeps the tiles in full size apart from the whole image, made small enough for one tile.",
        ),
        "<|patch|>": Text("占位符，讀入時換成圖片的一小塊。", "A placeholder that a patch of an image takes the place of."),
        "<|tile_x_separator|>": Text("隔開左右相鄰的圖塊。", "Keeps tiles side by side apart."),
        "<|tile_y_separator|>": Text("隔開上下相鄰的圖塊。", "Keeps rows of tiles apart."),
    },
)

LLAMA4 = replace(
    LLAMA3,
    key="llama4",
    name="Llama 4",
    model_types=frozenset({"llama4", "llama4_text"}),
    required_tokens=("<|header_start|>", "<|header_end|>", "<|eot|>", PYTHON_START, PYTHON_END),
    channels={
        PYTHON_START: "tool_call",
        PYTHON_END: "content",
        "<|begin_of_text|>": "control",
        "<|header_start|>": "control",
        "<|header_end|>": "control",
        "<|eot|>": "control",
        "<|eom|>": "control",
        "<|end_of_text|>": "control",
    },
    stop_tokens={"<|eot|>": TURN_OVER, "<|eom|>": _MESSAGE_OVER, "<|end_of_text|>": _TEXT_OVER},
    user_turn_start="<|header_start|>user<|header_end|>\n\n",
    token_groups=(_LLAMA4_TURNS, _LLAMA4_CALLS, _IMAGES),
    thinking_note=Text(
        "Llama 4 不另外思考：模板裡沒有開關，開或關提示都一樣。",
        "Llama 4 does not think in a block of its own: its template has no switch, and the prompt is the same either way.",
    ),
    tools_note=Text(
        "工具由檢查點自己的模板寫進提示。Meta 建議的系統訊息請模型把呼叫寫成方括號裡的 Python 函式呼叫；"
        "工具的結果以 ipython 角色送回。",
        "The checkpoint's own template writes the tools into the prompt. The system message that Meta suggests asks for calls as "
        "Python function calls in brackets; a tool's result comes back in the role ipython.",
    ),
    call_closers=(PYTHON_END,),
    one_call_a_message=False,
)
