"""How tools write numbers: exactly where it is possible, rounded to so many significant digits where it is not."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

_PRECISION = 2200  # Digits; above every number that a tool lets through, so that only the last step rounds.
_LOWEST_PLAIN = -6  # Smaller powers of ten are written with an exponent.


def is_finite_decimal(value: Fraction) -> bool:
    """Whether the decimal expansion ends: the denominator has no prime factor beside 2 and 5."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def scientific(value: Fraction, digits: int) -> str:
    """`value` with `digits` significant digits, without trailing zeros, and a power of ten."""
    with localcontext() as context:
        context.prec = _PRECISION
        number = Decimal(value.numerator) / Decimal(value.denominator)
        mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
    return f"{_trimmed(mantissa)}e{int(exponent)}"


def plain(value: Fraction, digits: int) -> str:
    """`value` with `digits` significant digits, without trailing zeros.

    Digits before the decimal point are never rounded away: 1234567.8 with 6 digits is 1234568. Below 1e-6 an exponent
    is used.
    """
    with localcontext() as context:
        context.prec = _PRECISION
        number = Decimal(value.numerator) / Decimal(value.denominator)
        if not number:
            return "0"
        exponent = int(f"{number:.{digits - 1}e}".split("e")[1])
        if exponent < _LOWEST_PLAIN:
            return scientific(value, digits)
        places = max(digits - 1 - exponent, 0)
        rounded = number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
        return _trimmed(f"{rounded:f}")


def exact(value: Fraction, longest: int) -> str | None:
    """A whole or finite decimal `value` in full, or None where it does not end or takes more than `longest` digits."""
    if value.denominator == 1:
        return str(value.numerator)
    if not is_finite_decimal(value):
        return None
    with localcontext() as context:
        context.prec = _PRECISION
        number = Decimal(value.numerator) / Decimal(value.denominator)
    written = number.as_tuple()
    return f"{number:f}" if len(written.digits) <= longest and number.adjusted() >= _LOWEST_PLAIN else None
