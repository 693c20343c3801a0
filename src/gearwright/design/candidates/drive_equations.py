r"""Demands of a motion on a drive and utilisation of its limits, over scalars of any kind.

With the load L at the joint, ratio n and the motor's speed $\omega = n v$: the gear output torque is
$O = L / n$, and the tooth losses give its input torque; the torque `own` accelerates the rotor, and bearing friction is
added. The voltage is $R i + K \omega$; the inductive part is checked in the analysis of the selected design.

Series run along the last axis. With arrays many drives are evaluated at once; with jets of series the values have
gradients.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.taylor_series import Jet, JetOperations
from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.quadrature import trapezoid_weights
from gearwright.arrays import Array
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency

JET_OPERATIONS: Operations = JetOperations(ARRAYS)


class DriveData(NamedTuple):
    """The data of a motor with its gear; columns (C, 1) for many, jets if they vary."""

    ratio: Scalar
    mesh: MeshEfficiency
    coulomb: Scalar
    viscous: Scalar
    winding: DcEquations
    life_exponent: Scalar = 3.0


class DriveSeries(NamedTuple):
    """Series of a drive: load and speed at the joint, speed, torque, current and voltage of the motor."""

    load: Scalar
    joint_speed: Scalar
    speed: Scalar
    torque: Scalar
    current: Scalar
    voltage: Scalar


class TimeReductions(Protocol):
    """Reductions of series over the time of a motion."""

    def peak(self, x: Scalar) -> Scalar:
        """The largest magnitude."""

    def mean(self, x: Scalar) -> Scalar:
        """The mean over time."""

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root of a number."""

    def cbrt(self, x: Scalar) -> Scalar:
        """Cube root of a number."""

    def power(self, x: Scalar, exponent: Scalar) -> Scalar:
        """The power, at least one, of a non-negative series."""


def motor_series(drive_data: DriveData, load: Scalar, rotor_torque: Scalar, v: Array, ops: Operations) -> DriveSeries:
    """The series of a drive whose joint moves with speed v under a load; `rotor_torque` accelerates the motor."""
    speed = drive_data.ratio * v
    direction = np.sign(speed.c[0] if isinstance(speed, Jet) else speed)
    transmitted = load / drive_data.ratio
    entering = ops.where(direction == 0, transmitted, drive_data.mesh.required_input(transmitted, direction, ops))
    torque = entering + rotor_torque + drive_data.coulomb * direction + drive_data.viscous * speed
    current = drive_data.winding.current_for_torque(torque)
    return DriveSeries(load, v, speed, torque, current, drive_data.winding.terminal_voltage(current, 0.0, speed))


def limited_quantities(series: DriveSeries, drive_data: DriveData, reductions: TimeReductions) -> dict[str, Scalar]:
    r"""Quantities that limits of a joint or a data sheet compare, by their names in the table of limits.

    The joint torque is that of its motor, $n T$. Life is compared by its consumption, the mean of
    $\lvert\omega\rvert L^p$.
    """
    turning = abs(series.speed)
    mean = reductions.mean(turning)
    cubes = reductions.mean(turning * abs(series.load * series.load * series.load))
    return {
        "peak_speed": np.abs(series.joint_speed).max(),
        "peak_torque": reductions.peak(series.torque * drive_data.ratio),
        "wear": reductions.mean(turning * reductions.power(abs(series.load), drive_data.life_exponent)),
        "peak_motor_torque": reductions.peak(series.torque),
        "peak_motor_speed": reductions.peak(series.speed),
        "peak_voltage": reductions.peak(series.voltage),
        "rms_motor_torque": reductions.sqrt(reductions.mean(series.torque * series.torque)),
        "mean_motor_speed": mean,
        "mean_square_current": reductions.mean(series.current * series.current),
        "peak_output_torque": reductions.peak(series.load),
        "mean_output_torque": reductions.cbrt(cubes / (mean + ZERO_SPEED_GUARD)),
    }


ZERO_SPEED_GUARD = 1e-300
"""Added to a mean speed, which is zero for a joint at rest."""


class ArrayReductions:
    """Reductions of arrays (..., T)."""

    def __init__(self, t: Array) -> None:
        weights = trapezoid_weights(t)
        self.span = float(weights.sum())
        self._weights = weights / self.span

    def peak(self, x: Scalar) -> Scalar:
        """The largest magnitude, (...)."""
        return np.maximum(x.max(axis=-1), -x.min(axis=-1))

    def mean(self, x: Scalar) -> Scalar:
        """The mean, (...)."""
        return x @ self._weights

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root."""
        return np.sqrt(x)

    def cbrt(self, x: Scalar) -> Scalar:
        """Cube root."""
        return np.cbrt(x)

    def power(self, x: Scalar, exponent: Scalar) -> Scalar:
        """A series to a power; cubes, the usual case, without logarithms."""
        return x * x * x if np.all(exponent == 3.0) else x**exponent


class JetReductions:
    """Reductions of jets whose value is a series (T,) and whose derivative has one row per variable, (P, T)."""

    def __init__(self, t: Array) -> None:
        self._arrays = ArrayReductions(t)
        self.span = self._arrays.span

    def peak(self, x: Scalar) -> Scalar:
        """The largest magnitude, with the derivative at its time."""
        k = int(np.abs(x.c[0]).argmax())
        sign = -1.0 if x.c[0][k] < 0 else 1.0
        return Jet([sign * x.c[0][k], sign * x.c[1][:, k]])

    def mean(self, x: Scalar) -> Scalar:
        """The mean."""
        return Jet([self._arrays.mean(x.c[0]), self._arrays.mean(x.c[1])])

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root; its derivative at zero is set to zero."""
        root = np.sqrt(x.c[0])
        return Jet([root, x.c[1] / (2 * root) if root > 0 else 0.0 * x.c[1]])

    def cbrt(self, x: Scalar) -> Scalar:
        """Cube root."""
        root = np.cbrt(x.c[0])
        return Jet([root, x.c[1] / (3 * root * root) if root > 0 else 0.0 * x.c[1]])

    def power(self, x: Scalar, exponent: Scalar) -> Scalar:
        """A series to a power."""
        value, slope = x.c[0], x.c[1]
        return Jet([value**exponent, exponent * value ** (exponent - 1) * slope])
