"""Which stretches of a chat template depend on the tools or on the thinking switch."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from backends import template_reading
from backends.template_reading import Span, unified

TEMPLATES = sorted((Path(__file__).parents[1] / "data" / "templates").glob("*.jinja"))


def depends_on(template: str, name: str, *, otherwise: bool) -> tuple[Span, ...]:
    """The stretches of a template that can be read."""
    found = template_reading.depends_on(template, name, otherwise=otherwise)
    assert found is not None
    return found


def tools(template: str) -> list[str]:
    return [template[start:end] for start, end in depends_on(template, "tools", otherwise=False)]


def thinking(template: str) -> list[str]:
    return [template[start:end] for start, end in depends_on(template, "think", otherwise=True)]


@pytest.mark.parametrize(
    ("template", "marked"),
    [
        ("a {% if tools %}T{% endif %} b", ["{% if tools %}T{% endif %}"]),
        ("{%- if tools -%}  T  {%- else -%} none {%- endif -%}", ["{%- if tools -%}  T"]),
        ("{% if a and tools | length > 0 %}T{% endif %}", ["{% if a and tools | length > 0 %}T{% endif %}"]),
        ("{% if tools is iterable and tools is not mapping %}T{% endif %}", 1),
        ("{% if a or tools %}A{{ x }}{% endif %}", ["{% if a or tools %}"]),
        ("{% if not (a and tools) %}A{% endif %}", ["{% if not (a and tools) %}"]),
        ("{% if not (a or tools) %}A{% endif %}", 1),
        ("{% if a %}A{% elif tools %}T{% elif b %}B{% endif %}", ["{% elif tools %}T"]),
        ("{% for tool in tools %}{{ tool }}{% else %}none{% endfor %}", 1),
        ("{% macro m(tools) %}{{ tools }}{% endmacro %}{{ m(tools) }}", 1),
        ("{% macro m(x) %}{{ x }}{% endmacro %} {{ m(tools) }}", ["{{ m(tools) }}"]),
        ("{% if a %}{% if tools %}{% if b %}{% endif %}{% endif %}{% endif %}", [
            "{% if tools %}{% if b %}{% endif %}{% endif %}",
        ]),
        ("{{ 'tools' if tools else '' }} tools", ["{{ 'tools' if tools else '' }}"]),
        ("{% set n = tools | length %}{% set tools = [] %}", ["{% set n = tools | length %}"]),
        ("{% set has = tools is defined %}{% set any = has %}x{% if any %}T{% endif %}", [
            "{% set has = tools is defined %}{% set any = has %}", "{% if any %}T{% endif %}",
        ]),
        ("{% set has = tools %}{% set has = x %}{% if has %}T{% endif %}", ["{% set has = tools %}"]),
        ("{% set both = tools and x %}{% if both %}T{% endif %}", ["{% set both = tools and x %}"]),
    ],
)
def test_what_depends_on_the_tools(template: str, marked: list[str] | int) -> None:
    assert tools(template) == ([template] if marked == 1 else marked)


@pytest.mark.parametrize(
    "template",
    [
        "{{ message.tools }}{{ message['tools'] }}{{ f(tools=1) }}{{ x | tools }}",
        "{# {% if tools %} #}{% raw %}{% if tools %}{% endif %}{% endraw %}tools",
        "{% set tools = 1 %}{% set tools %}x{% endset %}{% for tools in y %}{% endfor %}",
        "{% generation %}{{ tool_calls }}{% endgeneration %}{% break %}",
        "",
    ],
)
def test_what_only_looks_like_the_variable_is_not_marked(template: str) -> None:
    assert tools(template) == []


@pytest.mark.parametrize(
    ("template", "marked"),
    [
        ("{% if think %}on{% else %}off{% endif %}", 1),
        ("{% if think is defined and think is false %}off{% else %}on{% endif %}", 1),
        ("{% if a and think %}on{% else %}x{% endif %}", ["{% if a and think %}on"]),
        ("{% if a %}A{% elif think %}on{% elif b %}B{% endif %}", ["{% elif think %}on{% elif b %}B{% endif %}"]),
        ("{% if a or think %}x{% else %}neither{% endif %}", ["{% if a or think %}", "{% else %}neither{% endif %}"]),
        ("{% if not think %}off{% endif %}{% if a %}{% else %}{% endif %}", ["{% if not think %}off{% endif %}"]),
    ],
)
def test_what_a_switch_writes_when_it_is_off_depends_on_it_too(template: str, marked: list[str] | int) -> None:
    assert thinking(template) == ([template] if marked == 1 else marked)


@pytest.mark.parametrize(
    "template",
    ["{% endif %}{% else %}", "{% if 1 + %}{% endif %}", "{% if tools %}{% for %}", "{% if tools", "{% if tools %}{% elif"],
)
def test_tags_that_do_not_belong_together_raise_nothing(template: str) -> None:
    assert all(0 <= start < end <= len(template) for start, end in depends_on(template, "tools", otherwise=False))


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'open", "{{ " + "(" * 5000 + "tools" + ")" * 5000 + " }}",
        "{% if " + " and ".join(["tools"] * 5000) + " %}{% endif %}",
    ],
    ids=["open string", "too deep to parse", "too deep to read"],
)
def test_of_a_template_that_cannot_be_read_nothing_is_said(template: str) -> None:
    assert template_reading.depends_on(template, "tools", otherwise=False) is None


def test_line_ends_are_read_as_jinja2_reads_them() -> None:
    text = unified("a\r\n{% if tools %}\rT\n{% endif %}\n")
    assert text == "a\n{% if tools %}\nT\n{% endif %}\n"
    assert tools(text) == ["{% if tools %}\nT\n{% endif %}"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["tools", "enable_thinking", "reasoning_effort", "thinking"])
def test_every_place_that_reads_the_variable_is_in_a_marked_stretch(path: Path, name: str) -> None:
    text = unified(path.read_text("utf-8"))
    tree = Environment(extensions=["jinja2.ext.loopcontrols"]).parse(text)
    read = {each.lineno for each in tree.find_all(nodes.Name) if each.name == name and each.ctx != "store"}
    marked: set[int] = set()
    for start, end in depends_on(text, name, otherwise=False):
        marked |= set(range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2))
    assert read <= marked
    assert bool(read) == bool(marked)


def test_the_real_sections() -> None:
    text = unified((TEMPLATES[0].parent / "qwen3.jinja").read_text("utf-8"))
    (written,) = tools(text)
    assert written.startswith("{%- if tools %}")
    assert "# Tools" in written
    assert "For each function call" in written
    assert not written.endswith("endif %}"), "what is written without tools is not marked"
    (switch,) = (text[start:end] for start, end in depends_on(text, "enable_thinking", otherwise=True))
    assert switch.startswith("{%- if enable_thinking is defined and enable_thinking is false %}")
    assert r"<think>\n\n</think>" in switch


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_marks_are_in_order_and_apart(path: Path) -> None:
    text = unified(path.read_text("utf-8"))
    places = [place for span in depends_on(text, "tools", otherwise=False) for place in span]
    assert places == sorted(set(places))
