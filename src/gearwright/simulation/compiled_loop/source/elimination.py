r"""The event loop, Gaussian elimination: with row pivoting, and with complete pivoting for linearly dependent holds.

Complete pivoting finds one solution z; the others are $z + N y$ with the null space N. Of all of them the one with the
least norm of the multipliers is taken, $z - N (N' W N)^{-1} N' W z$, where the weights W count every hold along a
direction.
"""

from __future__ import annotations

from gearwright.compiling import Floats, Ints, array_tail
from gearwright.functions.constrained.dependent_equations import swap_rows
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

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


def in_order_of_unknowns(s: LoopWorkspace, size: int, columns: int) -> None:
    """Write the solution back in the order of the unknowns."""
    for j in range(size):
        for k in range(columns):
            s.solution[s.order[j] * columns + k] = s.right[j * columns + k]
    for j in range(size * columns):
        s.right[j] = s.solution[j]


def take_least_forces(s: LoopWorkspace, rank: int, size: int, columns: int) -> int:
    """Change the solution of `solve_dependent` to that of least norm of the multipliers; 1 on failure."""
    free = size - rank
    for f in range(free):  # a null vector per free unknown, in pivot order
        for j in range(size):
            s.null[f * size + j] = 0.0
        s.null[f * size + rank + f] = 1.0
        for j in range(rank - 1, -1, -1):
            total = -s.matrix[j * size + rank + f]
            for i in range(j + 1, rank):
                total -= s.matrix[j * size + i] * s.null[f * size + i]
            s.null[f * size + j] = total / s.matrix[j * size + j]
    for f in range(free):
        for g in range(free):
            s.null_matrix[f * free + g] = weighted_product(
                s, array_tail(s.null, f * size), array_tail(s.null, g * size), size, 1
            )
        for k in range(columns):
            s.null_right[f * columns + k] = weighted_product(
                s, array_tail(s.null, f * size), array_tail(s.right, k), size, columns
            )
    if solve_by_elimination(s.null_matrix, s.null_right, s.z, free, columns) != 0:
        return 1
    for f in range(free):
        for j in range(size):
            for k in range(columns):
                s.right[j * columns + k] -= s.null[f * size + j] * s.null_right[f * columns + k]
    return 0


def weighted_product(s: LoopWorkspace, null: Floats, column: Floats, size: int, stride: int) -> float:
    """The product of two columns in pivot order, with the weights of the holds; drags do not count."""
    total = 0.0
    for j in range(size):
        unknown = s.order[j]
        if unknown < s.held:
            total += null[j] * column[j * stride] / s.squares[unknown]
    return total


def factorise_complex(real: Floats, imaginary: Floats, pivots: Ints, size: int) -> int:
    """Factorise a complex matrix in place with row pivoting, inverse pivots on its diagonal; 1 if it is singular."""
    for j in range(size):
        best = j
        largest = 0.0
        for i in range(j, size):
            weight = abs(real[i * size + j]) + abs(imaginary[i * size + j])
            if weight > largest:
                largest = weight
                best = i
        if not (largest > 0.0):
            return 1
        pivots[j] = best
        if best != j:
            swap_rows(array_tail(real, j * size), array_tail(real, best * size), size)
            swap_rows(array_tail(imaginary, j * size), array_tail(imaginary, best * size), size)
        a = real[j * size + j]
        b = imaginary[j * size + j]
        square = a * a + b * b
        real[j * size + j] = a / square
        imaginary[j * size + j] = -b / square
        for i in range(j + 1, size):
            eliminate_row(real, imaginary, i, j, size)
    return 0


def eliminate_row(real: Floats, imaginary: Floats, row: int, j: int, size: int) -> None:
    """Subtract a multiple of the pivot row from another row of a complex matrix, and store the multiple."""
    a = real[row * size + j]
    b = imaginary[row * size + j]
    if a == 0.0 and b == 0.0:
        return
    x = a * real[j * size + j] - b * imaginary[j * size + j]
    y = a * imaginary[j * size + j] + b * real[j * size + j]
    real[row * size + j] = x
    imaginary[row * size + j] = y
    pivot = array_tail(real, j * size)
    pivot_imaginary = array_tail(imaginary, j * size)
    out = array_tail(real, row * size)
    out_imaginary = array_tail(imaginary, row * size)
    for i in range(j + 1, size):
        out[i] -= x * pivot[i] - y * pivot_imaginary[i]
        out_imaginary[i] -= x * pivot_imaginary[i] + y * pivot[i]


def solve_factorised(
    matrix: Floats, matrix_imaginary: Floats, pivots: Ints, real: Floats, imaginary: Floats, size: int
) -> None:
    """Solve in place with a factorised complex matrix."""
    for j in range(size):
        best = pivots[j]
        x = real[best]
        y = imaginary[best]
        real[best] = real[j]
        imaginary[best] = imaginary[j]
        real[j] = x
        imaginary[j] = y
    for i in range(size):
        x = real[i]
        y = imaginary[i]
        row = array_tail(matrix, i * size)
        turned = array_tail(matrix_imaginary, i * size)
        for k in range(i):
            x -= row[k] * real[k] - turned[k] * imaginary[k]
            y -= row[k] * imaginary[k] + turned[k] * real[k]
        real[i] = x
        imaginary[i] = y
    for i in range(size - 1, -1, -1):
        x = real[i]
        y = imaginary[i]
        row = array_tail(matrix, i * size)
        turned = array_tail(matrix_imaginary, i * size)
        for k in range(i + 1, size):
            x -= row[k] * real[k] - turned[k] * imaginary[k]
            y -= row[k] * imaginary[k] + turned[k] * real[k]
        real[i] = x * row[i] - y * turned[i]
        imaginary[i] = x * turned[i] + y * row[i]
