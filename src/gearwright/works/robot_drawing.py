"""Robots as line drawings: links, mass centres, wheels, frames and free-body diagrams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.equations import joint_forces
from gearwright.functions import placement
from gearwright.mechanism import BASE, Mechanism
from gearwright.plots.sketch import Arrow, Disc, Label, Mark, SketchItem, Stroke

LINK_COLOUR, AXIS_COLOUR, WHEEL_COLOUR = 0, 2, 3
"""Colours of the palette."""


def skeleton_items(mech: Mechanism, q: ArrayLike) -> list[SketchItem]:
    """Links as lines from joint to joint and to named frames, joints and frames as marks."""
    origins = [_body_placement(mech, q, k)[1] for k in range(len(mech.bodies))]
    strokes: list[SketchItem] = []
    points = [(origin, body.speed_name) for origin, body in zip(origins, mech.bodies, strict=True)]
    for k in range(len(mech.bodies)):
        parent = mech.parent_of(k)
        strokes.append(Stroke([np.zeros(3) if parent == BASE else origins[parent], origins[k]], LINK_COLOUR, 3.0))
    for frame in mech.frames:
        tip = np.asarray(placement(mech, q, frame.name).position)
        strokes.append(Stroke([origins[int(frame.body)], tip], LINK_COLOUR, 3.0))
        points.append((tip, frame.name))
    return [*strokes, *(Mark(at, names, LINK_COLOUR) for at, names in _merge_labels(points))]


def joint_axes(mech: Mechanism, q: ArrayLike, length: float, letter: str = "z", first: int = 0) -> list[SketchItem]:
    """The axis of every joint as an arrow, z0, z1, ..."""
    return [
        Arrow(
            _body_placement(mech, q, k)[1],
            length * (_body_placement(mech, q, k)[0] @ tuple(body.axis)),
            f"{letter}{k + first}",
            AXIS_COLOUR,
        )
        for k, body in enumerate(mech.bodies)
    ]


def wheel_items(mech: Mechanism, q: ArrayLike, radius: float, names: Iterable[str] | None = None) -> list[SketchItem]:
    """Every wheel, or those named, as a disc on its carrier, with its axis."""
    items: list[SketchItem] = []
    centres = []
    for spin in (spin for spin in mech.spins if names is None or spin.name in names):
        R, p = _body_placement(mech, q, int(spin.carrier))
        rest_body: Any = spin.rest
        centre = p + R @ tuple(rest_body.position) if rest_body is not None else p
        axis = R @ tuple(spin.axis)
        items += [Disc(centre, axis, radius, WHEEL_COLOUR), Arrow(centre, 1.6 * radius * axis, "", WHEEL_COLOUR)]
        centres.append((centre - radius * np.array([0.0, 0.0, 1.0]), spin.name))
    return [*items, *(Label(at, text, WHEEL_COLOUR) for at, text in _merge_labels(centres))]


def _merge_labels(points: list[tuple[Array, str]]) -> list[tuple[Array, str]]:
    """Names at the same position in one label."""
    by_place: dict[tuple[float, ...], tuple[Array, list[str]]] = {}
    for at, name in points:
        by_place.setdefault(tuple(np.round(at, 6)), (at, []))[1].append(name)
    return [(at, ", ".join(names)) for at, names in by_place.values()]


def frame_axes(
    mech: Mechanism, q: ArrayLike, length: float, stated_frames: Iterable[Any] | None = None
) -> list[SketchItem]:
    """The axes of every body's frame, x, y, z; `stated_frames`: (rotation, position) in the body frames."""
    items: list[SketchItem] = []
    places = list(stated_frames) if stated_frames is not None else [(np.eye(3), np.zeros(3))] * len(mech.bodies)
    for k, (rotation, position) in enumerate(places):
        R, p = _body_placement(mech, q, k)
        origin, axes = p + R @ position, R @ rotation
        for colour, letter, column in zip((1, 4, 2), "xyz", axes.T, strict=True):
            items.append(Arrow(origin, length * column, f"{letter}{k + 1}", colour))
    return items


def forces_on_link(mech: Mechanism, state: tuple[ArrayLike, ArrayLike, ArrayLike], body: int) -> list[SketchItem]:
    """Free-body diagram of a link: wrench from its parent, minus that to its child, and its weight, each to scale."""
    q = state[0]
    total = joint_forces(mech, *state).total
    R, p = _body_placement(mech, q, body)
    link = mech.bodies[body]
    centre = p + R @ tuple(link.com)
    children = [k for k in range(len(mech.bodies)) if mech.parent_of(k) == body]
    ends = [_body_placement(mech, q, k) for k in children]
    weight = float(link.mass) * np.asarray(tuple(mech.gravity), dtype=float)
    wrenches = [(p, R @ total[body, :3], R @ total[body, 3:], "f", "mu")]
    wrenches += [
        (end, -(turn @ total[k, :3]), -(turn @ total[k, 3:]), "-f next", "-mu next")
        for k, (turn, end) in zip(children, ends, strict=True)
    ]
    force = 0.35 / max(np.linalg.norm(f) for _, f, *_ in [*wrenches, (0, weight)])
    moment = 0.25 / max(float(np.linalg.norm(m)) for _, _, m, *_ in wrenches)
    items: list[SketchItem] = [Stroke([p, end], LINK_COLOUR, 4.0) for _, end in ends] or [
        Stroke([p, centre], LINK_COLOUR, 4.0)
    ]
    for at, f, m, name, turning in wrenches:
        items += [Arrow(at, force * f, name, 1), Arrow(at, moment * m, turning, 5, double=True)]
    return [*items, Mark(centre, "C", LINK_COLOUR), Arrow(centre, force * weight, "m g", 4)]


def _body_placement(mech: Mechanism, q: ArrayLike, body: int) -> tuple[Array, Array]:
    if body == BASE:
        return np.eye(3), np.zeros(3)
    R, p = placement(mech, q, body)
    return np.asarray(R), np.asarray(p)
