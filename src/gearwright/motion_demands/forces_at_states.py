"""Actuator forces at independent states, such as those of a path without a time law.

They are computed by `actuator_forces`, as along a motion. The difference: the direction of motion of a state is known
before its speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.mechanism import dense_row
from gearwright.motion_demands.actuator_forces import ActuatorForces, ForceLine
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment
from gearwright.system.system import Modes, System
from gearwright.text import listed_names


class MotionRows(NamedTuple):
    """States of a motion: q (T, nq), v and a (T, n)."""

    q: Array
    v: Array
    a: Array


@dataclass(frozen=True)
class StateForces:
    """The actuator forces of a machine with laws, state by state.

    Args:
        system: the machine with the laws that act on it: friction, losses; laws with states raise an error.
        force_lines: force lines of its actuators, and undriven lines.
        closing_lines: lines of the forces that close its loops.
    """

    system: System
    force_lines: tuple[ForceLine, ...]
    closing_lines: tuple[ForceLine, ...] = ()

    def __post_init__(self) -> None:
        for law in self.system.laws:
            if law.states:
                raise InputError(
                    f"law {law.name!r} has states ({listed_names(x.name for x in law.states)}), so its forces depend "
                    "on the history of the motion. Exclude it: laws=[...]."
                )

    @cached_property
    def line_rows(self) -> Array:
        """The rows of the force lines, (pushes, n)."""
        n = self.system.mech.n
        return np.array([dense_row(line.line.terms, n) for line in self.force_lines], dtype=float).reshape(-1, n)

    def likely_modes(self, q: Array, directions: Array) -> list[Modes]:
        """Return per state the modes consistent with its direction of motion at any speed; directions (T, n)."""
        system = self.system
        if not system.laws:
            return [()] * len(q)
        u, modes = system.initial_inputs, []
        for position, direction in zip(q.tolist(), directions.tolist(), strict=True):
            situations = system.law_situations(FLOATS, 0.0, StepState(position, direction, []), u)
            modes.append(
                tuple(law.initial_mode(situation) for law, situation in zip(system.laws, situations, strict=True))
            )
        return modes

    def forces_at(self, states: MotionRows, modes: Sequence[Modes]) -> Array:
        """Return the forces along the lines (T, pushes), with tooth flanks consistent with the forces."""
        count = len(states.q)
        inputs = np.tile(np.array(self.system.initial_inputs, dtype=float), (count, 1))
        segment = SmoothSegment(
            self.system, np.zeros(count), list(states), np.zeros((count, 0)), [inputs], is_smooth=False
        )
        all_lines = (*self.force_lines, *self.closing_lines)
        forces: Array = ActuatorForces(self.system, all_lines, 0).forces_along(segment, modes)[0]
        return forces[:, : len(self.force_lines)]
