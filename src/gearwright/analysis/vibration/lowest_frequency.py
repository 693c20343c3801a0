r"""The lowest natural frequency of a machine along a motion, with its derivatives by parameters of the machine.

With the motors held, $A' x = 0$, small motions satisfy $(K - \lambda M) x = A \mu$, $\lambda = \omega^2$. With
$x' M x = 1$ the derivative of an eigenvalue follows from the mode alone,

$d\lambda = x' (dK - \lambda\, dM) x - 2 \mu' dA' x$.
"""

from __future__ import annotations

import math

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_columns, array_item, stack_matrices
from gearwright.algebra.differentiation.dual_numbers import DualOperations, dual, map_linear, partials_of, primal_value
from gearwright.analysis.parametric_series import NUMBER_OPERATIONS, SERIES_OPERATIONS
from gearwright.analysis.vibration.vibration_modes import require_positive_stiffness, with_exact_zeros
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate_first_order
from gearwright.dynamics.elastic_drives import spring_matrices
from gearwright.dynamics.inverse_dynamics import gravity
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.mechanism import Mechanism

FREQUENCY_SAMPLES = 50
"""Approximate number of configurations of a motion at which it is computed."""


def lowest_frequency(mech: Mechanism, q: Scalar) -> Scalar | None:
    """The lowest natural frequency with the motors held [Hz] along configurations (T, nq).

    Machine and q may be dual numbers. None: the machine is rigid, or the motors hold all its elastic parts.
    """
    from scipy.linalg import null_space

    if not any(primal_value(spring.stiffness) for spring in mech.springs):
        return None
    A = stack_matrices(
        [list(column) for column in zip(*(actuator.row for actuator in mech.actuators), strict=True)], ()
    )
    N = null_space(primal_value(A).T) if mech.actuators else np.eye(mech.n)
    if not N.shape[1]:
        return None
    configurations = array_columns(array_item(q, np.s_[:: max(1, len(primal_value(q)) // FREQUENCY_SAMPLES)]))
    M, K = _mass_matrices(mech, configurations), _stiffness_matrices(mech, configurations)
    small_M, small_K = (N.T @ primal_value(x) @ N for x in (M, K))
    springs = primal_value(stack_matrices(spring_matrices(mech).stiffness, ()))
    require_positive_stiffness("lowest_frequency", mech.speeds, springs, small_K, N)
    lower = np.linalg.inv(np.linalg.cholesky(small_M))
    squares, shapes = np.linalg.eigh(lower @ small_K @ np.swapaxes(lower, -1, -2))
    oscillating = np.where(with_exact_zeros(squares) > 0, squares, np.inf)
    t, mode = np.unravel_index(int(oscillating.argmin()), squares.shape)
    if not np.isfinite(oscillating[t, mode]):
        return None
    x, square = N @ (lower[t].T @ shapes[t, :, mode]), float(squares[t, mode])
    return _frequency_with_partials(square, x, array_item(M, t), array_item(K, t), A)


def _frequency_with_partials(square: float, x: Array, M: Scalar, K: Scalar, A: Scalar) -> Scalar:
    """The frequency from an eigenvalue and its mode, with derivatives."""
    change = map_linear(lambda k: x @ k @ x, K) - square * map_linear(lambda m: x @ m @ x, M)
    if partials_of(A):
        multipliers = np.linalg.pinv(primal_value(A)) @ (primal_value(K) - square * primal_value(M)) @ x
        change = change - 2.0 * map_linear(lambda a: multipliers @ a.T @ x, A)
    return NUMBER_OPERATIONS.sqrt(dual(square, partials_of(change))) / (2 * math.pi)


def _mass_matrices(mech: Mechanism, q: list[Scalar]) -> Scalar:
    """The mass matrices at configurations, (T, n, n)."""
    return stack_matrices(mass_matrix(place_machine(mech, q, SERIES_OPERATIONS)), np.shape(primal_value(q[0])))


def _stiffness_matrices(mech: Mechanism, q: list[Scalar]) -> Scalar:
    """The stiffness matrices of springs and gravity at configurations, (T, n, n)."""
    ops = DualOperations.for_displacement(SERIES_OPERATIONS)
    perturbed = integrate_first_order(mech, q, [ops.with_partials(0.0, {k: 1.0}) for k in range(mech.n)], ops)
    weights = [ops.partials_of(x) for x in gravity(place_machine(mech, perturbed, ops))]
    springs = spring_matrices(mech).stiffness
    rows = [[k + weight.get(j, 0.0) for j, k in enumerate(row)] for row, weight in zip(springs, weights, strict=True)]
    return stack_matrices(rows, np.shape(primal_value(q[0])))
