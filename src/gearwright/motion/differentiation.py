"""Rates of sampled signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rates(t: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Time derivative of sampled columns through a quintic spline, (T, ...) -> (T, ...).

    The spline interpolates (it does not filter) and is exact for polynomials up to degree 5.
    It needs at least 6 increasing times.

    >>> t = np.linspace(0, 1, 11)
    >>> bool(np.allclose(rates(t, t**5), 5 * t**4))
    True
    """
    from scipy.interpolate import make_interp_spline

    derivative: NDArray[np.float64] = make_interp_spline(t, values, k=5).derivative()(t)
    return derivative
