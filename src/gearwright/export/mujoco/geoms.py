"""Geoms for display: the shapes of links, or rods to their joints; wheels as discs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from gearwright.algebra import Rot
from gearwright.arrays import Array
from gearwright.export.mujoco.bodies import unit_quaternion, vector_array
from gearwright.mechanism import Spin
from gearwright.parts import Link, Shape
from gearwright.parts.structure.frame_changes import matrix_rows

GeomAttributes = dict[str, str]
VISUAL_GEOM_ATTRIBUTES: GeomAttributes = {"contype": "0", "conaffinity": "0", "group": "2", "mass": "0"}
MJCF_LINK_COLOUR, MJCF_WHEEL_COLOUR = "0.7 0.72 0.76 1", "0.85 0.55 0.2 1"
MJCF_ROD_RADIUS_RATIO, MJCF_MIN_ROD_RADIUS = 0.08, 0.005
"""Radius of a rod relative to its length, and the least one [m]."""


def link_geoms(link: Link | None, com: Array, children: Sequence[Array]) -> Iterator[GeomAttributes]:
    """Yield the shapes of a link (except meshes, whose files may be missing), or rods from its joint to the next."""
    stated = [shape for shape in (() if link is None else link.shapes) if shape.kind != "mesh"]
    if stated:
        visuals = [shape for shape in stated if shape.role == "visual"] or stated
        yield from (_shape_geom(shape) for shape in visuals)
        return
    ends = [end for end in children if np.linalg.norm(end) > MJCF_MIN_ROD_RADIUS] or (
        [com] if np.linalg.norm(com) > MJCF_MIN_ROD_RADIUS else []
    )
    for end in ends:
        radius = max(MJCF_ROD_RADIUS_RATIO * float(np.linalg.norm(end)), MJCF_MIN_ROD_RADIUS)
        yield {
            "type": "capsule",
            "fromto": _numbers_text([0.0, 0.0, 0.0, *end]),
            "size": _numbers_text([radius]),
            "rgba": MJCF_LINK_COLOUR,
            **VISUAL_GEOM_ATTRIBUTES,
        }
    if not ends:
        yield {
            "type": "sphere",
            "size": _numbers_text([4 * MJCF_MIN_ROD_RADIUS]),
            "rgba": MJCF_LINK_COLOUR,
            **VISUAL_GEOM_ATTRIBUTES,
        }


def _shape_geom(shape: Shape) -> GeomAttributes:
    sizes = {"box": [x / 2 for x in shape.size], "sphere": list(shape.size[:1])}
    size = sizes.get(shape.kind, [shape.size[0], shape.size[-1] / 2])
    place = {
        "pos": _numbers_text(vector_array(shape.position)),
        "quat": _numbers_text(unit_quaternion(Rot.from_rows(matrix_rows(shape.rotation)))),
    }
    return {
        "type": shape.kind,
        "size": _numbers_text(size),
        **place,
        "rgba": MJCF_LINK_COLOUR,
        **VISUAL_GEOM_ATTRIBUTES,
    }


def wheel_geom(spin: Spin, place: Array) -> GeomAttributes:
    """Return a disc with the wheel's mass and inertia, J = m r^2 / 2, or a small one."""
    mass = 0.0 if spin.rest is None else float(spin.rest.mass)
    radius = min(
        max(sqrt(2 * float(spin.inertia) / mass) if mass else 4 * MJCF_MIN_ROD_RADIUS, MJCF_MIN_ROD_RADIUS), 0.2
    )
    turn = unit_quaternion(_rotation_from_z(vector_array(spin.axis)))
    return {
        **{
            "type": "cylinder",
            "size": _numbers_text([radius, radius / 2]),
            "pos": _numbers_text(place),
            "quat": _numbers_text(turn),
        },
        **{"rgba": MJCF_WHEEL_COLOUR, **VISUAL_GEOM_ATTRIBUTES},
    }


def _rotation_from_z(axis: Array) -> Array:
    """Return a rotation that maps z to an axis."""
    reference = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(reference, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _numbers_text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
