"""What `loopglass selftest drafting` says, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from families.base import Text

SELFTEST: Mapping[str, Text] = {
    "intro": Text(
        "比較「{model}」（{dtype}，在 {device} 上）有猜測和沒有猜測時寫的東西。溫度 0，或隨機種子相同，兩邊寫的 token 應該"
        "個個相同；種子不同，各種寫法出現的次數應該差不多。",
        "What {model} ({dtype} on {device}) writes with guesses is compared with what it writes without. At temperature 0, and "
        "with the same seed, every token should be the same; with other seeds, each continuation should come up about as often.",
    ),
    "unknown": Text("不知道", "not known"),
    "cannot": Text("不能用「{name}」：{why}", "{name} is not available: {why}"),
    "none": Text(
        "這個模型沒有能用的猜測方式，所以沒有可檢查的。",
        "This model has no drafter that can be used, so there is nothing to check.",
    ),
    "drafter": Text("■ {name}", "■ {name}"),
    "progress_greedy": Text("逐一比較 token（溫度 0）", "comparing token by token (temperature 0)"),
    "progress_seeded": Text("逐一比較 token（種子相同）", "comparing token by token (same seed)"),
    "progress_drawn": Text("抽籤，數各種寫法", "drawing, and counting what comes up"),
    "greedy": Text("溫度 0", "temperature 0"),
    "seeded": Text("種子相同，溫度 1，top-k 5", "same seed, temperature 1, top-k 5"),
    "drawn_all": Text("溫度 1", "temperature 1"),
    "drawn_top_k": Text("溫度 0.8，top-k 5", "temperature 0.8, top-k 5"),
    "drawn_top_p": Text("溫度 1.3，top-p 0.8", "temperature 1.3, top-p 0.8"),
    "prompt_call": Text("要寫一個工具呼叫", "a tool call to write"),
    "prompt_answer": Text("讀了工具的結果要回答", "an answer to write from a tool's result"),
    "prompt_copy": Text("抄一段文字", "a text to copy"),
    "prompt_question": Text("一般問題", "a plain question"),
    "same": Text("相同", "same"),
    "rounding": Text("只差捨入", "rounding"),
    "differs": Text("不同", "DIFFERENT"),
    "skipped": Text("略過", "skipped"),
    "compared": Text("{setting}，{prompt}：{found}{guesses}", "{setting}, {prompt}: {found}{guesses}"),
    "found_same": Text("{n} 個 token 個個相同", "all {n} tokens are the same"),
    "found_end": Text("前 {n} 個 token 相同，之後一邊先結束", "the first {n} tokens are the same, then one of the two ends"),
    "found_drift": Text(
        "{n} 個 token 相同，但對數機率最多差了 {drift:.2g}，不像只是捨入",
        "all {n} tokens are the same, but their log probabilities moved by up to {drift:.2g}, which rounding does not explain",
    ),
    "found_parts": Text(
        "前 {n} 個 token 相同；第 {at} 個，沒有猜測時寫「{a}」（當時機率 {a_p}，「{b}」是 {b_other}），有猜測時寫「{b}」（當時"
        "機率 {b_p}，「{a}」是 {a_other}）",
        "the first {n} tokens are the same; token {at} is “{a}” without guesses (probability {a_p} there, and {b_other} for "
        "“{b}”) and “{b}” with guesses (probability {b_p} there, and {a_other} for “{a}”)",
    ),
    "by_rounding": Text(
        "。兩次的機率只差在捨入：同時算好幾個位置，計算順序不同，最後幾位就不同，這裡剛好換了選擇",
        ". The probabilities of both times differ by rounding only: several places at once are computed in another order, and "
        "here the last bits tipped the choice",
    ),
    "drift": Text("；對數機率最多差 {drift:.2g}", "; log probabilities moved by at most {drift:.2g}"),
    "guesses": Text("；檢查了 {looked} 個猜測，猜中 {held} 個", "; {held} of {looked} guesses held"),
    "no_guesses": Text("；沒有猜測可檢查，所以看不出什麼", "; nothing was guessed here, so this shows nothing"),
    "drawn": Text(
        "種子不同，{setting}：兩邊各抽 {n} 段，共 {outcomes} 種寫法；若分布相同，純靠運氣差到這麼多或更多的機會是 {p}{guesses}",
        "other seeds, {setting}: {n} continuations each, of {outcomes} kinds; if both are of one distribution, counts at least "
        "this different come up by chance with probability {p}{guesses}",
    ),
    "template": Text(
        "{prompt}：模型的對話模板寫不出這個提示（{error}）",
        "{prompt}: the model's chat template does not write this prompt ({error})",
    ),
    "result_same": Text("結果：沒有發現差別。", "Result: no difference was found."),
    "result_rounding": Text(
        "結果：除了捨入，沒有發現差別（{n} 處）。", "Result: no difference was found but by rounding (in {n} checks).",
    ),
    "result_differs": Text(
        "結果：{n_checks} 項中有 {n} 項不同。猜測改變了這個模型寫的東西，請不要打開，並把上面的內容回報給我們。",
        "Result: {n} of {n_checks} checks found a difference. Drafting changes what this model writes: leave it off, and report "
        "the lines above.",
    ),
    "result_blind": Text(
        "結果：{drafters} 什麼都沒猜，所以沒有檢查到。",
        "Result: {drafters} guessed nothing in any check, so nothing was shown of it.",
    ),
    "failed": Text("檢查做不下去：{error}", "The check cannot go on: {error}"),
}
