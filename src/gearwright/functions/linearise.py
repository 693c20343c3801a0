"""Linear models of the motion near a state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.dynamics.configuration import rate, turning_joints
from gearwright.functions.run import derivative
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.programs import FORWARD_DYNAMICS


class LinearModel(NamedTuple):
    """d/dt [dq; dv] = A [dq; dv] + B dtau: A (..., 2n, 2n), B (..., 2n, n), dq in the tangent at q."""

    A: Array
    B: Array


def linearise(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> LinearModel:
    """The exact first-order model of forward dynamics about a state, not only an equilibrium.

    A = [[-ad(v), 1], [da/dq, da/dv]], B = [[0], [M^-1]]; ad(v) is zero but for free and spherical joints, whose
    tangent turns with the body.
    """
    mech = machine_of("linearise", mech)
    slopes = derivative(FORWARD_DYNAMICS, mech, {"q": q, "v": v, "tau": tau}, "linearise")
    lead, n = slopes.shape[:-2], mech.n
    A, B = np.zeros((*lead, 2 * n, 2 * n)), np.zeros((*lead, 2 * n, n))
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :], B[..., n:, :] = slopes[..., : 2 * n], slopes[..., 2 * n :]
    if mech.nq != n:
        speeds = np.broadcast_to(np.asarray(v, dtype=np.float64), (*lead, n))
        for k in np.ndindex(*lead):
            A[k][:n, :n] = -adjoint(mech, speeds[k])
    return LinearModel(A, B)


def adjoint(mech: Mechanism, v: Array) -> Array:
    """How the tangent at a moving configuration turns: w x for rotations, with v x below it for a free joint."""
    out = np.zeros((mech.n, mech.n))
    for joint in turning_joints(mech):
        turning = _cross(v[joint.angular])
        out[joint.angular, joint.angular] = turning
        if joint.linear:
            out[joint.linear, joint.linear] = turning
            out[joint.linear, joint.angular] = _cross(v[joint.linear])
    return out


def tangent_map(mech: Mechanism, q: Array) -> Array:
    """G (..., nq, n) of dq/dt = G v."""
    out = np.zeros((*q.shape, mech.n))
    entries = list(np.moveaxis(q, -1, 0))
    for k, unit in enumerate(np.eye(mech.n).tolist()):
        for entry, value in enumerate(rate(mech, entries, unit)):
            out[..., entry, k] = value
    return out


def _cross(w: Array) -> Array:
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
