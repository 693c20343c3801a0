"""Backlash: a gap between two elastic contacts."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.law import Guard, Reaction, Situation
from gearwright.forces.nonlinear_spring import NonlinearSpring

GAP, UPPER, LOWER = "gap", "upper", "lower"


@dataclass(frozen=True)
class Backlash(NonlinearSpring):
    r"""A spring with a gap b, its contacts as modes, so that they are met and left exactly.

    With the twist x: gap, $|x| < b/2$: no torque; upper, $x > b/2$: $-(T(x - b/2) + D)$; lower, $x < -b/2$:
    $-(T(x + b/2) + D)$, with $|D| \le c |T|$ as for every spring with a gap: neither does it pull, nor does the torque
    jump. The quantities are those of Modelica's `ElastoBacklash`.

    Args:
        name, twist, curve, damping, gap, instead_of, unit, damping_limit: as for NonlinearSpring; the gap is positive.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        hint = "Without a gap use NonlinearSpring."
        require_range(self.name, "gap", self.gap, above=0, hint=hint, error=TrainError)

    @property
    def modes(self) -> tuple[str, ...]:
        """In the gap, or in contact on one side."""
        return (GAP, UPPER, LOWER)

    def start(self, situation: Situation) -> str:
        """By the twist."""
        x, half = self.twist.position(situation), 0.5 * self.gap
        return UPPER if x > half else LOWER if x < -half else GAP

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Contacts are met and left."""
        x, w, half = self.twist.position(situation), self.twist.speed(situation), 0.5 * self.gap
        size = min(1.0, float(self.gap))
        if mode == UPPER:
            return (Guard(x - half, GAP, rate=w, scale=size),)
        if mode == LOWER:
            return (Guard(-half - x, GAP, rate=-w, scale=size),)
        return (Guard(half - x, UPPER, rate=-w, scale=size), Guard(x + half, LOWER, rate=w, scale=size))

    def _beyond(self, mode: str, situation: Situation) -> Scalar:
        """The branch of its own mode, also where a trial step has gone beyond it."""
        if mode == GAP:
            return 0.0
        side = 0.5 * self.gap if mode == UPPER else -0.5 * self.gap
        return self.twist.position(situation) - side
