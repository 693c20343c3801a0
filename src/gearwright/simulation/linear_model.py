"""How the states of a batch move near where they are: springs, dampers and laws, the mass matrix frozen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import nudge
from gearwright.dynamics.fixed_steps import Moving
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.forces.law import Outcome, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import along, spread
from gearwright.simulation.step_program import MOREAU, NUMBERS, StepPlan
from gearwright.system.stepped_motion import acting_over
from gearwright.system.system import System
from gearwright.system.unheld_motion import force_actions, outcomes_of
from gearwright.tracing.slopes import Slopes


class LinearModel:
    """A of d/dt [dq; dv; ds] = A [dq; dv; ds], dq in the tangent, for states and parameters of a whole batch.

    Laws with modes count with what they do not hold: what they hold is taken implicitly and is stable for every step.

    Args:
        system: the machine with its laws.
        plan: the step that is asked about.
        machine: makes the machine from numbers of any kind, where there are parameters of the machine.
        count: number of those parameters.
        step: the step [s], for laws that have to know it.
    """

    def __init__(
        self,
        system: System,
        plan: StepPlan,
        machine: Callable[[Sequence[Scalar]], Mechanism] | None = None,
        count: int = 0,
        step: float = 1e-3,
    ) -> None:
        self.system, self.plan, self._machine, self._count, self._step = system, plan, machine, count, step

    def rates(self, x: Array, parameters: Array | None = None) -> Array:
        """A (N, m, m) at states x = [q, v, states of the laws] (N, nx).

        `parameters` (N or 1, P) are numbers of laws, then those of the machine.
        """
        n, count = self.system.mech.n, len(self.system.states)
        given = np.zeros((1, 0)) if parameters is None else parameters
        rows = np.concatenate([x[:, : self.system.own.stop], np.broadcast_to(given, (len(x), given.shape[1]))], axis=1)
        alike, back = np.unique(rows, axis=0, return_inverse=True)
        slopes = self._slopes.at(alike)
        size = 2 * n + count
        inertia, force, memory = np.split(slopes, [n, 2 * n], axis=1)
        A = np.zeros((len(alike), size, size))
        A[:, :n, n : 2 * n] = np.eye(n)
        A[:, n : 2 * n] = np.linalg.solve(inertia[:, :, size:], force[:, :, :size])
        A[:, 2 * n :] = memory[:, :, :size] + memory[:, :, size:] @ A[:, n : 2 * n]
        return A[back.reshape(-1)]

    @cached_property
    def _slopes(self) -> Slopes:
        system, n = self.system, self.system.mech.n
        varied = 3 * n + len(system.states)  # dq, dv, ds, a
        return Slopes(self._formula, varied, system.own.stop + len(self.plan.numbers) + self._count)

    def _formula(self, z: Sequence[Scalar], given: Sequence[Scalar], ops: Operations) -> list[Scalar]:
        """Inertial forces M a, forces of springs and laws, and rates of the laws' states."""
        first, numbers = self.system, len(self.plan.numbers)
        start, rest = first.moving(given[: first.own.stop]), given[first.own.stop :]
        mech = first.mech if self._machine is None else self._machine(rest[numbers:])
        system = self.plan.on(first, mech, {NUMBERS: rest[:numbers]})
        n, count = mech.n, len(system.states)
        dq, dv, ds, a = z[:n], z[n : 2 * n], z[2 * n : 2 * n + count], z[2 * n + count :]
        q = nudge(mech, start.q, dq, ops)
        v = [speed + more for speed, more in zip(start.v, dv, strict=True)]
        at = Moving(q, v, [state + more for state, more in zip(start.states, ds, strict=True)])
        M = mass_matrix(place(mech, start.q, ops))
        inertial = [sum((m * x for m, x in zip(row, a, strict=True)), 0.0) for row in M]
        forces, outcomes = self._acting(system, ops, at, a)
        for spring in mech.springs:
            row = spread(spring.terms, n)
            pull = spring.stiffness * along(spring.terms, dq) + spring.damping * along(spring.terms, v)
            forces = [force - b * pull for force, b in zip(forces, row, strict=True)]
        return [*inertial, *forces, *(one for outcome in outcomes for one in outcome.rates)]

    def _acting(
        self, system: System, ops: Operations, at: Moving, a: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Outcome]]:
        u = system.first_inputs
        situations = system.situations(ops, 0.0, at, u)
        if self.plan.method != MOREAU:
            return system.forces(u, force_actions(system, situations)), outcomes_of(system, situations, a)
        return self._stepped(system, u, situations, a)

    def _stepped(
        self, system: System, u: Sequence[Scalar], situations: Sequence[Situation], a: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Outcome]]:
        acting, outcomes = acting_over(system, situations, self._step), []
        for one in acting:
            still = Outcome(rates=(0.0,) * len(one.law.states))
            felt = Reaction(a, one.at_ease.multipliers, one.at_ease.flows)
            outcomes.append(still if len(one.law.modes) > 1 else one.outcome(one.situation, felt))
        return system.forces(u, [one.action for one in acting]), outcomes
