"""The motors of a robot as laws: those with a voltage or current reference as input, grouped by supply."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError, InputError
from gearwright.forces.law import Law
from gearwright.forces.motors.motor import Winding
from gearwright.forces.motors.supply_circuit import MotorCircuit
from gearwright.forces.robot_lines import motor_line, robot_motors, supply_of_motor
from gearwright.mechanism import Mechanism
from gearwright.parts import CurrentControl, Motor, Robot, Supply

ALL_MOTORS = "*"
"""Input name that selects every motor with electrical data."""
CURRENT_BANDWIDTH_RATIO = 10.0
"""Default bandwidth of a current controller, relative to R/L of its winding."""


@check_arguments
def motor_laws(robot: Robot, mech: Mechanism, inputs: Collection[str] = (ALL_MOTORS,)) -> tuple[Law, ...]:
    """Return the motors whose inputs are given, one law per supply and one per motor without a supply.

    Args:
        robot: the robot.
        mech: its machine.
        inputs: names of the given inputs: `<drive>.voltage` makes the drive's motor a law with that input,
            `<drive>.current_reference` one with a current controller (its drive's, or one of bandwidth 10 R/L);
            "*": every motor that has a torque constant and a resistance.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link
    >>> motor = Motor(1e-4, torque_constant=0.05, resistance=0.5)
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", motor, Gear(100))])
    >>> (law,) = motor_laws(arm, gw.assemble(arm), ["upper.voltage"])
    >>> law.name, [quantity.name for quantity in law.inputs]
    ('upper.motor', ['upper.voltage'])
    """
    circuits: dict[Supply, list[Winding]] = {}
    single_motors: list[Law] = []
    for winding, supply in _driven_windings(robot, mech, inputs):
        if supply is None:
            single_motors.append(MotorCircuit(f"{winding.drive}.motor", (winding,)))
        else:
            circuits.setdefault(supply, []).append(winding)
    return (*single_motors, *_supply_circuits(circuits))


def _supply_circuits(circuits: dict[Supply, list[Winding]]) -> Iterator[Law]:
    used_names: set[str] = set()
    for supply, windings in circuits.items():
        name = supply.name if supply.name not in used_names else f"{windings[0].drive}.{supply.name}"
        used_names.add(name)
        yield MotorCircuit(name, tuple(windings), supply)


def _driven_windings(robot: Robot, mech: Mechanism, inputs: Collection[str]) -> Iterator[tuple[Winding, Supply | None]]:
    drives = {drive.title: drive for drive in robot.drives}
    for title, motor in robot_motors(robot):
        control = drives[title].current_control if title in drives else None
        input_kind = _driving_input(title, motor, control, inputs)
        if input_kind is None:
            continue
        controller = _current_controller(title, motor, control) if input_kind == "current_reference" else None
        yield Winding(title, motor_line(mech, title), motor, controller), supply_of_motor(robot, title)


def _driving_input(title: str, motor: Motor, control: CurrentControl | None, inputs: Collection[str]) -> str | None:
    """The input that drives a motor; None: its torque is an input."""
    given_inputs = [word for word in ("voltage", "current_reference") if f"{title}.{word}" in inputs]
    if len(given_inputs) > 1:
        raise InputError(f"inputs: both {title}.voltage and {title}.current_reference are given. Give one of them.")
    if given_inputs:
        return given_inputs[0]
    if ALL_MOTORS not in inputs or motor.torque_constant is None or motor.resistance is None:
        return None
    return "voltage" if control is None else "current_reference"


def _current_controller(title: str, motor: Motor, control: CurrentControl | None) -> CurrentControl:
    if control is not None:
        return control
    if not motor.has_inductance or motor.resistance is None:
        raise DriveError(
            f"{title}.current_reference: a current controller requires the inductance and resistance of the motor. "
            f"Give the motor both, or use the input {title}.voltage."
        )
    return CurrentControl(CURRENT_BANDWIDTH_RATIO * motor.resistance / motor.inductance)
