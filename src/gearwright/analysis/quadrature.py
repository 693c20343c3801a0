"""Integrals and rates over one cycle, whose series may jump or have a corner at repeated times."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import dual, map_linear, partials_of, primal_value
from gearwright.analysis.parametric_series import plain_number
from gearwright.arrays import Array

REVERSAL_SPEED_RATIO = 1e-9
"""Speed relative to the largest speed, below which a joint counts as reversing."""
END_RATE_SAMPLES = 6
"""Number of samples from which the rate at an end is computed."""


def integral(t: Scalar, values: Scalar) -> Scalar:
    r"""$\int x\, dt$ by Simpson's rule from each repeated time to the next; values (..., T) may be dual numbers.

    A jump at a variable time adds $(x_- - x_+)\, dt/dp$ to the derivatives.

    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> round(integral(t, np.array([0.0, 0.25, 1.0, 3.0, 3.0])), 9)     # t^2, then 3
    3.333333333
    """
    times = primal_value(t)
    weights = integral_weights(times)
    total = map_linear(lambda x: plain_number(np.asarray(x) @ weights if np.ndim(x) else x * weights.sum()), values)
    if not partials_of(t):
        return total
    ends = np.flatnonzero(np.diff(times) == 0)
    jumps = primal_value(values)[ends] - primal_value(values)[ends + 1]
    return total + dual(0.0, {name: float(jumps @ slope[ends]) for name, slope in partials_of(t).items()})


def at_moving_times(t: Scalar, values: Scalar) -> Scalar:
    r"""Values (T,) with their derivatives at moving times, $dx/dp + \dot x\, dt/dp$.

    The rate at an end of a smooth segment is that of a polynomial through the adjacent samples.
    """
    times, x = primal_value(t), primal_value(values)
    slopes = dict(partials_of(values))
    spans = [(a, b) for a, b in smooth_spans(times) if b - a > 1]
    for name, time_partials in partials_of(t).items():
        partials = np.array(np.broadcast_to(slopes.get(name, 0.0), times.shape), dtype=float)
        for a, b in spans:
            near = min(END_RATE_SAMPLES, b - a)
            for k, window in ((a, slice(a, a + near)), (b - 1, slice(b - near, b))):
                if time_partials[k]:
                    curve = np.polynomial.Polynomial.fit(times[window], x[window], near - 1)
                    partials[k] += float(curve.deriv()(times[k])) * time_partials[k]
        slopes[name] = partials
    return dual(x, slopes)


def time_derivative(t: Array, values: Array) -> Array:
    """Rates of change by differences, from each repeated time to the next; values (T,) or (T, series).

    >>> time_derivative(np.array([0.0, 1.0, 2.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 5.0, 5.0])).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0]
    """
    spans = ((values[a:b], t[a:b]) for a, b in smooth_spans(t))
    return np.concatenate([np.gradient(x, times, axis=0) if len(times) > 1 else np.zeros_like(x) for x, times in spans])


def smooth_spans(t: Array) -> list[tuple[int, int]]:
    """Index ranges (first, last + 1) between repeated times."""
    return list(pairwise([0, *(np.flatnonzero(np.diff(t) == 0) + 1).tolist(), len(t)]))


def motion_direction(t: Array, speed: Array) -> Array:
    """Direction of a motion, (T,); at a reversal that of the adjacent samples in the same smooth segment.

    >>> motion_direction(np.arange(3.0), np.array([0.0, -2.0, 0.0])).tolist()
    [-1.0, -1.0, -1.0]
    """
    direction = np.where(np.abs(speed) > REVERSAL_SPEED_RATIO * np.abs(speed).max(initial=0.0), np.sign(speed), 0.0)
    for a, b in smooth_spans(t):
        moving = np.flatnonzero(direction[a:b])
        if moving.size:
            resting_samples = np.flatnonzero(direction[a:b] == 0)
            nearest = moving[np.abs(resting_samples[:, None] - moving).argmin(axis=1)]
            ends = (resting_samples == 0) | (resting_samples == b - a - 1)  # inside the segment it may be at rest
            direction[a + resting_samples[ends]] = direction[a + nearest[ends]]
    return direction


def trapezoid_weights(t: Array) -> Array:
    r"""Weights of the trapezoidal rule, $\int x\, dt \approx w \cdot x$: for many series at once.

    >>> trapezoid_weights(np.array([0.0, 1.0, 3.0])).tolist()
    [0.5, 1.5, 1.0]
    """
    steps = np.diff(t)
    weights = np.zeros(len(t))
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    return weights


def integral_weights(t: Array) -> Array:
    r"""Weights of Simpson's rule from each repeated time to the next, $\int x\, dt = w \cdot x$, (T,).

    A segment with an odd number of intervals ends with the parabola through its last three samples (Cartwright).

    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> round(float(integral_weights(t) @ np.array([0.0, 0.25, 1.0, 3.0, 3.0])), 9)     # t^2, then 3
    3.333333333
    """
    return _integral_weights(np.ascontiguousarray(t, dtype=float).tobytes())


@lru_cache(maxsize=64)
def _integral_weights(times: bytes) -> Array:
    t = np.frombuffer(times)
    weights = np.zeros(len(t))
    for a, b in smooth_spans(t):
        _add_simpson_weights(np.diff(t[a:b]), weights[a:b])
    weights.flags.writeable = False  # it is shared
    return weights


def _add_simpson_weights(steps: Array, weights: Array) -> None:
    """Add the weights of one smooth segment to `weights` (steps + 1,)."""
    if len(steps) < 2:
        weights += steps.sum() / 2
        return
    h, k = steps[: len(steps) // 2 * 2].reshape(-1, 2).T
    both = (h + k) / 6
    weights[: 2 * len(h) : 2] += both * (2 - k / h)
    weights[1 : 2 * len(h) : 2] += both * (h + k) ** 2 / (h * k)
    weights[2 : 2 * len(h) + 1 : 2] += both * (2 - h / k)
    if len(steps) % 2:
        x, y = steps[-2:]
        weights[-3:] += (
            -(y**3) / (6 * x * (x + y)),
            (y * y + 3 * x * y) / (6 * x),
            (2 * y * y + 3 * x * y) / (6 * (x + y)),
        )
