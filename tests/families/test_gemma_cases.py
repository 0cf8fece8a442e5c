"""What the Gemma parser makes of turns written by hand, one row for each thing that models do right or wrong."""

from __future__ import annotations

import pytest

import families
from families.gemma4 import parse
from families.reading import ChannelReader
from tests.families.checks import REPAIRED, Case, assert_read, tool

START = "<|turn>model\n"
OPENED = "<tool_response|><|channel>thought\n"
CLOSED = START + "<|channel>thought\n<channel|>"
END = "<turn|>"
WAIT = "<|tool_response>"


TOOLS = [tool("now"), tool("add", "a", "b"), tool("note", "text"), tool("list.files", "path")]
ADDED = {"a": 1, "b": 2}


def call(body: str) -> str:
    return f"<|tool_call>{body}<tool_call|>"


def note(text: str) -> str:
    return call('call:note{text:<|"|>' + text + '<|"|>}')


NOW, ADD = call("call:now{}"), call("call:add{a:1,b:2}")


CASES = [
    # As the templates write it.
    Case("plain answer", START, f"Good morning.{END}", None, "Good morning.", []),
    Case("call", START, ADD + WAIT, None, "", [("add", ADDED)]),
    Case("two calls", START, NOW + ADD + WAIT, None, "", [("now", {}), ("add", ADDED)]),
    Case("text around a call", START, f"I add.{ADD}Wait.{END}", None, "I add.\nWait.", [("add", ADDED)]),
    Case("whole call, cut after it", START, ADD, None, "", [("add", ADDED)]),
    Case("unknown tool", START, call('call:fly{to:<|"|>Mars<|"|>}') + WAIT, None, "", [("fly", {"to": "Mars"})]),
    Case("nested", START, call('call:add{a:{x:[1,[<|"|>y<|"|>,null],{}],z:true},b:[]}') + WAIT, None, "",
         [("add", {"a": {"x": [1, ["y", None], {}], "z": True}, "b": []})]),
    Case("spaces and newlines", START, call("call:add{ a : 1 ,\n b : [ 2 , 3 ]\n}\n") + WAIT, None, "",
         [("add", {"a": 1, "b": [2, 3]})]),
    Case("marked keys", START, call('call:add{<|"|>a<|"|>:1,<|"|>b<|"|>:{<|"|>k: {<|"|>:2}}') + WAIT, None, "",
         [("add", {"a": 1, "b": {"k: {": 2}})]),
    Case("a string is a string", START, note("12") + note("") + note("true") + WAIT, None, "",
         [("note", {"text": "12"}), ("note", {"text": ""}), ("note", {"text": "true"})]),
    Case("a backslash before the mark", START, note("C:\\") + NOW + WAIT, None, "", [("note", {"text": "C:\\"}), ("now", {})]),
    Case("white space in a string stays", START, note("  a\n") + WAIT, None, "", [("note", {"text": "  a\n"})]),
    # Thinking, and what the prompt says about it.
    Case("thinks", START, f"<|channel>thought\nA sum.\n<channel|>Three.{END}", "A sum.", "Three.", []),
    Case("opened by the prompt", OPENED, f"A sum.\n<channel|>Three.{END}", "A sum.", "Three.", []),
    Case("opened, and opened again", OPENED, f"<|channel>thought\nA sum.<channel|>Three.{END}", "A sum.", "Three.", []),
    Case("opened without its name", START + "<|channel>", f"thought\nA sum.<channel|>Three.{END}", "A sum.", "Three.", []),
    Case("closed by the prompt", CLOSED, f"Three.{END}", None, "Three.", []),
    Case("closed, stray closer", CLOSED, f"Three<channel|>, I think.{END}", None, "Three\n, I think.", []),
    Case("without the channel's name", START, f"<|channel>A sum.<channel|>Three.{END}", "A sum.", "Three.", []),
    Case("opener missing", START, f"thought\nA sum.\n<channel|>Three.{END}", "A sum.", "Three.", []),
    Case("cut in the channel's name", START, "<|channel>thou", None, "", []),
    Case("cut after the channel's name", START, "<|channel>thought", None, "", []),
    Case("a thought that never closes", START, f"<|channel>thought\nA sum.{END}", "A sum.", "", []),
    Case("the word thought in an answer", START, f"thought\nfood{END}", None, "thought\nfood", []),
    Case("second thought in a line", START, "Three.<|channel>thought\nOr four?", "Or four?", "Three.", []),
    Case("marker named in a sentence", START, f"The <|channel> token opens it.{END}", None, "The <|channel> token opens it.", []),
    Case("markers named in backticks", START, f"Put it in `<|tool_call>` and `<tool_call|>`, think in `<|channel>`.{END}", None,
         "Put it in `<|tool_call>` and `<tool_call|>`, think in `<|channel>`.", []),
    Case("call in a thought that closes", START, f"<|channel>thought\nMaybe {ADD} or not.<channel|>No.{END}",
         f"Maybe {ADD} or not.", "No.", []),
    Case("call in a thought that never closes", START, f"<|channel>thought\nI add.\n{ADD}{WAIT}", "I add.", "", [("add", ADDED)]),
    Case("end of thought in a string", START, f"<|channel>thought\nI note.{note('a <channel|> b')}{WAIT}", "I note.", "",
         [("note", {"text": "a <channel|> b"})]),
    Case("cut in a string in a thought", START, '<|channel>thought\nI note.<|tool_call>call:note{text:<|"|>a <channel|> b',
         'I note.<|tool_call>call:note{text:<|"|>a <channel|> b', "", []),
    # Tokens that belong to no text.
    Case("goes on after the stop", START, f"{NOW}{WAIT}response:now{{}}<tool_response|>Noon.{END}", None,
         "response:now{}\nNoon.", [("now", {})]),
    Case("placeholders are text", START, f"Write <|image|> or <|image> there.{END}", None, "Write <|image|> or <|image> there.",
         []),
    Case("image markers in a string", START, note("<|image><|image|><image|>") + WAIT, None, "",
         [("note", {"text": "<|image><|image|><image|>"})]),
    # Cut off.
    Case("cut in the marker", START, ADD[:-3], None, "", [("add", "unterminated")]),
    Case("cut before the marker", START, "<|tool_call>call:add{a:1,b:2}", None, "", [("add", "unterminated")]),
    Case("cut in a number", START, "<|tool_call>call:add{a:1", None, "", [("add", "unterminated")]),
    Case("cut in a key", START, "<|tool_call>call:add{a", None, "", [("add", "unterminated")]),
    Case("cut in the name", START, "<|tool_call>call:ad", None, "", [("ad", "unterminated")]),
    Case("cut after the opener", START, "<|tool_call>", None, "", [("", "unterminated")]),
    Case("cut in a string with a marker", START, '<|tool_call>call:note{text:<|"|>Write <tool_call|> to', None, "",
         [("note", "unterminated")]),
    Case("two calls as JSON, cut in the marker that they share", START,
         '<|tool_call>[{"name": "now", "arguments": {}}, {"name": "now", "arguments": {}}]<tool_c', None, "",
         [("now", "unterminated"), ("now", "unterminated")]),
    Case("stopped in a string", START, f'<|tool_call>call:note{{text:<|"|>abc{END}', None, "", [("note", "unterminated")]),
    # Slips with one reading.
    Case("no closer", START, f"<|tool_call>call:add{{a:1,b:2}}{WAIT}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no closer, then another call", START, f"<|tool_call>call:now{{}}{ADD}{WAIT}", None, "",
         [("now", {}, REPAIRED), ("add", ADDED)]),
    Case("no brace at the end", START, call('call:add{a:1,b:{x:<|"|>y<|"|>') + WAIT, None, "",
         [("add", {"a": 1, "b": {"x": "y"}}, REPAIRED)]),
    Case("one brace too many", START, call("call:add{a:1,b:2}}") + WAIT, None, "", [("add", ADDED, REPAIRED)]),
    Case("no opener", START, f"call:add{{a:1,b:2}}<tool_call|>{WAIT}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no markers at all", START, f"call:now{{}}call:add{{a:1,b:2}}{END}", None, "",
         [("now", {}, REPAIRED), ("add", ADDED, REPAIRED)]),
    Case("opener doubled", START, f"<|tool_call>{ADD}{WAIT}", None, "", [("add", ADDED, REPAIRED)]),
    Case("another family's opener", START, f"<tool_call>call:add{{a:1,b:2}}</tool_call>{END}", None, "",
         [("add", ADDED, REPAIRED)]),
    Case("declaration markers", START, f"<|tool>call:add{{a:1,b:2}}<tool|>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("opener as closer", START, f"<|tool_call>call:add{{a:1,b:2}}<|tool_call>{END}", None, "", [("add", ADDED, REPAIRED)]),
    Case("no colon", START, call("call add{a:1,b:2}") + WAIT, None, "", [("add", ADDED, REPAIRED)]),
    Case("no call", START, call("add{a:1,b:2}") + WAIT, None, "", [("add", ADDED, REPAIRED)]),
    Case("no arguments", START, call("call:now") + WAIT, None, "", [("now", {}, REPAIRED)]),
    Case("Python's constants", START, call("call:add{a:True,b:None}") + WAIT, None, "",
         [("add", {"a": True, "b": None}, REPAIRED)]),
    Case("parentheses", START, call('call:add(a=1, b=[<|"|>x<|"|>])') + WAIT, None, "",
         [("add", {"a": 1, "b": ["x"]}, REPAIRED)]),
    Case("quotation marks", START, call("""call:add{"a":'x',b:"y\\n"}""") + WAIT, None, "",
         [("add", {"a": "x", "b": "y\n"}, REPAIRED)]),
    Case("no marks", START, call("call:note{text:Hello there!}") + WAIT, None, "",
         [("note", {"text": "Hello there!"}, REPAIRED)]),
    Case("no marks, with an apostrophe and a time", START, call("call:note{text:it's 9:30}") + WAIT, None, "",
         [("note", {"text": "it's 9:30"}, REPAIRED)]),
    Case("no marks around an address", START, call("call:note{text:https://a.b/c?d}") + WAIT, None, "",
         [("note", {"text": "https://a.b/c?d"}, REPAIRED)]),
    Case("no marks around a telephone number", START, call("call:note{text:0912345678}") + WAIT, None, "",
         [("note", {"text": "0912345678"}, REPAIRED)]),
    Case("comma too many", START, call("call:add{a:1,b:[2,],}") + WAIT, None, "", [("add", {"a": 1, "b": [2]}, REPAIRED)]),
    Case("comma missing", START, call('call:add{a:<|"|>x<|"|>b:2}') + WAIT, None, "", [("add", {"a": "x", "b": 2}, REPAIRED)]),
    Case("JSON", START, call('{"name": "add", "arguments": {"a": 1, "b": 2}}') + WAIT, None, "", [("add", ADDED, REPAIRED)]),
    Case("same key, same value", START, call("call:add{a:1,a:1}") + WAIT, None, "", [("add", {"a": 1})]),
    # Broken, with no reading or two.
    Case("two values for a key", START, call("call:add{a:1,a:2}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("two commas", START, call("call:add{a:1,,b:2}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("no value", START, call("call:add{a:,b:2}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("no value at the end", START, call("call:add{a:") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("no key", START, call("call:add{:1}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("no colon after a key", START, call("call:add{a}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("not a number", START, call("call:add{a:nan}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("none, or the word none", START, call("call:add{a:none}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("infinity", START, call("call:add{a:-inf}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("too large", START, call("call:add{a:1e999}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("wrong bracket", START, call("call:add{a:[1}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("code as a value", START, call("call:add{a:f(x)}") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("text after the arguments", START, call("call:add{a:1} please") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("text for arguments", START, call("call:add please") + WAIT, None, "", [("add", "bad_arguments")]),
    Case("no name", START, call("call:{a:1}") + WAIT, None, "", [("", "no_name")]),
    Case("nothing", START, call("") + WAIT, None, "", [("", "not_a_call")]),
    Case("too deep", START, call("call:add{a:" + "[" * 300 + "]" * 300 + "}") + WAIT, None, "", [("add", "bad_arguments")]),
    # One broken call does not harm the others.
    Case("broken, then whole", START, call("call:add{a}") + NOW + WAIT, None, "", [("add", "bad_arguments"), ("now", {})]),
    Case("open string, then whole", START, call('call:note{text:<|"|>abc}') + NOW + WAIT, None, "",
         [("note", "bad_arguments"), ("now", {})]),
    Case("open string, then a string", START, call('call:note{text:<|"|>abc}') + note("x") + WAIT, None, "",
         [("note", "bad_arguments"), ("note", {"text": "x"})]),
    Case("open string, then what looks like a key", START, call('call:note{text:<|"|>abc}') + note("b:c") + WAIT, None, "",
         [("note", "bad_arguments"), ("note", {"text": "b:c"})]),
    Case("open string, then whole, cut", START, call('call:note{text:<|"|>abc}') + NOW, None, "",
         [("note", "bad_arguments"), ("now", {})]),
    Case("open string, then text, then a string", START, call('call:note{text:<|"|>abc}') + "And:" + note("x") + WAIT, None,
         "And:", [("note", "bad_arguments"), ("note", {"text": "x"})]),
    Case("a marker in a string, broken elsewhere", START, call('call:add{a:<|"|>Write <tool_call|> here.<|"|>,b:}') + NOW + WAIT,
         None, "", [("add", "bad_arguments"), ("now", {})]),
    Case("a call in a string, broken elsewhere", START, call(f'call:add{{a:<|"|>Write {NOW} here.<|"|>,b:}}') + WAIT, None, "",
         [("add", "bad_arguments")]),
    Case("names without arguments", START, f"<|tool_call>now<|\"|>add<|\"|><|tool_call>add{END}", None, "",
         [("now", "bad_arguments"), ("add", "bad_arguments")]),
    # Text that only looks like a call.
    Case("example in a fence, not offered", START, f"So:\n```\n{call('call:f{}')}\n```{END}", None,
         f"So:\n```\n{call('call:f{}')}\n```", []),
    Case("example in a sentence, not offered", START, f"You write {call('call:f{}')} to call f.{END}", None,
         f"You write {call('call:f{}')} to call f.", []),
    Case("marker in a sentence", START, f"The <|tool_call> token opens it.{END}", None, "The <|tool_call> token opens it.", []),
    Case("the notation in an answer", START, f"It would be call:now{{}} then.{END}", None, "It would be call:now{} then.", []),
    Case("an unknown tool without markers", START, f"call:f{{}}{END}", None, "call:f{}", []),
]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_case(case: Case) -> None:
    turn = parse(case.raw, TOOLS, case.prefix)
    assert_read(turn, case)


def test_ids_differ() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("written", "value"),
    [("1", 1), ("-0", 0), ("1.0", 1.0), ("-1.5e-05", -1.5e-05), ("1e+21", 1e21), ("1234567890123456789", 1234567890123456789)],
)
def test_numbers_keep_their_kind(written: str, value: float) -> None:
    arguments = parse(call("call:add{a:" + written + "}") + WAIT, TOOLS, START).calls[0].arguments
    assert arguments is not None
    assert (type(arguments["a"]), arguments["a"]) == (type(value), value)


def test_raw_arguments_and_spans() -> None:
    raw = f"<|channel>thought\nAdd.\n<channel|>Two.{NOW}\n{ADD}{WAIT}"
    turn = parse(raw, TOOLS, START)
    assert [raw[slice(*one.span)] for one in turn.calls] == [NOW, ADD]
    assert [one.raw_args for one in turn.calls] == ["{}", "{a:1,b:2}"]
    assert [raw[slice(*span)] for span in turn.thinking_spans] == ["Add."]
    assert [raw[slice(*span)] for span in turn.content_spans] == ["Two."]


@pytest.mark.parametrize(
    ("body", "at", "word"),
    [
        ("call:add{a:1,b:oops(2)}", "oops", "oops"),
        ('call:note{text:<|"|>abc}', "abc", "abc"),
        ("call:add{a:1;b:2}", "1;b", "1;b"),
        ("call:add please", "please", "please"),
        ("call:add{a:1} then", "then", "then"),
    ],
)
def test_an_error_says_where_and_what_in_both_languages(body: str, at: str, word: str) -> None:
    raw = call(body) + WAIT
    error = parse(raw, TOOLS, START).calls[0].error
    assert error is not None
    assert raw[error.at :].startswith(at)
    assert word in error.text.zh
    assert word in error.text.en


def test_a_partial_call_has_a_name_as_soon_as_it_is_written() -> None:
    raw = f"<|channel>thought\nAdd.<channel|>{ADD}"
    names = [turn.calls[0].name if (turn := parse(raw[:cut], TOOLS, START)).calls else None for cut in range(len(raw))]
    assert names[raw.index("{") + 1] == "add"
    assert parse(raw[:-12], TOOLS, START).thinking == "Add."


def channels(tokens: list[str], key: str = "gemma4", prompt: str = START) -> str:
    """The first letter of each token's channel, with X for control."""
    reader = ChannelReader(families.named(key), prompt)
    return "".join({"control": "X"}.get(channel := reader.feed(token), channel[0]) for token in tokens)


def test_channels_of_a_turn() -> None:
    assert channels(["<|channel>", "thought", "\n", "So", "<channel|>", "Hi", "<|tool_call>", "call", ":", "now", "{}",
                     "<tool_call|>", "<|tool_response>"]) == "XtttXcXttttXX"
    assert channels(["So", "<channel|>", "Hi"], prompt=OPENED) == "tXc"
    assert channels(["Hi"], prompt=CLOSED) == "c"


def test_channels_inside_a_string_of_a_call_that_forms() -> None:
    value = ['<|"|>', "<channel|>", "<tool_call|>", "C:\\", '<|"|>']
    tokens = ["<|tool_call>", "call:note{text:", *value, "}", "<tool_call|>", "Hi"]
    assert channels(tokens) == "XtttttttXc"
    assert channels(tokens[:6]) == "Xttttt"


def test_channels_of_functiongemma() -> None:
    tokens = ["<start_function_call>", "call:f{a:", "<escape>", "<end_function_call>", "<escape>", "}", "<end_function_call>",
              "<start_function_response>"]
    assert channels(tokens, "functiongemma", "<start_of_turn>model\n") == "XtttttXX"


def test_placeholders_of_media_do_not_switch_the_channel() -> None:
    assert channels(["<|image>", "<|image|>", "<image|>", "a"]) == "cccc"
