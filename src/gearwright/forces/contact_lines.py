"""Along what contacts act: the gap to a surface, and the slip along a curved one."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar, Vec
from gearwright.algebra.taylor import Jet
from gearwright.forces.configuration import Anchor, Configuration
from gearwright.forces.coordinates import Point
from gearwright.parts.surface import Surface


@dataclass(frozen=True)
class Gap:
    """How far a point is from a surface that is fixed in a frame."""

    point: Point
    surface: Surface
    relative_to: Anchor

    def __call__(self, configuration: Configuration) -> Scalar:
        """The gap [m]."""
        place = configuration.seen_from(self.relative_to, self.point.at(configuration))
        return self.surface.gap(place, configuration.ops)


@dataclass(frozen=True)
class Slip:
    """How a point moves along a curved surface: not a place, but its row, rate and speed are those of sliding.

    The tangent is taken where the point is and does not turn with it: what that leaves out of the acceleration is
    zero where the point sticks, and is not asked for where it slides.
    """

    point: Point
    surface: Surface
    relative_to: Anchor
    which: int

    def __call__(self, configuration: Configuration) -> Scalar:
        """The place along the tangent [m]."""
        place = configuration.seen_from(self.relative_to, self.point.at(configuration))
        still = Vec(*(x.c[0] if isinstance(x, Jet) else x for x in place))
        return place.dot(self.surface.tangents_at(still, configuration.ops)[self.which])
