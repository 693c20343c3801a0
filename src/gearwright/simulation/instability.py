"""Whether a run failed because of an unstable controller: the poles of the closed loop near the start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError, SimulationError
from gearwright.simulation.integrators.rates import rates_by_laws
from gearwright.simulation.integrators.stiffness_detection import forward_differences
from gearwright.simulation.simulation import Simulation
from gearwright.system.controllers.controller import Controller, with_controller_output

SLIDING_SPEED = 1e-3
"""Speed of the linearisation [rad/s, m/s], at which friction slides."""

GROWTH_RATIO_BY_CONTROLLER = 2.0
"""Ratio of growth rates with and without the controller above which the controller is the cause."""

NOTICED_GROWTH = 10.0
"""Least growth within a run, as an exponent of e, for an instability to count."""


class UnstableMotion(NamedTuple):
    """An unstable mode: its growth rate [1/s], its frequency [Hz], and the speed with the largest amplitude."""

    rate: float
    frequency: float
    speed: str


def with_instability_cause(simulation: Simulation, x: Array, error: SimulationError) -> SimulationError:
    """The error of a run, with an unstable controller as its cause if the closed loop has an unstable mode."""
    growth = None if simulation.controller is None else _controller_growth(simulation, simulation.controller, x)
    if growth is None or simulation.controller is None:
        return error
    swings = f", oscillating at {growth.frequency:.3g} Hz" if growth.frequency else ""
    period = simulation.controller.period
    remedy = "" if period is None else f", or call it more often than every {period:g} s"
    return SimulationError(
        f"simulate: the controller makes the machine unstable: near the start a motion of mostly {growth.speed!r} "
        f"grows at {growth.rate:.3g} 1/s{swings}, doubling every {np.log(2) / growth.rate:.3g} s. Check the signs and "
        f"gains of the controller{remedy}. The run ended at t = {simulation.recorder.last_time:g} s."
    )


def _controller_growth(simulation: Simulation, control: Controller, x: Array) -> UnstableMotion | None:
    """The fastest growing mode of the closed loop, if the controller is its cause."""
    x, t = x.copy(), float(simulation.times[0])
    x[simulation.system.v] += SLIDING_SPEED
    try:
        held = simulation.held_inputs(t, x)
        modes = simulation.first_modes(t, x)
        idle = np.zeros(len(simulation.system.controller_states))
        alone = forward_differences(lambda y: rates_by_laws(simulation.system, modes, lambda *_: (held, idle))(t, y), x)
        if control.period is None:
            growth = _fastest_growth(simulation, forward_differences(simulation.smooth_rates(x), x), None)
        else:
            growth = _fastest_growth(simulation, _period_matrix(simulation, control, x, alone), control.period)
    except (GearwrightError, ArithmeticError, ValueError, np.linalg.LinAlgError):
        return None  # no linear model, no explanation
    before = float(np.linalg.eigvals(alone).real.max())
    span = float(simulation.times[-1]) - t
    return growth if growth.rate > max(GROWTH_RATIO_BY_CONTROLLER * before, NOTICED_GROWTH / span) else None


def _period_matrix(simulation: Simulation, control: Controller, x: Array, alone: Array) -> Array:
    r"""The transition matrix of a small deviation from one call of the controller to the next.

    $e^{A T} + \int_0^T e^{A s} ds\, B K$ with A and B of the machine, and K of the controller.
    """
    from scipy.linalg import expm

    system, t, period = simulation.system, float(simulation.times[0]), float(control.period or 0.0)
    modes, idle = simulation.first_modes(t, x), np.zeros(0)
    u = simulation.held_inputs(t, x)
    B = forward_differences(lambda w: rates_by_laws(system, modes, lambda *_: (w, idle))(t, x), u)
    calls = iter(range(1, 10**6))

    def answer(y: Array) -> Array:
        now = t + next(calls) * 1e-9 * period  # each call gets its own time
        outputs, _ = control.outputs_and_rates(now, simulation.state(y))
        return with_controller_output(
            simulation.inputs.values_at(t), outputs, now, simulation.inputs.names, system.mech.n
        )

    K = forward_differences(answer, x)
    size, inputs = len(x), len(u)
    block_matrix = np.zeros((size + inputs, size + inputs))
    block_matrix[:size, :size], block_matrix[:size, size:] = alone, B
    transition = expm(block_matrix * period)
    result: Array = transition[:size, :size] + transition[:size, size:] @ K
    return result


def _fastest_growth(simulation: Simulation, matrix: Array, period: float | None) -> UnstableMotion:
    """The fastest growing mode of a continuous system, or of the transition matrix of a period."""
    values, vectors = np.linalg.eig(matrix)
    poles = values.astype(complex) if period is None else np.log(values + 1e-300 + 0j) / period
    worst = int(np.argmax(poles.real))
    moving = np.abs(vectors[simulation.system.v, worst])
    speed = simulation.system.mech.speeds[int(np.argmax(moving))]
    return UnstableMotion(float(poles[worst].real), abs(float(poles[worst].imag)) / (2 * np.pi), speed)
