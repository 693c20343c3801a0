"""The teeth of a train's meshes: each pair as a gear of its own."""

from __future__ import annotations

import math
from typing import Any

from gearwright.parts.gears.forces.gear_statics import Contact, GearBox, Turning, X, forces_told
from gearwright.parts.gears.forces.pitch_points import cone_angles, cones, cylinders, spans
from gearwright.parts.gears.forces.tooth_forces import Teeth, ToothForce, missing
from gearwright.parts.trains.train import Mesh

FAR = 10.0
"""How far apart the pulleys of a train's belt are taken, by their radii: what its spans carry does not depend on it."""


def unknown_of(mesh: Mesh) -> str | None:
    """What is missing for the forces in a mesh; None when nothing is."""
    belt, bevel = "belt" in mesh.kind, mesh.kind == "bevel"
    if mesh.ratio is not None:
        return "teeth and module, or radii, must be given"
    drawn = {"module": mesh.module, **({"face_width": mesh.face_width} if bevel else {})} if mesh.radii is None else {}
    return missing(**drawn, **({"pretension": mesh.pretension} if belt else {}))


def mesh_forces(mesh: Mesh, torque: Any, driving: bool, shaft_angle: float) -> tuple[ToothForce, ...]:
    """The forces in a mesh at torques of its second gear, a number or (T,) [Nm]; none where `unknown_of` tells why.

    Behind them stand those on the bearings of its first and of its second gear, as far as this mesh causes them.

    Args:
        mesh: the mesh.
        torque: on its second gear, seen from the carrier.
        driving: whether its first gear drives.
        shaft_angle: between the axes of a bevel pair [rad].

    >>> pair = Mesh("pinion", "wheel", teeth=(20, 60), module=0.001)
    >>> round(mesh_forces(pair, 3.0, True, 0.0)[0].tangential, 9)
    100.0
    """
    if unknown_of(mesh) is not None:
        return ()
    told = forces_told(_box(mesh, shaft_angle), torque, driving)
    teeth = [one._replace(name=f"{mesh.first}-{mesh.second}{one.name.removeprefix(PAIR)}") for one in told]
    bearings = {one.name: one for one in told if one.is_bearing}
    wheels = {"driver": mesh.first, "driven": mesh.second}
    return (
        *(one for one in teeth if not one.is_bearing),
        *(bearings[f"{word} bearing"]._replace(name=f"{wheel} bearing") for word, wheel in wheels.items()),
    )


PAIR = "driver-driven"
"""What the pair is called in its box; the names of a train may be any."""


def _box(mesh: Mesh, shaft_angle: float) -> GearBox:
    wheels, contact = _bevel(mesh, shaft_angle) if mesh.kind == "bevel" else _parallel(mesh)
    return GearBox(wheels, (contact,), "driver", "driven")


def _bevel(mesh: Mesh, shaft_angle: float) -> tuple[tuple[Turning, Turning], Contact]:
    first, second = (float(x) for x in mesh.radii or mesh.teeth or ())
    angles = cone_angles(first, second, shaft_angle)
    if mesh.radii is None:
        assert mesh.module is not None
        assert mesh.face_width is not None
        second = (float(mesh.module) * second - float(mesh.face_width) * math.sin(angles[1])) / 2
    return cones(angles, second, float(mesh.helix_angle), **_words(mesh))


def _parallel(mesh: Mesh) -> tuple[tuple[Turning, Turning], Contact]:
    teeth = Teeth(float(mesh.pressure_angle), float(mesh.helix_angle))
    first, second = (float(x) for x in mesh.radii or mesh.teeth or ())
    if mesh.radii is None:
        assert mesh.module is not None
        first, second = (teeth.radius(mesh.module, z) for z in (first, second))
    if "belt" in mesh.kind:
        tension, apart = float(mesh.pretension or 0.0), FAR * (first + second)
        pulleys = Turning("driver"), Turning("driven", at=apart * X)
        return pulleys, spans(first, second, apart, mesh.kind == "crossed belt", tension)
    between = first - second if mesh.kind == "internal" else first + second
    driver, driven = Turning("driver"), Turning("driven", at=between * X)
    if between < 0 or mesh.kind == "external":
        return (driver, driven), cylinders(driver, driven, first, X, teeth.helix_angle, title=PAIR, **_words(mesh))
    # The first is the ring: the contact is seen from the gear inside it.
    return (driver, driven), cylinders(driven, driver, second, X, teeth.helix_angle, title=PAIR, **_words(mesh))


def _words(mesh: Mesh) -> dict[str, float]:
    return {"pressure_angle": float(mesh.pressure_angle), "efficiency": float(mesh.efficiency)}
