"""Internal motion of a redundant arm that makes the torques of a whole motion least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, one_or_each, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics, placement
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion import Trajectory
from gearwright.parts import Robot
from gearwright.planning.kinematics.descent import Descent
from gearwright.planning.kinematics.inverse_kinematics import descent_of
from gearwright.planning.kinematics.poses import flat_poses
from gearwright.planning.paths.pose_tracking import GOAL
from gearwright.planning.paths.refinement import refined, require_speeds, through

SAMPLES = 81
"""Configurations of a motion whose torques are computed."""
NUDGE = 1e-5
"""Change of a coefficient that gives a slope [rad, m]."""
FORBIDDEN = 1e3
"""What a motion costs that cannot be done."""


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
    r"""The same motion of a frame with the spare joints moving so that torques relative to their limits are least.

    The spare joints get $q(t) + \sum c_j B_j(t)$ with splines that start and end at rest, the others are solved from
    the pose, and the coefficients minimise $(\text{mean}\,|\tau / \text{limit}|^p)^{1/p}$ over the whole motion, with
    the exact inverse dynamics. A large p makes the largest torque small, p = 2 the mean square.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame whose motion stays.
        motion: a motion of all coordinates, such as `line` gives; it may start anywhere and end elsewhere.
        limits: per speed, or for all, the torque that counts as one; those of the robot's joints unless given.
        oriented: whether the frame's orientation counts.
        coefficients: splines per spare joint.
        power: the p of the mean.
        steps: of the optimisation at most.
        accuracy: how far the frame may be from its motion between the configurations computed [m, rad].
    """
    machine_of("least_torque", robot)
    descent = descent_of(robot, frame, (1.0, 1.0, 1.0, *(3 * [float(oriented)])))
    mech = descent.joints.mech
    if mech.shafts or mech.nq != mech.n:
        raise InputError("least_torque: elastic drives, free and spherical joints are refused. Use the rigid robot.")
    scale = _limits("least_torque", robot, mech, limits)
    whole("least_torque", "coefficients", coefficients, least=1)
    whole("least_torque", "steps", steps, least=1)
    number("least_torque", "power", power, least=2.0)
    spare = spare_joints(descent, motion.at(np.linspace(0.0, motion.duration, SAMPLES)))
    others = descent_of(robot, frame, tuple(descent.task), tuple(mech.speeds[k] for k in spare))

    def search(t: Array) -> _Search:
        q = motion.at(t)
        return _Search(others, _poses(mech, q, frame), t, q, spare, _bumps(t, coefficients), scale, power)

    size = len(spare) * coefficients
    best = _minimised(search(np.linspace(0.0, motion.duration, SAMPLES)).costs, size, steps)[None]
    result = refined(
        descent,
        motion.duration,
        lambda t: search(t).configurations(best)[0][0],
        lambda t: _poses(mech, motion.at(t), frame),
        accuracy,
    )
    require_speeds(robot, descent.joints, result)
    return result


def _poses(mech: Mechanism, q: Array, frame: int | str) -> Array:
    return flat_poses(*placement(mech, q, frame))


@check_arguments
def torque_ratio(robot: Robot | Mechanism, motion: Trajectory, limits: ArrayLike | None = None) -> Array:
    """Largest |torque| of a motion over its limit, per speed (n,): above 1 the actuators forbid the motion.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, -0.5, 0.4], [1.2, 0.6, -0.8], 1.0)
    >>> gw.planning.torque_ratio(gw.load("elbow"), swing, limits=[40, 60, 25]).round(2)
    array([1.46, 0.82, 0.49])
    """
    mech = machine_of("torque_ratio", robot)
    m = motion.sample(1001)
    scale = _limits("torque_ratio", robot, mech, limits)
    found: Array = np.abs(inverse_dynamics(mech, m.q, m.v, m.a) / scale).max(axis=0)
    return found


def spare_joints(descent: Descent, q: Array) -> list[int]:
    """Speeds to choose freely, as many as the arm can spare: those that its internal motion moves most throughout."""
    J = descent.task_jacobian(q)
    rank = int(np.linalg.matrix_rank(J[len(J) // 2], tol=1e-6))
    if rank == J.shape[-1]:
        raise InputError(f"least_torque: the arm cannot spare a joint: {rank} joints for a task of {rank}.")
    null = np.linalg.svd(J)[2][:, rank:, :]  # rows that move nothing
    chosen: list[int] = []
    for _ in range(J.shape[-1] - rank):
        share = np.linalg.norm(null, axis=1).min(axis=0)
        share[[list(descent.moving).index(k) for k in chosen]] = -1.0
        pick = int(share.argmax())
        chosen.append(int(descent.moving[pick]))
        along = null[:, :, pick] / np.maximum(np.linalg.norm(null[:, :, pick], axis=1), 1e-12)[:, None]
        null = null - along[:, :, None] * np.einsum("ti,tij->tj", along, null)[:, None, :]
    return chosen


@dataclass(frozen=True)
class _Search:
    """The cost of coefficients: many sets at once, all their configurations in one batch."""

    descent: Descent
    poses: Array
    t: Array
    q: Array
    spare: list[int]
    bumps: Array
    scale: Array
    power: float

    def configurations(self, c: Array) -> tuple[Array, Array]:
        """Configurations (sets, T, n) and squared errors (sets, T)."""
        sets, n = len(c), self.q.shape[1]
        q = np.tile(self.q, (sets, 1, 1))
        q[:, :, self.spare] += np.einsum("skj,tj->stk", c.reshape(sets, len(self.spare), -1), self.bumps)
        flat, poses = q.reshape(-1, n), np.tile(self.poses, (sets, 1))
        found, error = self.descent.many(np.ascontiguousarray(flat), poses, GOAL)
        return found.reshape(q.shape), error.reshape(sets, -1)

    def costs(self, c: Array) -> Array:
        """(mean |tau / limit|^p)^(1/p) per set, and much where a pose or a limit is missed, (sets,)."""
        q, error = self.configurations(c)
        way = through(self.t, np.moveaxis(q, 0, 1).reshape(len(self.t), -1))
        v, a = (np.moveaxis(way.at(self.t, k).reshape(len(self.t), *q.shape[::2]), 0, 1) for k in (1, 2))
        ratio = np.abs(inverse_dynamics(self.descent.joints.mech, q, v, a) / self.scale)
        size = np.mean(ratio**self.power, axis=(1, 2)) ** (1 / self.power)
        joints = self.descent.joints
        beyond = np.maximum(q - joints.upper, joints.lower - q).max(axis=(1, 2))
        missed = np.sqrt(np.where(error > GOAL, error, 0.0)).max(axis=1)
        found: Array = size + FORBIDDEN * (np.maximum(beyond, 0.0) + missed)
        return found


def _minimised(costs: Callable[[Array], Array], size: int, steps: int) -> Array:
    from scipy.optimize import minimize

    ways = NUDGE * np.concatenate([np.eye(size), -np.eye(size)])

    def with_slope(c: Array) -> tuple[float, Array]:
        found = costs(np.concatenate([c[None], c + ways]))
        return float(found[0]), (found[1 : size + 1] - found[size + 1 :]) / (2 * NUDGE)

    result: Any = minimize(with_slope, np.zeros(size), jac=True, method="BFGS", options={"maxiter": steps})
    found: Array = result.x
    return found


def _bumps(t: Array, count: int) -> Array:
    """Smooth bumps over the motion and a step at its end, (T, count): at rest at both ends, zero at the start."""
    from scipy.interpolate import BSpline

    degree, knots = 4, count + 6 - 4
    grid = np.concatenate([np.zeros(degree), np.linspace(0.0, 1.0, knots + 1), np.ones(degree)])
    every = BSpline.design_matrix(t / t[-1], grid, degree).toarray()
    inner = every[:, 3:-3]
    ending = every[:, -3:].sum(axis=1)  # the last three together stay at one: free end, at rest
    return np.column_stack([inner, ending])[:, -count:]


def _limits(function: str, robot: Robot | Mechanism, mech: Mechanism, limits: ArrayLike | None) -> Array:
    """The torque that counts as one, per speed (n,)."""
    if limits is not None:
        return one_or_each(function, "limits", limits, mech.speeds, above=0.0)
    known = {link.joint_name: link.joint.limits.effort for link in robot.links} if isinstance(robot, Robot) else {}
    found = [known.get(name) for name in mech.speeds]
    if None in found:
        missing = mech.speeds[found.index(None)]
        raise InputError(f"{function}: joint {missing!r} has no limit of its torque. Give limits=, one per speed.")
    return np.array(found, dtype=float)
