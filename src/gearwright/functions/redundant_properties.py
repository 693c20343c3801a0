"""Properties P1 to P3 of the kinematics of Melhem and Loria, and the search for a constant left inverse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError

ZERO_RESIDUAL = 1e-8
"""How far from the identity a constant matrix may be and still count as a left inverse."""


class Ranks(NamedTuple):
    """Ranks, the smallest over the configurations: of M, J, and of the parts J1 (links) and J3 (own spin of rotors).

    P1 (a) says that J1 and J3 have full column rank; a form that does not count a rotor's own spin has None for J3.
    """

    inertia: int
    jacobian: int
    links: int
    rotors: int | None


class Bounds(NamedTuple):
    """The smallest and the largest norm over the configurations."""

    lower: float
    upper: float


def parts(quantities: Sequence[str], joints: int, J: Array) -> tuple[Array, Array | None]:
    """J1 (links) and J3 (rotors' own spin; None in forms that do not count it) of J, eq. (12) of Melhem and Loria.

    `quantities` names what every three rows count, `joints` how many columns belong to joints.
    """
    spin, carrier = (np.repeat([name == kind for name in quantities], 3) for kind in ("spin", "carrier"))
    motors = joints if J.shape[-1] > joints else 0
    return J[..., ~(spin | carrier), :joints], J[..., spin, motors:] if spin.any() else None


def inverse_slopes(J: Array, slopes: Array) -> Array:
    """Per unit of each speed the rate of the pseudoinverse of J, (..., n, columns, rows).

    dJ+ = (J'J)^-1 dJ' (1 - J J+) - J+ dJ J+ for full column rank; `slopes` are dJ per unit of each speed.
    """
    J = J[..., None, :, :]
    left, Jt = np.linalg.pinv(J), np.swapaxes(J, -1, -2)
    outside = np.eye(J.shape[-2]) - J @ left
    result: Array = np.linalg.solve(Jt @ J, np.swapaxes(slopes, -1, -2)) @ outside - left @ slopes @ left  # Melhem (17)
    return result


def left_null_rows(J: Array) -> Array:
    """Orthonormal rows A with A J = 0, (..., size - n, size), for J (..., size, n) of full column rank."""
    U, _, _ = np.linalg.svd(J)
    rows: Array = np.swapaxes(U[..., :, J.shape[-1] :], -1, -2)
    return rows


def require_left_inverse(function: str, L: Array, J: Array) -> None:
    """Refuse what is not a left inverse of J."""
    size, n = J.shape[-2:]
    if L.shape[-2:] != (n, size):
        raise InputError(f"{function}: left_inverse has shape {L.shape}; its last axes must be {(n, size)}.")
    off = np.abs(L @ J - np.eye(n)).max(initial=0.0)
    if not off < 1e-6:
        raise InputError(
            f"{function}: left_inverse times J(q) differs from the identity by {off:.3g}, so it is not a left "
            "inverse here. Use left_inverse(q) or constant_left_inverse()."
        )


def smallest_rank(matrices: Array) -> int:
    """The smallest rank of a batch of matrices."""
    return int(np.min(np.linalg.matrix_rank(matrices)))


def norm_bounds(matrices: Array) -> Bounds:
    """Bounds of the induced 2-norm of a batch of matrices."""
    norms = np.linalg.norm(matrices, 2, axis=(-2, -1))  # Melhem (15)
    return Bounds(float(norms.min()), float(norms.max()))


def lipschitz_constant(slopes: Array) -> float:
    """A bound of ||sum_k x_k A_k|| over unit x and all configurations, A_k = slopes[..., k, :, :].

    The norm of a trilinear form is at most that of each of its three unfoldings; the smallest is taken.
    """
    *lead, n, size, columns = slopes.shape
    unfolded = [
        slopes.reshape(*lead, n, size * columns),
        np.swapaxes(slopes, -3, -2).reshape(*lead, size, n * columns),
        np.moveaxis(slopes, -1, -3).reshape(*lead, columns, n * size),
    ]
    norms = np.min([np.linalg.norm(matrix, 2, axis=(-2, -1)) for matrix in unfolded], axis=0)
    return float(np.max(norms))  # Melhem (16)


def constant_row(jacobians: Array, speed: int) -> Array | None:
    """The smallest row l with l J(q) = e_speed at all given configurations, or None.

    The rows with l J(q) = 0 for every q are a linear space; every random configuration that does not lie in it already
    takes a dimension away from what is left, so that more configurations than J has rows decide the question.
    """
    count, _, n = jacobians.shape
    wide = np.concatenate(list(jacobians), axis=1)
    wanted = np.tile(np.eye(n)[speed], count)
    row, *_ = np.linalg.lstsq(wide.T, wanted, rcond=1e-12)
    off = np.abs(row @ wide - wanted).max()
    found: Array = row
    return found if off < ZERO_RESIDUAL * max(1.0, float(np.abs(row).max())) else None


def times(matrix: Array, vector: Array) -> Array:
    """Matrix times vector, any leading axes."""
    result: Array = (matrix @ vector[..., None])[..., 0]
    return result


def refuse_none(function: str, sampled: Array) -> None:
    """Refuse an empty set of configurations."""
    if not sampled.size:
        raise InputError(f"RedundantModel.{function}: there is no configuration among q. Give at least one.")
