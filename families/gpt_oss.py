"""gpt-oss: messages in the harmony format, whose headers name the channel. The parser is `families/harmony.py`."""

from __future__ import annotations

import re

from families.base import Family, FileNote, Headers, Text, TokenGroup
from families.chatml import FILE_NOTES
from families.harmony import (
    CALL,
    CHANNEL,
    CONSTRAIN,
    END,
    END_OF_TEXT,
    MESSAGE,
    RETURN,
    START,
    channel_of,
    parse,
)

_MESSAGES = TokenGroup(
    Text("訊息", "Messages"),
    Text(
        "每則訊息有標頭和內文。標頭寫誰在說話、對誰說、在哪個頻道；模型自己也這樣寫。",
        "Every message has a header and a body. The header says who speaks, to whom and in which channel; the model writes it "
        "too.",
    ),
    {
        START: Text(
            "一則訊息從這裡開始，後面是角色：system、developer、user、assistant，或工具的名稱。",
            "A message begins; its role follows: system, developer, user, assistant, or the name of a tool.",
        ),
        MESSAGE: Text("標頭到此為止，內文從這裡開始。", "The header ends and the body begins."),
        END: Text(
            "這則訊息寫完了，但這一輪還沒有：後面還有別的訊息，所以遇到它不會停。",
            "This message is complete, but the turn is not: another message follows, so the writing does not stop here.",
        ),
    },
)

_CHANNELS = TokenGroup(
    Text("頻道", "Channels"),
    Text(
        "分開三種話：analysis 是思考，commentary 是工具呼叫和呼叫前的說明，final 是給使用者的答案。",
        "Keep three kinds of words apart: analysis is thinking, commentary is for tool calls and what is said before them, final "
        "is the answer to the user.",
    ),
    {
        CHANNEL: Text(
            "頻道的名稱跟在後面：analysis、commentary 或 final。",
            "The channel's name follows: analysis, commentary or final.",
        ),
        CONSTRAIN: Text(
            "內文的格式跟在後面。呼叫工具時寫 json，表示引數是 JSON。",
            "The format of the body follows. In a call it is json: the arguments are JSON.",
        ),
    },
)

_ENDS = TokenGroup(
    Text("一輪的結束", "Ends of a turn"),
    Text("模型寫出其中之一，這一輪就停。", "When the model writes one of these, its turn is over."),
    {
        RETURN: Text("答案說完了。", "The answer is complete."),
        CALL: Text(
            "工具呼叫寫完了，可以執行；模型等著結果。",
            "The tool call is complete and can be run; the model waits for the result.",
        ),
        END_OF_TEXT: Text("整份文件到此結束，也拿來補齊長度。", "The whole document ends; it also serves as padding."),
    },
)

_PRETRAINING = TokenGroup(
    Text("其他", "Others"),
    Text("詞彙表裡有，對話模板用不到。", "In the vocabulary, though the chat template does not use them."),
    {
        "<|startoftext|>": Text("一份文件的開頭。", "The beginning of a document."),
        "<|endofprompt|>": Text("名稱的意思是提示的結尾。", "By its name, the end of a prompt."),
    },
)

STOP_TOKENS = {
    RETURN: Text("模型給出了答案，這一輪說完了。", "The model has given its answer; the turn is over."),
    CALL: Text("模型呼叫了工具，停下來等結果。", "The model has called a tool and waits for its result."),
    END_OF_TEXT: Text(
        "模型認為整份文件結束了，也算說完，只是少見。",
        "The model holds the whole document to be over. That ends the turn too, though rarely.",
    ),
}

_CONFIG = FileNote(
    "config.json",
    FILE_NOTES[0].note,
    {
        **{name: note for name, note in FILE_NOTES[0].fields.items() if name != "dtype"},
        "num_local_experts": Text(
            "每層有幾個專家。每個 token 只送進其中幾個，所以參數雖多，計算不多。",
            "Experts in each layer. A token goes through a few of them only: many parameters, little arithmetic.",
        ),
        "num_experts_per_tok": Text("每個 token 送進幾個專家。", "How many experts a token goes through."),
        "sliding_window": Text(
            "有些層只回看這麼多個 token；layer_types 寫著是哪些層。",
            "Some layers look back this many tokens only; layer_types says which.",
        ),
        "layer_types": Text(
            "每層的注意力看全部，還是只看最近一段。",
            "Whether each layer's attention sees everything or only the latest stretch.",
        ),
        "quantization_config.quant_method": Text(
            "專家的權重壓成哪種低位元格式。",
            "The low-bit format in which the experts' weights are stored.",
        ),
    },
)

GPT_OSS = Family(
    key="gpt_oss",
    name="gpt-oss",
    model_types=frozenset({"gpt_oss"}),
    required_tokens=(START, END, MESSAGE, CHANNEL, CALL, RETURN),
    parse=parse,
    channels=dict.fromkeys((START, CHANNEL, CONSTRAIN, MESSAGE, END, CALL, RETURN, END_OF_TEXT), "control"),
    thinking_openers=(f"{CHANNEL}analysis{MESSAGE}",),
    stop_tokens=STOP_TOKENS,
    thinking_field="thinking",
    thinking_argument="reasoning_effort",
    thinking_values=("low", "medium"),
    # The template writes text before a call into the analysis channel, and refuses a message with both.
    keeps_text_before_call=False,
    one_call_a_message=True,
    # The template refuses the headers of two channels in a message. Whatever word names the channel counts, since the ledger
    # renders messages with their words exchanged.
    cut_in_text=re.compile(rf"{re.escape(CHANNEL)}(?=[^<\s]+{re.escape(MESSAGE)})"),
    user_turn_start=f"{START}user{MESSAGE}",
    token_groups=(_MESSAGES, _CHANNELS, _ENDS, _PRETRAINING),
    thinking_note=Text(
        "gpt-oss 的思考關不掉，只能調多少：系統訊息裡有一行 Reasoning，開啟時寫 medium（模板的預設），關閉時寫 low。",
        "gpt-oss always thinks; only how much can be set. The system message has a line Reasoning: on writes medium, the "
        "template's default, off writes low.",
    ),
    tools_note=Text(
        "工具寫在 developer 訊息的「# Tools」一節，化成 TypeScript 的型別，放在命名空間 functions 裡；你的系統提示也在這則訊息。"
        "工具的結果是「functions.工具名稱」傳給 assistant 的訊息，在 commentary 頻道。模板一則訊息只放一個呼叫。",
        "Tools stand in the developer message, under “# Tools”, as TypeScript types in the namespace functions; your system "
        "prompt is in that message too. A result is a message from functions.NAME to assistant, in the commentary channel. The "
        "template puts one call into a message.",
    ),
    # OpenAI's README of gpt-oss: "We recommend sampling with temperature=1.0 and top_p=1.0"; it names no top_k.
    sampling={"temperature": 1.0, "top_p": 1.0, "top_k": 0},
    vocabulary="byte_level",
    file_notes=(_CONFIG, *FILE_NOTES[1:]),
    call_closers=(CALL, END),
    string_marks=('"',),
    headers=Headers((START, CHANNEL), MESSAGE, channel_of),
)
