"""Lumping of wheels: inertia at rest added to the carrier, and the remaining spin."""

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
from gearwright.parts.structure.frame_changes import default_direction


class Lump(NamedTuple):
    """An inertia fixed to a link: the link's name and the inertia in its frame."""

    link: str
    inertia: Inertia


@dataclass(frozen=True)
class PlacedWheel:
    """A wheel, or `count` equal wheels on a circle, in the frame of its carrier.

    `inertia`, `mass`, `transverse_inertia` (transverse inertia), `coupling` and `shape` are those of one wheel.
    """

    name: str
    carrier: str
    axis: Vec
    position: Vec
    ratio: Row
    inertia: Scalar
    mass: Scalar
    transverse_inertia: Scalar
    coupling: Scalar | None = None
    included: bool = False
    count: int = 1
    radius: Scalar = 0.0
    towards: Vec | None = None
    shape: tuple[Scalar, Scalar, Scalar] | None = None


def point_mass(link: str, mass: Scalar, position: Vec) -> list[Lump]:
    """Return a point mass on a link; empty on the base or for zero mass."""
    if link == "base" or is_zero(mass):
        return []
    return [Lump(link, Inertia.of_body(mass, position, Tensor.diagonal(0.0, 0.0, 0.0)))]


def spin_and_lump(wheel: PlacedWheel) -> tuple[Spin, Lump | None]:
    """Return the spin of a wheel (one for a whole set) and its inertia at rest in the carrier."""
    n = wheel.count
    coupling = None if wheel.coupling is None else n * wheel.coupling
    total = (
        _circle_inertia(wheel)
        if n >= 3
        else sum_inertias([_inertia_at_rest(wheel, place) for place in wheel_centres(wheel)])
    )
    centre = total.moment * (1 / total.mass) if not is_zero(total.mass) else wheel.position
    rest_of_wheel = Rest(n * wheel.mass, centre, n * wheel.transverse_inertia)
    spin = Spin(wheel.name, wheel.carrier, wheel.axis, n * wheel.inertia, wheel.ratio, coupling, rest_of_wheel)
    return spin, None if wheel.included or wheel.carrier == "base" else Lump(wheel.carrier, total)


def _circle_inertia(wheel: PlacedWheel) -> Inertia:
    """Return the inertia of three or more equal wheels evenly spaced on a circle, a body of revolution."""
    n, ring = wheel.count, wheel.mass * wheel.radius * wheel.radius
    # Fernini (50)-(54)
    tensor = Tensor.of_revolution(wheel.axis, n * (wheel.inertia + ring), n * (wheel.transverse_inertia + ring * 0.5))
    return Inertia.of_body(n * wheel.mass, wheel.position, tensor)


def wheel_centres(wheel: PlacedWheel) -> list[Vec]:
    """Return the centres of the equal wheels."""
    if is_zero(wheel.radius):
        return [wheel.position] * wheel.count
    u, w = transverse_axes(wheel.name, wheel.axis, wheel.towards)
    angles = [2 * math.pi * k / wheel.count for k in range(wheel.count)]
    return [wheel.position + (u * math.cos(t) + w * math.sin(t)) * wheel.radius for t in angles]


def transverse_axes(owner: str, e: Vec, towards: Vec | None) -> tuple[Vec, Vec]:
    """Return two unit vectors perpendicular to an axis, the first as close to `towards` as possible."""
    if not all(is_number(x) for x in e):
        raise TrainError(f"{owner}: wheels on a circle require a numeric axis, not {tuple(e)}. Give numbers.")
    if towards is None:
        towards = default_direction(e)
    u = towards - e * e.dot(towards)
    length = math.sqrt(u.dot(u))
    if length < 1e-9:
        raise TrainError(
            f"{owner}: `towards` {tuple(towards)} is parallel to the axis. Give a perpendicular direction."
        )
    u = u * (1 / length)
    return u, e.cross(u)


def _inertia_at_rest(wheel: PlacedWheel, place: Vec) -> Inertia:
    if wheel.shape is None:
        return Inertia.of_body(
            wheel.mass, place, Tensor.of_revolution(wheel.axis, wheel.inertia, wheel.transverse_inertia)
        )
    u, w = transverse_axes(wheel.name, wheel.axis, wheel.towards)
    along, across, axial = wheel.shape
    tensor = Tensor.dyad(u, along) + Tensor.dyad(w, across) + Tensor.dyad(wheel.axis, axial)
    return Inertia.of_body(wheel.mass, place, tensor)


def sum_inertias(inertias: Sequence[Inertia]) -> Inertia:
    """Return the total inertia of several bodies fixed to each other."""
    total = inertias[0]
    for inertia in inertias[1:]:
        total = total + inertia
    return total


def augmented_body(link: Link, lumps: Sequence[Inertia]) -> Body:
    """Return the augmented link: the link with all masses fixed to it and wheels at rest on it."""
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
    total = sum_inertias([alone.about_origin, *lumps])  # Sciavicco (20)-(21), Chen (13), Fernini (21)-(43)
    com = ZERO if is_zero(total.mass) else total.moment * (1 / total.mass)
    central = total.tensor - Tensor.of_point_mass(com, total.mass)
    return Body(link.name, mass=total.mass, com=com, inertia=central, **shared)
