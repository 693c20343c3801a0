"""How a path is run through in time: the one place that says by which law."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from gearwright.errors import InputError
from gearwright.motion import Trajectory, polynomial

PEAKS = (35 / 16, 84 * sqrt(5) / 25, 52.5)
"""Largest speed, acceleration and jerk of the polynomial of order 7 from rest to rest over 1 in unit time."""


class Pace(NamedTuple):
    """Largest speed, acceleration and jerk along a path [m/s or rad/s, ...]; infinity: unlimited."""

    speed: float
    acceleration: float = np.inf
    jerk: float = np.inf

    def duration(self, length: float) -> float:
        """The time a length takes from rest to rest [s]."""
        return max(
            (peak * length / limit) ** (1 / (k + 1)) for k, (peak, limit) in enumerate(zip(PEAKS, self, strict=True))
        )


def share_of_time(lengths: dict[str, tuple[float, Pace]]) -> Trajectory:
    """The share of a path (1 coordinate, 0 to 1) over time, rest to rest, that keeps every pace.

    The polynomial of order 7: speed, acceleration and jerk are continuous, and zero at both ends.
    """
    duration = max(pace.duration(length) for length, pace in lengths.values())
    if not duration > 0:
        raise InputError("the path has no length: start and end are the same pose. Give somewhere to go.")
    return polynomial([0.0], [1.0], duration, order=7)
