"""The rates of a machine with its laws as one program of named states, inputs and parameters.

For whoever integrates, plans or linearises outside: CasADi, C on a controller, a state space. The laws are those
without modes (`laws(..., smooth=True)`), because outside nobody looks for events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.configuration import rate
from gearwright.errors import InputError, NotTraceableError
from gearwright.forces.law import Law
from gearwright.forces.of_robot import laws as laws_of
from gearwright.forces.places import motors_of
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.mechanism.rows import along
from gearwright.parts import Robot
from gearwright.parts.paths import with_parameters
from gearwright.programs.program import Inputs, Program
from gearwright.system.law_kernels import surveyed
from gearwright.system.system import System
from gearwright.system.unheld_motion import field_of
from gearwright.system.vector_program import vector_program
from gearwright.text import did_you_mean
from gearwright.tracing.machine_parameters import machine_with, nominal
from gearwright.tracing.recipe import free_parameters
from gearwright.tracing.symbols import operations, symbols
from gearwright.tracing.trace import PARAMETERS, TraceJob

TORQUE, MOTOR_TORQUE = "tau.", "motor_torque."
KINDS = ("torque", "motor_torque", "voltage")


@dataclass(frozen=True)
class OpenRates:
    """x' = f(x, u, parameters) of a machine with its laws.

    Args:
        system: the machine and its laws.
        inputs: what u holds: `tau.<speed>`, `motor_torque.<actuator>`, and inputs of laws such as `j1.voltage`.
        parameters: paths of the numbers that are inputs.
        nominal: their values in the robot.
        program: x, u, parameters -> dx.
    """

    system: System
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    nominal: tuple[float, ...]
    program: Program

    @property
    def states(self) -> tuple[str, ...]:
        """What x holds."""
        return states_of(self.system)

    def job(self, wrt: tuple[str, ...] = ()) -> TraceJob:
        """What to trace."""
        return TraceJob(self.program, self.system.mech, {}, wrt=wrt)


def open_rates(
    caller: str,
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
) -> OpenRates:
    """The rates of a robot or machine with its laws.

    Args:
        caller: what the user called, for messages.
        robot_or_mech: a robot, whose file states laws, or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws. All others rest at their start.
        parameters: paths of numbers that are inputs; laws of the file follow them.
        laws: other laws than those of the file, with their numbers as they are.
    """
    mech, names = machine_of(caller, robot_or_mech), _input_names(caller, robot_or_mech, inputs)
    made = _laws_with(robot_or_mech, names, None if laws is None else tuple(laws))
    system = System(mech, made(robot_or_mech, mech))
    refuse_laws_with_modes(caller, system)
    for name in names:
        _require_known(caller, system, name)
    paths = free_parameters(caller, robot_or_mech, parameters)

    def rates(machine: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        here = system.on(machine)
        if paths:
            here = _with_parameters(robot_or_mech, dict(zip(paths, given[PARAMETERS], strict=True)), made)
        x = here.moving(given["x"])
        a, rest = field_of(here, ops, work=False)(0.0, x, all_inputs(here, names, given.get("u", ())))
        return [*rate(here.mech, x.q, x.v, ops), *a, *rest]

    contents = {"x": system.own.stop, "u": len(names), PARAMETERS: len(paths)}
    contents = {name: size for name, size in contents.items() if size}
    program = vector_program("rates", contents, system.own.stop, rates)
    legend = {"x": states_of(system), "u": names, PARAMETERS: paths}
    program = replace(program, names=legend, parts=lambda _: {"dx": (system.own.stop,)})
    return OpenRates(system, names, paths, tuple(nominal(robot_or_mech, path) for path in paths), program)


def states_of(system: System) -> tuple[str, ...]:
    """The names of the states: `q.<coordinate>`, `v.<speed>`, and those of the laws."""
    mech = system.mech
    return (*(f"q.{x}" for x in mech.coordinates), *(f"v.{x}" for x in mech.speeds), *system.states)


def full_laws(
    caller: str, robot_or_mech: RobotOrMech, inputs: str | Iterable[str], laws: Iterable[Law] | None
) -> tuple[System, tuple[str, ...]]:
    """The machine with its laws as they are, modes included, and the names of the inputs."""
    mech, names = machine_of(caller, robot_or_mech), _input_names(caller, robot_or_mech, inputs)
    made = _laws_with(robot_or_mech, names, None if laws is None else tuple(laws), smooth=False)
    return System(mech, made(robot_or_mech, mech)), names


Made = Callable[[RobotOrMech, Mechanism], tuple[Law, ...]]
"""(robot or machine, its machine) -> laws."""


def _laws_with(
    robot_or_mech: RobotOrMech, names: Sequence[str], given: tuple[Law, ...] | None, smooth: bool = True
) -> Made:
    asked = [name for name in names if not name.startswith((TORQUE, MOTOR_TORQUE))]
    if given is None and isinstance(robot_or_mech, Robot):
        return lambda robot, mech: laws_of(robot, mech, asked, smooth=smooth)  # type: ignore[arg-type]
    return lambda _robot, _mech: given or ()


def _with_parameters(robot_or_mech: RobotOrMech, values: Mapping[str, Scalar], made: Made) -> System:
    if isinstance(robot_or_mech, Robot):
        robot_or_mech = with_parameters(robot_or_mech, values)
        mech = machine_of("rates", robot_or_mech)
    else:
        robot_or_mech = mech = machine_with(robot_or_mech, values)
    return System(mech, made(robot_or_mech, mech))


def _input_names(caller: str, robot_or_mech: RobotOrMech, inputs: str | Iterable[str]) -> tuple[str, ...]:
    mech = machine_of(caller, robot_or_mech)
    if inputs == "torque":
        return tuple(TORQUE + speed for speed in mech.speeds)
    if inputs == "motor_torque":
        names = tuple(MOTOR_TORQUE + actuator.name for actuator in mech.actuators)
    elif inputs == "voltage":
        motors = motors_of(robot_or_mech) if isinstance(robot_or_mech, Robot) else ()
        names = tuple(f"{title}.voltage" for title, motor in motors if motor.torque_constant and motor.resistance)
    elif isinstance(inputs, str):
        raise InputError(f"{caller}: inputs={inputs!r} is not known. {did_you_mean(inputs, KINDS)}")
    else:
        names = tuple(inputs)
        if len(set(names)) < len(names):
            raise InputError(f"{caller}: an input is named twice in {', '.join(map(repr, names))}. Name each once.")
        return names
    if not names:
        lack = "actuators" if inputs == "motor_torque" else "motors with torque constant and resistance"
        raise InputError(f"{caller}: there are no {lack}, so there is nothing to drive by {inputs}. Use 'torque'.")
    return names


def _require_known(caller: str, system: System, name: str) -> None:
    known = [
        *(TORQUE + speed for speed in system.mech.speeds),
        *(MOTOR_TORQUE + actuator.name for actuator in system.mech.actuators),
        *system.inputs,
    ]
    if name not in known:
        raise InputError(f"{caller}: there is no input {name!r}. {did_you_mean(name, known)}")


def all_inputs(system: System, names: Sequence[str], u: Sequence[Scalar]) -> list[Scalar]:
    """The inputs of the system, [tau, inputs of laws], from those that are given."""
    full: list[Scalar] = list(system.first_inputs)
    places = {TORQUE + speed: k for k, speed in enumerate(system.mech.speeds)}
    places |= {name: system.mech.n + k for k, name in enumerate(system.inputs)}
    rows = {MOTOR_TORQUE + actuator.name: actuator.row for actuator in system.mech.actuators}
    for name, value in zip(names, u, strict=True):
        if name in rows:
            for k, factor in enumerate(rows[name]):
                full[k] = full[k] + along(((0, factor),), (value,))
        else:
            full[places[name]] = full[places[name]] + value if name.startswith(TORQUE) else value
    return full


class _NoTime:
    """Time where there is none: a law that computes with it is refused."""

    def _refuse(self, *_: object) -> NoReturn:
        raise NotTraceableError("it depends on time")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __neg__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = __float__ = __bool__ = _refuse
    sx = property(_refuse)


def refuse_laws_with_modes(caller: str, system: System) -> None:
    """Only laws of one mode that act by forces, without looking at the time, become plain rates."""
    found = surveyed(system)
    for obstacle in found.obstacles:
        raise InputError(f"{caller}: {obstacle}")
    holding, dragging = ({choice[0] for choice, _ in ties} for ties in (found.holds, found.drags))
    for k, law in enumerate(system.laws):
        if len(law.modes) > 1:
            raise _unfit(caller, law, f"it has the modes {', '.join(law.modes)}")
        if k in holding:
            raise _unfit(caller, law, "it holds something still here")
        if k in dragging:
            raise _unfit(caller, law, "its forces depend on the accelerations")
        _refuse_time(caller, system, k)


def _refuse_time(caller: str, system: System, k: int) -> None:
    x, time = system.moving(symbols("x", system.own.stop)), _NoTime()
    law, situation = system.laws[k], system.situations(operations(), time, x, symbols("u", system.input_size))[k]
    try:
        for line in law.act(law.modes[0], situation).placed(situation.scene).lines:
            _ = line.terms
    except NotTraceableError as obstacle:
        raise _unfit(caller, law, str(obstacle)) from None


def _unfit(caller: str, law: Law, why: str) -> InputError:
    return InputError(
        f"{caller}: law {law.name!r} cannot be part of plain rates: {why}. Give laws= without it (and know what is "
        "left out), or use gw.simulate, which takes it as it is."
    )
