"""Inputs over time as pieces of Chebyshev series, so that machine code can ask for them.

Numbers and samples are polynomials anyway. A function of time is fitted ahead, piece by piece, and checked at other
places; one that is not smooth enough for that is called back instead, whenever its value is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.system.inputs import Inputs, Signal

DEGREE, CUBIC = 12, 3
"""Degrees of the series for functions of time, and at least for signals that are cubic between their knots."""

FIRST = 24
"""Pieces to begin with: a pulse is noticed if it is longer than about a hundredth of the run."""

CHECKS = (-0.97, -0.35, 0.42, 0.93)
"""Where a fit is checked."""

CLOSE = 1e-12
"""How exact a fit must be, beside the largest value of its input in the run."""

NOTHING = 1e-15
"""Size of a coefficient, beside the values of its input, that is rounding."""

SHORTEST = 1e-3
"""A piece that is shorter, beside the run, and still does not fit shows a kink."""

MOST = 4000
"""Calls that a fit may take; what needs more is called back."""


class InputPieces(NamedTuple):
    """P pieces; entry k of a piece are its coefficients of the Chebyshev polynomial k, one per input.

    Args:
        begin: where each piece begins [s], (P,).
        middle: its middle [s], (P,).
        half: half its length [s], (P,).
        degree: of its series, (P,).
        coefficients: (P, room, inputs).
    """

    begin: Array
    middle: Array
    half: Array
    degree: Array
    coefficients: Array

    def at(self, t: float) -> Array:
        """The inputs at a time.

        >>> from gearwright.system.inputs import signal
        >>> inputs = Inputs(("tau.a",), {"tau.a": signal("tau.a", lambda t: t * t)}, None, (0.0,), 1)
        >>> pieces = fitted(inputs, 0.0, 2.0)
        >>> abs(float(pieces.at(0.7)[0]) - 0.49) < 1e-12
        True
        """
        found: Array = self.over(np.array([t]))[0]
        return found

    def over(self, times: Array) -> Array:
        """The inputs at times (..., T), (..., T, inputs)."""
        p = np.maximum(np.searchsorted(self.begin, times, side="right") - 1, 0)
        x = (times - self.middle[p]) / self.half[p]
        powers = np.polynomial.chebyshev.chebvander(x, self.coefficients.shape[1] - 1)
        return np.einsum("...k,...ki->...i", powers, self.coefficients[p])


class _Rough(Exception):
    """A function that is not smooth enough for few pieces."""


def fitted(inputs: Inputs, start: float, until: float) -> InputPieces | None:
    """The inputs of a run as pieces, without their bounds; None where they must be called back."""
    curves = inputs.curves
    others = {name: x for name, x in inputs.signals.items() if x.curve is None}
    plain = replace(inputs, bounds=None, signals=others)
    if plain.constant:
        found = _joined([(start, until, plain.at(start).reshape(1, -1))])
    else:
        ends = [start, *(t for t in plain.breaks if start < t < until), until]
        try:
            found = _Fit(plain, ends).pieces()
        except _Rough:
            return None
    return _with_curves(found, curves, until) if curves else found


def _with_curves(found: InputPieces, curves: Mapping[int, Signal], until: float) -> InputPieces:
    """The pieces with signals that are polynomials of degree 3 at most between their knots."""
    start = found.begin[0]
    knots = np.unique(np.concatenate([found.begin, [until], *(x.knots for x in curves.values())]))
    ends = knots[(knots >= start) & (knots <= until)]
    middle, half = 0.5 * (ends[1:] + ends[:-1]), 0.5 * (ends[1:] - ends[:-1])
    degree = max(found.coefficients.shape[1] - 1, CUBIC)
    points, matrix = _nodes(degree)
    times = middle[:, None] + half[:, None] * np.array(points)
    values = found.over(times)
    for k, one in curves.items():
        if one.curve is not None:
            values[:, :, k] = one.curve(times)
    coefficients = np.einsum("kj,pji->pki", matrix, values)
    coefficients[np.abs(coefficients) <= NOTHING * np.abs(values).max(axis=1, keepdims=True)] = (
        0.0  # what is constant stays so
    )
    return InputPieces(ends[:-1], middle, half, np.full(len(middle), degree), coefficients)


class _Fit:
    """A fit at work."""

    def __init__(self, inputs: Inputs, ends: list[float]) -> None:
        self._inputs, self._ends = inputs, ends
        self._span, self._calls = ends[-1] - ends[0], 0

    def pieces(self) -> InputPieces:
        """All pieces."""
        parts = -(-FIRST // (len(self._ends) - 1))
        waiting = []
        for begin, end in pairwise(self._ends):
            cuts = np.linspace(begin, end, parts + 1).tolist()
            waiting += [(low, high, self._series(low, high)) for low, high in pairwise(cuts)]
        scale = np.max([np.abs(series).sum(axis=0) for _, _, series in waiting], axis=0)
        found = []
        waiting.reverse()
        while waiting:
            low, high, series = waiting.pop()
            if self._fits(low, high, series, scale):
                found.append((low, high, series))
            elif high - low < SHORTEST * self._span:
                raise _Rough
            else:
                middle = 0.5 * (low + high)
                waiting += [(a, b, self._series(a, b)) for a, b in ((middle, high), (low, middle))]
        return _joined([(low, high, _shortened(series, scale)) for low, high, series in found])

    def _series(self, low: float, high: float) -> Array:
        points, matrix = _nodes(DEGREE)
        return np.asarray(matrix @ np.array([self._at(low, high, x) for x in points]))

    def _fits(self, low: float, high: float, series: Array, scale: Array) -> bool:
        for x in CHECKS:
            error = np.abs(np.polynomial.chebyshev.chebval(x, series) - self._at(low, high, x))
            if not (error <= CLOSE * scale).all():
                return False
        return True

    def _at(self, low: float, high: float, x: float) -> Array:
        self._calls += 1
        if self._calls > MOST:
            raise _Rough
        try:
            return self._inputs.at(0.5 * (low + high) + 0.5 * (high - low) * x)
        except Exception:  # of a function of the user, at a time that the run may never reach; it is raised if it does
            raise _Rough from None


@cache
def _nodes(degree: int) -> tuple[list[float], Array]:
    """Chebyshev's points of a degree, and what makes coefficients of the values there."""
    count = degree + 1
    angles = np.pi * (np.arange(count) + 0.5) / count
    matrix = 2.0 / count * np.cos(np.outer(np.arange(count), angles))
    matrix[0] *= 0.5
    return np.cos(angles).tolist(), matrix


def _shortened(series: Array, scale: Array) -> Array:
    """A series without what rounding left behind its last coefficient."""
    large = np.flatnonzero((np.abs(series) > NOTHING * scale).any(axis=1))
    return series[: max(int(large[-1]) + 1 if large.size else 1, 1)]


def _joined(found: list[tuple[float, float, Array]]) -> InputPieces:
    room = max(len(series) for _, _, series in found)
    coefficients = np.zeros((len(found), room, found[0][2].shape[1]))
    for k, (_, _, series) in enumerate(found):
        coefficients[k, : len(series)] = series
    low, high = (np.array(column) for column in list(zip(*found, strict=True))[:2])
    degree = np.array([len(series) - 1 for _, _, series in found])
    return InputPieces(low, 0.5 * (low + high), 0.5 * (high - low), degree, coefficients)
