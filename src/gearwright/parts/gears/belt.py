"""Belts and chains, with the mass of the belt itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearBox, Turning, X
from gearwright.parts.gears.forces.pitch_points import spans
from gearwright.parts.gears.forces.tooth_forces import missing
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.member import NO_MEMBER, Elasticity, Member, require_positive


class PitchLine(NamedTuple):
    """The curve of a belt in its plane, x from the first pulley's centre to the second's, line density 1.

    Length l [m], signed area A [m2] about the axis, centroid x [m], central second moments of the curve across x and
    across y (so that `across_x` is the inertia about the x axis) [m3].
    """

    length: float
    area: float
    centroid: float
    about_x: float
    about_y: float


@dataclass(frozen=True, kw_only=True)
class Belt(Elasticity):
    r"""A belt or chain between a pulley on the motor and one on the joint, open or crossed.

    Its own mass turns with it as one spin: with line density $\lambda$, pitch line of length l and signed area A, and
    the driver's radius r: $J = \lambda l r^2$, $J_c = 2 \lambda A r$. A crossed belt turns the direction round.

    Args:
        driver: pitch radius of the motor's pulley [m].
        driven: pitch radius of the joint's pulley [m].
        distance: distance of the two axes [m].
        line_density: mass per length [kg/m].
        crossed: whether the belt is crossed.
        towards: direction from the driver to the driven pulley in the mount's frame; from the motor's position to the
            joint's origin unless given.
        driver_member, driven_member: mass and inertia of the pulleys.
        pretension: tension of each span while nothing is driven [N], for the forces on the pulleys; a chain needs none.
        friction_coefficient: of a belt without teeth on its pulleys (of a V belt by the sine of half its groove's
            angle), for the pretension that it needs; None: it has teeth.
        kind: "belt" or "chain".

    >>> Belt(driver=0.02, driven=0.06, distance=0.3).ratio
    3.0
    """

    driver: float
    driven: float
    distance: float | None = None
    line_density: Scalar = 0.0
    crossed: bool = False
    towards: Any = None
    driver_member: Member = NO_MEMBER
    driven_member: Member = NO_MEMBER
    pretension: Scalar | None = None
    friction_coefficient: Scalar | None = None
    kind: str = "belt"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self.kind, driver=self.driver, driven=self.driven, distance=self.distance)
        require_range(self.kind, "pretension", self.pretension, least=0, unit="N", error=TrainError)
        require_positive(self.kind, friction_coefficient=self.friction_coefficient)
        if self.heavy and self.distance is None:
            raise TrainError(f"{self.kind}: it has a line density but no distance of its axes. Give the distance.")
        if self.distance is not None and self.distance <= self.driver + self.driven:
            raise TrainError(
                f"{self.kind}: pulleys of radius {self.driver} and {self.driven} m touch at a distance of "
                f"{self.distance} m. Move them apart."
            )

    @property
    def heavy(self) -> bool:
        """Whether the belt's own mass counts."""
        return not (isinstance(self.line_density, int | float) and self.line_density == 0)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (-1.0 if self.crossed else 1.0) * self.driven / self.driver

    @cached_property
    def pitch_line(self) -> PitchLine:
        """The curve of the belt."""
        assert self.distance is not None
        return pitch_line(self.driver, self.driven, self.distance, self.crossed)

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """Pulleys and belt per unit speed of the driven pulley."""
        found = self.input_wheel(self.ratio) + self.driver_member.wheel("driver", self.ratio)
        found += self.driven_member.wheel("driven", 1.0, about="joint")
        return found + self._belt() if self.heavy else found

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def gear_box(self) -> GearBox | None:
        """Two pulleys and the two spans between them; the slack span of a chain carries nothing unless it is stated."""
        if self.unknown_teeth is not None or self.distance is None:
            return None
        tension = 0.0 if self.pretension is None else float(self.pretension)
        wheels = Turning("driver"), Turning("driven", at=self.distance * X)
        between = spans(self.driver, self.driven, self.distance, self.crossed, tension)
        return GearBox(wheels, (between,), "driver", "driven")

    @property
    def unknown_teeth(self) -> str | None:
        """The distance of its axes, and the pretension of a belt."""
        tension = 0.0 if self.kind == "chain" else self.pretension
        return missing(distance=self.distance, pretension=tension)

    @property
    def wrap_angle(self) -> float:
        """Of the belt about the pulley on which it lies less [rad]."""
        assert self.distance is not None
        both = self.driver + self.driven if self.crossed else -abs(self.driver - self.driven)
        return math.pi + 2 * math.asin(both / self.distance)

    def needed_pretension(self, torque: float) -> float:
        r"""The least tension at rest with which it hands on a torque [N].

        With teeth (or as a chain) no span may hang loose, $F_t / 2$; without teeth the spans differ by Euler's
        $e^{\mu \theta}$ at most, $F_t / 2 \coth(\mu \theta / 2)$, with the wrap angle $\theta$.

        >>> belt = Belt(driver=0.05, driven=0.05, distance=0.3, pretension=100, friction_coefficient=0.3)
        >>> round(belt.needed_pretension(5.0), 2)
        113.84
        """
        half = abs(torque) / float(self.driven) / 2
        if self.friction_coefficient is None:
            return half
        return half / math.tanh(float(self.friction_coefficient) * self.wrap_angle / 2)

    def _belt(self) -> tuple[Wheel, ...]:
        curve, density, r = self.pitch_line, self.line_density, self.driver
        axial = density * (curve.about_x + curve.about_y)
        return (
            Wheel(
                self.kind,
                density * curve.length * r * r,
                self.ratio,
                mass=density * curve.length,
                transverse_inertia=axial * 0.5,
                coupling=2 * density * curve.area * r,
                radius=curve.centroid,
                towards="joint" if self.towards is None else self.towards,
                shape=(density * curve.about_x, density * curve.about_y, axial),
            ),
        )


def pitch_line(r: float, r2: float, d: float, crossed: bool) -> PitchLine:
    """Length, signed area, centroid and central second moments of a belt's curve.

    >>> line = pitch_line(0.1, 0.1, 1.0, crossed=False)
    >>> round(line.length - (2 + 0.2 * math.pi), 12), round(line.area - (0.2 + 0.01 * math.pi), 12), line.centroid
    (0.0, 0.0, 0.5)
    """
    length = first = xx = yy = area = 0.0
    for piece in _pieces(r, r2, d, crossed):
        length, area = length + piece[0], area + piece[1]
        first, xx, yy = first + piece[2], xx + piece[3], yy + piece[4]
    centroid = first / length
    return PitchLine(length, area, centroid, yy, xx - length * centroid**2)


def _pieces(r: float, r2: float, d: float, crossed: bool) -> Iterator[tuple[float, float, float, float, float]]:
    """Two straight parts and two arcs, each as (length, signed area, integral of x, of x^2, of y^2) along it."""
    sign = -1.0 if crossed else 1.0
    th = math.acos((r - sign * r2) / d)  # where the straight part leaves the first pulley, from the line of centres
    start = (r * math.cos(th), r * math.sin(th))
    end = (d + sign * r2 * math.cos(th), sign * r2 * math.sin(th))
    for mirror in (1.0, -1.0):
        yield _straight((start[0], mirror * start[1]), (end[0], mirror * end[1]), mirror)
    wrapped = th if not crossed else math.pi - th
    yield _arc(0.0, r, math.pi, math.pi - th, 1.0)
    yield _arc(d, r2, 0.0, wrapped, sign)


def _straight(a: tuple[float, float], b: tuple[float, float], turn: float) -> tuple[float, float, float, float, float]:
    """A straight part from a to b; the belt runs along the upper one (turn 1) backwards, about +z."""
    length = math.dist(a, b)
    xx = length * (a[0] ** 2 + a[0] * b[0] + b[0] ** 2) / 3
    yy = length * (a[1] ** 2 + a[1] * b[1] + b[1] ** 2) / 3
    return length, turn * (b[0] * a[1] - a[0] * b[1]) / 2, length * (a[0] + b[0]) / 2, xx, yy


def _arc(centre: float, r: float, middle: float, half: float, sense: float) -> tuple[float, float, float, float, float]:
    """An arc about (centre, 0) from middle - half to middle + half, run through in the sense +1 or -1 about z."""
    length, chord = 2 * half * r, 2 * r * math.sin(half) * math.cos(middle)
    swing = r * math.sin(2 * half) / 2
    xx = centre**2 * length + 2 * centre * r * chord + r * r * (half * r + swing)
    yy = r * r * (half * r - swing)
    area = sense * (r * r * half + centre * r * math.sin(half) * math.cos(middle))
    return length, area, centre * length + r * chord, xx, yy
