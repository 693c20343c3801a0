"""How fast something decays: what decides between explicit and implicit methods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.arrays import Array


def differences(function: Callable[[Array], Array], x: Array) -> Array:
    """The derivative by forward differences."""
    at = function(x)
    slope = np.empty((len(at), len(x)))
    for k in range(len(x)):
        nudge = 1e-7 * (1.0 + abs(x[k]))
        moved = x.copy()
        moved[k] += nudge
        slope[:, k] = (function(moved) - at) / nudge
    return slope


def fastest_decay(rates: Callable[[Array], Array], x: Array) -> float:
    """The largest rate [1/s] of a decaying solution that does not oscillate faster than it decays.

    A decay beside as fast a growth is none: near an upper equilibrium without friction, motions come and go alike.

    >>> round(fastest_decay(lambda x: np.array([-3.0 * x[0], -500.0 * x[1]]), np.ones(2)), 3)
    500.0
    """
    slope = differences(rates, x)
    values = np.linalg.eigvals(slope) if np.isfinite(slope).all() else np.zeros(1)
    damped = values[np.abs(values.real) > 0.5 * np.abs(values.imag)]
    decay = float(max(0.0, -damped.real.min())) if damped.size else 0.0
    return decay if decay > 2.0 * values.real.max() else 0.0
