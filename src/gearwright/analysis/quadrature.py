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
