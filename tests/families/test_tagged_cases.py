"""What is made of turns of GLM and MiniMax M2 written by hand; what they share with Qwen3.5 is tried there."""

from __future__ import annotations

import pytest

import families
from tests.families.checks import REPAIRED, Case, assert_read, tool

TOOLS = [
    tool("now"),
    tool("add", a="integer", b="integer"),
    tool("note", text="string"),
    tool("set", options="object", on="boolean"),
]


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
    ("glm4_5", "answer", GN, f"\nHello.{USER}", None, "Hello.", []),
    ("glm4_5", "thinking and call", G, f"\n<think>Add.</think>\n{glm('add', a='1', b='2')}{OBSERVE}", "Add.", "",
         [("add", ADDED)]),
    ("glm4_5", "thinking that the prompt opened", GT, f"Add.</think>{compact('add', a='1', b='2')}{OBSERVE}", "Add.", "",
         [("add", ADDED)]),
    ("glm4_5", "thinking that the prompt closed", "<|assistant|></think>", f"</think>Hi.{USER}", None, "Hi.", []),
    ("glm4_5", "text and two calls", GN, f"\nI look.\n{glm('now')}\n{glm('add', a='1', b='2')}{OBSERVE}", None, "I look.",
         [("now", {}), ("add", ADDED)]),
    ("glm4_5", "no line breaks at all", GN, f"{compact('now')}{compact('now')}{OBSERVE}",
         None, "", [("now", {}), ("now", {})]),
    ("glm4_5", "a value to the character", GN, f"{compact('note', text='  two  ')}{OBSERVE}", None, "",
         [("note", {"text": "  two  "})]),
    ("glm4_5", "types", GN, glm("set", options='{"a": [1]}', on="false") + OBSERVE, None, "",
         [("set", {"options": {"a": [1]}, "on": False})]),
    ("glm4_5", "tags in a value", GN, glm("note", text="<tool_call> and </tool_call>; <arg_key>, </arg_value> too") + OBSERVE,
         None, "", [("note", {"text": "<tool_call> and </tool_call>; <arg_key>, </arg_value> too"})]),
    ("glm4_5", "a whole call in a value", GN, glm("note", text="So: " + glm("add", a="5") + "!") + OBSERVE, None, "",
         [("note", {"text": "So: " + glm("add", a="5") + "!"})]),
    ("glm4_5", "end of a value missing", GN,
         f"<tool_call>add<arg_key>a</arg_key><arg_value>1<arg_key>b</arg_key><arg_value>2</tool_call>{OBSERVE}", None, "",
         [("add", ADDED, REPAIRED)]),
    ("glm4_5", "end of a key missing", GN, f"<tool_call>note\n<arg_key>text<arg_value>Hi</arg_value>\n</tool_call>{OBSERVE}",
         None, "", [("note", {"text": "Hi"}, REPAIRED)]),
    ("glm4_5", "end of the call missing", GN, f"<tool_call>note<arg_key>text</arg_key><arg_value>Hi</arg_value>{OBSERVE}",
         None,
         "", [("note", {"text": "Hi"}, REPAIRED)]),
    ("glm4_5", "arguments as JSON", GN, f'<tool_call>add\n{{"a": 1, "b": 2}}\n</tool_call>{OBSERVE}', None, "",
         [("add", ADDED, REPAIRED)]),
    ("glm4_5", "the whole call as JSON", GN,
         f'<tool_call>{{"name": "add", "arguments": {{"a": 1, "b": 2}}}}</tool_call>{OBSERVE}',
         None, "", [("add", ADDED, REPAIRED)]),
    ("glm4_5", "Python call", GN, f"<tool_call>add(a=1)</tool_call>{OBSERVE}", None, "", [("add", "bad_arguments")]),
    ("glm4_5", "cut in a value", GN, "<tool_call>note<arg_key>text</arg_key><arg_value>ha",
         None, "", [("note", "unterminated")]),
    ("glm4_5", "cut after a key", GN, "<tool_call>note<arg_key>text</arg_key>", None, "", [("note", "unterminated")]),
    ("glm4_5", "cut after whole arguments", GN, glm("add", a="1").removesuffix("</tool_call>"), None, "",
         [("add", "unterminated")]),
    ("glm4_5", "broken, then whole", GN, f"<tool_call>add: 1, 2</tool_call>{glm('now')}{OBSERVE}", None, "",
         [("add:", "bad_arguments"), ("now", {})]),
    ("glm4_5", "marker in a sentence", GN, f"The <tool_call> tag opens it.{USER}", None, "The <tool_call> tag opens it.", []),
    ("minimax_m2", "answer after thinking", M, f"Greet.\n</think>\n\nHello.{STOP}", "Greet.", "Hello.", []),
    ("minimax_m2", "one call", M, f"Add.\n</think>\n\n{minimax(invoke('add', a='1', b='2'))}{STOP}", "Add.", "", [("add",
         ADDED)]),
    ("minimax_m2", "several calls", M, f"</think>Look.\n{minimax(invoke('now'), invoke('add', a='1', b='2'))}{STOP}", None,
         "Look.", [("now", {}), ("add", ADDED)]),
    ("minimax_m2", "line breaks are part of the value", M, f"</think>{minimax(invoke('note', text=chr(10)))}{STOP}", None, "",
         [("note", {"text": "\n"})]),
    ("minimax_m2", "a null object", M, f"</think>{minimax(invoke('set', options='null'))}{STOP}", None, "",
         [("set", {"options": "null"}, REPAIRED)]),
    ("minimax_m2", "Qwen's tags", M, f"</think>{minimax('<invoke=now>', '</invoke>')}{STOP}",
         None, "", [("now", {}, REPAIRED)]),
    ("minimax_m2", "no opener", M, f"</think>{invoke('now')}</minimax:tool_call>{STOP}", None, "", [("now", {}, REPAIRED)]),
    ("minimax_m2", "call in open thinking", M, f"I know.\n{minimax(invoke('now'))}{STOP}", "I know.", "", [("now", {})]),
    ("minimax_m2", "cut between calls", M, f"</think><minimax:tool_call>\n{invoke('now')}<invoke na", None, "",
         [("now", {}), ("", "unterminated")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("family", "case"),
    [pytest.param(family, Case(*told), id=f"{family}: {told[0]}") for family, *told in CASES],
)
def test_case(family: str, case: Case) -> None:
    assert_read(families.named(family).parse(case.raw, TOOLS, case.prefix), case)


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
