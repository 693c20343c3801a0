"""The energy balance of a run: whether it closes, and which law does not report its power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces import Action, Law, Outcome, Reaction, Situation
from gearwright.simulation.run import Run
from gearwright.system.evaluation import Evaluation, evaluate_system, state_vector_rates
from gearwright.system.system import Modes, System, forces_on_lines

REMARK_DRIFT, FAILURE_DRIFT = 1e-6, 1e-2
"""Relative drifts above which a run with error control gets a remark, and above which it raises an error."""

DRIFT_PER_TOLERANCE = 1e3
"""Drift that is always allowed: per relative tolerance, and in J per absolute tolerance."""

UNBALANCED_POWER_RATIO = 1e-3
"""Share of a law's power that must be missing in its energy balance for a remark."""

STORED_ENERGY_INTERVAL = 1e-6
"""Interval of the difference quotient of a law's stored energy [s]."""

SampleInstant = tuple[float, Array, Array, Modes]
"""Time, state vector, inputs and modes of a sample."""


def with_zero_energy_balance(system: System, x: Array) -> tuple[Array, list[str]]:
    """The state vector with zero supplied and dissipated work, and a remark if an inconsistent start lost energy."""
    lost, x = float(x[system.dissipated_index]), x.copy()
    x[system.supplied_index] = x[system.dissipated_index] = 0.0
    return x, [f"constraints or stops changed the initial speeds: {lost:.3g} J lost."] if abs(lost) > 1e-12 else []


def drift_limit(rtol: float, least_limit: float) -> float:
    """The drift that is allowed at a relative tolerance."""
    return max(least_limit, DRIFT_PER_TOLERANCE * rtol)


def excess_drift(run: Run, atol: float) -> float:
    """The drift of a run, less the share that the absolute tolerance of the work [J] allows at little energy."""
    if not len(run.t):
        return 0.0
    excess = max(float(np.abs(run["energy.balance"]).max()) - DRIFT_PER_TOLERANCE * atol, 0.0)
    return excess / run.moved_energy if run.moved_energy > 0 else 0.0


def drift_remark(drift: float, unbalanced: Sequence[str]) -> str:
    """The remark on a drift."""
    if unbalanced:
        names = ", ".join(repr(name) for name in unbalanced)
        return (
            f"energy: {names} does not report its power, so the relative drift of the energy balance ({drift:.1e}) "
            "does not show the error of the run. Let `follow` return the supplied, dissipated and stored energy."
        )
    return f"energy: the relative drift of the energy balance is {drift:.1e}."


def drift_error(drift: float, method: str, run: Run) -> SimulationError:
    """The error of a run whose energy does not balance."""
    other_method = "method='adaptive'" if method == "stiff" else "method='stiff'"
    return SimulationError(
        f"simulate: the energy balance of the run has a relative drift of {drift:.1%}: the motion is wrong. Look for a "
        f"stiffness or damping far above all others, and make that connection rigid; or try {other_method} or a "
        "smaller rtol. The run is in the error's `run`.",
        run,
    )


def laws_without_energy_balance(system: System, instants: Iterator[SampleInstant]) -> list[str]:
    """Names of the laws whose forces have more power than they report, at any of some instants."""
    names: dict[str, None] = {}
    for instant in instants:
        for law, gap, size in _power_gaps(system, *instant):
            if abs(gap) > UNBALANCED_POWER_RATIO * size:
                names[law.name] = None
    return list(names)


def _power_gaps(system: System, t: float, x: Array, u: Array, modes: Modes) -> Iterator[tuple[Law, float, float]]:
    """Per law the power missing in its energy balance [W], and the largest entry of that balance [W]."""
    now = evaluate_system(system, t, x, u, modes)
    change = STORED_ENERGY_INTERVAL * state_vector_rates(system, x, u, now, np.zeros(len(system.controller_states)))
    before, after = (evaluate_system(system, t + s * STORED_ENERGY_INTERVAL, x + s * change, u, modes) for s in (-1, 1))
    for k, law in enumerate(system.laws):
        situation, outcome = now.situations[k], now.outcomes[k]
        stored = (_stored_energy(after, k) - _stored_energy(before, k)) / (2 * STORED_ENERGY_INTERVAL)
        entries = [
            _mechanical_power(
                law.act(modes[k], situation).placed_in(situation.kinematics), situation, now.reactions[k]
            ),
            stored,
            *_power_flows(outcome),
        ]
        # The resolution of the difference of stored energies counts as an entry.
        rounding = abs(_stored_energy(now, k)) * 1e-15 / STORED_ENERGY_INTERVAL / UNBALANCED_POWER_RATIO
        yield law, sum(entries), max(*map(abs, entries), rounding, 1e-9)


def _stored_energy(evaluation: Evaluation, k: int) -> float:
    return float(evaluation.outcomes[k].stored)


def _power_flows(outcome: Outcome) -> tuple[float, float]:
    return -float(outcome.supplied), float(outcome.dissipated)


def _mechanical_power(action: Action, situation: Situation, reaction: Reaction) -> float:
    """The power of the forces, holds and drags of a law on the machine [W]."""
    return float(
        sum(value * (line.speed(situation.v) - line.time_rate) for line, value in forces_on_lines(action, reaction))
    )
