"""What ends a mode of a law, and the impact that may come with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.forces.line import Line
from gearwright.forces.scene import Scene


@dataclass(frozen=True)
class Impact:
    """A sudden stop of the speed along a line: afterwards it is -restitution times what it was.

    With friction along one or two other lines at right angles, the restitution is energetic.
    """

    line: Line
    restitution: Scalar = 0.0
    across: tuple[Line, ...] = ()
    friction: float = 0.0

    def placed(self, scene: Scene) -> Impact:
        """The same along placed lines."""
        across = tuple(line.placed(scene) for line in self.across)
        return replace(self, line=self.line.placed(scene), across=across)


@dataclass(frozen=True)
class Guard:
    """A mode lasts while `value` is positive; then comes the mode `to`.

    Args:
        value: what must stay positive.
        to: the next mode.
        rate: its rate, which decides when the value is zero at a start; None: zero is allowed. Modes that lead to each
            other must decide by the same: where a speed may be rounding, by `sticking.onward`.
        scale: what is large for the value; a billionth of it counts as zero.
        impact: the speed jump that comes with the change.
        when: whether this is the guard that counts. Where the next mode depends on numbers, there is a guard for each,
            all of one value; a run stops where the value ends, and only then looks which of them counts.
    """

    value: Scalar
    to: str
    rate: Scalar | None = None
    scale: Scalar = 1.0
    impact: Impact | None = None
    when: Scalar = True

    def placed(self, scene: Scene) -> Guard:
        """The same with the line of its impact placed."""
        if self.impact is None or self.impact.line.constant:
            return self
        return replace(self, impact=self.impact.placed(scene))
