"""Geoms, so that a model is something to look at: the shapes of links, or rods to their joints; wheels as discs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from gearwright.algebra import Rot
from gearwright.arrays import Array
from gearwright.export.mujoco.bodies import array, quaternion
from gearwright.mechanism import Spin
from gearwright.parts import Link, Shape
from gearwright.parts.structure.frame_changes import rows

Words = dict[str, str]
LOOKS: Words = {"contype": "0", "conaffinity": "0", "group": "2", "mass": "0"}
LINK, WHEEL = "0.7 0.72 0.76 1", "0.85 0.55 0.2 1"
THIN, LEAST = 0.08, 0.005
"""Radius of a rod relative to its length, and the least one [m]."""


def link_geoms(link: Link | None, com: Array, children: Sequence[Array]) -> Iterator[Words]:
    """The shapes that a link states (a mesh is a file that may not be there), or rods from its joint to the next."""
    stated = [shape for shape in (() if link is None else link.shapes) if shape.kind != "mesh"]
    if stated:
        drawn = [shape for shape in stated if shape.role == "visual"] or stated
        yield from (_shape(shape) for shape in drawn)
        return
    ends = [end for end in children if np.linalg.norm(end) > LEAST] or ([com] if np.linalg.norm(com) > LEAST else [])
    for end in ends:
        radius = max(THIN * float(np.linalg.norm(end)), LEAST)
        yield {
            "type": "capsule",
            "fromto": _text([0.0, 0.0, 0.0, *end]),
            "size": _text([radius]),
            "rgba": LINK,
            **LOOKS,
        }
    if not ends:
        yield {"type": "sphere", "size": _text([4 * LEAST]), "rgba": LINK, **LOOKS}


def _shape(shape: Shape) -> Words:
    sizes = {"box": [x / 2 for x in shape.size], "sphere": list(shape.size[:1])}
    size = sizes.get(shape.kind, [shape.size[0], shape.size[-1] / 2])
    place = {"pos": _text(array(shape.position)), "quat": _text(quaternion(Rot.of(rows(shape.rotation))))}
    return {"type": shape.kind, "size": _text(size), **place, "rgba": LINK, **LOOKS}


def wheel_geom(spin: Spin, place: Array) -> Words:
    """A disc of the wheel's mass and inertia, J = m r^2 / 2, or a small one."""
    mass = 0.0 if spin.rest is None else float(spin.rest.mass)
    radius = min(max(sqrt(2 * float(spin.inertia) / mass) if mass else 4 * LEAST, LEAST), 0.2)
    turn = quaternion(_from_z(array(spin.axis)))
    return {
        **{"type": "cylinder", "size": _text([radius, radius / 2]), "pos": _text(place), "quat": _text(turn)},
        **{"rgba": WHEEL, **LOOKS},
    }


def _from_z(axis: Array) -> Array:
    """A rotation that turns z into an axis."""
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(other, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
