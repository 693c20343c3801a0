"""How often projected Gauss-Seidel has to go round: found from the inertias that the impulses meet."""

from __future__ import annotations

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.forces.impulse_limits import Limit
from gearwright.forces.time_stepping_impulses import Bounded
from gearwright.functions.dynamics import mass_matrix
from gearwright.mechanism.rows import spread
from gearwright.system.system import System
from gearwright.system.time_stepping.step import acting_over

SETTLED = 1e-5
"""What may be left of a speed that all impulses together take away in a step."""

IDLE = 5
"""Sweeps at least where a stop may be met that is not met at the beginning."""

COUNTS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 80)
"""Sweeps that are compiled: machine code is kept for each."""

LOOKED_AT = 4
"""States of a batch at which the inertias are looked at."""


def sweeps_for(system: System, x: Array, h: float) -> int:
    """Sweeps after which all rows that can hold at rest are at rest, at states x (N, nx) of a batch.

    Rows that slide need fewer; stops that are not met do not count. Machines with large rotors need few, since what
    couples their rows is small; arms without rotors may need dozens.
    """
    chosen = x[np.unique(np.linspace(0, len(x) - 1, LOOKED_AT).astype(int))]
    most = max((_needed(system, state, h) for state in chosen), default=0)
    return next((count for count in COUNTS if count >= most), COUNTS[-1])


def _needed(system: System, x: Array, h: float) -> int:
    at = system.moving(x.tolist())
    situations = system.situations(FLOATS, 0.0, at, system.first_inputs)
    holds = [pair for one in acting_over(system, situations, h) for pair in one.limited]
    rows = {hold.line.terms for hold, limit in holds if not _idle(limit)}
    least = IDLE if any(_idle(limit) for _, limit in holds) else 0
    if not rows:
        return least
    W = np.array([spread(row, system.mech.n) for row in sorted(rows)], dtype=np.float64)
    G = W @ np.linalg.solve(mass_matrix(system.mech, x[system.q]), W.T)
    size = np.sqrt(np.diag(G))
    return max(_rounds(G / np.outer(size, size)), least)


def _idle(limit: Limit) -> bool:
    """Whether it gives nothing at all."""
    return isinstance(limit, Bounded) and limit.low == 0 == limit.high


def _rounds(G: Array) -> int:
    """Rounds until speeds that are all 1 at first are gone; G has a diagonal of ones."""
    speeds = np.ones(len(G))
    for count in range(1, COUNTS[-1] + 1):
        for k in range(len(G)):
            speeds = speeds - G[:, k] * speeds[k]
        if np.abs(speeds).max() < SETTLED:
            return count
    return COUNTS[-1]
