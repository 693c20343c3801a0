"""What is to be computed for whom: a function, a machine or robot, its free parameters and what is fixed, checked."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech, approximate, machine_of
from gearwright.programs import dynamics_programs
from gearwright.programs.inputs import checked_point
from gearwright.text import did_you_mean, listed
from gearwright.tracing.parameters import machine_with, nominal, require_free
from gearwright.tracing.trace import TraceJob


@dataclass(frozen=True)
class Recipe:
    """Everything a kernel is made from; what is pickled of it.

    Args:
        function: name of the public function.
        source: the machine, or the robot whose parameters are inputs.
        parameters: paths of the parameters that are inputs.
        fixed: what is decided before running, as (name, value) pairs.
        wrt: inputs that the result is differentiated by.
        approximation: the kind of `approximate` that the machine is seen with, its parameters' wheels too.
    """

    function: str
    source: RobotOrMech
    parameters: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    wrt: tuple[str, ...] = ()
    approximation: str = "exact"

    def job(self) -> TraceJob:
        """What to trace."""
        mech = approximate(machine_of("compile", self.source, "names"), self.approximation)
        symbolic = partial(_machine, self.source, self.parameters, self.approximation) if self.parameters else None
        program = dynamics_programs.BY_NAME[self.function]
        return TraceJob(program, mech, dict(self.fixed), symbolic, len(self.parameters), self.wrt)

    def identity(self) -> str:
        """The machine and its symbolic parameters, exactly: every number to the last digit."""
        if isinstance(self.source, Mechanism):
            numbers = tuple(getattr(self.source, field.name) for field in fields(self.source))
            return f"{numbers!r} {self.parameters!r}{self._approximated}"
        return f"{hashlib.sha256(pickle.dumps(self.source)).hexdigest()} {self.parameters!r}{self._approximated}"

    @property
    def _approximated(self) -> str:
        return "" if self.approximation == "exact" else f" {self.approximation}"


def _machine(source: RobotOrMech, paths: Sequence[str], approximation: str, values: Sequence[Any]) -> Mechanism:
    return approximate(machine_with(source, dict(zip(paths, values, strict=True))), approximation)


def recipe_of(
    function: Callable[..., Any] | str,
    robot_or_mech: RobotOrMech,
    parameters: Sequence[str],
    fixed: Mapping[str, Any],
    caller: str = "compile",
    answer: str = "",
) -> Recipe:
    """What `compile`, or another `caller`, was asked for, checked; `answer` as for `machine_of`."""
    name = function if isinstance(function, str) else _name_of(function)
    if name not in dynamics_programs.BY_NAME:
        raise InputError(f"{caller}: {name!r} cannot be compiled. {did_you_mean(name, dynamics_programs.BY_NAME)}")
    mech = machine_of(caller, robot_or_mech, answer or name)
    paths = free_parameters(caller, robot_or_mech, parameters)
    return Recipe(name, robot_or_mech if paths else mech, paths, _decided(caller, name, mech, fixed))


def free_parameters(caller: str, robot_or_mech: RobotOrMech, parameters: Any) -> tuple[str, ...]:
    """Paths of numbers that can be inputs, each named once."""
    paths = _sequence_of_names(caller, "parameters", parameters)
    if len(set(paths)) < len(paths):
        raise InputError(f"{caller}: a parameter is named twice in {listed(paths)}. Name each once.")
    for path in paths:
        require_free(path)
        nominal(robot_or_mech, path)
    return paths


def _name_of(function: Callable[..., Any]) -> str:
    """The name of one of Gearwright's own functions; somebody else's of the same name is another function."""
    own = str(getattr(function, "__module__", "")).startswith("gearwright.")
    return str(getattr(function, "__name__", function)) if own else repr(function)


def _sequence_of_names(caller: str, what: str, value: Any) -> tuple[Any, ...]:
    """A sequence of names; one alone may stand for itself."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise InputError(f"{caller}: {what}={value!r} must be a sequence of names.")
    return tuple(value)


def _decided(caller: str, name: str, mech: Mechanism, fixed: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What is fixed, checked and in a form that compares and pickles."""
    program = dynamics_programs.BY_NAME[name]
    allowed = {*program.options, *(("wrenches", "base_motion") if program.outside else ())}
    for option in fixed:
        if option not in allowed:
            raise InputError(f"{caller}: {name} has no option {option!r}. {did_you_mean(option, allowed)}")
    decided = {option: value for option, value in fixed.items() if value is not None and value is not False}
    if "body" in program.options:
        if "body" not in decided:
            raise InputError(f"{caller}: {name} needs body=, the body or frame it is for.")
        mech.place_of(decided["body"])
    if "point" in decided:
        decided["point"] = checked_point(caller, decided["point"])
    if "wrenches" in decided:
        bodies = _sequence_of_names(caller, "wrenches", decided["wrenches"])
        decided["wrenches"] = tuple(mech.name_of(body) for body in bodies)
    return tuple(sorted(decided.items()))
