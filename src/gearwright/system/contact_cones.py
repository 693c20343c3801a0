r"""Multipliers of contacts that are not unique: those that push, with friction inside the cones.

A table on four legs, a block on two rough feet: the equations leave the multipliers $\lambda + N z$ open, N being the
null space. The z with the least squared distance from the product of the cones, $\lambda_n \ge 0$ and
$|\lambda_t| \le \mu \lambda_n$, is found by Newton's method; the distance is zero if any z is feasible. Cones that are
smaller by a margin are tried first, so that contacts share the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.law import Hold

MARGINS = (1e-2, 1e-4, 1e-6, 1e-8, 0.0)
"""By how much the cones are smaller, beside the largest multiplier."""

EXACT = 1e-12
"""Violations below this part of the largest multiplier are none."""

NEWTON_STEPS, HALVINGS = 25, 8
"""Steps of Newton's method at most, and how often one is halved."""

DAMPING = 1e-9
"""What is added to the curvature, so that directions in which nothing changes are left alone."""


class Cones(NamedTuple):
    """The contacts among the holds of an instant.

    Args:
        normal: per contact the place of the multiplier that pushes.
        across: per contact the places of its friction; none where nothing sticks.
        friction: per contact its coefficient.
    """

    normal: tuple[int, ...]
    across: tuple[tuple[int, ...], ...]
    friction: tuple[float, ...]

    @staticmethod
    def of(holds: Sequence[Hold]) -> Cones:
        """The contacts among holds."""
        normal = [k for k, hold in enumerate(holds) if hold.pushes]
        ends = [*normal, len(holds)][1:]
        across = [
            tuple(k for k in range(begin, end) if holds[k].cone is not None)
            for begin, end in zip(normal, ends, strict=True)
        ]
        friction = [float(holds[own[0]].cone or 0.0) if own else 0.0 for own in across]
        return Cones(tuple(normal), tuple(across), tuple(friction))

    def violation(self, multipliers: Sequence[float]) -> float:
        """By how much the worst multiplier is outside its cone; 0 or less where all are inside."""
        worst = -np.inf
        for k, own, mu in zip(*self, strict=True):
            worst = max(worst, hypot(*(multipliers[j] for j in own)) - mu * multipliers[k], -multipliers[k])
        return worst


def feasible_multipliers(multipliers: Array, null: Array, cones: Cones) -> Array:
    """Multipliers that differ by the columns of `null` and lie in the cones, or as near to them as possible.

    >>> cones = Cones((0, 1), ((), ()), (0.0, 0.0))
    >>> feasible_multipliers(np.array([-1.0, 3.0]), np.array([[1.0], [-1.0]]), cones).round(3).tolist()
    [0.03, 1.97]
    """
    if not null.shape[1] or cones.violation(multipliers.tolist()) <= 0.0:
        return multipliers
    scale = float(np.abs(multipliers).max())
    found, z = multipliers, np.zeros(null.shape[1])
    for margin in MARGINS:
        z = _nearest(multipliers, null, cones, margin * scale, z)
        found = multipliers + null @ z
        if cones.violation(found.tolist()) <= EXACT * scale:
            break
    return found


def _nearest(multipliers: Array, null: Array, cones: Cones, margin: float, z: Array) -> Array:
    """The z with the least distance from cones that are smaller by a margin."""
    scale = float(np.abs(multipliers).max())
    value, slope, curvature = _distance(multipliers + null @ z, cones, margin)
    for _ in range(NEWTON_STEPS):
        gradient = null.T @ slope
        if value <= 0.0 or np.abs(gradient).max() <= EXACT * sqrt(value):
            break
        step = -np.linalg.solve(null.T @ curvature @ null + DAMPING * np.eye(len(z)), gradient)
        for _ in range(HALVINGS):
            trial = _distance(multipliers + null @ (z + step), cones, margin)
            if trial[0] <= value:
                break
            step = 0.5 * step
        else:
            break
        z, gained = z + step, value - trial[0]
        value, slope, curvature = trial
        if gained <= EXACT * value or value <= (EXACT * scale) ** 2:
            break
    return z


def _distance(multipliers: Array, cones: Cones, margin: float) -> tuple[float, Array, Array]:
    """Half the squared distance from the cones, its gradient and its curvature."""
    m = len(multipliers)
    slope, curvature, value = np.zeros(m), np.zeros((m, m)), 0.0
    for k, own, mu in zip(*cones, strict=True):
        n, t = float(multipliers[k]) - margin, multipliers[list(own)]
        pulled, places = hypot(*t), [k, *own]
        if n >= 0 and pulled <= mu * n:
            continue
        if mu * pulled <= -n:  # the tip of the cone is nearest
            x = np.array([n, *t])
            slope[places], value = x, value + 0.5 * float(x @ x)
            curvature[places, places] += 1.0
            continue
        unit, steep = t / pulled, sqrt(1 + mu * mu)
        way, beyond = np.array([-mu, *unit]) / steep, (pulled - mu * n) / steep
        slope[places], value = beyond * way, value + 0.5 * beyond * beyond
        curvature[np.ix_(places, places)] += np.outer(way, way)
        curvature[np.ix_(list(own), list(own))] += (np.eye(len(own)) - np.outer(unit, unit)) * beyond / pulled / steep
    return value, slope, curvature
