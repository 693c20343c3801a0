"""Motions through configurations, at as many instants as it takes to keep a frame to its path between them."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.functions.functions import placement
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.descent import Descent
from gearwright.planning.joints import Joints
from gearwright.planning.poses import placed, rotation_vector

FIRST, MOST = 65, 2049
"""Configurations that a path is divided into at first, and at most."""
SLACK = 1e-9
"""Share by which a speed limit may be missed in rounding."""


def refined(
    descent: Descent,
    duration: float,
    configurations: Callable[[Array], Array],
    poses: Callable[[Array], Array],
    accuracy: float,
) -> Trajectory:
    """The motion through `configurations(t)` that keeps its frame at `poses(t)` (T, 12) between them too.

    Args:
        descent: what places the frame.
        duration: of the motion [s].
        configurations: of all coordinates at instants, (T, nq).
        poses: of the frame at instants, flat, (T, 12).
        accuracy: how far it may be from them [m, rad].
    """
    number("path", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-6)
    count = FIRST
    while True:
        t = np.linspace(0.0, duration, count)
        motion = through(t, configurations(t))
        between = (t[1:] + t[:-1]) / 2
        if _deviation(descent, motion.at(between), poses(between)) <= accuracy:
            return motion
        if count >= MOST:
            raise PlanningError(
                f"{descent.frame!r} strays from its path by more than {accuracy:g} m or rad between {count} "
                "configurations: it passes too close to a singularity. Choose another path, another start, or a larger "
                "accuracy=."
            )
        count = 2 * count - 1


def through(t: Array, q: Array) -> Trajectory:
    """The smoothest motion through configurations at times, from rest to rest: a spline of order 5."""
    from scipy.interpolate import PPoly, make_interp_spline

    still = [(1, np.zeros(q.shape[1])), (2, np.zeros(q.shape[1]))]
    spline = make_interp_spline(t, q, k=5, bc_type=(still, still))
    knots = np.unique(spline.t)
    return Trajectory(PPoly(np.array([spline(knots[:-1], m) / factorial(m) for m in range(5, -1, -1)]), knots))


def _deviation(descent: Descent, q: Array, poses: Array) -> float:
    R, p = placement(descent.joints.mech, q, descent.frame)
    S, o = placed(poses)
    apart = np.concatenate([p - o, rotation_vector(S, R)], axis=1) * descent.task
    return float(np.linalg.norm(apart, axis=1).max())


def require_speeds(robot: Robot | Mechanism, joints: Joints, motion: Trajectory) -> None:
    """A motion keeps the speed limits of a robot's joints, or an error says which it does not and by how much."""
    if not isinstance(robot, Robot):
        return
    limits = {link.joint_name: link.joint.limits.speed for link in robot.links}
    t = np.linspace(0.0, motion.duration, 2001)
    peaks = np.abs(motion.at(t, 1))
    for k, name in enumerate(joints.mech.speeds):
        where, limit = joints.coordinates[k], limits.get(name)
        if where < 0 or limit is None:
            continue
        worst = int(peaks[:, where].argmax())
        fastest = float(peaks[worst, where])
        if fastest > limit * (1 + SLACK):
            raise PlanningError(
                f"joint {name!r} would need {fastest:.4g} rad/s or m/s at {t[worst]:.3f} s, its limit is {limit:g}. "
                f"Move {fastest / limit:.3g} times slower, or along another path."
            )
