"""Linear models at the states of a batch: springs, dampers and laws, with a frozen mass matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.configuration import integrate_first_order
from gearwright.dynamics.integration_steps import StepState
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.forces import Outcome, Reaction, Situation
from gearwright.mechanism import Mechanism, row_dot
from gearwright.programs.program import Inputs
from gearwright.simulation.fixed_step.batch_program import BatchProgram
from gearwright.simulation.fixed_step.step_program import LAW_NUMBERS, MOREAU_METHOD, StepPlan
from gearwright.system.kernels.motion_rates import force_actions, law_outcomes
from gearwright.system.system import System
from gearwright.system.time_stepping.step import steps_of_laws
from gearwright.system.vector_program import vector_program
from gearwright.tracing.trace import TraceJob

PROBE_STEP = 1e-3
"""Step for laws that need one [s]; the forces do not depend on it."""

ALMOST_AT_REST = 1e-12
"""Speed [rad/s, m/s] instead of rest, where the damping of a stop that is not in contact has no derivative."""


class StepLinearisation:
    """A of d/dt [dq; dv; ds] = A [dq; dv; ds], dq in the tangent, for states and parameters of a whole batch.

    Of laws with modes only the explicit forces count: their holds are implicit and stable for every step.

    Args:
        system: the machine with its laws.
        plan: the step under test.
        job: what is traced, with the parameters of the machine that are inputs; without it there are none.
    """

    def __init__(self, system: System, plan: StepPlan, job: TraceJob | None = None) -> None:
        self.system, self.plan = system, plan
        n, count = len(self.speeds), len(system.states)
        self._size, self._varied = 2 * n + count, 3 * n + count  # dq, dv, ds; and a
        contents = {"x": system.law_slice.stop, "varied": self._varied}
        contents |= {LAW_NUMBERS: len(plan.law_paths)} if plan.law_paths else {}
        program = vector_program("linear_forces", contents, self._size, self._linear_forces)
        trace_job = TraceJob(program, system.mech, {}) if job is None else job
        self._jacobians = BatchProgram(replace(trace_job, program=program, wrt=("varied",)))

    @cached_property
    def has_own_dynamics(self) -> bool:
        """Whether the linear model has any stiffness, damping or decay."""
        inertia = len(self.speeds) * self._varied
        return not self._jacobians.is_zero(range(inertia, self._size * self._varied))

    def rate_matrices(self, x: Array, numbers: Sequence[Array] = ()) -> Array:
        """A (N, m, m) at states x = [q, v, states of the laws] (N, nx), `numbers` of laws and machine (N or 1, P)."""
        n, size, x = len(self.speeds), self._size, np.array(x[:, : self.system.law_slice.stop])
        x[:, self.system.v] += np.where(x[:, self.system.v] == 0, ALMOST_AT_REST, 0.0)
        slopes = self._jacobians.evaluate([x, np.zeros((1, self._varied)), *numbers])
        inertia, force, memory = np.split(slopes, [n, 2 * n], axis=1)
        A = np.zeros((len(x), size, size))
        A[:, :n, n : 2 * n] = np.eye(n)
        A[:, n : 2 * n] = np.linalg.solve(inertia[:, :, size:], force[:, :, :size])
        A[:, 2 * n :] = memory[:, :, :size] + memory[:, :, size:] @ A[:, n : 2 * n]
        return A

    @property
    def speeds(self) -> tuple[str, ...]:
        """The names of the speeds of A: of embedded loops the independent ones."""
        return (self.system.closed or self.system.mech).speeds

    def _linear_forces(self, mech: Mechanism, ops: Operations, values: Inputs) -> list[Scalar]:
        """Inertial forces M a, forces of springs and laws, and rates of the laws' states."""
        system, z = self.plan.symbolic_system(self.system, mech, values), values["varied"]
        n, count = len(self.speeds), len(system.states)
        start = system.motion_of(values["x"])
        pose, speed_map = placed_machine(system.closed or mech, start.q, ops)
        dq, dv, a = (speed_map.speeds(z[k : k + n]) for k in (0, n, 2 * n + count))
        v = [speed + change for speed, change in zip(start.v, dv, strict=True)]
        states = [state + change for state, change in zip(start.states, z[2 * n : 2 * n + count], strict=True)]
        inertial = [sum((m * x for m, x in zip(row, a, strict=True)), 0.0) for row in mass_matrix(pose)]
        forces, outcomes = self._forces_and_outcomes(
            system, ops, StepState(integrate_first_order(mech, start.q, dq, ops), v, states), a
        )
        for spring in mech.springs:
            pull = spring.stiffness * row_dot(spring.terms, dq) + spring.damping * row_dot(spring.terms, v)
            for k, factor in spring.terms:
                forces[k] = forces[k] - factor * pull
        rates = [rate for outcome in outcomes for rate in outcome.rates]
        return [*speed_map.forces(inertial), *speed_map.forces(forces), *rates]

    def _forces_and_outcomes(
        self, system: System, ops: Operations, motion: StepState, a: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Outcome]]:
        u = system.initial_inputs
        situations = system.law_situations(ops, 0.0, motion, u)
        if self.plan.method != MOREAU_METHOD:
            actions = force_actions(system, situations)
            return system.generalized_forces(u, actions), law_outcomes(system, situations, actions, a)
        return self._stepped_forces_and_outcomes(system, u, situations, a)

    def _stepped_forces_and_outcomes(
        self, system: System, u: Sequence[Scalar], situations: Sequence[Situation], a: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Outcome]]:
        acting, outcomes = steps_of_laws(system, situations, PROBE_STEP), []
        for effect in acting:
            still = Outcome(rates=(0.0,) * len(effect.law.states))
            reaction = Reaction(a, effect.unloaded_reaction.multipliers, effect.unloaded_reaction.flows)
            outcomes.append(still if len(effect.law.modes) > 1 else effect.law_outcome(effect.situation, reaction))
        return system.generalized_forces(u, [effect.action for effect in acting]), outcomes
