"""What the viewer says of the prompt ledger: how much of a prompt is reused, new and read again, and what was changed."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

_COUNTS: Mapping[str, Text] = {
    "ledger_reused": Text("沒變 {n} 個", "{n} unchanged"),
    "ledger_reused_means": Text(
        "和模型先前讀過、寫過的 token 完全相同；還留在快取裡的不必再讀，有多少個寫在下一行",
        "The same tokens as the model has read and written before; those that its cache still holds are not read again, and the "
        "line below says how many",
    ),
    "ledger_fresh": Text("新的 {n} 個", "{n} new"),
    "ledger_fresh_means": Text("這一步才第一次出現的 token", "Tokens that come for the first time in this step"),
    "ledger_again": Text("重讀 {n} 個", "{n} read again"),
    "ledger_again_means": Text(
        "模型先前讀過或寫過，但前面有內容被改寫，所以從那裡起都要重讀",
        "The model has read or written them before, but something in front of them was rewritten, so from there on everything "
        "is read again",
    ),
    "ledger_goes_on": Text(
        "模型讀過、寫過的內容一字未改：{n} 個 token 沒變，{new} 個是新的。",
        "Nothing that the model has read or written was changed: {n} {n:token is|tokens are} as before, {new} "
        "{new:is|are} new.",
    ),
    "ledger_changed": Text(
        "{changes}。改動的地方以後都要重讀：{n} 個 token。",
        "{changes}. What stands behind the change has to be read again: {n} {n:token|tokens}.",
    ),
    "block_count": Text(
        "數字是其中的 {n} 個 token，淺色的是對話模板寫的",
        "the number counts {n} {n:token|tokens} of it; the pale ones are the template's",
    ),
    "ledger_changed_unknown": Text("{changes}，從那裡起都要重讀。", "{changes}; from there on everything is read again."),
    "departs_at": Text(
        "前 {n} 個 token 相同，從這裡起不同：",
        "The first {n} {n:token is|tokens are} the same; from there on it differs:",
    ),
    "departs_was": Text("原本", "before"),
    "departs_now": Text("現在", "now"),
    "semicolon": Text("；", "; "),
}

_CHANGES: Mapping[str, Text] = {
    "changed_thinking_dropped": Text(
        "對話模板丟掉了 {was} 個思考的 token", "{was} thinking {was:token was|tokens were} dropped by the template",
    ),
    "changed_thinking": Text(
        "對話模板改寫了思考（{was} 個 token 變成 {now} 個）",
        "the template rewrote thinking ({was} {was:token|tokens} became {now})",
    ),
    "changed_empty_thinking": Text(
        "空的思考區塊不留在歷史裡（{was} 個 token 變成 {now} 個）",
        "the empty thinking block is not kept in the history ({was} {was:token|tokens} became {now})",
    ),
    "changed_arguments": Text(
        "對話模板把工具呼叫換了一種寫法（{was} 個 token 變成 {now} 個）",
        "the template wrote a tool call in another form ({was} {was:token|tokens} became {now})",
    ),
    "changed_white_space": Text(
        "空白或換行變了（{was} 個 token 變成 {now} 個）", "white space was changed ({was} {was:token|tokens} became {now})",
    ),
    "changed_order": Text(
        "同樣的內容換了順序（{was} 個 token 變成 {now} 個）",
        "the same text was put in another order ({was} {was:token|tokens} became {now})",
    ),
    "changed_text": Text(
        "訊息的文字變了（{was} 個 token 變成 {now} 個）",
        "the text of a message was changed ({was} {was:token|tokens} became {now})",
    ),
    "changed_stop_token": Text(
        "用來結束這一輪的 token 被換掉了（{was} 個變成 {now} 個）",
        "the token that had ended the turn was replaced ({was} {was:token|tokens} became {now})",
    ),
    "changed_system": Text(
        "系統訊息變了（{was} 個 token 變成 {now} 個）", "the system message was changed ({was} {was:token|tokens} became {now})",
    ),
    "changed_tools": Text(
        "提供的工具變了（{was} 個 token 變成 {now} 個）",
        "the tools on offer were changed ({was} {was:token|tokens} became {now})",
    ),
    "changed_template": Text(
        "對話模板自己的文字變了（{was} 個 token 變成 {now} 個）",
        "the template's own text was changed ({was} {was:token|tokens} became {now})",
    ),
    "changed_tokens": Text(
        "文字沒變，但重新分詞後，{was} 個 token（模型寫的，或是提示最後一個連同模型寫的第一個）成了另外 {now} 個",
        "the text is the same, but split into tokens anew, {was} {was:token|tokens} (the model's, or the prompt's last one with "
        "the model's first) became {now} {now:other|others}",
    ),
}

_CHANGES_UNCOUNTED: Mapping[str, Text] = {
    "changed_thinking_unknown": Text("對話模板丟掉或改寫了思考", "the template dropped or rewrote thinking"),
    "changed_empty_thinking_unknown": Text("空的思考區塊不留在歷史裡", "the empty thinking block is not kept in the history"),
    "changed_arguments_unknown": Text("對話模板把工具呼叫換了一種寫法", "the template wrote a tool call in another form"),
    "changed_white_space_unknown": Text("空白或換行變了", "white space was changed"),
    "changed_order_unknown": Text("同樣的內容換了順序", "the same text was put in another order"),
    "changed_text_unknown": Text("訊息的文字變了", "the text of a message was changed"),
    "changed_stop_token_unknown": Text("用來結束這一輪的 token 被換掉了", "the token that had ended the turn was replaced"),
    "changed_system_unknown": Text("系統訊息變了", "the system message was changed"),
    "changed_tools_unknown": Text("提供的工具變了", "the tools on offer were changed"),
    "changed_template_unknown": Text("對話模板自己的文字變了", "the template's own text was changed"),
    "changed_tokens_unknown": Text("同樣的文字被切成不同的 token", "the same text was split into other tokens"),
}

_STATES: Mapping[str, Text] = {
    "state_again": Text("重讀", "read again"),
    "state_again_means": Text(
        "內容沒變，但前面有東西被改寫，所以要重讀", "Unchanged, but read again because something before it was rewritten",
    ),
    "state_rewritten": Text("改寫", "rewritten"),
    "state_rewritten_means": Text(
        "畫底線的地方，和模型先前讀過、寫過的不同", "What is underlined is not as the model has read or written it before",
    ),
    "state_reused": Text("沒變", "unchanged"),
    "state_reused_means": Text("和先前完全相同", "The same as before"),
    "state_new": Text("新的", "new"),
    "state_new_means": Text("這一步才出現的", "New in this step"),
}

LEDGER: Mapping[str, Text] = {**_COUNTS, **_CHANGES, **_CHANGES_UNCOUNTED, **_STATES}
