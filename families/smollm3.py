"""SmolLM3: ChatML turns and calls in the Hermes format, or as Python in `<code>` where the prompt offers the tools so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from families.base import Call, Text, TokenGroup, Turn
from families.chatml import CALLS, RESPONSES, THINKING, TURNS
from families.delimited import read_turn as read_delimited
from families.hermes import HERMES
from families.hermes_parser import FORM, write_turn
from families.json_calls import CallText, Tools, bad_arguments, offered
from families.lenient_json import JsonError
from families.python_calls import NO_LIST, begins_calls, read_python_calls, salvage_python_calls
from families.reading import Scanner, Span, joined, trimmed
from families.turns import Found

CODE, END_CODE = "<code>", "</code>"
_SNIPPET = re.compile(r"<code>((?:[^<]++|<(?!/?code>))*+)(</code>)?+")
_MORE_CODE = Text("呼叫後面還有別的程式碼", "more code follows the call")
_NO_CLOSER = Text(f"少了結尾的 {END_CODE}", f"a missing {END_CODE}")


def parse(raw: str, tools: Sequence[Mapping[str, Any]], prefix: str) -> Turn:
    """Reads one turn of SmolLM3; see `families.base.Family` for what the arguments are."""
    return read_turn(Scanner(raw), offered(tools), prefix)


def read_turn(scanner: Scanner, tools: Tools, prefix: str) -> Turn:
    """`parse` on a scanner, which counts the steps."""
    turn = read_delimited(scanner, FORM, tools, prefix)
    found = [call for span in turn.content_spans for call in _snippets(scanner, span, tools)]
    if not found:
        return turn
    gone = [call.span for call in found]
    content = [part for span in turn.content_spans for part in _without(scanner.text, span, gone)]
    calls = sorted([*turn.calls, *found], key=lambda call: call.span)
    return replace(turn, content=joined(scanner.text, content), content_spans=tuple(content), calls=tuple(calls))


def _snippets(scanner: Scanner, span: Span, tools: Tools) -> list[Call]:
    """The calls in the code of `span`: snippets that begin with the call of a tool that is offered, one call a line.

    Any other code is text: running it is no tool call.
    """
    cut_at = len(scanner.text.rstrip())  # What reaches up to here has nothing behind it, a stop token neither.
    return [call for snippet in scanner.all(_SNIPPET, *span) for call in _calls(scanner, snippet, tools, cut_at)]


def _calls(scanner: Scanner, snippet: re.Match[str], tools: Tools, cut_at: int) -> list[Call]:
    start, end = trimmed(scanner.text, snippet.span(1))
    if begins_calls(scanner, start, end) not in tools:
        return []
    closed = snippet[2] is not None
    cut = not closed and snippet.end() >= cut_at
    found = Found(_read(scanner, (start, end), tools, cut), snippet.start(), snippet.end())
    for call in found.calls:
        call.slips = [slip for slip in call.slips if slip != NO_LIST]
    if cut:
        found.cut(end)
    elif not closed:
        found.slip(_NO_CLOSER)
    return found.placed()


def _read(scanner: Scanner, span: Span, tools: Tools, cut: bool) -> list[CallText]:
    """The calls in `span`, of which the first is one of a tool that is offered; other code behind the last one breaks it."""
    start, end = span
    read: list[CallText] = []
    while start < end and begins_calls(scanner, start, end) in tools:
        try:
            calls, after = read_python_calls(scanner, start, end, tools, closed=not cut)
        except JsonError:
            return [*read, *salvage_python_calls(scanner, start, end, tools, cut)]
        read += calls
        start = scanner.past_space(after, end)
    if start < end and not cut:
        read[-1].error = bad_arguments(scanner.text, start, _MORE_CODE, end)
    return read


def _without(text: str, span: Span, gone: Sequence[Span]) -> list[Span]:
    """What is left of `span` when the parts in it that are `gone` are taken out."""
    start, end = span
    inside = [part for part in gone if start <= part[0] and part[1] <= end]
    edges = [start, *(edge for part in inside for edge in part), end]
    parts = (trimmed(text, (edges[at], edges[at + 1])) for at in range(0, len(edges), 2))
    return [part for part in parts if part[0] < part[1]]


_CODE = TokenGroup(
    Text("程式碼", "Code"),
    Text(
        "框住要執行的 Python 程式碼。提示以 python_tools 提供工具時，模型這樣呼叫工具。",
        "Frames Python code that is to be run. Where the prompt offers the tools as python_tools, the model calls them so.",
    ),
    {
        CODE: Text("程式碼從這裡開始。", "Code begins."),
        END_CODE: Text("程式碼到此結束。", "Code ends."),
    },
)

SMOLLM3 = replace(
    HERMES,
    key="smollm3",
    name="SmolLM3",
    model_types=frozenset({"smollm3"}),
    parse=parse,
    # The template writes earlier messages from their content alone: neither a field for thinking nor tool_calls is read.
    thinking_field=None,
    write_turn=write_turn,
    token_groups=(TURNS, THINKING, CALLS, RESPONSES, _CODE),
    thinking_note=Text(
        "開關改的是系統訊息裡的「Reasoning Mode」：開啟時是 /think，提示停在助理訊息的開頭，由模型自己寫 <think>；"
        "關閉時是 /no_think，模板替它寫好一段空的思考。系統訊息裡若寫著 /think 或 /no_think，以那裡為準。",
        "The switch sets “Reasoning Mode” in the system message. On: /think, and the prompt ends where the assistant's message "
        "begins, so that the model writes <think> itself. Off: /no_think, and the template writes an empty thinking block "
        "for it. /think or /no_think in the system message overrules the switch.",
    ),
    tools_note=Text(
        "工具寫在系統訊息的「### Tools」一節：<tools> 與 </tools> 之間，每行一個工具，接著說明呼叫要怎麼寫。"
        "工具的結果以使用者訊息的身分送回，外面沒有標記。模板重寫先前的訊息時只看內容，不看工具呼叫："
        "Loopglass 就把呼叫照模型的寫法放進內容，模型才看得到自己呼叫過什麼。",
        "Tools stand in the system message under “### Tools”: one a line between <tools> and </tools>, then how a call is to be "
        "written. A tool's result comes back as a user message without markers. Of earlier messages the template writes the "
        "content alone and no tool calls; so Loopglass puts the calls into the content, as the model writes them, and the model "
        "sees what it called.",
    ),
)
