"""Planetary gear stages: simple and stepped planets, any member held, the Wolfrom gear, and which tooth counts fit.

Willis' equation gives the speeds, s_sun - s_carrier = train (s_ring - s_carrier). Tooth counts are checked for a planet
that fits between sun and ring, for planets that are evenly spaced, and for neighbours that do not touch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gearwright.algebra import Scalar
from gearwright.errors import SpinError, TrainError
from gearwright.parts.gears.forces.gear_statics import GearBox, Turning
from gearwright.parts.gears.forces.pitch_points import cylinders, planets_on
from gearwright.parts.gears.forces.tooth_forces import PRESSURE_ANGLE, require_teeth_angles
from gearwright.parts.gears.gear import Wheel
from gearwright.parts.gears.losses import Losses, epicyclic_efficiencies
from gearwright.parts.gears.member import (
    NO_MEMBER,
    Member,
    Meshing,
    require_choice,
    require_counts,
    require_positive,
    require_teeth,
)

# Tooth counts that fit


def require_closing(owner: str, inside: tuple[int, int], outside: tuple[int, int], module_ratio: float = 1.0) -> None:
    """The planet fits between sun and ring: Zs + Zp = Zr - Zp (with modules: m1 (Zs + Zp1) = m2 (Zr - Zp2))."""
    (sun, planet), (ring, outer) = inside, outside
    if abs(sun + planet - module_ratio * (ring - outer)) <= 1e-9 * ring:
        return
    if planet == outer and module_ratio == 1.0:
        raise TrainError(
            f"{owner}: ring {ring} ≠ sun {sun} + 2 × planet {planet} = {sun + 2 * planet} teeth. "
            "Change one of the three."
        )
    raise TrainError(
        f"{owner}: sun {sun} + planet {planet} = {sun + planet} does not meet ring {ring} - second planet {outer} = "
        f"{ring - outer} teeth (times the ratio of the modules, {module_ratio:g}). Change the teeth or the modules."
    )


def require_even_spacing(owner: str, count: int, sun: int, planet: int, ring: int, outer: int) -> None:
    """Evenly spaced planets can be assembled: (Zs Zp2 + Zr Zp1) / gcd(Zp1, Zp2) is a multiple of their number."""
    total = (sun * outer + ring * planet) // math.gcd(planet, outer)
    total = total if planet != outer else sun + ring
    if total % count:
        what = f"sun {sun} + ring {ring} = {total}" if planet == outer else f"the tooth count {total}"
        raise TrainError(
            f"{owner}: {count} evenly spaced planets cannot be assembled: {what} is not a multiple of {count}. "
            "Change the teeth or the number of planets."
        )


def require_apart(owner: str, count: int, distance: int, planet: int) -> None:
    """Neighbouring planets do not touch: (Zs + Zp) sin(pi/N) > Zp + 2."""
    if count > 1 and distance * math.sin(math.pi / count) <= planet + 2:
        raise TrainError(
            f"{owner}: {count} planets of {planet} teeth touch each other: (sun + planet) sin(pi/{count}) = "
            f"{distance * math.sin(math.pi / count):.4g} is not more than planet + 2 = {planet + 2}. Use fewer planets."
        )


# The stage

MEMBERS = ("sun", "ring", "carrier")
DEFAULT_INPUT = {"ring": "sun", "carrier": "sun", "sun": "ring"}


@dataclass(frozen=True, kw_only=True)
class Planetary(Meshing):
    r"""A planetary stage: sun, ring and planets on a carrier; one of the three central members is held.

    Willis: $Z_s (s_s - s_c) = -Z_r (s_r - s_c)$ and $Z_p (s_p - s_c) = -Z_s (s_s - s_c)$. With stepped planets the sun
    meshes with `planet` and the ring with `second_planet`, both on one shaft.

    What the planets are depends on the carrier. Held (part of the mount) or itself the driven link: ordinary wheels
    at their true places, exact for any number. Otherwise (the output is elastic, or another stage follows) they orbit,
    and only three or more equal, evenly spaced ones look the same from every side.

    Args:
        sun, planet, ring: teeth.
        planets: how many planets.
        held: "ring", "carrier" or "sun": what is fixed to the mount.
        input: the member on the motor's shaft: the sun unless it is held.
        second_planet: teeth of the planet's second wheel, which meshes with the ring; None: one wheel meshes with both.
        modules: (at the sun, at the ring) [m]; the first gives the radius of the planets' circle.
        radius: radius of the planets' circle [m], unless the module gives it.
        towards: direction to the first planet, needed only for one or two planets with mass.
        mesh_efficiency: of one mesh (sun with planets, planets with ring), instead of `efficiency`.
        pressure_angle, helix_angle: of the teeth [rad], for the forces between them; the modules stay those across the
            axis (transverse).
        sun_member, planet_member, ring_member, carrier_member: mass and inertia; the planet's is that of one planet,
            its position the centre of the planets' circle. Positions are in the mount's frame (the motor's unless
            given), those of planets on the driven link in that link's frame (the joint's origin unless given).

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
    towards: Any = None
    pressure_angle: Scalar = PRESSURE_ANGLE
    helix_angle: Scalar = 0.0
    sun_member: Member = NO_MEMBER
    planet_member: Member = NO_MEMBER
    ring_member: Member = NO_MEMBER
    carrier_member: Member = NO_MEMBER
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
        require_choice(self.kind, "held", self.held, MEMBERS)
        require_choice(self.kind, "input", self.driving, [m for m in MEMBERS if m != self.held])
        require_closing(self.kind, (self.sun, self.planet), (self.ring, self.outer), self._module_ratio)
        require_even_spacing(self.kind, self.planets, self.sun, self.planet, self.ring, self.outer)
        require_apart(self.kind, self.planets, self.sun + self.planet, self.planet)
        modules = self.modules if isinstance(self.modules, tuple) else (self.modules, None)
        require_positive(self.kind, radius=self.radius, module=modules[0], second_module=modules[1])
        self._require_radius()

    @property
    def outer(self) -> int:
        """Teeth of the planet's wheel that meshes with the ring."""
        return self.planet if self.second_planet is None else self.second_planet

    @property
    def driving(self) -> str:
        """The member on the motor's shaft."""
        return self.input if self.input is not None else DEFAULT_INPUT[self.held]

    @property
    def driven(self) -> str:
        """The member that turns the joint."""
        return next(m for m in MEMBERS if m not in (self.held, self.driving))

    @property
    def riding(self) -> tuple[str, ...]:
        """Its fields that are stated in the driven link's frame when the output member is that link."""
        return ("planet_member", "towards") if self.driven == "carrier" else ()

    @property
    def _module_ratio(self) -> float:
        return self.modules[1] / self.modules[0] if isinstance(self.modules, tuple) else 1.0

    @property
    def circle(self) -> Scalar:
        """Radius of the planets' circle [m]: m (Zs + Zp) / 2, or as given."""
        if self.radius is not None:
            return self.radius
        module = self.modules[0] if isinstance(self.modules, tuple) else self.modules
        return 0.0 if module is None else module * (self.sun + self.planet) / 2

    @property
    def rates(self) -> dict[str, float]:
        """Speeds of sun, ring, carrier and planet relative to the mount per unit speed of the driven member.

        >>> Planetary(sun=18, planet=27, ring=72).rates
        {'sun': 5.0, 'ring': 0.0, 'carrier': 1.0, 'planet': -1.6666666666666665}
        """
        # Fernini (7)-(9), corrected
        s = willis(self.held, self.driven, -self.ring * self.planet / (self.sun * self.outer))
        s["planet"] = s["carrier"] - self.sun / self.planet * (s["sun"] - s["carrier"])  # Fernini (10)
        return s

    @property
    def ratio(self) -> Scalar:
        """Motor speed / joint speed."""
        return self.rates[self.driving]

    def members(self, output_is_link: bool) -> tuple[Wheel, ...]:
        """The wheels per unit speed of the driven member."""
        s = self.rates
        found = self.input_wheel(self.ratio)
        for name, member in (("sun", self.sun_member), ("ring", self.ring_member)):
            if name != self.held:
                found += member.wheel(name, s[name])
        if self.held == "carrier":
            return found + self._on_a_link(s["planet"], "mount")
        if self.driven == "carrier" and output_is_link:
            arm = self.carrier_member.wheel("carrier", 1.0)
            return found + arm + self._on_a_link(s["planet"] - 1.0, "driven")
        return found + orbiting(self.kind, self.planets, self.planet_member, self.carrier_member, self.circle, s)

    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels beside the motor's rotor."""
        return self.members(self.rigid)

    def derived_losses(self) -> tuple[Losses, ...]:
        """The losses of its meshes, by the power that rolls in them relative to the carrier."""
        meshes = {"sun": self.one_mesh, "ring": self.one_mesh}
        efficiency, back = epicyclic_efficiencies(self.rates, meshes, self.driving, self.driven)
        return (Losses(efficiency=efficiency, back_efficiency=back),)

    def gear_box(self) -> GearBox | None:
        """Sun, ring, carrier and all planets on their circle, which share their load equally.

        >>> stage = Planetary(sun=18, planet=27, ring=72, modules=0.001)
        >>> found = {one.name: one for one in stage.tooth_forces()}
        >>> round(found["sun-planet"].tangential * 3 * 0.009 * 5, 9)
        1.0
        >>> round(found["planet pin"].tangential / found["sun-planet"].tangential, 9)
        2.0
        """
        circle, helix = float(self.circle), float(self.helix_angle)
        if not circle:
            return None
        centre = {name: Turning(name) for name in MEMBERS}
        near, far = circle * self.sun / (self.sun + self.planet), circle * self.outer / (self.ring - self.outer)
        words: dict[str, Any] = {"pressure_angle": float(self.pressure_angle), "carrier": "carrier"}
        words["efficiency"] = float(self.one_mesh)
        planets, contacts = planets_on(circle, self.planets), []
        for planet in planets:
            out = planet.at / circle
            contacts += [
                cylinders(centre["sun"], planet, near, out, helix, title="sun-planet", **words),
                cylinders(planet, centre["ring"], far, out, -helix, title="planet-ring", **words),
            ]
        return GearBox([*centre.values(), *planets], contacts, self.driving, self.driven, (self.held,))

    @property
    def unknown_teeth(self) -> str | None:
        """The module."""
        return None if float(self.circle) else "the modules must be given"

    def _on_a_link(self, rate: Scalar, carrier: str) -> tuple[Wheel, ...]:
        """Planets whose carrier is a link: ordinary wheels at their true places."""
        one = self.planet_member
        ring = {"count": self.planets, "radius": self.circle, "towards": self.towards}
        about = "joint" if carrier == "driven" else "motor"
        return one.wheel("planets", rate, carrier=carrier, about=about, **ring)

    def _require_radius(self) -> None:
        heavy = not (isinstance(self.planet_member.mass, int | float) and self.planet_member.mass == 0)
        if heavy and self.modules is None and self.radius is None:
            raise TrainError(
                f"{self.kind}: its planets have mass {self.planet_member.mass} kg but no place. Give the radius of "
                "their circle, or the module."
            )
        if heavy and self.planets < 3 and self.towards is None:
            raise TrainError(
                f"{self.kind}: {self.planets} planets with mass are not the same from every side. "
                "Give `towards`, the direction to the first of them."
            )


def willis(held: str, driven: str, train: Scalar) -> dict[str, Scalar]:
    """Speeds of sun, ring and carrier with s_sun - s_carrier = train (s_ring - s_carrier), held 0 and driven 1.

    `train` is the ratio with the carrier at rest, -Zr/Zs for simple planets (Fernini, eq. 9, with its sign put right).

    >>> willis("ring", "carrier", -4.0)
    {'sun': 5.0, 'ring': 0.0, 'carrier': 1.0}
    """
    s: dict[str, Scalar] = {held: 0.0, driven: 1.0}
    if "sun" not in s:
        s["sun"] = s["carrier"] + train * (s["ring"] - s["carrier"])
    elif "ring" not in s:
        s["ring"] = s["carrier"] + (s["sun"] - s["carrier"]) / train
    else:
        s["carrier"] = (s["sun"] - train * s["ring"]) / (1 - train)
    return {name: s[name] for name in MEMBERS}


def orbiting(
    owner: str,
    count: int,
    planet: Member,
    carrier: Member,
    radius: Scalar,
    s: Any,
    names: tuple[str, str] = ("orbit", "planets"),
) -> tuple[Wheel, ...]:
    """Planets on a carrier that is not a link: coaxial spins on the mount, the planets' mass orbiting with the carrier.

    Carrier: I_c, and orbit: N m r^2 at s_c, planets: N I_p at s_p; at rest N m, axial N (m r^2 + I_p), transverse
    N (m r^2 / 2 + It_p). Exact for three or more equal, evenly spaced planets. `names` are those of orbit and planets.
    """
    if count < 3 and planet.present:
        raise SpinError(
            f"{owner!r} has {count} planets on a carrier that is not a link; its inertia then depends on the carrier "
            "angle. Use >= 3 planets, make the carrier a link, or model the planets as bodies."
        )
    arm = carrier.wheel("carrier", s["carrier"])
    orbit = planet.orbiting(count, radius).wheel(names[0], s["carrier"])
    return arm + orbit + planet.times(count).wheel(names[1], s["planet"])
