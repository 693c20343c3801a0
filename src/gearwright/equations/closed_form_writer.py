"""Trigonometric polynomials as SymPy expressions with shared abbreviations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from gearwright.equations.angles import Angles
from gearwright.equations.compact_sums import compact
from gearwright.equations.parameter_groups import Coefficient, Groups, simplest_first
from gearwright.equations.readable_numbers import number, power_product
from gearwright.equations.trig_polynomial import Monomial, Trig
from gearwright.equations.trig_products import Wave, products


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
