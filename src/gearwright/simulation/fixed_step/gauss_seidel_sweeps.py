"""How often projected Gauss-Seidel has to go round: found from the inertias that the impulses meet."""

from __future__ import annotations

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.forces.impulse_limits import Limit
from gearwright.forces.time_stepping_impulses import Bounded, Cone
from gearwright.functions.dynamics import mass_matrix
from gearwright.mechanism.rows import Terms, spread
from gearwright.system.system import System
from gearwright.system.time_stepping.impulse_solver import IMMOVABLE
from gearwright.system.time_stepping.step import acting_over

SETTLED = 1e-5
"""What may be left of a speed that all impulses together take away in the first try of a step."""

IDLE = 5
"""Sweeps at least where a stop may be met that is not met at the beginning."""

TURNING = 3
"""Sweeps at least for a contact with friction, to find the direction in which it slides."""

COUNTS = (3, 4, 5, 6, 8, 10, 12, 15)
"""Sweeps that are compiled: machine code is kept for each. What needs more is tried again."""

OPERATIONS = 10_000
"""Operations of all sweeps together, about, beyond which compiling takes longer than trying again."""

LOOKED_AT = 4
"""States of a batch at which the inertias are looked at."""


def sweeps_for(system: System, x: Array, h: float) -> int:
    """Sweeps after which all rows that can hold at rest are at rest, at states x (N, nx) of a batch.

    Rows that slide need fewer; stops that are not met do not count. Machines with large rotors need few, since what
    couples their rows is small; arms without rotors may need dozens, in several tries.
    """
    chosen = x[np.unique(np.linspace(0, len(x) - 1, LOOKED_AT).astype(int))]
    needed, size = zip(*(_needed(system, state, h) for state in chosen), strict=True) if len(chosen) else ((0,), (1,))
    most = min(max(needed), max(COUNTS[0], OPERATIONS // max(size)))
    return max((count for count in COUNTS if count <= most), default=COUNTS[0])


def _needed(system: System, x: Array, h: float) -> tuple[int, int]:
    """Sweeps at a state, and the operations of one of them, about."""
    at = system.moving(x.tolist())
    situations = system.situations(FLOATS, 0.0, at, system.first_inputs)
    laws = [one.limited for one in acting_over(system, situations, h)]
    least, blocks = 1, []
    for limited in laws:
        rows = [hold.line.terms for hold, limit in limited if not _idle(limit)]
        least = max(least, IDLE if len(rows) < len(limited) else 0)
        if any(isinstance(limit, Cone) for _, limit in limited):
            least = max(least, TURNING)
            blocks.append(rows)
        else:
            blocks += [[row] for row in dict.fromkeys(rows)]
    known = {tuple(block): block for block in blocks}
    size = sum(60 * len(block) for block in known.values())
    return max(_rounds(system, x, list(known.values())), least), max(size, 1)


def _idle(limit: Limit) -> bool:
    """Whether it gives nothing at all."""
    return isinstance(limit, Bounded) and limit.low == 0 == limit.high


def _rounds(system: System, x: Array, blocks: list[list[Terms]]) -> int:
    """Rounds until speeds that are all as large as a unit impulse makes them are gone; blocks are solved exactly."""
    rows = [row for block in blocks for row in block]
    if not rows:
        return 0
    W = np.array([spread(row, system.mech.n) for row in rows], dtype=np.float64)
    G = W @ np.linalg.solve(mass_matrix(system.mech, x[system.q]), W.T)
    size = np.sqrt(np.maximum(np.diag(G), IMMOVABLE))
    G, speeds, first, parts = G / np.outer(size, size), np.ones(len(G)) * (np.diag(G) > IMMOVABLE), 0, []
    for block in blocks:
        own = slice(first, first + len(block))
        parts.append((own, G[:, own] @ np.linalg.pinv(G[own, own], rcond=1e-9)))
        first = own.stop
    for count in range(1, COUNTS[-1] + 1):
        for own, effect in parts:
            speeds = speeds - effect @ speeds[own]
        if np.abs(speeds).max() < SETTLED:
            return count
    return COUNTS[-1]
