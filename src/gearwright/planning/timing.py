"""How a path is run through in time: the one place that says by which law."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gearwright.errors import InputError
from gearwright.motion import Trajectory, s_curve, smoothed

KEPT = 1e-6
"""Share of every limit that is left for what a path's own rate may be off."""
RAMP = 4.0
"""A jerk that nobody limits builds the acceleration up within this share of the time that speeding up takes."""
ROUND = 0.25
"""Width of the moving averages as a share of the time in which the acceleration builds up."""


class Pace(NamedTuple):
    """Largest speed, acceleration and jerk along a path [m/s or rad/s, ...]; infinity: unlimited."""

    speed: float
    acceleration: float = np.inf
    jerk: float = np.inf


def share_of_time(lengths: dict[str, tuple[float, Pace]]) -> Trajectory:
    """The share of a path (1 coordinate, 0 to 1) over time, rest to rest, that keeps every pace.

    An S-curve, which is the fastest under its limits, averaged twice over a short time, so that jerk and snap are
    continuous too (an average keeps every limit). Without a limit of the acceleration a quarter of the way is for
    speeding up and another for slowing down; without one of the jerk the acceleration builds up in a quarter of that.
    """
    known = [(length, pace) for length, pace in lengths.values() if length > 0]
    if not known:
        raise InputError("the path has no length: start and end are the same pose. Give somewhere to go.")
    v, a, j = (min(pace[k] / length for length, pace in known) * (1 - KEPT) for k in range(3))
    if np.isinf(v) and np.isinf(a):
        raise InputError("neither speed nor acceleration along the path is limited. Give one of them.")
    v = min(v, 2 * sqrt(a))  # faster than that nothing gets within the path
    a = min(a, 2 * v**2) if np.isinf(a) else a
    j = RAMP * a**2 / min(v, sqrt(a)) if np.isinf(j) else j
    law = s_curve([0.0], [1.0], speed=v, acceleration=a, jerk=j)
    width = ROUND * min(a / j, law.duration / 4)
    return smoothed(smoothed(law, width), width)
