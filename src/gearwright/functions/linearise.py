"""Linear models of the motion near a state."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ZERO
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import rate
from gearwright.dynamics.kinematics import relative
from gearwright.functions.run import derivative
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.plots import saved
from gearwright.plots.notebook import notebook
from gearwright.plots.poles import poles
from gearwright.programs.programs import FORWARD_DYNAMICS


class LinearModel(NamedTuple):
    """d/dt [dq; dv] = A [dq; dv] + B dtau: A (..., 2n, 2n), B (..., 2n, n), dq in the tangent at q."""

    A: Array
    B: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """The poles in the complex plane [1/s]; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(poles(np.linalg.eigvals(self.A)), path)

    def _repr_html_(self) -> str:
        return notebook(self)


def linearise(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> LinearModel:
    """The exact first-order model of forward dynamics about a state, not only an equilibrium.

    A = [[-ad(v), 1], [da/dq, da/dv]], B = [[0], [M^-1]]; ad(v) is zero but for free, spherical and
    planar joints, whose tangent turns with the body.
    """
    mech = machine_of("linearise", mech)
    slopes = derivative(FORWARD_DYNAMICS, mech, {"q": q, "v": v, "tau": tau}, "linearise")
    lead, n = slopes.shape[:-2], mech.n
    A, B = np.zeros((*lead, 2 * n, 2 * n)), np.zeros((*lead, 2 * n, n))
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :], B[..., n:, :] = slopes[..., : 2 * n], slopes[..., 2 * n :]
    if not mech.straight:
        speeds = np.broadcast_to(np.asarray(v, dtype=np.float64), (*lead, n))
        for k in np.ndindex(*lead):
            A[k][:n, :n] = -adjoint(mech, speeds[k])
    return LinearModel(A, B)


def adjoint(mech: Mechanism, v: Array) -> Array:
    """How the tangent at a moving configuration turns: the motion product V x S of each joint's own twists.

    Those of the joints concerned are along orthogonal axes, fixed in the body.
    """
    out = np.zeros((mech.n, mech.n))
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        if body.kind.space.straight:
            continue
        w, u = (ZERO if part is None else part for part in relative(joint.dofs, v.tolist()))
        for column in joint.dofs:
            turned = w.cross(column.axis)
            swept = u.cross(column.axis) if column.angular else turned  # what becomes of the velocity
            for row in joint.dofs:
                if row.angular and column.angular:
                    out[row.speed, column.speed] = row.axis.dot(turned)
                elif not row.angular:
                    out[row.speed, column.speed] = row.axis.dot(swept)
    return out


def tangent_map(mech: Mechanism, q: Array) -> Array:
    """G (..., nq, n) of dq/dt = G v."""
    out = np.zeros((*q.shape, mech.n))
    entries = list(np.moveaxis(q, -1, 0))
    for k, unit in enumerate(np.eye(mech.n).tolist()):
        for entry, value in enumerate(rate(mech, entries, unit, ARRAYS)):
            out[..., entry, k] = value
    return out
