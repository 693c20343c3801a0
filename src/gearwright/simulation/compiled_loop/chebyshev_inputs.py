"""Inputs over time as pieces of Chebyshev series, so that machine code can ask for them.

Numbers and samples are polynomials anyway. A function of time is fitted ahead, piece by piece, and checked at other
places; one that is not smooth enough for that is called back instead, whenever its value is needed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.system.inputs import Inputs

DEGREE, CUBIC = 12, 3
"""Degrees of the series for functions of time, and for inputs that are known to be cubic."""

FIRST = 24
"""Pieces to begin with: a pulse is noticed if it is longer than about a hundredth of the run."""

CHECKS = (-0.97, -0.35, 0.42, 0.93)
"""Where a fit is checked."""

CLOSE = 1e-12
"""How exact a fit must be, beside the largest value of its input in the run."""

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
        p = max(int(np.searchsorted(self.begin, t, side="right")) - 1, 0)
        x = (t - self.middle[p]) / self.half[p]
        found: Array = np.polynomial.chebyshev.chebval(x, self.coefficients[p])
        return found


class _Rough(Exception):
    """A function that is not smooth enough for few pieces."""


def fitted(inputs: Inputs, start: float, until: float) -> InputPieces | None:
    """The inputs of a run as pieces, without their bounds; None where they must be called back."""
    plain = replace(inputs, bounds=None)
    if inputs.constant:
        value = plain.at(start)
        return _joined([(start, until, value.reshape(1, -1))])
    ends = [start, *(t for t in sorted({*inputs.breaks, *inputs.knots}) if start < t < until), until]
    try:
        return _Fit(plain, ends).pieces()
    except _Rough:
        return None


class _Fit:
    """A fit at work."""

    def __init__(self, inputs: Inputs, ends: list[float]) -> None:
        self._inputs, self._ends = inputs, ends
        self._degree = CUBIC if inputs.cubic else DEGREE
        self._span, self._calls = ends[-1] - ends[0], 0

    def pieces(self) -> InputPieces:
        """All pieces."""
        parts = 1 if self._inputs.cubic else -(-FIRST // (len(self._ends) - 1))
        waiting = []
        for begin, end in pairwise(self._ends):
            cuts = np.linspace(begin, end, parts + 1).tolist()
            waiting += [(low, high, self._series(low, high)) for low, high in pairwise(cuts)]
        scale = np.max([np.abs(series).sum(axis=0) for _, _, series in waiting], axis=0)
        found = []
        waiting.reverse()
        while waiting:
            low, high, series = waiting.pop()
            if self._inputs.cubic or self._fits(low, high, series, scale):
                found.append((low, high, series))
            elif high - low < SHORTEST * self._span:
                raise _Rough
            else:
                middle = 0.5 * (low + high)
                waiting += [(a, b, self._series(a, b)) for a, b in ((middle, high), (low, middle))]
        return _joined([(low, high, _shortened(series, scale)) for low, high, series in found])

    def _series(self, low: float, high: float) -> Array:
        points, matrix = _nodes(self._degree)
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
    large = np.flatnonzero((np.abs(series) > 1e-15 * scale).any(axis=1))
    return series[: max(int(large[-1]) + 1 if large.size else 1, 1)]


def _joined(found: list[tuple[float, float, Array]]) -> InputPieces:
    room = max(len(series) for _, _, series in found)
    coefficients = np.zeros((len(found), room, found[0][2].shape[1]))
    for k, (_, _, series) in enumerate(found):
        coefficients[k, : len(series)] = series
    low, high = (np.array(column) for column in list(zip(*found, strict=True))[:2])
    degree = np.array([len(series) - 1 for _, _, series in found])
    return InputPieces(low, 0.5 * (low + high), 0.5 * (high - low), degree, coefficients)
