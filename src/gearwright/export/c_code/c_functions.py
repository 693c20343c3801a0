"""What stands in a C package: functions of the dynamics, rates, and any other program, traced and with samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.programs import dynamics_programs
from gearwright.programs.program import Program
from gearwright.system.controllers.controller import Controller
from gearwright.system.controllers.law_controller import LawController
from gearwright.system.controllers.scalar_law import control_law_of
from gearwright.system.open_systems.rates import open_rates
from gearwright.text import c_identifiers, did_you_mean, listed
from gearwright.tracing.c_source import Real, argument_names, c_source, needed_nodes
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.graph import Graph, OperationCount
from gearwright.tracing.parameters import machine_with, nominal
from gearwright.tracing.recipe import recipe_of
from gearwright.tracing.trace import PARAMETERS, TraceJob, traced

CALLER, RATES = "export.c", "rates"
STATES = 4
"""Stored states per function in the self-test."""


@dataclass(frozen=True)
class CFunction:
    """One function of a C package.

    Args:
        function: a public function or its name, "rates" (the robot with its laws), a controller of `gw.control`, a
            `gw.Controller` over scalars, or any `Program`.
        fixed: what it takes beside arrays, as for `compile`: {"body": "tool"}; for "rates" its `inputs`, `laws`
            and `extra_laws`, as for `casadi_rates`.
        name: its name after that of the package; made from the others unless given.
        by: inputs that it is differentiated by; none: the function itself.

    >>> CFunction("jacobian", {"body": "tool"}).title
    'jacobian_tool'
    """

    function: str | Callable[..., Any] | Program | Controller
    fixed: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    by: tuple[str, ...] = ()

    @property
    def public(self) -> str:
        """The name of what it computes."""
        return str(self.function if isinstance(self.function, str) else _name(self.function))

    @property
    def title(self) -> str:
        """Its name in the package."""
        body = [str(self.fixed["body"])] if "body" in self.fixed else []
        return self.name or "_".join([self.public, *body, *(["by", *self.by] if self.by else [])])

    def job(self, robot: RobotOrMech, parameters: Sequence[str]) -> TraceJob:
        """What to trace for a robot with parameters that stay inputs."""
        if isinstance(self.function, Program | Controller):
            machine = partial(_machine, robot, tuple(parameters)) if parameters else None
            mech, program = machine_of(CALLER, robot, "names"), _program(self.function, robot)
            return TraceJob(program, mech, dict(self.fixed), machine, len(parameters), self._known(program))
        if self.public == RATES:
            rates = open_rates(CALLER, robot, parameters=parameters, **self.fixed)
            return rates.job(self._known(rates.program))
        if self.public not in dynamics_programs.BY_NAME:
            known = [*dynamics_programs.BY_NAME, RATES]
            raise InputError(f"{CALLER}: {self.public!r} cannot be exported. {did_you_mean(self.public, known)}")
        recipe = recipe_of(self.function, robot, parameters, self.fixed, CALLER)
        return replace(recipe.job(), wrt=self._known(dynamics_programs.BY_NAME[self.public]))

    def _known(self, program: Program) -> tuple[str, ...]:
        known = [*program.inputs, PARAMETERS]
        for name in self.by:
            if name not in known:
                raise InputError(f"{CALLER}: {program.name} has no input {name!r}. {did_you_mean(name, known)}")
        return tuple(self.by)


def _program(function: Program | Controller, robot: RobotOrMech) -> Program:
    """The program to write; a controller must fit the robot, and one with states must be sampled."""
    if isinstance(function, Program):
        return function
    control = control_law_of(CALLER, function, machine_of(CALLER, robot, "names"))
    law = control.law
    if law.states and law.period is None:
        names = listed(x.name for x in law.states)
        raise InputError(
            f"{CALLER}: the controller {law.name} has states that move continuously ({names}), and C is called once "
            "per sample. Give gw.control.sampled(controller, period), or gw.Controller a period and next values."
        )
    if tuple(law.mech.speeds) != tuple(machine_of(CALLER, robot, "names").speeds):
        raise InputError(f"{CALLER}: the controller {law.name} was made for another robot. Make it for this one.")
    return control.program


def _name(function: Any) -> str:
    if isinstance(function, LawController):
        return function.law.name
    return str(function.name if isinstance(function, Program) else getattr(function, "__name__", repr(function)))


def _machine(robot: RobotOrMech, paths: Sequence[str], values: Sequence[Any]) -> Any:
    return machine_with(robot, dict(zip(paths, values, strict=True)))


def asked_function(asked: Any) -> CFunction:
    """What a user names: a `CFunction`, a function, a program, or text such as "jacobian:tool" with the body.

    >>> asked_function("jacobian:tool").fixed
    {'body': 'tool'}
    """
    if isinstance(asked, CFunction):
        return asked
    if isinstance(asked, str) and ":" in asked:
        function, _, body = asked.partition(":")
        return CFunction(function, {"body": body})
    return CFunction(asked)


def _with_law(asked: CFunction, robot: RobotOrMech) -> CFunction:
    """The same, a controller with its law."""
    if not isinstance(asked.function, Controller):
        return asked
    return replace(asked, function=control_law_of(CALLER, asked.function, machine_of(CALLER, robot, "names")))


Sample = tuple[dict[str, list[float]], list[float]]
"""Inputs by name, and what the function must return for them."""


@dataclass(frozen=True)
class TracedFunction:
    """A function of the package, ready to be written.

    Args:
        name: its C name.
        asked: what it is.
        job: what was traced.
        graph: its operations.
        samples: inputs, and what the library returns for them.
    """

    name: str
    asked: CFunction
    job: TraceJob
    graph: Graph
    samples: tuple[Sample, ...]

    @property
    def arguments(self) -> dict[str, int]:
        """C names of the arguments with their sizes."""
        sizes = self.job.sizes()
        return dict(zip(argument_names(self.graph, sizes), sizes.values(), strict=True))

    @property
    def notes(self) -> list[str]:
        """What a user of a controller must know: its entries in order, its states at the start, its period."""
        if not isinstance(self.asked.function, LawController):
            return []
        law = self.asked.function.law
        notes = [f"{name}: {listed(entries)}." for name, entries in law.references.items()]
        notes.append(f"out: {listed([*law.outputs, *(f'next {x.name}' for x in law.states)])}.")
        if law.states:
            notes.append(f"states at the start: {listed(f'{x.name} {x.initial!r}' for x in law.states)}.")
        return notes if law.period is None else [*notes, f"Call it every {law.period!r} s."]

    @property
    def operations(self) -> OperationCount:
        """What the text computes, at every call."""
        needed = needed_nodes(self.graph)
        return Graph(tuple(node for k, node in enumerate(self.graph.nodes) if k in needed), ()).operations

    def text(self, real: Real) -> str:
        """Its C source."""
        return c_source(self.graph, self.name, self.job.sizes(), len(self.graph.outputs), real)


def traced_functions(
    prefix: str, robot: RobotOrMech, functions: Sequence[Any], parameters: Sequence[str]
) -> list[TracedFunction]:
    """All functions of a package, with names of their own."""
    asked = [_with_law(asked_function(function), robot) for function in functions]
    if not asked:
        raise InputError(f"{CALLER}: functions= is empty. Name at least one, such as 'inverse_dynamics'.")
    names = c_identifiers([f"{prefix}_{one.title}" for one in asked])
    return [_traced(name, one, robot, parameters) for name, one in zip(names, asked, strict=True)]


def _traced(name: str, asked: CFunction, robot: RobotOrMech, parameters: Sequence[str]) -> TracedFunction:
    job = asked.job(robot, parameters)
    return TracedFunction(name, asked, job, traced(job), _samples(job, robot, parameters))


def _samples(job: TraceJob, robot: RobotOrMech, parameters: Sequence[str]) -> tuple[Sample, ...]:
    """Random inputs and what the recursion itself, not the text in C, returns for them.

    For derivatives and parameters CasADi answers: no check of parts stands in its way.
    """
    rng = np.random.default_rng(len(job.program.name))
    inputs = {name: rng.uniform(-1.5, 1.5, (STATES, size)) for name, size in job.sizes().items()}
    if parameters:
        inputs[PARAMETERS] = np.array([nominal(robot, path) for path in parameters]) * rng.uniform(
            0.9, 1.1, (STATES, len(parameters))
        )
    states = [{name: x[k] for name, x in inputs.items()} for k in range(STATES)]
    results = [evaluate_job(job, state).ravel() for state in states]
    pairs = zip(states, results, strict=True)
    return tuple(({name: x.tolist() for name, x in state.items()}, result.tolist()) for state, result in pairs)
