"""The balance of forces of one instant: accelerations and multipliers of all laws in one solve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces.law import Drag, Hold
from gearwright.forces.line import Line
from gearwright.mechanism.rows import spread
from gearwright.system.contact_cones import Cones, feasible_multipliers
from gearwright.system.system import share
from gearwright.text import listed

NONE = np.zeros(0)

SAME = 1e-6
"""Rows along coordinates whose smallest singular value is this part of the largest, or less, depend on each other."""

VANISHED = 1e-12
"""Entries [m/rad, rad/rad, ...] below which the row of a coordinate is zero."""


class Ties(NamedTuple):
    """The m holds and d drags of an instant as arrays, for n speeds.

    Args:
        lines: of the holds.
        rows: W (m, n).
        targets: what W a + C lambda must be, (m,): targets less drifts.
        compliances: C (m,).
        pushes: P' (d, n), the lines of the drags.
        gains: G (d,).
        inflows: what forces bring through the ports, less the offsets, (d,).
        senses: S (d, n).
        shares: Q (d, m), how much of each hold's multiplier passes through each drag's port.
        cones: which multipliers push, and which are friction beside them.
    """

    lines: tuple[Line, ...]
    rows: Array
    targets: Array
    compliances: Array
    pushes: Array
    gains: Array
    inflows: Array
    senses: Array
    shares: Array
    cones: Cones

    @staticmethod
    def of(n: int, holds: Sequence[Hold], drags: Sequence[Drag], inflows: Sequence[float]) -> Ties:
        """From holds and drags, and what forces bring through the ports of the drags."""
        lines, d = tuple(hold.line for hold in holds), len(drags)
        return Ties(
            lines,
            rows_of(lines, n),
            np.array([hold.wanted for hold in holds], dtype=float),
            np.array([hold.compliance for hold in holds], dtype=float),
            rows_of([drag.push for drag in drags], n),
            np.array([drag.gain for drag in drags], dtype=float),
            np.array([flow - drag.offset for flow, drag in zip(inflows, drags, strict=True)], dtype=float),
            np.array([drag.sense for drag in drags], dtype=float).reshape(d, n),
            shares_of(holds, drags),
            Cones.of(holds),
        )


def shares_of(holds: Sequence[Hold], drags: Sequence[Drag]) -> Array:
    """How much of each hold's multiplier passes through each drag's port, (drags, holds)."""
    found = np.zeros((len(drags), len(holds)))
    for k, drag in enumerate(drags):
        for j, hold in enumerate(holds):
            if hold.port and hold.port == drag.port:
                found[k, j] = share(hold.line, drag.push)
    return found


def balanced(M: Array, right: Array, ties: Ties) -> tuple[Array, Array, Array, Array]:
    """Accelerations, multipliers of all holds, flows of all drags, and how each answers to a force along its push.

    [M + P G S,  -(W' + P G Q)] [a     ]   [right + P G (flow of forces - offset)]
    [W,           C           ] [lambda] = [target                               ]
    """
    n = len(right)
    solution = _solve(*_equations(M, right, ties, ties.pushes.T), ties)
    if not len(ties.gains):
        return solution[:n, 0], solution[n:, 0], NONE, NONE
    flows = ties.shares @ solution[n:] - ties.senses @ solution[:n]
    return solution[:n, 0], solution[n:, 0], ties.inflows + flows[:, 0], flows[:, 1:].diagonal()


def responses(M: Array, right: Array, ties: Ties, pushes: Array) -> tuple[Array, Array]:
    """Accelerations (n,), and what a unit of further force along each column of `pushes` (n, k) adds to them (n, k)."""
    n = len(right)
    solution = _solve(*_equations(M, right, ties, pushes), ties)[:n]
    return solution[:, 0], solution[:, 1:]


def _equations(M: Array, right: Array, ties: Ties, pushes: Array) -> tuple[Array, Array]:
    """The matrix of the balance, and its right sides: what acts, then a unit along each column of `pushes`."""
    n, m = len(right), len(ties.targets)
    matrix, known = np.zeros((n + m, n + m)), np.zeros((n + m, 1 + pushes.shape[1]))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = M, -ties.rows.T, ties.rows
    np.fill_diagonal(matrix[n:, n:], ties.compliances)
    known[:n, 0], known[n:, 0], known[:n, 1:] = right, ties.targets, pushes
    if len(ties.gains):
        pull = ties.pushes.T * ties.gains
        matrix[:n, :n] += pull @ ties.senses
        matrix[:n, n:] -= pull @ ties.shares
        known[:n, 0] += pull @ ties.inflows
    return matrix, known


def rows_of(lines: Sequence[Line], n: int) -> Array:
    """Lines as full rows, (lines, n)."""
    return np.array([spread(line.terms, n) for line in lines], dtype=np.float64).reshape(len(lines), n)


def _solve(matrix: Array, right: Array, ties: Ties) -> Array:
    """The solution; holds that repeat each other share their force, those that contradict each other are refused."""
    try:
        if len(ties.lines) > 1 and _repeated(ties):
            if ties.cones.normal or not all(line.constant for line in ties.lines):
                return _least_forces(matrix, right, ties)  # trial steps leave what is held: no contradiction yet
            solution = np.linalg.lstsq(matrix, right, rcond=None)[0]
            if np.abs(matrix @ solution - right).max() > 1e-9 * (1.0 + np.abs(right).max()):
                raise np.linalg.LinAlgError
        else:
            _refuse_vanished(ties)
            solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        names = listed(line.name for line in ties.lines)
        raise SimulationError(
            f"simulate: accelerations cannot be solved for: the holds along {names} contradict each other, or a gear "
            "transmits nothing. Take away a stop, brake or prescribed motion that acts twice on the same joint."
        ) from None
    return np.asarray(solution, dtype=np.float64)


def _least_forces(matrix: Array, right: Array, ties: Ties) -> Array:
    """The solution with the least multipliers, where rows along coordinates depend on each other or nearly do.

    Contacts push and have cones of friction: where the least multipliers leave these, others that do not are taken.
    """
    n = matrix.shape[0] - len(ties.lines)
    ahead = np.linalg.solve(matrix[:n, :n], np.hstack([right[:n], -matrix[:n, n:]]))
    free, spread_out = ahead[:, : right.shape[1]], ahead[:, right.shape[1] :]
    W = matrix[n:, :n]
    left, sizes, ways = np.linalg.svd(W @ spread_out + matrix[n:, n:])
    rank = int((sizes > SAME**2 * sizes[0]).sum())
    felt = ways[:rank].T @ ((left[:, :rank].T @ (right[n:] - W @ free)) / sizes[:rank, None])
    felt[:, 0] = feasible_multipliers(felt[:, 0], ways[rank:].T, ties.cones)
    return np.vstack([free + spread_out @ felt, felt])


def _refuse_vanished(ties: Ties) -> None:
    """A hold along a coordinate that nothing moves at the moment, such as the stroke of a crank at its dead centre."""
    for line, row, give in zip(ties.lines, ties.rows, ties.compliances, strict=True):
        if not line.constant and not give and not np.abs(row).max() > VANISHED:
            raise SimulationError(
                f"simulate: the row of the coordinate {line.name!r} vanishes where the machine is: no force along it "
                "moves anything, so that nothing can be held or led there. Start and stay away from dead centres, or "
                "hold the joint itself."
            )


def _repeated(ties: Ties) -> bool:
    """Whether rigid holds act along lines that depend on each other, such as two frictions that stick at one joint."""
    rigid = [k for k, give in enumerate(ties.compliances) if not give]
    if len(rigid) < 2:
        return False
    lines = tuple(ties.lines[k] for k in rigid)
    return _always_dependent(lines) if all(line.constant for line in lines) else dependent_here(ties.rows[rigid])


@lru_cache(maxsize=1024)
def _always_dependent(lines: tuple[Line, ...]) -> bool:
    return _dependent(rows_of(lines, len(lines[0].speeds)))


def dependent_here(rows: Array) -> bool:
    """Whether rows along coordinates depend on each other, or nearly do, where the machine is."""
    if len(rows) > rows.shape[1]:
        return True
    sizes = np.linalg.svd(rows, compute_uv=False)
    return bool(sizes[-1] <= SAME * sizes[0])


def _dependent(rows: Array) -> bool:
    return int(np.linalg.matrix_rank(rows)) < len(rows)
