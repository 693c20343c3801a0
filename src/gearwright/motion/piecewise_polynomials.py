"""Piecewise polynomials of time: refinement of knots, extreme values, discontinuities."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array

if TYPE_CHECKING:  # SciPy takes half a second to import; reading motions does not need it
    from scipy.interpolate import PPoly

SAME_KNOT_RATIO = 1e-13
"""Distance relative to the duration below which two knots are identical."""
DERIVATIVE_JUMP_RATIO = 1e-7
"""Difference relative to a derivative's largest value above which two segments do not join continuously."""

ULPS = 8.0
"""Units in the last place by which a computed position may be off."""

PIECE_SAMPLE_POINTS = (0.0, 0.2, 0.5, 0.8, 1.0)
"""Relative positions in a segment at which the magnitude of a derivative is sampled."""


def piecewise_polynomial(coefficients: Array, times: ArrayLike) -> PPoly:
    """Return a piecewise polynomial from coefficients (order + 1, pieces, n), highest power first."""
    from scipy.interpolate import PPoly

    return PPoly(np.ascontiguousarray(coefficients), np.asarray(times, dtype=np.float64))


def merge_knots(*knots: ArrayLike) -> Array:
    """Return all knots in order, without duplicates up to rounding."""
    every = np.unique(np.concatenate([np.asarray(x, dtype=np.float64) for x in knots]))
    apart = np.diff(every) > SAME_KNOT_RATIO * (every[-1] - every[0])
    return every[np.concatenate([[True], apart])]


def shift_origins(coefficients: Array, by: Array) -> Array:
    """Return the same polynomials about shifted origins: c'(x) = c(x + by), by (pieces,)."""
    rising = coefficients[::-1]
    result = np.zeros_like(rising)
    for k in range(len(rising)):
        for m in range(k, len(rising)):
            result[k] += comb(m, k) * rising[m] * (by ** (m - k))[:, None]
    return result[::-1]


def on_knots(pieces: PPoly, knots: Array) -> Array:
    """Return the coefficients of a curve on a superset of its knots; the curve is constant outside its own knots."""
    start = knots[:-1]
    middle = (start + knots[1:]) / 2  # inside one segment in spite of rounded knots
    index = np.clip(np.searchsorted(pieces.x, middle, side="right") - 1, 0, pieces.c.shape[1] - 1)
    cut = shift_origins(pieces.c[:, index], start - pieces.x[index])
    for outside, place in ((middle < pieces.x[0], pieces.x[0]), (middle > pieces.x[-1], pieces.x[-1])):
        cut[:, outside] = 0.0
        cut[-1, outside] = pieces(place)
    return cut


def distances(pieces: PPoly) -> Array:
    """How far a curve has risen where each piece begins, (pieces, n): the sum of what the pieces before it rise."""
    powers = np.arange(len(pieces.c) - 1, 0, -1.0)[:, None, None]
    steps = (pieces.c[:-1] * np.diff(pieces.x)[:, None] ** powers).sum(axis=0)
    return np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)[:-1]])


def from_spline(curve: Any, degree: int) -> PPoly:
    """Return a SciPy B-spline in powers of time."""
    knots = np.unique(curve.t)
    slopes = [curve.derivative(k)(knots[:-1]) / factorial(k) if k else curve(knots[:-1]) for k in range(degree + 1)]
    return piecewise_polynomial(np.array(slopes[::-1]), knots)


def hermite_interpolant(times: Array, derivatives: Sequence[Array]) -> PPoly:
    """Return Hermite polynomials of degree 2 m - 1 through m derivatives at times, the value first, (T, n) each.

    The lower half of the powers is the Taylor series at the start, the upper half matches the remainder at the end, so
    that rounding of the values is not amplified in the derivatives. For a small motion far from zero the difference of
    two values is dominated by rounding, the integral of its rates is not: where both agree within rounding, the curve
    uses the integral.
    """
    m, h = len(derivatives), np.diff(times)[:, None]
    low = [x[:-1] * h**k / factorial(k) for k, x in enumerate(derivatives)]
    ends = np.array([[factorial(k) // factorial(k - d) if k >= d else 0 for k in range(2 * m)] for d in range(m)])
    steps = [_risen(times, derivatives), *(x[1:] * h**d - ends[d, d] * low[d] for d, x in enumerate(derivatives) if d)]
    left = [step - sum(ends[d, k] * low[k] for k in range(d + 1, m)) for d, step in enumerate(steps)]
    high = np.einsum("ij,jtn->itn", np.linalg.inv(ends[:, m:].astype(float)), np.array(left))
    scaled = [c / h**k for k, c in enumerate([*low, *high])]
    return piecewise_polynomial(np.array(scaled[::-1]), times)


def _risen(times: Array, derivatives: Sequence[Array]) -> Array:
    """How far a curve rises between times: the difference of its values, but for rounding."""
    value, h = derivatives[0], np.diff(times)[:, None]
    if len(derivatives) < 2:
        return value[1:] - value[:-1]
    rate = hermite_interpolant(times, derivatives[1:]).c[::-1]
    integral = sum(c * h ** (k + 1) / (k + 1) for k, c in enumerate(rate))
    rounding = ULPS * np.finfo(float).eps * np.maximum(np.abs(value[1:]), np.abs(value[:-1]))
    return np.where(np.abs(value[1:] - value[:-1] - integral) <= rounding, integral, value[1:] - value[:-1])


def slowed_curve(pieces: PPoly, factor: float) -> PPoly:
    """Return the same curve, slower by a factor."""
    powers = np.arange(len(pieces.c) - 1, -1, -1.0)[:, None, None]
    return piecewise_polynomial(pieces.c * factor**-powers, pieces.x * factor)


def curve_extremes(pieces: PPoly, derivative: int = 0) -> tuple[Array, Array]:
    """Return the minimum and maximum of each component of a derivative, (n,) each, with one-sided values at knots."""
    curve = pieces.derivative(derivative) if derivative else pieces
    starts, ends = _piece_ends(curve)
    low, high = np.minimum(starts, ends).min(axis=0), np.maximum(starts, ends).max(axis=0)
    for k, turning_times in enumerate(_turning_times(curve)):
        if turning_times.size:
            values = curve(turning_times)[:, k]
            low[k], high[k] = min(low[k], values.min()), max(high[k], values.max())
    return low, high


def derivative_jump_times(pieces: PPoly, order: int) -> list[float]:
    """Return the inner knots at which a derivative up to the order is discontinuous."""
    jumps = np.zeros(len(pieces.x) - 2, dtype=bool)
    for k in range(min(order + 1, len(pieces.c))):
        curve = pieces.derivative(k) if k else pieces
        starts, ends = _piece_ends(curve)
        looks = (curve(pieces.x[:-1] + share * np.diff(pieces.x)) for share in PIECE_SAMPLE_POINTS)
        size = max(float(np.abs(values).max(initial=1e-12)) for values in looks)
        jumps |= (np.abs(starts[1:] - ends[:-1]) > DERIVATIVE_JUMP_RATIO * size).any(axis=-1)
    return [float(t) for t in pieces.x[1:-1][jumps]]


def _piece_ends(curve: PPoly) -> tuple[Array, Array]:
    """Return the values at the start and at the end of every segment, (pieces, n) each."""
    return curve.c[-1], shift_origins(curve.c, np.diff(curve.x))[-1]


def _turning_times(curve: PPoly) -> Sequence[Array]:
    """Return per component the zeros of its rate."""
    if len(curve.c) == 1:
        return []
    rate = curve.derivative()
    # Component by component: SciPy drops a root that coincides with the last root of another component.
    single = [piecewise_polynomial(rate.c[:, :, k], rate.x) for k in range(rate.c.shape[-1])]
    roots_by_component = [component.roots(discontinuity=False, extrapolate=False) for component in single]
    return [roots[np.isfinite(roots)] for roots in roots_by_component]
