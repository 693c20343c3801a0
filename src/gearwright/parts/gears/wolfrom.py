"""The Wolfrom gear: two rings on stepped planets, the carrier free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gearwright.algebra import Scalar, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import TrainError
from gearwright.parts.gears.forces.gear_statics import GearStatics, MovingMember
from gearwright.parts.gears.forces.pitch_points import cylinder_contact, planets_on
from gearwright.parts.gears.forces.tooth_forces import NORMAL_PRESSURE_ANGLE, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses, epicyclic_efficiencies
from gearwright.parts.gears.member import MASSLESS_MEMBER, GearWithMeshes, Member, require_counts, require_teeth
from gearwright.parts.gears.planetary import (
    orbiting_wheels,
    require_coaxial_meshes,
    require_even_spacing,
    require_planet_clearance,
)


@check_arguments
@dataclass(frozen=True, kw_only=True)
class Wolfrom(GearWithMeshes):
    r"""A Wolfrom gear: sun as input, first ring fixed, second ring as output; stepped planets on a free carrier.

    ratio $= (1 + Z_{r1}/Z_s) / (1 - Z_{r1} Z_{p2} / (Z_{p1} Z_{r2}))$.

    Args:
        sun: teeth of the sun.
        planet: teeth of the planets' step that meshes with the sun and the first ring.
        ring: teeth of the first ring, which is fixed.
        second_planet: teeth of the planets' other step.
        second_ring: teeth of the second ring, the output.
        planets: number of planets.
        radius: of the circle of the planet centres [m].
        sun_member: mass and inertia of the sun.
        planet_member: mass and inertia of one planet.
        carrier_member: mass and inertia of the carrier.
        ring_member: mass and inertia of the second ring.
        pressure_angle: of the teeth [rad].

    >>> round(Wolfrom(sun=12, planet=24, ring=60, second_planet=21, second_ring=57).ratio, 9)
    76.0
    """

    sun: int
    planet: int
    ring: int
    second_planet: int
    second_ring: int
    planets: int = 3
    radius: Scalar = 0.0
    sun_member: Member = MASSLESS_MEMBER
    planet_member: Member = MASSLESS_MEMBER
    carrier_member: Member = MASSLESS_MEMBER
    ring_member: Member = MASSLESS_MEMBER
    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    kind: str = "wolfrom"

    def __post_init__(self) -> None:
        super().__post_init__()
        teeth = {"sun": self.sun, "planet": self.planet, "ring": self.ring}
        require_teeth(self.kind, **teeth, second_planet=self.second_planet, second_ring=self.second_ring)
        require_teeth_angles(self.kind, self.pressure_angle, 0.0)
        require_counts(self.kind, planets=self.planets)
        require_coaxial_meshes(self.kind, (self.sun, self.planet), (self.ring, self.planet))
        require_coaxial_meshes(self.kind, (self.sun, self.planet), (self.second_ring, self.second_planet))
        require_even_spacing(self.kind, self.planets, self.sun, self.planet, self.ring, self.planet)
        require_even_spacing(self.kind, self.planets, self.sun, self.planet, self.second_ring, self.second_planet)
        require_planet_clearance(self.kind, self.planets, self.sun + self.planet, max(self.planet, self.second_planet))
        if self.ring * self.second_planet == self.planet * self.second_ring:
            raise TrainError(
                f"wolfrom: rings {self.ring}, {self.second_ring} and planets {self.planet}, {self.second_planet} give "
                "an output speed of zero (both have the same ring / planet). Change one of them."
            )

    @property
    def member_rates(self) -> dict[str, float]:
        """Speeds of sun, carrier, planet and second ring relative to the mount per unit speed of the second ring."""
        carrier = 1 / (1 - self.ring * self.second_planet / (self.planet * self.second_ring))
        planet = carrier * (1 - self.ring / self.planet)
        return {"sun": carrier * (1 + self.ring / self.sun), "carrier": carrier, "planet": planet, "ring": 1.0}

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return self.member_rates["sun"]

    def output_wheels(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels, with speeds per unit speed of the second ring."""
        s = self.member_rates
        wheels = self.input_wheel(s["sun"]) + self.sun_member.as_wheels("sun", s["sun"])
        wheels += orbiting_wheels(self.kind, self.planets, self.planet_member, self.carrier_member, self.radius, s)
        return wheels + self.ring_member.as_wheels("ring", 1.0)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels of the gear, without the motor's rotor."""
        return self.output_wheels(self.is_output_rigid)

    @property
    def mesh_efficiencies(self) -> dict[str, Scalar]:
        """Efficiencies of the meshes of the sun, the held ring and the second ring with the planets."""
        return {
            "sun": self.efficiency_of_mesh(self.sun, self.planet),
            "held": self.efficiency_of_mesh(self.planet, self.ring, internal=True),
            "ring": self.efficiency_of_mesh(self.second_planet, self.second_ring, internal=True),
        }

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of its three meshes, by the rolling power relative to the carrier."""
        speeds = {**self.member_rates, "held": 0.0}
        meshes = self.mesh_efficiencies
        efficiency, back = epicyclic_efficiencies(speeds, meshes, "sun", "ring", free_carrier=True)
        return (Losses(efficiency=efficiency, back_efficiency=back),)

    def gear_statics(self) -> GearStatics | None:
        """Sun, both rings, the free carrier and all planets on their circle, which share their load equally."""
        circle = self.radius
        if is_zero(circle):
            return None
        centre = {name: MovingMember(name) for name in ("sun", "carrier", "held ring", "ring")}
        inner, step = circle * self.sun / (self.sun + self.planet), circle * self.planet / (self.ring - self.planet)
        outer = circle * self.second_planet / (self.second_ring - self.second_planet)
        words: dict[str, Any] = {"pressure_angle": self.pressure_angle, "carrier": "carrier"}
        eta = self.mesh_efficiencies
        planets, contacts = planets_on(circle, self.planets), []
        for planet in planets:
            out = planet.at / circle
            contacts += [
                cylinder_contact(centre["sun"], planet, inner, out, title="sun-planet", efficiency=eta["sun"], **words),
                cylinder_contact(
                    planet, centre["held ring"], step, out, title="planet-ring", efficiency=eta["held"], **words
                ),
                cylinder_contact(
                    planet, centre["ring"], outer, out, title="planet-second ring", efficiency=eta["ring"], **words
                ),
            ]
        return GearStatics([*centre.values(), *planets], contacts, "sun", "ring", ("held ring",))

    @property
    def unknown_teeth(self) -> str | None:
        """The radius of the planets' circle."""
        return "the radius must be given" if is_zero(self.radius) else None
