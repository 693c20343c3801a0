"""Wheels at rest: what each adds to the link that carries it, and the spin that is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gearwright.algebra import ZERO, Inertia, Scalar, Tensor, Vec, is_number, is_zero
from gearwright.errors import TrainError
from gearwright.mechanism.elements import Body, Rest, Spin
from gearwright.mechanism.rows import Row
from gearwright.parts import Link
from gearwright.parts.structure.frame_changes import usual_direction


class Lump(NamedTuple):
    """Something fixed to a link: the link's name and the inertia in its frame."""

    link: str
    inertia: Inertia


@dataclass(frozen=True)
class Placed:
    """A wheel, or `count` equal ones on a circle, in the frame of the link that carries it.

    `inertia`, `mass`, `across` (transverse inertia), `coupling` and `shape` are those of one.
    """

    name: str
    carrier: str
    axis: Vec
    position: Vec
    ratio: Row
    inertia: Scalar
    mass: Scalar
    across: Scalar
    coupling: Scalar | None = None
    included: bool = False
    count: int = 1
    radius: Scalar = 0.0
    towards: Vec | None = None
    shape: tuple[Scalar, Scalar, Scalar] | None = None


def point_mass(link: str, mass: Scalar, position: Vec) -> list[Lump]:
    """A mass at rest at a point of a link; nothing on the base, or where there is none."""
    if link == "base" or is_zero(mass):
        return []
    return [Lump(link, Inertia.of_body(mass, position, Tensor.diagonal(0.0, 0.0, 0.0)))]


def spin_and_lump(wheel: Placed) -> tuple[Spin, Lump | None]:
    """The spin of a wheel (one for a whole set) and what lies in its carrier at rest."""
    n = wheel.count
    coupling = None if wheel.coupling is None else n * wheel.coupling
    total = _circle(wheel) if n >= 3 else summed([_at_rest(wheel, place) for place in places(wheel)])
    centre = total.moment * (1 / total.mass) if not is_zero(total.mass) else wheel.position
    rest = Rest(n * wheel.mass, centre, n * wheel.across)
    spin = Spin(wheel.name, wheel.carrier, wheel.axis, n * wheel.inertia, wheel.ratio, coupling, rest)
    return spin, None if wheel.included or wheel.carrier == "base" else Lump(wheel.carrier, total)


def _circle(wheel: Placed) -> Inertia:
    """Three or more equal wheels evenly spread on a circle, together a body of revolution."""
    n, ring = wheel.count, wheel.mass * wheel.radius * wheel.radius
    # Fernini (50)-(54)
    tensor = Tensor.of_revolution(wheel.axis, n * (wheel.inertia + ring), n * (wheel.across + ring * 0.5))
    return Inertia.of_body(n * wheel.mass, wheel.position, tensor)


def places(wheel: Placed) -> list[Vec]:
    """Where the centres of the equal wheels are."""
    if is_zero(wheel.radius):
        return [wheel.position] * wheel.count
    u, w = across_axes(wheel.name, wheel.axis, wheel.towards)
    angles = [2 * math.pi * k / wheel.count for k in range(wheel.count)]
    return [wheel.position + (u * math.cos(t) + w * math.sin(t)) * wheel.radius for t in angles]


def across_axes(owner: str, e: Vec, towards: Vec | None) -> tuple[Vec, Vec]:
    """Two unit vectors across an axis, the first as near to `towards` as can be."""
    if not all(is_number(x) for x in e):
        raise TrainError(f"{owner}: wheels on a circle need an axis given in numbers, not {tuple(e)}.")
    if towards is None:
        towards = usual_direction(e)
    u = towards - e * e.dot(towards)
    length = math.sqrt(u.dot(u))
    if length < 1e-9:
        raise TrainError(f"{owner}: `towards` {tuple(towards)} lies along the axis. Give a direction across it.")
    u = u * (1 / length)
    return u, e.cross(u)


def _at_rest(wheel: Placed, place: Vec) -> Inertia:
    if wheel.shape is None:
        return Inertia.of_body(wheel.mass, place, Tensor.of_revolution(wheel.axis, wheel.inertia, wheel.across))
    u, w = across_axes(wheel.name, wheel.axis, wheel.towards)
    along, across, axial = wheel.shape
    tensor = Tensor.dyad(u, along) + Tensor.dyad(w, across) + Tensor.dyad(wheel.axis, axial)
    return Inertia.of_body(wheel.mass, place, tensor)


def summed(inertias: Sequence[Inertia]) -> Inertia:
    """The inertia of several bodies fixed to each other."""
    total = inertias[0]
    for inertia in inertias[1:]:
        total = total + inertia
    return total


def augmented(link: Link, lumps: Sequence[Inertia]) -> Body:
    """The augmented link: the link and everything fixed to it or at rest on it."""
    joint = link.joint
    shared: dict[str, Any] = {
        "parent": link.parent,
        "joint": joint.kind,
        **{"axis": joint.axis, "axis2": joint.axis2, "pitch": joint.pitch},
        "rotation": joint.rotation,
        "position": joint.position,
        "joint_name": link.joint_name,
        "follows": joint.follows,
        "effective": link.effective,
    }
    alone = Body(link.name, mass=link.mass, com=link.com, inertia=link.inertia, **shared)
    if not lumps:
        return alone
    total = summed([alone.about_origin, *lumps])  # Sciavicco (20)-(21), Chen (13), Fernini (21)-(43)
    com = ZERO if is_zero(total.mass) else total.moment * (1 / total.mass)
    central = total.tensor - Tensor.point(com, total.mass)
    return Body(link.name, mass=total.mass, com=com, inertia=central, **shared)
