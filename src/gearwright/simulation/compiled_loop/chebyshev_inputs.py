"""Inputs over time as piecewise Chebyshev series, which machine code can evaluate.

Numbers and samples are piecewise polynomials already. A function of time is fitted in advance, piece by piece, and
checked at other points. A function that is not smooth enough is called back instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.system.inputs import InputSignals, Signal

CHEBYSHEV_DEGREE, CUBIC_DEGREE = 12, 3
"""Degree of the series for functions of time, and the least degree for signals that are cubic between their knots."""

FIRST_PIECES = 24
"""Initial number of pieces: a pulse is resolved if it is longer than about a hundredth of the run."""

FIT_CHECK_POINTS = (-0.97, -0.35, 0.42, 0.93)
"""Points at which a fit is checked."""

FIT_TOLERANCE = 1e-12
"""Tolerance of a fit, relative to the largest value of its input in the run."""

COEFFICIENT_ROUNDING = 1e-15
"""Coefficients below this, relative to the values of their input, are rounding."""

SHORTEST_PIECE_RATIO = 1e-3
"""Shortest piece, relative to the run; if it does not fit either, the function is not smooth."""

MAX_FIT_CALLS = 4000
"""Most calls of a function for a fit; a function that needs more is called back."""


class ChebyshevInputs(NamedTuple):
    """P pieces; entry k of a piece are its coefficients of the Chebyshev polynomial k, one per input.

    Args:
        begin: start of each piece [s], (P,).
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

    def value_at(self, t: float) -> Array:
        """The inputs at a time.

        >>> from gearwright.system.inputs import input_signal
        >>> inputs = InputSignals(("tau.a",), {"tau.a": input_signal("tau.a", lambda t: t * t)}, None, (0.0,), 1)
        >>> pieces = fit_inputs(inputs, 0.0, 2.0)
        >>> abs(float(pieces.value_at(0.7)[0]) - 0.49) < 1e-12
        True
        """
        values: Array = self.values_over(np.array([t]))[0]
        return values

    def values_over(self, times: Array) -> Array:
        """The inputs at times (..., T), (..., T, inputs)."""
        p = np.maximum(np.searchsorted(self.begin, times, side="right") - 1, 0)
        x = (times - self.middle[p]) / self.half[p]
        powers = np.polynomial.chebyshev.chebvander(x, self.coefficients.shape[1] - 1)
        return np.einsum("...k,...ki->...i", powers, self.coefficients[p])


class _NotSmoothError(Exception):
    """A function that is not smooth enough for a few pieces."""


def fit_inputs(inputs: InputSignals, start: float, until: float) -> ChebyshevInputs | None:
    """The inputs of a run as pieces, without their bounds; None if they must be called back."""
    curves = inputs.curve_signals
    other_signals = {name: x for name, x in inputs.signals.items() if x.curve is None}
    plain = replace(inputs, bounds=None, signals=other_signals)
    if plain.is_constant:
        pieces = _join_pieces([(start, until, plain.values_at(start).reshape(1, -1))])
    else:
        ends = [start, *(t for t in plain.break_times if start < t < until), until]
        try:
            pieces = _ChebyshevFit(plain, ends).fit_pieces()
        except _NotSmoothError:
            return None
    return _with_cubic_signals(pieces, curves, until) if curves else pieces


def _with_cubic_signals(pieces: ChebyshevInputs, curves: Mapping[int, Signal], until: float) -> ChebyshevInputs:
    """The pieces with signals that are polynomials of degree 3 at most between their knots."""
    start = pieces.begin[0]
    knots = np.unique(np.concatenate([pieces.begin, [until], *(x.knots for x in curves.values())]))
    ends = knots[(knots >= start) & (knots <= until)]
    middle, half = 0.5 * (ends[1:] + ends[:-1]), 0.5 * (ends[1:] - ends[:-1])
    degree = max(pieces.coefficients.shape[1] - 1, CUBIC_DEGREE)
    points, matrix = _chebyshev_nodes(degree)
    times = middle[:, None] + half[:, None] * np.array(points)
    values = pieces.values_over(times)
    for k, signal in curves.items():
        if signal.curve is not None:
            values[:, :, k] = signal.curve(times)
    coefficients = np.einsum("kj,pji->pki", matrix, values)
    coefficients[np.abs(coefficients) <= COEFFICIENT_ROUNDING * np.abs(values).max(axis=1, keepdims=True)] = (
        0.0  # constants stay constant
    )
    return ChebyshevInputs(ends[:-1], middle, half, np.full(len(middle), degree), coefficients)


class _ChebyshevFit:
    """The fit of all inputs of a run."""

    def __init__(self, inputs: InputSignals, ends: list[float]) -> None:
        self._inputs, self._ends = inputs, ends
        self._span, self._calls = ends[-1] - ends[0], 0

    def fit_pieces(self) -> ChebyshevInputs:
        """All pieces."""
        parts = -(-FIRST_PIECES // (len(self._ends) - 1))
        waiting = []
        for begin, end in pairwise(self._ends):
            cuts = np.linspace(begin, end, parts + 1).tolist()
            waiting += [(low, high, self._chebyshev_series(low, high)) for low, high in pairwise(cuts)]
        scale = np.max([np.abs(series).sum(axis=0) for _, _, series in waiting], axis=0)
        accepted = []
        waiting.reverse()
        while waiting:
            low, high, series = waiting.pop()
            if self._is_accurate(low, high, series, scale):
                accepted.append((low, high, series))
            elif high - low < SHORTEST_PIECE_RATIO * self._span:
                raise _NotSmoothError
            else:
                middle = 0.5 * (low + high)
                waiting += [(a, b, self._chebyshev_series(a, b)) for a, b in ((middle, high), (low, middle))]
        return _join_pieces([(low, high, _without_rounding(series, scale)) for low, high, series in accepted])

    def _chebyshev_series(self, low: float, high: float) -> Array:
        points, matrix = _chebyshev_nodes(CHEBYSHEV_DEGREE)
        return np.asarray(matrix @ np.array([self._value_at(low, high, x) for x in points]))

    def _is_accurate(self, low: float, high: float, series: Array, scale: Array) -> bool:
        for x in FIT_CHECK_POINTS:
            error = np.abs(np.polynomial.chebyshev.chebval(x, series) - self._value_at(low, high, x))
            if not (error <= FIT_TOLERANCE * scale).all():
                return False
        return True

    def _value_at(self, low: float, high: float, x: float) -> Array:
        self._calls += 1
        if self._calls > MAX_FIT_CALLS:
            raise _NotSmoothError
        try:
            return self._inputs.values_at(0.5 * (low + high) + 0.5 * (high - low) * x)
        except Exception:  # of the user's function, at a time that the run may never reach; raised there if it does
            raise _NotSmoothError from None


@cache
def _chebyshev_nodes(degree: int) -> tuple[list[float], Array]:
    """Chebyshev points of a degree, and the matrix that maps values there to coefficients."""
    count = degree + 1
    angles = np.pi * (np.arange(count) + 0.5) / count
    matrix = 2.0 / count * np.cos(np.outer(np.arange(count), angles))
    matrix[0] *= 0.5
    return np.cos(angles).tolist(), matrix


def _without_rounding(series: Array, scale: Array) -> Array:
    """A series without trailing coefficients that are rounding."""
    large = np.flatnonzero((np.abs(series) > COEFFICIENT_ROUNDING * scale).any(axis=1))
    return series[: max(int(large[-1]) + 1 if large.size else 1, 1)]


def _join_pieces(pieces: list[tuple[float, float, Array]]) -> ChebyshevInputs:
    width = max(len(series) for _, _, series in pieces)
    coefficients = np.zeros((len(pieces), width, pieces[0][2].shape[1]))
    for k, (_, _, series) in enumerate(pieces):
        coefficients[k, : len(series)] = series
    low, high = (np.array(column) for column in list(zip(*pieces, strict=True))[:2])
    degree = np.array([len(series) - 1 for _, _, series in pieces])
    return ChebyshevInputs(low, 0.5 * (low + high), 0.5 * (high - low), degree, coefficients)
