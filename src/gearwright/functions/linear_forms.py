"""Velocities and accelerations of every link as linear functions of the joints' rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ZERO, Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.other_formulations.vukobratovic import Form, link_forms
from gearwright.dynamics.pose import place
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.batch import evaluate
from gearwright.programs.inputs import checked
from gearwright.programs.program import Fixed, Inputs, Program


class LinearForms(NamedTuple):
    """w = Lambda v, v_C = Xi v, dw/dt = Lambda a + Gamma, dv_C/dt = Xi a + Delta of every body, world axes.

    Lambda, Xi: (..., bodies, 3, n). Gamma [rad/s2], Delta [m/s2]: (..., bodies, 3).
    """

    Lambda: Array
    Xi: Array
    Gamma: Array
    Delta: Array


def _run(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> list[list[Scalar]]:
    """Per body its rows: Lambda, Xi, Gamma, Delta."""
    links = link_forms(place(mech, x["q"], ops), x["v"])[: len(mech.bodies)]
    return [
        [*_rows(link.Lambda, mech.n), *_rows(link.Xi, mech.n), *link.Gamma, *link.Delta]  # flat, in this order
        for link in links
    ]


def _rows(form: Form, n: int) -> list[Scalar]:
    columns = [form.get(k, ZERO) for k in range(n)]
    return [x for row in zip(*columns, strict=True) for x in row]


_FORMS = Program("linear_forms", ("q", "v"), _run, lambda m, _: (len(m.bodies), 6 * m.n + 6), growth=2)


def linear_forms(mech: RobotOrMech, q: ArrayLike, v: ArrayLike) -> LinearForms:
    """The matrices Lambda, Xi, Gamma and Delta of Vukobratovic and Potkonjak, eqs (20.32) to (20.43), corrected.

    C is the mass centre of a link with the wheels it carries. `recursive_form` makes H and h of them.

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
    given = {"q": checked("linear_forms", mech, "q", q, mech.nq), "v": checked("linear_forms", mech, "v", v, mech.n)}
    flat = evaluate(_FORMS, mech, given, {})
    Lambda, Xi, Gamma, Delta = np.split(flat, [3 * mech.n, 6 * mech.n, 6 * mech.n + 3], axis=-1)
    shape = (*flat.shape[:-1], 3, mech.n)
    return LinearForms(Lambda.reshape(shape), Xi.reshape(shape), Gamma, Delta)
