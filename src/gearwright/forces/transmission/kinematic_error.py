"""Twist: how far an elastic element is deflected, the periodic errors of its gear included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.forces.law import Force, Situation
from gearwright.forces.line import Line
from gearwright.mechanism.rows import Terms


@dataclass(frozen=True)
class Ripple:
    r"""A periodic error of a gear's output angle, $e = A \sin(n \theta + \varphi)$.

    Args:
        line: the angle $\theta$ it runs along, usually the motor's shaft.
        amplitude: A [rad], in the units of the twist.
        periods: n per turn of $\theta$.
        phase: $\varphi$ [rad].
    """

    line: Line
    amplitude: Scalar
    periods: Scalar
    phase: Scalar = 0.0

    def error(self, situation: Situation) -> Scalar:
        """The error e [rad]."""
        return self.amplitude * situation.ops.sin(self._argument(situation))

    def slope(self, situation: Situation) -> Scalar:
        """Its slope de/dtheta."""
        return self.amplitude * self.periods * situation.ops.cos(self._argument(situation))

    def _argument(self, situation: Situation) -> Scalar:
        return self.periods * situation.position(self.line) + self.phase


@dataclass(frozen=True)
class Twist:
    r"""The deflection of an elastic element: $x = b \cdot q - x_0 - \sum e_k(\theta_k)$.

    For a joint behind a motor's shaft b is (joint - motor), so that x is minus the torsion $q_m + e(\theta) - q_l$. A
    torque T along x does virtual work on everything that x depends on: T along b, and $-T\, de_k/d\theta_k$ along
    $\theta_k$: the error of a gear pulls at the motor. So the torque of a spring over x stays conservative.

    Args:
        line: the row b.
        rest: $x_0$ [rad, m].
        ripples: the errors e.
    """

    line: Line
    rest: Scalar = 0.0
    ripples: tuple[Ripple, ...] = ()

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
        """The rate of its rate, for accelerations a."""
        total = situation.acceleration(self.line, a)
        for ripple in self.ripples:
            w = situation.speed(ripple.line)
            bend = -ripple.periods * ripple.periods * ripple.error(situation)
            total = total - ripple.slope(situation) * situation.acceleration(ripple.line, a) - bend * w * w
        return total

    def line_at(self, situation: Situation) -> Line:
        """The line along which a torque over x acts in a situation: b, and what the errors add to it."""
        line = self.line.placed(situation.scene)
        if not self.ripples:
            return line
        total, rate = dict(line.terms), line.rate
        for ripple in self.ripples:
            slope, other = ripple.slope(situation), ripple.line.placed(situation.scene)
            rate = rate - slope * other.rate
            for index, factor in other.terms:
                total[index] = total.get(index, 0.0) - slope * factor
        return _Row(tuple(total.items()), line.speeds, rate)

    def forces(self, situation: Situation, torque: Scalar) -> tuple[Force, ...]:
        """A torque along x as forces along lines."""
        pulls = tuple(Force(ripple.line, -torque * ripple.slope(situation)) for ripple in self.ripples)
        return (Force(self.line, torque), *pulls)


@dataclass(frozen=True)
class _Row(Line):
    """A placed row with the rate that explicit time adds."""

    terms: Terms
    speeds: tuple[str, ...]
    moved: Scalar

    @property
    def rate(self) -> Scalar:
        """What explicit time adds to the speed along it."""
        return self.moved


def dead_band(x: Scalar, half: Scalar, ops: Operations) -> Scalar:
    """How far x is beyond a gap of that half width, with its sign; 0 inside.

    >>> from gearwright.algebra.operations import FLOATS
    >>> [dead_band(x, 1.0, FLOATS) for x in (-3.0, 0.5, 1.5)]
    [-2.0, 0.0, 0.5]
    """
    return ops.maximum(x - half, 0.0) + ops.minimum(x + half, 0.0)
