"""Linear equations whose matrices and right sides are Taylor series of time, at many times at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.taylor import Taylor
from gearwright.arrays import Array


def coefficients(values: Sequence[Scalar], shape: tuple[int, ...]) -> Array:
    """Series or numbers, one per speed, as coefficients (T, length, n)."""
    out = np.zeros(shape)
    for index, value in enumerate(values):
        for k, c in enumerate((value.c if isinstance(value, Taylor) else (value,))[: shape[1]]):
            out[:, k, index] = c
    return out


def solved(left: Array, right: Array) -> Array:
    """Coefficients (T, length, m) of the least x with left x = right, as nearly as it can be.

    Power by power: left_0 x_k = right_k - sum_i left_i x_{k-i}.

    Args:
        left: (T, length, n, m).
        right: (T, length, n).
    """
    inverse = _inverse(left[:, 0])
    found = np.zeros((*right.shape[:2], left.shape[-1]))
    for k in range(right.shape[1]):
        rest = right[:, k] - sum(np.einsum("tij,tj->ti", left[:, i], found[:, k - i]) for i in range(1, k + 1))
        found[:, k] = np.einsum("tij,tj->ti", inverse, rest)
    return found


def times(left: Array, x: Array) -> Array:
    """Coefficients (T, length, n) of left x for left (T, length, n, m) and x (T, length, m)."""
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
