"""Distributed positioning: large slow joints do the smooth part of a motion, small fast ones the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.functions.dynamics import placement
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.inverse_kinematics import descent_of
from gearwright.planning.kinematics.poses import flat_poses
from gearwright.planning.paths.pose_tracking import GOAL
from gearwright.planning.paths.refinement import refined, require_speeds
from gearwright.text import listed


@check_arguments
def distribute(
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    slow: Sequence[str],
    window: float,
    *,
    oriented: bool = True,
    accuracy: float = 1e-6,
) -> Trajectory:
    """The same motion of a frame with its slow joints smoothed and its fast ones doing the rest.

    The slow joints (those of a macro arm: heavy, with weak accelerations) move along the average of their motion over
    a window of time, which cannot ask for accelerations faster than it; the fast joints (of a micro arm) are solved so
    that the frame moves exactly as before. The slow joints start half a window before the frame and stop as much
    after it, so that the result takes `window` longer.

    Args:
        robot: a robot, whose limits are kept, or a machine.
        frame: the body or frame whose motion stays.
        motion: a motion of all coordinates, such as `line` gives.
        slow: names of the slow joints.
        window: time over which they are averaged [s].
        oriented: whether the frame's orientation counts.
        accuracy: how far the frame may be from its motion between the configurations computed [m, rad].
    """
    window = number("distribute", "window", window, above=0.0, unit="seconds", example=0.2)
    machine_of("distribute", robot)
    descent = descent_of(robot, frame, (1.0, 1.0, 1.0, *(3 * [float(oriented)])), tuple(slow))
    joints, mech = descent.joints, descent.joints.mech
    if motion.at(0.0).shape != (mech.nq,) or mech.nq != mech.n:
        raise InputError(
            f"distribute: the motion has {motion.at(0.0).shape[-1]} coordinates, the machine {mech.nq}. Give a motion "
            "of all of them; free and spherical joints cannot be smoothed."
        )
    if not slow:
        raise InputError("distribute: slow= names no joint. Name those that are to move smoothly.")
    where = joints.coordinates[[mech.speeds.index(name) for name in slow]]

    def poses(t: Array) -> Array:
        R, p = placement(mech, motion.at(t - window / 2), frame)
        return flat_poses(R, p)

    def configurations(t: Array) -> Array:
        q = motion.at(t - window / 2)
        q[:, where] = averaged(motion, t - window / 2, window)[:, where]
        found, error = descent.many(np.ascontiguousarray(q), poses(t), GOAL)
        _require_reached(error, t, frame, slow, window)
        return joints.rested(found)

    result = refined(descent, motion.duration + window, configurations, poses, accuracy)
    require_speeds(robot, joints, result)
    return result


def averaged(motion: Trajectory, t: Array, window: float) -> Array:
    """The mean of a motion, with its rests before and after, over a window around times, (T, n): exact."""
    whole = motion.pieces.antiderivative()
    duration, first, last = motion.duration, motion.at(0.0), motion.at(motion.duration)

    def total(x: Array) -> Array:
        """The integral from the start to x, rests included."""
        inside: Array = whole(np.clip(x, 0.0, duration))
        return inside + np.minimum(x, 0.0)[:, None] * first + np.maximum(x - duration, 0.0)[:, None] * last

    return (total(t + window / 2) - total(t - window / 2)) / window


def _require_reached(error: Array, t: Array, frame: int | str, slow: Sequence[str], window: float) -> None:
    lost = np.flatnonzero(error > GOAL)
    if len(lost):
        k = int(lost[0])
        raise PlanningError(
            f"distribute: at {t[k]:.3f} s the fast joints alone miss the pose of {frame!r} by {np.sqrt(error[k]):.3g} "
            f"m or rad while {listed(slow)} move smoothly. Use a window shorter than {window:g} s, or fewer slow "
            "joints."
        )
