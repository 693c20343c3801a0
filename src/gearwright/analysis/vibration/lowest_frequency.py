r"""The lowest natural frequency of a machine along a motion, with its slopes where the machine varies.

With the motors held, $A' x = 0$, small motions obey $(K - \lambda M) x = A \mu$, $\lambda = \omega^2$. With
$x' M x = 1$ the slope of an eigenvalue follows from the mode alone,

$d\lambda = x' (dK - \lambda\, dM) x - 2 \mu' dA' x$.
"""

from __future__ import annotations

import math

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import columns_of, item, matrix_of
from gearwright.algebra.differentiation.dual_numbers import linear, slopes_of, value_of, with_slopes
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Jet, JetOperations
from gearwright.analysis.parametric_series import OF_NUMBERS, OF_SERIES
from gearwright.analysis.vibration.vibration_modes import require_held, without_rounding
from gearwright.arrays import Array
from gearwright.dynamics.configuration import nudge
from gearwright.dynamics.elastic_drives import spring_matrices
from gearwright.dynamics.inverse_dynamics import gravity
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.mechanism import Mechanism

LOOKS = 50
"""At how many configurations of a motion it is computed, about."""


def lowest_frequency(mech: Mechanism, q: Scalar) -> Scalar | None:
    """The lowest natural frequency with the motors held [Hz] along configurations (T, nq); machine and q may vary.

    None: nothing is elastic, or the motors hold all that is.
    """
    from scipy.linalg import null_space

    if not any(value_of(spring.stiffness) for spring in mech.springs):
        return None
    A = matrix_of([list(column) for column in zip(*(one.row for one in mech.actuators), strict=True)], ())
    N = null_space(value_of(A).T) if mech.actuators else np.eye(mech.n)
    if not N.shape[1]:
        return None
    where = columns_of(item(q, np.s_[:: max(1, len(value_of(q)) // LOOKS)]))
    M, K = _masses(mech, where), _stiffness(mech, where)
    small_M, small_K = (N.T @ value_of(x) @ N for x in (M, K))
    springs = value_of(matrix_of(spring_matrices(mech).stiffness, ()))
    require_held("lowest_frequency", mech.speeds, springs, small_K, N)
    lower = np.linalg.inv(np.linalg.cholesky(small_M))
    squares, shapes = np.linalg.eigh(lower @ small_K @ np.swapaxes(lower, -1, -2))
    swinging = np.where(without_rounding(squares) > 0, squares, np.inf)
    t, mode = np.unravel_index(int(swinging.argmin()), squares.shape)
    if not np.isfinite(swinging[t, mode]):
        return None
    x, square = N @ (lower[t].T @ shapes[t, :, mode]), float(squares[t, mode])
    return _frequency(square, x, item(M, t), item(K, t), A)


def _frequency(square: float, x: Array, M: Scalar, K: Scalar, A: Scalar) -> Scalar:
    """From an eigenvalue and its mode, with its slopes."""
    moved = linear(lambda k: x @ k @ x, K) - square * linear(lambda m: x @ m @ x, M)
    if slopes_of(A):
        held = np.linalg.pinv(value_of(A)) @ (value_of(K) - square * value_of(M)) @ x
        moved = moved - 2.0 * linear(lambda a: held @ a.T @ x, A)
    return OF_NUMBERS.sqrt(with_slopes(square, slopes_of(moved))) / (2 * math.pi)


def _masses(mech: Mechanism, q: list[Scalar]) -> Scalar:
    """The mass matrices at configurations, (T, n, n)."""
    return matrix_of(mass_matrix(place(mech, q, OF_SERIES)), np.shape(value_of(q[0])))


def _stiffness(mech: Mechanism, q: list[Scalar]) -> Scalar:
    """The stiffness of springs and of gravity at configurations, (T, n, n)."""
    ops = JetOperations(OF_SERIES)
    moved = nudge(mech, q, [Jet([0.0, Slopes({k: 1.0})]) for k in range(mech.n)], ops)
    weights = [x.c[1].by if isinstance(x, Jet) else {} for x in gravity(place(mech, moved, ops))]
    springs = spring_matrices(mech).stiffness
    rows = [[k + weight.get(j, 0.0) for j, k in enumerate(row)] for row, weight in zip(springs, weights, strict=True)]
    return matrix_of(rows, np.shape(value_of(q[0])))
