"""The forces of a gear as they are told: by name, as sizes, for the worse sense of its torque."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.parts.gear_box import Balance, GearBox, Turning, X, Y
from gearwright.parts.teeth import ToothForce

UNLOADED = 1e-9
"""Of the largest force; less is rounding."""


def forces_told(box: GearBox, torque: Any, driving: bool = True) -> tuple[ToothForce, ...]:
    """The forces of a gear at torques of its output (a number, or (N,)), whichever sense makes them larger.

    Of equal contacts and members one is told, of bearings those that carry something.
    """
    both = [_told(box, box.at_work(torque, sense, driving)) for sense in (1.0, -1.0)]
    found = [one.larger(both[1][name]) for name, one in both[0].items()]
    loaded = _loaded(box)
    shown = [one for one in found if not one.is_bearing or one.name in loaded]
    return tuple(shown if np.ndim(torque) else (one.only() for one in shown))


def _loaded(box: GearBox) -> set[str]:
    """The bearings that carry something, judged by a unit of torque."""
    told = _told(box, box.at_work(1.0))
    most = max(float(one.size[0]) for one in told.values())
    return {name for name, one in told.items() if one.size[0] > UNLOADED * most}


def _told(box: GearBox, balance: Balance) -> dict[str, ToothForce]:
    members = {one.name: one for one in box.members}
    found: dict[str, ToothForce] = {}
    for contact, push in balance.pushes:
        if push.title is None:
            continue
        wheel = members[contact.first]
        found.setdefault(push.title, ToothForce(push.title, False, *_components(wheel, push.point, push.force)))
    for one in box.members:
        if one.name in box.held:
            continue
        wrench = balance.bearings[one.name]
        points = [push.point for contact, push in balance.pushes if one.name in (contact.first, contact.second)]
        tilting = np.linalg.norm(wrench[:, 3:], axis=1)
        parts = _components(one, points[0] if points else one.at, wrench[:, :3])
        found.setdefault(one.title, ToothForce(one.title, True, *parts, tilting))
    return found


def _components(one: Turning, point: Array, force: Array) -> tuple[Array, Array, Array]:
    """Sizes of a force round a member's axis, towards it and along it, without rounding."""
    across = (way - (way @ one.axis) * one.axis for way in (point - one.at, X, Y))
    out = next(way / np.linalg.norm(way) for way in across if np.linalg.norm(way) > 0)
    ways = (np.cross(one.axis, out), out, one.axis)
    if one.slides:  # it moves along its axis: that is its tangential direction
        ways = ways[::-1]
    sizes, least = (np.abs(force @ way) for way in ways), UNLOADED * np.linalg.norm(force, axis=1)
    tangential, radial, axial = (np.where(size > least, size, 0.0) for size in sizes)
    return tangential, radial, axial
