"""What `demands` finds: torques, inputs, what goes beyond its limit, and what would have to jump."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.motion import Motion
from gearwright.plots import figure, saved
from gearwright.plots.notebook import Shown
from gearwright.system.series_picture import block, overview
from gearwright.system.signals import TAU, Signal
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed


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
class MotionDemands(Shown):
    """What a motion asks of a machine, its motors and their electronics.

    Args:
        motion: the motion of the whole machine, shafts of elastic drives included; its times [s] are twice where the
            motion or the friction is not smooth, before and after.
        tau: generalized forces [Nm, N], (T, n), as `simulate` takes them: what the motors bring at every speed, before
            the losses of their gears; at a joint without a drive the force that it needs.
        series: per force, input, state and quantity of a motor its values (T,).
        names: names of the actuators' inputs.
        speeds: names of the speeds.
        own: names of what belongs to the actuators.
        unactuated: speeds that need a force which no actuator gives.
        excesses: what goes beyond its limit.
        jumps: what would have to jump.
        start: state to start a simulation from.
        remarks: what was left out, for the person.
        units: unit of each series.
    """

    motion: Motion
    tau: Array
    series: Mapping[str, Array]
    names: tuple[str, ...]
    speeds: tuple[str, ...]
    own: frozenset[str]
    unactuated: tuple[str, ...]
    excesses: tuple[Excess, ...]
    jumps: tuple[Jump, ...]
    start: State
    remarks: tuple[str, ...] = field(default=())
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def t(self) -> Array:
        """Times [s], (T,)."""
        return self.motion.t

    def __getitem__(self, name: str) -> Array:
        """A series by name, (T,)."""
        if name not in self.series:
            raise InputError(f"demands: there is no series {name!r}. {did_you_mean(name, self.series)}")
        if self.unactuated and name in self.own:
            raise self._refusal(name)
        return self.series[name]

    @property
    def possible(self) -> bool:
        """Whether the actuators can make the motion within all limits, and no state has to jump."""
        return not self.excesses and not self.jumps and not self.unactuated

    @property
    def signals(self) -> dict[str, Signal]:
        """The actuators' inputs as functions of time, as `simulate(..., inputs=...)` takes them."""
        return {name: _signal(self.t, self[name]) for name in self.names}

    @property
    def forces(self) -> dict[str, Signal]:
        """The generalized forces `tau.<speed>` as functions of time, as `simulate(..., inputs=...)` takes them."""
        return {TAU + name: _signal(self.t, self.tau[:, k]) for k, name in enumerate(self.speeds)}

    def peak(self, name: str) -> float:
        """The largest magnitude of a series."""
        return float(np.abs(self[name]).max())

    def rms(self, name: str) -> float:
        r"""The root of the mean square of a series over time, $\sqrt{\tfrac1T \int x^2 dt}$."""
        values, span = self[name] ** 2, float(self.t[-1] - self.t[0])
        return float(np.sqrt(np.trapezoid(values, self.t) / span if span else values.mean()))

    def plot(self, *prefixes: str, path: str | Path | None = None) -> Any:
        """A figure of forces, and of what motors do; with `path` (.png, .svg, .pdf) it is saved too.

        Args:
            prefixes: beginnings of names of series, such as "tau" or "shoulder.current"; an overview unless given.
            path: where to write.
        """
        blocks = [one for prefix in prefixes for one in block(prefix, self.series, self.units, "demands")]
        return saved(figure(self.t, "time [s]", blocks or overview(self.series, self.units)), path)

    def __str__(self) -> str:
        return self.report()

    def report(self) -> str:
        """A line per joint force and input with peak and rms, then what goes beyond limits and what must jump."""
        shown = [*(TAU + name for name in self.speeds), *([] if self.unactuated else self.names)]
        lines = [f"{name}: at most {self.peak(name):.6g}, rms {self.rms(name):.6g}" for name in shown]
        for x in self.excesses:
            lines.append(
                f"{x.name} goes beyond its limit {x.limit:g}: {x.largest:.6g} at t = {x.at:.4g} s ({x.by:.0%} too much)"
                f" for {x.duration:.4g} s altogether"
            )
        lines += [f"{x.name} would have to jump by {x.size:.4g} at t = {x.at:.4g} s" for x in self.jumps]
        if self.unactuated:
            lines.append(f"no actuator gives the force that {listed(self.unactuated)} needs")
        return "\n".join([*lines, *self.remarks])

    def _refusal(self, name: str) -> SingularityError:
        return SingularityError(
            f"demands: {name!r}: the actuators alone do not make this motion, since none gives what "
            f"{listed(self.unactuated)} needs; `.tau` has the force there. Add an actuator, or prescribe a motion that "
            "they can make; behind a spring motor and joint must move as it lets them (motor_motion)."
        )


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
    starts = np.concatenate([curve.x[:-1] for curve in curves]).tolist()
    cubics = np.concatenate([curve.c.T for curve in curves]).tolist()
    first, last = float(t[0]), float(t[-1])

    def at(now: float) -> float:  # a run asks thousands of times for one number: plain ones are ten times faster
        now = min(max(now, first), last)
        k = bisect_right(starts, now) - 1
        a, b, c, d = cubics[k]
        x: float = now - starts[k]
        value: float = ((a * x + b) * x + c) * x + d
        return value

    return Signal(at, tuple(float(t[a]) for a, _ in spans))
