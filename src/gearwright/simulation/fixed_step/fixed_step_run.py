"""Runs with a fixed step, in pieces of machine code between samples, calls of a controller and interruptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step, stepping_remarks
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import sweeps_for
from gearwright.simulation.fixed_step.step_program import MOREAU
from gearwright.simulation.run import Run

if TYPE_CHECKING:
    from gearwright.simulation.simulation import Simulation

CHUNK = 1000
"""Steps between two looks whether somebody pressed Ctrl-C."""


STOPPED = "stopped by the user at t = {:g} s; what was computed is kept."
"""The remark about a run that somebody interrupted."""


def run_fixed(work: Simulation, x: Array, step: float | None) -> Run:
    """A run with equal steps; samples are the steps nearest to those asked for, and nothing else is stored."""
    if work.events:
        raise InputError("simulate: a fixed step does not look for events. Use method='adaptive' to watch for them.")
    if work.system.controller_states:
        raise InputError(
            "simulate: controllers with states need an adaptive method. Use 'adaptive' or 'stiff', or gw.rollout for "
            "those of gw.control."
        )
    h = _duration(work.times, step)
    engine = fixed_step(work.system.mech, work.system.laws, work.method, work=True)
    x = np.concatenate([x, np.zeros(len(engine.states) - len(x))])
    engine.require_stable(x[None], h)
    if work.method == MOREAU:
        engine = engine.with_sweeps(sweeps_for(engine.system, x[None], h))
    work.recorder.remarks.extend((*engine.remarks, *engine.approximations))
    kept = np.unique(np.rint(work.times / h).astype(int)).tolist()
    samples = _Samples(work, engine, h)
    try:
        _march(work, engine, samples, x, h, kept)
    except KeyboardInterrupt:
        work.recorder.remarks.append(STOPPED.format(samples.last))
    except SimulationError as error:
        error.run = samples.run()
        raise
    return samples.run()


def _duration(times: Array, step: float | None) -> float:
    """The duration of a step: the one asked for, made to fit the end."""
    span = float(times[-1])
    wanted = 1e-3 if step is None else step
    return span / max(1, round(span / wanted))


class _Samples:
    """The samples of a run so far: what happens later cannot take them away."""

    def __init__(self, work: Simulation, engine: FixedStep, h: float) -> None:
        self._work, self._engine, self._h = work, engine, h
        self._rows: list[tuple[int, Array, Array]] = []

    @property
    def last(self) -> float:
        """The time of the last one."""
        return self._h * self._rows[-1][0] if self._rows else 0.0

    def keep(self, k: int, x: Array, u: Array) -> None:
        """The state and the inputs after k steps."""
        self._rows.append((k, x, u))

    def run(self) -> Run:
        """The run so far."""
        recorder = self._work.recorder
        if self._rows:
            k, x, u = (np.array(column) for column in zip(*self._rows, strict=True))
            recorder.keep_all(self._h * k, x, u, self._engine.observe(x, u, self._h * k, self._h))
        return recorder.run()


def _march(work: Simulation, engine: FixedStep, samples: _Samples, x: Array, h: float, kept: list[int]) -> None:
    """From sample to sample; a controller is asked at every step or once per period, its outputs held."""
    control, wanted = work.controller, set(kept)
    pause = 0 if control is None else 1 if control.period is None else max(1, round(control.period / h))
    u = work.inputs.at(0.0)
    for begin, end, every in _pieces(kept, pause):
        if not pause:
            u = work.inputs.at(begin * h)
        elif begin % pause == 0:
            u = work.held_inputs(begin * h, x)
        if begin in wanted:
            samples.keep(begin, x, u)
        work.obey()
        given = u[None] if pause or work.inputs.constant else _moments(work, begin, end, h)
        x = _stepped(work, engine, samples, (x, given, begin, end, every, h))
        work.report(end * h)
    if work.method == MOREAU:
        work.recorder.remarks.extend(stepping_remarks(engine, x))
    samples.keep(kept[-1], x, u if pause else work.inputs.at(kept[-1] * h))


_Stretch = tuple[Array, Array, int, int, int, float]
"""State and inputs at its beginning, the first and last of its steps, steps between samples, duration of a step."""


def _stepped(work: Simulation, engine: FixedStep, samples: _Samples, piece: _Stretch) -> Array:
    """The state at the end of a piece; samples within it are kept, also where the motion then leaves all bounds."""
    x, given, begin, end, every, h = piece
    failure: SimulationError | None = None
    try:
        record = engine.run(x[None], given[:, None], h, end - begin, every, start=begin * h)
    except SimulationError as error:
        record, failure = np.asarray(error.run), error
    for k, row in zip(range(begin + every, end, every), record[1:, 0], strict=False):
        samples.keep(k, row, work.inputs.at(k * h))
    if failure is not None:
        raise failure
    return record[-1, 0]


def _moments(work: Simulation, begin: int, end: int, h: float) -> Array:
    """The inputs at the beginning, middle and end of every step."""
    return np.array([work.inputs.at(0.5 * h * k) for k in range(2 * begin, 2 * end + 1)])


def _pieces(kept: list[int], pause: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, steps between states that are given back) of pieces of at most CHUNK steps.

    Without a controller, samples at equal distances share a piece; with one, a piece ends at every sample and call.

    >>> list(_pieces([0, 2, 4, 6, 9], 0))
    [(0, 6, 2), (6, 9, 3)]
    >>> list(_pieces([0, 2, 4], 3))
    [(0, 2, 2), (2, 3, 1), (3, 4, 1)]
    >>> list(_pieces([2500], 0))
    [(0, 1000, 1000), (1000, 2000, 1000), (2000, 2500, 500)]
    """
    calls = range(pause, kept[-1], pause) if pause else ()
    stops = sorted({*kept, *calls} - {0})
    begin, following = 0, 0
    while begin < kept[-1]:
        every = min(stops[following] - begin, CHUNK)
        end = begin + every
        following += end == stops[following]
        while not pause and following < len(stops) and stops[following] == end + every <= begin + CHUNK:
            end, following = end + every, following + 1
        yield begin, end, every
        begin = end
