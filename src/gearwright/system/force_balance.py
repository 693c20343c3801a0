"""The force balance of one instant: accelerations and multipliers of all laws in one solve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces import Drag, Hold, Line
from gearwright.mechanism import dense_row
from gearwright.system.constraints.projection_tolerances import DEPENDENT_ROWS_RATIO
from gearwright.system.contact_cones import ContactCones, feasible_multipliers
from gearwright.system.system import line_share
from gearwright.text import listed_names

EMPTY_ARRAY = np.zeros(0)

VANISHING_ROW_ENTRY = 1e-12
"""Entries [m/rad, rad/rad, ...] below which the row of a coordinate is zero."""


class ConstraintArrays(NamedTuple):
    """The m holds and d drags of an instant as arrays, for n speeds.

    Args:
        lines: of the holds.
        rows: W (m, n).
        targets: required values of W a + C lambda, (m,): targets minus drifts.
        compliances: C (m,).
        pushes: P' (d, n), the lines of the drags.
        gains: G (d,).
        inflows: forces through the ports minus the offsets, (d,).
        senses: S (d, n).
        shares: Q (d, m), the share of each hold's multiplier through each drag's port.
        cones: the unilateral multipliers and their friction multipliers.
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
    cones: ContactCones

    @staticmethod
    def from_holds_and_drags(
        n: int, holds: Sequence[Hold], drags: Sequence[Drag], inflows: Sequence[float]
    ) -> ConstraintArrays:
        """The arrays of holds and drags, with the forces through the ports of the drags."""
        lines, d = tuple(hold.line for hold in holds), len(drags)
        return ConstraintArrays(
            lines,
            line_rows(lines, n),
            np.array([hold.row_target for hold in holds], dtype=float),
            np.array([hold.compliance for hold in holds], dtype=float),
            line_rows([drag.push for drag in drags], n),
            np.array([drag.gain for drag in drags], dtype=float),
            np.array([flow - drag.offset for flow, drag in zip(inflows, drags, strict=True)], dtype=float),
            np.array([drag.sense for drag in drags], dtype=float).reshape(d, n),
            hold_shares(holds, drags),
            ContactCones.from_holds(holds),
        )


def hold_shares(holds: Sequence[Hold], drags: Sequence[Drag]) -> Array:
    """The share of each hold's multiplier through each drag's port, (drags, holds)."""
    shares = np.zeros((len(drags), len(holds)))
    for k, drag in enumerate(drags):
        for j, hold in enumerate(holds):
            if hold.port and hold.port == drag.port:
                shares[k, j] = line_share(hold.line, drag.push)
    return shares


def solve_balance(M: Array, right: Array, constraints: ConstraintArrays) -> tuple[Array, Array, Array, Array]:
    """Accelerations, multipliers of all holds, flows of all drags, and the response of each flow to its push.

    [M + P G S,  -(W' + P G Q)] [a     ]   [right + P G (flow of forces - offset)]
    [W,           C           ] [lambda] = [target                               ]
    """
    n = len(right)
    solution = _solve_equations(*_balance_equations(M, right, constraints, constraints.pushes.T), constraints)
    if not len(constraints.gains):
        return solution[:n, 0], solution[n:, 0], EMPTY_ARRAY, EMPTY_ARRAY
    flows = constraints.shares @ solution[n:] - constraints.senses @ solution[:n]
    return solution[:n, 0], solution[n:, 0], constraints.inflows + flows[:, 0], flows[:, 1:].diagonal()


def unit_responses(M: Array, right: Array, constraints: ConstraintArrays, pushes: Array) -> tuple[Array, Array]:
    """Accelerations (n,), and their change (n, k) per unit force along each column of `pushes` (n, k)."""
    n = len(right)
    solution = _solve_equations(*_balance_equations(M, right, constraints, pushes), constraints)[:n]
    return solution[:, 0], solution[:, 1:]


def _balance_equations(M: Array, load: Array, constraints: ConstraintArrays, pushes: Array) -> tuple[Array, Array]:
    """The matrix of the balance, and its right sides: the acting forces, then a unit along each column of `pushes`."""
    n, m = len(load), len(constraints.targets)
    matrix, right_sides = np.zeros((n + m, n + m)), np.zeros((n + m, 1 + pushes.shape[1]))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = M, -constraints.rows.T, constraints.rows
    np.fill_diagonal(matrix[n:, n:], constraints.compliances)
    right_sides[:n, 0], right_sides[n:, 0], right_sides[:n, 1:] = load, constraints.targets, pushes
    if len(constraints.gains):
        pull = constraints.pushes.T * constraints.gains
        matrix[:n, :n] += pull @ constraints.senses
        matrix[:n, n:] -= pull @ constraints.shares
        right_sides[:n, 0] += pull @ constraints.inflows
    return matrix, right_sides


def line_rows(lines: Sequence[Line], n: int) -> Array:
    """Lines as full rows, (lines, n)."""
    return np.array([dense_row(line.terms, n) for line in lines], dtype=np.float64).reshape(len(lines), n)


def _solve_equations(matrix: Array, right: Array, constraints: ConstraintArrays) -> Array:
    """The solution; redundant holds share their force, contradictory holds are an error."""
    try:
        if len(constraints.lines) > 1 and _has_dependent_holds(constraints):
            if constraints.cones.normal or not all(line.is_constant for line in constraints.lines):
                return _least_forces(matrix, right, constraints)  # trial steps violate constraints slightly
            solution = np.linalg.lstsq(matrix, right, rcond=None)[0]
            if np.abs(matrix @ solution - right).max() > 1e-9 * (1.0 + np.abs(right).max()):
                raise np.linalg.LinAlgError
        else:
            _refuse_vanished(constraints)
            solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        names = listed_names(line.name for line in constraints.lines)
        raise SimulationError(
            f"simulate: the equations of motion are singular: the constraints along {names} contradict each other, or "
            "a gear transmits no torque. Remove a stop, brake or prescribed motion that acts twice on the same joint."
        ) from None
    return np.asarray(solution, dtype=np.float64)


def _least_forces(matrix: Array, right: Array, constraints: ConstraintArrays) -> Array:
    """The solution with multipliers of least norm for (nearly) dependent rows along coordinates.

    Where the multipliers of contacts are outside their friction cones, admissible ones are used instead.
    """
    n = matrix.shape[0] - len(constraints.lines)
    eliminated = np.linalg.solve(matrix[:n, :n], np.hstack([right[:n], -matrix[:n, n:]]))
    free, spread_out = eliminated[:, : right.shape[1]], eliminated[:, right.shape[1] :]
    W = matrix[n:, :n]
    left_vectors, sizes, directions = np.linalg.svd(W @ spread_out + matrix[n:, n:])
    rank = int((sizes > DEPENDENT_ROWS_RATIO**2 * sizes[0]).sum())
    multipliers = directions[:rank].T @ ((left_vectors[:, :rank].T @ (right[n:] - W @ free)) / sizes[:rank, None])
    multipliers[:, 0] = feasible_multipliers(multipliers[:, 0], directions[rank:].T, constraints.cones)
    return np.vstack([free + spread_out @ multipliers, multipliers])


def _refuse_vanished(constraints: ConstraintArrays) -> None:
    """Raise an error for a hold along a coordinate with a vanishing row, such as a crank at its dead centre."""
    for line, row, compliance in zip(constraints.lines, constraints.rows, constraints.compliances, strict=True):
        if not line.is_constant and not compliance and not np.abs(row).max() > VANISHING_ROW_ENTRY:
            raise SimulationError(
                f"simulate: the row of the coordinate {line.name!r} vanishes at this configuration (dead centre), so "
                "no force along it can enforce a constraint or a prescribed motion. Avoid dead centres, or constrain "
                "the joint itself."
            )


def _has_dependent_holds(constraints: ConstraintArrays) -> bool:
    """Whether rigid holds act along linearly dependent lines, such as two sticking frictions at one joint."""
    rigid = [k for k, compliance in enumerate(constraints.compliances) if not compliance]
    if len(rigid) < 2:
        return False
    lines = tuple(constraints.lines[k] for k in rigid)
    return (
        _constant_lines_dependent(lines)
        if all(line.is_constant for line in lines)
        else rows_nearly_dependent(constraints.rows[rigid])
    )


@lru_cache(maxsize=1024)
def _constant_lines_dependent(lines: tuple[Line, ...]) -> bool:
    return _rows_dependent(line_rows(lines, len(lines[0].speeds)))


def rows_nearly_dependent(rows: Array) -> bool:
    """Whether rows along coordinates are (nearly) linearly dependent at the current configuration."""
    if len(rows) > rows.shape[1]:
        return True
    sizes = np.linalg.svd(rows, compute_uv=False)
    return bool(sizes[-1] <= DEPENDENT_ROWS_RATIO * sizes[0])


def _rows_dependent(rows: Array) -> bool:
    return int(np.linalg.matrix_rank(rows)) < len(rows)
