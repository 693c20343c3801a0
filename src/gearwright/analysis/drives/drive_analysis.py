"""The analysis of one drive: series over the cycle, the characteristics that a data sheet limits, torque over speed.

Series are arrays; where derivatives by parameters are required, series and characteristics are dual numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar, Vec
from gearwright.algebra.differentiation.dual_arrays import columns_of
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.analysis.drives.motor_limits import motor_limit
from gearwright.analysis.drives.steady_temperatures import Temperatures
from gearwright.analysis.drives.tooth_force_sensitivity import largest_tooth_force, tooth_forces
from gearwright.analysis.parametric_series import OF_NUMBERS, OF_SERIES, largest_length, largest_size, raised
from gearwright.analysis.quadrature import at_moving_times, integral
from gearwright.arrays import Array
from gearwright.parts import AnyGear, GearboxSheet, Motor, MotorSheet, ToothForce
from gearwright.plots import saved
from gearwright.plots.envelope import envelope
from gearwright.plots.notebook import Shown


def drive_figure(drive: DriveAnalysis, beside: DriveAnalysis | None) -> Any:
    """The figure of a drive, with the same drive in a closed loop beside it, drawn thin."""
    sheet = drive.motor_sheet
    return envelope(
        drive.motor_speed,
        drive.motor_torque,
        title=drive.name,
        axes=("motor speed [rad/s]", "motor torque [Nm]"),
        continuous=None if sheet is None else sheet.continuous_torque,
        peak=motor_limit(drive.motor, sheet, "max_torque")[0],
        top=motor_limit(drive.motor, sheet, "max_speed")[0],
        winding=drive.winding_line,
        gearbox=_gearbox_bounds(drive),
        beside=None if beside is None else (beside.motor_speed, beside.motor_torque),
    )


def _gearbox_bounds(drive: DriveAnalysis) -> tuple[float | None, float | None]:
    """Input speed and, at the motor, peak torque that the gearbox allows."""
    box = drive.gearbox_sheet
    if box is None or drive.gear is None:
        return None, None
    torque = None if box.peak_torque is None else box.peak_torque / abs(float(drive.gear.ratio))
    return box.peak_input_speed, torque


class ShaftLoad(NamedTuple):
    """What the bearings of a joint carry over a cycle: largest radial and axial force [N], tilting moment [Nm]."""

    radial: Scalar
    axial: Scalar
    tilting: Scalar


def shaft_load(reaction: Sequence[Scalar], axis: Sequence[Scalar], count: int) -> ShaftLoad:
    """The largest loads of a joint's bearings.

    Args:
        reaction: force and moment across the joint in the driven link's axes, six series (T,).
        axis: of the joint in these axes.
        count: T.
    """
    force, moment, along = Vec(*reaction[:3]), Vec(*reaction[3:]), Vec.of(axis)
    axial = along.dot(force)
    return ShaftLoad(
        radial=largest_length(tuple(force - along * axial), count),
        axial=largest_length((axial,), count),
        tilting=largest_length(tuple(moment - along * along.dot(moment)), count),
    )


RESTING = 1e-9
"""Mean speed of a motor [rad/s] up to which it does not turn: a run leaves some rounding."""


@dataclass(frozen=True)
class DriveAnalysis(Shown):
    """One drive over one cycle of a task.

    Args:
        name: of the drive.
        joint: of the joint it drives; None for a motor of a train, which drives several.
        t: times [s], (T,).
        torque: what the motor brings at the joint [Nm, N], before losses, its own acceleration included, (T,).
        output_torque: what the gear hands to the joint: without what turns the motor itself, (T,).
        speed: of the joint [rad/s, m/s], (T,).
        motor_torque: [Nm], (T,).
        motor_speed: [rad/s], (T,).
        current: [A], (T,); None without a torque constant.
        voltage: at the terminals [V], (T,); None without electrical data.
        temperatures: in the periodic steady state; None without thermal data.
        ambient: temperature of the air [K], if known.
        inertia_ratio: the largest inertia of the load over the cycle, at the motor, by that of the motor with its gear.
        frequency: lowest natural frequency over the cycle with the motors held [Hz]; None when nothing is elastic.
        motor: the part.
        gear: the part.
        motor_sheet: the motor's data sheet, if it names one of the catalogue.
        gearbox_sheet: the gear's.
        reaction: wrench across the joint, force then moment about its origin in the driven link's axes, (T, 6).
        axis: of the joint in these axes, three numbers.
        own_torque: the part of `torque` that only turns the motor and the input of its gear, (T,).
        supply_voltage: of what feeds the motor [V], if the robot states it.
    """

    name: str
    joint: str | None
    t: Array
    torque: Array | None
    output_torque: Array | None
    speed: Array | None
    motor_torque: Array
    motor_speed: Array
    current: Array | None
    voltage: Array | None
    temperatures: Temperatures | None
    ambient: float | None
    inertia_ratio: float | None
    frequency: float | None
    motor: Motor
    gear: AnyGear | None
    motor_sheet: MotorSheet | None = None
    gearbox_sheet: GearboxSheet | None = None
    reaction: Array | None = None
    axis: Sequence[Scalar] | None = None
    own_torque: Array | None = None
    supply_voltage: float | None = None

    def plot(self, path: str | Path | None = None, *, beside: DriveAnalysis | None = None) -> Any:
        """The motor's torque over its speed, and what its data sheet, its voltage and its gearbox allow.

        Args:
            path: .png, .svg or .pdf, where the figure is saved too.
            beside: the same drive in a closed loop, drawn thin.
        """
        return saved(drive_figure(self, beside), path)

    @cached_property
    def rms_torque(self) -> float | None:
        """Root mean square of the torque at the joint [Nm, N]."""
        return None if self.torque is None else self._rms(self.torque)

    @cached_property
    def peak_torque(self) -> float | None:
        """Largest torque at the joint [Nm, N]."""
        return self._peak(self.torque)

    @cached_property
    def peak_output_torque(self) -> float | None:
        """Largest torque that the gear hands on [Nm, N]."""
        return self._peak(self.output_torque)

    @cached_property
    def mean_output_torque(self) -> float | None:
        r"""Mean torque that counts for the life of bearings, $(\int |\omega| |T|^3 dt / \int |\omega| dt)^{1/3}$."""
        return None if self.output_torque is None else self._mean_power(3.0)

    @cached_property
    def peak_speed(self) -> float | None:
        """Largest speed of the joint [rad/s, m/s]."""
        return self._peak(self.speed)

    @cached_property
    def rms_motor_torque(self) -> float:
        """Root mean square of the motor's torque [Nm]."""
        return self._rms(self.motor_torque)

    @cached_property
    def peak_motor_torque(self) -> float:
        """Largest torque of the motor [Nm]."""
        return self._peak(self.motor_torque)

    @cached_property
    def peak_motor_speed(self) -> float:
        """Largest speed of the motor [rad/s]."""
        return self._peak(self.motor_speed)

    @cached_property
    def mean_motor_speed(self) -> float:
        """Mean magnitude of the motor's speed [rad/s]."""
        return self.mean(OF_SERIES.absolute(self.motor_speed))

    @cached_property
    def rms_current(self) -> float | None:
        """Root mean square of the current [A]."""
        return None if self.current is None else self._rms(self.current)

    @cached_property
    def peak_current(self) -> float | None:
        """Largest current [A]."""
        return self._peak(self.current)

    @cached_property
    def peak_voltage(self) -> float | None:
        """Largest voltage [V]."""
        return self._peak(self.voltage)

    @property
    def power(self) -> Array:
        """Mechanical power of the motor [W], (T,)."""
        return self.motor_torque * self.motor_speed

    @property
    def electrical_power(self) -> Array | None:
        """Power from the supply [W], (T,)."""
        return None if self.voltage is None or self.current is None else self.voltage * self.current

    @cached_property
    def peak_power(self) -> float:
        """Largest mechanical power of the motor, driving or braking [W]."""
        return self._peak(self.power)

    @cached_property
    def teeth(self) -> tuple[ToothForce, ...]:
        """Forces in every mesh and on every bearing of the gear over the cycle [N], each component (T,).

        From T = F r at its output, where the gear's geometry is known (`gear.unknown_teeth` says what is missing);
        what it loses counts by whether the motor drives or is driven.
        """
        if self.output_torque is None or self.speed is None:
            return ()
        return tooth_forces(self.gear, self.output_torque, self.speed)

    @cached_property
    def tooth_forces(self) -> dict[str, float]:
        """Largest force in every mesh, normal to the teeth, and on every bearing of the gear [N]."""
        return {one.name: float(np.max(one.size)) for one in self.teeth}

    @cached_property
    def peak_mesh_force(self) -> float | None:
        """Largest force between teeth [N]."""
        return self._largest(False)

    @cached_property
    def peak_gear_bearing_force(self) -> float | None:
        """Largest force on a bearing of the gear [N]."""
        return self._largest(True)

    def _largest(self, bearing: bool) -> Scalar | None:
        if self.output_torque is None or self.speed is None:
            return None
        torque = at_moving_times(self.t, self.output_torque)
        return largest_tooth_force(self.teeth, self.gear, torque, self.speed, bearing)

    @cached_property
    def peak_joint_force(self) -> float | None:
        """Largest force across the joint [N], the drive's own included."""
        return None if self.reaction is None else largest_length(columns_of(self.reaction)[:3], len(value_of(self.t)))

    @cached_property
    def peak_tilting_moment(self) -> float | None:
        """Largest moment across the joint's axis [Nm], which its bearings carry."""
        return None if self.shaft_load is None else self.shaft_load.tilting

    @cached_property
    def shaft_load(self) -> ShaftLoad | None:
        """Largest forces and moment that the bearings of the joint carry."""
        if self.reaction is None or self.axis is None:
            return None
        return shaft_load(columns_of(self.reaction), self.axis, len(value_of(self.t)))

    @cached_property
    def energy(self) -> float | None:
        """Electrical energy per cycle [J] when what comes back is used again."""
        return None if self.electrical_power is None else self._sum(self.electrical_power)

    @cached_property
    def energy_without_regeneration(self) -> float | None:
        """Electrical energy per cycle [J] when what comes back is burnt."""
        return None if self.electrical_power is None else self._sum(OF_SERIES.maximum(self.electrical_power, 0.0))

    @property
    def winding_temperature(self) -> float | None:
        """Highest temperature of the winding [K]; infinite when there is no steady state."""
        return None if self.temperatures is None else self._peak(self.temperatures.winding)

    @property
    def housing_temperature(self) -> float | None:
        """Highest temperature of the housing [K]."""
        return None if self.temperatures is None else self._peak(self.temperatures.housing)

    @cached_property
    def life(self) -> float | None:
        r"""Life L10 of the gearbox [h], $L (T_{rated} / T_{mean})^p \, \omega_{rated} / \omega_{mean}$, if rated."""
        sheet = self.gearbox_sheet
        if sheet is None or sheet.life is None or not sheet.rated_torque or not sheet.life_speed:
            return None
        power = sheet.life_exponent or 3.0
        mean, speed = self._mean_power(power), self.mean_motor_speed
        if mean == 0 or speed <= RESTING:
            return float("inf")
        return sheet.life * raised(sheet.rated_torque / mean, power) * sheet.life_speed / speed

    @property
    def voltage_limit(self) -> tuple[float | None, str]:
        """The most voltage that motor and supply allow [V], and which of them it is."""
        own, source = motor_limit(self.motor, self.motor_sheet, "max_voltage")
        fed = self.supply_voltage
        return (float(fed), "supply") if fed is not None and (own is None or fed < own) else (own, source)

    @property
    def winding_line(self) -> tuple[float, float] | None:
        r"""Torque at rest and speed without load that the voltage allows, $K V / R$ and $V / K$ [Nm, rad/s]."""
        motor = self.motor
        voltage, _ = self.voltage_limit
        if voltage is None or not motor.torque_constant or not motor.resistance:
            return None
        stall = motor.torque_constant * voltage / motor.resistance
        return float(stall), float(voltage / motor.torque_constant)

    def _mean_power(self, power: float) -> Scalar:
        assert self.output_torque is not None
        weights, torques = (OF_SERIES.absolute(x) for x in (self.motor_speed, self.output_torque))
        total = self._sum(weights * raised(torques, power))
        if self.mean_motor_speed <= RESTING or not value_of(total):
            return 0.0
        return raised(total / self._sum(weights), 1 / power)

    def _sum(self, values: Scalar) -> Scalar:
        return integral(self.t, values)

    def mean(self, values: Scalar) -> Scalar:
        """The mean of a series over the cycle."""
        t = value_of(self.t)
        return self._sum(values) / float(t[-1] - t[0])

    def _rms(self, values: Scalar) -> Scalar:
        return OF_NUMBERS.sqrt(self.mean(values * values))

    def _peak(self, values: Scalar | None) -> Scalar:
        return None if values is None else largest_size(at_moving_times(self.t, values))
