"""A machine under change: what regrouping works on before it becomes a `Mechanism` again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gearwright.algebra import IDENTITY, ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_number
from gearwright.mechanism import BASE, Body, Mechanism, Spin

EXACT = 4e-15
"""Below this share of its neighbours a number is what rounding left of zero."""


@dataclass(frozen=True)
class RegroupedBody(Body):
    """A body given by the ten parameters about its origin; its first moment may be there without its mass."""

    regrouped: Inertia = field(default_factory=Inertia.zero)

    @cached_property
    def about_origin(self) -> Inertia:
        """The ten parameters about the body origin."""
        return self.regrouped


@dataclass(frozen=True)
class Draft:
    """Bodies without fixed joints, their inertias apart, and the spins they carry."""

    bodies: tuple[Body, ...]
    inertias: tuple[Inertia, ...]
    spins: tuple[Spin, ...]
    gravity: Vec

    def parent(self, i: int) -> int:
        """Index of the parent body, -1 for the base."""
        return int(self.bodies[i].parent)

    def children(self, i: int) -> list[int]:
        """The bodies that hang on body i."""
        return self._children[i]

    @cached_property
    def _children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(len(self.bodies) + 1)]  # the last one, index -1, is the base's
        for k in range(len(self.bodies)):
            found[self.parent(k)].append(k)
        return found

    @cached_property
    def sizes(self) -> list[int]:
        """Per body the number of bodies from it outwards, itself among them."""
        sizes = [1] * len(self.bodies)
        for k in reversed(range(len(sizes))):
            if self.parent(k) != BASE:
                sizes[self.parent(k)] += sizes[k]
        return sizes


def merged(mech: Mechanism) -> Draft:
    """The machine with every body on a fixed joint made part of the body it is fixed to."""
    places: list[tuple[int, Rot, Vec]] = []
    bodies: list[Body] = []
    inertias: list[Inertia] = []
    for i, body in enumerate(mech.bodies):
        host, R, p = places[mech.parent(i)] if mech.parent(i) != BASE else (BASE, IDENTITY, ZERO)
        rotation, position = R.after(body.rotation), p + R @ body.position
        if not body.kind.speeds:
            places.append((host, rotation, position))
            if host != BASE:
                inertias[host] = inertias[host] + body.about_origin.moved(rotation, position)
            continue
        places.append((len(bodies), IDENTITY, ZERO))
        bodies.append(replace(body, parent=host, rotation=rotation, position=position, follows=_named(mech, body)))
        inertias.append(body.about_origin)
    spins = [_carried(spin, *places[int(spin.carrier)]) if spin.carrier != BASE else spin for spin in mech.spins]
    return Draft(tuple(bodies), tuple(inertias), tuple(spins), mech.gravity)


def _named(mech: Mechanism, body: Body) -> tuple[str, Scalar, Scalar] | None:
    """The leader by name: indices change when bodies are merged."""
    if body.follows is None:
        return None
    leader, multiplier, offset = body.follows
    return mech.bodies[leader].speed_name if isinstance(leader, int) else leader, multiplier, offset


def _carried(spin: Spin, host: int, R: Rot, _: Vec) -> Spin:
    return replace(spin, carrier=host, axis=R @ spin.axis)


def clean(values: Sequence[Scalar], scale: float = 0.0) -> list[Scalar]:
    """Numbers that are zero up to rounding as exact zeros; symbols stay.

    >>> clean([1.0, 6e-17, -2.0])
    [1.0, 0.0, -2.0]
    """
    largest = max([scale, *(abs(x) for x in values if is_number(x))])
    return [0.0 if is_number(x) and abs(x) <= EXACT * largest else x for x in values]


def clean_rotation(R: Rot) -> Rot:
    """A rotation whose zeros and ones are exact."""
    return Rot(*(Vec(*(_snapped(x) for x in row)) for row in (R.a, R.b, R.c)))


def _snapped(x: Scalar) -> Scalar:
    near = round(x)
    return float(near) if abs(x - near) <= EXACT else x


def clean_inertia(inertia: Inertia) -> Inertia:
    """Ten parameters whose zeros are exact."""
    return Inertia(inertia.mass, Vec(*clean([*inertia.moment])), Tensor(*clean([*inertia.tensor])))
