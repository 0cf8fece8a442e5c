"""What the Hermes parser makes of turns written by hand, one row for each thing that models do right or wrong."""

from __future__ import annotations

from typing import Any

import pytest

from families.hermes import parse
from tests.families.checks import REPAIRED, Case, assert_read, outcome, tool

START = "<|im_start|>assistant\n"
OPENED = START + "<think>\n"
CLOSED = START + "<think>\n\n</think>\n\n"
END = "<|im_end|>"


TOOLS = [tool("now"), tool("add", "a", "b"), tool("note", "text"), tool("write_file", "path", "content")]
NOW = '{"name": "now", "arguments": {}}'
ADD = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
ADDED = {"a": 1, "b": 2}


def call(body: str) -> str:
    return f"<tool_call>\n{body}\n</tool_call>"


def note(text_as_json: str) -> str:
    return call('{"name": "note", "arguments": {"text": ' + text_as_json + "}}")


CASES = [
    # As the templates write it.
    Case("plain answer", START, f"Good morning.{END}", None, "Good morning.", []),
    Case("call", START, call(ADD) + END, None, "", [("add", ADDED)]),
    Case("call on one line", START, f"<tool_call>{ADD}</tool_call>{END}", None, "", [("add", ADDED)]),
    Case("text, then a call", START, f"I add them.\n{call(ADD)}{END}", None, "I add them.", [("add", ADDED)]),
    Case("text around a call", START, f"I add.\n{call(ADD)}\nWait.{END}", None, "I add.\n\nWait.", [("add", ADDED)]),
    Case("two calls", START, f"{call(NOW)}\n{call(ADD)}{END}", None, "", [("now", {}), ("add", ADDED)]),
    Case("two calls, nothing between", START, call(NOW) + call(ADD) + END, None, "", [("now", {}), ("add", ADDED)]),
    Case("whole call, cut after it", START, call(ADD), None, "", [("add", ADDED)]),
    Case("no prompt at all", "", call(ADD) + END, None, "", [("add", ADDED)]),
    Case("unknown tool", START, call('{"name": "fly", "arguments": {"to": "Mars"}}') + END, None, "", [("fly", {"to": "Mars"})]),
    # Thinking.
    Case("thinking", START, f"<think>\nAdd.\n</think>\n\n{call(ADD)}{END}", "Add.", "", [("add", ADDED)]),
    Case("thinking that the prompt opened", OPENED, f"Add.\n</think>\n\n3{END}", "Add.", "3", []),
    Case("thinking opened twice", OPENED, f"<think>\nAdd.\n</think>\n\n3{END}", "Add.", "3", []),
    Case("thinking though it was switched off", CLOSED, f"<think>\nAdd.\n</think>\n\n3{END}", "Add.", "3", []),
    Case("empty thinking", START, f"<think>\n\n</think>\n\nHi{END}", None, "Hi", []),
    Case("thinking cut off", START, "<think>\nFirst I", "First I", "", []),
    Case("thinking twice", START, f"<think>A.</think>One.\n<think>B.</think>Two.{END}", "A.\nB.", "One.\nTwo.", []),
    Case("thinking in mid-line", START, f"12.<think>Mean.</think> It is 4.{END}", "Mean.", "12. It is 4.", []),
    Case("thinking without its opener", START, f"Add them.\n</think>\n\n3{END}", "Add them.", "3", []),
    Case("misspelt end of thinking", START, f"<think>\nAdd.\n</thinking>\n\n3{END}", "Add.", "3", []),
    Case("stray end of thinking after the answer", START, f"All done.</think>{END}", None, "All done.", []),
    Case("stray end of thinking at the start", CLOSED, f"</think>\n\nHi{END}", None, "Hi", []),
    Case("stray end of thinking in the middle", CLOSED, f"One.\n</think>\n\nTwo.{END}", None, "One.\n\nTwo.", []),
    Case("markers named in an answer", CLOSED, f"`<think>` opens, `</think>` closes.{END}", None,
         "`<think>` opens, `</think>` closes.", []),
    Case("end marker named while thinking", OPENED, f"They ask about `</think>`.\n</think>\n\nIt ends it.{END}",
         "They ask about `</think>`.", "It ends it.", []),
    # Calls and thinking.
    Case("draft in closed thinking", OPENED, f"maybe {call(NOW)}?\n</think>\n\nNo.{END}", f"maybe {call(NOW)}?", "No.", []),
    Case("call in open thinking", OPENED, f"I know.\n{call(ADD)}{END}", "I know.", "", [("add", ADDED)]),
    Case("two calls in open thinking", OPENED, f"A\n{call(NOW)}\nB\n{call(ADD)}{END}", "A\n\nB", "",
         [("now", {}), ("add", ADDED)]),
    Case("call cut off in open thinking", OPENED, 'I know.\n<tool_call>\n{"name": "add", "argu',
         'I know.\n<tool_call>\n{"name": "add", "argu', "", []),
    Case("broken call in open thinking", OPENED, "I know.\n" + call('{"name": "add", "arguments": {1}}') + END, "I know.", "",
         [("add", "bad_arguments")]),
    Case("no opener in open thinking", OPENED, f"I know.\n{ADD}\n</tool_call>{END}", "I know.", "", [("add", ADDED, REPAIRED)]),
    Case("end of thinking inside a drafted string", OPENED, note('"a </think> b"') + f"\n</think>\n\nOK{END}",
         note('"a </think> b"'), "OK", []),
    # Strings.
    Case("end marker in a string", START, note('"a </tool_call> b"') + END, None, "", [("note", {"text": "a </tool_call> b"})]),
    Case("whole call in a string", START, note(r'"<tool_call>{\"name\": \"now\"}</tool_call>"') + END, None, "",
         [("note", {"text": '<tool_call>{"name": "now"}</tool_call>'})]),
    Case("stop token in a string", START, note('"ends with <|im_end|> here"') + END, None, "",
         [("note", {"text": "ends with <|im_end|> here"})]),
    Case("think in a string", START, note('"<think>no</think>"') + END, None, "", [("note", {"text": "<think>no</think>"})]),
    Case("escapes", START, note(r'"a\"b\\c\/d\n\t\u00e9\ud83d\ude00"') + END, None, "", [("note", {"text": 'a"b\\c/d\n\té😀'})]),
    Case("braces in a string", START, note('"}}{[\\"}"') + END, None, "", [("note", {"text": '}}{["}'})]),
    Case("JSON in a string stays a string", START, note(r'"{\"a\": 1}"') + END, None, "", [("note", {"text": '{"a": 1}'})]),
    Case("Chinese and emoji", START, note('"臺北🌧️ “內湖” 👩‍💻"') + END, None, "", [("note", {"text": "臺北🌧️ “內湖” 👩‍💻"})]),
    Case("raw line break", START, note('"a\nb\tc"') + END, None, "", [("note", {"text": "a\nb\tc"}, REPAIRED)]),
    Case("backslash not escaped", START, note(r'"grep \d+ \(x\)"') + END, None, "",
         [("note", {"text": r"grep \d+ \(x\)"}, REPAIRED)]),
    Case("escaped apostrophe", START, note(r'"it\'s\n"') + END, None, "", [("note", {"text": "it's\n"}, REPAIRED)]),
    Case("backslashes with two readings", START, note(r'"C:\new\data"') + END, None, "", [("note", "bad_arguments")]),
    Case("quotation marks inside, not escaped", START, note('"He said "hi" twice"') + END, None, "", [("note", "bad_arguments")]),
    Case("half a character", START, note(r'"\ud83d"') + END, None, "", [("note", "bad_arguments")]),
    # Values.
    Case("nested", START, call('{"name": "add", "arguments": {"a": {"x": [1, {"y": [[]]}]}, "b": {}}}') + END, None, "",
         [("add", {"a": {"x": [1, {"y": [[]]}]}, "b": {}})]),
    Case("numbers", START, call('{"name": "add", "arguments": {"a": -0.5, "b": [1e-05, 1E+2, 0, -3]}}') + END, None, "",
         [("add", {"a": -0.5, "b": [1e-05, 100.0, 0, -3]})]),
    Case("a huge whole number is exact", START, call('{"name": "add", "arguments": {"a": 12345678901234567890123456789}}') + END,
         None, "", [("add", {"a": 12345678901234567890123456789})]),
    Case("a number beyond any float", START, call('{"name": "add", "arguments": {"a": 1e999}}') + END, None, "",
         [("add", "bad_arguments")]),
    Case("a number too long to read", START, call('{"name": "add", "arguments": {"a": ' + "9" * 5000 + "}}") + END, None, "",
         [("add", "bad_arguments")]),
    Case("not a number", START, call('{"name": "add", "arguments": {"a": NaN}}') + END, None, "", [("add", "bad_arguments")]),
    Case("nested too deeply", START, call('{"name": "add", "arguments": {"a": ' + "[" * 5000 + "]" * 5000 + "}}") + END, None, "",
         [("add", "bad_arguments")]),
    Case("a key twice, same value", START, call('{"name": "add", "arguments": {"a": 1, "a": 1}}') + END, None, "",
         [("add", {"a": 1})]),
    Case("a key twice, two values", START, call('{"name": "add", "arguments": {"a": 1, "a": 2}}') + END, None, "",
         [("add", "bad_arguments")]),
    # Cut off: never run with half its arguments.
    Case("cut at the opener", START, "I look.\n<tool_call>", None, "I look.", [("", "unterminated")]),
    Case("cut in the name", START, '<tool_call>\n{"name": "ad', None, "", [("", "unterminated")]),
    Case("cut in a string", START, '<tool_call>\n{"name": "note", "arguments": {"text": "abc', None, "",
         [("note", "unterminated")]),
    Case("cut between arguments", START, '<tool_call>\n{"name": "add", "arguments": {"a": 1,', None, "",
         [("add", "unterminated")]),
    Case("cut in a number", START, '<tool_call>\n{"name": "add", "arguments": {"a": 1', None, "", [("add", "unterminated")]),
    Case("cut after whole arguments", START, '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}', None, "",
         [("add", "unterminated")]),
    Case("cut after the JSON", START, f"<tool_call>\n{ADD}\n", None, "", [("add", "unterminated")]),
    Case("cut in the end marker", START, f"<tool_call>\n{ADD}\n</tool_ca", None, "", [("add", "unterminated")]),
    Case("two calls cut in the end marker that they share", START, f"<tool_call>\n[{NOW}, {ADD}]\n</tool_ca", None, "",
         [("now", "unterminated"), ("add", "unterminated")]),
    Case("second call cut", START, f'{call(ADD)}\n<tool_call>\n{{"name": "note", "ar', None, "",
         [("add", ADDED), ("note", "unterminated")]),
    Case("stopped inside a string", START, f'<tool_call>\n{{"name": "note", "arguments": {{"text": "abc{END}', None, "",
         [("note", "unterminated")]),
    # Markers slipped.
    Case("no end marker, stopped", START, f"<tool_call>\n{ADD}{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no end marker, next call", START, f"<tool_call>\n{ADD}\n{call(NOW)}{END}", None, "",
         [("add", ADDED, REPAIRED), ("now", {})]),
    Case("no end marker, text follows", START, f"<tool_call>\n{ADD}\nI wait.{END}", None, "I wait.", [("add", ADDED, REPAIRED)]),
    Case("misspelt end marker", START, f"<tool_call>\n{ADD}\n</tool_cal>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("other end marker", START, f"<tool_call>\n{ADD}\n</function>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("end marker without its >", START, f"<tool_call>\n{ADD}\n</tool_call{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("opener as end marker", START, f"<tool_call>\n{ADD}\n<tool_call>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("doubled markers", START, f"<tool_call>\n{call(ADD)}\n</tool_call>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no opener", START, f"Sure.\n{ADD}\n</tool_call>{END}", None, "Sure.", [("add", ADDED, REPAIRED)]),
    Case("misspelt opener", START, f"<tools>\n{ADD}\n</tools>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("opener without its >", START, f"<tool_call\n{ADD}\n</tool_call>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no markers", START, ADD + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("no markers, tool not offered", START, '{"name": "Ann", "arguments": {}}' + END, None,
         '{"name": "Ann", "arguments": {}}', []),
    Case("no markers, cut", START, ADD, None, ADD, []),
    Case("stray end marker", START, f"Done.\n</tool_call>{END}", None, "Done.", []),
    Case("two stop tokens", START, f"Done.{END}\n<|endoftext|>\n", None, "Done.", []),
    Case("text after a stop token", START, f"Done.{END}\nMore.", None, "Done.\nMore.", []),
    # JSON slipped.
    Case("Python", START, call("{'name': 'note', 'arguments': {'text': None, 'on': True, 'off': False}}") + END, None, "",
         [("note", {"text": None, "on": True, "off": False}, REPAIRED)]),
    Case("apostrophe in a Python string", START, call('{\'name\': \'note\', \'arguments\': {\'text\': "it\'s"}}') + END, None, "",
         [("note", {"text": "it's"}, REPAIRED)]),
    Case("trailing comma", START, call('{"name": "note", "arguments": {"text": ["x",],},}') + END, None, "",
         [("note", {"text": ["x"]}, REPAIRED)]),
    Case("missing comma", START, call('{"name": "add", "arguments": {"a": 1\n"b": 2}}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("bare keys", START, call('{name: "note", arguments: {text: "x"}}') + END, None, "", [("note", {"text": "x"}, REPAIRED)]),
    Case("bracket missing at the end", START, call('{"name": "add", "arguments": {"a": 1, "b": 2}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("bracket too many", START, call(ADD + "}") + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("code fence inside the markers", START, call(f"```json\n{ADD}\n```") + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("text after the JSON", START, call(ADD + " please") + END, None, "", [("add", "bad_arguments")]),
    Case("string never closed", START, call('{"name": "note", "arguments": {"text": "abc') + END, None, "",
         [("note", "bad_arguments")]),
    Case("value missing", START, call('{"name": "add", "arguments": {"a": , "b": 2}}') + END, None, "",
         [("add", "bad_arguments")]),
    # Shapes of a call.
    Case("arguments encoded twice", START, call('{"name": "add", "arguments": "{\\"a\\": 1, \\"b\\": 2}"}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("arguments are text", START, call('{"name": "add", "arguments": "1 and 2"}') + END, None, "",
         [("add", "bad_arguments")]),
    Case("arguments are a list", START, call('{"name": "add", "arguments": [1, 2]}') + END, None, "", [("add", "bad_arguments")]),
    Case("arguments are null", START, call('{"name": "now", "arguments": null}') + END, None, "", [("now", {}, REPAIRED)]),
    Case("no arguments", START, call('{"name": "now"}') + END, None, "", [("now", {}, REPAIRED)]),
    Case("parameters", START, call('{"name": "add", "parameters": {"a": 1, "b": 2}}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("arguments and parameters differ", START, call('{"name": "add", "arguments": {"a": 1}, "parameters": {"a": 2}}') + END,
         None, "", [("add", "bad_arguments")]),
    Case("beside the name", START, call('{"name": "add", "a": 1, "b": 2}') + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("beside the name, not its parameters", START, call('{"name": "add", "x": 1}') + END, None, "",
         [("add", "bad_arguments")]),
    Case("one argument outside", START, call('{"name": "add", "arguments": {"a": 1}, "b": 2}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("call with an id", START, call('{"id": "call_1", "type": "function", "name": "now", "arguments": {}}') + END, None, "",
         [("now", {})]),
    Case("function wrapper", START, call(f'{{"type": "function", "function": {ADD}}}') + END, None, "",
         [("add", ADDED, REPAIRED)]),
    Case("tool name as key", START, call('{"add": {"a": 1, "b": 2}}') + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("name outside the JSON", START, call('add\n{"a": 1, "b": 2}') + END, None, "", [("add", ADDED, REPAIRED)]),
    Case("list of calls", START, call(f"[{NOW}, {ADD}]") + END, None, "", [("now", {}, REPAIRED), ("add", ADDED, REPAIRED)]),
    Case("two calls between one pair", START, call(f"{NOW}\n{ADD}") + END, None, "",
         [("now", {}, REPAIRED), ("add", ADDED, REPAIRED)]),
    Case("no name", START, call('{"arguments": {"a": 1}}') + END, None, "", [("", "no_name")]),
    Case("name is no text", START, call('{"name": 7, "arguments": {}}') + END, None, "", [("", "no_name")]),
    Case("name is empty", START, call('{"name": " ", "arguments": {}}') + END, None, "", [("", "no_name")]),
    Case("nothing between the markers", START, call("") + END, None, "", [("", "not_a_call")]),
    Case("words between the markers", START, call("not valid JSON") + END, None, "", [("", "not_a_call")]),
    Case("Python call between the markers", START, call("add(a=1, b=2)") + END, None, "", [("add", "bad_arguments")]),
    Case("another family's syntax", START, call("<function=add>\n<parameter=a>\n1\n</parameter>\n</function>") + END, None, "",
         [("add", "bad_arguments")]),
    # One broken call does not harm the others.
    Case("broken, then whole", START, call('{"name": "add", "arguments": {1}}') + "\n" + call(NOW) + END, None, "",
         [("add", "bad_arguments"), ("now", {})]),
    Case("open string, then whole", START, call('{"name": "note", "arguments": {"text": "abc') + "\n" + call(NOW) + END, None, "",
         [("note", "bad_arguments"), ("now", {})]),
    Case("whole, broken, whole", START, call(NOW) + call("{") + call(ADD) + END, None, "",
         [("now", {}), ("", "bad_arguments"), ("add", ADDED)]),
    Case("a call in a string of a broken call is not run", START,
         call('{"name": "note", "arguments": {"text": "<tool_call>{\'name\': \'now\'}</tool_call>", 1}}') + END, None, "",
         [("note", "bad_arguments")]),
    Case("an unnamed one in a list", START, call(f'[{NOW}, {{"arguments": {{}}}}]') + END, None, "",
         [("now", {}, REPAIRED), ("", "no_name")]),
    # Text that only looks like a call.
    Case("example in a fence, not offered", START, "So:\n```\n" + call('{"name": "tool_x", "arguments": {}}') + "\n```" + END,
         None, "So:\n```\n" + call('{"name": "tool_x", "arguments": {}}') + "\n```", []),
    Case("placeholder in a fence", START, "So:\n```\n" + call('{"name": <name>, "arguments": <args>}') + "\n```" + END, None,
         "So:\n```\n" + call('{"name": <name>, "arguments": <args>}') + "\n```", []),
    Case("offered tool in a fence", START, f"```\n{call(ADD)}\n```{END}", None, "```\n\n```", [("add", ADDED)]),
    Case("call after a closed fence", START, f"```\nx\n```\n{call(ADD)}{END}", None, "```\nx\n```", [("add", ADDED)]),
    Case("example in a sentence, not offered", START,
         f'You write <tool_call>{{"name": "f", "arguments": {{}}}}</tool_call> to call f.{END}', None,
         'You write <tool_call>{"name": "f", "arguments": {}}</tool_call> to call f.', []),
    Case("markers named in backticks", START, f"Put it in `<tool_call>` and `</tool_call>`.{END}", None,
         "Put it in `<tool_call>` and `</tool_call>`.", []),
    Case("marker named in a sentence", START, f"The <tool_call> tag opens it.{END}", None, "The <tool_call> tag opens it.", []),
    Case("JSON in an answer", START, f'The record: {{"name": "Ann", "age": 3}}{END}', None,
         'The record: {"name": "Ann", "age": 3}', []),
    Case("a result the model made up", START, f"{call(NOW)}\n<tool_response>\nnoon\n</tool_response>{END}", None,
         "<tool_response>\nnoon\n</tool_response>", [("now", {})]),
]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_case(case: Case) -> None:
    turn = parse(case.raw, TOOLS, case.prefix)
    assert_read(turn, case)


def test_ids_differ() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


def test_whole_numbers_stay_whole_and_fractions_fractions() -> None:
    """Python holds 1 and 1.0 equal, so the table cannot tell them apart."""
    arguments = parse(call('{"name": "add", "arguments": {"a": 1, "b": 1.0, "c": true}}') + END, TOOLS, START).calls[0].arguments
    assert arguments is not None
    assert [type(value) for value in arguments.values()] == [int, float, bool]


def test_raw_arguments_and_spans() -> None:
    raw = f"Two.\n{call(NOW)}\n{call(ADD)}{END}"
    first, second = parse(raw, TOOLS, START).calls
    assert raw[slice(*first.span)] == call(NOW)
    assert raw[slice(*second.span)] == call(ADD)
    assert second.raw_args == '{"a": 1, "b": 2}'


def test_spans_of_thinking_and_content() -> None:
    raw = f"<think>\nAdd.\n</think>\n\nThree {call(NOW)} four{END}"
    turn = parse(raw, TOOLS, START)
    assert [raw[slice(*span)] for span in turn.thinking_spans] == ["Add."]
    assert [raw[slice(*span)] for span in turn.content_spans] == ["Three", "four"]


def test_an_error_says_where_and_what_in_both_languages() -> None:
    raw = call('{"name": "add", "arguments": {"a": oops}}') + END
    error = parse(raw, TOOLS, START).calls[0].error
    assert error is not None
    assert raw[error.at :].startswith("oops")
    assert "oops" in error.text.zh
    assert "oops" in error.text.en


def test_a_repair_says_what_was_read_through() -> None:
    repaired = parse(f"<tool_call>\n{ADD}\n</tool_cal>{END}", TOOLS, START).calls[0].repaired
    assert repaired is not None
    assert "</tool_cal>" in repaired.zh
    assert "</tool_cal>" in repaired.en


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"name": "get_user", "id": 7}', {"id": 7}),
        ('{"name": "get_user", "arguments": {"id": 7}, "id": "call_1"}', {"id": 7}),
        ('{"name": "get_user", "arguments": {}, "id": "call_1"}', {}),
        ('{"name": "get_user", "arguments": {}, "id": 7}', {"id": 7}),
        ('{"name": "search", "arguments": {"q": "a"}, "type": "news"}', {"q": "a", "type": "news"}),
        ('{"name": "search", "arguments": {"q": "a"}, "type": "function"}', {"q": "a"}),
        ('{"name": "pick", "index": 0}', {"index": 0}),
        ('{"name": "now", "arguments": {}, "id": 1, "type": "x", "index": 0}', {}),
        ('{"name": "search", "arguments": {"q": 1}, "q": 1}', {"q": 1}),
        ('{"name": "search", "arguments": {"q": 1}, "q": 2}', "bad_arguments"),
        ('{"name": "search", "arguments": {"q": 1}, "q": true}', "bad_arguments"),
        ('{"name": "search", "arguments": {"type": "a"}, "type": "b"}', "bad_arguments"),
    ],
)
def test_a_field_beside_the_name_is_an_argument_if_the_tool_has_it(body: str, expected: Any) -> None:
    tools = [tool("get_user", "id"), tool("search", "q", "type"), tool("pick", "index"), tool("now")]
    (made,) = parse(call(body) + END, tools, START).calls
    assert (made.error.kind if made.error else made.arguments) == expected


@pytest.mark.parametrize(
    ("body", "slip"),
    [
        ('{"name": "search", "arguments": {"q": "a"}, "type": "news"}', "'type' outside the arguments"),
        ('{"name": "search", "arguments": {"q": 1}, "q": 1}', "'q' outside the arguments"),
    ],
)
def test_an_argument_outside_is_named(body: str, slip: str) -> None:
    repaired = parse(call(body) + END, [tool("search", "q", "type")], START).calls[0].repaired
    assert repaired is not None
    assert slip in repaired.en


@pytest.mark.parametrize("body", ['{"arguments": {"x": 1}}', '{"foo": "get"}', "[]", '{"name": ""}', "[1]"])
def test_a_call_that_cannot_be_read_keeps_what_the_model_wrote(body: str) -> None:
    (made,) = parse(call(body) + END, TOOLS, START).calls
    assert made.error is not None
    assert made.raw_args in (body, body.strip("[]") or body)
    assert made.raw_args


@pytest.mark.parametrize("tools", [[{}], [{"function": None}], [{"function": {"name": 3}}], [{"type": "function"}], [[]]])
def test_tools_of_any_shape(tools: list[Any]) -> None:
    assert outcome(parse(call(ADD) + END, tools, START)) == [("add", ADDED)]
