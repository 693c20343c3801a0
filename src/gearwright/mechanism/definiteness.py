"""Whether every motion has inertia: asked once per machine, so that a singular one is refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.errors import InertiaError
from gearwright.mechanism import checks
from gearwright.mechanism.generic_mass_matrix import Matrix, generic_mass_matrix

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism

SINGULAR = 1e-12
"""Smallest eigenvalue, diagonal scaled to one, below which rounding cannot be told from zero."""

CERTAIN = 1e-8
"""A matrix of unit diagonal whose pivots all exceed this is not singular: rounding moves a pivot by less."""


def every_motion_has_inertia(mech: Mechanism) -> None:
    """Refuse a machine whose mass matrix is singular or indefinite; symbols are left to their nominal values."""
    if not mech.n or not _all_numbers(mech):
        return
    M = generic_mass_matrix(mech)
    scale = np.sqrt(np.abs(np.diag(M)))
    still = scale < SINGULAR * max(float(scale.max(initial=0.0)), 1e-300)
    if still.any():
        raise _refusal(mech, [int(np.argmax(still))], "moves nothing with inertia: the mass matrix would be singular")
    scaled = M / np.outer(scale, scale)
    if _smallest_pivot(scaled) > CERTAIN:
        return
    values, vectors = np.linalg.eigh(scaled)
    if values[0] < SINGULAR:
        motion = np.abs(vectors[:, 0] / scale)
        moved = np.flatnonzero(motion > 1e-6 * motion.max()).tolist()
        lack = "nothing with" if values[0] > -SINGULAR else "something with negative"
        raise _refusal(mech, moved, f"can move {lack} inertia: the mass matrix would not be positive definite")


def _refusal(mech: Mechanism, speeds: list[int], problem: str) -> InertiaError:
    names = ", ".join(repr(mech.speeds[k]) for k in speeds)
    who = f"speed {names}" if len(speeds) == 1 else f"speeds {names} together"
    return InertiaError(
        f"{who} {problem}. Give the body (or one further out) mass and inertia, a rotor, or make the joint fixed."
    )


def _all_numbers(mech: Mechanism) -> bool:
    bodies = [x for b in mech.bodies for x in (*b.about_origin, *b.axis, *b.position, *b.rotation.a, *b.rotation.b)]
    bodies += [x for b in mech.bodies for x in (*(b.axis2 or ()), 0.0 if b.pitch is None else b.pitch)]
    factors = [x for joint in mech.joints for x in (joint.factor, joint.offset)]
    spins = [x for s in mech.spins for x in (*s.axis, s.inertia, s.coupled, *(b for _, b in s.terms))]
    return checks.numbers(*bodies, *factors, *spins)


def _smallest_pivot(matrix: Matrix) -> float:
    """The smallest pivot of the elimination; 0 where it breaks down."""
    try:
        return float(np.square(np.diag(np.linalg.cholesky(matrix))).min())
    except np.linalg.LinAlgError:
        return 0.0
