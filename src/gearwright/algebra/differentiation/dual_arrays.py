"""Arrays that may depend on parameters: plain arrays, or `Dual` with an array per partial derivative."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gearwright.algebra.differentiation.dual_numbers import (
    Dual,
    dual,
    map_bilinear,
    map_linear,
    partials_of,
    primal_value,
)
from gearwright.algebra.scalar import Scalar
from gearwright.arrays import Array


def array_column(x: Scalar, k: int) -> Scalar:
    """Return one column of an array (T, n), without partials that are zero at all times.

    >>> from gearwright.algebra.differentiation.partials import Partials
    >>> from gearwright.algebra.differentiation.dual_numbers import Dual
    >>> table = Dual([np.eye(2), Partials({"a": np.array([[0.0, 1.0], [0.0, 2.0]])})])
    >>> array_column(table, 0).tolist(), array_column(table, 1).c[1].by["a"].tolist()
    ([1.0, 0.0], [1.0, 2.0])
    """
    if not isinstance(x, Dual):
        return x[:, k]
    slopes = {name: s[:, k] for name, s in partials_of(x).items()}
    return dual(primal_value(x)[:, k], {name: s for name, s in slopes.items() if s.any()})


def array_item(x: Scalar, key: Any) -> Scalar:
    """Return an element or part of an array by a NumPy index."""
    return map_linear(lambda y: y[key], x)


def array_columns(x: Scalar) -> list[Scalar]:
    """Return all columns of an array (T, n)."""
    return [array_column(x, k) for k in range(primal_value(x).shape[1])]


def stack_arrays(parts: Sequence[Scalar], shape: tuple[int, ...], axis: int = -1) -> Scalar:
    """Stack scalars or arrays of one shape along a new axis.

    >>> stack_arrays([1.0, np.array([2.0, 3.0])], (2,)).tolist()
    [[1.0, 2.0], [1.0, 3.0]]
    """

    def stack_broadcast(values: Iterable[Any]) -> Array:
        full = [np.broadcast_to(np.asarray(x, dtype=float), shape) for x in values]
        return np.stack(full, axis=axis) if full else np.zeros((*shape, 0))

    names = {name: None for x in parts for name in partials_of(x)}
    slopes = {name: stack_broadcast(partials_of(x).get(name, 0.0) for x in parts) for name in names}
    return dual(stack_broadcast(primal_value(x) for x in parts), slopes)


def stack_matrices(rows: Sequence[Sequence[Scalar]], shape: tuple[int, ...]) -> Scalar:
    """Return rows of scalars or arrays of one shape as matrices, (*shape, rows, columns).

    >>> stack_matrices([[1.0, np.array([2.0, 3.0])]], (2,)).tolist()
    [[[1.0, 2.0]], [[1.0, 3.0]]]
    """
    width = len(rows[0]) if rows else 0
    return stack_arrays([stack_arrays(row, shape) for row in rows], (*shape, width), axis=-2)


def broadcast_array(x: Scalar, shape: tuple[int, ...]) -> Scalar:
    """Broadcast a number or array to a shape."""
    return map_linear(lambda y: np.broadcast_to(np.asarray(y, dtype=float), shape), x)


def concatenate_arrays(parts: Sequence[Scalar], axis: int = 0) -> Scalar:
    """Concatenate arrays along an axis."""
    names = {name: None for x in parts for name in partials_of(x)}

    def partial_or_zeros(x: Scalar, name: str) -> Array:
        partial = partials_of(x).get(name)
        return np.zeros_like(primal_value(x)) if partial is None else partial

    whole = np.concatenate([primal_value(x) for x in parts], axis)
    return dual(whole, {name: np.concatenate([partial_or_zeros(x, name) for x in parts], axis) for name in names})


def cross_product(x: Scalar, y: Scalar) -> Scalar:
    """Return the cross product of vectors, (..., 3)."""
    return map_bilinear(np.cross, x, y)


def matrix_product(x: Scalar, y: Scalar) -> Scalar:
    """Return the product of matrices or vectors."""
    return map_bilinear(np.matmul, x, y)


def outer_product(x: Scalar, y: Scalar) -> Scalar:
    """Return the products of all pairs of elements of two vectors, (m, n)."""
    return map_bilinear(np.outer, x, y)


def root_sum_square(parts: Sequence[Scalar]) -> Scalar:
    """Return the magnitude of a vector from its components; its derivative is zero where it is zero.

    >>> from gearwright.algebra.differentiation.partials import Partials
    >>> size = root_sum_square([3.0, Dual([4.0, Partials({"a": 1.0})])])
    >>> float(size.c[0]), float(size.c[1].by["a"])
    (5.0, 0.8)
    """
    size = np.sqrt(sum(primal_value(x) ** 2 for x in parts))
    nonzero = np.where(size > 0, size, 1.0)
    slopes: dict[str, Any] = {}
    for x in parts:
        for name, slope in partials_of(x).items():
            slopes[name] = slopes.get(name, 0.0) + primal_value(x) * slope / nonzero
    return dual(size, slopes)


def least_squares(matrix: Scalar, right: Scalar) -> Scalar:
    r"""Return the shortest x with the least error of A x = b; the derivatives hold while the rank of A stays.

    With the pseudoinverse: $dx = A^+ (db - dA x) + A^+ A^{+T} dA^T (b - A x) + (1 - A^+ A) dA^T A^{+T} x$.

    >>> from gearwright.algebra.differentiation.partials import Partials
    >>> ratio = Dual([np.array([[2.0, 2.0]]), Partials({"a": np.array([[1.0, 1.0]])})])
    >>> x = least_squares(ratio, np.array([4.0]))
    >>> x.c[0].round(12).tolist(), x.c[1].by["a"].round(12).tolist()
    ([1.0, 1.0], [-0.5, -0.5])
    """
    A, b = primal_value(matrix), primal_value(right)
    x = np.linalg.lstsq(A, b, rcond=None)[0]
    names = {name: None for part in (matrix, right) for name in partials_of(part)}
    if not names:
        return x
    inverse = np.linalg.pinv(A, rcond=max(A.shape) * np.finfo(float).eps)
    missing, unused = b - A @ x, np.eye(A.shape[1]) - inverse @ A
    slopes = {}
    for name in names:
        dA, db = (partials_of(part).get(name, np.zeros_like(primal_value(part))) for part in (matrix, right))
        slopes[name] = inverse @ (db - dA @ x + inverse.T @ (dA.T @ missing)) + unused @ (dA.T @ (inverse.T @ x))
    return dual(x, slopes)
