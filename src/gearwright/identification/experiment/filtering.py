"""Speeds and accelerations from sampled positions by a zero-phase filter (forwards and backwards)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError

MIN_FILTERED_SAMPLES = 20
"""Smallest number of samples of a log that can be filtered and differentiated."""
BUTTERWORTH_ORDER = 4
"""Order of the Butterworth filter; in both directions its attenuation doubles."""

MAX_SAMPLING_GAP = 5
"""Largest gap in the samples, in steps; smaller irregularities are allowed."""


def sampling_rate(t: Array) -> float:
    """Samples per second; gaps raise an error."""
    steps = np.diff(t)
    step = float(np.median(steps))
    worst = int(np.argmax(steps))
    if steps[worst] > MAX_SAMPLING_GAP * step:
        raise InputError(
            f"log: gap of {steps[worst]:.4g} s after t = {t[worst]:.6g} s (elsewhere a sample every "
            f"{step:.4g} s). Split the log there (log.between_times), or give measured v and a."
        )
    return 1 / step


def even_grid(t: Array, values: Array) -> tuple[Array, Array]:
    """The columns (T, ...) at equidistant times, for filters and spectra; equidistant samples are unchanged."""
    from scipy.interpolate import make_interp_spline

    grid = np.linspace(t[0], t[-1], int(np.round((t[-1] - t[0]) * sampling_rate(t))) + 1)
    if len(grid) == len(t) and np.allclose(grid, t, rtol=0.0, atol=1e-6 * (t[1] - t[0])):
        return t, values
    return grid, make_interp_spline(t, values, k=3)(grid)


def require_samples(t: Array) -> None:
    """Raise an error for logs with too few samples for a filter."""
    if len(t) < MIN_FILTERED_SAMPLES:
        raise InputError(
            f"log: {len(t)} samples are too few to filter and differentiate. Record {MIN_FILTERED_SAMPLES} or more, or "
            "give v and a."
        )


def smooth_curve(t: Array, values: Array, cutoff: float) -> Any:
    """A spline through the low-pass filtered columns (T, ...); at `cutoff` [Hz] half the amplitude remains."""
    from scipy.interpolate import make_interp_spline
    from scipy.signal import butter, sosfiltfilt

    require_samples(t)
    rate = sampling_rate(t)
    if np.isinf(cutoff):
        return make_interp_spline(t, values, k=5)
    if not 0 < cutoff < rate / 2:
        raise InputError(
            f"log: cutoff is {cutoff:g} Hz; it must be between 0 and half the sampling rate, {rate / 2:g} Hz."
        )
    grid, even = even_grid(t, values)
    sos = butter(BUTTERWORTH_ORDER, cutoff, fs=rate, output="sos")
    filtered = sosfiltfilt(sos, even, axis=0, padlen=min(len(grid) - 1, int(3 * rate / cutoff)))
    return make_interp_spline(grid, filtered, k=5)


def filtered_derivatives(
    t: Array, q: Array, v: Array | None, a: Array | None, cutoff: float
) -> tuple[Array, Array, Array]:
    """(q, v, a) of revolute and prismatic joints; missing ones by differentiation of filtered signals."""
    if v is not None and a is not None:
        return q, v, a
    positions = smooth_curve(t, q, cutoff)
    if v is None:
        acceleration = positions.derivative(2)(t) if a is None else a
        return positions(t), positions.derivative()(t), acceleration
    speeds = smooth_curve(t, v, cutoff)
    return positions(t), speeds(t), speeds.derivative()(t)


def filter_gain(frequency: Array, cutoff: float) -> Array:
    """Gain of `smooth_curve`: 1 / (1 + (f / cutoff)^(2 ORDER)), one half at the cut-off."""
    gain: Array = 1 / (1 + (frequency / cutoff) ** (2 * BUTTERWORTH_ORDER))
    return gain
