r"""Motion under constraints: accelerations and contact forces, and the speed jumps of impacts.

$M a + \text{bias} = \tau + J' F$ with $J a + \gamma = 0$; for an impact $M (v^+ - v) = J' P$.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_single_value, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.functions.constrained.impulse_path import impulse_of_impact
from gearwright.functions.constrained.several_impacts import impulses_in_sequence, impulses_together
from gearwright.functions.dynamics import bias, mass_matrix
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of
from gearwright.programs.inputs import checked_array
from gearwright.text import did_you_mean

TOGETHER_ORDER = "together"
IMPACT_ORDERS = {TOGETHER_ORDER: impulses_together, "sequence": impulses_in_sequence}
"""Models of simultaneous impacts of several contacts."""


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
    r"""Return accelerations and constraint forces with $J a + \gamma = 0$; $\gamma = \dot J v$ for a fixed contact.

    Args:
        mech: the machine.
        q: configuration, (..., nq).
        v: speeds, (..., n).
        tau: generalized forces, (..., n).
        J: rows of the constraints, (..., m, n).
        gamma: velocity terms of the constraint accelerations, (..., m).

    >>> import gearwright as gw
    >>> mass = gw.Mechanism([gw.Body("x", joint="prismatic", axis=(0, 0, 1), mass=2)])
    >>> constrained_dynamics(mass, [0.0], [0.0], [0.0], [[1.0]], [0.0]).force      # the weight
    array([19.62])
    """
    name = "constrained_dynamics"
    mech = machine_of(name, mech)
    rows = _checked_rows(name, mech, J)
    drift = checked_array(name, mech, "gamma", gamma, rows.shape[-2], [f"row {k}" for k in range(rows.shape[-2])])
    forces = checked_array(name, mech, "tau", tau, mech.n)
    M, right = mass_matrix(mech, q), forces - bias(mech, q, v)
    spread, matrix = _constraint_compliance(name, M, rows)
    free = _solve_batch(M, right)
    force = _solve_batch(matrix, -drift - _matrix_vector(rows, free))  # Vukobratovic (20.87)-(20.89)
    return ConstrainedResult(free + _matrix_vector(spread, force), force)


@dataclass(frozen=True, kw_only=True)
class StruckBody:
    """The body that the machine hits; without a stated mass it keeps its speed, as a wall does.

    Args:
        mass: effective mass along each row of the contacts [kg], one value or one per row; infinite unless given.
        speed: speed along each row before the impact [m/s].

    >>> StruckBody(mass=2.0).speed
    0.0
    """

    mass: ArrayLike = np.inf
    speed: ArrayLike = 0.0

    def __post_init__(self) -> None:
        number_array("StruckBody", "mass", self.mass, above=0.0, infinite=True, unit="kg")
        number_array("StruckBody", "speed", self.speed, unit="m/s")


FIXED_BODY = StruckBody()


@check_arguments
def impact(
    mech: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike,
    J: ArrayLike,
    restitution: ArrayLike = 0.0,
    *,
    against: StruckBody = FIXED_BODY,
    friction: ArrayLike | None = None,
    order: str = TOGETHER_ORDER,
) -> ImpactResult:
    r"""Return the speeds after an impact along the rows of J against a body of given mass and speed.

    Without friction, $v^+ = v + M^{-1} J' P$, $\;P = -(1 + e)\,(J M^{-1} J' + 1/m)^{-1} (J v - s)$: the corrected eqs
    (20.95)-(20.97) of Vukobratovic and Potkonjak, with Newton's restitution e. With friction, J is one contact: the
    normal row, then one or two orthogonal tangential rows. The impulse is integrated through sliding, sticking and
    reversal (Keller), and e is Stronge's energetic coefficient, so no energy is gained. At e = 0 the law is that of
    several contacts and of time stepping (Moreau): no approach speed is left, and friction opposes the final slip.

    With one friction coefficient per contact there are several unilateral contacts: the rows of J are divided equally
    among them, each with its normal row first. "together": simultaneous impacts; a plastic impact is followed by
    Poisson restitution, limited by the energy that Stronge's law returns. "sequence": impacts in the order of J, each
    by its impulse path, repeated until no contact approaches. Neither gains energy.

    Args:
        mech: the machine.
        q: configuration, (..., nq).
        v: speeds before, (..., n).
        J: rows of the contacts, (..., m, n).
        restitution: 0 (plastic) to 1 (elastic), one value or one per row.
        against: the other body, with its mass and speed along each row; fixed by default.
        friction: Coulomb's coefficient of one contact, or one value (0 allowed) for each of several, for one state;
            None: no friction, and bilateral rows.
        order: "together" or "sequence", for several contacts.

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
    rows, before = _checked_rows("impact", mech, J), checked_array("impact", mech, "v", v, mech.n)
    count = rows.shape[-2]
    one_sided = friction is not None and not is_single_value(friction)
    e = number_array("impact", "restitution", restitution, least=0.0, most=1.0)
    if not one_sided:  # for several contacts: one number, or one per contact
        e = _require_per_row("restitution", e, count)
    m, struck_speed = (
        _require_per_row(name, np.asarray(getattr(against, name), float), count) for name in ("mass", "speed")
    )
    approach = _matrix_vector(rows, before) - struck_speed
    spread, matrix = _constraint_compliance("impact", mass_matrix(mech, q), rows, may_repeat=one_sided)
    inverse_masses = np.broadcast_to(1.0 / m, matrix.shape[:-1])
    matrix = matrix + inverse_masses[..., None] * np.eye(matrix.shape[-1])
    # Vukobratovic (20.90)-(20.91), (20.95)-(20.97), corrected
    if friction is None:
        impulse = _solve_batch(matrix, -(1 + e) * approach)
    elif one_sided:
        impulse = _contact_impulses(matrix, approach, friction, e, order)
    else:
        impulse = _frictional_impulse(matrix, approach, friction, e)
    return ImpactResult(before + _matrix_vector(spread, impulse), impulse)


def _require_per_row(name: str, values: Array, count: int) -> Array:
    """Return one number, or one for each row of J."""
    if values.ndim and values.shape[-1] not in (1, count):
        raise InputError(f"impact: {name} has shape {values.shape}; give one number, or one for each of {count} rows.")
    return values


def _frictional_impulse(matrix: Array, approach: Array, friction: Any, e: Array) -> Array:
    """Return the impulse of one contact with friction."""
    mu = real_number("impact", "friction", friction, least=0.0, example=0.3)
    if matrix.shape not in ((2, 2), (3, 3)) or approach.ndim != 1 or e.ndim:
        raise InputError(
            f"impact: friction is for one contact at one state, but J M^-1 J' has shape {matrix.shape}. Give "
            "the normal row and one or two tangential rows, one configuration and one restitution."
        )
    return impulse_of_impact(matrix, approach, mu, float(e))


def _contact_impulses(matrix: Array, approach: Array, friction: ArrayLike, e: Array, order: str) -> Array:
    """Return the impulses of several unilateral contacts."""
    mu = number_array("impact", "friction", friction, least=0.0)
    count, rows = len(mu), len(approach) // max(len(mu), 1)
    if mu.ndim != 1 or approach.ndim != 1 or rows not in (1, 2, 3) or rows * count != len(approach):
        raise InputError(
            f"impact: {approach.shape[-1]} rows cannot be divided among {len(np.atleast_1d(mu))} contacts. Give one "
            "friction per contact, for each contact its normal row and zero, one or two tangential rows, the same "
            "number for all, and one configuration."
        )
    if order not in IMPACT_ORDERS:
        raise InputError(f"impact: order={order!r} is unknown. {did_you_mean(str(order), list(IMPACT_ORDERS))}")
    if e.ndim and e.shape != (count,):
        raise InputError(f"impact: restitution has shape {e.shape} for {count} contacts. Give one number, or one each.")
    blocks = [slice(k * rows, (k + 1) * rows) for k in range(count)]
    return IMPACT_ORDERS[order](matrix, approach, blocks, mu.tolist(), np.broadcast_to(e, (count,)).tolist())


def _checked_rows(name: str, mech: Mechanism, J: ArrayLike) -> Array:
    rows = checked_array(name, mech, "J", J, mech.n, mech.speeds)
    if rows.ndim < 2:
        raise InputError(f"{name}: J has shape {rows.shape}; give one row per constraint, (..., m, {mech.n}).")
    return rows


RELATIVE_ROW_ROUNDING, ROW_ROUNDING = 1e-12, 1e-14
"""Entries of a row of J, relative to the largest of J and absolute [1, m], up to which the row is zero: a linkage that
keeps a direction constant leaves rounding there, which would act as a constraint."""


def _constraint_compliance(name: str, M: Array, rows: Array, may_repeat: bool = False) -> tuple[Array, Array]:
    """Return M^-1 J' and J M^-1 J'; linearly dependent rows raise an error unless `may_repeat`."""
    right = np.swapaxes(np.broadcast_to(rows, (*M.shape[:-2], *rows.shape[-2:])), -1, -2)
    spread = np.asarray(np.linalg.solve(M, right), dtype=np.float64)
    matrix: Array = rows @ spread
    if may_repeat:
        return spread, matrix
    sizes = np.abs(rows).max(axis=-1, initial=0.0)
    is_zero = sizes <= np.maximum(RELATIVE_ROW_ROUNDING * sizes.max(axis=-1, keepdims=True, initial=0.0), ROW_ROUNDING)
    scale = np.sqrt(np.einsum("...ii->...i", matrix))
    normal = matrix / np.where(scale > 0, scale, 1.0)[..., None] / np.where(scale > 0, scale, 1.0)[..., None, :]
    if is_zero.any():
        raise SingularityError(
            f"{name}: row {int(np.argwhere(is_zero)[0, -1])} of J is zero: no joint moves along it, so its force is "
            "not determined. Remove the row."
        )
    if matrix.size and (np.linalg.eigvalsh(normal)[..., 0] < 1e-12).any():
        raise SingularityError(
            f"{name}: the rows of J are linearly dependent, so their forces are not unique. Remove the redundant rows."
        )
    return spread, matrix


def _matrix_vector(matrix: Array, vector: Array) -> Array:
    product: Array = (matrix @ vector[..., None])[..., 0]
    return product


def _solve_batch(matrix: Array, right: Array) -> Array:
    lead = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-1])
    right = np.broadcast_to(right, (*lead, right.shape[-1]))
    return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0], dtype=np.float64)
