"""Whether a run failed because its controller drives the machine away: the poles of the closed loop near the start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, SimulationError
from gearwright.simulation.integrators.rates import rates_by_laws
from gearwright.simulation.integrators.stiffness_detection import differences
from gearwright.simulation.simulation import Simulation
from gearwright.system.controllers.controller import Controller, with_answer

NUDGE = 1e-3
"""Speed [rad/s, m/s] at which a machine is looked at, so that friction slides."""

CLEARLY = 2.0
"""How many times faster than without the controller a motion must grow for the controller to be the reason."""

FASTER = 10.0
"""Growth within a run, as a power of e, below which nobody would notice."""


class Growth(NamedTuple):
    """A motion that grows: its rate [1/s], the frequency at which it swings [Hz], and the speed that moves most."""

    rate: float
    frequency: float
    speed: str


def explained(work: Simulation, x: Array, error: SimulationError) -> SimulationError:
    """An error of a run with what an unstable controller has to do with it, if it is one."""
    growth = None if work.controller is None else _growth(work, work.controller, x)
    if growth is None or work.controller is None:
        return error
    swings = f", swinging at {growth.frequency:.3g} Hz" if growth.frequency else ""
    period = work.controller.period
    ways = "" if period is None else f", or call it more often than every {period:g} s"
    return SimulationError(
        f"simulate: the controller makes the machine unstable: near the start a motion of mostly {growth.speed!r} "
        f"grows by {growth.rate:.3g} 1/s{swings}, which doubles it every {np.log(2) / growth.rate:.3g} s. Look at the "
        f"signs and gains of the controller{ways}. The run came to t = {work.recorder.last:g} s."
    )


def _growth(work: Simulation, control: Controller, x: Array) -> Growth | None:
    """The fastest growing motion of the controlled machine, if the controller is what makes it grow."""
    x, t = x.copy(), float(work.times[0])
    x[work.system.v] += NUDGE
    try:
        held = work.held_inputs(t, x)
        modes = work.first_modes(t, x)
        idle = np.zeros(len(work.system.controller_states))
        alone = differences(lambda y: rates_by_laws(work.system, modes, lambda *_: (held, idle))(t, y), x)
        if control.period is None:
            found = _fastest(work, differences(work.smooth_rates(x), x), None)
        else:
            found = _fastest(work, _over_a_period(work, control, x, alone), control.period)
    except (GearwrightError, ArithmeticError, ValueError, np.linalg.LinAlgError):
        return None  # what cannot be looked at is not explained
    before = float(np.linalg.eigvals(alone).real.max())
    span = float(work.times[-1]) - t
    return found if found.rate > max(CLEARLY * before, FASTER / span) else None


def _over_a_period(work: Simulation, control: Controller, x: Array, alone: Array) -> Array:
    r"""How a small deviation is changed from one call of the controller to the next.

    $e^{A T} + \int_0^T e^{A s} ds\, B K$ with A and B of the machine, and K of the controller.
    """
    from scipy.linalg import expm

    system, t, period = work.system, float(work.times[0]), float(control.period or 0.0)
    modes, idle = work.first_modes(t, x), np.zeros(0)
    u = work.held_inputs(t, x)
    B = differences(lambda w: rates_by_laws(system, modes, lambda *_: (w, idle))(t, x), u)
    asked = iter(range(1, 10**6))

    def answer(y: Array) -> Array:
        now = t + next(asked) * 1e-9 * period  # every question counts, also those about the same time
        given, _ = control.answer(now, work.state(y))
        return with_answer(work.inputs.at(t), given, now, work.inputs.names, system.mech.n)

    K = differences(answer, x)
    size, inputs = len(x), len(u)
    whole = np.zeros((size + inputs, size + inputs))
    whole[:size, :size], whole[:size, size:] = alone, B
    moved = expm(whole * period)
    result: Array = moved[:size, :size] + moved[:size, size:] @ K
    return result


def _fastest(work: Simulation, matrix: Array, period: float | None) -> Growth:
    """Of the rates of a continuous system, or of what happens in a period."""
    values, vectors = np.linalg.eig(matrix)
    poles = values.astype(complex) if period is None else np.log(values + 1e-300 + 0j) / period
    worst = int(np.argmax(poles.real))
    moving = np.abs(vectors[work.system.v, worst])
    speed = work.system.mech.speeds[int(np.argmax(moving))]
    return Growth(float(poles[worst].real), abs(float(poles[worst].imag)) / (2 * np.pi), speed)
