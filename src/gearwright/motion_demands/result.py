"""The result of `demands`: forces, motor torques, inputs and states by name, violated limits, and jumps of states.

Each smooth segment of a motion gives its own series; those of all segments are gathered by name.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import column, item
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.forces.line import Line
from gearwright.mechanism import Mechanism
from gearwright.mechanism.units import force_unit, speed_unit
from gearwright.motion import Motion
from gearwright.motion_demands.actuator_forces import Push
from gearwright.motion_demands.actuators import Asked, Drives
from gearwright.motion_demands.motion_segments.smooth_segments import Piece, row_along
from gearwright.parts import Robot
from gearwright.plots import figure, saved
from gearwright.plots.notebook import Shown
from gearwright.system.inputs import TAU, Signal
from gearwright.system.series_figure import block, overview
from gearwright.system.state import State
from gearwright.system.system import System
from gearwright.text import did_you_mean, listed

# The result


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
        start: state to start a simulation from, with `signals` or with `forces`.
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

    def curve(now: Array) -> Array:
        now = np.clip(now, first, last)
        k = np.searchsorted(begins, now, side="right") - 1
        a, b, c, d = np.moveaxis(factors[k], -1, 0)
        x = now - begins[k]
        found: Array = ((a * x + b) * x + c) * x + d
        return found

    begins, factors = np.array(starts), np.array(cubics)
    return Signal(at, tuple(float(t[a]) for a, _ in spans), knots=(*starts, last), curve=curve)


# Series of one segment


class Block(NamedTuple):
    """All series over one piece, which may depend on parameters; `missing` (T, n) are forces that no actuator gives."""

    t: Array
    q: Scalar
    v: Scalar
    a: Scalar
    tau: Scalar
    missing: Scalar
    series: dict[str, Scalar]
    tied: frozenset[str] = frozenset()


def block_of(
    piece: Piece, forces: Sequence[Scalar], drives: Drives, others: Sequence[Push], closing: Mapping[str, Line]
) -> Block:
    """The series of a piece; the other pushes are those that close loops, then those that no actuator gives."""
    mech, count = piece.system.mech, len(drives.asked)
    pushes = [*drives.pushes, *others]
    driven, missing = (
        _at_speeds(piece, forces[0], pushes, which)
        for which in (range(count), range(count + len(closing), len(pushes)))
    )
    tied = {name: column(forces[0], count + k) for k, name in enumerate(closing)}
    laws = {name: column(piece.states, k) for k, name in enumerate(piece.system.states)}
    q, v, a = piece.motion[:3]
    shafts = {
        f"{letter}.{name}": column(x, k - mech.n)
        for k, name in enumerate(mech.speeds)
        if name in mech.shafts
        for letter, x in (("q", q), ("v", v))
    }
    series = {**drives.inverted(piece, forces), **laws, **shafts, **tied}
    return Block(piece.t, q, v, a, driven, missing, series, frozenset(tied))


def _at_speeds(piece: Piece, forces: Scalar, pushes: Sequence[Push], which: Sequence[int]) -> Scalar:
    """What some of the forces are at the speeds, (T, n)."""
    total: Scalar = np.zeros((len(piece.t), piece.system.mech.n))
    for k in which:
        total = total + item(forces, np.s_[:, k, None]) * row_along(pushes[k].line, piece)
    return total


# All segments together

SHORT = 1e-6
"""Share of the largest force up to which a force that no actuator gives is rounding."""

SOLVED = 1e-3
"""The same at joints whose motors' motion was found so that it is zero: what is left is an error between samples."""

TOLD = 1e-4
"""Share of the largest force from which on such an error is told."""


class Case(NamedTuple):
    """Who is to move, by what, under which laws."""

    robot: Robot | Mechanism
    mech: Mechanism
    asked: list[Asked]
    system: System


def gathered_demands(
    case: Case,
    blocks: Sequence[Block],
    bounds: Mapping[str, float],
    remarks: tuple[str, ...],
    solved: frozenset[int],
) -> MotionDemands:
    """What all pieces of a motion ask for, one after the other.

    Args:
        case: who moves.
        blocks: the pieces.
        bounds: largest magnitudes by name.
        remarks: what was left out.
        solved: speeds at which no force is missing but for errors between samples.
    """
    mech, system = case.mech, case.system
    motion = Motion(*(np.concatenate([getattr(block, x) for block in blocks]) for x in "tqva"))
    tau, missing = (np.concatenate([getattr(block, x) for block in blocks]) for x in ("tau", "missing"))
    short = short_speeds(tau, missing, solved)
    remarks = (*remarks, *_inexact(mech, tau, np.where(short, 0.0, missing)))
    tau = tau + np.where(short, missing, 0.0)
    series = {TAU + name: tau[:, k] for k, name in enumerate(mech.speeds)}
    series |= {name: np.concatenate([block.series[name] for block in blocks]) for name in blocks[0].series}
    inputs = tuple(x.name for one in case.asked for x in one.actuator.inputs)
    actuated = frozenset(x.name for one in case.asked for x in one.actuator.states)
    remembered = [*(x.name for one in case.asked for x in one.actuator.states), *system.states]
    moved = [name for name in blocks[0].series if name[:2] in ("q.", "v.") and name[2:] in mech.shafts]
    own = frozenset(blocks[0].series) - {*system.states, *moved, *blocks[0].tied}
    refused = own if short.any() else frozenset()
    return MotionDemands(
        motion,
        tau,
        series,
        inputs,
        mech.speeds,
        own,
        tuple(name for name, is_short in zip(mech.speeds, short, strict=True) if is_short),
        tuple(_excesses(case, series, motion.t, bounds, refused)),
        tuple(jumps([*remembered, *moved], [{"t": block.t, **block.series} for block in blocks])),
        State(motion.q[0], motion.v[0], {name: float(series[name][0]) for name in remembered}, actuated),
        remarks,
        _units(case, blocks[0].tied),
    )


def short_speeds(tau: Array, missing: Array, solved: frozenset[int]) -> Array:
    """Per speed whether it lacks a force that no actuator gives, of tau and missing (T, n)."""
    rounding = np.array([SOLVED if k in solved else SHORT for k in range(tau.shape[1])])
    return np.abs(missing).max(axis=0) > rounding * (1 + max(np.abs(tau).max(), np.abs(missing).max()))


def _inexact(mech: Mechanism, tau: Array, missing: Array) -> Iterator[str]:
    """A remark on joints behind springs whose balance is met less well than usual, of tau and missing (T, n)."""
    largest = 1 + np.abs(tau).max(initial=0.0)
    left = np.abs(missing).max(axis=0, initial=0.0) / largest
    names = [name for name, share in zip(mech.speeds, left, strict=True) if share > TOLD]
    if names:
        yield (
            f"the motion of the motors of {listed(names)} meets the forces there to {left.max():.1e} of the largest "
            "only: more samples, or a smoother motion, tell it better."
        )


OF_A_MOTOR = {"torque": "Nm", "speed": "rad/s", "power": "W", "heat": "W"}
"""What an inverse adds to the inputs and states of a motor."""


def _units(case: Case, tied: frozenset[str]) -> dict[str, str]:
    """Units of the series."""
    mech = case.mech
    places = {f"q.{name}": speed_unit(mech, name) for name in mech.shafts}
    speeds = {f"v.{name}": f"{speed_unit(mech, name)}/s" for name in mech.shafts}
    forces = {TAU + name: force_unit(mech, name) for name in mech.speeds}
    states = {state.name: state.unit for state in case.system.states.values()}
    asked = [x for one in case.asked for x in (*one.actuator.inputs, *one.actuator.states)]
    signals = [x for law in case.system.laws for x in law.signals]
    motors = {f"{one.actuator.port}.{word}": unit for one in case.asked for word, unit in OF_A_MOTOR.items()}
    closing = {name: "Nm" if ".torque." in name else "N" for name in tied}
    named = {x.name: x.unit for x in (*asked, *signals)}
    return {**places, **speeds, **forces, **states, **motors, **closing, **named}


def _excesses(
    case: Case, series: Mapping[str, Array], t: Array, bounds: Mapping[str, float], refused: frozenset[str]
) -> list[Any]:
    """What goes beyond the limits of actuators and those given."""
    own = {
        x.name: limit
        for one in case.asked
        for x, limit in zip(one.actuator.inputs, one.actuator.limits, strict=True)
        if limit is not None
    }
    unknown = [name for name in bounds if name not in series]
    if unknown:
        raise InputError(f"demands: limit of {unknown[0]!r}: {did_you_mean(unknown[0], series)}")
    named = {name: limit for name, limit in {**own, **bounds}.items() if name not in refused}
    return [e for name, limit in named.items() if (e := excess(name, limit, t, series[name]))]
