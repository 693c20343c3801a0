"""The filter's cut-off from the signal: where its acceleration and what differentiation makes of its noise meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.experiment.filtering import even_grid, require_samples, sampling_rate, transfer

MOTION = 0.99
"""Share of a column's power that is motion for sure: it lies in the lowest frequencies, or the column is at rest."""

VIBRATION = 10.0
"""Above the band of the motion, a spectrum counts as signal where it is this many times the noise around it."""

FEW, CLOSE, BROAD = 8, 0.1, 0.33
"""Bins at least, and shares of the frequency, on either side over which a spectrum is averaged: closely, for noise."""

MEDIAN = 0.4549
"""Of the square of a normal variable, when its mean is 1."""

AT_REST = 0.2
"""A log whose first (last) 0.5 % move less than this share of what such a part usually does begins (ends) at rest."""

WIDEST = 10.0
"""The cut-off is at most this many times the frequency below which 95 % of the acceleration happens."""


HIDDEN = 1.5
"""The highest cut-off is taken whose cost is at most this many times the lowest: noise hides part of the motion, so its
loss is counted too low, and noise is not."""


class Spectrum(NamedTuple):
    """Of measured columns: frequencies (F,) [Hz], power of signal (F, n) and noise (F, n)."""

    frequency: Array
    signal: Array
    noise: Array


def default_cutoff(t: Array, q: Array, v: Array | None) -> float:
    """The cut-off [Hz] that falsifies accelerations least.

    A filter H takes (1 - H) of the acceleration's power away, and lets H^2 of the noise through, which two
    derivatives (one of measured speeds) weight with the fourth (second) power of the frequency. Both bias inertias in
    proportion to

        sum over f of  f^2m [(1 - H) signal + H^2 noise],     m = 2 from positions, 1 from speeds

    relative to the power of the acceleration itself. The sum over all moving joints is made small, between the
    frequency below which 95 % of the acceleration happens and ten times that, and at most at a fifth of the sampling
    rate, so that the motion counts and not the rate at which it was logged.
    """
    require_samples(t)
    rate = sampling_rate(t)
    derivatives = 2 if v is None else 1
    grid, even = even_grid(t, q if v is None else v)
    found = spectrum(grid, even, taper(even_grid(t, q)[1]), derivatives)
    weight = found.frequency ** (2.0 * derivatives)
    power = weight @ found.signal
    moving = power > 0
    if not moving.any():
        return rate / 5
    signal = weight * np.sum(found.signal[:, moving] / power[moving], axis=1)
    noise = weight * np.sum(found.noise[:, moving] / power[moving], axis=1)
    total = np.cumsum(signal)
    top = float(found.frequency[int(np.searchsorted(total, 0.95 * total[-1]))])
    highest = min(WIDEST * top, rate / 5)
    trials = np.geomspace(min(top, highest), highest, 60)
    passed = (transfer(found.frequency, float(trial)) for trial in trials)
    costs = [float((1 - H) @ signal + H**2 @ noise) for H in passed]
    return float(trials[np.flatnonzero(np.array(costs) <= HIDDEN * min(costs)).max()])


def spectrum(t: Array, values: Array, window: Array, derivatives: int) -> Spectrum:
    """Signal and noise of columns (T, n) at even times.

    After differentiation motion fades with the frequency and noise grows. Where their sum is lowest the band of the
    motion ends. Above it all is noise but what stands out sharply, a vibration; below it the noise is as high as there.
    Less the line from its first to its last sample, a column is a sum of sines of half periods; this continues it as
    the filter does, by reflection.
    """
    from scipy.fft import dst

    share = np.linspace(0.0, 1.0, len(t))[:, None]
    level = (values - values[0] - share * (values[-1] - values[0])) * window[:, None]
    power = dst(level[1:-1], type=1, axis=0) ** 2
    frequency = np.arange(1, len(power) + 1) / (2 * (t[-1] - t[0]))
    signal, noise = np.zeros_like(power), np.zeros_like(power)
    close = _averaged(power)
    for k, column in enumerate(power.T):
        floor = _around(column)
        end = _end_of_motion(column, close[:, k] * frequency ** (2.0 * derivatives))
        if end is None:
            continue
        inside = np.arange(len(column)) < end
        beside = floor[min(int((1 + 1.5 * BROAD) * end), len(floor) - 1)]  # which has seen nothing of the motion
        noise[:, k] = np.where(inside, beside, floor)
        is_signal = inside | (close[:, k] > VIBRATION * floor)
        signal[:, k] = np.where(is_signal, np.maximum(column - noise[:, k], 0.0), 0.0)
    return Spectrum(frequency, signal, noise)


def _end_of_motion(power: Array, acceleration: Array) -> int | None:
    """The bin at which the averaged spectrum of the acceleration is lowest; None for a column that is only noise."""
    total = np.cumsum(power)
    sure = int(np.searchsorted(total, MOTION * total[-1]))
    if total[-1] <= 0 or sure >= len(power) // 2:
        return None
    return sure + int(np.argmin(acceleration[sure : len(power) - FEW]))


def taper(q: Array) -> Array:
    """1, and falling to zero from the middle to an end at which the motion goes on: cut off, it has all frequencies."""
    T, few = len(q), max(len(q) // 200, 3)
    ramp = np.sin(0.5 * np.pi * np.linspace(0.0, 1.0, T // 2)) ** 8
    usual = AT_REST * np.abs(np.diff(q[::few], axis=0)).mean(axis=0).max()
    window: Array = np.ones(T)
    if np.abs(q[few] - q[0]).max() > usual:
        window[: len(ramp)] = ramp
    if np.abs(q[-1] - q[-1 - few]).max() > usual:
        window[T - len(ramp) :] = ramp[::-1]
    return window


def _averaged(power: Array) -> Array:
    """Over the close neighbours of every bin (F, n): more of them higher up, where noise counts more."""
    bins = np.arange(len(power))
    half = np.maximum(FEW, (CLOSE * bins).astype(int))
    first, last = np.maximum(bins - half, 0), np.minimum(bins + half + 1, len(power))
    # Summed from the upper end, so that small numbers there are not lost beside large ones.
    above = np.concatenate([np.cumsum(power[::-1], axis=0)[::-1], np.zeros((1, power.shape[1]))])
    average: Array = (above[first] - above[last]) / (last - first)[:, None]
    return average


def _around(power: Array) -> Array:
    """The noise around every bin (F,): from the median over many neighbours, which a narrow vibration does not move."""
    centres = np.unique(np.geomspace(1, len(power), 80).astype(int)) - 1
    halves = np.maximum(FEW, (BROAD * centres).astype(int))
    level = [np.median(power[max(c - h, 0) : c + h + 1]) / MEDIAN for c, h in zip(centres, halves, strict=True)]
    around: Array = np.exp(np.interp(np.arange(len(power)), centres, np.log(np.maximum(level, 1e-300))))
    return around
