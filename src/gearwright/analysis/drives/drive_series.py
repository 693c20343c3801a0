"""Series of a drive over one cycle, and what limits compare: peaks, means, root mean squares, means for life.

Analysis, recommendations and the screening of candidates use the same characteristics. Series run along the last axis:
(T,) for one drive, (C, T) for many; the characteristics then are numbers, or arrays (C,). Where derivatives by
parameters are required, series and characteristics are dual numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import ARRAYS, Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import map_linear, partials_of, primal_value
from gearwright.analysis.parametric_series import SERIES_OPERATIONS, peak_magnitude, plain_number, to_power
from gearwright.analysis.quadrature import at_moving_times, integral, time_derivative
from gearwright.arrays import Array
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.drive_equation import DriveEquation, DriveLoad

REST_MOTOR_SPEED = 1e-9
"""Mean motor speed [rad/s] up to which a motor is at rest: the rounding of a run."""


@dataclass(frozen=True)
class DriveSeries:
    """Series of one drive, or of many, over one cycle.

    Args:
        t: times [s], (T,).
        torque: motor torque referred to the joint [Nm, N], before losses, including the rotor's acceleration, (T,).
        output_torque: output torque of the gear, without the torque that accelerates the motor, (T,).
        speed: of the joint [rad/s, m/s], (T,).
        motor_torque: [Nm], (T,).
        motor_speed: [rad/s], (T,).
        current: [A], (T,); None without a torque constant.
        voltage: at the terminals [V], (T,); None without electrical data.
    """

    t: Scalar
    torque: Scalar | None
    output_torque: Scalar | None
    speed: Scalar | None
    motor_torque: Scalar
    motor_speed: Scalar
    current: Scalar | None
    voltage: Scalar | None

    @cached_property
    def rms_torque(self) -> Scalar:
        """Root mean square of the torque at the joint [Nm, N]."""
        return self._root_mean_square(self.torque)

    @cached_property
    def peak_torque(self) -> Scalar:
        """Largest torque at the joint [Nm, N]."""
        return self.peak(self.torque)

    @cached_property
    def peak_output_torque(self) -> Scalar:
        """Largest output torque of the gear [Nm, N]."""
        return self.peak(self.output_torque)

    @cached_property
    def mean_output_torque(self) -> Scalar:
        r"""Cubic mean of the output torque for bearing life, $(\int |\omega| |T|^3 dt / \int |\omega| dt)^{1/3}$."""
        if self.output_torque is None:
            return None
        speed = self.mean_motor_speed
        moving = primal_value(speed) > REST_MOTOR_SPEED
        mean = self.wear(3.0) / SERIES_OPERATIONS.where(moving, speed, 1.0)
        return map_linear(plain_number, SERIES_OPERATIONS.where(moving, to_power(mean, 1 / 3), 0.0))

    def wear(self, exponent: Scalar) -> Scalar:
        r"""Consumption of a gearbox's life, the mean of $|\omega| |T|^p$ with its output torque T."""
        torque, speed = (SERIES_OPERATIONS.absolute(x) for x in (self.output_torque, self.motor_speed))
        return self.cycle_mean(speed * to_power(torque, exponent))

    @cached_property
    def peak_speed(self) -> Scalar:
        """Largest speed of the joint [rad/s, m/s]."""
        return self.peak(self.speed)

    @cached_property
    def rms_motor_torque(self) -> Scalar:
        """Root mean square of the motor's torque [Nm]."""
        return self._root_mean_square(self.motor_torque)

    @cached_property
    def peak_motor_torque(self) -> Scalar:
        """Largest torque of the motor [Nm]."""
        return self.peak(self.motor_torque)

    @cached_property
    def peak_motor_speed(self) -> Scalar:
        """Largest speed of the motor [rad/s]."""
        return self.peak(self.motor_speed)

    @cached_property
    def mean_motor_speed(self) -> Scalar:
        """Mean magnitude of the motor's speed [rad/s]."""
        return self.cycle_mean(SERIES_OPERATIONS.absolute(self.motor_speed))

    @cached_property
    def mean_square_current(self) -> Scalar:
        """Mean square of the current [A^2]."""
        return None if self.current is None else self.cycle_mean(self.current * self.current)

    @cached_property
    def rms_current(self) -> Scalar:
        """Root mean square of the current [A]."""
        return self._root_mean_square(self.current)

    @cached_property
    def peak_current(self) -> Scalar:
        """Largest current [A]."""
        return self.peak(self.current)

    @cached_property
    def peak_voltage(self) -> Scalar:
        """Largest voltage [V]."""
        return self.peak(self.voltage)

    @property
    def power(self) -> Scalar:
        """Mechanical power of the motor [W], (T,)."""
        return self.motor_torque * self.motor_speed

    @property
    def electrical_power(self) -> Scalar:
        """Power from the supply [W], (T,)."""
        return None if self.voltage is None or self.current is None else self.voltage * self.current

    @cached_property
    def peak_power(self) -> Scalar:
        """Largest mechanical power of the motor, driving or braking [W]."""
        return self.peak(self.power)

    @cached_property
    def energy(self) -> Scalar:
        """Electrical energy per cycle [J] with regeneration."""
        return None if self.electrical_power is None else integral(self.t, self.electrical_power)

    @cached_property
    def energy_without_regeneration(self) -> Scalar:
        """Electrical energy per cycle [J] if regenerated energy is dissipated."""
        power = self.electrical_power
        return None if power is None else integral(self.t, SERIES_OPERATIONS.maximum(power, 0.0))

    def peak(self, values: Scalar | None) -> Scalar:
        """The largest magnitude of a series, with the derivatives at its time."""
        if values is None:
            return None
        return peak_magnitude(at_moving_times(self.t, values) if partials_of(self.t) else values)

    def cycle_mean(self, values: Scalar) -> Scalar:
        """The mean of a series over the cycle."""
        t = primal_value(self.t)
        return integral(self.t, values) / float(t[-1] - t[0])

    def _root_mean_square(self, values: Scalar | None) -> Scalar:
        return None if values is None else to_power(self.cycle_mean(values * values), 0.5)


def series_of_drive(
    t: Array,
    load: DriveLoad,
    equation: DriveEquation,
    winding_under: Callable[[Scalar], DcEquations | None],
    ops: Operations = ARRAYS,
) -> DriveSeries:
    """The series of drives under a load, by the drive equation.

    Args:
        t: times [s], (T,).
        load: at the joint.
        equation: ratio, losses and friction.
        winding_under: the winding under a motor torque, at its temperatures; None without a torque constant.
        ops: operations of the series.
    """
    torque, speed = equation.motor_torque(load, ops), equation.motor_speed(load)
    current = voltage = None
    winding = winding_under(torque)
    if winding is not None:
        current = winding.current_for_torque(torque)
        rate = time_derivative(t, current.T).T if winding.inductance else 0.0
        voltage = None if winding.resistance is None else winding.terminal_voltage(current, rate, speed)
    return DriveSeries(t, torque * equation.ratio, load.load, load.speed, torque, speed, current, voltage)
