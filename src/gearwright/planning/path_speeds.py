r"""The largest speeds along a path under linear limits, by reachability (the idea of TOPP-RA, Pham and Pham 2018).

In interval i of length d limits are $|a u + b x + c| \le g$ for x at its start and u constant in it, and the next x is
x + 2 d u. Backward, the x from which the end can be reached are found: an interval [low, high] at every cut. Forward, u
is as large as limits and the next interval allow. Each step has two unknowns: u lies between lines over x, and how far
the lowest upper line is above the highest lower one is a concave function of x, whose roots Newton's rule finds
in a few steps, from outside and without passing them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array

HUGE = 1e9
"""A squared path speed that no limit allows, in units of the largest acceleration that one does."""
FLAT = 1e-13
"""Share of a limit that the largest acceleration takes, below which it does not count."""
STEPS = 60
"""Of Newton's rule at most."""


class _Lines(NamedTuple):
    """Per interval lines over x between which u lies, u = middle -+ half + slope x, and bounds of x alone."""

    middle: Array
    half: Array
    slope: Array
    low: Array
    high: Array


def largest_speeds(s: Array, a: Array, b: Array, c: Array, g: Array, size: float) -> Array | None:
    """X at the cuts s (N + 1,), from rest to rest; None where limits leave no way.

    Args:
        s: cuts of the path.
        a: rows of every interval, (N, rows).
        b: rows.
        c: rows.
        g: what the rows may be at most.
        size: about how large u may be.
    """
    lines, steps = _lines(a, b, c, g, size), 2 * np.diff(s)
    low, high = np.zeros(len(s)), np.zeros(len(s))
    for i in reversed(range(len(steps))):
        found = _reaching(lines, i, steps[i], low[i + 1], high[i + 1], HUGE * size)
        if found is None:
            return None
        low[i], high[i] = found
    if low[0] > 0:
        return None
    x = np.zeros(len(s))
    for i, step in enumerate(steps):
        u = float((lines.middle[i] + lines.half[i] + lines.slope[i] * x[i]).min())
        x[i + 1] = min(max(x[i] + step * u, low[i + 1]), high[i + 1])
    return x


def _lines(a: Array, b: Array, c: Array, g: Array, size: float) -> _Lines:
    flat = np.abs(a) * size <= FLAT
    safe = np.where(flat, 1.0, a)
    middle, slope = np.where(flat, 0.0, -c / safe), np.where(flat, 0.0, -b / safe)
    half = np.where(flat, np.inf, g / np.abs(safe))
    # Rows without u bound x alone: -g <= b x + c <= g.
    steep = np.where(b == 0, 1.0, b)
    ends = np.sort(np.stack([(-g - c) / steep, (g - c) / steep]), axis=0)
    bounding = flat & (b != 0)
    low = np.where(bounding, ends[0], -np.inf).max(axis=1)
    high = np.where(bounding, ends[1], np.inf).min(axis=1)
    impossible = (flat & (b == 0) & (np.abs(c) > g)).any(axis=1)
    return _Lines(middle, half, slope, low, np.where(impossible, -1.0, high))


def _reaching(lines: _Lines, i: int, step: float, low: float, high: float, huge: float) -> tuple[float, float] | None:
    """The smallest and the largest x from which the next lies between low and high; None where there is none."""
    middle, half, slope = lines.middle[i], lines.half[i], lines.slope[i]
    upper = np.append(middle + half, high / step), np.append(slope, -1 / step)
    lower = np.append(middle - half, low / step), np.append(slope, -1 / step)
    first, last = max(0.0, float(lines.low[i])), min(huge, float(lines.high[i]))
    most = _root(upper, lower, last, downwards=True)
    least = _root(upper, lower, first, downwards=False)
    if most is None or least is None or most < first or least > most * (1 + 1e-12):
        return None
    return min(least, most), most


def _root(upper: tuple[Array, Array], lower: tuple[Array, Array], x: float, downwards: bool) -> float | None:
    """The first x, seen from one side, at which the upper lines are above the lower ones."""
    for _ in range(STEPS):
        above, below = upper[0] + upper[1] * x, lower[0] + lower[1] * x
        j, k = int(above.argmin()), int(below.argmax())
        gap = float(above[j] - below[k])
        if gap >= 0:
            return x
        slope = float(upper[1][j] - lower[1][k])
        if slope >= 0 if downwards else slope <= 0:
            return None
        ahead = float(lower[0][k] - upper[0][j]) / slope  # where the two lines meet, whatever x was
        if ahead == x or (ahead > x) == downwards:  # rounding: this is the root
            return x
        x = ahead
    return x
