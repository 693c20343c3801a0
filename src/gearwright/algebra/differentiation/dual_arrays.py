"""Arrays that may depend on parameters: plain ones, or `Varied` with an array per slope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gearwright.algebra.differentiation.dual_numbers import linear, slopes_of, value_of, with_slopes
from gearwright.algebra.scalar import Scalar
from gearwright.arrays import Array


def column(x: Scalar, k: int) -> Scalar:
    """One column of an array (T, n); slopes that are zero all the time are none.

    >>> from gearwright.algebra.differentiation.partials import Slopes
    >>> from gearwright.algebra.differentiation.dual_numbers import Varied
    >>> table = Varied([np.eye(2), Slopes({"a": np.array([[0.0, 1.0], [0.0, 2.0]])})])
    >>> column(table, 0).tolist(), column(table, 1).c[1].by["a"].tolist()
    ([1.0, 0.0], [1.0, 2.0])
    """
    slopes = {name: s[:, k] for name, s in slopes_of(x).items()}
    return with_slopes(value_of(x)[:, k], {name: s for name, s in slopes.items() if s.any()})


def item(x: Scalar, key: Any) -> Scalar:
    """Part of an array, by what numpy takes as an index."""
    return linear(lambda y: y[key], x)


def columns_of(x: Scalar) -> list[Scalar]:
    """All columns of an array (T, n)."""
    return [column(x, k) for k in range(value_of(x).shape[1])]


def stacked(parts: Sequence[Scalar], shape: tuple[int, ...], axis: int = -1) -> Scalar:
    """Scalars or arrays of one shape side by side along a new axis.

    >>> stacked([1.0, np.array([2.0, 3.0])], (2,)).tolist()
    [[1.0, 2.0], [1.0, 3.0]]
    """

    def together(values: Iterable[Any]) -> Array:
        full = [np.broadcast_to(np.asarray(x, dtype=float), shape) for x in values]
        return np.stack(full, axis=axis) if full else np.zeros((*shape, 0))

    names = {name: None for x in parts for name in slopes_of(x)}
    slopes = {name: together(slopes_of(x).get(name, 0.0) for x in parts) for name in names}
    return with_slopes(together(value_of(x) for x in parts), slopes)


def matrix_of(rows: Sequence[Sequence[Scalar]], shape: tuple[int, ...]) -> Scalar:
    """Rows of scalars or arrays of one shape as matrices, (*shape, rows, columns).

    >>> matrix_of([[1.0, np.array([2.0, 3.0])]], (2,)).tolist()
    [[[1.0, 2.0]], [[1.0, 3.0]]]
    """
    width = len(rows[0]) if rows else 0
    return stacked([stacked(row, shape) for row in rows], (*shape, width), axis=-2)


def full(x: Scalar, shape: tuple[int, ...]) -> Scalar:
    """A number or array spread over a shape."""
    return linear(lambda y: np.broadcast_to(np.asarray(y, dtype=float), shape), x)


def chained(parts: Sequence[Scalar]) -> Scalar:
    """Arrays one after the other along their first axis."""
    names = {name: None for x in parts for name in slopes_of(x)}

    def slope(x: Scalar, name: str) -> Array:
        found = slopes_of(x).get(name)
        return np.zeros_like(value_of(x)) if found is None else found

    whole = np.concatenate([value_of(x) for x in parts])
    return with_slopes(whole, {name: np.concatenate([slope(x, name) for x in parts]) for name in names})
