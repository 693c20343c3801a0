"""Motions of the joints along Cartesian paths of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.functions.dynamics import placement
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.inverse_kinematics import checked_start, descent_of
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.planning.kinematics.redundancy_criteria import Criterion
from gearwright.planning.paths.cartesian_paths import Pace, Path, arc_path, circle_path, line_path, share_of_time
from gearwright.planning.paths.pose_tracking import followed
from gearwright.planning.paths.refinement import require_speeds, timed


@check_arguments
def line(
    robot: Robot | Mechanism,
    frame: int | str,
    start: ArrayLike,
    to: Any,
    *,
    speed: float,
    acceleration: float = np.inf,
    jerk: float = np.inf,
    turn_speed: float = np.pi / 2,
    turn_acceleration: float = np.inf,
    turn_jerk: float = np.inf,
    criterion: Criterion | None = None,
    held: Sequence[str] = (),
    accuracy: float = 1e-6,
) -> Trajectory:
    """A straight line of a frame from where `start` has it to a pose, its orientation turning evenly about one axis.

    Args:
        robot: a robot, whose limits of position and speed are kept, or a machine.
        frame: the body or frame that moves.
        start: configuration at the start, (nq,), with or without shafts.
        to: a pose (rotation, position); a position (3,) keeps the orientation, (None, position) leaves it free.
        speed: largest speed of the frame's origin [m/s].
        acceleration: its largest acceleration along the path [m/s2]; a quarter of the way speeds up unless given.
        jerk: its largest jerk along the path [m/s3].
        turn_speed: largest angular speed [rad/s].
        turn_acceleration: largest angular acceleration [rad/s2].
        turn_jerk: largest angular jerk [rad/s3].
        criterion: what joints that can be spared do; None: the least joint motion.
        held: names of joints that stay.
        accuracy: how far the frame may be from the path between the configurations computed [m, rad].

    Returns:
        The motion of all coordinates; speed, acceleration, jerk and snap are continuous (an S-curve along the path,
        averaged over short times).

    >>> import gearwright as gw
    >>> arm = gw.load("ur5_like")
    >>> start = [0.1, -1.2, 1.5, 0.3, 0.8, 0.2]
    >>> R, p = gw.placement(gw.assemble(arm), start, "tool")
    >>> way = gw.planning.line(arm, "tool", start, p + [0.0, 0.1, -0.1], speed=0.5)
    >>> middle = gw.placement(gw.assemble(arm), way.at(way.duration / 2), "tool")
    >>> (middle.position - p).round(6)
    array([ 0.  ,  0.05, -0.05])
    """
    joints, q, here = _start("line", robot, frame, start)
    paces = _paces("line", speed, acceleration, jerk, turn_speed, turn_acceleration, turn_jerk)
    return _motion(robot, frame, q, line_path(here, to), paces, criterion, held, accuracy, joints)


@check_arguments
def arc(
    robot: Robot | Mechanism,
    frame: int | str,
    start: ArrayLike,
    through: ArrayLike,
    to: Any,
    *,
    speed: float,
    acceleration: float = np.inf,
    jerk: float = np.inf,
    turn_speed: float = np.pi / 2,
    turn_acceleration: float = np.inf,
    turn_jerk: float = np.inf,
    criterion: Criterion | None = None,
    held: Sequence[str] = (),
    accuracy: float = 1e-6,
) -> Trajectory:
    """The arc of a circle from where `start` has the frame through a position (3,) to a pose; else as `line`."""
    joints, q, here = _start("arc", robot, frame, start)
    paces = _paces("arc", speed, acceleration, jerk, turn_speed, turn_acceleration, turn_jerk)
    return _motion(robot, frame, q, arc_path(here, through, to), paces, criterion, held, accuracy, joints)


@check_arguments
def circle(
    robot: Robot | Mechanism,
    frame: int | str,
    start: ArrayLike,
    centre: ArrayLike,
    axis: ArrayLike,
    angle: float = 2 * np.pi,
    *,
    turning: bool = False,
    oriented: bool = True,
    speed: float,
    acceleration: float = np.inf,
    jerk: float = np.inf,
    turn_speed: float = np.pi / 2,
    turn_acceleration: float = np.inf,
    turn_jerk: float = np.inf,
    criterion: Criterion | None = None,
    held: Sequence[str] = (),
    accuracy: float = 1e-6,
) -> Trajectory:
    """A circle, or an angle [rad] of it, about an axis through a point (world axes); else as `line`.

    Args:
        robot: a robot or a machine.
        frame: the body or frame that moves.
        start: configuration at the start.
        centre: a point of the axis [m].
        axis: direction of the axis, right-handed.
        angle: how far around; a full turn unless given.
        turning: whether the frame turns with the circle; otherwise it keeps its orientation.
        oriented: whether the orientation counts at all.
        speed: largest speed of the frame's origin [m/s].
        acceleration: its largest acceleration along the path [m/s2]; a quarter of the way speeds up unless given.
        jerk: its largest jerk along the path [m/s3].
        turn_speed: largest angular speed [rad/s].
        turn_acceleration: largest angular acceleration [rad/s2].
        turn_jerk: largest angular jerk [rad/s3].
        criterion: what joints that can be spared do.
        held: names of joints that stay.
        accuracy: how far the frame may be from the path [m, rad].
    """
    joints, q, here = _start("circle", robot, frame, start)
    paces = _paces("circle", speed, acceleration, jerk, turn_speed, turn_acceleration, turn_jerk)
    path = circle_path(here, centre, axis, angle, turning, oriented)
    return _motion(robot, frame, q, path, paces, criterion, held, accuracy, joints)


def _start(function: str, robot: Robot | Mechanism, frame: int | str, start: ArrayLike) -> tuple[Joints, Array, Any]:
    machine_of(function, robot)
    joints = descent_of(robot, frame, (1.0,) * 6).joints
    q = checked_start(function, joints, start, ())[0]
    return joints, q, placement(joints.mech, q, frame)


def _paces(function: str, *given: float) -> tuple[Pace, Pace]:
    """Speed, acceleration and jerk of the origin and of the turning."""
    names = ("speed", "acceleration", "jerk", "turn_speed", "turn_acceleration", "turn_jerk")
    v, a, j, *turn = (number(function, name, x, above=0.0, infinite=True) for name, x in zip(names, given, strict=True))
    return Pace(v, a, j), Pace(*turn)


def _motion(
    robot: Robot | Mechanism,
    frame: int | str,
    q: Array,
    path: Path,
    paces: tuple[Pace, Pace],
    criterion: Criterion | None,
    held: Sequence[str],
    accuracy: float,
    joints: Joints,
) -> Trajectory:
    """The path followed at ever more instants until the frame keeps to it between them too."""
    descent = descent_of(robot, frame, path.task, tuple(held))
    law = share_of_time({"position": (path.length, paces[0]), "orientation": (path.turn * path.task[3], paces[1])})

    def configurations(share: Array) -> Array:
        return followed(descent, path.poses(share), q, criterion or Criterion(), share)

    motion = timed(descent, law, configurations, path.poses, accuracy)
    require_speeds(robot, joints, motion)
    return motion
