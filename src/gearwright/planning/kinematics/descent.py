"""Descents to a pose: steps of one kernel, for one pose or a batch, with restarts from other configurations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.public_call import compiled_now
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.programs.dynamics_programs import JACOBIAN
from gearwright.programs.kinematic_programs import REACHING_STEP, spot_of

STEPS = 40
"""Of one descent at most."""
PATIENCE, PROGRESS = 5, 0.9
"""A descent is given up when so many steps have not brought the squared error below this share."""
STARTS = 60
"""Descents for a pose before it counts as unreachable."""
DAMPING = 0.1
"""Of a descent, as a share of the squared error."""
POLISH = 200
"""Steps that bring the nearest placement of an unreachable pose to rest."""


class Descent:
    """Brings a frame to poses.

    Args:
        joints: the machine and its limits.
        frame: body or frame to place.
        task: six weights of the error, 0 for what is free.
        mobility: per speed how willingly it moves, 0 for what is held.
    """

    def __init__(self, joints: Joints, frame: int | str, task: Array, mobility: Array | None = None) -> None:
        self.joints, self.frame, self.task = joints, frame, task
        mech = joints.mech
        self.spot = spot_of(mech, frame)
        if not mech.is_moved(self.spot.body):
            raise InputError(
                f"frame {frame!r} cannot move: it is fixed to the base. Name a frame on a link that a joint moves."
            )
        self.mobility = np.ones(mech.n) if mobility is None else mobility
        self.step: Callable[..., Array] = compiled_now(REACHING_STEP, mech, {"body": mech.name_of(frame)})
        self._fixed = (task, self.mobility, *joints.stops)
        self._rest = (*self._fixed, np.array([DAMPING]))

    def without_limits(self) -> Descent:
        """The same for joints without limits."""
        return Descent(Joints.of(self.joints.mech), self.frame, self.task, self.mobility)

    @cached_property
    def seeds(self) -> Array:
        """Where descents start when nothing else is known, (STARTS, nq)."""
        return self.joints.seeds(STARTS)

    def task_jacobian(self, q: Array) -> Array:
        """The rows of the Jacobian that the task has, over the joints that may move, (..., rows, joints)."""
        J = self.jacobian(np.ascontiguousarray(q))[..., self.task > 0, :]
        return np.ascontiguousarray(J[..., self.moving])

    def dexterity(self, q: Array) -> Array:
        """Smallest over largest singular value of the task's Jacobian, (...); directions no joint ever has left out."""
        J = self.task_jacobian(q)
        J = J[..., np.abs(J).reshape(-1, *J.shape[-2:]).max(axis=(0, 2)) > 1e-12, :]
        if 0 in J.shape[-2:]:
            return np.zeros(q.shape[:-1])
        values = np.linalg.svd(J, compute_uv=False)
        found: Array = values[..., -1] / np.maximum(values[..., 0], 1e-300)
        return found

    @cached_property
    def moving(self) -> NDArray[np.int_]:
        """The speeds that move the frame and are not held."""
        mech = self.joints.mech
        speeds = {dof.speed for i in mech.paths[self.spot.body] for dof in mech.joints[i].dofs}
        return np.array([k for k in sorted(speeds) if self.mobility[k] > 0], dtype=int)

    @cached_property
    def jacobian(self) -> Callable[..., Array]:
        """J (..., 6, n) of the frame at configurations."""
        return compiled_now(
            JACOBIAN, self.joints.mech, {"body": self.joints.mech.name_of(self.frame), "point": (0.0, 0.0, 0.0)}
        )

    def holding(self, seeds: Array, begin: Array) -> Array:
        """The seeds (..., nq) with held joints where they begin."""
        where = self.joints.coordinates
        still = where[(self.mobility == 0) & (where >= 0)]
        if not len(still):
            return seeds
        seeds = np.array(np.broadcast_to(seeds, np.broadcast_shapes(seeds.shape, begin.shape)))
        seeds[..., still] = begin[..., still]
        return seeds

    def one(self, q: Array, pose: Array, goal: float) -> tuple[Array, float]:
        """The descent of one configuration to a pose (12): the best configuration and its squared error."""
        step, rest = self.step, self._rest
        best, least, before = q, np.inf, np.inf
        for k in range(STEPS):
            out = step(q, pose, *rest)
            error = float(out[-2] + out[-1])
            if error < least:
                best, least = q, error
                if error <= goal:
                    break
            if k % PATIENCE == PATIENCE - 1:
                if not error <= PROGRESS * before:
                    break
                before = error
            q = out[:-2]
        return best, least

    def many(self, q: Array, poses: Array, goal: float) -> tuple[Array, Array]:
        """The same for a batch (N, nq) and poses (N, 12)."""
        best, least = np.array(q), np.full(len(q), np.inf)
        before = np.full(len(q), np.inf)
        active = np.arange(len(q))
        for k in range(STEPS):
            out = self.step(q, poses, *self._rest)
            error = out[:, -2] + out[:, -1]
            better = error < least[active]
            best[active[better]], least[active[better]] = q[better], error[better]
            going = ~(error <= goal)
            if k % PATIENCE == PATIENCE - 1:
                going &= error <= PROGRESS * before[active]
                before[active] = error
            if not going.any():
                break
            q, poses, active = np.ascontiguousarray(out[going, :-2]), poses[going], active[going]
        return best, least

    def reach(self, poses: Array, starts: Array | None, goal: float, rounds: int = STARTS) -> tuple[Array, Array]:
        """Configurations (N, nq) and squared errors (N,): from the starts first, then from the seeds.

        A pose is tried from the same seeds in the same order, whatever batch it comes in.
        """
        if len(poses) == 1:
            alone, size = self._reach_one(poses[0], None if starts is None else starts[0], goal, rounds)
            return alone[None].copy(), np.array([size])
        first = np.tile(self.seeds[0], (len(poses), 1)) if starts is None else starts
        q, error = self.many(np.ascontiguousarray(first), poses, goal)
        for seed in self.seeds[starts is None : rounds]:
            left = np.flatnonzero(error > goal)
            if not len(left):
                break
            fresh = np.tile(seed, (len(left), 1))
            fresh = fresh if starts is None else self.holding(fresh, starts[left])
            other, sizes = self.many(fresh, poses[left], goal)
            better = sizes < error[left]
            q[left[better]], error[left[better]] = other[better], sizes[better]
        return q, error

    def _reach_one(self, pose: Array, start: Array | None, goal: float, rounds: int) -> tuple[Array, float]:
        q, error = self.one(np.ascontiguousarray(self.seeds[0] if start is None else start), pose, goal)
        for seed in self.seeds[start is None : rounds]:
            if error <= goal:
                break
            other, size = self.one(seed if start is None else self.holding(seed, start), pose, goal)
            if size < error:
                q, error = other, size
        return q, error

    def polish(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """The squared error of unreachable poses brought to a minimum: damping grows where a step did not help.

        An error that stays makes undamped steps swing about an arm that is stretched out.
        """
        damping = np.full((len(q), 1), DAMPING)
        out = self.step(q, poses, *self._fixed, damping)
        error = out[:, -2] + out[:, -1]
        for _ in range(POLISH):
            ahead = np.ascontiguousarray(out[:, :-2])
            there = self.step(ahead, poses, *self._fixed, damping)
            size = there[:, -2] + there[:, -1]
            better = size < error
            q, error = np.where(better[:, None], ahead, q), np.where(better, size, error)
            damping = np.where(better[:, None], damping / 3, np.minimum(damping * 4, 1e9))
            out = self.step(q, poses, *self._fixed, damping)
        return q, error
