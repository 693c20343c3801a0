"""What compliant surfaces and environments do over a fixed step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import Scalar
from gearwright.forces.impulse_limits import Entering, Meeting
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import resisting
from gearwright.mechanism.rows import Terms


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
