"""The event loop, Gaussian elimination with row pivoting."""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.intrinsics import Floats, array_tail

PIVOT_RATIO = 1e-11
"""A pivot below this, relative to the initial entries of its column, counts as zero."""


def solve_by_elimination(matrix: Floats, right: Floats, scale: Floats, size: int, columns: int) -> int:
    """Solve in place with row pivoting; 1 if the matrix is singular. On return the scales are the inverse pivots."""
    for j in range(size):
        scale[j] = 0.0
    for i in range(size):
        for j in range(size):
            scale[j] = max(scale[j], abs(matrix[i * size + j]))
    for j in range(size):
        best = j
        largest = abs(matrix[j * size + j])
        for i in range(j + 1, size):
            if abs(matrix[i * size + j]) > largest:
                largest = abs(matrix[i * size + j])
                best = i
        if not (largest > PIVOT_RATIO * scale[j]):
            return 1
        if best != j:
            swap_rows(array_tail(matrix, j * size), array_tail(matrix, best * size), size)
            swap_rows(array_tail(right, j * columns), array_tail(right, best * columns), columns)
        scale[j] = 1.0 / matrix[j * size + j]
        for k in range(j + 1, size):
            factor = matrix[k * size + j] * scale[j]
            if factor != 0.0:
                for i in range(j + 1, size):
                    matrix[k * size + i] -= factor * matrix[j * size + i]
                for i in range(columns):
                    right[k * columns + i] -= factor * right[j * columns + i]
    for j in range(size - 1, -1, -1):
        for i in range(columns):
            total = right[j * columns + i]
            for k in range(j + 1, size):
                total -= matrix[j * size + k] * right[k * columns + i]
            right[j * columns + i] = total * scale[j]
    return 0


def swap_rows(row: Floats, second: Floats, count: int) -> None:
    """Exchange the first entries of two rows."""
    for i in range(count):
        old = row[i]
        row[i] = second[i]
        second[i] = old
