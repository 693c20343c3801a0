"""Consistent modes: at a start and after an event the modes of all laws are chosen together."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces.law import Guard, Hold, Impact
from gearwright.functions.functions import kinetic_energy
from gearwright.system.balance import rows_of
from gearwright.system.system import Evaluation, Modes, System
from gearwright.text import listed

ZERO = 0.5e-9
"""Guards below minus this, in their own scale, are violated."""

CROSSED = 1e-9
"""An event is located where a guard reaches minus this; up to twice as near to zero, a guard's rate decides."""

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
    """Change the most violated mode until none is violated; impacts and new holds change the speeds."""
    changes: list[tuple[str, str]] = []
    first = modes
    tried: Counter[int] = Counter()
    seen: set[Modes] = set()
    for _ in range(PATIENCE * (len(system.laws) + 1)):
        evaluation = system.evaluate(t, x, u, modes)
        again = tried if modes in seen else Counter()
        seen.add(modes)
        worst = _worst(system, evaluation, again)
        if worst is None:
            x = _held(system, x, evaluation)
            after = system.evaluate(t, x, u, modes)
            worst = _worst(system, after, again)
            if worst is None:
                return Settled(modes, x, tuple(changes))
            evaluation = after
        index, guard = worst
        tried[index] += 1
        modes = (*modes[:index], guard.to, *modes[index + 1 :])
        changes.append((system.laws[index].name, guard.to))
        if guard.impact is not None:
            x = struck(system, x, guard.impact, evaluation)
    found = _searched(system, t, x, u, modes)
    if found is not None:
        return Settled(*found, _differences(system, first, found[0]))
    tail = listed(f"{name} -> {mode}" for name, mode in changes[-6:])
    raise SimulationError(
        f"simulate: at t = {t:g} s the modes of the laws do not settle ({tail}). Two laws want the opposite of each "
        "other: look at their levels (a static friction below the sliding one, two stops at one place)."
    )


def _searched(system: System, t: float, x: Array, u: Array, modes: Modes) -> tuple[Modes, Array] | None:
    """Modes near others in which every guard holds, found by trying all that a guard at or below zero leads to.

    Step by step one follows the guards as if a force along a line always moved it that way. Beside a gear that locks
    itself it may move it the other way (the paradox of Painleve): then friction that lets go slides against its sense.
    """
    waiting, seen = deque([modes]), {modes}
    while waiting and len(seen) < REACH:
        modes = waiting.popleft()
        evaluation = system.evaluate(t, x, u, modes)
        if _worst(system, evaluation, Counter()) is None:
            kept = _held(system, x, evaluation)
            if _worst(system, system.evaluate(t, kept, u, modes), Counter()) is None:
                return modes, kept
        for index, guard in system.guards(evaluation):
            other = (*modes[:index], guard.to, *modes[index + 1 :])
            if guard.value / guard.scale < CLOSE and guard.impact is None and other not in seen:
                seen.add(other)
                waiting.append(other)
    return None


def _differences(system: System, before: Modes, after: Modes) -> tuple[tuple[str, str], ...]:
    return tuple((law.name, b) for law, a, b in zip(system.laws, before, after, strict=True) if a != b)


def _worst(system: System, evaluation: Evaluation, tried: Counter[int]) -> tuple[int, Guard] | None:
    """The most violated guard; ties that a rate decides come after all real violations.

    Where modes come again, the worst was the wrong one to change: then laws that were changed less often come first.
    """
    found: tuple[int, Guard] | None = None
    least = (0, 0.0)
    for index, guard in system.guards(evaluation):
        level = guard.value / guard.scale
        if guard.rate is not None and abs(level) <= 2 * CROSSED:
            level = -ZERO if guard.rate < 0 else 0.0
        if level <= -ZERO and (found is None or (tried[index], level) < least):
            found, least = (index, guard), (tried[index], level)
    return found


def _held(system: System, x: Array, evaluation: Evaluation) -> Array:
    """Speeds along held lines as the holds want them, as after a plastic impact of all at once."""
    kept = [hold for hold in evaluation.holds if hold.speed is not None]
    if not kept:
        return x
    lines = [hold.line for hold in kept]
    v = x[system.v].tolist()
    missing = np.array([_missing(hold, v) for hold in kept])
    if not np.abs(missing).max() > 1e-14 * (1.0 + max(map(abs, v))):
        return x
    return _jumped(system, x, rows_of(lines, system.mech.n), missing)


def _missing(hold: Hold, v: Sequence[float]) -> float:
    """What is missing of the speed that a hold keeps."""
    return float(hold.speed) - float(hold.line.speed(v))  # type: ignore[arg-type]


def struck(system: System, x: Array, impact: Impact, evaluation: Evaluation) -> Array:
    """The state after an impact along a line; lines that are held firmly get the speed of their holds."""
    kept = [hold for hold in evaluation.holds if hold.speed is not None and hold.firm]
    v = x[system.v].tolist()
    jumps = [-(1.0 + float(impact.restitution)) * float(impact.line.speed(v)), *(_missing(hold, v) for hold in kept)]
    lines = [impact.line, *(hold.line for hold in kept)]
    return _jumped(system, x, rows_of(lines, system.mech.n), np.array(jumps))


def _jumped(system: System, x: Array, W: Array, jump: Array) -> Array:
    """Speeds changed by impulses along rows: v+ = v + M^-1 W' P with W v+ = W v + jump. The lost energy is booked."""
    out = x.copy()
    q, v = x[system.q], x[system.v]
    spread = np.linalg.solve(system.mass_matrix(q), W.T)
    impulse = np.linalg.lstsq(W @ spread, jump, rcond=None)[0]
    out[system.v] = v + spread @ impulse
    lost = kinetic_energy(system.mech, q, v) - kinetic_energy(system.mech, q, out[system.v])
    out[system.dissipated] += float(lost)
    return out
