"""Consistent modes: at a start and after an event the modes of all laws are chosen together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces.contact import FREE, SLIDE
from gearwright.forces.law import Guard
from gearwright.system.evaluation import Evaluation, evaluate
from gearwright.system.impacts import kept
from gearwright.system.joint_impacts import after_blow
from gearwright.system.mode_changes import ModeChanges, most_violated, with_mode
from gearwright.system.system import Modes, System
from gearwright.text import listed

PATIENCE = 40
"""Changes per law before a set of modes counts as one that does not settle."""

CLOSE = 1e-6
"""Guards below this, in their own scale, may end a mode in a search."""

REACH = 400
"""Sets of modes that a search looks at."""


@dataclass(frozen=True)
class Settled:
    """Modes in which every guard holds, the state after impacts, and which laws changed."""

    modes: Modes
    x: Array
    changes: tuple[tuple[str, str], ...]


def settle(system: System, t: float, x: Array, u: Array, modes: Modes) -> Settled:
    """Obey the most violated guard until none is violated; impacts and new holds change the speeds."""
    changes = ModeChanges(modes)
    for _ in range(PATIENCE * (len(system.laws) + 1)):
        x, evaluation, guard = _obeyed(system, t, x, u, changes)
        if guard is None:
            return Settled(changes.modes, x, changes.named(system))
        if guard.impact is not None:
            x = after_blow(system, x, guard.impact, evaluation, changes)
    return _searched(system, t, x, u, changes, modes)


def _obeyed(
    system: System, t: float, x: Array, u: Array, changes: ModeChanges
) -> tuple[Array, Evaluation, Guard | None]:
    """Obey one guard; where none is violated, keep what is held at its speed and look again."""
    evaluation = evaluate(system, t, x, u, changes.modes)
    guard = changes.obey(evaluation.guards)
    if guard is None:
        x = kept(system, x, evaluation)
        evaluation = evaluate(system, t, x, u, changes.modes)
        guard = changes.obey(evaluation.guards)
    return x, evaluation, guard


def _searched(system: System, t: float, x: Array, u: Array, changes: ModeChanges, first: Modes) -> Settled:
    """Modes near others in which every guard holds, found by trying all that a guard at or below zero leads to.

    Step by step one follows the guards as if a force along a line always moved it that way. Beside a gear that locks
    itself it may move it the other way (the paradox of Painleve): then friction that lets go slides against its sense.
    """
    waiting, known = deque([changes.modes]), {changes.modes}
    while waiting and len(known) < REACH:
        modes = waiting.popleft()
        evaluation = evaluate(system, t, x, u, modes)
        held = _consistent(system, t, x, u, evaluation)
        if held is not None:
            return Settled(modes, held, _differences(system, first, modes))
        for other in _neighbours(evaluation):
            if other not in known:
                known.add(other)
                waiting.append(other)
    raise _unsettled(t, changes.named(system))


def _consistent(system: System, t: float, x: Array, u: Array, evaluation: Evaluation) -> Array | None:
    """The state with what is held at its speed, if every guard holds before and after; else None."""
    if most_violated(evaluation.guards, {}) is not None:
        return None
    held = kept(system, x, evaluation)
    after = evaluate(system, t, held, u, evaluation.modes)
    return held if most_violated(after.guards, {}) is None else None


def _neighbours(evaluation: Evaluation) -> Iterator[Modes]:
    """The modes that a guard at or below zero leads to, without impacts."""
    for index, guard in evaluation.guards:
        if guard.when and guard.impact is None and guard.value / guard.scale < CLOSE:
            yield with_mode(evaluation.modes, index, guard.to)


def _differences(system: System, before: Modes, after: Modes) -> tuple[tuple[str, str], ...]:
    return tuple((law.name, b) for law, a, b in zip(system.laws, before, after, strict=True) if a != b)


def _unsettled(t: float, changes: Sequence[tuple[str, str]]) -> SimulationError:
    tail = listed(f"{name} -> {mode}" for name, mode in changes[-6:])
    jammed = [name for name, mode in changes[-6:] if mode == SLIDE and (name, FREE) in changes[-6:]]
    if jammed:
        return SimulationError(
            f"simulate: at t = {t:g} s contact {jammed[0]!r} slides, and no force at it is consistent: with this "
            "friction sliding presses it ever harder into the surface (the paradox of Painleve). Lower its friction, "
            "or let the surface give way: SoftContact(...)."
        )
    return SimulationError(
        f"simulate: at t = {t:g} s the modes of the laws do not settle ({tail}). Two laws want the opposite of each "
        "other: look at their levels (a static friction below the sliding one, two stops at one place)."
    )
