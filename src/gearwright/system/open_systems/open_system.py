"""A machine with its laws, open to the outside: named states, inputs and parameters.

For whoever runs it elsewhere: rates in CasADi, C on a controller, a state space, an FMU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from gearwright.algebra import Scalar
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import LawChoice, choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import motors_of
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.mechanism.rows import along
from gearwright.parts import Robot, with_parameters
from gearwright.system.system import System
from gearwright.text import did_you_mean
from gearwright.tracing.parameters import machine_with, nominal
from gearwright.tracing.recipe import free_parameters

TORQUE, MOTOR_TORQUE = "tau.", "motor_torque."
KINDS = ("torque", "motor_torque", "voltage")

Made = Callable[[RobotOrMech, Mechanism], tuple[Law, ...]]
"""(robot or machine, its machine) -> laws."""


@dataclass(frozen=True)
class OpenSystem:
    """A machine with its laws, and what the outside may give.

    Args:
        source: the robot or machine that it is made of.
        system: the machine and its laws, with the numbers of the source.
        inputs: what u holds: `tau.<speed>`, `motor_torque.<actuator>`, and inputs of laws such as `j1.voltage`.
        parameters: paths of the numbers that are inputs.
        laws: makes the laws of a source with other numbers.
    """

    source: RobotOrMech
    system: System
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    laws: Made

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states."""
        return states_of(self.system)

    @property
    def nominal(self) -> tuple[float, ...]:
        """The parameters' values in the source."""
        return tuple(nominal(self.source, path) for path in self.parameters)

    def having(self, values: Sequence[Scalar]) -> System:
        """The system with other values (of any kind) of the parameters; machine and laws follow them."""
        given = dict(zip(self.parameters, values, strict=True))
        if not given:
            return self.system
        source: RobotOrMech
        if isinstance(self.source, Robot):
            source = with_parameters(self.source, given)
            mech = machine_of("rates", source)
        else:
            source = mech = machine_with(self.source, given)
        return System(mech, self.laws(source, mech))

    def all_inputs(self, here: System, u: Sequence[Scalar]) -> list[Scalar]:
        """The inputs of a system, [tau, inputs of laws], from those that are given; others rest at their start."""
        return all_inputs(here, self.inputs, u)


def open_system(
    caller: str,
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
    *,
    smooth: bool,
) -> OpenSystem:
    """A robot or machine with its laws.

    Args:
        caller: what the user called, for messages.
        robot_or_mech: a robot, whose file states laws, or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws.
        parameters: paths of numbers that are inputs; laws of the file follow them.
        laws: laws instead of those of the robot, with their numbers as they are; a warning names what is left out.
        extra_laws: laws beside those of the robot, with their numbers as they are.
        smooth: laws of the file without modes.
    """
    mech, names = machine_of(caller, robot_or_mech, "rates"), _input_names(caller, robot_or_mech, inputs)
    if not mech.n:
        raise InputError(f"{caller}: the machine has no speeds, so nothing moves. Give one with a joint.")
    asked = [name for name in names if not name.startswith((TORQUE, MOTOR_TORQUE))]
    extra, given = tuple(extra_laws), None if laws is None else tuple(laws)

    def chosen(source: RobotOrMech, machine: Mechanism) -> LawChoice:
        own = partial(laws_of, mech=machine, inputs=asked, smooth=smooth)
        return choose_laws(caller, source, given, extra, own)

    def made(source: RobotOrMech, machine: Mechanism) -> tuple[Law, ...]:
        return chosen(source, machine).laws

    system = System(mech, chosen(robot_or_mech, mech).warned(caller))
    for name in names:
        _require_known(caller, system, name)
    return OpenSystem(robot_or_mech, system, names, free_parameters(caller, robot_or_mech, parameters), made)


def states_of(system: System) -> tuple[str, ...]:
    """The names of the states: `q.<coordinate>`, `v.<speed>`, and those of the laws."""
    mech = system.mech
    return (*(f"q.{x}" for x in mech.coordinates), *(f"v.{x}" for x in mech.speeds), *system.states)


def _input_names(caller: str, robot_or_mech: RobotOrMech, inputs: str | Iterable[str]) -> tuple[str, ...]:
    mech = machine_of(caller, robot_or_mech, "rates")
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
