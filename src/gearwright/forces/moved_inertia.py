"""Inertia along a line that no body of the machine has: of a cord, of a rotor that a cord turns."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.arguments import require_range
from gearwright.forces.law import Action, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line


@dataclass(frozen=True)
class MovedInertia(Law):
    r"""Something of inertia J that moves with a line: the force $-J \ddot s$ along it, and the energy $J \dot s^2/2$.

    Along a constant row a balanced `Spin` does the same inside the mass matrix; along a coordinate s(q, t) the row
    changes, and with $\ddot s = b \cdot a + drift$ it is a law.

    Args:
        name: its name.
        line: along what it moves.
        inertia: J [kg m2, kg].
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> MovedInertia("flywheel", Line.of(arm, "j2"), 0.5).inertia
    0.5
    """

    name: str
    line: Line
    inertia: float
    unit: str = "Nm"

    def __post_init__(self) -> None:
        require_range(self.name, "inertia", self.inertia, above=0.0, hint="Leave the law out instead of 0.")

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold that yields to force as the inertia does."""
        return Action(holds=(Hold(self.line, 0.0, 1.0 / self.inertia),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The kinetic energy it has."""
        speed = situation.speed(self.line)
        signals = {f"{self.name}.force": reaction.multipliers[0]}
        return Outcome(stored=0.5 * self.inertia * speed * speed, signals=signals)
