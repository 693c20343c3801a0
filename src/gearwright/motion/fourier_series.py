"""Periodic motions as finite Fourier series, exact in every derivative."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.mechanism import Mechanism
from gearwright.motion.csv_columns import motion_text
from gearwright.motion.limits import coordinate_limits, require_within_limits
from gearwright.motion.piecewise_polynomials import piecewise_polynomial
from gearwright.motion.trajectory import Motion, Trajectory
from gearwright.parts import Robot

FOURIER_PIECE_PHASE = 0.5
"""Phase advance of the highest harmonic within one segment of a trajectory [rad]."""
FOURIER_PIECE_DEGREE = 21
"""Polynomial order of the segments: positions to the last bit, fourteen derivatives to 1e-7 relative."""


@check_arguments
def fourier(
    period: float,
    centre: ArrayLike,
    sines: ArrayLike,
    cosines: ArrayLike,
    *,
    periods: int = 1,
    robot: Robot | Mechanism | None = None,
) -> Trajectory:
    r"""Return a periodic motion as a finite Fourier series, given by the amplitudes of its speeds.

    $q(t) = c + \sum_l \frac{s_l \sin(l w t) - c_l \cos(l w t)}{l w}, \quad w = 2 \pi / T$

    Args:
        period: T [s].
        centre: c, (n,).
        sines: s_l, amplitudes of the cosine of the speed, (n, harmonics) [rad/s, m/s].
        cosines: c_l, amplitudes of its sine, (n, harmonics) [rad/s, m/s].
        periods: number of periods.
        robot: gives the columns their names; its limits must hold.

    >>> swing = fourier(2.0, [0.0], [[1.0]], [[0.0]], periods=3)
    >>> swing.duration, swing.at(4.0, 1).round(12)
    (6.0, array([1.]))
    """
    return FourierMotion(period, centre, sines, cosines).to_trajectory(periods, robot)


@check_arguments
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
        real_number("fourier", "period", self.period, above=0.0, unit="seconds", example=10.0)
        for name in ("centre", "sines", "cosines"):
            number_array("fourier", name, getattr(self, name), axes=1 if name == "centre" else 2)
        centre, sines, cosines = (np.shape(x) for x in (self.centre, self.sines, self.cosines))
        if sines != cosines or centre not in ((sines[0],), ()) or not sines[1]:
            raise InputError(
                f"fourier: centre of shape {centre}, sines of {sines} and cosines of {cosines} are inconsistent. Give "
                "(n,), (n, harmonics) and (n, harmonics)."
            )

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Position (0), speed (1), acceleration (2) ... at times t, shape t.shape + (n,)."""
        whole_number("fourier", "derivative", derivative)
        sines, cosines = np.asarray(self.sines, float), np.asarray(self.cosines, float)
        w = 2 * np.pi / self.period * np.arange(1, sines.shape[1] + 1)
        # Every derivative multiplies by the frequency and advances the phase by a quarter of a turn.
        angle = number_array("fourier", "t", t)[..., None] * w + derivative * np.pi / 2
        size = w ** (derivative - 1.0)
        wave: Array = (np.sin(angle) * size) @ sines.T - (np.cos(angle) * size) @ cosines.T
        return wave if derivative else wave + np.asarray(self.centre, float)

    def sample(self, count: int = 200) -> Motion:
        """One period at equally spaced times; the last sample is one step before the end of the period."""
        whole_number("fourier", "count", count, least=2, unit="samples", example=200)
        t: Array = np.arange(count, dtype=np.float64) * (self.period / count)
        return Motion(t, self.at(t), self.at(t, 1), self.at(t, 2))

    def csv(self, mech: Mechanism, rate: float = 100.0, periods: int = 1) -> str:
        """Return CSV text: columns t, q.<coordinate>, v.<speed>, a.<speed>, `rate` samples per second."""
        real_number("fourier", "rate", rate, above=0.0, unit="Hz", example=100.0)
        whole_number("fourier", "periods", periods, least=1)
        t = np.arange(round(self.period * periods * rate) + 1) / rate
        return motion_text(mech.coordinates, mech.speeds, t, [self.at(t, k) for k in range(3)])

    def save(self, path: str | Path, mech: Mechanism, rate: float = 100.0, periods: int = 1) -> None:
        """Write the CSV text into a file."""
        write_text(Path(path), self.csv(mech, rate, periods))

    def to_trajectory(self, periods: int = 1, robot: Robot | Mechanism | None = None) -> Trajectory:
        """Return the first periods as a trajectory of short Taylor polynomials, at rest before and after."""
        whole_number("fourier", "periods", periods, least=1)
        harmonics = np.shape(self.sines)[1]
        count = int(np.ceil(2 * np.pi * harmonics * periods / FOURIER_PIECE_PHASE))
        knots = np.linspace(0.0, self.period * periods, count + 1)
        terms = [self.at(knots[:-1], k) / factorial(k) for k in range(FOURIER_PIECE_DEGREE, -1, -1)]
        limits = coordinate_limits("fourier", np.shape(self.sines)[0], robot)
        result = limits.with_joint_names(Trajectory(piecewise_polynomial(np.array(terms), knots)))
        require_within_limits("fourier", result, limits, "Give smaller amplitudes, or a longer period.")
        return result
