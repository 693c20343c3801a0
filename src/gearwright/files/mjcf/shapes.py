"""Geoms and sites of a compiled MJCF model as shapes of links and as frames."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from gearwright.algebra import Vec
from gearwright.files.fields.link import refuse_escape
from gearwright.files.mjcf.links import rot, vec
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import Frame, Shape
from gearwright.parts.structure.frame_changes import PartPlace


def shapes(model: Any, names: Names, body: int, origin: Vec) -> list[Shape]:
    """What a body looks like and collides as; `origin` is its link's frame in the body's frame."""
    first = int(model.body_geomadr[body])
    made = [_shape(model, names, g, origin) for g in range(first, first + int(model.body_geomnum[body]))]
    return [shape for shape in made if shape is not None]


def _shape(model: Any, names: Names, g: int, origin: Vec) -> Shape | None:
    kinds = mujoco_module().mjtGeom
    size = [float(x) for x in model.geom_size[g]]
    place = PartPlace(rot(model.geom_quat[g]), vec(model.geom_pos[g]) - origin)
    role: Any = "collision" if model.geom_contype[g] or model.geom_conaffinity[g] else "visual"
    kind = int(model.geom_type[g])
    if kind == kinds.mjGEOM_MESH:
        return _mesh(model, names, int(model.geom_dataid[g]), place, role)
    known: dict[int, tuple[Any, tuple[float, ...]]] = {
        int(kinds.mjGEOM_BOX): ("box", tuple(2 * x for x in size)),
        int(kinds.mjGEOM_SPHERE): ("sphere", (size[0],)),
        int(kinds.mjGEOM_CYLINDER): ("cylinder", (size[0], 2 * size[1])),
        int(kinds.mjGEOM_CAPSULE): ("cylinder", (size[0], 2 * size[1])),
    }
    if kind == kinds.mjGEOM_CAPSULE:
        names.found.count("capsules kept as cylinders, without their round ends")
    if kind not in known:
        names.found.count("geoms that are planes, ellipsoids or height fields, not kept")
        return None
    word, sizes = known[kind]
    return Shape(word, sizes, None, place.position, place.rotation, role)


def _mesh(model: Any, names: Names, mesh: int, place: PartPlace, role: Any) -> Shape | None:
    """A mesh, in the frame of its file: MuJoCo moves it to its principal axes."""
    start = int(model.mesh_pathadr[mesh])
    file = "" if start < 0 else model.paths[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
    if not file:
        names.found.count("meshes made of numbers in the file, not kept")
        return None
    moved = PartPlace(rot(model.mesh_quat[mesh]), vec(model.mesh_pos[mesh]))
    turn = place.rotation.after(moved.rotation.T)
    scale = tuple(float(x) for x in model.mesh_scale[mesh])
    return Shape("mesh", scale, _reference(names, file), place.position - turn @ moved.position, turn, role)


def _reference(names: Names, file: str) -> str:
    """The mesh's file as it may stand in a robot file, which names no file outside its folder."""
    try:
        refuse_escape(file)
    except ValueError:
        names.found.count("meshes outside the file's folder, kept by the name of their file alone")
        return PurePosixPath(PureWindowsPath(file).name).name
    return file


def site_frames(model: Any, names: Names, origins: list[Vec]) -> dict[int, Frame]:
    """The frames of the named sites."""
    made = {}
    for s in range(model.nsite):
        name, body = str(model.site(s).name), int(model.site_bodyid[s])
        if not name:
            names.found.count("sites without a name, not kept")
            continue
        unique = names.among("frames", name)
        if unique != name:
            names.found.note(f"site {name!r} is called {unique!r} here: a link has its name")
        place = vec(model.site_pos[s]) - origins[body]
        made[s] = Frame(unique, names.bodies[body], place, rot(model.site_quat[s]))
    return made
