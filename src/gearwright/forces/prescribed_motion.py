"""Prescribed motion: a line of the machine that an ideal drive moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.law import Action, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line

AccelerationFunction: TypeAlias = Callable[[Scalar, Scalar, Scalar], Scalar]
"""Acceleration along the line from time, position and speed along it."""


@check_arguments
@dataclass(frozen=True)
class IdealDrive(Law):
    r"""An ideal drive: it enforces $\ddot s = target(t, s, \dot s)$ along the line with unlimited force.

    The multiplier of the constraint is the force of the drive [Nm, N], reported as `<name>.force`. The run must
    start with the initial position and speed of the motion.

    Args:
        name: its name.
        line: the driven line.
        target: acceleration from time [s], position and speed along the line.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> led = IdealDrive("turret", Line.for_machine(arm, "j1"), lambda t, s, w: 0.5)
    >>> situation = Situation(0.0, [0.0] * 3, [0.0] * 3, (), (), None, arm)
    >>> led.act("on", situation).holds[0].target
    0.5
    """

    name: str
    line: Line
    target: AccelerationFunction

    @staticmethod
    def from_motion(
        name: str, line: Line, motion: Callable[[Scalar], tuple[Scalar, Scalar, Scalar]], rate: float
    ) -> IdealDrive:
        """A drive that follows `motion(t)` = (position, speed, acceleration); errors decay as exp(-rate t).

        `rate` [1/s] is 0 or more; with 0 rounding errors grow, a value of about 10 suppresses them.

        >>> import gearwright as gw
        >>> arm = gw.assemble(gw.load("elbow"))
        >>> j1 = Line.for_machine(arm, "j1")
        >>> led = IdealDrive.from_motion("turret", j1, lambda t: (t * t, 2 * t, 2.0), rate=10.0)
        >>> led.target(1.0, 1.0, 2.0)
        2.0
        """
        hint = "A negative rate would make errors grow."
        real_number(name, "rate", rate, least=0.0, unit="1/s", example=10.0, hint=hint)

        def target(t: Scalar, position: Scalar, speed: Scalar) -> Scalar:
            s, w, a = motion(t)
            return a + 2 * rate * (w - speed) + rate * rate * (s - position)

        return IdealDrive(name, line, target)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The force of the drive along the line."""
        return (Quantity(f"{self.name}.force", "Nm"),)

    def act(self, mode: str, situation: Situation) -> Action:
        """One constraint with the target acceleration."""
        position, speed = situation.position(self.line), situation.speed(self.line)
        target = self.target(situation.t, position, speed)
        if is_number(target) and not isfinite(target):
            raise InputError(f"{self.name}: the target is {target} at t = {situation.t:g} s. Return finite numbers.")
        return Action(holds=(Hold(self.line, target),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The supplied power, force times speed, and the force."""
        force = reaction.multipliers[0]
        return Outcome(supplied=force * situation.speed(self.line), signals={f"{self.name}.force": force})
