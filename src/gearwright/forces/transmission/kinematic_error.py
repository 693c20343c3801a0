"""The deflection of an elastic element, with the periodic transmission errors of its gear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.forces.law import Force, Situation
from gearwright.forces.line import Line
from gearwright.mechanism import Terms


@check_arguments
@dataclass(frozen=True)
class TransmissionRipple:
    r"""A periodic error of a gear's output angle, $e = A \sin(n \theta + \varphi)$.

    Args:
        line: the angle $\theta$ on which it depends, usually that of the motor shaft.
        amplitude: A [rad], in the units of the deflection.
        periods: n per turn of $\theta$.
        phase: $\varphi$ [rad].
    """

    line: Line
    amplitude: Scalar
    periods: Scalar
    phase: Scalar = 0.0

    def error(self, situation: Situation) -> Scalar:
        """The error e [rad]."""
        return self.amplitude * situation.ops.sin(self._phase_angle(situation))

    def slope(self, situation: Situation) -> Scalar:
        """Its slope de/dtheta."""
        return self.amplitude * self.periods * situation.ops.cos(self._phase_angle(situation))

    def _phase_angle(self, situation: Situation) -> Scalar:
        return self.periods * situation.position(self.line) + self.phase


@check_arguments
@dataclass(frozen=True)
class ElementDeflection:
    r"""The deflection of an elastic element: $x = b \cdot q - x_0 - \sum e_k(\theta_k)$.

    For a joint behind a motor's shaft b is (joint - motor), so x is minus the torsion $q_m + e(\theta) - q_l$. By
    virtual work a torque T along x acts with T along b, and with $-T\, de_k/d\theta_k$ along $\theta_k$: the
    transmission error also loads the motor. The torque of a spring over x therefore stays conservative.

    Args:
        line: the row b.
        rest: $x_0$ [rad, m].
        ripples: the errors e.
    """

    line: Line
    rest: Scalar = 0.0
    ripples: tuple[TransmissionRipple, ...] = ()

    def position(self, situation: Situation) -> Scalar:
        """The deflection x [rad, m]."""
        x = situation.position(self.line) - self.rest
        for ripple in self.ripples:
            x = x - ripple.error(situation)
        return x

    def speed(self, situation: Situation) -> Scalar:
        """Its rate [rad/s, m/s]."""
        rate = situation.speed(self.line)
        for ripple in self.ripples:
            rate = rate - ripple.slope(situation) * situation.speed(ripple.line)
        return rate

    def acceleration(self, situation: Situation, a: Sequence[Scalar]) -> Scalar:
        """Its second derivative [rad/s2, m/s2] for accelerations a."""
        total = situation.acceleration(self.line, a)
        for ripple in self.ripples:
            w = situation.speed(ripple.line)
            curvature = -ripple.periods * ripple.periods * ripple.error(situation)
            total = total - ripple.slope(situation) * situation.acceleration(ripple.line, a) - curvature * w * w
        return total

    def line_at(self, situation: Situation) -> Line:
        """The line of a torque over x in a situation: b plus the terms of the errors."""
        line = self.line.placed_in(situation.kinematics)
        if not self.ripples:
            return line
        total, rate = dict(line.terms), line.time_rate
        for ripple in self.ripples:
            slope, ripple_line = ripple.slope(situation), ripple.line.placed_in(situation.kinematics)
            rate = rate - slope * ripple_line.time_rate
            for index, factor in ripple_line.terms:
                total[index] = total.get(index, 0.0) - slope * factor
        return _PlacedRow(tuple(total.items()), line.speeds, rate)

    def line_forces(self, situation: Situation, torque: Scalar) -> tuple[Force, ...]:
        """A torque along x as forces along lines."""
        pulls = tuple(Force(ripple.line, -torque * ripple.slope(situation)) for ripple in self.ripples)
        return (Force(self.line, torque), *pulls)


@dataclass(frozen=True)
class _PlacedRow(Line):
    """A placed row with a rate by explicit time."""

    terms: Terms
    speeds: tuple[str, ...]
    explicit_rate: Scalar

    @property
    def time_rate(self) -> Scalar:
        """The part of the speed along it that is due to explicit time."""
        return self.explicit_rate


def dead_band(x: Scalar, half: Scalar, ops: Operations) -> Scalar:
    """The signed distance of x beyond a dead band of the given half width; 0 inside.

    >>> from gearwright.algebra import FLOATS
    >>> [dead_band(x, 1.0, FLOATS) for x in (-3.0, 0.5, 1.5)]
    [-2.0, 0.0, 0.5]
    """
    return ops.maximum(x - half, 0.0) + ops.minimum(x + half, 0.0)
