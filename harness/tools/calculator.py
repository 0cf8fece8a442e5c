"""calculator: exact arithmetic on integers and decimals.

`simpleeval` walks the expression's syntax tree; it is given only the node kinds, operators and functions below, and every
number is a Fraction, so that 0.1 + 0.2 is 0.3. Every intermediate number is kept below a size (a fraction with more digits
is rounded to 60), so time and memory are bounded by the length of the expression.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from simpleeval import InvalidExpression, SimpleEval  # type: ignore[import-untyped]  # It ships no type hints.

from harness.tools.base import Tool, ToolError
from harness.tools.numbers import exact, plain

MAX_LENGTH = 500  # Characters of an expression.
MAX_DIGITS = 1000  # Digits of any number on the way.
SIGNIFICANT = 12  # Digits of a result that does not end.
LONGEST_DECIMAL = 30  # Digits of a finite decimal that is still shown in full.
LONGEST_ROUNDED = 300  # Digits before the point of a power that is not exact; they take long to compute.
_ROOT_DIGITS = 60  # Digits to which an irrational root, or a number too long to be kept exactly, is computed.
_GUARD_DIGITS = 6  # More of them on the way; the logarithm of a number that is let through stays below 10**4.
_LIMIT: int = 10**MAX_DIGITS
_MAX_BITS = _LIMIT.bit_length()
_PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459")
_TOO_LARGE = f"the numbers get too large; at most {MAX_DIGITS} digits are computed"
_ALLOWED = "use numbers, + - * / // % ** ( ) and the functions sqrt, abs, round, min, max"


def _bounded(value: Fraction | int) -> Fraction:
    """The value, to 60 digits where it is too long to be kept exactly. Raises where it is too large."""
    value = Fraction(value)
    if _is_short(value):
        return value
    with localcontext() as context:
        context.prec = _ROOT_DIGITS
        whole = _decimal(value).adjusted() + 1
        if value.denominator > 1 and whole <= MAX_DIGITS:
            context.prec = _kept(whole)
            rounded = Fraction(_decimal(value))
            if _is_short(rounded):
                return rounded
    raise ToolError(_TOO_LARGE)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _is_short(value: Fraction) -> bool:
    return max(abs(value.numerator), value.denominator) < _LIMIT


def _kept(whole: int) -> int:
    """To how many digits a number with `whole` digits before its point is rounded: those are all shown, so all must be right."""
    return min(_ROOT_DIGITS + max(whole, 0), MAX_DIGITS)


def _whole_root(value: int, degree: int) -> int | None:
    """The whole number whose power is `value`, by Newton's method from above."""
    if value < 2 or degree >= value.bit_length():
        return value if value < 2 else None
    root = 2 << value.bit_length() // degree
    while (lower := ((degree - 1) * root + value // root ** (degree - 1)) // degree) < root:
        root = lower
    return root if root**degree == value else None


def _exact_root(base: Fraction, degree: int) -> Fraction | None:
    if degree == 1:
        return base
    top, bottom = _whole_root(base.numerator, degree), _whole_root(base.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _exact_power(base: Fraction, exponent: int) -> Fraction | None:
    """None, before it is computed, where the power is too long."""
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base not in (0, 1, -1) and (bits - 1) * abs(exponent) >= _MAX_BITS:
        return None
    power = Fraction(base**exponent)
    return power if _is_short(power) else None


def _rounded_power(base: Fraction, exponent: Fraction) -> Fraction:
    """To 60 digits. Raises before it computes what would be too large."""
    if abs(exponent) >= 10**_ROOT_DIGITS:
        raise ToolError(_TOO_LARGE)
    with localcontext() as context:
        context.prec = 2 * _ROOT_DIGITS  # An exponent multiplies the error of the base, and it has up to 60 digits.
        size = _decimal(abs(base)).log10() * _decimal(exponent)
        if abs(size) >= MAX_DIGITS:
            raise ToolError(_TOO_LARGE)
        if size >= LONGEST_ROUNDED:
            raise ToolError(f"the power gets too large; at most {LONGEST_ROUNDED} digits are computed of one that is not exact")
        kept = _kept(math.ceil(size))
        context.prec = kept + len(str(math.floor(abs(exponent)))) + _GUARD_DIGITS
        power = _decimal(base) ** _decimal(exponent)
        context.prec = kept
        return Fraction(+power)


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """Exact where the power is a fraction that is short enough, so that 64 ** (1/3) is 4; else to 60 digits."""
    base, exponent = Fraction(base), Fraction(exponent)
    if base < 0 and exponent.denominator != 1:
        raise ToolError("a negative number cannot be raised to a fractional power")
    root = _exact_root(base, exponent.denominator)
    power = None if root is None else _exact_power(root, exponent.numerator)
    return _rounded_power(base, exponent) if power is None else power


def _sqrt(value: Fraction) -> Fraction:
    if value < 0:
        raise ToolError("the square root of a negative number is not a real number")
    return _power(value, Fraction(1, 2))


def _round(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """Halves are rounded away from zero, as people round by hand."""
    if places.denominator != 1 or abs(places) > 100:
        raise ToolError("the second argument of round must be a whole number of decimal places")
    scale = Fraction(10) ** places.numerator
    rounded = math.floor(abs(value) * scale + Fraction(1, 2)) / scale
    return rounded if value >= 0 else -rounded


def _checked(name: str, function: Callable[..., Fraction], fewest: int, most: int | None) -> Callable[..., Fraction]:
    """The function, with the number of its arguments checked in words."""

    def checked(*values: Fraction) -> Fraction:
        if len(values) < fewest or (most is not None and len(values) > most):
            raise ToolError(f"{name} was given {len(values)} numbers; write for example {_EXAMPLES[name]}")
        return function(*values)

    return checked


def _smallest(*values: Fraction) -> Fraction:
    return min(values)


def _largest(*values: Fraction) -> Fraction:
    return max(values)


_EXAMPLES = {"sqrt": "sqrt(2)", "abs": "abs(-3)", "round": "round(3.14159, 2)", "min": "min(3, 5)", "max": "max(3, 5)"}
_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "sqrt": _checked("sqrt", _sqrt, 1, 1),
    "abs": _checked("abs", abs, 1, 1),
    "round": _checked("round", _round, 1, 2),
    "min": _checked("min", _smallest, 1, None),
    "max": _checked("max", _largest, 1, None),
}
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: _power, ast.UAdd: operator.pos, ast.USub: operator.neg,
}
_NODES = (ast.Expr, ast.UnaryOp, ast.BinOp, ast.Call, ast.Name, ast.Constant)
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?(\d+))?")


class _ExactEval(SimpleEval):  # type: ignore[misc]
    """simpleeval with the node kinds of arithmetic alone, and Fractions for numbers."""

    def __init__(self) -> None:
        super().__init__(operators=_OPERATORS, functions=_FUNCTIONS, names={"pi": _PI})
        handlers: dict[type[ast.AST], Callable[..., Any]] = vars(self)["nodes"]
        self.nodes = {kind: handlers[kind] for kind in _NODES} | {ast.Constant: self._number}

    def _eval(self, node: ast.AST) -> Fraction:
        value = super()._eval(node)
        if not isinstance(value, (int, Fraction)):
            raise ToolError(f"this is no number; {_ALLOWED}")
        return _bounded(value)

    def _number(self, node: ast.Constant) -> Fraction:
        """The number as it was written: its float would already be rounded."""
        written = ast.get_source_segment(self.expr, node) or ""
        match = _NUMBER.fullmatch(written)
        if match is None:
            raise ToolError(f"cannot read the number {written!r}; {_ALLOWED}")
        if match[1] and int(match[1]) > MAX_DIGITS:
            raise ToolError(_TOO_LARGE)
        return Fraction(written)


_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "（": "(", "）": ")", "\n": " ", "\t": " "})
_THOUSANDS = re.compile(r"(?<![\d.,])(?<!\d[eE])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
_ONE_OR_TWO = re.compile(r"(?<![\d.])(?<!\d[eE])[1-9]\d{0,2}(?:,\d{3})+(?!\d)")
_BRACKETS = re.compile(r"((?:\b(?:min|max|round)\s*)?\(|\))")
_TIMES = re.compile(r"(?<=[\d)])(?:\s*[xX]\s+|\s+[xX]\s*)(?=[\d(.])|(?:(?<=[1-9)])|(?<=\d\d)|(?<=\.\d))[xX](?=[\d(.])")
_PERCENT = re.compile(r"(?<![\d.])(\d+(?:\.\d*)?|\.\d+)\s*%(?=\s*(?:of\b|\*|/|\)|$))")
_AMBIGUOUS_PERCENT = re.compile(r"\d\s*%\s*[+-]")
_BINDS_FIRST = re.compile(r"(//?|\*\*|%)\s*[+-]?$")  # What would take the percentage alone, and leave what it is of.
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


def _percent(text: str) -> str:
    """"15% of 80" and "80 * 15%" have one reading; "80 + 15%" has two, unless it is "(1 + 15%)"."""
    if _AMBIGUOUS_PERCENT.search(text):
        raise ToolError("it is unclear whether % means percent or remainder; write 15/100 for 15 percent")
    for match in _PERCENT.finditer(text):
        before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
        added = before.endswith(("+", "-")) and before[:-1].strip() and after[:1] in ("", ")")
        if added and not re.search(r"(?:^|\()\s*1\s*[+-]$", before):
            raise ToolError(f"{match[0]} of what? Write for example 80 * {match[1]}/100")
        if after.startswith("of") and (sign := _BINDS_FIRST.search(before)):
            raise ToolError(f"put brackets around what follows {sign[1]}, for example 100 {sign[1]} ({match[0]} of 80)")
    text = _PERCENT.sub(r"(\1/100)", text)
    return re.sub(r"\)\s*of\b", ")*", text)


def _without_thousands(text: str) -> str:
    """Takes the commas out of "1,234". Among the arguments of a function they may as well separate two, which must be asked."""
    separating = [False]  # Of each open bracket: whether a comma in it separates arguments.
    pieces = _BRACKETS.split(text)
    for place, piece in enumerate(pieces):
        if piece.endswith("("):
            separating.append(piece != "(")
        elif piece == ")":
            separating = separating[:-1] or [False]
        elif not separating[-1]:
            pieces[place] = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), piece)
        elif found := _ONE_OR_TWO.search(piece):
            one, several = found[0].replace(",", ""), found[0].replace(",", ", ")
            raise ToolError(f"it is unclear whether {found[0]} is one number; write {one}, or {several} with spaces for several")
    return "".join(pieces)


def _prepare(expression: str) -> str:
    """Reads the signs people write, where they can mean only one thing, as Python's operators."""
    if len(expression.strip()) > MAX_LENGTH:
        raise ToolError(f"the expression is too long; at most {MAX_LENGTH} characters are read")
    text = expression.translate(_SIGNS).strip().removesuffix("=").rstrip().replace("√(", "sqrt(")
    text = re.sub(r"\s*\bpercent\b", "%", text)
    text = _TIMES.sub("*", _without_thousands(text))
    text = re.sub(r"(?<![\d.\w])0+(?=\d)", "", _percent(text))
    if strange := re.search(r"[^\w\s+\-*/%().,]", text):
        raise ToolError(f"cannot read {strange[0]!r}; {_ALLOWED}")
    if unknown := [word for word in _WORD.findall(text) if word not in _FUNCTIONS and word != "pi"]:
        raise ToolError(f"unknown name {unknown[0][:40]!r}; {_ALLOWED}")
    if re.search(r"[\d)]\s*\(", text):
        raise ToolError("write * between a number and a bracket, and between two brackets")
    return text


def evaluate(expression: str) -> Fraction:
    """The exact value (to 60 digits where it is irrational, or too long on the way). Raises ToolError in words for the model."""
    text = _prepare(expression)
    try:
        return Fraction(_ExactEval().eval(text))
    except ZeroDivisionError as error:
        raise ToolError("division by zero") from error
    except (SyntaxError, InvalidExpression, AttributeError, TypeError) as error:
        raise ToolError(f"cannot read {expression[:80]!r} as arithmetic; {_ALLOWED}") from error
    except (RecursionError, MemoryError) as error:
        raise ToolError("the expression is nested too deeply; split it into parts") from error


def calculate(expression: str) -> str:
    """The value as text: exact where it is whole or ends within 30 digits, else 12 significant digits."""
    value = evaluate(expression)
    return exact(value, LONGEST_DECIMAL) or plain(value, SIGNIFICANT)


CALCULATOR = Tool(
    name="calculator",
    description="Evaluate an arithmetic expression exactly.",
    parameters={
        "type": "object",
        "properties": {"expression": {"type": "string", "description": "The expression, such as 12 * (3 + 4.5)"}},
        "required": ["expression"],
    },
    function=calculate,
)
