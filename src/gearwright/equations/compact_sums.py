"""Sums of products written as people write them: what terms share stands once, before a bracket.

a2 m3x c2 s23 dq2 + a2 m3x c2 s23 dq3 becomes a2 m3x c2 s23 (dq2 + dq3). The common factor that saves most
multiplications is taken out first, then those of the bracket and of what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, TypeAlias

from gearwright.equations.readable_numbers import number, power_product
from gearwright.equations.trig_polynomial import Monomial

Terms: TypeAlias = dict[Monomial, float]
"""A sum: per product of powers its number."""

MANY = 80
"""In longer sums only single symbols are looked at as common factors, not shared products of every two terms."""


def compact(terms: Mapping[Monomial, float]) -> Any:
    """The sum as a SymPy expression with common factors before brackets.

    >>> compact({(("a", 1), ("x", 1)): 1.0, (("a", 1), ("y", 1)): 2.0, (("b", 1),): 1.0})
    a*(x + 2*y) + b
    """
    import sympy as sp

    left = _collected(terms)
    parts: list[Any] = []
    while left:
        shared = _best_factor(left)
        if not shared:
            parts += [number(factor) * power_product(product) for product, factor in left.items()]
            break
        inside = {_less(product, shared): x for product, x in left.items() if _holds(product, shared)}
        left = {product: x for product, x in left.items() if not _holds(product, shared)}
        sign, inside = _signed(inside)
        parts.append(sp.Mul(number(sign), power_product(shared), compact(inside)))
    return sp.Add(*parts)


def _best_factor(terms: Terms) -> Monomial:
    """The product whose taking out saves most multiplications; () when no two terms share anything."""
    best: tuple[int, int, Monomial] = (0, 0, ())
    for shared in _candidates(terms):
        times = sum(1 for product in terms if _holds(product, shared))
        saved = (times - 1) * sum(power for _, power in shared)
        best = max(best, (saved, times, shared))
    return best[-1]


def _candidates(terms: Terms) -> Iterable[Monomial]:
    if len(terms) > MANY:
        return {((name, 1),) for product in terms for name, power in product if power > 0}  # held by one: nothing saved
    pairs = combinations(terms, 2)
    return {shared for a, b in pairs if (shared := _shared(a, b))}


def _shared(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(b)
    found = ((name, min(power, powers.get(name, 0))) for name, power in a)
    return tuple((name, power) for name, power in found if power > 0)


def _holds(product: Monomial, shared: Monomial) -> bool:
    powers = dict(product)
    return all(powers.get(name, 0) >= power for name, power in shared)


def _less(product: Monomial, shared: Monomial) -> Monomial:
    taken = dict(shared)
    return tuple((name, power - taken.get(name, 0)) for name, power in product if power != taken.get(name, 0))


def _signed(terms: Terms) -> tuple[float, Terms]:
    """The number that all terms share up to sign, taken out with the sign that most of them have."""
    sizes = {abs(x) for x in terms.values()}
    size = sizes.pop() if len(sizes) == 1 else 1.0
    sign = size if 2 * sum(x > 0 for x in terms.values()) >= len(terms) else -size
    return sign, {product: x / sign for product, x in terms.items()}


def _collected(terms: Mapping[Monomial, float]) -> Terms:
    """Every symbol once in its product, every product once in the sum."""
    total: Terms = defaultdict(float)
    for product, factor in terms.items():
        powers: dict[str, int] = defaultdict(int)
        for name, power in product:
            powers[name] += power
        total[tuple(sorted((name, power) for name, power in powers.items() if power))] += factor
    return {product: factor for product, factor in total.items() if factor}
