"""Whether every motion has inertia: the mass matrix at one configuration without special angles.

The plainest form, sum m Jv'Jv + Jv'S Jw + Jw'S'Jv + Jw' I Jw about the bodies' origins + what the spins add. It runs
once per machine, before any recursion does, so that a singular machine is refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import IDENTITY, ZERO, Rot, Vec
from gearwright.algebra.operations import FLOATS
from gearwright.errors import InertiaError
from gearwright.mechanism import checks

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism

Matrix = NDArray[np.float64]
SINGULAR = 1e-12
"""Smallest eigenvalue, diagonal scaled to one, below which rounding cannot be told from zero."""


class Moving(NamedTuple):
    """A body's rotation, origin, and angular and linear velocity (of its origin) per speed, world axes."""

    rotation: Rot
    origin: Vec
    angular: Matrix
    linear: Matrix


def every_motion_has_inertia(mech: Mechanism) -> None:
    """Refuse a machine whose mass matrix is singular or indefinite; symbols are left to their nominal values."""
    if not mech.n or not _all_numbers(mech):
        return
    M = _mass_matrix(mech)
    scale = np.sqrt(np.abs(np.diag(M)))
    still = scale < SINGULAR * max(float(scale.max(initial=0.0)), 1e-300)
    if still.any():
        raise _refusal(mech, [int(np.argmax(still))], "moves nothing with inertia: the mass matrix would be singular")
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
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
    spins = [x for s in mech.spins for x in (*s.axis, s.inertia, s.coupled, *s.ratio)]
    return checks.numbers(*bodies, *factors, *spins)


def _mass_matrix(mech: Mechanism) -> Matrix:
    moving = _motions(mech)
    M = np.zeros((mech.n, mech.n))
    for body, (R, _, angular, linear) in zip(mech.bodies, moving, strict=False):
        own = body.about_origin
        tensor, turn = np.array(own.tensor.rows(), dtype=float), np.array(R.rows(), dtype=float)
        mixed = linear.T @ _cross(angular, R @ own.moment)
        M += own.mass * linear.T @ linear + mixed + mixed.T + angular.T @ turn @ tensor @ turn.T @ angular
    for spin in mech.spins:
        R, _, angular, _ = moving[int(spin.carrier)]
        b, h = np.array(spin.ratio, dtype=float), np.array(tuple(R @ spin.axis)) @ angular
        M += spin.inertia * np.outer(b, b) + spin.coupled * (np.outer(b, h) + np.outer(h, b))
    return M


def _motions(mech: Mechanism) -> list[Moving]:
    """How every body moves; the last entry (index -1) is the base's."""
    nothing = np.zeros((3, mech.n))
    moving = [Moving(IDENTITY, ZERO, nothing, nothing)] * (len(mech.bodies) + 1)
    generic: list[Any] = [0.7 + 0.61803 * k for k in range(mech.nq)]
    for i, (body, joint) in enumerate(zip(mech.bodies, mech.joints, strict=True)):
        parent = moving[mech.parent(i)]
        turn, shift, axes = body.kind.place(body, joint.coordinates(generic), FLOATS)
        R, arm = parent.rotation.after(turn), parent.rotation @ shift
        angular, linear = parent.angular.copy(), parent.linear + _cross(parent.angular, arm)
        for dof, axis in zip(joint.dofs, axes or [dof.axis for dof in joint.dofs], strict=True):
            target = angular if dof.angular else linear
            target[:, dof.speed] += tuple(R @ (axis * dof.factor))
        moving[i] = Moving(R, parent.origin + arm, angular, linear)
    return moving


def _cross(columns: Matrix, r: Vec) -> Matrix:
    """Every column x r."""
    product: Matrix = np.cross(columns.T, np.array(tuple(r))).T
    return product
