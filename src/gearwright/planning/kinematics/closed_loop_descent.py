r"""Descents to a pose of machines with closed loops: every step closes the loops first, and uses what is left free.

With the rows W of the loops, their gaps s, directions N with W N = 0, and the error e of the pose with its Jacobian J:
$dq = -W^+ s + N\,(J N)' ((J N)(J N)' + \mu 1)^{-1} (e + J W^+ s)$.
"""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.functions.constrained.closure import SAME, Closure
from gearwright.functions.dynamics import integrate, placement
from gearwright.planning.kinematics.descent import DAMPING, PATIENCE, PROGRESS, Descent
from gearwright.planning.kinematics.poses import placed, rotation_vector

STEPS = 60
"""Of one descent at most."""
ROUNDS = 20
"""Descents for a pose before it counts as unreachable."""
LONGEST = 0.5
"""How far one step moves a joint at most [rad, m]."""
CLOSED = 1e-12
"""Gaps [m, rad] below which loops are closed."""


class ClosedDescent(Descent):
    """Brings a frame to poses while loops stay closed.

    Args:
        descent: the same for the machine cut open.
        closure: what closes it.
    """

    def __init__(self, descent: Descent, closure: Closure) -> None:
        super().__init__(descent.joints, descent.frame, descent.task, descent.mobility)
        self.closure = closure

    def without_limits(self) -> ClosedDescent:
        """The same for joints without limits."""
        return ClosedDescent(super().without_limits(), self.closure)

    def task_jacobian(self, q: Array) -> Array:
        """The rows of the Jacobian that the task has, over the directions that the loops leave free."""
        flat = q.reshape(-1, q.shape[-1])
        found = [self.jacobian(x)[self.task > 0] @ _free(self.closure.at(x).rows * self.mobility)[1] for x in flat]
        return np.array(found).reshape(*q.shape[:-1], *found[0].shape)

    def reach(self, poses: Array, starts: Array | None, goal: float, rounds: int = ROUNDS) -> tuple[Array, Array]:
        """Configurations (N, nq) and squared errors (N,), with the loops closed: from the starts, then from seeds."""
        found = [
            self._reach_one(pose, None if starts is None else starts[k], goal, rounds) for k, pose in enumerate(poses)
        ]
        return np.array([q for q, _ in found]), np.array([error for _, error in found])

    def one(self, q: Array, pose: Array, goal: float) -> tuple[Array, float]:
        """The descent of one configuration: the best one whose loops are closed, and its squared error."""
        best, least, before = q, np.inf, np.inf
        for k in range(STEPS):
            step, error, gap = self._step(q, pose)
            if gap < CLOSED and error < least:
                best, least = q, error
                if error <= goal:
                    break
            if k % PATIENCE == PATIENCE - 1:
                if gap < CLOSED and not error <= PROGRESS * before:
                    break
                before = error
            q = self._moved(q, step)
        return best, least

    def polish(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """Descents of closed loops end at the nearest pose already."""
        errors = [self._step(x, pose)[1] if np.isfinite(x).all() else np.inf for x, pose in zip(q, poses, strict=True)]
        return q, np.array(errors)

    def _step(self, q: Array, pose: Array) -> tuple[Array, float, float]:
        """What to move, the squared error of the pose, and the largest gap."""
        here = self.closure.at(q)
        R, p = placement(self.joints.mech, q, self.frame)
        wanted, place = placed(pose[None])
        e = np.concatenate([place[0] - p, rotation_vector(R[None], wanted)[0]]) * self.task
        J = self.jacobian(np.ascontiguousarray(q)) * self.task[:, None] * self.mobility
        inverse, N = _free(here.rows * self.mobility)
        closing = -inverse @ here.gap
        along, left = J @ N, e - J @ closing
        damping = DAMPING * float(e @ e) + 1e-12
        task = N @ along.T @ np.linalg.solve(along @ along.T + damping * np.eye(6), left)
        return closing + task, float(e @ e), float(np.abs(here.gap).max())

    def _moved(self, q: Array, step: Array) -> Array:
        """The configuration after a step of bounded size, inside the limits."""
        mech, (low, high) = self.joints.mech, self.joints.stops
        size = float(np.abs(step).max())
        q = integrate(mech, q, step * min(1.0, LONGEST / size) if size else step)
        where = self.joints.coordinates
        plain = where >= 0
        q[where[plain]] = np.clip(q[where[plain]], low[plain], high[plain])
        return q


def _free(W: Array) -> tuple[Array, Array]:
    """W^+ and an orthonormal N with W N = 0; nearly dependent rows count as dependent."""
    U, sizes, V = np.linalg.svd(W)
    rank = int((sizes > SAME * sizes.max(initial=0.0)).sum())
    return (V[:rank].T / sizes[:rank]) @ U[:, :rank].T, V[rank:].T
