"""A controller's model of the environment: mass, stiffness and damping, or a force function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gearwright.algebra import FLOATS, Operations, Scalar
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError

ResistanceFunction = Callable[[Scalar, Scalar, Operations], Scalar]
"""(depth [m], its rate [m/s], operations) -> force [N]."""

RESPONSE_FLOOR_DEPTH = 1e-4
"""Depth [m] below which the stiffness is that at this depth: a Hertz contact has no stiffness at depth 0."""

LINEAR_EXPONENT, HERTZ_EXPONENT = 1.0, 1.5
"""Exponents of force over depth: a linear spring, and Hertzian contact."""


@check_arguments
@dataclass(frozen=True)
class KnownEnvironment:
    r"""A controller's model of a dynamic environment along one normal, $F = m \ddot\delta + r(\delta, \dot\delta)$.

    $\delta$ is the indentation depth, and $r = k\,\delta^p + d\,\dot\delta$ or a function. The model determines what
    the controller can prescribe: with mass the force itself, for a massless damped surface the rate of the force, for a
    massless spring its second derivative.

    Args:
        stiffness: k [N/m], [N/m^1.5] after Hertz.
        damping: d [Ns/m].
        mass: mass m moving with the contact point [kg]; 0: a massless surface.
        exponent: p, 1 or 1.5 (Hertz).
        force: r as a function (depth, rate, ops) -> N written over `ops`, instead of k, d and p. It must
            increase with the depth.

    >>> models = KnownEnvironment(stiffness=2e4), KnownEnvironment(2e4, 50.0), KnownEnvironment(2e4, mass=3.0)
    >>> [model.force_order for model in models]
    [2, 1, 0]
    """

    stiffness: float = 0.0
    damping: float = 0.0
    mass: float = 0.0
    exponent: float = LINEAR_EXPONENT
    force: ResistanceFunction | None = None

    def __post_init__(self) -> None:
        for name, unit in (("stiffness", "N/m"), ("damping", "Ns/m"), ("mass", "kg")):
            real_number("control.KnownEnvironment", name, getattr(self, name), least=0.0, unit=unit)
        if self.exponent not in (LINEAR_EXPONENT, HERTZ_EXPONENT):
            raise InputError(
                f"control.KnownEnvironment: the exponent is {self.exponent!r}. Give 1 (linear) or 1.5 (Hertz)."
            )
        if self.force is not None and (self.stiffness or self.damping):
            raise InputError("control.KnownEnvironment: both a force function and numbers are given. Give one of them.")
        if not self.mass and not self.least_response > 0:
            raise InputError(
                f"control.KnownEnvironment: at {RESPONSE_FLOOR_DEPTH:g} m its force increases neither with the depth "
                "nor with its rate; without mass it has no resistance. Give a stiffness."
            )

    def resistance_force(self, depth: Scalar, rate: Scalar, ops: Operations) -> Scalar:
        """Return the force r [N]."""
        if self.force is not None:
            return self.force(depth, rate, ops)
        spring = self.stiffness * (depth if self.exponent == LINEAR_EXPONENT else depth * ops.sqrt(depth))
        return spring + self.damping * rate

    @property
    def force_order(self) -> int:
        """Order of the force derivative determined by the acceleration of the contact point."""
        if self.mass:
            return 0
        return (
            1
            if self.resistance_force(RESPONSE_FLOOR_DEPTH, 1e-3, FLOATS)
            != self.resistance_force(RESPONSE_FLOOR_DEPTH, 0.0, FLOATS)
            else 2
        )

    @property
    def least_response(self) -> float:
        """Lower bound of the divisor: the response at a shallow depth."""
        return float(self.force_response(RESPONSE_FLOOR_DEPTH, 0.0, FLOATS)[1])

    def force_response(self, depth: Scalar, rate: Scalar, ops: Operations) -> tuple[list[Scalar], Scalar]:
        """Return the force and its derivatives up to the order at constant rate, and the last per unit acceleration.

        They are linear in the acceleration, so two evaluations suffice.
        """
        steady = self._force_derivatives(depth, rate, 0.0, ops)
        return steady, self._force_derivatives(depth, rate, 1.0, ops)[-1] - steady[-1]

    def _force_derivatives(self, depth: Scalar, rate: Scalar, acceleration: float, ops: Operations) -> list[Scalar]:
        motion = Taylor.of_derivatives([depth, rate, acceleration, 0.0])
        zero = Taylor([0.0] * len(motion.c))  # a force independent of the motion is a number
        force = zero + self.resistance_force(motion, motion.rate(), TaylorOperations(ops))
        derivatives = force.derivatives()[: self.force_order + 1]
        return [derivatives[0] + self.mass * acceleration] if self.mass else derivatives
