"""What the viewer says, in Traditional Chinese and English.

Knows nothing about how it is drawn: the ES modules of app/viewer ask for a key and fill its {places}. A place can choose by
number: "{n:token|tokens}" is "token" where n is 1 and "tokens" otherwise. Chinese needs no such choice.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.drafting_words import DRAFTING
from app.ledger_words import LEDGER
from families.base import Text

_STATUS: Mapping[str, Text] = {
    "phase_connecting": Text("正在連線……", "Connecting …"),
    "phase_waiting": Text("等待開始", "Waiting to start"),
    "phase_preparing": Text("正在準備提示", "Preparing the prompt"),
    "phase_reading": Text("模型正在讀提示", "The model reads the prompt"),
    "phase_writing": Text("模型正在寫", "The model writes"),
    "phase_parsing": Text("正在解讀模型寫的內容", "Reading what the model wrote"),
    "phase_tool": Text("正在執行工具 {name}", "Running the tool {name}"),
    "phase_answered": Text("完成：模型已回答", "Finished: the model has answered"),
    "phase_stopped": Text("結束：{why}", "Ended: {why}"),
    "phase_cut": Text("紀錄中斷", "The record breaks off"),
    "phase_gone": Text("找不到這次執行", "This run is not known"),
    "elapsed": Text("{s} 秒", "{s} s"),
    "written": Text("已寫 {n} 個 token", "{n} {n:token|tokens} written"),
    "speed": Text("每秒 {n} 個 token", "{n} tok/s"),
    "stop": Text("停止", "Stop"),
    "stopping": Text("正在停止……", "Stopping …"),
    "stop_hint": Text("在下一個 token 就停下來", "Stops at the next token"),
    "stop_failed": Text("無法停止：{why}", "Could not stop the run: {why}"),
    "stop_refused": Text("伺服器拒絕了。請重新整理頁面再試。", "the server refused. Reload this page and try again."),
    "stop_elsewhere": Text("另一個程式正在執行它，請在那裡停止。", "another program is running it. Stop it there."),
    "stop_unreachable": Text("連不到伺服器。", "the server cannot be reached."),
    "newest": Text("跳到最新", "Go to the newest"),
}

_LEGEND: Mapping[str, Text] = {
    "legend": Text("圖例", "Legend"),
    "legend_unsure": Text("機率低", "unlikely"),
    "legend_sure": Text("機率高", "likely"),
    "legend_scale_label": Text("底色：機率", "Colours: probability"),
    "legend_scale": Text(
        "底色越深，模型給這個 token 的機率越低",
        "The stronger the colour, the lower the probability that the model gave this token",
    ),
    "legend_bold": Text("粗體", "bold"),
    "legend_bold_means": Text("＝不是機率最高的候選", "= not the top candidate"),
    "legend_control": Text("控制 token", "control token"),
    "legend_thought": Text("斜體", "italic"),
    "legend_thought_means": Text("＝思考", "= thinking"),
    "legend_call": Text("藍字", "blue"),
    "legend_call_means": Text("＝工具呼叫", "= tool call"),
    "legend_keys": Text("←/→ 逐 token，↑/↓ 逐步，Enter 看細節，Esc 關閉", "←/→ token, ↑/↓ step, Enter details, Esc closes"),
}

_RUN: Mapping[str, Text] = {
    "question": Text("問題", "Question"),
    "answer": Text("回答", "Answer"),
    "answer_again": Text("模型的回答", "The model’s answer"),
    "no_answer": Text("沒有回答", "No answer"),
    "earlier": Text("先前的問題：展開可看整個過程", "An earlier question: unfold it to see how it went"),
    "earlier_gone": Text("伺服器上已經沒有這次執行的紀錄。", "The server no longer has this run."),
    "loading": Text("正在載入……", "Loading …"),
    "settings_greedy": Text("溫度 0：一律取機率最高的", "temperature 0: always the most likely token"),
    "settings_temperature": Text("溫度 {n}", "temperature {n}"),
    "settings_top_k": Text("top-k {n}", "top-k {n}"),
    "settings_top_p": Text("top-p {n}", "top-p {n}"),
    "settings_seed": Text("種子 {n}", "seed {n}"),
    "settings_thinking": Text("先思考", "thinking on"),
    "settings_no_thinking": Text("不思考", "thinking off"),
    "settings_drafter": Text("猜測：{name}", "drafting: {name}"),
    "the_run": Text("模型「{model}」的執行過程", "A run of {model}"),
    "lost": Text(
        "與伺服器的連線斷了（第 {n} 次），{s} 秒後再試。執行仍在伺服器上繼續，什麼都不會遺失。",
        "The connection to the server is lost (try {n}); trying again in {s} s. The run goes on there and nothing gets lost.",
    ),
    "gone": Text(
        "伺服器拿不出這次執行的紀錄：檔案被刪除、讀不出來，或從來沒有寫成。請再問一次，或開始新的對話。",
        "The server has no record of this run to show: its file was deleted, cannot be read, or was never written. Ask the "
        "question again, or start a new conversation.",
    ),
    "unsaved": Text(
        "這次執行的紀錄存不進檔案（{error}）。伺服器開著時都看得到，關閉後就沒有了；請檢查磁碟空間與資料夾的權限。",
        "This run could not be saved to its file ({error}). It can be seen while the server runs and is lost after that; "
        "check the disk's free space and the folder's permissions.",
    ),
    "broken_off": Text(
        "紀錄到這裡就斷了：程式在執行結束之前就被關掉。以上是已經存下的部分；要得到回答請再問一次。",
        "The record breaks off here: the program was closed before the run had ended. What was saved stands above; ask "
        "again to get an answer.",
    ),
}

_STOP_REASONS: Mapping[str, Text] = {
    "why_answer": Text("模型已回答", "the model has answered"),
    "why_max_steps": Text("用完了步數", "the steps were used up"),
    "why_max_new_tokens": Text("這一輪寫得太長", "the turn became too long"),
    "why_user_stopped": Text("被停止", "stopped by you"),
    "why_timed_out": Text("超過時間", "out of time"),
    "why_context_full": Text("模型的上下文滿了", "the context is full"),
    "why_repeated_calls": Text("一直重複同一個呼叫", "the same call again and again"),
    "why_format_errors": Text("一再寫出讀不懂的呼叫或空的一輪", "broken tool calls or empty turns"),
    "why_denied": Text("呼叫未獲准", "a call was denied"),
    "why_backend_error": Text("模型出錯", "the model failed"),
    "why_unknown": Text("{reason}", "{reason}"),
    "do_max_steps": Text(
        "模型走了 {n} 步還沒有回答，這是上限。可以在側邊欄提高「步數上限」，或把問題問得小一點。",
        "After {n} {n:step|steps}, the most that the settings allow, there was no answer yet. Raise the maximum number "
        "of steps in the sidebar, or ask something smaller.",
    ),
    "do_max_new_tokens": Text(
        "模型在一輪裡寫滿了 {n} 個 token 還沒寫完，所以被切斷。可以在側邊欄提高「每輪 token 上限」。",
        "The model wrote {n} {n:token|tokens} in one turn, the most that the settings allow, and was cut off. Raise "
        "the maximum of new tokens in the sidebar.",
    ),
    "do_user_stopped": Text("你按了停止。可以再問一次，或問別的。", "You stopped the run. Ask again, or ask something else."),
    "do_timed_out": Text(
        "{s} 秒的時限內沒有得到回答。可以在側邊欄提高「時間上限」，或把問題問得小一點。",
        "There was no answer within the time limit of {s} s. Raise the time limit in the sidebar, or ask something smaller.",
    ),
    "do_context_full": Text(
        "對話比模型一次能讀的還長（{n} 個 token）。請開始新的對話，或縮短系統提示。",
        "The conversation is longer than the model can read at once ({n} tokens). Start a new conversation, or shorten "
        "the system prompt.",
    ),
    "do_context_filled": Text(
        "模型的上下文（{n} 個 token，提示和模型寫的都算在內）在它寫到一半時滿了，所以被切斷。請開始新的對話、縮短系統提示，"
        "或把問題問得小一點。",
        "The model’s context ({n} tokens for the prompt and what is written together) was full before the model had finished, so "
        "it was cut off. Start a new conversation, shorten the system prompt, or ask something smaller.",
    ),
    "do_repeated_calls": Text(
        "模型第三次要求完全相同的呼叫，再做也不會有新結果，所以停了。換個問法，或調高溫度，常有幫助。",
        "The model asked for exactly the same call a third time; it would have learnt nothing new, so the run was "
        "ended. Other words, or a higher temperature, often help.",
    ),
    "do_format_errors": Text(
        "模型一再寫出讀不懂的工具呼叫，或既沒有回答也沒有呼叫，提醒過兩次仍然沒改。換個問法，或換一個模型。",
        "The model kept writing tool calls that cannot be read, or turns with neither an answer nor a call, and did not mend "
        "that after being told twice. Use other words, or another model.",
    ),
    "do_denied": Text("有一個工具呼叫沒有獲得同意，所以停了。", "A tool call was not approved, so the run was ended."),
    "do_backend_error": Text("執行模型的程式出錯：{error}", "What runs the model failed: {error}"),
    "do_unknown": Text("執行停了，原因是「{reason}」。", "The run ended for the reason “{reason}”."),
}

_PROMPT: Mapping[str, Text] = {
    "step": Text("第 {n} 步", "Step {n}"),
    "step_prompt": Text("提示 {n} 個 token，其中 {new} 個是新的", "{n} prompt {n:token|tokens}, {new} new"),
    "step_prompt_plain": Text("提示 {n} 個 token", "{n} prompt {n:token|tokens}"),
    "step_written": Text("寫了 {n} 個", "{n} written"),
    "prompt_all_new": Text("提示：在這段對話裡全部是新的", "Prompt: all of it is new in this conversation"),
    "prompt_some_new": Text("提示：這一步要讀的部分", "Prompt: what is read in this step"),
    "seen_cached": Text(
        "{n} 個 token 模型已經看過（留在快取裡）",
        "{n} {n:token|tokens} the model has already seen (kept in its cache)",
    ),
    "seen_part_cached": Text(
        "{n} 個 token 沒變，但只有 {cached} 個還在快取裡，其餘 {again} 個要再讀一次",
        "{n} {n:token is|tokens are} as before, but the cache holds only {cached} of them; the other {again} are read again",
    ),
    "seen_but_last_cached": Text(
        "{n} 個 token 沒變：{cached} 個在快取裡，最後一個是模型剛寫的，現在才讀",
        "{n} tokens are as before: {cached} in the cache; the last one, which the model has just written, is read only now",
    ),
    "seen": Text("{n} 個 token 和上一步相同", "{n} {n:token|tokens} as in the step before"),
    "seen_uncounted": Text("模型已經讀過、沒有變的部分", "What the model has already read, unchanged"),
    "seen_elsewhere": Text(
        "這一段在先前的問題裡，展開上面先前的問題就能看到。",
        "This part stands in an earlier question; unfold that one above to read it.",
    ),
    "copy_prompt": Text("複製整個提示", "Copy the whole prompt"),
    "copy_written": Text("複製原文", "Copy the raw text"),
    "copied": Text("已複製", "Copied"),
    "show_tokens": Text("顯示 token 邊界", "Show token boundaries"),
    "no_boundaries": Text("分詞器沒有給出 token 的位置。", "The tokenizer does not say where its tokens begin and end."),
    "by_system": Text("系統", "system"),
    "by_tools": Text("工具說明", "tools on offer"),
    "by_user": Text("使用者", "user"),
    "by_tool": Text("工具", "tool"),
    "by_model": Text("模型", "model"),
    "by_harness": Text("框架", "harness"),
    "by_template": Text("對話模板", "template"),
    "by_system_means": Text("系統訊息：給模型的指示", "The system message: instructions to the model"),
    "by_tools_means": Text(
        "因為提供了工具才有的文字：每個工具的說明，以及要怎麼呼叫",
        "What stands here because tools are offered: each tool's description, and how to call one",
    ),
    "by_user_means": Text("使用者問的", "What the user asked"),
    "by_tool_means": Text("工具回傳的結果", "What a tool returned"),
    "by_model_means": Text(
        "模型先前寫的，由對話模板重新寫進提示",
        "What the model wrote earlier, written into the prompt again by the chat template",
    ),
    "by_harness_means": Text(
        "框架（帶著模型走迴圈的程式）給模型的提醒", "What the harness, the program around the model, told the model",
    ),
    "by_template_means": Text(
        "對話模板自己寫的：標出每則訊息從哪裡開始、輪到模型接著寫的記號",
        "Written by the chat template itself: the marks that say where each message begins and that it is the model's turn",
    ),
    "control_purpose": Text("控制 token {token}：{purpose}", "Control token {token}: {purpose}"),
    "control_unknown": Text("這個模型家族的資料沒有說明它的用途", "what it is for is not known for this model family"),
}

_WRITTEN: Mapping[str, Text] = {
    "written_title": Text("模型寫的，逐個 token", "What the model wrote, token by token"),
    "written_label": Text(
        "第 {n} 步模型寫的 token；用左右方向鍵移動",
        "What the model wrote in step {n}, token by token; the arrow keys move",
    ),
    "nothing_written": Text("什麼都沒寫", "Nothing was written"),
    "ended_stop_token": Text("在 {token} 結束：{purpose}", "Ended at {token}: {purpose}"),
    "ended_stop_unknown": Text("在 {token} 結束。", "Ended at {token}."),
    "ended_max_new_tokens": Text("寫到每輪的上限 {n} 個 token，被切斷。", "Cut off at the limit of {n} new {n:token|tokens}."),
    "ended_user_stopped": Text("在這裡被停止。", "Stopped here."),
    "ended_timed_out": Text("時間到了，在這裡停下。", "The time was up; stopped here."),
    "ended_context_full": Text("模型的上下文長度用完了。", "The model's context was used up."),
    "ended_other": Text("結束原因：{reason}", "Ended: {reason}"),
    "times_prefill": Text("讀提示 {ms}", "prompt read in {ms}"),
    "times_reused": Text("其中 {n} 個 token 取自快取", "{n} {n:token|tokens} of it from the cache"),
    "times_reused_earlier": Text(
        "其中 {n} 個 token 還在快取裡，是別的對話讀過的",
        "{n} {n:token|tokens} of it still in the cache, from another conversation",
    ),
    "times_decode": Text("寫 {ms}", "written in {ms}"),
    "ms": Text("{n} 毫秒", "{n} ms"),
    "s": Text("{n} 秒", "{n} s"),
}

_READING: Mapping[str, Text] = {
    "reading_title": Text("框架怎麼讀它", "How the harness read it"),
    "pill_thinking": Text("思考", "thinking"),
    "pill_call": Text("工具呼叫", "tool call"),
    "pill_answer": Text("回答", "answer"),
    "pill_text": Text("文字", "text"),
    "nothing_read": Text("裡面沒有內容。", "There was nothing in it."),
    "show_span": Text("標出寫成這個呼叫的 token", "Mark the tokens that wrote this call"),
    "show_argument": Text("標出寫成這個引數的 token", "Mark the tokens that wrote this argument"),
    "show_arguments": Text("標出寫成這些引數的 token", "Mark the tokens that wrote these arguments"),
    "show_thinking": Text("標出寫成這段思考的 token", "Mark the tokens that wrote this thinking"),
    "show_content": Text("標出寫成這段文字的 token", "Mark the tokens that wrote this text"),
    "least": Text("機率最低的引數 token：「{piece}」，{p}", "least likely token of the arguments: “{piece}”, {p}"),
    "least_hint": Text("到這個 token，看它的細節", "Go to this token and see its details"),
    "least_no_p": Text(
        "看不出哪個 token 機率最低：後端沒有提供機率",
        "which token was least likely is not known: the backend gives no probabilities",
    ),
    "forming_title": Text("正在形成的呼叫", "A call as it forms"),
    "call_error": Text("無法執行：{why}", "Cannot be run: {why}"),
    "call_error_at": Text("（在第 {at} 個字元）", " (at character {at})"),
    "call_repaired": Text("已修正：{what}", "Repaired: {what}"),
    "no_name": Text("（沒有名稱）", "(no name)"),
    "tool_title": Text("工具 {name} 的結果", "What the tool {name} returned"),
    "tool_title_error": Text("工具 {name} 沒有給出結果", "No result from the tool {name}"),
    "tool_title_refused": Text("呼叫 {name} 被退回，工具沒有執行", "The call of {name} was refused; the tool did not run"),
    "tool_running": Text("工具 {name} 執行中……", "The tool {name} is running …"),
    "truncated": Text("結果太長，只保留開頭", "The result was too long; only its beginning was kept"),
    "feedback_title": Text("框架給模型的提醒", "What the harness told the model"),
    "feedback_format_error": Text("呼叫的格式讀不懂", "the call could not be read"),
    "feedback_empty_turn": Text("這一輪沒有回答，也沒有呼叫", "the turn had neither an answer nor a call"),
    "feedback_unknown_tool": Text("沒有這個工具", "there is no such tool"),
    "feedback_repeated_call": Text("同一個呼叫重複了", "the same call was made again"),
}

_POPOVER: Mapping[str, Text] = {
    "details": Text("這個 token 的細節", "Details of this token"),
    "close": Text("關閉", "Close"),
    "where": Text("第 {step} 步 · 第 {n} 個 token，共 {of} 個 · 編號 {id}", "step {step} · token {n} of {of} · id {id}"),
    "where_prompt": Text("提示中的第 {n} 個 token · 編號 {id}", "token {n} of the prompt · id {id}"),
    "p": Text("機率", "probability"),
    "rank": Text("名次", "rank"),
    "logprob": Text("對數機率（ln）", "log probability (ln)"),
    "entropy": Text("不確定程度（熵）", "uncertainty (entropy)"),
    "entropy_is": Text(
        "相當於 {n} 個機率相同的選擇（{bits} 位元）", "about {n} equally likely {n:choice|choices} ({bits} bits)",
    ),
    "p_sampled": Text("抽樣時的機率", "when drawn"),
    "p_sampled_is": Text("{p}（設定之後剩 {kept} 個候選）", "{p} ({kept} {kept:candidate|candidates} left after the settings)"),
    "unknown": Text("不知道：後端沒有提供{what}", "not known: the backend gives no {what}"),
    "comma": Text("、", ", "),
    "what_p": Text("機率", "probability"),
    "what_rank": Text("名次", "rank"),
    "what_logprob": Text("對數機率", "log probability"),
    "what_entropy": Text("熵", "entropy"),
    "what_p_sampled": Text("抽樣機率", "sampling probability"),
    "what_top": Text("候選", "candidates"),
    "top_title": Text("最可能的 {n} 個", "The {n} most likely"),
    "top_settings": Text("→ 套用 {settings} 之後", "→ after {settings}"),
    "top_no_settings": Text("→ 抽樣時", "→ when drawn"),
    "top_stages": Text("→ 溫度 {n}（第一名＝1）→ {settings}", "→ temperature {n} (first = 1) → {settings}"),
    "top_stages_mean": Text(
        "先是溫度：把第一名當作 1，各候選與它的比例變成 1/{n} 次方。低於 1 的溫度拉大差距，高於 1 的縮小差距。"
        "接著 {settings} 可能刪去一些候選，剩下的按比例放大，合起來是 100 %。",
        "First the temperature: with the most likely one as 1, each candidate’s ratio to it is raised to the power 1/{n}. "
        "A temperature below 1 widens the gaps, one above 1 narrows them. Then {settings} may cut candidates, and those that "
        "are left are scaled to 100 % together.",
    ),
    "setting_temperature": Text("溫度 {n}", "temperature {n}"),
    "setting_top_k": Text("top-k {n}", "top-k {n}"),
    "setting_top_p": Text("top-p {n}", "top-p {n}"),
    "cut": Text("→ 刪去", "→ cut"),
    "cut_by_temperature": Text("→ 被溫度 0 刪去", "→ cut by temperature 0"),
    "cut_by_top_k": Text("→ 被 top-k 刪去", "→ cut by top-k"),
    "cut_by_top_p": Text("→ 被 top-p 刪去", "→ cut by top-p"),
    "kept": Text("→ 保留", "→ kept"),
    "after": Text("→ {p}", "→ {p}"),
    "chosen": Text("選中", "chosen"),
    "happened_greedy": Text(
        "溫度是 0，所以一定取機率最高的。",
        "The temperature is 0, so the most likely token is always taken.",
    ),
    "happened_only": Text(
        "設定之後只剩這一個候選，所以就是它。想看別的候選被抽中，就調高溫度。",
        "Only this candidate was left after the settings, so it had to be this one. To let others be drawn, raise the "
        "temperature.",
    ),
    "happened_only_top_k": Text(
        "top-k 是 1，不管溫度多高都只留最可能的這一個。想看別的候選被抽中，就調高 top-k。",
        "Top-k is 1, so only the most likely candidate is left, at any temperature. To let others be drawn, raise top-k.",
    ),
    "happened_only_top_p": Text(
        "套用溫度 {temperature} 之後，它一個的機率就達到 top-p 的 {share}，所以只留下它。想看別的候選被抽中，就調高 top-p "
        "或溫度。",
        "After temperature {temperature} its probability alone reached top-p, {share}, so only this candidate was left. To let "
        "others be drawn, raise top-p or the temperature.",
    ),
    "happened_top": Text(
        "抽中了機率最高的：模型給 {p}，設定之後 {after}。",
        "The most likely token was drawn: {p} by the model, {after} after the settings.",
    ),
    "happened_rank": Text(
        "抽中了第 {rank} 名：模型給 {p}，設定之後 {after}。",
        "Rank {rank} was drawn: {p} by the model, {after} after the settings.",
    ),
    "happened_top_plain": Text("取了機率最高的。", "The most likely token was taken."),
    "happened_rank_plain": Text("取了第 {rank} 名。", "Rank {rank} was taken."),
    "happened_unknown": Text(
        "後端沒有提供機率，所以看不出這裡怎麼選的；這也是它沒有底色的原因。",
        "The backend gives no probabilities, so how this token was chosen cannot be seen; that is why it has no colour.",
    ),
    "token_label": Text("「{piece}」，第 {n} 個 token，共 {of} 個，{p}", "“{piece}”, token {n} of {of}, {p}"),
    "token_label_plain": Text("「{piece}」，第 {n} 個 token，共 {of} 個", "“{piece}”, token {n} of {of}"),
}

WORDS: Mapping[str, Text] = {
    **_STATUS, **_LEGEND, **_RUN, **_STOP_REASONS, **_PROMPT, **LEDGER, **_WRITTEN, **_READING, **_POPOVER, **DRAFTING,
}
