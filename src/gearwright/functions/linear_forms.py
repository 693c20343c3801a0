"""Velocities and accelerations of every link as linear functions of the joints' rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ZERO, Operations, Scalar, is_zero
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.closed_loops.loop_equations import sum_of
from gearwright.dynamics.other_formulations.vukobratovic import LinearForm, link_forms
from gearwright.functions.public_call import whole_input
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of
from gearwright.programs.batch import evaluate_program
from gearwright.programs.inputs import checked_array
from gearwright.programs.program import Fixed, Inputs, Program


class LinearForms(NamedTuple):
    """w = Lambda v, v_C = Xi v, dw/dt = Lambda a + Gamma, dv_C/dt = Xi a + Delta of every body, world axes.

    Lambda, Xi: (..., bodies, 3, n). Gamma [rad/s2], Delta [m/s2]: (..., bodies, 3).
    """

    Lambda: Array
    Xi: Array
    Gamma: Array
    Delta: Array


def _link_form_rows(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> list[list[Scalar]]:
    """Return the rows of each body: Lambda, Xi, Gamma, Delta."""
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    drifts = speed_map.accelerations(v, [0.0] * mech.n)
    rows: list[list[Scalar]] = []
    for link in link_forms(pose, v)[: len(mech.bodies)]:
        Lambda, Xi = (_form_rows(form, mech.tree.n) for form in (link.Lambda, link.Xi))
        Gamma, Delta = (
            [entry + sum_of(x * a for x, a in zip(row, drifts, strict=True) if not is_zero(a)) for row, entry in pairs]
            for pairs in (zip(Lambda, link.Gamma, strict=True), zip(Xi, link.Delta, strict=True))
        )
        matrices = [entry for form in (Lambda, Xi) for row in speed_map.columns(form) for entry in row]
        rows.append([*matrices, *Gamma, *Delta])  # flat, in this order
    return rows


def _form_rows(form: LinearForm, n: int) -> list[list[Scalar]]:
    return [list(row) for row in zip(*(form.get(k, ZERO) for k in range(n)), strict=True)]


_LINEAR_FORMS_PROGRAM = Program(
    "linear_forms", ("q", "v"), _link_form_rows, lambda m, _: (len(m.bodies), 6 * m.n + 6), growth=2
)


def linear_forms(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> LinearForms:
    """Return the matrices Lambda, Xi, Gamma and Delta of Vukobratovic and Potkonjak, eqs (20.32) to (20.43), corrected.

    C is the centre of mass of a link with its wheels. `recursive_form` computes H and h from them. With closed loops v
    are the independent speeds, and the forms contain those of the dependent ones.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        v: speeds [rad/s, m/s], (..., n).

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> forms = linear_forms(gw.Mechanism([arm]), [0.0], [2.0])
    >>> forms.Xi[0].tolist(), forms.Delta[0].tolist()             # 0.5 m; -0.5 * 2^2 m/s2 towards the axis
    ([[0.0], [0.5], [0.0]], [-2.0, 0.0, 0.0])
    """
    mech = machine_of("linear_forms", mech)
    inputs = {
        "q": checked_array("linear_forms", mech, "q", whole_input(_LINEAR_FORMS_PROGRAM, mech, "q", q), mech.nq),
        "v": checked_array("linear_forms", mech, "v", v, mech.n),
    }
    flat = evaluate_program(_LINEAR_FORMS_PROGRAM, mech, inputs, {})
    Lambda, Xi, Gamma, Delta = np.split(flat, [3 * mech.n, 6 * mech.n, 6 * mech.n + 3], axis=-1)
    shape = (*flat.shape[:-1], 3, mech.n)
    return LinearForms(Lambda.reshape(shape), Xi.reshape(shape), Gamma, Delta)
