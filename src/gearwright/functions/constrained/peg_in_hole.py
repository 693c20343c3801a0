"""A peg in a hole with friction and clearance: jamming and wedging (Whitney), quasi-static and in one plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError


class JammingVertex(NamedTuple):
    """A vertex of the jamming diagram: the contact that takes the whole load while the peg slides.

    Args:
        contact: "tip right", "mouth right", "tip left" or "mouth left".
        force: lateral force over insertion force.
        moment: moment about the tip over radius times insertion force.
    """

    contact: str
    force: float
    moment: float


@check_arguments
@dataclass(frozen=True)
class PegInHole:
    r"""A peg of radius r in a hole of radius R, at an insertion depth, with Coulomb friction.

    Loads act at the centre of the tip: the insertion force $F_z$ along the axis into the hole, the lateral force $F_x$
    to the right, and the moment M, positive from right to out of the hole. The peg touches at most one side of its tip
    and one side of the mouth of the hole. With $\lambda = l / (2 r \mu)$ it slides in if

    $$|F_x / F_z| < 1/\mu, \qquad |M / (r F_z) + \mu (1 + \lambda) F_x / F_z| < \lambda$$

    and jams otherwise. If $\lambda \le 1$, two opposite contacts lie in each other's friction cones: the peg can wedge,
    so that no load inserts it.

    Args:
        radius: r of the peg [m].
        clearance: R - r [m].
        friction: coefficient mu.
        depth: l, from the mouth of the hole to the tip [m].

    >>> peg = PegInHole(radius=0.01, clearance=2e-5, friction=0.3, depth=0.02)
    >>> round(peg.depth_ratio, 3), round(peg.wedging_depth, 4), peg.can_wedge
    (3.333, 0.006, False)
    >>> bool(peg.insertion_margin(10.0, 4.0, 0.0) > 0), bool(peg.insertion_margin(10.0, 4.0, 0.4) > 0)
    (True, False)
    """

    radius: float
    clearance: float
    friction: float
    depth: float

    def __post_init__(self) -> None:
        for name in ("radius", "friction", "depth"):
            real_number("PegInHole", name, getattr(self, name), above=0.0, example=0.01)
        real_number("PegInHole", "clearance", self.clearance, least=0.0, unit="m", example=1e-5)

    @property
    def depth_ratio(self) -> float:
        """Lambda = l / (2 r mu)."""
        return self.depth / (2 * self.radius * self.friction)

    @property
    def wedging_depth(self) -> float:
        """The depth up to which the peg can wedge, 2 r mu [m]."""
        return 2 * self.radius * self.friction

    @property
    def can_wedge(self) -> bool:
        """Whether two opposite contacts at this depth lie in each other's friction cones."""
        return self.depth <= self.wedging_depth

    @property
    def tilt(self) -> float:
        """The tilt of the peg with two opposite contacts at this depth: l sin t + 2 r cos t = 2 R [rad]."""
        length = math.hypot(self.depth, 2 * self.radius)
        opening = 2 * (self.radius + self.clearance)
        if opening > length:
            raise InputError(
                f"PegInHole: at depth {self.depth:g} m the peg is loose at any tilt: the hole of {opening:g} m is "
                f"wider than its diagonal of {length:g} m. Give a larger depth."
            )
        return math.asin(opening / length) - math.atan2(2 * self.radius, self.depth)

    @property
    def largest_tilt_without_wedging(self) -> float:
        """The tilt at the wedging depth [rad], about clearance / (r mu): a larger one may wedge the peg."""
        return PegInHole(self.radius, self.clearance, self.friction, self.wedging_depth).tilt

    @property
    def jamming_diagram(self) -> tuple[JammingVertex, ...]:
        """The vertices of the parallelogram of loads that insert the peg, over Fx / Fz and M / (r Fz), in order."""
        side, far = 1 / self.friction, 1 + 2 * self.depth_ratio
        return (
            JammingVertex("tip right", side, -1.0),
            JammingVertex("mouth left", -side, far),
            JammingVertex("tip left", -side, 1.0),
            JammingVertex("mouth right", side, -far),
        )

    def insertion_margin(self, insertion: ArrayLike, lateral: ArrayLike, moment: ArrayLike) -> Array:
        """Return the margin to jamming: positive inside the diagram, 1 at its centre, 0 at its edges.

        Args:
            insertion: Fz > 0 [N].
            lateral: Fx [N].
            moment: M about the tip [Nm].
        """
        forces = [
            as_float_array("PegInHole.insertion_margin", name, x)
            for name, x in (("insertion", insertion), ("lateral", lateral), ("moment", moment))
        ]
        if not np.all(forces[0] > 0):
            raise InputError(
                f"PegInHole.insertion_margin: insertion={forces[0].min():g} N must be positive, into the hole. Change "
                "its sign."
            )
        x, m = forces[1] / forces[0], forces[2] / (self.radius * forces[0])
        along, across = np.abs(self.friction * x), np.abs(m + self.friction * (1 + self.depth_ratio) * x)
        margin: Array = 1 - np.maximum(along, across / self.depth_ratio)
        return margin
