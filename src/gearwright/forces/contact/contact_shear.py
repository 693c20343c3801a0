r"""The shear of a contact before it slips: spring and damper in series with Coulomb's slider.

With the shear z, the velocity u along the contact and the force $w = k z + d\,u$ of a contact that sticks, the friction
force is $f = -\min(1, L / |w|)\,w$ for the limit L, and the shear follows, $d\,\dot z = -f - k z$. Compliant surfaces
and constraints with friction share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar

LEAST_STICKING_FORCE = 1e-12
"""Tangential force [N] below which friction has no direction."""


class ContactShear(NamedTuple):
    """Stiffness k [N/m] and damping d [Ns/m] along a contact."""

    stiffness: Scalar
    damping: Scalar

    def sticking_forces(self, shear: Sequence[Scalar], velocity: Sequence[Scalar]) -> list[Scalar]:
        """The forces w of a contact that sticks."""
        return [self.stiffness * z + self.damping * u for z, u in zip(shear, velocity, strict=True)]

    def middle_forces(self, shear: Sequence[Scalar], velocity: Sequence[Scalar], step: Scalar) -> list[Scalar]:
        """The same in the middle of a step [s]."""
        return self.sticking_forces([z + 0.5 * step * u for z, u in zip(shear, velocity, strict=True)], velocity)

    def impulse_slope(self, step: Scalar) -> Scalar:
        """The increase of the impulse over a step per unit velocity."""
        return step * (0.5 * step * self.stiffness + self.damping)

    def rates(self, friction: Sequence[Scalar], shear: Sequence[Scalar], step: Scalar = 0.0) -> list[Scalar]:
        """The rates of the shear; over a step by backward Euler under the mean friction force."""
        damping = self.damping + step * self.stiffness
        return [(-f - self.stiffness * z) / damping for f, z in zip(friction, shear, strict=True)]

    def dissipated_power(
        self,
        friction: Sequence[Scalar],
        velocity: Sequence[Scalar],
        shear: Sequence[Scalar],
        rates: Sequence[Scalar],
    ) -> Scalar:
        """The power that friction takes from the machine and does not store in the shear."""
        power: Scalar = 0.0
        for f, u, z, rate in zip(friction, velocity, shear, rates, strict=True):
            power = power - f * u - self.stiffness * z * rate
        return power

    def stored_energy(self, shear: Sequence[Scalar]) -> Scalar:
        """The energy of the spring."""
        return sum((0.5 * self.stiffness * z * z for z in shear), 0.0)


def force_size(forces: Sequence[Scalar], ops: Operations) -> Scalar:
    """Return the magnitude of tangential forces, never zero."""
    return ops.sqrt(sum((w * w for w in forces), LEAST_STICKING_FORCE**2))
