"""Friction of a bearing or seal, at the motor's shaft or at a joint."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import DriveError
from gearwright.parts.checks import require_at_least


@check_arguments
@dataclass(frozen=True)
class Friction:
    r"""Viscous, Coulomb, Stribeck or LuGre friction of a bearing; the given numbers determine the model.

    While sliding with the speed $\omega$, the friction against the motion is

    $\mathrm{sign}(\omega) (F_C + (F_S - F_C) e^{-(\omega/\omega_S)^2}) + d \omega$,

    and at rest any value up to $F_S$. With a bristle `stiffness` $\sigma_0$ (and `damping` $\sigma_1$) it is the LuGre
    model: bristles deflect by z with $\dot z = \omega - \sigma_0 |\omega| z / g(\omega)$, where g is the bracket above,
    and friction is $\sigma_0 z + \sigma_1 \dot z + d \omega$.

    Args:
        coulomb: friction while sliding, $F_C$ [Nm or N].
        viscous: per speed, d [Nms/rad or Ns/m].
        static: breakaway friction, $F_S$ [Nm or N]; by default the Coulomb friction.
        stribeck_speed: speed over which static falls to Coulomb friction, $\omega_S$ [rad/s or m/s]; None: immediately.
        stiffness: of the bristles, $\sigma_0$ [Nm/rad or N/m]: makes it the LuGre model.
        damping: of the bristles, $\sigma_1$ [Nms/rad or Ns/m].

    >>> Friction(coulomb=0.2, static=0.3, stribeck_speed=0.1).kind
    'stribeck'
    """

    coulomb: Scalar = 0.0
    viscous: Scalar = 0.0
    static: Scalar | None = None
    stribeck_speed: Scalar | None = None
    stiffness: Scalar | None = None
    damping: Scalar = 0.0

    def __post_init__(self) -> None:
        words = ("coulomb", "viscous", "static", "damping")
        require_at_least("friction", 0.0, **{word: getattr(self, word) for word in words})
        require_at_least("friction", 0.0, above=True, stribeck_speed=self.stribeck_speed, stiffness=self.stiffness)
        if is_number(self.static) and is_number(self.coulomb) and self.static < self.coulomb:
            raise DriveError(
                f"friction: static {self.static} is less than coulomb {self.coulomb}. The breakaway friction is at "
                f"least the sliding friction. Swap them, or leave `static` out."
            )
        if self.stiffness is not None and self.has_stiction and self.stribeck_speed is None:
            raise DriveError(
                f"friction: with bristles (stiffness {self.stiffness}) static {self.static} above coulomb "
                f"{self.coulomb} needs a stribeck_speed. Give one, or leave `static` out."
            )
        if self.stiffness is not None and is_zero(self.coulomb):
            raise DriveError(
                f"friction: bristles of stiffness {self.stiffness} with coulomb 0 transmit no force. Give a coulomb "
                f"friction above 0."
            )
        if self.stiffness is None and not is_zero(self.damping):
            raise DriveError(
                f"friction: `damping` {self.damping} is that of the bristles, which need a `stiffness`. Give one for "
                "the LuGre model, or call it `viscous`."
            )

    @property
    def has_stiction(self) -> bool:
        """Whether the sliding friction is less than the breakaway friction."""
        return self.static is not None and not is_zero(self.static - self.coulomb)

    @property
    def breakaway_friction(self) -> Scalar:
        """The breakaway friction [Nm or N]."""
        return self.coulomb if self.static is None else self.static

    @property
    def kind(self) -> str:
        """none, viscous, coulomb, stribeck or lugre."""
        if self.stiffness is not None:
            return "lugre"
        if self.has_stiction:
            return "stribeck"
        if not is_zero(self.coulomb):
            return "coulomb"
        return "none" if is_zero(self.viscous) else "viscous"


def combined_friction(friction: Scalar | Friction, damping: Scalar) -> Friction:
    """Return the friction of a part: a number is the Coulomb friction; `damping` is additional viscous friction.

    >>> combined_friction(0.5, 0.1)
    Friction(coulomb=0.5, viscous=0.1, static=None, stribeck_speed=None, stiffness=None, damping=0.0)
    """
    if not isinstance(friction, Friction):
        return Friction(friction, damping)
    return friction if is_zero(damping) else replace(friction, viscous=friction.viscous + damping)
