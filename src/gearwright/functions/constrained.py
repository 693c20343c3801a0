r"""Motion under constraints: accelerations and contact forces, and the speed jumps of impacts.

$M a + \text{bias} = \tau + J' F$ with $J a + \gamma = 0$; for an impact $M (v^+ - v) = J' P$.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.functions.functions import bias, mass_matrix
from gearwright.functions.impulse_path import impulse_of_impact
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.inputs import checked


class ConstrainedResult(NamedTuple):
    """Accelerations (..., n), and forces along the rows of J (..., m), positive along the rows."""

    a: Array
    force: Array


class ImpactResult(NamedTuple):
    """Speeds after an impact (..., n), and impulses along the rows of J (..., m)."""

    v_after: Array
    impulse: Array


def constrained_dynamics(
    mech: RobotOrMech, q: ArrayLike, v: ArrayLike, tau: ArrayLike, J: ArrayLike, gamma: ArrayLike
) -> ConstrainedResult:
    r"""Accelerations and constraint forces so that $J a + \gamma = 0$, with $\gamma = \dot J v$ for a fixed contact.

    Args:
        mech: the machine.
        q: configuration, (..., nq).
        v: speeds, (..., n).
        tau: generalized forces, (..., n).
        J: rows of the constraints, (..., m, n).
        gamma: what the rows' rates add, (..., m).

    >>> import gearwright as gw
    >>> mass = gw.Mechanism([gw.Body("x", joint="prismatic", axis=(0, 0, 1), mass=2)])
    >>> constrained_dynamics(mass, [0.0], [0.0], [0.0], [[1.0]], [0.0]).force      # it carries the weight
    array([19.62])
    """
    name = "constrained_dynamics"
    mech = machine_of(name, mech)
    rows = _rows(name, mech, J)
    drift = checked(name, mech, "gamma", gamma, rows.shape[-2], [f"row {k}" for k in range(rows.shape[-2])])
    forces = checked(name, mech, "tau", tau, mech.n)
    M, right = mass_matrix(mech, q), forces - bias(mech, q, v)
    spread, matrix = _resistance(name, M, rows)
    free = _solved(M, right)
    force = _solved(matrix, -drift - _times(rows, free))  # Vukobratovic (20.87)-(20.89)
    return ConstrainedResult(free + _times(spread, force), force)


def impact(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    J: ArrayLike,
    restitution: ArrayLike = 0.0,
    *,
    mass: ArrayLike = np.inf,
    speed: ArrayLike = 0.0,
    friction: float | None = None,
) -> ImpactResult:
    r"""Speeds after an impact along the rows of J against a body of given mass and speed.

    Without friction, $v^+ = v + M^{-1} J' P$, $\;P = -(1 + e)\,(J M^{-1} J' + 1/m)^{-1} (J v - s)$: the corrected eqs
    (20.95)-(20.97) of Vukobratovic and Potkonjak, with Newton's restitution e. With friction, J is one contact: the
    normal row, then one or two tangential rows at right angles; the impulse follows its path through sliding, sticking
    and turning round (Keller), and e is Stronge's energetic coefficient, so that no energy is gained.

    Args:
        mech: the machine.
        q: configuration, (..., nq).
        v: speeds before, (..., n).
        J: rows along which it strikes, (..., m, n).
        restitution: 0 (plastic) to 1 (elastic), one number or one per row.
        mass: mass of what it strikes along each row [kg]; infinite unless given.
        speed: speed of what it strikes along each row [m/s].
        friction: Coulomb's coefficient of one contact, for one state; None: no friction.

    >>> import gearwright as gw
    >>> ball = gw.Mechanism([gw.Body("x", joint="prismatic", mass=2)])
    >>> impact(ball, [0.0], [-3.0], [[1.0]], restitution=0.5).v_after
    array([1.5])
    """
    mech = machine_of("impact", mech)
    rows, before = _rows("impact", mech, J), checked("impact", mech, "v", v, mech.n)
    e = numbers("impact", "restitution", restitution, least=0.0, most=1.0)
    m = numbers("impact", "mass", mass, above=0.0, infinite=True, unit="kg")
    approach = _times(rows, before) - numbers("impact", "speed", speed, unit="m/s")
    spread, matrix = _resistance("impact", mass_matrix(mech, q), rows)
    other = np.broadcast_to(1.0 / m, matrix.shape[:-1])
    matrix = matrix + other[..., None] * np.eye(matrix.shape[-1])
    # Vukobratovic (20.90)-(20.91), (20.95)-(20.97), corrected
    impulse = _solved(matrix, -(1 + e) * approach) if friction is None else _rubbed(matrix, approach, friction, e)
    return ImpactResult(before + _times(spread, impulse), impulse)


def _rubbed(matrix: Array, approach: Array, friction: float, e: Array) -> Array:
    """The impulse of one contact with friction."""
    mu = number("impact", "friction", friction, least=0.0, example=0.3)
    if matrix.shape not in ((2, 2), (3, 3)) or approach.ndim != 1 or e.ndim:
        raise InputError(
            f"impact: with friction it is one contact of one state; J leads to a matrix of shape {matrix.shape}. Give "
            "the normal row and one or two tangential rows, one configuration and one restitution."
        )
    return impulse_of_impact(matrix, approach, mu, float(e))


def _rows(name: str, mech: Mechanism, J: ArrayLike) -> Array:
    rows = checked(name, mech, "J", J, mech.n, mech.speeds)
    if rows.ndim < 2:
        raise InputError(f"{name}: J has shape {rows.shape}; give one row per constraint, (..., m, {mech.n}).")
    return rows


def _resistance(name: str, M: Array, rows: Array) -> tuple[Array, Array]:
    """M^-1 J' and J M^-1 J'; rows that depend on each other are refused."""
    right = np.swapaxes(np.broadcast_to(rows, (*M.shape[:-2], *rows.shape[-2:])), -1, -2)
    spread = np.asarray(np.linalg.solve(M, right), dtype=np.float64)
    matrix: Array = rows @ spread
    scale = np.sqrt(np.einsum("...ii->...i", matrix))
    normal = matrix / np.where(scale > 0, scale, 1.0)[..., None] / np.where(scale > 0, scale, 1.0)[..., None, :]
    if matrix.size and (np.linalg.eigvalsh(normal)[..., 0] < 1e-12).any():
        raise SingularityError(
            f"{name}: the rows of J depend on each other (or one is zero), so their forces are not unique. Leave out "
            "the rows that repeat others."
        )
    return spread, matrix


def _times(matrix: Array, vector: Array) -> Array:
    product: Array = (matrix @ vector[..., None])[..., 0]
    return product


def _solved(matrix: Array, right: Array) -> Array:
    lead = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-1])
    right = np.broadcast_to(right, (*lead, right.shape[-1]))
    return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0], dtype=np.float64)
