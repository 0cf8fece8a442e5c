"""The family of a checkpoint that no family knows: its turn is shown as it is, and its tokenizer says what is a control token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from families.base import Family, Parser, Text, TokenGroup, Turn
from families.chatml import FILE_NOTES
from families.pieces import Vocabulary
from families.reading import trimmed
from families.turns import end_of_text

KEY = "plain"

_ROLES = {
    "bos_token": Text("分詞器的 bos_token：整段提示從這裡開始。", "The tokenizer's bos_token: the whole prompt begins."),
    "eos_token": Text("分詞器的 eos_token：寫到這裡就停。", "The tokenizer's eos_token: the writing ends here."),
    "pad_token": Text("分詞器的 pad_token：補齊長度用。", "The tokenizer's pad_token: padding."),
    "unk_token": Text("分詞器的 unk_token：不在詞彙表裡的字。", "The tokenizer's unk_token: something not in the vocabulary."),
}
_UNSAID = Text(
    "分詞器的特殊 token；檔案沒有說明它的用途。", "A special token of the tokenizer; the files do not say what it is for."
)
_STOP = Text("分詞器的結束 token：模型寫完了。", "The tokenizer's end token: the model has finished.")
_NOTE = Text(
    "沒有模型家族認得這個檢查點，所以原樣顯示模型寫的內容，不讀工具呼叫，也不分思考與答案。",
    "No model family knows this checkpoint, so what the model writes is shown as it is: no tool calls are read, and thinking is "
    "not told from the answer.",
)
_TEMPLATE_NOTE = Text(
    "沒有模型家族認得這個檢查點，所以思考、答案與工具呼叫照它的分詞器附的回應模板來讀，由 transformers 解讀。",
    "No model family knows this checkpoint, so thinking, answer and tool calls are read by the response template that its "
    "tokenizer carries, as transformers reads it.",
)


def _parse(special: Sequence[str], raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """The turn as its content, without the special tokens at its end."""
    start, end = trimmed(raw, (0, end_of_text(raw, special)))
    return Turn(None, raw[start:end], (), (), ((start, end),) if start < end else ())


def plain(special: Mapping[str, str | None], stops: Sequence[str], vocabulary: Vocabulary, by_template: Parser | None) -> Family:
    """The family of a tokenizer with these special tokens.

    `special` maps each of them to the role that the tokenizer names it for ("bos_token", "eos_token", "pad_token",
    "unk_token"), or None; `stops` are those that end a turn. `by_template` reads a turn where the tokenizer carries a
    response template.
    """
    tokens = {token: _ROLES.get(role or "", _UNSAID) for token, role in special.items()}
    group = TokenGroup(
        Text("特殊 token", "Special tokens"),
        Text("分詞器自己標為特殊的 token。", "What the tokenizer itself marks as special."),
        tokens,
    )
    return Family(
        key=KEY,
        name="Plain",
        model_types=frozenset(),
        required_tokens=(),
        parse=by_template or partial(_parse, tuple(tokens)),
        channels=dict.fromkeys(tokens, "control"),
        thinking_openers=(),
        stop_tokens=dict.fromkeys(stops, _STOP),
        thinking_field=None,
        thinking_argument=None,
        keeps_text_before_call=True,
        user_turn_start="",
        token_groups=(group,) if tokens else (),
        thinking_note=Text(
            "不知道這個檢查點的模板有沒有思考開關，所以不去切換。",
            "Whether this checkpoint's template has a switch for thinking is not known, so none is set.",
        ),
        tools_note=Text(
            "工具由檢查點自己的模板寫進提示，如果它有寫的話；請看提示。",
            "The checkpoint's own template writes the tools into the prompt, if it writes them at all: see the prompt.",
        ),
        sampling={"temperature": 1.0, "top_p": 1.0, "top_k": 0},
        vocabulary=vocabulary,
        file_notes=FILE_NOTES,
        note=_TEMPLATE_NOTE if by_template else _NOTE,
    )


PLAIN = plain({}, (), "byte_level", None)
"""The family without any tokenizer, to read a text by."""
