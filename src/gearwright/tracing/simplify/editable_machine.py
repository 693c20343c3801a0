"""An editable machine for regrouping, before it becomes a `Mechanism` again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gearwright.algebra import IDENTITY, ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_number
from gearwright.mechanism import BASE, Body, Mechanism, Spin

ROUNDING_ZERO_RATIO = 4e-15
"""Numbers below this share of their neighbours are rounding errors of zero."""


@dataclass(frozen=True)
class RegroupedBody(Body):
    """A body given by the ten inertial parameters about its origin; it may have a first moment without a mass."""

    origin_inertia: Inertia = field(default_factory=Inertia.zero_inertia)

    @cached_property
    def about_origin(self) -> Inertia:
        """The ten parameters about the body origin."""
        return self.origin_inertia


@dataclass(frozen=True)
class EditableMachine:
    """Bodies without fixed joints, with separate inertias and the spins they carry."""

    bodies: tuple[Body, ...]
    inertias: tuple[Inertia, ...]
    spins: tuple[Spin, ...]
    gravity: Vec

    def parent_of(self, i: int) -> int:
        """Index of the parent body, -1 for the base."""
        return int(self.bodies[i].parent)

    def children_of(self, i: int) -> list[int]:
        """The children of body i."""
        return self._children_by_body[i]

    @cached_property
    def _children_by_body(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in range(len(self.bodies) + 1)]  # the last one, index -1, is for the base
        for k in range(len(self.bodies)):
            children[self.parent_of(k)].append(k)
        return children

    @cached_property
    def subtree_sizes(self) -> list[int]:
        """Per body the number of bodies in its subtree, including itself."""
        counts = [1] * len(self.bodies)
        for k in reversed(range(len(counts))):
            if self.parent_of(k) != BASE:
                counts[self.parent_of(k)] += counts[k]
        return counts


def merge_fixed_bodies(mech: Mechanism) -> EditableMachine:
    """The machine with every body on a fixed joint merged into its parent."""
    places: list[tuple[int, Rot, Vec]] = []
    bodies: list[Body] = []
    inertias: list[Inertia] = []
    for i, body in enumerate(mech.bodies):
        host, R, p = places[mech.parent_of(i)] if mech.parent_of(i) != BASE else (BASE, IDENTITY, ZERO)
        rotation, position = R.after(body.rotation), p + R @ body.position
        if not body.kind.speeds:
            places.append((host, rotation, position))
            if host != BASE:
                inertias[host] = inertias[host] + body.about_origin.transformed_by(rotation, position)
            continue
        places.append((len(bodies), IDENTITY, ZERO))
        bodies.append(
            replace(body, parent=host, rotation=rotation, position=position, follows=_follows_by_name(mech, body))
        )
        inertias.append(body.about_origin)
    spins = [_moved_to_host(spin, *places[int(spin.carrier)]) if spin.carrier != BASE else spin for spin in mech.spins]
    return EditableMachine(tuple(bodies), tuple(inertias), tuple(spins), mech.gravity)


def _follows_by_name(mech: Mechanism, body: Body) -> tuple[str, Scalar, Scalar] | None:
    """The leading joint of a mimic joint by name: indices change when bodies are merged."""
    if body.follows is None:
        return None
    leader, multiplier, offset = body.follows
    return mech.bodies[leader].speed_name if isinstance(leader, int) else leader, multiplier, offset


def _moved_to_host(spin: Spin, host: int, R: Rot, _: Vec) -> Spin:
    return replace(spin, carrier=host, axis=R @ spin.axis)


def with_exact_zeros(values: Sequence[Scalar], scale: float = 0.0) -> list[Scalar]:
    """Numbers that are zero up to rounding as exact zeros; symbols stay.

    >>> with_exact_zeros([1.0, 6e-17, -2.0])
    [1.0, 0.0, -2.0]
    """
    largest = max([scale, *(abs(x) for x in values if is_number(x))])
    return [0.0 if is_number(x) and abs(x) <= ROUNDING_ZERO_RATIO * largest else x for x in values]


def rotation_with_exact_zeros(R: Rot) -> Rot:
    """A rotation whose zeros and ones are exact."""
    return Rot(*(Vec(*(_snap_to_integer(x) for x in row)) for row in (R.a, R.b, R.c)))


def _snap_to_integer(x: Scalar) -> Scalar:
    near = round(x)
    return float(near) if abs(x - near) <= ROUNDING_ZERO_RATIO else x


def inertia_with_exact_zeros(inertia: Inertia) -> Inertia:
    """Ten parameters whose zeros are exact."""
    return Inertia(
        inertia.mass, Vec(*with_exact_zeros([*inertia.moment])), Tensor(*with_exact_zeros([*inertia.tensor]))
    )
