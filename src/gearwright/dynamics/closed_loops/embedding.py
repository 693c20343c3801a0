"""Constraint embedding: the map between independent speeds and all speeds of a tree with closed loops.

With the rows W of all loops split into dependent and independent speeds,

    v = G v_i,    a = G a_i + g,    G_dep = -W_dep^-1 W_ind,    g_dep = -W_dep^-1 drift,    tau_i = G' tau,

so every recursion of the open tree holds for the closed machine: M_i = G' M G, and wheels need no further terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.dynamics.closed_loops.loop_equations import (
    LoopEquation,
    LoopGeometry,
    LoopRow,
    facing_cosines,
    loop_equations,
    sum_of,
)
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.mechanism import Mechanism

MAX_LOOP_GAP = 1e-6
"""Largest gap [m, rad] of a configuration that counts as closed."""


@dataclass(frozen=True)
class LoopGroup:
    """Equations that determine some dependent speeds together, once those of earlier groups are known.

    Args:
        equations: numbers of its equations among those of all loops.
        dependent: as many speeds.
        others: the other speeds in these equations: independent ones, or dependent ones of earlier groups.
    """

    equations: tuple[int, ...]
    dependent: tuple[int, ...]
    others: tuple[int, ...]


@dataclass(frozen=True)
class EquivalentTree:
    """A tree with the same equations of motion as the open tree in other frames, at coordinates q + offsets."""

    tree: Mechanism
    offsets: tuple[float, ...]

    def placed_at(self, q: Sequence[Scalar], ops: Operations) -> Pose:
        """Its pose."""
        shifted = [x if is_zero(offset) else x + offset for x, offset in zip(q, self.offsets, strict=True)]
        return place_machine(self.tree, shifted, ops)


@dataclass(frozen=True)
class ConstraintEmbedding:
    """The loops of a machine, its independent speeds, and the groups of dependent ones in order of their solution.

    Redundant equations are in no group. Recursions may run on an equivalent tree with fewer operations.
    """

    loops: tuple[LoopGeometry, ...]
    independent: tuple[int, ...]
    groups: tuple[LoopGroup, ...]
    equivalent_tree: EquivalentTree | None = None

    @cached_property
    def equation_names(self) -> tuple[str, ...]:
        """The names of all equations."""
        return tuple(name for loop in self.loops for name in loop.equation_names)

    def equations(self, pose: Pose, v: Sequence[Scalar] | None = None) -> list[LoopEquation]:
        """All equations at a pose; without speeds all drifts are zero."""
        return [equation for loop in self.loops for equation in loop_equations(pose, loop, v)]

    def at_pose(self, pose: Pose, ops: Operations) -> Embedding:
        """The map between independent and all speeds at a pose."""
        return Embedding(self, pose, ops)

    def facing_cosines(self, pose: Pose) -> list[Scalar]:
        """Cosines that are positive where the loops are closed."""
        return [x for loop in self.loops for x in facing_cosines(pose, loop)]


class GroupSolver:
    """Gauss elimination of a group's square matrix; equations are exchanged where a pivot would be small.

    An exchange depends on the numbers, so it is a choice by `where` between the two rows. Of all equations with an
    entry in a column, the one with the largest absolute value becomes the pivot.
    """

    def __init__(self, rows: Sequence[LoopRow], columns: Sequence[int], ops: Operations, exchange: bool = True) -> None:
        self._ops, self._columns = ops, tuple(columns)
        self._steps: list[tuple[str, int, int, Scalar]] = []
        self._rows = [{c: row[c] for c in columns if c in row} for row in rows]
        self._inverses: list[Scalar] = []
        self.determinant: Scalar = 1.0
        for k, column in enumerate(columns):
            self._choose_pivot(k, column, exchange)
            pivot = self._rows[k].get(column, 0.0)
            self.determinant = self.determinant * pivot
            inverse = 1 / pivot
            self._inverses.append(inverse)
            for i in range(k + 1, len(rows)):
                if column in self._rows[i]:
                    self._subtract(i, k, self._rows[i].pop(column) * inverse)

    def _choose_pivot(self, k: int, column: int, exchange: bool) -> None:
        """Exchange equation k with each later one that has a larger entry in the column."""
        for i in range(k + 1, len(self._rows)):
            if column not in self._rows[i]:
                continue
            if column not in self._rows[k]:
                self._rows[k], self._rows[i] = self._rows[i], self._rows[k]
                self._steps.append(("swap", k, i, 0.0))
                self.determinant = -self.determinant
                continue
            if not exchange:
                continue
            upper, lower = self._rows[k], self._rows[i]
            is_larger = self._ops.absolute(lower[column]) > self._ops.absolute(upper[column])
            self._rows[k], self._rows[i] = {}, {}
            for c in self._columns:
                if c in upper or c in lower:
                    x, y = upper.get(c, 0.0), lower.get(c, 0.0)
                    self._rows[k][c] = self._ops.where(is_larger, y, x)
                    self._rows[i][c] = self._ops.where(is_larger, x, y)
            self._steps.append(("choose", k, i, is_larger))
            self.determinant = self._ops.where(is_larger, -self.determinant, self.determinant)

    def _subtract(self, i: int, k: int, factor: Scalar) -> None:
        """Subtract a multiple of equation k from equation i, without its pivot."""
        row, pivot_row = self._rows[i], self._rows[k]
        for c in self._columns[k + 1 :]:
            if c in pivot_row:
                row[c] = row.get(c, 0.0) - factor * pivot_row[c]
        self._steps.append(("subtract", i, k, factor))

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """The solution for a right-hand side."""
        x = list(right)
        for kind, i, k, value in self._steps:
            if kind == "swap":
                x[i], x[k] = x[k], x[i]
            elif kind == "choose":
                x[i], x[k] = self._chosen(value, x[k], x[i]), self._chosen(value, x[i], x[k])
            elif not is_zero(x[k]):
                x[i] = x[i] - value * x[k]
        for k in reversed(range(len(x))):
            for j in range(k + 1, len(x)):
                entry = self._rows[k].get(self._columns[j])
                if entry is not None and not is_zero(x[j]):
                    x[k] = x[k] - entry * x[j]
            if not is_zero(x[k]):
                x[k] = x[k] * self._inverses[k]
        return x

    def _chosen(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        return 0.0 if is_zero(yes) and is_zero(no) else self._ops.where(condition, yes, no)


class LoopSolver:
    """The eliminated equations of all loops at a pose.

    Args:
        closure: the loops.
        equations: all their equations.
        ops: operations on their scalars.
        exchange: whether equations are exchanged where a pivot is small.
    """

    def __init__(
        self, closure: ConstraintEmbedding, equations: Sequence[LoopEquation], ops: Operations, exchange: bool = True
    ) -> None:
        self.closure, self.equations = closure, equations
        self.solvers: list[GroupSolver] = []
        self.other_rows: list[list[LoopRow]] = []
        for group in closure.groups:
            rows = [equations[k].row for k in group.equations]
            self.solvers.append(GroupSolver(rows, group.dependent, ops, exchange))
            self.other_rows.append([{c: row[c] for c in group.others if c in row} for row in rows])

    @property
    def determinants(self) -> list[Scalar]:
        """Per group the determinant of its dependent columns; zero where the independent speeds are a bad choice."""
        return [solver.determinant for solver in self.solvers]

    def closing_step(self) -> list[Scalar]:
        """The step of the dependent speeds that closes the gaps to first order."""
        return self.solve([equation.gap for equation in self.equations])

    def tangent_step(self, step: Sequence[Scalar]) -> list[Scalar]:
        """The step of all speeds, G times a step of the independent ones."""
        independent = dict(zip(self.closure.independent, step, strict=True))
        rates = [sum_of(x * independent[c] for c, x in equation.row.items() if c in independent)
                 for equation in self.equations]  # fmt: skip
        return [independent.get(speed, x) for speed, x in enumerate(self.solve(rates))]

    def solve(self, values: Sequence[Scalar]) -> list[Scalar]:
        """The x with x = 0 at independent speeds and W x + values = 0."""
        x: list[Scalar] = [0.0] * (1 + max([*self.closure.independent, *self._dependent], default=-1))
        for group, solver, others in zip(self.closure.groups, self.solvers, self.other_rows, strict=True):
            right = [-(values[k] + sum_of(entry * x[c] for c, entry in row.items() if not is_zero(x[c])))
                     for k, row in zip(group.equations, others, strict=True)]  # fmt: skip
            for speed, value in zip(group.dependent, solver.solve(right), strict=True):
                x[speed] = value
        return x

    @property
    def _dependent(self) -> list[int]:
        return [speed for group in self.closure.groups for speed in group.dependent]


class OpenTree:
    """The map of a machine without loops: all speeds are independent."""

    def speeds(self, v: Sequence[Scalar]) -> Sequence[Scalar]:
        """All speeds."""
        return v

    def accelerations(self, v: Sequence[Scalar], a: Sequence[Scalar]) -> Sequence[Scalar]:
        """All accelerations."""
        return a

    def forces(self, tau: Sequence[Scalar]) -> Sequence[Scalar]:
        """Forces along the independent speeds."""
        return tau

    def columns(self, matrix: Matrix) -> Matrix:
        """A matrix with one column per independent speed."""
        return matrix

    rows = congruent = columns


class Embedding:
    """The map between independent and all speeds at a pose.

    Args:
        closure: the loops.
        pose: the open tree at a configuration that closes them.
        ops: operations on its scalars.
    """

    def __init__(self, closure: ConstraintEmbedding, pose: Pose, ops: Operations) -> None:
        self.closure, self.pose = closure, pose
        self._solver = LoopSolver(closure, closure.equations(pose), ops)
        columns = {speed: k for k, speed in enumerate(closure.independent)}
        self.directions: list[LoopRow] = [{columns[k]: 1.0} if k in columns else {} for k in range(pose.mech.n)]
        for group, solver, others in zip(closure.groups, self._solver.solvers, self._solver.other_rows, strict=True):
            self._solve_directions(group, solver, others)

    def _solve_directions(self, group: LoopGroup, solver: GroupSolver, others: Sequence[LoopRow]) -> None:
        reached = sorted({column for row in others for c in row for column in self.directions[c]})
        for column in reached:
            right = [-sum_of(x * self.directions[c][column] for c, x in row.items() if column in self.directions[c])
                     for row in others]  # fmt: skip
            for speed, x in zip(group.dependent, solver.solve(right), strict=True):
                if not is_zero(x):
                    self.directions[speed][column] = x

    def speeds(self, v: Sequence[Scalar]) -> list[Scalar]:
        """All speeds, G v."""
        return [sum_of(x * v[k] for k, x in row.items()) for row in self.directions]

    def accelerations(self, v: Sequence[Scalar], a: Sequence[Scalar]) -> list[Scalar]:
        """All accelerations, G a + g, for all speeds v and independent accelerations a."""
        drifts = [equation.drift for equation in self.closure.equations(self.pose, v)]
        return [x + y for x, y in zip(self.speeds(a), self._solver.solve(drifts), strict=True)]

    def forces(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """Forces along the independent speeds, G' tau."""
        out: list[Scalar] = [0.0] * len(self.closure.independent)
        for row, force in zip(self.directions, tau, strict=True):
            if not is_zero(force):
                for k, x in row.items():
                    out[k] = out[k] + x * force
        return out

    def columns(self, matrix: Matrix) -> Matrix:
        """A matrix with one column per speed times G."""
        size = len(self.closure.independent)
        out: Matrix = []
        for entries in matrix:
            line: list[Scalar] = [0.0] * size
            for entry, row in zip(entries, self.directions, strict=True):
                if not is_zero(entry):
                    for k, x in row.items():
                        line[k] = line[k] + entry * x
            out.append(line)
        return out

    def rows(self, matrix: Matrix) -> Matrix:
        """G' times a matrix with one row per speed."""
        return transposed(self.columns(transposed(matrix)))

    def congruent(self, matrix: Matrix) -> Matrix:
        """G' M G of a symmetric matrix."""
        half = transposed(self.columns(matrix))  # one row per independent speed
        size = len(half)
        out: Matrix = [[0.0] * size for _ in range(size)]
        for row, entries in zip(self.directions, transposed(half), strict=True):
            for i, x in row.items():
                for j in range(i + 1):
                    if not is_zero(entries[j]):
                        out[i][j] = out[i][j] + x * entries[j]
        for i in range(size):
            for j in range(i):
                out[j][i] = out[i][j]
        return out

    def direction_rates(self, row_rates: Sequence[LoopRow]) -> Matrix:
        """dG/dt (n, f) from the rates of the rows: W dG/dt + dW/dt G = 0."""
        size = len(self.closure.independent)
        columns = []
        for column in range(size):
            values = [sum_of(x * self.directions[c][column] for c, x in row.items() if column in self.directions[c])
                      for row in row_rates]  # fmt: skip
            columns.append(self._solver.solve(values))
        return transposed(columns)


def transposed(matrix: Matrix) -> Matrix:
    """The transposed matrix."""
    return [list(column) for column in zip(*matrix, strict=True)]
