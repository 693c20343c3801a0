"""Piecewise polynomials of time: cut at more knots, their extreme values, and where they jump."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array

if TYPE_CHECKING:  # SciPy takes half a second to import; who only reads motions need not wait for it
    from scipy.interpolate import PPoly

CLOSE = 1e-13
"""Share of the duration within which two knots are one."""
JUMP = 1e-7
"""Share of a derivative's largest value above which a difference between two pieces is more than rounding."""

LOOKS = (0.0, 0.2, 0.5, 0.8, 1.0)
"""Where in a piece to look for the size of a derivative."""


def piecewise(coefficients: Array, times: ArrayLike) -> PPoly:
    """Pieces of polynomials, coefficients (order + 1, pieces, n), highest power first."""
    from scipy.interpolate import PPoly

    return PPoly(np.ascontiguousarray(coefficients), np.asarray(times, dtype=np.float64))


def merged(*knots: ArrayLike) -> Array:
    """All knots in order, those that rounding alone tells apart once."""
    every = np.unique(np.concatenate([np.asarray(x, dtype=np.float64) for x in knots]))
    apart = np.diff(every) > CLOSE * (every[-1] - every[0])
    return every[np.concatenate([[True], apart])]


def shifted(coefficients: Array, by: Array) -> Array:
    """The same polynomials about other origins: c'(x) = c(x + by), by (pieces,)."""
    rising = coefficients[::-1]
    moved = np.zeros_like(rising)
    for k in range(len(rising)):
        for m in range(k, len(rising)):
            moved[k] += comb(m, k) * rising[m] * (by ** (m - k))[:, None]
    return moved[::-1]


def on_knots(pieces: PPoly, knots: Array) -> Array:
    """Coefficients of a curve between other knots, among which all of its own are; outside of its own it rests."""
    start = knots[:-1]
    middle = (start + knots[1:]) / 2  # inside one piece, whatever rounding did to the knots
    index = np.clip(np.searchsorted(pieces.x, middle, side="right") - 1, 0, pieces.c.shape[1] - 1)
    cut = shifted(pieces.c[:, index], start - pieces.x[index])
    for outside, place in ((middle < pieces.x[0], pieces.x[0]), (middle > pieces.x[-1], pieces.x[-1])):
        cut[:, outside] = 0.0
        cut[-1, outside] = pieces(place)
    return cut


def from_spline(curve: Any, degree: int) -> PPoly:
    """A SciPy B-spline in powers of time."""
    knots = np.unique(curve.t)
    slopes = [curve.derivative(k)(knots[:-1]) / factorial(k) if k else curve(knots[:-1]) for k in range(degree + 1)]
    return piecewise(np.array(slopes[::-1]), knots)


def meeting(times: Array, derivatives: Sequence[Array]) -> PPoly:
    """Polynomials of degree 2 m - 1 between times that meet m derivatives, the value first, (T, n) each, at both ends.

    The lower half of the powers is the Taylor series at the start, the upper half takes what is left at the end: so
    nothing that rounding does to the values comes back in their derivatives.
    """
    m, h = len(derivatives), np.diff(times)[:, None]
    low = [x[:-1] * h**k / factorial(k) for k, x in enumerate(derivatives)]
    ends = np.array([[factorial(k) // factorial(k - d) if k >= d else 0 for k in range(2 * m)] for d in range(m)])
    left = [x[1:] * h**d - sum(ends[d, k] * low[k] for k in range(m)) for d, x in enumerate(derivatives)]
    high = np.einsum("ij,jtn->itn", np.linalg.inv(ends[:, m:].astype(float)), np.array(left))
    scaled = [c / h**k for k, c in enumerate([*low, *high])]
    return piecewise(np.array(scaled[::-1]), times)


def stretched(pieces: PPoly, factor: float) -> PPoly:
    """The same curve, slower by a factor."""
    powers = np.arange(len(pieces.c) - 1, -1, -1.0)[:, None, None]
    return piecewise(pieces.c * factor**-powers, pieces.x * factor)


def extremes(pieces: PPoly, derivative: int = 0) -> tuple[Array, Array]:
    """The lowest and the highest value of each component of a derivative, (n,) each, on both sides of every knot."""
    curve = pieces.derivative(derivative) if derivative else pieces
    starts, ends = _sides(curve)
    low, high = np.minimum(starts, ends).min(axis=0), np.maximum(starts, ends).max(axis=0)
    for k, found in enumerate(_turns(curve)):
        if found.size:
            values = curve(found)[:, k]
            low[k], high[k] = min(low[k], values.min()), max(high[k], values.max())
    return low, high


def kinks(pieces: PPoly, order: int) -> list[float]:
    """Inner knots at which a derivative up to the order jumps."""
    jumps = np.zeros(len(pieces.x) - 2, dtype=bool)
    for k in range(min(order + 1, len(pieces.c))):
        curve = pieces.derivative(k) if k else pieces
        starts, ends = _sides(curve)
        looks = (curve(pieces.x[:-1] + share * np.diff(pieces.x)) for share in LOOKS)
        size = max(float(np.abs(values).max(initial=1e-12)) for values in looks)
        jumps |= (np.abs(starts[1:] - ends[:-1]) > JUMP * size).any(axis=-1)
    return [float(t) for t in pieces.x[1:-1][jumps]]


def _sides(curve: PPoly) -> tuple[Array, Array]:
    """Values at the start and at the end of every piece, (pieces, n) each."""
    return curve.c[-1], shifted(curve.c, np.diff(curve.x))[-1]


def _turns(curve: PPoly) -> Sequence[Array]:
    """Per component the times at which its rate is zero."""
    if len(curve.c) == 1:
        return []
    rate = curve.derivative()
    # One by one: of several components SciPy leaves out a root at the time of another component's last one.
    single = [piecewise(rate.c[:, :, k], rate.x) for k in range(rate.c.shape[-1])]
    found = [one.roots(discontinuity=False, extrapolate=False) for one in single]
    return [roots[np.isfinite(roots)] for roots in found]
