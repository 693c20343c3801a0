"""Integrals and rates over one cycle, whose series may jump or have a corner at repeated times."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import dual, partials_of, primal_value
from gearwright.analysis.parametric_series import map_series
from gearwright.arrays import Array

END_RATE_SAMPLES = 6
"""Number of samples from which the rate at an end is computed."""


def integral(t: Scalar, values: Scalar) -> Scalar:
    r"""$\int x\, dt$ by Simpson's rule from each repeated time to the next; values (T,) may be dual numbers.

    A jump at a variable time adds $(x_- - x_+)\, dt/dp$ to the derivatives.

    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> integral(t, np.array([0.0, 0.25, 1.0, 3.0, 3.0]))     # t^2, then 3
    3.3333333333333335
    """
    from scipy.integrate import simpson

    times = primal_value(t)
    spans = [(a, b) for a, b in smooth_spans(times) if b - a > 1]
    whole = map_series(lambda x: float(sum(simpson(x[a:b], x=times[a:b]) for a, b in spans)), values, times.shape)
    if not partials_of(t):
        return whole
    ends = np.flatnonzero(np.diff(times) == 0)
    jumps = primal_value(values)[ends] - primal_value(values)[ends + 1]
    return whole + dual(0.0, {name: float(jumps @ slope[ends]) for name, slope in partials_of(t).items()})


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
    r"""Weights of `integral`, $\int x\, dt = w \cdot x$, (T,): the same rule for many series at once.

    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> round(float(integral_weights(t) @ np.array([0.0, 0.25, 1.0, 3.0, 3.0])), 9)     # t^2, then 3
    3.333333333
    """
    from scipy.integrate import simpson

    weights = np.zeros(len(t))
    for a, b in smooth_spans(t):
        if b - a > 1:
            weights[a:b] = simpson(np.eye(b - a), x=t[a:b], axis=1)
    return weights
