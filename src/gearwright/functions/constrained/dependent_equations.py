"""Linearly dependent equations in restricted Python: one solution and the rank, by complete pivoting."""

from __future__ import annotations

from gearwright.compiling import Floats, array_tail
from gearwright.functions.constrained.contact_workspace import ContactWorkspace


def solve_dependent(s: ContactWorkspace, size: int, columns: int, ratio: float) -> int:
    """Solve in place by complete pivoting; returns the rank. Unknowns of dependent columns are zero.

    Pivots below `ratio`, relative to the largest, count as zero. `order` lists the unknowns, those of the rank first,
    `residual` is the largest right side that the dependent rows leave over.
    """
    matrix = s.matrix
    right = s.right
    for j in range(size):
        s.order[j] = j
    first = 0.0
    rank = size
    for j in range(size):
        largest = -1.0
        row = j
        column = j
        for i in range(j, size):
            for k in range(j, size):
                if abs(matrix[i * size + k]) > largest:
                    largest = abs(matrix[i * size + k])
                    row = i
                    column = k
        if j == 0:
            first = largest
        if not (largest > ratio * first):
            rank = j
            break
        if row != j:
            swap_rows(array_tail(matrix, j * size), array_tail(matrix, row * size), size)
            swap_rows(array_tail(right, j * columns), array_tail(right, row * columns), columns)
        if column != j:
            swap_columns(matrix, j, column, size)
            number = s.order[j]
            s.order[j] = s.order[column]
            s.order[column] = number
        for i in range(j + 1, size):
            factor = matrix[i * size + j] / matrix[j * size + j]
            if factor != 0.0:
                for k in range(j + 1, size):
                    matrix[i * size + k] -= factor * matrix[j * size + k]
                for k in range(columns):
                    right[i * columns + k] -= factor * right[j * columns + k]
    s.residual = 0.0
    for j in range(rank, size):
        s.residual = max(s.residual, abs(right[j * columns]))
        for k in range(columns):
            right[j * columns + k] = 0.0
    substitute_back(matrix, right, rank, size, columns)
    return rank


def swap_rows(row: Floats, second: Floats, count: int) -> None:
    """Exchange the first entries of two rows."""
    for i in range(count):
        old = row[i]
        row[i] = second[i]
        second[i] = old


def swap_columns(matrix: Floats, j: int, k: int, size: int) -> None:
    """Exchange two columns."""
    for i in range(size):
        old = matrix[i * size + j]
        matrix[i * size + j] = matrix[i * size + k]
        matrix[i * size + k] = old


def substitute_back(matrix: Floats, right: Floats, rank: int, size: int, columns: int) -> None:
    """Solve the upper triangle of the leading unknowns for all columns of the right side."""
    for j in range(rank - 1, -1, -1):
        for k in range(columns):
            total = right[j * columns + k]
            for i in range(j + 1, rank):
                total -= matrix[j * size + i] * right[i * columns + k]
            right[j * columns + k] = total / matrix[j * size + j]
