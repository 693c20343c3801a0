"""Gears whose members are not quite bodies of revolution: harmonic drives, cycloidal and RV reducers.

They enter averaged over a turn of the input, and each says how large the neglected part is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Scalar, is_number
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearBox
from gearwright.parts.gears.forces.pitch_points import cycloid
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, Teeth, ToothForce, missing, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.member import (
    NO_MEMBER,
    Elasticity,
    Member,
    require_choice,
    require_counts,
    require_positive,
    require_teeth,
)
from gearwright.parts.gears.planetary import orbiting, require_apart


@dataclass(frozen=True, kw_only=True)
class Harmonic(Elasticity):
    r"""A harmonic drive: wave generator in, flexspline out (circular spline held) or the other way round.

    $ratio = -Z_f / (Z_c - Z_f)$ with the circular spline held, $Z_c / (Z_c - Z_f)$ with the flexspline held.

    Args:
        reduction: the ratio as catalogues print it (100), instead of the teeth: Z_f / (Z_c - Z_f).
        flexspline, circular: teeth of flexspline and circular spline, which has a few more.
        held: "circular" or "flexspline".
        generator_member: the wave generator; it is oval: give both transverse inertias, they enter averaged.
        flexspline_member, circular_member: mass and inertia; only the one that turns counts.
        radius: pitch radius of the flexspline [m], for the forces between the teeth.
        pressure_angle: of the teeth [rad].

    >>> Harmonic(flexspline=200, circular=202).ratio, Harmonic(reduction=100, held="flexspline").ratio
    (-100.0, 101)
    """

    reduction: Scalar | None = None
    flexspline: int | None = None
    circular: int | None = None
    held: str = "circular"
    generator_member: Member = NO_MEMBER
    flexspline_member: Member = NO_MEMBER
    circular_member: Member = NO_MEMBER
    radius: Scalar | None = None
    pressure_angle: Scalar = PRESSURE_ANGLE
    kind: str = "harmonic"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(self.kind, radius=self.radius)
        require_teeth_angles(self.kind, self.pressure_angle, 0.0)
        require_choice(self.kind, "held", self.held, ("circular", "flexspline"))
        if (self.reduction is None) == (self.flexspline is None or self.circular is None):
            raise TrainError("harmonic: give either the reduction, or the teeth of flexspline and circular spline.")
        if self.flexspline is not None and self.circular is not None:
            require_teeth(self.kind, flexspline=self.flexspline, circular=self.circular)
            if self.circular <= self.flexspline:
                raise TrainError(
                    f"harmonic: the circular spline has {self.circular} teeth, not more than the flexspline's "
                    f"{self.flexspline}. It has a few (mostly 2) more."
                )
        if self.reduction is not None and is_number(self.reduction) and self.reduction <= 0:
            raise TrainError(f"harmonic: reduction {self.reduction} is not positive. Its sign follows from `held`.")

    @property
    def printed(self) -> Scalar:
        """The ratio as catalogues print it."""
        if self.reduction is not None:
            return self.reduction
        assert self.flexspline is not None
        assert self.circular is not None
        return self.flexspline / (self.circular - self.flexspline)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return -self.printed if self.held == "circular" else self.printed + 1

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the output."""
        found = self.input_wheel(self.ratio) + self.generator_member.wheel("generator", self.ratio)
        output = self.flexspline_member if self.held == "circular" else self.circular_member
        return found + output.wheel("spline", 1.0)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        r"""Teeth in two opposite zones with half the load each, $F_t = T / (2 r)$ at the output's pitch radius.

        What pushes the splines apart, $F_t \tan\alpha$, each lobe of the wave generator holds; the two lobes balance
        each other. How teeth share within a zone, and what it takes to bend the flexspline, is left out.
        """
        if self.radius is None:
            return ()
        radius = float(self.radius) * (1.0 if self.held == "circular" else 1 + 1 / float(self.printed))
        zone = Teeth(float(self.pressure_angle)).mesh("one zone of teeth", np.abs(torque) / (2 * radius))
        return zone, ToothForce("one lobe of the wave generator", True, 0.0 * zone.radial, zone.radial)

    @property
    def unknown_teeth(self) -> str | None:
        """The radius."""
        return missing(radius=self.radius)


@dataclass(frozen=True, kw_only=True)
class Cycloidal(Elasticity):
    r"""A cycloidal reducer, or (with a spur stage before it) an RV reducer.

    One disc of `pins` - 1 lobes rolls inside `pins` pins. Cycloidal, pins held: $ratio = -(Z - 1)$; the pins out
    (the discs held from turning): $ratio = Z$. RV (sun and planets given, pins held, carrier out):
    $ratio = 1 + Z_{planet} Z / Z_{sun}$.

    The discs' centres circle with the eccentrics: `discs` m e^2 turns with them. Two discs half a turn apart are
    balanced but not the same from every side; the transverse inertia enters averaged.

    Args:
        pins: number of pins.
        held: "pins" or "discs".
        discs: number of discs, evenly phased.
        eccentricity: of the shaft that carries the discs, e [m].
        sun, planet, planets: teeth of an RV reducer's first stage and number of its planets.
        radius: radius of the planets' circle [m].
        pin_circle: radius of the circle of the pins' centres [m], for the forces on them.
        output_circle: radius of the circle of the pins that take the discs' turning out [m].
        disc_member: one disc.
        eccentric_member: the eccentric shaft; for RV one planet with its crank.
        sun_member: the sun of an RV reducer.

    >>> Cycloidal(pins=40).ratio, Cycloidal(pins=40, held="discs").ratio
    (-39.0, 40.0)
    >>> Cycloidal(pins=40, sun=16, planet=32).ratio
    81.0
    """

    pins: int
    held: str = "pins"
    discs: int = 2
    eccentricity: Scalar = 0.0
    sun: int | None = None
    planet: int | None = None
    planets: int = 3
    radius: Scalar = 0.0
    pin_circle: Scalar | None = None
    output_circle: Scalar | None = None
    disc_member: Member = NO_MEMBER
    eccentric_member: Member = NO_MEMBER
    sun_member: Member = NO_MEMBER
    kind: str = "cycloidal"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_counts(self.kind, pins=self.pins, discs=self.discs, planets=self.planets)
        require_choice(self.kind, "held", self.held, ("pins", "discs"))
        if self.pins < 3:
            raise TrainError(f"cycloidal: {self.pins} pins are too few for a disc with one lobe less. Use 3 or more.")
        require_positive(self.kind, pin_circle=self.pin_circle, output_circle=self.output_circle)
        self._require_lobes()
        if (self.sun is None) != (self.planet is None):
            raise TrainError("cycloidal: an RV reducer needs the teeth of sun and planet. Give both or neither.")
        if self.sun is not None and self.planet is not None:
            require_teeth(self.kind, sun=self.sun, planet=self.planet)
            require_apart(self.kind, self.planets, self.sun + self.planet, self.planet)
            if self.held != "pins":
                raise TrainError("cycloidal: an RV reducer has its pins held. Leave `held` out.")
        if self.discs == 1 and self.disc_member.present:
            raise TrainError(
                "cycloidal: one disc alone is not balanced: its centre circles at the input speed. Use 2 or more."
            )

    def _require_lobes(self) -> None:
        around, e = self.pin_circle, self.eccentricity
        if around is not None and is_number(around) and is_number(e) and e * self.pins >= around:
            raise TrainError(
                f"cycloidal: {self.pins} pins on a circle of radius {around} m need an eccentricity below "
                f"{around / self.pins:.4g} m, not {self.eccentricity} m: the discs' lobes would cross themselves."
            )

    @property
    def eccentrics(self) -> Scalar:
        """Speed of the eccentrics relative to the mount per unit speed of the output."""
        return float(self.pins) if self.held == "discs" else -(self.pins - 1.0)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        if self.sun is None or self.planet is None:
            return self.eccentrics
        return 1 - self.planet / self.sun * (self.eccentrics - 1)

    @property
    def riding(self) -> tuple[str, ...]:
        """Its fields that are stated in the driven link's frame when the output member is that link."""
        return ("eccentric_member",) if self.sun is not None else ()

    @property
    def averaging_error(self) -> Scalar:
        """Error of the transverse inertia by averaging [kg m2]: two discs at e, and oval members."""
        uneven = self.disc_member.mass * self.eccentricity * self.eccentricity if self.discs == 2 else 0.0
        return uneven + super().averaging_error

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the output."""
        found = self.input_wheel(self.ratio) + self.sun_member.wheel("sun", self.ratio)
        return found + self._discs() + self._cranks(output_is_link)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def _discs(self) -> tuple[Wheel, ...]:
        """The discs' mass circling with the eccentrics, and the discs' own turning with the output unless held."""
        one, circling = self.disc_member, self.disc_member.orbiting(self.discs, self.eccentricity)
        if self.held == "pins":
            return circling.wheel("orbit", self.eccentrics) + one.times(self.discs).wheel("discs", 1.0)
        axial, across, orbit = self.discs * one.inertia, self.discs * one.transverse, circling.inertia
        at_rest = (across + orbit * 0.5, across + orbit * 0.5, axial + orbit)  # held discs circle without turning
        return circling.wheel("orbit", self.eccentrics, shape=at_rest) if one.present else ()

    def _cranks(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The eccentric shaft on the axis; an RV reducer's cranks ride on the output carrier."""
        one, s = self.eccentric_member, self.eccentrics
        if self.sun is None:
            return one.wheel("eccentric", s)
        if output_is_link:
            where = {"carrier": "driven", "about": "joint", "count": self.planets, "radius": self.radius}
            return one.wheel("cranks", s - 1.0, **where)
        rates = {"carrier": 1.0, "planet": s}
        return orbiting("cycloidal", self.planets, one, NO_MEMBER, self.radius, rates, ("crank_orbit", "cranks"))

    def gear_box(self) -> GearBox | None:
        """Discs on an eccentric between pins around them and pins in their holes, all of them equally stiff."""
        if self.unknown_teeth is not None:
            return None
        sizes = (float(x) for x in (self.eccentricity, self.pin_circle or 0.0, self.output_circle or 0.0))
        members, contacts = cycloid(self.pins, self.discs, *sizes)
        driven, held = ("output", "pins") if self.held == "pins" else ("pins", "output")
        return GearBox(members, contacts, "eccentric", driven, (held,))

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        r"""All pins of a disc together, the one that carries most ($4 F_t / Z$), and the eccentric's bearings.

        The pins carry in proportion to their levers about the disc's centre, half of them at a time.
        """
        found = super().tooth_forces(torque, driving)
        together = next((one for one in found if one.name == "disc-pins"), None)
        most = () if together is None else (ToothForce("one pin", False, together.tangential * 4 / self.pins),)
        return (*found, *most)

    @property
    def unknown_teeth(self) -> str | None:
        """Eccentricity and both circles of pins."""
        if self.sun is not None:
            return "how the cranks of an RV reducer share the load of its two stages is not modelled"
        off = None if is_number(self.eccentricity) and self.eccentricity == 0 else self.eccentricity
        return missing(eccentricity=off, pin_circle=self.pin_circle, output_circle=self.output_circle)
