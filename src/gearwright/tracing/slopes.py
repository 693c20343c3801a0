"""The exact derivative of anything written over scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.tracing.symbols import Symbol, operations, plain

Formula = Callable[[Sequence[Scalar], Sequence[Scalar], Operations], Sequence[Scalar]]
"""(scalars that are varied, scalars that are not, operations) -> scalars."""


class Slopes:
    """The derivative of anything written over scalars, for many points at once, each with numbers of its own.

    Args:
        formula: what is differentiated.
        varied: how many are varied; the derivative is taken where all of them are 0.
        given: how many are not.

    >>> Slopes(lambda z, p, ops: [p[0] * ops.sin(z[0])], 1, 1).at(np.array([[2.0], [3.0]])).ravel()
    array([2., 3.])
    """

    def __init__(self, formula: Formula, varied: int, given: int) -> None:
        import casadi as ca

        z, p = ca.SX.sym("z", varied), ca.SX.sym("p", given)
        tape: list[Any] = []
        first, second = ([Symbol(x[k], tape) for k in range(x.numel())] for x in (z, p))
        stacked = ca.vertcat(*(plain(value) for value in formula(first, second, operations())))
        self.shape = stacked.numel(), varied
        slope = ca.substitute(ca.densify(ca.jacobian(stacked, z)), z, ca.DM.zeros(varied))
        self._function = ca.Function("slopes", [p], [ca.vec(slope.T)])

    def at(self, given: Array) -> Array:
        """The derivatives (N, results, varied) for given numbers (N, given)."""
        values = np.asarray(self._function.map(len(given))(given.T), dtype=np.float64)
        return values.T.reshape(len(given), *self.shape)
