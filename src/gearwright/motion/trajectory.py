"""Joint trajectories as piecewise polynomials, and motions sampled from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import numbers, whole
from gearwright.arrays import Array

if TYPE_CHECKING:  # SciPy takes half a second to import; who only reads motions need not wait for it
    from scipy.interpolate import PPoly


@dataclass(frozen=True)
class Motion:
    """A sampled motion: t (T,) [s], q, v, a (T, n) [rad, rad/s, rad/s2 or m]."""

    t: Array
    q: Array
    v: Array
    a: Array


@dataclass(frozen=True)
class Trajectory:
    """A motion of all joints over [0, duration], exact in every derivative; before and after it rests.

    Args:
        pieces: SciPy piecewise polynomial of time with values (n,).

    >>> from gearwright.motion import polynomial
    >>> polynomial([0.0], [1.0], duration=2.0).at(1.0)
    array([0.5])
    """

    pieces: PPoly

    @property
    def duration(self) -> float:
        """Its length [s]."""
        return float(self.pieces.x[-1])

    @cached_property
    def _derivatives(self) -> dict[int, PPoly]:
        return {0: self.pieces}

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2), jerk (3) ... at times t, shape t.shape + (n,)."""
        whole("trajectory", "derivative", derivative)
        if derivative not in self._derivatives:
            self._derivatives[derivative] = self.pieces.derivative(derivative)
        times = numbers("trajectory", "t", t)
        values: Array = self._derivatives[derivative](np.clip(times, 0.0, self.duration))
        if derivative:
            resting = (times < 0) | (times > self.duration)
            values = np.where(resting[..., None], 0.0, values)
        return values

    def sample(self, count: int = 201) -> Motion:
        """The motion at equally spaced times from start to end."""
        whole("trajectory", "count", count, least=2, unit="samples", example=201)
        t = np.linspace(0.0, self.duration, count)
        return Motion(t, self.at(t), self.at(t, 1), self.at(t, 2))
