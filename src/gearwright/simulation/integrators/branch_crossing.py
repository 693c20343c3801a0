"""Signs of the branch functions of laws, and where within a step one changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import EVENT_CHECKS_PER_STEP, EVENT_TIME_TOLERANCE, SCIPY_TIME_ROUNDING

LevelFunction = Callable[[float, Array], Array]
"""Functions of time and state whose zeros are located."""


class BranchSides:
    """The signs of branch functions from (t, x) on.

    Args:
        kinks: the branch functions.
        t: time at the start.
        x: state at the start.
        band: values below this have no sign yet; they get one when they leave the band.
    """

    def __init__(self, kinks: LevelFunction, t: float, x: Array, band: float) -> None:
        self._kinks, self._band = kinks, band
        first = kinks(t, x)
        self._count = len(first)
        self._sides = self._signs_outside_band(first)

    def first_crossing(self, begin: float, end: float, state: Callable[[float], Array]) -> float | None:
        """The first time of a step at which a branch function changes its sign; None if there is none."""
        before, sides = begin, self._sides
        for t in np.linspace(begin, end, EVENT_CHECKS_PER_STEP + 1)[1:]:
            signs = self._signs_outside_band(self._branch_values(t, state))
            turned = np.flatnonzero(signs * sides < 0)
            if turned.size:
                return min(self._crossing_time(int(k), sides[k], before, t, state) for k in turned)
            before, sides = t, np.where(sides == 0, signs, sides)
        self._sides = sides
        return None

    def is_at_branch(self, t: float, x: Array) -> bool:
        """Whether a branch function with a known sign is zero at (t, x)."""
        return bool((self._signs_outside_band(self._branch_values(t, lambda _: x))[self._sides != 0] == 0).any())

    def _branch_values(self, t: float, state: Callable[[float], Array]) -> Array:
        """The branch functions at a time; a law that branches in Python may have another number of them there."""
        values = self._kinks(t, state(t))
        return values if len(values) == self._count else np.zeros(self._count)

    def _signs_outside_band(self, values: Array) -> Array:
        return np.where(np.abs(values) > self._band, np.sign(values), 0.0)

    def _crossing_time(self, k: int, side: float, low: float, high: float, state: Callable[[float], Array]) -> float:
        from scipy.optimize import brentq

        def level(t: float) -> float:
            return side * float(self._branch_values(t, state)[k])

        if level(low) <= 0:  # within the band, but just beyond zero
            return low
        return float(brentq(level, low, high, xtol=EVENT_TIME_TOLERANCE, rtol=SCIPY_TIME_ROUNDING, maxiter=200))
