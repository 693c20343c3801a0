"""Geoms and sites of a compiled MJCF model as shapes of links and as frames."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from gearwright.algebra import Vec
from gearwright.files.fields.link import require_inside_folder
from gearwright.files.mjcf.links import rotation_of_quaternion, vector_of_array
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import Frame, Shape
from gearwright.parts.structure.frame_changes import FramePlacement


def body_shapes(model: Any, names: MjcfNames, body: int, origin: Vec) -> list[Shape]:
    """Return the visual and collision shapes of a body; `origin` is its link's frame in the body's frame."""
    first = int(model.body_geomadr[body])
    candidates = [_geom_shape(model, names, g, origin) for g in range(first, first + int(model.body_geomnum[body]))]
    return [shape for shape in candidates if shape is not None]


def _geom_shape(model: Any, names: MjcfNames, g: int, origin: Vec) -> Shape | None:
    kinds = mujoco_module().mjtGeom
    size = [float(x) for x in model.geom_size[g]]
    place = FramePlacement(rotation_of_quaternion(model.geom_quat[g]), vector_of_array(model.geom_pos[g]) - origin)
    role: Any = "collision" if model.geom_contype[g] or model.geom_conaffinity[g] else "visual"
    kind = int(model.geom_type[g])
    if kind == kinds.mjGEOM_MESH:
        return _mesh_shape(model, names, int(model.geom_dataid[g]), place, role)
    shapes_by_type: dict[int, tuple[Any, tuple[float, ...]]] = {
        int(kinds.mjGEOM_BOX): ("box", tuple(2 * x for x in size)),
        int(kinds.mjGEOM_SPHERE): ("sphere", (size[0],)),
        int(kinds.mjGEOM_CYLINDER): ("cylinder", (size[0], 2 * size[1])),
        int(kinds.mjGEOM_CAPSULE): ("cylinder", (size[0], 2 * size[1])),
    }
    if kind == kinds.mjGEOM_CAPSULE:
        names.findings.count_kind("capsules imported as cylinders, without their hemispherical ends")
    if kind not in shapes_by_type:
        names.findings.count_kind("geoms that are planes, ellipsoids or height fields, not imported")
        return None
    word, sizes = shapes_by_type[kind]
    return Shape(word, sizes, None, place.position, place.rotation, role)


def _mesh_shape(model: Any, names: MjcfNames, mesh: int, place: FramePlacement, role: Any) -> Shape | None:
    """Return a mesh in the frame of its file; MuJoCo transforms it to its principal axes."""
    start = int(model.mesh_pathadr[mesh])
    file = "" if start < 0 else model.paths[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
    if not file:
        names.findings.count_kind("meshes defined by vertices in the file, not imported")
        return None
    moved = FramePlacement(rotation_of_quaternion(model.mesh_quat[mesh]), vector_of_array(model.mesh_pos[mesh]))
    turn = place.rotation.after(moved.rotation.T)
    scale = tuple(float(x) for x in model.mesh_scale[mesh])
    return Shape("mesh", scale, _mesh_reference(names, file), place.position - turn @ moved.position, turn, role)


def _mesh_reference(names: MjcfNames, file: str) -> str:
    """Return the mesh's file as allowed in a robot file: not outside its folder."""
    try:
        require_inside_folder(file)
    except ValueError:
        names.findings.count_kind("meshes outside the file's folder, imported by file name only")
        return PurePosixPath(PureWindowsPath(file).name).name
    return file


def site_frames(model: Any, names: MjcfNames, origins: list[Vec]) -> dict[int, Frame]:
    """The frames of the named sites."""
    by_site = {}
    for s in range(model.nsite):
        name, body = str(model.site(s).name), int(model.site_bodyid[s])
        if not name:
            names.findings.count_kind("sites without a name, not imported")
            continue
        unique = names.unique_name("frames", name)
        if unique != name:
            names.findings.add_note(f"site {name!r} was renamed to {unique!r}: a link has the same name")
        place = vector_of_array(model.site_pos[s]) - origins[body]
        by_site[s] = Frame(unique, names.bodies[body], place, rotation_of_quaternion(model.site_quat[s]))
    return by_site
