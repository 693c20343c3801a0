"""A drive whose parts or load differ a little from what was analysed: the same equations, added as a difference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.quadrature import rate
from gearwright.analysis.steady_heat import steady_temperatures
from gearwright.arrays import Array
from gearwright.forces.dc_equations import DcEquations
from gearwright.forces.losses_mesh import mesh_at
from gearwright.parts import AnyGear, Friction, Motor, losses_of


@dataclass(frozen=True)
class DriveLoad:
    """What a drive moves and by what.

    Args:
        output: torque that the gear hands to the joint, (T,).
        own: torque at the joint that only turns the motor, (T,).
        speed: of the joint, (T,).
        motor: the part.
        gear: the part.
        warmth: how many times its stated value the resistance is on the way, (T,) or 1.
        sense: in which it turns or begins to, -1, 0 or 1, (T,); that of its speed unless given.
    """

    output: Array
    own: Array
    speed: Array
    motor: Motor
    gear: AnyGear
    warmth: Array | float = 1.0
    sense: Array | None = None

    @property
    def motor_speed(self) -> Array:
        """[rad/s], (T,)."""
        return np.asarray(float(self.gear.ratio) * self.speed)

    @property
    def motor_torque(self) -> Array:
        """Through the losses of the gear, with the bearings of the motor [Nm], (T,)."""
        ratio, speed, motor = float(self.gear.ratio), self.motor_speed, self.motor
        sense, leaving = np.sign(speed) if self.sense is None else self.sense, self.output / ratio
        table = losses_of(self.gear)
        entering = leaving
        if table:
            turning = mesh_at(table, 0.0, np.abs(speed), ARRAYS).taken(leaving, sense, ARRAYS)
            entering = np.where(sense == 0, leaving, turning)
        # Friction of other kinds stays as it was.
        rubbing = 0.0 if isinstance(motor.friction, Friction) else float(motor.friction)
        return np.asarray(entering + self.own / ratio + rubbing * sense + float(motor.damping) * speed)

    def current(self) -> Array:
        """At the reference temperature [A], (T,)."""
        return np.asarray(self._equations.current(self.motor_torque))

    def voltage(self, t: Array) -> Array:
        """[V], (T,)."""
        current = self.current()
        return np.asarray(self._equations.voltage(current, rate(t, current), self.motor_speed))

    @property
    def _equations(self) -> DcEquations:
        K, motor = self.motor.torque_constant, self.motor
        return DcEquations(K, K, self.warmth * (motor.resistance or 0.0), motor.inductance or 0.0)


def beginning(drive: DriveAnalysis, load: DriveLoad) -> DriveLoad:
    """The load with the sense in which a gear at rest is about to turn: that which gives the torque found."""
    moving = np.sign(load.motor_speed)
    tried = [np.where(moving == 0, sense, moving) for sense in (0.0, 1.0, -1.0)]
    misses = [np.abs(replace(load, sense=sense).motor_torque - drive.motor_torque) for sense in tried]
    best = np.argmin(misses, axis=0)
    return replace(load, sense=np.choose(best, tried))


def varied(drive: DriveAnalysis, before: DriveLoad, after: DriveLoad) -> DriveAnalysis:
    """The drive with another load, motor or gear: what the equations change is added to what was found."""
    torque = drive.motor_torque + after.motor_torque - before.motor_torque
    current, voltage, temperatures = drive.current, drive.voltage, drive.temperatures
    if current is not None:
        current = current + after.current() - before.current()
    if voltage is not None:
        voltage = voltage + after.voltage(drive.t) - before.voltage(drive.t)
    if temperatures is not None and current is not None:
        temperatures = steady_temperatures(drive.t, current, after.motor, drive.ambient)
    return replace(
        drive,
        torque=float(after.gear.ratio) * torque,
        output_torque=after.output,
        motor_torque=torque,
        motor_speed=after.motor_speed,
        current=current,
        voltage=voltage,
        temperatures=temperatures,
        motor=after.motor,
        gear=after.gear,
    )
