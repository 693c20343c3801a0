"""The analysis of one drive: series over the cycle, characteristics limited by data sheets, torque over speed.

Series are arrays; where derivatives by parameters are required, series and characteristics are dual numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar, Vec
from gearwright.algebra.differentiation.dual_arrays import array_columns, array_item
from gearwright.algebra.differentiation.dual_numbers import dual, partials_of, primal_value
from gearwright.analysis.drives.drive_series import REST_MOTOR_SPEED, DriveSeries
from gearwright.analysis.drives.limit_kinds import (
    MOTOR_SPEED,
    PEAK_MOTOR_TORQUE,
    VOLTAGE,
    LimitSources,
    stated_limit,
)
from gearwright.analysis.drives.steady_temperatures import Temperatures, WarmUp, warm_up
from gearwright.analysis.parametric_series import peak_norm
from gearwright.analysis.quadrature import at_moving_times, integral
from gearwright.arrays import Array
from gearwright.parts import GearboxSheet, GearType, Link, Motor, MotorSheet, ToothForce
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.parts.gears.forces.tooth_forces import first_number, tooth_forces_or_none
from gearwright.parts.map_numbers import map_dual_numbers
from gearwright.plots import Diagram, Envelope, NotebookFigure, envelope_figure, envelope_page_figure, save_if_path

LEAST_TEMPERATURE_RANGE = 5.0
"""Smallest extent of the axis of temperatures [K]."""
MOTOR_SPEED_LABEL, MOTOR_TORQUE_LABEL = "motor speed [rad/s]", "motor torque [Nm]"


def _envelope(drive: DriveAnalysis, closed_loop: DriveAnalysis | None) -> Envelope:
    """Torque over speed of a drive with its limits, and the same drive in a closed loop."""
    return Envelope(
        drive.motor_speed,
        drive.motor_torque,
        axes=(MOTOR_SPEED_LABEL, MOTOR_TORQUE_LABEL),
        **drive.motor_limits,
        winding=drive.winding_line,
        gearbox=_gearbox_bounds(drive),
        beside=None if closed_loop is None else (closed_loop.motor_speed, closed_loop.motor_torque),
    )


def _duty_diagrams(drive: DriveAnalysis) -> Iterator[Diagram]:
    """Load duration, torque and speed over the cycle, temperatures over hours, winding over one cycle."""
    shares, torques = drive.load_duration
    exceeded = {"exceeded": (100 * shares, torques)}
    yield Diagram(("share of the cycle [%]", MOTOR_TORQUE_LABEL), exceeded, from_zero=True, thin=True)
    yield Diagram(("time [s]", MOTOR_TORQUE_LABEL), {"torque": (drive.t, drive.motor_torque)}, thin=True)
    yield Diagram(("time [s]", MOTOR_SPEED_LABEL), {"speed": (drive.t, drive.motor_speed)}, thin=True)
    yield Diagram(("time [s]", "motor power [W]"), {"power": (drive.t, drive.power)}, thin=True)
    heating = drive.warm_up
    if heating is not None:
        celsius = {"winding": heating.winding - ZERO_CELSIUS, "housing": heating.housing - ZERO_CELSIUS}
        curves = {name: (heating.t / 3600, values) for name, values in celsius.items()}
        label = ("time since a cold start [h]", "temperature [°C]")
        yield Diagram(label, curves, least_range=LEAST_TEMPERATURE_RANGE, thin=True)


def _gearbox_bounds(drive: DriveAnalysis) -> tuple[float | None, float | None]:
    """Largest input speed and peak torque, at the motor, that the gearbox allows."""
    box = drive.gearbox_sheet
    if box is None or drive.gear is None:
        return None, None
    torque = None if box.peak_torque is None else box.peak_torque / abs(float(drive.gear.ratio))
    return box.peak_input_speed, torque


RESTING_SPEED_RATIO = 1e-3
"""Speed relative to the largest one, below which a motor is at rest."""


class EnergySplit(NamedTuple):
    """Energy of one cycle of a drive [J].

    Args:
        winding: heat of the winding; None without electrical data.
        gear: losses of gear, bearings and spring.
        work: at the joint.
        rotor: increase of the kinetic energy of rotor and gear input.
    """

    winding: float | None
    gear: float
    work: float
    rotor: float


class PowerFlow(NamedTuple):
    """Power through a drive at every time [W], positive from the supply towards the joint, (T,) each.

    Args:
        electrical: from the supply; None without electrical data.
        shaft: of the motor, mechanical.
        rotor: that accelerates rotor and gear input.
        output: of the gear, at the joint.
    """

    electrical: Array | None
    shaft: Array
    rotor: Array
    output: Array

    @property
    def winding_loss(self) -> Array | None:
        """Heat of the winding, and the power that changes its magnetic energy."""
        return None if self.electrical is None else self.electrical - self.shaft

    @property
    def gear_loss(self) -> Array:
        """Losses of gear, bearings and spring."""
        return self.shaft - self.rotor - self.output


class ShaftLoad(NamedTuple):
    """Largest load on the bearings of a joint over a cycle: radial and axial force [N], tilting moment [Nm]."""

    radial: Scalar
    axial: Scalar
    tilting: Scalar

    def at_distance(self, distance: float | None) -> ShaftLoad:
        """The load of an output shaft whose permissible radial load F acts at a distance d from the flange.

        The output flange is assumed to be at the joint's origin. F is a moment F d there; a tilting moment M therefore
        loads the shaft like the radial force M / d.

        >>> ShaftLoad(30.0, 10.0, 1.2).at_distance(0.02).radial
        60.0
        """
        return self._replace(radial=max(self.radial, self.tilting / distance)) if distance else self


def shaft_load(reaction: Sequence[Scalar], axis: Sequence[Scalar], count: int) -> ShaftLoad:
    """The largest load on the bearings of a joint.

    Args:
        reaction: force and moment across the joint in the driven link's axes, six series (T,).
        axis: joint axis in these axes.
        count: T.
    """
    force, moment, direction = Vec(*reaction[:3]), Vec(*reaction[3:]), Vec.from_values(axis)
    axial = direction.dot(force)
    return ShaftLoad(
        radial=peak_norm(tuple(force - direction * axial), count),
        axial=peak_norm((axial,), count),
        tilting=peak_norm(tuple(moment - direction * direction.dot(moment)), count),
    )


@dataclass(frozen=True)
class DriveAnalysis(DriveSeries, NotebookFigure):
    """One drive over one cycle of a task: its series (`DriveSeries`), characteristics, parts and ambient conditions.

    Args:
        name: of the drive.
        joint: name of the driven joint; None for a motor of a train, which drives several.
        temperatures: in the periodic steady state; None without thermal data.
        ambient: temperature of the air [K], if known.
        inertia_ratio: largest load inertia of the cycle over the inertia of motor and gear, both at the motor.
        frequency: lowest natural frequency over the cycle with the motors held [Hz]; None for a rigid robot.
        motor: the part.
        gear: the part.
        motor_sheet: data sheet of the motor, if it names one of the catalogue.
        gearbox_sheet: data sheet of the gear, if it names one of the catalogue.
        reaction: wrench across the joint, force then moment about its origin in the driven link's axes, (T, 6).
        axis: joint axis in these axes, (3,).
        own_torque: the part of `torque` that accelerates the motor and the input of its gear, (T,).
        supply_voltage: of the motor's supply [V], if the robot states it.
    """

    name: str
    joint: str | None
    temperatures: Temperatures | None
    ambient: float | None
    inertia_ratio: float | None
    frequency: float | None
    motor: Motor
    gear: GearType | None
    motor_sheet: MotorSheet | None = None
    gearbox_sheet: GearboxSheet | None = None
    reaction: Array | None = None
    axis: Sequence[Scalar] | None = None
    own_torque: Array | None = None
    supply_voltage: float | None = None

    def plot(self, path: str | Path | None = None, *, beside: DriveAnalysis | None = None) -> Any:
        """Figure of motor torque over speed with the limits of data sheet, voltage and gearbox.

        Args:
            path: .png, .svg or .pdf file in which the figure is also saved.
            beside: the same drive in a closed loop, as thin lines.
        """
        return save_if_path(envelope_figure(_envelope(self, beside), self.name), path)

    def plot_duty(self, path: str | Path | None = None, *, beside: DriveAnalysis | None = None) -> Any:
        """Figure of the duty of the drive, with temperatures from a cold start if they are known.

        Torque over speed with the limits; load duration: the share of the cycle in which a torque is exceeded; torque,
        speed and power over the cycle.

        Args:
            path: .png, .svg or .pdf file in which the figure is also saved.
            beside: the same drive in a closed loop, as thin lines.
        """
        return save_if_path(envelope_page_figure(_envelope(self, beside), list(_duty_diagrams(self))), path)

    @property
    def load_duration(self) -> tuple[Array, Array]:
        """Shares of the cycle, 0 to 1, and the magnitude of the motor torque exceeded for each [Nm], (K,) each."""
        sizes = np.abs(self.motor_torque)
        largest, spans = np.maximum(sizes[1:], sizes[:-1]), np.diff(self.t)
        order = np.argsort(-largest)
        shares = np.concatenate([[0.0], np.cumsum(spans[order])]) / (self.t[-1] - self.t[0])
        return shares, np.concatenate([largest[order][:1], largest[order]])

    @property
    def motor_limits(self) -> dict[str, float | None]:
        """Limits of the motor: continuous and peak torque [Nm], top speed [rad/s]; None if unknown."""
        sheet, sources = self.motor_sheet, self.limit_sources()
        limits = {
            "continuous": None if sheet is None else sheet.continuous_torque,
            "peak": stated_limit(PEAK_MOTOR_TORQUE, sources)[0],
            "top": stated_limit(MOTOR_SPEED, sources)[0],
        }
        return {name: None if x is None else float(x) for name, x in limits.items()}

    @property
    def duty(self) -> dict[str, float]:
        """Shares of the cycle in which the motor drives, brakes, and is at rest; 1 together."""
        moving = np.abs(self.motor_speed) > RESTING_SPEED_RATIO * max(float(self.peak_motor_speed), REST_MOTOR_SPEED)
        driving = moving & (self.power > 0)
        shares = [self.cycle_mean(chosen.astype(float)) for chosen in (driving, moving & ~driving)]
        return {"driving": shares[0], "braking": shares[1], "at rest": max(0.0, 1.0 - sum(shares))}

    @cached_property
    def warm_up(self) -> WarmUp | None:
        """Highest temperatures of the cycles after a cold start; None without thermal data or steady state."""
        if self.temperatures is None or self.current is None or not np.isfinite(self.temperatures.winding).all():
            return None
        return warm_up(self.t, self.current, self.motor)

    @property
    def losses(self) -> EnergySplit | None:
        r"""Where the energy of one cycle goes; None for a motor of a train, which drives several joints.

        Winding: $\int (u i - \tau \omega) dt$. Gear and friction: $\int (\tau \omega - T v - \tau_J \omega) dt$ with
        the output torque T at the joint's speed v and the torque $\tau_J$ that accelerates the rotor. The rest is work
        at the joint: its friction, process forces, and energy stored in the links if the cycle is not closed.
        """
        flow = self.power_flow
        if flow is None:
            return None
        shaft, work, rotor = (integral(self.t, power) for power in (flow.shaft, flow.output, flow.rotor))
        electrical = self.energy
        return EnergySplit(None if electrical is None else electrical - shaft, shaft - work - rotor, work, rotor)

    @property
    def power_flow(self) -> PowerFlow | None:
        """Power from the supply to the joint over the cycle; None for a motor of a train, as `losses`."""
        if self.output_torque is None or self.own_torque is None or self.speed is None or self.gear is None:
            return None
        rotor = self.own_torque * self.motor_speed / float(self.gear.ratio)
        return PowerFlow(self.electrical_power, self.power, rotor, self.output_torque * self.speed)

    @cached_property
    def tooth_loads(self) -> tuple[ToothForce, ...]:
        """Forces in every mesh and on every bearing of the gear over the cycle [N], each component (T,).

        From T = F r at its output, if the gear's geometry is known (`gear.unknown_teeth` lists missing data). Losses
        depend on whether the motor drives or is driven.
        """
        if self.output_torque is None or self.speed is None:
            return ()
        return _tooth_loads(self.gear, self.output_torque, self.speed)

    @cached_property
    def tooth_forces(self) -> dict[str, float]:
        """Largest force in every mesh, normal to the teeth, and on every bearing of the gear [N]."""
        return {load.name: float(np.max(load.size)) for load in self.tooth_loads}

    @cached_property
    def peak_mesh_force(self) -> float | None:
        """Largest force between teeth [N]."""
        return self._largest_force(False)

    @cached_property
    def peak_gear_bearing_force(self) -> float | None:
        """Largest force on a bearing of the gear [N]."""
        return self._largest_force(True)

    def _largest_force(self, bearing: bool) -> Scalar | None:
        if self.output_torque is None or self.speed is None:
            return None
        torque = at_moving_times(self.t, self.output_torque)
        return _largest_tooth_force(self.tooth_loads, self.gear, torque, self.speed, bearing)

    @cached_property
    def peak_joint_force(self) -> float | None:
        """Largest force across the joint [N], including that of the drive."""
        return None if self.reaction is None else peak_norm(array_columns(self.reaction)[:3], len(primal_value(self.t)))

    @cached_property
    def peak_tilting_moment(self) -> float | None:
        """Largest moment perpendicular to the joint axis [Nm], supported by its bearings."""
        return None if self.shaft_load is None else self.shaft_load.tilting

    @cached_property
    def shaft_load(self) -> ShaftLoad | None:
        """Largest forces and moment on the bearings of the joint."""
        if self.reaction is None or self.axis is None:
            return None
        return shaft_load(array_columns(self.reaction), self.axis, len(primal_value(self.t)))

    @property
    def output_shaft_load(self) -> ShaftLoad | None:
        """Load of the gearbox's output shaft, which supports its link without a separate bearing."""
        box = self.gearbox_sheet
        return None if self.shaft_load is None or box is None else self.shaft_load.at_distance(box.radial_load_distance)

    @property
    def winding_temperature(self) -> float | None:
        """Highest temperature of the winding [K]; infinite when there is no steady state."""
        return None if self.temperatures is None else self.peak(self.temperatures.winding)

    @property
    def winding_temperature_rise(self) -> float | None:
        """Highest temperature of the winding above ambient [K]."""
        warmest = self.winding_temperature
        return None if warmest is None or self.ambient is None else warmest - self.ambient

    @property
    def housing_temperature(self) -> float | None:
        """Highest temperature of the housing [K]."""
        return None if self.temperatures is None else self.peak(self.temperatures.housing)

    @cached_property
    def life(self) -> float | None:
        r"""Life L10 of the gearbox [h], $L (T_{rated} / T_{mean})^p \, \omega_{rated} / \omega_{mean}$, if rated."""
        sheet = self.gearbox_sheet
        if sheet is None or sheet.life is None or not sheet.rated_torque or not sheet.life_speed:
            return None
        exponent = sheet.life_exponent or 3.0
        wear = self.wear(exponent)
        if not primal_value(wear) or self.mean_motor_speed <= REST_MOTOR_SPEED:
            return float("inf")
        return sheet.life * sheet.rated_torque**exponent * sheet.life_speed / wear

    def limit_sources(self, link: Link | None = None) -> LimitSources:
        """The sources of the limits of the drive, which moves a link."""
        return LimitSources(link, self.motor, self.motor_sheet, self.gearbox_sheet, self.supply_voltage, self.ambient)

    @property
    def voltage_limit(self) -> tuple[float | None, str]:
        """Voltage limit of motor and supply [V], and its source."""
        return stated_limit(VOLTAGE, self.limit_sources())

    @property
    def winding_line(self) -> tuple[float, float] | None:
        r"""Stall torque and no-load speed at the voltage limit, $K V / R$ and $V / K$ [Nm, rad/s]."""
        motor = self.motor
        voltage, _ = self.voltage_limit
        if voltage is None or not motor.torque_constant or not motor.resistance:
            return None
        stall = motor.torque_constant * voltage / motor.resistance
        return float(stall), float(voltage / motor.torque_constant)


def _tooth_loads(gear: Any, torque: Scalar, speed: Scalar) -> tuple[ToothForce, ...]:
    """Forces in every mesh and on every bearing of a gear, depending on whether its motor drives or is driven, (T,)."""
    nominal, loads = map_dual_numbers(gear, primal_value), primal_value(torque)
    drives, driven = (tooth_forces_or_none(nominal, loads, driving) for driving in (True, False))
    driving = loads * primal_value(speed) >= 0
    return tuple(
        driving_force.select_where(driving, driven_force)
        for driving_force, driven_force in zip(drives, driven, strict=True)
    )


def _largest_tooth_force(
    teeth: Sequence[ToothForce], gear: Any, torque: Scalar, speed: Scalar, bearing: bool
) -> Scalar | None:
    """The largest magnitude of a force between teeth, or on a bearing [N]; None without known geometry.

    Its derivatives are those at the instant of the maximum.

    Args:
        teeth: the forces over the cycle.
        gear: the gear; its data may be dual numbers.
        torque: at its output (T,), which may be a dual number.
        speed: of its output (T,).
        bearing: whether to return forces on bearings.
    """
    magnitudes = {k: force.size for k, force in enumerate(teeth) if force.is_bearing is bearing}
    if not magnitudes:
        return None
    index = max(magnitudes, key=lambda k: float(np.max(magnitudes[k])))
    instant = int(np.argmax(magnitudes[index]))
    load = array_item(torque, np.s_[instant : instant + 1])
    driving = bool(first_number(primal_value(load)) * float(primal_value(speed)[instant]) >= 0)
    at_maximum = first_number(tooth_forces_or_none(gear, load, driving)[index].size)
    return dual(float(magnitudes[index][instant]), partials_of(at_maximum))
