"""The rates of a machine whose laws have one mode and act by forces alone, in one kernel, for adaptive integrators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar, is_number
from gearwright.arrays import Array
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.dynamics.closed_loops.closed_dynamics import forward_dynamics as closed_forward_dynamics
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.configuration import coordinate_rates
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.integration_steps import StateRateFunction, StepState
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError
from gearwright.forces import Action, Law, Outcome, Reaction, Situation
from gearwright.forces.branch_points import law_branch_levels
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.traced_laws import SystemCache, require_traceable
from gearwright.system.system import System
from gearwright.system.vector_program import compile_program, trace_job, vector_program
from gearwright.text import listed_names
from gearwright.tracing.simplify.equivalent_machine import simplify_machine
from gearwright.tracing.symbols import new_symbols, symbol_operations
from gearwright.tracing.trace import trace_function


def require_one_mode(system: System) -> None:
    """Raise an error for laws with modes."""
    for law in system.laws:
        if len(law.modes) > 1:
            raise _fixed_step_error(law, f"it has the modes {listed_names(law.modes)}")


def force_actions(system: System, situations: Sequence[Situation]) -> list[Action]:
    """The action of each law; an error if it has holds or drags."""
    actions = system.law_actions(system.first_modes, situations)
    for law, action in zip(system.laws, actions, strict=True):
        if action.holds or action.drags:
            raise _fixed_step_error(law, "its forces depend on the accelerations")
    return actions


def law_outcomes(
    system: System, situations: Sequence[Situation], actions: Sequence[Action], a: Sequence[Scalar]
) -> list[Outcome]:
    """The outcome of each law for the accelerations."""
    return system.law_outcomes(system.first_modes, situations, actions, [Reaction(a)] * len(system.laws))


def motion_field(system: System, ops: Operations, work: bool) -> StateRateFunction:
    """The vector field (t, x, u) -> (a, rates of the laws' states, and with `work` both powers).

    Of embedded loops only the independent speeds of x are used; the accelerations are those of all speeds.
    """
    simplified_machine = simplify_machine(system.mech)
    closed = None
    if system.closed is not None:
        closed = system.closed.with_equivalent_tree(simplified_machine.mech, simplified_machine.offsets)

    def accelerations_and_rates(t: Scalar, x: StepState, u: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        if closed is not None:
            pose, speed_map = placed_machine(closed, x.q, ops)
            independent_v = [x.v[k] for k in closed.closure.independent]
            x = x._replace(v=speed_map.speeds(independent_v))
        situations = system.law_situations(ops, t, x, u)
        actions = force_actions(system, situations)
        tau = system.generalized_forces(u, actions)
        if closed is not None:
            independent_a = closed_forward_dynamics(pose, speed_map, independent_v, speed_map.forces(tau))
            a = list(speed_map.accelerations(x.v, independent_a))
        else:
            pose = place_machine(simplified_machine.mech, simplified_machine.coordinates_for(x.q), ops)
            a = forward_dynamics(pose, x.v, tau)
        outcomes = law_outcomes(system, situations, actions, a)
        rates = [rate_value for outcome in outcomes for rate_value in outcome.rates]
        return a, [*rates, *system.supplied_and_dissipated(x.v, u, outcomes)] if work else rates

    return accelerations_and_rates


def _fixed_step_error(law: Law, reason: str) -> InputError:
    return InputError(
        f"law {law.name!r} cannot run in fixed steps: {reason}. Use method='moreau' or the adaptive method, a smooth "
        "law (such as the smooth variant of friction), or leave it out: laws=()."
    )


RatesFunction = Callable[[Array, Array, Array], Array]
"""(x, t, u) -> rates of [x, supplied work, dissipated work], with x = [q, v, states of the laws] and t of one entry."""


class MotionRates:
    """x' = f(t, x, u) of a machine with laws of one mode that act by forces only; `motion_rates` creates it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._program = rate_program(system)
        self.code = compile_program(self._program, system.mech)
        self.remarks = self.code.remarks

    def compiled_rates(self, otherwise: RatesFunction) -> RatesFunction:
        """The rates in machine code; `otherwise` for states it cannot evaluate (not finite, angles too large)."""
        return self.code.python_builtin("rates", otherwise)

    @cached_property
    def branch_count(self) -> int:
        """The number of branch-point functions."""
        system = self.system
        t, x, u = new_symbols("t", 1)[0], new_symbols("x", system.law_slice.stop), new_symbols("u", system.input_size)
        if not _branch_levels_for(
            system, symbol_operations(), t, x, u, new_symbols("a", system.mech.n)
        ):  # for any accelerations
            return 0
        return len(_branch_levels(system, symbol_operations(), t, x, u))

    @cached_property
    def branch_code(self) -> MachineCode | None:
        """The branch-point functions as a kernel; None if all laws are smooth."""
        count = self.branch_count
        return compile_program(branch_program(self.system, count), self.system.mech) if count else None

    def compiled_branch_levels(self, otherwise: RatesFunction) -> RatesFunction | None:
        """The branch-point functions of all laws in machine code, as in `quick`; None if all laws are smooth."""
        return None if self.branch_code is None else self.branch_code.python_builtin("kinks", otherwise)

    @cached_property
    def _traced_derivative(self) -> Any:
        return trace_function(replace(trace_job(self._program, self.system.mech), wrt=("x",)))

    def state_derivative(self, x: Array, t: float, u: Array) -> Array:
        """The exact derivative of the rates by x, (nx + 2, nx), evaluated by CasADi: too rarely used to compile."""
        return np.asarray(self._traced_derivative(x, t, u)[1]).reshape(len(x) + 2, len(x))


def system_input_sizes(system: System) -> dict[str, int]:
    """The inputs of the kernels of a system: [q, v, states of the laws], time and inputs."""
    return {"x": system.law_slice.stop, "t": 1, "u": system.input_size}


def rate_program(system: System) -> VectorProgram:
    """The rates of all states, and both powers."""

    def rate_formula(mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        system_of_machine = system.on_machine(mech)
        x = system_of_machine.motion_of(arguments["x"])
        a, law_rates = motion_field(system_of_machine, ops, work=True)(arguments["t"][0], x, arguments["u"])
        return [*coordinate_rates(mech, x.q, x.v, ops), *a, *law_rates]

    return vector_program("motion_rates", system_input_sizes(system), system.law_slice.stop + 2, rate_formula)


def branch_program(system: System, count: int) -> VectorProgram:
    """The `count` branch-point functions, at whose zeros a law changes its branch."""

    def branch_formula(mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        return _branch_levels(system.on_machine(mech), ops, arguments["t"][0], arguments["x"], arguments["u"])

    return vector_program("kinks", system_input_sizes(system), count, branch_formula)


def _branch_levels(system: System, ops: Operations, t: Scalar, vector: Any, u: Any) -> list[Scalar]:
    a, _ = motion_field(system, ops, work=False)(t, system.motion_of(vector), u)
    return _branch_levels_for(system, ops, t, vector, u, a)


def _branch_levels_for(
    system: System, ops: Operations, t: Scalar, vector: Any, u: Any, a: Sequence[Scalar]
) -> list[Scalar]:
    """The branch-point functions for given accelerations."""
    x = system.motion_of(vector)
    law_modes = zip(system.laws, system.first_modes, system.law_situations(ops, t, x, u), strict=True)
    values = [
        value for law, mode, situation in law_modes for value in law_branch_levels(law, mode, situation, Reaction(a))
    ]
    return [value for value in values if not is_number(value)]


_MOTION_KERNELS = SystemCache(MotionRates, 32)


def motion_rates(system: System) -> MotionRates | None:
    """The compiled rates, created once per machine and laws; None if a law has modes, holds or drags.

    NoKernelError if a law cannot be traced or the computer cannot compile.
    """
    if system.has_modes:
        return None
    survey = require_traceable(system)
    return None if survey.holds or survey.drags else _MOTION_KERNELS.for_system(system)
