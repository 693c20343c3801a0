"""Planetary gear stages with simple and stepped planets, any member fixed, and the conditions on tooth numbers.

Willis' equation gives the speeds, s_sun - s_carrier = train (s_ring - s_carrier). Tooth numbers are checked for
coaxiality (the planet fits between sun and ring), for assembly with evenly spaced planets, and for clearance between
neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gearwright.algebra import OptionalVector, Scalar, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import SpinError, TrainError
from gearwright.parts.gears.forces.gear_statics import GearStatics, MovingMember
from gearwright.parts.gears.forces.pitch_points import cylinder_contact, planets_on
from gearwright.parts.gears.forces.tooth_forces import NORMAL_PRESSURE_ANGLE, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses, epicyclic_efficiencies
from gearwright.parts.gears.member import (
    MASSLESS_MEMBER,
    GearWithMeshes,
    Member,
    require_choice,
    require_counts,
    require_positive,
    require_teeth,
)

# Conditions on tooth numbers


def require_coaxial_meshes(
    owner: str, inside: tuple[int, int], outside: tuple[int, int], module_ratio: float = 1.0
) -> None:
    """Raise unless Zs + Zp = Zr - Zp, the planet between sun and ring (with modules: m1 (Zs + Zp1) = m2 (Zr - Zp2))."""
    (sun, planet), (ring, outer) = inside, outside
    if abs(sun + planet - module_ratio * (ring - outer)) <= 1e-9 * ring:
        return
    if planet == outer and module_ratio == 1.0:
        raise TrainError(
            f"{owner}: ring {ring} ≠ sun {sun} + 2 × planet {planet} = {sun + 2 * planet} teeth. "
            "Change one of the three."
        )
    raise TrainError(
        f"{owner}: sun {sun} + planet {planet} = {sun + planet} differs from ring {ring} - second planet {outer} = "
        f"{ring - outer} teeth (times the ratio of the modules, {module_ratio:g}). Change the teeth or the modules."
    )


def require_even_spacing(owner: str, count: int, sun: int, planet: int, ring: int, outer: int) -> None:
    """Raise unless N evenly spaced planets can be assembled: (Zs Zp2 + Zr Zp1) / gcd(Zp1, Zp2) is a multiple of N."""
    total = (sun * outer + ring * planet) // math.gcd(planet, outer)
    total = total if planet != outer else sun + ring
    if total % count:
        sum_text = f"sun {sun} + ring {ring} = {total}" if planet == outer else f"the combined tooth number {total}"
        raise TrainError(
            f"{owner}: {count} evenly spaced planets cannot be assembled: {sum_text} is not a multiple of {count}. "
            "Change the teeth or the number of planets."
        )


def require_planet_clearance(owner: str, count: int, distance: int, planet: int) -> None:
    """Raise if neighbouring planets touch: they are clear for (Zs + Zp) sin(pi/N) > Zp + 2."""
    if count > 1 and distance * math.sin(math.pi / count) <= planet + 2:
        raise TrainError(
            f"{owner}: {count} planets of {planet} teeth touch each other: (sun + planet) sin(pi/{count}) = "
            f"{distance * math.sin(math.pi / count):.4g} is not more than planet + 2 = {planet + 2}. Use fewer planets."
        )


# The stage

PLANETARY_MEMBERS = ("sun", "ring", "carrier")
DEFAULT_INPUT_MEMBER = {"ring": "sun", "carrier": "sun", "sun": "ring"}


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Planetary(GearWithMeshes):
    r"""A planetary stage: sun, ring and planets on a carrier; one of the three central members is fixed.

    Willis: $Z_s (s_s - s_c) = -Z_r (s_r - s_c)$ and $Z_p (s_p - s_c) = -Z_s (s_s - s_c)$. With stepped planets the sun
    meshes with `planet` and the ring with `second_planet`, both on one shaft.

    The model of the planets depends on the carrier. If it is fixed (part of the mount) or is the driven link, they are
    ordinary wheels at their true positions, exact for any number. Otherwise (the output is elastic, or another stage
    follows) they orbit, and only three or more equal, evenly spaced planets are axisymmetric.

    Args:
        sun, planet, ring: teeth.
        planets: number of planets.
        held: "ring", "carrier" or "sun": the member that is fixed to the mount.
        input: the member on the motor's shaft; by default the sun, unless it is fixed.
        second_planet: teeth of the planet's second wheel, which meshes with the ring; None: one wheel meshes with both.
        modules: (at the sun, at the ring) [m]; the first gives the radius of the planets' circle.
        radius: radius of the planets' circle [m], unless the module gives it.
        towards: direction to the first planet, needed only for one or two planets with mass.
        mesh_efficiency: of one mesh (sun with planets, planets with ring), instead of `efficiency`.
        pressure_angle, helix_angle: of the teeth [rad], for the forces between them; the modules remain transverse
            modules.
        sun_member, planet_member, ring_member, carrier_member: mass and inertia; the planet's is that of one planet,
            its position the centre of the planets' circle. Positions are in the mount's frame (by default that of the
            motor); positions of planets on the driven link are in that link's frame (by default the joint's origin).

    >>> Planetary(sun=18, planet=27, ring=72, held="ring").ratio
    5.0
    >>> Planetary(sun=18, planet=27, ring=72, held="carrier").ratio
    -4.0
    >>> Planetary(sun=18, planet=27, ring=72, held="sun").ratio
    1.25
    """

    sun: int
    planet: int
    ring: int
    planets: int = 3
    held: str = "ring"
    input: str | None = None
    second_planet: int | None = None
    modules: tuple[float, float] | float | None = None
    radius: Scalar | None = None
    towards: OptionalVector = None
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    sun_member: Member = MASSLESS_MEMBER
    planet_member: Member = MASSLESS_MEMBER
    ring_member: Member = MASSLESS_MEMBER
    carrier_member: Member = MASSLESS_MEMBER
    kind: str = "planetary"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_teeth_angles(self.kind, self.pressure_angle, self.helix_angle)
        require_teeth(self.kind, sun=self.sun, planet=self.planet, ring=self.ring)
        require_counts(self.kind, planets=self.planets)
        if self.second_planet is not None:
            require_teeth(self.kind, second_planet=self.second_planet)
        if isinstance(self.modules, list | tuple):
            object.__setattr__(self, "modules", tuple(self.modules))
            if len(self.modules) != 2:
                raise TrainError(
                    f"{self.kind}: modules={self.modules} must be two, at the sun and at the ring, or one for both."
                )
        require_choice(self.kind, "held", self.held, PLANETARY_MEMBERS)
        require_choice(self.kind, "input", self.input_name, [m for m in PLANETARY_MEMBERS if m != self.held])
        require_coaxial_meshes(
            self.kind, (self.sun, self.planet), (self.ring, self.ring_side_teeth), self._module_ratio
        )
        require_even_spacing(self.kind, self.planets, self.sun, self.planet, self.ring, self.ring_side_teeth)
        require_planet_clearance(self.kind, self.planets, self.sun + self.planet, self.planet)
        modules = self.modules if isinstance(self.modules, tuple) else (self.modules, None)
        require_positive(self.kind, radius=self.radius, module=modules[0], second_module=modules[1])
        self._require_radius()

    @property
    def ring_side_teeth(self) -> int:
        """Teeth of the planet's wheel that meshes with the ring."""
        return self.planet if self.second_planet is None else self.second_planet

    @property
    def input_name(self) -> str:
        """The member on the motor's shaft."""
        return self.input if self.input is not None else DEFAULT_INPUT_MEMBER[self.held]

    @property
    def output_name(self) -> str:
        """The member that drives the joint."""
        return next(m for m in PLANETARY_MEMBERS if m not in (self.held, self.input_name))

    @property
    def driven_frame_fields(self) -> tuple[str, ...]:
        """Its fields that are given in the driven link's frame if the output member is that link."""
        return ("planet_member", "towards") if self.output_name == "carrier" else ()

    @property
    def _module_ratio(self) -> float:
        return self.modules[1] / self.modules[0] if isinstance(self.modules, tuple) else 1.0

    @property
    def planet_circle_radius(self) -> Scalar:
        """Radius of the planets' circle [m]: m (Zs + Zp) / 2, or as given."""
        if self.radius is not None:
            return self.radius
        module = self.modules[0] if isinstance(self.modules, tuple) else self.modules
        return 0.0 if module is None else module * (self.sun + self.planet) / 2

    @property
    def member_rates(self) -> dict[str, float]:
        """Speeds of sun, ring, carrier and planet relative to the mount per unit speed of the driven member.

        >>> Planetary(sun=18, planet=27, ring=72).member_rates
        {'sun': 5.0, 'ring': 0.0, 'carrier': 1.0, 'planet': -1.6666666666666665}
        """
        # Fernini (7)-(9), corrected
        s = willis_speeds(self.held, self.output_name, -self.ring * self.planet / (self.sun * self.ring_side_teeth))
        s["planet"] = s["carrier"] - self.sun / self.planet * (s["sun"] - s["carrier"])  # Fernini (10)
        return s

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return self.member_rates[self.input_name]

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the driven member."""
        s = self.member_rates
        wheels = self.input_wheel(self.ratio)
        for name, member in (("sun", self.sun_member), ("ring", self.ring_member)):
            if name != self.held:
                wheels += member.as_wheels(name, s[name])
        if self.held == "carrier":
            return wheels + self._planets_on_link(s["planet"], "mount")
        if self.output_name == "carrier" and output_is_link:
            arm = self.carrier_member.as_wheels("carrier", 1.0)
            return wheels + arm + self._planets_on_link(s["planet"] - 1.0, "driven")
        return wheels + orbiting_wheels(
            self.kind, self.planets, self.planet_member, self.carrier_member, self.planet_circle_radius, s
        )

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    @property
    def mesh_efficiencies(self) -> dict[str, Scalar]:
        """Efficiencies of the meshes of sun and ring with the planets."""
        return {
            "sun": self.efficiency_of_mesh(self.sun, self.planet),
            "ring": self.efficiency_of_mesh(self.ring_side_teeth, self.ring, internal=True),
        }

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of its meshes, by the rolling power relative to the carrier."""
        meshes = self.mesh_efficiencies
        efficiency, back = epicyclic_efficiencies(self.member_rates, meshes, self.input_name, self.output_name)
        return (Losses(efficiency=efficiency, back_efficiency=back),)

    def gear_statics(self) -> GearStatics | None:
        """Sun, ring, carrier and all planets on their circle, which share their load equally.

        >>> stage = Planetary(sun=18, planet=27, ring=72, modules=0.001)
        >>> found = {one.name: one for one in stage.tooth_forces()}
        >>> round(found["sun-planet"].tangential * 3 * 0.009 * 5, 9)
        1.0
        >>> round(found["planet pin"].tangential / found["sun-planet"].tangential, 9)
        2.0
        """
        circle, helix = self.planet_circle_radius, self.helix_angle
        if is_zero(circle):
            return None
        centre = {name: MovingMember(name) for name in PLANETARY_MEMBERS}
        near, far = (
            circle * self.sun / (self.sun + self.planet),
            circle * self.ring_side_teeth / (self.ring - self.ring_side_teeth),
        )
        words: dict[str, Any] = {"pressure_angle": self.pressure_angle, "carrier": "carrier"}
        eta = self.mesh_efficiencies
        planets, contacts = planets_on(circle, self.planets), []
        for planet in planets:
            out = planet.at / circle
            contacts += [
                cylinder_contact(
                    centre["sun"], planet, near, out, helix, title="sun-planet", efficiency=eta["sun"], **words
                ),
                cylinder_contact(
                    planet, centre["ring"], far, out, -helix, title="planet-ring", efficiency=eta["ring"], **words
                ),
            ]
        return GearStatics([*centre.values(), *planets], contacts, self.input_name, self.output_name, (self.held,))

    @property
    def unknown_teeth(self) -> str | None:
        """The module."""
        return "the modules must be given" if is_zero(self.planet_circle_radius) else None

    def _planets_on_link(self, rate: Scalar, carrier: str) -> tuple[Wheel, ...]:
        """Planets whose carrier is a link: ordinary wheels at their true positions."""
        planet = self.planet_member
        ring = {"count": self.planets, "radius": self.planet_circle_radius, "towards": self.towards}
        about = "joint" if carrier == "driven" else "motor"
        return planet.as_wheels("planets", rate, carrier=carrier, about=about, **ring)

    def _require_radius(self) -> None:
        heavy = not (isinstance(self.planet_member.mass, int | float) and self.planet_member.mass == 0)
        if heavy and self.modules is None and self.radius is None:
            raise TrainError(
                f"{self.kind}: its planets have mass {self.planet_member.mass} kg but no position. Give the radius of "
                "their circle, or the module."
            )
        if heavy and self.planets < 3 and self.towards is None:
            raise TrainError(
                f"{self.kind}: {self.planets} planets with mass are not axisymmetric. Give `towards`, the direction "
                "to the first planet."
            )


def willis_speeds(held: str, driven: str, train: Scalar) -> dict[str, Scalar]:
    """Speeds of sun, ring and carrier with s_sun - s_carrier = train (s_ring - s_carrier), held 0 and driven 1.

    `train` is the ratio with the carrier at rest, -Zr/Zs for simple planets (Fernini, eq. 9, with corrected sign).

    >>> willis_speeds("ring", "carrier", -4.0)
    {'sun': 5.0, 'ring': 0.0, 'carrier': 1.0}
    """
    s: dict[str, Scalar] = {held: 0.0, driven: 1.0}
    if "sun" not in s:
        s["sun"] = s["carrier"] + train * (s["ring"] - s["carrier"])
    elif "ring" not in s:
        s["ring"] = s["carrier"] + (s["sun"] - s["carrier"]) / train
    else:
        s["carrier"] = (s["sun"] - train * s["ring"]) / (1 - train)
    return {name: s[name] for name in PLANETARY_MEMBERS}


def orbiting_wheels(
    owner: str,
    count: int,
    planet: Member,
    carrier: Member,
    radius: Scalar,
    s: Any,
    names: tuple[str, str] = ("orbit", "planets"),
) -> tuple[Wheel, ...]:
    """Return planets on a carrier that is not a link: coaxial spins on the mount, their mass orbiting.

    Carrier: I_c, and orbit: N m r^2 at s_c, planets: N I_p at s_p; at rest N m, axial N (m r^2 + I_p), transverse
    N (m r^2 / 2 + It_p). Exact for three or more equal, evenly spaced planets. `names` are those of orbit and planets.
    """
    if count < 3 and planet.has_inertia:
        raise SpinError(
            f"{owner!r} has {count} planets on a carrier that is not a link; its inertia then depends on the carrier "
            "angle. Use >= 3 planets, make the carrier a link, or model the planets as bodies."
        )
    arm = carrier.as_wheels("carrier", s["carrier"])
    orbit = planet.combined_orbit(count, radius).as_wheels(names[0], s["carrier"])
    return arm + orbit + planet.combined_rotation(count).as_wheels(names[1], s["planet"])
