r"""Motion under constraints: accelerations and contact forces, and the speed jumps of impacts.

$M a + \text{bias} = \tau + J' F$ with $J a + \gamma = 0$; for an impact $M (v^+ - v) = J' P$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_single, number, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.functions.constrained.several_impacts import impulses_in_sequence, impulses_together
from gearwright.functions.dynamics import bias, mass_matrix
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.programs.inputs import checked
from gearwright.text import did_you_mean

TOGETHER = "together"
ORDERS = {TOGETHER: impulses_together, "sequence": impulses_in_sequence}
"""How several contacts strike."""


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


@check_arguments
def impact(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    J: ArrayLike,
    restitution: ArrayLike = 0.0,
    *,
    mass: ArrayLike = np.inf,
    speed: ArrayLike = 0.0,
    friction: ArrayLike | None = None,
    order: str = TOGETHER,
) -> ImpactResult:
    r"""Speeds after an impact along the rows of J against a body of given mass and speed.

    Without friction, $v^+ = v + M^{-1} J' P$, $\;P = -(1 + e)\,(J M^{-1} J' + 1/m)^{-1} (J v - s)$: the corrected eqs
    (20.95)-(20.97) of Vukobratovic and Potkonjak, with Newton's restitution e. With friction, J is one contact: the
    normal row, then one or two tangential rows at right angles; the impulse follows its path through sliding, sticking
    and turning round (Keller), and e is Stronge's energetic coefficient, so that no energy is gained.

    With one friction coefficient per contact there are several, one-sided ones: the rows of J are shared out equally
    among them, the normal one of each first. "together": all strike at once; they are stopped as if they were plastic,
    then thrown back by Poisson's law as far as the energy allows that Stronge's law gives back. "sequence": one after
    the other as they stand in J, each by its path of impulse, until none approaches. Neither gains energy.

    Args:
        mech: the machine.
        q: configuration, (..., nq).
        v: speeds before, (..., n).
        J: rows along which it strikes, (..., m, n).
        restitution: 0 (plastic) to 1 (elastic), one number or one per row.
        mass: mass of what it strikes along each row [kg]; infinite unless given.
        speed: speed of what it strikes along each row [m/s].
        friction: Coulomb's coefficient of one contact, or one number (0 allowed) for each of several, for one state;
            None: no friction, and rows that hold both ways.
        order: "together" or "sequence", of several contacts.

    >>> import gearwright as gw
    >>> ball = gw.Mechanism([gw.Body("x", joint="prismatic", mass=2)])
    >>> impact(ball, [0.0], [-3.0], [[1.0]], restitution=0.5).v_after
    array([1.5])
    >>> lift = gw.Body("lift", joint="prismatic", axis=(0, 0, 1))
    >>> flat = gw.Mechanism([lift, gw.Body("rod", 0, axis=(0, 1, 0), mass=1, inertia=np.eye(3) / 12)])
    >>> ends = [[1.0, 0.5], [1.0, -0.5]]
    >>> impact(flat, [0.0, 0.0], [-1.0, 0.0], ends, restitution=0.5, friction=[0.0, 0.0]).v_after.round(9)
    array([0.5, 0. ])
    """
    mech = machine_of("impact", mech)
    rows, before = _rows("impact", mech, J), checked("impact", mech, "v", v, mech.n)
    count = rows.shape[-2]
    one_sided = friction is not None and not is_single(friction)
    e = numbers("impact", "restitution", restitution, least=0.0, most=1.0)
    if not one_sided:  # of several contacts it is one number, or one per contact
        e = _per_row("restitution", e, count)
    m = _per_row("mass", numbers("impact", "mass", mass, above=0.0, infinite=True, unit="kg"), count)
    approach = _times(rows, before) - _per_row("speed", numbers("impact", "speed", speed, unit="m/s"), count)
    spread, matrix = _resistance("impact", mass_matrix(mech, q), rows, may_repeat=one_sided)
    other = np.broadcast_to(1.0 / m, matrix.shape[:-1])
    matrix = matrix + other[..., None] * np.eye(matrix.shape[-1])
    # Vukobratovic (20.90)-(20.91), (20.95)-(20.97), corrected
    if friction is None:
        impulse = _solved(matrix, -(1 + e) * approach)
    elif one_sided:
        impulse = _contact_impulses(matrix, approach, friction, e, order)
    else:
        impulse = _rubbed(matrix, approach, friction, e)
    return ImpactResult(before + _times(spread, impulse), impulse)


def _per_row(name: str, given: Array, count: int) -> Array:
    """One number, or one for each row of J."""
    if given.ndim and given.shape[-1] not in (1, count):
        raise InputError(f"impact: {name} has shape {given.shape}; give one number, or one for each of {count} rows.")
    return given


def _rubbed(matrix: Array, approach: Array, friction: Any, e: Array) -> Array:
    """The impulse of one contact with friction."""
    mu = number("impact", "friction", friction, least=0.0, example=0.3)
    if matrix.shape not in ((2, 2), (3, 3)) or approach.ndim != 1 or e.ndim:
        raise InputError(
            f"impact: with friction it is one contact of one state; J leads to a matrix of shape {matrix.shape}. Give "
            "the normal row and one or two tangential rows, one configuration and one restitution."
        )
    return impulse_of_impact(matrix, approach, mu, float(e))


def _contact_impulses(matrix: Array, approach: Array, friction: ArrayLike, e: Array, order: str) -> Array:
    """The impulses of several one-sided contacts."""
    mu = numbers("impact", "friction", friction, least=0.0)
    count, rows = len(mu), len(approach) // max(len(mu), 1)
    if mu.ndim != 1 or approach.ndim != 1 or rows not in (1, 2, 3) or rows * count != len(approach):
        raise InputError(
            f"impact: {len(np.atleast_1d(mu))} contacts cannot share {approach.shape[-1]} rows. Give one "
            "friction per contact, each contact its normal row and none, one or two tangential rows, the same number "
            "for all, and one configuration."
        )
    if order not in ORDERS:
        raise InputError(f"impact: order={order!r} is unknown. {did_you_mean(str(order), list(ORDERS))}")
    if e.ndim and e.shape != (count,):
        raise InputError(f"impact: restitution has shape {e.shape} for {count} contacts. Give one number, or one each.")
    blocks = [slice(k * rows, (k + 1) * rows) for k in range(count)]
    return ORDERS[order](matrix, approach, blocks, mu.tolist(), np.broadcast_to(e, (count,)).tolist())


def _rows(name: str, mech: Mechanism, J: ArrayLike) -> Array:
    rows = checked(name, mech, "J", J, mech.n, mech.speeds)
    if rows.ndim < 2:
        raise InputError(f"{name}: J has shape {rows.shape}; give one row per constraint, (..., m, {mech.n}).")
    return rows


def _resistance(name: str, M: Array, rows: Array, may_repeat: bool = False) -> tuple[Array, Array]:
    """M^-1 J' and J M^-1 J'; rows that depend on each other are refused unless they may."""
    right = np.swapaxes(np.broadcast_to(rows, (*M.shape[:-2], *rows.shape[-2:])), -1, -2)
    spread = np.asarray(np.linalg.solve(M, right), dtype=np.float64)
    matrix: Array = rows @ spread
    if may_repeat:
        return spread, matrix
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
