"""What a run keeps in its place: the start is looked at, and every accepted step is put back onto it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.errors import InputError, SimulationError
from gearwright.simulation.run_point import Here
from gearwright.system.constraints.projection import HeldPlaces, held_places
from gearwright.system.force_balance import SAME, dependent_here
from gearwright.system.system import Modes, System
from gearwright.text import listed

Projection: TypeAlias = Callable[[float, Array], Array]
"""(time, state vector) -> the state vector on what is held."""

OFF = 1e-6
"""How far [m, rad; m/s, rad/s] from what is held a run may start; the projection takes that away."""

JUMP, KICK = 1e-4, 1e-2
"""How far [m, rad] and how fast [m/s, rad/s] what moves by itself may be off after a step: beyond, it has jumped."""

SHARED = "holds: "
"""How the remark about forces that are not unique begins."""

STILL = 1e-12
"""A row below this moves nothing."""


def kept_start(system: System, t: float, x: Array, u: Array, modes: Modes) -> Array:
    """The start on what is held.

    Raises:
        InputError: it is far from it, nothing can be held that way, or nothing is left that moves.
    """
    held = held_places(system, t, x, u, modes)
    if held is None:
        return x
    _refuse_immovable(held, t, x)
    _refuse_excess(held, t, x)
    _refuse_violated(held, t, x)
    return held.projected(t, x)


def projection(system: System, here: Here, u: Array, remarks: list[str]) -> Projection | None:
    """What puts a state back in the modes at hand; None where nothing keeps a place.

    Forces that are not unique are remarked upon, once.
    """
    held = held_places(system, here.t, here.x, u, here.modes)
    if held is None:
        return None

    last = here.t

    def project(now: float, y: Array) -> Array:
        nonlocal last
        _look(held, now, y, remarks)
        _refuse_jump(held, last, now, y)
        last = now
        return held.projected(now, y)

    return project


def _look(held: HeldPlaces, t: float, x: Array, remarks: list[str]) -> None:
    if len(held.holds) < 2 or any(remark.startswith(SHARED) for remark in remarks):
        return
    if dependent_here(held.rows(t, x)):
        remarks.append(
            f"{SHARED}at t = {t:g} s the rows of {_names(held)} depend on each other, so that their forces are not "
            "unique: from then on, where this is so, those of least norm are given."
        )


def _refuse_jump(held: HeldPlaces, since: float, t: float, x: Array) -> None:
    """What moves by itself may not jump within a step: it would tear the machine along."""
    for wrong, most, unit in ((held.missing, JUMP, "m or rad"), (held.hurrying, KICK, "m/s or rad/s")):
        errors = wrong(t, x)
        worst = int(np.argmax(np.abs(errors)))
        by_time = abs(errors[worst] - wrong(since, x)[worst]) if abs(errors[worst]) > most else 0.0
        if by_time > 0.5 * most:
            raise SimulationError(
                f"simulate: up to t = {t:g} s what {held.owners[worst]!r} is held to jumps: "
                f"{held.holds[worst].line.name} is off by {errors[worst]:.3g} {unit} at once. The law of time of its "
                "frame must be smooth: blend the jump over a short time, or start another run there."
            )


def _refuse_immovable(held: HeldPlaces, t: float, x: Array) -> None:
    rows = np.abs(held.rows(t, x)).max(axis=1)
    elsewhere = x.copy()
    mech, system = held.system.mech, held.system
    step = 0.3 * np.sin(1.0 + 2.4 * np.arange(mech.n))
    elsewhere[system.q] = integrate(mech, x[system.q].tolist(), step.tolist(), FLOATS)
    rows = np.maximum(rows, np.abs(held.rows(t, elsewhere)).max(axis=1))
    for hold, size in zip(held.holds, rows, strict=True):
        if size < STILL:
            raise InputError(
                f"simulate: {hold.line.name} is held, but no joint moves it: its row is zero. Leave it out of "
                "what is held, or hold a body that can move that way."
            )


def _refuse_excess(held: HeldPlaces, t: float, x: Array) -> None:
    """More rows than freedom: all that moves is held, and some of it more than once."""
    rows, n = held.rows(t, x), held.system.mech.n
    if len(rows) <= n or int(np.linalg.matrix_rank(rows, tol=SAME * np.abs(rows).max())) < n:
        return
    extra = [held.holds[k].line.name for k in _beyond(rows)]
    raise InputError(
        f"simulate: {len(rows)} coordinates are held ({_names(held)}), but the machine has only {n} speeds, all of "
        f"which they take. Leave out {listed(extra)}."
    )


def _beyond(rows: Array) -> list[int]:
    """The rows that those before them already determine."""
    kept: list[int] = []
    extra = []
    for k in range(len(rows)):
        trial = rows[[*kept, k]]
        if len(trial) <= rows.shape[1] and not dependent_here(trial):
            kept.append(k)
        else:
            extra.append(k)
    return extra


def _refuse_violated(held: HeldPlaces, t: float, x: Array) -> None:
    for errors, unit, what in (
        (held.missing(t, x), "m or rad", "is"),
        (held.hurrying(t, x), "m/s or rad/s", "moves with"),
    ):
        worst = int(np.argmax(np.abs(errors)))
        if abs(errors[worst]) > OFF:
            raise InputError(
                f"simulate: the start violates {held.owners[worst]!r}: {held.holds[worst].line.name} {what} "
                f"{errors[worst]:.6g} {unit} and must be 0. Start on it: gw.contact.project(robot, state, laws) is the "
                "nearest state that holds all constraints."
            )


def _names(held: HeldPlaces) -> str:
    return listed(hold.line.name for hold in held.holds)
