"""Numeric evaluation of a machine with its laws at one instant: all accelerations and multipliers in one solve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.forces import Action, Guard, Hold, Outcome, Reaction, Situation
from gearwright.system.force_balance import EMPTY_ARRAY, ConstraintArrays, solve_balance
from gearwright.system.system import Modes, System, all_drags


@dataclass(frozen=True)
class Evaluation:
    """The solution at one instant: accelerations, and the situation, action, reaction and outcome of each law."""

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
        return self.system.indexed_guards(self.modes, self.situations, self.reactions)


def situations_at(system: System, t: float, x: Array, u: Array) -> list[Situation]:
    """The situation of each law in numbers."""
    kinematics = system.compiled_machine.kinematics_at(t, x[system.q], x[system.v])
    motion = StepState(kinematics.q, kinematics.v, x[system.law_slice].tolist())
    return system.law_situations(FLOATS, t, motion, u.tolist(), kinematics)


def evaluate_system(system: System, t: float, x: Array, u: Array, modes: Modes) -> Evaluation:
    """Accelerations, multipliers and outcomes in given modes."""
    situations = situations_at(system, t, x, u)
    actions = system.law_actions(modes, situations)
    a, *reaction_parts = _solve_forces(system, x, u, actions)
    reactions = _law_reactions(actions, a.tolist(), *(part.tolist() for part in reaction_parts))
    outcomes = system.law_outcomes(modes, situations, actions, reactions)
    return Evaluation(system, a, modes, situations, reactions, outcomes, _all_holds(actions))


def state_vector_rates(system: System, x: Array, u: Array, evaluation: Evaluation, controller_rates: Array) -> Array:
    """The rate of the whole state vector."""
    motion, outcomes = system.motion_of(x.tolist()), evaluation.outcomes
    motion_rates = system.motion_rates(FLOATS, motion, evaluation.a.tolist(), outcomes)
    return np.array(
        [*motion_rates, *controller_rates.tolist(), *system.supplied_and_dissipated(motion.v, u.tolist(), outcomes)]
    )


def _solve_forces(system: System, x: Array, u: Array, actions: Sequence[Action]) -> tuple[Array, Array, Array, Array]:
    """Accelerations, multipliers of all holds, flows of all drags and their responses."""
    inputs, machine, q, v = u.tolist(), system.compiled_machine, x[system.q], x[system.v]
    tau, holds, drags = np.array(system.generalized_forces(inputs, actions)), _all_holds(actions), all_drags(actions)
    if not holds and not drags:
        return machine.forward_dynamics(q, v, tau), EMPTY_ARRAY, EMPTY_ARRAY, EMPTY_ARRAY
    ties = ConstraintArrays.from_holds_and_drags(system.mech.n, holds, drags, system.port_inflows(inputs, actions))
    return solve_balance(machine.mass_matrix(q), tau - machine.bias_forces(q, v), ties)


def _all_holds(actions: Sequence[Action]) -> list[Hold]:
    return [hold for action in actions for hold in action.holds]


def _law_reactions(
    actions: Sequence[Action],
    a: list[float],
    multipliers: list[float],
    flows: list[float],
    responses: list[float],
) -> list[Reaction]:
    """The reaction of each law."""
    reactions, hold_start, drag_start = [], 0, 0
    for action in actions:
        hold_end, drag_end = hold_start + len(action.holds), drag_start + len(action.drags)
        reactions.append(
            Reaction(a, multipliers[hold_start:hold_end], flows[drag_start:drag_end], responses[drag_start:drag_end])
        )
        hold_start, drag_start = hold_end, drag_end
    return reactions
