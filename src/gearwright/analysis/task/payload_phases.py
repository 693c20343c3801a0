"""Stretches of a cycle on which the robot carries one payload each, and rows of series that belong to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.motion import Motion
from gearwright.motion_demands.result import MotionDemands, excess, jumps
from gearwright.parts import Robot

SAME_TIME = 1e-9
"""Share of a cycle up to which two times are one."""
WARM = "_temperature"
"""Ending of states that do not count as jumping: each payload is followed as if it were carried all along."""


class Stretch(NamedTuple):
    """Some motions of a cycle, one after the other, with one payload.

    Args:
        robot: with what it carries.
        start: time [s].
        end: time [s].
    """

    robot: Robot
    start: float
    end: float

    @property
    def mass(self) -> float:
        """What the robot carries [kg]."""
        return 0.0 if self.robot.payload is None else float(self.robot.payload.mass)


def heaviest(stretches: Sequence[Stretch]) -> Robot:
    """The robot with the largest payload."""
    return max(stretches, key=lambda one: one.mass).robot


@dataclass(frozen=True)
class Rows:
    """The rows of series that lie between two times; at the two times themselves they are interpolated if need be.

    >>> rows = Rows(np.array([0.0, 1.0, 1.0, 3.0]), 1.0, 2.0)
    >>> rows.of(np.array([5.0, 6.0, 7.0, 9.0])).tolist()
    [7.0, 8.0]
    """

    t: Array
    start: float
    end: float

    def of(self, values: Array) -> Array:
        """The rows of values (T, ...): where a time comes twice, the later one begins and the earlier one ends."""
        close = SAME_TIME * (self.t[-1] - self.t[0])
        first = int(np.searchsorted(self.t, self.start + close, "right")) - 1
        last = int(np.searchsorted(self.t, self.end - close, "left"))
        head, tail = self._at(values, first, self.start), self._at(values, last - 1, self.end)
        return np.concatenate([head[None], values[first + 1 : last], tail[None]])

    def _at(self, values: Array, k: int, time: float) -> Array:
        share = (time - self.t[k]) / (self.t[k + 1] - self.t[k])
        return np.asarray(values[k] + share * (values[k + 1] - values[k]))


def between(found: MotionDemands, rows: Rows) -> MotionDemands:
    """What is asked between two times."""
    motion = Motion(*(rows.of(x) for x in (found.motion.t, found.motion.q, found.motion.v, found.motion.a)))
    series = {name: rows.of(values) for name, values in found.series.items()}
    inside = tuple(jump for jump in found.jumps if rows.start < jump.at < rows.end)
    return replace(found, motion=motion, tau=rows.of(found.tau), series=series, jumps=inside)


def joined_demands(parts: Sequence[MotionDemands]) -> MotionDemands:
    """What is asked on stretches one after the other; forces may jump between them, and so do states that follow."""
    motion = Motion(*(np.concatenate([getattr(one.motion, x) for one in parts]) for x in "tqva"))
    series = {name: np.concatenate([one.series[name] for one in parts]) for name in parts[0].series}
    states = [name for name in parts[0].start.states if not name.endswith(WARM)]
    stepping = jumps(states, [{"t": one.t, **one.series} for one in parts])
    bounds = {beyond.name: beyond.limit for one in parts for beyond in one.excesses}
    beyond = (excess(name, limit, motion.t, series[name]) for name, limit in bounds.items())
    return replace(
        parts[0],
        motion=motion,
        tau=np.concatenate([one.tau for one in parts]),
        series=series,
        unactuated=tuple(dict.fromkeys(name for one in parts for name in one.unactuated)),
        excesses=tuple(one for one in beyond if one is not None),
        jumps=(*(jump for one in parts for jump in one.jumps), *stepping),
        remarks=tuple(dict.fromkeys(text for one in parts for text in one.remarks)),
    )
