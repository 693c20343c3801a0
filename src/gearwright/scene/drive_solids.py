"""Solids of drives: stator, rotor and gear, on the link that carries them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import pi, sqrt
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.mechanism.assembly.drive_locations import DriveLocation
from gearwright.parts import Bevel, Motor, Series, Worm
from gearwright.scene.gear_form import GearForm, GearSpace
from gearwright.scene.gear_form_table import gear_forms, output_offset
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
STATOR_RADIUS_RATIO = 1.35
"""Outer radius of a stator relative to that of its rotor."""


def drive_solids(place: DriveLocation, reach: float, rods: Sequence[Array] = ()) -> Iterator[Solid]:
    """Stator, rotor, gear and shafts of a drive; sizes that are not stated are chosen in proportion to the robot.

    A motor whose position the file leaves open, or states on the joint's axis though its gear needs a distance from it,
    is placed such that the last wheel is on the joint's axis. A motor beside the rods of its link, which run from the
    link's origin to the points `rods`, has a bracket.
    """
    drive, space, frame = place.drive, *_gear_space_and_frame(place, reach)
    forms = gear_forms(drive.gear, space)
    if place.joint is not None and (drive.motor.position is None or not space.distance):
        frame = frame[0], frame[1] - frame[0] @ output_offset(forms)
    for form in forms:
        yield _form_solid(place, form, frame)
    yield from _output_shaft(place, forms, frame, reach)
    row = scaled_row(place.motor_row, drive.gear.ratio)
    yield from motor_solids(drive.title, drive.motor, place.mount, frame, row, reach)
    yield from _bracket(place, frame, rods, reach)


def _output_shaft(
    place: DriveLocation, forms: Sequence[GearForm], frame: tuple[Array, Array], reach: float
) -> Iterator[Solid]:
    """The shaft from the driven wheel, or from a coaxial gear, to the origin of the joint."""
    driven = [form for form in forms if form.joint_side and form.kind in ("gear", "ring")]
    if not forms or place.joint is None:
        return
    axis, origin = (as_vector(x) for x in place.joint)
    axis = axis / np.linalg.norm(axis)
    centre = frame[1] + frame[0] @ (driven[-1].arm if driven else np.zeros(3))
    height = float(axis @ (centre - origin))
    if np.linalg.norm(centre - origin - height * axis) > 1e-6 or (not driven and abs(height) < 0.03 * reach):
        return
    low, high = min(height, 0.0) - 0.03 * reach, max(height, 0.0) + 0.03 * reach
    radius = 0.36 * (driven[-1].pitch_radius if driven and driven[-1].pitch_radius else 0.065 * reach)
    mesh = cylinder_mesh(radius, high - low)
    row, middle = scaled_row(place.joint_row, driven[-1].rate if driven else 1.0), origin + (low + high) / 2 * axis
    yield Solid(f"{place.drive.title}.output", "shaft", place.mount, mesh, rotation_towards(axis), middle, row)


def motor_solids(
    title: str, motor: Motor, carrier: str, frame: tuple[Array, Array], row: Mapping[str, Any], reach: float
) -> Iterator[Solid]:
    """A motor below the origin of a frame whose z is its axis, and its shaft through the gear."""
    radius = rotor_radius(motor, reach)
    length = ROTOR_SLENDERNESS * 2 * radius
    rotation, position = frame
    behind = _motor_distance(radius, reach)
    middle = position - behind * rotation[:, 2]
    yield from stator_and_rotor(title, carrier, (rotation, middle), row, (radius, length, 0.0))
    shaft = cylinder_mesh(0.25 * radius, behind + 0.04 * reach - 0.45 * length)
    at = position + rotation[:, 2] * (0.04 * reach - (behind + 0.04 * reach - 0.45 * length) / 2)
    yield Solid(f"{title}.shaft", "shaft", carrier, shaft, rotation, at, row)


def _motor_distance(radius: float, reach: float) -> float:
    """Distance from a gear to the middle of its motor with a rotor of some radius [m]."""
    return ROTOR_SLENDERNESS * radius + 0.035 * reach


def _bracket(place: DriveLocation, frame: tuple[Array, Array], rods: Sequence[Array], reach: float) -> Iterator[Solid]:
    """A strut from the nearest rod of the link to the stator, if this is beside all of them."""
    radius = rotor_radius(place.drive.motor, reach)
    middle = frame[1] - _motor_distance(radius, reach) * frame[0][:, 2]
    feet = [end * np.clip(end @ middle / (end @ end), 0.0, 1.0) for end in rods if end @ end > 0]
    if not feet:
        return
    foot = min(feet, key=lambda point: float(np.linalg.norm(middle - point)))
    length = float(np.linalg.norm(middle - foot)) - STATOR_RADIUS_RATIO * radius
    if length > 0.03 * reach:
        direction = (middle - foot) / np.linalg.norm(middle - foot)
        mesh = cylinder_mesh(0.012 * reach, length)
        at = foot + 0.5 * length * direction
        yield Solid(f"{place.drive.title}.bracket", "link", place.mount, mesh, rotation_towards(direction), at)


def stator_and_rotor(
    title: str,
    carrier: str,
    frame: tuple[Array, Array],
    row: Mapping[str, Any],
    size: tuple[float, float, float],
) -> Iterator[Solid]:
    """A rotor and its transparent stator about z of a frame; size: radius, length and bore of the rotor [m]."""
    radius, length, bore = size
    common: dict[str, Any] = {"carrier": carrier, "rotation": frame[0], "position": frame[1]}
    yield Solid(f"{title}.rotor", "rotor", mesh=_rotor_mesh(radius, length, bore), turning=row, **common)
    shell = ring_mesh(circle_outline(1.15 * radius), STATOR_RADIUS_RATIO * radius, 0.9 * length)
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
    if abs(axis @ joint_axis) < 0.999 and _has_crossed_axes(place.drive.gear):  # it is where they are nearest
        cosine, between = float(axis @ joint_axis), origin - point
        heights = np.linalg.solve([[1.0, -cosine], [cosine, -1.0]], [axis @ between, joint_axis @ between])
        point, across = point + heights[0] * axis, between + heights[1] * joint_axis - heights[0] * axis
    else:
        across = origin - point - axis * (axis @ (origin - point))
    distance = float(np.linalg.norm(across))
    rotation = rotation_towards(axis, across) if distance > 1e-6 else rotation_towards(axis)
    return GearSpace(radius, width, distance if distance > 1e-6 else 0.0, rotation.T @ joint_axis), (rotation, point)


def _has_crossed_axes(gear: Any) -> bool:
    """Whether a gear, or a stage of it, connects axes that are not parallel."""
    return any(isinstance(stage, Bevel | Worm) for stage in (gear.stages if isinstance(gear, Series) else (gear,)))


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
        "pitch_radius": form.pitch_radius,
        "mates": tuple(f"{place.drive.title}.{mate}" for mate in form.mates),
    }
    return Solid(name, form.kind, place.mount, form.mesh, *frame, **parts)


def _rotor_mesh(radius: float, length: float, bore: float) -> Triangles:
    """A rotor with bars along it that make its rotation visible."""
    bars = [
        box_mesh(0.3 * radius, 0.3 * radius, length).with_pose(np.eye(3), (radius * np.cos(a), radius * np.sin(a), 0.0))
        for a in 2 * pi * np.arange(4) / 4
    ]
    return join_meshes([cylinder_mesh(radius, length, bore), *bars])
