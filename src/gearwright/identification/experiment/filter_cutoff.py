"""The cut-off frequency of the filter from the spectra of the acceleration and of the differentiated noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.experiment.filtering import even_grid, filter_gain, require_samples, sampling_rate

MOTION_POWER_SHARE = 0.99
"""Share of the power of a column that is motion: at the lowest frequencies, unless the joint is at rest."""

VIBRATION_NOISE_FACTOR = 10.0
"""Ratio to the surrounding noise above which a spectrum is signal, above the band of the motion."""

MIN_AVERAGED_BINS, NARROW_AVERAGE_SHARE, BROAD_AVERAGE_SHARE = 8, 0.1, 0.33
"""Smallest number of bins, and share of the frequency, on both sides over which a spectrum is averaged."""

CHI_SQUARE_MEDIAN = 0.4549
"""Median of the square of a normal variable with mean square 1."""

REST_TRAVEL_SHARE = 0.2
"""A log starts (ends) at rest if its first (last) 0.5 % moves less than this share of the usual motion."""

MAX_CUTOFF_FACTOR = 10.0
"""Largest ratio of the cut-off to the frequency below which 95 % of the acceleration lies."""


CUTOFF_COST_FACTOR = 1.5
"""The highest cut-off is used whose cost is at most this many times the lowest: noise hides part of the motion, so the
lost motion is underestimated, but the noise is not."""


class Spectrum(NamedTuple):
    """Spectrum of measured columns: frequencies (F,) [Hz], power of signal (F, n) and noise (F, n)."""

    frequency: Array
    signal: Array
    noise: Array


def default_cutoff(t: Array, q: Array, v: Array | None) -> float:
    """The cut-off [Hz] with the smallest error of accelerations.

    A filter H removes (1 - H) of the acceleration's power and passes H^2 of the noise, which two
    derivatives (one of measured speeds) weight with the fourth (second) power of the frequency. Both bias inertias in
    proportion to

        sum over f of  f^2m [(1 - H) signal + H^2 noise],     m = 2 from positions, 1 from speeds

    relative to the power of the acceleration itself. The sum over all moving joints is minimised, between the
    frequency below which 95 % of the acceleration lies and ten times that frequency, and at most at a fifth of the
    sampling rate. The result depends on the motion and hardly on the sampling rate.
    """
    require_samples(t)
    rate = sampling_rate(t)
    derivatives = 2 if v is None else 1
    grid, even = even_grid(t, q if v is None else v)
    estimate = signal_and_noise(grid, even, end_taper(even_grid(t, q)[1]), derivatives)
    weight = estimate.frequency ** (2.0 * derivatives)
    power = weight @ estimate.signal
    moving = power > 0
    if not moving.any():
        return rate / 5
    signal = weight * np.sum(estimate.signal[:, moving] / power[moving], axis=1)
    noise = weight * np.sum(estimate.noise[:, moving] / power[moving], axis=1)
    total = np.cumsum(signal)
    top = float(estimate.frequency[int(np.searchsorted(total, 0.95 * total[-1]))])
    highest = min(MAX_CUTOFF_FACTOR * top, rate / 5)
    trials = np.geomspace(min(top, highest), highest, 60)
    transfers = (filter_gain(estimate.frequency, float(trial)) for trial in trials)
    costs = [float((1 - H) @ signal + H**2 @ noise) for H in transfers]
    return float(trials[np.flatnonzero(np.array(costs) <= CUTOFF_COST_FACTOR * min(costs)).max()])


def signal_and_noise(t: Array, values: Array, window: Array, derivatives: int) -> Spectrum:
    """Spectra of signal and noise of columns (T, n) at equidistant times.

    After differentiation the motion decreases with frequency and the noise increases. The band of the motion ends at
    the minimum of their sum. Above it everything is noise except narrow peaks (vibrations); below it the noise level
    is assumed to be the same. After subtraction of the line from its first to its last sample, a column is a sum of
    sines of half periods, which continues it by reflection like the filter.
    """
    from scipy.fft import dst

    share = np.linspace(0.0, 1.0, len(t))[:, None]
    level = (values - values[0] - share * (values[-1] - values[0])) * window[:, None]
    power = dst(level[1:-1], type=1, axis=0) ** 2
    frequency = np.arange(1, len(power) + 1) / (2 * (t[-1] - t[0]))
    signal, noise = np.zeros_like(power), np.zeros_like(power)
    close = _averaged_power(power)
    for k, column in enumerate(power.T):
        floor = _noise_floor(column)
        end = _end_of_motion(column, close[:, k] * frequency ** (2.0 * derivatives))
        if end is None:
            continue
        inside = np.arange(len(column)) < end
        motion_noise = floor[
            min(int((1 + 1.5 * BROAD_AVERAGE_SHARE) * end), len(floor) - 1)
        ]  # not affected by the motion
        noise[:, k] = np.where(inside, motion_noise, floor)
        is_signal = inside | (close[:, k] > VIBRATION_NOISE_FACTOR * floor)
        signal[:, k] = np.where(is_signal, np.maximum(column - noise[:, k], 0.0), 0.0)
    return Spectrum(frequency, signal, noise)


def _end_of_motion(power: Array, acceleration: Array) -> int | None:
    """The bin at which the averaged spectrum of the acceleration is lowest; None for a column of noise only."""
    total = np.cumsum(power)
    sure = int(np.searchsorted(total, MOTION_POWER_SHARE * total[-1]))
    if total[-1] <= 0 or sure >= len(power) // 2:
        return None
    return sure + int(np.argmin(acceleration[sure : len(power) - MIN_AVERAGED_BINS]))


def end_taper(q: Array) -> Array:
    """A window: 1, decreasing to zero from the middle to an end at which the motion does not rest."""
    T, step = len(q), max(len(q) // 200, 3)
    ramp = np.sin(0.5 * np.pi * np.linspace(0.0, 1.0, T // 2)) ** 8
    threshold = REST_TRAVEL_SHARE * np.abs(np.diff(q[::step], axis=0)).mean(axis=0).max()
    window: Array = np.ones(T)
    if np.abs(q[step] - q[0]).max() > threshold:
        window[: len(ramp)] = ramp
    if np.abs(q[-1] - q[-1 - step]).max() > threshold:
        window[T - len(ramp) :] = ramp[::-1]
    return window


def _averaged_power(power: Array) -> Array:
    """The spectrum averaged over the neighbours of every bin (F, n), over more of them at higher frequencies."""
    bins = np.arange(len(power))
    half = np.maximum(MIN_AVERAGED_BINS, (NARROW_AVERAGE_SHARE * bins).astype(int))
    first, last = np.maximum(bins - half, 0), np.minimum(bins + half + 1, len(power))
    # Summed from the upper end, to avoid rounding of its small numbers.
    above = np.concatenate([np.cumsum(power[::-1], axis=0)[::-1], np.zeros((1, power.shape[1]))])
    average: Array = (above[first] - above[last]) / (last - first)[:, None]
    return average


def _noise_floor(power: Array) -> Array:
    """The noise around every bin (F,), from the median over many neighbours, which ignores narrow vibrations."""
    centres = np.unique(np.geomspace(1, len(power), 80).astype(int)) - 1
    halves = np.maximum(MIN_AVERAGED_BINS, (BROAD_AVERAGE_SHARE * centres).astype(int))
    level = [
        np.median(power[max(c - h, 0) : c + h + 1]) / CHI_SQUARE_MEDIAN for c, h in zip(centres, halves, strict=True)
    ]
    around: Array = np.exp(np.interp(np.arange(len(power)), centres, np.log(np.maximum(level, 1e-300))))
    return around
