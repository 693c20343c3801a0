"""The forces that actuators must give at states that stand for themselves: those of a plan, which has no times yet.

`actuator_forces` finds them, as along a motion; what is different is that the way a state moves is known before its
speed is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.mechanism.rows import spread
from gearwright.motion_demands.actuator_forces import DemandedForces, Push
from gearwright.motion_demands.motion_segments.smooth_segments import Piece
from gearwright.system.system import Modes, System
from gearwright.text import listed


class States(NamedTuple):
    """Rows of a motion: q (T, nq), v and a (T, n)."""

    q: Array
    v: Array
    a: Array


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
        count = len(states.q)
        inputs = np.tile(np.array(self.system.first_inputs, dtype=float), (count, 1))
        rows = Piece(self.system, np.zeros(count), list(states), np.zeros((count, 0)), [inputs], smooth=False)
        return DemandedForces(self.system, self.pushes, 0).along(rows, modes)[0]
