"""Null-space motion of a redundant arm that minimises the torques of a whole motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers_by_name, real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics, placement
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.inverse_kinematics import descent_for
from gearwright.planning.kinematics.poses import flat_poses
from gearwright.planning.paths.pose_tracking import TRACKING_SQUARED_ERROR
from gearwright.planning.paths.refinement import refine_motion, require_speed_limits, rest_to_rest_spline

TORQUE_SAMPLES = 81
"""Configurations of a motion whose torques are computed."""
COEFFICIENT_STEP = 1e-5
"""Step of the finite differences of a coefficient [rad, m]."""
INFEASIBLE_MOTION_COST = 1e3
"""Cost of an infeasible motion."""


@check_arguments
def least_torque(
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    *,
    limits: ArrayLike | None = None,
    oriented: bool = True,
    coefficients: int = 6,
    power: float = 8.0,
    steps: int = 60,
    accuracy: float = 1e-6,
) -> Trajectory:
    r"""Return the same motion of a frame with null-space motion that minimises torques relative to their limits.

    The redundant joints move by $q(t) + \sum c_j B_j(t)$ with splines that start and end at rest, the others are solved
    from the pose, and the coefficients minimise $(\text{mean}\,|\tau / \text{limit}|^p)^{1/p}$ over the whole motion,
    with the exact inverse dynamics. A large p minimises the largest torque, p = 2 the mean square.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame whose motion is preserved.
        motion: a motion of all coordinates, as from `line`.
        limits: reference torque per speed, or for all; by default the limits of the robot's joints.
        oriented: whether the orientation of the frame is preserved.
        coefficients: splines per redundant joint.
        power: exponent p of the mean.
        steps: most steps of the optimisation.
        accuracy: largest deviation of the frame from its motion [m, rad].
    """
    tree_of("least_torque", robot)
    descent = descent_for(robot, frame, (1.0, 1.0, 1.0, *(3 * [float(oriented)])))
    mech = descent.joints.mech
    if mech.shafts or mech.nq != mech.n:
        raise InputError(
            "least_torque: elastic drives, free and spherical joints are not supported. Use the rigid robot."
        )
    scale = _torque_limits("least_torque", robot, mech, limits)
    whole_number("least_torque", "coefficients", coefficients, least=1)
    whole_number("least_torque", "steps", steps, least=1)
    real_number("least_torque", "power", power, least=2.0)
    spare = spare_joints(descent, motion.at(np.linspace(0.0, motion.duration, TORQUE_SAMPLES)))
    remaining_descent = descent_for(robot, frame, tuple(descent.task), tuple(mech.speeds[k] for k in spare))

    def search_at(t: Array) -> _TorqueSearch:
        q = motion.at(t)
        return _TorqueSearch(
            remaining_descent, _frame_poses(mech, q, frame), t, q, spare, _bump_functions(t, coefficients), scale, power
        )

    size = len(spare) * coefficients
    best = _minimise_costs(search_at(np.linspace(0.0, motion.duration, TORQUE_SAMPLES)).torque_costs, size, steps)[None]
    result = refine_motion(
        descent,
        motion.duration,
        lambda t: search_at(t).batch_configurations(best)[0][0],
        lambda t: _frame_poses(mech, motion.at(t), frame),
        accuracy,
    )
    require_speed_limits(robot, descent.joints, result)
    return result


def _frame_poses(mech: Mechanism, q: Array, frame: int | str) -> Array:
    return flat_poses(*placement(mech, q, frame))


@check_arguments
def torque_ratio(robot: Robot | Mechanism, motion: Trajectory, limits: ArrayLike | None = None) -> Array:
    """Return the largest |torque| of a motion over its limit, per speed (n,): above 1 the motion is infeasible.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, -0.5, 0.4], [1.2, 0.6, -0.8], 1.0)
    >>> gw.planning.torque_ratio(gw.load("elbow"), swing, limits=[40, 60, 25]).round(2)
    array([1.46, 0.82, 0.49])
    """
    mech = tree_of("torque_ratio", robot)
    m = motion.sample(1001)
    scale = _torque_limits("torque_ratio", robot, mech, limits)
    ratio: Array = np.abs(inverse_dynamics(mech, m.q, m.v, m.a) / scale).max(axis=0)
    return ratio


def spare_joints(descent: PoseDescent, q: Array) -> list[int]:
    """Return the redundant joints: those with the largest share in the null-space motion."""
    J = descent.task_jacobian(q)
    rank = int(np.linalg.matrix_rank(J[len(J) // 2], tol=1e-6))
    if rank == J.shape[-1]:
        raise InputError(
            f"least_torque: the arm is not redundant: {rank} joints for a task of {rank}. Use a redundant arm."
        )
    null = np.linalg.svd(J)[2][:, rank:, :]  # rows in the null space
    chosen: list[int] = []
    for _ in range(J.shape[-1] - rank):
        share = np.linalg.norm(null, axis=1).min(axis=0)
        share[[list(descent.moving_speeds).index(k) for k in chosen]] = -1.0
        index = int(share.argmax())
        chosen.append(int(descent.moving_speeds[index]))
        along = null[:, :, index] / np.maximum(np.linalg.norm(null[:, :, index], axis=1), 1e-12)[:, None]
        null = null - along[:, :, None] * np.einsum("ti,tij->tj", along, null)[:, None, :]
    return chosen


@dataclass(frozen=True)
class _TorqueSearch:
    """The cost of coefficients: many sets in one batch."""

    descent: PoseDescent
    poses: Array
    t: Array
    q: Array
    spare: list[int]
    bumps: Array
    scale: Array
    power: float

    def batch_configurations(self, c: Array) -> tuple[Array, Array]:
        """Return configurations (sets, T, n) and squared errors (sets, T)."""
        sets, n = len(c), self.q.shape[1]
        q = np.tile(self.q, (sets, 1, 1))
        q[:, :, self.spare] += np.einsum("skj,tj->stk", c.reshape(sets, len(self.spare), -1), self.bumps)
        flat, poses = q.reshape(-1, n), np.tile(self.poses, (sets, 1))
        solved_q, error = self.descent.descend_batch(np.ascontiguousarray(flat), poses, TRACKING_SQUARED_ERROR)
        return solved_q.reshape(q.shape), error.reshape(sets, -1)

    def torque_costs(self, c: Array) -> Array:
        """Return (mean |tau / limit|^p)^(1/p) per set, (sets,), with a penalty for infeasible sets."""
        q, error = self.batch_configurations(c)
        motion = rest_to_rest_spline(self.t, np.moveaxis(q, 0, 1).reshape(len(self.t), -1))
        v, a = (np.moveaxis(motion.at(self.t, k).reshape(len(self.t), *q.shape[::2]), 0, 1) for k in (1, 2))
        ratio = np.abs(inverse_dynamics(self.descent.joints.mech, q, v, a) / self.scale)
        size = np.mean(ratio**self.power, axis=(1, 2)) ** (1 / self.power)
        joints = self.descent.joints
        beyond = np.maximum(q - joints.upper, joints.lower - q).max(axis=(1, 2))
        missed = np.sqrt(np.where(error > TRACKING_SQUARED_ERROR, error, 0.0)).max(axis=1)
        total: Array = size + INFEASIBLE_MOTION_COST * (np.maximum(beyond, 0.0) + missed)
        return total


def _minimise_costs(costs: Callable[[Array], Array], size: int, steps: int) -> Array:
    from scipy.optimize import minimize

    steps_of_coefficients = COEFFICIENT_STEP * np.concatenate([np.eye(size), -np.eye(size)])

    def cost_and_gradient(c: Array) -> tuple[float, Array]:
        values = costs(np.concatenate([c[None], c + steps_of_coefficients]))
        return float(values[0]), (values[1 : size + 1] - values[size + 1 :]) / (2 * COEFFICIENT_STEP)

    result: Any = minimize(cost_and_gradient, np.zeros(size), jac=True, method="BFGS", options={"maxiter": steps})
    coefficients: Array = result.x
    return coefficients


def _bump_functions(t: Array, count: int) -> Array:
    """Return smooth basis functions and a step at the end, (T, count): at rest at both ends, zero at the start."""
    from scipy.interpolate import BSpline

    degree, knots = 4, count + 6 - 4
    grid = np.concatenate([np.zeros(degree), np.linspace(0.0, 1.0, knots + 1), np.ones(degree)])
    every = BSpline.design_matrix(t / t[-1], grid, degree).toarray()
    inner = every[:, 3:-3]
    ending = every[:, -3:].sum(axis=1)  # the last three together stay at one: free end, at rest
    return np.column_stack([inner, ending])[:, -count:]


def _torque_limits(function: str, robot: Robot | Mechanism, mech: Mechanism, limits: ArrayLike | None) -> Array:
    """Return the reference torque per speed (n,)."""
    if limits is not None:
        return numbers_by_name(function, "limits", limits, mech.speeds, above=0.0)
    efforts = {link.joint_name: link.joint.limits.effort for link in robot.links} if isinstance(robot, Robot) else {}
    values = [efforts.get(name) for name in mech.speeds]
    if None in values:
        missing = mech.speeds[values.index(None)]
        raise InputError(f"{function}: joint {missing!r} has no torque limit. Give limits=, one per speed.")
    return np.array(values, dtype=float)
