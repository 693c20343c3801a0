"""Minima of guards between the checks of a step: a guard may fall below zero and rise again between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import (
    EVENT_CHECKS_PER_STEP,
    EVENT_LOCATION_LEVEL,
    MAX_MINIMUM_SHIFT,
    MINIMUM_PROBES,
    MINIMUM_REFINEMENTS,
    MINIMUM_SCAN_POINTS,
    MINIMUM_WINDOW,
    NEAR_MINIMUM_RATIO,
    NOISE_SPREAD,
)

_CHECK_TIMES = np.linspace(0.0, 1.0, EVENT_CHECKS_PER_STEP + 1)
_TO_COEFFICIENTS = np.linalg.inv(np.vander(_CHECK_TIMES, increasing=True))
_SCAN = (
    np.vander(np.linspace(0.0, 1.0, MINIMUM_SCAN_POINTS + 1), EVENT_CHECKS_PER_STEP + 1, increasing=True)
    @ _TO_COEFFICIENTS
)


def minima_near_zero(values: Array) -> Iterator[tuple[int, float]]:
    """The guards with a minimum near or below zero within a step, each with its time in 0 to 1.

    Args:
        values: guards at the start of the step and at its checks (checks + 1, guards). The polynomial through them is
            searched, which is smooth where guards are.
    """
    spread = np.ptp(values, axis=0)
    nearest = NEAR_MINIMUM_RATIO * spread
    for k in np.flatnonzero(((_SCAN @ values).min(axis=0) < nearest) & (spread > NOISE_SPREAD)).tolist():
        coefficients = _TO_COEFFICIENTS @ values[:, k]
        slope = np.polynomial.Polynomial(coefficients).deriv()
        for root in slope.roots():
            time = float(np.real(root))
            is_real = abs(np.imag(root)) < MINIMUM_WINDOW
            if is_real and -MINIMUM_WINDOW < time < 1.0 + MINIMUM_WINDOW and slope.deriv()(time) > 0:
                lowest = np.polynomial.Polynomial(coefficients)(time)
                if lowest < nearest[k]:
                    yield k, time


def time_below_zero(level: Callable[[float], float], start: float, end: float, time: float) -> float | None:
    """A time near that of a minimum (in 0 to 1) at which a guard is violated; None if it stays positive.

    A gap counts as open while it grows, so that it is violated only before its minimum: parabolas through values before
    it are followed.
    """
    width, minimum = MINIMUM_WINDOW * (end - start), start + time * (end - start)
    for _ in range(MINIMUM_REFINEMENTS):
        times = [minimum - count * width for count in (3, 2, 1)]
        first, middle, last = values = [level(t) for t in times]
        for t, value in zip(times, values, strict=True):
            if start < t <= end and value < -EVENT_LOCATION_LEVEL:
                return t
        slope, curvature = 0.5 * (last - first), first - 2.0 * middle + last
        if curvature <= 0:  # behind the minimum, where a gap that grows counts as open
            minimum, width = minimum - 4.0 * width, 2.0 * width
            continue
        shift, lowest = min(-slope / curvature, MAX_MINIMUM_SHIFT), middle - 0.5 * slope * slope / curvature
        if lowest >= -EVENT_LOCATION_LEVEL and shift < MAX_MINIMUM_SHIFT:
            return None
        minimum = times[1] + shift * width
        half = width * np.sqrt(max(-2.0 * lowest, 0.0) / curvature)
        for t in (float(minimum - share * half) for share in MINIMUM_PROBES):
            if start < t <= end and level(t) < -EVENT_LOCATION_LEVEL:
                return t
        width *= 0.25
    return None
