"""Search over the null-space motion of a redundant robot: splines of its redundant joints that minimise a cost.

A joint is redundant if the motion of the frame does not determine it. This includes joints that do not move the frame
at all (internal redundancy: counterweights, moving attachments, variable ratios).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import placement
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.inverse_kinematics import descent_for
from gearwright.planning.kinematics.poses import flat_poses
from gearwright.planning.paths.pose_tracking import TRACKING_SQUARED_ERROR
from gearwright.planning.paths.refinement import refine_motion, require_speed_limits, rest_to_rest_spline

SEARCH_SAMPLES = 81
"""Configurations of a motion at which costs are evaluated."""
INFEASIBLE_MOTION_COST = 1e3
"""Cost of an infeasible motion."""


class CandidateMotions(NamedTuple):
    """Several motions at the same times: t (T,), and q, v, a (sets, T, n)."""

    t: Array
    q: Array
    v: Array
    a: Array


MotionCosts: TypeAlias = Callable[[CandidateMotions], Array]
"""Costs (sets,) of candidate motions."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class NullSpaceOptions:
    """Options of the search for the null-space motion of a redundant robot.

    Args:
        oriented: whether the orientation of the frame is preserved.
        coefficients: splines per redundant joint.
        steps: most steps of the optimisation.
        accuracy: largest deviation of the frame from its motion [m, rad].

    >>> NullSpaceOptions(oriented=False).steps
    60
    """

    oriented: bool = True
    coefficients: int = 6
    steps: int = 60
    accuracy: float = 1e-6


def planned_machine(function: str, robot: Robot | Mechanism) -> Mechanism:
    """Return the machine of a robot whose drives are rigid and whose joints have one coordinate per speed."""
    mech = tree_of(function, robot)
    if mech.shafts or mech.nq != mech.n:
        raise InputError(
            f"{function}: elastic drives, free and spherical joints are not supported. Use the rigid robot."
        )
    return mech


def optimise_null_space(
    function: str,
    robot: Robot | Mechanism,
    frame: int | str,
    motion: Trajectory,
    costs: MotionCosts,
    options: NullSpaceOptions,
    coefficient_step: float = 1e-5,
) -> Trajectory:
    """Return the same motion of a frame with the null-space motion of least cost.

    `coefficient_step` is the step of the finite differences of a coefficient [rad, m].
    """
    whole_number(function, "coefficients", options.coefficients, least=1)
    whole_number(function, "steps", options.steps, least=1)
    descent = descent_for(robot, frame, (1.0, 1.0, 1.0, *(3 * [float(options.oriented)])))
    mech = descent.joints.mech
    if motion.count != mech.n:
        raise InputError(
            f"{function}: the motion has {motion.count} coordinates, the machine {mech.n}. Give a motion of all."
        )
    instants = np.linspace(0.0, motion.duration, SEARCH_SAMPLES)
    spare = spare_joints(function, descent, motion.at(instants))
    remaining = descent_for(robot, frame, tuple(descent.task), tuple(mech.speeds[k] for k in spare))

    def frame_poses(t: Array) -> Array:
        return flat_poses(*placement(mech, motion.at(t), frame))

    def search_at(t: Array) -> _NullSpaceSearch:
        bumps = _bump_functions(t, options.coefficients)
        return _NullSpaceSearch(remaining, frame_poses(t), t, motion.at(t), spare, bumps, costs)

    best = _minimise_costs(search_at(instants), options.steps, coefficient_step)[None]
    result = refine_motion(
        descent,
        motion.duration,
        lambda t: search_at(t).batch_configurations(best)[0][0],
        frame_poses,
        options.accuracy,
    )
    require_speed_limits(robot, descent.joints, result)
    return result


def spare_joints(function: str, descent: PoseDescent, q: Array) -> list[int]:
    """Return the redundant joints: those with the largest share in the null-space motion."""
    J = descent.jacobian(np.ascontiguousarray(q))[..., descent.task > 0, :]
    rank = int(np.linalg.matrix_rank(J[len(J) // 2], tol=1e-6))
    count = J.shape[-1]
    if rank == count:
        raise InputError(f"{function}: the robot has {count} joints for a task of {rank}. Use a redundant robot.")
    null = np.linalg.svd(J)[2][:, rank:, :]  # rows in the null space
    chosen: list[int] = []
    for _ in range(count - rank):
        share = np.linalg.norm(null, axis=1).min(axis=0)
        share[chosen] = -1.0
        index = int(share.argmax())
        chosen.append(index)
        along = null[:, :, index] / np.maximum(np.linalg.norm(null[:, :, index], axis=1), 1e-12)[:, None]
        null = null - along[:, :, None] * np.einsum("ti,tij->tj", along, null)[:, None, :]
    return chosen


@dataclass(frozen=True)
class _NullSpaceSearch:
    """The cost of coefficients: many sets in one batch."""

    descent: PoseDescent
    poses: Array
    t: Array
    q: Array
    spare: list[int]
    bumps: Array
    costs: MotionCosts

    def batch_configurations(self, c: Array) -> tuple[Array, Array]:
        """Return configurations (sets, T, n) and squared errors (sets, T)."""
        sets, n = len(c), self.q.shape[1]
        q = np.tile(self.q, (sets, 1, 1))
        q[:, :, self.spare] += np.einsum("skj,tj->stk", c.reshape(sets, len(self.spare), -1), self.bumps)
        flat, poses = q.reshape(-1, n), np.tile(self.poses, (sets, 1))
        solved_q, error = self.descent.descend_batch(np.ascontiguousarray(flat), poses, TRACKING_SQUARED_ERROR)
        return solved_q.reshape(q.shape), error.reshape(sets, -1)

    @property
    def coefficient_bounds(self) -> Array:
        """Bounds of the coefficients (size, 2) within which the redundant joints keep their limits.

        The functions B_j are not negative and add up to at most 1, so that lower - q(t) <= c_j <= upper - q(t) wherever
        B_j is not zero is sufficient.
        """
        joints, active = self.descent.joints, self.bumps.T > 0
        bounds = []
        for k in self.spare:
            q = np.where(active, self.q[:, k], np.nan)
            bounds += [
                np.column_stack(
                    [
                        np.minimum(joints.lower[k] - np.nanmin(q, axis=1), 0.0),
                        np.maximum(joints.upper[k] - np.nanmax(q, axis=1), 0.0),
                    ]
                )
            ]
        return np.concatenate(bounds)

    def total_costs(self, c: Array) -> Array:
        """Return the cost per set, (sets,), with a penalty for unattained poses and positions beyond limits."""
        q, error = self.batch_configurations(c)
        motion = rest_to_rest_spline(self.t, np.moveaxis(q, 0, 1).reshape(len(self.t), -1))
        v, a = (np.moveaxis(motion.at(self.t, k).reshape(len(self.t), *q.shape[::2]), 0, 1) for k in (1, 2))
        joints = self.descent.joints
        excess = np.maximum(q - joints.upper, joints.lower - q)
        excess[:, :, self.spare] = 0.0  # kept by the bounds of the coefficients
        missed = np.sqrt(np.where(error > TRACKING_SQUARED_ERROR, error, 0.0)).max(axis=1)
        total: Array = self.costs(CandidateMotions(self.t, q, v, a)) + INFEASIBLE_MOTION_COST * (
            np.maximum(excess.max(axis=(1, 2)), 0.0) + missed
        )
        return total


def _minimise_costs(search: _NullSpaceSearch, steps: int, step: float) -> Array:
    from scipy.optimize import minimize

    bounds = search.coefficient_bounds
    size = len(bounds)
    steps_of_coefficients = step * np.concatenate([np.eye(size), -np.eye(size)])

    def cost_and_gradient(c: Array) -> tuple[float, Array]:
        values = search.total_costs(np.concatenate([c[None], c + steps_of_coefficients]))
        return float(values[0]), (values[1 : size + 1] - values[size + 1 :]) / (2 * step)

    result: Any = minimize(
        cost_and_gradient,
        np.zeros(size),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": steps, "maxfun": 3 * steps},
    )
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
