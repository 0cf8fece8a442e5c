"""Ask the base model every plain question once and keep its own good, short answers: `python -m teaching.own_answers GGUF`.

The built-in model must not unlearn what the base model knows. So the part of the curriculum that needs no tool is in the
base model's own words: greedy, one fixed system prompt, answers that come to an end, and the right word where we know it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from backends.gguf_base import BaseModel
from teaching.plain_questions import PlainQuestion, plain_questions

ANSWERS = Path(__file__).parent / "data" / "own_answers.jsonl"
SYSTEM = "You are a helpful assistant. Answer in one or two short sentences."
END = "<|im_end|>"
PROMPT = f"<|im_start|>system\n{SYSTEM}{END}\n<|im_start|>user\n{{question}}{END}\n<|im_start|>assistant\n"
MAX_TOKENS = 72
BATCH = 64


def main(gguf: Path) -> None:
    """Add to ANSWERS, one {"q", "a"} a line, what it does not hold yet."""
    ANSWERS.touch()
    known = {json.loads(line)["q"] for line in ANSWERS.read_text(encoding="utf-8").splitlines()}
    questions = [question for question in plain_questions() if question.text not in known]
    base = BaseModel(gguf)
    model = LlamaForCausalLM(LlamaConfig(**base.config())).eval()
    model.load_state_dict({name: torch.tensor(array) for name, array in base.tensors().items()}, strict=False)
    kept = 0
    with ANSWERS.open("a", encoding="utf-8") as out:
        for question, answer in _answers(model, base.tokenizer(), questions):
            if _good(question, answer):
                answer = answer.split(END)[0].strip()
                kept += 1
                out.write(json.dumps({"q": question.text, "a": answer}, ensure_ascii=False) + "\n")
    print(f"{kept} answers kept")


def _answers(
    model: LlamaForCausalLM, tokenizer: Tokenizer, questions: Sequence[PlainQuestion]
) -> Iterator[tuple[PlainQuestion, str]]:
    by_length = sorted(questions, key=lambda question: len(question.text))
    for start in range(0, len(by_length), BATCH):
        batch = by_length[start : start + BATCH]
        ids = [tokenizer.encode(PROMPT.format(question=question.text), add_special_tokens=False).ids for question in batch]
        width = max(map(len, ids))
        padded = torch.tensor([[2] * (width - len(row)) + row for row in ids])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in ids])
        with torch.inference_mode():
            output = model.generate(padded, attention_mask=mask, do_sample=False, max_new_tokens=MAX_TOKENS, pad_token_id=0)
        print(f"{start + len(batch)} of {len(by_length)}", file=sys.stderr, flush=True)
        for question, row in zip(batch, output[:, width:].tolist(), strict=True):
            yield question, tokenizer.decode(row, skip_special_tokens=False)


def _good(question: PlainQuestion, raw: str) -> bool:
    """Whether the answer came to an end, is plain English, says something, and holds the right word where we know it."""
    answer = raw.split(END)[0].strip().lower()
    if END not in raw or len(answer) < 2 or not answer.isascii() or answer == question.text.lower():
        return False
    return not question.right or any(word in answer for word in question.right)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
