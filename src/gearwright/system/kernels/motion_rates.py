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
from gearwright.dynamics.configuration import rate
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.integration_steps import Field, Moving
from gearwright.dynamics.pose import place
from gearwright.errors import InputError
from gearwright.forces.branch_points import kinks_of
from gearwright.forces.law import Action, Law, Outcome, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.traced_laws import OncePerSystem, require_traceable
from gearwright.system.system import System
from gearwright.system.vector_program import job_of, kernel, vector_program
from gearwright.text import listed
from gearwright.tracing.simplify.equivalent_machine import prepare
from gearwright.tracing.symbols import operations, symbols
from gearwright.tracing.trace import traced_function


def require_one_mode(system: System) -> None:
    """Refuse laws with modes."""
    for law in system.laws:
        if len(law.modes) > 1:
            raise _unfit(law, f"it has the modes {listed(law.modes)}")


def force_actions(system: System, situations: Sequence[Situation]) -> list[Action]:
    """How each law acts; only forces will do."""
    actions = system.actions(system.first_modes, situations)
    for law, action in zip(system.laws, actions, strict=True):
        if action.holds or action.drags:
            raise _unfit(law, "its forces depend on the accelerations")
    return actions


def outcomes_of(
    system: System, situations: Sequence[Situation], actions: Sequence[Action], a: Sequence[Scalar]
) -> list[Outcome]:
    """What follows for each law from the accelerations."""
    return system.outcomes(system.first_modes, situations, actions, [Reaction(a)] * len(system.laws))


def field_of(system: System, ops: Operations, work: bool) -> Field:
    """How the machine moves: (t, x, u) -> (a, rates of the laws' states, and with `work` both powers)."""
    ready = prepare(system.mech)

    def moves(t: Scalar, x: Moving, u: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        situations = system.situations(ops, t, x, u)
        actions = force_actions(system, situations)
        tau = system.forces(u, actions)
        a = forward_dynamics(place(ready.mech, ready.placed_at(x.q), ops), x.v, tau)
        outcomes = outcomes_of(system, situations, actions, a)
        rates = [one for outcome in outcomes for one in outcome.rates]
        return a, [*rates, *system.powers(x.v, u, outcomes)] if work else rates

    return moves


def _unfit(law: Law, why: str) -> InputError:
    return InputError(
        f"law {law.name!r} cannot run in fixed steps: {why}. Use method='moreau' or the adaptive method, a smooth law "
        "(such as the smooth variant of friction), or leave it out: laws=()."
    )


Rates = Callable[[Array, Array, Array], Array]
"""(x, t, u) -> rates of [x, supplied work, dissipated work], with x = [q, v, states of the laws] and t of one entry."""


class MotionRates:
    """x' = f(t, x, u) of a machine under laws that have one mode and act by forces alone; `motion_rates` makes it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._program = rate_program(system)
        self.code = kernel(self._program, system.mech)
        self.remarks = self.code.remarks

    def quick(self, otherwise: Rates) -> Rates:
        """The rates in machine code; what that does not take (not finite, angles too large) is left to `otherwise`."""
        return self.code.builtin("rates", otherwise)

    @cached_property
    def kink_count(self) -> int:
        """How many numbers there are at whose zeros a law bends."""
        system = self.system
        t, x, u = symbols("t", 1)[0], symbols("x", system.own.stop), symbols("u", system.input_size)
        if not _bends(system, operations(), t, x, u, symbols("a", system.mech.n)):  # whatever the accelerations are
            return 0
        return len(_kinks(system, operations(), t, x, u))

    @cached_property
    def kink_code(self) -> MachineCode | None:
        """These numbers as a kernel; None where all laws are smooth."""
        count = self.kink_count
        return kernel(kink_program(self.system, count), self.system.mech) if count else None

    def quick_kinks(self, otherwise: Rates) -> Rates | None:
        """The kinks of all laws in machine code, as `quick` has the rates; None where all laws are smooth."""
        return None if self.kink_code is None else self.kink_code.builtin("kinks", otherwise)

    @cached_property
    def _slopes(self) -> Any:
        return traced_function(replace(job_of(self._program, self.system.mech), wrt=("x",)))

    def slopes(self, x: Array, t: float, u: Array) -> Array:
        """The exact derivative of the rates by x, (nx + 2, nx); asked for too rarely to compile it, CasADi runs it."""
        return np.asarray(self._slopes(x, t, u)[1]).reshape(len(x) + 2, len(x))


def contents_of(system: System) -> dict[str, int]:
    """The inputs of the kernels of a system: [q, v, states of the laws], time and inputs."""
    return {"x": system.own.stop, "t": 1, "u": system.input_size}


def rate_program(system: System) -> VectorProgram:
    """The rates of all states, and both powers."""

    def rates(mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        here = system.on(mech)
        x = here.moving(given["x"])
        a, rest = field_of(here, ops, work=True)(given["t"][0], x, given["u"])
        return [*rate(mech, x.q, x.v, ops), *a, *rest]

    return vector_program("motion_rates", contents_of(system), system.own.stop + 2, rates)


def kink_program(system: System, count: int) -> VectorProgram:
    """The numbers at whose zeros a law bends or jumps; `count` of them."""

    def kinks(mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        return _kinks(system.on(mech), ops, given["t"][0], given["x"], given["u"])

    return vector_program("kinks", contents_of(system), count, kinks)


def _kinks(system: System, ops: Operations, t: Scalar, vector: Any, u: Any) -> list[Scalar]:
    a, _ = field_of(system, ops, work=False)(t, system.moving(vector), u)
    return _bends(system, ops, t, vector, u, a)


def _bends(system: System, ops: Operations, t: Scalar, vector: Any, u: Any, a: Sequence[Scalar]) -> list[Scalar]:
    """The kinks for accelerations that somebody knows."""
    x = system.moving(vector)
    asked = zip(system.laws, system.first_modes, system.situations(ops, t, x, u), strict=True)
    found = [kink for law, mode, situation in asked for kink in kinks_of(law, mode, situation, Reaction(a))]
    return [kink for kink in found if not is_number(kink)]


_KERNELS = OncePerSystem(MotionRates, 32)


def motion_rates(system: System) -> MotionRates | None:
    """The compiled rates, made once per machine and laws; None where a law has modes, holds or drags.

    NoKernelError where they could be compiled, but for a law that cannot be traced or a computer that cannot compile.
    """
    if system.has_modes:
        return None
    found = require_traceable(system)
    return None if found.holds or found.drags else _KERNELS.of(system)
