"""What the model picker says, and the sidebar about the model that is loaded."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

PICKER: Mapping[str, Text] = {
    "choose_model": Text("換模型……", "Choose a model …"),
    "choose_model_help": Text(
        "模型在這裡是一個檢查點：神經網路的權重，連同它的分詞器和對話模板。換一個，同樣的問題就有不同的寫法，呼叫工具的格式和"
        "建議的抽樣設定也會不同。可以用內建的、這台電腦上的資料夾或 .gguf 檔，或 Hugging Face hub 上的。",
        "A model here is a checkpoint: the weights of a network with the tokenizer and the chat template that belong to it. "
        "Another one answers the same question differently, may write its tool calls in another format, and brings its own "
        "recommended sampling. Take the built-in one, a folder or a .gguf file on this computer, or one of the Hugging Face hub.",
    ),
    "picker_title": Text("選一個模型", "Choose a model"),
    "picker_name": Text("路徑或名稱", "Path or name"),
    "picker_name_example": Text("/models/我的模型、模型.gguf，或 擁有者/名稱", "/models/mine, model.gguf, or owner/name"),
    "picker_name_help": Text(
        "三種都可以：一個資料夾，裡面是 Hugging Face 格式的模型（config.json、分詞器、safetensors）；一個 .gguf 檔；或 "
        "Hugging Face hub 上的名稱，沒有下載過就先下載。名稱後面加 @ 和 commit，就用那個版本。",
        "One of three: a folder with a checkpoint in Hugging Face's layout (config.json, tokenizer, safetensors); a .gguf file; "
        "or a name on the Hugging Face hub, which is downloaded if it is not here. With @ and a commit behind it, that version "
        "is used.",
    ),
    "picker_one": Text(
        "記憶體裡一次只放一個模型：換了就是所有分頁一起換，還在下載的會停下，收到的部分留著。",
        "One model is in memory at a time, so a change holds for every tab. A download in progress stops; what has arrived is "
        "kept.",
    ),
    "picker_here": Text("這台電腦上的", "On this computer"),
    "picker_builtin": Text("隨程式附上的小模型，不必連網", "the small model that comes with the program; needs no network"),
    "picker_recommended": Text("Hugging Face hub 上推薦的", "Recommended on the Hugging Face hub"),
    "picker_use": Text("使用", "Use"),
    "picker_get": Text("下載並使用", "Download and use"),
    "picker_in_use": Text("使用中", "In use"),
    "picker_forget": Text("從清單移除", "Remove from the list"),
    "picker_folder": Text("資料夾", "folder"),
    "picker_gguf": Text(
        "GGUF 檔，讀入時展開，占的記憶體和完整的模型一樣",
        "a .gguf file; it is expanded when it is read and takes as much memory as the full model",
    ),
    "picker_gone": Text("找不到了", "not there any more"),
    "picker_cached": Text("在快取裡，版本 {commit}", "in the cache, commit {commit}"),
    "picker_reads": Text("讀{what}", "reads {what}"),
    "medium_text": Text("文字", "text"),
    "medium_image": Text("圖片", "images"),
    "medium_audio": Text("聲音", "audio"),
    "medium_video": Text("影片", "video"),
    "picker_unknown": Text("大小與授權還不知道", "size and licence not known yet"),
    "picker_licence": Text("授權 {licence}", "licence {licence}"),
    "picker_no_licence": Text("沒有寫明授權", "names no licence"),
    "picker_gated": Text("要先到 hub 申請", "access must be asked for on the hub"),
    "picker_downloaded": Text("已下載", "downloaded"),
    "picker_asking": Text("正在向 hub 詢問大小與授權……", "Asking the hub for sizes and licences …"),
    "picker_silent": Text(
        "問不到大小與授權：Hugging Face hub 沒有回應，可能是沒有網路。已經在這台電腦上的模型照樣能用。",
        "Sizes and licences are not known: the Hugging Face hub does not answer. Is there a network? What is on this computer "
        "works without it.",
    ),
    "device": Text("裝置", "Device"),
    "device_help": Text(
        "模型在哪裡計算：cuda 是 NVIDIA 顯示卡，mps 是 Apple 晶片的 GPU，cpu 每台電腦都有，只是慢。",
        "Where the model is computed: cuda is an NVIDIA GPU, mps the GPU of an Apple chip; every computer has a cpu, "
        "which is slow.",
    ),
    "dtype": Text("數字格式", "Number format"),
    "dtype_help": Text(
        "權重用哪種格式的數字。bfloat16 與 float16 占的記憶體是 float32 的一半，在許多 CPU 上反而慢。"
        "換了格式，機率會有些微不同。",
        "The numbers that the weights are kept in. bfloat16 and float16 take half the memory of float32 and are slower on many "
        "CPUs. Another format changes the probabilities slightly.",
    ),
    "automatic": Text("自動（{best}）", "Automatic ({best})"),
    "as_checkpoint": Text("照檢查點", "As in the checkpoint"),
    "placed": Text("在 {device} 上，{dtype}", "On {device}, {dtype}"),
    "commit": Text("hub 版本 {commit}", "Hub commit {commit}"),
    "pin": Text("固定在這個版本", "Stay at this commit"),
    "pin_help": Text(
        "打開後，以後都用這個版本，hub 上有更新也不換，沒有網路也不用問。記在設定檔：{path}",
        "Switched on, this version is used from now on, whatever is newer on the hub, and without asking it. Kept in the "
        "settings file {path}",
    ),
}
