"""All inverse-kinematics solutions of a pose, in closed form if available, else by restarts.

Closed forms of further arms (three parallel axes, and others) come from the library EAIK if it is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.planning.kinematics.closed_loop_descent import ClosedLoopDescent
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.poses import unflatten_poses
from gearwright.planning.kinematics.wrist_partitioned import ArmAxes, arm_axes, wrist_partitioned_arm


@dataclass(frozen=True)
class EaikArm:
    """An arm in EAIK, described by axes and the offsets between them."""

    arm: ArmAxes
    solver: Any

    def pose_configurations(self, pose: Array) -> Array:
        """Return all joint angles (branches, 6) for a flat pose (12,)."""
        R, p = unflatten_poses(pose)
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = R @ self.arm.rotation.T, p
        solution = self.solver.IK(target)
        exact = [x for x, rough in zip(solution.Q, solution.is_LS, strict=True) if not rough]
        return np.array(exact, dtype=float).reshape(-1, 6)


def eaik_arm(arm: ArmAxes) -> EaikArm | None:
    """Return the closed form of an arm, if EAIK (`pip install 'gearwright[ik]'`) is installed and has one."""
    if find_spec("eaik") is None:
        return None
    from eaik.IK_HP import HPRobot

    offsets = np.diff(np.vstack([np.zeros(3), arm.points, arm.position]), axis=0)
    solver = HPRobot(arm.axes, offsets)
    return EaikArm(arm, solver) if solver.hasKnownDecomposition() else None


WAVE_SIZE, MAX_WAVES = 64, 12
"""Descents per wave, and most waves."""
MAX_WAVES_WITHOUT_BRANCH = 3
"""Waves without a new branch after which the search ends."""
BRANCH_DISTANCE = 1e-5
"""Configurations closer than this are equal [rad, m]."""
BRANCH_SQUARED_ERROR = 1e-26
"""Squared error of branches: near singularities a larger one would leave them scattered."""


def all_branches(descent: PoseDescent, poses: Array, begin: Array | None, goal: float) -> tuple[Array, Array]:
    """Return branches (N, B, nq) and squared errors (N, B); rows of poses with fewer are filled with nan and infinity.

    An unattainable pose has one row, the nearest configuration.
    """
    _require_not_redundant(descent)
    search = _BranchSearch(descent, goal)
    branches = [search.pose_branches(pose, None if begin is None else begin[k]) for k, pose in enumerate(poses)]
    most = max((len(q) for q, _ in branches), default=1)
    q, error = np.full((len(branches), most, descent.joints.mech.nq), np.nan), np.full((len(branches), most), np.inf)
    for k, (configurations, size) in enumerate(branches):
        q[k, : len(configurations)], error[k, : len(configurations)] = configurations, size
    return q, error


def _require_not_redundant(descent: PoseDescent) -> None:
    conditions = int((descent.task > 0).sum())
    if descent.degrees_of_freedom > conditions:
        raise InputError(
            f"inverse_kinematics: {descent.degrees_of_freedom} joints move {descent.frame!r} and the pose has "
            f"{conditions} conditions, so there are infinitely many solutions. Compute one near a start (start=, "
            "without branches='all'), or fix joints (held=)."
        )


class ClosedFormArm(Protocol):
    """A closed-form solution of an arm with six joints."""

    def pose_configurations(self, pose: Array) -> Array:
        """Return joint angles (branches, 6) for a flat pose (12,)."""
        ...


@dataclass(frozen=True)
class _BranchSearch:
    """Search for all branches of poses, pose by pose.

    Args:
        descent: the iterative solver.
        goal: squared error to attain.
    """

    descent: PoseDescent
    goal: float
    forms: dict[bytes, ClosedFormArm | None] = field(default_factory=dict)

    def pose_branches(self, pose: Array, begin: Array | None) -> tuple[Array, Array]:
        """Return all solutions and their squared errors; for an unattainable pose the nearest configuration."""
        joints, goal = self.descent.joints, self.goal
        solutions, errors = np.empty((0, joints.mech.nq)), np.empty(0)
        quiet = 0
        best: tuple[Array, Array] | None = None
        for starts, is_all in self._start_waves(pose, begin):
            q, error = self.descent.descend_batch(
                starts, np.tile(pose, (len(starts), 1)), min(goal, BRANCH_SQUARED_ERROR)
            )
            if best is None or error.min() < best[1][0]:
                best = q[[error.argmin()]], error[[error.argmin()]]
            before = len(solutions)
            candidates = joints.with_unloaded_shafts(joints.with_nearest_turns(q[error <= goal], begin))
            solutions, errors = _add_new_branches(self.descent, candidates, error[error <= goal], solutions, errors)
            quiet = quiet + 1 if len(solutions) == before else 0
            if quiet >= MAX_WAVES_WITHOUT_BRANCH or (is_all and len(solutions)):
                break
        if not len(solutions) and best is not None:
            solutions, errors = self.descent.refine_nearest(best[0], pose[None])
            solutions = joints.with_unloaded_shafts(joints.with_nearest_turns(solutions, begin))
        order = (
            np.lexsort(solutions.T[::-1].round(6)) if begin is None else np.abs(solutions - begin).max(axis=1).argsort()
        )
        return solutions[order], errors[order]

    def _start_waves(self, pose: Array, begin: Array | None) -> Iterator[tuple[Array, bool]]:
        """Yield start configurations, wave by wave, and whether a wave has every branch, as in closed form."""
        exact = self.closed_form_configurations(pose, self.descent.start_configurations[0] if begin is None else begin)
        if len(exact):
            yield exact, True
        seeds = self.descent.joints.spread_configurations(WAVE_SIZE * MAX_WAVES)
        if begin is not None:
            seeds = self.descent.with_held_joints(seeds, begin)
        for wave in range(MAX_WAVES):
            yield np.ascontiguousarray(seeds[wave * WAVE_SIZE : (wave + 1) * WAVE_SIZE]), False

    def closed_form_configurations(self, pose: Array, base: Array) -> Array:
        """Return the closed-form solutions within the limits, (branches, nq); none without a closed form."""
        joints, moving = self.descent.joints, self.descent.moving_speeds
        form = self._closed_form_arm(base)
        if form is None:
            return np.empty((0, joints.mech.nq))
        angles, middle = form.pose_configurations(pose), joints.mid_positions[moving]
        q = np.tile(base, (len(angles), 1))
        q[:, joints.coordinate_indices[moving]] = middle + (angles - middle + np.pi) % (2 * np.pi) - np.pi
        return np.array([x for x in q if not joints.limit_violations(x)]).reshape(-1, joints.mech.nq)

    def _closed_form_arm(self, base: Array) -> ClosedFormArm | None:
        """Return the closed form of the arm, which depends only on the values of fixed joints."""
        held = base[self.descent.joints.coordinate_indices[self.descent.mobility == 0]].tobytes()
        if held not in self.forms:
            arm = None if isinstance(self.descent, ClosedLoopDescent) else arm_axes(self.descent, base)
            self.forms[held] = None if arm is None else wrist_partitioned_arm(arm) or eaik_arm(arm)
        return self.forms[held]


def _add_new_branches(
    descent: PoseDescent, q: Array, error: Array, branches: Array, errors: Array
) -> tuple[Array, Array]:
    for x, size in zip(q, error, strict=True):
        if not len(branches) or np.abs(_branch_differences(descent, branches, x)).max(axis=1).min() > BRANCH_DISTANCE:
            branches, errors = np.vstack([branches, x]), np.append(errors, size)
    return branches, errors


def _branch_differences(descent: PoseDescent, branches: Array, x: Array) -> Array:
    """Return differences of the joints that move the frame, without their null-space part."""
    moving = descent.branch_speeds[descent.joints.coordinate_indices[descent.branch_speeds] >= 0]
    difference: Array = descent.joints.coordinate_difference(branches, x)[:, descent.joints.coordinate_indices[moving]]
    if len(moving) < len(descent.branch_speeds):
        return difference
    null_rows = descent.singular_motions(x)
    return difference - difference @ null_rows.T @ null_rows
