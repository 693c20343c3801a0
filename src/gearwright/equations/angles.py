"""The angles of a machine in groups of parallel axes, and the cosines and sines of closed forms."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from typing import Any

from gearwright.algebra import Vec
from gearwright.equations.trigonometric_polynomial import TrigPolynomial, cosine_and_sine
from gearwright.errors import InputError
from gearwright.mechanism import BASE, Mechanism


@dataclass(frozen=True)
class AngleGroups:
    """The angles among the coordinates in groups of parallel axes, and cos and sin of their integer combinations."""

    groups: tuple[tuple[int, ...], ...]
    """Coordinate indices of each group."""
    symbols: tuple[str, ...]
    """Symbol of each coordinate."""

    def group_and_place(self, coordinate: int) -> tuple[int, int]:
        """Return the group of a coordinate and its index in the group."""
        for g, group in enumerate(self.groups):
            if coordinate in group:
                return g, group.index(coordinate)
        raise InputError(f"closed form: {self.symbols[coordinate]} is not an angle. Use a revolute joint.")

    def cos(self, x: TrigPolynomial, /) -> TrigPolynomial:
        """The cosine of a sum of angles and a number."""
        return self._cos_and_sin(x)[0]

    def sin(self, x: TrigPolynomial, /) -> TrigPolynomial:
        """The sine of a sum of angles and a number."""
        return self._cos_and_sin(x)[1]

    def _cos_and_sin(self, x: TrigPolynomial) -> tuple[TrigPolynomial, TrigPolynomial]:
        cosine: Any = TrigPolynomial({((), ()): 1.0})
        sine: Any = TrigPolynomial({})
        for (_, powers), factor in x.terms.items():
            if not powers:
                c, s = cos(factor), sin(factor)
            else:
                c, s = self._multiple_angle(powers[0][0], factor)
            cosine, sine = cosine * c - sine * s, sine * c + cosine * s
        return cosine, sine

    def _multiple_angle(self, name: str, factor: float) -> tuple[Any, Any]:
        if factor != round(factor):
            raise InputError(
                f"closed form: the angle {factor:g} {name} (a mimic joint) has no polynomial form. "
                "Use an integer multiplier."
            )
        group, place = self.group_and_place(self.symbols.index(name))
        k = [0] * len(self.groups[group])
        k[place] = round(factor)
        return cosine_and_sine(group, k)


def parallel_groups(mech: Mechanism) -> tuple[tuple[int, ...], ...]:
    """Return groups of angles with parallel axes: consecutive revolute joints of a chain; others are single."""
    groups: list[list[int]] = []
    member: dict[int, list[int]] = {}
    for i, body in enumerate(mech.bodies):
        if body.follows is not None:
            continue
        angles = [mech.joints[i].first + k for k, unit in enumerate(body.kind.units) if unit == "rad"]
        if not body.kind.is_revolute:
            groups += [[angle] for angle in angles]
            continue
        inner, axis = _inner_revolute(mech, i)
        (coordinate,) = angles
        if inner is not None and abs(abs(axis.dot(mech.bodies[inner].axis)) - 1) < 1e-12 and inner in member:
            group = member[inner]
        else:
            group = []
            groups.append(group)
        group.append(coordinate)
        member[i] = group
    return tuple(tuple(group) for group in groups)


def _inner_revolute(mech: Mechanism, i: int) -> tuple[int | None, Vec]:
    """Return the next revolute body towards the base, and body i's axis in that body's axes."""
    axis = mech.bodies[i].rotation @ mech.bodies[i].axis
    parent = mech.parent_of(i)
    while parent != BASE and not mech.bodies[parent].kind.has_rotation:
        axis = mech.bodies[parent].rotation @ axis
        parent = mech.parent_of(parent)
    return (parent if parent != BASE and mech.bodies[parent].kind.is_revolute else None), axis
