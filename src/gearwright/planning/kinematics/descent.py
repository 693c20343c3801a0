"""Iterative inverse kinematics: steps of one kernel, for one pose or a batch, with restarts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.public_call import compile_now
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.programs.kinematic_programs import JACOBIAN, REACHING_STEP, body_spot

MAX_DESCENT_STEPS = 40
"""Most steps of one descent."""
STALL_CHECK_STEPS, MIN_PROGRESS_RATIO = 5, 0.9
"""A descent is stopped if this number of steps does not reduce the squared error to this share."""
MAX_DESCENT_STARTS = 60
"""Most descents for a pose before it counts as unattainable."""
DESCENT_DAMPING_RATIO = 0.1
"""Damping of a descent, relative to the squared error."""
NULL_MOTION_RATIO = 1e-6
"""Ratio to the largest singular value below which a direction is in the null space, within one branch."""
MAX_REFINEMENT_STEPS = 200
"""Steps that refine the nearest configuration of an unattainable pose."""


class PoseDescent:
    """Inverse kinematics of a frame by damped least squares.

    Args:
        joints: the machine and its limits.
        frame: body or frame to place.
        task: six weights of the error, 0 for free components.
        mobility: weight of each speed, 0 for fixed ones.
    """

    def __init__(self, joints: JointRanges, frame: int | str, task: Array, mobility: Array | None = None) -> None:
        self.joints, self.frame, self.task = joints, frame, task
        mech = joints.mech
        self.spot = body_spot(mech, frame)
        if not mech.is_moved(self.spot.body):
            raise InputError(
                f"frame {frame!r} cannot move: it is fixed to the base. Give a frame on a link that a joint moves."
            )
        self.mobility = np.ones(mech.n) if mobility is None else mobility
        self.step: Callable[..., Array] = compile_now(REACHING_STEP, mech, {"body": mech.name_of(frame)})
        self._fixed_arguments = (task, self.mobility, *joints.search_limits)
        self._step_arguments = (*self._fixed_arguments, np.array([DESCENT_DAMPING_RATIO]))

    def without_limits(self) -> PoseDescent:
        """Return the same descent without joint limits."""
        return PoseDescent(JointRanges.from_robot(self.joints.mech), self.frame, self.task, self.mobility)

    @cached_property
    def start_configurations(self) -> Array:
        """Default start configurations of descents, (`MAX_DESCENT_STARTS`, nq)."""
        return self.joints.spread_configurations(MAX_DESCENT_STARTS)

    def permitted_weights(self, W: Array, q: Array) -> Array:
        """Return the weights (n, n) of joint motions, restricted to possible ones: all, without loops."""
        return W

    def task_jacobian(self, q: Array) -> Array:
        """Return the task rows of the Jacobian, over the movable joints, (..., rows, joints)."""
        J = self.jacobian(np.ascontiguousarray(q))[..., self.task > 0, :]
        return np.ascontiguousarray(J[..., self.moving_speeds])

    def dexterity(self, q: Array) -> Array:
        """Return the ratio of smallest to largest singular value of the task Jacobian, (...), where it has rank."""
        J = self.task_jacobian(q)
        J = J[..., np.abs(J).reshape(-1, *J.shape[-2:]).max(axis=(0, 2)) > 1e-12, :]
        if 0 in J.shape[-2:]:
            return np.zeros(q.shape[:-1])
        values = np.linalg.svd(J, compute_uv=False)
        ratio: Array = values[..., -1] / np.maximum(values[..., 0], 1e-300)
        return ratio

    @cached_property
    def moving_speeds(self) -> NDArray[np.int_]:
        """The speeds that move the frame and are not fixed."""
        mech = self.joints.mech
        speeds = {dof.speed for i in mech.body_paths[self.spot.body] for dof in mech.joints[i].dofs}
        return np.array([k for k in sorted(speeds) if self.mobility[k] > 0], dtype=int)

    @property
    def degrees_of_freedom(self) -> int:
        """The number of independent motions of the joints that move the frame."""
        return len(self.moving_speeds)

    @property
    def branch_speeds(self) -> NDArray[np.int_]:
        """The speeds whose coordinates differ between branches."""
        return self.moving_speeds

    def singular_motions(self, q: Array) -> Array:
        """Return orthonormal rows of `branch_speeds` that move neither the frame nor loops, at a singularity."""
        _, values, rows = np.linalg.svd(self.task_jacobian(q))
        return np.asarray(rows[: len(values)][values < NULL_MOTION_RATIO * values[0]])

    @cached_property
    def jacobian(self) -> Callable[..., Array]:
        """Function of configurations that returns J (..., 6, n) of the frame."""
        return compile_now(
            JACOBIAN, self.joints.mech, {"body": self.joints.mech.name_of(self.frame), "point": (0.0, 0.0, 0.0)}
        )

    def with_held_joints(self, seeds: Array, begin: Array) -> Array:
        """Return the seeds (..., nq) with fixed joints at their start values."""
        indices = self.joints.coordinate_indices
        held_indices = indices[(self.mobility == 0) & (indices >= 0)]
        if not len(held_indices):
            return seeds
        seeds = np.array(np.broadcast_to(seeds, np.broadcast_shapes(seeds.shape, begin.shape)))
        seeds[..., held_indices] = begin[..., held_indices]
        return seeds

    def descend_one(self, q: Array, pose: Array, goal: float) -> tuple[Array, float]:
        """Return the best configuration of a descent to a pose (12,), and its squared error."""
        step, step_arguments = self.step, self._step_arguments
        best, least, before = q, np.inf, np.inf
        for k in range(MAX_DESCENT_STEPS):
            out = step(q, pose, *step_arguments)
            error = float(out[-2] + out[-1])
            if error < least:
                best, least = q, error
                if error <= goal:
                    break
            if k % STALL_CHECK_STEPS == STALL_CHECK_STEPS - 1:
                if not error <= MIN_PROGRESS_RATIO * before:
                    break
                before = error
            q = out[:-2]
        return best, least

    def descend_batch(self, q: Array, poses: Array, goal: float) -> tuple[Array, Array]:
        """Return the same for a batch (N, nq) and poses (N, 12)."""
        best, least = np.array(q), np.full(len(q), np.inf)
        before = np.full(len(q), np.inf)
        active = np.arange(len(q))
        for k in range(MAX_DESCENT_STEPS):
            out = self.step(q, poses, *self._step_arguments)
            error = out[:, -2] + out[:, -1]
            better = error < least[active]
            best[active[better]], least[active[better]] = q[better], error[better]
            going = ~(error <= goal)
            if k % STALL_CHECK_STEPS == STALL_CHECK_STEPS - 1:
                going &= error <= MIN_PROGRESS_RATIO * before[active]
                before[active] = error
            if not going.any():
                break
            q, poses, active = np.ascontiguousarray(out[going, :-2]), poses[going], active[going]
        return best, least

    def solve_poses(
        self, poses: Array, starts: Array | None, goal: float, rounds: int = MAX_DESCENT_STARTS
    ) -> tuple[Array, Array]:
        """Return configurations (N, nq) and squared errors (N,): from the starts first, then from the seeds.

        A pose is tried from the same seeds in the same order, independent of its batch.
        """
        if len(poses) == 1:
            alone, size = self._solve_pose(poses[0], None if starts is None else starts[0], goal, rounds)
            return alone[None].copy(), np.array([size])
        first = np.tile(self.start_configurations[0], (len(poses), 1)) if starts is None else starts
        q, error = self.descend_batch(np.ascontiguousarray(first), poses, goal)
        for seed in self.start_configurations[starts is None : rounds]:
            left = np.flatnonzero(error > goal)
            if not len(left):
                break
            fresh = np.tile(seed, (len(left), 1))
            fresh = fresh if starts is None else self.with_held_joints(fresh, starts[left])
            restarted, sizes = self.descend_batch(fresh, poses[left], goal)
            better = sizes < error[left]
            q[left[better]], error[left[better]] = restarted[better], sizes[better]
        return q, error

    def _solve_pose(self, pose: Array, start: Array | None, goal: float, rounds: int) -> tuple[Array, float]:
        q, error = self.descend_one(
            np.ascontiguousarray(self.start_configurations[0] if start is None else start), pose, goal
        )
        for seed in self.start_configurations[start is None : rounds]:
            if error <= goal:
                break
            restarted, size = self.descend_one(
                seed if start is None else self.with_held_joints(seed, start), pose, goal
            )
            if size < error:
                q, error = restarted, size
        return q, error

    def refine_nearest(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """Minimise the squared error of unattainable poses: the damping increases after an unsuccessful step.

        Without damping, steps oscillate about a stretched arm, since the error does not vanish.
        """
        damping = np.full((len(q), 1), DESCENT_DAMPING_RATIO)
        out = self.step(q, poses, *self._fixed_arguments, damping)
        error = out[:, -2] + out[:, -1]
        for _ in range(MAX_REFINEMENT_STEPS):
            ahead = np.ascontiguousarray(out[:, :-2])
            ahead_out = self.step(ahead, poses, *self._fixed_arguments, damping)
            size = ahead_out[:, -2] + ahead_out[:, -1]
            better = size < error
            q, error = np.where(better[:, None], ahead, q), np.where(better, size, error)
            damping = np.where(better[:, None], damping / 3, np.minimum(damping * 4, 1e9))
            out = self.step(q, poses, *self._fixed_arguments, damping)
        return q, error
