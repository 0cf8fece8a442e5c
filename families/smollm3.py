"""SmolLM3: ChatML turns and calls in the Hermes format, or as Python in `<code>` where the prompt offers the tools so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from families.base import Call, Text, TokenGroup, Turn
from families.chatml import CALLS, RESPONSES, THINKING, TURNS
from families.delimited import read_turn as read_delimited
from families.hermes import HERMES
from families.hermes_parser import FORM, write_turn
from families.json_calls import CallText, Tools, offered
from families.lenient_json import JsonError
from families.python_calls import NO_LIST, read_python_calls
from families.reading import Scanner, Span, joined, trimmed

CODE, END_CODE = "<code>", "</code>"
_SNIPPET = re.compile(r"<code>((?:[^<]++|<(?!/?code>))*+)</code>")


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
    """The calls in the code of `span`: snippets that are nothing but calls of tools that are offered, one a line.

    Any other code is text: running it is no tool call.
    """
    return [call for snippet in scanner.all(_SNIPPET, *span) for call in _calls(scanner, snippet, tools)]


def _calls(scanner: Scanner, snippet: re.Match[str], tools: Tools) -> list[Call]:
    start, end = trimmed(scanner.text, snippet.span(1))
    read: list[CallText] = []
    if start == end:
        return []
    while start < end:
        try:
            calls, after = read_python_calls(scanner, start, end, tools, closed=True)
        except JsonError:
            return []
        if not calls or not all(call.name in tools for call in calls):
            return []
        read += calls
        start = trimmed(scanner.text, (after, end))[0]
    ends = [snippet.start(), *(call.span[1] for call in read[:-1]), snippet.end()]
    for call in read:
        call.slips = [slip for slip in call.slips if slip != NO_LIST]
    spans = list(pairwise(ends))
    return [Call(one.name, one.arguments, one.raw_args, at, None, one.repaired) for one, at in zip(read, spans, strict=True)]


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
