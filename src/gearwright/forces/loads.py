"""Loads: external forces that do not act through a drive's gear."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.argument_kinds import check_arguments
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line


@check_arguments
@dataclass(frozen=True)
class Load(Law):
    """A force along a line, given as an input of the same name [Nm, N].

    `tau.<joint>` of a driven joint is the motor's torque, which acts through the gear with its losses; a load acts
    directly on the joint.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> Load("weight", Line.for_machine(arm, "j2")).inputs[0].name
    'weight'
    """

    name: str
    line: Line
    unit: str = "Nm"

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The force."""
        return (Quantity(self.name, self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """The force along the line."""
        return Action(forces=(Force(self.line, situation.inputs[0]),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The supplied power."""
        return Outcome(supplied=situation.inputs[0] * situation.speed(self.line))
