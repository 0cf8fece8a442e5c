"""What the page says of drafting: the setting, the lane of a step, and the guess behind a token."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

SETTING: Mapping[str, Text] = {
    "drafter": Text("猜測（投機解碼）", "Drafting"),
    "drafter_help": Text(
        "先用便宜的方法猜接下來的幾個 token，再讓模型跑一次，同時檢查這些猜測。猜中就省下好幾次，猜錯只是白猜：寫出來的文字"
        "和不猜時完全一樣，種子相同時連一個字都不差。",
        "The next few tokens are guessed by cheap means, and one pass of the model checks all guesses at once. What is guessed "
        "right saves passes; a wrong guess costs little. The text is the same as without: with the same seed, to the letter.",
    ),
    "drafter_none": Text("不猜", "None"),
    "drafter_prompt_lookup": Text("從前文抄（prompt lookup）", "Prompt lookup"),
    "drafter_cannot": Text("這個模型後端不會猜。", "This backend cannot draft."),
    "drafter_why_not": Text("不能用「{name}」：{why}", "{name} cannot be had: {why}"),
}
DRAFTING: Mapping[str, Text] = {
    "draft_title": Text("猜測（投機解碼）", "Drafting"),
    "draft_none": Text("這一輪沒有可猜的", "nothing was guessed in this turn"),
    "draft_summary": Text("猜了 {drafted} 個，猜中 {accepted} 個", "{accepted} of {drafted} {drafted:guess|guesses} held"),
    "draft_saved": Text("；模型只跑了 {passes} 次，省下 {n} 次", "; {passes} {passes:pass|passes} of the model, {n} saved"),
    "draft_how": Text(
        "每一列是模型跑一次：它同時檢查好幾個猜測，由左到右。綠色的和模型自己選的一樣；第一個不一樣的劃掉，換成模型選的，後面的作廢。"
        "寫出來的文字和不猜時一模一樣。",
        "Each row is one pass of the model, which checks several guesses at once, from left to right. Green ones are what the "
        "model picked itself; the first that is not is struck out and replaced by the model's own pick, and those behind it are "
        "dropped. What is written is the same as without guesses.",
    ),
    "draft_held": Text("猜中：模型自己也選這個", "Held: the model's own pick was the same"),
    "draft_fell": Text("沒猜中：模型選了別的", "Fell: the model picked another token"),
    "draft_dropped": Text("作廢：前面已經猜錯，沒有檢查", "Dropped without a look, because a guess before it had fallen"),
    "draft_own": Text("模型自己選的", "The model's own pick"),
    "draft_share": Text("{name} {held}/{looked}（{p}）", "{name} {held} of {looked} ({p})"),
    "draft_channel_thought": Text("思考", "thinking"),
    "draft_channel_tool_call": Text("工具呼叫", "tool calls"),
    "draft_channel_content": Text("內容", "content"),
    "draft_channel_control": Text("控制 token", "control tokens"),
    "draft_place": Text("第 {n} 個猜測", "guess {n}"),
    "draft_more": Text("再顯示（還有 {n} 列）", "Show more ({n} {n:row|rows} left)"),
    "draft_token_held": Text("這個 token 事先被猜中了。", "This token had been guessed."),
    "draft_token_fell": Text(
        "事先猜的是「{piece}」，模型選了別的。", "“{piece}” had been guessed here; the model picked another token.",
    ),
}
