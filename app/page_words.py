"""What the page says outside the viewer and the sidebar."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

PAGE: Mapping[str, Text] = {
    "title": Text("Loopglass", "Loopglass"),
    "about": Text(
        "問一個問題，看語言模型怎麼把它解開：讀進去的提示、逐一寫出的 token 與機率、呼叫的工具，一步接一步，直到答案出現。",
        "Ask a question and watch a language model work it out: the prompt it reads, every token it writes with its "
        "probability, the tools it calls, step by step until there is an answer.",
    ),
    "language": Text("語言", "Language"),
    "new_conversation": Text("新對話", "New conversation"),
    "earlier": Text("先前的提問", "Earlier questions"),
    "earlier_about": Text(
        "最近的對話，最多 {n} 段，新的在前；接著問下去的算同一段，列出的是第一個問題。",
        "The latest conversations, {n} at most, newest first. A question and those that follow it are one conversation, listed "
        "by its first question.",
    ),
    "earlier_none": Text("沒有其他可以打開的對話。", "There is no other conversation that can be opened."),
    "earlier_unreadable": Text(
        "讀不出來而沒有列出的檔案：{n} 個（{why}）", "Files not listed because they cannot be read: {n} ({why})",
    ),
    "earlier_folder": Text("紀錄檔都在資料夾 {path}", "The files are in the folder {path}"),
    "earlier_questions": Text("{n} 個問題", "{n} questions"),
    "earlier_open": Text("打開", "Open"),
    "ask": Text("想問什麼？", "Ask a question"),
    "ask_more": Text("接著問下去……", "Ask a follow-up question"),
    "ask_loading": Text("模型還在準備，好了就能提問……", "The model is getting ready …"),
    "ask_no_model": Text("沒有載入模型，還不能提問", "No model is loaded, so nothing can be asked"),
    "ask_running": Text("正在回答；想先問別的，請先按停止。", "An answer is being written. Stop it to ask something else."),
    "what_happens": Text("接下來會看到什麼", "What you will see"),
    "what_happens_1": Text(
        "**提示**：你的問題和工具說明，先被排成模型真正讀到的文字。",
        "**The prompt.** Your question and the tools are written out as the text that the model really reads.",
    ),
    "what_happens_2": Text(
        "**逐個 token**：模型一次寫一個 token；底色越深，模型當時給它的機率越低。點一下就看到還有哪些選擇。",
        "**Token by token.** The model writes one token at a time. The stronger its colour, the lower the probability that the "
        "model gave it; click a token to see what else it could have been.",
    ),
    "what_happens_3": Text(
        "**工具，再來一步**：模型寫出工具呼叫，框架（帶著模型走迴圈的程式）就去執行，把結果交回給模型，再走一步；"
        "一輪裡沒有呼叫，那就是答案。",
        "**Tools, and another step.** The harness, the program around the model, runs a tool call and hands its result back to "
        "the model for another step. A turn without a call is the answer.",
    ),
    "examples": Text("從一個例子開始", "Start with an example"),
    "examples_language": Text(
        "內建的小模型只懂英文，所以例題用英文。換上懂中文的模型，就能用中文問。",
        "The small built-in model reads English only.",
    ),
    "examples_mistakes": Text(
        "小模型常出錯。看看它的每一步：呼叫了什麼工具、算式對不對、回答和工具的結果合不合，再決定信不信。",
        "Small models make mistakes. Read the steps before you trust an answer: which tool was called, with what, and whether "
        "the answer agrees with the result.",
    ),
    "example_single": Text("一次呼叫", "One call"),
    "example_single_help": Text(
        "模型呼叫一次工具，讀到結果，然後回答：最短的完整迴圈。",
        "The model calls one tool, reads its result and answers: the shortest whole loop.",
    ),
    "example_chain": Text("一個接一個", "A chain"),
    "example_chain_help": Text(
        "第二次呼叫要用到第一次的結果，所以模型得多走一步。",
        "The second call needs the result of the first, so the model takes one more step.",
    ),
    "example_parallel": Text("同時兩個", "Two at once"),
    "example_parallel_help": Text(
        "兩次呼叫互不相干，模型可以在同一輪裡一起寫出來。",
        "Neither call needs the other, so the model can write both in one turn.",
    ),
    "example_none": Text("不用工具", "No tool"),
    "example_none_help": Text("沒有工具派得上用場，模型直接回答。", "No tool fits, so the model answers directly."),
    "example_choice": Text("很多種寫法", "Many ways to say it"),
    "example_choice_help": Text(
        "這裡有很多字都說得通，所以機率是分散的：點開顏色深的 token，看看模型還想過什麼。",
        "Many words would do here, so the odds are spread: open a token with a strong colour to see what else it could have "
        "been.",
    ),
    "example_error": Text("工具出錯", "An error"),
    "example_error_help": Text(
        "這個換算辦不到：工具回報錯誤，看模型讀到錯誤之後怎麼辦。",
        "This cannot be converted: the tool reports an error, and you see what the model makes of it.",
    ),
    "model_loading": Text("正在準備模型「{model}」", "Getting the model “{model}” ready"),
    "model_failed": Text("模型「{model}」沒有載入。{why}", "The model “{model}” was not loaded. {why}"),
    "try_again": Text("再試一次", "Try again"),
    "use_again": Text("改回「{model}」", "Use {model} again"),
    "run_unknown": Text(
        "找不到這個連結所指的執行紀錄（{run}）：可能已經刪除，或是在別台電腦上跑的。可以直接開始新的提問。",
        "There is no run {run}, which this address names: it was deleted, or ran on another computer. You can ask something new.",
    ),
    "run_unreadable": Text("執行紀錄 {run} 的檔案讀不出來：{why}。", "The file of run {run} cannot be read: {why}."),
    "unreadable_newer": Text(
        "由較新版的 Loopglass 寫成，要先更新 Loopglass", "written by a newer Loopglass, so this one has to be updated first",
    ),
    "unreadable_damaged": Text("內容壞了，或不是 Loopglass 的紀錄", "damaged, or not a Loopglass run"),
    "unreadable_closed": Text("這台電腦不讓 Loopglass 打開它", "this computer does not let Loopglass open it"),
    "run_archived": Text(
        "這段對話的紀錄檔讀不完整，可以看，不能接著問；下一個問題會開始新的對話。",
        "The files of this conversation cannot be read in full. It can be looked at but not continued: the next question starts "
        "a new one.",
    ),
    "cannot_continue": Text(
        "這段對話的紀錄檔有一處壞了，接不下去，所以「{question}」沒有送出。按「新對話」就能從頭問起。",
        "A file of this conversation is damaged, so it cannot be continued and “{question}” was not sent. Press “New "
        "conversation” to ask it afresh.",
    ),
    "other_run": Text(
        "另一個分頁正在回答「{question}」。在這裡提問會排在它後面。",
        "Another tab is having “{question}” answered. A question asked here waits for it to end.",
    ),
    "other_run_watch": Text("去看那一個", "Watch that one"),
    "still_running": Text(
        "這段對話的上一個問題那時還在回答，所以「{question}」沒有送出。它還在輸入框裡，等回答結束或按停止之後再送出。",
        "The last question of this conversation was still being answered, so “{question}” was not sent. It stands in the box: "
        "send it again when that has ended, or stop it first.",
    ),
    "not_ready": Text(
        "那時模型正在更換或還沒載入，所以「{question}」沒有送出。它還在輸入框裡，等模型好了再送出。",
        "The model was being changed or not loaded yet, so “{question}” was not sent. It stands in the box: send it again when "
        "the model is ready.",
    ),
    "model_changed": Text(
        "另一個分頁把模型換成了「{model}」，所以「{question}」沒有送出。問題還在輸入框裡；看看側邊欄的設定是否要改，再送出。",
        "Another tab has changed the model to “{model}”, so “{question}” was not sent. It still stands in the box: look whether "
        "the settings beside it suit, and send it again.",
    ),
    "viewer_failed": Text("檢視器沒有載入，請重新整理頁面。", "The viewer could not be loaded. Reload the page."),
}
