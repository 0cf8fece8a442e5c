"""Mistral, Ministral, Magistral and Devstral: the models with the control token `[TOOL_CALLS]`. Parser: `mistral_parser.py`."""

from __future__ import annotations

from families.base import Family, Text, TokenGroup
from families.chatml import FILE_NOTES, THINKING, TURN_OVER
from families.mistral_parser import ARGUMENTS, CALL, CALL_ID, END_THINK, THINK, parse

_TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text(
        "標出使用者說的話與系統訊息，以及模型說到哪裡為止。",
        "What the user said, the system message, and where the model's text ends.",
    ),
    {
        "<s>": Text("整段提示從這裡開始。", "The whole prompt begins."),
        "</s>": Text("模型的一輪到此結束。", "The model's turn ends."),
        "[INST]": Text("使用者的訊息從這裡開始。", "The user's message begins."),
        "[/INST]": Text("使用者的訊息到此結束，接著由模型說話。", "The user's message ends; the model speaks next."),
        "[SYSTEM_PROMPT]": Text("系統訊息從這裡開始。", "The system message begins."),
        "[/SYSTEM_PROMPT]": Text("系統訊息到此結束。", "The system message ends."),
    },
)

_TOOLS = TokenGroup(
    Text("工具清單與結果", "List of tools, and results"),
    Text("由對話模板寫進提示，不該由模型自己寫。", "The chat template writes them into the prompt; the model should not."),
    {
        "[AVAILABLE_TOOLS]": Text("工具清單從這裡開始，後面是 JSON。", "The list of tools begins; JSON follows."),
        "[/AVAILABLE_TOOLS]": Text("工具清單到此結束。", "The list of tools ends."),
        "[TOOL_RESULTS]": Text("工具的結果從這裡開始。", "A tool's result begins."),
        "[/TOOL_RESULTS]": Text("工具的結果到此結束。", "The tool's result ends."),
        "[TOOL_CONTENT]": Text("結果的內容從這裡開始。", "The content of the result begins."),
    },
)

_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "標出工具呼叫。沒有結尾的標記：引數的 JSON 收尾，呼叫就結束。",
        "Marks a tool call. Nothing marks its end: the call ends where the JSON of its arguments does.",
    ),
    {
        CALL: Text(
            "工具呼叫從這裡開始：後面是工具名稱，較舊的模型則是 JSON 清單。",
            "A tool call begins: the tool's name follows, or in older models a JSON list.",
        ),
        CALL_ID: Text("後面是這個呼叫的編號。", "The call's id follows."),
        ARGUMENTS: Text("工具名稱結束，後面是引數的 JSON。", "The tool's name ends; the arguments follow as JSON."),
    },
)

_THINKING = TokenGroup(
    THINKING.name,
    THINKING.purpose,
    {THINK: THINKING.tokens["<think>"], END_THINK: THINKING.tokens["</think>"]},
)

_OTHER = TokenGroup(
    Text("其他", "Others"),
    Text("聊天時用不到，或只有讀得懂圖片的模型才用。", "Not used in chat, or only by the models that see."),
    {
        "<unk>": Text("不在詞彙表裡的字。", "Something that is not in the vocabulary."),
        "<pad>": Text("補齊長度用。", "Padding."),
        "[IMG]": Text("占位符，讀入時換成圖片的一小塊。", "A placeholder that a patch of an image takes the place of."),
        "[IMG_BREAK]": Text("圖片的一列小塊到此結束。", "A row of patches ends."),
        "[IMG_END]": Text("圖片到此結束。", "The image ends."),
        "[PREFIX]": Text("程式碼補全：空缺之前的程式碼。", "Code completion: the code before the gap."),
        "[MIDDLE]": Text("程式碼補全：從這裡開始補上空缺。", "Code completion: what fills the gap begins."),
        "[SUFFIX]": Text("程式碼補全：空缺之後的程式碼。", "Code completion: the code after the gap."),
    },
)

MISTRAL = Family(
    key="mistral",
    name="Mistral",
    model_types=frozenset({"mistral", "mistral3", "mistral4", "ministral", "ministral3", "mixtral"}),
    required_tokens=("[INST]", "[/INST]", CALL),
    parse=parse,
    channels={
        THINK: "thought",
        END_THINK: "content",
        CALL: "tool_call",
        ARGUMENTS: "tool_call",
        CALL_ID: "tool_call",
        "[INST]": "control",
        "[/INST]": "control",
        "</s>": "control",
    },
    thinking_openers=(),
    stop_tokens={"</s>": TURN_OVER},
    # No template was seen that reads a field for thinking: those of the models that think read it from the content.
    thinking_field="reasoning_content",
    thinking_marks=(THINK, END_THINK),
    thinking_argument=None,
    # Since July 2025 (Devstral Small 1.1); the templates before that pass over the text of a message with calls.
    keeps_text_before_call=True,
    alternates=True,
    user_turn_start="[INST]",
    token_groups=(_TURNS, _TOOLS, _CALLS, _THINKING, _OTHER),
    thinking_note=Text(
        "這裡沒有思考開關，開或關提示都一樣。會思考的模型（Magistral、Ministral Reasoning）自己寫 [THINK] 開始。",
        "There is no switch for thinking here; the prompt is the same either way. The models that think (Magistral, Ministral "
        "Reasoning) open [THINK] themselves.",
    ),
    tools_note=Text(
        "工具寫成 JSON 清單，夾在 [AVAILABLE_TOOLS] 與 [/AVAILABLE_TOOLS] 之間；較舊的模型放在最後一則使用者訊息之前，"
        "較新的放在系統訊息之後。工具的結果夾在 [TOOL_RESULTS] 與 [/TOOL_RESULTS] 之間送回。",
        "Tools stand as a JSON list between [AVAILABLE_TOOLS] and [/AVAILABLE_TOOLS]: before the last user message in older "
        "models, after the system message in newer ones. A tool's result comes back between [TOOL_RESULTS] and [/TOOL_RESULTS]. "
        "User and model must take turns: Loopglass makes one message of two of the user, and puts a “…” of the model between a "
        "tool's result and a user who goes on before it was answered.",
    ),
    # The Mistral-Small-3.2-24B-Instruct-2506 model card: "a relatively low temperature, such as temperature=0.15".
    sampling={"temperature": 0.15, "top_p": 1.0, "top_k": 0},
    vocabulary="byte_level",
    file_notes=FILE_NOTES,
    string_marks=('"',),
)
