"""Integrals over one cycle, whose series jump or bend where a time comes twice."""

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

    edges = [0, *(np.flatnonzero(np.diff(t) == 0) + 1).tolist(), len(t)]
    return float(sum(simpson(values[a:b], x=t[a:b]) for a, b in pairwise(edges) if b - a > 1))


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
