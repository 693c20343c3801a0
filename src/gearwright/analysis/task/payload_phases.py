"""Payload phases of a cycle, with one payload each, and the rows of series that belong to a phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.motion import Motion
from gearwright.motion_demands.result import MotionDemands, limit_excess, state_jumps
from gearwright.parts import Robot

SAME_TIME_RATIO = 1e-9
"""Share of a cycle up to which two times are equal."""
TEMPERATURE_STATE_SUFFIX = "_temperature"
"""Suffix of states whose jumps are ignored: each payload is computed as if it were carried over the whole cycle."""


class PayloadPhase(NamedTuple):
    """A sequence of motions of a cycle with one payload.

    Args:
        robot: with its payload.
        start: time [s].
        end: time [s].
    """

    robot: Robot
    start: float
    end: float

    @property
    def payload_mass(self) -> float:
        """Mass of the payload [kg]."""
        return 0.0 if self.robot.payload is None else float(self.robot.payload.mass)


def robot_with_heaviest_payload(phases: Sequence[PayloadPhase]) -> Robot:
    """The robot with the largest payload."""
    return max(phases, key=lambda phase: phase.payload_mass).robot


@dataclass(frozen=True)
class PhaseRows:
    """The rows of series between two times, interpolated at these times if necessary.

    >>> rows = PhaseRows(np.array([0.0, 1.0, 1.0, 3.0]), 1.0, 2.0)
    >>> rows.select_rows(np.array([5.0, 6.0, 7.0, 9.0])).tolist()
    [7.0, 8.0]
    """

    t: Array
    start: float
    end: float

    def select_rows(self, values: Array) -> Array:
        """The rows of values (T, ...); at repeated times the later row is the start and the earlier row the end."""
        tolerance = SAME_TIME_RATIO * (self.t[-1] - self.t[0])
        first = int(np.searchsorted(self.t, self.start + tolerance, "right")) - 1
        last = int(np.searchsorted(self.t, self.end - tolerance, "left"))
        head, tail = (
            self._interpolated_row(values, first, self.start),
            self._interpolated_row(values, last - 1, self.end),
        )
        return np.concatenate([head[None], values[first + 1 : last], tail[None]])

    def _interpolated_row(self, values: Array, k: int, time: float) -> Array:
        share = (time - self.t[k]) / (self.t[k + 1] - self.t[k])
        return np.asarray(values[k] + share * (values[k + 1] - values[k]))


def demands_of_phase(demands: MotionDemands, rows: PhaseRows) -> MotionDemands:
    """The demands between two times."""
    motion = Motion(
        *(rows.select_rows(x) for x in (demands.motion.t, demands.motion.q, demands.motion.v, demands.motion.a))
    )
    series = {name: rows.select_rows(values) for name, values in demands.series.items()}
    inside = tuple(jump for jump in demands.jumps if rows.start < jump.at < rows.end)
    return replace(demands, motion=motion, tau=rows.select_rows(demands.tau), series=series, jumps=inside)


def join_demands(parts: Sequence[MotionDemands]) -> MotionDemands:
    """The demands of payload phases in sequence; forces and dependent states may jump between them."""
    motion = Motion(*(np.concatenate([getattr(part.motion, x) for part in parts]) for x in "tqva"))
    series = {name: np.concatenate([part.series[name] for part in parts]) for name in parts[0].series}
    states = [name for name in parts[0].start.states if not name.endswith(TEMPERATURE_STATE_SUFFIX)]
    boundary_jumps = state_jumps(states, [{"t": part.t, **part.series} for part in parts])
    bounds = {beyond.name: beyond.limit for part in parts for beyond in part.excesses}
    beyond = (limit_excess(name, limit, motion.t, series[name]) for name, limit in bounds.items())
    return replace(
        parts[0],
        motion=motion,
        tau=np.concatenate([part.tau for part in parts]),
        series=series,
        unactuated=tuple(dict.fromkeys(name for part in parts for name in part.unactuated)),
        excesses=tuple(part for part in beyond if part is not None),
        jumps=(*(jump for part in parts for jump in part.jumps), *boundary_jumps),
        remarks=tuple(dict.fromkeys(text for part in parts for text in part.remarks)),
    )
