"""Where a chat template depends on one of its variables, to the character.

Needs no model and renders nothing: jinja2's lexer finds the tags and its parser reads the expression in each. What counts as
depending is decided by logic, not by looks: a branch depends on a variable where it cannot be reached without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from jinja2 import Environment, TemplateSyntaxError, nodes

Span = tuple[int, int]
Names = frozenset[str]

_JINJA = Environment()
_BLOCKS = ("if", "for", "macro")
_ENDS = ("endif", "endfor", "endmacro")
_FORMS = {
    "": "{{{{ {} }}}}",
    "if": "{{% if {} %}}{{% endif %}}",
    "elif": "{{% if {} %}}{{% endif %}}",
    "for": "{{% for {} %}}{{% endfor %}}",
    "macro": "{{% macro {} %}}{{% endmacro %}}",
    "set": "{{% set {} %}}",
}
"""How a tag's expression becomes a template that can be parsed by itself."""


@dataclass(frozen=True)
class _Tag:
    """One {% … %} or {{ … }}: `word` is its first word ("if", "endfor"), "" for an output; `expression` what follows it."""

    word: str
    expression: str
    start: int
    end: int

    @cached_property
    def parsed(self) -> nodes.Template | None:
        """What it says, without what it encloses; None for a tag without an expression that is read here."""
        form = _FORMS.get(self.word)
        if form is None:
            return None
        try:
            return _JINJA.parse(form.format(self.expression))
        except TemplateSyntaxError:  # {% set name %}…{% endset %}: what it encloses has tags of its own.
            return None

    @property
    def test(self) -> nodes.Node | None:
        """The condition of an if or elif."""
        if self.word not in ("if", "elif") or self.parsed is None:
            return None
        branch = self.parsed.body[0]
        return branch.test if isinstance(branch, nodes.If) else None


@dataclass
class _Block:
    """An if, for or macro that is not closed yet. `marked` holds for its current branch, which began at `start`."""

    start: int
    marked: bool
    whole: bool
    """Whether every branch belongs to it: so it is with a loop over the variable, and a macro that takes it."""
    refused: list[nodes.Node] = field(default_factory=list)
    """The tests of the branches before this one: it is reached only where none of them holds."""


def unified(text: str) -> str:
    """The text with "\\n" for every line end, as jinja2 reads it; the spans below are characters of this."""
    return re.sub(r"\r\n?", "\n", text)


def depends_on(template: str, name: str, *, otherwise: bool) -> tuple[Span, ...] | None:
    """The stretches [from, to) of `template` (line ends unified) that depend on the variable `name`, in order.

    They are: branches that are reached only if a test of the variable allows it; loops over it; macros with a parameter of
    its name; and single tags that mention it. A variable that is set from this one alone stands for it. `otherwise` adds the
    branches that are reached only because such a test failed (what a switch writes when it is off). None overlap. None for a
    template that jinja2 cannot read, or only deeper than Python calls go.
    """
    try:
        found = _found(template, _standing_for(name, _tags(template)), otherwise)
    except (TemplateSyntaxError, RecursionError):
        return None
    return tuple((start, len(template[:end].rstrip())) for start, end in _united(found))


def _found(template: str, names: Names, otherwise: bool) -> list[Span]:
    """The stretches as they are met. Raises TemplateSyntaxError and RecursionError."""
    found: list[Span] = []
    open_blocks: list[_Block] = []
    for tag in _tags(template):
        if tag.word in _ENDS and open_blocks:
            block = open_blocks.pop()
            if block.marked:
                found.append((block.start, tag.end))
        elif tag.word in ("elif", "else") and open_blocks and not open_blocks[-1].whole:
            _next_branch(open_blocks[-1], tag, names, otherwise, found)
        elif tag.word in _BLOCKS:
            open_blocks.append(_opened(tag, names))
        if mentions(tag.parsed, names):
            found.append((tag.start, tag.end))
    return found


def _opened(tag: _Tag, names: Names) -> _Block:
    test = tag.test
    if test is None:
        whole = mentions(tag.parsed, names)
        return _Block(tag.start, whole, whole)
    return _Block(tag.start, _hangs(test, names), False, [test])


def _next_branch(block: _Block, tag: _Tag, names: Names, otherwise: bool, found: list[Span]) -> None:
    """Ends the branch of an if that stood open, and begins the one after `tag`."""
    if block.marked:
        found.append((block.start, tag.start))
    test = tag.test
    block.start = tag.start
    block.marked = otherwise and any(_hangs(refused, names, negated=True) for refused in block.refused)
    if test is not None:
        block.marked |= _hangs(test, names)
        block.refused.append(test)


def _hangs(test: nodes.Node, names: Names, negated: bool = False) -> bool:
    """Whether `test` (or, `negated`, its opposite) can hold only if a part of it that mentions one of `names` allows it.

    Of parts joined by "and" one such part is enough; of parts joined by "or" every one must be. A negation swaps the two.
    """
    if isinstance(test, nodes.Not):
        return _hangs(test.node, names, not negated)
    if isinstance(test, nodes.And | nodes.Or):
        sides = [_hangs(side, names, negated) for side in (test.left, test.right)]
        return any(sides) if isinstance(test, nodes.And) != negated else all(sides)
    return mentions(test, names)


def mentions(node: nodes.Node | None, names: Names) -> bool:
    """Whether one of the variables `names` is read in `node`, or is a parameter of it; setting it does not count."""
    return not names.isdisjoint(_read(node))


def _read(node: nodes.Node | None) -> set[str]:
    """The variables that are read in a node, and its parameters."""
    if node is None:
        return set()
    found = [*node.find_all(nodes.Name), *([node] if isinstance(node, nodes.Name) else [])]
    return {each.name for each in found if each.ctx != "store"}


def _standing_for(name: str, tags: Iterable[_Tag]) -> Names:
    """The variable, and those whose every {% set %} reads it, or another one that stands for it, and nothing else."""
    read: dict[str, list[set[str]]] = {}
    for tag in tags:
        for assigned in tag.parsed.find_all(nodes.Assign) if tag.parsed is not None else ():
            if isinstance(assigned.target, nodes.Name):
                read.setdefault(assigned.target.name, []).append(_read(assigned.node))
    names: Names = frozenset({name})
    while True:
        more = {other for other, each in read.items() if all(of and of <= names for of in each)}
        if more <= names:
            return names
        names |= more


def _united(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans sorted, with those that overlap or touch made one."""
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return tuple(united)


@lru_cache(maxsize=4)
def _tags(template: str) -> tuple[_Tag, ...]:
    """The tags of a template in order; kept, since a template is asked about several variables. Raises TemplateSyntaxError."""
    found: list[_Tag] = []
    at = 0
    start = 0
    parts: list[str] = []
    for _, kind, value in _JINJA.lex(template):
        begin = template.index(value, at)  # Only white space that a "-" strips lies between.
        at = begin + len(value)
        if kind in ("block_begin", "variable_begin"):
            start, parts = begin, []
        elif kind in ("block_end", "variable_end"):
            first, rest = (parts[0], parts[1:]) if kind == "block_end" and parts else ("", parts)
            found.append(_Tag(first, "".join(rest).strip(), start, begin + len(value.rstrip())))
        elif kind != "whitespace" or parts:
            parts.append(value)
    return tuple(found)
