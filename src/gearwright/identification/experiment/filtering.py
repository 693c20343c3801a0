"""Speeds and accelerations from sampled positions: filtered forwards and backwards, so that nothing is delayed."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError

FEWEST = 20
"""Samples of a log that can be filtered and differentiated."""
ORDER = 4
"""Of the Butterworth filter; run in both directions it falls off twice as fast."""

LARGEST_GAP = 5
"""Sampling may be uneven, but not leave a hole of more steps than this."""


def sampling_rate(t: Array) -> float:
    """Samples per second; holes are refused."""
    steps = np.diff(t)
    step = float(np.median(steps))
    worst = int(np.argmax(steps))
    if steps[worst] > LARGEST_GAP * step:
        raise InputError(
            f"log: there is a hole of {steps[worst]:.4g} s after t = {t[worst]:.6g} s (elsewhere a sample every "
            f"{step:.4g} s). Split the log there (log.between), or give measured v and a."
        )
    return 1 / step


def even_grid(t: Array, values: Array) -> tuple[Array, Array]:
    """The columns (T, ...) at even times, for filters and spectra; even samples stay as they are."""
    from scipy.interpolate import make_interp_spline

    grid = np.linspace(t[0], t[-1], int(np.round((t[-1] - t[0]) * sampling_rate(t))) + 1)
    if len(grid) == len(t) and np.allclose(grid, t, rtol=0.0, atol=1e-6 * (t[1] - t[0])):
        return t, values
    return grid, make_interp_spline(t, values, k=3)(grid)


def require_samples(t: Array) -> None:
    """Refuse logs in which no frequency can be told from noise."""
    if len(t) < FEWEST:
        raise InputError(
            f"log: {len(t)} samples are too few to filter and differentiate. Record {FEWEST} or more, or give v and a."
        )


def smooth_curve(t: Array, values: Array, cutoff: float) -> Any:
    """A spline through the low-pass filtered columns (T, ...); `cutoff` [Hz] is where half the amplitude is left."""
    from scipy.interpolate import make_interp_spline
    from scipy.signal import butter, sosfiltfilt

    require_samples(t)
    rate = sampling_rate(t)
    if np.isinf(cutoff):
        return make_interp_spline(t, values, k=5)
    if not 0 < cutoff < rate / 2:
        raise InputError(
            f"log: a cutoff of {cutoff:g} Hz must lie between 0 and half the sampling rate, {rate / 2:g} Hz."
        )
    grid, even = even_grid(t, values)
    sos = butter(ORDER, cutoff, fs=rate, output="sos")
    filtered = sosfiltfilt(sos, even, axis=0, padlen=min(len(grid) - 1, int(3 * rate / cutoff)))
    return make_interp_spline(grid, filtered, k=5)


def derivatives(t: Array, q: Array, v: Array | None, a: Array | None, cutoff: float) -> tuple[Array, Array, Array]:
    """(q, v, a) of plain joints: what is missing by differentiating what is filtered."""
    if v is not None and a is not None:
        return q, v, a
    positions = smooth_curve(t, q, cutoff)
    if v is None:
        acceleration = positions.derivative(2)(t) if a is None else a
        return positions(t), positions.derivative()(t), acceleration
    speeds = smooth_curve(t, v, cutoff)
    return positions(t), speeds(t), speeds.derivative()(t)


def transfer(frequency: Array, cutoff: float) -> Array:
    """What `smooth_curve` leaves of an oscillation: 1 / (1 + (f / cutoff)^(2 ORDER)), half of it at the cut-off."""
    left: Array = 1 / (1 + (frequency / cutoff) ** (2 * ORDER))
    return left
