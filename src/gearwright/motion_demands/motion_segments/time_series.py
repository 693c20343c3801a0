"""Linear equations whose matrices and right-hand sides are Taylor series of time, for many times at once.

They may depend on parameters: arrays are then `Dual`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_item
from gearwright.algebra.differentiation.dual_numbers import dual, map_bilinear, map_linear, partials_of, primal_value
from gearwright.algebra.differentiation.taylor_series import Taylor
from gearwright.arrays import Array


def series_coefficients(values: Sequence[Scalar], shape: tuple[int, ...]) -> Scalar:
    """Return series or numbers, one per speed, as coefficients (T, length, n)."""
    names = {name: None for x in values for name in partials_of(x)}
    slopes = {name: _coefficient_array([partials_of(x).get(name, 0.0) for x in values], shape) for name in names}
    return dual(_coefficient_array([primal_value(x) for x in values], shape), slopes)


def _coefficient_array(values: Sequence[Scalar], shape: tuple[int, ...]) -> Array:
    out = np.zeros(shape)
    for index, value in enumerate(values):
        for k, c in enumerate((value.c if isinstance(value, Taylor) else (value,))[: shape[1]]):
            out[:, k, index] = c
    return out


def coefficient_series(coefficients: Scalar) -> list[Scalar]:
    """Return one series per speed from coefficients (T, length, n)."""
    count = primal_value(coefficients).shape[2]
    columns = (array_item(coefficients, np.s_[:, :, k]) for k in range(count))
    return [map_linear(lambda x: Taylor(np.ascontiguousarray(x.T)), column) for column in columns]


def series_at_times(x: Scalar, indices: Array) -> Scalar:
    """Return a series at some of its times; a number is a constant."""

    def at_times(y: Scalar) -> Scalar:
        if isinstance(y, Taylor):
            return Taylor([at_times(c) for c in y.c])
        return y[indices] if np.ndim(y) else y

    return map_linear(at_times, x)


def solve_series(left: Scalar, right: Scalar) -> Scalar:
    """Return the coefficients (T, length, m) of the minimum-norm least-squares solution of left x = right.

    Power by power: left_0 x_k = right_k - sum_i left_i x_{k-i}. The partials satisfy left x' = right' - left' x.

    Args:
        left: (T, length, n, m).
        right: (T, length, n).
    """
    matrix = primal_value(left)
    inverse = _pseudo_inverses(matrix[:, 0])
    solution = _solve_coefficients(inverse, matrix, primal_value(right))
    residual = right if not partials_of(left) else right - multiply_series(left, solution)
    return dual(solution, {name: _solve_coefficients(inverse, matrix, x) for name, x in partials_of(residual).items()})


def _solve_coefficients(inverse: Array, left: Array, right: Array) -> Array:
    solution = np.zeros((*right.shape[:2], left.shape[-1]))
    for k in range(right.shape[1]):
        remainder = right[:, k] - sum(np.einsum("tij,tj->ti", left[:, i], solution[:, k - i]) for i in range(1, k + 1))
        solution[:, k] = np.einsum("tij,tj->ti", inverse, remainder)
    return solution


def multiply_series(left: Scalar, x: Scalar) -> Scalar:
    """Return the coefficients (T, length, n) of left x for left (T, length, n, m) and x (T, length, m)."""
    return map_bilinear(_multiply_coefficients, left, x)


def _multiply_coefficients(left: Array, x: Array) -> Array:
    out = np.zeros((*x.shape[:2], left.shape[2]))
    for k in range(x.shape[1]):
        for i in range(k + 1):
            out[:, k] += np.einsum("tij,tj->ti", left[:, i], x[:, k - i])
    return out


def _pseudo_inverses(left: Array) -> Array:
    """Return the pseudo-inverses of matrices (T, n, m); one for all times if the matrices are equal."""
    if len(left) > 1 and (left == left[0]).all():
        return np.repeat(np.asarray(np.linalg.pinv(left[:1]), dtype=float), len(left), axis=0)
    return np.asarray(np.linalg.pinv(left), dtype=float)
