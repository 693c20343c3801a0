"""Outputs through the drive model: forces as motor torques, currents or voltages; and servos that files state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_function, numbers
from gearwright.arrays import Array
from gearwright.control.joint_side import Rows, product, sparse
from gearwright.control.references import asked_reference
from gearwright.control.wrapped_law import Wrapped, continuous_law
from gearwright.errors import InputError
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.cords.cords_of_robot import cord_line
from gearwright.forces.law import Quantity
from gearwright.forces.robot_lines import motors_of
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.actuation import actuator_redundancy, motor_shares
from gearwright.mechanism import Mechanism, assemble
from gearwright.mechanism.rows import along
from gearwright.parts import Cord, Robot, Servo
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement, decided
from gearwright.system.controllers.law_controller import FORCE, LawController, law_controller
from gearwright.text import did_you_mean, listed

INPUTS = {"motor_torque": "torque", "current": "current_reference", "voltage": "voltage"}
"""What motors may be driven by, and what their input is then called."""


@dataclass(frozen=True)
class ThroughDrives(Wrapped):
    """A law's forces as torques, currents or voltages of the motors: i = torque / K, u = R i + K w."""

    kind: str = "motor_torque"
    motors: tuple[str, ...] = ()
    shares: Rows = ()
    constants: tuple[float, ...] = ()
    resistances: tuple[float, ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """The inputs of the motors."""
        return tuple(f"{motor}.{INPUTS[self.kind]}" for motor in self.motors)

    @cached_property
    def _rows(self) -> dict[str, tuple[tuple[int, Scalar], ...]]:
        return {one.name: tuple((k, x) for k, x in enumerate(one.row) if x) for one in self.mech.actuators}

    def decide(self, measured: Measurement) -> Decision:
        """The law's decision, at the motors."""
        decision = decided(self.inner, measured)
        torques = product(self.shares, decision.outputs)
        if self.kind == "motor_torque":
            return replace(decision, outputs=torques)
        currents = [torque / K for torque, K in zip(torques, self.constants, strict=True)]
        if self.kind == "current":
            return replace(decision, outputs=currents)
        data = zip(self.motors, currents, self.constants, self.resistances, strict=True)
        return replace(decision, outputs=[R * i + K * along(self._rows[name], measured.v) for name, i, K, R in data])


@check_arguments
def through_drives(controller: LawController, robot: Robot, output: str) -> LawController:
    r"""The same controller, its forces given by the motors: as torques, currents or voltages.

    Motor torques follow from the forces by the gears (the smallest where motors share the work); $i = \tau_m / K$;
    $u = R i + K \omega$. The inductance ($L\,di/dt$) is left out of the voltage, as are friction and losses on the way.
    The laws of the motors (`simulate` adds them) do the rest, with their limits.

    Args:
        controller: a continuous controller of `gw.control` that puts out forces.
        robot: the robot, whose motors have a torque constant and, for voltages, a resistance.
        output: "motor_torque", "current" or "voltage".
    """
    caller = "control.through_drives"
    law = continuous_law(caller, controller)
    if output not in INPUTS:
        raise InputError(f"{caller}: output={output!r} is not known. {did_you_mean(output, INPUTS)}")
    if not isinstance(robot, Robot):
        raise InputError(f"{caller}: a {type(robot).__name__} has no motors with data. Give the robot.")
    if not all(name.startswith(FORCE) for name in law.outputs):
        raise InputError(f"{caller}: the controller puts out {listed(law.outputs)} already. Give one of forces.")
    _require_driven(caller, law)
    at = [law.mech.speeds.index(name.removeprefix(FORCE)) for name in law.outputs]
    shares = motor_shares(law.mech)
    names = tuple(shares)
    needed = {"motor_torque": (), "current": ("torque_constant",), "voltage": ("torque_constant", "resistance")}[output]
    data = [_numbers(caller, robot, names, word) for word in needed]
    rows = sparse(np.array([shares[name][at] for name in names]))
    made = ThroughDrives(law.mech, law, output, names, rows, *data)
    return law_controller(made, controller.follow, controller.breaks)


def _require_driven(caller: str, law: ControlLaw) -> None:
    """Every force that the law puts out must be one that motors give."""
    mech = law.mech
    if not mech.actuators:
        raise InputError(f"{caller}: the machine has no motors. Give drives to the robot.")
    missing = actuator_redundancy(mech).missing
    for name in law.outputs:
        if np.abs(missing[mech.speeds.index(name.removeprefix(FORCE))]).max(initial=0.0) > 1e-9:
            raise InputError(f"{caller}: motors do not give {name} on its own. Give every joint a motor.")


def _numbers(caller: str, robot: Robot, names: tuple[str, ...], word: str) -> tuple[float, ...]:
    motors = dict(motors_of(robot))
    found = []
    for name in names:
        value = getattr(motors.get(name), word, None)
        if value is None or not is_number(value) or not value:
            raise InputError(f"{caller}: motor {name!r} has no {word}. Give it one, or use 'motor_torque'.")
        found.append(float(value))
    return tuple(found)


@dataclass(frozen=True)
class Servos(ControlLaw):
    """The servos of a robot: torque = g u + o - kp angle - kv speed, cut, with a filter of the input where stated."""

    mech: Mechanism
    servos: tuple[tuple[str, Servo], ...]
    cords: tuple[Cord, ...] = ()

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "servos"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The motors' torques."""
        return tuple(f"{motor}.torque" for motor, _ in self.servos)

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """The inputs of the servos."""
        return {"command": tuple(motor for motor, _ in self.servos)}

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The filtered inputs of servos with a time constant."""
        return tuple(Quantity(f"{motor}.command", "") for motor, one in self.servos if one.time_constant)

    def decide(self, measured: Measurement) -> Decision:
        """Servo by servo."""
        held, outputs, rates = iter(measured.states), [], []
        for (motor, servo), command in zip(self.servos, measured.reference["command"], strict=True):
            u = _within(command, servo.input, measured.ops)
            if servo.time_constant:
                filtered = next(held)
                rates.append((u - filtered) / servo.time_constant)
                u = filtered
            torque = servo.input_gain * u + servo.offset
            angle, speed = self._shaft(motor, measured)
            torque = torque - servo.kp * angle - servo.kv * speed
            outputs.append(_within(torque, servo.torque, measured.ops))
        return Decision(outputs, rates=rates)

    def _shaft(self, motor: str, measured: Measurement) -> tuple[Scalar, Scalar]:
        """Angle and speed of a motor's shaft; along a cord they bend with the joints."""
        if motor in self._cords:
            here = self._cords[motor].placed(Scene(self.mech, measured.q, measured.v, measured.ops))
            return here.position(measured.q), here.speed(measured.v)
        row = self._rows[motor]
        return along(row, measured.q), along(row, measured.v)

    @cached_property
    def _rows(self) -> dict[str, tuple[tuple[int, Scalar], ...]]:
        return {one.name: tuple((k, x) for k, x in enumerate(one.row) if x) for one in self.mech.actuators}

    @cached_property
    def _cords(self) -> dict[str, Coordinate]:
        return {cord.name: cord_line(self.mech, cord, cord.ratio) for cord in self.cords}


def _within(x: Scalar, span: tuple[float, float] | None, ops: Operations) -> Scalar:
    return x if span is None else ops.maximum(span[0], ops.minimum(x, span[1]))


@check_arguments
def servos(robot: Robot, command: Any) -> LawController:
    """The position and speed servos that a robot's file states (those of MJCF), as a controller.

    Args:
        robot: the robot; drives, tendons or cords without a servo are left alone.
        command: inputs of the servos in order (a position servo's is the motor's angle, ratio times the joint's): the
            numbers, or a function of time that returns them.
    """
    caller = "control.servos"
    if not isinstance(robot, Robot):
        raise InputError(f"{caller}: a {type(robot).__name__} has no servos. Give a robot.")
    stated = [(drive.title, drive.servo) for drive in robot.drives if drive.servo is not None]
    stated += [(tendon.name, tendon.servo) for tendon in robot.tendons if tendon.servo is not None]
    cords = tuple(cord for cord in robot.cords if cord.servo is not None)
    stated += [(cord.name, cord.servo) for cord in cords if cord.servo is not None]
    if not stated:
        raise InputError(f"{caller}: robot {robot.name!r} states no servo. Give its drives servos, or use pd.")
    mech = assemble(robot)
    if not mech.straight:
        raise InputError(f"{caller}: servos on machines with free, spherical or planar joints are not supported.")
    count = len(stated)
    if is_function(command):
        source = asked_reference(caller, lambda t: (command(t),), [count], ("command",))
    else:
        row = numbers(caller, "command", command)
        if row.shape != (count,):
            raise InputError(f"{caller}: command has shape {row.shape}; give {count}: {listed(x for x, _ in stated)}.")

        def source(t: Array) -> Array:
            return np.tile(row, (len(t), 1))

    return law_controller(Servos(mech, tuple(stated), cords), source)
