"""A machine with its laws in numbers, at one instant: all accelerations and multipliers in one solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import Moving
from gearwright.forces.law import Action, Guard, Hold, Outcome, Reaction, Situation
from gearwright.system.force_balance import NONE, Ties, balanced
from gearwright.system.system import Modes, System, drags_in


@dataclass(frozen=True)
class Evaluation:
    """All that is known at one instant: accelerations, and what each law sees, feels and makes of it."""

    system: System
    a: Array
    modes: Modes
    situations: Sequence[Situation]
    reactions: Sequence[Reaction]
    outcomes: Sequence[Outcome]
    holds: Sequence[Hold]

    @property
    def guards(self) -> list[tuple[int, Guard]]:
        """All guards, with the index of their law."""
        return self.system.guards(self.modes, self.situations, self.reactions)


def situations_at(system: System, t: float, x: Array, u: Array) -> list[Situation]:
    """What each law sees, in numbers."""
    scene = system.compiled.scene(t, x[system.q], x[system.v])
    at = Moving(scene.q, scene.v, x[system.own].tolist())
    return system.situations(FLOATS, t, at, u.tolist(), scene)


def evaluate(system: System, t: float, x: Array, u: Array, modes: Modes) -> Evaluation:
    """Accelerations, multipliers and outcomes in given modes."""
    situations = situations_at(system, t, x, u)
    actions = system.actions(modes, situations)
    a, *felt = _solved(system, x, u, actions)
    reactions = _reactions(actions, a.tolist(), *(part.tolist() for part in felt))
    outcomes = system.outcomes(modes, situations, actions, reactions)
    return Evaluation(system, a, modes, situations, reactions, outcomes, _holds(actions))


def rates(system: System, x: Array, u: Array, evaluation: Evaluation, controller_rates: Array) -> Array:
    """The rate of the whole state vector."""
    at, outcomes = system.moving(x.tolist()), evaluation.outcomes
    moving = system.rates(FLOATS, at, evaluation.a.tolist(), outcomes)
    return np.array([*moving, *controller_rates.tolist(), *system.powers(at.v, u.tolist(), outcomes)])


def _solved(system: System, x: Array, u: Array, actions: Sequence[Action]) -> tuple[Array, Array, Array, Array]:
    """Accelerations, multipliers of all holds, flows of all drags and how they answer."""
    given, machine, q, v = u.tolist(), system.compiled, x[system.q], x[system.v]
    tau, holds, drags = np.array(system.forces(given, actions)), _holds(actions), drags_in(actions)
    if not holds and not drags:
        return machine.forward_dynamics(q, v, tau), NONE, NONE, NONE
    ties = Ties.of(system.mech.n, holds, drags, system.inflows(given, actions))
    return balanced(machine.mass_matrix(q), tau - machine.bias(q, v), ties)


def _holds(actions: Sequence[Action]) -> list[Hold]:
    return [hold for action in actions for hold in action.holds]


def _reactions(
    actions: Sequence[Action],
    a: list[float],
    multipliers: list[float],
    flows: list[float],
    answers: list[float],
) -> list[Reaction]:
    """To each law its own."""
    found, held, flowing = [], 0, 0
    for action in actions:
        holds, drags = held + len(action.holds), flowing + len(action.drags)
        found.append(Reaction(a, multipliers[held:holds], flows[flowing:drags], answers[flowing:drags]))
        held, flowing = holds, drags
    return found
