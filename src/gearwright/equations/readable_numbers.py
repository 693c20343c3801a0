"""Numbers and products of symbols as SymPy expressions that are easy to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def power_product(powers: Iterable[tuple[str, int]]) -> Any:
    """A product of powers of symbols."""
    import sympy as sp

    return sp.Mul(*(sp.Symbol(name) ** power for name, power in powers))


def number(x: float) -> Any:
    """A number to read: a whole number or simple fraction where it is one, else a float."""
    import sympy as sp

    for denominator in (1, 2, 3, 4, 6, 8, 12, 16, 32):
        if abs(x * denominator - round(x * denominator)) < 1e-12 * max(1.0, abs(x)) and abs(x) < 1e6:
            return sp.Rational(round(x * denominator), denominator)
    return sp.Float(x, 15)
