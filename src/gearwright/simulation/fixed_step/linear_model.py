"""How the states of a batch move near where they are: springs, dampers and laws, the mass matrix frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import nudge
from gearwright.dynamics.integration_steps import Moving
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.forces.law import Outcome, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import along
from gearwright.programs.program import Inputs
from gearwright.simulation.fixed_step.batch_program import BatchProgram
from gearwright.simulation.fixed_step.step_program import MOREAU, NUMBERS, StepPlan
from gearwright.system.kernels.motion_rates import force_actions, outcomes_of
from gearwright.system.system import System
from gearwright.system.time_stepping.step import acting_over
from gearwright.system.vector_program import vector_program
from gearwright.tracing.trace import TraceJob

STEP = 1e-3
"""A duration [s] for laws that have to be told one; forces do not depend on it."""


class LinearModel:
    """A of d/dt [dq; dv; ds] = A [dq; dv; ds], dq in the tangent, for states and parameters of a whole batch.

    Laws with modes count with what they do not hold: what they hold is taken implicitly and is stable for every step.

    Args:
        system: the machine with its laws.
        plan: the step that is asked about.
        job: what is traced, with the parameters of the machine that are inputs; without it there are none.
    """

    def __init__(self, system: System, plan: StepPlan, job: TraceJob | None = None) -> None:
        self.system, self.plan = system, plan
        n, count = system.mech.n, len(system.states)
        self._size, self._varied = 2 * n + count, 3 * n + count  # dq, dv, ds; and a
        contents = {"x": system.own.stop, "varied": self._varied}
        contents |= {NUMBERS: len(plan.numbers)} if plan.numbers else {}
        program = vector_program("linear_forces", contents, self._size, self._formula)
        known = TraceJob(program, system.mech, {}) if job is None else job
        self._slopes = BatchProgram(replace(known, program=program, wrt=("varied",)))

    @cached_property
    def moves_by_itself(self) -> bool:
        """Whether anything pulls back, brakes or decays at all."""
        inertia = self.system.mech.n * self._varied
        return not self._slopes.zero(range(inertia, self._size * self._varied))

    def rates(self, x: Array, numbers: Sequence[Array] = ()) -> Array:
        """A (N, m, m) at states x = [q, v, states of the laws] (N, nx), `numbers` of laws and machine (N or 1, P)."""
        n, size = self.system.mech.n, self._size
        slopes = self._slopes.at([x[:, : self.system.own.stop], np.zeros((1, self._varied)), *numbers])
        inertia, force, memory = np.split(slopes, [n, 2 * n], axis=1)
        A = np.zeros((len(x), size, size))
        A[:, :n, n : 2 * n] = np.eye(n)
        A[:, n : 2 * n] = np.linalg.solve(inertia[:, :, size:], force[:, :, :size])
        A[:, 2 * n :] = memory[:, :, :size] + memory[:, :, size:] @ A[:, n : 2 * n]
        return A

    def _formula(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        """Inertial forces M a, forces of springs and laws, and rates of the laws' states."""
        system, z = self.plan.on(self.system, mech, given), given["varied"]
        n, count = mech.n, len(system.states)
        start = system.moving(given["x"])
        dq, dv, ds, a = z[:n], z[n : 2 * n], z[2 * n : 2 * n + count], z[2 * n + count :]
        v = [speed + more for speed, more in zip(start.v, dv, strict=True)]
        states = [state + more for state, more in zip(start.states, ds, strict=True)]
        M = mass_matrix(place(mech, start.q, ops))
        inertial = [sum((m * x for m, x in zip(row, a, strict=True)), 0.0) for row in M]
        forces, outcomes = self._acting(system, ops, Moving(nudge(mech, start.q, dq, ops), v, states), a)
        for spring in mech.springs:
            pull = spring.stiffness * along(spring.terms, dq) + spring.damping * along(spring.terms, v)
            for k, factor in spring.terms:
                forces[k] = forces[k] - factor * pull
        return [*inertial, *forces, *(one for outcome in outcomes for one in outcome.rates)]

    def _acting(
        self, system: System, ops: Operations, at: Moving, a: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Outcome]]:
        u = system.first_inputs
        situations = system.situations(ops, 0.0, at, u)
        if self.plan.method != MOREAU:
            actions = force_actions(system, situations)
            return system.forces(u, actions), outcomes_of(system, situations, actions, a)
        return self._stepped(system, u, situations, a)

    def _stepped(
        self, system: System, u: Sequence[Scalar], situations: Sequence[Situation], a: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Outcome]]:
        acting, outcomes = acting_over(system, situations, STEP), []
        for one in acting:
            still = Outcome(rates=(0.0,) * len(one.law.states))
            felt = Reaction(a, one.at_ease.multipliers, one.at_ease.flows)
            outcomes.append(still if len(one.law.modes) > 1 else one.outcome(one.situation, felt))
        return system.forces(u, [one.action for one in acting]), outcomes
