"""Joint motions along Cartesian paths of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.functions import placement
from gearwright.functions.public_call import whole_input
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.closed_loop_descent import ClosedLoopDescent
from gearwright.planning.kinematics.inverse_kinematics import checked_start, closing_descent, descent_for
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.planning.kinematics.redundancy_criteria import Criterion
from gearwright.planning.paths.cartesian_paths import (
    CartesianPath,
    CircularPath,
    arc_path,
    circle_path,
    line_path,
    path_time_law,
)
from gearwright.planning.paths.path_limits import DEFAULT_PATH_OPTIONS, PathLimits, PathOptions
from gearwright.planning.paths.pose_tracking import follow_poses
from gearwright.planning.paths.refinement import motion_by_time_law, require_speed_limits, with_closed_loops
from gearwright.programs.closed_loops.closed_mechanism import machine_of
from gearwright.programs.dynamics_programs import PLACEMENT


@check_arguments
def line(
    robot: Robot | Mechanism,
    frame: int | str,
    start: ArrayLike,
    to: Any,
    *,
    limits: PathLimits,
    options: PathOptions = DEFAULT_PATH_OPTIONS,
) -> Trajectory:
    """Return a joint motion along a straight line of a frame from `start` to a pose, rotating evenly about one axis.

    Args:
        robot: a robot, whose limits of position and speed are respected, or a machine. Closed loops stay closed.
        frame: the body or frame that moves.
        start: configuration at the start, (nq,), with or without shafts; with closed loops the independent coordinates
            are sufficient.
        to: a pose (rotation, position); a position (3,) keeps the orientation, (None, position) leaves it free.
        limits: of speed, acceleration and jerk along the path, and of the rotation.
        options: criterion for redundant joints, fixed joints, and accuracy.

    Returns:
        The motion of all coordinates; speed, acceleration, jerk and snap are continuous (an S-curve along the path,
        averaged over short times).

    >>> import gearwright as gw
    >>> arm = gw.load("ur5_like")
    >>> start = [0.1, -1.2, 1.5, 0.3, 0.8, 0.2]
    >>> R, p = gw.placement(gw.assemble(arm), start, "tool")
    >>> way = gw.planning.line(arm, "tool", start, p + [0.0, 0.1, -0.1], limits=gw.planning.PathLimits(speed=0.5))
    >>> middle = gw.placement(gw.assemble(arm), way.at(way.duration / 2), "tool")
    >>> (middle.position - p).round(6)
    array([ 0.  ,  0.05, -0.05])
    """
    joints, q, start_pose = start_placement("line", robot, frame, start)
    return _motion_along(robot, frame, q, line_path(start_pose, to), limits, options, joints)


@check_arguments
def arc(
    robot: Robot | Mechanism,
    frame: int | str,
    start: ArrayLike,
    through: ArrayLike,
    to: Any,
    *,
    limits: PathLimits,
    options: PathOptions = DEFAULT_PATH_OPTIONS,
) -> Trajectory:
    """Return a joint motion along a circular arc from `start` through a position (3,) to a pose; see `line`."""
    joints, q, start_pose = start_placement("arc", robot, frame, start)
    return _motion_along(robot, frame, q, arc_path(start_pose, through, to), limits, options, joints)


@check_arguments
def circle(
    robot: Robot | Mechanism,
    frame: int | str,
    start: ArrayLike,
    path: CircularPath,
    *,
    limits: PathLimits,
    options: PathOptions = DEFAULT_PATH_OPTIONS,
) -> Trajectory:
    """Return a joint motion along a circle about an axis; see `line`.

    Args:
        robot: a robot or a machine.
        frame: the body or frame that moves.
        start: configuration at the start.
        path: the circle: its axis, the angle, and whether the frame turns with it.
        limits: of speed, acceleration and jerk along the path, and of the rotation.
        options: criterion for redundant joints, fixed joints, and accuracy.
    """
    joints, q, start_pose = start_placement("circle", robot, frame, start)
    return _motion_along(robot, frame, q, circle_path(start_pose, path), limits, options, joints)


def start_placement(
    function: str, robot: Robot | Mechanism, frame: int | str, start: ArrayLike
) -> tuple[JointRanges, Array, Any]:
    """Return the ranges of the joints, the whole start configuration, and the pose of the frame there."""
    joints = descent_for(robot, frame, (1.0,) * 6).joints
    if robot.loops and np.shape(start)[-1:] != (joints.mech.nq,):
        start = whole_input(PLACEMENT, machine_of(function, robot), "q", start)
    q = checked_start(function, joints, start, ())[0]
    return joints, q, placement(joints.mech, q, frame)


def _motion_along(
    robot: Robot | Mechanism,
    frame: int | str,
    q: Array,
    path: CartesianPath,
    limits: PathLimits,
    options: PathOptions,
    joints: JointRanges,
) -> Trajectory:
    """Return the motion along the path, refined until the frame is on the path between its configurations."""
    descent = closing_descent("path", robot, descent_for(robot, frame, path.task, tuple(options.held)))
    law = path_time_law(
        {
            "position": (path.length, limits.translation),
            "orientation": (path.rotation_angle * path.task[3], limits.rotation),
        }
    )

    def configurations_at(share: Array) -> Array:
        return follow_poses(descent, path.poses(share), q, options.criterion or Criterion(), share)

    motion = motion_by_time_law(descent, law, configurations_at, path.poses, options.accuracy)
    if isinstance(descent, ClosedLoopDescent):
        motion = with_closed_loops(descent, motion)
    require_speed_limits(robot, joints, motion)
    return motion
