"""What the sidebar says: a label and a help text for each setting, written for someone who meets it for the first time."""

from __future__ import annotations

from collections.abc import Mapping

from app.drafting_words import SETTING
from families.base import Text

SIDEBAR: Mapping[str, Text] = {
    "family": Text("{model}（{family} 家族）", "{model} ({family} family)"),
    "sampling": Text("抽樣", "Sampling"),
    "sampling_later": Text(
        "溫度、top-p 和 top-k 的建議值每個模型不同，模型準備好之後就會出現在這裡。",
        "Temperature, top-p and top-k come with the model: its recommended values appear here once it is ready.",
    ),
    "defaults_from_checkpoint": Text(
        "預設值是這個模型的檔案裡建議的。", "The default values are the ones recommended in the model’s own files.",
    ),
    "defaults_from_family": Text(
        "這個模型的檔案沒有建議值，所以預設值用 {family} 家族通用的。",
        "The model’s files recommend no values, so the default values are those of the {family} family.",
    ),
    "defaults_changed": Text("已改動：{names}。", "Changed: {names}."),
    "back_to_defaults": Text("回到預設值", "Back to defaults"),
    "temperature": Text("溫度", "Temperature"),
    "temperature_help": Text(
        "每個 token 都是照機率抽出來的，溫度會先把機率的差距拉大或拉平。低於 1，機率高的更容易抽中，寫得保守；高於 1，機率低的"
        "也多些機會，寫得跳躍。設成 0 就不抽了，永遠拿最可能的那一個。",
        "Each token is drawn by lot, and temperature reshapes the probabilities first. Below 1 the likely tokens get likelier "
        "and the text plays safe; above 1 unlikely ones get more of a chance. At 0 nothing is drawn: the most likely token is "
        "always taken.",
    ),
    "top_p": Text("Top-p", "Top-p"),
    "top_p_help": Text(
        "從最可能的 token 往下收，收到機率（經過溫度與 top-k 之後的）加起來達到這個值為止，其餘不准抽。模型有把握時，可能只剩"
        "一兩個候選；沒把握時會留下很多。1 表示一個都不砍。",
        "Tokens are taken from the most likely down until their probabilities, as temperature and top-k leave them, add up to "
        "this; the rest cannot be drawn. Where the model is sure, one or two are left; where it is in doubt, many. 1 cuts "
        "nothing.",
    ),
    "top_k": Text("Top-k", "Top-k"),
    "top_k_help": Text(
        "只留下最可能的 k 個 token，不管它們的機率加起來是多少。1 就等於永遠拿最可能的那一個；0 表示不用這個限制。",
        "Only the k most likely tokens stay, whatever they add up to. 1 always takes the most likely one; 0 switches this limit "
        "off.",
    ),
    "seed": Text("隨機種子", "Seed"),
    "seed_help": Text(
        "抽籤用的起始數字。在同一台電腦上，模型、問題、設定和種子都相同，就會寫出一模一樣的文字，適合重現一次結果。"
        "留空時，每次提問自動抽一個，列在問題下面；填到這裡，就能重現那一次。",
        "The number that the draw starts from. On the same computer, the same model, question, settings and seed write the same "
        "text again, which is how you repeat a result. Left empty, each run draws one, which then "
        "stands under its question: type it here to repeat that run.",
    ),
    "seed_empty": Text("每次自動抽", "drawn for each run"),
    **SETTING,
    "loop": Text("迴圈", "Loop"),
    "max_new_tokens": Text("每輪 token 上限", "Maximum new tokens"),
    "max_new_tokens_help": Text(
        "模型每一輪最多寫這麼多個 token，寫滿就被切斷。想得久的模型要給多一點；工具呼叫若在半途被切斷，就不會執行。",
        "The model may write this many tokens in one turn and is cut off there. Models that think at length need more. A tool "
        "call that is cut off is not run.",
    ),
    "max_steps": Text("步數上限", "Maximum steps"),
    "max_steps_help": Text(
        "一步就是：模型讀提示、寫一輪、框架執行它要的工具。走完這麼多步還沒有答案就結束，免得模型原地打轉。",
        "One step is: the model reads the prompt, writes a turn, and the tools it called are run. If there is no answer after "
        "this many steps the run ends, so that a model that goes in circles does not go on for ever.",
    ),
    "time_limit": Text("時間上限（秒）", "Time limit (seconds)"),
    "time_limit_help": Text(
        "一個問題從頭到尾最多花這麼久，時間到就在下一個 token 停下，已經寫出來的都會留著。",
        "The whole run may take this long. When time is up it stops at the next token, and what has been written stays.",
    ),
    "thinking": Text("先思考再回答", "Think before answering"),
    "thinking_help": Text(
        "開著時，模型先把想法寫給自己看，再呼叫工具或回答。關掉時，許多家族的提示裡會先放一個空的思考區塊，等於告訴它「想完了」；"
        "有些家族關不掉，或根本不思考，「模型」分頁有說明。思考常讓困難的題目答得更準，也要多寫不少 token。",
        "Switched on, the model first writes notes to itself, then calls a tool or answers. Switched off, the prompt of many "
        "families already holds an empty thinking block, which tells the model that thinking is over; some families always "
        "think, or never do, as the Model tab says. Thinking often helps with hard questions and costs tokens.",
    ),
    "thinking_fixed": Text(
        "這個模型的對話模板沒有思考開關，開或關都是一樣的提示：想不想由模型決定。",
        "This model’s chat template has no switch for thinking: the prompt is the same on and off, and whether it thinks is up "
        "to the model.",
    ),
    "tools": Text("提供哪些工具", "Tools on offer"),
    "tools_help": Text(
        "勾選的工具會連同說明寫進提示，模型只能從說明認識它們。全部取消，模型就只能靠自己回答：同一題試兩次，差別就出來了。",
        "The chosen tools are described in the prompt; those words are all that the model knows about them. With none, it must "
        "answer by itself: ask the same question both ways and compare.",
    ),
    "system_prompt": Text("系統提示", "System prompt"),
    "system_prompt_help": Text(
        "放在對話最前面的指示，模型每一步都會讀到。改幾個字，語氣、長短、用不用工具都可能跟著變。清空就不放。",
        "Instructions that stand before the conversation; the model reads them at every step. A few words changed here can "
        "change tone, length and the use of tools. Empty means none.",
    ),
    "next_question": Text("設定從下一個問題開始生效。", "Settings apply from the next question on."),
}
