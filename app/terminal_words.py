"""What the terminal says, in both languages. Why a run ended is worded in `app/viewer_words.py`."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

WORDS: Mapping[str, Text] = {
    "question": Text("問題", "Question"),
    "settings": Text(
        "模型 {model}，溫度 {temperature:g}，top-p {top_p:g}，top-k {top_k}，思考：{thinking}，工具：{tools}",
        "Model {model}, temperature {temperature:g}, top-p {top_p:g}, top-k {top_k}, thinking {thinking}, tools: {tools}",
    ),
    "placed": Text("在 {device} 上，數字格式 {dtype}", "On {device}, numbers in {dtype}"),
    "on": Text("開", "on"),
    "off": Text("關", "off"),
    "no_switch": Text("由模型決定", "up to the model"),
    "none": Text("無", "none"),
    "step": Text("第 {step} 步", "Step {step}"),
    "seed": Text("，亂數種子：{seed}", ", seed {seed}"),
    "drafter": Text("，先猜再驗：{drafter}", ", drafting by {drafter}"),
    "prompt": Text("提示：{n} 個 token", "Prompt: {n} tokens"),
    "prompt_new": Text("，其中 {n} 個是新的", ", {n} of them new"),
    "prompt_again": Text("，{n} 個要重讀", ", {n} read again"),
    "prefill": Text(
        "讀完提示：{ms:.0f} 毫秒（{reused} 個 token 沿用快取）", "Prompt read in {ms:.0f} ms ({reused} tokens from the cache)"
    ),
    "written": Text("寫了 {n} 個 token", "Tokens written: {n}"),
    "speed": Text("，每秒 {speed:.1f} 個", ", {speed:.1f} a second"),
    "stopped_at": Text("，停在 {piece}", ", stopped at {piece}"),
    "finish_max_new_tokens": Text("，寫到上限被切斷", ", cut off at the limit"),
    "finish_context_full": Text("，上下文已滿", ", the context is full"),
    "finish_user_stopped": Text("，被停止", ", stopped"),
    "finish_timed_out": Text("，時間到", ", out of time"),
    "guessed": Text("猜了 {drafted} 個 token，猜中 {accepted} 個", "Tokens guessed: {drafted}, of which {accepted} held"),
    "forwards": Text("，模型跑了 {n} 次", ", forward passes: {n}"),
    "call": Text("呼叫 {name}", "Call {name}"),
    "repaired": Text("已修正：{what}", "repaired: {what}"),
    "broken_call": Text("讀不懂的呼叫：{what}", "A call that cannot be read: {what}"),
    "result": Text("結果", "result"),
    "error": Text("錯誤", "error"),
    "truncated": Text("太長，已截短", "cut because it was too long"),
    "feedback": Text("告訴模型", "The model is told"),
    "end": Text(
        "結束：{why}。步數 {steps}，token {tokens}，{seconds:.1f} 秒",
        "Ended: {why}. Steps: {steps}, tokens: {tokens}, {seconds:.1f} s",
    ),
    "answer": Text("回答", "Answer"),
    "no_answer": Text("沒有回答", "No answer"),
    "run_file": Text("執行紀錄：{path}", "Run file: {path}"),
    "run_file_failed": Text("執行紀錄寫不進去：{error}", "The run file could not be written: {error}"),
    "stopping": Text("正在停止……（再按一次 Ctrl+C 立即離開）", "Stopping … (Ctrl+C again leaves at once)"),
    "served": Text("按 Ctrl+C 可結束 Loopglass。網頁在 {address}", "Loopglass is at {address} (Ctrl+C ends it)"),
    "served_no_more": Text("Loopglass 已結束。", "Loopglass has ended."),
    "port_taken": Text(
        "{where} 已有程式在用。如果那就是 Loopglass，請開啟 http://{where} 這個網址；否則請用 --port 換一個連接埠。",
        "{where} is already in use. If Loopglass runs there, open http://{where}; otherwise choose another port with --port.",
    ),
    "address_unusable": Text(
        "Loopglass 無法使用 {where}（{error}）。請用 --host 換一個位址，或用 --port 換一個連接埠。",
        "Loopglass cannot use {where} ({error}). Choose another address with --host or another port with --port.",
    ),
    "load_failed": Text("模型無法載入：{error}", "The model could not be loaded: {error}"),
}
