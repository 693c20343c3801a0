"""The balance of forces of one instant: accelerations and multipliers of all laws in one solve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from gearwright.errors import SimulationError
from gearwright.forces.law import Action, Drag, Hold
from gearwright.forces.line import Line
from gearwright.kernels.inputs import Array

Flow = Callable[[Drag], float]
"""What forces bring through the port of a drag, along its line."""

Share = Callable[[Hold, Drag], float]
"""How much of a hold's multiplier passes through a drag's port."""


def pushed(tau: Array, actions: Sequence[Action]) -> Array:
    """Generalized forces: those given and those of the laws."""
    total = tau.copy()
    for action in actions:
        for force in action.forces:
            for index, factor in force.line.terms:
                total[index] += factor * force.value
    return total


def balanced(
    M: Array, right: Array, holds: Sequence[Hold], drags: Sequence[Drag], flow: Flow, share: Share
) -> tuple[Array, Array, Array, Array]:
    """Accelerations, multipliers of all holds, flows of all drags, and how each answers to a force along its push.

        [M + P G S,  -(W' + P G Q)] [a     ]   [right + P G (flow of forces - offset)]
        [W,           C           ] [lambda] = [target                               ]

    with W the rows of the holds, C their compliances, P the lines of the drags, G their gains, S the rows they sense,
    and Q the shares of holds that pass through their ports.
    """
    n, m = len(right), len(holds)
    W = rows_of([hold.line for hold in holds], n)
    matrix, known = np.zeros((n + m, n + m)), np.zeros((n + m, 1 + len(drags)))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = M, -W.T, W
    known[:n, 0] = right
    for k, hold in enumerate(holds, n):
        matrix[k, k], known[k, 0] = hold.compliance, hold.target
    sense = np.array([drag.sense for drag in drags], dtype=float).reshape(len(drags), n)
    inflow = np.array([flow(drag) - drag.offset for drag in drags])
    through = np.array([[share(hold, drag) for hold in holds] for drag in drags]).reshape(len(drags), m)
    for k, drag in enumerate(drags):
        for index, factor in drag.push.terms:
            matrix[index, :n] += factor * drag.gain * sense[k]
            matrix[index, n:] -= factor * drag.gain * through[k]
            known[index, 0] += factor * drag.gain * inflow[k]
            known[index, 1 + k] = factor
    solution = _solve(matrix, known, holds)
    flows = through @ solution[n:] - sense @ solution[:n]
    return solution[:n, 0], solution[n:, 0], inflow + flows[:, 0], flows[:, 1:].diagonal()


def rows_of(lines: Sequence[Line], n: int) -> Array:
    """Lines as full rows, (lines, n)."""
    W = np.zeros((len(lines), n))
    for k, line in enumerate(lines):
        for index, factor in line.terms:
            W[k, index] = factor
    return W


def _solve(matrix: Array, right: Array, holds: Sequence[Hold]) -> Array:
    """The solution; holds that repeat each other share their force, those that contradict each other are refused."""
    try:
        if len(holds) > 1 and _repeated(holds):
            solution = np.linalg.lstsq(matrix, right, rcond=None)[0]
            if np.abs(matrix @ solution - right).max() > 1e-9 * (1.0 + np.abs(right).max()):
                raise np.linalg.LinAlgError
        else:
            solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        names = ", ".join(hold.line.name for hold in holds)
        raise SimulationError(
            f"simulate: accelerations cannot be solved for: the holds along {names} contradict each other, or a gear "
            "transmits nothing. Take away a stop, brake or prescribed motion that acts twice on the same joint."
        ) from None
    return np.asarray(solution, dtype=np.float64)


def _repeated(holds: Sequence[Hold]) -> bool:
    """Whether rigid holds act along lines that depend on each other, such as two frictions that stick at one joint."""
    rigid = tuple(hold.line for hold in holds if not hold.compliance)
    return len(rigid) > 1 and _dependent(rigid)


@lru_cache(maxsize=1024)
def _dependent(lines: tuple[Line, ...]) -> bool:
    return int(np.linalg.matrix_rank(rows_of(lines, len(lines[0].speeds)))) < len(lines)
