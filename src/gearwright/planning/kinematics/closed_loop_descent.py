r"""Iterative inverse kinematics of machines with closed loops: every step closes the loops, then uses the null space.

With the rows W of the loops, their gaps s, directions N with W N = 0, and the error e of the pose with its Jacobian J:
$dq = -W^+ s + N\,(J N)' ((J N)(J N)' + \mu 1)^{-1} (e + J W^+ s)$.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.functions import integrate, placement
from gearwright.functions.constrained.closure import DEPENDENT_ROW_RATIO, Closure
from gearwright.planning.kinematics.descent import (
    DESCENT_DAMPING_RATIO,
    MIN_PROGRESS_RATIO,
    NULL_MOTION_RATIO,
    STALL_CHECK_STEPS,
    PoseDescent,
)
from gearwright.planning.kinematics.poses import rotation_vector, unflatten_poses

MAX_CLOSED_DESCENT_STEPS = 60
"""Most steps of one descent."""
CLOSED_DESCENT_STARTS = 20
"""Most descents for a pose before it counts as unattainable."""
MAX_JOINT_STEP = 0.5
"""Largest motion of a joint in one step [rad, m]."""
DESCENT_GAP_TOLERANCE = 1e-12
"""Gaps [m, rad] below which loops are closed."""


class ClosedLoopDescent(PoseDescent):
    """Inverse kinematics of a frame with closed loops.

    Args:
        descent: the descent of the open tree.
        closure: the loop constraints.
    """

    def __init__(self, descent: PoseDescent, closure: Closure) -> None:
        super().__init__(descent.joints, descent.frame, descent.task, descent.mobility)
        self.closure = closure

    def without_limits(self) -> ClosedLoopDescent:
        """Return the same descent without joint limits."""
        return ClosedLoopDescent(super().without_limits(), self.closure)

    def permitted_weights(self, W: Array, q: Array) -> Array:
        """Return the weights (n, n) of joint motions, restricted to the null space of the loop constraints."""
        N = _split_null_space(self.closure.constraint_state(q).rows * self.mobility)[1]
        projector = N @ N.T
        return np.asarray(projector @ W @ projector)

    def task_jacobian(self, q: Array) -> Array:
        """Return the task rows of the Jacobian, in the null space of the loop constraints."""
        flat = q.reshape(-1, q.shape[-1])
        jacobians = [
            self.jacobian(x)[self.task > 0]
            @ _split_null_space(self.closure.constraint_state(x).rows * self.mobility)[1]
            for x in flat
        ]
        return np.array(jacobians).reshape(*q.shape[:-1], *jacobians[0].shape)

    @cached_property
    def _closed_directions(self) -> Array:
        """Directions N of all speeds, (n, f), that keep the loops closed at a configuration in general position."""
        moving = [k for k in range(self.joints.mech.n) if self.mobility[k]]
        for seed in self.joints.spread_configurations(CLOSED_DESCENT_STARTS):
            q, gap = self.closure.nearest_closed(seed, moving)
            if gap < DESCENT_GAP_TOLERANCE:
                return _split_null_space(self.closure.constraint_state(q).rows * self.mobility)[1]
        raise PlanningError(
            "inverse_kinematics: no configuration was found that closes the loops. Give branches='one'."
        )

    @property
    def degrees_of_freedom(self) -> int:
        """The number of independent motions of the joints that move the frame."""
        return int(np.linalg.matrix_rank(self._closed_directions[self.moving_speeds]))

    @cached_property
    def branch_speeds(self) -> NDArray[np.int_]:
        """The speeds of the joints that move the frame, and of all that follow them."""
        N = self._closed_directions
        others = N @ _split_null_space(N[self.moving_speeds])[1]  # motions with these joints at rest
        is_following = np.abs(others).max(axis=1, initial=0.0) < DEPENDENT_ROW_RATIO
        is_moving = np.abs(N).max(axis=1) > DEPENDENT_ROW_RATIO
        return np.flatnonzero(is_following & is_moving & (self.mobility > 0))

    def singular_motions(self, q: Array) -> Array:
        """Return orthonormal rows of `branch_speeds` that move neither the frame nor loops, at a singularity."""
        J = self.jacobian(np.ascontiguousarray(q))[self.task > 0]
        rows = np.vstack([J, self.closure.constraint_state(q).rows])[:, self.branch_speeds]
        _, values, motions = np.linalg.svd(rows)
        return np.asarray(motions[: len(values)][values < NULL_MOTION_RATIO * values[0]])

    def descend_batch(self, q: Array, poses: Array, goal: float) -> tuple[Array, Array]:
        """Return the best configurations of descents from a batch (N, nq) to poses (N, 12), and squared errors (N,)."""
        results = [self.descend_one(x, pose, goal) for x, pose in zip(q, poses, strict=True)]
        return np.array([x for x, _ in results]).reshape(q.shape), np.array([error for _, error in results])

    def solve_poses(
        self, poses: Array, starts: Array | None, goal: float, rounds: int = CLOSED_DESCENT_STARTS
    ) -> tuple[Array, Array]:
        """Return configurations (N, nq) with closed loops and squared errors (N,): from the starts, then from seeds."""
        solutions = [
            self._solve_pose(pose, None if starts is None else starts[k], goal, rounds) for k, pose in enumerate(poses)
        ]
        return np.array([q for q, _ in solutions]), np.array([error for _, error in solutions])

    def descend_one(self, q: Array, pose: Array, goal: float) -> tuple[Array, float]:
        """Return the best configuration with closed loops of one descent, and its squared error."""
        best, least, before = q, np.inf, np.inf
        for k in range(MAX_CLOSED_DESCENT_STEPS):
            step, error, gap = self._descent_step(q, pose)
            if gap < DESCENT_GAP_TOLERANCE and error < least:
                best, least = q, error
                if error <= goal:
                    break
            if k % STALL_CHECK_STEPS == STALL_CHECK_STEPS - 1:
                if gap < DESCENT_GAP_TOLERANCE and not error <= MIN_PROGRESS_RATIO * before:
                    break
                before = error
            q = self._bounded_step(q, step)
        return best, least

    def refine_nearest(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """Return the configurations unchanged: descents of closed loops already end at the nearest pose."""
        errors = [
            self._descent_step(x, pose)[1] if np.isfinite(x).all() else np.inf for x, pose in zip(q, poses, strict=True)
        ]
        return q, np.array(errors)

    def _descent_step(self, q: Array, pose: Array) -> tuple[Array, float, float]:
        """Return the step, the squared pose error, and the largest loop gap."""
        loop_state = self.closure.constraint_state(q)
        R, p = placement(self.joints.mech, q, self.frame)
        target_rotation, target_position = unflatten_poses(pose[None])
        e = np.concatenate([target_position[0] - p, rotation_vector(R[None], target_rotation)[0]]) * self.task
        J = self.jacobian(np.ascontiguousarray(q)) * self.task[:, None] * self.mobility
        inverse, N = _split_null_space(loop_state.rows * self.mobility)
        closing = -inverse @ loop_state.gap
        free_jacobian, remaining = J @ N, e - J @ closing
        damping = DESCENT_DAMPING_RATIO * float(e @ e) + 1e-12
        task = N @ free_jacobian.T @ np.linalg.solve(free_jacobian @ free_jacobian.T + damping * np.eye(6), remaining)
        return closing + task, float(e @ e), float(np.abs(loop_state.gap).max())

    def _bounded_step(self, q: Array, step: Array) -> Array:
        """Return the configuration after a step of bounded size, inside the limits."""
        mech, (low, high) = self.joints.mech, self.joints.search_limits
        size = float(np.abs(step).max())
        q = integrate(mech, q, step * min(1.0, MAX_JOINT_STEP / size) if size else step)
        indices = self.joints.coordinate_indices
        plain = indices >= 0
        q[indices[plain]] = np.clip(q[indices[plain]], low[plain], high[plain])
        return q


def _split_null_space(W: Array) -> tuple[Array, Array]:
    """Return W^+ and an orthonormal N with W N = 0; nearly dependent rows count as dependent."""
    U, singular_values, V = np.linalg.svd(W)
    rank = int((singular_values > DEPENDENT_ROW_RATIO * singular_values.max(initial=0.0)).sum())
    return (V[:rank].T / singular_values[:rank]) @ U[:, :rank].T, V[rank:].T
