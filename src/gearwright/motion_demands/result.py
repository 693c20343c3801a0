"""The result of `demands`: forces, motor torques, inputs and states by name, exceeded limits, and jumps of states."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_column, array_columns, array_item
from gearwright.algebra.differentiation.dual_numbers import dual, map_linear, primal_value
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.mechanism import Mechanism
from gearwright.mechanism.units import force_unit, speed_unit
from gearwright.motion import Motion
from gearwright.motion_demands.actuator_forces import ForceLine
from gearwright.motion_demands.motion_segments.smooth_segments import (
    SmoothSegment,
    all_samples,
    line_rows,
    segment_slices,
)
from gearwright.motion_demands.problem import DemandProblem
from gearwright.plots import NotebookFigure, panel_figure, save_if_path
from gearwright.system.inputs import FORCE_INPUT_PREFIX, Signal
from gearwright.system.series_figure import block_panels, overview_panels
from gearwright.system.state import State
from gearwright.text import did_you_mean, listed_names

# The result


class LimitExcess(NamedTuple):
    """An exceeded limit: largest magnitude, its time, and the total duration of the excess [s]."""

    name: str
    limit: float
    largest: float
    at: float
    duration: float

    @property
    def excess_ratio(self) -> float:
        """Excess relative to the limit."""
        return self.largest / self.limit - 1


class StateJump(NamedTuple):
    """A discontinuity that the motion requires of a state; no input can produce it."""

    name: str
    at: float
    size: float


@dataclass(frozen=True)
class MotionDemands(NotebookFigure):
    """The demands of a motion on a machine, its motors and their electronics.

    Args:
        motion: the motion of the whole machine, shafts of elastic drives included; times [s] at which the motion or
            the friction is not smooth appear twice, with the values before and after.
        tau: generalized forces [Nm, N], (T, n), as inputs of `simulate`: the motor forces at every speed, before the
            losses of their gears; at a joint without a drive, the required force.
        series: values (T,) of each force, input, state and motor quantity, by name.
        names: names of the actuators' inputs.
        speeds: names of the speeds.
        actuator_series: names of the actuators' series.
        unactuated: speeds that need a force which no actuator can produce.
        excesses: exceeded limits.
        jumps: required discontinuities of states.
        start: initial state for a simulation with `input_signals` or with `force_signals`.
        remarks: remarks on neglected effects.
        units: unit of each series.
        time_partials: partial derivatives of the times by parameter, where the instants of discontinuities depend on
            parameters; motion, tau and series are then `Dual`, and their partial derivatives are at fixed times.
    """

    motion: Motion
    tau: Array
    series: Mapping[str, Array]
    names: tuple[str, ...]
    speeds: tuple[str, ...]
    actuator_series: frozenset[str]
    unactuated: tuple[str, ...]
    excesses: tuple[LimitExcess, ...]
    jumps: tuple[StateJump, ...]
    start: State
    remarks: tuple[str, ...] = field(default=())
    units: Mapping[str, str] = field(default_factory=dict)
    time_partials: Mapping[str, Array] = field(default_factory=dict)

    @property
    def t(self) -> Array:
        """Times [s], (T,)."""
        times: Array = dual(self.motion.t, self.time_partials)
        return times

    def __getitem__(self, name: str) -> Array:
        """A series by name, (T,)."""
        if name not in self.series:
            raise InputError(f"demands: there is no series {name!r}. {did_you_mean(name, self.series)}")
        if self.unactuated and name in self.actuator_series:
            raise self._undriven_error(name)
        return self.series[name]

    @property
    def is_feasible(self) -> bool:
        """Whether the motion is feasible: all forces driven, all limits respected, no state discontinuous."""
        return not self.excesses and not self.jumps and not self.unactuated

    @property
    def input_signals(self) -> dict[str, Signal]:
        """The actuators' inputs as functions of time, as `simulate(..., inputs=...)` takes them."""
        return {name: _spline_signal(self.t, self[name]) for name in self.names}

    @property
    def force_signals(self) -> dict[str, Signal]:
        """The generalized forces `tau.<speed>` as functions of time, as `simulate(..., inputs=...)` takes them."""
        return {FORCE_INPUT_PREFIX + name: _spline_signal(self.t, self.tau[:, k]) for k, name in enumerate(self.speeds)}

    @check_arguments
    def peak(self, name: str) -> float:
        """The largest magnitude of a series."""
        return float(np.abs(self[name]).max())

    @check_arguments
    def rms(self, name: str) -> float:
        r"""The root mean square of a series over time, $\sqrt{\tfrac1T \int x^2 dt}$."""
        values, span = self[name] ** 2, float(self.t[-1] - self.t[0])
        return float(np.sqrt(np.trapezoid(values, self.t) / span if span else values.mean()))

    def plot(self, *prefixes: str, path: str | Path | None = None) -> Any:
        """Return a figure of forces and motor quantities; with `path` (.png, .svg, .pdf) it is saved too.

        Args:
            prefixes: prefixes of names of series, such as "tau" or "shoulder.current"; an overview unless given.
            path: output file.
        """
        blocks = [panel for prefix in prefixes for panel in block_panels(prefix, self.series, self.units, "demands")]
        return save_if_path(panel_figure(self.t, "time [s]", blocks or overview_panels(self.series, self.units)), path)

    def __str__(self) -> str:
        return self.report()

    def report(self) -> str:
        """Return a line per joint force and input with peak and RMS, then exceeded limits and jumps of states."""
        series_names = [*(FORCE_INPUT_PREFIX + name for name in self.speeds), *([] if self.unactuated else self.names)]
        lines = [f"{name}: peak {self.peak(name):.6g}, RMS {self.rms(name):.6g}" for name in series_names]
        for x in self.excesses:
            lines.append(
                f"{x.name} exceeds its limit {x.limit:g}: {x.largest:.6g} at t = {x.at:.4g} s ({x.excess_ratio:.0%} "
                f"above), for {x.duration:.4g} s in total"
            )
        lines += [
            f"{x.name} would have to be discontinuous at t = {x.at:.4g} s (jump {x.size:.4g})" for x in self.jumps
        ]
        if self.unactuated:
            lines.append(f"{listed_names(self.unactuated)}: no actuator produces the required force")
        return "\n".join([*lines, *self.remarks])

    def _undriven_error(self, name: str) -> SingularityError:
        return SingularityError(
            f"demands: {name!r} is not defined: no actuator produces the force that {listed_names(self.unactuated)} "
            "needs; `.tau` has this force. Add an actuator, or prescribe a feasible motion; for an elastic drive, "
            "compute the motor motion from the joint motion (motor_motion)."
        )


def limit_excess(name: str, limit: float, t: Array, values: Array) -> LimitExcess | None:
    """Return where values exceed a limit; None if they do not."""
    sizes = np.abs(values)
    if not sizes.max() > limit * (1 + 1e-9):
        return None
    beyond = (sizes > limit).astype(float)
    worst = int(sizes.argmax())
    return LimitExcess(name, limit, float(sizes[worst]), float(t[worst]), float(np.trapezoid(beyond, t)))


JUMP_RATIO = 1e-6
"""Discontinuity of a state, relative to its range, up to which it is an interpolation error."""

JUMP_ROUNDING = 1e-12
"""The same, relative to its size, up to which it is a rounding error."""


def state_jumps(states: Sequence[str], blocks: Sequence[dict[str, Array]]) -> list[StateJump]:
    """Return the discontinuities of states between consecutive segments of a motion."""
    result = []
    for name in states:
        values = np.concatenate([block[name] for block in blocks])
        smallest = JUMP_RATIO * float(np.ptp(values)) + JUMP_ROUNDING * float(np.abs(values).max())
        for before, after in pairwise(blocks):
            step = float(after[name][0] - before[name][-1])
            if abs(step) > smallest:
                result.append(StateJump(name, float(after["t"][0]), step))
    return result


def _spline_signal(t: Array, values: Array) -> Signal:
    """Return cubic splines between duplicated times."""
    from scipy.interpolate import CubicSpline

    edges = [0, *(np.flatnonzero(np.diff(t) == 0) + 1), len(t)]
    spans = list(pairwise(edges))
    curves = [CubicSpline(t[a:b], values[a:b]) for a, b in spans]
    starts = np.concatenate([values_at.x[:-1] for values_at in curves]).tolist()
    cubics = np.concatenate([values_at.c.T for values_at in curves]).tolist()
    first, last = float(t[0]), float(t[-1])

    def value_at(now: float) -> float:  # called thousands of times with one number: plain Python is ten times faster
        now = min(max(now, first), last)
        k = bisect_right(starts, now) - 1
        a, b, c, d = cubics[k]
        x: float = now - starts[k]
        value: float = ((a * x + b) * x + c) * x + d
        return value

    def values_at(now: Array) -> Array:
        now = np.clip(now, first, last)
        k = np.searchsorted(begins, now, side="right") - 1
        a, b, c, d = np.moveaxis(factors[k], -1, 0)
        x = now - begins[k]
        result: Array = ((a * x + b) * x + c) * x + d
        return result

    begins, factors = np.array(starts), np.array(cubics)
    return Signal(value_at, tuple(float(t[a]) for a, _ in spans), knots=(*starts, last), curve=values_at)


# From the forces to the result

MISSING_FORCE_RATIO = 1e-6
"""Force without an actuator, relative to the largest force, up to which it is a rounding error."""

SOLVED_FORCE_RATIO = 1e-3
"""The same ratio at joints behind springs, whose motor motion makes it zero up to interpolation errors."""

REMARKED_FORCE_RATIO = 1e-4
"""Interpolation error, relative to the largest force, above which it is reported."""


def gather_demands(
    problem: DemandProblem,
    segments: Sequence[SmoothSegment],
    forces: Sequence[Scalar],
    other_lines: Sequence[ForceLine],
    *,
    bounds: Mapping[str, float],
    remarks: tuple[str, ...] = (),
    solved_speeds: frozenset[int] = frozenset(),
    missing: Array | None = None,
    known_series: Mapping[str, Array] | None = None,
) -> MotionDemands:
    """Return the result for known forces; motion and forces may depend on parameters.

    Args:
        problem: the machine with its laws and actuators.
        segments: the motion.
        forces: forces along all lines, and their derivatives, at all samples, each (T, lines).
        other_lines: lines after those of the actuators: of loop constraints, then undriven ones.
        bounds: largest magnitudes by name.
        remarks: remarks on neglected effects.
        solved_speeds: speeds at which no force is missing except interpolation errors.
        missing: generalized forces without an actuator (T, n), unless `forces` has them.
        known_series: series that replace those computed.
    """
    mech, system, drives = problem.mech, problem.system, problem.drives
    samples, count, closing = all_samples(segments), len(drives.demands), problem.closing_lines
    lines = [*drives.force_lines, *other_lines]
    tau = _generalised_forces(samples, forces[0], lines, range(count))
    if missing is None:
        missing = _generalised_forces(samples, forces[0], lines, range(count + len(closing), len(lines)))
    is_undriven = undriven_speeds(primal_value(tau), primal_value(missing), solved_speeds)
    remarks = (*remarks, *_inexact_remarks(mech, primal_value(tau), np.where(is_undriven, 0.0, primal_value(missing))))
    tau = tau + map_linear(lambda x: np.where(is_undriven, x, 0.0), missing)
    laws = {name: array_column(samples.states, k) for k, name in enumerate(system.states)}
    shafts = {
        f"{letter}.{name}": array_column(x, k - mech.n)
        for k, name in enumerate(mech.speeds)
        if name in mech.shafts
        for letter, x in zip("qv", samples.motion, strict=False)
    }
    closing_forces = {name: array_column(forces[0], count + k) for k, name in enumerate(closing)}
    actuated_series = {**drives.solve_inputs(segments, forces), **(known_series or {})}
    joint_forces = {FORCE_INPUT_PREFIX + name: x for name, x in zip(mech.speeds, array_columns(tau), strict=True)}
    series = {**joint_forces, **actuated_series, **laws, **shafts, **closing_forces}
    values = {name: primal_value(x) for name, x in series.items()}
    actuators = [demand.actuator for demand in drives.demands]
    actuator_states = [x.name for actuator in actuators for x in actuator.states]
    state_names = [*actuator_states, *system.states]
    motion, refused = Motion(samples.t, *samples.motion[:3]), actuated_series if is_undriven.any() else {}
    blocks = [
        {"t": samples.t[part], **{name: x[part] for name, x in values.items()}} for part in segment_slices(segments)
    ]
    q, v = (primal_value(x)[0] for x in (motion.q, motion.v))
    return MotionDemands(
        motion,
        tau,
        series,
        tuple(x.name for actuator in actuators for x in actuator.inputs),
        mech.speeds,
        frozenset(actuated_series),
        tuple(name for name, is_short in zip(mech.speeds, is_undriven, strict=True) if is_short),
        tuple(_limit_excesses(problem, values, samples.t, bounds, frozenset(refused))),
        tuple(state_jumps([*state_names, *shafts], blocks)),
        State(q, v, {name: float(values[name][0]) for name in state_names}, frozenset(actuator_states)),
        remarks,
        _series_units(problem),
    )


def _generalised_forces(
    samples: SmoothSegment, forces: Scalar, lines: Sequence[ForceLine], indices: Sequence[int]
) -> Scalar:
    """Return some of the forces as generalized forces, (T, n)."""
    total: Scalar = np.zeros((len(samples.t), samples.system.mech.n))
    for k in indices:
        total = total + array_item(forces, np.s_[:, k, None]) * line_rows(lines[k].line, samples)
    return total


def undriven_speeds(tau: Array, missing: Array, solved_speeds: frozenset[int]) -> Array:
    """Return per speed whether a required force has no actuator, from tau and missing (T, n)."""
    rounding = np.array(
        [SOLVED_FORCE_RATIO if k in solved_speeds else MISSING_FORCE_RATIO for k in range(tau.shape[1])]
    )
    return np.abs(missing).max(axis=0) > rounding * (1 + max(np.abs(tau).max(), np.abs(missing).max()))


def _inexact_remarks(mech: Mechanism, tau: Array, missing: Array) -> Iterator[str]:
    """Yield a remark on joints behind springs with a large residual of the force balance; arrays (T, n)."""
    largest = 1 + np.abs(tau).max(initial=0.0)
    left = np.abs(missing).max(axis=0, initial=0.0) / largest
    names = [name for name, share in zip(mech.speeds, left, strict=True) if share > REMARKED_FORCE_RATIO]
    if names:
        yield (
            f"{listed_names(names)}: the motor motion satisfies the force balance only to {left.max():.1e} of the "
            "largest force. Use more samples or a smoother motion."
        )


MOTOR_SERIES_UNITS = {"torque": "Nm", "speed": "rad/s", "power": "W", "heat": "W"}
"""Series that an inverse adds to the inputs and states of a motor."""


def _series_units(problem: DemandProblem) -> dict[str, str]:
    """Return the units of the series."""
    mech = problem.mech
    places = {f"q.{name}": speed_unit(mech, name) for name in mech.shafts}
    speeds = {f"v.{name}": f"{speed_unit(mech, name)}/s" for name in mech.shafts}
    forces = {FORCE_INPUT_PREFIX + name: force_unit(mech, name) for name in mech.speeds}
    states = {state.name: state.unit for state in problem.system.states.values()}
    actuator_quantities = [
        x for demand in problem.drives.demands for x in (*demand.actuator.inputs, *demand.actuator.states)
    ]
    signals = [x for law in problem.system.laws for x in law.signals]
    motors = {
        f"{demand.actuator.port}.{word}": unit
        for demand in problem.drives.demands
        for word, unit in MOTOR_SERIES_UNITS.items()
    }
    closing = {name: "Nm" if ".torque." in name else "N" for name in problem.closing_lines}
    law_units = {x.name: x.unit for x in (*actuator_quantities, *signals)}
    return {**places, **speeds, **forces, **states, **motors, **closing, **law_units}


def _limit_excesses(
    problem: DemandProblem, series: Mapping[str, Array], t: Array, bounds: Mapping[str, float], refused: frozenset[str]
) -> list[Any]:
    """Return the exceeded limits of actuators and those given."""
    actuator_limits = {
        x.name: limit
        for demand in problem.drives.demands
        for x, limit in zip(demand.actuator.inputs, demand.actuator.limits, strict=True)
        if limit is not None
    }
    unknown = [name for name in bounds if name not in series]
    if unknown:
        raise InputError(f"demands: there is no series {unknown[0]!r} to limit. {did_you_mean(unknown[0], series)}")
    limits = {name: limit for name, limit in {**actuator_limits, **bounds}.items() if name not in refused}
    return [e for name, limit in limits.items() if (e := limit_excess(name, limit, t, series[name]))]
