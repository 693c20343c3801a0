"""Solids of drives: stator, rotor and gear, on the link that carries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi, sqrt
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.mechanism.assembly.drive_locations import DriveLocation
from gearwright.parts import Motor
from gearwright.scene.gear_form import GearForm, GearSpace
from gearwright.scene.gear_form_table import gear_forms
from gearwright.scene.solid import Solid, scaled_row
from gearwright.scene.tooth_profiles import circle_outline
from gearwright.scene.triangles import (
    Triangles,
    as_vector,
    box_mesh,
    cylinder_mesh,
    join_meshes,
    ring_mesh,
    rotation_towards,
)

STEEL_DENSITY = 7850.0
"""Density [kg/m3] of a rotor without stated mass."""
ROTOR_SLENDERNESS = 1.6
"""Length of a rotor relative to its diameter."""


def drive_solids(place: DriveLocation, reach: float) -> Iterator[Solid]:
    """Stator, rotor and gear of a drive; sizes that are not stated are chosen in proportion to the robot."""
    drive, space, frame = place.drive, *_gear_space_and_frame(place, reach)
    for form in gear_forms(drive.gear, space):
        yield _form_solid(place, form, frame)
    yield from motor_solids(
        drive.title, drive.motor, place.mount, frame, scaled_row(place.motor_row, drive.gear.ratio), reach
    )


def motor_solids(
    title: str, motor: Motor, carrier: str, frame: tuple[Array, Array], row: Mapping[str, Any], reach: float
) -> Iterator[Solid]:
    """A motor below the origin of a frame whose z is its axis."""
    radius = rotor_radius(motor, reach)
    length = ROTOR_SLENDERNESS * 2 * radius
    behind = np.array([0.0, 0.0, -0.5 * length - 0.035 * reach])
    shaft = cylinder_mesh(0.25 * radius, length + 0.08 * reach).with_pose(np.eye(3), (0, 0, 0.04 * reach))
    mesh = join_meshes([_rotor_mesh(radius, length), shaft])
    rotation, position = frame
    common: dict[str, Any] = {"carrier": carrier, "rotation": rotation, "position": position, "arm": behind}
    yield Solid(f"{title}.rotor", "rotor", mesh=mesh, turning=row, **common)
    shell = ring_mesh(circle_outline(1.15 * radius), 1.35 * radius, 0.9 * length)
    yield Solid(f"{title}.stator", "stator", mesh=shell, opacity=0.35, **common)


def rotor_radius(motor: Motor, reach: float) -> float:
    r"""Radius of a solid rotor [m]: $J = m r^2 / 2$, or of steel $J = \rho \pi l r^4 / 2$; within visible sizes."""
    inertia, mass = float(motor.inertia), float(motor.mass)
    of_steel = (inertia / (STEEL_DENSITY * pi * ROTOR_SLENDERNESS)) ** 0.2
    radius = sqrt(2 * inertia / mass) if mass > 0 else of_steel
    return float(np.clip(radius, 0.02 * reach, 0.045 * reach))


def _gear_space_and_frame(place: DriveLocation, reach: float) -> tuple[GearSpace, tuple[Array, Array]]:
    """The space for the gear, and its frame on the mount."""
    axis, point = as_vector(place.axis), as_vector(place.point)
    radius, width = 0.065 * reach, 0.022 * reach
    if place.joint is None:
        return GearSpace(radius, width), (rotation_towards(axis), point)
    joint_axis, origin = (as_vector(x) for x in place.joint)
    joint_axis = joint_axis / np.linalg.norm(joint_axis)
    across = origin - point - axis * (axis @ (origin - point))
    distance = float(np.linalg.norm(across))
    rotation = rotation_towards(axis, across) if distance > 1e-6 else rotation_towards(axis)
    centre_distance = 0.0 if distance <= 1e-6 or abs(axis @ joint_axis) < 0.999 else distance
    return GearSpace(radius, width, centre_distance, rotation.T @ joint_axis), (rotation, point)


def _form_solid(place: DriveLocation, form: GearForm, frame: tuple[Array, Array]) -> Solid:
    row = place.joint_row if form.joint_side else place.motor_row
    name = f"{place.drive.title}.{form.name}"
    turning, orbit = scaled_row(row, form.rate), scaled_row(row, form.orbit)
    parts: dict[str, Any] = {
        "turning": turning,
        "orbit": orbit,
        "arm": form.arm,
        "tilt": form.tilt,
        "opacity": form.opacity,
    }
    return Solid(name, form.kind, place.mount, form.mesh, *frame, **parts)


def _rotor_mesh(radius: float, length: float) -> Triangles:
    """A rotor with bars along it that make its rotation visible."""
    bars = [
        box_mesh(0.3 * radius, 0.3 * radius, length).with_pose(np.eye(3), (radius * np.cos(a), radius * np.sin(a), 0.0))
        for a in 2 * pi * np.arange(4) / 4
    ]
    return join_meshes([cylinder_mesh(radius, length), *bars])
