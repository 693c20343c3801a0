"""Gears with teeth: spur, bevel, planetary, Wolfrom. Wheels that mesh are drawn with teeth in gaps."""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Bevel, Planetary, Spur, Wolfrom
from gearwright.scene.gear_form import Form, Room
from gearwright.scene.solid import turn_about_z
from gearwright.scene.tooth_profiles import involute, trapezoid
from gearwright.scene.triangles import Triangles, cylinder, joined, ring, towards, wheel

BORE = 0.35
"""Radius of a bore relative to the pitch radius."""


def meshing(teeth: int, phase: float, other: int, direction: float) -> float:
    r"""The angle at which a wheel must stand for its gap to meet a tooth of the wheel that drives it.

    With the centres along `direction` $\varphi$: $z_1 (\varphi - \theta_1) + z_2 (\varphi + \pi - \theta_2) = \pi$
    modulo a turn.

    >>> round(meshing(20, 0.0, 20, 0.0) % (2 * pi / 20), 6) == round(pi / 20, 6)    # tooth against gap
    True
    """
    return direction + pi + (teeth * (direction - phase) - pi) / other


def meshing_inside(teeth: int, phase: float, other: int, direction: float) -> float:
    """The same for a ring around a wheel: the hole's outline has its own teeth where the wheel has its."""
    return direction - teeth * (direction - phase) / other


def spur(gear: Spur, room: Room) -> list[Form]:
    """Driver, idlers and driven gear in a line from motor to joint."""
    teeth = (gear.driver, *gear.idlers, gear.driven)
    signs = [1.0] * (len(teeth) - 2) + [-1.0 if gear.internal else 1.0]
    span = sum(after + sign * z for z, after, sign in zip(teeth[:-1], teeth[1:], signs, strict=True)) / 2
    module = room.distance / span if room.distance else 2 * room.radius / max(teeth)
    names = ["driver", *(f"idler{k + 1}" for k in range(len(gear.idlers))), "driven"]
    made, at, phase = [], 0.0, 0.0
    for k, (name, z, rate) in enumerate(zip(names, teeth, gear.rates, strict=True)):
        inside = gear.internal and k == len(teeth) - 1
        if k:
            before, sign = teeth[k - 1], signs[k - 1]
            direction = 0.0 if sign > 0 else pi
            at += module * (z + sign * before) / 2
            phase = (meshing_inside if inside else meshing)(before, phase, z, direction)
        mesh = internal(z, module, room.width, phase) if inside else external(z, module, room.width, phase)
        arm = np.array([at, 0.0, 0.0])
        made.append(Form(name, "ring" if inside else "gear", mesh, float(rate), arm=arm, joint_side=name == "driven"))
    return made


def bevel(gear: Bevel, room: Room) -> list[Form]:
    """Two cones whose apex is the gear's origin; none where the joint's axis is not known."""
    axis = room.joint_axis
    if axis is None or abs(axis[2]) > 0.999:
        return []
    module = 2 * room.radius / max(gear.driver, gear.driven)
    r, r2 = module * gear.driver / 2, module * gear.driven / 2
    sign = 1.0 if gear.away else -1.0
    driver = Form("driver", "gear", _cone(gear.driver, r, r2), float(gear.ratio), arm=np.array([0.0, 0.0, r2]))
    half = pi / gear.driven
    tilt = towards(sign * axis, (0.0, 0.0, 1.0)) @ turn_about_z(half)
    cone = _cone(gear.driven, r2, r)
    return [driver, Form("driven", "gear", cone, sign, arm=sign * r * axis, tilt=tilt, joint_side=True)]


def planetary(gear: Planetary, room: Room) -> list[Form]:
    """Sun, planets on their carrier, ring; each at its own rate."""
    module = 2 * float(gear.circle) / (gear.sun + gear.planet) or 2 * room.radius / (gear.ring + 6)
    circle = module * (gear.sun + gear.planet) / 2
    outer = 2 * circle / (gear.ring - gear.outer)
    stepped = gear.second_planet is not None
    lift = room.width * (1.3 if stepped else 0.0)
    s, first = gear.rates, meshing(gear.sun, 0.0, gear.planet, 0.0)
    phase = meshing_inside(gear.outer, first, gear.ring, 0.0)
    held_up = np.array([0.0, 0.0, lift])
    made = [
        Form("sun", "gear", external(gear.sun, module, room.width, 0.0), s["sun"]),
        Form("ring", "ring", internal(gear.ring, outer, room.width, phase), s["ring"], arm=held_up),
    ]
    wheels = [(gear.planet, module, 0.0)] + ([(gear.outer, outer, lift)] if stepped else [])
    made += planets(gear.planets, gear.sun, circle, wheels, (s["carrier"], s["planet"]), room.width)
    return [*made, carrier(gear.planets, circle, module * gear.planet / 2, room.width, s["carrier"])]


def wolfrom(gear: Wolfrom, room: Room) -> list[Form]:
    """Sun, double planets, the held ring and the one that turns."""
    module = 2 * float(gear.radius) / (gear.sun + gear.planet) or 2 * room.radius / (gear.ring + 6)
    circle = module * (gear.sun + gear.planet) / 2
    second = 2 * circle / (gear.second_ring - gear.second_planet)
    s, lift = gear.rates, 1.3 * room.width
    phase = meshing_inside(gear.planet, meshing(gear.sun, 0.0, gear.planet, 0.0), gear.ring, 0.0)
    later = meshing_inside(gear.second_planet, meshing(gear.sun, 0.0, gear.planet, 0.0), gear.second_ring, 0.0)
    wheels = [(gear.planet, module, 0.0), (gear.second_planet, second, lift)]
    made = [
        Form("sun", "gear", external(gear.sun, module, room.width, 0.0), s["sun"]),
        Form("ring", "ring", internal(gear.ring, module, room.width, phase)),
        Form("second_ring", "ring", internal(gear.second_ring, second, room.width, later), 1.0).lifted(lift),
    ]
    made += planets(gear.planets, gear.sun, circle, wheels, (s["carrier"], s["planet"]), room.width)
    return [*made, carrier(gear.planets, circle, module * gear.planet / 2, room.width, s["carrier"])]


def planets(
    count: int,
    sun: int,
    circle: float,
    wheels: list[tuple[int, float, float]],
    rates: tuple[float, float],
    width: float,
) -> list[Form]:
    """Equal planets on a circle: each of one wheel or two, given by teeth, module and height."""
    arm_rate, rate = rates
    made = []
    for k in range(count):
        direction = 2 * pi * k / count
        phase = meshing(sun, 0.0, wheels[0][0], direction)
        parts = [external(z, m, width, phase).moved(np.eye(3), (0, 0, height)) for z, m, height in wheels]
        arm = circle * np.array([cos(direction), sin(direction), 0.0])
        made.append(Form(f"planet{k + 1}", "planet", joined(parts), rate - arm_rate, arm_rate, arm))
    return made


def carrier(count: int, circle: float, planet: float, width: float, rate: float) -> Form:
    """A plate below the planets with a pin for each."""
    pins = [
        cylinder(BORE * planet, 1.5 * width).moved(np.eye(3), (circle * cos(a), circle * sin(a), -0.3 * width))
        for a in (2 * pi * k / count for k in range(count))
    ]
    plate = cylinder(circle + 0.5 * planet, 0.25 * width).moved(np.eye(3), (0, 0, -0.85 * width))
    return Form("carrier", "carrier", joined([plate, *pins]), rate)


def external(teeth: int, module: float, width: float, phase: float) -> Triangles:
    """A spur gear standing at an angle."""
    radius = module * teeth / 2
    return wheel(involute(teeth, radius), BORE * radius, width).moved(turn_about_z(phase), (0, 0, 0))


def internal(teeth: int, module: float, width: float, phase: float) -> Triangles:
    """A ring with teeth inside standing at an angle."""
    radius = module * teeth / 2
    hole = involute(teeth, radius, addendum=1.25, dedendum=1.0)
    return ring(hole, radius + 3.5 * module, width).moved(turn_about_z(phase), (0, 0, 0))


def _cone(teeth: int, radius: float, height: float) -> Triangles:
    """A bevel gear at `height` above the apex of its cone, narrower towards it."""
    width = 0.45 * height * cos(atan2(radius, height))
    outline: Array = trapezoid(teeth, radius)
    flipped = np.diag([1.0, -1.0, -1.0])
    return wheel(outline, 0.4 * radius, width, taper=1 - width / height).moved(flipped, (0, 0, 0))
