"""A machine with its laws: the state vector, and all accelerations and multipliers in one solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.configuration import rate
from gearwright.errors import InputError
from gearwright.forces.law import Action, Drag, Force, Guard, Hold, Law, Outcome, Reaction, Scene, Situation
from gearwright.forces.line import Line
from gearwright.functions.actuation import motor_shares
from gearwright.functions.run import prompt
from gearwright.mechanism import BASE, Mechanism, Spin
from gearwright.mechanism.rows import along
from gearwright.programs.programs import AXIAL_DRIFTS, AXIAL_RATES, BIAS, FORWARD_DYNAMICS, MASS_MATRIX
from gearwright.system.balance import Ties, balanced
from gearwright.system.rollout_system import pushed

Modes = tuple[str, ...]
"""Per law its mode."""


@dataclass(frozen=True)
class Evaluation:
    """All that is known at one instant: accelerations, and what each law sees, feels and makes of it."""

    a: Array
    modes: Modes
    seen: Sequence[Situation]
    reactions: Sequence[Reaction]
    outcomes: tuple[Outcome, ...]
    holds: tuple[Hold, ...]
    multipliers: Array


class System:
    """A machine and the laws that act on it.

    The state vector is x = [q, v, states of laws, states of the controller, supplied work, dissipated work]: the two
    works are integrated along, so that the book-keeping is as exact as the motion.
    """

    def __init__(self, mech: Mechanism, laws: Sequence[Law], controller_states: Mapping[str, float]) -> None:
        self.mech, self.laws = mech, tuple(laws)
        self._refuse_strangers()
        self.states = {state.name: state for law in self.laws for state in law.states}
        self.inputs = {one.name: one for law in self.laws for one in law.inputs}
        self.controller_states = dict(controller_states)
        self._unique([*(s.name for law in self.laws for s in law.states), *controller_states], "state")
        self._unique([law.name for law in self.laws], "law")
        n, start = mech.n, mech.nq + mech.n
        self.q, self.v = slice(0, mech.nq), slice(mech.nq, start)
        self.own = slice(start, start + len(self.states))
        self.controlled = slice(self.own.stop, self.own.stop + len(controller_states))
        self.supplied, self.dissipated = self.controlled.stop, self.controlled.stop + 1
        self.size = self.dissipated + 1
        self._places = self._law_places(n)
        self.asked, self.refused = 0, False
        self._shares: dict[tuple[Line, Line], float] = {}

    @cached_property
    def forward_dynamics(self) -> Callable[..., Array]:
        """Accelerations of (q, v, tau), compiled."""
        return prompt(FORWARD_DYNAMICS, self.mech)

    @cached_property
    def mass_matrix(self) -> Callable[..., Array]:
        """M of q, compiled."""
        return prompt(MASS_MATRIX, self.mech)

    @cached_property
    def axial_rates(self) -> Callable[..., Array]:
        """Axial rates h of all spins of q, compiled."""
        return prompt(AXIAL_RATES, self.mech)

    @cached_property
    def axial_drifts(self) -> Callable[..., Array]:
        """Axial drifts of all spins' carriers of (q, v), compiled."""
        return prompt(AXIAL_DRIFTS, self.mech)

    @cached_property
    def spins(self) -> dict[str, int]:
        """The number of each spin."""
        return {spin.name: k for k, spin in enumerate(self.mech.spins)}

    @cached_property
    def bias(self) -> Callable[..., Array]:
        """Bias forces of (q, v), compiled."""
        return prompt(BIAS, self.mech)

    @staticmethod
    def _unique(names: Sequence[str], kind: str) -> None:
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InputError(f"simulate: two {kind}s are called {twice[0]!r}. Give each a name of its own.")

    def _refuse_strangers(self) -> None:
        for law in self.laws:
            if not isinstance(law, Law):
                raise InputError(f"simulate: {law!r} is no law. Give instances of gearwright.forces.Law.")

    def _law_places(self, n: int) -> tuple[tuple[slice, tuple[int, ...]], ...]:
        """Per law where its states are among the laws' states, and where its inputs are among all inputs."""
        order = {name: n + k for k, name in enumerate(self.inputs)}
        places, first = [], 0
        for law in self.laws:
            count = len(law.states)
            places.append((slice(first, first + count), tuple(order[one.name] for one in law.inputs)))
            first += count
        return tuple(places)

    @cached_property
    def motor_shares(self) -> dict[str, Array]:
        """Per actuator the row that gives its torque from generalized forces."""
        return motor_shares(self.mech)

    def situations(self, t: float, x: Array, u: Array) -> list[Situation]:
        """What each law sees."""
        q, v = x[self.q].tolist(), x[self.v].tolist()
        own, all_inputs = x[self.own].tolist(), u.tolist()
        scene = QuickScene(self, q, v, x)
        return [
            Situation(t, q, v, own[states], [all_inputs[k] for k in inputs], FLOATS, self.mech, scene)
            for states, inputs in self._places
        ]

    def evaluate(self, t: float, x: Array, u: Array, modes: Modes) -> Evaluation:
        """Accelerations, multipliers and outcomes in given modes."""
        seen = self.situations(t, x, u)
        actions = [law.act(mode, s) for law, mode, s in zip(self.laws, modes, seen, strict=True)]
        a, multipliers, flows, answers = self._solved(x, u, actions)
        reactions = _reactions(actions, a.tolist(), multipliers.tolist(), flows.tolist(), answers.tolist())
        asked = zip(self.laws, modes, seen, reactions, strict=True)
        outcomes = [law.follow(mode, s, reaction) for law, mode, s, reaction in asked]
        holds = tuple(hold for action in actions for hold in action.holds)
        return Evaluation(a, modes, seen, reactions, tuple(outcomes), holds, multipliers)

    def _solved(self, x: Array, u: Array, actions: Sequence[Action]) -> tuple[Array, Array, Array, Array]:
        """Accelerations, multipliers of all holds, flows of all drags and how they answer."""
        tau = np.array(pushed(u[: self.mech.n].tolist(), actions))
        holds = [hold for action in actions for hold in action.holds]
        drags = [drag for action in actions for drag in action.drags]
        q, v = x[self.q], x[self.v]
        if not holds and not drags:
            return self.forward_dynamics(q, v, tau), np.zeros(0), np.zeros(0), np.zeros(0)

        ported = [force for action in actions for force in action.forces if force.port is not None]
        right = tau - self.bias(q, v)
        inflows = [self._inflow(drag, ported, u) for drag in drags]
        return balanced(self.mass_matrix(q), right, Ties.of(self.mech.n, holds, drags, inflows, self.share))

    def share(self, hold: Hold, drag: Drag) -> float:
        """How much of a hold's multiplier passes through a drag's port."""
        return self._share(hold.line, drag.push) if hold.port and hold.port == drag.port else 0.0

    def _inflow(self, drag: Drag, ported: Sequence[Force], u: Array) -> float:
        """What forces bring through a drag's port, along its line."""
        port = drag.port
        if port is None:
            return 0.0
        total = float(self.motor_shares[port] @ u[: self.mech.n]) if port in self.motor_shares else 0.0
        for force in ported:
            if force.port == port:
                total += force.value * self._share(force.line, drag.push)
        return total

    def _share(self, line: Line, push: Line) -> float:
        key = (line, push)
        if key not in self._shares:
            self._shares[key] = line.share_of(push)
        return self._shares[key]

    def rates(self, x: Array, u: Array, evaluation: Evaluation, controller_rates: Array) -> Array:
        """The rate of the state vector."""
        out = np.empty(self.size)
        v = x[self.v]
        out[self.q] = v if self.mech.straight else self._configuration_rate(x)
        out[self.v] = evaluation.a
        out[self.own] = [rate for outcome in evaluation.outcomes for rate in outcome.rates]
        out[self.controlled] = controller_rates
        out[self.supplied] = u[: self.mech.n] @ v + sum(outcome.supplied for outcome in evaluation.outcomes)
        out[self.dissipated] = self._damping(v) + sum(outcome.dissipated for outcome in evaluation.outcomes)
        return out

    def _configuration_rate(self, x: Array) -> Array:
        return np.array(rate(self.mech, x[self.q].tolist(), x[self.v].tolist(), FLOATS))

    def _damping(self, v: Array) -> float:
        """Power in the dampers of the machine's own springs."""
        return float(sum(s.damping * along(s.terms, v.tolist()) ** 2 for s in self.mech.springs if s.damping))

    def guards(self, evaluation: Evaluation) -> list[tuple[int, Guard]]:
        """All guards of an evaluated instant, with the index of their law."""
        return self.guards_of(evaluation.modes, evaluation.seen, evaluation.reactions)

    def guards_of(
        self, modes: Modes, seen: Sequence[Situation], reactions: Sequence[Reaction]
    ) -> list[tuple[int, Guard]]:
        """All guards with the index of their law, from what the laws see and feel."""
        asked = zip(self.laws, modes, seen, reactions, strict=True)
        found = (law.guards(mode, s, reaction) for law, mode, s, reaction in asked)
        return [(k, guard) for k, guards in enumerate(found) for guard in guards]


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


class QuickScene(Scene):
    """The same for numbers, from compiled functions."""

    def __init__(self, system: System, q: Sequence[float], v: Sequence[float], x: Array) -> None:
        super().__init__(system.mech, q, v, FLOATS)
        self._system, self._x = system, x

    @cached_property
    def _turning(self) -> tuple[list[list[float]], list[float]]:
        system, x = self._system, self._x
        rates, drifts = system.axial_rates(x[system.q]), system.axial_drifts(x[system.q], x[system.v])
        return rates.tolist(), drifts.tolist()

    def turning(self, spin: Spin) -> tuple[Sequence[tuple[int, float]], float]:
        """How a wheel's carrier turns about its axis."""
        if spin.carrier == BASE:
            return (), 0.0
        k = self._system.spins[spin.name]
        return [(index, h) for index, h in enumerate(self._turning[0][k]) if h], self._turning[1][k]
