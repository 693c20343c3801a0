"""Complex modes: the eigenvalues of a damped system, two for each of its undamped modes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array

ComplexArray = NDArray[np.complex128]

FREE_MODE_RATIO = 1e-11
"""Squared frequency relative to the largest one, below which an undamped motion is free."""

SPLIT_ZERO_RATIO = 1e-6
"""Eigenvalue relative to the largest one, below which it is a double zero split by rounding."""


def damped_modes(M: Array, D: Array, K: Array) -> tuple[ComplexArray, ComplexArray]:
    """Eigenvalues in pairs (m, 2) and complex shapes (m, m) of M x'' + D x' + K x = 0.

    Conjugate pairs belong together; real eigenvalues (overdamped or unstable motions) are assigned to the undamped
    modes with the most similar shapes.
    """
    from scipy.linalg import eigh

    eigenvalues, columns = np.linalg.eig(state_matrix(M, D, K))
    squares, undamped = eigh((K + K.T) / 2, M)
    free = np.abs(squares) < FREE_MODE_RATIO * np.abs(squares).max()
    values = _without_split_zeros(eigenvalues.astype(np.complex128), int(free.sum()))
    shape_columns = columns[: len(M)].astype(np.complex128)
    similarity = np.abs(undamped.T @ M @ shape_columns)
    similarity = similarity / np.linalg.norm(similarity, axis=0)
    pairs = _pairs_by_mode(values, similarity)
    slower = np.where(np.abs(values[pairs[:, 0]]) <= np.abs(values[pairs[:, 1]]), pairs[:, 0], pairs[:, 1])
    shapes = shape_columns[:, slower]
    zero_indices = np.flatnonzero(values[slower] == 0)
    if (
        len(zero_indices) == free.sum()
    ):  # a double zero has one eigenvector, split by rounding into two nearly parallel ones
        shapes[:, zero_indices] = undamped[:, free]
    return values[pairs], shapes


def state_matrix(M: Array, D: Array, K: Array) -> Array:
    """[[0, 1], [-M^-1 K, -M^-1 D]]."""
    m = len(M)
    lower = -np.linalg.solve(M, np.concatenate([K, D], axis=1))
    return np.concatenate([np.concatenate([np.zeros((m, m)), np.eye(m)], axis=1), lower])


def _without_split_zeros(values: ComplexArray, free: int) -> ComplexArray:
    """Eigenvalues with the zeros of free motions restored, which rounding turns into a small pair."""
    smallest = np.argsort(np.abs(values))[: 2 * free]
    zero_indices = smallest[np.abs(values[smallest]) < SPLIT_ZERO_RATIO * np.abs(values).max()]
    values[zero_indices] = 0.0
    return values


def _pairs_by_mode(values: ComplexArray, similarity: Array) -> NDArray[np.int_]:
    """Per undamped mode the indices of its two eigenvalues, (m, 2)."""
    from scipy.optimize import linear_sum_assignment

    upper = np.flatnonzero(values.imag > 0)
    lower = [int(np.argmin(np.abs(values - np.conj(values[k])))) for k in upper]
    chosen = np.full((len(similarity), 2), -1)
    rows, columns = linear_sum_assignment(similarity[:, upper], maximize=True)
    for row, column in zip(rows, columns, strict=True):
        chosen[row] = upper[column], lower[column]
    left = np.repeat(np.flatnonzero(chosen[:, 0] < 0), 2)
    real = np.setdiff1d(np.arange(len(values)), [*upper, *lower])
    rows, columns = linear_sum_assignment(similarity[np.ix_(left, real)], maximize=True)
    chosen[left[::2]] = real[columns[np.argsort(rows)]].reshape(-1, 2)
    return chosen
