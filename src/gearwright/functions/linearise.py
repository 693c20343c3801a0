"""Linear models of the motion near a state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ZERO
from gearwright.algebra.operations import ARRAYS
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.dynamics.configuration import rate
from gearwright.dynamics.kinematics import relative
from gearwright.forces.contact.constraint import Constraint
from gearwright.functions.constrained.closed_linearise import ClosedSlopes, reduced
from gearwright.functions.constrained.closure import Closure, FreeSpeeds, closure_of
from gearwright.functions.public_call import derivative
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.plots import saved
from gearwright.plots.notebook import notebook
from gearwright.plots.poles import poles
from gearwright.programs.dynamics_programs import FORWARD_DYNAMICS
from gearwright.programs.inputs import checked


class LinearModel(NamedTuple):
    """d/dt [dq; dv] = A [dq; dv] + B dtau: A (..., 2n, 2n), B (..., 2n, n), dq in the tangent at q."""

    A: Array
    B: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """The poles in the complex plane [1/s]; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(poles(np.linalg.eigvals(self.A)), path)

    def _repr_html_(self) -> str:
        return notebook(self)


@check_arguments
def linearise(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    laws: Sequence[Constraint] | None = None,
    extra_laws: Sequence[Constraint] = (),
) -> LinearModel:
    r"""The exact first-order model of forward dynamics about a state, not only an equilibrium.

    A = [[-ad(v), 1], [da/dq, da/dv]], B = [[0], [M^-1]]; ad(v) is zero but for free, spherical and
    planar joints, whose tangent turns with the body.

    Of a machine that constraints close, the model is reduced to the f speeds that they leave free, in the order of
    `gw.contact.free_speeds`: $d/dt\,[dz; dw] = A\,[dz; dw] + B\,d\tau$ with A (2f, 2f), B (2f, n), while all else
    follows as $dq = N\,dz$. It is exact at states that move, too.

    Args:
        mech: the machine, or the robot.
        q: configuration, (..., nq), closed where there are loops.
        v: speeds, (..., n).
        tau: generalized forces, (..., n).
        laws: constraints instead of the loops of the robot; () for none.
        extra_laws: constraints beside the loops of the robot.
    """
    robot, mech = mech, machine_of("linearise", mech)
    closure = closure_of("linearise", robot, mech, laws, extra_laws)
    if closure is not None:
        return _closed(closure, q, v, tau)
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


@check_arguments
def free_speeds(
    mech: RobotOrMech,
    q: ArrayLike,
    laws: Sequence[Constraint] | None = None,
    *,
    extra_laws: Sequence[Constraint] = (),
) -> FreeSpeeds:
    r"""The speeds that constraints leave free at a configuration, and how all speeds follow from them, $v = N w$.

    Speeds with actuators come first in the choice: a crank that is driven is free, and the rest follows.

    Args:
        mech: the machine, or the robot.
        q: configuration, (nq,), closed.
        laws: constraints instead of the loops of the robot; () for none.
        extra_laws: constraints beside the loops of the robot.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = gw.contact.Constraint("pen", "tool", gw.contact.fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    >>> start = gw.contact.project(arm, [0.3, -0.3, 0.9], [pen])
    >>> free_speeds(arm, start.q, [pen]).directions.shape
    (3, 2)
    """
    machine = machine_of("free_speeds", mech)
    at = checked("free_speeds", machine, "q", q, machine.nq)
    closure = closure_of("free_speeds", mech, machine, laws, extra_laws) or Closure(machine, ())
    if not closure.laws:
        return FreeSpeeds(machine.speeds, tuple(range(machine.n)), np.eye(machine.n))
    here = closure.at(at)
    closure.require_closed("free_speeds", here)
    return closure.free(here.rows)


def _closed(closure: Closure, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> LinearModel:
    """Reduced to the speeds that are free at the first state of a batch."""
    mech = closure.mech
    given = [checked("linearise", mech, name, x, m) for name, x, m in
             (("q", q, mech.nq), ("v", v, mech.n), ("tau", tau, mech.n))]  # fmt: skip
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in given))
    states = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in given]
    slopes, models, names = ClosedSlopes(closure), [], None
    for k in np.ndindex(*lead):
        at, speed, force = (np.ascontiguousarray(x[k]) for x in states)
        here = closure.at(at, speed)
        closure.require_closed("linearise", here)
        free = closure.free(here.rows) if names is None else closure.free(here.rows, names)
        names = free.indices
        turn = np.zeros((mech.n, mech.n)) if mech.straight else adjoint(mech, speed)
        models.append(reduced(slopes.at(at, speed, force, here), free, here.rows, turn))
    A, B = (np.array(x).reshape(*lead, *x[0].shape) for x in zip(*models, strict=True))
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
