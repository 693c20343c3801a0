"""Motions through configurations, at as many instants as it takes to keep a frame to its path between them."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.functions.dynamics import placement
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.motion.piecewise_polynomials import meeting
from gearwright.parts import Robot
from gearwright.planning.kinematics.descent import Descent
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.planning.kinematics.poses import placed, rotation_vector
from gearwright.planning.paths.cartesian_paths import KEPT

COUNTS = (65, 129, 257, 513, 1025, 2049)
"""Configurations that a path is divided into: ever more until the frame keeps to it between them."""
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
    for count in COUNTS:
        t = np.linspace(0.0, duration, count)
        motion = through(t, configurations(t))
        between = (t[1:] + t[:-1]) / 2
        if _deviation(descent, motion.at(between), poses(between)) <= accuracy:
            return motion
    raise _straying(descent, accuracy)


def timed(
    descent: Descent,
    law: Trajectory,
    configurations: Callable[[Array], Array],
    poses: Callable[[Array], Array],
    accuracy: float,
) -> Trajectory:
    """The motion along a path whose share is run through by a law of time, smooth to the fourth derivative.

    Args:
        descent: what places the frame.
        law: the share of the path over time, from 0 to 1 and from rest to rest.
        configurations: of all coordinates at shares, (T, nq).
        poses: of the frame at shares, flat, (T, 12).
        accuracy: how far it may be from them [m, rad].
    """
    from scipy.interpolate import make_interp_spline

    number("path", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-6)
    for count in COUNTS:
        share = np.linspace(0.0, 1.0, count)
        curve = make_interp_spline(share, configurations(share), k=5)
        motion = _joined(_instants(law, count), law, curve)
        t = np.linspace(0.0, law.duration, 2 * count)
        between = np.clip(law.at(t)[:, 0], 0.0, 1.0)
        strays = _deviation(descent, motion.at(t), poses(between)) > accuracy
        if not strays and _rate_error(descent, curve, poses, count) <= KEPT:
            break
    if strays:
        raise _straying(descent, accuracy)
    return motion  # where its rate is off by more, only the speed along the path is, not the place


def _rate_error(descent: Descent, curve: Any, poses: Callable[[Array], Array], count: int) -> float:
    """How much faster than the path itself the frame is between the configurations, as a share."""
    s = (np.arange(count - 1) + 0.5) / (count - 1)
    step = 1e-4 / count
    (R0, p0), (R1, p1) = placed(poses(s - step)), placed(poses(s + step))
    wanted = np.concatenate([p1 - p0, rotation_vector(R0, R1)], axis=1) / (2 * step)
    J = descent.jacobian(np.ascontiguousarray(curve(s)))
    apart = (np.einsum("tij,tj->ti", J, curve.derivative()(s)[:, descent.joints.coordinates]) - wanted) * descent.task
    return float(np.abs(apart).max() / max(np.abs(wanted * descent.task).max(), 1e-300))


def _instants(law: Trajectory, count: int) -> Array:
    """Times that a motion is computed at: even ones and the knots of the law, none too close to another."""
    even = np.linspace(0.0, law.duration, count)
    least = 0.2 * law.duration / (count - 1)
    near = np.abs(even[:, None] - law.pieces.x[None]).min(axis=1) < least
    near[[0, -1]] = False
    own = law.pieces.x[1:-1]
    own = own[np.diff(own, prepend=0.0) > least]
    return np.sort(np.concatenate([even[~near], own[own < law.duration - least]]))


def _joined(t: Array, law: Trajectory, curve: Any) -> Trajectory:
    """Polynomials of degree 9 that meet the motion and four of its derivatives, by the chain rule, at times."""
    s, s1, s2, s3, s4 = (law.at(t, k) for k in range(5))
    q, q1, q2, q3, q4 = (curve(np.clip(s[:, 0], 0.0, 1.0), k) for k in range(5))
    derivatives = [
        q,
        q1 * s1,
        q2 * s1**2 + q1 * s2,
        q3 * s1**3 + 3 * q2 * s1 * s2 + q1 * s3,
        q4 * s1**4 + 6 * q3 * s1**2 * s2 + q2 * (3 * s2**2 + 4 * s1 * s3) + q1 * s4,
    ]
    return Trajectory(meeting(t, derivatives))


def _straying(descent: Descent, accuracy: float) -> PlanningError:
    return PlanningError(
        f"{descent.frame!r} strays from its path by more than {accuracy:g} m or rad between {COUNTS[-1]} "
        "configurations: it passes too close to a singularity. Choose another path or start, or a larger accuracy=."
    )


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
    """A motion keeps the speeds and accelerations of a robot's joints, or an error says which not and by how much."""
    if not isinstance(robot, Robot):
        return
    limits = {link.joint_name: link.joint.limits for link in robot.links}
    t = np.linspace(0.0, motion.duration, 2001)
    for derivative, (word, unit) in enumerate((("speed", "rad/s or m/s"), ("acceleration", "rad/s2 or m/s2")), start=1):
        peaks = np.abs(motion.at(t, derivative))
        for k, name in enumerate(joints.mech.speeds):
            where, limit = joints.coordinates[k], getattr(limits.get(name), word, None)
            if where < 0 or limit is None:
                continue
            worst = int(peaks[:, where].argmax())
            most = float(peaks[worst, where])
            if most > limit * (1 + SLACK):
                raise PlanningError(
                    f"joint {name!r} would need {most:.4g} {unit} at {t[worst]:.3f} s, its limit is {limit:g}. "
                    f"Move {(most / limit) ** (1 / derivative):.3g} times slower, or along another path."
                )
