"""A continuous controller over scalars as a kernel, so that a run does not have to call it in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gearwright.algebra import Operations, Scalar
from gearwright.compiling.machine_code import MachineCode
from gearwright.errors import InputError, NotTraceableError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs
from gearwright.system.controllers import Controller
from gearwright.system.state import State
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, kernel, vector_program
from gearwright.text import did_you_mean


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
