"""Trials of a drive with other parts, many at once: the equations of the analysis for torque, current and temperature.

The load L at the joint is the gear output torque $O = L / n$ referred to the motor. The input torque follows from the
tooth losses by the direction of power; the torque that accelerates the rotor and the bearing friction are added. Rows
are trials, columns are times. The load is the gear output torque for the present motor torque: the present drive is
reproduced. Cogging and ripple are neglected. Temperatures are those of the last cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.drives.steady_temperatures import mean_squares_between, steady_temperatures, trial_temperatures
from gearwright.analysis.quadrature import integral_weights, smooth_spans, time_derivative
from gearwright.arrays import Array
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.friction.stick_slip import total_sliding_friction
from gearwright.forces.motors.thermal import (
    MotorTemperatures,
    magnet_factor,
    resistance_factor,
    temperatures_from_states,
)
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.forces.transmission.load_friction import load_friction_mesh
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency, mesh_at_speed
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.motion import Motion
from gearwright.parts import Drive, GearboxSheet, GearType, Heat, Link, Motor, MotorSheet, Robot, losses_of

# Temperatures

MAX_MAGNET_ITERATIONS, MAGNET_TOLERANCE = 8, 1e-6
"""Iterations for the current of a warm magnet, and their relative tolerance on the magnet strength."""

MAX_TRIAL_TEMPERATURE = 5000.0
"""Temperature [K] above which a trial is not computed further: the winding is destroyed."""


def thermal_factors(heat: Heat, warm: MotorTemperatures) -> tuple[Array, Array]:
    """Torque constant and resistance of a warm motor relative to their stated values."""
    return np.asarray(magnet_factor(heat, warm)), np.asarray(resistance_factor(heat, warm))


def cycle_temperatures(motor: Motor, torque: Array, t: Array, cycles: int | None) -> MotorTemperatures | None:
    """Temperatures over the last cycle, like the torque, (trials, T) or (T,)."""
    heat = motor.heat
    if heat is None or not motor.resistance or not motor.torque_constant:
        return None
    nominal = (np.atleast_2d(torque) / float(motor.torque_constant)).T
    previous = np.ones_like(nominal)
    for _ in range(MAX_MAGNET_ITERATIONS):
        states = trial_temperatures(mean_squares_between(nominal / previous), np.diff(t), motor, cycles)
        temperatures = temperatures_from_states(
            heat, [np.minimum(np.nan_to_num(x, nan=MAX_TRIAL_TEMPERATURE), MAX_TRIAL_TEMPERATURE) for x in states]
        )
        magnet, _ = thermal_factors(heat, temperatures)
        if not heat.magnet or np.abs(magnet - previous).max() <= MAGNET_TOLERANCE:
            break
        previous = magnet
    return MotorTemperatures(*(np.asarray(x).T.reshape(torque.shape) for x in temperatures))


# Torques, currents and voltages

REVERSAL_SPEED_RATIO = 1e-9
"""Speed relative to the largest speed, below which a joint counts as reversing."""


class DriveLoad(NamedTuple):
    """Load of a motor with its gear, each (T,) or (trials, T).

    Args:
        ratio: motor speed / joint speed, signed; a number or (trials, 1).
        load: output torque of the gear at the joint [Nm, N].
        rotor_torque: torque that accelerates the motor and the input of its gear, at the motor [Nm].
        speed: of the joint, or of the motor shaft behind a spring [rad/s, m/s].
        direction: sign of that speed, 0 at rest.
    """

    ratio: float | Array
    load: Array
    rotor_torque: Array
    speed: Array
    direction: Array


class MotorSeries(NamedTuple):
    """Torque, speed, current and voltage of a motor, each (T,) or (trials, T); None if data are missing."""

    torque: Array
    speed: Array
    current: Array | None
    voltage: Array | None

    def nominal_current(self, motor: Motor) -> Array:
        """The current of a motor at its reference temperature [A]."""
        assert motor.torque_constant is not None
        return np.asarray(self.torque / float(motor.torque_constant))


def motor_series(motor: Motor, gear: GearType, load: DriveLoad, t: Array, cycles: int | None = None) -> MotorSeries:
    """Torque, speed, current and voltage of a motor under a load, in the last cycle (None: periodic steady state).

    >>> from gearwright.parts import Gear
    >>> ones = np.ones(3)
    >>> lift = DriveLoad(50.0, 20.0 * ones, 0.0 * ones, ones, ones)
    >>> motor_series(Motor(friction=0.1), Gear(50.0, efficiency=0.8), lift, np.arange(3.0)).torque.round(9).tolist()
    [0.6, 0.6, 0.6]
    """
    speed = load.ratio * load.speed
    direction = load.direction * np.sign(load.ratio)
    transmitted, mesh = load.load / load.ratio, _mesh(motor, gear, np.abs(speed))
    entering = transmitted if mesh is None else mesh.required_input(transmitted, direction, ARRAYS)
    friction = direction * _bearing_friction(motor, np.abs(speed))
    torque = np.where(direction == 0, transmitted, entering + friction) + load.rotor_torque
    return MotorSeries(torque, speed, *_current_and_voltage(motor, torque, speed, t, cycles))


def _current_and_voltage(
    motor: Motor, torque: Array, speed: Array, t: Array, cycles: int | None
) -> tuple[Array | None, Array | None]:
    """Current and voltage of a winding at its temperature in the last cycle."""
    if not motor.torque_constant:
        return None, None
    warm = cycle_temperatures(motor, torque, t, cycles)
    magnet, resistance = (1.0, 1.0) if warm is None or motor.heat is None else thermal_factors(motor.heat, warm)
    constant = float(motor.torque_constant) * magnet
    winding = DcEquations(constant, constant, (motor.resistance or 0.0) * resistance, motor.inductance or 0.0)
    current = np.asarray(winding.current_for_torque(torque))
    changes = time_derivative(t, current.T).T if motor.has_inductance else 0.0
    return current, np.asarray(winding.terminal_voltage(current, changes, speed)) if motor.resistance else None


def _mesh(motor: Motor, gear: GearType, speed: Array) -> MeshEfficiency | None:
    """The losses of the gear, or the load-dependent friction of the motor, at magnitudes of the motor's speed."""
    if motor.total_friction.load is not None:
        return load_friction_mesh(motor.total_friction, speed, 0.0, ARRAYS)
    table = losses_of(gear)
    return mesh_at_speed(table, 0.0, speed, ARRAYS) if table else None


def _bearing_friction(motor: Motor, speed: Array) -> Array | float:
    """The friction of the motor's bearings; load-dependent friction contains it."""
    friction = motor.total_friction
    return total_sliding_friction(friction, speed, ARRAYS) if friction.load is None else 0.0


def gear_output_torque(motor: Motor, gear: GearType, load: DriveLoad, torque: Array) -> Array:
    """Gear output torque for a motor torque, at the motor side: the inverse of `motor_series`, (T,).

    For a self-locking gear, the required load selects the loaded tooth flank where it is ambiguous.
    """
    speed, direction = load.ratio * load.speed, load.direction * np.sign(load.ratio)
    entering = torque - load.rotor_torque - direction * _bearing_friction(motor, np.abs(speed))
    mesh = _mesh(motor, gear, np.abs(speed))
    if mesh is None:
        return np.asarray(entering)
    push = direction * entering - mesh.input_torque
    driving = np.where(mesh.back > 0, push > 0, direction * load.load / load.ratio > 0)
    leaving = np.where(driving, mesh.drive, 1.0 / mesh.back) * push * direction
    return np.where(direction == 0, torque - load.rotor_torque, leaving)


def motion_direction(t: Array, speed: Array) -> Array:
    """Direction of motion of a joint, (T,); at a reversal that of the adjacent samples in the same smooth segment."""
    direction = np.where(np.abs(speed) > REVERSAL_SPEED_RATIO * np.abs(speed).max(initial=0.0), np.sign(speed), 0.0)
    for a, b in smooth_spans(t):
        moving = np.flatnonzero(direction[a:b])
        if moving.size:
            still = np.flatnonzero(direction[a:b] == 0)
            nearest = moving[np.abs(still[:, None] - moving).argmin(axis=1)]
            ends = (still == 0) | (still == b - a - 1)  # inside the segment it may be at rest
            direction[a + still[ends]] = direction[a + nearest[ends]]
    return direction


@dataclass(frozen=True)
class DriveTrials:
    """A drive with the data for trials of other parts.

    Args:
        drive: analysis of the drive.
        robot: with the drive.
        mech: its machine.
        motion: of all speeds.
        link: driven link.
        ambient: temperature of the air [K], if the task states it.
        cycles: number of repetitions, of which the last one is evaluated; None: periodic steady state.
    """

    drive: DriveAnalysis
    robot: Robot
    mech: Mechanism
    motion: Motion
    link: Link | None
    ambient: float | None
    cycles: int | None = None

    @cached_property
    def drive_part(self) -> Drive:
        """The drive of the robot."""
        return next(drive for drive in self.robot.drives if drive.title == self.drive.name)

    @cached_property
    def speed_index(self) -> int:
        """Index of the speed of its motor: that of the joint, or of the shaft behind a spring."""
        terms = motor_line(self.mech, self.drive.name).terms
        return max(terms, key=lambda term: abs(term[1]))[0]

    @cached_property
    def present_load(self) -> DriveLoad:
        """The present load."""
        drive = self.drive
        assert drive.output_torque is not None
        assert drive.own_torque is not None
        ratio, speed = self._motor_ratio(self.mech), np.asarray(self.motion.v[:, self.speed_index])
        load = DriveLoad(
            ratio, np.asarray(drive.output_torque), drive.own_torque / ratio, speed, motion_direction(drive.t, speed)
        )
        return load._replace(
            load=ratio * gear_output_torque(drive.motor, self.drive_part.gear, load, drive.motor_torque)
        )

    @cached_property
    def mean_weights(self) -> Array:
        """Weights of the samples in a mean over the cycle, (T,)."""
        t = self.drive.t
        return integral_weights(t) / float(t[-1] - t[0])

    def present_motor_series(self, load: DriveLoad) -> MotorSeries:
        """Series of the present motor under a load."""
        return motor_series(self.drive.motor, self.drive_part.gear, load, self.drive.t, self.cycles)

    def load_with_ratios(self, ratios: Array) -> DriveLoad:
        r"""The load with other ratios (R,) of any sign; $b \to f b$ changes the rotor torque to $f^2 J b^2 a$."""
        present = self.present_load
        factors = (np.abs(ratios) / abs(present.ratio))[:, None]
        inertia = sum(float(spin.inertia) for spin in input_wheels(self.mech, self.drive.name))
        square = inertia * present.ratio * np.asarray(self.motion.a[:, self.speed_index])
        return present._replace(
            ratio=factors * present.ratio, rotor_torque=present.rotor_torque - square + factors * square
        )

    def load_with_drive(self, drive: Drive) -> DriveLoad | None:
        """The load of another motor or gear in its place; None if the machine would have other degrees of freedom."""
        robot = self.robot.with_drive(self.drive.name, drive)
        mech = assemble_tree(robot)
        if mech.speeds != self.mech.speeds:
            return None
        ratio, present = self._motor_ratio(mech), self.present_load
        (load, rotor), (before, _) = self._separated_forces(mech), self._present_forces
        return present._replace(ratio=ratio, load=present.load + load - before, rotor_torque=rotor / ratio)

    def trial_limits(
        self, drive: Drive, load: DriveLoad, motor_sheet: MotorSheet | None, gearbox_sheet: GearboxSheet | None
    ) -> tuple[DriveAnalysis, list[LimitCheck]]:
        """The drive with other parts over the cycle, and its limits."""
        series = motor_series(drive.motor, drive.gear, load, self.drive.t, self.cycles)
        trial = replace(
            self.drive,
            torque=series.torque * load.ratio,
            output_torque=load.load,
            own_torque=load.rotor_torque * load.ratio,
            motor_torque=series.torque,
            motor_speed=series.speed,
            current=series.current,
            voltage=series.voltage,
            temperatures=None,
            ambient=self.ambient_temperature(drive.motor),
            motor=drive.motor,
            gear=drive.gear,
            motor_sheet=motor_sheet,
            gearbox_sheet=gearbox_sheet,
        )
        if series.current is not None and drive.motor.heat is not None and drive.motor.resistance:
            warm = steady_temperatures(
                trial.t, series.nominal_current(drive.motor), drive.motor, self.ambient, self.cycles
            )
            trial = replace(trial, temperatures=warm)
        return trial, list(drive_limits(trial, self.link))

    def ambient_temperature(self, motor: Motor) -> float | None:
        """Ambient temperature of a motor [K]."""
        return self.ambient if self.ambient is not None or motor.heat is None else motor.heat.ambient

    def cycle_mean(self, values: Array) -> Array:
        """The mean over the cycle, along the last axis."""
        return np.asarray(values @ self.mean_weights)

    @cached_property
    def _present_forces(self) -> tuple[Array, Array]:
        return self._separated_forces(self.mech)

    def _separated_forces(self, mech: Mechanism) -> tuple[Array, Array]:
        """Forces of the motion at the drive's speed, (T,): without the parts that turn with the motor, and of these."""
        turning = {spin.name for spin in input_wheels(mech, self.drive.name)}
        spins = tuple(spin.with_scaled_inertia(2.0) if spin.name in turning else spin for spin in mech.spins)
        whole = self._joint_force(mech)
        rotor = self._joint_force(replace(mech, spins=spins)) - whole  # forces are linear in inertias
        return whole - rotor, rotor

    def _joint_force(self, mech: Mechanism) -> Array:
        moving = self.motion
        return np.asarray(inverse_dynamics(mech, moving.q, moving.v, moving.a)[:, self.speed_index])

    def _motor_ratio(self, mech: Mechanism) -> float:
        return float(dict(motor_line(mech, self.drive.name).terms)[self.speed_index])
