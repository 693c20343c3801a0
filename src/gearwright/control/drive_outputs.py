"""Outputs through the drive model: forces as motor torques, currents or voltages; and servos of robot files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import is_function, number_array
from gearwright.arrays import Array
from gearwright.control.joint_side import SparseRows, sparse_product, sparse_rows
from gearwright.control.references import function_reference
from gearwright.control.wrapped_law import WrappedLaw, continuous_law
from gearwright.errors import InputError
from gearwright.forces import Coordinate, Quantity
from gearwright.forces.cords.cords_of_robot import cord_line
from gearwright.forces.robot_lines import robot_motors
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions.actuation import actuator_redundancy, motor_shares
from gearwright.mechanism import Mechanism, assemble_tree, row_dot
from gearwright.parts import Cord, Robot, Servo
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import FORCE_OUTPUT_PREFIX, LawController, law_controller
from gearwright.text import did_you_mean, listed_names

MOTOR_INPUTS = {"motor_torque": "torque", "current": "current_reference", "voltage": "voltage"}
"""Kinds of motor inputs, and the name of the input."""


@dataclass(frozen=True)
class MotorOutputLaw(WrappedLaw):
    """A law's forces as torques, currents or voltages of the motors: i = torque / K, u = R i + K w."""

    output_kind: str = "motor_torque"
    motors: tuple[str, ...] = ()
    share_rows: SparseRows = ()
    constants: tuple[float, ...] = ()
    resistances: tuple[float, ...] = ()

    @property
    def outputs(self) -> tuple[str, ...]:
        """The inputs of the motors."""
        return tuple(f"{motor}.{MOTOR_INPUTS[self.output_kind]}" for motor in self.motors)

    @cached_property
    def _actuator_terms(self) -> dict[str, tuple[tuple[int, Scalar], ...]]:
        return {
            actuator.name: tuple((k, x) for k, x in enumerate(actuator.row) if x) for actuator in self.mech.actuators
        }

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs as inputs of the motors."""
        decision = checked_decision(self.inner, measured)
        torques = sparse_product(self.share_rows, decision.outputs)
        if self.output_kind == "motor_torque":
            return replace(decision, outputs=torques)
        currents = [torque / K for torque, K in zip(torques, self.constants, strict=True)]
        if self.output_kind == "current":
            return replace(decision, outputs=currents)
        data = zip(self.motors, currents, self.constants, self.resistances, strict=True)
        return replace(
            decision, outputs=[R * i + K * row_dot(self._actuator_terms[name], measured.v) for name, i, K, R in data]
        )


@check_arguments
def with_motor_outputs(controller: LawController, robot: Robot, output: str) -> LawController:
    r"""Return the controller with its forces produced by the motors: as torques, currents or voltages.

    Motor torques follow from the forces by the gears (least-norm torques of redundant motors); $i = \tau_m / K$;
    $u = R i + K \omega$. The voltage neglects the inductance ($L\,di/dt$), friction and losses. The laws of the motors
    (`simulate` adds them) apply, with their limits.

    Args:
        controller: a continuous controller of `gw.control` with forces as outputs.
        robot: the robot, whose motors have a torque constant and, for voltages, a resistance.
        output: "motor_torque", "current" or "voltage".
    """
    caller = "control.with_motor_outputs"
    law = continuous_law(caller, controller)
    if output not in MOTOR_INPUTS:
        raise InputError(f"{caller}: output={output!r} is unknown. {did_you_mean(output, MOTOR_INPUTS)}")
    if not isinstance(robot, Robot):
        raise InputError(f"{caller}: a {type(robot).__name__} has no motor data. Give the robot.")
    if not all(name.startswith(FORCE_OUTPUT_PREFIX) for name in law.outputs):
        raise InputError(
            f"{caller}: the outputs of the controller are {listed_names(law.outputs)} already. Give a controller with "
            "forces as outputs."
        )
    _require_motor_forces(caller, law)
    force_indices = [law.mech.speeds.index(name.removeprefix(FORCE_OUTPUT_PREFIX)) for name in law.outputs]
    shares = motor_shares(law.mech)
    names = tuple(shares)
    needed_fields = {"motor_torque": (), "current": ("torque_constant",), "voltage": ("torque_constant", "resistance")}[
        output
    ]
    data = [_motor_values(caller, robot, names, word) for word in needed_fields]
    rows = sparse_rows(np.array([shares[name][force_indices] for name in names]))
    wrapped_law = MotorOutputLaw(law.mech, law, output, names, rows, *data)
    return law_controller(wrapped_law, controller.follow, controller.breaks)


def _require_motor_forces(caller: str, law: ControlLaw) -> None:
    """Raise an error if the motors cannot produce a force of the law."""
    mech = law.mech
    if not mech.actuators:
        raise InputError(f"{caller}: the machine has no motors. Add drives to the robot.")
    missing = actuator_redundancy(mech).missing
    for name in law.outputs:
        if np.abs(missing[mech.speeds.index(name.removeprefix(FORCE_OUTPUT_PREFIX))]).max(initial=0.0) > 1e-9:
            raise InputError(f"{caller}: the motors cannot produce {name} independently. Give every joint a motor.")


def _motor_values(caller: str, robot: Robot, names: tuple[str, ...], field_name: str) -> tuple[float, ...]:
    motors = dict(robot_motors(robot))
    values = []
    for name in names:
        value = getattr(motors.get(name), field_name, None)
        if value is None or not is_number(value) or not value:
            raise InputError(f"{caller}: motor {name!r} has no {field_name}. Give it one, or use 'motor_torque'.")
        values.append(float(value))
    return tuple(values)


@dataclass(frozen=True)
class ServoLaw(ControlLaw):
    """The servos of a robot: torque = g u + o - kp angle - kv speed, saturated, with an input filter if stated."""

    mech: Mechanism
    servos: tuple[tuple[str, Servo], ...]
    cords: tuple[Cord, ...] = ()

    @property
    def name(self) -> str:
        """Name of the kernel and of the C function."""
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
        return tuple(Quantity(f"{motor}.command", "") for motor, servo in self.servos if servo.time_constant)

    def decide(self, measured: Measurement) -> Decision:
        """Return the torque of every servo."""
        filter_states, outputs, rates = iter(measured.states), [], []
        for (motor, servo), command in zip(self.servos, measured.reference["command"], strict=True):
            u = _clip_to_range(command, servo.input, measured.ops)
            if servo.time_constant:
                filtered = next(filter_states)
                rates.append((u - filtered) / servo.time_constant)
                u = filtered
            torque = servo.input_gain * u + servo.offset
            angle, speed = self._shaft_motion(motor, measured)
            torque = torque - servo.kp * angle - servo.kv * speed
            outputs.append(_clip_to_range(torque, servo.torque, measured.ops))
        return Decision(outputs, rates=rates)

    def _shaft_motion(self, motor: str, measured: Measurement) -> tuple[Scalar, Scalar]:
        """Return angle and speed of a motor's shaft; for a cord they depend nonlinearly on the joints."""
        if motor in self._cord_coordinates:
            line = self._cord_coordinates[motor].placed_in(
                SharedKinematics(self.mech, measured.q, measured.v, measured.ops)
            )
            return line.position(measured.q), line.speed(measured.v)
        row = self._actuator_terms[motor]
        return row_dot(row, measured.q), row_dot(row, measured.v)

    @cached_property
    def _actuator_terms(self) -> dict[str, tuple[tuple[int, Scalar], ...]]:
        return {
            actuator.name: tuple((k, x) for k, x in enumerate(actuator.row) if x) for actuator in self.mech.actuators
        }

    @cached_property
    def _cord_coordinates(self) -> dict[str, Coordinate]:
        return {cord.name: cord_line(self.mech, cord, cord.ratio) for cord in self.cords}


def _clip_to_range(x: Scalar, span: tuple[float, float] | None, ops: Operations) -> Scalar:
    return x if span is None else ops.maximum(span[0], ops.minimum(x, span[1]))


@check_arguments
def servos(robot: Robot, command: Any) -> LawController:
    """Return the position and speed servos of a robot's file (as in MJCF) as a controller.

    Args:
        robot: the robot; drives, tendons or cords without a servo are not controlled.
        command: inputs of the servos in order (for a position servo the motor angle, ratio times joint angle): numbers,
            or a function of time that returns them.
    """
    caller = "control.servos"
    if not isinstance(robot, Robot):
        raise InputError(f"{caller}: a {type(robot).__name__} has no servos. Give a robot.")
    stated_servos = [(drive.title, drive.servo) for drive in robot.drives if drive.servo is not None]
    stated_servos += [(tendon.name, tendon.servo) for tendon in robot.tendons if tendon.servo is not None]
    cords = tuple(cord for cord in robot.cords if cord.servo is not None)
    stated_servos += [(cord.name, cord.servo) for cord in cords if cord.servo is not None]
    if not stated_servos:
        raise InputError(f"{caller}: robot {robot.name!r} has no servo. Add servos to its drives, or use pd.")
    mech = assemble_tree(robot)
    if not mech.speeds_are_rates:
        raise InputError(f"{caller}: servos on machines with free, spherical or planar joints are not supported.")
    count = len(stated_servos)
    if is_function(command):
        command_at = function_reference(caller, lambda t: (command(t),), [count], ("command",))
    else:
        row = number_array(caller, "command", command)
        if row.shape != (count,):
            raise InputError(
                f"{caller}: command has shape {row.shape}; give {count}: {listed_names(x for x, _ in stated_servos)}."
            )

        def command_at(t: Array) -> Array:
            return np.tile(row, (len(t), 1))

    return law_controller(ServoLaw(mech, tuple(stated_servos), cords), command_at)
