"""Solving with a symmetric matrix whose zeros are known."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from gearwright.algebra import Scalar
from gearwright.dynamics.mass_matrix import Matrix

Pivot = tuple[int, Scalar, list[tuple[int, Scalar]]]
"""A speed that is eliminated, the inverse of its pivot, and the others with their factors."""


def solve(
    matrix: Matrix, pattern: Sequence[AbstractSet[int]], order: Sequence[int], right: Sequence[Scalar]
) -> list[Scalar]:
    """X of `matrix` x = `right` by L D L' elimination in a given order, touching only what is not zero.

    `pattern[i]` are the other speeds that share an entry with i. A tree eliminated from its leaves gets no fill-in;
    a full pattern gives the dense elimination.
    """
    x = list(right)
    return _backwards(eliminated(matrix, pattern, order, [x]), x)


def solve_all(
    matrix: Matrix, pattern: Sequence[AbstractSet[int]], order: Sequence[int], rights: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """The same for several right-hand sides, with one elimination."""
    found = [list(right) for right in rights]
    factors = eliminated(matrix, pattern, order, found)
    return [_backwards(factors, x) for x in found]


def eliminated(
    matrix: Matrix,
    pattern: Sequence[AbstractSet[int]],
    order: Sequence[int],
    rights: Sequence[list[Scalar]] = (),
) -> list[Pivot]:
    """The factors L and D; right-hand sides that are known already go along, so that L x = right is left of them."""
    rows = [dict(enumerate(row)) for row in matrix]
    left = [set(others) for others in pattern]
    factors: list[Pivot] = []
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
            for x in rights:
                x[i] = x[i] - factor * x[k]
        factors.append((k, inverse, scaled))
    return factors


def substituted(factors: Sequence[Pivot], right: Sequence[Scalar]) -> list[Scalar]:
    """X of L D L' x = right."""
    x = list(right)
    for k, _, scaled in factors:
        for i, factor in scaled:
            x[i] = x[i] - factor * x[k]
    return _backwards(factors, x)


def _backwards(factors: Sequence[Pivot], x: list[Scalar]) -> list[Scalar]:
    """X of D L' x = right."""
    for k, inverse, scaled in reversed(factors):
        value = x[k] * inverse
        for i, factor in scaled:
            value = value - factor * x[i]
        x[k] = value
    return x
