"""Relative differences, and derivatives along a motion to nearly full precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import gearwright as gw
from support.designs import State

# Central differences of eighth order: with steps of 1/64 the error is far below the tolerances of the laws.
STEPS = np.array([-4, -3, -2, -1, 1, 2, 3, 4]) / 64
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) * 64


def relative(found: np.ndarray, expected: np.ndarray, scale: float = 0.0) -> float:
    """The largest difference over the largest expected number (or `scale`, where numbers of that size cancel)."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    return float(np.abs(found - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), scale, 1e-9))


def along(mech: gw.Mechanism, state: State) -> tuple[np.ndarray, np.ndarray]:
    """States (8, nq) and (8, n) near the given one on a path with its speeds and accelerations."""
    t = STEPS[:, None]
    return gw.integrate(mech, state.q, state.v * t), state.v + state.a * t


def rate(values: np.ndarray) -> np.ndarray:
    """d/dt of values given at `STEPS` along the first axis."""
    return np.tensordot(WEIGHTS, values, axes=1)


def tangent_slope(function: Callable[[np.ndarray], np.ndarray], mech: gw.Mechanism, q: np.ndarray) -> np.ndarray:
    """d function / dq in the tangent, the derivative along each speed as the last axis."""
    moved = gw.integrate(mech, q, STEPS[:, None, None] * np.eye(mech.n))
    return np.moveaxis(rate(function(moved)), 0, -1)
