r"""Sensitivities of event-driven runs: the variational equation between events, and jumps at events.

Between events $\dot X = f_x X + f_p$. At an event with guard $g(t, x, p) = 0$, state after it $x^+ = R(t, x^-, p)$ and
rates $f^-$, $f^+$ before and after it, the event moves by $dt_e = -(g_x X^- + g_p) / (g_x f^- + g_t)$ and

$X^+ = R_x X^- + R_p + (R_x f^- + R_t - f^+)\, dt_e$.

The run is repeated with samples at the collocation points, so the engine is the one of the run itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra.differentiation.variational_equation import RADAU_NODES, transition_matrices
from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.simulation.fixed_step.differentiated_step import INPUT_PREFIX, START_PREFIX, SensitivityNames
from gearwright.simulation.run import Run
from gearwright.simulation.sensitivities.balance_derivatives import BalanceDerivatives, Instants, Linearisation
from gearwright.simulation.sensitivities.impulse_derivatives import ImpulseDerivatives
from gearwright.system.open_systems.open_system import state_names
from gearwright.system.system import Modes
from gearwright.text import listed_names

MIN_INTERVALS = 800
"""Least number of collocation intervals of a run."""

ANGLE_PER_INTERVAL = 0.5
"""Largest angle [rad] by which the fastest oscillation turns within an interval."""

MAX_INTERVALS = 100_000
"""Largest number of intervals; oscillations that need more are not resolved, with a remark."""

EVENT_MARGIN = 1e-12
"""Distance of the samples before and after an event from it, relative to the duration of the run."""

LAST_NODE_MARGIN = 1e-7
"""Distance of the last collocation point from an event, relative to the duration: an event is located slightly late,
where a law may already be beyond a branch point."""

SHORTEST_SEGMENT = 1e-9
"""Segments between events shorter than this, relative to the duration, count as one event."""

FORCED_LEVEL = 1e-4
"""A guard above this level [in its own scale] just before an event did not cause it: an input has jumped."""

GRAZING_RATIO = 0.05
"""Rate of a guard at its event, relative to its mean rate since the event before, below which the event grazes."""

NEAR_MISS_RATIO = 1e-4
"""Least level of a guard within a segment, relative to its range there, below which an event was nearly missed."""

BRANCH_ITERATIONS, BRACKET_SHARE = 12, 0.05
"""Runs that locate branch points, and the share of a bracket that each of them removes at least."""

BRANCH_ROUNDING = 1e-11
"""Levels of branch points below this, relative to their largest, are rounding."""

MAX_BRANCH_POINTS = 2000
"""Largest number of located branch points."""

UNEXPLAINED_SPEED_RATIO = 1e-6
"""Difference, relative to the largest speed, between speeds after an event and those of the impact formula."""


class Nodes(NamedTuple):
    """States of a run at some times, with the linearisation there."""

    t: Array
    instants: Instants
    linear: Linearisation


class Segment(NamedTuple):
    """A part of a run between two events or jumps of inputs: its ends, and the ends of its collocation intervals."""

    begin: float
    end: float
    grid: Array


@dataclass
class RunSensitivities:
    """The sensitivities of one run.

    Args:
        balance: the linearised system.
        names: what the run is differentiated by.
        rerun: (times) -> the same run with other samples.
        run: the run.
        breaks: times at which inputs jump [s].
    """

    balance: BalanceDerivatives
    names: SensitivityNames
    rerun: Callable[[Array], Run]
    run: Run
    breaks: Sequence[float]
    remarks: list[str] = field(default_factory=list)

    def series(self) -> dict[str, dict[str, Array]]:
        """Per signal ("q", "v", states and signals of laws) and name the derivatives at the samples of the run."""
        intervals = self._intervals()
        segments = self._segments(intervals)
        edges, nodes = self._edges_and_nodes(segments)
        branch_times = self._branch_times(edges[::2], nodes)
        if branch_times:
            segments = self._segments(intervals, branch_times)
            edges, nodes = self._edges_and_nodes(segments)
        X = self.balance_columns_at_start()
        columns = np.zeros((len(self.run.t), len(X), len(self.names.all)))
        columns[0] = X
        for k, segment in enumerate(segments):
            X = self._through_segment(segment, nodes[k], X, columns)
            if k + 1 < len(segments):
                X = self._after_event(edges[2 * k + 1], edges[2 * k + 2], nodes[k], X, segments[k + 1].begin)
        return self._signals(columns)

    def balance_columns_at_start(self) -> Array:
        """The sensitivities at the start, (L, names)."""
        return self.names.unit_columns(state_names(self.balance.system), START_PREFIX)

    # Segments and samples

    @cached_property
    def _duration(self) -> float:
        return float(self.run.t[-1] - self.run.t[0])

    def _cuts(self, branch_times: Sequence[float]) -> list[float]:
        """Times of mode changes, of jumps of inputs and of branch points."""
        laws = {law.name for law in self.balance.system.laws}
        first, last = float(self.run.t[0]), float(self.run.t[-1])
        times = {event.t for event in self.run.events if event.name in laws and event.kind != "event"}
        margin, cuts = SHORTEST_SEGMENT * self._duration, list[float]()
        for group in (sorted(times | set(self.breaks)), branch_times):  # events before branch points at the same time
            for t in group:
                if first < t < last and min(abs(t - x) for x in (first, *cuts)) > margin:
                    cuts.append(t)
        cuts.sort()
        return cuts

    def _segments(self, count: int, branch_times: Sequence[float] = ()) -> list[Segment]:
        ends = [float(self.run.t[0]), *self._cuts(branch_times), float(self.run.t[-1])]
        longest = self._duration / count
        return [Segment(begin, end, self._grid(begin, end, longest)) for begin, end in pairwise(ends)]

    def _branch_times(self, begins: Sequence[Nodes], nodes: Sequence[Nodes]) -> list[float]:
        """Times within segments at which a law changes its branch; its derivatives jump there."""
        parts = zip(begins, nodes, strict=True)
        brackets = np.array([row for part in parts for row in self._branch_brackets(*part)]).reshape(-1, 5)
        for _ in range(BRANCH_ITERATIONS if len(brackets) else 0):
            column, low, high, level_low, level_high = brackets.T
            middle = np.clip(
                low + (high - low) * level_low / (level_low - level_high),
                low + BRACKET_SHARE * (high - low),
                high - BRACKET_SHARE * (high - low),
            )
            levels = self._levels(self._sample_run(middle))[np.arange(len(middle)), column.astype(int)]
            is_before = levels * level_low > 0
            brackets = np.stack(
                [
                    column,
                    np.where(is_before, middle, low),
                    np.where(is_before, high, middle),
                    np.where(is_before, levels, level_low),
                    np.where(is_before, level_high, levels),
                ],
                axis=1,
            )
            if (brackets[:, 2] - brackets[:, 1] < SHORTEST_SEGMENT * self._duration).all():
                break
        return sorted({float(0.5 * (row[1] + row[2])) for row in brackets})[:MAX_BRANCH_POINTS]

    def _levels(self, nodes: Nodes) -> Array:
        return self.balance.branch_levels(nodes.instants, nodes.linear.balance)

    def _branch_brackets(self, begin: Nodes, nodes: Nodes) -> list[tuple[float, ...]]:
        """Per change of sign within a segment the column, the times around it, and the levels there."""
        levels, t = np.concatenate([self._levels(begin), self._levels(nodes)]), np.concatenate([begin.t, nodes.t])
        changes = np.argwhere(levels[:-1] * levels[1:] < 0)
        sizes = np.abs(levels).max(axis=0, initial=0.0)
        return [
            (float(k), t[i], t[i + 1], levels[i, k], levels[i + 1, k])
            for i, k in changes.tolist()
            if min(abs(levels[i, k]), abs(levels[i + 1, k])) > BRANCH_ROUNDING * sizes[k]
        ]

    def _grid(self, begin: float, end: float, longest: float) -> Array:
        """Ends of intervals: the samples of the run within the segment, and points between them."""
        margin = SHORTEST_SEGMENT * self._duration
        inside = self.run.t[(self.run.t > begin + margin) & (self.run.t < end - margin)]
        ends = np.array([begin, *inside, end])
        parts = np.ceil(np.diff(ends) / longest).astype(int).clip(1)
        return np.concatenate(
            [*(np.linspace(a, b, n, endpoint=False) for a, b, n in zip(ends[:-1], ends[1:], parts, strict=True)), [end]]
        )

    def _intervals(self) -> int:
        """Number of intervals that resolves the fastest oscillation at some samples of the run."""
        picked = np.unique(np.linspace(0, len(self.run.t) - 1, 25).astype(int))
        linear = self._linearise(self.run, picked).linear
        size = self.balance.size
        fastest = float(np.abs(np.linalg.eigvals(linear.slopes[:, :size, :size]).imag).max())
        needed = int(np.ceil(fastest * self._duration / ANGLE_PER_INTERVAL))
        if needed > MAX_INTERVALS:
            self.remarks.append(
                f"sensitivities: an oscillation of {fastest:.3g} rad/s is not resolved over {self._duration:g} s; the "
                "derivatives may be inaccurate. Simulate a shorter time."
            )
        return min(max(MIN_INTERVALS, needed), MAX_INTERVALS)

    def _edges_and_nodes(self, segments: Sequence[Segment]) -> tuple[list[Nodes], list[Nodes]]:
        """Just after the beginning and just before the end of every segment, and its collocation points."""
        margin = EVENT_MARGIN * self._duration
        parts = [np.array([t]) for s in segments for t in (s.begin + margin, s.end - margin)]
        parts += [
            np.minimum(
                (s.grid[:-1, None] + np.diff(s.grid)[:, None] * RADAU_NODES).ravel(),
                s.end - min(LAST_NODE_MARGIN * self._duration, 0.1 * (s.end - s.grid[-2])),
            )
            for s in segments
        ]
        all_nodes, ends = self._sample_run(np.concatenate(parts)), np.cumsum([0, *map(len, parts)])
        nodes = [_rows(all_nodes, slice(a, b)) for a, b in pairwise(ends)]
        return nodes[: 2 * len(segments)], nodes[2 * len(segments) :]

    def _sample_run(self, times: Array) -> Nodes:
        """States at given times, by the engine of the run."""
        distinct, where = np.unique(times, return_inverse=True)
        run = self.rerun(distinct)
        places = np.minimum(np.searchsorted(run.t, distinct), len(run.t) - 1)
        return self._linearise(run, places[where])

    def _linearise(self, run: Run, rows: Any) -> Nodes:
        system = self.balance.system
        x = np.stack([run.series[name][rows] for name in state_names(system)], axis=1)
        inputs = (*(f"tau.{speed}" for speed in system.mech.speeds), *system.inputs)
        u = np.stack([run.series[name][rows] for name in inputs], axis=1)
        by_law = [run.modes[law.name] for law in system.laws]
        modes = [tuple(law_modes[k] for law_modes in by_law) for k in rows.tolist()]
        instants = Instants(x, run.t[rows], u, modes)
        return Nodes(run.t[rows], instants, self.balance.linearise(instants))

    # Between events

    def _through_segment(self, segment: Segment, nodes: Nodes, X: Array, columns: Array) -> Array:
        """The sensitivities at the end of a segment; those at samples of the run are stored."""
        size, steps = self.balance.size, np.diff(segment.grid)
        shape = (len(steps), len(RADAU_NODES))
        slopes = nodes.linear.slopes[:, :size]
        matrices = transition_matrices(
            slopes[:, :, :size].reshape(*shape, size, size),
            self._forcing(slopes).reshape(*shape, size, len(self.names.all)),
            steps,
        )
        self._remark_near_misses(segment, nodes)
        margin = SHORTEST_SEGMENT * self._duration
        places = {int(k): j for j, k in enumerate(np.searchsorted(segment.grid, self.run.t - margin))}
        for k, step in enumerate(matrices):
            X = step[:, :size] @ X + step[:, size:]
            row = places.get(k + 1)
            if row is not None and abs(self.run.t[row] - segment.grid[k + 1]) <= margin:
                columns[row] = X
        return X

    def _forcing(self, slopes: Array) -> Array:
        """Derivatives (..., rows, names) by the names, from those by [x, t, u, p]."""
        system, size = self.balance.system, self.balance.size
        inputs = (*(f"tau.{speed}" for speed in system.mech.speeds), *system.inputs)
        seeds = np.concatenate(
            [
                np.zeros((size + 1, len(self.names.all))),
                self.names.unit_columns(inputs, INPUT_PREFIX),
                self.names.unit_columns(self.balance.parameters),
            ]
        )
        return slopes @ seeds

    # Events

    def _after_event(self, before: Nodes, after: Nodes, nodes: Nodes, X: Array, t: float) -> Array:
        """The sensitivities after the event at t."""
        modes = before.instants.modes[0], after.instants.modes[0]
        guard = self._guard_of_event(before, modes, t)
        size = self.balance.size
        impacts = self._impulses.impact_guards
        jumps = np.abs(after.instants.x[0] - before.instants.x[0])[self.balance.system.v].max(initial=0.0)
        fastest = 1e-12 + np.abs(before.instants.x[0])[self.balance.system.v].max(initial=0.0)
        impact_guard = guard if guard in impacts and jumps > 1e-9 * fastest else None
        if modes[0] == modes[1] and impact_guard is None and guard is None:
            return X
        instant = before.instants.x[0], float(before.t[0]), before.instants.u[0]
        for opens in (False, True):  # whether stops that open at this instant open in the impact or after it
            reached, slopes = self._impulses.state_after(instant, modes, impact_guard, opens)
            miss = np.abs(reached - after.instants.x[0])[self.balance.system.v].max(initial=0.0)
            if miss <= UNEXPLAINED_SPEED_RATIO * fastest + 1e-9:
                break
        else:
            laws = {event.name for event in self.run.events if abs(event.t - t) <= 1e-15 + 1e-14 * t}
            raise SimulationError(
                f"simulate: sensitivities: the impact of {listed_names(sorted(laws)) or 'an input'} at t = {t:.6g} s "
                "has friction, gear losses or several contacts, and its derivative is not available. Use "
                "gw.rollout(..., method='moreau', sensitivities=), or differences of runs."
            )
        moved = slopes[:, :size] @ X + self._forcing(slopes)
        if guard is None:
            return moved
        rates_before, rates_after = before.linear.values[0, :size], after.linear.values[0, :size]
        level = before.linear.slopes[0, size + guard]
        rate = float(level[:size] @ rates_before + level[size])
        self._remark_grazing(guard, rate, nodes, t)
        if rate == 0:
            return moved
        dt = -(level[:size] @ X + self._forcing(level)) / rate
        jump = slopes[:, :size] @ rates_before + slopes[:, size] - rates_after
        return moved + jump[:, None] * dt[None, :]

    def _guard_of_event(self, before: Nodes, modes: tuple[Modes, Modes], t: float) -> int | None:
        """The index of the guard that has caused the event; None if an input has jumped."""
        laws = self.balance.system.laws
        changed = {
            event.name: event.kind for event in reversed(self.run.events) if abs(event.t - t) <= 1e-15 + 1e-14 * t
        }
        levels = before.linear.values[0, self.balance.size :]
        candidates: list[tuple[float, int]] = []
        for k, ((law, mode), _) in enumerate(self.balance.table.guards):
            if modes[0][law] == mode and laws[law].name in changed:
                preferred = 0.0 if self.balance.table.guards[k][1].to == changed[laws[law].name] else 1e-7
                candidates.append((abs(float(levels[k])) + preferred, k))
        if not candidates or min(candidates)[0] > FORCED_LEVEL:
            return None
        return min(candidates)[1]

    @cached_property
    def _impulses(self) -> ImpulseDerivatives:
        return ImpulseDerivatives(self.balance)

    # Remarks

    def _remark_once(self, text: str) -> None:
        if not any(remark[:60] == text[:60] for remark in self.remarks):
            self.remarks.append(text)

    def _guard_text(self, guard: int) -> str:
        (law, mode), condition = self.balance.table.guards[guard]
        return f"{self.balance.system.laws[law].name!r} ({mode} -> {condition.to})"

    def _remark_grazing(self, guard: int, rate: float, nodes: Nodes, t: float) -> None:
        levels = nodes.linear.values[:, self.balance.size + guard]
        span = float(nodes.t[-1] - nodes.t[0])
        if span > 0 and abs(rate) * span < GRAZING_RATIO * float(np.ptp(levels)):
            self._remark_once(
                f"sensitivities: the event of {self._guard_text(guard)} at t = {t:.6g} s is reached almost "
                f"tangentially (its guard falls with {abs(rate):.2g} 1/s): the derivatives after it are large, "
                "and hold for small changes only."
            )

    def _remark_near_misses(self, segment: Segment, nodes: Nodes) -> None:
        """Remark on guards of the current modes that came close to zero without an event."""
        for k, ((law, mode), condition) in enumerate(self.balance.table.guards):
            if nodes.instants.modes[0][law] != mode or condition.impact is None:
                continue
            levels = nodes.linear.values[:, self.balance.size + k]
            least = int(np.argmin(levels))
            inside = 0.02 * len(levels) < least < 0.98 * len(levels)
            if inside and levels[least] < NEAR_MISS_RATIO * float(np.ptp(levels)):
                self._remark_once(
                    f"sensitivities: {self._guard_text(k)} came within {levels[least]:.2g} of an event at "
                    f"t = {nodes.t[least]:.6g} s: a small change causes the event, and no derivative describes it."
                )

    # Signals

    def _signals(self, columns: Array) -> dict[str, dict[str, Array]]:
        system, names = self.balance.system, self.names.all
        linear = self._linearise(self.run, np.arange(len(self.run.t))).linear
        signal_slopes = linear.slopes[:, self.balance.size + len(self.balance.table.guards) :]
        signals = signal_slopes[:, :, : self.balance.size] @ columns + self._forcing(signal_slopes)
        series: dict[str, Array] = {"q": columns[:, system.q], "v": columns[:, system.v]}
        series |= {name: columns[:, system.law_slice.start + k] for k, name in enumerate(system.states)}
        series |= {name: signals[:, k] for k, name in enumerate(self.balance.signal_names)}
        return {name: {path: values[..., k] for k, path in enumerate(names)} for name, values in series.items()}


def _rows(nodes: Nodes, part: slice) -> Nodes:
    x, t, u, modes = nodes.instants
    linear = Linearisation(*(array[part] for array in nodes.linear))
    return Nodes(nodes.t[part], Instants(x[part], t[part], u[part], modes[part]), linear)


def run_sensitivities(
    balance: BalanceDerivatives,
    names: Sequence[str],
    rerun: Callable[[Array], Run],
    run: Run,
    breaks: Sequence[float],
) -> tuple[Mapping[str, Mapping[str, Array]], tuple[str, ...]]:
    """The sensitivities of a run, and remarks on them."""
    problem = RunSensitivities(balance, SensitivityNames(tuple(names)), rerun, run, breaks)
    series = problem.series()
    return series, tuple(problem.remarks)
