"""Series over time and along beams as scalars: arrays, or jets of arrays with their slopes by parameters.

Times run down an array, stations of a beam across it: a series is (T, 1), what varies along a beam too (T, S). The
recursions of `dynamics` run over both; what only arrays can do (sums, picking one element) is linear, and then holds
for every slope as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.algebra.slopes import Slopes
from gearwright.algebra.taylor import Jet, JetOperations
from gearwright.arrays import Array


class NumberJets(JetOperations):
    """The operations of jets of numbers; a root has no slope where it is zero."""

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root."""
        return super().sqrt(x) if value_of(x) else 0.0


OF_SERIES: Operations = JetOperations(ARRAYS)
OF_NUMBERS: Operations = NumberJets(FLOATS)


def columns(values: Array) -> list[Array]:
    """Per column of (T, n) its series, (T, 1)."""
    return [column[:, None] for column in values.T]


def parameter_jets(values: Mapping[str, Any]) -> dict[str, Jet]:
    """Numbers as jets, each with a slope by itself.

    >>> (parameter_jets({"x": 3.0, "y": 2.0})["x"] * 2.0).c[1].by
    {'x': 2.0}
    """
    return {name: Jet([float(x), Slopes({name: 1.0})]) for name, x in values.items()}


def value_of(x: Scalar) -> Any:
    """The number or array without its slopes."""
    return x.c[0] if isinstance(x, Jet) else x


def slope_of(x: Scalar, name: str) -> float:
    """The slope of a number by a parameter."""
    return float(x.c[1].by.get(name, 0.0)) if isinstance(x, Jet) and isinstance(x.c[1], Slopes) else 0.0


def mapped(linear: Callable[[Array], Any], x: Scalar, shape: tuple[int, ...]) -> Scalar:
    """A linear map of an array of a shape, and of every slope of it.

    >>> x = Jet([np.array([1.0, 2.0]), Slopes({"a": 3.0})])
    >>> total = mapped(np.sum, x, (2,))
    >>> float(total.c[0]), float(total.c[1].by["a"])
    (3.0, 6.0)
    """
    if not isinstance(x, Jet):
        return linear(np.broadcast_to(np.asarray(x, dtype=float), shape))
    slopes = x.c[1].by if isinstance(x.c[1], Slopes) else {}
    moved = {name: linear(np.broadcast_to(np.asarray(s, dtype=float), shape)) for name, s in slopes.items()}
    return Jet([linear(np.broadcast_to(np.asarray(x.c[0], dtype=float), shape)), Slopes(moved)])


def picked(x: Scalar, at: tuple[int, ...], shape: tuple[int, ...]) -> Scalar:
    """One number of an array of a shape, with its slopes."""
    return mapped(lambda values: float(values[at]), x, shape)


def length_of(*parts: Scalar) -> Scalar:
    """The root of the sum of squares of numbers.

    >>> length_of(3.0, -4.0)
    5.0
    """
    total: Scalar = 0.0
    for x in parts:
        total = total + x * x
    return OF_NUMBERS.sqrt(total)
