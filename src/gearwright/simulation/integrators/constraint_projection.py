"""Constraints of a run: the start is checked, and every accepted step is projected onto them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.errors import InputError, SimulationError
from gearwright.forces import Contact
from gearwright.simulation.run_point import RunPoint
from gearwright.system.constraints.projection import PositionConstraints, position_constraints
from gearwright.system.constraints.projection_tolerances import (
    DEPENDENT_ROWS_RATIO,
    POSITION_JUMP_LIMIT,
    SPEED_JUMP_LIMIT,
)
from gearwright.system.force_balance import rows_nearly_dependent
from gearwright.system.system import Modes, System
from gearwright.text import listed_names

Projection: TypeAlias = Callable[[float, Array], Array]
"""(time, state vector) -> the state vector on the constraints."""

START_ERROR_LIMIT = 1e-6
"""Largest violation of the constraints at the start [m, rad; m/s, rad/s]; the projection removes it."""

DEPENDENT_HOLDS_REMARK = "holds: "
"""Beginning of the remark on constraint forces that are not unique."""

IMMOVABLE_ROW_SIZE = 1e-12
"""A row with a norm below this [1, m] counts as zero."""


def projected_start(system: System, t: float, x: Array, u: Array, modes: Modes) -> Array:
    """The start projected onto the constraints.

    Raises:
        InputError: the start violates the constraints, no joint moves a constraint, or no freedom remains.
    """
    held = position_constraints(system, t, x, u, modes)
    if held is None:
        return x
    _raise_if_immovable(held, t, x)
    _raise_if_overconstrained(held, t, x)
    _raise_if_violated(held, t, x)
    return held.project_state(t, x)


def projection_at(system: System, point: RunPoint, u: Array, remarks: list[str]) -> Projection | None:
    """The projection onto the constraints of the current modes; None if there are none.

    Constraint forces that are not unique get one remark.
    """
    held = position_constraints(system, point.t, point.x, u, point.modes)
    if held is None:
        return None

    last = point.t

    def project(now: float, y: Array) -> Array:
        nonlocal last
        _remark_dependent_rows(held, now, y, remarks)
        _raise_if_jumping(held, last, now, y)
        last = now
        return held.project_state(now, y)

    return project


def remark_dependent_rows(system: System, point: RunPoint, u: Array, remarks: list[str]) -> None:
    """Add one remark on constraint forces that are not unique at a run point."""
    if not _has_dependence_remark(remarks):
        held = position_constraints(system, point.t, point.x, u, point.modes)
        if held is not None:
            _remark_dependent_rows(held, point.t, point.x, remarks)


def _has_dependence_remark(remarks: list[str]) -> bool:
    return any(remark.startswith(DEPENDENT_HOLDS_REMARK) for remark in remarks)


def _remark_dependent_rows(held: PositionConstraints, t: float, x: Array, remarks: list[str]) -> None:
    if len(held.holds) < 2 or _has_dependence_remark(remarks):
        return
    if rows_nearly_dependent(held.constraint_rows(t, x)):
        rubs = any(isinstance(law, Contact) and law.has_friction for law in held.system.laws if law.name in held.owners)
        remarks.append(
            f"{DEPENDENT_HOLDS_REMARK}at t = {t:g} s the rows of {_hold_names(held)} are linearly dependent, so their "
            "forces are not unique: the forces of least norm are reported from then on."
            + (" Friction, and thus the motion while these contacts slide, depends on them." if rubs else "")
        )


def _raise_if_jumping(held: PositionConstraints, since: float, t: float, x: Array) -> None:
    """Raise an error if a moving constraint jumps within a step."""
    for error_of, limit, unit in (
        (held.position_errors, POSITION_JUMP_LIMIT, "m or rad"),
        (held.speed_errors, SPEED_JUMP_LIMIT, "m/s or rad/s"),
    ):
        errors = error_of(t, x)
        worst = int(np.argmax(np.abs(errors)))
        by_time = abs(errors[worst] - error_of(since, x)[worst]) if abs(errors[worst]) > limit else 0.0
        if by_time > 0.5 * limit:
            raise SimulationError(
                f"simulate: before t = {t:g} s the prescribed motion of {held.owners[worst]!r} jumps: "
                f"{held.holds[worst].line.name} is off by {errors[worst]:.3g} {unit}. The motion of its frame must be "
                "a smooth function of time: blend the jump over a short time, or start another run there."
            )


def _raise_if_immovable(held: PositionConstraints, t: float, x: Array) -> None:
    rows = np.abs(held.constraint_rows(t, x)).max(axis=1)
    elsewhere = x.copy()
    mech, system = held.system.mech, held.system
    step = 0.3 * np.sin(1.0 + 2.4 * np.arange(mech.n))
    elsewhere[system.q] = integrate(mech, x[system.q].tolist(), step.tolist(), FLOATS)
    rows = np.maximum(rows, np.abs(held.constraint_rows(t, elsewhere)).max(axis=1))
    gaps = np.abs(held.position_errors(t, x))
    movable = {owner for owner, size in zip(held.owners, rows, strict=True) if size >= IMMOVABLE_ROW_SIZE}
    for hold, owner, size, gap in zip(held.holds, held.owners, rows, gaps, strict=True):
        # A planar loop that states all coordinates is satisfied in those across its plane.
        if size < IMMOVABLE_ROW_SIZE and (gap > START_ERROR_LIMIT or owner not in movable):
            raise InputError(
                f"simulate: {hold.line.name} is constrained (now {gap:.3g} m or rad), but no joint moves it: its "
                "row is zero. Remove it from the constraint, or place both frames so that it is zero."
            )


def _raise_if_overconstrained(held: PositionConstraints, t: float, x: Array) -> None:
    """Raise an error if the constraints leave no freedom and are redundant."""
    rows, n = held.constraint_rows(t, x), held.system.mech.n
    if len(rows) <= n or int(np.linalg.matrix_rank(rows, tol=DEPENDENT_ROWS_RATIO * np.abs(rows).max())) < n:
        return
    extra = [held.holds[k].line.name for k in _redundant_rows(rows)]
    raise InputError(
        f"simulate: {len(rows)} coordinates are constrained ({_hold_names(held)}), but the machine has only {n} "
        f"speeds, and none stays free. Remove {listed_names(extra)}."
    )


def _redundant_rows(rows: Array) -> list[int]:
    """The rows that depend linearly on those before them."""
    independent: list[int] = []
    extra = []
    for k in range(len(rows)):
        trial = rows[[*independent, k]]
        if len(trial) <= rows.shape[1] and not rows_nearly_dependent(trial):
            independent.append(k)
        else:
            extra.append(k)
    return extra


def _raise_if_violated(held: PositionConstraints, t: float, x: Array) -> None:
    for errors, unit, verb in (
        (held.position_errors(t, x), "m or rad", "is"),
        (held.speed_errors(t, x), "m/s or rad/s", "moves with"),
    ):
        worst = int(np.argmax(np.abs(errors)))
        if abs(errors[worst]) > START_ERROR_LIMIT:
            raise InputError(
                f"simulate: the start violates {held.owners[worst]!r}: {held.holds[worst].line.name} {verb} "
                f"{errors[worst]:.6g} {unit} and must be 0. Start from gw.contact.project(robot, state, laws), the "
                "nearest state that satisfies all constraints."
            )


def _hold_names(held: PositionConstraints) -> str:
    return listed_names(hold.line.name for hold in held.holds)
