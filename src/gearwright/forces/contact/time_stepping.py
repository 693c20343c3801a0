"""Fixed-step models of compliant surfaces and environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import Scalar
from gearwright.forces.impulse_limits import ImpulseRequest, PortInflow
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import resisting_impulse
from gearwright.mechanism import Terms


@dataclass(frozen=True)
class CompliantContactImpulse:
    """A unilateral spring and damper, evaluated at the end of the step: max(0, push + slope u).

    Args:
        push: the force at zero rate of compression, times the step [Ns].
        slope: its derivative by the rate u, times the step.
    """

    push: Scalar
    slope: Scalar
    inflow: PortInflow | None = None

    def limited_impulse(self, request: ImpulseRequest) -> Scalar:
        """The impulse along a gap that decreases with compression."""
        compression = request._replace(speed=-request.speed)
        return request.ops.maximum(resisting_impulse(self.push, self.slope, compression), 0.0)


class CombinedLine(Line):
    """A linear combination of placed lines."""

    def __init__(self, lines: Sequence[Line], factors: Sequence[Scalar]) -> None:
        self._parts, self.speeds = tuple(zip(lines, factors, strict=True)), lines[0].speeds

    @property
    def name(self) -> str:
        """Its name."""
        return " and ".join(line.name for line, _ in self._parts)

    @cached_property
    def terms(self) -> Terms:  # type: ignore[override]
        """The row."""
        row: dict[int, Scalar] = {}
        for line, factor in self._parts:
            for k, x in line.terms:
                row[k] = row[k] + factor * x if k in row else factor * x
        return tuple(sorted(row.items()))

    @property
    def time_rate(self) -> Scalar:
        """The part of the speed along it that is due to explicit time."""
        (first, factor), *other_parts = self._parts
        total = factor * first.time_rate
        for line, factor in other_parts:
            total = total + factor * line.time_rate
        return total
