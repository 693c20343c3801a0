"""Tracking of a sequence of poses without jumps: each configuration continues the previous one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.functions import integrate, placement
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.inverse_kinematics import (
    SINGULAR_DEXTERITY,
    checked_start,
    closing_descent,
    descent_for,
)
from gearwright.planning.kinematics.poses import rotation_vector, slerp, target_poses, unflatten_poses
from gearwright.planning.kinematics.redundancy_criteria import Criterion
from gearwright.text import listed_names

TRACKING_SQUARED_ERROR = 1e-10**2
"""Squared tracking error [m2, rad2]."""
MAX_POSE_STEP = 0.3
"""Largest change of a coordinate between two poses [rad, m]; larger steps are divided, and finally an error."""
MAX_HALVINGS = 8
"""Most bisections between two poses."""


@check_arguments
def track_poses(
    robot: Robot | Mechanism,
    frame: int | str,
    poses: Any,
    start: ArrayLike,
    *,
    criterion: Criterion | None = None,
    held: Sequence[str] = (),
) -> Array:
    r"""Return configurations (T, nq) that track a sequence of poses of a frame without jumps.

    From pose to pose the joints move along $v = J^{\#} \dot s - g (1 - J^{\#} J) W \nabla h$, and the remaining error
    is then removed. Limits are respected. If the arm would have to jump (a singularity, a joint limit, an unattainable
    pose), a PlanningError names the pose and the reason. Closed loops of a robot stay closed.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame that moves.
        poses: (rotations (T, 3, 3), positions (T, 3)), either of them None if it is free.
        start: a configuration near the first pose, which selects the branch, (nq,), with or without shafts.
        criterion: criterion for redundant joints; None: least joint motion.
        held: names of joints fixed at their start values.

    >>> import gearwright as gw
    >>> arm = gw.load("ur5_like")
    >>> start = np.array([0.1, -1.2, 1.5, 0.3, 0.8, 0.2])
    >>> R, p = gw.placement(gw.assemble(arm), start, "tool")
    >>> down = p - np.linspace(0, 0.1, 11)[:, None] * [0, 0, 1]
    >>> q = gw.planning.track_poses(arm, "tool", (R, down), start)
    >>> q.shape, bool(np.abs(np.diff(q, axis=0)).max() < 0.1)
    ((11, 6), True)
    """
    target = target_poses("track_poses", poses, "poses")
    if len(target.batch_shape) != 1:
        raise InputError(
            f"track_poses: the poses have the leading axes {target.batch_shape}; give one sequence, (T, ...)."
        )
    descent = closing_descent("track_poses", robot, descent_for(robot, frame, tuple(target.task), tuple(held)))
    begin = checked_start("track_poses", descent.joints, start, ())[0]
    return follow_poses(descent, target.flat, begin, criterion or Criterion(), np.linspace(0.0, 1.0, len(target.flat)))


def follow_poses(descent: PoseDescent, poses: Array, start: Array, criterion: Criterion, shares: Array) -> Array:
    """Return configurations for flat poses (T, 12) at shares (T,) of the whole path."""
    joints = descent.joints
    if not joints.mech.n:
        raise PlanningError(f"{descent.frame!r} cannot move: the machine has no joint. Give a robot with joints.")
    q, error = descent.descend_one(np.ascontiguousarray(start), np.ascontiguousarray(poses[0]), TRACKING_SQUARED_ERROR)
    if error > TRACKING_SQUARED_ERROR or np.abs(q - start).max() > MAX_POSE_STEP:
        raise PlanningError(
            f"the first pose of {descent.frame!r} does not match the start configuration: "
            f"{_failure_reason(descent, q, error)} Start at the solution of inverse_kinematics for the first pose."
        )
    configurations = [joints.with_unloaded_shafts(q)]
    for k in range(1, len(poses)):
        share_step = float(shares[k] - shares[k - 1])
        q = _advance_pose(descent, configurations[-1], poses[k - 1], poses[k], criterion, share_step, MAX_HALVINGS, k)
        configurations.append(joints.with_unloaded_shafts(q))
    return np.array(configurations)


def _advance_pose(
    descent: PoseDescent,
    q: Array,
    start_pose: Array,
    end_pose: Array,
    criterion: Criterion,
    share_step: float,
    halvings: int,
    k: int,
) -> Array:
    """Return the continuation of a configuration to the next pose, with bisection of large steps."""
    guess = _predict_step(descent, q, start_pose, end_pose, criterion, share_step)
    end, error = descent.descend_one(guess, np.ascontiguousarray(end_pose), TRACKING_SQUARED_ERROR)
    if (
        error <= TRACKING_SQUARED_ERROR
        and np.abs(end - q).max() <= MAX_POSE_STEP
        and not descent.joints.limit_violations(end)
    ):
        return np.array(end)
    if not halvings:
        raise PlanningError(
            f"pose {k} of {descent.frame!r} cannot be attained from the previous one without a jump: "
            f"{_failure_reason(descent, end, error)} Choose another start configuration or another path."
        )
    middle = _middle_pose(start_pose, end_pose)
    q = _advance_pose(descent, q, start_pose, middle, criterion, share_step / 2, halvings - 1, k)
    return _advance_pose(descent, q, middle, end_pose, criterion, share_step / 2, halvings - 1, k)


def _predict_step(
    descent: PoseDescent, q: Array, start_pose: Array, end_pose: Array, criterion: Criterion, share_step: float
) -> Array:
    """Return the predicted configuration at the next pose by the midpoint rule, inside the limits."""
    mech, (low, high) = descent.joints.mech, descent.joints.search_limits
    step = _pose_difference(start_pose, end_pose)
    half = integrate(mech, q, 0.5 * joint_step(descent, q, step, criterion, share_step))
    end = integrate(mech, q, joint_step(descent, half, step, criterion, share_step))
    plain = descent.joints.coordinate_indices >= 0
    indices = descent.joints.coordinate_indices[plain]
    end[indices] = np.clip(end[indices], low[plain], high[plain])
    return end


def joint_step(descent: PoseDescent, q: Array, step: Array, criterion: Criterion, share_step: float = 0.0) -> Array:
    """Return the change of coordinates (n,) for a step of the frame (6,) over a share `share_step` of the path.

    Joints that would exceed a limit are fixed, and the others compensate.
    """
    joints = descent.joints
    J = descent.jacobian(q)[descent.task > 0]
    W = descent.permitted_weights(criterion.joint_weights(descent, q), q)
    cost_descent = (
        -criterion.gain * share_step * criterion.cost_gradient(descent, q)
        if type(criterion).cost is not Criterion.cost
        else None
    )
    low, high = joints.search_limits
    x = np.where(joints.coordinate_indices >= 0, q[joints.coordinate_indices], 0.0)
    for _ in range(joints.mech.n):
        spare = np.zeros(joints.mech.n) if cost_descent is None else W @ cost_descent
        A = J @ W @ J.T
        A += 1e-10 * max(float(np.trace(A)), 1e-300) * np.eye(len(A))
        change: Array = spare + W @ J.T @ np.linalg.solve(A, step[descent.task > 0] - J @ spare)
        stuck = (x >= high) & (change > 0) | (x <= low) & (change < 0)
        if not (stuck & (joints.coordinate_indices >= 0)).any():
            break
        W = np.where(stuck[:, None] | stuck, 0.0, W)
    return change


def _pose_difference(start_pose: Array, end_pose: Array) -> Array:
    """Return position and rotation vector from one flat pose to another, (6,)."""
    (R0, p0), (R1, p1) = unflatten_poses(start_pose), unflatten_poses(end_pose)
    return np.concatenate([p1 - p0, rotation_vector(R0, R1)])


def _middle_pose(start_pose: Array, end_pose: Array) -> Array:
    (R0, p0), (R1, p1) = unflatten_poses(start_pose), unflatten_poses(end_pose)
    return np.concatenate([slerp(R0, R1, np.array(0.5)).ravel(), (p0 + p1) / 2])


def _failure_reason(descent: PoseDescent, q: Array, error: float) -> str:
    """Return why a pose is not attained, as far as it is known."""
    joints, mech = descent.joints, descent.joints.mech
    low, high = joints.lower + 1e-6, joints.upper - 1e-6
    at_limit = [
        mech.speeds[k]
        for k in descent.moving_speeds
        if joints.coordinate_indices[k] >= 0 and not low[k] < q[joints.coordinate_indices[k]] < high[k]
    ]
    x, y, z = placement(mech, q, descent.frame).position
    remaining = f"{np.sqrt(error):.3g} m or rad of error remain at ({x:.4g}, {y:.4g}, {z:.4g})."
    if at_limit:
        return f"{remaining} At a limit: {listed_names(at_limit)}."
    if float(descent.dexterity(q)) < 100 * SINGULAR_DEXTERITY:
        return f"{remaining} The arm is close to a singularity there."
    return remaining
