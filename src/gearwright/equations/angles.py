"""The angles of a machine in groups of parallel axes, and the waves that closed forms are made of."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from typing import Any

from gearwright.algebra import Vec
from gearwright.equations.trigonometric_polynomial import Trig, angle
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism


@dataclass(frozen=True)
class Angles:
    """The angles among the coordinates in groups of parallel axes, and cos and sin of their integer combinations."""

    groups: tuple[tuple[int, ...], ...]
    """Per group the coordinate indices."""
    symbols: tuple[str, ...]
    """Per coordinate its symbol."""

    def place(self, coordinate: int) -> tuple[int, int]:
        """Group and place in the group of a coordinate."""
        for g, group in enumerate(self.groups):
            if coordinate in group:
                return g, group.index(coordinate)
        raise InputError(f"closed form: {self.symbols[coordinate]} is not an angle.")

    def cos(self, x: Trig, /) -> Trig:
        """The cosine of a sum of angles and a number."""
        return self._wave(x)[0]

    def sin(self, x: Trig, /) -> Trig:
        """The sine of a sum of angles and a number."""
        return self._wave(x)[1]

    def _wave(self, x: Trig) -> tuple[Trig, Trig]:
        cosine: Any = Trig({((), ()): 1.0})
        sine: Any = Trig({})
        for (_, powers), factor in x.terms.items():
            if not powers:
                c, s = cos(factor), sin(factor)
            else:
                c, s = self._multiple(powers[0][0], factor)
            cosine, sine = cosine * c - sine * s, sine * c + cosine * s
        return cosine, sine

    def _multiple(self, name: str, factor: float) -> tuple[Any, Any]:
        if factor != round(factor):
            raise InputError(
                f"closed form: the angle {factor:g} {name} (a joint that follows another) has no polynomial form. "
                "Only whole multiples do."
            )
        group, place = self.place(self.symbols.index(name))
        k = [0] * len(self.groups[group])
        k[place] = round(factor)
        return angle(group, k)


def parallel_groups(mech: Mechanism) -> tuple[tuple[int, ...], ...]:
    """Angles whose axes stay parallel: a revolute joint and the next one along the chain; all others are alone."""
    groups: list[list[int]] = []
    member: dict[int, list[int]] = {}
    for i, body in enumerate(mech.bodies):
        if body.follows is not None:
            continue
        angles = [mech.joints[i].first + k for k, unit in enumerate(body.kind.units) if unit == "rad"]
        if not body.kind.hinges:
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
    """The next revolute body towards the base, and body i's axis in that body's axes."""
    axis = mech.bodies[i].rotation @ mech.bodies[i].axis
    parent = mech.parent(i)
    while parent >= 0 and not mech.bodies[parent].kind.turns:
        axis = mech.bodies[parent].rotation @ axis
        parent = mech.parent(parent)
    return (parent if parent >= 0 and mech.bodies[parent].kind.hinges else None), axis
