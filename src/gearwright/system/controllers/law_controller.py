"""Control laws as kernels, and as controllers of a run that follow a reference.

A continuous controller over scalars becomes a kernel of its outputs and state rates, so that a run need not call it in
Python.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.compiling.call import GeneralCall
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import InputError, NotTraceableError, SlowerWarning
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram, flatten
from gearwright.system.controllers.control_law import SENSORS, STATES, ControlLaw, Q, V, law_inputs, law_program
from gearwright.system.controllers.controller import Controller
from gearwright.system.state import State
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, job_of, kernel, vector_program
from gearwright.text import did_you_mean, listed
from gearwright.tracing.graph import OperationCount
from gearwright.tracing.trace import traced

FORCE = "tau."

Follow: TypeAlias = Callable[[Array], Array]
"""Times (T,) -> all references of a law side by side, (T, references)."""


class LawKernel(partial[Array]):
    """A control law compiled: k(q, v, references ..., sensors, states) -> outputs and changes of the states in a row.

    Arrays of any leading axes that broadcast, as for `gw.Kernel`; quickest with float64 in C order.
    """

    program: VectorProgram
    operations: OperationCount

    def __new__(cls, law: ControlLaw) -> LawKernel:
        """Compile a law, or take it from the cache."""
        program = law_program(law)
        job = job_of(program, law.mech)
        count = traced(job).operations
        code = None if kernel_mode() == "off" else kernel(program, law.mech, batches=True)
        general = GeneralCall(job, (), code, count.arithmetic)
        self = super().__new__(cls, general if code is None else code.builtin(law.name, general))
        self.program, self.operations = program, count
        return self

    @property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """Every input with the names of its entries, in the order of the arguments."""
        return dict(self.program.names)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(entries)}" for name, entries in self.inputs.items())
        return f"<LawKernel {self.program.name} of {sizes}: {self.operations.arithmetic} operations>"


class _Deciding:
    """A law as a function of time and state: (t, State) -> forces or named outputs, and changes of its states."""

    def __init__(self, law: ControlLaw, follow: Follow) -> None:
        self.law, self.follow = law, follow
        ends = accumulate((len(entries) for entries in law.references.values()), initial=0)
        self._parts = [slice(*ends) for ends in pairwise(ends)]
        self._states = tuple(x.name for x in law.states)
        self._forces = all(name.startswith(FORCE) for name in law.outputs)
        self._at = [law.mech.speeds.index(name.removeprefix(FORCE)) for name in law.outputs if self._forces]

    def __call__(self, t: float, state: State) -> tuple[Any, Array]:
        wanted = self.follow(np.array([t]))[0]
        given = [np.asarray(state.q, float), np.asarray(state.v, float), *(wanted[part] for part in self._parts)]
        if len(given[0]) != self.law.mech.nq:
            raise InputError(
                f"controller {self.law.name!r} was made for {listed(self.law.mech.coordinates)}; the machine has "
                f"{len(given[0])} coordinates. Make it for this machine."
            )
        if self.law.sensors:
            given.append(self._sensed(state))
        if self._states:
            given.append(np.array([state.states[name] for name in self._states], dtype=float))
        found = self._run(*given)
        outputs, changes = found[: len(self.law.outputs)], found[len(self.law.outputs) :]
        if not self._forces:
            return dict(zip(self.law.outputs, outputs.tolist(), strict=True)), changes
        tau = np.zeros(self.law.mech.n)
        tau[self._at] = outputs
        return tau, changes

    def _sensed(self, state: State) -> Array:
        missing = [name for name in self.law.sensors if name not in state.states]
        if missing:
            raise InputError(
                f"controller {self.law.name!r} measures {listed(missing)}, which no law of the run has. Put the "
                "contact into `laws` as gw.contact.Measured(contact)."
            )
        return np.array([state.states[name] for name in self.law.sensors], dtype=float)

    @cached_property
    def _run(self) -> Callable[..., Array]:
        """The law in machine code; numbers that are not finite, and laws that cannot be traced, are left to Python."""
        if kernel_mode() == "off":
            return self._plainly
        try:
            return kernel(law_program(self.law), self.law.mech).builtin(self.law.name, self._plainly)
        except (NoKernelError, NotTraceableError) as reason:
            text = f"control law {self.law.name!r} runs in Python, not in machine code: {reason}"
            warnings.warn(text, SlowerWarning, stacklevel=2)
            return self._plainly

    def _plainly(self, *given: Array) -> Array:
        names, program = law_inputs(self.law), law_program(self.law)
        numbers = {name: x.tolist() for name, x in zip(names, given, strict=True)}
        try:
            return np.array(flatten(program.run(self.law.mech, FLOATS, numbers, {})), dtype=float)
        except (ArithmeticError, ValueError):  # floats raise where arrays return nan
            return np.full(program.shape(self.law.mech, {}), np.nan)


@dataclass(frozen=True)
class LawController(Controller):
    """A control law that follows a reference; `gw.control` makes them.

    Args:
        function: the law as a function of time and state.
        period: time between two decisions [s]; None: continuous.
        states: the law's states with their values at the start.
        breaks: times at which the reference has a kink.
        law: the law.
        follow: times -> references.
    """

    law: ControlLaw = field(kw_only=True)
    follow: Follow = field(kw_only=True)

    def answer(self, t: float, state: State) -> tuple[Any, Array]:
        """Outputs, and changes of the states."""
        outputs, changes = self.function(t, state)
        return outputs, changes

    @cached_property
    def kernel(self) -> LawKernel:
        """The law as a kernel of arrays, for control loops in Python and for batches."""
        return LawKernel(self.law)

    @property
    def program(self) -> VectorProgram:
        """The law as a program, which `gw.export.c` writes as C."""
        return law_program(self.law)

    def references(self, t: Array) -> dict[str, Array]:
        """The references at times t (T,), by name, (T, entries) each."""
        found, begin = {}, 0
        flat = self.follow(np.asarray(t, dtype=float))
        for name, entries in self.law.references.items():
            found[name] = flat[:, begin : begin + len(entries)]
            begin += len(entries)
        return found

    def signals(self, run: Any) -> dict[str, Array]:
        """What the law reports along a run or a rollout, by name, (T, ...) each."""
        q, v = np.asarray(run.q, float), np.asarray(run.v, float)
        batch = (len(q), *(1 for _ in q.shape[1:-1]))
        given = {Q: q, V: v}
        given |= {name: x.reshape(*batch, -1) for name, x in self.references(run.t).items()}
        known = run.states if hasattr(run, "states") else run
        if self.law.sensors:
            given[SENSORS] = np.stack([known[name] for name in self.law.sensors], axis=-1)
        if self.law.states:
            given[STATES] = np.stack([known[x.name] for x in self.law.states], axis=-1)
        program = law_program(self.law, signals=True)
        flat = GeneralCall(job_of(program, self.law.mech), (), None, 0).computed(given, None)
        return {x.name: flat[..., k] for k, x in enumerate(self.law.signals)}


def law_controller(law: ControlLaw, follow: Follow, breaks: tuple[float, ...] = ()) -> LawController:
    """The controller of a law and what it follows."""
    states = {x.name: x.initial for x in law.states}
    return LawController(_Deciding(law, follow), law.period, states, breaks, law=law, follow=follow)


def controller_kernel(system: System, control: Controller, names: Sequence[str]) -> MachineCode:
    """(state vector without the works, t, known inputs) -> all inputs and the rates of the controller's states.

    NoKernelError where it cannot be traced.
    """
    contents = {"x": system.controlled.stop, "t": 1, "u": len(names)}

    def decided(_: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        return _decided(system, control, names, ops, given)

    try:
        return kernel(vector_program("controller", contents, len(names) + len(control.states), decided), system.mech)
    except NotTraceableError as obstacle:
        raise NoKernelError(f"the controller runs in Python, not in machine code: {obstacle}") from None


def _decided(system: System, control: Controller, names: Sequence[str], ops: Operations, given: Inputs) -> list[Scalar]:
    x = given["x"]
    own = dict(zip((*system.states, *control.states), x[system.own.start :], strict=True))
    answer = control.function(given["t"][0], State(x[system.q], x[system.v], own), ops)
    outputs, rates = answer if control.states else (answer, {})
    return [*_with_outputs(names, given["u"], outputs), *(rates[name] for name in control.states)]


def _with_outputs(names: Sequence[str], known: Sequence[Scalar], outputs: Any) -> list[Scalar]:
    """Known inputs with what a controller says: forces are added, named inputs are replaced."""
    found = list(known)
    if not isinstance(outputs, Mapping):
        for k, force in enumerate(outputs):
            found[k] = found[k] + force
        return found
    for name, value in outputs.items():
        if name not in names:
            raise InputError(f"controller: there is no input {name!r}. {did_you_mean(name, list(names))}")
        found[list(names).index(name)] = value
    return found
