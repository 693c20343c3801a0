"""What `inputs_for_motion` finds: series of inputs, what goes beyond its limit, and what would have to jump."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.system.signals import Signal
from gearwright.system.state import State
from gearwright.text import did_you_mean


class Excess(NamedTuple):
    """Where something goes beyond its limit: largest magnitude, at what time, and for how long altogether [s]."""

    name: str
    limit: float
    largest: float
    at: float
    duration: float

    @property
    def by(self) -> float:
        """How much of the limit is missing, as a fraction of it."""
        return self.largest / self.limit - 1


class Jump(NamedTuple):
    """A state that would have to jump: no input does that, so that the motion is not followed there."""

    name: str
    at: float
    size: float


@dataclass(frozen=True)
class MotionInputs:
    """Inputs that make actuators follow a motion.

    Args:
        t: times [s], (T,); twice where the motion or the friction is not smooth, before and after.
        series: per input, state and force of an actuator its values (T,).
        names: names of the inputs.
        excesses: what goes beyond its limit.
        jumps: states that would have to jump.
        start: state to start a simulation from.
        remarks: what was left out, for the person.
    """

    t: Array
    series: Mapping[str, Array]
    names: tuple[str, ...]
    excesses: tuple[Excess, ...]
    jumps: tuple[Jump, ...]
    start: State
    remarks: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> Array:
        """A series by name, (T,)."""
        if name not in self.series:
            raise InputError(f"inputs_for_motion: there is no series {name!r}. {did_you_mean(name, self.series)}")
        return self.series[name]

    @property
    def possible(self) -> bool:
        """Whether everything stays within its limits and no state has to jump."""
        return not self.excesses and not self.jumps

    @property
    def signals(self) -> dict[str, Signal]:
        """The inputs as functions of time, as `simulate(..., inputs=...)` takes them."""
        return {name: _signal(self.t, self.series[name]) for name in self.names}

    def report(self) -> str:
        """A line per input with its largest magnitude, then what goes beyond limits and what must jump."""
        lines = [f"{name}: at most {np.abs(self.series[name]).max():.6g}" for name in self.names]
        for x in self.excesses:
            lines.append(
                f"{x.name} goes beyond its limit {x.limit:g}: {x.largest:.6g} at t = {x.at:.4g} s ({x.by:.0%} too much)"
                f" for {x.duration:.4g} s altogether"
            )
        lines += [f"{x.name} would have to jump by {x.size:.4g} at t = {x.at:.4g} s" for x in self.jumps]
        return "\n".join([*lines, *self.remarks])


def excess(name: str, limit: float, t: Array, values: Array) -> Excess | None:
    """Where values go beyond a limit; None if they do not."""
    sizes = np.abs(values)
    if not sizes.max() > limit * (1 + 1e-9):
        return None
    beyond = (sizes > limit).astype(float)
    worst = int(sizes.argmax())
    return Excess(name, limit, float(sizes[worst]), float(t[worst]), float(np.trapezoid(beyond, t)))


def jumps(states: Sequence[str], blocks: Sequence[dict[str, Array]]) -> list[Jump]:
    """Where states of one piece of motion do not begin as they ended in the piece before."""
    found = []
    for name in states:
        size = max(float(np.abs(block[name]).max()) for block in blocks)
        for before, after in pairwise(blocks):
            step = float(after[name][0] - before[name][-1])
            if abs(step) > 1e-6 * size:
                found.append(Jump(name, float(after["t"][0]), step))
    return found


def _signal(t: Array, values: Array) -> Signal:
    """Cubic splines between the times that come twice."""
    from scipy.interpolate import CubicSpline

    edges = [0, *(np.flatnonzero(np.diff(t) == 0) + 1), len(t)]
    spans = list(pairwise(edges))
    curves = [CubicSpline(t[a:b], values[a:b]) for a, b in spans]
    starts = np.array([t[a] for a, _ in spans])

    def at(now: float) -> float:
        k = max(int(np.searchsorted(starts, now, side="right")) - 1, 0)
        return float(curves[k](min(max(now, t[0]), t[-1])))

    return Signal(at, tuple(starts.tolist()))
