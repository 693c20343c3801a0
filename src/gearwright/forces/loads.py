"""Loads: external forces that do not act through a drive's gear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
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


@check_arguments
@dataclass(frozen=True)
class FunctionForce(Law):
    r"""A force along a line as a function of position, speed and time, $f(s, \dot s, t)$ [Nm, N].

    Gas forces, nonlinear springs and dampers, characteristics. Its power counts as supplied. With `ops.where`,
    `ops.exp` and the other operations of its last argument, the function runs in kernels and batches, too.

    Args:
        name: its name.
        line: the speed or coordinate along which it acts, such as that of `gw.forces.distance`.
        function: the force of (s, speed, t, ops).
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> gas = FunctionForce("gas", Line.for_machine(gw.assemble(gw.load("elbow")), "j2"),
    ...                     lambda s, speed, t, ops: ops.where(speed > 0.0, -2.0, 1.0) * s * s)
    >>> run = gw.simulate(gw.load("elbow"), [0, 0.5, 0], until=0.1, samples=2, extra_laws=[gas])
    >>> bool(run.drift < 1e-6), float(run["gas.force"][0])
    (True, 0.25)
    """

    name: str
    line: Line
    function: Callable[[Scalar, Scalar, Scalar, Operations], Scalar]
    unit: str = "Nm"

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """The force along the line."""
        return Action(forces=(Force(self.line, self._force(situation)),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The supplied power and the force."""
        force = self._force(situation)
        return Outcome(supplied=force * situation.speed(self.line), signals={f"{self.name}.force": force})

    def _force(self, situation: Situation) -> Scalar:
        position, speed = situation.position(self.line), situation.speed(self.line)
        return self.function(position, speed, situation.t, situation.ops)
