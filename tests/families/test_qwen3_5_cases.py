"""What is made of turns of Qwen3.5 and Qwen3-Coder written by hand, one row for each thing that models do right or wrong."""

from __future__ import annotations

from typing import Any

import pytest

from families.qwen3_5 import parse
from tests.families.checks import REPAIRED, Case, assert_read, outcome, tool

OPENED = "<|im_start|>assistant\n<think>\n"
CLOSED = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
CODER = "<|im_start|>assistant\n"
END = "<|im_end|>"


TOOLS = [
    tool("now"),
    tool("add", a="integer", b="integer"),
    tool("note", text="string"),
    tool("write_file", path="string", content="string"),
    tool("set", options="object", tags="array", on="boolean", level="number"),
]


def parameter(name: str, value: str) -> str:
    return f"<parameter={name}>\n{value}\n</parameter>\n"


def function(name: str, *parameters: str) -> str:
    return f"<function={name}>\n{''.join(parameters)}</function>"


def call(*functions: str) -> str:
    return "<tool_call>\n" + "\n".join(functions) + "\n</tool_call>"


NOW = function("now")
ADD = function("add", parameter("a", "1"), parameter("b", "2"))
ADDED = {"a": 1, "b": 2}


def note(text: str) -> str:
    return call(function("note", parameter("text", text)))


EXAMPLE = "Like this:\n" + call(function("f", parameter("x", "1"))) + "\nThat is all."
CASES = [
    # As the templates write it.
    Case("plain answer", CLOSED, f"Good morning.{END}", None, "Good morning.", []),
    Case("call", CLOSED, call(ADD) + END, None, "", [("add", ADDED)]),
    Case("call after thinking", OPENED, f"Add.\n</think>\n\n{call(ADD)}{END}", "Add.", "", [("add", ADDED)]),
    Case("text, then a call", CLOSED, f"I add them.\n\n{call(ADD)}{END}", None, "I add them.", [("add", ADDED)]),
    Case("text around a call", CODER, f"I add.\n{call(ADD)}\nWait.{END}", None, "I add.\n\nWait.", [("add", ADDED)]),
    Case("two calls", CLOSED, f"{call(NOW)}\n{call(ADD)}{END}", None, "", [("now", {}), ("add", ADDED)]),
    Case("on one line", CODER, "<tool_call><function=note><parameter=text>Hi</parameter></function></tool_call>" + END, None, "",
         [("note", {"text": "Hi"})]),
    Case("whole call, cut after it", CLOSED, call(ADD), None, "", [("add", ADDED)]),
    Case("unknown tool", CLOSED, call(function("fly", parameter("to", "Mars"))) + END, None, "", [("fly", {"to": "Mars"})]),
    Case("unknown parameter", CLOSED, call(function("now", parameter("zone", "5"))) + END, None, "", [("now", {"zone": "5"})]),
    Case("no tools known", CODER, call(function("f", parameter("n", "5"))) + END, None, "", [("f", {"n": "5"})]),
    # Thinking.
    Case("thinking switched off, yet written", CLOSED, f"<think>\nAdd.\n</think>\n\n3{END}", "Add.", "3", []),
    Case("draft in closed thinking", OPENED, f"maybe {call(NOW)}?\n</think>\n\nNo.{END}", f"maybe {call(NOW)}?", "No.", []),
    Case("call in open thinking", OPENED, f"I know.\n{call(ADD)}{END}", "I know.", "", [("add", ADDED)]),
    Case("cut in open thinking", OPENED, "I know.\n<tool_call>\n<function=add>\n<parameter=a>",
         "I know.\n<tool_call>\n<function=add>\n<parameter=a>", "", []),
    Case("broken call in open thinking", OPENED, f"I know.\n{call(function('add', parameter('a', '1'), 'b=2'))}{END}", "I know.",
         "", [("add", "bad_arguments")]),
    Case("broken draft, then a call", OPENED, f"<tool_call>\n<function=add>\n<parameter=a>\n</think>\n\n{call(ADD)}{END}",
         "<tool_call>\n<function=add>\n<parameter=a>", "", [("add", ADDED)]),
    Case("end of thinking in a draft's value", OPENED, f"{note('a </think> b')}\n</think>\n\nOK{END}", note("a </think> b"), "OK",
         []),
    # Values: everything but one line break on each side, to the character.
    Case("layout", CLOSED, note("\n  two\n\n") + END, None, "", [("note", {"text": "\n  two\n\n"})]),
    Case("empty", CLOSED, note("") + END, None, "", [("note", {"text": ""})]),
    Case("nothing at all", CLOSED, call(function("note", "<parameter=text></parameter>\n")) + END, None, "",
         [("note", {"text": ""})]),
    Case("markup", CLOSED, note("<b>1 &lt; 2</b>\n</p>") + END, None, "", [("note", {"text": "<b>1 &lt; 2</b>\n</p>"})]),
    Case("backslashes and quotes", CLOSED, note(r'C:\new "x" \d+') + END, None, "", [("note", {"text": r'C:\new "x" \d+'})]),
    Case("text that looks like a number", CLOSED, note("007") + END, None, "", [("note", {"text": "007"})]),
    Case("text that looks like JSON", CLOSED, note('{"a": 1}') + END, None, "", [("note", {"text": '{"a": 1}'})]),
    Case("text that is null", CLOSED, note("null") + END, None, "", [("note", {"text": "null"})]),
    Case("end of a parameter in a value", CLOSED, note("ends at </parameter> here") + END, None, "",
         [("note", {"text": "ends at </parameter> here"})]),
    Case("end of a function in a value", CLOSED, note("ends at\n</function>\n</tool_call>\nhere") + END, None, "",
         [("note", {"text": "ends at\n</function>\n</tool_call>\nhere"})]),
    Case("a pair of tags in a value", CLOSED, note("<parameter=text>\nx\n</parameter> and so on") + END, None, "",
         [("note", {"text": "<parameter=text>\nx\n</parameter> and so on"})]),
    Case("a pair of another parameter's tags in a value", CLOSED,
         call(function("write_file", parameter("path", "a\n<parameter=content>\nx\n</parameter>\nb"), parameter("content", "y")))
         + END, None, "", [("write_file", {"path": "a\n<parameter=content>\nx\n</parameter>\nb", "content": "y"})]),
    Case("whole call in a value", CLOSED, note(EXAMPLE) + END, None, "", [("note", {"text": EXAMPLE})]),
    Case("two whole calls in a value", CLOSED, note(EXAMPLE + "\n" + EXAMPLE) + "\n" + call(NOW) + END, None, "",
         [("note", {"text": EXAMPLE + "\n" + EXAMPLE}), ("now", {})]),
    Case("thinking in a value", CLOSED, note("<think>no</think>") + END, None, "", [("note", {"text": "<think>no</think>"})]),
    Case("stop token in a value", CLOSED, note("ends with <|im_end|> here") + END, None, "",
         [("note", {"text": "ends with <|im_end|> here"})]),
    # Types.
    Case("numbers", CLOSED, call(function("set", parameter("level", "-1.5e3"))) + END, None, "", [("set", {"level": -1500.0})]),
    Case("whole number for a number", CLOSED, call(function("set", parameter("level", "20"))) + END, None, "",
         [("set", {"level": 20})]),
    Case("True", CLOSED, call(function("set", parameter("on", "True"))) + END, None, "", [("set", {"on": True})]),
    Case("false", CLOSED, call(function("set", parameter("on", "false"))) + END, None, "", [("set", {"on": False})]),
    Case("TRUE", CLOSED, call(function("set", parameter("on", "TRUE"))) + END, None, "", [("set", {"on": True}, REPAIRED)]),
    Case("fraction that is whole", CLOSED, call(function("add", parameter("a", "2.0"))) + END, None, "",
         [("add", {"a": 2}, REPAIRED)]),
    Case("fraction for a whole number", CLOSED, call(function("add", parameter("a", "2.5"))) + END, None, "",
         [("add", {"a": "2.5"}, REPAIRED)]),
    Case("words for a whole number", CLOSED, call(function("add", parameter("a", "two"))) + END, None, "",
         [("add", {"a": "two"}, REPAIRED)]),
    Case("object", CLOSED, call(function("set", parameter("options", '{"a": [1, null]}'))) + END, None, "",
         [("set", {"options": {"a": [1, None]}})]),
    Case("object over several lines", CLOSED,
         call(function("set", parameter("options", '{\n  "a": "</parameter>"\n}'))) + END, None,
         "", [("set", {"options": {"a": "</parameter>"}})]),
    Case("Python's object", CLOSED, call(function("set", parameter("options", "{'a': True}"))) + END, None, "",
         [("set", {"options": {"a": True}}, REPAIRED)]),
    Case("object inside a string", CLOSED, call(function("set", parameter("options", r'"{\"a\": 1}"'))) + END, None, "",
         [("set", {"options": {"a": 1}}, REPAIRED)]),
    Case("broken object stays text", CLOSED, call(function("set", parameter("options", '{"a": oops}'))) + END, None, "",
         [("set", {"options": '{"a": oops}'}, REPAIRED)]),
    Case("array for an object stays text", CLOSED, call(function("set", parameter("options", "[1]"))) + END, None, "",
         [("set", {"options": "[1]"}, REPAIRED)]),
    Case("parameter twice, same value", CLOSED, call(function("add", parameter("a", "1"), parameter("a", "1"))) + END, None, "",
         [("add", {"a": 1})]),
    Case("parameter twice, two values", CLOSED, call(function("add", parameter("a", "1"), parameter("a", "2"))) + END, None, "",
         [("add", "bad_arguments")]),
    # Cut off: never run with half its arguments.
    Case("cut at the opener", CLOSED, "I look.\n<tool_call>", None, "I look.", [("", "unterminated")]),
    Case("cut in the name", CLOSED, "<tool_call>\n<function=ad", None, "", [("", "unterminated")]),
    Case("cut after the name", CLOSED, "<tool_call>\n<function=add>\n", None, "", [("add", "unterminated")]),
    Case("cut in a parameter's name", CLOSED, "<tool_call>\n<function=add>\n<parameter=", None, "", [("add", "unterminated")]),
    Case("cut in a value", CLOSED, "<tool_call>\n<function=note>\n<parameter=text>\nhalf a sen", None, "",
         [("note", "unterminated")]),
    Case("cut after a value", CLOSED, "<tool_call>\n<function=note>\n<parameter=text>\nHi\n</parameter>\n", None, "",
         [("note", "unterminated")]),
    Case("cut after the function", CLOSED, f"<tool_call>\n{ADD}\n", None, "", [("add", "unterminated")]),
    Case("cut in the end marker", CLOSED, f"<tool_call>\n{ADD}\n</tool_ca", None, "", [("add", "unterminated")]),
    Case("second call cut", CLOSED, f"{call(ADD)}\n<tool_call>\n<function=note>\n<parameter=te", None, "",
         [("add", ADDED), ("note", "unterminated")]),
    Case("a call in a value that was cut off is not run", CLOSED,
         f"<tool_call>\n<function=note>\n<parameter=text>\nLike this:\n{call(NOW)}\nand", None, "", [("note", "unterminated")]),
    Case("stopped inside a value", CLOSED, f"<tool_call>\n<function=note>\n<parameter=text>\nHi{END}", None, "",
         [("note", "unterminated")]),
    # Tags slipped.
    Case("no opener", CODER, f"Sure.\n{ADD}\n</tool_call>{END}", None, "Sure.", [("add", ADDED, REPAIRED)]),
    Case("no markers", CODER, f"Sure.\n{ADD}{END}", None, "Sure.", [("add", ADDED, REPAIRED)]),
    Case("no end marker, stopped", CLOSED, f"<tool_call>\n{ADD}{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no end marker, next call", CLOSED, f"<tool_call>\n{ADD}\n{call(NOW)}{END}", None, "",
         [("add", ADDED, REPAIRED), ("now", {})]),
    Case("no end marker, text follows", CLOSED, f"<tool_call>\n{ADD}\nI wait.{END}", None, "I wait.", [("add", ADDED, REPAIRED)]),
    Case("misspelt end marker", CLOSED, f"<tool_call>\n{ADD}\n</tool_cal>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("opener as end marker", CLOSED, f"<tool_call>\n{ADD}\n<tool_call>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("doubled opener", CLOSED, f"<tool_call>\n{call(ADD)}{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("two functions", CLOSED, call(NOW, ADD) + END, None, "", [("now", {}, REPAIRED), ("add", ADDED, REPAIRED)]),
    Case("end of function missing", CLOSED,
         "<tool_call>\n<function=add>\n" + parameter("a", "1") + f"</tool_call>{END}", None, "",
         [("add", {"a": 1}, REPAIRED)]),
    Case("end of function misspelt", CLOSED,
         "<tool_call>\n<function=add>\n" + parameter("a", "1") + f"</func>\n</tool_call>{END}",
         None, "", [("add", {"a": 1}, REPAIRED)]),
    Case("both ends missing, stopped", CLOSED, "<tool_call>\n<function=add>\n" + parameter("a", "1") + END, None, "",
         [("add", {"a": 1}, REPAIRED)]),
    Case("end of parameter missing, parameter follows", CLOSED,
         call(function("add", "<parameter=a>\n1\n", parameter("b", "2"))) + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("end of parameter missing, function ends", CLOSED, call(function("note", "<parameter=text>\nHi\n")) + END, None, "",
         [("note", {"text": "Hi"}, REPAIRED)]),
    Case("end of parameter missing, another call follows", CLOSED,
         call(function("note", "<parameter=text>\nHi\n")) + "\n" + call(ADD) + END, None, "",
         [("note", {"text": "Hi"}, REPAIRED), ("add", ADDED)]),
    Case("end of parameter missing, marker ends", CLOSED,
         f"<tool_call>\n<function=note>\n<parameter=text>\nHi\n</tool_call>{END}",
         None, "", [("note", {"text": "Hi"}, REPAIRED)]),
    Case("end of parameter misspelt", CLOSED, call(function("note", "<parameter=text>\nHi\n</param>\n")) + END, None, "",
         [("note", {"text": "Hi"}, REPAIRED)]),
    Case("end of parameter with its name", CLOSED, call(function("note", "<parameter=text>\nHi\n</text>\n")) + END, None, "",
         [("note", {"text": "Hi"}, REPAIRED)]),
    Case("end of another tag", CLOSED, call(function("note", "<parameter=text>\n<b>Hi</b>\n")) + END, None, "",
         [("note", {"text": "<b>Hi</b>"}, REPAIRED)]),
    Case("end of parameter misspelt, parameter follows", CLOSED,
         call(function("f", "<parameter=x>\n1\n</parameter1>\n", parameter("y", "2"))) + END, None, "",
         [("f", {"x": "1", "y": "2"}, REPAIRED)]),
    Case("line of an unknown parameter in a value", CLOSED, note("The tag\n<parameter=foo>\nopens it.") + END, None, "",
         [("note", {"text": "The tag\n<parameter=foo>\nopens it."})]),
    Case("quotation marks around names", CLOSED,
         call('<function="add">\n<parameter="a">\n1\n</parameter>\n<parameter name="b">\n2\n</parameter>\n</function>') + END,
         None,
         "", [("add", ADDED, REPAIRED)]),
    Case("a parameter's tag without its >", CLOSED, call(function("note", "<parameter=text\nls\n</parameter>\n")) + END, None, "",
         [("note", {"text": "ls"}, REPAIRED)]),
    Case("arguments as JSON", CLOSED, call('<function=add>\n{"a": 1, "b": 2}\n</function>') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("the whole call as JSON", CLOSED, call('{"name": "add", "arguments": {"a": 1, "b": 2}}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("the whole call as JSON without markers", CLOSED, '{"name": "add", "arguments": {"a": 1, "b": 2}}' + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("JSON that calls no tool", CLOSED, '{"name": "Ann", "arguments": {}}' + END,
         None, '{"name": "Ann", "arguments": {}}', []),
    Case("JSON that is none", CLOSED, '{"name": add}' + END, None, '{"name": add}', []),
    Case("the whole call as JSON, cut", CLOSED, '<tool_call>\n{"name": "add", "arguments": {"a": 1', None, "",
         [("add", "unterminated")]),
    Case("calls as JSON, cut in the end marker", CLOSED,
         '<tool_call>\n[{"name": "now", "arguments": {}}, {"name": "now", "arguments": {}}]\n</tool_c', None, "",
         [("now", "unterminated")]),
    Case("the whole call as broken JSON", CLOSED, call('{"name": "add", "arguments": {1}}') + "\n" + call(NOW) + END, None, "",
         [("add", "bad_arguments"), ("now", {})]),
    Case("stray end marker", CLOSED, f"Done.\n</tool_call>{END}", None, "Done.", []),
    Case("two stop tokens", CLOSED, f"Done.{END}\n<|endoftext|>\n", None, "Done.", []),
    # What cannot be read.
    Case("text between parameters", CLOSED,
         call(function("add", parameter("a", "1"), "and\n", parameter("b", "2"))) + END, None, "",
         [("add", "bad_arguments")]),
    Case("text before the parameters", CLOSED, call(function("add", "a: 1\n")) + END, None, "", [("add", "bad_arguments")]),
    Case("nothing between the markers", CLOSED, call("") + END, None, "", [("", "not_a_call")]),
    Case("words between the markers", CLOSED, call("get the weather") + END, None, "", [("", "not_a_call")]),
    Case("Python call between the markers", CLOSED, call("add(a=1)") + END, None, "", [("add", "bad_arguments")]),
    # One broken call does not harm the others.
    Case("broken, then whole", CLOSED, call(function("add", "a: 1\n")) + "\n" + call(NOW) + END, None, "",
         [("add", "bad_arguments"), ("now", {})]),
    Case("unclosed, then whole", CLOSED, f"<tool_call>\n<function=note>\n<parameter=text>\nHi\n{call(ADD)}{END}", None, "",
         [("note", "bad_arguments"), ("add", ADDED)]),
    Case("whole, broken, whole", CLOSED, call(NOW) + call("") + call(ADD) + END, None, "",
         [("now", {}), ("", "not_a_call"), ("add", ADDED)]),
    Case("broken and whole between one pair of markers", CLOSED, call(function("add", "a: 1\n"), NOW) + END, None, "",
         [("add", "bad_arguments"), ("now", {}, REPAIRED)]),
    # Text that only looks like a call.
    Case("example in a fence, not offered", CLOSED, f"So:\n```\n{call(function('f', parameter('x', '1')))}\n```{END}", None,
         f"So:\n```\n{call(function('f', parameter('x', '1')))}\n```", []),
    Case("example in a fence without its markers", CLOSED, f"So:\n```\n{function('f', parameter('x', '1'))}\n```{END}", None,
         f"So:\n```\n{function('f', parameter('x', '1'))}\n```", []),
    Case("offered tool in a fence", CLOSED, f"```\n{call(ADD)}\n```{END}", None, "```\n\n```", [("add", ADDED)]),
    Case("markers named in backticks", CLOSED, f"Put it in `<tool_call>` and `</tool_call>`.{END}", None,
         "Put it in `<tool_call>` and `</tool_call>`.", []),
    Case("tags named in a sentence", CLOSED, f"The <tool_call> opens it, then <function=add> and <parameter=a>.{END}", None,
         "The <tool_call> opens it, then <function=add> and <parameter=a>.", []),
    Case("a result the model made up", CLOSED, f"{call(NOW)}\n<tool_response>\nnoon\n</tool_response>{END}", None,
         "<tool_response>\nnoon\n</tool_response>", [("now", {})]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_case(case: Case) -> None:
    turn = parse(case.raw, [] if case.id == "no tools known" else TOOLS, case.prefix)
    assert_read(turn, case)


def test_ids_differ() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


def test_raw_arguments_and_spans() -> None:
    raw = f"Two.\n\n{call(NOW)}\n{call(ADD)}{END}"
    first, second = parse(raw, TOOLS, CLOSED).calls
    assert raw[slice(*first.span)] == call(NOW)
    assert raw[slice(*second.span)] == call(ADD)
    assert second.raw_args == "<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</parameter>"


def test_types_are_exact() -> None:
    """Python holds 1, 1.0 and True equal, so the table cannot tell them apart."""
    body = function("set", parameter("level", "1"), parameter("on", "True"), parameter("tags", "[1, 1.0, true]"))
    arguments = parse(call(body) + END, TOOLS, CLOSED).calls[0].arguments
    assert arguments is not None
    assert [type(arguments["level"]), type(arguments["on"])] == [int, bool]
    assert [type(value) for value in arguments["tags"]] == [int, float, bool]


def test_an_error_says_where_and_what_in_both_languages() -> None:
    raw = call(function("add", parameter("a", "1"), "oops\n")) + END
    error = parse(raw, TOOLS, CLOSED).calls[0].error
    assert error is not None
    assert "oops" in raw[error.at :]
    assert error.text.zh != error.text.en


def test_a_repair_says_what_was_read_through() -> None:
    repaired = parse(f"<tool_call>\n{ADD}\n</tool_cal>{END}", TOOLS, CLOSED).calls[0].repaired
    assert repaired is not None
    assert "</tool_cal>" in repaired.zh
    assert "</tool_cal>" in repaired.en


@pytest.mark.parametrize("tools", [[{}], [{"function": None}], [{"function": {"name": 3}}], [{"type": "function"}], [[]]])
def test_tools_of_any_shape(tools: list[Any]) -> None:
    assert outcome(parse(call(ADD) + END, tools, CLOSED)) == [("add", {"a": "1", "b": "2"})]
