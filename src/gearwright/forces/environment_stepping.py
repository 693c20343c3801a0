r"""What an environment does over a fixed step: inertia and dampers by impulses, as they are at its end.

With $G = M + h B$ the impulses along the coordinates are $P = M (w - h d) - G w^+$: w their speeds with those of the
beginning, $w^+$ with those of the end, d their drifts. $G = L D L'$ makes each depend on one speed alone, that along
the mixed coordinate $L' s$, which is what projected Gauss-Seidel asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Operations, Scalar
from gearwright.forces.contact_stepping import Mixed
from gearwright.forces.impulse import UNBOUNDED, Slipping
from gearwright.forces.law import Hold
from gearwright.forces.line import Line

Rows = Sequence[Sequence[Scalar]]


def factored(matrix: Rows, ops: Operations) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L (ones on its diagonal) and D of a symmetric matrix without negative eigenvalues, L D L'.

    >>> from gearwright.algebra.operations import FLOATS
    >>> factored([[4.0, 2.0], [2.0, 3.0]], FLOATS)
    ([[1.0, 0.0], [0.5, 1.0]], [4.0, 2.0])
    """
    size = range(len(matrix))
    rest = [list(row) for row in matrix]
    L: list[list[Scalar]] = [[float(i == k) for k in size] for i in size]
    D: list[Scalar] = []
    for k in size:
        pivot = rest[k][k]
        D.append(pivot)
        share = 1.0 / ops.where(pivot > 0, pivot, 1.0)  # where it is zero, so is its column
        for i in range(k + 1, len(matrix)):
            L[i][k] = rest[i][k] * share
            for j in range(k + 1, i + 1):
                rest[i][j] = rest[i][j] - L[i][k] * rest[j][k]
    return L, D


def moved_along(
    lines: Sequence[Line], rate: Sequence[Scalar], M: Rows, B: Rows, step: Scalar, ops: Operations
) -> tuple[tuple[Hold, ...], tuple[Slipping, ...], list[list[Scalar]]]:
    """Holds along the mixed lines L' s, their limits L^-1 P = L^-1 M (w - h d) - D w^+, and L."""
    L, D = factored([[m + step * b for m, b in zip(*rows, strict=True)] for rows in zip(M, B, strict=True)], ops)
    before = [w - step * line.drift for w, line in zip(rate, lines, strict=True)]
    holds, limits, brought = [], [], []  # type: list[Hold], list[Slipping], list[Scalar]
    for k, slope in enumerate(D):
        momentum = dot(M[k], before)
        for j, known in enumerate(brought):
            momentum = momentum - L[k][j] * known
        brought.append(momentum)
        holds.append(Hold(Mixed(lines[k:], [row[k] for row in L[k:]]), speed=0.0))
        limits.append(Slipping(-momentum, slope, UNBOUNDED))
    return tuple(holds), tuple(limits), L


def dot(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    """The sum of products."""
    return sum((a * b for a, b in zip(x, y, strict=True)), 0.0)
