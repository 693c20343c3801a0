"""Trials of a drive with other parts, many at once: the equations of the analysis for torque, current and temperature.

Rows are trials, columns are times. The load is the gear output torque for the present motor torque: the present drive
is reproduced. Cogging and ripple are neglected. Temperatures are those of the last cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import ARRAYS, Scalar
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.drive_series import DriveSeries, series_of_drive
from gearwright.analysis.drives.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.drives.motor_loads import MotorLoads
from gearwright.analysis.drives.steady_temperatures import steady_temperatures, warm_temperatures
from gearwright.analysis.quadrature import motion_direction
from gearwright.arrays import Array
from gearwright.forces.motors.thermal import MotorTemperatures
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.transmission.drive_equation import DriveEquation, DriveLoad, winding_equations
from gearwright.forces.transmission.gear_wheels import input_wheels
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.motion import Motion
from gearwright.parts import Drive, GearboxSheet, Link, Motor, MotorSheet, Robot, gear_losses

# Temperatures

MAX_TRIAL_TEMPERATURE, LEAST_TRIAL_MAGNET = 5000.0, 1e-3
"""Temperature [K] of the winding of a trial that burns out, and relative strength of its magnet: its series are finite,
and its current is beyond every limit."""


def cycle_temperatures(motor: Motor, torque: Array, t: Array, cycles: int | None) -> MotorTemperatures | None:
    """Temperatures over the last cycle, like the torque, (trials, T) or (T,)."""
    if motor.heat is None or not motor.resistance or not motor.torque_constant:
        return None
    nominal = (np.atleast_2d(torque) / float(motor.torque_constant)).T
    heat = motor.heat
    warm = warm_temperatures(t, nominal, heat, motor.resistance, cycles)
    destroyed = heat.reference + (LEAST_TRIAL_MAGNET - 1) / heat.magnet if heat.magnet else MAX_TRIAL_TEMPERATURE
    housing = np.where(np.isfinite(warm.housing), warm.housing, destroyed)
    return MotorTemperatures(
        *(x.T.reshape(torque.shape) for x in (np.minimum(warm.winding, MAX_TRIAL_TEMPERATURE), housing))
    )


# Trials


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
    def equation(self) -> DriveEquation:
        """The present drive."""
        return self._equation_of(self.drive_part, self.mech)

    def equation_with_motor(self, motor: Motor) -> DriveEquation:
        """The present gear with another motor."""
        return replace(self.equation, friction=motor.total_friction)

    @cached_property
    def present_load(self) -> DriveLoad:
        """The present load: the output torque of the gear for the present motor torque."""
        drive, speed = self.drive, np.asarray(self.motion.v[:, self.speed_index])
        assert drive.output_torque is not None
        assert drive.own_torque is not None
        rotor_torque = drive.own_torque / self.equation.ratio
        load = DriveLoad(np.asarray(drive.output_torque), rotor_torque, speed, motion_direction(drive.t, speed))
        return load._replace(load=self.equation.output_torque(drive.motor_torque, load, ARRAYS))

    def present_motor_series(self, load: DriveLoad, ratio: Scalar | None = None) -> DriveSeries:
        """Series of the present motor under a load, with the present or another ratio."""
        equation = self.equation if ratio is None else replace(self.equation, ratio=ratio)
        return self.motor_series(self.drive.motor, equation, load)

    def motor_series(self, motor: Motor, equation: DriveEquation, load: DriveLoad) -> DriveSeries:
        """Series of a motor under a load in the last cycle."""
        t = self.drive.t
        return series_of_drive(
            t,
            load,
            equation,
            lambda torque: winding_equations(motor, cycle_temperatures(motor, torque, t, self.cycles)),
        )

    def series_with_ratios(self, ratios: Array) -> DriveSeries:
        r"""Series with other ratios (R,) of any sign; $b \to f b$ changes the rotor torque to $f^2 J b^2 a$."""
        present, ratio = self.present_load, self.equation.ratio
        factors = (np.abs(ratios) / abs(ratio))[:, None]
        inertia = sum(float(spin.inertia) for spin in input_wheels(self.mech, self.drive.name))
        square = inertia * ratio * np.asarray(self.motion.a[:, self.speed_index])
        load = present._replace(rotor_torque=present.rotor_torque - square + factors * square)
        return self.present_motor_series(load, factors * ratio)

    def trial_limits(
        self, drive: Drive, motor_sheet: MotorSheet | None, gearbox_sheet: GearboxSheet | None
    ) -> tuple[DriveAnalysis, list[LimitCheck]] | None:
        """The drive with other parts over the cycle, and its limits; None if the degrees of freedom would change."""
        mech = assemble_tree(self.robot.with_drive(self.drive.name, drive))
        if mech.speeds != self.mech.speeds:
            return None
        equation, present = self._equation_of(drive, mech), self.present_load
        (output, rotor_torque), (before, _) = self._separated_forces(mech), self._present_forces
        load = present._replace(load=present.load + output - before, rotor_torque=rotor_torque)
        series, motor = self.motor_series(drive.motor, equation, load), drive.motor
        temperatures = None
        if series.current is not None and motor.heat is not None and motor.resistance:
            assert motor.torque_constant is not None
            nominal = series.motor_torque / float(motor.torque_constant)
            temperatures = steady_temperatures(series.t, nominal, motor, self.ambient, self.cycles)
        trial_series: dict[str, Any] = {field.name: getattr(series, field.name) for field in fields(series)}
        trial = replace(
            self.drive,
            **trial_series | {"speed": self.drive.speed},
            own_torque=rotor_torque * equation.ratio,
            temperatures=temperatures,
            ambient=self.ambient_temperature(motor),
            motor=motor,
            gear=drive.gear,
            motor_sheet=motor_sheet,
            gearbox_sheet=gearbox_sheet,
        )
        return trial, list(drive_limits(trial, self.link))

    def ambient_temperature(self, motor: Motor) -> float | None:
        """Ambient temperature of a motor [K]."""
        return self.ambient if self.ambient is not None or motor.heat is None else motor.heat.ambient

    @cached_property
    def _present_forces(self) -> tuple[Array, Array]:
        return self._separated_forces(self.mech)

    def _separated_forces(self, mech: Mechanism) -> tuple[Array, Array]:
        """Force of the motion without the parts that turn with the motor, and the motor torque for these, (T,)."""
        moving, name = self.motion, self.drive.name
        rotor_torque = MotorLoads(mech, moving, [name]).rotor_torque(name)
        total_force = inverse_dynamics(mech, moving.q, moving.v, moving.a)[:, self.speed_index]
        return total_force - self._motor_ratio(mech) * rotor_torque, rotor_torque

    def _equation_of(self, drive: Drive, mech: Mechanism) -> DriveEquation:
        return DriveEquation(self._motor_ratio(mech), gear_losses(drive.gear), drive.motor.total_friction)

    def _motor_ratio(self, mech: Mechanism) -> float:
        return float(dict(motor_line(mech, self.drive.name).terms)[self.speed_index])
