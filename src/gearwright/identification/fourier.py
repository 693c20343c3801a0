"""Periodic motions as finite Fourier series, exact in every derivative."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number, numbers, whole
from gearwright.arrays import Array
from gearwright.files.formats import write_text
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.motion.recording import write_columns


@dataclass(frozen=True)
class FourierMotion:
    """q(t) = centre + sum_l (sines_l sin(l w t) - cosines_l cos(l w t)) / (l w),  w = 2 pi / period.

    Args:
        period: [s].
        centre: (n,).
        sines: speed amplitudes (n, harmonics) [rad/s].
        cosines: speed amplitudes (n, harmonics) [rad/s].

    >>> swing = FourierMotion(2.0, [0.0], [[1.0]], [[0.0]])
    >>> float(swing.at(0.0, 1)[0])     # the speed at the start
    1.0
    """

    period: float
    centre: ArrayLike
    sines: ArrayLike
    cosines: ArrayLike

    def __post_init__(self) -> None:
        number("excitation", "period", self.period, above=0.0, unit="seconds", example=10.0)
        for name in ("centre", "sines", "cosines"):
            numbers("excitation", name, getattr(self, name), axes=1 if name == "centre" else 2)

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2) ... at times t, shape t.shape + (n,)."""
        whole("excitation", "derivative", derivative)
        sines, cosines = np.asarray(self.sines, float), np.asarray(self.cosines, float)
        w = 2 * np.pi / self.period * np.arange(1, sines.shape[1] + 1)
        # Every derivative multiplies by the frequency and turns the phase by a quarter.
        angle = numbers("excitation", "t", t)[..., None] * w + derivative * np.pi / 2
        size = w ** (derivative - 1.0)
        wave: Array = (np.sin(angle) * size) @ sines.T - (np.cos(angle) * size) @ cosines.T
        return wave if derivative else wave + np.asarray(self.centre, float)

    def sample(self, count: int = 200) -> Motion:
        """One period at equally spaced times; the last sample comes one step before the first returns."""
        whole("excitation", "count", count, least=2, unit="samples", example=200)
        t: Array = np.arange(count, dtype=np.float64) * (self.period / count)
        return Motion(t, self.at(t), self.at(t, 1), self.at(t, 2))

    def csv(self, mech: Mechanism, rate: float = 100.0, periods: int = 1) -> str:
        """Text for a controller: columns t, q.<coordinate>, v.<speed>, a.<speed>, `rate` samples per second."""
        number("excitation", "rate", rate, above=0.0, unit="Hz", example=100.0)
        whole("excitation", "periods", periods, least=1)
        t = np.arange(round(self.period * periods * rate) + 1) / rate
        names = [f"q.{name}" for name in mech.coordinates]
        names += [f"{letter}.{name}" for letter in "va" for name in mech.speeds]
        return write_columns(names, np.column_stack([self.at(t, k) for k in range(3)]), t)

    def save(self, path: str | Path, mech: Mechanism, rate: float = 100.0, periods: int = 1) -> None:
        """Write the CSV text into a file."""
        write_text(Path(path), self.csv(mech, rate, periods))
