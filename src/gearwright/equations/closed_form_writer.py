"""Readable closed forms: trigonometric polynomials as SymPy expressions with base parameters and abbreviations.

Base parameters are the combinations in which the inertial parameters appear. Common factors are factored out:
a2 m3x c2 s23 dq2 + a2 m3x c2 s23 dq3 becomes a2 m3x c2 s23 (dq2 + dq3). The common factor that saves most
multiplications is factored out first, then those of the bracket and of the remainder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

from gearwright.equations.angles import AngleGroups
from gearwright.equations.stated_parameters import StatedParameters
from gearwright.equations.trigonometric_polynomial import Monomial, TrigPolynomial, Wave, products_of_waves

# Base parameters

SymbolPolynomial: TypeAlias = dict[Monomial, float]
"""A polynomial in the kept symbols."""


@dataclass
class ParameterGroups:
    """Current independent combinations; a coefficient is a number times powers times a sum of them.

    Args:
        content: symbols (lengths, ratios, gravity) that may be factors of a group.
    """

    content: Collection[str]
    basis: list[tuple[Monomial, SymbolPolynomial]] = field(default_factory=list)
    """Leading monomial and combination of each group, with coefficient 1 of the leading monomial."""

    def resolve_coefficient(self, coefficient: SymbolPolynomial) -> list[tuple[Monomial, int, float]]:
        """Return the terms (common powers, number of the group, factor); a new combination becomes a group."""
        front, remainder = self._without_content(coefficient)
        largest = max(abs(x) for x in remainder.values())
        parts: dict[int, float] = {}
        for number, (lead, combination) in enumerate(self.basis):
            factor = remainder.get(lead, 0.0)
            if factor and _is_contained(combination, remainder, factor):
                parts[number] = factor
                remainder = _subtract_combination(remainder, combination, factor, largest)
        if remainder:
            lead = min(remainder, key=_monomial_order)
            scale = remainder[lead]
            self.basis.append((lead, {key: x / scale for key, x in remainder.items()}))
            parts[len(self.basis) - 1] = scale
        return [(front, number, factor) for number, factor in parts.items()]

    def _without_content(self, coefficient: SymbolPolynomial) -> tuple[Monomial, SymbolPolynomial]:
        """Factor out the powers of lengths, ratios and gravity that all terms share."""
        shared: dict[str, int] | None = None
        for monomial in coefficient:
            powers = {name: power for name, power in monomial if name in self.content}
            shared = powers if shared is None else {n: min(p, powers[n]) for n, p in shared.items() if n in powers}
        front = tuple(sorted((shared or {}).items()))
        front_powers = dict(front)
        remainder = {
            tuple((n, p - front_powers.get(n, 0)) for n, p in monomial if p != front_powers.get(n, 0)): x
            for monomial, x in coefficient.items()
        }
        return front, remainder


def _monomial_order(monomial: Monomial) -> tuple[int, Monomial]:
    return sum(abs(power) for _, power in monomial), monomial


def _is_contained(combination: Mapping[Monomial, float], remainder: Mapping[Monomial, float], factor: float) -> bool:
    """Whether every term of the combination is in the rest with the same factor, so subtraction shortens it."""
    return all(abs(remainder.get(key, 0.0) - factor * x) <= 1e-9 * abs(factor * x) for key, x in combination.items())


def _subtract_combination(
    remainder: SymbolPolynomial, combination: SymbolPolynomial, factor: float, scale: float
) -> SymbolPolynomial:
    fresh = {key: x - factor * combination.get(key, 0.0) for key, x in remainder.items()}
    return {key: x for key, x in fresh.items() if abs(x) > 1e-10 * scale}


def simplest_first(coefficients: Sequence[SymbolPolynomial]) -> list[SymbolPolynomial]:
    """Return short coefficients before long ones, so long ones are expressed by known groups."""
    return sorted(coefficients, key=lambda c: (len(c), sorted(map(_monomial_order, c))))


# Numbers and products


def power_product(powers: Iterable[tuple[str, int]]) -> Any:
    """A product of powers of symbols."""
    import sympy as sp

    return sp.Mul(*(sp.Symbol(name) ** power for name, power in powers))


def readable_number(x: float) -> Any:
    """Return a number as an integer or simple fraction if it is one, otherwise as a float."""
    import sympy as sp

    for denominator in (1, 2, 3, 4, 6, 8, 12, 16, 32):
        if abs(x * denominator - round(x * denominator)) < 1e-12 * max(1.0, abs(x)) and abs(x) < 1e6:
            return sp.Rational(round(x * denominator), denominator)
    return sp.Float(x, 15)


# Common factors

MonomialSum: TypeAlias = dict[Monomial, float]
"""A sum: coefficient of each product of powers."""

MANY_TERMS = 80
"""Length of a sum above which only single symbols are considered as common factors, not shared products."""


def factored_sum(terms: Mapping[Monomial, float]) -> Any:
    """Return the sum as a SymPy expression with common factors factored out.

    >>> factored_sum({(("a", 1), ("x", 1)): 1.0, (("a", 1), ("y", 1)): 2.0, (("b", 1),): 1.0})
    a*(x + 2*y) + b
    """
    import sympy as sp

    left = _collect_terms(terms)
    parts: list[Any] = []
    while left:
        shared = _best_factor(left)
        if not shared:
            parts += [readable_number(factor) * power_product(product) for product, factor in left.items()]
            break
        inside = {_divide_monomial(product, shared): x for product, x in left.items() if _is_divisible(product, shared)}
        left = {product: x for product, x in left.items() if not _is_divisible(product, shared)}
        sign, inside = _extract_sign(inside)
        parts.append(sp.Mul(readable_number(sign), power_product(shared), factored_sum(inside)))
    return sp.Add(*parts)


def _best_factor(terms: MonomialSum) -> Monomial:
    """Return the common factor that saves most multiplications; () if no two terms share a factor."""
    best: tuple[int, int, Monomial] = (0, 0, ())
    for shared in _factor_candidates(terms):
        times = sum(1 for product in terms if _is_divisible(product, shared))
        saved = (times - 1) * sum(power for _, power in shared)
        best = max(best, (saved, times, shared))
    return best[-1]


def _factor_candidates(terms: MonomialSum) -> Iterable[Monomial]:
    if len(terms) > MANY_TERMS:
        return {
            ((name, 1),) for product in terms for name, power in product if power > 0
        }  # in one term only: nothing saved
    pairs = combinations(terms, 2)
    return {shared for a, b in pairs if (shared := _common_factor(a, b))}


def _common_factor(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(b)
    common_powers = ((name, min(power, powers.get(name, 0))) for name, power in a)
    return tuple((name, power) for name, power in common_powers if power > 0)


def _is_divisible(product: Monomial, shared: Monomial) -> bool:
    powers = dict(product)
    return all(powers.get(name, 0) >= power for name, power in shared)


def _divide_monomial(product: Monomial, shared: Monomial) -> Monomial:
    divisor_powers = dict(shared)
    return tuple(
        (name, power - divisor_powers.get(name, 0)) for name, power in product if power != divisor_powers.get(name, 0)
    )


def _extract_sign(terms: MonomialSum) -> tuple[float, MonomialSum]:
    """Factor out the number that all terms share up to sign, with the sign of the majority."""
    sizes = {abs(x) for x in terms.values()}
    size = sizes.pop() if len(sizes) == 1 else 1.0
    sign = size if 2 * sum(x > 0 for x in terms.values()) >= len(terms) else -size
    return sign, {product: x / sign for product, x in terms.items()}


def _collect_terms(terms: Mapping[Monomial, float]) -> MonomialSum:
    """Combine equal symbols in products and equal products in the sum."""
    total: MonomialSum = defaultdict(float)
    for product, factor in terms.items():
        powers: dict[str, int] = defaultdict(int)
        for name, power in product:
            powers[name] += power
        total[tuple(sorted((name, power) for name, power in powers.items() if power))] += factor
    return {product: factor for product, factor in total.items() if factor}


# Expressions with abbreviations


@dataclass
class ClosedFormWriter:
    """Converts trigonometric polynomials to SymPy expressions with shared abbreviations."""

    angles: AngleGroups
    values: dict[str, float]
    motion: Collection[str]
    group: str = "p"
    stated: Mapping[str, str] | None = None
    waves: dict[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    named: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        inertial = ("m", "I", "J")
        content = [name for name in self.values if not name.startswith(inertial)]
        self.groups: ParameterGroups | StatedParameters = (
            StatedParameters(content, self.stated, self.values) if self.stated else ParameterGroups(content)
        )

    def number_groups(self, values: list[Any]) -> None:
        """Register the groups of another function, so their names are the same here."""
        for coefficient in simplest_first([c for value in values for c in self._split_terms(value).values()]):
            self.groups.resolve_coefficient(coefficient)

    def write_entries(self, values: list[Any], progress: Callable[[int, int], None]) -> Iterator[Any]:
        """Yield the expressions; every coefficient is resolved first, short ones before long ones."""
        split = [self._split_terms(value) for value in values]
        monomials = (monomial for entry in split for coefficient in entry.values() for monomial in coefficient)
        self.used.update(name for monomial in monomials for name, _ in monomial)
        for coefficient in simplest_first([c for entry in split for c in entry.values()]):
            self.groups.resolve_coefficient(coefficient)
        for entries_done, entry in enumerate(split, start=1):
            progress(entries_done, len(split))
            yield self._entry_expression(entry)

    def _split_terms(self, value: Any) -> dict[tuple[tuple[tuple[Wave, int], ...], Monomial], SymbolPolynomial]:
        """Return the terms by harmonics and motion, each with its coefficient in the kept symbols."""
        if not isinstance(value, TrigPolynomial):
            value = TrigPolynomial({((), ()): float(value)} if value else {})
        terms: dict[Any, SymbolPolynomial] = defaultdict(dict)
        for product, factor in products_of_waves(value).items():
            moving = tuple(x for x in product.monomial if x[0] in self.motion)
            symbol_powers = tuple(x for x in product.monomial if x[0] not in self.motion)
            terms[product.waves, moving][symbol_powers] = factor
        return terms

    def _entry_expression(self, entry: dict[Any, SymbolPolynomial]) -> Any:
        terms: dict[Monomial, float] = defaultdict(float)
        for (waves, moving), coefficient in sorted(entry.items(), key=repr):
            around = (*((self._wave_name(wave), power) for wave, power in waves), *moving)
            for front, group, factor in self.groups.resolve_coefficient(coefficient):
                terms[(*around, *front, *self._group_factors(group))] += factor
        return factored_sum(terms)

    def _wave_name(self, wave: Wave) -> str:
        import sympy as sp

        kind, group, k = wave
        joints = [(self.angles.groups[group][place] + 1, factor) for place, factor in enumerate(k) if factor]
        has_two_digits = any(joint > 9 for joint, _ in joints)
        label = ("_" if has_two_digits else "").join(
            ("" if f > 0 else "m") + str(joint) * abs(f) for joint, f in joints
        )
        name = kind + label
        total = sp.Add(*(f * sp.Symbol(f"q{joint}") for joint, f in joints))
        self.waves[name] = (sp.cos if kind == "c" else sp.sin)(total)
        return name

    def _group_factors(self, number_of_group: int) -> Monomial:
        """Return a group by its name p1, p2, ..., or the group itself if it is a single product of symbols."""
        _, combination = self.groups.basis[number_of_group]
        if len(combination) == 1 and not self.stated:
            return next(iter(combination))
        self.named.add(number_of_group)
        self.used.update(name for monomial in combination for name, _ in monomial)
        return ((self._group_name(self._numbered_groups().index(number_of_group)), 1),)

    def _group_name(self, place: int) -> str:
        return self.groups.names[place] if isinstance(self.groups, StatedParameters) else f"{self.group}{place + 1}"

    def _numbered_groups(self) -> list[int]:
        return [k for k, (_, combination) in enumerate(self.groups.basis) if len(combination) > 1 or self.stated]

    def named_groups(self) -> dict[str, Any]:
        """The definitions of p1, p2, ..."""
        import sympy as sp

        return {
            self._group_name(place): sp.Add(
                *(readable_number(x) * power_product(m) for m, x in self.groups.basis[k][1].items())
            )
            for place, k in enumerate(self._numbered_groups())
            if k in self.named
        }
