"""Names, units and limits of the coordinates that a trajectory moves, from a robot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import is_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, machine_of
from gearwright.mechanism.units import speed_unit
from gearwright.parts import Limits, Robot
from gearwright.text import listed


class Joints(NamedTuple):
    """What a robot says about the coordinates of a trajectory; infinite where it says nothing."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    lower: Array
    upper: Array
    speed: Array
    acceleration: Array


def joints_of(function: str, robot_or_mech: Robot | Mechanism | None, count: int) -> Joints | None:
    """The joints of a robot for a motion of `count` coordinates: all of them, or those without the shafts."""
    if robot_or_mech is None:
        return None
    mech = machine_of(function, robot_or_mech, "names")
    if not mech.straight:
        raise InputError(
            f"{function}: the robot has free, spherical or planar joints, whose coordinates are not each the integral "
            "of a speed. Plan the motion of a robot with other joints."
        )
    joints = mech.n - len(mech.shafts)
    if not mech.n:
        raise InputError(f"{function}: the robot has no joint that moves. Give a robot with joints.")
    if count not in (mech.n, joints):
        asked = f"{joints} joints ({listed(mech.coordinates[:joints])})"
        more = f", or these and the shafts, {mech.n}" if mech.shafts else ""
        raise InputError(f"{function}: a motion of {count} coordinates for a robot of {asked}{more}. Give one of each.")
    names = mech.coordinates[:count]
    stated = limits_of(robot_or_mech) if isinstance(robot_or_mech, Robot) else {}
    limits = [stated.get(joint_of(name), Limits()) for name in names]
    position = np.array([_range(x) for x in limits])
    speed, acceleration = (np.array([_size(getattr(x, word)) for x in limits]) for word in ("speed", "acceleration"))
    units = tuple(speed_unit(mech, joint_of(name)) for name in names)
    return Joints(tuple(names), units, position[:, 0], position[:, 1], speed, acceleration)


def joint_of(speed: str) -> str:
    """The joint whose limits a speed keeps: its own, or that of the joint which the shaft drives.

    >>> joint_of("elbow.motor"), joint_of("elbow")
    ('elbow', 'elbow')
    """
    return re.sub(r"\.(motor|stage\d+)$", "", speed)


def limits_of(robot: Robot) -> Mapping[str, Limits]:
    """The limits of every joint, by name."""
    return {link.joint_name: link.joint.limits for link in robot.links}


def _size(limit: Any) -> float:
    return float(limit) if limit is not None and is_number(limit) else np.inf


def _range(limits: Limits) -> tuple[float, float]:
    if limits.position is None or not all(is_number(x) for x in limits.position):
        return -np.inf, np.inf
    return float(limits.position[0]), float(limits.position[1])
