"""Which side of every kink a motion is on, and where within a step it crosses one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.arrays import Array

Levels = Callable[[float, Array], Array]
"""Numbers of time and state whose zeros matter."""

LOOKS = 4
"""Places in a step where guards and kinks are looked at, so that what dips below zero and comes back is seen."""


class Sides:
    """The sides of kinks from (t, x) on.

    Args:
        kinks: the numbers whose signs are the sides.
        t: time at the start.
        x: state at the start.
        band: numbers below this have no side yet: they get one when they leave the band.
    """

    def __init__(self, kinks: Levels, t: float, x: Array, band: float) -> None:
        self._kinks, self._band = kinks, band
        first = kinks(t, x)
        self._count = len(first)
        self._sides = self._signs(first)

    def crossed(self, begin: float, end: float, state: Callable[[float], Array]) -> float | None:
        """The first time of a step at which a kink is crossed; None if all stay on their sides."""
        before, sides = begin, self._sides
        for t in np.linspace(begin, end, LOOKS + 1)[1:]:
            signs = self._signs(self._at(t, state))
            turned = np.flatnonzero(signs * sides < 0)
            if turned.size:
                return min(self._root(int(k), sides[k], before, t, state) for k in turned)
            before, sides = t, np.where(sides == 0, signs, sides)
        self._sides = sides
        return None

    def reached(self, t: float, x: Array) -> bool:
        """Whether a kink whose side was known is met at (t, x)."""
        return bool((self._signs(self._at(t, lambda _: x))[self._sides != 0] == 0).any())

    def _at(self, t: float, state: Callable[[float], Array]) -> Array:
        """The kinks at a time; a law that branches in Python may have another number of them there."""
        found = self._kinks(t, state(t))
        return found if len(found) == self._count else np.zeros(self._count)

    def _signs(self, values: Array) -> Array:
        return np.where(np.abs(values) > self._band, np.sign(values), 0.0)

    def _root(self, k: int, side: float, low: float, high: float, state: Callable[[float], Array]) -> float:
        from scipy.optimize import brentq

        def level(t: float) -> float:
            return side * float(self._at(t, state)[k])

        if level(low) <= 0:  # within the band, but just beyond zero
            return low
        return float(brentq(level, low, high, xtol=1e-15, rtol=8.9e-16, maxiter=200))
