"""What the Model tab says: about facts, parts, kinds of attention, files, tokens and the template, for someone who learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from families.base import Text


class Said(NamedTuple):
    """A fact's name and, in a sentence, what it is."""

    label: Text
    help: Text


MODEL: Mapping[str, Text] = {
    "tab_run": Text("提問", "Ask"),
    "tab_model": Text("模型", "Model"),
    "model_tab_about": Text(
        "這裡是目前載入的模型：它的檔案寫了什麼，每一項寫在哪裡；檔案沒寫的就不寫。存在磁碟上的模型叫檢查點（checkpoint），裡面是"
        "訓練出來的數字，還有說明怎麼用的檔案。用同一種寫法寫思考和工具呼叫的模型，合稱一個家族。",
        "This is the loaded model: what its files say, and where they say it. What they do not say is not made up. A model as it "
        "lies on a disk is called a checkpoint: the numbers that training found, and files that say how to use them. Models that "
        "write thinking and tool calls in the same way make a family.",
    ),
    "model_tab_loading": Text(
        "模型「{model}」還在載入，載入完就會在這裡介紹它。",
        "The model “{model}” is being loaded. It is described here as soon as it is ready.",
    ),
    "model_tab_none": Text("沒有載入模型，沒有可介紹的。", "No model is loaded, so there is nothing to describe."),
    "model_tab_no_files": Text(
        "這個模型沒有檔案可讀（例如照腳本演出的模型），所以架構、參數和對話模板都無從得知。下面是 {family} 家族的說明。",
        "There are no files to read for this model (it may play a script), so its architecture, parameters and chat template "
        "cannot be told. What follows is about the {family} family.",
    ),
    "model_tab_family": Text("{family} 家族", "{family} family"),
    "model_tab_place": Text("{family} 家族，檔案在 {path}", "{family} family; its files are in {path}"),
    "model_tab_commit": Text("，版本 {commit}", ", commit {commit}"),
    "section_network": Text("神經網路", "The network"),
    "section_text": Text("讀什麼、寫什麼", "What it reads and writes"),
    "section_memory": Text("在這台電腦上", "On this computer"),
    "section_parts": Text("參數放在哪裡", "Where the parameters are"),
    "section_parts_about": Text(
        "參數分裝在許多張量裡，一個張量就是一塊有名字的數字；權重檔開頭的目錄列出它們的名稱和大小。名稱裡的 * 代表每一層。",
        "Parameters are kept in tensors, blocks of numbers that have names. The weights begin with a list of all names and "
        "sizes. In a name, * stands for each of the layers.",
    ),
    "section_sampling": Text("建議的抽樣設定", "Recommended sampling"),
    "sampling_about": Text(
        "下一個 token 怎麼抽。每個設定的意思，側邊欄都有說明。",
        "How the next token is drawn. The sidebar explains each setting.",
    ),
    "section_template": Text("對話模板", "Chat template"),
    "section_tokens": Text("控制 token", "Control tokens"),
    "section_tokens_about": Text(
        "這些 token 不是文字，是訊號：誰在說話、思考到哪裡為止、呼叫從哪裡開始。編號是它在詞彙表裡的位置。",
        "These tokens are not text but signals: who speaks, where thinking ends, where a call begins. The number is the token's "
        "place in the vocabulary.",
    ),
    "section_files": Text("檔案", "Files"),
    "section_drafter": Text("草稿模型", "Drafter"),
    "section_drafter_about": Text(
        "草稿模型是一個小幫手：先猜接下來幾個 token，再由這個模型一次檢查完，可以寫得比較快。",
        "A drafter is a small helper that guesses the next few tokens, which the model then checks in one go; that can make "
        "writing faster.",
    ),
    "drafter_network": Text(
        "{name}：{parameters} 個參數，占記憶體 {size}，取自 {path}。",
        "{name}: {parameters} parameters, {size} in memory, from {path}.",
    ),
    "drafter_unknown": Text("這個檢查點沒有已知的草稿模型。", "None is known for this checkpoint."),
    "drafter_without": Text(
        "不靠第二個模型，也可以這樣猜：{names}（在側邊欄選）。",
        "Without a second model, guesses can come from: {names} (chosen in the sidebar).",
    ),
    "unknown": Text("不知道", "not known"),
    "from_file": Text("config.json 的 {where}", "config.json, {where}"),
    "from_file_not": Text("config.json 沒有寫 {where}", "config.json does not say {where}"),
    "from_default": Text(
        "config.json 沒有寫 {where}，這是 transformers 採用的值", "config.json leaves {where} out; transformers takes this",
    ),
    "from_gguf": Text("取自 .gguf 檔，由 transformers 解讀", "from the .gguf file, as transformers reads it"),
    "from_gguf_not": Text(".gguf 檔沒有寫", "the .gguf file does not say"),
    "from_model": Text("由載入後的模型得知", "found on the loaded model"),
    "from_headers": Text("加總自權重檔開頭的目錄", "added up from the lists at the head of the weights"),
    "from_headers_not": Text(
        "沒有可以逐一計數的 safetensors", "there are no safetensors whose numbers could be counted one by one",
    ),
    "from_headers_packed": Text(
        "權重經過量化，好幾個參數擠在一個數字裡，數出來的不算數",
        "the weights are quantised: several parameters share one stored number, so a count would be wrong",
    ),
    "from_tokenizer": Text("分詞器", "the tokenizer"),
    "by_layer": Text("{values}，依層而定", "{values}, depending on the layer"),
    "n_tokens": Text("{n} 個 token", "{n} tokens"),
    "n_numbers": Text("{dtype}（{n} 個數字）", "{dtype} ({n} numbers)"),
    "bytes_exact": Text("{size}（{n} 位元組）", "{size} ({n} bytes)"),
    "attention": Text("注意力的種類", "Kinds of attention"),
    "attention_help": Text(
        "每一層怎麼回頭看前面的 token，從第一層到最後一層；一格是一層。",
        "How each layer looks back at earlier tokens, from the first layer to the last; one square is one layer.",
    ),
    "attention_class": Text(
        "config.json 沒有分種類，這是載入後每一層所用的類別",
        "config.json names no kinds; this is the class that each loaded layer has",
    ),
    "layer_number": Text("第 {n} 層", "layer {n}"),
    "beside_text": Text("除了文字還能讀", "Reads beside text"),
    "beside_text_help": Text(
        "要讀圖片或聲音，檢查點得有一個自己的編碼器，把它們變成模型讀得懂的數字。",
        "To read images or sound, a checkpoint needs an encoder of its own that turns them into numbers the model understands.",
    ),
    "beside_text_none": Text("沒有，只讀文字", "nothing, text only"),
    "beside_text_none_from": Text("config.json 裡沒有別種輸入的編碼器", "config.json holds no encoder for another kind of input"),
    "encoder": Text("{name}（{type}）", "{name} ({type})"),
    "encoder_layers": Text("{name}（{type}，{n} 層）", "{name} ({type}, {n} layers)"),
    "encoder_from": Text("config.json；處理器檔案：{files}", "config.json; processor files: {files}"),
    "encoder_from_no_processor": Text(
        "config.json；但缺少把輸入整理給編碼器的處理器檔案",
        "config.json; but the processor file that prepares input for the encoder is missing",
    ),
    "fed_nothing": Text("Loopglass 目前只餵它文字。", "Loopglass gives it text only."),
    "fed": Text("Loopglass 可以餵它：文字、{kinds}。", "Loopglass can give it text and: {kinds}."),
    "image": Text("圖片", "images"),
    "audio": Text("聲音", "audio"),
    "video": Text("影片", "video"),
    "part": Text("部分", "Part"),
    "part_share": Text("占比", "Share"),
    "part_count": Text("參數", "Parameters"),
    "parts_rest": Text("其餘 {n} 個部分", "{n} smaller parts"),
    "sampling_setting": Text("設定", "Setting"),
    "sampling_value": Text("建議值", "Recommended"),
    "sampling_from": Text("出處", "From"),
    "sampling_in_file": Text("generation_config.json", "generation_config.json"),
    "sampling_neutral": Text(
        "generation_config.json 沒有給；用不做任何改變的值", "generation_config.json gives none; this value changes nothing",
    ),
    "sampling_greedy": Text(
        "generation_config.json 寫了 do_sample: false：不抽籤，永遠拿最可能的 token",
        "generation_config.json says do_sample: false: nothing is drawn, the most likely token is always taken",
    ),
    "sampling_family": Text("{family} 家族的建議", "what the {family} family recommends"),
    "sampling_no_file": Text(
        "檢查點沒有 generation_config.json，所以用家族的建議。",
        "The checkpoint has no generation_config.json, so the family's recommendation is taken.",
    ),
    "sampling_silent": Text(
        "generation_config.json 沒有建議 temperature、top_p 或 top_k，所以用家族的建議。",
        "Its generation_config.json recommends no temperature, top_p or top_k, so the family's recommendation is taken.",
    ),
    "sampling_left_out": Text(
        "檔案裡還有這些抽樣設定，Loopglass 不套用：{names}。",
        "The file also holds settings that Loopglass does not apply: {names}.",
    ),
    "template_about": Text(
        "模板是一段程式：把訊息、工具和思考開關排成模型真正讀到的文字。",
        "The template is a program: it writes messages, tools and the thinking switch out as the text that the model reads.",
    ),
    "template_in_family": Text(
        "**{family}** 系列的模板大致是這樣；這個模型的模板就在下面，兩者不同時以它為準：",
        "What templates of the family **{family}** do; this checkpoint’s own stands below, and where they differ, it counts:",
    ),
    "template_file": Text("取自 {file}，共 {n} 行。", "From {file}, {n} lines."),
    "template_file_unknown": Text("共 {n} 行。", "{n} lines."),
    "template_name": Text("模板「{name}」", "The template “{name}”"),
    "template_tools": Text("跟著工具變的部分", "Depends on the tools"),
    "template_tools_none": Text(
        "這份模板沒有用到變數 tools：工具的說明不會由它寫進提示。",
        "This template never uses the variable tools: it does not write tools into the prompt.",
    ),
    "template_unreadable": Text(
        "jinja2 讀不懂這份模板，所以不知道哪裡跟著工具或思考開關變。",
        "jinja2 cannot read this template, so where it depends on the tools or on a thinking switch is not known.",
    ),
    "template_cut": Text("……後面還有 {n} 個字元，不顯示", "… {n} more characters are not shown"),
    "template_thinking": Text("跟著思考開關 {switch} 變的部分", "Depends on the thinking switch {switch}"),
    "template_thinking_none": Text(
        "這份模板沒有用到思考開關 {switch}：開或關，提示都一樣。",
        "This template never uses the thinking switch {switch}: the prompt is the same on and off.",
    ),
    "template_no_switch": Text("{family} 家族的模板沒有思考開關。", "The {family} family's templates have no thinking switch."),
    "template_lines": Text("第 {first}–{last} 行", "lines {first}–{last}"),
    "template_line": Text("第 {first} 行", "line {first}"),
    "token_ends": Text("寫到這裡就停：", "Ends the turn: "),
    "tokens_absent": Text(
        "家族還認得這些，但這個檢查點的詞彙表裡沒有：",
        "The family also knows these, but this checkpoint's vocabulary lacks them:",
    ),
    "tokens_other": Text(
        "另有 {n} 個控制 token，Loopglass 不知道它們的用途", "{n} further control tokens, whose purpose Loopglass does not know",
    ),
    "more": Text("……還有 {n} 個", "… and {n} more"),
    "file_missing": Text("這個檢查點沒有", "not in this checkpoint"),
    "file_unreadable": Text("無法讀取其中的欄位。", "Its fields could not be read."),
    "file_count": Text("{size}，{n} 個檔案", "{size} in {n} files"),
    "field_missing": Text("檔案裡沒有", "not in the file"),
    "field": Text("欄位", "Field"),
    "field_value": Text("這裡的值", "Its value here"),
    "field_meaning": Text("意思", "What it means"),
    "list_more": Text("……共 {n} 項", "… {n} in all"),
}

FACTS: Mapping[str, Mapping[str, Said]] = {
    "section_network": {
        "architecture": Said(
            Text("架構", "Architecture"),
            Text(
                "網路照這份藍圖搭成；這是它在 transformers 函式庫裡的名字。",
                "The plan that the network is built by, under its name in the transformers library.",
            ),
        ),
        "model_type": Said(
            Text("架構代號", "Model type"),
            Text("程式靠它選出要用的程式碼。", "The name by which the software picks its code."),
        ),
        "class": Said(
            Text("載入成", "Loaded as"),
            Text(
                "實際搭起來的網路；可能只用到檢查點的一部分。",
                "The network that was really built; it may use only a part of the checkpoint.",
            ),
        ),
        "parameters": Said(
            Text("參數", "Parameters"),
            Text(
                "訓練出來的數字，也叫權重，一共這麼多。",
                "The numbers that training found, also called weights; there are this many.",
            ),
        ),
        "parameters_loaded": Said(
            Text("載入的參數", "Parameters loaded"),
            Text("真正放進記憶體、拿來計算的。", "Those that are in memory and take part."),
        ),
        "layers": Said(
            Text("層數", "Layers"),
            Text(
                "每個 token 都要從第一層走到最後一層。",
                "Every token passes through all of them, from the first to the last.",
            ),
        ),
        "width": Said(
            Text("寬度", "Width"),
            Text("在層與層之間，每個 token 用這麼多個數字表示。", "Between layers, each token is this many numbers."),
        ),
        "heads": Said(
            Text("注意力頭", "Attention heads"),
            Text("每層同時從這麼多個角度回頭看。", "Each layer looks back in this many ways at once."),
        ),
        "key_value_heads": Said(
            Text("鍵值頭", "Key and value heads"),
            Text(
                "讀過的內容以鍵與值留在快取裡，這是留下來的頭數；越少越省記憶體。",
                "What was read stays in the cache as keys and values, for this many heads; fewer need less memory.",
            ),
        ),
        "head_size": Said(
            Text("每個頭的寬度", "Width of a head"), Text("每個頭用幾個數字比對。", "How many numbers a head compares."),
        ),
        "window": Said(
            Text("滑動視窗", "Sliding window"),
            Text(
                "用滑動視窗的那些層只看最近這麼多個 token。",
                "Layers with a sliding window see only this many of the last tokens.",
            ),
        ),
        "experts": Said(
            Text("專家", "Experts"),
            Text("一層裡有這麼多個可以選的小網路。", "Small networks to choose from in a layer."),
        ),
        "experts_per_token": Said(
            Text("每個 token 用幾個專家", "Experts per token"),
            Text(
                "每個 token 只經過其中這幾個，所以計算量比總參數看起來少。",
                "A token passes through only this many of them, which takes less arithmetic than all parameters would.",
            ),
        ),
    },
    "section_text": {
        "vocabulary": Said(
            Text("輸出的選項", "Output choices"),
            Text(
                "每寫一個 token，模型就替這麼多個編號各算一個分數。",
                "For each token that it writes, the model scores this many token ids.",
            ),
        ),
        "tokens": Said(
            Text("詞彙表", "Vocabulary"),
            Text(
                "分詞器認得這麼多個 token；輸出的選項若比較多，多的編號沒有用到。",
                "The tokenizer knows this many tokens; where there are more choices than that, the rest of the ids are unused.",
            ),
        ),
        "context": Said(
            Text("上下文長度", "Context length"),
            Text("提示加上回答最多這麼長。", "The longest that prompt and answer together can be."),
        ),
    },
    "section_memory": {
        "stored_as": Said(
            Text("存成", "Stored as"),
            Text("權重在檔案裡是哪種數字。", "The number format of the weights in the files."),
        ),
        "quantization": Said(
            Text("量化", "Quantisation"),
            Text("權重用較少的位元近似，省記憶體。", "The weights are approximated with fewer bits, which saves memory."),
        ),
        "dtype": Said(
            Text("計算用", "Computes in"),
            Text(
                "載入之後用哪種數字計算：float32 每個數字占四個位元組，bfloat16 和 float16 占兩個。",
                "The number format after loading: float32 takes four bytes a number, bfloat16 and float16 take two.",
            ),
        ),
        "memory": Said(
            Text("占用記憶體", "Memory"),
            Text(
                "權重占的記憶體；對話的快取另計，隨長度增加。",
                "What the weights take; the cache of the conversation comes on top and grows with its length.",
            ),
        ),
        "device": Said(Text("裝置", "Device"), Text("模型在哪裡計算。", "Where the model computes.")),
    },
}
"""Facts by section, in the order in which they are shown."""

KINDS: Mapping[str, Text] = {
    "full_attention": Text("看得到前面每一個 token。", "Sees every earlier token."),
    "sliding_attention": Text("只看得到最近一段 token。", "Sees only the last stretch of tokens."),
    "chunked_attention": Text("只看得到同一段裡的 token。", "Sees only the tokens of its own chunk."),
    "linear_attention": Text(
        "不逐一回看，把讀過的濃縮在固定大小的狀態裡。", "Does not look back at each token; keeps a state of fixed size instead.",
    ),
    "conv": Text("短卷積：只混合緊鄰的幾個 token。", "A short convolution, which mixes a few neighbouring tokens."),
}
"""Kinds of attention as transformers names them in `layer_types`."""

PARTS: Mapping[str, Text] = {
    "mtp": Text("一次多猜幾個 token 用的部分", "for predicting several tokens at once"),
    "visual": Text("看圖的編碼器", "the encoder of images"),
    "vision_tower": Text("看圖的編碼器", "the encoder of images"),
    "embed_vision": Text("把圖片接到文字這邊", "joins images to the text"),
    "audio_tower": Text("聽聲音的編碼器", "the encoder of sound"),
    "embed_audio": Text("把聲音接到文字這邊", "joins sound to the text"),
    "embed_tokens_per_layer": Text("每一層各有一張的 token 表", "a table of tokens for each layer"),
    "embed_tokens": Text("把 token 編號變成數字的表", "the table that turns a token id into numbers"),
    "lm_head": Text("替詞彙表裡每個 token 打分數", "scores every token of the vocabulary"),
    "self_attn": Text("注意力：回頭看前面", "attention: looking back"),
    "linear_attn": Text("線性注意力：更新狀態", "linear attention: keeping a state"),
    "experts": Text("專家：可以選的前饋網路", "the experts: feed-forward networks to choose from"),
    "mlp": Text("前饋網路：逐一處理每個 token", "the feed-forward network, which works on each token by itself"),
    "per_layer_input_gate": Text("決定逐層的 token 數字各留多少", "weighs what a layer takes from its own token table"),
    "per_layer_projection": Text("把逐層的 token 數字接回這一層", "joins what the layer's token table says to the layer"),
    "per_layer_model_projection": Text("從 token 的數字算出每一層各自的份", "makes each layer's own share of a token's numbers"),
    "post_per_layer_input_norm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
    "per_layer_projection_norm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
    "pre_feedforward_layernorm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
    "post_feedforward_layernorm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
    "input_layernorm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
    "post_attention_layernorm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
    "norm": Text("把數字調回適當大小", "keeps the numbers at a fitting size"),
}
"""What a part of a network is for, by a piece of its tensors' names; the first one that occurs in a name counts."""
