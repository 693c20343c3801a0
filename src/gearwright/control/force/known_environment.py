"""What a controller knows of what it presses on: mass, stiffness and damping, or a force of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import FLOATS
from gearwright.arguments import number
from gearwright.errors import InputError

Resistance = Callable[[Scalar, Scalar, Operations], Scalar]
"""(depth [m], its rate [m/s], operations) -> force [N]."""

SHALLOW = 1e-4
"""Depth [m] up to which a surface is taken to be as stiff as there: a Hertz contact begins with no stiffness at all."""

LINEAR, HERTZ = 1.0, 1.5


@dataclass(frozen=True)
class KnownEnvironment:
    r"""A dynamic environment along one normal, $F = m \ddot\delta + r(\delta, \dot\delta)$, as a controller knows it.

    $\delta$ is the depth to which it is pressed in, and $r = k\,\delta^p + d\,\dot\delta$ or a function. What the
    controller can prescribe follows from it: with mass the force itself, of a massless one with damping the rate of
    the force, of a massless spring its second derivative.

    Args:
        stiffness: k [N/m], [N/m^1.5] after Hertz.
        damping: d [Ns/m].
        mass: m that moves with the contact point [kg]; 0: a massless surface.
        exponent: p, 1 or 1.5 (Hertz).
        force: r as a function (depth, rate, ops) -> N written over `ops`, instead of the three numbers. It rises with
            the depth.

    >>> KnownEnvironment(stiffness=2e4).order, KnownEnvironment(2e4, 50.0).order, KnownEnvironment(2e4, mass=3.0).order
    (2, 1, 0)
    """

    stiffness: float = 0.0
    damping: float = 0.0
    mass: float = 0.0
    exponent: float = LINEAR
    force: Resistance | None = None

    def __post_init__(self) -> None:
        for name, unit in (("stiffness", "N/m"), ("damping", "Ns/m"), ("mass", "kg")):
            number("control.KnownEnvironment", name, getattr(self, name), least=0.0, unit=unit)
        if self.exponent not in (LINEAR, HERTZ):
            raise InputError(
                f"control.KnownEnvironment: the exponent is {self.exponent!r}. Give 1 (linear) or 1.5 (Hertz)."
            )
        if self.force is not None and (self.stiffness or self.damping):
            raise InputError("control.KnownEnvironment: both a force and numbers are given. Give one of them.")
        if not self.mass and not self.least > 0:
            raise InputError(
                f"control.KnownEnvironment: at {SHALLOW:g} m its force does not rise with the depth nor with its "
                "rate; a massless one would not resist at all. Give a stiffness."
            )

    def resistance(self, depth: Scalar, rate: Scalar, ops: Operations) -> Scalar:
        """The force r [N]."""
        if self.force is not None:
            return self.force(depth, rate, ops)
        spring = self.stiffness * (depth if self.exponent == LINEAR else depth * ops.sqrt(depth))
        return spring + self.damping * rate

    @property
    def order(self) -> int:
        """Which derivative of the force the acceleration of the contact point decides."""
        if self.mass:
            return 0
        return 1 if self.resistance(SHALLOW, 1e-3, FLOATS) != self.resistance(SHALLOW, 0.0, FLOATS) else 2

    @property
    def least(self) -> float:
        """The smallest answer that is divided by: that at a shallow depth."""
        return float(self.answer(SHALLOW, 0.0, FLOATS)[1])

    def answer(self, depth: Scalar, rate: Scalar, ops: Operations) -> tuple[list[Scalar], Scalar]:
        """The force and its derivatives up to the order for a steady rate, and what the acceleration adds to the last.

        They are linear in the acceleration, so that two evaluations tell both.
        """
        steady = self._derivatives(depth, rate, 0.0, ops)
        return steady, self._derivatives(depth, rate, 1.0, ops)[-1] - steady[-1]

    def _derivatives(self, depth: Scalar, rate: Scalar, acceleration: float, ops: Operations) -> list[Scalar]:
        motion = Taylor.of_derivatives([depth, rate, acceleration, 0.0])
        nothing = Taylor([0.0] * len(motion.c))  # a force that does not depend on the motion is a number
        force = nothing + self.resistance(motion, motion.rate(), TaylorOperations(ops))
        found = force.derivatives()[: self.order + 1]
        return [found[0] + self.mass * acceleration] if self.mass else found
