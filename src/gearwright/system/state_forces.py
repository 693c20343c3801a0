"""The forces that actuators must give at many states at once: what `demanded_forces` finds along a motion, in arrays.

States stand for themselves here: nobody asks for time derivatives of forces, so that laws are taken over arrays, all
states of the same modes together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Scalar
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.fixed_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.law import Action, Drag, Force, Reaction, Situation
from gearwright.functions.functions import inverse_dynamics
from gearwright.mechanism.rows import spread
from gearwright.system.demanded_forces import PATIENCE, Push
from gearwright.system.mode_changes import ZERO, with_mode
from gearwright.system.system import Modes, System, drags_in, flow, inflow, push
from gearwright.text import listed

Indices: TypeAlias = NDArray[np.int_]


class States(NamedTuple):
    """Rows of a motion: q (T, nq), v and a (T, n)."""

    q: Array
    v: Array
    a: Array

    def rows(self, chosen: Indices) -> States:
        """Some of them."""
        return States(*(x[chosen] for x in self))


@dataclass(frozen=True)
class StateForces:
    """What a machine with laws asks of its actuators, state by state.

    Args:
        system: the machine, and what else acts on it: friction, losses; laws with states of their own are refused.
        pushes: its actuators, and lines that nobody drives.
    """

    system: System
    pushes: tuple[Push, ...]

    def __post_init__(self) -> None:
        for law in self.system.laws:
            if law.states:
                raise InputError(
                    f"law {law.name!r} has states ({listed(x.name for x in law.states)}), so that forces depend on "
                    "what was before. Leave it out: laws=[...]."
                )

    @cached_property
    def rows(self) -> Array:
        """The lines of the pushes, (pushes, n)."""
        n = self.system.mech.n
        return np.array([spread(one.line.terms, n) for one in self.pushes], dtype=float).reshape(-1, n)

    def likely_modes(self, q: Array, directions: Array) -> list[Modes]:
        """Per state the modes that fit the way it moves, whatever its speed; directions (T, n)."""
        system = self.system
        if not system.laws:
            return [()] * len(q)
        u, found = system.first_inputs, []
        for at, way in zip(q.tolist(), directions.tolist(), strict=True):
            situations = system.situations(FLOATS, 0.0, Moving(at, way, []), u)
            found.append(tuple(law.start(one) for law, one in zip(system.laws, situations, strict=True)))
        return found

    def at(self, states: States, modes: Sequence[Modes]) -> Array:
        """Forces along the pushes (T, pushes); flanks of gears change until they fit the forces."""
        needed = inverse_dynamics(self.system.mech, *states)
        found = np.zeros((len(needed), len(self.pushes)))
        current = list(modes)
        open_rows = np.arange(len(needed))
        for _ in range(PATIENCE):
            changed: list[int] = []
            for group, rows in _grouped(current, open_rows).items():
                some = states.rows(rows)
                situations, actions = self._acting(some, group)
                found[rows] = self._solved(some, actions, needed[rows])
                for k, mode, broken in self._broken(some, group, situations, actions, found[rows]):
                    for row in rows[broken & ~np.isin(rows, changed)].tolist():
                        current[row] = with_mode(current[row], k, mode)
                        changed.append(row)
            if not changed:
                return found
            open_rows = np.array(changed)
        raise InputError(
            "the laws find no modes that fit the motion: a self-locking gear may have to be turned by its joint, and "
            "no motor does that. Leave its losses out: laws=[...]."
        )

    def _acting(self, states: States, modes: Modes) -> tuple[list[Situation], list[Action]]:
        moving = Moving(list(states.q.T), list(states.v.T), [])
        situations = self.system.situations(ARRAYS, 0.0, moving, self.system.first_inputs)
        return situations, self.system.actions(modes, situations)

    def _solved(self, states: States, actions: Sequence[Action], needed: Array) -> Array:
        """The forces x of (lines + what drags take of them) x = needed - known."""
        u, a = self.system.first_inputs, list(states.a.T)
        known, drags = self.system.forces(u, actions), drags_in(actions)
        for drag, entering in zip(drags, self.system.inflows(u, actions), strict=True):
            push(known, drag.push, drag.gain * flow(drag, entering, a))
        right = needed - _columns(known, len(needed))
        if not drags:
            return right @ np.linalg.pinv(self.rows)
        left = np.stack([self._column(one, drags, len(needed)) for one in self.pushes], axis=-1)
        found: Array = np.einsum("tij,tj->ti", np.linalg.pinv(left), right)
        return found

    def _column(self, actuator: Push, drags: Sequence[Drag], count: int) -> Array:
        """What a unit of an actuator's force is to the machine once the drags have taken theirs, (T, n)."""
        unit, total = Force(actuator.line, 1.0, actuator.port), [0.0] * self.system.mech.n
        push(total, unit.line, unit.value)
        for drag in drags:
            push(total, drag.push, drag.gain * inflow(drag, [unit]))
        return _columns(total, count)

    def _broken(
        self, states: States, modes: Modes, situations: Sequence[Situation], actions: Sequence[Action], forces: Array
    ) -> list[tuple[int, str, NDArray[np.bool_]]]:
        """Guards that forces decide and break: law, next mode, and where."""
        if not drags_in(actions):
            return []
        a, count = list(states.a.T), len(forces)
        given = [Force(one.line, forces[:, j], one.port) for j, one in enumerate(self.pushes)]
        through = iter(self.system.inflows(self.system.first_inputs, [Action(forces=tuple(given)), *actions]))
        broken = []
        for k, (law, action) in enumerate(zip(self.system.laws, actions, strict=True)):
            flows = [flow(drag, next(through), a) for drag in action.drags]
            for guard in () if action.holds else law.guards(modes[k], situations[k], Reaction(a, (), flows)):
                if guard.rate is None:
                    level = np.broadcast_to(guard.value / guard.scale, (count,))
                    broken.append((k, guard.to, (level <= -ZERO) & np.broadcast_to(guard.when, (count,))))
        return broken


def _grouped(modes: Sequence[Modes], rows: Indices) -> dict[Modes, Indices]:
    """The rows of each set of modes."""
    groups: dict[Modes, list[int]] = defaultdict(list)
    for row in rows.tolist():
        groups[modes[row]].append(row)
    return {group: np.array(members) for group, members in groups.items()}


def _columns(values: Sequence[Scalar], count: int) -> Array:
    """Numbers or arrays (T,) side by side, (T, len(values))."""
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in values], axis=-1)
