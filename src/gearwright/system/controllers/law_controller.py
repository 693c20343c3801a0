"""Control laws as kernels, and as controllers of a run that follow a reference.

A continuous controller over scalars becomes a kernel of its outputs and state rates; a run then does not call Python.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra import FLOATS, Operations, Scalar
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.compiling.call import GeneralCall
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import InputError, NotTraceableError, SlowerWarning
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram, flatten_scalars
from gearwright.system.controllers.control_law import SENSORS, STATES, ControlLaw, Q, V, law_inputs, law_program
from gearwright.system.controllers.controller import Controller
from gearwright.system.law_parameters import with_law_parameters
from gearwright.system.state import State
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, compile_program, trace_job, vector_program
from gearwright.text import did_you_mean, listed_names
from gearwright.tracing.graph import OperationCount
from gearwright.tracing.trace import trace_graph

FORCE_OUTPUT_PREFIX = "tau."

ReferenceFunction: TypeAlias = Callable[[Array], Array]
"""Times (T,) -> all references of a law side by side, (T, references)."""


class LawKernel(partial[Array]):
    """A compiled control law: k(q, v, references ..., sensors, states) -> outputs, then changes of the states.

    Arrays with leading axes that broadcast, as for `gw.Kernel`; fastest with float64 in C order.
    """

    program: VectorProgram
    operations: OperationCount

    def __new__(cls, law: ControlLaw) -> LawKernel:
        """The compiled law, from the cache if it is there."""
        if not isinstance(law, ControlLaw):
            raise InputError(f"LawKernel: law={law!r} must be a ControlLaw. Give the law of a controller: .law.")
        program = law_program(law)
        job = trace_job(program, law.mech)
        count = trace_graph(job).operation_count
        code = None if kernel_mode() == "off" else compile_program(program, law.mech, batches=True)
        general = GeneralCall(job, (), code, count.arithmetic_count)
        self = super().__new__(cls, general if code is None else code.python_builtin(law.name, general))
        self.program, self.operations = program, count
        return self

    @property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """Every input with the names of its entries, in the order of the arguments."""
        return dict(self.program.names)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(entries)}" for name, entries in self.inputs.items())
        return f"<LawKernel {self.program.name} of {sizes}: {self.operations.arithmetic_count} operations>"


class _LawFunction:
    """A law as a function of time and state: (t, State) -> forces or named outputs, and changes of its states."""

    def __init__(self, law: ControlLaw, follow: ReferenceFunction) -> None:
        self.law, self.follow = law, follow
        ends = accumulate((len(entries) for entries in law.references.values()), initial=0)
        self._reference_slices = [slice(*ends) for ends in pairwise(ends)]
        self._state_names = tuple(x.name for x in law.states)
        self._gives_forces = all(name.startswith(FORCE_OUTPUT_PREFIX) for name in law.outputs)
        self._speed_indices = [
            law.mech.speeds.index(name.removeprefix(FORCE_OUTPUT_PREFIX)) for name in law.outputs if self._gives_forces
        ]

    def __call__(self, t: float, state: State) -> tuple[Any, Array]:
        references = self.follow(np.array([t]))[0]
        arguments = [
            np.asarray(state.q, float),
            np.asarray(state.v, float),
            *(references[part] for part in self._reference_slices),
        ]
        if len(arguments[0]) != self.law.mech.nq:
            raise InputError(
                f"controller {self.law.name!r} was created for the coordinates "
                f"{listed_names(self.law.mech.coordinates)}, "
                f"but the machine has {len(arguments[0])} coordinates. Create the controller for this machine."
            )
        if self.law.sensors:
            arguments.append(self._sensor_values(state))
        if self._state_names:
            arguments.append(np.array([state.states[name] for name in self._state_names], dtype=float))
        results = self._compiled_law(*arguments)
        outputs, changes = results[: len(self.law.outputs)], results[len(self.law.outputs) :]
        if not self._gives_forces:
            return dict(zip(self.law.outputs, outputs.tolist(), strict=True)), changes
        tau = np.zeros(self.law.mech.n)
        tau[self._speed_indices] = outputs
        return tau, changes

    def _sensor_values(self, state: State) -> Array:
        missing = [name for name in self.law.sensors if name not in state.states]
        if missing:
            raise InputError(
                f"controller {self.law.name!r} measures {listed_names(missing)}, which is not a state of any law of "
                "the run. Pass the contact in `extra_laws` as gw.contact.ForceSensor(contact)."
            )
        return np.array([state.states[name] for name in self.law.sensors], dtype=float)

    @cached_property
    def _compiled_law(self) -> Callable[..., Array]:
        """The law in machine code; numbers that are not finite and laws that cannot be traced run in Python."""
        if kernel_mode() == "off":
            return self._run_in_python
        try:
            return compile_program(law_program(self.law), self.law.mech).python_builtin(
                self.law.name, self._run_in_python
            )
        except (NoKernelError, NotTraceableError) as reason:
            text = f"control law {self.law.name!r} runs in Python, not in machine code: {reason}"
            warnings.warn(text, SlowerWarning, stacklevel=2)
            return self._run_in_python

    def _run_in_python(self, *arguments: Array) -> Array:
        names, program = law_inputs(self.law), law_program(self.law)
        numbers = {name: x.tolist() for name, x in zip(names, arguments, strict=True)}
        try:
            return np.array(flatten_scalars(program.run(self.law.mech, FLOATS, numbers, {})), dtype=float)
        except (ArithmeticError, ValueError):  # floats raise where arrays return nan
            return np.full(program.shape(self.law.mech, {}), np.nan)


@dataclass(frozen=True)
class LawController(Controller):
    """A control law that follows a reference; the functions of `gw.control` create them.

    Args:
        function: the law as a function of time and state.
        period: sampling period [s]; None: continuous.
        states: the law's states with their initial values.
        breaks: times at which the reference or its derivatives jump.
        law: the law.
        follow: times -> references.
    """

    law: ControlLaw = field(kw_only=True)
    follow: ReferenceFunction = field(kw_only=True)

    def outputs_and_rates(self, t: float, state: State) -> tuple[Any, Array]:
        """The outputs and the changes of the states."""
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
        by_name, begin = {}, 0
        flat = self.follow(number_array("references", "t", t, axes=1))
        for name, entries in self.law.references.items():
            by_name[name] = flat[:, begin : begin + len(entries)]
            begin += len(entries)
        return by_name

    def signals(self, run: Any) -> dict[str, Array]:
        """The signals of the law along a run or a rollout, by name, (T, ...) each."""
        if not all(hasattr(run, name) for name in ("t", "q", "v")):
            raise InputError(f"signals: run={run!r} must be a run or a rollout. gw.simulate(...) returns a run.")
        q, v = np.asarray(run.q, float), np.asarray(run.v, float)
        batch = (len(q), *(1 for _ in q.shape[1:-1]))
        arguments = {Q: q, V: v}
        arguments |= {name: x.reshape(*batch, -1) for name, x in self.references(run.t).items()}
        series = run.states if hasattr(run, "states") else run
        if self.law.sensors:
            arguments[SENSORS] = np.stack([series[name] for name in self.law.sensors], axis=-1)
        if self.law.states:
            arguments[STATES] = np.stack([series[x.name] for x in self.law.states], axis=-1)
        program = law_program(self.law, signals=True)
        flat = GeneralCall(trace_job(program, self.law.mech), (), None, 0).evaluate(arguments, None)
        return {x.name: flat[..., k] for k, x in enumerate(self.law.signals)}


def law_controller(law: ControlLaw, follow: ReferenceFunction, breaks: tuple[float, ...] = ()) -> LawController:
    """The controller of a law and its reference function."""
    states = {x.name: x.initial for x in law.states}
    return LawController(_LawFunction(law, follow), law.period, states, breaks, law=law, follow=follow)


def with_controller_parameters(control: LawController, values: Mapping[str, Scalar]) -> LawController:
    """The controller whose law has other numbers at the paths, such as `pd.kp.0`."""
    (law,) = with_law_parameters((control.law,), values)
    return law_controller(law, control.follow, control.breaks)


def controller_kernel(system: System, control: Controller, names: Sequence[str]) -> MachineCode:
    """The kernel (state vector without works, t, given inputs) -> all inputs and rates of the controller's states.

    NoKernelError if it cannot be traced.
    """
    contents = {"x": system.controller_slice.stop, "t": 1, "u": len(names)}

    def controller_formula(_: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        return _controller_outputs(system, control, names, ops, arguments)

    try:
        return compile_program(
            vector_program("controller", contents, len(names) + len(control.states), controller_formula), system.mech
        )
    except NotTraceableError as obstacle:
        raise NoKernelError(f"the controller runs in Python, not in machine code: {obstacle}") from None


def _controller_outputs(
    system: System, control: Controller, names: Sequence[str], ops: Operations, arguments: Inputs
) -> list[Scalar]:
    x = arguments["x"]
    named_states = dict(zip((*system.states, *control.states), x[system.law_slice.start :], strict=True))
    parameters = (control.parameters,) if control.parameters else ()
    result = control.function(arguments["t"][0], State(x[system.q], x[system.v], named_states), ops, *parameters)
    outputs, rates = result if control.states else (result, {})
    return [*_with_outputs(names, arguments["u"], outputs), *(rates[name] for name in control.states)]


def _with_outputs(names: Sequence[str], given_inputs: Sequence[Scalar], outputs: Any) -> list[Scalar]:
    """Inputs combined with a controller's outputs: forces are added, named inputs are replaced."""
    inputs = list(given_inputs)
    if not isinstance(outputs, Mapping):
        for k, force in enumerate(outputs):
            inputs[k] = inputs[k] + force
        return inputs
    for name, value in outputs.items():
        if name not in names:
            raise InputError(f"controller: there is no input {name!r}. {did_you_mean(name, list(names))}")
        inputs[list(names).index(name)] = value
    return inputs
