"""The rates of a machine with its laws in one kernel, for integrators that choose their steps themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.compiling.compile import graph_code
from gearwright.compiling.machine_code import MachineCode
from gearwright.dynamics.configuration import rate
from gearwright.forces.law import Law
from gearwright.functions.functions import forward_dynamics
from gearwright.functions.service import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs
from gearwright.system.rollout_system import StepProgram, System, acting, following, pushed, split
from gearwright.tracing.trace import Task, traced, traced_function

Rates = Callable[[Array, Array, Array], Array]
"""(x, t, u) -> rates of [x, supplied work, dissipated work], with x = [q, v, states of the laws] and t of one entry."""


class MotionRates:
    """x' = f(t, x, u) of a machine under laws that have one mode and act by forces alone; `motion_rates` makes it."""

    def __init__(self, mech: Mechanism, laws: tuple[Law, ...]) -> None:
        self.mech, self.system = mech, System(laws, work=True)
        self._task = Task(rate_program(mech, self.system), mech, {})
        self._code = self._compiled()
        self.remarks = self._code.remarks

    def _compiled(self) -> MachineCode:
        code = graph_code(self._task, traced(self._task))
        if code is None:
            raise LookupError("too large for machine code")
        return code

    def quick(self, otherwise: Rates) -> Rates:
        """The rates in machine code; what that does not take (not finite, angles too large) is left to `otherwise`."""
        return self._code.builtin("rates", otherwise)

    @cached_property
    def _slopes(self) -> Any:
        return traced_function(replace(self._task, wrt=("x",)))

    def slopes(self, x: Array, t: float, u: Array) -> Array:
        """The exact derivative of the rates by x, (nx + 2, nx); asked for too rarely to compile it, CasADi runs it."""
        return np.asarray(self._slopes(x, t, u)[1]).reshape(len(x) + 2, len(x))

    def seen(self, x: Array, inputs: Array, t: Array) -> Seen:
        """What can be seen at states x (N, nx) with inputs (N, nu) at times t (N,)."""
        return seen(self.mech, self.system, x, inputs, t)


def motion_rates(mech: Mechanism, laws: Sequence[Law]) -> MotionRates | None:
    """The compiled rates, made once per machine and laws; None where kernels are off or there can be none."""
    if kernel_mode() == "off":
        return None
    try:
        return _made(mech, tuple(laws))
    except Exception:  # laws may be anybody's: one that stumbles over symbols can still work on numbers
        return None


def _made(mech: Mechanism, laws: tuple[Law, ...]) -> MotionRates:
    try:
        hash((mech, laws))
    except TypeError:  # something in it cannot be a key
        return MotionRates(mech, laws)
    return _known(mech, laws)


_known = lru_cache(maxsize=32)(MotionRates)


def rate_program(mech: Mechanism, system: System) -> StepProgram:
    """The rates of all states as a program of x (without the work), t and the inputs u."""
    size = mech.nq + mech.n + sum(len(law.states) for law in system.laws)

    def run(machine: Mechanism, ops: Operations, given: Inputs, _: Fixed) -> list[Scalar]:
        x = split(machine, given["x"])
        a, rates = system.field(machine, ops)(given["t"][0], x, given["u"])
        return [*rate(machine, x.q, x.v, ops), *a, *rates]

    contents = {"x": size, "t": 1, "u": mech.n + len(system.inputs)}
    return StepProgram("motion_rates", tuple(contents), run, lambda *_: (size + 2,), growth=2, contents=contents)


class Seen(NamedTuple):
    """What a motion shows beside its states: accelerations (N, n), signals of the laws, energy stored in them (N,)."""

    a: Array
    signals: Mapping[str, Array]
    stored: Array


def seen(mech: Mechanism, system: System, x: Array, inputs: Array, t: Array) -> Seen:
    """What can be seen at states x (N, nx) with inputs (N, nu) at times t (N,), all at once."""
    u = list(np.ascontiguousarray(inputs.T))
    at = split(mech, list(np.ascontiguousarray(x.T)))
    pairs = list(zip(system.laws, system.situations(mech, ARRAYS, t, at, u), strict=True))
    tau = np.empty((len(x), mech.n))
    for k, force in enumerate(pushed(u[: mech.n], [acting(law, situation) for law, situation in pairs])):
        tau[:, k] = force
    a = forward_dynamics(mech, x[:, : mech.nq], x[:, mech.nq : mech.nq + mech.n], tau)
    outcomes = [following(law, situation, list(a.T)) for law, situation in pairs]
    signals = {
        one.name: np.broadcast_to(np.asarray(outcome.signals[one.name], dtype=np.float64), len(x))
        for law, outcome in zip(system.laws, outcomes, strict=True)
        for one in law.signals
    }
    return Seen(a, signals, np.zeros(len(x)) + sum(outcome.stored for outcome in outcomes))
