"""Gears with teeth: spur, bevel, planetary, Wolfrom. Meshing wheels are drawn with teeth in gaps."""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Bevel, Planetary, Spur, Wolfrom
from gearwright.scene.gear_form import GearForm, GearSpace
from gearwright.scene.solid import rotation_about_z
from gearwright.scene.tooth_profiles import involute_outline, trapezoidal_outline
from gearwright.scene.triangles import Triangles, cylinder_mesh, join_meshes, ring_mesh, rotation_towards, wheel_mesh

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
            GearForm(name, "ring" if inside else "gear", mesh, float(rate), arm=arm, joint_side=name == "driven")
        )
    return forms


def bevel_forms(gear: Bevel, space: GearSpace) -> list[GearForm]:
    """Two cones whose apex is the gear's origin; none if the joint axis is unknown."""
    axis = space.joint_axis
    if axis is None or abs(axis[2]) > 0.999:
        return []
    module = 2 * space.radius / max(gear.driver, gear.driven)
    r, r2 = module * gear.driver / 2, module * gear.driven / 2
    sign = 1.0 if gear.away else -1.0
    driver = GearForm(
        "driver", "gear", _bevel_mesh(gear.driver, r, r2), float(gear.ratio), arm=np.array([0.0, 0.0, r2])
    )
    half = pi / gear.driven
    tilt = rotation_towards(sign * axis, (0.0, 0.0, 1.0)) @ rotation_about_z(half)
    cone = _bevel_mesh(gear.driven, r2, r)
    return [driver, GearForm("driven", "gear", cone, sign, arm=sign * r * axis, tilt=tilt, joint_side=True)]


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
        GearForm("sun", "gear", external_gear_mesh(gear.sun, module, space.width, 0.0), s["sun"]),
        GearForm("ring", "ring", internal_gear_mesh(gear.ring, outer, space.width, phase), s["ring"], arm=ring_offset),
    ]
    wheels = [(gear.planet, module, 0.0)] + ([(gear.ring_side_teeth, outer, lift)] if stepped else [])
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
    wheels = [(gear.planet, module, 0.0), (gear.second_planet, second, lift)]
    forms = [
        GearForm("sun", "gear", external_gear_mesh(gear.sun, module, space.width, 0.0), s["sun"]),
        GearForm("ring", "ring", internal_gear_mesh(gear.ring, module, space.width, phase)),
        GearForm(
            "second_ring", "ring", internal_gear_mesh(gear.second_ring, second, space.width, later), 1.0
        ).with_axial_offset(lift),
    ]
    forms += planet_forms(gear.planets, gear.sun, circle, wheels, (s["carrier"], s["planet"]), space.width)
    return [*forms, carrier_form(gear.planets, circle, module * gear.planet / 2, space.width, s["carrier"])]


def planet_forms(
    count: int,
    sun: int,
    circle: float,
    wheels: list[tuple[int, float, float]],
    rates: tuple[float, float],
    width: float,
) -> list[GearForm]:
    """Equal planets on a circle, each with one or two wheels, given by teeth, module and height."""
    arm_rate, rate = rates
    forms = []
    for k in range(count):
        direction = 2 * pi * k / count
        phase = meshing_phase(sun, 0.0, wheels[0][0], direction)
        parts = [external_gear_mesh(z, m, width, phase).with_pose(np.eye(3), (0, 0, height)) for z, m, height in wheels]
        arm = circle * np.array([cos(direction), sin(direction), 0.0])
        forms.append(GearForm(f"planet{k + 1}", "planet", join_meshes(parts), rate - arm_rate, arm_rate, arm))
    return forms


def carrier_form(count: int, circle: float, planet: float, width: float, rate: float) -> GearForm:
    """A plate below the planets with a pin for each."""
    pins = [
        cylinder_mesh(BORE_RATIO * planet, 1.5 * width).with_pose(
            np.eye(3), (circle * cos(a), circle * sin(a), -0.3 * width)
        )
        for a in (2 * pi * k / count for k in range(count))
    ]
    plate = cylinder_mesh(circle + 0.5 * planet, 0.25 * width).with_pose(np.eye(3), (0, 0, -0.85 * width))
    return GearForm("carrier", "carrier", join_meshes([plate, *pins]), rate)


def external_gear_mesh(teeth: int, module: float, width: float, phase: float) -> Triangles:
    """A spur gear at an angle."""
    radius = module * teeth / 2
    return wheel_mesh(involute_outline(teeth, radius), BORE_RATIO * radius, width).with_pose(
        rotation_about_z(phase), (0, 0, 0)
    )


def internal_gear_mesh(teeth: int, module: float, width: float, phase: float) -> Triangles:
    """A ring gear with internal teeth at an angle."""
    radius = module * teeth / 2
    hole = involute_outline(teeth, radius, addendum=1.25, dedendum=1.0)
    return ring_mesh(hole, radius + 3.5 * module, width).with_pose(rotation_about_z(phase), (0, 0, 0))


def _bevel_mesh(teeth: int, radius: float, height: float) -> Triangles:
    """A bevel gear at `height` above the apex of its cone, narrower towards it."""
    width = 0.45 * height * cos(atan2(radius, height))
    outline: Array = trapezoidal_outline(teeth, radius)
    flipped = np.diag([1.0, -1.0, -1.0])
    return wheel_mesh(outline, 0.4 * radius, width, taper=1 - width / height).with_pose(flipped, (0, 0, 0))
