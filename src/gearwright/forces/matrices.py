"""Matrices that laws are given: constant ones, checked, or functions of coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arguments import as_floats
from gearwright.errors import InputError

Rows: TypeAlias = Sequence[Sequence[Scalar]]

Matrix: TypeAlias = Rows | Callable[[Sequence[Scalar], Operations], Rows] | None
"""Rows of numbers, or a function (s, ops) of them; None: none."""


def checked_matrix(owner: str, word: str, value: Any, size: int) -> Any:
    """A symmetric matrix without negative eigenvalues as tuples, or the function as it is."""
    if value is None or callable(value):
        return value
    matrix = as_floats(owner, word, value)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        raise InputError(
            f"{owner}: {word} has shape {matrix.shape}; there are {size} coordinates. Give {size} rows of {size} "
            "finite numbers, or a function (s, ops) of them."
        )
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max() or np.linalg.eigvalsh(matrix)[0] < 0:
        least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0])
        raise InputError(
            f"{owner}: {word}={matrix.tolist()} must be symmetric and not negative (least eigenvalue {least:.4g}): "
            "it would bring energy from nowhere. Check signs and units."
        )
    return tuple(map(tuple, matrix.tolist()))


def evaluated(matrix: Matrix, s: Sequence[Scalar], ops: Operations) -> Rows:
    """Its rows at coordinates; zeros where there is none."""
    if matrix is None:
        return [[0.0] * len(s) for _ in s]
    return matrix(s, ops) if callable(matrix) else matrix
