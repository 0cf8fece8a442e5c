"""Pieces of the Model tab as HTML: every text goes through `escape`, whoever wrote it; nothing here asks Streamlit.

Their look is model_tab.css.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from app.i18n import Words, plain, visible
from app.model_tab_words import KINDS, PARTS
from backends.checkpoint_files import CheckpointFile, FieldValue, Stored, size
from backends.description import Description, Template
from backends.template_reading import Span
from families.base import Family, TokenGroup

_MOST_PARTS = 12
_MOST_TOKENS = 300
_MOST_ITEMS = 8
_MOST_LINKS = 50
_MOST_CHARACTERS = 300
_MOST_TEMPLATE = 200_000
"""Characters of a template that are shown: more than ten times those of the longest one known here."""


def escape(text: str) -> str:
    """A text as HTML that shows it and does nothing else."""
    return html.escape(visible(text))


def short(text: str) -> str:
    """A text by its first characters, where it is long."""
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"


def boxed(*pieces: str) -> str:
    """The pieces in the tab's own look."""
    return f'<div class="lgm">{"".join(pieces)}</div>'


def count(n: int) -> str:
    """134515008 as "134.5 M (134,515,008)"; small numbers as they are."""
    for power, letter in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if n >= power:
            return f"{n / power:.4g} {letter} ({n:,})"
    return f"{n:,}"


def fact(label: str, explained: str, value: str | None, source: str, unknown: str, more: str = "") -> str:
    """A row: what it is, its value (None: not known), where that is from, and a sentence. `more` is HTML below it."""
    shown = escape(unknown if value is None else short(value))
    kind = "lgm-value lgm-unknown" if value is None else "lgm-value"
    return (
        f'<div class="lgm-fact"><dt>{escape(label)}</dt><dd><span class="{kind}">{shown}</span>'
        f'<span class="lgm-from">{escape(source)}</span>{more}<p class="lgm-quiet">{escape(explained)}</p></dd></div>'
    )


def facts(rows: Iterable[str]) -> str:
    return boxed(f'<dl>{"".join(rows)}</dl>')


def layers(words: Words, kinds: Sequence[str]) -> str:
    """A square for each layer, coloured by its kind, and what the kinds mean."""
    names = sorted(set(kinds), key=lambda kind: (kind != "full_attention", -kinds.count(kind), kind))
    place = {kind: min(number, 3) for number, kind in enumerate(names)}
    squares = "".join(
        f'<span class="lgm-kind-{place[kind]}" title="{escape(words("layer_number", n=n))}: {escape(kind)}"></span>'
        for n, kind in enumerate(kinds, 1)
    )
    key = "".join(
        f'<p><span class="lgm-key lgm-kind-{place[kind]}"></span><code>{escape(kind)}</code> × {kinds.count(kind)}'
        f'{" · " + escape(words.of(KINDS[kind])) if kind in KINDS else ""}</p>'
        for kind in names
    )
    return f'<div class="lgm-layers">{squares}</div>{key}'


def parts(words: Words, stored: Stored) -> str:
    """The largest parts of the weights with their share of all numbers."""
    shown, rest = stored.parts[:_MOST_PARTS], stored.parts[_MOST_PARTS:]
    rows = [(f"<code>{escape(short(part.name))}</code>{_part_note(words, part.name)}", part.n_numbers) for part in shown]
    if rest:
        rows.append((escape(words("parts_rest", n=len(rest))), sum(part.n_numbers for part in rest)))
    whole = max(stored.n_numbers, 1)
    body = "".join(
        f'<tr><td>{name}</td><td class="lgm-bar-cell"><span class="lgm-bar" style="width:{100 * n / whole:.2f}%"></span></td>'
        f'<td class="lgm-num">{_percent(n, whole)}</td><td class="lgm-num">{n:,}</td></tr>'
        for name, n in rows
    )
    head = _head(words("part"), "", words("part_share"), words("part_count"))
    return boxed(f"<table class='lgm-parts'>{head}<tbody>{body}</tbody></table>")


def _percent(n: int, whole: int) -> str:
    return "&lt; 0.1 %" if 0 < n / whole < 0.001 else f"{100 * n / whole:.1f} %"


def _part_note(words: Words, name: str) -> str:
    pieces = name.split(".")
    for piece, text in PARTS.items():
        if piece in pieces:
            return f'<br><span class="lgm-quiet">{escape(words.of(text))}</span>'
    return ""


def _head(*titles: str) -> str:
    return f'<thead><tr>{"".join(f"<th>{escape(title)}</th>" for title in titles)}</tr></thead>'


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; the first column is set as code."""
    body = "".join(
        f"<tr><td><code>{escape(first)}</code></td>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return f'<table class="lgm-wide">{_head(*titles)}<tbody>{body}</tbody></table>'


def template(words: Words, shown: Template, switch: str | None, number: int) -> str:
    """A template with line numbers, whole unless it is huge, and what is marked in it. `number` tells several templates on one
    page apart."""
    legend = [_marked(words, shown, shown.tools, "lgm-tools", words("template_tools"), number)] if shown.tools else []
    if shown.thinking:
        title = words("template_thinking", switch=switch)
        legend.append(_marked(words, shown, shown.thinking, "lgm-thinking", title, number))
    rows, start = [], 0
    for line_number, line in enumerate(lines(shown.text[:_MOST_TEMPLATE]), 1):
        rows.append(
            f'<div class="lgm-row" id="template-{number}-{line_number}"><span class="lgm-n">{line_number}</span>'
            f'<span class="lgm-code">{_line(shown, start, line)}</span></div>'
        )
        start += len(line) + 1
    if len(shown.text) > _MOST_TEMPLATE:
        rows.append(f"<p>{escape(words('template_cut', n=f'{len(shown.text) - _MOST_TEMPLATE:,}'))}</p>")
    return boxed(
        f'<div class="lgm-legend">{"".join(legend)}</div>', f'<pre class="lgm-template" tabindex="0">{"".join(rows)}</pre>',
    )


def _marked(words: Words, shown: Template, spans: Sequence[Span], mark: str, title: str, number: int) -> str:
    """An entry of the legend: what is marked so, and the lines, as links into the template."""
    links = []
    for span in spans[:_MOST_LINKS]:
        first, last = line_numbers(shown.text, span)
        said = words("template_line", first=first) if first == last else words("template_lines", first=first, last=last)
        links.append(f'<a href="#template-{number}-{first}" target="_self">{escape(said)}</a>')
    if len(spans) > _MOST_LINKS:
        links.append(escape(words("more", n=len(spans) - _MOST_LINKS)))
    return f'<p><span class="lgm-swatch {mark}">{escape(title)}</span> {" · ".join(links)}</p>'


def lines(text: str) -> list[str]:
    """The lines of a template; the line end after the last one begins no further line."""
    return text.removesuffix("\n").split("\n")


def line_numbers(text: str, span: Span) -> tuple[int, int]:
    """The first and last line, from 1, of the characters [from, to)."""
    return text.count("\n", 0, span[0]) + 1, text.count("\n", 0, max(span[0], span[1] - 1)) + 1


def _line(shown: Template, start: int, line: str) -> str:
    """One line of a template, cut where a mark begins or ends."""
    end = start + len(line)
    cuts = {start, end}
    marked = {"lgm-tools": shown.tools or (), "lgm-thinking": shown.thinking or ()}
    for span in chain(*marked.values()):
        cuts |= {place for place in span if start < place < end}
    places = sorted(cuts)
    pieces = []
    for begin, stop in pairwise(places):
        marks = [name for name, spans in marked.items() if any(a <= begin and stop <= b for a, b in spans)]
        text = escape(shown.text[begin:stop])
        pieces.append(f'<mark class="{" ".join(marks)}">{text}</mark>' if marks else text)
    return "".join(pieces)


def tokens(words: Words, family: Family, ids: Mapping[str, int], ends: Iterable[str]) -> str:
    """The control tokens of a vocabulary (`ids`) in the family's groups; then those that it does not explain or lacks."""
    stops = set(ends)
    named = {token for group in family.token_groups for token in group.tokens}
    groups = [_group(words, family, group, ids, stops) for group in family.token_groups if set(group.tokens) & set(ids)]
    absent = [token for group in family.token_groups for token in group.tokens if token not in ids]
    if absent:
        groups.append(f'<p class="lgm-quiet">{escape(words("tokens_absent"))} {" ".join(map(_token, absent))}</p>')
    other = sorted((number, token) for token, number in ids.items() if token not in named)
    if other:
        pills = " ".join(f"{_token(token)} {number}" for number, token in other[:_MOST_TOKENS])
        more = escape(words("more", n=len(other) - _MOST_TOKENS)) if len(other) > _MOST_TOKENS else ""
        groups.append(f"<details><summary>{escape(words('tokens_other', n=len(other)))}</summary><p>{pills} {more}</p></details>")
    return boxed(*groups)


def _token(token: str) -> str:
    return f'<code class="lgm-token">{escape(short(token))}</code>'


def _group(words: Words, family: Family, group: TokenGroup, ids: Mapping[str, int], stops: set[str]) -> str:
    rows = []
    for token, purpose in group.tokens.items():
        if token not in ids:
            continue
        ending = ""
        if token in stops and token in family.stop_tokens:
            ending = f'<br><b>{escape(words("token_ends"))}</b>{escape(words.of(family.stop_tokens[token]))}'
        rows.append(
            f'<tr><td>{_token(token)}</td><td class="lgm-num">{ids[token]}</td><td>{escape(words.of(purpose))}{ending}</td></tr>'
        )
    head = f'<h4>{escape(words.of(group.name))}</h4><p class="lgm-quiet">{escape(words.of(group.purpose))}</p>'
    return (
        f'<div class="lgm-group">{head}'
        f'<table class="lgm-ids lgm-wide"><tbody>{"".join(rows)}</tbody></table></div>'
    )


def files(words: Words, listed: Iterable[CheckpointFile]) -> str:
    """The files, what each is for, and this checkpoint's values of the fields that the notes name."""
    return boxed(*(_file(words, file) for file in listed))


def _file(words: Words, file: CheckpointFile) -> str:
    if file.n_bytes is None:
        weight = words("file_missing")
    else:
        weight = size(file.n_bytes) if file.n_files == 1 else words("file_count", size=size(file.n_bytes), n=file.n_files)
    note = f'<p class="lgm-quiet">{escape(words.of(file.note))}</p>' if file.note else ""
    fields = ""
    if file.fields:
        titles = words("field"), words("field_value"), words("field_meaning")
        fields = table(titles, ((field.path, _value(words, field), words.of(field.meaning)) for field in file.fields))
    elif file.unreadable:
        fields = f"<p>{escape(words('file_unreadable'))}</p>"
    return (
        f'<div class="lgm-file"><div class="lgm-file-head"><code>{escape(file.name)}</code><span>{escape(weight)}</span></div>'
        f"{note}{fields}</div>"
    )


def _value(words: Words, field: FieldValue) -> str:
    return value(words, field.value) if field.found else words("field_missing")


def left_out(words: Words, description: Description | None) -> str | None:
    """Which of the checkpoint's settings of sampling are not applied, as a line of Markdown; None where there are none."""
    if description is None or not description.left_out:
        return None
    names = ", ".join(f"{name} {value(words, given)}" for name, given in description.left_out.items())
    return words("sampling_left_out", names=plain(names))


def value(words: Words, given: Any) -> str:
    """A value out of JSON, as JSON writes it; a long list by its first items, a long text by its first characters."""
    if isinstance(given, list) and len(given) > _MOST_ITEMS:
        first = ", ".join(value(words, item) for item in given[:_MOST_ITEMS])
        return f"[{first}, {words('list_more', n=len(given))}]"
    return short(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
