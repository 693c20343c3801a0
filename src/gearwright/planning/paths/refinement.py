"""Motions through configurations, refined until a frame is on its path between them."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.functions import placement
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.motion.piecewise_polynomials import hermite_interpolant, piecewise_polynomial
from gearwright.motion_demands.closed_loop_motion import closed_motion
from gearwright.parts import Robot
from gearwright.planning.kinematics.closed_loop_descent import ClosedLoopDescent
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.planning.kinematics.poses import rotation_vector, unflatten_poses
from gearwright.planning.paths.cartesian_paths import PATH_RATE_MARGIN

CONFIGURATION_COUNTS = (65, 129, 257, 513, 1025, 2049)
"""Numbers of configurations of a path, tried in sequence until the frame is on the path between them."""
SPEED_LIMIT_SLACK = 1e-9
"""Relative excess over a speed limit that counts as rounding."""


def refine_motion(
    descent: PoseDescent,
    duration: float,
    configurations: Callable[[Array], Array],
    poses: Callable[[Array], Array],
    accuracy: float,
) -> Trajectory:
    """Return the motion through `configurations(t)` with the frame at `poses(t)` (T, 12), also between instants.

    Args:
        descent: the inverse-kinematics solver.
        duration: of the motion [s].
        configurations: of all coordinates at instants, (T, nq).
        poses: of the frame at instants, flat, (T, 12).
        accuracy: largest deviation from them [m, rad].
    """
    real_number("path", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-6)
    for count in CONFIGURATION_COUNTS:
        t = np.linspace(0.0, duration, count)
        motion = rest_to_rest_spline(t, configurations(t))
        midpoints = (t[1:] + t[:-1]) / 2
        if _path_deviation(descent, motion.at(midpoints), poses(midpoints)) <= accuracy:
            return motion
    raise _deviation_error(descent, accuracy)


def motion_by_time_law(
    descent: PoseDescent,
    law: Trajectory,
    configurations: Callable[[Array], Array],
    poses: Callable[[Array], Array],
    accuracy: float,
) -> Trajectory:
    """Return the motion along a path with a time law, smooth to the fourth derivative.

    Args:
        descent: the inverse-kinematics solver.
        law: the share of the path over time, from 0 to 1 and from rest to rest.
        configurations: of all coordinates at shares, (T, nq).
        poses: of the frame at shares, flat, (T, 12).
        accuracy: largest deviation from them [m, rad].
    """
    from scipy.interpolate import make_interp_spline

    real_number("path", "accuracy", accuracy, above=0.0, unit="metres or radians", example=1e-6)
    for count in CONFIGURATION_COUNTS:
        share = np.linspace(0.0, 1.0, count)
        curve = make_interp_spline(share, configurations(share), k=5)
        motion = _chain_rule_motion(_motion_instants(law, count), law, curve)
        t = np.linspace(0.0, law.duration, 2 * count)
        path_shares = np.clip(law.at(t)[:, 0], 0.0, 1.0)
        is_off_path = _path_deviation(descent, motion.at(t), poses(path_shares)) > accuracy
        if not is_off_path and _rate_error(descent, curve, poses, count) <= PATH_RATE_MARGIN:
            break
    if is_off_path:
        raise _deviation_error(descent, accuracy)
    return motion  # a larger rate error affects the speed along the path, not the position


def with_closed_loops(descent: ClosedLoopDescent, motion: Trajectory) -> Trajectory:
    """Return the motion with the independent joints unchanged and the others closing the loops exactly."""
    closure, start = descent.closure, motion.at(0.0)
    free = closure.free_speeds(closure.constraint_state(start).rows)
    indices = [int(descent.joints.coordinate_indices[k]) for k in free.indices]
    independent = Trajectory(piecewise_polynomial(motion.pieces.c[:, :, indices], motion.pieces.x))
    return closed_motion(closure.mech, independent, start, closure.laws)


def _rate_error(descent: PoseDescent, curve: Any, poses: Callable[[Array], Array], count: int) -> float:
    """Return the largest relative speed error of the frame between the configurations."""
    s = (np.arange(count - 1) + 0.5) / (count - 1)
    step = 1e-4 / count
    (R0, p0), (R1, p1) = unflatten_poses(poses(s - step)), unflatten_poses(poses(s + step))
    path_rates = np.concatenate([p1 - p0, rotation_vector(R0, R1)], axis=1) / (2 * step)
    J = descent.jacobian(np.ascontiguousarray(curve(s)))
    rate_errors = (
        np.einsum("tij,tj->ti", J, curve.derivative()(s)[:, descent.joints.coordinate_indices]) - path_rates
    ) * descent.task
    return float(np.abs(rate_errors).max() / max(np.abs(path_rates * descent.task).max(), 1e-300))


def _motion_instants(law: Trajectory, count: int) -> Array:
    """Return the times of a motion: even ones and the knots of the time law, none too close to another."""
    even = np.linspace(0.0, law.duration, count)
    least = 0.2 * law.duration / (count - 1)
    near = np.abs(even[:, None] - law.pieces.x[None]).min(axis=1) < least
    near[[0, -1]] = False
    knots = law.pieces.x[1:-1]
    knots = knots[np.diff(knots, prepend=0.0) > least]
    return np.sort(np.concatenate([even[~near], knots[knots < law.duration - least]]))


def _chain_rule_motion(t: Array, law: Trajectory, curve: Any) -> Trajectory:
    """Return polynomials of degree 9 that match the motion and four of its derivatives at times."""
    s, s1, s2, s3, s4 = (law.at(t, k) for k in range(5))
    q, q1, q2, q3, q4 = (curve(np.clip(s[:, 0], 0.0, 1.0), k) for k in range(5))
    derivatives = [
        q,
        q1 * s1,
        q2 * s1**2 + q1 * s2,
        q3 * s1**3 + 3 * q2 * s1 * s2 + q1 * s3,
        q4 * s1**4 + 6 * q3 * s1**2 * s2 + q2 * (3 * s2**2 + 4 * s1 * s3) + q1 * s4,
    ]
    return Trajectory(hermite_interpolant(t, derivatives))


def _deviation_error(descent: PoseDescent, accuracy: float) -> PlanningError:
    return PlanningError(
        f"{descent.frame!r} deviates from its path by more than {accuracy:g} m or rad between "
        f"{CONFIGURATION_COUNTS[-1]} "
        "configurations: it passes too close to a singularity. Choose another path or start, or a larger accuracy=."
    )


def rest_to_rest_spline(t: Array, q: Array) -> Trajectory:
    """Return a motion through configurations at times, from rest to rest: a quintic spline."""
    from scipy.interpolate import PPoly, make_interp_spline

    at_rest = [(1, np.zeros(q.shape[1])), (2, np.zeros(q.shape[1]))]
    spline = make_interp_spline(t, q, k=5, bc_type=(at_rest, at_rest))
    knots = np.unique(spline.t)
    return Trajectory(PPoly(np.array([spline(knots[:-1], m) / factorial(m) for m in range(5, -1, -1)]), knots))


def _path_deviation(descent: PoseDescent, q: Array, poses: Array) -> float:
    R, p = placement(descent.joints.mech, q, descent.frame)
    S, o = unflatten_poses(poses)
    pose_errors = np.concatenate([p - o, rotation_vector(S, R)], axis=1) * descent.task
    return float(np.linalg.norm(pose_errors, axis=1).max())


def require_speed_limits(robot: Robot | Mechanism, joints: JointRanges, motion: Trajectory) -> None:
    """Raise an error if a motion exceeds speed or acceleration limits of a robot's joints."""
    if not isinstance(robot, Robot):
        return
    limits = {link.joint_name: link.joint.limits for link in robot.links}
    t = np.linspace(0.0, motion.duration, 2001)
    for derivative, (limit_name, unit) in enumerate(
        (("speed", "rad/s or m/s"), ("acceleration", "rad/s2 or m/s2")), start=1
    ):
        peaks = np.abs(motion.at(t, derivative))
        for k, name in enumerate(joints.mech.speeds):
            index, limit = joints.coordinate_indices[k], getattr(limits.get(name), limit_name, None)
            if index < 0 or limit is None:
                continue
            worst = int(peaks[:, index].argmax())
            peak_value = float(peaks[worst, index])
            if peak_value > limit * (1 + SPEED_LIMIT_SLACK):
                raise PlanningError(
                    f"joint {name!r} needs {peak_value:.4g} {unit} at {t[worst]:.3f} s; its limit is {limit:g}. "
                    f"Move {(peak_value / limit) ** (1 / derivative):.3g} times slower, or along another path."
                )
