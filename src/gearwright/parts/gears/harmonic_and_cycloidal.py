"""Gears with members that are not exactly axisymmetric: harmonic drives, cycloidal and RV reducers.

Their inertia is averaged over a turn of the input; each gear reports the size of the neglected part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearStatics
from gearwright.parts.gears.forces.pitch_points import cycloidal_contacts
from gearwright.parts.gears.forces.tooth_forces import (
    NORMAL_PRESSURE_ANGLE,
    ToothAngles,
    ToothForce,
    missing_fields_text,
    require_teeth_angles,
)
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.member import (
    MASSLESS_MEMBER,
    GearWithMembers,
    Member,
    require_choice,
    require_counts,
    require_positive,
    require_teeth,
)
from gearwright.parts.gears.planetary import orbiting_wheels, require_planet_clearance


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Harmonic(GearWithMembers):
    r"""A harmonic drive: input wave generator, output flexspline (circular spline fixed) or vice versa.

    $ratio = -Z_f / (Z_c - Z_f)$ with a fixed circular spline, $Z_c / (Z_c - Z_f)$ with a fixed flexspline.

    Args:
        reduction: the ratio as catalogues print it (100), instead of the teeth: Z_f / (Z_c - Z_f).
        flexspline, circular: teeth of the flexspline and of the circular spline, which has a few more.
        held: "circular" or "flexspline".
        generator_member: the wave generator. It is elliptical: give both transverse inertias, which are averaged.
        flexspline_member, circular_member: mass and inertia; only the rotating one is used.
        radius: pitch radius of the flexspline [m], for the forces between the teeth.
        pressure_angle: of the teeth [rad].

    >>> Harmonic(flexspline=200, circular=202).ratio, Harmonic(reduction=100, held="flexspline").ratio
    (-100.0, 101)
    """

    reduction: Scalar | None = None
    flexspline: int | None = None
    circular: int | None = None
    held: str = "circular"
    generator_member: Member = MASSLESS_MEMBER
    flexspline_member: Member = MASSLESS_MEMBER
    circular_member: Member = MASSLESS_MEMBER
    radius: Scalar | None = None
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
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
                    f"{self.flexspline}. Give a few (usually 2) more."
                )
        if self.reduction is not None and is_number(self.reduction) and self.reduction <= 0:
            raise TrainError(f"harmonic: reduction {self.reduction} is not positive. Its sign follows from `held`.")

    @property
    def printed_ratio(self) -> Scalar:
        """The ratio as catalogues print it."""
        if self.reduction is not None:
            return self.reduction
        assert self.flexspline is not None
        assert self.circular is not None
        return self.flexspline / (self.circular - self.flexspline)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return -self.printed_ratio if self.held == "circular" else self.printed_ratio + 1

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the output."""
        wheels = self.input_wheel(self.ratio) + self.generator_member.as_wheels("generator", self.ratio)
        output = self.flexspline_member if self.held == "circular" else self.circular_member
        return wheels + output.as_wheels("spline", 1.0)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        r"""Teeth in two opposite zones with half the load each, $F_t = T / (2 r)$ at the output's pitch radius.

        Each lobe of the wave generator carries the separating force $F_t \tan\alpha$; the two lobes balance each other.
        The load distribution within a zone and the force to deform the flexspline are neglected.
        """
        if self.radius is None:
            return ()
        radius = self.radius * (1.0 if self.held == "circular" else 1 + 1 / self.printed_ratio)
        zone = ToothAngles(self.pressure_angle).mesh_force("one zone of teeth", abs(torque) / (2 * radius))
        return zone, ToothForce("one lobe of the wave generator", True, 0.0 * zone.radial, zone.radial)

    @property
    def unknown_teeth(self) -> str | None:
        """The radius."""
        return missing_fields_text(radius=self.radius)


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Cycloidal(GearWithMembers):
    r"""A cycloidal reducer, or (with a spur stage before it) an RV reducer.

    One disc of `pins` - 1 lobes rolls inside `pins` pins. Cycloidal, pins fixed: $ratio = -(Z - 1)$; output pins (discs
    prevented from rotating): $ratio = Z$. RV (sun and planets given, pins fixed, output carrier):
    $ratio = 1 + Z_{planet} Z / Z_{sun}$.

    The disc centres orbit with the eccentrics and add `discs` m e^2 to their inertia. Two discs half a turn apart are
    balanced but not axisymmetric; the transverse inertia is averaged.

    Args:
        pins: number of pins.
        held: "pins" or "discs".
        discs: number of discs, evenly phased.
        eccentricity: of the shaft that carries the discs, e [m].
        sun, planet, planets: teeth of an RV reducer's first stage and number of its planets.
        radius: radius of the planets' circle [m].
        pin_circle: radius of the circle of the pins' centres [m], for the forces on them.
        output_circle: radius of the circle of the output pins in the disc holes [m].
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
    disc_member: Member = MASSLESS_MEMBER
    eccentric_member: Member = MASSLESS_MEMBER
    sun_member: Member = MASSLESS_MEMBER
    kind: str = "cycloidal"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_counts(self.kind, pins=self.pins, discs=self.discs, planets=self.planets)
        require_choice(self.kind, "held", self.held, ("pins", "discs"))
        if self.pins < 3:
            raise TrainError(f"cycloidal: {self.pins} pins are too few for a disc with one lobe fewer. Use 3 or more.")
        require_positive(self.kind, pin_circle=self.pin_circle, output_circle=self.output_circle)
        self._require_lobes()
        if (self.sun is None) != (self.planet is None):
            raise TrainError("cycloidal: an RV reducer needs the teeth of sun and planet. Give both or neither.")
        if self.sun is not None and self.planet is not None:
            require_teeth(self.kind, sun=self.sun, planet=self.planet)
            require_planet_clearance(self.kind, self.planets, self.sun + self.planet, self.planet)
            if self.held != "pins":
                raise TrainError("cycloidal: the pins of an RV reducer are always fixed. Leave `held` out.")
        if self.discs == 1 and self.disc_member.has_inertia:
            raise TrainError(
                "cycloidal: a single disc is unbalanced, since its centre orbits at the input speed. Use 2 or more."
            )

    def _require_lobes(self) -> None:
        around, e = self.pin_circle, self.eccentricity
        if around is not None and is_number(around) and is_number(e) and e * self.pins >= around:
            raise TrainError(
                f"cycloidal: {self.pins} pins on a circle of radius {around} m need an eccentricity below "
                f"{around / self.pins:.4g} m, not {self.eccentricity} m; otherwise the profile of the lobes "
                "intersects itself."
            )

    @property
    def eccentric_rate(self) -> Scalar:
        """Speed of the eccentrics relative to the mount per unit speed of the output."""
        return float(self.pins) if self.held == "discs" else -(self.pins - 1.0)

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        if self.sun is None or self.planet is None:
            return self.eccentric_rate
        return 1 - self.planet / self.sun * (self.eccentric_rate - 1)

    @property
    def driven_frame_fields(self) -> tuple[str, ...]:
        """Its fields that are given in the driven link's frame if the output member is that link."""
        return ("eccentric_member",) if self.sun is not None else ()

    @property
    def averaging_error(self) -> Scalar:
        """Error of the transverse inertia by averaging [kg m2]: two discs at e, and elliptical members."""
        uneven = self.disc_member.mass * self.eccentricity * self.eccentricity if self.discs == 2 else 0.0
        return uneven + super().averaging_error

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the output."""
        wheels = self.input_wheel(self.ratio) + self.sun_member.as_wheels("sun", self.ratio)
        return wheels + self._disc_wheels() + self._crank_wheels(output_is_link)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    def _disc_wheels(self) -> tuple[Wheel, ...]:
        """The orbit of the discs with the eccentrics, and their rotation with the output unless fixed."""
        disc, circling = self.disc_member, self.disc_member.combined_orbit(self.discs, self.eccentricity)
        if self.held == "pins":
            return circling.as_wheels("orbit", self.eccentric_rate) + disc.combined_rotation(self.discs).as_wheels(
                "discs", 1.0
            )
        axial, across, orbit = self.discs * disc.inertia, self.discs * disc.mean_transverse_inertia, circling.inertia
        at_rest = (across + orbit * 0.5, across + orbit * 0.5, axial + orbit)  # fixed discs orbit without rotating
        return circling.as_wheels("orbit", self.eccentric_rate, shape=at_rest) if disc.has_inertia else ()

    def _crank_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The eccentric shaft on the axis; the output carrier of an RV reducer carries its cranks."""
        crank, s = self.eccentric_member, self.eccentric_rate
        if self.sun is None:
            return crank.as_wheels("eccentric", s)
        if output_is_link:
            placement = {"carrier": "driven", "about": "joint", "count": self.planets, "radius": self.radius}
            return crank.as_wheels("cranks", s - 1.0, **placement)
        rates = {"carrier": 1.0, "planet": s}
        return orbiting_wheels(
            "cycloidal", self.planets, crank, MASSLESS_MEMBER, self.radius, rates, ("crank_orbit", "cranks")
        )

    def gear_statics(self) -> GearStatics | None:
        """Discs on an eccentric between ring pins and output pins, all of equal stiffness."""
        if self.unknown_teeth is not None:
            return None
        sizes = self.eccentricity, self.pin_circle, self.output_circle
        members, contacts = cycloidal_contacts(self.pins, self.discs, *sizes)
        driven, held = ("output", "pins") if self.held == "pins" else ("pins", "output")
        return GearStatics(members, contacts, "eccentric", driven, (held,))

    def tooth_forces(self, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
        r"""The resultant of all pins of a disc, the most loaded pin ($4 F_t / Z$), and the eccentric's bearings.

        The pin forces are proportional to their lever arms about the disc's centre; half of the pins carry load.
        """
        forces = super().tooth_forces(torque, driving)
        disc_force = next((force for force in forces if force.name == "disc-pins"), None)
        pin_force = () if disc_force is None else (ToothForce("one pin", False, disc_force.tangential * 4 / self.pins),)
        return (*forces, *pin_force)

    @property
    def unknown_teeth(self) -> str | None:
        """Eccentricity and both circles of pins."""
        if self.sun is not None:
            return "the load sharing of the cranks of an RV reducer is not modelled"
        off = None if is_number(self.eccentricity) and self.eccentricity == 0 else self.eccentricity
        return missing_fields_text(eccentricity=off, pin_circle=self.pin_circle, output_circle=self.output_circle)
