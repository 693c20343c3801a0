"""A motion that any machine can do, for comparisons when nobody gives one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gearwright.algebra import is_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.mechanism.units import speed_unit
from gearwright.motion.chaining import chain
from gearwright.motion.joint_names_and_units import joint_of, limits_of
from gearwright.motion.polynomials import polynomial
from gearwright.motion.trajectory import Motion, Trajectory
from gearwright.parts import Limits, Robot

REACH = {"rad": 0.8, "m": 0.1}
"""How far a joint without limits goes from its zero [rad, m]."""
SHORTEST = 0.5
"""Duration of one of the two ways [s], unless a speed limit asks for more."""


TOUR = 801
"""Samples of the default motion."""


def tour(robot: Robot, mech: Mechanism, count: int = TOUR) -> Motion:
    """Two fast ways through three points inside the joints' limits, each joint at its own phase, order 7 in time.

    Free, spherical and planar joints rest; the shaft of an elastic drive moves with its joint.

    Args:
        robot: the robot, whose limits are kept.
        mech: the same robot, assembled.
        count: samples.
    """
    columns = [k for k, place in enumerate(mech.layout.coordinate_of) if place >= 0]
    if not columns:
        raise InputError(
            f"robot {robot.name!r} has no joint whose speeds are rates of coordinates: there is nothing to move."
        )
    return spread(mech, columns, ways(robot, mech, columns).sample(count))


def ways(robot: Robot, mech: Mechanism, columns: Sequence[int]) -> Trajectory:
    """The two ways of the speeds in these columns as a trajectory, with all its derivatives."""
    limits = limits_of(robot)
    joints = [joint_of(mech.speeds[k]) for k in columns]
    own = [(speed_unit(mech, joint), limits.get(joint, Limits())) for joint in joints]
    points = np.array([_points(phase, *known) for phase, known in zip(_phases(mech, columns), own, strict=True)]).T
    fastest = np.array([known.speed or np.inf for _, known in own])
    way = np.abs(np.diff(points, axis=0)).max(axis=0)
    duration = max(SHORTEST, float((35 / 16 * way / fastest).max()))  # order 7 peaks at 35/16 of the mean speed
    return chain(*(polynomial(*ends, duration=duration, order=7) for ends in pairwise(points)))


def _phases(mech: Mechanism, columns: Sequence[int]) -> list[float]:
    order = list(dict.fromkeys(joint_of(mech.speeds[k]) for k in columns))
    return [2.4 * order.index(joint_of(mech.speeds[k])) for k in columns]  # 2.4 rad: no two joints move alike


def _points(phase: float, unit: str, limits: Limits) -> Array:
    reach, middle = REACH[unit], 0.0
    if limits.position is not None and all(is_number(x) and np.isfinite(x) for x in limits.position):
        low, high = limits.position
        reach, middle = min(reach, (high - low) / 3), min(max(0.0, (2 * low + high) / 3), (low + 2 * high) / 3)
    return middle + reach * np.sin(phase + np.array([0.0, 2.1, 4.2]))


def spread(mech: Mechanism, columns: list[int], short: Motion) -> Motion:
    """The motion over all coordinates and speeds of the machine."""
    from gearwright.functions.dynamics import neutral

    q = np.tile(neutral(mech), (len(short.t), 1))
    v, a = np.zeros((len(short.t), mech.n)), np.zeros((len(short.t), mech.n))
    q[:, [mech.layout.coordinate_of[k] for k in columns]] = short.q
    v[:, columns], a[:, columns] = short.v, short.a
    return Motion(short.t, q, v, a)


def over_all(mech: Mechanism, way: Trajectory, count: int) -> Motion:
    """A trajectory of the joints over all coordinates and speeds; shafts of elastic drives go with their joints."""
    columns = [k for k in range(mech.n - len(mech.shafts)) if mech.layout.coordinate_of[k] >= 0]
    if way.count != len(columns):
        raise InputError(f"the trajectory has {way.count} coordinates, the robot {len(columns)} joints.")
    shafts = [mech.speeds.index(name) for name in mech.shafts]
    joints = [columns.index(mech.speeds.index(joint_of(name))) for name in mech.shafts]
    short = way.sample(count)
    order = [*range(len(columns)), *joints]
    full = Motion(short.t, short.q[:, order], short.v[:, order], short.a[:, order])
    return spread(mech, [*columns, *shafts], full)
