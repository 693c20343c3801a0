"""Gears with teeth: spur, bevel, planetary, Wolfrom. Meshing wheels are drawn with teeth in gaps."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, cos, pi, sin, tan
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Bevel, Planetary, Spur, Wolfrom
from gearwright.scene.gear_form import GearForm, GearSpace
from gearwright.scene.solid import rotation_about_z
from gearwright.scene.tooth_profiles import circle_outline, involute_outline, trapezoidal_outline
from gearwright.scene.triangles import (
    Triangles,
    closed_loops_mesh,
    cylinder_mesh,
    join_meshes,
    ring_mesh,
    rotation_towards,
    wheel_mesh,
)

BORE_RATIO = 0.35
"""Radius of a bore relative to the pitch radius."""


def meshing_phase(teeth: int, phase: float, other_teeth: int, direction: float) -> float:
    r"""The angle of a wheel at which its gap meets a tooth of the driving wheel.

    With the centres along `direction` $\varphi$: $z_1 (\varphi - \theta_1) + z_2 (\varphi + \pi - \theta_2) = \pi$
    modulo a turn.

    >>> round(meshing_phase(20, 0.0, 20, 0.0) % (2 * pi / 20), 6) == round(pi / 20, 6)    # tooth against gap
    True
    """
    return direction + pi + (teeth * (direction - phase) - pi) / other_teeth


def ring_meshing_phase(teeth: int, phase: float, other_teeth: int, direction: float) -> float:
    """The angle of a ring around a wheel at which its gap meets a tooth of the wheel."""
    return direction - teeth * (direction - phase) / other_teeth


def spur_forms(gear: Spur, space: GearSpace) -> list[GearForm]:
    """Driver, idlers and driven gear in a line from motor to joint."""
    teeth = (gear.driver, *gear.idlers, gear.driven)
    signs = [1.0] * (len(teeth) - 2) + [-1.0 if gear.internal else 1.0]
    span = sum(after + sign * z for z, after, sign in zip(teeth[:-1], teeth[1:], signs, strict=True)) / 2
    module = space.distance / span if space.distance else 2 * space.radius / max(teeth)
    names = ["driver", *(f"idler{k + 1}" for k in range(len(gear.idlers))), "driven"]
    forms, offset, phase = [], 0.0, 0.0
    for k, (name, z, rate) in enumerate(zip(names, teeth, gear.member_rates, strict=True)):
        inside = gear.internal and k == len(teeth) - 1
        if k:
            before, sign = teeth[k - 1], signs[k - 1]
            direction = 0.0 if sign > 0 else pi
            offset += module * (z + sign * before) / 2
            phase = (ring_meshing_phase if inside else meshing_phase)(before, phase, z, direction)
        mesh = (
            internal_gear_mesh(z, module, space.width, phase)
            if inside
            else external_gear_mesh(z, module, space.width, phase)
        )
        arm = np.array([offset, 0.0, 0.0])
        forms.append(
            GearForm(
                name,
                "ring" if inside else "gear",
                mesh,
                float(rate),
                arm=arm,
                joint_side=name == "driven",
                pitch_radius=module * z / 2,
                mates=tuple(names[k - 1 : k]),
            )
        )
    return forms


def bevel_forms(gear: Bevel, space: GearSpace) -> list[GearForm]:
    """Two cones whose apex is the gear's origin; none if the joint axis is unknown or parallel."""
    axis = space.joint_axis
    if axis is None or abs(axis[2]) > 0.999:
        return []
    sign = 1.0 if gear.away else -1.0
    angle = acos(float(np.clip(sign * axis[2], -1.0, 1.0)))
    driver_cone = float(np.arctan2(sin(angle), gear.driven / gear.driver + cos(angle)))
    driven_cone = angle - driver_cone
    distance = space.radius / max(sin(driver_cone), sin(driven_cone))
    width, (r, r2) = 0.3 * distance, (distance * sin(driver_cone), distance * sin(driven_cone))
    tilt = rotation_towards(sign * axis, (0.0, 0.0, 1.0))
    across = sign * axis - (0.0, 0.0, sign * axis[2])
    first = _cone_mesh(gear.driver, r, driver_cone, width, float(np.arctan2(across[1], across[0])))
    driven_mesh = _cone_mesh(gear.driven, r2, driven_cone, width, pi / gear.driven)
    height, arm = np.array([0.0, 0.0, distance * cos(driver_cone)]), distance * cos(driven_cone) * sign * axis
    return [
        GearForm("driver", "gear", first, float(gear.ratio), arm=height, pitch_radius=r, mates=("driven",)),
        GearForm("driven", "gear", driven_mesh, sign, arm=arm, tilt=tilt, joint_side=True, pitch_radius=r2),
    ]


def _cone_mesh(teeth: int, radius: float, cone: float, width: float, phase: float) -> Triangles:
    return bevel_gear_mesh(teeth, radius, cone, width, 0.35 * radius, phase)


def planetary_forms(gear: Planetary, space: GearSpace) -> list[GearForm]:
    """Sun, planets on their carrier, and ring, each at its own speed."""
    module = 2 * float(gear.planet_circle_radius) / (gear.sun + gear.planet) or 2 * space.radius / (gear.ring + 6)
    circle = module * (gear.sun + gear.planet) / 2
    outer = 2 * circle / (gear.ring - gear.ring_side_teeth)
    stepped = gear.second_planet is not None
    lift = space.width * (1.3 if stepped else 0.0)
    s, first = gear.member_rates, meshing_phase(gear.sun, 0.0, gear.planet, 0.0)
    phase = ring_meshing_phase(gear.ring_side_teeth, first, gear.ring, 0.0)
    ring_offset = np.array([0.0, 0.0, lift])
    forms = [
        _central_gear("sun", gear.sun, module, space.width, 0.0, s["sun"]),
        _ring_gear("ring", gear.ring, outer, space.width, phase, s["ring"], ring_offset),
    ]
    wheels = [PlanetWheel("", gear.planet, module, 0.0, ("sun",) if stepped else ("sun", "ring"))]
    wheels += [PlanetWheel(".second", gear.ring_side_teeth, outer, lift, ("ring",))] if stepped else []
    forms += planet_forms(gear.planets, gear.sun, circle, wheels, (s["carrier"], s["planet"]), space.width)
    return [*forms, carrier_form(gear.planets, circle, module * gear.planet / 2, space.width, s["carrier"])]


def wolfrom_forms(gear: Wolfrom, space: GearSpace) -> list[GearForm]:
    """Sun, double planets, fixed ring and turning ring."""
    module = 2 * float(gear.radius) / (gear.sun + gear.planet) or 2 * space.radius / (gear.ring + 6)
    circle = module * (gear.sun + gear.planet) / 2
    second = 2 * circle / (gear.second_ring - gear.second_planet)
    s, lift = gear.member_rates, 1.3 * space.width
    phase = ring_meshing_phase(gear.planet, meshing_phase(gear.sun, 0.0, gear.planet, 0.0), gear.ring, 0.0)
    later = ring_meshing_phase(
        gear.second_planet, meshing_phase(gear.sun, 0.0, gear.planet, 0.0), gear.second_ring, 0.0
    )
    wheels = [
        PlanetWheel("", gear.planet, module, 0.0, ("sun", "ring")),
        PlanetWheel(".second", gear.second_planet, second, lift, ("second_ring",)),
    ]
    forms = [
        _central_gear("sun", gear.sun, module, space.width, 0.0, s["sun"]),
        _ring_gear("ring", gear.ring, module, space.width, phase, 0.0, np.zeros(3)),
        _ring_gear("second_ring", gear.second_ring, second, space.width, later, 1.0, np.array([0.0, 0.0, lift])),
    ]
    forms += planet_forms(gear.planets, gear.sun, circle, wheels, (s["carrier"], s["planet"]), space.width)
    return [*forms, carrier_form(gear.planets, circle, module * gear.planet / 2, space.width, s["carrier"])]


class PlanetWheel(NamedTuple):
    """A wheel of every planet: ending of its name, teeth, module [m], height [m] and the members it meshes with."""

    ending: str
    teeth: int
    module: float
    height: float
    mates: tuple[str, ...]


def planet_forms(
    count: int,
    sun: int,
    circle: float,
    wheels: Sequence[PlanetWheel],
    rates: tuple[float, float],
    width: float,
) -> list[GearForm]:
    """Equal planets on a circle, each with one or two wheels."""
    arm_rate, rate = rates
    forms = []
    for k in range(count):
        direction = 2 * pi * k / count
        phase = meshing_phase(sun, 0.0, wheels[0].teeth, direction)
        for wheel in wheels:
            mesh = external_gear_mesh(wheel.teeth, wheel.module, width, phase)
            arm = np.array([circle * cos(direction), circle * sin(direction), wheel.height])
            forms.append(
                GearForm(
                    f"planet{k + 1}{wheel.ending}",
                    "planet",
                    mesh,
                    rate - arm_rate,
                    arm_rate,
                    arm,
                    pitch_radius=wheel.module * wheel.teeth / 2,
                    mates=wheel.mates,
                )
            )
    return forms


def _central_gear(name: str, teeth: int, module: float, width: float, phase: float, rate: float) -> GearForm:
    mesh = external_gear_mesh(teeth, module, width, phase)
    return GearForm(name, "gear", mesh, rate, pitch_radius=module * teeth / 2)


def _ring_gear(name: str, teeth: int, module: float, width: float, phase: float, rate: float, arm: Array) -> GearForm:
    mesh = internal_gear_mesh(teeth, module, width, phase)
    return GearForm(name, "ring", mesh, rate, arm=arm, pitch_radius=module * teeth / 2)


def carrier_form(count: int, circle: float, planet: float, width: float, rate: float) -> GearForm:
    """The carrier of planets."""
    return GearForm("carrier", "carrier", carrier_mesh(count, circle, planet, width), rate)


def carrier_mesh(count: int, circle: float, planet: float, width: float) -> Triangles:
    """A plate below the planets with a pin for each."""
    pins = [
        cylinder_mesh(BORE_RATIO * planet, 1.5 * width).with_pose(
            np.eye(3), (circle * cos(a), circle * sin(a), -0.3 * width)
        )
        for a in (2 * pi * k / count for k in range(count))
    ]
    plate = cylinder_mesh(circle + 0.5 * planet, 0.25 * width, max(0.3 * circle, circle - planet)).with_pose(
        np.eye(3), (0, 0, -0.85 * width)
    )
    return join_meshes([plate, *pins])


def external_gear_mesh(teeth: int, module: float, width: float, phase: float, bore: float | None = None) -> Triangles:
    """A spur gear at an angle."""
    radius = module * teeth / 2
    return wheel_mesh(involute_outline(teeth, radius), BORE_RATIO * radius if bore is None else bore, width).with_pose(
        rotation_about_z(phase), (0, 0, 0)
    )


def internal_gear_mesh(teeth: int, module: float, width: float, phase: float) -> Triangles:
    """A ring gear with internal teeth at an angle."""
    radius = module * teeth / 2
    hole = involute_outline(teeth, radius, addendum=1.25, dedendum=1.0)
    return ring_mesh(hole, radius + 3.5 * module, width).with_pose(rotation_about_z(phase), (0, 0, 0))


def bevel_gear_mesh(teeth: int, radius: float, cone: float, width: float, bore: float, phase: float = 0.0) -> Triangles:
    r"""A bevel gear whose pitch circle lies in z = 0 and whose apex is below, at $z = -r / \tan\delta$.

    Heights h of its teeth are perpendicular to the pitch cone: radius $r + h \cos\delta$, height
    $-h \sin\delta$, all scaled towards the apex along the teeth, so that teeth of two gears with one apex mesh.

    Args:
        teeth: their number; 0 for a smooth cone.
        radius: of the pitch circle at the outer end [m].
        cone: half the angle of the pitch cone [rad].
        width: of the teeth along the cone [m].
        bore: radius of the bore [m].
        phase: angle of a tooth from x [rad].
    """
    apex = -radius / tan(cone)
    outline = trapezoidal_outline(teeth, radius) if teeth else circle_outline(radius, 72)
    angle, height = np.arctan2(outline[:, 1], outline[:, 0]) + phase, np.hypot(*outline.T) - radius
    size, level = radius + height * cos(cone), -height * sin(cone)
    share = 1 - width * sin(cone) / radius
    back = 0.35 * width

    def ring_at(radii: Array | float, heights: Array | float) -> Array:
        return np.column_stack([radii * np.cos(angle), radii * np.sin(angle), np.broadcast_to(heights, angle.shape)])

    root = float(size.min())
    inner_size, inner_level = share * size, apex + share * (level - apex)
    hub = max(min(0.8 * root, root - back), 1.02 * bore)
    floor = min(float(inner_level.min()), float(level.min()))
    narrow = min(bore, 0.9 * float(inner_size.min()))
    profile = [
        ring_at(narrow, floor),
        ring_at(inner_size, inner_level),
        ring_at(size, level),
        ring_at(hub, max(float(level.max()), 0.0) + back),
        ring_at(bore, max(float(level.max()), 0.0) + back),
    ]
    return closed_loops_mesh(profile)
