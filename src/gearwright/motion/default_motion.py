"""A default motion that any machine can perform, for comparisons without a given motion."""

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

DEFAULT_RANGE = {"rad": 0.8, "m": 0.1}
"""Amplitude of a joint without limits about zero [rad, m]."""
MIN_LEG_DURATION = 0.5
"""Duration of each of the two moves [s], unless a speed limit requires more."""


DEFAULT_MOTION_SAMPLES = 801
"""Samples of the default motion."""


def default_motion(robot: Robot, mech: Mechanism, count: int = DEFAULT_MOTION_SAMPLES) -> Motion:
    """Return two fast moves through three points inside the joint limits, polynomials of order 7 in time.

    Each joint has its own phase. Free, spherical and planar joints stay at rest; the shaft of an elastic drive moves
    with its joint.

    Args:
        robot: the robot, whose limits are respected.
        mech: the same robot, assembled.
        count: samples.
    """
    columns = [k for k, place in enumerate(mech.layout.coordinate_of) if place >= 0]
    if not columns:
        raise InputError(
            f"robot {robot.name!r} has no joint whose speed is the rate of a coordinate, so no default motion "
            f"exists. Give a motion."
        )
    return motion_over_machine(mech, columns, default_trajectory(robot, mech, columns).sample(count))


def default_trajectory(robot: Robot, mech: Mechanism, columns: Sequence[int]) -> Trajectory:
    """Return the two moves of the speeds in these columns as a trajectory with all derivatives."""
    limits = limits_of(robot)
    joints = [joint_of(mech.speeds[k]) for k in columns]
    joint_limits = [(speed_unit(mech, joint), limits.get(joint, Limits())) for joint in joints]
    points = np.array(
        [
            _leg_points(phase, *limits_of_joint)
            for phase, limits_of_joint in zip(_joint_phases(mech, columns), joint_limits, strict=True)
        ]
    ).T
    fastest = np.array([limits_of_joint.speed or np.inf for _, limits_of_joint in joint_limits])
    travel = np.abs(np.diff(points, axis=0)).max(axis=0)
    duration = max(
        MIN_LEG_DURATION, float((35 / 16 * travel / fastest).max())
    )  # order 7 peaks at 35/16 of the mean speed
    return chain(*(polynomial(*ends, duration=duration, order=7) for ends in pairwise(points)))


def _joint_phases(mech: Mechanism, columns: Sequence[int]) -> list[float]:
    order = list(dict.fromkeys(joint_of(mech.speeds[k]) for k in columns))
    return [2.4 * order.index(joint_of(mech.speeds[k])) for k in columns]  # 2.4 rad: all joints have different phases


def _leg_points(phase: float, unit: str, limits: Limits) -> Array:
    reach, middle = DEFAULT_RANGE[unit], 0.0
    if limits.position is not None and all(is_number(x) and np.isfinite(x) for x in limits.position):
        low, high = limits.position
        reach, middle = min(reach, (high - low) / 3), min(max(0.0, (2 * low + high) / 3), (low + 2 * high) / 3)
    return middle + reach * np.sin(phase + np.array([0.0, 2.1, 4.2]))


def motion_over_machine(mech: Mechanism, columns: list[int], short: Motion) -> Motion:
    """The motion over all coordinates and speeds of the machine."""
    from gearwright.functions.dynamics import neutral

    q = np.tile(neutral(mech), (len(short.t), 1))
    v, a = np.zeros((len(short.t), mech.n)), np.zeros((len(short.t), mech.n))
    q[:, [mech.layout.coordinate_of[k] for k in columns]] = short.q
    v[:, columns], a[:, columns] = short.v, short.a
    return Motion(short.t, q, v, a)


def trajectory_over_machine(mech: Mechanism, trajectory: Trajectory, count: int) -> Motion:
    """Sample a trajectory of the joints over all coordinates and speeds; shafts move with their joints."""
    columns = [k for k in range(mech.n - len(mech.shafts)) if mech.layout.coordinate_of[k] >= 0]
    if trajectory.count != len(columns):
        raise InputError(
            f"the trajectory has {trajectory.count} coordinates, the robot {len(columns)} joints. Give one per joint."
        )
    shafts = [mech.speeds.index(name) for name in mech.shafts]
    joints = [columns.index(mech.speeds.index(joint_of(name))) for name in mech.shafts]
    short = trajectory.sample(count)
    order = [*range(len(columns)), *joints]
    full = Motion(short.t, short.q[:, order], short.v[:, order], short.a[:, order])
    return motion_over_machine(mech, [*columns, *shafts], full)
