r"""The drive equation: motor torque, speed, current and voltage for a load at a joint.

With the gear output torque L at the joint, the ratio n and the joint's speed v, the gear transmits $O = L / n$ at the
motor side. The mesh gives its input torque by the direction of power; the bearing friction of the motor and the torque
that accelerates the rotor and the input of the gear are added: $\tau = T(O) + s F(|\omega|) + \tau_J$ with
$\omega = n v$. At rest neither teeth nor bearings lose anything. The winding (`DcEquations`) then gives current,
voltage and heat. All numbers are scalars of any kind: floats, series, columns of many drives, dual numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.friction.stick_slip import total_sliding_friction
from gearwright.forces.motors.thermal import MotorTemperatures, magnet_factor, resistance_factor
from gearwright.forces.transmission.load_friction import load_friction_mesh
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency, mesh_at_speed
from gearwright.parts import Friction, Losses, Motor


class DriveLoad(NamedTuple):
    """Load of a drive.

    Args:
        load: output torque of the gear at the joint, L [Nm, N].
        rotor_torque: torque that accelerates the motor and the input of its gear, at the motor [Nm].
        speed: of the joint, or of the motor shaft behind a spring, v [rad/s, m/s].
        direction: sign of that speed, 0 at rest.
    """

    load: Scalar
    rotor_torque: Scalar
    speed: Scalar
    direction: Scalar


@dataclass(frozen=True)
class DriveEquation:
    """Ratio, losses and friction of a motor with its gear.

    Args:
        ratio: motor speed / joint speed, signed.
        losses: of the gear over rising speeds of the motor; empty: none.
        friction: of the motor's bearings.

    >>> from gearwright.algebra import FLOATS
    >>> lift = DriveLoad(load=20.0, rotor_torque=0.0, speed=1.0, direction=1.0)
    >>> round(DriveEquation(50.0, (Losses(efficiency=0.8),), Friction(0.1)).motor_torque(lift, FLOATS), 9)
    0.6
    """

    ratio: Scalar
    losses: tuple[Losses, ...]
    friction: Friction

    def motor_speed(self, load: DriveLoad) -> Scalar:
        r"""Speed of the motor, $\omega$ [rad/s]."""
        return self.ratio * load.speed

    def motor_torque(self, load: DriveLoad, ops: Operations) -> Scalar:
        r"""Torque of the motor, $\tau$ [Nm]."""
        transmitted, direction = load.load / self.ratio, self._motor_direction(load, ops)
        speed = ops.absolute(self.motor_speed(load))
        mesh = self._mesh(speed, ops)
        entering = transmitted if mesh is None else mesh.required_input(transmitted, direction, ops)
        moving = entering + direction * self._bearing_friction(speed, ops)
        return ops.where(_is_at_rest(load, ops), transmitted, moving) + load.rotor_torque

    def output_torque(self, torque: Scalar, load: DriveLoad, ops: Operations) -> Scalar:
        """Output torque of the gear at the joint for a motor torque: the inverse of `motor_torque` [Nm, N].

        Where a self-locking gear leaves it open which flank is loaded, the load decides.
        """
        direction, entering = self._motor_direction(load, ops), torque - load.rotor_torque
        speed = ops.absolute(self.motor_speed(load))
        mesh = self._mesh(speed, ops)
        leaving = turned = entering - direction * self._bearing_friction(speed, ops)
        if mesh is not None:
            push = direction * turned - mesh.input_torque
            driving = ops.where(mesh.back > 0, push > 0, direction * load.load / self.ratio > 0)
            gain = ops.where(driving, mesh.torque_gain(True), mesh.torque_gain(False))
            leaving = direction * (gain * push - mesh.output_torque)
        return self.ratio * ops.where(_is_at_rest(load, ops), entering, leaving)

    def _mesh(self, speed: Scalar, ops: Operations) -> MeshEfficiency | None:
        """The losses of the gear, or the load-dependent friction of the motor, at a magnitude of the motor's speed."""
        if self.friction.load is not None:
            return load_friction_mesh(self.friction, speed, 0.0, ops)
        return mesh_at_speed(self.losses, 0.0, speed, ops) if self.losses else None

    def _bearing_friction(self, speed: Scalar, ops: Operations) -> Scalar:
        """The friction of the motor's bearings; load-dependent friction contains it."""
        return total_sliding_friction(self.friction, speed, ops) if self.friction.load is None else 0.0

    def _motor_direction(self, load: DriveLoad, ops: Operations) -> Scalar:
        """Sign of the motor's speed."""
        return ops.where(primal_value(self.ratio) > 0, load.direction, -load.direction)


def _is_at_rest(load: DriveLoad, ops: Operations) -> Scalar:
    """Whether the direction, 1, -1 or 0, is 0; symbols know no equality."""
    return ops.absolute(load.direction) < 0.5


def winding_equations(motor: Motor, warm: MotorTemperatures | None = None) -> DcEquations | None:
    """The equations of a motor's winding, at temperatures if given; None without a torque constant.

    Without a resistance it is None, and the voltage unknown.

    >>> winding = winding_equations(Motor(torque_constant=0.05, resistance=0.5))
    >>> current = winding.current_for_torque(0.2)
    >>> winding.terminal_voltage(current, 0.0, speed=20.0), winding.heat(current)
    (3.0, 8.0)
    """
    if not motor.torque_constant:
        return None
    constant, resistance, heat = motor.torque_constant, motor.resistance or None, motor.heat
    if warm is not None and heat is not None and resistance is not None:
        constant, resistance = constant * magnet_factor(heat, warm), resistance * resistance_factor(heat, warm)
    return DcEquations(constant, constant, resistance, motor.inductance or 0.0)
