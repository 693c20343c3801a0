"""The number of projected Gauss-Seidel sweeps, from the effective inertias of the impulses."""

from __future__ import annotations

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.forces.impulse_limits import ImpulseLimit
from gearwright.forces.time_stepping_impulses import BoundedImpulse, FrictionCone
from gearwright.functions import mass_matrix
from gearwright.mechanism import Terms, dense_row
from gearwright.system.system import System
from gearwright.system.time_stepping.impulse_solver import IMMOVABLE_RESPONSE
from gearwright.system.time_stepping.step import steps_of_laws

REMAINING_SPEED_RATIO = 1e-5
"""Share of a speed that may remain after the first try of a step, where the exact impulses bring it to zero."""

MIN_SWEEPS_WITH_STOPS = 5
"""Least number of sweeps if a stop may be met that is open at the start."""

MIN_SWEEPS_WITH_FRICTION = 3
"""Least number of sweeps for a contact with friction, to find its sliding direction."""

COMPILED_SWEEPS = (3, 4, 5, 6, 8, 10, 12, 15)
"""Numbers of sweeps that are compiled, each with its own machine code. Steps that need more are repeated."""

MAX_SWEEP_OPERATIONS = 10_000
"""Approximate operations of all sweeps above which compiling takes longer than repeating."""

PROBED_STATES = 4
"""Number of states of a batch at which the inertias are evaluated."""


def required_sweeps(system: System, x: Array, h: float) -> int:
    """Sweeps after which all rows that can stick are at rest, at states x (N, nx) of a batch.

    Rows that slide need fewer; open stops do not count. Machines with large rotors need few, since the coupling of
    their rows is weak; arms without rotors may need dozens, in several tries.
    """
    chosen = x[np.unique(np.linspace(0, len(x) - 1, PROBED_STATES).astype(int))]
    needed, size = (
        zip(*(_sweeps_and_operations(system, state, h) for state in chosen), strict=True)
        if len(chosen)
        else ((0,), (1,))
    )
    most = min(max(needed), max(COMPILED_SWEEPS[0], MAX_SWEEP_OPERATIONS // max(size)))
    return max((count for count in COMPILED_SWEEPS if count <= most), default=COMPILED_SWEEPS[0])


def _sweeps_and_operations(system: System, x: Array, h: float) -> tuple[int, int]:
    """Sweeps at a state, and the approximate operations of one sweep."""
    moving = system.motion_of(x.tolist())
    situations = system.law_situations(FLOATS, 0.0, moving, system.initial_inputs)
    laws = [motion.limited_holds for motion in steps_of_laws(system, situations, h)]
    least, blocks = 1, []
    for limited in laws:
        rows = [hold.line.terms for hold, limit in limited if not _is_inactive(limit)]
        least = max(least, MIN_SWEEPS_WITH_STOPS if len(rows) < len(limited) else 0)
        if any(isinstance(limit, FrictionCone) for _, limit in limited):
            least = max(least, MIN_SWEEPS_WITH_FRICTION)
            blocks.append(rows)
        else:
            blocks += [[row] for row in dict.fromkeys(rows)]
    distinct = {tuple(block): block for block in blocks}
    size = sum(60 * len(block) for block in distinct.values())
    return max(_rounds_to_rest(system, x, list(distinct.values())), least), max(size, 1)


def _is_inactive(limit: ImpulseLimit) -> bool:
    """Whether the limit allows no impulse."""
    return isinstance(limit, BoundedImpulse) and limit.low == 0 == limit.high


def _rounds_to_rest(system: System, x: Array, blocks: list[list[Terms]]) -> int:
    """Sweeps until the speeds caused by unit impulses have vanished; blocks are solved exactly."""
    rows = [row for block in blocks for row in block]
    if not rows:
        return 0
    W = np.array([dense_row(row, system.mech.n) for row in rows], dtype=np.float64)
    G = W @ np.linalg.solve(mass_matrix(system.mech, x[system.q]), W.T)
    size = np.sqrt(np.maximum(np.diag(G), IMMOVABLE_RESPONSE))
    G, speeds, first, parts = G / np.outer(size, size), np.ones(len(G)) * (np.diag(G) > IMMOVABLE_RESPONSE), 0, []
    for block in blocks:
        columns = slice(first, first + len(block))
        parts.append((columns, G[:, columns] @ np.linalg.pinv(G[columns, columns], rcond=1e-9)))
        first = columns.stop
    for count in range(1, COMPILED_SWEEPS[-1] + 1):
        for columns, effect in parts:
            speeds = speeds - effect @ speeds[columns]
        if np.abs(speeds).max() < REMAINING_SPEED_RATIO:
            return count
    return COMPILED_SWEEPS[-1]
