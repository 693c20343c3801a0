"""A machine with its laws as an open system: named states, inputs and parameters.

It is the basis of exports: rates in CasADi, C code for a controller, a state space, an FMU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gearwright.algebra import Scalar
from gearwright.errors import InputError
from gearwright.forces import Law
from gearwright.forces.contact.contacts_of_robot import without_loops
from gearwright.forces.laws_of_robot import LawChoice, choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import robot_motors
from gearwright.mechanism import Mechanism, RobotOrMech, row_dot, tree_of
from gearwright.parts import Robot, with_parameters
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.system.system import System
from gearwright.text import did_you_mean
from gearwright.tracing.parameters import machine_with_values, nominal_value
from gearwright.tracing.recipe import free_parameters

TORQUE_PREFIX, MOTOR_TORQUE_PREFIX = "tau.", "motor_torque."
OPEN_INPUT_KINDS = ("torque", "motor_torque", "voltage")

LawFactory = Callable[[RobotOrMech, Mechanism], tuple[Law, ...]]
"""(robot or machine, its machine) -> laws."""


@dataclass(frozen=True)
class OpenSystem:
    """A machine with its laws, its inputs and its parameters.

    Args:
        source: the robot or machine.
        system: the machine and its laws, with the numbers of the source.
        inputs: entries of u: `tau.<speed>`, `motor_torque.<actuator>`, and inputs of laws such as `j1.voltage`.
        parameters: paths of the parameters that are inputs.
        laws: a function that returns the laws of a source with other numbers.
    """

    source: RobotOrMech
    system: System
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    laws: LawFactory

    @property
    def states(self) -> tuple[str, ...]:
        """The names of the states."""
        return state_names(self.system)

    @property
    def nominal_values(self) -> tuple[float, ...]:
        """The parameters' values in the source."""
        return tuple(nominal_value(self.source, path) for path in self.parameters)

    def with_values(self, values: Sequence[Scalar]) -> System:
        """The system with other values (of any kind) of the parameters, in machine and laws."""
        values_by_path = dict(zip(self.parameters, values, strict=True))
        if not values_by_path:
            return self.system
        source: RobotOrMech
        if isinstance(self.source, Robot):
            source = with_parameters(self.source, values_by_path)
            mech = tree_of("rates", source)
        else:
            source = mech = machine_with_values(self.source, values_by_path)
        return replace(self.system.on_machine(mech.tree), laws=self.laws(source, mech.tree))

    def all_inputs(self, system: System, u: Sequence[Scalar]) -> list[Scalar]:
        """The inputs of a system, [tau, inputs of laws], from the given ones; the others keep their defaults."""
        return full_inputs(system, self.inputs, u)


def open_system(
    caller: str,
    robot_or_mech: RobotOrMech,
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
    *,
    smooth: bool,
    embeds_loops: bool = False,
) -> OpenSystem:
    """The open system of a robot or machine with its laws.

    Args:
        caller: the name of the called function, for messages.
        robot_or_mech: a robot with the laws of its file, or a machine.
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws.
        parameters: paths of parameters that are inputs; laws of the file depend on them.
        laws: replacements of the robot's laws, with fixed numbers; a warning names what is left out.
        extra_laws: additional laws, with fixed numbers.
        smooth: laws of the file without modes.
        embeds_loops: closed loops are embedded, and torques are those of independent speeds; otherwise they are laws.
    """
    machine = machine_of(caller, robot_or_mech) if embeds_loops else tree_of(caller, robot_or_mech, "rates")
    mech, names = machine.tree, _input_names(caller, robot_or_mech, machine, inputs)
    if not mech.n:
        raise InputError(f"{caller}: the machine has no speeds (no degrees of freedom). Give one with a joint.")
    law_inputs = [name for name in names if not name.startswith((TORQUE_PREFIX, MOTOR_TORQUE_PREFIX))]
    added_laws, given_laws = tuple(extra_laws), None if laws is None else tuple(laws)

    def law_choice(source: RobotOrMech, machine: Mechanism) -> LawChoice:
        laws_of_source = partial(laws_of, mech=machine, inputs=law_inputs, smooth=smooth)
        return choose_laws(caller, source, given_laws, added_laws, laws_of_source)

    def source_laws(source: RobotOrMech, machine: Mechanism) -> tuple[Law, ...]:
        all_laws = law_choice(source, machine).laws
        return without_loops(robot_or_mech, all_laws) if embeds_loops else all_laws

    acting = law_choice(robot_or_mech, mech).laws_with_warning(caller)
    if embeds_loops:
        acting = without_loops(robot_or_mech, acting)
    system = System(mech, acting, closed=machine if isinstance(machine, ClosedMechanism) else None)
    for name in names:
        _require_input(caller, system, name)
    return OpenSystem(robot_or_mech, system, names, free_parameters(caller, robot_or_mech, parameters), source_laws)


def state_names(system: System) -> tuple[str, ...]:
    """The names of the states: `q.<coordinate>`, `v.<speed>`, and those of the laws."""
    mech = system.mech
    return (*(f"q.{x}" for x in mech.coordinates), *(f"v.{x}" for x in mech.speeds), *system.states)


def _input_names(
    caller: str, robot_or_mech: RobotOrMech, mech: Mechanism, inputs: str | Iterable[str]
) -> tuple[str, ...]:
    if inputs == "torque":
        return tuple(TORQUE_PREFIX + speed for speed in mech.speeds)
    if inputs == "motor_torque":
        names = tuple(MOTOR_TORQUE_PREFIX + actuator.name for actuator in mech.actuators)
    elif inputs == "voltage":
        motors = robot_motors(robot_or_mech) if isinstance(robot_or_mech, Robot) else ()
        names = tuple(f"{title}.voltage" for title, motor in motors if motor.torque_constant and motor.resistance)
    elif isinstance(inputs, str):
        raise InputError(f"{caller}: inputs={inputs!r} is not known. {did_you_mean(inputs, OPEN_INPUT_KINDS)}")
    else:
        names = tuple(inputs)
        if len(set(names)) < len(names):
            raise InputError(f"{caller}: an input is named twice in {', '.join(map(repr, names))}. Name each once.")
        return names
    if not names:
        lack = "actuators" if inputs == "motor_torque" else "motors with torque constant and resistance"
        raise InputError(f"{caller}: inputs={inputs!r} requires {lack}, but there are none. Use 'torque'.")
    return names


def _require_input(caller: str, system: System, name: str) -> None:
    input_names = [
        *(TORQUE_PREFIX + speed for speed in system.mech.speeds),
        *(MOTOR_TORQUE_PREFIX + actuator.name for actuator in system.mech.actuators),
        *system.inputs,
    ]
    if name not in input_names:
        raise InputError(f"{caller}: there is no input {name!r}. {did_you_mean(name, input_names)}")


def full_inputs(system: System, names: Sequence[str], u: Sequence[Scalar]) -> list[Scalar]:
    """The inputs of the system, [tau, inputs of laws], from the given ones."""
    inputs: list[Scalar] = list(system.initial_inputs)
    places = {TORQUE_PREFIX + speed: k for k, speed in enumerate(system.mech.speeds)}
    places |= {name: system.mech.n + k for k, name in enumerate(system.inputs)}
    rows = {MOTOR_TORQUE_PREFIX + actuator.name: actuator.row for actuator in system.mech.actuators}
    for name, value in zip(names, u, strict=True):
        if name in rows:
            for k, factor in enumerate(rows[name]):
                inputs[k] = inputs[k] + row_dot(((0, factor),), (value,))
        else:
            inputs[places[name]] = inputs[places[name]] + value if name.startswith(TORQUE_PREFIX) else value
    return inputs
