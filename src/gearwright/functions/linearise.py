"""Linearised models of the motion about a state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ARRAYS, ZERO
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.dynamics.configuration import coordinate_rates
from gearwright.dynamics.kinematics import joint_motion
from gearwright.forces import Constraint
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.functions.constrained.closed_linearise import ConstrainedLinearisation, reduce_to_free
from gearwright.functions.constrained.closing import speed_directions, whole_motion
from gearwright.functions.constrained.closure import Closure, FreeSpeeds, closure_of
from gearwright.functions.public_call import program_derivative
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.plots import notebook_html, pole_figure, save_if_path
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.dynamics_programs import FORWARD_DYNAMICS
from gearwright.programs.inputs import checked_array


class LinearModel(NamedTuple):
    """d/dt [dq; dv] = A [dq; dv] + B dtau: A (..., 2n, 2n), B (..., 2n, n), dq in the tangent space at q."""

    A: Array
    B: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the poles in the complex plane [1/s]; with `path` (.png, .svg, .pdf) it is saved too."""
        return save_if_path(pole_figure(np.linalg.eigvals(self.A)), path)

    def _repr_html_(self) -> str:
        return notebook_html(self)


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
    r"""Return the exact linearisation of the forward dynamics about any state, not only an equilibrium.

    A = [[-ad(v), 1], [da/dq, da/dv]], B = [[0], [M^-1]]; ad(v) is zero except for free, spherical and
    planar joints, whose tangent space rotates with the body.

    A machine with closed loops in its independent speeds v and tau, (..., f): A (2f, 2f), B (2f, f).

    For a machine with constraints and all speeds, the model is reduced to the f independent speeds, in the order of
    `gw.contact.free_speeds`: $d/dt\,[dz; dw] = A\,[dz; dw] + B\,d\tau$ with A (2f, 2f), B (2f, n), and $dq = N\,dz$
    for all coordinates. It is exact for moving states, too.

    Args:
        mech: the machine, or the robot.
        q: configuration, (..., nq), consistent with the constraints.
        v: speeds, (..., n).
        tau: generalized forces, (..., n).
        laws: constraints that replace the loops of the robot; () for none.
        extra_laws: constraints in addition to the loops of the robot.
    """
    independent = machine_of("linearise", mech)
    if isinstance(independent, ClosedMechanism) and laws is None and not extra_laws:
        if np.shape(v)[-1:] == np.shape(tau)[-1:] == (independent.n,):
            return _linearise_independent(independent, q, v, tau)
        laws = loop_laws(independent)
    robot, mech = mech, tree_of("linearise", mech)
    closure = closure_of("linearise", robot, mech, laws, extra_laws)
    if closure is not None:
        return _linearise_constrained(closure, q, v, tau)
    slopes = program_derivative(FORWARD_DYNAMICS, mech, {"q": q, "v": v, "tau": tau}, "linearise")
    lead, n = slopes.shape[:-2], mech.n
    A, B = np.zeros((*lead, 2 * n, 2 * n)), np.zeros((*lead, 2 * n, n))
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :], B[..., n:, :] = slopes[..., : 2 * n], slopes[..., 2 * n :]
    if not mech.speeds_are_rates:
        speeds = np.broadcast_to(np.asarray(v, dtype=np.float64), (*lead, n))
        for k in np.ndindex(*lead):
            A[k][:n, :n] = -adjoint_matrix(mech, speeds[k])
    return LinearModel(A, B)


def _linearise_independent(mech: ClosedMechanism, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> LinearModel:
    """Return the model of a machine with closed loops in its independent speeds: A (..., 2f, 2f), B (..., 2f, f)."""
    slopes = program_derivative(FORWARD_DYNAMICS, mech, {"q": q, "v": v, "tau": tau}, "linearise")
    lead, n = slopes.shape[:-2], mech.n
    A, B = np.zeros((*lead, 2 * n, 2 * n)), np.zeros((*lead, 2 * n, n))
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :], B[..., n:, :] = slopes[..., : 2 * n], slopes[..., 2 * n :]
    if not mech.tree.speeds_are_rates:
        free = list(mech.closure.independent)
        full_motion, speeds, _ = whole_motion("linearise", mech, q, v, np.zeros(n))
        for k in np.ndindex(*lead):
            point = tuple(np.broadcast_to(x, (*lead, np.shape(x)[-1]))[k] for x in (full_motion, speeds))
            A[k][:n, :n] = -(adjoint_matrix(mech.tree, point[1]) @ speed_directions(mech, point[0]))[free]
    return LinearModel(A, B)


@check_arguments
def free_speeds(
    mech: RobotOrMech,
    q: ArrayLike,
    laws: Sequence[Constraint] | None = None,
    *,
    extra_laws: Sequence[Constraint] = (),
) -> FreeSpeeds:
    r"""Return the independent speeds w of a constrained machine at a configuration, and the map to all, $v = N w$.

    Speeds with actuators are preferred: a driven crank is independent, and the other speeds depend on it.

    Args:
        mech: the machine, or the robot.
        q: configuration, (nq,), consistent with the constraints.
        laws: constraints that replace the loops of the robot; () for none.
        extra_laws: constraints in addition to the loops of the robot.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> pen = gw.contact.Constraint("pen", "tool", gw.contact.fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    >>> start = gw.contact.project(arm, [0.3, -0.3, 0.9], [pen])
    >>> free_speeds(arm, start.q, [pen]).directions.shape
    (3, 2)
    """
    machine = tree_of("free_speeds", mech)
    configuration = checked_array("free_speeds", machine, "q", q, machine.nq)
    closure = closure_of("free_speeds", mech, machine, laws, extra_laws) or Closure(machine, ())
    if not closure.laws:
        return FreeSpeeds(machine.speeds, tuple(range(machine.n)), np.eye(machine.n))
    state = closure.constraint_state(configuration)
    closure.require_closed("free_speeds", state)
    return closure.free_speeds(state.rows)


def _linearise_constrained(closure: Closure, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> LinearModel:
    """Return the model reduced to the independent speeds at the first state of a batch."""
    mech = closure.mech
    inputs = [checked_array("linearise", mech, name, x, m) for name, x, m in
             (("q", q, mech.nq), ("v", v, mech.n), ("tau", tau, mech.n))]  # fmt: skip
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
    states = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in inputs]
    slopes, models, names = ConstrainedLinearisation(closure), [], None
    for k in np.ndindex(*lead):
        configuration, speed, force = (np.ascontiguousarray(x[k]) for x in states)
        state = closure.constraint_state(configuration, speed)
        closure.require_closed("linearise", state)
        free = closure.free_speeds(state.rows) if names is None else closure.free_speeds(state.rows, names)
        names = free.indices
        turn = np.zeros((mech.n, mech.n)) if mech.speeds_are_rates else adjoint_matrix(mech, speed)
        models.append(reduce_to_free(slopes.slopes_at(configuration, speed, force, state), free, state.rows, turn))
    A, B = (np.array(x).reshape(*lead, *x[0].shape) for x in zip(*models, strict=True))
    return LinearModel(A, B)


def adjoint_matrix(mech: Mechanism, v: Array) -> Array:
    """Return the rotation rate of the tangent space: the motion cross product V x S of each joint's own twists.

    The twists of the joints concerned are along orthogonal axes, fixed in the body.
    """
    out = np.zeros((mech.n, mech.n))
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        if body.kind.space.speeds_are_rates:
            continue
        w, u = (ZERO if part is None else part for part in joint_motion(joint.dofs, v.tolist()))
        for column in joint.dofs:
            turned = w.cross(column.axis)
            swept = u.cross(column.axis) if column.angular else turned  # the angular or linear part of the product
            for row in joint.dofs:
                if row.angular and column.angular:
                    out[row.speed, column.speed] = row.axis.dot(turned)
                elif not row.angular:
                    out[row.speed, column.speed] = row.axis.dot(swept)
    return out


def tangent_map(mech: Mechanism, q: Array) -> Array:
    """Return G (..., nq, n) of dq/dt = G v."""
    out = np.zeros((*q.shape, mech.n))
    entries = list(np.moveaxis(q, -1, 0))
    for k, unit in enumerate(np.eye(mech.n).tolist()):
        for entry, value in enumerate(coordinate_rates(mech, entries, unit, ARRAYS)):
            out[..., entry, k] = value
    return out
