"""Clocks of measured signals: the delay of one signal behind another, found from the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.identification.experiment.log import Log
from gearwright.text import listed_names

DELAY_TOLERANCE = 1e-7
"""Tolerance of the delay [s]."""


@dataclass(frozen=True)
class SignalDelay:
    """The delay of a signal behind a reference.

    Args:
        delay: [s]; positive if the signal is late.
        standard_deviation: of the delay [s], from the remaining difference.
        offset: mean of signal minus shifted reference.
        explained: share of the variance of signal minus reference that the delay explains.
        remaining: signal minus shifted reference minus offset, (T,).
    """

    delay: float
    standard_deviation: float
    offset: float
    explained: float
    remaining: Array

    def __str__(self) -> str:
        size = float(np.ptp(self.remaining))
        return (
            f"delay {1e3 * self.delay:.3f} +- {1e3 * self.standard_deviation:.3f} ms: explains "
            f"{100 * self.explained:.1f} % of the difference; {size:.3g} remain peak to peak"
        )


@check_arguments
def signal_delay(t: ArrayLike, reference: ArrayLike, signal: ArrayLike, largest: float = 0.05) -> SignalDelay:
    """Return the delay of a measured signal behind a reference that measures the same quantity, such as two encoders.

    It minimises the variance of signal(t) - reference(t - delay) by Gauss-Newton steps on the exact slope of the
    interpolated reference. Constant offsets (zeros of encoders) do not matter.

    Args:
        t: times [s], (T,).
        reference: the reference (T,), such as the motor's angle at the joint side.
        signal: the signal (T,), such as the angle of an encoder at the link.
        largest: largest delay considered [s].

    >>> t = np.arange(0.0, 2.0, 0.004)
    >>> signal_delay(t, np.sin(3.0 * t), np.sin(3.0 * (t - 0.003))).delay.__round__(5)
    0.003
    """
    real_number("signal_delay", "largest", largest, above=0.0, unit="s", example=0.05)
    series = [as_float_array("signal_delay", name, x) for name, x in (("reference", reference), ("signal", signal))]
    count = np.size(as_float_array("signal_delay", "t", t))
    if any(x.shape != (count,) for x in series):
        shapes = listed_names(str(x.shape) for x in series)
        raise InputError(
            f"signal_delay: reference and signal have shapes {shapes}; both must be ({count},), one per time."
        )
    log = Log(t, np.stack(series, axis=1), np.zeros((count, 1)))  # checks the series
    times, (first, second) = log.times, np.asarray(log.q).T
    inside = (times >= times[0] + largest) & (times <= times[-1] - largest)
    if inside.sum() < 10 or np.ptp(first) == 0 or np.ptp(second) == 0:
        raise InputError(
            f"signal_delay: {int(inside.sum())} samples farther than {largest:g} s from both ends, ranges "
            f"{np.ptp(first):g} and {np.ptp(second):g}. Give signals that change, at least ten samples longer than the "
            "largest delay at both ends."
        )
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(times, first)
    sample_times, sought = times[inside], second[inside]

    def difference(delay: float) -> Array:
        change: Array = sought - spline(sample_times - delay)
        return change - change.mean()

    grid = np.linspace(-largest, largest, 41)
    delay = float(grid[np.argmin([np.sum(difference(x) ** 2) for x in grid])])
    slope = np.zeros_like(sought)
    for _ in range(50):
        slope = spline(sample_times - delay, 1)
        slope = slope - slope.mean()
        step = -float(slope @ difference(delay) / (slope @ slope))
        delay = float(np.clip(delay + step, -largest, largest))
        if abs(step) < DELAY_TOLERANCE:
            break
    remaining, whole = difference(delay), difference(0.0)
    deviation = float(np.sqrt(np.mean(remaining**2) / (slope @ slope)))
    spread = float(np.sum(whole**2))
    explained = 1.0 - float(np.sum(remaining**2)) / spread if spread else 0.0
    offset = float(np.mean(sought - spline(sample_times - delay)))
    return SignalDelay(delay, deviation, offset, explained, remaining)
