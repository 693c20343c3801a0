r"""One step of Moreau's midpoint rule, for friction, stops, slip and direction-dependent gear losses.

$q_m = q \oplus \tfrac h2 v, \quad v_f = v + h M^{-1}(q_m) f(q_m, v), \quad v^+ = v_f + M^{-1} \sum_i b_i P_i, \quad
q^+ = q_m \oplus \tfrac h2 v^+$

with the impulses P within the limits of the laws (`Law.fixed_step_model`) at the speeds $v^+$ (J. J. Moreau,
"Unilateral contact and dry friction in finite freedom dynamics", 1988). No instant of impact or of sticking is located,
so all steps have the same cost. Works are those of the mean speeds $(v + v^+)/2$, with which the machine moves.
Recorded energies are those of the states; recorded forces are means over the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gearwright.algebra import ARRAYS, Operations, Scalar, is_number, is_zero
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate, neutral
from gearwright.dynamics.energy import kinetic_energy, potential_energy
from gearwright.dynamics.forward_dynamics import inertia_solver
from gearwright.dynamics.integration_steps import StepState
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError
from gearwright.forces.impulse_limits import ImpulseLimit
from gearwright.forces.law import Action, FixedStepModel, Hold, Law, Outcome, Reaction, Situation
from gearwright.forces.time_stepping_impulses import FrictionCone, UnilateralImpulse, UnlimitedImpulse
from gearwright.mechanism import Terms, dense_row, row_dot
from gearwright.system.kernels.observation import Observation
from gearwright.system.modes.contact_modes import PAINLEVE_REMARK
from gearwright.system.system import System, line_share, with_line_power
from gearwright.system.time_stepping.gap_projection import GapProjection
from gearwright.system.time_stepping.impulse_solver import HoldImpulse, PortFlow, is_impact_by_friction, solve_impulses
from gearwright.system.time_stepping.step_tries import FreeMotion, InertiaSolver, PreviousTry, relative_residual
from gearwright.text import listed_names
from gearwright.tracing.simplify.equivalent_machine import simplify_machine

MAX_STEP_TRIES = 400
"""Largest number of tries of a step, each with its number of sweeps; then the step is accepted."""


class MoreauStep(NamedTuple):
    """The result of a step.

    Args:
        x: configuration, speeds and states of the laws.
        a: mean accelerations over the step.
        powers: supplied and dissipated power, means over the step [W].
        penetration: largest penetration of a stop or surface [rad, m], 0 or more.
        residual: largest change of a speed in the last sweep [rad/s, m/s] or last correction of a gap, relative to the
            tolerance.
        gain: energy added by contacts with restitution and friction [J], 0 or more.
        jamming: 1 + the index of the first law with an impact without collision (Painleve), 0 if there is none.
        iterate: the iterate for another try of the same step; empty for a step that began without one.
        law_steps: the action of each law.
        reactions: the reaction of each law, as mean forces over the step.
    """

    x: StepState
    a: Sequence[Scalar]
    powers: Sequence[Scalar]
    penetration: Scalar
    residual: Scalar
    gain: Scalar
    jamming: Scalar
    iterate: Sequence[Scalar]
    law_steps: Sequence[LawStep]
    reactions: Sequence[Reaction]


@dataclass(frozen=True)
class LawStep:
    """A law over a step: its action, the limits of its holds, and its fixed-step form."""

    law: Law
    situation: Situation
    model: FixedStepModel
    action: Action

    @property
    def limited_holds(self) -> list[tuple[Hold, ImpulseLimit]]:
        """Its holds, each with its limit."""
        limits = self.model.limits or tuple(UnlimitedImpulse() for _ in self.action.holds)
        return list(zip(self.action.holds, limits, strict=True))

    def law_outcome(self, situation: Situation, reaction: Reaction) -> Outcome:
        """The outcome in a situation near the middle of the step."""
        follow = self.model.outcome
        outcome = (
            self.law.follow(self.model.mode, situation, reaction) if follow is None else follow(situation, reaction)
        )
        return with_line_power(outcome, self.action, reaction)

    def outcome_at(self, v: Sequence[Scalar], reaction: Reaction) -> Outcome:
        """The outcome at other speeds than those of the beginning."""
        return self.law_outcome(replace(self.situation, v=v, shared_kinematics=None), reaction)

    @property
    def unloaded_reaction(self) -> Reaction:
        """The zero reaction, sufficient for the stored energy of a law."""
        no_acceleration = [0.0] * len(self.situation.v)
        return Reaction(no_acceleration, [0.0] * len(self.action.holds), [0.0] * len(self.action.drags))


def require_fixed_step_models(system: System) -> None:
    """Raise an error for laws with modes that have no fixed-step form."""
    for law in system.laws:
        if len(law.modes) > 1 and type(law).fixed_step_model is Law.fixed_step_model:
            raise InputError(
                f"law {law.name!r} cannot run in fixed steps: it has the modes {listed_names(law.modes)}, but no "
                "fixed-step form. Implement `stepped`, use the adaptive method, or use a smooth law."
            )


def moreau_step(
    system: System,
    sweeps: int,
    ops: Operations,
    t: Scalar,
    h: Scalar,
    x: StepState,
    u: Sequence[Scalar],
    iterate: Sequence[Scalar] = (),
) -> MoreauStep:
    """The result of a step of h [s] from x at the time t [s], with the inputs u in its middle.

    Args:
        system: the machine with its laws.
        sweeps: of the projected Gauss-Seidel method, per try.
        ops: operations of the scalars.
        t: time [s].
        h: duration of the step [s].
        x: the initial state of the step.
        u: inputs in its middle.
        iterate: the iterate of the previous try (`first_iterate` for the first one); () for a single try.
    """
    mech, half = system.mech, 0.5 * h
    simplified_machine = simplify_machine(mech)
    middle = integrate(mech, x.q, [half * speed for speed in x.v], ops)
    situations = system.law_situations(ops, t + half, StepState(middle, x.v, x.states), u)
    law_steps = steps_of_laws(system, situations, h)
    actions = [law_step.action for law_step in law_steps]
    pose = place_machine(simplified_machine.mech, simplified_machine.coordinates_for(middle), ops)
    solved = inertia_solver(pose)
    flows = _law_flows(system, u, actions, x.v, h)
    impulses = _hold_impulses(law_steps, solved, flows, x.v, h)
    previous_try = PreviousTry.from_iterate(iterate, len(impulses))
    free_motion = FreeMotion(pose, system.generalized_forces(u, actions), solved, x.v, h)
    assumed_impulses = previous_try.assumed_by_next(ops)
    free = free_motion.accelerations(_speed_change(impulses, assumed_impulses, x.v, ops))
    v = [speed + h * a for speed, a in zip(x.v, free, strict=True)]
    solution = solve_impulses(
        impulses,
        v,
        h,
        sweeps,
        ops,
        previous_try.extrapolated_impulses,
        previous_try.impulses,
        previous_try.needs_another_try,
    )
    after = solution.speeds
    q = integrate(mech, middle, [half * speed for speed in after], ops)
    a = [(end - begin) / h for end, begin in zip(after, x.v, strict=True)]
    reactions = _mean_reactions(law_steps, solution.impulses, flows, after, a, h)
    rates = [
        rate
        for law_step, reaction in zip(law_steps, reactions, strict=True)
        for rate in law_step.outcome_at(after, reaction).rates
    ]
    mean = [0.5 * (begin + end) for begin, end in zip(x.v, after, strict=True)]
    outcomes = [law_step.outcome_at(mean, reaction) for law_step, reaction in zip(law_steps, reactions, strict=True)]
    states = [state + h * rate for state, rate in zip(x.states, rates, strict=True)]
    powers = system.supplied_and_dissipated(mean, u, outcomes)
    limits = [limit for law_step in law_steps for _, limit in law_step.limited_holds]
    gaps = GapProjection(system.mech, limits, impulses, solution.impulses, free, t + h, h, ops)
    projection = gaps.project_gaps(q, sweeps, previous_try.corrections, previous_try.needs_another_try)
    powers[1] = powers[1] + projection.work / h
    residual = relative_residual(solution, free_motion, free, v if iterate else None, ops)
    residual = ops.maximum(residual, projection.residual)
    depth = ops.maximum(_largest_penetration(law_steps, ops), projection.depth)
    if iterate:
        residual, depth = (
            ops.where(previous_try.needs_another_try, new, old)
            for new, old in ((residual, previous_try.residual), (depth, previous_try.depth))
        )
        iterate = previous_try.next_iterate(
            (solution.scaled, assumed_impulses, projection.scaled), depth, residual, ops
        )
    gain, jamming = (
        _restitution_gain(law_steps, outcomes, h, ops),
        _first_jamming(law_steps, impulses, solution.impulses, (x.v, v), ops),
    )
    end_motion = StepState(projection.q, after, states)
    return MoreauStep(end_motion, a, powers, depth, residual, gain, jamming, iterate, law_steps, reactions)


def _restitution_gain(law_steps: Sequence[LawStep], outcomes: Sequence[Outcome], h: Scalar, ops: Operations) -> Scalar:
    """Energy that contacts with Newton's restitution and friction add over a step [J]."""
    dissipated: Scalar = 0.0
    for law_step, outcome in zip(law_steps, outcomes, strict=True):
        limits = [limit for _, limit in law_step.limited_holds]
        bounces = any(isinstance(limit, UnilateralImpulse) and not is_zero(limit.leaving_speed) for limit in limits)
        if bounces and any(isinstance(limit, FrictionCone) for limit in limits):
            dissipated = dissipated + outcome.dissipated
    return 0.0 if is_zero(dissipated) else ops.maximum(-h * dissipated, 0.0)


def _first_jamming(
    law_steps: Sequence[LawStep],
    impulses: Sequence[HoldImpulse],
    values: Sequence[Scalar],
    speeds: tuple[Sequence[Scalar], Sequence[Scalar]],
    ops: Operations,
) -> Scalar:
    """1 + the index of the first contact law with an impact without collision, 0 if there is none."""
    jamming_number, first = 0.0, 0  # type: Scalar, int
    for number, law_step in enumerate(law_steps, start=1):
        last = first + len(law_step.action.holds)
        if any(isinstance(limit, FrictionCone) for _, limit in law_step.limited_holds):
            strikes = is_impact_by_friction(impulses[first:last], values[first], *speeds, ops)
            jamming_number = ops.where(jamming_number > 0, jamming_number, ops.where(strikes, float(number), 0.0))
        first = last
    return jamming_number


def jamming_remark(system: System, jamming: float, t: float) -> str:
    """The remark on the law that `MoreauStep.jamming` names, at the time t [s]."""
    return PAINLEVE_REMARK.format(system.laws[int(jamming) - 1].name, t)


def _speed_change(
    impulses: Sequence[HoldImpulse], scaled: Sequence[Scalar], v: Sequence[Scalar], ops: Operations
) -> list[Scalar]:
    """The change of the speeds v by scaled impulses, zero if there are none."""
    zero_speeds: list[Scalar] = [0.0] * len(v)
    return solve_impulses(impulses, zero_speeds, 1.0, 0, ops, scaled).speeds if scaled else zero_speeds


def first_iterate(system: System) -> list[float]:
    """The iterate of the first try of a step: zero impulses and corrections, and a negative residual."""
    first = [*neutral(system.mech), *[0.0] * system.mech.n, *(state.initial for state in system.states.values())]
    motion = system.motion_of([np.full(1, x) for x in first])
    with np.errstate(all="ignore"):
        law_steps = steps_of_laws(system, system.law_situations(ARRAYS, 0.0, motion, system.initial_inputs), 1.0)
    limits = [limit for law_step in law_steps for _, limit in law_step.limited_holds]
    return [0.0] * (2 * len(limits) + sum(isinstance(limit, UnilateralImpulse) for limit in limits) + 2) + [-1.0]


def steps_of_laws(system: System, situations: Sequence[Situation], h: Scalar) -> list[LawStep]:
    """The action of each law over a step of h [s] from the speeds of its situation."""
    return [_law_step(law, situation, h) for law, situation in zip(system.laws, situations, strict=True)]


def _law_step(law: Law, situation: Situation, h: Scalar) -> LawStep:
    model = law.fixed_step_model(situation, h) or FixedStepModel(law.modes[0])
    action = law.act(model.mode, situation) if model.action is None else model.action
    action = action.placed_in(situation.kinematics)
    if len(law.modes) == 1 and any(not is_zero(drag.gain) for drag in action.drags):
        raise InputError(
            f"law {law.name!r} cannot run in fixed steps: its forces depend on the accelerations. Implement `stepped`, "
            "use the adaptive method, or use a smooth law."
        )
    return LawStep(law, situation, model, action)


def _law_flows(
    system: System, u: Sequence[Scalar], actions: Sequence[Action], v: Sequence[Scalar], h: Scalar
) -> list[list[PortFlow]]:
    """Per law the flows through its drags."""
    inflows, holds = iter(system.port_inflows(u, actions)), [hold for action in actions for hold in action.holds]
    flows_by_law = []
    for action in actions:
        law_flows = []
        for drag in action.drags:
            sense = tuple((k, x) for k, x in enumerate(drag.sense) if not is_zero(x))
            through = {j: line_share(x.line, drag.push) for j, x in enumerate(holds) if x.port and x.port == drag.port}
            law_flows.append(PortFlow(h * (next(inflows) - drag.offset) + row_dot(sense, v), sense, through))
        flows_by_law.append(law_flows)
    return flows_by_law


def _hold_impulses(
    law_steps: Sequence[LawStep],
    solved: InertiaSolver,
    flows: Sequence[Sequence[PortFlow]],
    v: Sequence[Scalar],
    h: Scalar,
) -> list[HoldImpulse]:
    """The impulses of all holds; those along the same row share row and response."""
    known_responses: dict[Terms, tuple[Terms, list[Scalar]]] = {}
    impulses: list[HoldImpulse] = []
    for law_step, law_flows in zip(law_steps, flows, strict=True):
        mates = range(len(impulses), len(impulses) + len(law_step.action.holds))
        for hold, limit in law_step.limited_holds:
            row, effect = _speed_response(hold, solved, known_responses, len(v))
            target = (
                hold.line.speed(v) + h * hold.row_target
                if hold.speed is None
                else hold.speed - 0.5 * h * hold.line.drift  # so that it holds at the end of the step
            )
            impulses.append(
                HoldImpulse(row, effect, limit, target, hold.line.time_rate, hold.compliance, law_flows, mates)
            )
    return impulses


def _speed_response(
    hold: Hold, solved: InertiaSolver, known_responses: dict[Terms, tuple[Terms, list[Scalar]]], n: int
) -> tuple[Terms, list[Scalar]]:
    row = hold.line.terms
    if not all(is_number(x) for _, x in row):
        return row, solved(dense_row(row, n))
    if row not in known_responses:
        known_responses[row] = row, solved(dense_row(row, n))
    return known_responses[row]


def _mean_reactions(
    law_steps: Sequence[LawStep],
    values: Sequence[Scalar],
    flows: Sequence[Sequence[PortFlow]],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    h: Scalar,
) -> list[Reaction]:
    """The reaction of each law, as mean forces over the step."""
    first, reactions = 0, []
    for law_step, law_flows in zip(law_steps, flows, strict=True):
        last = first + len(law_step.action.holds)
        through = []
        for flow in law_flows:
            total = flow.constant_part - row_dot(flow.sense, v)
            for j, part in flow.shares.items():
                total = total + part * values[j]
            through.append(total / h)
        reactions.append(Reaction(a, [value / h for value in values[first:last]], through))
        first = last
    return reactions


def _largest_penetration(law_steps: Sequence[LawStep], ops: Operations) -> Scalar:
    depth: Scalar = 0.0
    for law_step in law_steps:
        if law_step.model.penetration is not None:
            depth = ops.maximum(depth, law_step.model.penetration)
    return depth


def converged_step(
    system: System, sweeps: int, t: Array, h: float, x: StepState, u: Sequence[Array], tries: int = MAX_STEP_TRIES
) -> MoreauStep:
    """A step of many states at once, repeated until the impulses of all of them converge."""
    iterate: list[Scalar] = [np.full(len(t), value) for value in first_iterate(system)]
    for _ in range(tries):
        step = moreau_step(system, sweeps, ARRAYS, t, h, x, u, iterate)
        iterate = list(step.iterate)
        if not (iterate[-1] > 1).any():
            break
    return step


def observe_fixed_steps(system: System, sweeps: int, h: float, x: Array, inputs: Array, t: Array) -> Observation:
    """The observation at states x (N, nx), inputs (N, nu) and times t (N,): means over the following step of h [s].

    Positions and stored energies are those of the states themselves.
    """
    u, motion = list(np.ascontiguousarray(inputs.T)), system.motion_of(list(np.ascontiguousarray(x.T)))
    step = converged_step(system, sweeps, t, h, motion, u)
    situations = system.law_situations(ARRAYS, t, motion, u)
    law_steps = zip(step.law_steps, situations, step.reactions, strict=True)
    outcomes = [law_step.law_outcome(situation, reaction) for law_step, situation, reaction in law_steps]
    values = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
    signals = {name: np.broadcast_to(np.asarray(values[name], dtype=np.float64), len(x)) for name in system.signals}
    a = np.stack([np.broadcast_to(law_step, len(x)) for law_step in step.a], axis=-1)
    return Observation(a, signals, np.zeros(len(x)) + sum(outcome.stored for outcome in outcomes))


def total_energy(system: System, ops: Operations, t: Scalar, h: Scalar, x: StepState, u: Sequence[Scalar]) -> Scalar:
    """Kinetic and potential energy of the machine, and the stored energy of its laws [J]."""
    pose = place_machine(system.mech, x.q, ops)
    total = kinetic_energy(pose, x.v) + potential_energy(pose)
    situations = system.law_situations(ops, t, x, u)
    for law_step, situation in zip(steps_of_laws(system, situations, h), situations, strict=True):
        total = total + law_step.law_outcome(situation, law_step.unloaded_reaction).stored
    return total
