"""What is made of turns of GLM and MiniMax M2 written by hand; what they share with Qwen3.5 is tried there."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import families
from families.base import Turn


def tool(name: str, **parameters: str) -> dict[str, Any]:
    properties = {parameter: {"type": kind} for parameter, kind in parameters.items()}
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


TOOLS = [
    tool("now"),
    tool("add", a="integer", b="integer"),
    tool("note", text="string"),
    tool("set", options="object", on="boolean"),
]
REPAIRED = True


class Case(NamedTuple):
    """A turn and what is right: each call is (name, arguments) or (name, kind of error), and True where it was repaired."""

    id: str
    family: str
    prefix: str
    raw: str
    thinking: str | None
    content: str
    calls: list[tuple[Any, ...]]


def glm(name: str, **arguments: str) -> str:
    pairs = "".join(f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n" for key, value in arguments.items())
    return f"<tool_call>{name}\n{pairs}</tool_call>"


def compact(name: str, **arguments: str) -> str:
    return glm(name, **arguments).replace("\n", "")


def invoke(name: str, **arguments: str) -> str:
    pairs = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in arguments.items())
    return f'<invoke name="{name}">\n{pairs}</invoke>\n'


def minimax(*invokes: str) -> str:
    return f"<minimax:tool_call>\n{''.join(invokes)}</minimax:tool_call>"


G, GT, GN, M = "<|assistant|>", "<|assistant|><think>", "<|assistant|>\n<think></think>", "]~b]ai\n<think>\n"
USER, OBSERVE, STOP = "<|user|>", "<|observation|>", "[e~["
ADDED = {"a": 1, "b": 2}
CASES = [
    Case("answer", "glm4_5", GN, f"\nHello.{USER}", None, "Hello.", []),
    Case("thinking and call", "glm4_5", G, f"\n<think>Add.</think>\n{glm('add', a='1', b='2')}{OBSERVE}", "Add.", "",
         [("add", ADDED)]),
    Case("thinking that the prompt opened", "glm4_5", GT, f"Add.</think>{compact('add', a='1', b='2')}{OBSERVE}", "Add.", "",
         [("add", ADDED)]),
    Case("thinking that the prompt closed", "glm4_5", "<|assistant|></think>", f"</think>Hi.{USER}", None, "Hi.", []),
    Case("text and two calls", "glm4_5", GN, f"\nI look.\n{glm('now')}\n{glm('add', a='1', b='2')}{OBSERVE}", None, "I look.",
         [("now", {}), ("add", ADDED)]),
    Case("no line breaks at all", "glm4_5", GN, f"{compact('now')}{compact('now')}{OBSERVE}",
         None, "", [("now", {}), ("now", {})]),
    Case("a value to the character", "glm4_5", GN, f"{compact('note', text='  two  ')}{OBSERVE}", None, "",
         [("note", {"text": "  two  "})]),
    Case("types", "glm4_5", GN, glm("set", options='{"a": [1]}', on="false") + OBSERVE, None, "",
         [("set", {"options": {"a": [1]}, "on": False})]),
    Case("tags in a value", "glm4_5", GN, glm("note", text="<tool_call> and </tool_call>; <arg_key>, </arg_value> too") + OBSERVE,
         None, "", [("note", {"text": "<tool_call> and </tool_call>; <arg_key>, </arg_value> too"})]),
    Case("a whole call in a value", "glm4_5", GN, glm("note", text="So: " + glm("add", a="5") + "!") + OBSERVE, None, "",
         [("note", {"text": "So: " + glm("add", a="5") + "!"})]),
    Case("end of a value missing", "glm4_5", GN,
         f"<tool_call>add<arg_key>a</arg_key><arg_value>1<arg_key>b</arg_key><arg_value>2</tool_call>{OBSERVE}", None, "",
         [("add", ADDED, REPAIRED)]),
    Case("end of a key missing", "glm4_5", GN, f"<tool_call>note\n<arg_key>text<arg_value>Hi</arg_value>\n</tool_call>{OBSERVE}",
         None, "", [("note", {"text": "Hi"}, REPAIRED)]),
    Case("end of the call missing", "glm4_5", GN, f"<tool_call>note<arg_key>text</arg_key><arg_value>Hi</arg_value>{OBSERVE}",
         None,
         "", [("note", {"text": "Hi"}, REPAIRED)]),
    Case("arguments as JSON", "glm4_5", GN, f'<tool_call>add\n{{"a": 1, "b": 2}}\n</tool_call>{OBSERVE}', None, "",
         [("add", ADDED, REPAIRED)]),
    Case("the whole call as JSON", "glm4_5", GN,
         f'<tool_call>{{"name": "add", "arguments": {{"a": 1, "b": 2}}}}</tool_call>{OBSERVE}',
         None, "", [("add", ADDED, REPAIRED)]),
    Case("Python call", "glm4_5", GN, f"<tool_call>add(a=1)</tool_call>{OBSERVE}", None, "", [("add", "bad_arguments")]),
    Case("cut in a value", "glm4_5", GN, "<tool_call>note<arg_key>text</arg_key><arg_value>ha",
         None, "", [("note", "unterminated")]),
    Case("cut after a key", "glm4_5", GN, "<tool_call>note<arg_key>text</arg_key>", None, "", [("note", "unterminated")]),
    Case("cut after whole arguments", "glm4_5", GN, glm("add", a="1").removesuffix("</tool_call>"), None, "",
         [("add", "unterminated")]),
    Case("broken, then whole", "glm4_5", GN, f"<tool_call>add: 1, 2</tool_call>{glm('now')}{OBSERVE}", None, "",
         [("add:", "bad_arguments"), ("now", {})]),
    Case("marker in a sentence", "glm4_5", GN, f"The <tool_call> tag opens it.{USER}", None, "The <tool_call> tag opens it.", []),
    Case("answer after thinking", "minimax_m2", M, f"Greet.\n</think>\n\nHello.{STOP}", "Greet.", "Hello.", []),
    Case("one call", "minimax_m2", M, f"Add.\n</think>\n\n{minimax(invoke('add', a='1', b='2'))}{STOP}", "Add.", "", [("add",
         ADDED)]),
    Case("several calls", "minimax_m2", M, f"</think>Look.\n{minimax(invoke('now'), invoke('add', a='1', b='2'))}{STOP}", None,
         "Look.", [("now", {}), ("add", ADDED)]),
    Case("line breaks are part of the value", "minimax_m2", M, f"</think>{minimax(invoke('note', text=chr(10)))}{STOP}", None, "",
         [("note", {"text": "\n"})]),
    Case("a null object", "minimax_m2", M, f"</think>{minimax(invoke('set', options='null'))}{STOP}", None, "",
         [("set", {"options": "null"}, REPAIRED)]),
    Case("Qwen's tags", "minimax_m2", M, f"</think>{minimax('<invoke=now>', '</invoke>')}{STOP}",
         None, "", [("now", {}, REPAIRED)]),
    Case("no opener", "minimax_m2", M, f"</think>{invoke('now')}</minimax:tool_call>{STOP}", None, "", [("now", {}, REPAIRED)]),
    Case("call in open thinking", "minimax_m2", M, f"I know.\n{minimax(invoke('now'))}{STOP}", "I know.", "", [("now", {})]),
    Case("cut between calls", "minimax_m2", M, f"</think><minimax:tool_call>\n{invoke('now')}<invoke na", None, "",
         [("now", {}), ("", "unterminated")]),
]  # fmt: skip


def squeezed(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


def summary(turn: Turn) -> list[tuple[Any, ...]]:
    turns = [(call.name, call.error.kind if call.error else call.arguments, call.repaired is not None) for call in turn.calls]
    return [(name, outcome, True) if repaired else (name, outcome) for name, outcome, repaired in turns]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.family}: {case.id}" for case in CASES])
def test_case(case: Case) -> None:
    turn = families.named(case.family).parse(case.raw, TOOLS, case.prefix)
    assert summary(turn) == case.calls
    assert squeezed(turn.thinking) == squeezed(case.thinking)
    assert squeezed(turn.content) == squeezed(case.content)


CHATML = {"<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<think>", "</think>"}
GLM = {"<|user|>", "<|assistant|>", "<|observation|>", "<think>", "</think>", "<tool_call>", "<arg_key>", "<arg_value>"}
MINIMAX = {"]~b]", "[e~[", "<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>"}


@pytest.mark.parametrize(
    ("model_type", "tokens", "template", "key"),
    [
        ("qwen3_5", CHATML, "", "qwen3_5"),
        ("qwen3_5_text", CHATML, "", "qwen3_5"),
        ("qwen3_5_moe", CHATML, "", "qwen3_5"),
        ("qwen3_moe", CHATML, "…<function=example>…", "qwen3_coder"),
        ("qwen3_next", CHATML, "…<function=example>…", "qwen3_coder"),
        ("qwen3_moe", CHATML, '…{"name": <function-name>}…', "qwen3"),
        ("glm4_moe", GLM, "", "glm4_5"),
        ("minimax_m2", MINIMAX, "", "minimax_m2"),
    ],
)
def test_a_checkpoint_finds_its_family(model_type: str, tokens: set[str], template: str, key: str) -> None:
    assert families.for_checkpoint({"model_type": model_type}, tokens, template).key == key
