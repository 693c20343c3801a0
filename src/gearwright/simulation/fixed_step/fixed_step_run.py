"""Runs with a fixed step: calls of machine code between samples, controller calls and checks for Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step, stepping_remarks
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import required_sweeps
from gearwright.simulation.fixed_step.step_program import MOREAU_METHOD
from gearwright.simulation.run import Run

if TYPE_CHECKING:
    from gearwright.simulation.simulation import Simulation

MAX_STEPS_PER_PIECE = 1000
"""Steps between two checks for Ctrl-C."""


INTERRUPTED_REMARK = "stopped by the user at t = {:g} s; the samples so far are kept."
"""The remark on an interrupted run."""


def run_fixed(simulation: Simulation, x: Array, step: float | None) -> Run:
    """A run with equal steps; the samples are the steps nearest to the requested times, and only they are stored."""
    if simulation.events:
        raise InputError("simulate: fixed-step methods do not locate events. Use method='adaptive' for events.")
    if simulation.system.controller_states:
        raise InputError(
            "simulate: controllers with states need an adaptive method. Use 'adaptive' or 'stiff', or gw.rollout for "
            "those of gw.control."
        )
    h = _step_duration(simulation.times, step)
    engine = fixed_step(simulation.system.mech, simulation.system.laws, simulation.method, work=True)
    x = np.concatenate([x, np.zeros(len(engine.states) - len(x))])
    engine.require_stable(x[None], h)
    if simulation.method == MOREAU_METHOD:
        engine = engine.with_sweeps(required_sweeps(engine.system, x[None], h))
    simulation.recorder.remarks.extend((*engine.remarks, *engine.approximations))
    sample_steps = np.unique(np.rint(simulation.times / h).astype(int)).tolist()
    samples = _RunSamples(simulation, engine, h)
    try:
        _run_pieces(simulation, engine, samples, x, h, sample_steps)
    except KeyboardInterrupt:
        simulation.recorder.remarks.append(INTERRUPTED_REMARK.format(samples.last_time))
    except SimulationError as error:
        error.run = samples.run_so_far()
        raise
    return samples.run_so_far()


def _step_duration(times: Array, step: float | None) -> float:
    """The duration of a step [s]: the given one, adjusted to divide the run."""
    span = float(times[-1])
    requested_step = 1e-3 if step is None else step
    return span / max(1, round(span / requested_step))


class _RunSamples:
    """The samples of a run so far; they remain available after an error."""

    def __init__(self, work: Simulation, engine: FixedStep, h: float) -> None:
        self._work, self._engine, self._h = work, engine, h
        self._rows: list[tuple[int, Array, Array]] = []

    @property
    def last_time(self) -> float:
        """The time of the last sample."""
        return self._h * self._rows[-1][0] if self._rows else 0.0

    def add_sample(self, k: int, x: Array, u: Array) -> None:
        """Record the state and the inputs after k steps."""
        self._rows.append((k, x, u))

    def run_so_far(self) -> Run:
        """The run so far."""
        recorder = self._work.recorder
        if self._rows:
            k, x, u = (np.array(column) for column in zip(*self._rows, strict=True))
            recorder.add_blocks(self._h * k, x, u, self._engine.observe(x, u, self._h * k, self._h))
        return recorder.run_so_far()


def _run_pieces(
    simulation: Simulation, engine: FixedStep, samples: _RunSamples, x: Array, h: float, sample_steps: list[int]
) -> None:
    """Advance from sample to sample; a controller is called at every step or once per period, its outputs held."""
    control, wanted = simulation.controller, set(sample_steps)
    pause = 0 if control is None else 1 if control.period is None else max(1, round(control.period / h))
    u = simulation.inputs.values_at(0.0)
    for begin, end, every in _step_pieces(sample_steps, pause):
        if not pause:
            u = simulation.inputs.values_at(begin * h)
        elif begin % pause == 0:
            u = simulation.held_inputs(begin * h, x)
        if begin in wanted:
            samples.add_sample(begin, x, u)
        simulation.monitor.raise_if_interrupted()
        input_values = u[None] if pause or simulation.inputs.is_constant else _moment_inputs(simulation, begin, end, h)
        x = _run_piece(simulation, engine, samples, (x, input_values, begin, end, every, h))
        simulation.monitor.report(end * h)
    if simulation.method == MOREAU_METHOD:
        simulation.recorder.remarks.extend(stepping_remarks(engine, x))
    samples.add_sample(sample_steps[-1], x, u if pause else simulation.inputs.values_at(sample_steps[-1] * h))


_Piece = tuple[Array, Array, int, int, int, float]
"""A part of a run: initial state and inputs, first and last step, steps between samples, duration of a step."""


def _run_piece(simulation: Simulation, engine: FixedStep, samples: _RunSamples, piece: _Piece) -> Array:
    """The state at the end of a piece; samples within it are recorded, also if the motion then diverges."""
    x, input_values, begin, end, every, h = piece
    failure: SimulationError | None = None
    try:
        record = engine.run_steps(x[None], input_values[:, None], h, end - begin, every, start=begin * h)
    except SimulationError as error:
        record, failure = np.asarray(error.run), error
    for k, row in zip(range(begin + every, end, every), record[1:, 0], strict=False):
        samples.add_sample(k, row, simulation.inputs.values_at(k * h))
    if failure is not None:
        raise failure
    return record[-1, 0]


def _moment_inputs(simulation: Simulation, begin: int, end: int, h: float) -> Array:
    """The inputs at the beginning, middle and end of every step."""
    return np.array([simulation.inputs.values_at(0.5 * h * k) for k in range(2 * begin, 2 * end + 1)])


def _step_pieces(sample_steps: list[int], pause: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, steps between returned states) of pieces of at most `MAX_STEPS_PER_PIECE` steps.

    Without a controller, samples at equal distances share a piece; with one, a piece ends at every sample and call.

    >>> list(_step_pieces([0, 2, 4, 6, 9], 0))
    [(0, 6, 2), (6, 9, 3)]
    >>> list(_step_pieces([0, 2, 4], 3))
    [(0, 2, 2), (2, 3, 1), (3, 4, 1)]
    >>> list(_step_pieces([2500], 0))
    [(0, 1000, 1000), (1000, 2000, 1000), (2000, 2500, 500)]
    """
    calls = range(pause, sample_steps[-1], pause) if pause else ()
    stops = sorted({*sample_steps, *calls} - {0})
    begin, following = 0, 0
    while begin < sample_steps[-1]:
        every = min(stops[following] - begin, MAX_STEPS_PER_PIECE)
        end = begin + every
        following += end == stops[following]
        while not pause and following < len(stops) and stops[following] == end + every <= begin + MAX_STEPS_PER_PIECE:
            end, following = end + every, following + 1
        yield begin, end, every
        begin = end
