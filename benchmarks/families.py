"""How much of what models write is read right: `python -m benchmarks.families`.

Two sets of raw turns are read: our own, `tests/data/parser_cases.jsonl`, and the rows of the package canitoolcall, which come
from chat templates, engines' tests, bug reports and recorded turns. A row is right if thinking, content, and the name and
arguments of every call are; white space at the ends does not count, and a call that is reported as broken is not a call that
can be run. canitoolcall's own checks decide about its rows (its "pass" and "soft pass").

Beside our families stand peers. transformers is run here, on the same rows: its parse_response with the response template that
`transformers serve` carries for the family, where it carries one. The figures of vLLM and SGLang are those that canitoolcall's
makers published (`benchmarks/data/canitoolcall_published.json`); they ask that each streamed parse is right, too.

A table goes to stderr; the last line on stdout is JSON:
{"own": [right, total], "canitoolcall": {family: [right, total]}, "peers": {peer: {family: [right, total]}}, "peers_from": …}.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from canitoolcall import checks
from canitoolcall.fixtures import Family, Fixture, load_families, load_fixtures
from canitoolcall.results import Observation, ParsedToolCall, ParseResult, Status

from families.read import read_case

OWN_CASES = Path(__file__).resolve().parents[1] / "tests" / "data" / "parser_cases.jsonl"
PUBLISHED = Path(__file__).parent / "data" / "canitoolcall_published.json"

FAMILIES = {
    "deepseek": "deepseek_v3_1",
    "gemma4": "gemma4",
    "glm": "glm4_5",
    "gpt-oss": "gpt_oss",
    "kimi": "kimi_k2",
    "llama": "llama3",
    "mistral": "mistral",
    "qwen3-hermes": "qwen3",
    "qwen3-xml": "qwen3_5",
}
"""canitoolcall's families, and ours for most of their rows."""

MODELS = {
    "DeepSeek-V3.2": "deepseek_v3_2",
    "DeepSeek-V4": "deepseek_v3_2",
    "Kimi-K3": "kimi_k3",
    "Llama-4": "llama4",
    "Qwen3-Coder": "qwen3_coder",
}
"""Models of those families that are another family of ours, by a part of their name."""

SERVED_AS = {
    "gemma4": "gemma4",
    "qwen2_5": "qwen2",
    "qwen3": "qwen3",
    "qwen3-hermes": "qwen3",
    "qwen3_5": "qwen3_5",
    "qwen3-xml": "qwen3_5",
}
"""The model_type whose response template transformers uses for a family; it carries none for the others."""

Score = list[int]
"""[right, total]."""


# Our own cases.


def own_cases() -> list[dict[str, Any]]:
    """The cases of `tests/data/parser_cases.jsonl`, described in `tests/data/README.md`."""
    return [json.loads(line) for line in OWN_CASES.read_text("utf-8").splitlines()]


def comparable(turn: Mapping[str, Any]) -> dict[str, Any]:
    """What is compared: white space runs count as one space, and a call has its arguments or the kind of its error."""
    calls = [
        {"name": call["name"], "error": call["error"]}
        if call.get("error")
        else {"name": call["name"], "arguments": call["arguments"]}
        for call in turn["tool_calls"]
    ]
    text = {key: None if turn[key] is None else " ".join(turn[key].split()) for key in ("thinking", "content")}
    return {**text, "tool_calls": calls}


def own_is_right(case: Mapping[str, Any]) -> bool:
    """Whether a case of ours is read as it should be."""
    return comparable(read_case(case)) in accepted(case)


def accepted(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All readings of a case that are right."""
    return [comparable(turn) for turn in (case["expect"], *case.get("alternatives", []))]


# The rows of canitoolcall.


def canitoolcall_rows() -> list[tuple[Fixture, Family]]:
    """Every row of the package with what it says about the row's family."""
    known = load_families()
    return [(row, known[row.family]) for row in load_fixtures()]


def our_family(row: Fixture) -> str:
    """The key of the family by which a row's model is read here."""
    own = (key for name, key in MODELS.items() if name in row.reference_model)
    return next(own, FAMILIES[row.family])


def prompt_end(row: Fixture, family: Family) -> str:
    """How the prompt ended: the row says so, or else it was its model's usual way."""
    model = family.reference_for(row.reference_model)
    return row.generation_prompt or (model and model.default_generation_prompt) or ""


def read_row(row: Fixture, family: Family) -> ParseResult:
    """What our family makes of a row. A call with an error is none that could be run."""
    case = {
        "id": row.id, "family": our_family(row), "prefix": prompt_end(row, family), "raw": row.raw_output,
        "finish": "length" if row.truncated else "stop", "tools": list(row.tools),
    }
    read = read_case(case)
    calls = tuple(
        ParsedToolCall(call["name"], json.dumps(call["arguments"], ensure_ascii=False))
        for call in read["tool_calls"]
        if not call["error"]
    )
    return ParseResult(content=read["content"], reasoning_content=read["thinking"], tool_calls=calls)


def wrong_checks(row: Fixture, family: Family, result: ParseResult) -> list[str]:
    """What is wrong with a reading of a row, in the words of canitoolcall's checks; empty where it is right."""
    found = checks.run_checks(row, family, Observation(nonstream=result, streams={}))
    return [f"{one.check}: {one.detail}" for one in found if one.status not in (Status.PASS, Status.SOFT_PASS)]


# transformers.


class Transformers:
    """transformers' parse_response, with the response templates that `transformers serve` falls back to."""

    def __init__(self) -> None:
        import transformers
        from transformers.cli.serving.utils import get_response_template
        from transformers.utils.chat_parsing import parse_response

        self.name = f"transformers {transformers.__version__}"
        self._parse = parse_response
        self._templates = {
            family: get_response_template(None, SimpleNamespace(config=SimpleNamespace(model_type=model_type)))
            for family, model_type in SERVED_AS.items()
        }

    def reads(self, family: str) -> bool:
        """Whether it carries a response template for the family."""
        return family in self._templates

    def read(self, family: str, raw: str, prefix: str, tools: Iterable[Mapping[str, Any]]) -> ParseResult:
        """Its reading of one turn; an exception is an outcome."""
        try:
            message = self._parse(raw, self._templates[family], prefix=prefix, tools=[dict(tool) for tool in tools])
            calls = [call["function"] for call in message.get("tool_calls", [])]
            written = tuple(
                ParsedToolCall(call["name"], json.dumps(call.get("arguments", {}), ensure_ascii=False)) for call in calls
            )
        except Exception as error:  # Whatever it raises, the caller has no message.
            return ParseResult(exception=f"{type(error).__name__}: {error}")
        return ParseResult(message.get("content"), message.get("reasoning_content"), written)

    def own_is_right(self, case: Mapping[str, Any]) -> bool:
        """Whether a case of ours is read as it should be; broken calls, which it has no way to report, are left out."""
        result = self.read(case["family"], case["raw"], case.get("prefix", ""), case.get("tools", []))
        if result.exception:
            return False
        calls = [{"name": call.name, "arguments": call.arguments()} for call in result.tool_calls]
        read = comparable({"thinking": result.reasoning_content, "content": result.content or "", "tool_calls": calls})
        return read in [
            {**turn, "tool_calls": [call for call in turn["tool_calls"] if "error" not in call]} for turn in accepted(case)
        ]


# The scores.


def score(rows: Iterable[tuple[str, bool]]) -> dict[str, Score]:
    """[right, total] of each family, from (family, whether it is right)."""
    scores: dict[str, Score] = {}
    for family, right in rows:
        one = scores.setdefault(family, [0, 0])
        one[0] += right
        one[1] += 1
    return scores


def _sum(scores: Mapping[str, Score]) -> Score:
    return [sum(score[0] for score in scores.values()), sum(score[1] for score in scores.values())]


def _row_scores(read: Callable[[Fixture, Family], ParseResult], reads: Callable[[str], bool]) -> dict[str, Score]:
    rows = [(row, family) for row, family in canitoolcall_rows() if reads(row.family)]
    return score((row.family, not wrong_checks(row, family, read(row, family))) for row, family in rows)


def measure() -> dict[str, Any]:
    """All scores, as the last line has them."""
    peer = Transformers()
    published = json.loads(PUBLISHED.read_text("utf-8"))
    own = score((case["family"], own_is_right(case)) for case in own_cases())
    peer_own = score((case["family"], peer.own_is_right(case)) for case in own_cases() if peer.reads(case["family"]))
    peer_rows = _row_scores(
        lambda row, family: peer.read(row.family, row.raw_output, prompt_end(row, family), row.tools), peer.reads
    )
    return {
        "own": _sum(own),
        "canitoolcall": _row_scores(read_row, lambda family: family in FAMILIES),
        "own_families": own,
        "peers": {peer.name: {**peer_rows, "own": _sum(peer_own), "own_families": peer_own}, **published["engines"]},
        "peers_from": {
            peer.name: "run here: parse_response with the response templates of transformers serve",
            **dict.fromkeys(published["engines"], published["source"]),
        },
    }


def table(scores: Mapping[str, Any]) -> str:
    """The scores on canitoolcall's rows as lines of text, a family a line."""
    columns = {"Loopglass": scores["canitoolcall"], **scores["peers"]}
    lines = ["family".ljust(14) + "".join(name.rjust(22) for name in columns)]
    for family in scores["canitoolcall"]:
        cells = ["/".join(map(str, column[family])) if family in column else "–" for column in columns.values()]
        lines.append(family.ljust(14) + "".join(cell.rjust(22) for cell in cells))
    return "\n".join(lines)


def main() -> None:
    scores = measure()
    print(table(scores), file=sys.stderr)
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
