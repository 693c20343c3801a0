"""The equations of the permanent-magnet DC motor at its terminals, in one place."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.algebra import Scalar


class DcEquations(NamedTuple):
    r"""$v = R i + L\, di/dt + K_E \omega$ with the torque $K_T i$; all numbers may be generic scalars.

    Args:
        torque_constant: $K_T$ [Nm/A].
        back_emf_constant: $K_E$ [Vs/rad]; equal to $K_T$, unless both were measured.
        resistance: R [Ohm].
        inductance: L [H]; 0: the current has no dynamics.

    >>> motor = DcEquations(0.05, 0.05, 0.5, 1e-3)
    >>> motor.steady_current(voltage=3.0, speed=20.0), motor.motor_torque(4.0)
    (4.0, 0.2)
    >>> motor.current_rate(voltage=3.0, current=4.0, speed=20.0)
    0.0
    """

    torque_constant: Scalar
    back_emf_constant: Scalar
    resistance: Scalar
    inductance: Scalar = 0.0

    def back_emf(self, speed: Scalar) -> Scalar:
        """The back-EMF [V] at a rotor speed [rad/s]."""
        return self.back_emf_constant * speed

    def steady_current(self, voltage: Scalar, speed: Scalar) -> Scalar:
        """The steady-state current (v - K_E w) / R [A], which is that of a winding without inductance."""
        return (voltage - self.back_emf(speed)) / self.resistance

    def current_rate(self, voltage: Scalar, current: Scalar, speed: Scalar) -> Scalar:
        """The rate of the current [A/s]."""
        return (voltage - self.resistance * current - self.back_emf(speed)) / self.inductance  # Vukobratovic (20.63)

    def terminal_voltage(self, current: Scalar, current_rate: Scalar, speed: Scalar) -> Scalar:
        """The voltage for a current and its rate [V]."""
        return self.resistance * current + self.inductance * current_rate + self.back_emf(speed)

    def motor_torque(self, current: Scalar) -> Scalar:
        """The torque on the rotor [Nm]."""
        return self.torque_constant * current  # Vukobratovic (20.62)

    def current_for_torque(self, torque: Scalar) -> Scalar:
        """The current for a torque on the rotor [A]."""
        return torque / self.torque_constant

    def heat(self, current: Scalar) -> Scalar:
        """The Joule heat of the winding, R i^2 [W]."""
        return self.resistance * current * current
