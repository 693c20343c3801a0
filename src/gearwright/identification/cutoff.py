"""The filter's cut-off from the signal: where its acceleration and what differentiation makes of its noise meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.signals import even_grid, sampling_rate, transfer

SIGNAL = 6.0
"""A spectrum counts as signal where, averaged over neighbours, it is this many times its noise floor."""

NEIGHBOURS = 8
"""Bins on either side over which a spectrum is averaged before it is compared with its floor."""

WIDEST = 10.0
"""The cut-off is at most this many times the frequency below which 95 % of the acceleration happens."""


class Spectrum(NamedTuple):
    """Of measured columns: frequencies (F,) [Hz], signal power (F, n) and flat noise power (n,)."""

    frequency: Array
    signal: Array
    floor: Array


def default_cutoff(t: Array, q: Array, v: Array | None) -> float:
    """The cut-off [Hz] that falsifies accelerations least.

    A filter H takes (1 - H) of the acceleration's power away, and lets H^2 of the noise through, which two
    derivatives (one of measured speeds) weight with the fourth (second) power of the frequency. Both bias inertias in
    proportion to

        sum over f of  (2 pi f)^2m [(1 - H) signal + H^2 floor],     m = 2 from positions, 1 from speeds

    relative to the power of the acceleration itself. The sum over all moving joints is made smallest, between the
    frequency below which 95 % of the acceleration happens and ten times that, and at most at a fifth of the sampling
    rate, so that the motion counts and not the rate at which it was logged.
    """
    rate = sampling_rate(t)
    found = spectrum(t, q if v is None else v)
    weight = found.frequency ** (4.0 if v is None else 2.0)
    power = weight @ found.signal
    moving = power > 0
    if not moving.any():
        return rate / 5
    signal = weight * np.sum(found.signal[:, moving] / power[moving], axis=1)
    noise = weight * np.sum(found.floor[moving] / power[moving])
    total = np.cumsum(signal)
    top = float(found.frequency[max(int(np.searchsorted(total, 0.95 * total[-1])), 1)])
    highest = min(WIDEST * top, rate / 5)
    trials = np.geomspace(min(top, highest), highest, 60)
    costs = []
    for trial in trials:
        H = transfer(found.frequency, float(trial))
        costs.append(float((1 - H) @ signal + H**2 @ noise))
    return float(trials[int(np.argmin(costs))])


def spectrum(t: Array, values: Array) -> Spectrum:
    """Signal and noise of the columns (T, n) of a log.

    Noise of encoders is flat, so its floor shows at the upper end, where motion has faded. The window falls off so fast
    that leakage of a slow, large motion stays below the floor of a good encoder.
    """
    rate = sampling_rate(t)
    grid, even = even_grid(t, values)
    window = np.hanning(len(grid))[:, None] ** 4
    power = np.abs(np.fft.rfft((even - even.mean(axis=0)) * window, axis=0)) ** 2
    upper = power[3 * len(power) // 4 :]
    floor = np.median(upper, axis=0) / np.log(2.0)  # the median of an exponential distribution to its mean
    clear = _averaged(power) > SIGNAL * floor
    return Spectrum(np.fft.rfftfreq(len(grid), 1 / rate), np.where(clear, np.maximum(power - floor, 0.0), 0.0), floor)


def _averaged(power: Array) -> Array:
    """Over the neighbours of every bin."""
    from scipy.ndimage import uniform_filter1d

    average: Array = uniform_filter1d(power, 2 * NEIGHBOURS + 1, axis=0, mode="nearest")
    return average
