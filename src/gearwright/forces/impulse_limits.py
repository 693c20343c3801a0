r"""What a law with modes does over a fixed step: impulses along its holds, each within a limit.

A time-stepping method (Moreau 1988) does not look for the moment at which a mode ends. It takes every hold of a law as
an impulse P over the step and asks a *limit* for it: P is what the hold would need, cut to what the law can give. The
limit is a monotone relation between P and the speed w along the line at the end of the step, stated once per law over
scalars of any kind, and solved in closed form for one line, everything else being as it is: w = speed + answer * P.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from gearwright.algebra import Operations, Scalar


class Meeting(NamedTuple):
    """What one impulse meets; impulses are counted by the speed [rad/s, m/s] that they bring along their own line.

    Args:
        speed: speed along its line at the end of the step without it.
        target: the speed that its hold wants.
        answer: the speed that a unit impulse [Nms, Ns] brings, positive.
        yields: the part of a missing speed that it is asked for, 1 unless its hold is compliant.
        entering: what enters a gear without it, for limits that ask for it.
        share: how much less enters there per unit of this impulse.
        ops: operations of the scalars.
        relief: what friction along the same line may add to the speed at least and at most, beyond what it does.
        free: speed along its line at the end of the step without any impulse.
    """

    speed: Scalar
    target: Scalar
    answer: Scalar
    yields: Scalar
    entering: Scalar
    share: Scalar
    ops: Operations
    relief: tuple[Scalar, ...] = ()
    free: Scalar = 0.0


class Entering(NamedTuple):
    """The torque that enters a gear, from what a law's own drags and holds feel.

    Args:
        flows: weight of the flow of each of the law's drags.
        impulses: weight of the impulse of each of its holds; () for none.
        given: what comes in besides [Nm, N].
    """

    flows: tuple[Scalar, ...] = ()
    impulses: tuple[Scalar, ...] = ()
    given: Scalar = 0.0


class Limit(Protocol):
    """What a law can give along a hold."""

    @property
    def entering(self) -> Entering | None:
        """What it has to know of the torque that enters a gear, or of an impulse that presses it."""

    def impulse(self, meeting: Meeting) -> Scalar:
        """The impulse over the step, as the speed that it brings."""


def within(low: Scalar, x: Scalar, high: Scalar, ops: Operations) -> Scalar:
    """X cut to bounds that are numbers; NaN stays NaN. On vectors this takes half as long as minimum and maximum."""
    above = ops.where(x < low, low, x)
    return ops.where(above > high, high, above)
