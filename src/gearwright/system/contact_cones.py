r"""Admissible multipliers of redundant contacts: normal forces that push, and friction inside the cones.

For a table on four legs or a block on two feet with friction, the multipliers $\lambda + N z$ are not unique, N being
the null space. Newton's method finds the z with the least squared distance from the product of the cones,
$\lambda_n \ge 0$ and $|\lambda_t| \le \mu \lambda_n$; the distance is zero if a z is feasible. Cones that are smaller
by a margin are tried first, so the contacts share the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.forces import Hold

CONE_MARGINS = (1e-2, 1e-4, 1e-6, 1e-8, 0.0)
"""Margins by which the cones are reduced, relative to the largest multiplier."""

CONE_TOLERANCE = 1e-12
"""Violations below this, relative to the largest multiplier, count as zero."""

CONE_NEWTON_STEPS, CONE_STEP_HALVINGS = 25, 8
"""Largest numbers of Newton steps and of step halvings."""

CURVATURE_DAMPING = 1e-9
"""Regularisation of the Hessian [its unit]: directions without curvature are not changed."""


class ContactCones(NamedTuple):
    """The contacts among the holds of an instant.

    Args:
        normal: per contact the index of its normal multiplier.
        across: per contact the indices of its friction multipliers; empty if it does not stick.
        friction: per contact its friction coefficient.
    """

    normal: tuple[int, ...]
    across: tuple[tuple[int, ...], ...]
    friction: tuple[float, ...]

    @staticmethod
    def from_holds(holds: Sequence[Hold]) -> ContactCones:
        """The contacts among holds."""
        normal = [k for k, hold in enumerate(holds) if hold.is_unilateral]
        ends = [*normal, len(holds)][1:]
        across = [
            tuple(k for k in range(begin, end) if holds[k].friction_ratio is not None)
            for begin, end in zip(normal, ends, strict=True)
        ]
        friction = [float(holds[tangents[0]].friction_ratio or 0.0) if tangents else 0.0 for tangents in across]
        return ContactCones(tuple(normal), tuple(across), tuple(friction))

    def largest_violation(self, multipliers: Sequence[float]) -> float:
        """The largest violation of a cone; at most 0 if all multipliers are admissible."""
        largest = -np.inf
        for k, tangents, mu in zip(*self, strict=True):
            largest = max(largest, hypot(*(multipliers[j] for j in tangents)) - mu * multipliers[k], -multipliers[k])
        return largest


def feasible_multipliers(multipliers: Array, null: Array, cones: ContactCones) -> Array:
    """Multipliers, changed along the columns of `null`, that lie in the cones or as near to them as possible.

    >>> cones = ContactCones((0, 1), ((), ()), (0.0, 0.0))
    >>> feasible_multipliers(np.array([-1.0, 3.0]), np.array([[1.0], [-1.0]]), cones).round(3).tolist()
    [0.03, 1.97]
    """
    if not null.shape[1] or cones.largest_violation(multipliers.tolist()) <= 0.0:
        return multipliers
    scale = float(np.abs(multipliers).max())
    feasible, z = multipliers, np.zeros(null.shape[1])
    for margin in CONE_MARGINS:
        z = _nearest_offset(multipliers, null, cones, margin * scale, z)
        feasible = multipliers + null @ z
        if cones.largest_violation(feasible.tolist()) <= CONE_TOLERANCE * scale:
            break
    return feasible


def _nearest_offset(multipliers: Array, null: Array, cones: ContactCones, margin: float, z: Array) -> Array:
    """The z with the least distance from cones that are reduced by a margin."""
    scale = float(np.abs(multipliers).max())
    value, slope, curvature = _squared_distance(multipliers + null @ z, cones, margin)
    for _ in range(CONE_NEWTON_STEPS):
        gradient = null.T @ slope
        if value <= 0.0 or np.abs(gradient).max() <= CONE_TOLERANCE * sqrt(value):
            break
        step = -np.linalg.solve(null.T @ curvature @ null + CURVATURE_DAMPING * np.eye(len(z)), gradient)
        for _ in range(CONE_STEP_HALVINGS):
            trial = _squared_distance(multipliers + null @ (z + step), cones, margin)
            if trial[0] <= value:
                break
            step = 0.5 * step
        else:
            break
        z, decrease = z + step, value - trial[0]
        value, slope, curvature = trial
        if decrease <= CONE_TOLERANCE * value or value <= (CONE_TOLERANCE * scale) ** 2:
            break
    return z


def _squared_distance(multipliers: Array, cones: ContactCones, margin: float) -> tuple[float, Array, Array]:
    """Half the squared distance from the cones, its gradient and its Hessian."""
    m, places, mu = len(multipliers), *_places(cones, len(multipliers))
    x = np.append(multipliers, 0.0)[places]
    x[0] -= margin
    (n, *t), tangential = x, np.hypot(x[1], x[2])
    tip = (mu * tangential <= -n) & ((n < 0) | (tangential > mu * n))  # the apex of the cone is nearest
    edge, slope_length = ~tip & (tangential > mu * n), np.sqrt(1 + mu * mu)
    unit = t / np.maximum(tangential, 1e-300)
    direction, excess = np.array([-mu, *unit]) / slope_length, edge * (tangential - mu * n) / slope_length
    slope, curvature = np.zeros(m + 1), np.zeros((m + 1, m + 1))
    slope[places] = tip * x + excess * direction
    blocks = edge * direction[:, None] * direction[None] + tip * np.eye(3)[:, :, None]
    turning = excess / np.maximum(tangential, 1e-300) / slope_length
    blocks[1:, 1:] += turning * (np.eye(2)[:, :, None] - unit[:, None] * unit[None])
    curvature[places[:, None], places[None]] = blocks
    value = 0.5 * float((tip * x * x).sum() + (excess * excess).sum())
    return value, slope[:m], curvature[:m, :m]


@lru_cache(maxsize=256)
def _places(cones: ContactCones, m: int) -> tuple[NDArray[np.int64], Array]:
    """Where the multipliers of each contact stand (3, contacts), m for one that is missing, and its friction."""
    rows = [(k, *tangents, m, m)[:3] for k, tangents in zip(cones.normal, cones.across, strict=True)]
    return np.array(rows, dtype=np.int64).T, np.array(cones.friction)
