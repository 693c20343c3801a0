"""Distributed positioning: slow joints perform the smooth part of a motion, fast joints the remainder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.functions import placement
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.inverse_kinematics import descent_for
from gearwright.planning.kinematics.poses import flat_poses
from gearwright.planning.paths.pose_tracking import TRACKING_SQUARED_ERROR
from gearwright.planning.paths.refinement import refine_motion, require_speed_limits
from gearwright.text import listed_names


@check_arguments
def distributed_positioning(
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    slow: Sequence[str],
    window: float,
    *,
    oriented: bool = True,
    accuracy: float = 1e-6,
) -> Trajectory:
    """Return the same motion of a frame with smoothed slow joints and compensating fast joints.

    The slow joints (those of a macro arm: heavy, with weak accelerations) move along the moving average of their motion
    over a time window, which limits their accelerations; the fast joints (of a micro arm) are solved so that the frame
    moves exactly as before. The slow joints start half a window before the frame and stop half a window after it, so
    the result is longer by `window`.

    Args:
        robot: a robot, whose limits are respected, or a machine.
        frame: the body or frame whose motion is preserved.
        motion: a motion of all coordinates, as from `line`.
        slow: names of the slow joints.
        window: time over which they are averaged [s].
        oriented: whether the orientation of the frame is preserved.
        accuracy: largest deviation of the frame from its motion [m, rad].
    """
    window = real_number("distributed_positioning", "window", window, above=0.0, unit="seconds", example=0.2)
    tree_of("distributed_positioning", robot)
    descent = descent_for(robot, frame, (1.0, 1.0, 1.0, *(3 * [float(oriented)])), tuple(slow))
    joints, mech = descent.joints, descent.joints.mech
    if motion.at(0.0).shape != (mech.nq,) or mech.nq != mech.n:
        raise InputError(
            f"distributed_positioning: the motion has {motion.at(0.0).shape[-1]} coordinates, the machine {mech.nq}. "
            "Give a motion of all of them; free and spherical joints cannot be smoothed."
        )
    if not slow:
        raise InputError("distributed_positioning: slow= is empty. Give the names of the slow joints.")
    slow_indices = joints.coordinate_indices[[mech.speeds.index(name) for name in slow]]

    def poses_at(t: Array) -> Array:
        R, p = placement(mech, motion.at(t - window / 2), frame)
        return flat_poses(R, p)

    def configurations_at(t: Array) -> Array:
        q = motion.at(t - window / 2)
        q[:, slow_indices] = moving_average(motion, t - window / 2, window)[:, slow_indices]
        solved_q, error = descent.descend_batch(np.ascontiguousarray(q), poses_at(t), TRACKING_SQUARED_ERROR)
        _require_solved(error, t, frame, slow, window)
        return joints.with_unloaded_shafts(solved_q)

    result = refine_motion(descent, motion.duration + window, configurations_at, poses_at, accuracy)
    require_speed_limits(robot, joints, result)
    return result


def moving_average(motion: Trajectory, t: Array, window: float) -> Array:
    """Return the exact moving average of a motion, with rest before and after, over a window at times, (T, n)."""
    antiderivative = motion.pieces.antiderivative()
    duration, first, last = motion.duration, motion.at(0.0), motion.at(motion.duration)

    def integral_to(x: Array) -> Array:
        """Return the integral from the start to x, with rest before and after."""
        inside: Array = antiderivative(np.clip(x, 0.0, duration))
        return inside + np.minimum(x, 0.0)[:, None] * first + np.maximum(x - duration, 0.0)[:, None] * last

    return (integral_to(t + window / 2) - integral_to(t - window / 2)) / window


def _require_solved(error: Array, t: Array, frame: int | str, slow: Sequence[str], window: float) -> None:
    unsolved = np.flatnonzero(error > TRACKING_SQUARED_ERROR)
    if len(unsolved):
        k = int(unsolved[0])
        raise PlanningError(
            f"distributed_positioning: at {t[k]:.3f} s the fast joints do not attain the pose of {frame!r}: error "
            f"{np.sqrt(error[k]):.3g} "
            f"m or rad with {listed_names(slow)} smoothed. Use a window shorter than {window:g} s, or fewer slow "
            "joints."
        )
