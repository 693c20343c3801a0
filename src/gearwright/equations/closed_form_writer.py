"""Closed forms to read: trigonometric polynomials as SymPy expressions with base parameters and abbreviations.

Base parameters are the few combinations in which the inertial parameters appear. Common factors stand before a bracket:
a2 m3x c2 s23 dq2 + a2 m3x c2 s23 dq3 becomes a2 m3x c2 s23 (dq2 + dq3). The common factor that saves most
multiplications is taken out first, then those of the bracket and of the remainder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

from gearwright.equations.angles import Angles
from gearwright.equations.trigonometric_polynomial import Monomial, Trig, Wave, products

# Base parameters

Coefficient: TypeAlias = dict[Monomial, float]
"""A polynomial in the kept symbols."""


@dataclass
class Groups:
    """Independent combinations found so far; a coefficient is a number times powers times a sum of them.

    Args:
        content: symbols (lengths, ratios, gravity) that may stand before a group.
    """

    content: Collection[str]
    basis: list[tuple[Monomial, Coefficient]] = field(default_factory=list)
    """Per group its leading monomial and the combination, with 1 before the leading monomial."""

    def resolve(self, coefficient: Coefficient) -> tuple[Monomial, dict[int, float]]:
        """The powers in front, and the combination of groups; what is new becomes a group."""
        front, rest = self._without_content(coefficient)
        largest = max(abs(x) for x in rest.values())
        parts: dict[int, float] = {}
        for number, (lead, combination) in enumerate(self.basis):
            factor = rest.get(lead, 0.0)
            if factor and _contained(combination, rest, factor):
                parts[number] = factor
                rest = _subtracted(rest, combination, factor, largest)
        if rest:
            lead = min(rest, key=_order)
            scale = rest[lead]
            self.basis.append((lead, {key: x / scale for key, x in rest.items()}))
            parts[len(self.basis) - 1] = scale
        return front, parts

    def _without_content(self, coefficient: Coefficient) -> tuple[Monomial, Coefficient]:
        """Take out the powers of lengths, ratios and gravity that all terms share."""
        shared: dict[str, int] | None = None
        for monomial in coefficient:
            powers = {name: power for name, power in monomial if name in self.content}
            shared = powers if shared is None else {n: min(p, powers[n]) for n, p in shared.items() if n in powers}
        front = tuple(sorted((shared or {}).items()))
        taken = dict(front)
        rest = {
            tuple((n, p - taken.get(n, 0)) for n, p in monomial if p != taken.get(n, 0)): x
            for monomial, x in coefficient.items()
        }
        return front, rest


def _order(monomial: Monomial) -> tuple[int, Monomial]:
    return sum(abs(power) for _, power in monomial), monomial


def _contained(combination: Mapping[Monomial, float], rest: Mapping[Monomial, float], factor: float) -> bool:
    """Whether every term of the combination is in the rest with the same factor: taking it out then only shortens."""
    return all(abs(rest.get(key, 0.0) - factor * x) <= 1e-9 * abs(factor * x) for key, x in combination.items())


def _subtracted(rest: Coefficient, combination: Coefficient, factor: float, scale: float) -> Coefficient:
    fresh = {key: x - factor * combination.get(key, 0.0) for key, x in rest.items()}
    return {key: x for key, x in fresh.items() if abs(x) > 1e-10 * scale}


def simplest_first(coefficients: Sequence[Coefficient]) -> list[Coefficient]:
    """Short coefficients before long ones, so that long ones are written with what is known."""
    return sorted(coefficients, key=lambda c: (len(c), sorted(map(_order, c))))


# Numbers and products


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


# Common factors

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
        inside = {_divided(product, shared): x for product, x in left.items() if _holds(product, shared)}
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


def _divided(product: Monomial, shared: Monomial) -> Monomial:
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


# Expressions with abbreviations


@dataclass
class Writer:
    """Turns trigonometric polynomials into SymPy expressions with shared abbreviations."""

    angles: Angles
    values: dict[str, float]
    motion: Collection[str]
    group: str = "p"
    waves: dict[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    named: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        inertial = ("m", "I", "J")
        self.groups = Groups([name for name in self.values if not name.startswith(inertial)])

    def learn(self, values: list[Any]) -> None:
        """Give names to the groups of another function, so that they are the same here."""
        for coefficient in simplest_first([c for value in values for c in self._split(value).values()]):
            self.groups.resolve(coefficient)

    def entries(self, values: list[Any], progress: Callable[[int, int], None]) -> Iterator[Any]:
        """The expressions; every coefficient is resolved first, short ones before long ones."""
        split = [self._split(value) for value in values]
        kept = (monomial for entry in split for coefficient in entry.values() for monomial in coefficient)
        self.used.update(name for monomial in kept for name, _ in monomial)
        for coefficient in simplest_first([c for entry in split for c in entry.values()]):
            self.groups.resolve(coefficient)
        for done, entry in enumerate(split, start=1):
            progress(done, len(split))
            yield self._expression(entry)

    def _split(self, value: Any) -> dict[tuple[tuple[tuple[Wave, int], ...], Monomial], Coefficient]:
        """Terms by waves and motion, each with its coefficient in the kept symbols."""
        if not isinstance(value, Trig):
            value = Trig({((), ()): float(value)} if value else {})
        found: dict[Any, Coefficient] = defaultdict(dict)
        for product, factor in products(value).items():
            moving = tuple(x for x in product.monomial if x[0] in self.motion)
            kept = tuple(x for x in product.monomial if x[0] not in self.motion)
            found[product.waves, moving][kept] = factor
        return found

    def _expression(self, entry: dict[Any, Coefficient]) -> Any:
        terms: dict[Monomial, float] = defaultdict(float)
        for (waves, moving), coefficient in sorted(entry.items(), key=repr):
            front, parts = self.groups.resolve(coefficient)
            around = (*((self._wave(wave), power) for wave, power in waves), *front, *moving)
            for group, factor in parts.items():
                terms[(*around, *self._group(group))] += factor
        return compact(terms)

    def _wave(self, wave: Wave) -> str:
        import sympy as sp

        kind, group, k = wave
        joints = [(self.angles.groups[group][place] + 1, factor) for place, factor in enumerate(k) if factor]
        many = any(joint > 9 for joint, _ in joints)
        label = ("_" if many else "").join(("" if f > 0 else "m") + str(joint) * abs(f) for joint, f in joints)
        name = kind + label
        total = sp.Add(*(f * sp.Symbol(f"q{joint}") for joint, f in joints))
        self.waves[name] = (sp.cos if kind == "c" else sp.sin)(total)
        return name

    def _group(self, number_of_group: int) -> Monomial:
        """A group by its name p1, p2, ..., or itself when it is a single product of symbols."""
        _, combination = self.groups.basis[number_of_group]
        if len(combination) == 1:
            return next(iter(combination))
        self.named.add(number_of_group)
        return ((self._name(self._numbers().index(number_of_group)), 1),)

    def _name(self, place: int) -> str:
        return f"{self.group}{place + 1}"

    def _numbers(self) -> list[int]:
        return [k for k, (_, combination) in enumerate(self.groups.basis) if len(combination) > 1]

    def named_groups(self) -> dict[str, Any]:
        """The definitions of p1, p2, ..."""
        import sympy as sp

        return {
            self._name(place): sp.Add(*(number(x) * power_product(m) for m, x in self.groups.basis[k][1].items()))
            for place, k in enumerate(self._numbers())
            if k in self.named
        }
