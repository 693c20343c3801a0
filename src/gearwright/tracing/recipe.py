"""Checked requests for kernels: a function, a machine or robot, its parameters that are inputs, fixed arguments."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of
from gearwright.programs import INDEPENDENT, TREE, ClosedMechanism, approximate, dynamics_programs, machine_of
from gearwright.programs.inputs import checked_point
from gearwright.text import did_you_mean, listed_names
from gearwright.tracing.parameters import machine_with_values, nominal_value, require_free
from gearwright.tracing.trace import TraceJob


@dataclass(frozen=True)
class KernelRequest:
    """All data that define a kernel; a kernel is pickled as its recipe.

    Args:
        function: name of the public function.
        source: the machine, or the robot whose parameters are inputs.
        parameters: paths of the parameters that are inputs.
        fixed: arguments fixed at compile time, as (name, value) pairs.
        wrt: inputs that the result is differentiated by.
        approximation: the kind of `approximate` applied to the machine, with its parameters.
        coordinates: "independent", or "tree" for the machine with its loops cut open.
    """

    function: str
    source: RobotOrMech
    parameters: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    wrt: tuple[str, ...] = ()
    approximation: str = "exact"
    coordinates: str = INDEPENDENT

    @cached_property
    def _nominal_machine(self) -> Mechanism:
        return requested_machine("compile", self.source, self.coordinates, "names")

    def trace_job(self) -> TraceJob:
        """The job to trace."""
        nominal = self._nominal_machine
        mech = approximate(nominal, self.approximation)
        symbolic = (
            partial(_symbolic_machine, self.source, self.parameters, self.approximation, nominal)
            if self.parameters
            else None
        )
        program = dynamics_programs.PROGRAM_BY_NAME[self.function]
        return TraceJob(program, mech, dict(self.fixed), symbolic, len(self.parameters), self.wrt)

    def exact_identity(self) -> str:
        """An exact identity of the machine and its symbolic parameters: every number to the last digit."""
        if isinstance(self.source, Mechanism):
            numbers = tuple(getattr(self.source, field.name) for field in fields(self.source))
            loops = "" if self.source.closure is None else f" {self.source.closure!r}"
            return f"{numbers!r} {self.parameters!r}{self._approximation_suffix}{loops}"
        return (
            f"{hashlib.sha256(pickle.dumps(self.source)).hexdigest()} {self.parameters!r}{self._approximation_suffix}"
        )

    @property
    def _approximation_suffix(self) -> str:
        kind = "" if self.approximation == "exact" else f" {self.approximation}"
        return kind if self.coordinates == INDEPENDENT else f"{kind} {self.coordinates}"


def _symbolic_machine(
    source: RobotOrMech, paths: Sequence[str], approximation: str, nominal: Mechanism, values: Sequence[Any]
) -> Mechanism:
    tree = source.tree if isinstance(source, Mechanism) else source
    varied = approximate(machine_with_values(tree, dict(zip(paths, values, strict=True))), approximation)
    return nominal.with_tree(varied) if isinstance(nominal, ClosedMechanism) else varied


def kernel_request(
    function: Callable[..., Any] | str,
    robot_or_mech: RobotOrMech,
    parameters: Sequence[str],
    fixed: Mapping[str, Any],
    caller: str = "compile",
    answer: str = "",
) -> KernelRequest:
    """The checked request of `compile` or another `caller`; `answer` as for `tree_of`."""
    name = function if isinstance(function, str) else _function_name(function)
    if name not in dynamics_programs.PROGRAM_BY_NAME:
        raise InputError(
            f"{caller}: {name!r} cannot be compiled. {did_you_mean(name, dynamics_programs.PROGRAM_BY_NAME)}"
        )
    coordinates = TREE if answer else INDEPENDENT
    mech = requested_machine(caller, robot_or_mech, coordinates, answer or name)
    if name == dynamics_programs.REACTIONS.name and mech.closure is not None:
        raise InputError(
            f"{caller}: reactions of machines with closed loops contain the forces in the cut joints, which no kernel "
            "computes. Call gw.reactions, or compile for the open tree, mech.tree."
        )
    paths = free_parameters(caller, robot_or_mech, parameters)
    options = _checked_options(caller, name, mech, fixed)
    return KernelRequest(name, robot_or_mech if paths else mech, paths, options, coordinates=coordinates)


def requested_machine(caller: str, robot_or_mech: RobotOrMech, coordinates: str, answer: str) -> Mechanism:
    """The machine, with its loops closed if it has them, or its open tree; `answer` as for `tree_of`."""
    choose = machine_of if coordinates == INDEPENDENT else tree_of
    return choose(caller, robot_or_mech, answer)


def free_parameters(caller: str, robot_or_mech: RobotOrMech, parameters: Any) -> tuple[str, ...]:
    """Checked paths of parameters that can be inputs, each listed once."""
    paths = _checked_names(caller, "parameters", parameters)
    if len(set(paths)) < len(paths):
        raise InputError(f"{caller}: a parameter is named twice in {listed_names(paths)}. Name each once.")
    for path in paths:
        require_free(path)
        nominal_value(robot_or_mech, path)
    return paths


def _function_name(function: Callable[..., Any]) -> str:
    """The name of a function of Gearwright; a foreign function of the same name is not accepted."""
    is_own = str(getattr(function, "__module__", "")).startswith("gearwright.")
    return str(getattr(function, "__name__", function)) if is_own else repr(function)


def _checked_names(caller: str, argument: str, value: Any) -> tuple[Any, ...]:
    """A sequence of names, or a single name."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise InputError(f"{caller}: {argument}={value!r} must be a sequence of names.")
    return tuple(value)


def _checked_options(caller: str, name: str, mech: Mechanism, fixed: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The fixed arguments, checked and in a form that can be compared and pickled."""
    program = dynamics_programs.PROGRAM_BY_NAME[name]
    allowed = {*program.options, *(("wrenches", "base_motion") if program.takes_external_loads else ())}
    for option in fixed:
        if option not in allowed:
            raise InputError(f"{caller}: {name} has no option {option!r}. {did_you_mean(option, allowed)}")
    options = {option: value for option, value in fixed.items() if value is not None and value is not False}
    if "point" in options:
        options["point"] = checked_point(caller, options["point"])
    if "body" in program.options:
        if "body" not in options:
            raise InputError(f"{caller}: {name} needs body=, the body or frame it is for.")
        program.check_options(mech, options)
    if "wrenches" in options:
        bodies = _checked_names(caller, "wrenches", options["wrenches"])
        options["wrenches"] = tuple(mech.name_of(body) for body in bodies)
    return tuple(sorted(options.items()))
