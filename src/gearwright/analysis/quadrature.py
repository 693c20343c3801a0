"""Integrals and rates over one cycle, whose series jump or bend where a time comes twice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gearwright.arrays import Array


def integral(t: Array, values: Array) -> float:
    r"""$\int x\, dt$ by Simpson's rule from each repeated time to the next.

    >>> t = np.array([0.0, 0.5, 1.0, 1.0, 2.0])
    >>> integral(t, np.array([0.0, 0.25, 1.0, 3.0, 3.0]))     # t^2, then 3
    3.3333333333333335
    """
    from scipy.integrate import simpson

    return float(sum(simpson(values[a:b], x=t[a:b]) for a, b in _spans(t) if b - a > 1))


def rate(t: Array, values: Array) -> Array:
    """Rates of change by differences, from each repeated time to the next; values (T,) or (T, series).

    >>> rate(np.array([0.0, 1.0, 2.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 5.0, 5.0])).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0]
    """
    spans = ((values[a:b], t[a:b]) for a, b in _spans(t))
    return np.concatenate([np.gradient(x, at, axis=0) if len(at) > 1 else np.zeros_like(x) for x, at in spans])


def _spans(t: Array) -> list[tuple[int, int]]:
    """First and last index of what lies between repeated times."""
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
