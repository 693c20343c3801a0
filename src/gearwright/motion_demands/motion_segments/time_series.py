"""Linear equations whose matrices and right sides are Taylor series of time, at many times at once.

All of them may depend on parameters: arrays are then `Varied`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import bilinear, slopes_of, value_of, with_slopes
from gearwright.algebra.differentiation.taylor_series import Taylor
from gearwright.arrays import Array


def coefficients(values: Sequence[Scalar], shape: tuple[int, ...]) -> Scalar:
    """Series or numbers, one per speed, as coefficients (T, length, n)."""
    names = {name: None for x in values for name in slopes_of(x)}
    slopes = {name: _coefficients([slopes_of(x).get(name, 0.0) for x in values], shape) for name in names}
    return with_slopes(_coefficients([value_of(x) for x in values], shape), slopes)


def _coefficients(values: Sequence[Scalar], shape: tuple[int, ...]) -> Array:
    out = np.zeros(shape)
    for index, value in enumerate(values):
        for k, c in enumerate((value.c if isinstance(value, Taylor) else (value,))[: shape[1]]):
            out[:, k, index] = c
    return out


def solved(left: Scalar, right: Scalar) -> Scalar:
    """Coefficients (T, length, m) of the least x with left x = right, as nearly as it can be.

    Power by power: left_0 x_k = right_k - sum_i left_i x_{k-i}. Its slopes obey left x' = right' - left' x.

    Args:
        left: (T, length, n, m).
        right: (T, length, n).
    """
    matrix = value_of(left)
    inverse = _inverse(matrix[:, 0])
    found = _solved(inverse, matrix, value_of(right))
    lacking = right if not slopes_of(left) else right - times(left, found)
    return with_slopes(found, {name: _solved(inverse, matrix, x) for name, x in slopes_of(lacking).items()})


def _solved(inverse: Array, left: Array, right: Array) -> Array:
    found = np.zeros((*right.shape[:2], left.shape[-1]))
    for k in range(right.shape[1]):
        rest = right[:, k] - sum(np.einsum("tij,tj->ti", left[:, i], found[:, k - i]) for i in range(1, k + 1))
        found[:, k] = np.einsum("tij,tj->ti", inverse, rest)
    return found


def times(left: Scalar, x: Scalar) -> Scalar:
    """Coefficients (T, length, n) of left x for left (T, length, n, m) and x (T, length, m)."""
    return bilinear(_times, left, x)


def _times(left: Array, x: Array) -> Array:
    out = np.zeros((*x.shape[:2], left.shape[2]))
    for k in range(x.shape[1]):
        for i in range(k + 1):
            out[:, k] += np.einsum("tij,tj->ti", left[:, i], x[:, k - i])
    return out


def _inverse(left: Array) -> Array:
    """Pseudo-inverses of matrices (T, n, m); one serves all where they are the same, as in most groups."""
    if len(left) > 1 and (left == left[0]).all():
        return np.repeat(np.asarray(np.linalg.pinv(left[:1]), dtype=float), len(left), axis=0)
    return np.asarray(np.linalg.pinv(left), dtype=float)
