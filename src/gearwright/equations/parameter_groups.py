"""Base parameters of a closed form: the few combinations in which the inertial parameters appear."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gearwright.equations.trig_polynomial import Monomial

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
                rest = _less(rest, combination, factor, largest)
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


def _less(rest: Coefficient, combination: Coefficient, factor: float, scale: float) -> Coefficient:
    fresh = {key: x - factor * combination.get(key, 0.0) for key, x in rest.items()}
    return {key: x for key, x in fresh.items() if abs(x) > 1e-10 * scale}


def simplest_first(coefficients: Sequence[Coefficient]) -> list[Coefficient]:
    """Short coefficients before long ones, so that long ones are written with what is known."""
    return sorted(coefficients, key=lambda c: (len(c), sorted(map(_order, c))))
