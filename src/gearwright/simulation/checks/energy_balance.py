"""What the books say about a run: whether the balance of energy holds, and which law keeps none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces.law import Action, Law, Outcome, Reaction, Situation
from gearwright.simulation.run import Run
from gearwright.system.evaluation import Evaluation, evaluate, rates
from gearwright.system.system import Modes, System, forces_on_lines

REMARKABLE, WRONG = 1e-6, 1e-2
"""Drifts from which on a run with error control is remarked upon, and not given back as if it were right."""

PER_TOLERANCE = 1e3
"""Drift per relative tolerance, and joules per absolute one, that a run may have in any case."""

UNBOOKED = 1e-3
"""Part of a law's power that is missing in its books where it does not keep them."""

NUDGE = 1e-6
"""Duration [s] over which the rate of what a law stores is taken."""

Instant = tuple[float, Array, Array, Modes]
"""Time, state vector, inputs and modes of a sample."""


def opened_books(system: System, x: Array) -> tuple[Array, list[str]]:
    """A state vector whose books begin at zero; what an inconsistent start lost is remarked upon."""
    lost, x = float(x[system.dissipated]), x.copy()
    x[system.supplied] = x[system.dissipated] = 0.0
    return x, [f"the start was changed by holds or stops, which took {lost:.3g} J."] if abs(lost) > 1e-12 else []


def limit(rtol: float, least: float) -> float:
    """The drift that a run with this tolerance may have."""
    return max(least, PER_TOLERANCE * rtol)


def missing(run: Run, atol: float) -> float:
    """The drift of a run, less what the absolute tolerance of the works [J] allows in a run with little energy."""
    if not len(run.t):
        return 0.0
    excess = max(float(np.abs(run["energy.balance"]).max()) - PER_TOLERANCE * atol, 0.0)
    return excess / run.moved if run.moved > 0 else 0.0


def remark_on(drift: float, unbooked: Sequence[str]) -> str:
    """The sentence about a drift."""
    if unbooked:
        names = ", ".join(repr(name) for name in unbooked)
        return (
            f"energy: {names} does not book its power, so the balance of the run ({drift:.1e} of the energy that moved "
            "is missing) says nothing about its error. Let `follow` return what it supplies, dissipates and stores."
        )
    return f"energy: {drift:.1e} of the energy that moved is missing in the balance."


def failure(drift: float, method: str, run: Run) -> SimulationError:
    """What to raise about a run whose energy does not balance."""
    way = "method='adaptive'" if method == "stiff" else "method='stiff'"
    return SimulationError(
        f"simulate: {drift:.1%} of the energy that moved is missing in the balance of the run: it is not the motion of "
        f"this machine. Look for a stiffness or damping that is far beyond all others, and make it rigid; or try {way} "
        "or a smaller rtol. The run is in the error's `run`.",
        run,
    )


def unbooked_laws(system: System, instants: Iterator[Instant]) -> list[str]:
    """Names of laws that do or take more than they book, at any of some instants."""
    found: dict[str, None] = {}
    for instant in instants:
        for law, gap, size in _gaps(system, *instant):
            if abs(gap) > UNBOOKED * size:
                found[law.name] = None
    return list(found)


def _gaps(system: System, t: float, x: Array, u: Array, modes: Modes) -> Iterator[tuple[Law, float, float]]:
    """Per law what its books lack [W], and the largest of their entries."""
    now = evaluate(system, t, x, u, modes)
    ahead = NUDGE * rates(system, x, u, now, np.zeros(len(system.controller_states)))
    before, after = (evaluate(system, t + s * NUDGE, x + s * ahead, u, modes) for s in (-1, 1))
    for k, law in enumerate(system.laws):
        situation, outcome = now.situations[k], now.outcomes[k]
        stored = (_stored(after, k) - _stored(before, k)) / (2 * NUDGE)
        entries = [
            _power(law.act(modes[k], situation).placed(situation.scene), situation, now.reactions[k]),
            stored,
            *_flows(outcome),
        ]
        # What the difference of stored energies cannot resolve counts as an entry.
        rounding = abs(_stored(now, k)) * 1e-15 / NUDGE / UNBOOKED
        yield law, sum(entries), max(*map(abs, entries), rounding, 1e-9)


def _stored(evaluation: Evaluation, k: int) -> float:
    return float(evaluation.outcomes[k].stored)


def _flows(outcome: Outcome) -> tuple[float, float]:
    return -float(outcome.supplied), float(outcome.dissipated)


def _power(action: Action, situation: Situation, reaction: Reaction) -> float:
    """What the forces, holds and drags of a law do to the machine [W]."""
    return float(
        sum(value * (line.speed(situation.v) - line.rate) for line, value in forces_on_lines(action, reaction))
    )
