"""Reducers and other transmissions: harmonic, cycloidal, belts, worms, screws, racks."""

from __future__ import annotations

from math import acos, cos, pi, sin

import numpy as np

from gearwright.arrays import Array
from gearwright.parts import Belt, Cycloidal, Gear, Harmonic, Rack, Screw, Worm
from gearwright.scene.gear_form import GearForm, GearSpace
from gearwright.scene.tooth_profiles import (
    circle_outline,
    ellipse_outline,
    involute_outline,
    lobed_outline,
    trapezoidal_outline,
)
from gearwright.scene.toothed_gears import external_gear_mesh
from gearwright.scene.triangles import (
    Triangles,
    box_mesh,
    cylinder_mesh,
    join_meshes,
    revolution_mesh,
    ring_mesh,
    rotation_towards,
    tube_mesh,
    wheel_mesh,
)

MAX_DRAWN_TEETH = 80
"""Largest number of drawn teeth: more are too fine to see and too large to send."""
DRAWN_PULLEY_TEETH = 24


def harmonic_forms(gear: Harmonic, space: GearSpace) -> list[GearForm]:
    """Wave generator, flexspline and circular spline."""
    return _strain_wave_forms(float(gear.printed_ratio), float(gear.ratio), gear.held == "circular", space)


def plain_gear_forms(gear: Gear, space: GearSpace) -> list[GearForm]:
    """A gear with only a ratio: a typical geometry of its kind, or else a plain disc."""
    if gear.kind == "harmonic":
        return _strain_wave_forms(abs(float(gear.ratio)), float(gear.ratio), True, space)
    half = 0.5 * space.radius
    return [GearForm("input", "gear", _marked_disc(half, space.width), float(gear.ratio))]


def cycloidal_forms(gear: Cycloidal, space: GearSpace) -> list[GearForm]:
    """Pins in a ring, and lobed discs that orbit with the eccentrics."""
    pins, radius = gear.pins, space.radius
    e = float(gear.eccentricity) or 0.35 * radius / pins
    rate, disc_rate = float(gear.eccentric_rate), 1.0 if gear.held == "pins" else 0.0
    pin = 0.9 * radius / pins
    places = [(radius * cos(a), radius * sin(a), 0.0) for a in 2 * pi * np.arange(pins) / pins]
    posts = [cylinder_mesh(pin, 1.2 * space.width).with_pose(np.eye(3), place) for place in places]
    shell = ring_mesh(circle_outline(1.04 * radius), 1.16 * radius, 1.2 * space.width)
    forms = [GearForm("pins", "ring", join_meshes([shell, *posts]), 1.0 - disc_rate)]
    for k in range(gear.discs):
        outline = lobed_outline(pins - 1, radius - pin - e, e)
        arm = e * np.array([cos(2 * pi * k / gear.discs), sin(2 * pi * k / gear.discs), 0.0])
        disc = wheel_mesh(outline, 0.3 * radius, 0.45 * space.width)
        height = space.width * (k - (gear.discs - 1) / 2) * 0.55
        forms.append(GearForm(f"disc{k + 1}", "planet", disc, disc_rate - rate, rate, arm).with_axial_offset(height))
    return [*forms, GearForm("eccentric", "gear", _marked_disc(0.22 * radius, 1.4 * space.width), rate)]


def belt_forms(gear: Belt, space: GearSpace) -> list[GearForm]:
    """Two toothed pulleys, and the belt that runs around them."""
    r, r2 = float(gear.driver), float(gear.driven)
    distance = float(space.distance or gear.distance or 1.5 * (r + r2))
    arm = np.array([distance, 0.0, 0.0])
    forms = [
        GearForm("driver", "gear", pulley_mesh(r, space.width), float(gear.ratio)),
        GearForm("driven", "gear", pulley_mesh(r2, space.width), 1.0, arm=arm, joint_side=True),
    ]
    if distance <= abs(r - r2) or (gear.crossed and distance <= r + r2):
        return forms
    return [*forms, GearForm(gear.kind, "belt", belt_mesh(r, r2, distance, space.width, gear.crossed))]


def worm_forms(gear: Worm, space: GearSpace) -> list[GearForm]:
    """A worm on the motor's axis, and its wheel about the joint's."""
    axis = space.joint_axis
    if axis is None or abs(axis[2]) > 0.999:
        return []
    across = np.cross((0.0, 0.0, 1.0), axis)
    across = across / np.linalg.norm(across) * (-1.0 if space.distance and across[0] < 0 else 1.0)
    radius = space.distance / 1.3 if space.distance else space.radius
    size = 0.3 * radius
    arm = (radius + size) * across
    wheel_form = external_gear_mesh(gear.wheel, 2 * radius / gear.wheel, 0.5 * space.width + size / 2, 0.0)
    worm = _thread_mesh(size, 1.6 * radius, pi * 2 * radius / gear.wheel)
    return [
        GearForm("worm", "gear", worm, float(gear.ratio), pitch_radius=size, mates=("wheel",)),
        GearForm(
            "wheel", "gear", wheel_form, 1.0, arm=arm, tilt=rotation_towards(axis), joint_side=True, pitch_radius=radius
        ),
    ]


def screw_forms(gear: Screw, space: GearSpace) -> list[GearForm]:
    """A threaded spindle."""
    length = 3 * space.radius
    pitch = max(float(gear.lead), length / 60)
    return [GearForm("screw", "gear", _thread_mesh(0.2 * space.radius, length, pitch), float(gear.ratio))]


def rack_forms(gear: Rack, space: GearSpace) -> list[GearForm]:
    """A pinion."""
    radius = float(gear.pitch_radius)
    teeth = int(gear.teeth or 20)
    return [
        GearForm("pinion", "gear", external_gear_mesh(teeth, 2 * radius / teeth, space.width, 0.0), float(gear.ratio))
    ]


def _strain_wave_forms(reduction: float, ratio: float, circular_held: bool, space: GearSpace) -> list[GearForm]:
    teeth = min(max(round(2 * reduction), 12), MAX_DRAWN_TEETH)
    radius, width = 0.85 * space.radius, space.width
    cup = ring_mesh(
        circle_outline(0.86 * radius, len(involute_outline(teeth, 0.97 * radius))), 0.9 * radius, 1.6 * width
    )
    spline = wheel_mesh(involute_outline(teeth, 0.96 * radius), 0.88 * radius, width)
    hole = involute_outline(teeth + 2, radius, 1.25, 1.0)
    return [
        GearForm("circular_spline", "ring", ring_mesh(hole, 1.18 * radius, 0.9 * width), 0.0 if circular_held else 1.0),
        GearForm(
            "flexspline",
            "planet",
            join_meshes([spline, cup.with_pose(np.eye(3), (0, 0, -0.6 * width))]),
            1.0 if circular_held else 0.0,
        ),
        GearForm(
            "wave_generator",
            "gear",
            wheel_mesh(ellipse_outline(0.84 * radius, 0.76 * radius), 0.25 * radius, 1.1 * width),
            ratio,
        ),
    ]


def _marked_disc(radius: float, width: float) -> Triangles:
    """A disc with a key that makes its rotation visible."""
    key = box_mesh(0.5 * radius, 0.25 * radius, 0.2 * width).with_pose(np.eye(3), (0.6 * radius, 0, 0.55 * width))
    return join_meshes([cylinder_mesh(radius, width, 0.2 * radius), key])


def pulley_mesh(radius: float, width: float, bore: float | None = None) -> Triangles:
    """A toothed pulley whose tips carry the belt."""
    inner = 0.3 * radius if bore is None else bore
    return wheel_mesh(trapezoidal_outline(DRAWN_PULLEY_TEETH, 0.925 * radius), inner, 0.9 * width)


def belt_mesh(r: float, r2: float, distance: float, width: float, crossed: bool = False) -> Triangles:
    """A belt around a pulley at the origin and another one at `distance` along x."""
    thick = 0.08 * min(r, r2)
    return tube_mesh(
        _belt_outline(r, r2, distance, 0.0, crossed), _belt_outline(r, r2, distance, thick, crossed), width
    )


def _thread_mesh(radius: float, length: float, pitch: float) -> Triangles:
    """A spindle with ridges."""
    count = min(max(int(length / pitch), 3), 40)
    heights = np.linspace(-length / 2, length / 2, 2 * count + 1)
    sizes = np.where(np.arange(2 * count + 1) % 2, radius, 0.75 * radius)
    ends = np.array([[1e-4 * radius, -length / 2]]), np.array([[1e-4 * radius, length / 2]])
    return revolution_mesh(np.concatenate([ends[0], np.column_stack([sizes, heights]), ends[1]]))


def _belt_outline(r: float, r2: float, distance: float, extra: float, crossed: bool = False) -> Array:
    """The outline of a belt [m], (K, 2): counter-clockwise, of a crossed one a figure of eight."""
    lean = acos((r + r2) / distance) if crossed else acos((r - r2) / distance)
    near = np.linspace(lean, 2 * pi - lean, 24)
    far = np.linspace(pi + lean, -pi - lean, 24) if crossed else np.linspace(-lean, lean, 24)
    outside = -extra if crossed else extra
    second = np.column_stack([distance + (r2 + outside) * np.cos(far), (r2 + outside) * np.sin(far)])
    first = np.column_stack([(r + extra) * np.cos(near), (r + extra) * np.sin(near)])
    return np.concatenate([second, first])
