"""Following poses without jumps: each configuration is the continuation of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.functions.dynamics import integrate, placement
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.planning.kinematics.descent import Descent
from gearwright.planning.kinematics.inverse_kinematics import SINGULAR, checked_start, descent_of
from gearwright.planning.kinematics.poses import placed, rotation_vector, slerp, wanted
from gearwright.planning.kinematics.redundancy_criteria import Criterion
from gearwright.text import listed

GOAL = 1e-10**2
"""Squared error of what is followed [m2, rad2]."""
LEAP = 0.3
"""Largest change of a coordinate between two poses [rad, m]; more is divided, and in the end refused."""
HALVINGS = 8
"""How often the way between two poses is divided."""


@check_arguments
def track(
    robot: Robot | Mechanism,
    frame: int | str,
    poses: Any,
    start: ArrayLike,
    *,
    criterion: Criterion | None = None,
    held: Sequence[str] = (),
) -> Array:
    r"""Configurations (T, nq) that bring a frame to poses one after the other, without a jump.

    From pose to pose the joints move along $v = J^{\#} \dot s - g (1 - J^{\#} J) W \nabla h$, and what is left of the
    error is then removed. Limits are kept. Where the arm would have to jump (a singularity, a limit in the way, a pose
    out of reach) a PlanningError says at which pose and why.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame that moves.
        poses: (rotations (T, 3, 3), positions (T, 3)), either of them None where it does not matter.
        start: the configuration near the first pose, whose branch is kept, (nq,), with or without shafts.
        criterion: what joints that can be spared do; None: the least joint motion.
        held: names of joints that stay where they start.

    >>> import gearwright as gw
    >>> arm = gw.load("ur5_like")
    >>> start = np.array([0.1, -1.2, 1.5, 0.3, 0.8, 0.2])
    >>> R, p = gw.placement(gw.assemble(arm), start, "tool")
    >>> down = p - np.linspace(0, 0.1, 11)[:, None] * [0, 0, 1]
    >>> q = gw.planning.track(arm, "tool", (R, down), start)
    >>> q.shape, bool(np.abs(np.diff(q, axis=0)).max() < 0.1)
    ((11, 6), True)
    """
    target = wanted("track", poses, "poses")
    if len(target.lead) != 1:
        raise InputError(f"track: the poses have the leading axes {target.lead}; give one sequence, (T, ...).")
    machine_of("track", robot)
    descent = descent_of(robot, frame, tuple(target.task), tuple(held))
    begin = checked_start("track", descent.joints, start, ())[0]
    return followed(descent, target.flat, begin, criterion or Criterion(), np.linspace(0.0, 1.0, len(target.flat)))


def followed(descent: Descent, poses: Array, start: Array, criterion: Criterion, shares: Array) -> Array:
    """Configurations for flat poses (T, 12) at shares (T,) of the whole path."""
    joints = descent.joints
    if not joints.mech.n:
        raise PlanningError(f"{descent.frame!r} cannot move: the machine has no joint. Give a robot with joints.")
    q, error = descent.one(np.ascontiguousarray(start), np.ascontiguousarray(poses[0]), GOAL)
    if error > GOAL or np.abs(q - start).max() > LEAP:
        raise PlanningError(
            f"the first pose of {descent.frame!r} is not where the start configuration is: "
            f"{_reason(descent, q, error)} Start where inverse_kinematics finds the first pose."
        )
    found = [joints.rested(q)]
    for k in range(1, len(poses)):
        way = float(shares[k] - shares[k - 1])
        q = _advance(descent, found[-1], poses[k - 1], poses[k], criterion, way, HALVINGS, k)
        found.append(joints.rested(q))
    return np.array(found)


def _advance(
    descent: Descent, q: Array, here: Array, there: Array, criterion: Criterion, way: float, halvings: int, k: int
) -> Array:
    """The continuation of a configuration from one pose to the next, in halves where it would leap."""
    guess = _predicted(descent, q, here, there, criterion, way)
    end, error = descent.one(guess, np.ascontiguousarray(there), GOAL)
    if error <= GOAL and np.abs(end - q).max() <= LEAP and not descent.joints.outside(end):
        return np.array(end)
    if not halvings:
        raise PlanningError(
            f"pose {k} of {descent.frame!r} cannot be reached from the one before without a jump: "
            f"{_reason(descent, end, error)} Choose another start configuration or another path."
        )
    middle = _between(here, there)
    q = _advance(descent, q, here, middle, criterion, way / 2, halvings - 1, k)
    return _advance(descent, q, middle, there, criterion, way / 2, halvings - 1, k)


def _predicted(descent: Descent, q: Array, here: Array, there: Array, criterion: Criterion, way: float) -> Array:
    """The way to the next pose by the midpoint rule, inside the limits."""
    mech, (low, high) = descent.joints.mech, descent.joints.stops
    step = _difference(here, there)
    half = integrate(mech, q, 0.5 * speeds(descent, q, step, criterion, way))
    end = integrate(mech, q, speeds(descent, half, step, criterion, way))
    plain = descent.joints.coordinates >= 0
    where = descent.joints.coordinates[plain]
    end[where] = np.clip(end[where], low[plain], high[plain])
    return end


def speeds(descent: Descent, q: Array, step: Array, criterion: Criterion, way: float = 0.0) -> Array:
    """The change of all speeds' coordinates (n,) for a step of the frame (6,) along a share `way` of the path.

    Joints at a limit that would be pushed through it are left out, and the others do their work.
    """
    joints = descent.joints
    J = descent.jacobian(q)[descent.task > 0]
    W = criterion.willingness(descent, q)
    push = -criterion.gain * way * criterion.slope(descent, q) if type(criterion).cost is not Criterion.cost else None
    low, high = joints.stops
    x = np.where(joints.coordinates >= 0, q[joints.coordinates], 0.0)
    for _ in range(joints.mech.n):
        spare = np.zeros(joints.mech.n) if push is None else W @ push
        A = J @ W @ J.T
        A += 1e-10 * max(float(np.trace(A)), 1e-300) * np.eye(len(A))
        change: Array = spare + W @ J.T @ np.linalg.solve(A, step[descent.task > 0] - J @ spare)
        stuck = (x >= high) & (change > 0) | (x <= low) & (change < 0)
        if not (stuck & (joints.coordinates >= 0)).any():
            break
        W = np.where(stuck[:, None] | stuck, 0.0, W)
    return change


def _difference(here: Array, there: Array) -> Array:
    """Position and rotation vector from one flat pose to another, (6,)."""
    (R0, p0), (R1, p1) = placed(here), placed(there)
    return np.concatenate([p1 - p0, rotation_vector(R0, R1)])


def _between(here: Array, there: Array) -> Array:
    (R0, p0), (R1, p1) = placed(here), placed(there)
    return np.concatenate([slerp(R0, R1, np.array(0.5)).ravel(), (p0 + p1) / 2])


def _reason(descent: Descent, q: Array, error: float) -> str:
    """Why a pose is not reached, as far as it can be told."""
    joints, mech = descent.joints, descent.joints.mech
    low, high = joints.lower + 1e-6, joints.upper - 1e-6
    at_limit = [
        mech.speeds[k]
        for k in descent.moving
        if joints.coordinates[k] >= 0 and not low[k] < q[joints.coordinates[k]] < high[k]
    ]
    x, y, z = placement(mech, q, descent.frame).position
    left = f"{np.sqrt(error):.3g} m or rad are left at ({x:.4g}, {y:.4g}, {z:.4g})."
    if at_limit:
        return f"{left} At a limit: {listed(at_limit)}."
    if float(descent.dexterity(q)) < 100 * SINGULAR:
        return f"{left} The arm is close to a singularity there."
    return left
