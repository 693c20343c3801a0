"""Runs with a fixed step: all steps in machine code, or step by step where a controller has its say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.simulation.rollout_steps import FixedStep, fixed_step
from gearwright.simulation.run import Run

if TYPE_CHECKING:
    from gearwright.simulation.simulation import Simulation

CHUNK = 1000
"""Steps between two reports of progress."""


STOPPED = "stopped by the user at t = {:g} s; what was computed is kept."
"""The remark about a run that somebody interrupted."""


def run_fixed(work: Simulation, x: Array, step: float | None) -> Run:
    """A run with equal steps; samples are the steps nearest to those asked for."""
    if work.events:
        raise InputError("simulate: a fixed step does not look for events. Use method='adaptive' to watch for them.")
    if work.system.controller_states:
        raise InputError("simulate: controllers with states need an adaptive method. Use 'adaptive' or 'stiff'.")
    count, h = _steps(work.times, step)
    engine = fixed_step(work.system.mech, work.system.laws, work.method, work=True)
    engine.require_stable(x, h)
    if work.controller is None:
        moments = [0.0] if work.inputs.constant else (0.5 * h * np.arange(2 * count + 1)).tolist()
        inputs = np.array([work.inputs.at(now) for now in moments])
        record = engine.run(x[None], inputs[:, None], h, count)[:, 0]
        used = np.broadcast_to(inputs[::2], (count + 1, inputs.shape[1]))
    else:
        record, used = _controlled(work, engine, x, h, count)
    kept = np.unique(np.rint(work.times / h).astype(int))
    kept = kept[kept < len(record)]
    x, u, t = record[kept], used[kept], h * kept
    work.recorder.keep_all(t, x, u, engine.seen(x, u, t))
    return work.recorder.run()


def _steps(times: Array, step: float | None) -> tuple[int, float]:
    """How many steps of what duration: the one asked for, made to fit the end."""
    span = float(times[-1])
    wanted = 1e-3 if step is None else step
    count = max(1, round(span / wanted))
    return count, span / count


def _controlled(work: Simulation, engine: FixedStep, x: Array, h: float, count: int) -> tuple[Array, Array]:
    """Step by step, the controller being called at every step or once per period, its outputs held."""
    period = work.controller.period if work.controller is not None else None
    pause = 1 if period is None else max(1, round(period / h))
    record, used = np.empty((count + 1, len(x))), np.empty((count + 1, len(work.inputs.names)))
    record[0] = x
    for k in range(0, count, pause):
        steps = min(pause, count - k)
        try:
            used[k : k + steps + 1] = u = work.held_inputs(k * h, record[k])
        except KeyboardInterrupt:
            work.recorder.remarks.append(STOPPED.format(k * h))
            return record[: k + 1], used[: k + 1]
        record[k : k + steps + 1] = engine.run(record[k][None], u[None, None], h, steps, start=k * h)[:, 0]
        if k % CHUNK < pause:
            work.report(k * h)
    return record, used
