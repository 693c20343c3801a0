"""Solution of linear equations with a sparse symmetric matrix."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from gearwright.algebra import Scalar
from gearwright.dynamics.mass_matrix import Matrix

EliminationPivot = tuple[int, Scalar, list[tuple[int, Scalar]]]
"""An eliminated speed, the inverse of its pivot, and the other speeds with their factors."""


def solve_by_elimination(
    matrix: Matrix, pattern: Sequence[AbstractSet[int]], order: Sequence[int], right: Sequence[Scalar]
) -> list[Scalar]:
    """Solve `matrix` x = `right` by sparse L D L' elimination in a given order.

    `pattern[i]` are the other speeds with a nonzero entry in row i. A tree eliminated from its leaves has no fill-in;
    a full pattern is the dense elimination.
    """
    x = list(right)
    return _back_substitute(factorise_symmetric(matrix, pattern, order, [x]), x)


def solve_all_by_elimination(
    matrix: Matrix, pattern: Sequence[AbstractSet[int]], order: Sequence[int], rights: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """Solve for several right-hand sides with one elimination."""
    solutions = [list(right) for right in rights]
    factors = factorise_symmetric(matrix, pattern, order, solutions)
    return [_back_substitute(factors, x) for x in solutions]


def factorise_symmetric(
    matrix: Matrix,
    pattern: Sequence[AbstractSet[int]],
    order: Sequence[int],
    rights: Sequence[list[Scalar]] = (),
) -> list[EliminationPivot]:
    """Return the factors L and D; given right-hand sides are eliminated too and become L^-1 right."""
    rows = [dict(enumerate(row)) for row in matrix]
    left = [set(neighbours) for neighbours in pattern]
    factors: list[EliminationPivot] = []
    for k in order:
        inverse = 1 / rows[k][k]
        neighbours = sorted(left[k])
        scaled = [(i, rows[k][i] * inverse) for i in neighbours]
        for i, factor in scaled:
            left[i].discard(k)
            for j in neighbours:
                if j <= i:
                    fresh = rows[i][j] - factor * rows[k][j]
                    rows[i][j] = rows[j][i] = fresh
                if j != i:
                    left[i].add(j)
            for x in rights:
                x[i] = x[i] - factor * x[k]
        factors.append((k, inverse, scaled))
    return factors


def solve_factorised(factors: Sequence[EliminationPivot], right: Sequence[Scalar]) -> list[Scalar]:
    """Solve L D L' x = right."""
    x = list(right)
    for k, _, scaled in factors:
        for i, factor in scaled:
            x[i] = x[i] - factor * x[k]
    return _back_substitute(factors, x)


def _back_substitute(factors: Sequence[EliminationPivot], x: list[Scalar]) -> list[Scalar]:
    """Solve D L' x = right."""
    for k, inverse, scaled in reversed(factors):
        value = x[k] * inverse
        for i, factor in scaled:
            value = value - factor * x[i]
        x[k] = value
    return x
