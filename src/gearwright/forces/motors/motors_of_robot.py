"""The motors of a robot as laws: those whose voltage or current reference somebody gives, by supply."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError, InputError
from gearwright.forces.law import Law
from gearwright.forces.motors.motor import Winding
from gearwright.forces.motors.supply_circuit import MotorCircuit
from gearwright.forces.robot_lines import motor_line, motors_of
from gearwright.mechanism import Mechanism
from gearwright.parts import CurrentControl, Motor, Robot, Supply

ALL = "*"
"""Among the inputs: every motor with electrical data is driven."""
PACE = 10.0
"""Bandwidth of a current controller that nobody states, in R/L of its winding."""


@check_arguments
def motor_laws(robot: Robot, mech: Mechanism, inputs: Collection[str] = (ALL,)) -> tuple[Law, ...]:
    """The motors whose inputs are given, one law per supply and one per motor without a supply.

    Args:
        robot: the robot.
        mech: its machine.
        inputs: names of inputs that somebody gives: `<drive>.voltage` makes the drive's motor a law with that input,
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
    alone: list[Law] = []
    for winding, supply in _driven(robot, mech, inputs):
        if supply is None:
            alone.append(MotorCircuit(f"{winding.drive}.motor", (winding,)))
        else:
            circuits.setdefault(supply, []).append(winding)
    return (*alone, *_named(circuits))


def _named(circuits: dict[Supply, list[Winding]]) -> Iterator[Law]:
    taken: set[str] = set()
    for supply, windings in circuits.items():
        name = supply.name if supply.name not in taken else f"{windings[0].drive}.{supply.name}"
        taken.add(name)
        yield MotorCircuit(name, tuple(windings), supply)


def _driven(robot: Robot, mech: Mechanism, inputs: Collection[str]) -> Iterator[tuple[Winding, Supply | None]]:
    drives = {drive.title: drive for drive in robot.drives}
    for title, motor in motors_of(robot):
        control = drives[title].current_control if title in drives else None
        wanted = _wanted(title, motor, control, inputs)
        if wanted is None:
            continue
        own = drives[title].supply if title in drives else None
        controlled = _controller(title, motor, control) if wanted == "current_reference" else None
        yield Winding(title, motor_line(mech, title), motor, controlled), own if own is not None else robot.supply


def _wanted(title: str, motor: Motor, control: CurrentControl | None, inputs: Collection[str]) -> str | None:
    """Which input drives a motor; None: its torque is given directly."""
    named = [word for word in ("voltage", "current_reference") if f"{title}.{word}" in inputs]
    if len(named) > 1:
        raise InputError(f"inputs: both {title}.voltage and {title}.current_reference are given. Give one of them.")
    if named:
        return named[0]
    if ALL not in inputs or motor.torque_constant is None or motor.resistance is None:
        return None
    return "voltage" if control is None else "current_reference"


def _controller(title: str, motor: Motor, control: CurrentControl | None) -> CurrentControl:
    if control is not None:
        return control
    if not motor.has_inductance or motor.resistance is None:
        raise DriveError(
            f"{title}.current_reference: a current controller needs the inductance and resistance of the motor. Give "
            f"the motor both, or give {title}.voltage."
        )
    return CurrentControl(PACE * motor.resistance / motor.inductance)
