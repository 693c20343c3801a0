"""Null-space motion of a redundant robot that makes the time-optimal motion along a path shortest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.paths.refinement import rest_to_rest_spline
from gearwright.planning.redundancy.null_space_search import (
    INFEASIBLE_MOTION_COST,
    CandidateMotions,
    NullSpaceOptions,
    optimise_null_space,
    planned_machine,
)
from gearwright.planning.time_optimal.drive_limits import LIMITS_OF_SHEETS, DriveLimits, drive_limits
from gearwright.planning.time_optimal.fastest_motion import fastest
from gearwright.planning.time_optimal.joint_paths import path_through_motion
from gearwright.planning.time_optimal.line_actuators import LineActuator
from gearwright.planning.time_optimal.path_parametrisation import time_optimal_motion

SEARCH_INTERVALS, SEARCH_PATH_POINTS = 60, 33
"""Intervals and points of a path while null-space motions are compared."""
DURATION_STEP = 1e-3
"""Step of the finite differences of a duration by a coefficient [rad, m]: durations have an error of 1e-5."""

DEFAULT_DURATION_SEARCH = NullSpaceOptions(coefficients=4, steps=20)


@check_arguments
def least_time(
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    actuators: Mapping[str, LineActuator] | None = None,
    search: NullSpaceOptions = DEFAULT_DURATION_SEARCH,
) -> Trajectory:
    """Return the fastest motion of a frame along its path, over all null-space motions of a redundant robot.

    `fastest` gives the shortest time along one path of the joints. Here the path of the redundant joints, those that do
    not move the frame included, is a spline that starts as in `motion`, and its coefficients minimise this time. Paths
    on which the robot could not stop everywhere within its limits are avoided: their cost is the excess.

    Args:
        robot: a robot, whose own limits are the defaults, those of motors included; or a machine.
        frame: the body or frame whose path is preserved.
        motion: a motion of all coordinates from rest to rest; only its path is used.
        speed: largest speed of each joint, or of all [rad/s, m/s].
        acceleration: largest acceleration [rad/s2, m/s2].
        torque: largest torque at each joint [Nm, N].
        actuators: joint -> `LineActuator` in place of the actuator at this joint.
        search: whether the orientation is preserved, splines per redundant joint, steps, and accuracy.
    """
    planned_machine("least_time", robot)
    limits = drive_limits(
        "least_time",
        robot,
        laws=None,
        extra_laws=(),
        speed=speed,
        acceleration=acceleration,
        torque=torque,
        motors=LIMITS_OF_SHEETS,
        actuators=actuators,
    )

    def costs(candidates: CandidateMotions) -> Array:
        return np.array([_duration_or_excess(limits, candidates.t, q) for q in candidates.q]) / motion.duration

    path = optimise_null_space("least_time", robot, frame, motion, costs, search, DURATION_STEP)
    return fastest(robot, path, speed=speed, acceleration=acceleration, torque=torque, actuators=actuators)


def _duration_or_excess(limits: DriveLimits, t: Array, q: Array) -> float:
    """Return the least duration along configurations (T, n) [s]; if it is infeasible, a cost that grows with loads."""
    static_excess = float(np.abs(limits.shares_at_rest(q)).max()) - 1.0
    if static_excess < 0:
        try:
            path = path_through_motion(rest_to_rest_spline(t, q), SEARCH_PATH_POINTS)
            return time_optimal_motion("least_time", path, limits, SEARCH_INTERVALS).duration
        except PlanningError:
            pass
    return INFEASIBLE_MOTION_COST * (1.0 + max(static_excess, 0.0))
