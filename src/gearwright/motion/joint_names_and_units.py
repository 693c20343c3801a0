"""Names, units and limits of the coordinates that a trajectory moves, from a robot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import is_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, tree_of
from gearwright.mechanism.units import speed_unit
from gearwright.parts import Limits, Robot
from gearwright.text import listed_names


class CoordinateProperties(NamedTuple):
    """Names, units and limits of a trajectory's coordinates from a robot; infinite where no limit is stated."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    lower: Array
    upper: Array
    speed: Array
    acceleration: Array


def coordinate_properties(
    function: str, robot_or_mech: Robot | Mechanism | None, count: int
) -> CoordinateProperties | None:
    """Return the joints of a robot for a motion of `count` coordinates: with or without shafts."""
    if robot_or_mech is None:
        return None
    mech = tree_of(function, robot_or_mech, "names")
    if not mech.speeds_are_rates:
        raise InputError(
            f"{function}: the robot has free, spherical or planar joints, whose coordinates are not the integrals "
            "of their speeds. Plan motions only for robots with other joints."
        )
    joints = mech.n - len(mech.shafts)
    if not mech.n:
        raise InputError(f"{function}: the robot has no joint that moves. Give a robot with joints.")
    if count not in (mech.n, joints):
        expected = f"{joints} joints ({listed_names(mech.coordinates[:joints])})"
        shafts = f", or these and the shafts, {mech.n}" if mech.shafts else ""
        raise InputError(
            f"{function}: the motion has {count} coordinates, the robot {expected}{shafts}. Give one coordinate "
            "for each."
        )
    names = mech.coordinates[:count]
    stated = limits_of(robot_or_mech) if isinstance(robot_or_mech, Robot) else {}
    limits = [stated.get(joint_of(name), Limits()) for name in names]
    position = np.array([_position_range(x) for x in limits])
    speed, acceleration = (
        np.array([_limit_value(getattr(x, word)) for x in limits]) for word in ("speed", "acceleration")
    )
    units = tuple(speed_unit(mech, joint_of(name)) for name in names)
    return CoordinateProperties(tuple(names), units, position[:, 0], position[:, 1], speed, acceleration)


def joint_of(speed: str) -> str:
    """Return the joint whose limits apply to a speed: the joint itself, or the joint that the shaft drives.

    >>> joint_of("elbow.motor"), joint_of("elbow")
    ('elbow', 'elbow')
    """
    return re.sub(r"\.(motor|stage\d+)$", "", speed)


def limits_of(robot: Robot) -> Mapping[str, Limits]:
    """The limits of every joint, by name."""
    return {link.joint_name: link.joint.limits for link in robot.links}


def _limit_value(limit: Any) -> float:
    return float(limit) if limit is not None and is_number(limit) else np.inf


def _position_range(limits: Limits) -> tuple[float, float]:
    if limits.position is None or not all(is_number(x) for x in limits.position):
        return -np.inf, np.inf
    return float(limits.position[0]), float(limits.position[1])
