"""Tooth forces in the meshes of a train: each pair as a separate gear."""

from __future__ import annotations

import math
from typing import Any

from gearwright.parts.gears.forces.gear_statics import (
    X_DIRECTION,
    GearStatics,
    MemberContact,
    MovingMember,
    gear_forces,
)
from gearwright.parts.gears.forces.pitch_points import belt_spans, bevel_contact, cone_angles, cylinder_contact
from gearwright.parts.gears.forces.tooth_forces import ToothAngles, ToothForce, missing_fields_text
from gearwright.parts.trains.train import Mesh

PULLEY_DISTANCE_FACTOR = 10.0
"""Assumed centre distance of belt pulleys, relative to their radii; the span forces do not depend on it."""


def missing_mesh_data(mesh: Mesh) -> str | None:
    """Return the missing data for the forces in a mesh; None if complete."""
    belt, bevel = "belt" in mesh.kind, mesh.kind == "bevel"
    if mesh.ratio is not None:
        return "teeth and module, or radii, must be given"
    drawn = {"module": mesh.module, **({"face_width": mesh.face_width} if bevel else {})} if mesh.radii is None else {}
    return missing_fields_text(**drawn, **({"pretension": mesh.pretension} if belt else {}))


def mesh_forces(mesh: Mesh, torque: Any, driving: bool, shaft_angle: float) -> tuple[ToothForce, ...]:
    """Return the forces in a mesh at torques of its second gear, a number or (T,) [Nm]; empty if data are missing.

    They are followed by the bearing forces of its first and second gear that this mesh causes. `missing_mesh_data`
    names missing data.

    Args:
        mesh: the mesh.
        torque: on its second gear, relative to the carrier.
        driving: whether its first gear drives.
        shaft_angle: between the axes of a bevel pair [rad].

    >>> pair = Mesh("pinion", "wheel", teeth=(20, 60), module=0.001)
    >>> round(mesh_forces(pair, 3.0, True, 0.0)[0].tangential, 9)
    100.0
    """
    if missing_mesh_data(mesh) is not None:
        return ()
    forces = gear_forces(_mesh_statics(mesh, shaft_angle), torque, driving)
    teeth = [
        force._replace(name=f"{mesh.first}-{mesh.second}{force.name.removeprefix(MESH_PAIR_NAME)}") for force in forces
    ]
    bearings = {force.name: force for force in forces if force.is_bearing}
    wheels = {"driver": mesh.first, "driven": mesh.second}
    return (
        *(force for force in teeth if not force.is_bearing),
        *(bearings[f"{word} bearing"]._replace(name=f"{wheel} bearing") for word, wheel in wheels.items()),
    )


MESH_PAIR_NAME = "driver-driven"
"""Internal names of the pair; the names in a train are arbitrary."""


def _mesh_statics(mesh: Mesh, shaft_angle: float) -> GearStatics:
    wheels, contact = _bevel_mesh(mesh, shaft_angle) if mesh.kind == "bevel" else _parallel_mesh(mesh)
    return GearStatics(wheels, (contact,), "driver", "driven")


def _bevel_mesh(mesh: Mesh, shaft_angle: float) -> tuple[tuple[MovingMember, MovingMember], MemberContact]:
    first, second = (float(x) for x in mesh.radii or mesh.teeth or ())
    angles = cone_angles(first, second, shaft_angle)
    if mesh.radii is None:
        assert mesh.module is not None
        assert mesh.face_width is not None
        second = (float(mesh.module) * second - float(mesh.face_width) * math.sin(angles[1])) / 2
    return bevel_contact(angles, second, float(mesh.helix_angle), **_mesh_options(mesh))


def _parallel_mesh(mesh: Mesh) -> tuple[tuple[MovingMember, MovingMember], MemberContact]:
    teeth = ToothAngles(float(mesh.pressure_angle), float(mesh.helix_angle))
    first, second = (float(x) for x in mesh.radii or mesh.teeth or ())
    if mesh.radii is None:
        assert mesh.module is not None
        first, second = (teeth.pitch_radius(mesh.module, z) for z in (first, second))
    if "belt" in mesh.kind:
        tension, apart = float(mesh.pretension or 0.0), PULLEY_DISTANCE_FACTOR * (first + second)
        pulleys = MovingMember("driver"), MovingMember("driven", at=apart * X_DIRECTION)
        return pulleys, belt_spans(first, second, apart, mesh.kind == "crossed belt", tension)
    between = first - second if mesh.kind == "internal" else first + second
    driver, driven = MovingMember("driver"), MovingMember("driven", at=between * X_DIRECTION)
    if between < 0 or mesh.kind == "external":
        return (driver, driven), cylinder_contact(
            driver, driven, first, X_DIRECTION, teeth.helix_angle, title=MESH_PAIR_NAME, **_mesh_options(mesh)
        )
    # The first is the ring: the contact is defined from the gear inside it.
    return (driver, driven), cylinder_contact(
        driven, driver, second, X_DIRECTION, teeth.helix_angle, title=MESH_PAIR_NAME, **_mesh_options(mesh)
    )


def _mesh_options(mesh: Mesh) -> dict[str, float]:
    return {"pressure_angle": float(mesh.pressure_angle), "efficiency": float(mesh.efficiency)}
