"""Tables that the Gemma families share: the control tokens of every Gemma vocabulary, and checkpoint files."""

from __future__ import annotations

from families import chatml
from families.base import FileNote, Text, TokenGroup

DOCUMENT = TokenGroup(
    Text("文件", "Documents"),
    Text("標出文件的頭尾，以及沒有內容的位置。", "Where a document begins and ends, and places without content."),
    {
        "<bos>": Text("整份提示從這裡開始，只寫一次。", "The whole prompt begins; it is written once."),
        "<eos>": Text("整份文件到此結束。", "The whole document ends."),
        "<pad>": Text("把一批文字補成一樣長。", "Fills a batch of texts up to one length."),
        "<unk>": Text("詞彙表裡沒有的東西。", "Stands for what the vocabulary lacks."),
        "<mask>": Text("遮住的位置，聊天時用不到。", "A place that is masked; chat does not use it."),
    },
)

_SHARED = {note.file: note for note in chatml.FILE_NOTES}
_TOKENIZER = FileNote(
    "tokenizer.json",
    _SHARED["tokenizer.json"].note,
    {
        "model.type": _SHARED["tokenizer.json"].fields["model.type"],
        "model.byte_fallback": Text(
            "詞彙表裡沒有的字元是否拆成位元組來寫。",
            "Whether a character that the vocabulary lacks is written as its bytes.",
        ),
        "normalizer.type": Text(
            "切分前怎麼改寫文字；Gemma 把空格換成 ▁。",
            "How text is rewritten before splitting; Gemma turns spaces into ▁.",
        ),
    },
)

FILE_NOTES = tuple(
    _TOKENIZER if note.file == _TOKENIZER.file else note for note in chatml.FILE_NOTES if note.file != "config.json"
)
"""The files of a checkpoint beside its config.json, which differs from one Gemma to the next."""
