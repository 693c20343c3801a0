"""Complex modes: the eigenvalues of a damped system, two for each of its undamped modes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array

Complex = NDArray[np.complex128]

FREE = 1e-11
"""Share of the largest squared frequency below which an undamped motion is free."""

STILL = 1e-6
"""Share of the largest eigenvalue below which rounding has split a double zero."""


def damped(M: Array, D: Array, K: Array) -> tuple[Complex, Complex]:
    """Eigenvalues in pairs (m, 2) and complex shapes (m, m) of M x'' + D x' + K x = 0.

    Conjugate pairs belong together; real eigenvalues (motions that creep or fall) are shared out to the undamped modes
    that they look most alike.
    """
    from scipy.linalg import eigh

    found, columns = np.linalg.eig(state_matrix(M, D, K))
    squares, undamped = eigh((K + K.T) / 2, M)
    free = np.abs(squares) < FREE * np.abs(squares).max()
    values = _without_split_zeros(found.astype(np.complex128), int(free.sum()))
    moved = columns[: len(M)].astype(np.complex128)
    alike = np.abs(undamped.T @ M @ moved)
    alike = alike / np.linalg.norm(alike, axis=0)
    chosen = _shared_out(values, alike)
    slower = np.where(np.abs(values[chosen[:, 0]]) <= np.abs(values[chosen[:, 1]]), chosen[:, 0], chosen[:, 1])
    shapes = moved[:, slower]
    still = np.flatnonzero(values[slower] == 0)
    if len(still) == free.sum():  # a double zero has half as many eigenvectors, which rounding makes nearly parallel
        shapes[:, still] = undamped[:, free]
    return values[chosen], shapes


def state_matrix(M: Array, D: Array, K: Array) -> Array:
    """[[0, 1], [-M^-1 K, -M^-1 D]]."""
    m = len(M)
    lower = -np.linalg.solve(M, np.concatenate([K, D], axis=1))
    return np.concatenate([np.concatenate([np.zeros((m, m)), np.eye(m)], axis=1), lower])


def _without_split_zeros(values: Complex, free: int) -> Complex:
    """A free motion has one or two eigenvalues zero, of which rounding makes a small pair."""
    smallest = np.argsort(np.abs(values))[: 2 * free]
    still = smallest[np.abs(values[smallest]) < STILL * np.abs(values).max()]
    values[still] = 0.0
    return values


def _shared_out(values: Complex, alike: Array) -> NDArray[np.int_]:
    """Per undamped mode the places of its two eigenvalues, (m, 2)."""
    from scipy.optimize import linear_sum_assignment

    upper = np.flatnonzero(values.imag > 0)
    lower = [int(np.argmin(np.abs(values - np.conj(values[k])))) for k in upper]
    chosen = np.full((len(alike), 2), -1)
    rows, columns = linear_sum_assignment(alike[:, upper], maximize=True)
    for row, column in zip(rows, columns, strict=True):
        chosen[row] = upper[column], lower[column]
    left = np.repeat(np.flatnonzero(chosen[:, 0] < 0), 2)
    real = np.setdiff1d(np.arange(len(values)), [*upper, *lower])
    rows, columns = linear_sum_assignment(alike[np.ix_(left, real)], maximize=True)
    chosen[left[::2]] = real[columns[np.argsort(rows)]].reshape(-1, 2)
    return chosen
