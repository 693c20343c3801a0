"""The solids of links: stated shapes and mesh files, or rods from joint to joint; joints, pedestal, payload."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import FileError, GearwrightError, MissingExtraError
from gearwright.file_access import open_regular, require_regular_file
from gearwright.files.import_report import ImportFindings
from gearwright.files.urdf.safe_xml import refuse_doctype
from gearwright.mechanism import joint_kind
from gearwright.parts import Link, Robot, Shape
from gearwright.scene.solid import Solid
from gearwright.scene.triangles import (
    Triangles,
    as_matrix,
    as_vector,
    box_mesh,
    cylinder_mesh,
    join_meshes,
    revolution_mesh,
    rod_mesh,
    rotation_towards,
    sphere_mesh,
)

MAX_MESH_FILE_SIZE = 64_000_000
"""Largest size of a mesh file [bytes]: a page cannot show larger ones."""
OTHER_ENCODING = re.compile(r"""\s*<\?xml[^>]*encoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)
MAX_PACKAGE_LEVELS = 3
"""Number of folder levels above the robot file in which packages are searched."""


def read_mesh(shape: Shape, folder: Path | None) -> Triangles:
    """The mesh of a shape in the link's frame, its scale applied.

    Args:
        shape: of kind mesh.
        folder: of the robot file; None for a robot without a file.

    Raises:
        FileError: the file is missing, is not a mesh, or is outside the folder.
        MissingExtraError: trimesh is not installed.
    """
    path = mesh_path(str(shape.file or ""), folder)
    loaded = _load_mesh(path)
    vertices, faces = np.asarray(loaded.vertices, dtype=float), np.asarray(loaded.faces, dtype=np.int64)
    if not len(faces) or not np.isfinite(vertices).all() or faces.min() < 0 or faces.max() >= len(vertices):
        raise FileError(f"{path}: the file has no triangles. Export the mesh with triangles.")
    return Triangles(vertices * np.asarray(shape.size, dtype=float), faces)


def mesh_path(file: str, folder: Path | None) -> Path:
    """The file of a reference such as "meshes/arm.stl" or "package://arm/meshes/arm.stl".

    Packages are searched in the folder of the robot file and in the folders above it.
    """
    if folder is None:
        raise FileError(f"mesh {file!r}: the robot has no file and thus no folder for meshes. Give `folder`.")
    scheme, _, remainder = file.rpartition("://")
    relative = PurePosixPath(remainder.replace("\\", "/"))
    if relative.is_absolute() or ".." in relative.parts or not relative.parts or scheme not in ("", "package", "model"):
        raise FileError(f"mesh {file!r}: only files in the folder of the robot are read. Put the mesh there.")
    for candidate in _candidate_paths(relative, folder, bool(scheme)):
        if candidate.is_file():
            return candidate
    raise FileError(f"mesh {file!r}: the file does not exist in {folder}. Put it there, or correct its name.")


def _candidate_paths(relative: PurePosixPath, folder: Path, is_packaged: bool) -> list[Path]:
    inside = PurePosixPath(*relative.parts[1:]) if is_packaged and len(relative.parts) > 1 else relative
    paths = [folder / relative, folder / inside, folder / "meshes" / relative.name, folder / "assets" / relative.name]
    if is_packaged:
        for above in list(folder.resolve().parents)[:MAX_PACKAGE_LEVELS]:
            paths += [above / relative, above / inside]
    return paths


def _check_collada(path: Path) -> None:
    """Reject XML entities, which the reader would expand without limit or load from other files."""
    try:
        import collada  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "Collada meshes (.dae) need pycollada: pip install 'gearwright[studio]'. Links are drawn without them too."
        ) from None
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if not text or OTHER_ENCODING.match(text):  # which could hide a DOCTYPE
        raise FileError(f"{path}: not a readable mesh: a Collada file must be UTF-8 text.")
    refuse_doctype(text, ImportFindings(str(path)))


def _load_mesh(path: Path) -> Any:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError(
            "meshes need trimesh: pip install 'gearwright[studio]'. Links are drawn from their parts without it."
        ) from None
    require_regular_file(path)
    if path.stat().st_size > MAX_MESH_FILE_SIZE:
        raise FileError(
            f"{path}: {path.stat().st_size} bytes exceed the limit of {MAX_MESH_FILE_SIZE} bytes. Simplify the mesh."
        )
    collada = path.suffix.lower() == ".dae"
    if collada:
        _check_collada(path)
    try:
        if collada:  # apply its unit, as in RViz, but not its up axis
            return trimesh.load(path, force="scene", process=False).convert_units("meters").to_geometry()
        return trimesh.load(path, force="mesh", process=False)
    except Exception as error:  # readers of a dozen formats raise many types of errors
        raise FileError(f"{path}: not a readable mesh ({type(error).__name__}: {error}).") from None


ROD_RADIUS_RATIO, JOINT_RADIUS_RATIO = 0.026, 0.038
"""Radii of rods and joints relative to the robot's reach."""


def link_solids(
    robot: Robot,
    reach: float,
    folder: Path | None,
    warn: Callable[[str], None],
    formed: Mapping[str, Sequence[Solid]] | None = None,
) -> Iterator[Solid]:
    """The solids of every link: its meshes and shapes if they can be drawn, else rods; and its joint.

    Args:
        robot: the robot.
        reach: its size [m].
        folder: of its meshes.
        warn: called with remarks on meshes.
        formed: solids of links, and of "base", whose form follows from the wheels around them.
    """
    forms = formed or {}
    for link in robot.links:
        shown = list(_shape_solids(link, folder, warn)) or list(forms.get(link.name, ()))
        yield from shown or [Solid(link.name, "link", link.name, _rod_mesh(robot, link, reach))]
        if not shown:
            yield Solid(f"{link.name}.joint", "joint", link.name, _joint_mesh(link, reach))
    yield from forms.get("base", ()) or [Solid("base", "link", "base", _pedestal_mesh(robot, reach))]
    yield from _payload_solid(robot, reach)


def _shape_solids(link: Link, folder: Path | None, warn: Callable[[str], None]) -> Iterator[Solid]:
    visible = [shape for shape in link.shapes if shape.role == "visual"] or list(link.shapes)
    for shape in visible:
        try:
            mesh = read_mesh(shape, folder) if shape.kind == "mesh" else _primitive_mesh(shape)
        except GearwrightError as error:
            warn(f"link {link.name!r} is drawn without a mesh: {error}")
            continue
        yield Solid(link.name, "mesh", link.name, mesh, as_matrix(shape.rotation), as_vector(shape.position))


def _primitive_mesh(shape: Shape) -> Triangles:
    size = [float(x) for x in shape.size]
    if shape.kind == "box":
        return box_mesh(*size[:3])
    return sphere_mesh(size[0]) if shape.kind == "sphere" else cylinder_mesh(size[0], size[-1])


def _rod_mesh(robot: Robot, link: Link, reach: float) -> Triangles:
    """Rods from the joint of a link to the joints and frames on it, or to its centre of mass."""
    return join_meshes(
        [rod_mesh(end, ROD_RADIUS_RATIO * reach) for end in link_rods(robot, link.name, reach)]
        or [sphere_mesh(1.2 * ROD_RADIUS_RATIO * reach)]
    )


def link_rods(robot: Robot, name: str, reach: float) -> list[Array]:
    """The ends of the rods of a link or of "base" that begin at its origin [m]; none of a link with shapes."""
    link = next((link for link in robot.links if link.name == name), None)
    if link is not None and link.shapes:
        return []
    ends = _rod_ends(robot, name) or ([] if link is None else [as_vector(link.com)])
    return [end for end in ends if np.linalg.norm(end) > 0.02 * reach]


def _rod_ends(robot: Robot, name: str) -> list[Array]:
    ends = [as_vector(link.joint.position) for link in robot.links if link.parent == name]
    return ends + [as_vector(frame.position) for frame in robot.frames if frame.link == name]


def _joint_mesh(link: Link, reach: float) -> Triangles:
    """A drum about the axis of a revolute joint, a block along that of a prismatic joint, otherwise a ball."""
    kind, size = joint_kind(link.joint.kind), JOINT_RADIUS_RATIO * reach
    if len(kind.speeds) != 1:
        return sphere_mesh(0.8 * size)
    form = cylinder_mesh(size, 2.1 * size) if kind.has_rotation else box_mesh(1.3 * size, 1.3 * size, 2.4 * size)
    return form.with_pose(rotation_towards(as_vector(link.joint.axis)), (0, 0, 0))


def _pedestal_mesh(robot: Robot, reach: float) -> Triangles:
    foot = revolution_mesh(np.array([[1e-6, -0.04], [0.14, -0.04], [0.14, -0.02], [0.06, 0.0], [1e-6, 0.0]]) * reach)
    ends = link_rods(robot, "base", reach)
    return foot if not ends else join_meshes([foot, *(rod_mesh(end, 1.3 * ROD_RADIUS_RATIO * reach) for end in ends)])


def _payload_solid(robot: Robot, reach: float) -> Iterator[Solid]:
    payload = robot.payload
    if payload is None or not float(payload.mass):
        return
    link = payload.link or robot.last_link().name
    yield Solid(
        "payload", "payload", link, sphere_mesh(1.5 * ROD_RADIUS_RATIO * reach), position=as_vector(payload.position)
    )
