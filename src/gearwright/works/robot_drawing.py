"""Robots as line drawings: links, mass centres, wheels, frames and what acts on a link."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.equations import joint_forces
from gearwright.functions.dynamics import placement
from gearwright.mechanism import BASE, Mechanism
from gearwright.plots.sketch import Arrow, Disc, Item, Label, Mark, Stroke

LINK, AXIS, WHEEL = 0, 2, 3
"""Colours of the palette."""


def skeleton(mech: Mechanism, q: ArrayLike) -> list[Item]:
    """Links as strokes from joint to joint and to named frames, joints and frames as marks."""
    origins = [_place(mech, q, k)[1] for k in range(len(mech.bodies))]
    strokes: list[Item] = []
    points = [(origin, body.speed_name) for origin, body in zip(origins, mech.bodies, strict=True)]
    for k in range(len(mech.bodies)):
        parent = mech.parent(k)
        strokes.append(Stroke([np.zeros(3) if parent == BASE else origins[parent], origins[k]], LINK, 3.0))
    for frame in mech.frames:
        tip = np.asarray(placement(mech, q, frame.name).position)
        strokes.append(Stroke([origins[int(frame.body)], tip], LINK, 3.0))
        points.append((tip, frame.name))
    return [*strokes, *(Mark(at, names, LINK) for at, names in _together(points))]


def joint_axes(mech: Mechanism, q: ArrayLike, length: float, letter: str = "z", first: int = 0) -> list[Item]:
    """The axis of every joint as an arrow, z0, z1, ..."""
    return [
        Arrow(_place(mech, q, k)[1], length * (_place(mech, q, k)[0] @ tuple(body.axis)), f"{letter}{k + first}", AXIS)
        for k, body in enumerate(mech.bodies)
    ]


def wheels(mech: Mechanism, q: ArrayLike, radius: float, names: Iterable[str] | None = None) -> list[Item]:
    """Every wheel, or those named, as a disc on its carrier, with its axis."""
    items: list[Item] = []
    centres = []
    for spin in (spin for spin in mech.spins if names is None or spin.name in names):
        R, p = _place(mech, q, int(spin.carrier))
        rest: Any = spin.rest
        centre = p + R @ tuple(rest.position) if rest is not None else p
        axis = R @ tuple(spin.axis)
        items += [Disc(centre, axis, radius, WHEEL), Arrow(centre, 1.6 * radius * axis, "", WHEEL)]
        centres.append((centre - radius * np.array([0.0, 0.0, 1.0]), spin.name))
    return [*items, *(Label(at, text, WHEEL) for at, text in _together(centres))]


def _together(points: list[tuple[Array, str]]) -> list[tuple[Array, str]]:
    """Names at the same place in one label."""
    found: dict[tuple[float, ...], tuple[Array, list[str]]] = {}
    for at, name in points:
        found.setdefault(tuple(np.round(at, 6)), (at, []))[1].append(name)
    return [(at, ", ".join(names)) for at, names in found.values()]


def frames(mech: Mechanism, q: ArrayLike, length: float, turned: Iterable[Any] | None = None) -> list[Item]:
    """The axes of every body's frame, x, y, z; `turned` are frames in the bodies' own, as (rotation, position)."""
    items: list[Item] = []
    places = list(turned) if turned is not None else [(np.eye(3), np.zeros(3))] * len(mech.bodies)
    for k, (rotation, position) in enumerate(places):
        R, p = _place(mech, q, k)
        origin, axes = p + R @ position, R @ rotation
        for colour, letter, column in zip((1, 4, 2), "xyz", axes.T, strict=True):
            items.append(Arrow(origin, length * column, f"{letter}{k + 1}", colour))
    return items


def forces_on_link(mech: Mechanism, state: tuple[ArrayLike, ArrayLike, ArrayLike], body: int) -> list[Item]:
    """One link cut free: the wrench from its parent, minus that to its child, and its weight, to scale each."""
    q = state[0]
    total = joint_forces(mech, *state).total
    R, p = _place(mech, q, body)
    link = mech.bodies[body]
    centre = p + R @ tuple(link.com)
    children = [k for k in range(len(mech.bodies)) if mech.parent(k) == body]
    ends = [_place(mech, q, k) for k in children]
    weight = float(link.mass) * np.asarray(tuple(mech.gravity), dtype=float)
    acting = [(p, R @ total[body, :3], R @ total[body, 3:], "f", "mu")]
    acting += [
        (end, -(turn @ total[k, :3]), -(turn @ total[k, 3:]), "-f next", "-mu next")
        for k, (turn, end) in zip(children, ends, strict=True)
    ]
    force = 0.35 / max(np.linalg.norm(f) for _, f, *_ in [*acting, (0, weight)])
    moment = 0.25 / max(float(np.linalg.norm(m)) for _, _, m, *_ in acting)
    items: list[Item] = [Stroke([p, end], LINK, 4.0) for _, end in ends] or [Stroke([p, centre], LINK, 4.0)]
    for at, f, m, name, turning in acting:
        items += [Arrow(at, force * f, name, 1), Arrow(at, moment * m, turning, 5, double=True)]
    return [*items, Mark(centre, "C", LINK), Arrow(centre, force * weight, "m g", 4)]


def _place(mech: Mechanism, q: ArrayLike, body: int) -> tuple[Array, Array]:
    if body == BASE:
        return np.eye(3), np.zeros(3)
    R, p = placement(mech, q, body)
    return np.asarray(R), np.asarray(p)
