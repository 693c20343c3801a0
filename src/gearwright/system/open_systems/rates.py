"""The rates of a machine with its laws as one program of named states, inputs and parameters.

It is the basis of CasADi functions, C code for a controller, and state spaces. The laws are those without modes
(`laws(..., smooth=True)`), because external integrators do not locate events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.closed_loops.closed_dynamics import tree_speeds
from gearwright.dynamics.configuration import coordinate_rates
from gearwright.errors import InputError, NotTraceableError
from gearwright.forces import Law
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs.program import Inputs, Program
from gearwright.system.kernels.motion_rates import motion_field
from gearwright.system.kernels.traced_laws import law_survey
from gearwright.system.open_systems.open_system import open_system, state_names
from gearwright.system.system import System
from gearwright.system.vector_program import vector_program
from gearwright.tracing.symbols import new_symbols, symbol_operations
from gearwright.tracing.trace import PARAMETERS_INPUT, TraceJob


@dataclass(frozen=True)
class OpenRates:
    """x' = f(x, u, parameters) of a machine with its laws.

    Args:
        system: the machine and its laws.
        inputs: entries of u: `tau.<speed>`, `motor_torque.<actuator>`, and inputs of laws such as `j1.voltage`.
        parameters: paths of the parameters that are inputs.
        nominal_values: their values in the robot.
        program: x, u, parameters -> dx.
    """

    system: System
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    nominal_values: tuple[float, ...]
    program: Program

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the entries of x."""
        return state_names(self.system)

    def trace_job(self, wrt: tuple[str, ...] = ()) -> TraceJob:
        """The trace job of the program."""
        return TraceJob(self.program, self.system.mech, {}, wrt=wrt)


def open_rates(
    caller: str,
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
    *,
    embeds_loops: bool = False,
) -> OpenRates:
    """The rates of a robot or machine with its laws.

    Args:
        caller: the name of the called function, for messages.
        robot_or_mech: a robot with the laws of its file, or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws. All others keep their defaults.
        parameters: paths of parameters that are inputs; laws of the file depend on them.
        laws: replacements of the robot's laws, with fixed numbers; a warning names what is left out.
        extra_laws: additional laws.
        embeds_loops: see `open_system`; only the independent speeds of x are used.
    """
    opened = open_system(
        caller, robot_or_mech, inputs, parameters, laws, extra_laws, smooth=True, embeds_loops=embeds_loops
    )
    system, names, paths = opened.system, opened.inputs, opened.parameters
    refuse_laws_with_modes(caller, system)

    def rate_formula(machine: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        current_system = opened.with_values(arguments[PARAMETERS_INPUT]) if paths else system.on_machine(machine)
        x = current_system.motion_of(arguments["x"])
        a, law_rates = motion_field(current_system, ops, work=False)(
            0.0, x, opened.all_inputs(current_system, arguments.get("u", ()))
        )
        v = tree_speeds(current_system.closed or current_system.mech, x.q, x.v, ops)
        return [*coordinate_rates(current_system.mech, x.q, v, ops), *a, *law_rates]

    contents = {"x": system.law_slice.stop, "u": len(names), PARAMETERS_INPUT: len(paths)}
    contents = {name: size for name, size in contents.items() if size}
    program = vector_program("rates", contents, system.law_slice.stop, rate_formula)
    legend = {"x": state_names(system), "u": names, PARAMETERS_INPUT: paths}
    program = replace(program, names=legend, parts=lambda _: {"dx": (system.law_slice.stop,)})
    return OpenRates(system, names, paths, opened.nominal_values, program)


class _NoTime:
    """A placeholder for time: a law that computes with it is an error."""

    def _refuse_time_use(self, *_: object) -> NoReturn:
        raise NotTraceableError("it depends on time")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse_time_use
    __neg__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __bool__ = _refuse_time_use
    sx = property(_refuse_time_use)


def refuse_laws_with_modes(caller: str, system: System) -> None:
    """Raise an error for laws that have modes, holds or drags, or depend on time."""
    survey = law_survey(system)
    for obstacle in survey.obstacles:
        raise InputError(f"{caller}: {obstacle}")
    holding, dragging = ({choice[0] for choice, _ in ties} for ties in (survey.holds, survey.drags))
    for k, law in enumerate(system.laws):
        if len(law.modes) > 1:
            raise _open_rates_error(caller, law, f"it has the modes {', '.join(law.modes)}")
        if k in holding:
            raise _open_rates_error(caller, law, "it is a constraint at this state")
        if k in dragging:
            raise _open_rates_error(caller, law, "its forces depend on the accelerations")
        _refuse_time(caller, system, k)


def _refuse_time(caller: str, system: System, k: int) -> None:
    x, time = system.motion_of(new_symbols("x", system.law_slice.stop)), _NoTime()
    law, situation = (
        system.laws[k],
        system.law_situations(symbol_operations(), time, x, new_symbols("u", system.input_size))[k],
    )
    try:
        for line in law.act(law.modes[0], situation).placed_in(situation.kinematics).acting_lines:
            _ = line.terms
    except NotTraceableError as obstacle:
        raise _open_rates_error(caller, law, str(obstacle)) from None


def _open_rates_error(caller: str, law: Law, reason: str) -> InputError:
    return InputError(
        f"{caller}: law {law.name!r} cannot be written as an ordinary differential equation: {reason}. Give laws= "
        "without it, or use gw.simulate, which supports it."
    )
