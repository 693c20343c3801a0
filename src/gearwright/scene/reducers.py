"""Reducers and other transmissions: harmonic, cycloidal, belts, worms, screws, racks."""

from __future__ import annotations

from math import acos, cos, pi, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Belt, Cycloidal, Gear, Harmonic, Rack, Screw, Worm
from gearwright.scene.gear_form import Form, Room
from gearwright.scene.tooth_profiles import circle, ellipse, involute, lobes, trapezoid
from gearwright.scene.toothed_gears import external
from gearwright.scene.triangles import Triangles, box, cylinder, joined, ring, towards, tube, turned, wheel

MOST_TEETH = 80
"""More teeth than these are too fine to be seen and too many to be sent."""
BELT_TEETH = 24


def harmonic(gear: Harmonic, room: Room) -> list[Form]:
    """Wave generator, flexspline and circular spline."""
    return _strain_wave(float(gear.printed), float(gear.ratio), gear.held == "circular", room)


def known_ratio(gear: Gear, room: Room) -> list[Form]:
    """A gear of which only the ratio is known: its kind tells what it may look like, else a plain disc turns along."""
    if gear.kind == "harmonic":
        return _strain_wave(abs(float(gear.ratio)), float(gear.ratio), True, room)
    half = 0.5 * room.radius
    return [Form("input", "gear", _marked_disc(half, room.width), float(gear.ratio))]


def cycloidal(gear: Cycloidal, room: Room) -> list[Form]:
    """Pins in a ring, and lobed discs that circle with the eccentrics."""
    pins, radius = gear.pins, room.radius
    e = float(gear.eccentricity) or 0.35 * radius / pins
    rate, own = float(gear.eccentrics), 1.0 if gear.held == "pins" else 0.0
    pin = 0.9 * radius / pins
    places = [(radius * cos(a), radius * sin(a), 0.0) for a in 2 * pi * np.arange(pins) / pins]
    posts = [cylinder(pin, 1.2 * room.width).moved(np.eye(3), place) for place in places]
    shell = ring(circle(1.04 * radius), 1.16 * radius, 1.2 * room.width)
    made = [Form("pins", "ring", joined([shell, *posts]), 1.0 - own)]
    for k in range(gear.discs):
        outline = lobes(pins - 1, radius - pin - e, e)
        arm = e * np.array([cos(2 * pi * k / gear.discs), sin(2 * pi * k / gear.discs), 0.0])
        disc = wheel(outline, 0.3 * radius, 0.45 * room.width)
        height = room.width * (k - (gear.discs - 1) / 2) * 0.55
        made.append(Form(f"disc{k + 1}", "planet", disc, own - rate, rate, arm).lifted(height))
    return [*made, Form("eccentric", "gear", _marked_disc(0.22 * radius, 1.4 * room.width), rate)]


def belt(gear: Belt, room: Room) -> list[Form]:
    """Two toothed pulleys, and the belt that runs around them."""
    r, r2 = float(gear.driver), float(gear.driven)
    distance = float(gear.distance or room.distance or 1.5 * (r + r2))
    arm = np.array([distance, 0.0, 0.0])
    made = [
        Form("driver", "gear", _pulley(r, room.width), float(gear.ratio)),
        Form("driven", "gear", _pulley(r2, room.width), 1.0, arm=arm, joint_side=True),
    ]
    if gear.crossed or distance <= abs(r - r2):
        return made
    inner, outer = _around(r, r2, distance, 0.0), _around(r, r2, distance, 0.08 * min(r, r2))
    return [*made, Form(gear.kind, "belt", tube(inner, outer, room.width))]


def worm(gear: Worm, room: Room) -> list[Form]:
    """A worm on the motor's axis, and its wheel about the joint's."""
    axis = room.joint_axis
    if axis is None or abs(axis[2]) > 0.999:
        return []
    radius, size = room.radius, 0.3 * room.radius
    across = np.cross((0.0, 0.0, 1.0), axis)
    arm = (radius + size) * across / np.linalg.norm(across)
    wheel_form = external(gear.wheel, 2 * radius / gear.wheel, 0.5 * room.width + size / 2, 0.0)
    return [
        Form("worm", "gear", _thread(size, 1.6 * radius, pi * 2 * radius / gear.wheel), float(gear.ratio)),
        Form("wheel", "gear", wheel_form, 1.0, arm=arm, tilt=towards(axis), joint_side=True),
    ]


def screw(gear: Screw, room: Room) -> list[Form]:
    """A threaded spindle."""
    length = 3 * room.radius
    pitch = max(float(gear.lead), length / 60)
    return [Form("screw", "gear", _thread(0.2 * room.radius, length, pitch), float(gear.ratio))]


def rack(gear: Rack, room: Room) -> list[Form]:
    """A pinion."""
    radius = float(gear.pitch_radius)
    teeth = int(gear.teeth or 20)
    return [Form("pinion", "gear", external(teeth, 2 * radius / teeth, room.width, 0.0), float(gear.ratio))]


def _strain_wave(reduction: float, ratio: float, circular_held: bool, room: Room) -> list[Form]:
    teeth = min(max(round(2 * reduction), 12), MOST_TEETH)
    radius, width = 0.85 * room.radius, room.width
    cup = ring(circle(0.86 * radius, len(involute(teeth, 0.97 * radius))), 0.9 * radius, 1.6 * width)
    spline = wheel(involute(teeth, 0.96 * radius), 0.88 * radius, width)
    hole = involute(teeth + 2, radius, 1.25, 1.0)
    return [
        Form("circular_spline", "ring", ring(hole, 1.18 * radius, 0.9 * width), 0.0 if circular_held else 1.0),
        Form(
            "flexspline",
            "planet",
            joined([spline, cup.moved(np.eye(3), (0, 0, -0.6 * width))]),
            1.0 if circular_held else 0.0,
        ),
        Form("wave_generator", "gear", wheel(ellipse(0.84 * radius, 0.76 * radius), 0.25 * radius, 1.1 * width), ratio),
    ]


def _marked_disc(radius: float, width: float) -> Triangles:
    """A disc with a key, so that one sees it turn."""
    key = box(0.5 * radius, 0.25 * radius, 0.2 * width).moved(np.eye(3), (0.6 * radius, 0, 0.55 * width))
    return joined([cylinder(radius, width, 0.2 * radius), key])


def _pulley(radius: float, width: float) -> Triangles:
    return wheel(trapezoid(BELT_TEETH, 0.96 * radius), 0.3 * radius, 0.9 * width)


def _thread(radius: float, length: float, pitch: float) -> Triangles:
    """A spindle with ridges."""
    count = min(max(int(length / pitch), 3), 40)
    heights = np.linspace(-length / 2, length / 2, 2 * count + 1)
    sizes = np.where(np.arange(2 * count + 1) % 2, radius, 0.75 * radius)
    ends = np.array([[1e-4 * radius, -length / 2]]), np.array([[1e-4 * radius, length / 2]])
    return turned(np.concatenate([ends[0], np.column_stack([sizes, heights]), ends[1]]))


def _around(r: float, r2: float, distance: float, extra: float) -> Array:
    """The outline of an open belt, counter-clockwise, (K, 2) [m]."""
    lean = acos((r - r2) / distance)
    far, near = np.linspace(-lean, lean, 24), np.linspace(lean, 2 * pi - lean, 24)
    second = np.column_stack([distance + (r2 + extra) * np.cos(far), (r2 + extra) * np.sin(far)])
    first = np.column_stack([(r + extra) * np.cos(near), (r + extra) * np.sin(near)])
    return np.concatenate([second, first])
