"""Tables that the families with ChatML turns (`<|im_start|>role … <|im_end|>`) share: control tokens and checkpoint files."""

from __future__ import annotations

from families.base import FileNote, Text, TokenGroup

TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text("標出誰在說話，以及話說到哪裡為止。", "Who is speaking, and where that ends."),
    {
        "<|im_start|>": Text(
            "一則訊息從這裡開始，後面接著角色：system、user 或 assistant。",
            "A message begins; its role follows: system, user or assistant.",
        ),
        "<|im_end|>": Text(
            "一則訊息到此結束。模型寫出它，就表示這一輪說完了。",
            "The message ends. When the model writes it, its turn is over.",
        ),
        "<|endoftext|>": Text(
            "整份文件到此結束。訓練時用它隔開不相干的文件，也拿來補齊長度。",
            "The whole document ends. In training it keeps unrelated documents apart; it also serves as padding.",
        ),
    },
)

THINKING = TokenGroup(
    Text("思考", "Thinking"),
    Text(
        "框住模型作答前的推理，這段不算答案。",
        "Frames the reasoning before the answer; what is inside is not part of the answer.",
    ),
    {
        "<think>": Text("思考從這裡開始。", "Thinking begins."),
        "</think>": Text("思考到此為止，接下來是答案或工具呼叫。", "Thinking ends; the answer or a tool call follows."),
    },
)

CALLS = TokenGroup(
    Text("工具呼叫", "Tool calls"),
    Text(
        "框住一個工具呼叫：一個寫著工具名稱與引數的 JSON 物件。",
        "Frames one tool call: a JSON object with the tool's name and its arguments.",
    ),
    {
        "<tool_call>": Text("工具呼叫從這裡開始，後面應該是 JSON。", "A tool call begins; JSON should follow."),
        "</tool_call>": Text("這個工具呼叫寫完了，可以執行。", "The tool call is complete and can be run."),
    },
)

RESPONSES = TokenGroup(
    Text("工具結果", "Tool results"),
    Text(
        "框住工具傳回的內容。由對話模板寫進提示，不該由模型自己寫。",
        "Frames what a tool returned. The chat template writes it into the prompt; the model should not write it itself.",
    ),
    {
        "<tool_response>": Text("工具的結果從這裡開始。", "A tool's result begins."),
        "</tool_response>": Text("工具的結果到此結束。", "The tool's result ends."),
    },
)

VISION = TokenGroup(
    Text("圖片與影片", "Images and video"),
    Text(
        "為看得懂圖的同系列模型保留。純文字模型的詞彙表裡也有，但用不到。",
        "Reserved for the models of the series that see. A text-only model has them in its vocabulary without using them.",
    ),
    {
        "<|vision_start|>": Text("一段圖片或影片的內容從這裡開始。", "An image or a video begins."),
        "<|vision_end|>": Text("圖片或影片的內容到此結束。", "The image or video ends."),
        "<|vision_pad|>": Text("圖像內容的占位符。", "A placeholder for visual content."),
        "<|image_pad|>": Text("占位符，讀入時換成圖片的一小塊。", "A placeholder that a patch of an image takes the place of."),
        "<|video_pad|>": Text("占位符，讀入時換成影片的一小塊。", "A placeholder that a patch of a video takes the place of."),
    },
)

GROUNDING = TokenGroup(
    Text("圖中位置", "Places in an image"),
    Text("讓看得懂圖的模型指出圖中的東西在哪裡。", "Lets the models that see say where in an image something is."),
    {
        "<|object_ref_start|>": Text("要指出的東西，名稱從這裡開始。", "The name of the thing that is pointed out begins."),
        "<|object_ref_end|>": Text("名稱到此結束。", "That name ends."),
        "<|box_start|>": Text("方框座標從這裡開始。", "The coordinates of a box begin."),
        "<|box_end|>": Text("方框座標到此結束。", "The coordinates of the box end."),
        "<|quad_start|>": Text("四邊形的四個角，座標從這裡開始。", "The four corners of a quadrilateral begin."),
        "<|quad_end|>": Text("四邊形座標到此結束。", "The quadrilateral ends."),
    },
)

CODE = TokenGroup(
    Text("程式碼補全", "Code completion"),
    Text(
        "用來把程式碼中間的空缺補上，以及標示檔案與專案。聊天時不會出現。",
        "For filling a gap in code and for telling files and repositories apart. They do not occur in chat.",
    ),
    {
        "<|fim_prefix|>": Text("空缺之前的程式碼。", "The code before the gap."),
        "<|fim_suffix|>": Text("空缺之後的程式碼。", "The code after the gap."),
        "<|fim_middle|>": Text("從這裡開始補上空缺。", "What fills the gap begins here."),
        "<|fim_pad|>": Text("補齊長度用。", "Padding for such inputs."),
        "<|repo_name|>": Text("後面是專案名稱。", "The name of a repository follows."),
        "<|file_sep|>": Text("隔開兩個檔案。", "Keeps two files apart."),
    },
)

REPOSITORIES = TokenGroup(
    Text("程式碼與議題", "Code and issues"),
    Text(
        "SmolLM2 預訓練時用來標示程式碼檔案與 GitHub 議題，聊天時用不到。",
        "SmolLM2 learned them in pretraining, where they mark code files and GitHub issues; chat does not use them.",
    ),
    {
        "<repo_name>": Text("後面是專案名稱。", "The name of a repository follows."),
        "<reponame>": Text("專案名稱的另一種寫法。", "Another spelling of the mark for a repository's name."),
        "<file_sep>": Text("隔開兩個檔案。", "Keeps two files apart."),
        "<filename>": Text("後面是檔案名稱。", "The name of a file follows."),
        "<gh_stars>": Text("後面是專案在 GitHub 的星數。", "The repository's number of stars on GitHub follows."),
        "<issue_start>": Text("一則議題從這裡開始。", "An issue begins."),
        "<issue_comment>": Text("議題裡的一則留言。", "A comment on the issue."),
        "<issue_closed>": Text("議題已關閉。", "The issue was closed."),
    },
)

QWEN_GROUPS = (TURNS, CALLS, VISION, GROUNDING, CODE)
"""The control tokens of Qwen2.5's vocabulary; Qwen3's adds THINKING and RESPONSES."""

TURN_OVER = Text("模型說完了這一輪。", "The model has finished its turn.")
DOCUMENT_OVER = Text(
    "模型認為整份文件結束了。聊天時也算說完，只是少見。",
    "The model holds the whole document to be over. In chat that ends the turn too, though rarely.",
)
STOP_TOKENS = {"<|im_end|>": TURN_OVER, "<|endoftext|>": DOCUMENT_OVER}

FILE_NOTES = (
    FileNote(
        "config.json",
        Text(
            "模型的架構：有幾層、多寬、能讀多長。載入時照著它搭出網路。",
            "The architecture: how many layers, how wide, how long a text fits. Loading builds the network from it.",
        ),
        {
            "model_type": Text(
                "架構的名字；程式靠它選出要用的模型類別。",
                "The architecture's name, by which the software picks the model class.",
            ),
            "num_hidden_layers": Text("層數。每個 token 都要走過全部的層。", "Layers; every token passes through all of them."),
            "hidden_size": Text("每個 token 在網路裡用幾個數表示。", "How many numbers stand for a token inside the network."),
            "num_attention_heads": Text("每層有幾個注意力頭。", "Attention heads in each layer."),
            "num_key_value_heads": Text(
                "鍵與值的頭數；比注意力頭少，快取就小。",
                "Heads that keep keys and values; fewer than attention heads make a smaller cache.",
            ),
            "vocab_size": Text(
                "輸出層有幾列，也就是最多能選幾種 token。",
                "Rows of the output layer: how many tokens there are to choose from, at most.",
            ),
            "max_position_embeddings": Text("提示加回答最多幾個 token。", "The longest prompt and answer together, in tokens."),
            "tie_word_embeddings": Text(
                "輸入與輸出是否共用同一張 token 表。",
                "Whether reading and writing share one table of tokens.",
            ),
            "dtype": Text(
                "模型用哪種數字格式載入；檔案裡存的可能是另一種。",
                "The number format that the model is loaded in; the files may hold another one.",
            ),
        },
    ),
    FileNote(
        "generation_config.json",
        Text("作者建議的抽樣方式，以及哪些 token 代表結束。", "How its authors recommend sampling, and which tokens end a turn."),
        {
            "temperature": Text(
                "溫度：越高，機率低的 token 越常被抽中。",
                "The temperature: the higher, the more often an unlikely token is drawn.",
            ),
            "top_p": Text(
                "只留下最可能、機率合計達到這個值的那些 token。",
                "Only the most likely tokens that together reach this probability stay in the draw.",
            ),
            "top_k": Text("只留下這麼多個最可能的 token。", "Only this many of the most likely tokens stay in the draw."),
            "eos_token_id": Text(
                "寫出這些編號的 token 就停；模型家族自己的結束 token 也算。",
                "Ids of the tokens that end the writing; the family's own stop tokens do so, too.",
            ),
        },
    ),
    FileNote(
        "tokenizer.json",
        Text(
            "詞彙表與切分規則：文字怎麼變成編號，編號怎麼變回文字。",
            "The vocabulary and the rules of splitting: how text becomes ids, and ids text.",
        ),
        {
            "model.type": Text(
                "切分的方法；BPE 由常見的片段往上拼。",
                "The method of splitting; BPE builds up from frequent fragments.",
            ),
            "normalizer.type": Text("切分前怎麼統一字元的寫法。", "How spellings of a character are unified before splitting."),
            "decoder.type": Text(
                "怎麼把 token 拼回文字；ByteLevel 是逐位元組拼。",
                "How tokens are joined to text again; ByteLevel joins bytes.",
            ),
        },
    ),
    FileNote(
        "tokenizer_config.json",
        Text(
            "分詞器的設定：哪個 token 表示結束、哪個用來補齊，有時也放對話模板。",
            "Settings of the tokenizer: which token ends, which one pads, at times also the chat template.",
        ),
        {
            "eos_token": Text("表示一輪結束的 token。", "The token that ends a turn."),
            "pad_token": Text("把一批文字補成一樣長的 token。", "The token that fills a batch up to one length."),
            "model_max_length": Text(
                "分詞器認為的長度上限；很大的數等於沒設。",
                "The tokenizer's idea of the longest text; a huge number means none is set.",
            ),
        },
    ),
    FileNote(
        "chat_template.jinja",
        Text(
            "對話模板：一段 Jinja 程式，把訊息、工具與思考開關寫成模型實際讀到的提示。",
            "The chat template: a Jinja program that writes messages, tools and the thinking switch as the prompt the model "
            "really reads.",
        ),
    ),
    FileNote(
        "model.safetensors",
        Text(
            "權重：訓練學到的所有數字。這種格式只放數字，載入時不會執行任何程式。",
            "The weights: every number that training found. The format holds numbers only; loading it runs no code.",
        ),
    ),
)
