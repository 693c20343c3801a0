"""The permanent-magnet DC motor at its terminals: the one place where its equations stand."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.algebra import Scalar


class DcEquations(NamedTuple):
    r"""$v = R i + L\, di/dt + K_E \omega$ with the torque $K_T i$; all numbers may be scalars of any kind.

    Args:
        torque_constant: $K_T$ [Nm/A].
        back_emf_constant: $K_E$ [Vs/rad]; the same number, unless somebody measured two.
        resistance: R [Ohm].
        inductance: L [H]; 0: the current follows at once.

    >>> motor = DcEquations(0.05, 0.05, 0.5, 1e-3)
    >>> motor.settled_current(voltage=3.0, speed=20.0), motor.torque(4.0)
    (4.0, 0.2)
    >>> motor.current_rate(voltage=3.0, current=4.0, speed=20.0)
    0.0
    """

    torque_constant: Scalar
    back_emf_constant: Scalar
    resistance: Scalar
    inductance: Scalar = 0.0

    def back_emf(self, speed: Scalar) -> Scalar:
        """The voltage that the turning rotor induces [V]."""
        return self.back_emf_constant * speed

    def settled_current(self, voltage: Scalar, speed: Scalar) -> Scalar:
        """The current of a winding without inductance [A]."""
        return (voltage - self.back_emf(speed)) / self.resistance

    def current_rate(self, voltage: Scalar, current: Scalar, speed: Scalar) -> Scalar:
        """The rate of the current [A/s]."""
        return (voltage - self.resistance * current - self.back_emf(speed)) / self.inductance  # Vukobratovic (20.63)

    def voltage(self, current: Scalar, current_rate: Scalar, speed: Scalar) -> Scalar:
        """The voltage for a current and its rate [V]."""
        return self.resistance * current + self.inductance * current_rate + self.back_emf(speed)

    def torque(self, current: Scalar) -> Scalar:
        """The torque on the rotor [Nm]."""
        return self.torque_constant * current  # Vukobratovic (20.62)

    def current(self, torque: Scalar) -> Scalar:
        """The current for a torque on the rotor [A]."""
        return torque / self.torque_constant
