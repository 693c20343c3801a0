"""Solving with a symmetric matrix whose zeros are known."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from gearwright.algebra import Scalar
from gearwright.dynamics.mass_matrix import Matrix


def solve(
    matrix: Matrix, pattern: Sequence[AbstractSet[int]], order: Sequence[int], right: Sequence[Scalar]
) -> list[Scalar]:
    """X of `matrix` x = `right` by L D L' elimination in a given order, touching only what is not zero.

    `pattern[i]` are the other speeds that share an entry with i. A tree eliminated from its leaves gets no fill-in;
    a full pattern gives the dense elimination.
    """
    return solve_all(matrix, pattern, order, [right])[0]


def solve_all(
    matrix: Matrix, pattern: Sequence[AbstractSet[int]], order: Sequence[int], rights: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """The same for several right-hand sides, with one elimination."""
    rows = [dict(enumerate(row)) for row in matrix]
    left = [set(others) for others in pattern]
    found = [list(right) for right in rights]
    factors: list[tuple[int, Scalar, list[tuple[int, Scalar]]]] = []
    for k in order:
        inverse = 1 / rows[k][k]
        others = sorted(left[k])
        scaled = [(i, rows[k][i] * inverse) for i in others]
        for i, factor in scaled:
            left[i].discard(k)
            for j in others:
                if j <= i:
                    fresh = rows[i][j] - factor * rows[k][j]
                    rows[i][j] = rows[j][i] = fresh
                if j != i:
                    left[i].add(j)
            for x in found:
                x[i] = x[i] - factor * x[k]
        factors.append((k, inverse, scaled))
    for x in found:
        for k, inverse, scaled in reversed(factors):
            value = x[k] * inverse
            for i, factor in scaled:
                value = value - factor * x[i]
            x[k] = value
    return found
