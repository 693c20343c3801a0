"""All configurations that bring a frame to a pose, in closed form where one is known, else by restarted descents.

Closed forms of further arms (three parallel axes, and others) come from the library EAIK where it is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.planning.kinematics.descent import Descent
from gearwright.planning.kinematics.poses import placed
from gearwright.planning.kinematics.wrist_partitioned import ArmAxes, arm_axes, wrist_partitioned


@dataclass(frozen=True)
class EaikForm:
    """An arm in EAIK, which takes axes and the ways between them."""

    arm: ArmAxes
    solver: Any

    def configurations(self, pose: Array) -> Array:
        """All angles that bring the frame to a flat pose (12,), (branches, 6)."""
        R, p = placed(pose)
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = R @ self.arm.rotation.T, p
        found = self.solver.IK(target)
        exact = [x for x, rough in zip(found.Q, found.is_LS, strict=True) if not rough]
        return np.array(exact, dtype=float).reshape(-1, 6)


def eaik_form(arm: ArmAxes) -> EaikForm | None:
    """The closed form of an arm, if EAIK (`pip install 'gearwright[ik]'`) is there and knows one."""
    if find_spec("eaik") is None:
        return None
    from eaik.IK_HP import HPRobot

    ways = np.diff(np.vstack([np.zeros(3), arm.points, arm.position]), axis=0)
    solver = HPRobot(arm.axes, ways)
    return EaikForm(arm, solver) if solver.hasKnownDecomposition() else None


WAVE, WAVES = 64, 12
"""Descents started at once, and how often at most."""
QUIET = 3
"""Waves without a new branch after which the search ends."""
APART = 1e-5
"""Configurations closer than this are one [rad, m]."""
EXACT = 1e-26
"""Squared error to which branches are computed: near singularities a coarse one leaves them spread."""
FLAT = 1e-6
"""Share of the largest singular value below which a direction moves nothing: what it connects is one branch."""


def all_branches(descent: Descent, poses: Array, begin: Array | None, goal: float) -> tuple[Array, Array]:
    """Branches (N, B, nq) and squared errors (N, B); nan and infinity fill the rows of poses that have fewer.

    A pose out of reach has one row, the nearest configuration.
    """
    _refuse_redundant(descent)
    search = _Search(descent, goal)
    found = [search.branches(pose, None if begin is None else begin[k]) for k, pose in enumerate(poses)]
    most = max((len(q) for q, _ in found), default=1)
    q, error = np.full((len(found), most, descent.joints.mech.nq), np.nan), np.full((len(found), most), np.inf)
    for k, (mine, size) in enumerate(found):
        q[k, : len(mine)], error[k, : len(mine)] = mine, size
    return q, error


def _refuse_redundant(descent: Descent) -> None:
    wanted = int((descent.task > 0).sum())
    if len(descent.moving) > wanted:
        raise InputError(
            f"inverse_kinematics: {len(descent.moving)} joints move {descent.frame!r} and the pose has {wanted} "
            "conditions, so there are infinitely many configurations. Ask for one of them near a start (start=, "
            "without branches='all'), or hold joints (held=)."
        )


class ClosedForm(Protocol):
    """Gives all angles of an arm of six joints."""

    def configurations(self, pose: Array) -> Array:
        """Angles (branches, 6) for a flat pose (12,)."""
        ...


@dataclass(frozen=True)
class _Search:
    """The branches of poses one after the other.

    Args:
        descent: what places the frame.
        goal: squared error to be reached.
    """

    descent: Descent
    goal: float
    forms: dict[bytes, ClosedForm | None] = field(default_factory=dict)

    def branches(self, pose: Array, begin: Array | None) -> tuple[Array, Array]:
        """All configurations and their squared errors; of a pose out of reach the nearest."""
        joints, goal = self.descent.joints, self.goal
        known, errors = np.empty((0, joints.mech.nq)), np.empty(0)
        quiet = 0
        best: tuple[Array, Array] | None = None
        for starts, is_all in self._starts(pose, begin):
            q, error = self.descent.many(starts, np.tile(pose, (len(starts), 1)), min(goal, EXACT))
            if best is None or error.min() < best[1][0]:
                best = q[[error.argmin()]], error[[error.argmin()]]
            before = len(known)
            there = joints.rested(joints.wound(q[error <= goal], begin))
            known, errors = _merged(self.descent, there, error[error <= goal], known, errors)
            quiet = quiet + 1 if len(known) == before else 0
            if quiet >= QUIET or (is_all and len(known)):
                break
        if not len(known) and best is not None:
            known, errors = self.descent.polish(best[0], pose[None])
            known = joints.rested(joints.wound(known, begin))
        order = np.lexsort(known.T[::-1].round(6)) if begin is None else np.abs(known - begin).max(axis=1).argsort()
        return known[order], errors[order]

    def _starts(self, pose: Array, begin: Array | None) -> Iterator[tuple[Array, bool]]:
        """Where descents start, wave by wave, and whether a wave holds every branch: that of a closed form does."""
        exact = self.exact(pose, self.descent.seeds[0] if begin is None else begin)
        if len(exact):
            yield exact, True
        seeds = self.descent.joints.seeds(WAVE * WAVES)
        if begin is not None:
            seeds = self.descent.holding(seeds, begin)
        for wave in range(WAVES):
            yield np.ascontiguousarray(seeds[wave * WAVE : (wave + 1) * WAVE]), False

    def exact(self, pose: Array, base: Array) -> Array:
        """The configurations of a closed form within the limits, (branches, nq); none if the arm has no such form."""
        joints, moving = self.descent.joints, self.descent.moving
        form = self._form(base)
        if form is None:
            return np.empty((0, joints.mech.nq))
        angles, middle = form.configurations(pose), joints.middles[moving]
        q = np.tile(base, (len(angles), 1))
        q[:, joints.coordinates[moving]] = middle + (angles - middle + np.pi) % (2 * np.pi) - np.pi
        return np.array([x for x in q if not joints.outside(x)]).reshape(-1, joints.mech.nq)

    def _form(self, base: Array) -> ClosedForm | None:
        """The closed form of the arm: it depends on where held joints are, and on nothing else."""
        held = base[self.descent.joints.coordinates[self.descent.mobility == 0]].tobytes()
        if held not in self.forms:
            arm = arm_axes(self.descent, base)
            self.forms[held] = None if arm is None else wrist_partitioned(arm) or eaik_form(arm)
        return self.forms[held]


def _merged(descent: Descent, q: Array, error: Array, known: Array, errors: Array) -> tuple[Array, Array]:
    for x, size in zip(q, error, strict=True):
        if not len(known) or np.abs(_between(descent, known, x)).max(axis=1).min() > APART:
            known, errors = np.vstack([known, x]), np.append(errors, size)
    return known, errors


def _between(descent: Descent, known: Array, x: Array) -> Array:
    """Differences of joints that move the frame, without the part along which a singular arm moves freely."""
    moving = descent.moving[descent.joints.coordinates[descent.moving] >= 0]
    way: Array = descent.joints.way(known, x)[:, descent.joints.coordinates[moving]]
    if len(moving) < len(descent.moving):
        return way
    _, values, rows = np.linalg.svd(descent.task_jacobian(x))
    still = rows[: len(values)][values < FLAT * values[0]]
    return way - way @ still.T @ still
