"""Gemma 4, every size: the E models and the large ones write the same, only the end of their prompts differs.

Sources: the chat templates of E2B and 31B, and Google's "Gemma 4 Prompt Formatting" for what the control tokens mean.
"""

from __future__ import annotations

import re
from functools import partial

from families.base import Family, FileNote, Text, TokenGroup
from families.chatml import DOCUMENT_OVER, TURN_OVER
from families.gemma_marks import Dialect
from families.gemma_parser import parse_turn
from families.gemma_tables import DOCUMENT, FILE_NOTES

DIALECT = Dialect(
    call="<|tool_call>",
    end_call="<tool_call|>",
    string='<|"|>',
    stops=("<turn|>", "<|tool_response>", "<eos>"),
    control=("<|turn>", "<tool_response|>", "<|think|>", "<|tool>", "<tool|>"),
    think="<|channel>",
    end_think="<channel|>",
)

parse = partial(parse_turn, DIALECT)


TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text("標出誰在說話，以及話說到哪裡為止。", "Who is speaking, and where that ends."),
    {
        "<|turn>": Text(
            "一輪從這裡開始，後面接著角色：system、user 或 model。",
            "A turn begins; its role follows: system, user or model.",
        ),
        "<turn|>": Text(
            "這一輪到此結束。模型寫出它，就表示話說完了。",
            "The turn ends. When the model writes it, it has finished speaking.",
        ),
    },
)

THINKING = TokenGroup(
    Text("思考", "Thinking"),
    Text(
        "打開思考，並框住模型作答前的推理；這段不算答案。",
        "Switches thinking on and frames the reasoning before the answer; what is inside is not part of the answer.",
    ),
    {
        "<|think|>": Text(
            "放在系統訊息裡，請模型先思考。由模板寫，不由模型寫。",
            "Stands in the system message and asks the model to think. The template writes it, not the model.",
        ),
        "<|channel>": Text(
            "一個頻道從這裡開始，後面接著頻道名稱；思考的頻道叫 thought。",
            "A channel begins; its name follows. The channel for thinking is called thought.",
        ),
        "<channel|>": Text("頻道到此結束，接下來是答案或工具呼叫。", "The channel ends; the answer or a tool call follows."),
    },
)

TOOLS = TokenGroup(
    Text("工具", "Tools"),
    Text("框住工具的說明、呼叫與結果。", "Frame the description of a tool, a call, and its result."),
    {
        "<|tool>": Text("一個工具的說明從這裡開始。", "The description of a tool begins."),
        "<tool|>": Text("工具的說明到此結束。", "The description ends."),
        "<|tool_call>": Text(
            "工具呼叫從這裡開始，後面應該是 call:、工具名稱與大括號裡的引數。",
            "A tool call begins; “call:”, the tool's name and its arguments in braces should follow.",
        ),
        "<tool_call|>": Text("這個工具呼叫寫完了，可以執行。", "The tool call is complete and can be run."),
        "<|tool_response>": Text(
            "工具的結果從這裡開始。模型寫出它，就是停下來等結果。",
            "A tool's result begins. When the model writes it, it stops and waits for the result.",
        ),
        "<tool_response|>": Text("工具的結果到此結束。", "The result ends."),
        '<|"|>': Text(
            "字串的引號，開頭與結尾都是它。夾在中間的字一律算內容，不用跳脫。",
            "The quotation mark of strings, at both ends. Whatever stands between two of them is content; nothing is escaped.",
        ),
    },
)

MEDIA = TokenGroup(
    Text("圖片、聲音與影片", "Images, audio and video"),
    Text(
        "標出圖片、聲音或影片放在提示的哪裡，讀入時換成算好的內容。",
        "Say where an image, audio or video stands in the prompt; reading it puts what was computed from it in their place.",
    ),
    {
        "<|image>": Text("圖片的內容從這裡開始。", "The content of an image begins."),
        "<image|>": Text("圖片的內容到此結束。", "The content of the image ends."),
        "<|image|>": Text("占位符，讀入時換成圖片的內容。", "A placeholder that the content of an image takes the place of."),
        "<|audio>": Text("聲音的內容從這裡開始。", "The content of a sound begins."),
        "<audio|>": Text("聲音的內容到此結束。", "The content of the sound ends."),
        "<|audio|>": Text("占位符，讀入時換成聲音的內容。", "A placeholder that the content of a sound takes the place of."),
        "<|video|>": Text("占位符，讀入時換成影片各格的內容。", "A placeholder that the frames of a video take the place of."),
    },
)

_CONFIG = FileNote(
    "config.json",
    Text(
        "模型的架構：文字、圖像與聲音各一段設定；只有文字的模型，設定就直接在最上層。載入時照著它搭出網路。",
        "The architecture, with a section each for text, images and audio; a checkpoint for text alone has its fields at the "
        "top. Loading builds the network from it.",
    ),
    {
        "model_type": Text(
            "架構的名字；程式靠它選出要用的模型類別。",
            "The architecture's name, by which the software picks the model class.",
        ),
        "text_config.num_hidden_layers": Text(
            "層數。每個 token 都要走過全部的層。",
            "Layers; every token passes through all of them.",
        ),
        "text_config.hidden_size": Text(
            "每個 token 在網路裡用幾個數表示。",
            "How many numbers stand for a token inside the network.",
        ),
        "text_config.hidden_size_per_layer_input": Text(
            "每一層另外為 token 準備的數有幾個；0 表示沒有這份逐層的 token 表。",
            "How many numbers each layer gets of its own for a token; 0 means there is no such table for each layer.",
        ),
        "text_config.num_attention_heads": Text("每層有幾個注意力頭。", "Attention heads in each layer."),
        "text_config.num_key_value_heads": Text(
            "鍵與值的頭數；比注意力頭少，快取就小。",
            "Heads that keep keys and values; fewer than attention heads make a smaller cache.",
        ),
        "text_config.sliding_window": Text(
            "看得近的那些層往回看幾個 token；其餘的層看整份提示。",
            "How many tokens back the layers with a short view look; the others see the whole prompt.",
        ),
        "text_config.num_kv_shared_layers": Text(
            "最後幾層不自己算鍵與值，沿用前面的。",
            "How many of the last layers compute no keys and values of their own and use earlier ones.",
        ),
        "text_config.num_experts": Text(
            "專家網路有幾個；沒有這一項就不是混合專家模型。",
            "How many experts there are; without a value it is no mixture of experts.",
        ),
        "text_config.top_k_experts": Text("每個 token 用到幾個專家。", "How many experts each token passes through."),
        "text_config.vocab_size": Text(
            "輸出層有幾列，也就是最多能選幾種 token。",
            "Rows of the output layer: how many tokens there are to choose from, at most.",
        ),
        "text_config.max_position_embeddings": Text(
            "提示加回答最多幾個 token。",
            "The longest prompt and answer together, in tokens.",
        ),
        "vision_config.num_hidden_layers": Text("讀圖片的網路有幾層。", "Layers of the network that reads images."),
        "audio_config.num_hidden_layers": Text(
            "讀聲音的網路有幾層；沒有這一段就聽不懂聲音。",
            "Layers of the network that reads audio; without this section the model does not hear.",
        ),
        "dtype": Text(
            "模型用哪種數字格式載入；檔案裡存的可能是另一種。",
            "The number format that the model is loaded in; the files may hold another one.",
        ),
    },
)

_PROCESSOR = FileNote(
    "processor_config.json",
    Text(
        "圖片、聲音與影片怎麼變成 token 的位置。",
        "How images, audio and video become places among the tokens.",
    ),
    {
        "image_seq_length": Text("一張圖片最多占幾個 token。", "The most tokens that an image takes up."),
        "audio_seq_length": Text("一段聲音最多占幾個 token。", "The most tokens that a sound takes up."),
        "audio_ms_per_token": Text("一個 token 代表幾毫秒的聲音。", "How many milliseconds of sound a token stands for."),
    },
)

GEMMA4 = Family(
    key="gemma4",
    name="Gemma 4",
    model_types=frozenset({"gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text"}),
    required_tokens=("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>"),
    parse=parse,
    channels={
        "<|channel>": "thought",
        "<channel|>": "content",
        "<|tool_call>": "tool_call",
        "<tool_call|>": "content",
        "<|tool_response>": "control",
        "<tool_response|>": "control",
        "<|turn>": "control",
        "<turn|>": "control",
        "<|think|>": "control",
        "<|tool>": "control",
        "<tool|>": "control",
        "<eos>": "control",
    },
    thinking_openers=("<|channel>thought\n", "<|channel>thought", "<|channel>"),
    stop_tokens={
        "<turn|>": TURN_OVER,
        "<|tool_response>": Text(
            "模型呼叫了工具，停下來等結果。",
            "The model has called a tool and stops to wait for the result.",
        ),
        "<eos>": DOCUMENT_OVER,
    },
    thinking_field="reasoning_content",
    # Though the template has a field for thinking, it cuts out of a message's text what stands between these.
    cut_in_text=re.compile(r"<\|channel>|<channel\|>"),
    thinking_argument="enable_thinking",
    keeps_text_before_call=True,
    user_turn_start="<|turn>user\n",
    token_groups=(TURNS, THINKING, TOOLS, MEDIA, DOCUMENT),
    thinking_note=Text(
        "開啟時，模板在系統訊息開頭寫下 <|think|>，由模型自己寫 <|channel>thought 開始思考；"
        "2026 年 7 月的 E2B 模板在工具結果之後會直接替它打開思考。關閉時不寫 <|think|>；"
        "31B 的模板還在提示最後放一段空的思考（<|channel>thought 馬上接 <channel|>），E2B 的不放。"
        "先前問題的思考不會再寫進提示。",
        "On: the template writes <|think|> at the start of the system message, and the model writes <|channel>thought itself; "
        "E2B's template of July 2026 opens the thought for it after a tool's result. Off: no <|think|>; the template of 31B "
        "also ends the prompt with an empty thought, <|channel>thought and at once <channel|>, which E2B's does not. The "
        "thinking of earlier questions is not written into the prompt again.",
    ),
    tools_note=Text(
        "每個工具寫在系統訊息裡，夾在 <|tool> 與 <tool|> 之間：declaration: 後面接名稱與參數，"
        "字串放在兩個 <|\"|> 之間，型別用大寫。工具的結果緊接在呼叫之後，"
        "夾在 <|tool_response> 與 <tool_response|> 之間，仍屬模型的同一輪。"
        "重寫成歷史時，引數依鍵名排序，呼叫前的文字移到工具結果之後。",
        "Each tool stands in the system message between <|tool> and <tool|>: “declaration:”, its name and its parameters, "
        "strings between two <|\"|>, types in capitals. A tool's result follows right after the call, between <|tool_response> "
        "and <tool_response|>, inside the model's own turn. When a turn is written again as history, arguments are sorted by "
        "key, and text before a call moves behind the tool's result.",
    ),
    # The generation_config.json that transformers' convert_gemma4_weights.py writes for every size.
    sampling={"temperature": 1.0, "top_p": 0.95, "top_k": 64},
    vocabulary="sentencepiece",
    file_notes=(_CONFIG, _PROCESSOR, *FILE_NOTES),
    call_closers=("<tool_call|>",),
    string_marks=('<|"|>',),
)
