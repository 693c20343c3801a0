"""The exact derivative of anything written over scalars, at one point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.tracing.symbols import Symbol, operations, plain

Formula = Callable[[Sequence[Scalar], Operations], Sequence[Scalar]]
"""(scalars, operations) -> scalars."""


def slopes_of(formula: Formula, at: Array) -> Array:
    """The derivative of every result by every scalar, (results, scalars), at a point.

    >>> slopes_of(lambda x, ops: [x[0] * x[1], ops.sin(x[0])], np.array([0.0, 3.0]))
    array([[3., 0.],
           [1., 0.]])
    """
    import casadi as ca

    z = ca.SX.sym("z", len(at))
    tape: list[Any] = []
    results = formula([Symbol(z[k], tape) for k in range(len(at))], operations())
    stacked = ca.vertcat(*(plain(value) for value in results))
    function = ca.Function("slopes", [z], [ca.densify(ca.jacobian(stacked, z))])
    return np.asarray(function(at), dtype=np.float64)
