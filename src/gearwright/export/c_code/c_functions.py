"""Functions of a C package: dynamics, state derivatives and any other program, traced and with samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.export.c_code.float_error import FloatError, float_error, states_in_range
from gearwright.functions.constrained.closing import ClosedMechanism, closed_integral
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.programs import dynamics_programs
from gearwright.programs.program import Program
from gearwright.system import Controller, LawController, control_law_of
from gearwright.system.open_systems.rates import open_rates
from gearwright.text import c_identifiers, did_you_mean, listed_names
from gearwright.tracing.c_source import RealType, argument_names, c_source, needed_nodes
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.graph import Graph, OperationCount
from gearwright.tracing.parameters import machine_with_values, nominal_value
from gearwright.tracing.recipe import kernel_request
from gearwright.tracing.trace import PARAMETERS_INPUT, TraceJob, trace_graph

C_EXPORT_CALLER, RATES_FUNCTION = "export.c", "rates"
SELF_TEST_STATES = 4
"""Stored states per function in the self-test."""

SELF_TEST_STEP = 0.05
"""Largest step of the independent speeds from the reference to the stored states of closed loops [rad, m]."""


@check_arguments
@dataclass(frozen=True)
class CFunction:
    """One function of a C package.

    Args:
        function: a public function or its name, "rates" (the robot with its laws), a controller of `gw.control`, a
            `gw.Controller` over scalars, or any `Program`.
        fixed: its further arguments, as for `compile`: {"body": "tool"}; for "rates" its `inputs`, `laws` and
            `extra_laws`, as for `casadi_rates`.
        name: its name after that of the package; by default made from the others.
        by: inputs of differentiation; none: the function itself.

    >>> CFunction("jacobian", {"body": "tool"}).package_title
    'jacobian_tool'
    """

    function: str | Callable[..., Any] | Program | Controller
    fixed: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    by: tuple[str, ...] = ()

    @property
    def public_name(self) -> str:
        """Name of the computed function."""
        return str(self.function if isinstance(self.function, str) else _function_name(self.function))

    @property
    def package_title(self) -> str:
        """Its name in the package."""
        body = [str(self.fixed["body"])] if "body" in self.fixed else []
        return self.name or "_".join([self.public_name, *body, *(["by", *self.by] if self.by else [])])

    def trace_job(self, robot: RobotOrMech, parameters: Sequence[str]) -> TraceJob:
        """Return the function to trace for a robot with parameters as inputs."""
        if isinstance(self.function, Program | Controller):
            machine = partial(_machine_with_values, robot, tuple(parameters)) if parameters else None
            mech, program = tree_of(C_EXPORT_CALLER, robot, "names"), _exported_program(self.function, robot)
            return TraceJob(program, mech, dict(self.fixed), machine, len(parameters), self._checked_inputs(program))
        if self.public_name == RATES_FUNCTION:
            rates = open_rates(C_EXPORT_CALLER, robot, parameters=parameters, **self.fixed)
            return rates.trace_job(self._checked_inputs(rates.program))
        if self.public_name not in dynamics_programs.PROGRAM_BY_NAME:
            known_functions = [*dynamics_programs.PROGRAM_BY_NAME, RATES_FUNCTION]
            raise InputError(
                f"{C_EXPORT_CALLER}: {self.public_name!r} cannot be exported. "
                f"{did_you_mean(self.public_name, known_functions)}"
            )
        recipe = kernel_request(self.function, robot, parameters, self.fixed, C_EXPORT_CALLER)
        return replace(
            recipe.trace_job(), wrt=self._checked_inputs(dynamics_programs.PROGRAM_BY_NAME[self.public_name])
        )

    def _checked_inputs(self, program: Program) -> tuple[str, ...]:
        known_inputs = [*program.inputs, PARAMETERS_INPUT]
        for name in self.by:
            if name not in known_inputs:
                raise InputError(
                    f"{C_EXPORT_CALLER}: {program.name} has no input {name!r}. {did_you_mean(name, known_inputs)}"
                )
        return tuple(self.by)


def _exported_program(function: Program | Controller, robot: RobotOrMech) -> Program:
    """Return the program to write; a controller must match the robot, and one with states must be sampled."""
    if isinstance(function, Program):
        return function
    control = control_law_of(C_EXPORT_CALLER, function, tree_of(C_EXPORT_CALLER, robot, "names"))
    law = control.law
    if law.states and law.period is None:
        names = listed_names(x.name for x in law.states)
        raise InputError(
            f"{C_EXPORT_CALLER}: the controller {law.name} has continuous states ({names}), but C is called once "
            "per sample. Give gw.control.with_sampling(controller, period), or gw.Controller a period and next values."
        )
    if tuple(law.mech.speeds) != tuple(tree_of(C_EXPORT_CALLER, robot, "names").speeds):
        raise InputError(
            f"{C_EXPORT_CALLER}: the controller {law.name} was made for another robot. Create it for this one."
        )
    return control.program


def _function_name(function: Any) -> str:
    if isinstance(function, LawController):
        return function.law.name
    return str(function.name if isinstance(function, Program) else getattr(function, "__name__", repr(function)))


def _machine_with_values(robot: RobotOrMech, paths: Sequence[str], values: Sequence[Any]) -> Any:
    return machine_with_values(robot, dict(zip(paths, values, strict=True)))


def read_function(function_or_name: Any) -> CFunction:
    """Return the `CFunction` for a function, a program, or a text such as "jacobian:tool" with the body.

    >>> read_function("jacobian:tool").fixed
    {'body': 'tool'}
    """
    if isinstance(function_or_name, CFunction):
        return function_or_name
    if isinstance(function_or_name, str) and ":" in function_or_name:
        function_name, _, body = function_or_name.partition(":")
        return CFunction(function_name, {"body": body})
    return CFunction(function_or_name)


def _with_law(request: CFunction, robot: RobotOrMech) -> CFunction:
    """Return the function, with a controller replaced by its law."""
    if not isinstance(request.function, Controller):
        return request
    return replace(
        request, function=control_law_of(C_EXPORT_CALLER, request.function, tree_of(C_EXPORT_CALLER, robot, "names"))
    )


Sample = tuple[dict[str, list[float]], list[float]]
"""Inputs by name, and the expected results."""


@dataclass(frozen=True)
class TracedFunction:
    """A traced function of the package.

    Args:
        name: its C name.
        request: the requested function.
        job: the traced program.
        graph: its operations.
        samples: inputs, and the results of the library.
        error_inputs: draws inputs over the range of the robot, (N, size), for the error of single precision.
    """

    name: str
    request: CFunction
    job: TraceJob
    graph: Graph
    samples: tuple[Sample, ...]
    error_inputs: Callable[[], Mapping[str, Array]]

    @property
    def c_arguments(self) -> dict[str, int]:
        """C names of the arguments with their sizes."""
        sizes = self.job.input_sizes()
        return dict(zip(argument_names(self.graph, sizes), sizes.values(), strict=True))

    @property
    def controller_notes(self) -> list[str]:
        """Return notes on a controller: its entries in order, its initial states, its period."""
        if not isinstance(self.request.function, LawController):
            return []
        law = self.request.function.law
        notes = [f"{name}: {listed_names(entries)}." for name, entries in law.references.items()]
        notes.append(f"out: {listed_names([*law.outputs, *(f'next {x.name}' for x in law.states)])}.")
        if law.states:
            notes.append(f"initial states: {listed_names(f'{x.name} {x.initial!r}' for x in law.states)}.")
        return notes if law.period is None else [*notes, f"Call it every {law.period!r} s."]

    @property
    def operation_count(self) -> OperationCount:
        """Operation count of every call."""
        needed = needed_nodes(self.graph)
        return Graph(tuple(node for k, node in enumerate(self.graph.nodes) if k in needed), ()).operation_count

    @property
    def float_error(self) -> FloatError:
        """Its error in single precision."""
        return float_error(self.graph, self.error_inputs())

    def source_text(self, real: RealType) -> str:
        """Its C source."""
        return c_source(self.graph, self.name, self.job.input_sizes(), len(self.graph.outputs), real)


def traced_functions(
    prefix: str, robot: RobotOrMech, functions: Sequence[Any], parameters: Sequence[str]
) -> list[TracedFunction]:
    """Return all functions of a package, with unique names."""
    requests = [_with_law(read_function(function), robot) for function in functions]
    if not requests:
        raise InputError(f"{C_EXPORT_CALLER}: functions= is empty. Name at least one, such as 'inverse_dynamics'.")
    names = c_identifiers([f"{prefix}_{request.package_title}" for request in requests])
    return [_trace_function(name, request, robot, parameters) for name, request in zip(names, requests, strict=True)]


def _trace_function(name: str, request: CFunction, robot: RobotOrMech, parameters: Sequence[str]) -> TracedFunction:
    job = request.trace_job(robot, parameters)
    samples = _stored_samples(job, robot, parameters)
    error_inputs = partial(_error_inputs, job, robot, parameters)
    return TracedFunction(name, request, job, trace_graph(job), samples, error_inputs)


def _error_inputs(job: TraceJob, robot: RobotOrMech, parameters: Sequence[str]) -> dict[str, Array]:
    """Return inputs over the range of the robot; of closed loops those of the self-test, which keep them closed."""
    rng = np.random.default_rng(len(job.program.name) + 1)
    inputs = states_in_range(robot, job.input_sizes(), rng)
    count = len(next(iter(inputs.values())))
    if isinstance(job.mech, ClosedMechanism) and "q" in inputs:
        inputs["q"] = _closed_configurations(job.mech, rng, count)
    return inputs | _parameter_values(robot, parameters, rng, count)


def _closed_configurations(mech: ClosedMechanism, rng: np.random.Generator, count: int) -> Array:
    steps = rng.uniform(-SELF_TEST_STEP, SELF_TEST_STEP, (count, mech.n))
    return np.asarray(closed_integral(mech, mech.reference, steps))


def _parameter_values(
    robot: RobotOrMech, parameters: Sequence[str], rng: np.random.Generator, count: int
) -> dict[str, Array]:
    """Return the parameters within 10 % of the robot's values; empty if there are none."""
    nominal = np.array([nominal_value(robot, path) for path in parameters])
    return {PARAMETERS_INPUT: nominal * rng.uniform(0.9, 1.1, (count, len(parameters)))} if parameters else {}


def _stored_samples(job: TraceJob, robot: RobotOrMech, parameters: Sequence[str]) -> tuple[Sample, ...]:
    """Return random inputs and the results of the recursion itself, not of the C text.

    Derivatives and functions with parameters are evaluated by CasADi, without checks of parts.
    """
    rng = np.random.default_rng(len(job.program.name))
    inputs = {name: rng.uniform(-1.5, 1.5, (SELF_TEST_STATES, size)) for name, size in job.input_sizes().items()}
    if isinstance(job.mech, ClosedMechanism) and "q" in inputs:
        inputs["q"] = _closed_configurations(job.mech, rng, SELF_TEST_STATES)
    inputs |= _parameter_values(robot, parameters, rng, SELF_TEST_STATES)
    states = [{name: x[k] for name, x in inputs.items()} for k in range(SELF_TEST_STATES)]
    results = [evaluate_job(job, state).ravel() for state in states]
    pairs = zip(states, results, strict=True)
    return tuple(({name: x.tolist() for name, x in state.items()}, result.tolist()) for state, result in pairs)
