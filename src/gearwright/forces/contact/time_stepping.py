r"""What contacts do over a fixed step: impulses along the normal that only push, and friction within a cone.

Friction acts along the direction of sliding at the beginning of the step and across it, together with at most $\mu$
times the impulse along the normal of the same step: what is left across, $\sqrt{(\mu P_n)^2 - P_1^2}$, is nothing while
it slides, so that the direction may turn. The cone is met up to the turn of the direction within a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.forces.impulse_limits import Entering, Meeting, within
from gearwright.forces.law import Outcome, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import UNBOUNDED, Bounded, resisting
from gearwright.mechanism.rows import Terms

NORMAL, ALONG = Entering(impulses=(1.0, 0.0, 0.0)), Entering(impulses=(0.0, 1.0, 0.0))
"""The first impulses of a contact: along the normal, and along the direction of sliding."""

HALF = 0.5
"""Square of a direction's length below which it is none: it is 1 unless only rounding moves."""


@dataclass(frozen=True)
class Rubbing:
    """Friction along one direction: what brings it to rest, at most what the cone leaves.

    Args:
        friction: mu.
        entering: the impulse along the normal.
        mate: the impulse along the first direction, of friction along the second one.
    """

    friction: Scalar
    entering: Entering | None = NORMAL
    mate: Entering | None = None

    def impulse(self, meeting: Meeting) -> Scalar:
        """The projection on the bounds."""
        ops, most = meeting.ops, self.friction * meeting.ops.maximum(meeting.entering, 0.0)
        if self.mate is not None:
            most = ops.sqrt(ops.maximum(most * most - meeting.mate * meeting.mate, 0.0))
        return within(-most, (meeting.target - meeting.speed) * meeting.yields, most, meeting.ops)


@dataclass(frozen=True)
class Pushing:
    """A spring and damper that push and never pull, taken at the end of the step: max(0, push + slope u).

    Args:
        push: at no rate of compression, times the step [Ns].
        slope: what it grows by with the rate u, times the step.
    """

    push: Scalar
    slope: Scalar
    entering: Entering | None = None

    def impulse(self, meeting: Meeting) -> Scalar:
        """The push, along a gap that closes as it is compressed."""
        toward = meeting._replace(speed=-meeting.speed)
        return meeting.ops.maximum(resisting(self.push, self.slope, toward), 0.0)


class Mixed(Line):
    """A direction between placed lines: the sum of each times its factor."""

    def __init__(self, lines: Sequence[Line], factors: Sequence[Scalar]) -> None:
        self._parts, self.speeds = tuple(zip(lines, factors, strict=True)), lines[0].speeds

    @property
    def name(self) -> str:
        """What it is called."""
        return " and ".join(line.name for line, _ in self._parts)

    @cached_property
    def terms(self) -> Terms:  # type: ignore[override]
        """The row."""
        found: dict[int, Scalar] = {}
        for line, factor in self._parts:
            for k, x in line.terms:
                found[k] = found[k] + factor * x if k in found else factor * x
        return tuple(sorted(found.items()))

    @property
    def rate(self) -> Scalar:
        """What explicit time adds to the speed along it."""
        (first, factor), *others = self._parts
        total = factor * first.rate
        for line, factor in others:
            total = total + factor * line.rate
        return total


def meeting_limit(gap: Scalar, speed: Scalar, restitution: Scalar, capture: Scalar, ops: Operations) -> Bounded:
    """Beyond the surface in the middle of the step it pushes, until it leaves with what restitution asks for."""
    back = -restitution * speed
    return Bounded(0.0, ops.where(gap <= 0, UNBOUNDED, 0.0), ops.where(back > capture, back, 0.0))


def first_if_none(a: Scalar, b: Scalar, ops: Operations) -> tuple[Scalar, Scalar]:
    """A direction; the first axis for what has none: it rests, and has not been pulled yet."""
    none = a * a + b * b < HALF
    return ops.where(none, 1.0, a), ops.where(none, 0.0, b)


def turned_back(
    follow: Callable[[Situation, Reaction], Outcome], a: Scalar, b: Scalar
) -> Callable[[Situation, Reaction], Outcome]:
    """What follows, for a law that counts friction along its own two tangents and not along (a, b) and across."""

    def outcome(situation: Situation, reaction: Reaction) -> Outcome:
        normal, along, across = reaction.multipliers
        mine = [normal, a * along - b * across, b * along + a * across]
        return follow(situation, Reaction(reaction.a, mine, reaction.flows))

    return outcome
