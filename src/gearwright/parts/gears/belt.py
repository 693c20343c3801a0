"""Belts and chains, with the mass of the belt itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gearwright.algebra import OptionalVector, Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import X_DIRECTION, GearStatics, MovingMember
from gearwright.parts.gears.forces.pitch_points import belt_spans
from gearwright.parts.gears.forces.tooth_forces import missing_fields_text
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.member import MASSLESS_MEMBER, GearWithMembers, Member, require_positive


class PitchLine(NamedTuple):
    """The pitch line of a belt in its plane, x from the first pulley's centre to the second's, line density 1.

    Length l [m], signed area A [m2] about the axis, centroid x [m], central second moments of the curve about x and
    about y (`across_x` is the inertia about the x axis) [m3].
    """

    length: float
    area: float
    centroid: float
    about_x: float
    about_y: float


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Belt(GearWithMembers):
    r"""A belt or chain between a pulley on the motor and one on the joint, open or crossed.

    The mass of the belt moves as one spin: with line density $\lambda$, pitch line of length l and signed area A, and
    the driver's radius r: $J = \lambda l r^2$, $J_c = 2 \lambda A r$. A crossed belt reverses the direction of
    rotation.

    Args:
        driver: pitch radius of the motor's pulley [m].
        driven: pitch radius of the joint's pulley [m].
        distance: centre distance of the two axes [m].
        line_density: mass per length [kg/m].
        crossed: whether the belt is crossed.
        towards: direction from the driver to the driven pulley in the mount's frame; by default from the motor's
            position to the joint's origin.
        driver_member, driven_member: mass and inertia of the pulleys.
        pretension: tension of each span without load [N], for the forces on the pulleys; a chain needs none.
        friction_coefficient: between a flat belt and its pulleys (for a V belt divided by the sine of half the groove
            angle), for the required pretension; None: a toothed belt.
        kind: "belt" or "chain".

    >>> Belt(driver=0.02, driven=0.06, distance=0.3).ratio
    3.0
    """

    driver: float
    driven: float
    distance: float | None = None
    line_density: Scalar = 0.0
    crossed: bool = False
    towards: OptionalVector = None
    driver_member: Member = MASSLESS_MEMBER
    driven_member: Member = MASSLESS_MEMBER
    pretension: Scalar | None = None
    friction_coefficient: Scalar | None = None
    kind: str = "belt"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self.kind, driver=self.driver, driven=self.driven, distance=self.distance)
        require_range(self.kind, "pretension", self.pretension, least=0, unit="N", error=TrainError)
        require_positive(self.kind, friction_coefficient=self.friction_coefficient)
        if self.has_belt_mass and self.distance is None:
            raise TrainError(
                f"{self.kind}: a line density needs the centre distance of the pulleys. Give the distance."
            )
        if self.distance is not None and self.distance <= self.driver + self.driven:
            raise TrainError(
                f"{self.kind}: pulleys of radius {self.driver} and {self.driven} m overlap at a centre distance of "
                f"{self.distance} m. Increase the distance."
            )

    @property
    def has_belt_mass(self) -> bool:
        """Whether the mass of the belt is modelled."""
        return not (isinstance(self.line_density, int | float) and self.line_density == 0)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return (-1.0 if self.crossed else 1.0) * self.driven / self.driver

    @cached_property
    def pitch_line(self) -> PitchLine:
        """The pitch line of the belt."""
        assert self.distance is not None
        return pitch_line(self.driver, self.driven, self.distance, self.crossed)

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """Pulleys and belt as wheels, with speeds per unit speed of the driven pulley."""
        wheels = self.input_wheel(self.ratio) + self.driver_member.as_wheels("driver", self.ratio)
        wheels += self.driven_member.as_wheels("driven", 1.0, about="joint")
        return wheels + self._belt_wheel() if self.has_belt_mass else wheels

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    def gear_statics(self) -> GearStatics | None:
        """Two pulleys and the two spans between them; the slack span of a chain without pretension has no tension."""
        if self.unknown_teeth is not None or self.distance is None:
            return None
        tension = 0.0 if self.pretension is None else self.pretension
        wheels = MovingMember("driver"), MovingMember("driven", at=self.distance * X_DIRECTION)
        between = belt_spans(self.driver, self.driven, self.distance, self.crossed, tension)
        return GearStatics(wheels, (between,), "driver", "driven")

    @property
    def unknown_teeth(self) -> str | None:
        """The missing data: the centre distance, and the pretension of a belt."""
        tension = 0.0 if self.kind == "chain" else self.pretension
        return missing_fields_text(distance=self.distance, pretension=tension)

    @property
    def wrap_angle(self) -> float:
        """The wrap angle at the pulley with the smaller wrap [rad]."""
        assert self.distance is not None
        both = self.driver + self.driven if self.crossed else -abs(self.driver - self.driven)
        return math.pi + 2 * math.asin(both / self.distance)

    def needed_pretension(self, torque: float) -> float:
        r"""The smallest pretension that transmits a torque [N].

        For a toothed belt or chain no span may be slack: $F_t / 2$. For a flat belt the ratio of the span tensions is
            at most Euler's $e^{\mu \theta}$ with the wrap angle $\theta$: $F_t / 2 \coth(\mu \theta / 2)$.

        >>> belt = Belt(driver=0.05, driven=0.05, distance=0.3, pretension=100, friction_coefficient=0.3)
        >>> round(belt.needed_pretension(5.0), 2)
        113.84
        """
        half = abs(torque) / float(self.driven) / 2
        if self.friction_coefficient is None:
            return half
        return half / math.tanh(float(self.friction_coefficient) * self.wrap_angle / 2)

    def _belt_wheel(self) -> tuple[Wheel, ...]:
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
    """Return length, signed area, centroid and central second moments of a belt's pitch line.

    >>> line = pitch_line(0.1, 0.1, 1.0, crossed=False)
    >>> round(line.length - (2 + 0.2 * math.pi), 12), round(line.area - (0.2 + 0.01 * math.pi), 12), line.centroid
    (0.0, 0.0, 0.5)
    """
    length = first = xx = yy = area = 0.0
    for piece in _pitch_line_pieces(r, r2, d, crossed):
        length, area = length + piece[0], area + piece[1]
        first, xx, yy = first + piece[2], xx + piece[3], yy + piece[4]
    centroid = first / length
    return PitchLine(length, area, centroid, yy, xx - length * centroid**2)


def _pitch_line_pieces(
    r: float, r2: float, d: float, crossed: bool
) -> Iterator[tuple[float, float, float, float, float]]:
    """Two straight parts and two arcs, each as (length, signed area, integral of x, of x^2, of y^2) along it."""
    sign = -1.0 if crossed else 1.0
    th = math.acos((r - sign * r2) / d)  # angle of the tangent point on the first pulley, from the line of centres
    start = (r * math.cos(th), r * math.sin(th))
    end = (d + sign * r2 * math.cos(th), sign * r2 * math.sin(th))
    for mirror in (1.0, -1.0):
        yield _straight_piece((start[0], mirror * start[1]), (end[0], mirror * end[1]), mirror)
    wrapped = th if not crossed else math.pi - th
    yield _arc_piece(0.0, r, math.pi, math.pi - th, 1.0)
    yield _arc_piece(d, r2, 0.0, wrapped, sign)


def _straight_piece(
    a: tuple[float, float], b: tuple[float, float], turn: float
) -> tuple[float, float, float, float, float]:
    """A straight part from a to b; on the upper one (turn 1) the belt runs backwards, about +z."""
    length = math.dist(a, b)
    xx = length * (a[0] ** 2 + a[0] * b[0] + b[0] ** 2) / 3
    yy = length * (a[1] ** 2 + a[1] * b[1] + b[1] ** 2) / 3
    return length, turn * (b[0] * a[1] - a[0] * b[1]) / 2, length * (a[0] + b[0]) / 2, xx, yy


def _arc_piece(
    centre: float, r: float, middle: float, half: float, sense: float
) -> tuple[float, float, float, float, float]:
    """An arc about (centre, 0) from middle - half to middle + half, traversed in the sense +1 or -1 about z."""
    length, chord = 2 * half * r, 2 * r * math.sin(half) * math.cos(middle)
    swing = r * math.sin(2 * half) / 2
    xx = centre**2 * length + 2 * centre * r * chord + r * r * (half * r + swing)
    yy = r * r * (half * r - swing)
    area = sense * (r * r * half + centre * r * math.sin(half) * math.cos(middle))
    return length, area, centre * length + r * chord, xx, yy
