"""Qwen3.5 and its successors, and Qwen3-Coder: calls as `<function=…>` with a `<parameter=…>` for each argument.

The chat templates of Qwen3.5, 3.6, 3.8 and of Qwen3-Coder write the format into the system prompt: a value stands between
its tags with one line break on each side and no escapes, whatever its type. Qwen3.5's template writes true as True in
history and Qwen3.6's as JSON, so that both are read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from families.base import FileNote, Text, TokenGroup
from families.chatml import CODE, FILE_NOTES, GROUNDING, RESPONSES, STOP_TOKENS, THINKING, TURNS, VISION
from families.hermes import QWEN3
from families.tagged_calls import parse_turn
from families.tags import TagFormat, opening_tag
from families.turns import END_THINK, THINK

FORMAT = TagFormat(
    call="<tool_call>",
    end_call="</tool_call>",
    function=opening_tag("function", "function"),
    exact_function=re.compile(r"""<function=[^<>"'=\s]+>"""),
    end_function="</function>",
    parameter=opening_tag("parameter", "parameter"),
    exact_parameter=re.compile(r"""<parameter=[^<>"'=\s](?:[^<>"'=\n]*[^<>"'=\s])?>"""),
    end_parameter="</parameter>",
    stops=tuple(STOP_TOKENS),
    layout=True,
)

parse = partial(parse_turn, FORMAT)


_CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "框住一個工具呼叫。裡面的 <function=…> 和 <parameter=…> 是普通文字，不是控制 token。",
        "Frames one tool call. The <function=…> and <parameter=…> inside are ordinary text, no control tokens.",
    ),
    {
        "<tool_call>": Text(
            "工具呼叫從這裡開始，後面應該是 <function=工具名稱>。",
            "A tool call begins; <function=name> should follow.",
        ),
        "</tool_call>": Text("這個工具呼叫寫完了，可以執行。", "The tool call is complete and can be run."),
    },
)

_SIGHT = TokenGroup(
    VISION.name,
    Text(
        "標出圖片或影片在提示裡的位置。",
        "Where an image or a video stands in the prompt.",
    ),
    VISION.tokens,
)

_SOUND = TokenGroup(
    Text("聲音", "Sound"),
    Text("為聽與說保留的 token，對話模板用不到。", "Reserved for hearing and speaking; the chat template does not use them."),
    {
        "<|audio_start|>": Text("一段聲音從這裡開始。", "A sound begins."),
        "<|audio_end|>": Text("聲音到此結束。", "The sound ends."),
        "<|audio_pad|>": Text("聲音內容的占位符。", "A placeholder for sound."),
        "<tts_pad>": Text("語音合成時補齊長度用。", "Padding in speech synthesis."),
        "<tts_text_bos>": Text("要念的文字從這裡開始。", "The text to be spoken begins."),
        "<tts_text_eod>": Text("要念的文字到此結束。", "The text to be spoken ends."),
        "<tts_text_bos_single>": Text(
            "要念的文字的開頭，另一種標記。",
            "The beginning of a text to be spoken, another mark for it.",
        ),
    },
)

_CONFIG_NOTE = FileNote(
    "config.json",
    Text(
        "模型的架構。語言的部分在 text_config，看圖的部分在 vision_config；只有文字的模型，設定就直接在最上層。",
        "The architecture: text_config is the language model, vision_config the part that sees; a checkpoint for text alone has "
        "its fields at the top.",
    ),
    {
        "model_type": FILE_NOTES[0].fields["model_type"],
        **{
            f"text_config.{name}": FILE_NOTES[0].fields[name]
            for name in (
                "num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "vocab_size",
                "max_position_embeddings", "dtype",
            )
        },
        "text_config.layer_types": Text(
            "每一層用哪種注意力：full_attention 回頭看每個 token，linear_attention 只帶著一份固定大小的記憶往前走。",
            "The kind of attention of each layer: full_attention looks back at every token, linear_attention carries a memory of "
            "fixed size along.",
        ),
        "tie_word_embeddings": FILE_NOTES[0].fields["tie_word_embeddings"],
        "vision_config.depth": Text("看圖的部分有幾層。", "Layers of the part that sees."),
        "vision_config.patch_size": Text(
            "圖片切成多大的方塊，以像素計。",
            "The size in pixels of the squares that an image is cut into.",
        ),
        "vision_config.spatial_merge_size": Text(
            "每邊幾個方塊併成一個 token。",
            "How many squares on each side become one token.",
        ),
    },
)  # fmt: skip

_GENERATION_NOTE = FileNote(
    "generation_config.json",
    Text(
        "作者建議的抽樣方式，以及哪些 token 表示結束。有的檢查點沒有這個檔案，設定裡只寫了 <|endoftext|>；聊天的每一輪其實都以 "
        "<|im_end|> 結束，所以這裡兩個都算結束。",
        "How its authors recommend to sample, and which tokens end a turn. Some checkpoints lack this file, and their "
        "configuration names <|endoftext|> alone; every turn of a chat ends with <|im_end|>, so that here both end one.",
    ),
    FILE_NOTES[1].fields,
)

_IMAGE_NOTE = FileNote(
    "preprocessor_config.json",
    Text("圖片要怎麼縮放、切塊，才交給模型。", "How an image is scaled and cut up before the model sees it."),
    {
        "patch_size": Text("方塊的邊長，以像素計。", "The side of a square, in pixels."),
        "merge_size": Text("每邊幾個方塊併成一個 token。", "How many squares on each side become one token."),
        "temporal_patch_size": Text("影片裡幾格畫面併成一份。", "How many frames of a video are taken together."),
    },
)

_TOOLS_NOTE = Text(
    "工具寫在系統訊息最前面的「# Tools」一節（Qwen3.8 開啟思考時，前面還有一段關於思考程度的話）：<tools> 與 </tools> 之間，每"
    "行是一個工具的 JSON Schema，接著說明呼叫要怎麼寫；你的系統訊息排在它後面。值不加引號，也不跳脫，是數字還是文字，由工具說明"
    "裡的型別決定。工具的結果以使用者訊息的身分送回，夾在 <tool_response> 與 </tool_response> 之間。",
    "Tools stand at the beginning of the system message, under “# Tools” (with Qwen3.8 and thinking on, a paragraph about the "
    "reasoning effort comes before it): one JSON Schema a line between <tools> and </tools>, then how a call is to be written; "
    "your own system message follows. Values are neither quoted nor escaped: whether one is a number or text is for the tool's "
    "schema to say. A tool's result comes back in a user message, between <tool_response> and </tool_response>.",
)

QWEN3_5 = replace(
    QWEN3,
    key="qwen3_5",
    name="Qwen3.5",
    model_types=frozenset({"qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"}),
    parse=parse,
    string_marks=(),
    token_groups=(TURNS, THINKING, _CALLS, RESPONSES, _SIGHT, GROUNDING, _SOUND, CODE),
    thinking_note=Text(
        "開啟時，提示停在 <think> 之後，模型一開口就在思考。關閉時，模板替它寫好一段空的思考，模型便直接作答。沒有指定時，"
        "2B 以下的模板當作關閉，4B 以上當作開啟；這裡每次都會指定。Qwen3.8 開啟時，系統訊息最前面還有一段話，說思考程度"
        "（Reasoning effort）設為 xhigh、請仔細想；先前每個問題的思考也都留在提示裡，其他幾版只留目前這個問題的。",
        "On: the prompt ends after <think>, so that the model begins inside its thinking. Off: the template writes an empty "
        "thinking block for it, and the model answers straight away. Left unsaid, the templates up to 2B take it as off and "
        "those from 4B as on; here it is always said. With Qwen3.8, on also puts a paragraph at the very beginning of the system "
        "message, which says that the reasoning effort is set to xhigh and asks for careful thinking; and it keeps the thinking "
        "of all earlier questions in the prompt, where the others keep that of the present question alone.",
    ),
    tools_note=_TOOLS_NOTE,
    # The Qwen3.5 model cards, thinking mode for general tasks: "temperature=1.0, top_p=0.95, top_k=20, min_p=0.0,
    # presence_penalty=1.5"; with thinking off they name 0.7, 0.8 and 20.
    sampling={"temperature": 1.0, "top_p": 0.95, "top_k": 20},
    file_notes=(_CONFIG_NOTE, _GENERATION_NOTE, _IMAGE_NOTE, *FILE_NOTES[2:]),
)

QWEN3_CODER = replace(
    QWEN3,
    key="qwen3_coder",
    name="Qwen3-Coder",
    # Its model types and control tokens are those of Qwen3 models that write calls as JSON: the chat template decides.
    model_types=frozenset({"qwen3_moe", "qwen3_next"}),
    template_mark="<function=",
    required_tokens=("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"),
    channels={token: channel for token, channel in QWEN3.channels.items() if token not in (THINK, END_THINK)},
    parse=parse,
    string_marks=(),
    thinking_field=None,
    thinking_argument=None,
    thinking_openers=(),
    token_groups=(TURNS, THINKING, _CALLS, RESPONSES, VISION, GROUNDING, CODE),
    thinking_note=Text(
        "Qwen3-Coder 不另外思考：模板裡沒有開關，開或關提示都一樣。",
        "Qwen3-Coder does not think in a block of its own: its template has no switch, and the prompt is the same either way.",
    ),
    tools_note=Text(
        "工具寫在系統訊息的「# Tools」一節，用標籤一層層寫出名稱、說明與每個參數，不是 JSON；接著說明呼叫要怎麼寫。值不加引號，"
        "也不跳脫，是數字還是文字，由工具說明裡的型別決定。工具的結果以使用者訊息的身分送回，夾在 <tool_response> 與 "
        "</tool_response> 之間。",
        "Tools stand in the system message under “# Tools”, spelt out in tags rather than JSON: name, description, and each "
        "parameter; then how a call is to be written. Values are neither quoted nor escaped: whether one is a number or text is "
        "for the tool's schema to say. A tool's result comes back in a user message, between <tool_response> and "
        "</tool_response>.",
    ),
    # The Qwen3-Coder model cards: "temperature=0.7, top_p=0.8, top_k=20, repetition_penalty=1.05".
    sampling={"temperature": 0.7, "top_p": 0.8, "top_k": 20},
)
