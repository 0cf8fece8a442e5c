"""What the harmony parser makes of turns written by hand, one row for each thing that gpt-oss does right or wrong."""

from __future__ import annotations

import pytest

import families
from families.harmony import parse, read_header
from families.reading import ChannelReader
from tests.families.checks import REPAIRED, Case, outcome, tool

START = "<|start|>assistant"


TOOLS = [tool("now"), tool("add", "a", "b"), tool("note", "text")]
ADD = '{"a": 1, "b": 2}'
ADDED = {"a": 1, "b": 2}
FINAL = "<|channel|>final<|message|>"
ANALYSIS = "<|channel|>analysis<|message|>"
COMMENTARY = "<|channel|>commentary<|message|>"


def call(name: str, body: str) -> str:
    return f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{body}"


CASES = [
    # As gpt-oss writes it.
    Case("answer", START, f"{FINAL}Good morning.<|return|>", None, "Good morning.", []),
    Case("thinking and answer", START, f"{ANALYSIS}Greet.<|end|>{START}{FINAL}Hi.<|return|>", "Greet.", "Hi.", []),
    Case("thinking twice", START, f"{ANALYSIS}A.<|end|>{START}{ANALYSIS}B.<|end|>{START}{FINAL}C.<|return|>", "A.\nB.", "C.", []),
    Case("call", START, call("add", ADD) + "<|call|>", None, "", [("add", ADDED)]),
    Case("call of no arguments", START, call("now", "{}") + "<|call|>", None, "", [("now", {})]),
    Case(
        "recipient before the channel",
        START,
        f" to=functions.add<|channel|>commentary json<|message|>{ADD}<|call|>",
        None,
        "",
        [("add", ADDED)],
    ),
    Case("no content type", START, f"<|channel|>commentary to=functions.add<|message|>{ADD}<|call|>", None, "", [("add", ADDED)]),
    Case(
        "another content type",
        START,
        f"<|channel|>analysis to=functions.add code<|message|>{ADD}<|call|>",
        None,
        "",
        [("add", ADDED)],
    ),
    Case("no channel", START, f" to=functions.add<|message|>{ADD}<|call|>", None, "", [("add", ADDED)]),
    Case("preamble", START, f"{COMMENTARY}I add.<|end|>{START}{call('add', ADD)}<|call|>", None, "I add.", [("add", ADDED)]),
    Case("thinking, then a call", START, f"{ANALYSIS}Add.<|end|>{START}{call('add', ADD)}<|call|>", "Add.", "", [("add", ADDED)]),
    Case(
        "two calls",
        START,
        f"{call('add', ADD)}<|call|>{START}{call('now', '{}')}<|call|>",
        None,
        "",
        [("add", ADDED), ("now", {})],
    ),
    Case(
        "call, then an answer", START, f"{call('now', '{}')}<|call|>{START}{FINAL}Done.<|return|>", None, "Done.", [("now", {})]
    ),
    Case("unknown tool", START, call("fly", '{"to": "Mars"}') + "<|call|>", None, "", [("fly", {"to": "Mars"})]),
    Case(
        "tool outside the namespace",
        START,
        "<|channel|>analysis to=browser.search code<|message|>{}<|call|>",
        None,
        "",
        [("browser.search", {})],
    ),
    Case("no prompt at all", "", f"{START}{FINAL}Hi.<|return|>", None, "Hi.", []),
    Case("the model repeats the head", START, f"{START}{FINAL}Hi.<|return|>", None, "Hi.", []),
    Case("the prompt began the answer", f"{START}{FINAL}Go", "od morning.<|return|>", None, "od morning.", []),
    Case("the prompt began the thinking", START + ANALYSIS, f"Greet.<|end|>{START}{FINAL}Hi.<|return|>", "Greet.", "Hi.", []),
    Case(
        "the prompt named the recipient",
        f"{START} to=functions.add",
        f"<|channel|>commentary<|message|>{ADD}<|call|>",
        None,
        "",
        [("add", ADDED)],
    ),
    # Cut off.
    Case("cut in the thinking", START, f"{ANALYSIS}First I", "First I", "", []),
    Case("cut in the answer", START, f"{FINAL}Good mor", None, "Good mor", []),
    Case("cut in the channel's name", START, f"{ANALYSIS}So.<|end|>{START}<|channel|>fin", "So.", "", []),
    Case(
        "cut in a header",
        START,
        f"{ANALYSIS}So.<|end|>{START} to=functions.add<|channel|>comm",
        "So.",
        "",
        [("add", "unterminated")],
    ),
    Case("cut before the arguments", START, call("add", ""), None, "", [("add", "unterminated")]),
    Case("cut in the arguments", START, call("add", '{"a": 1, "b'), None, "", [("add", "unterminated")]),
    Case("cut after whole arguments", START, call("add", ADD), None, "", [("add", "unterminated")]),
    # Slips with one reading.
    Case("end marker after a call", START, f"{call('add', ADD)}<|end|>", None, "", [("add", ADDED, REPAIRED)]),
    Case("return marker after a call", START, f"{call('add', ADD)}<|return|>", None, "", [("add", ADDED, REPAIRED)]),
    Case(
        "call not closed",
        START,
        f"{call('add', ADD)}{START}{call('now', '{}')}<|call|>",
        None,
        "",
        [("add", ADDED, REPAIRED), ("now", {})],
    ),
    Case(
        "no message marker",
        START,
        f"<|channel|>commentary to=functions.add json{ADD}<|call|>",
        None,
        "",
        [("add", ADDED, REPAIRED)],
    ),
    Case(
        "missing namespace", START, f"<|channel|>commentary to=add<|message|>{ADD}<|call|>", None, "", [("add", ADDED, REPAIRED)]
    ),
    Case("missing brace", START, call("add", '{"a": 1') + "<|call|>", None, "", [("add", {"a": 1}, REPAIRED)]),
    Case("nothing for arguments", START, call("now", "") + "<|call|>", None, "", [("now", {}, REPAIRED)]),
    Case(
        "Python's constants", START, call("note", '{"text": None}') + "<|call|>", None, "", [("note", {"text": None}, REPAIRED)]
    ),
    Case("arguments in a string", START, call("add", '"{\\"a\\": 1}"') + "<|call|>", None, "", [("add", {"a": 1}, REPAIRED)]),
    Case("arguments in a fence", START, call("add", f"```json\n{ADD}\n```") + "<|call|>", None, "", [("add", ADDED, REPAIRED)]),
    Case(
        "header begun twice",
        START,
        f"<|channel|>commentary to=assistant{ANALYSIS}Hm.<|end|>{START}{FINAL}Hi.<|return|>",
        "Hm.",
        "Hi.",
        [],
    ),
    Case("message not ended", START, f"{ANALYSIS}Add.{START}{call('add', ADD)}<|call|>", "Add.", "", [("add", ADDED)]),
    Case("doubled end", START, f"{ANALYSIS}Greet.<|end|><|end|>{START}{FINAL}Hi.<|return|>", "Greet.", "Hi.", []),
    Case("unknown channel", START, "<|channel|>comment<|message|>Some text.<|end|>", None, "Some text.", []),
    Case("answer without a header", START, "Good morning.<|return|>", None, "Good morning.", []),
    Case("answer after the thinking without a header", START, f"{ANALYSIS}Greet.<|end|>\n\nHi.<|return|>", "Greet.", "Hi.", []),
    # Slips with none.
    Case("no JSON", START, "<|channel|>commentary to=python<|message|>print(1)<|call|>", None, "", [("python", "bad_arguments")]),
    Case("two objects", START, call("add", ADD + "{}") + "<|call|>", None, "", [("add", "bad_arguments")]),
    Case("no name", START, f"<|channel|>commentary to=functions.<|message|>{ADD}<|call|>", None, "", [("", "no_name")]),
    Case(
        "two recipients",
        START,
        f" to=functions.add<|channel|>commentary to=functions.now<|message|>{ADD}<|call|>",
        None,
        "",
        [("now", "no_name")],
    ),
    Case(
        "call without arguments or marker",
        START,
        "<|channel|>commentary to=functions.add<|call|>",
        None,
        "",
        [("add", "bad_arguments")],
    ),
    Case(
        "a broken call harms no other",
        START,
        call("add", '{"a') + f"<|call|>{START}{call('now', '{}')}<|call|>",
        None,
        "",
        [("add", "bad_arguments"), ("now", {})],
    ),
    # Markers as words.
    Case(
        "markers in a string",
        START,
        call("note", '{"text": "<|call|> ends it, <|end|> too.<|return|>"}') + "<|call|>",
        None,
        "",
        [("note", {"text": "<|call|> ends it, <|end|> too.<|return|>"})],
    ),
    Case(
        "markers in the thinking",
        START,
        f"{ANALYSIS}No <|call|> or <|channel|>final yet.<|end|>{START}{FINAL}Hi.<|return|>",
        "No <|call|> or <|channel|>final yet.",
        "Hi.",
        [],
    ),
    Case(
        "markers in quotation marks",
        START,
        f"{FINAL}`<|end|>` ends a message, `<|return|>`\nthe turn.<|return|>",
        None,
        "`<|end|>` ends a message, `<|return|>`\nthe turn.",
        [],
    ),
    Case(
        "an example in a fence",
        START,
        f"{FINAL}So:\n```\n{START}{call('fly', '{}')}<|call|>\n```\nDone.<|return|>",
        None,
        f"So:\n```\n{START}{call('fly', '{}')}<|call|>\n```\nDone.",
        [],
    ),
    Case(
        "a call after a fence that stayed open",
        START,
        f"{FINAL}```\nx<|end|>{START}{call('add', ADD)}<|call|>",
        None,
        "```\nx",
        [("add", ADDED)],
    ),
    Case(
        "JSON in the answer",
        START,
        f'{FINAL}{{"name": "add", "arguments": {ADD}}}<|return|>',
        None,
        f'{{"name": "add", "arguments": {ADD}}}',
        [],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    turn = parse(case.raw, TOOLS, case.prefix)
    assert (turn.thinking, turn.content) == (case.thinking, case.content)
    assert outcome(turn) == case.calls


def test_spans_and_raw_arguments() -> None:
    before = f"{ANALYSIS}So.<|end|>"
    raw = f"{before}{START}{call('add', ADD)}<|call|>"
    turn = parse(raw, TOOLS, START)
    assert turn.calls[0].raw_args == ADD
    assert turn.calls[0].span == (len(before), len(raw))
    assert [raw[slice(*span)] for span in turn.thinking_spans] == ["So."]


def test_where_a_call_broke_and_what_was_repaired() -> None:
    raw = call("add", '{"a": oops}') + "<|call|>"
    error = parse(raw, TOOLS, START).calls[0].error
    assert error is not None
    assert raw[error.at :].startswith("oops")
    assert "oops" in error.text.en
    assert "oops" in error.text.zh
    repaired = parse(call("add", ADD) + "<|return|>", TOOLS, START).calls[0].repaired
    assert repaired is not None
    assert "<|return|>" in repaired.en
    assert "<|return|>" in repaired.zh


@pytest.mark.parametrize(
    ("header", "channel", "recipients"),
    [
        ("<|start|>assistant<|channel|>final", "final", ()),
        ("assistant to=functions.add<|channel|>commentary <|constrain|>json", "commentary", ("functions.add",)),
        ("<|channel|>commentary to=assistant<|channel|>analysis", "analysis", ()),
        ("assistant", "", ()),
    ],
)
def test_headers(header: str, channel: str, recipients: tuple[str, ...]) -> None:
    assert read_header(header) == (channel, recipients)


def channels(tokens: list[str], prompt: str = "<|start|>user<|message|>Hi<|end|><|start|>assistant") -> str:
    """The channel of each token by its first letter: control, Thought, call ("f"), content ("a")."""
    reader = ChannelReader(families.named("gpt_oss"), prompt)
    letters = {"control": "c", "thought": "t", "tool_call": "f", "content": "a"}
    return "".join(letters[reader.feed(token)] for token in tokens)


def test_channels_of_tokens() -> None:
    thinking = ["<|channel|>", "analysis", "<|message|>", "Need", " it", ".", "<|end|>"]
    written = [
        "<|start|>",
        "assistant",
        "<|channel|>",
        "comment",
        "ary",
        " to",
        "=",
        "functions",
        ".add",
        " ",
        "<|constrain|>",
        "json",
    ]
    arguments = ["<|message|>", '{"a', '": "x', " <|end|>", '"', "}", "<|call|>"]
    final = ["<|start|>", "assistant", "<|channel|>", "final", "<|message|>", "Hi", "<|return|>"]
    assert channels(thinking + written + arguments + final) == "ccctttc" + "c" * 12 + "cfffffc" + "cccccac"


def test_a_prompt_that_began_the_message() -> None:
    assert channels(["Go", "od"], f"{START}{FINAL}") == "aa"
    assert channels(["Hm"], f"{START}{ANALYSIS}") == "t"
    assert channels(['{"'], f"{START}{call('add', '')}") == "f"


def test_a_header_without_an_end_is_text_before_long() -> None:
    assert channels(["<|channel|>", "word " * 30, "word " * 30, "word", "<|message|>", "so"]) == "ccaaca"
