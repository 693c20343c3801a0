"""Drives to look at: stator, rotor and gear, on the link that carries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi, sqrt
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.mechanism.assembly.drive_locations import DrivePlace
from gearwright.parts import Motor
from gearwright.scene.gear_form import Form, Room
from gearwright.scene.gear_form_table import gear_forms
from gearwright.scene.solid import Solid, times
from gearwright.scene.tooth_profiles import circle
from gearwright.scene.triangles import Triangles, box, cylinder, joined, ring, towards, vector

STEEL = 7850.0
"""Density [kg/m3] that a rotor has whose mass is not told."""
SLENDER = 1.6
"""Length of a rotor relative to its diameter."""


def drive_solids(place: DrivePlace, reach: float) -> Iterator[Solid]:
    """A drive's stator, rotor and gear; sizes that its file does not state are drawn in proportion to the robot."""
    drive, room, frame = place.drive, *_where(place, reach)
    for form in gear_forms(drive.gear, room):
        yield _solid(place, form, frame)
    yield from motor_solids(
        drive.title, drive.motor, place.mount, frame, times(place.motor_row, drive.gear.ratio), reach
    )


def motor_solids(
    title: str, motor: Motor, carrier: str, frame: tuple[Array, Array], row: Mapping[str, Any], reach: float
) -> Iterator[Solid]:
    """A motor behind the origin of a frame whose z is its axis."""
    radius = rotor_radius(motor, reach)
    length = SLENDER * 2 * radius
    behind = np.array([0.0, 0.0, -0.5 * length - 0.035 * reach])
    shaft = cylinder(0.25 * radius, length + 0.08 * reach).moved(np.eye(3), (0, 0, 0.04 * reach))
    mesh = joined([_with_key(radius, length), shaft])
    rotation, position = frame
    common: dict[str, Any] = {"carrier": carrier, "rotation": rotation, "position": position, "arm": behind}
    yield Solid(f"{title}.rotor", "rotor", mesh=mesh, turning=row, **common)
    shell = ring(circle(1.15 * radius), 1.35 * radius, 0.9 * length)
    yield Solid(f"{title}.stator", "stator", mesh=shell, opacity=0.35, **common)


def rotor_radius(motor: Motor, reach: float) -> float:
    r"""Radius of a solid rotor [m]: $J = m r^2 / 2$, or of steel $J = \rho \pi l r^4 / 2$; within what can be seen."""
    inertia, mass = float(motor.inertia), float(motor.mass)
    of_steel = (inertia / (STEEL * pi * SLENDER)) ** 0.2
    radius = sqrt(2 * inertia / mass) if mass > 0 else of_steel
    return float(np.clip(radius, 0.02 * reach, 0.045 * reach))


def _where(place: DrivePlace, reach: float) -> tuple[Room, tuple[Array, Array]]:
    """The room that the gear has, and its frame on the mount."""
    axis, point = vector(place.axis), vector(place.point)
    radius, width = 0.065 * reach, 0.022 * reach
    if place.joint is None:
        return Room(radius, width), (towards(axis), point)
    joint_axis, origin = (vector(x) for x in place.joint)
    joint_axis = joint_axis / np.linalg.norm(joint_axis)
    across = origin - point - axis * (axis @ (origin - point))
    distance = float(np.linalg.norm(across))
    rotation = towards(axis, across) if distance > 1e-6 else towards(axis)
    near = 0.0 if distance <= 1e-6 or abs(axis @ joint_axis) < 0.999 else distance
    return Room(radius, width, near, rotation.T @ joint_axis), (rotation, point)


def _solid(place: DrivePlace, form: Form, frame: tuple[Array, Array]) -> Solid:
    row = place.joint_row if form.joint_side else place.motor_row
    name = f"{place.drive.title}.{form.name}"
    turning, orbit = times(row, form.rate), times(row, form.orbit)
    parts: dict[str, Any] = {
        "turning": turning,
        "orbit": orbit,
        "arm": form.arm,
        "tilt": form.tilt,
        "opacity": form.opacity,
    }
    return Solid(name, form.kind, place.mount, form.mesh, *frame, **parts)


def _with_key(radius: float, length: float) -> Triangles:
    """A rotor with bars along it, so that one sees it turn."""
    bars = [
        box(0.3 * radius, 0.3 * radius, length).moved(np.eye(3), (radius * np.cos(a), radius * np.sin(a), 0.0))
        for a in 2 * pi * np.arange(4) / 4
    ]
    return joined([cylinder(radius, length), *bars])
