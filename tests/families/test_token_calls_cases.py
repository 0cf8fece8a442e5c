"""What the parsers of DeepSeek and Kimi K2 make of turns written by hand, a row for each thing that models do right or wrong."""

from __future__ import annotations

from typing import NamedTuple

import pytest

import families
from families.deepseek_parser import FORMAT as DEEPSEEK
from families.kimi_parser import FORMAT as KIMI
from families.reading import ChannelReader
from tests.families.checks import REPAIRED, Calls, outcome, tool

EOS = "<｜end▁of▁sentence｜>"


TOOLS = [tool("now"), tool("add", "a", "b"), tool("note", "text")]
ADD = '{"a": 1, "b": 2}'
ADDED = {"a": 1, "b": 2}


def r1(name: str, body: str) -> str:
    return f"{DEEPSEEK.call}function{DEEPSEEK.separator}{name}\n```json\n{body}\n```{DEEPSEEK.end_call}"


def v3_1(name: str, body: str) -> str:
    return f"{DEEPSEEK.call}{name}{DEEPSEEK.separator}{body}{DEEPSEEK.end_call}"


def kimi(identifier: str, body: str) -> str:
    return f"{KIMI.call}{identifier}{KIMI.separator}{body}{KIMI.end_call}"


def deepseek(*calls: str) -> str:
    return DEEPSEEK.section + "".join(calls) + DEEPSEEK.end_section


def section(*calls: str) -> str:
    return KIMI.section + "".join(calls) + KIMI.end_section


class Case(NamedTuple):
    """A turn and what is right."""

    id: str
    raw: str
    thinking: str | None
    content: str
    calls: Calls
    prefix: str = ""


DEEPSEEK_CASES = [
    Case("answer", f"Good morning.{EOS}", None, "Good morning.", []),
    Case("thinking", f"Greet.\n</think>\n\nHi.{EOS}", "Greet.", "Hi.", [], "<｜Assistant｜><think>\n"),
    Case("thinking closed by the prompt", f"Hi.{EOS}", None, "Hi.", [], "<｜Assistant｜><think></think>"),
    Case("thinking cut off", "First I", "First I", "", [], "<｜Assistant｜><think>"),
    Case("call of R1", deepseek(r1("add", ADD)) + EOS, None, "", [("add", ADDED)]),
    Case("calls of R1", deepseek(r1("add", ADD), "\n", r1("now", "{}")) + EOS, None, "", [("add", ADDED), ("now", {})]),
    Case("call of V3.1", deepseek(v3_1("add", ADD)) + EOS, None, "", [("add", ADDED)]),
    Case("calls of V3.1", deepseek(v3_1("add", ADD), v3_1("now", "{}")) + EOS, None, "", [("add", ADDED), ("now", {})]),
    Case("text before a call", f"I add.{deepseek(v3_1('add', ADD))}{EOS}", None, "I add.", [("add", ADDED)]),
    Case("thinking, then a call", f"Add.</think>{deepseek(v3_1('add', ADD))}{EOS}", "Add.", "", [("add", ADDED)], "<think>"),
    Case(
        "thinking that never closes",
        f"<think>Add.{deepseek(v3_1('add', ADD))}{EOS}",
        "Add.",
        "",
        [("add", ADDED)],
    ),
    Case(
        "a call in thinking that closes",
        f"<think>Maybe {deepseek(v3_1('add', ADD))}</think>No.{EOS}",
        f"Maybe {deepseek(v3_1('add', ADD))}",
        "No.",
        [],
    ),
    Case("a tool called function", deepseek(v3_1("function", "{}")) + EOS, None, "", [("", "no_name")]),
    Case(
        "a fence in a string",
        deepseek(r1("note", '{"text": "```json\\n{}\\n```"}')) + EOS,
        None,
        "",
        [("note", {"text": "```json\n{}\n```"})],
    ),
    Case("fence not closed", deepseek(r1("add", ADD).replace("\n```<", "\n<")) + EOS, None, "", [("add", ADDED)]),
    Case("brace missing before the fence", deepseek(r1("add", '{"a": 1')) + EOS, None, "", [("add", {"a": 1}, REPAIRED)]),
    Case(
        "no markers around a call",
        f"{DEEPSEEK.section}function{DEEPSEEK.separator}add\n```json\n{ADD}\n```{DEEPSEEK.end_section}{EOS}",
        None,
        "",
        [("add", "not_a_call")],
    ),
    Case("stop in the middle of R1's call", DEEPSEEK.section + r1("add", ADD)[:60], None, "", [("add", "unterminated")]),
]
KIMI_CASES = [
    Case("answer", "Good morning.<|im_end|>", None, "Good morning.", []),
    Case("thinking", "<think>Greet.</think>Hi.<|im_end|>", "Greet.", "Hi.", []),
    Case("thinking that the prompt opened", "Greet.</think>Hi.<|im_end|>", "Greet.", "Hi.", [], "<|im_middle|><think>"),
    Case("call", section(kimi("functions.add:0", ADD)) + "<|im_end|>", None, "", [("add", ADDED)]),
    Case(
        "calls",
        section(kimi("functions.add:0", ADD), kimi("functions.now:1", "{}")) + "<|im_end|>",
        None,
        "",
        [("add", ADDED), ("now", {})],
    ),
    Case("white space in the identifier", section(kimi(" functions.add:10 ", ADD)) + "<|im_end|>", None, "", [("add", ADDED)]),
    Case("dots and dashes", section(kimi("functions.a.b-c:0", "{}")) + "<|im_end|>", None, "", [("a.b-c", {})]),
    Case("no namespace", section(kimi("add:0", ADD)) + "<|im_end|>", None, "", [("add", ADDED)]),
    Case("no number", section(kimi("functions.add", ADD)) + "<|im_end|>", None, "", [("add", ADDED)]),
    Case("no identifier", section(kimi("", ADD)) + "<|im_end|>", None, "", [("", "no_name")]),
    Case("unknown tool", section(kimi("functions.fly:0", '{"to": "Mars"}')) + "<|im_end|>", None, "", [("fly", {"to": "Mars"})]),
    Case(
        "text around",
        f"Before. {section(kimi('functions.now:0', '{}'))} After.<|im_end|>",
        None,
        "Before.  After.",
        [("now", {})],
    ),
    Case(
        "text in the section",
        f"{KIMI.section} so {kimi('functions.now:0', '{}')} and {KIMI.end_section}<|im_end|>",
        None,
        "",
        [("now", {})],
    ),
    Case("empty section", f"So.{section()}<|im_end|>", None, "So.", []),
    Case("section with no call", f"{section('now, please')}<|im_end|>", None, "", [("", "not_a_call")]),
    Case(
        "section closed twice", section(kimi("functions.now:0", "{}")) + f"{KIMI.end_section}<|im_end|>", None, "", [("now", {})]
    ),
    Case("section opened twice", KIMI.section + section(kimi("functions.now:0", "{}")) + "<|im_end|>", None, "",
         [("now", {}, REPAIRED)]),
    Case("call opened twice", section(KIMI.call + kimi("functions.now:0", "{}")) + "<|im_end|>", None, "",
         [("now", {}, REPAIRED)]),
    Case("section not closed", f"{KIMI.section}{kimi('functions.now:0', '{}')}<|im_end|>", None, "", [("now", {})]),
    Case("section cut after a call", KIMI.section + kimi("functions.now:0", "{}"), None, "", [("now", {})]),
    Case("section cut at its end", KIMI.section + kimi("functions.now:0", "{}") + "<|tool_calls_se", None, "", [("now", {})]),
    Case("section not opened", kimi("functions.now:0", "{}") + "<|im_end|>", None, "", [("now", {}, REPAIRED)]),
    Case(
        "call not opened",
        f"{KIMI.section}functions.now:0{KIMI.separator}{{}}{KIMI.end_call}{KIMI.end_section}<|im_end|>",
        None,
        "",
        [("now", {}, REPAIRED)],
    ),
    Case(
        "call not closed",
        f"{KIMI.section}{kimi('functions.add:0', ADD).removesuffix(KIMI.end_call)}{kimi('functions.now:1', '{}')}"
        f"{KIMI.end_section}<|im_end|>",
        None,
        "",
        [("add", ADDED, REPAIRED), ("now", {})],
    ),
    Case(
        "no separator",
        f"{KIMI.section}{KIMI.call}functions.add:0{ADD}{KIMI.end_call}{KIMI.end_section}<|im_end|>",
        None,
        "",
        [("add", ADDED, REPAIRED)],
    ),
    Case("nothing for arguments", section(kimi("functions.now:0", "")) + "<|im_end|>", None, "", [("now", {}, REPAIRED)]),
    Case("no JSON", section(kimi("functions.add:0", "a=1")) + "<|im_end|>", None, "", [("add", "bad_arguments")]),
    Case(
        "text after the JSON",
        section(kimi("functions.add:0", ADD + " please")) + "<|im_end|>",
        None,
        "",
        [("add", "bad_arguments")],
    ),
    Case(
        "a broken call harms no other",
        section(kimi("functions.add:0", '{"a": "x'), kimi("functions.now:1", "{}")) + "<|im_end|>",
        None,
        "",
        [("add", "bad_arguments"), ("now", {})],
    ),
    Case(
        "markers in a string",
        section(kimi("functions.note:0", f'{{"text": "{KIMI.end_call} {KIMI.call}"}}')) + "<|im_end|>",
        None,
        "",
        [("note", {"text": f"{KIMI.end_call} {KIMI.call}"})],
    ),
    Case("marker named in a sentence", f"`{KIMI.call}` opens a call.<|im_end|>", None, f"`{KIMI.call}` opens a call.", []),
    Case("cut in the identifier", f"{KIMI.section}{KIMI.call}functions.ad", None, "", [("", "unterminated")]),
    Case(
        "cut in the arguments",
        f"{KIMI.section}{KIMI.call}functions.add:0{KIMI.separator}" + '{"a": 1, "b',
        None,
        "",
        [("add", "unterminated")],
    ),
    Case(
        "cut after whole arguments",
        f"{KIMI.section}{KIMI.call}functions.add:0{KIMI.separator}{ADD}",
        None,
        "",
        [("add", "unterminated")],
    ),
    Case(
        "the second call cut off",
        f"{KIMI.section}{kimi('functions.now:0', '{}')}{KIMI.call}functions.add:1{KIMI.separator}" + "{",
        None,
        "",
        [("now", {}), ("add", "unterminated")],
    ),
]
ALL = [("deepseek_v3_1", case) for case in DEEPSEEK_CASES] + [("kimi_k2", case) for case in KIMI_CASES]


@pytest.mark.parametrize(("key", "case"), ALL, ids=[f"{key}: {case.id}" for key, case in ALL])
def test_case(key: str, case: Case) -> None:
    turn = families.named(key).parse(case.raw, TOOLS, case.prefix)
    assert (turn.thinking, turn.content) == (case.thinking, case.content)
    assert outcome(turn) == case.calls


def test_spans_cover_the_section() -> None:
    raw = f"So.{section(kimi('functions.add:0', ADD), kimi('functions.now:1', '{}'))}<|im_end|>"
    first, second = families.named("kimi_k2").parse(raw, TOOLS, "").calls
    assert raw[slice(*first.span)] == KIMI.section + kimi("functions.add:0", ADD)
    assert raw[slice(*second.span)] == kimi("functions.now:1", "{}") + KIMI.end_section
    assert (first.raw_args, second.raw_args) == (ADD, "{}")


@pytest.mark.parametrize(
    ("model_type", "tokens", "key"),
    [
        ("qwen2", ("<｜User｜>", "<｜Assistant｜>", EOS, "<think>", "</think>"), "deepseek_r1"),
        ("llama", ("<｜User｜>", "<｜Assistant｜>", EOS, "<think>", "</think>"), "deepseek_r1"),
        ("deepseek_v3", ("<｜User｜>", "<｜Assistant｜>", EOS), "deepseek_v3_1"),
        ("kimi_k2", families.named("kimi_k2").required_tokens, "kimi_k2"),
        ("gpt_oss", families.named("gpt_oss").required_tokens, "gpt_oss"),
    ],
)
def test_the_control_tokens_decide(model_type: str, tokens: tuple[str, ...], key: str) -> None:
    assert families.for_checkpoint(model_type, tokens).key == key


def test_channels_of_tokens() -> None:
    reader = ChannelReader(families.named("deepseek_v3_1"), "<｜Assistant｜><think>")
    tokens = [
        "Add",
        ".",
        "</think>",
        "So",
        DEEPSEEK.section,
        DEEPSEEK.call,
        "add",
        DEEPSEEK.separator,
        '{"a": "',
        "</think>",
        '"}',
        DEEPSEEK.end_call,
        DEEPSEEK.end_section,
        EOS,
    ]
    shown = [reader.feed(token) for token in tokens]
    call = ["control", "tool_call", "control", "tool_call", "tool_call", "tool_call", "control", "control", "control"]
    assert shown == ["thought", "thought", "control", "content", "control", *call]
