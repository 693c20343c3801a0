"""Integrals and rates over one cycle, whose series jump or bend where a time comes twice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import slopes_of, value_of, with_slopes
from gearwright.analysis.parametric_series import mapped
from gearwright.arrays import Array

NEAR = 6
"""Samples next to an end from which the rate there is told."""


def integral(t: Scalar, values: Scalar) -> Scalar:
    r"""$\int x\, dt$ by Simpson's rule from each repeated time to the next; of values (T,) that may vary.

    Where the series jumps at a time that varies, its slopes are $(x_- - x_+)\, dt/dp$ larger.

    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> integral(t, np.array([0.0, 0.25, 1.0, 3.0, 3.0]))     # t^2, then 3
    3.3333333333333335
    """
    from scipy.integrate import simpson

    at = value_of(t)
    spans = [(a, b) for a, b in spans_of(at) if b - a > 1]
    whole = mapped(lambda x: float(sum(simpson(x[a:b], x=at[a:b]) for a, b in spans)), values, at.shape)
    if not slopes_of(t):
        return whole
    ends = np.flatnonzero(np.diff(at) == 0)
    jumps = value_of(values)[ends] - value_of(values)[ends + 1]
    return whole + with_slopes(0.0, {name: float(jumps @ slope[ends]) for name, slope in slopes_of(t).items()})


def at_moving_times(t: Scalar, values: Scalar) -> Scalar:
    r"""Values (T,) with the slopes that they have at times which move, $dx/dp + \dot x\, dt/dp$.

    The rate at an end of a smooth part is that of a polynomial through the samples next to it.
    """
    at, x = value_of(t), value_of(values)
    slopes = dict(slopes_of(values))
    spans = [(a, b) for a, b in spans_of(at) if b - a > 1]
    for name, moved in slopes_of(t).items():
        own = np.array(np.broadcast_to(slopes.get(name, 0.0), at.shape), dtype=float)
        for a, b in spans:
            near = min(NEAR, b - a)
            for k, which in ((a, slice(a, a + near)), (b - 1, slice(b - near, b))):
                if moved[k]:
                    curve = np.polynomial.Polynomial.fit(at[which], x[which], near - 1)
                    own[k] += float(curve.deriv()(at[k])) * moved[k]
        slopes[name] = own
    return with_slopes(x, slopes)


def rate(t: Array, values: Array) -> Array:
    """Rates of change by differences, from each repeated time to the next; values (T,) or (T, series).

    >>> rate(np.array([0.0, 1.0, 2.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 5.0, 5.0])).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0]
    """
    spans = ((values[a:b], t[a:b]) for a, b in spans_of(t))
    return np.concatenate([np.gradient(x, at, axis=0) if len(at) > 1 else np.zeros_like(x) for x, at in spans])


def spans_of(t: Array) -> list[tuple[int, int]]:
    """First index of what lies between repeated times, and the one after its last."""
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
    for a, b in spans_of(t):
        if b - a > 1:
            weights[a:b] = simpson(np.eye(b - a), x=t[a:b], axis=1)
    return weights
