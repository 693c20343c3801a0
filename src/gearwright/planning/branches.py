"""All configurations that bring a frame to a pose, by restarts until no new one appears."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.planning.descent import Descent

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
    found = [_branches(descent, pose, None if begin is None else begin[k], goal) for k, pose in enumerate(poses)]
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
            "conditions, so there are infinitely many configurations. Use branches='one' with start=, or hold joints "
            "with held=."
        )


def _branches(descent: Descent, pose: Array, begin: Array | None, goal: float) -> tuple[Array, Array]:
    joints = descent.joints
    known, errors = np.empty((0, joints.mech.nq)), np.empty(0)
    quiet, seeds = 0, joints.seeds(WAVE * WAVES)
    if begin is not None:
        seeds = descent.holding(seeds, begin)
    best: tuple[Array, Array] | None = None
    for wave in range(WAVES):
        starts = np.ascontiguousarray(seeds[wave * WAVE : (wave + 1) * WAVE])
        q, error = descent.many(starts, np.tile(pose, (len(starts), 1)), min(goal, EXACT))
        if best is None or error.min() < best[1][0]:
            best = q[[error.argmin()]], error[[error.argmin()]]
        before = len(known)
        there = joints.rested(joints.wound(q[error <= goal], begin))
        known, errors = _merged(descent, there, error[error <= goal], known, errors)
        quiet = quiet + 1 if len(known) == before else 0
        if quiet >= QUIET:
            break
    if not len(known) and best is not None:
        known, errors = descent.polish(best[0], pose[None])
        known = joints.rested(joints.wound(known, begin))
    order = np.lexsort(known.T[::-1].round(6)) if begin is None else np.abs(known - begin).max(axis=1).argsort()
    return known[order], errors[order]


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
