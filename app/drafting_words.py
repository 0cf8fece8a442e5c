"""What the page says of drafting: the setting, the lane of a step, and the guess behind a token."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

_DRAFTERS: Mapping[str, Text] = {
    "drafter_prompt_lookup": Text("從前文抄（prompt lookup）", "Prompt lookup"),
    "drafter_gemma4_assistant": Text("Gemma 4 的草稿模型（MTP）", "Gemma 4’s drafter (MTP)"),
    "drafter_mtp": Text("模型自帶的 MTP 頭", "The model’s own MTP head"),
}

SETTING: Mapping[str, Text] = {
    "drafter": Text("猜測（推測解碼）", "Drafting"),
    "drafter_help": Text(
        "先用省力的方法猜接下來的幾個 token，再讓模型跑一次，同時檢查這些猜測。只留下模型自己也會選的：猜中就少跑好幾次，"
        "猜錯只是白費一點時間。種子相同，寫出來的就和不猜時一樣；唯一的例外是捨入：同時算好幾個位置，最後幾位可能不同，兩個機率幾乎"
        "相等的 token 就可能對調。在終端機執行 `loopglass selftest drafting` 可以檢查你的模型。",
        "The next few tokens are guessed by cheap means, and one pass of the model checks all guesses at once. Only what the "
        "model picks itself is kept: what is guessed right saves passes, a wrong guess costs a little time, and the same seed "
        "writes the same text as without. The one exception is rounding: where several places are computed at once the last bits "
        "can differ, and of two tokens that are as good as equal the other one may come out. In a terminal, "
        "`loopglass selftest drafting` checks this for your model.",
    ),
    "drafter_none": Text("不猜", "None"),
    **_DRAFTERS,
    "drafter_cannot": Text("執行這個模型的程式不支援猜測。", "What runs this model cannot draft."),
    "drafter_why_not": Text("不能用「{name}」：{why}", "{name} is not available: {why}"),
    "drafter_gone": Text(
        "先前選的「{name}」，這個模型不能用，所以現在不猜。",
        "{name} was chosen before; this model cannot use it, so nothing is guessed.",
    ),
}


def drafter_name(drafter: str) -> Text:
    """What people call a drafter of `backends.base.Backend.drafters`; one that has no name here goes by its own."""
    return SETTING.get(f"drafter_{drafter}", Text(drafter, drafter))


DRAFTING: Mapping[str, Text] = {
    **_DRAFTERS,
    "draft_title": Text("猜測（推測解碼）", "Drafting"),
    "draft_none": Text("這一輪什麼都沒猜", "nothing was guessed in this turn"),
    "draft_so_far": Text("有猜測的次數：{n}", "passes with guesses: {n}"),
    "draft_summary": Text(
        "檢查了 {looked} 個猜測，猜中 {accepted} 個", "{accepted} of {looked} {looked:guess|guesses} that were checked held",
    ),
    "draft_summary_dropped": Text("；另外 {n} 個沒檢查就作廢", ", {n} more {n:was|were} dropped unchecked"),
    "draft_saved": Text(
        "。第一個 token 在讀提示時就有了，其餘 {written} 個模型只跑了 {passes} 次，省下 {n} 次",
        ". The first token comes with the reading of the prompt; the other {written} took {passes} {passes:pass|passes} of the "
        "model, {n} saved",
    ),
    "draft_lost": Text(
        "。第一個 token 在讀提示時就有了，其餘 {written} 個模型跑了 {passes} 次，比不猜還多 {n} 次",
        ". The first token comes with the reading of the prompt; the other {written} took {passes} {passes:pass|passes} of the "
        "model, {n} more than without guesses",
    ),
    "draft_passes_unknown": Text(
        "；不知道模型跑了幾次：後端沒有提供", "; how many passes of the model it took is not known, as the backend does not tell",
    ),
    "draft_how": Text(
        "每一列是模型跑一次：同時檢查好幾個猜測，由左到右。最前面的數字是這一次寫出幾個 token。寫出來的和不猜時一樣，唯一的"
        "例外是捨入：同時算好幾個位置，最後幾位可能不同，兩個機率幾乎相等的 token 就可能對調。",
        "Each row is one pass of the model, which checks several guesses at once, from left to right; the number before it is "
        "how many tokens the pass wrote. What is written is the same as without guesses, up to rounding: where several places "
        "are computed at once the last bits can differ, and of two tokens that are as good as equal the other one may come out.",
    ),
    "draft_rounds": Text(
        "有猜測的每一次；用方向鍵移動，Enter 到那個 token", "Passes with guesses; the arrow keys move, Enter goes to the token",
    ),
    "draft_more": Text("再顯示（還有 {n} 列）", "Show more ({n} {n:row|rows} left)"),
    "draft_held": Text("猜中", "held"),
    "draft_held_means": Text("模型也選這個", "the model picked the same"),
    "draft_fell": Text("沒猜中", "fell"),
    "draft_fell_means": Text("模型選了別的", "the model picked another"),
    "draft_dropped": Text("作廢", "dropped"),
    "draft_dropped_means": Text(
        "前面已經猜錯，或這一輪已經結束，所以沒有檢查", "not checked, as a guess before it fell or the turn was over",
    ),
    "draft_own": Text("模型選的", "own"),
    "draft_own_means": Text("不是猜的，是模型自己選的", "the model's own pick"),
    "draft_chip": Text("{state}：{means}", "{state}: {means}"),
    "draft_by_channel": Text("各頻道猜中：{shares}", "Held by channel: {shares}"),
    "draft_by_place": Text("各位置猜中：{shares}", "Held by place in the draft: {shares}"),
    "draft_share": Text("{name} {held}/{looked}（{p}）", "{name}: {held} of {looked} ({p})"),
    "draft_channel_thought": Text("思考", "thinking"),
    "draft_channel_tool_call": Text("工具呼叫", "tool calls"),
    "draft_channel_content": Text("內容", "content"),
    "draft_channel_control": Text("控制 token", "control tokens"),
    "draft_place": Text("第 {n} 個", "guess {n}"),
    "draft_token_held": Text("這個 token 事先被猜中了。", "This token had been guessed."),
    "draft_token_fell": Text(
        "事先猜的是「{piece}」，模型選了別的。", "“{piece}” had been guessed here; the model picked another token.",
    ),
}
