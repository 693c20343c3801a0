"""The solids of links: stated shapes and mesh files, or rods from joint to joint; joints, pedestal, payload."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import FileError, GearwrightError, MissingExtraError
from gearwright.file_access import open_regular, refuse_irregular
from gearwright.files.import_report import Findings
from gearwright.files.urdf.safe_xml import refuse_doctype
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Link, Robot, Shape
from gearwright.scene.solid import Solid
from gearwright.scene.triangles import Triangles, box, cylinder, joined, matrix, rod, sphere, towards, turned, vector

LARGEST = 64_000_000
"""Bytes of a mesh file above which it is not opened: a page could not show it."""
OTHER_ENCODING = re.compile(r"""\s*<\?xml[^>]*encoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)
LEVELS = 3
"""How many folders above the robot's file a package may lie."""


def read_mesh(shape: Shape, folder: Path | None) -> Triangles:
    """The mesh of a shape in the link's frame, its scale applied.

    Args:
        shape: of kind mesh.
        folder: of the robot's file; None when it came without one.

    Raises:
        FileError: the file is not there, is not a mesh, or names nothing inside the folder.
        MissingExtraError: trimesh is not installed.
    """
    path = mesh_path(str(shape.file or ""), folder)
    found = _loaded(path)
    vertices, faces = np.asarray(found.vertices, dtype=float), np.asarray(found.faces, dtype=np.int64)
    if not len(faces) or not np.isfinite(vertices).all() or faces.min() < 0 or faces.max() >= len(vertices):
        raise FileError(f"{path}: it holds no triangles that can be drawn.")
    return Triangles(vertices * np.asarray(shape.size, dtype=float), faces)


def mesh_path(file: str, folder: Path | None) -> Path:
    """The file of a reference such as "meshes/arm.stl" or "package://arm/meshes/arm.stl".

    Packages are looked for beside the robot's file and in the folders above it.
    """
    if folder is None:
        raise FileError(f"mesh {file!r}: the robot did not come from a file, so there is no folder to look in.")
    scheme, _, rest = file.rpartition("://")
    words = PurePosixPath(rest.replace("\\", "/"))
    if words.is_absolute() or ".." in words.parts or not words.parts or scheme not in ("", "package", "model"):
        raise FileError(f"mesh {file!r}: only files in the robot's folder are read. Put the mesh there.")
    for place in _places(words, folder, bool(scheme)):
        if place.is_file():
            return place
    raise FileError(f"mesh {file!r}: there is no such file in {folder}. Put it there, or correct its name.")


def _places(words: PurePosixPath, folder: Path, packaged: bool) -> list[Path]:
    inside = PurePosixPath(*words.parts[1:]) if packaged and len(words.parts) > 1 else words
    found = [folder / words, folder / inside, folder / "meshes" / words.name, folder / "assets" / words.name]
    if packaged:
        for above in list(folder.resolve().parents)[:LEVELS]:
            found += [above / words, above / inside]
    return found


def _check_collada(path: Path) -> None:
    """Refuse what its reader would take literally: entities that grow without end or name other files."""
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
    if not text or OTHER_ENCODING.match(text):  # in which a DOCTYPE could hide
        raise FileError(f"{path}: this is not a mesh that can be read: a Collada file is text in UTF-8.")
    refuse_doctype(text, Findings(str(path)))


def _loaded(path: Path) -> Any:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError(
            "meshes need trimesh: pip install 'gearwright[studio]'. Links are drawn from their parts without it."
        ) from None
    refuse_irregular(path)
    if path.stat().st_size > LARGEST:
        raise FileError(f"{path}: {path.stat().st_size} bytes are more than the {LARGEST} that a page can show.")
    collada = path.suffix.lower() == ".dae"
    if collada:
        _check_collada(path)
    try:
        if collada:  # its unit counts, as in RViz; that a file calls another axis up does not
            return trimesh.load(path, force="scene", process=False).convert_units("meters").to_geometry()
        return trimesh.load(path, force="mesh", process=False)
    except Exception as error:  # a reader of a dozen formats fails in as many ways on a broken file
        raise FileError(f"{path}: this is not a mesh that can be read ({type(error).__name__}: {error}).") from None


ROD, JOINT = 0.026, 0.038
"""Radii of rods and joints relative to the robot's reach."""


def link_solids(robot: Robot, reach: float, folder: Path | None, warn: Callable[[str], None]) -> Iterator[Solid]:
    """Every link: its meshes and shapes where it states some that can be drawn, else rods; and its joint."""
    for link in robot.links:
        shown = list(_shapes(link, folder, warn))
        yield from shown or [Solid(link.name, "link", link.name, _rods(robot, link, reach))]
        if not shown:
            yield Solid(f"{link.name}.joint", "joint", link.name, _joint(link, reach))
    yield Solid("base", "link", "base", _pedestal(robot, reach))
    yield from _payload(robot, reach)


def _shapes(link: Link, folder: Path | None, warn: Callable[[str], None]) -> Iterator[Solid]:
    drawn = [shape for shape in link.shapes if shape.role == "visual"] or list(link.shapes)
    for shape in drawn:
        try:
            mesh = read_mesh(shape, folder) if shape.kind == "mesh" else _primitive(shape)
        except GearwrightError as error:
            warn(f"link {link.name!r} is drawn without a mesh: {error}")
            continue
        yield Solid(link.name, "mesh", link.name, mesh, matrix(shape.rotation), vector(shape.position))


def _primitive(shape: Shape) -> Triangles:
    size = [float(x) for x in shape.size]
    if shape.kind == "box":
        return box(*size[:3])
    return sphere(size[0]) if shape.kind == "sphere" else cylinder(size[0], size[-1])


def _rods(robot: Robot, link: Link, reach: float) -> Triangles:
    """Rods from the link's joint to the joints and frames that it carries, or to its centre of mass."""
    ends = _ends(robot, link.name) or [vector(link.com)]
    long = [end for end in ends if np.linalg.norm(end) > 0.02 * reach]
    return joined([rod(end, ROD * reach) for end in long] or [sphere(1.2 * ROD * reach)])


def _ends(robot: Robot, name: str) -> list[Array]:
    ends = [vector(link.joint.position) for link in robot.links if link.parent == name]
    return ends + [vector(frame.position) for frame in robot.frames if frame.link == name]


def _joint(link: Link, reach: float) -> Triangles:
    """A drum about the axis of a joint that turns, a block along that of one that slides, a ball where it has more."""
    kind, size = joint_kind(link.joint.kind), JOINT * reach
    if len(kind.speeds) != 1:
        return sphere(0.8 * size)
    form = cylinder(size, 2.1 * size) if kind.turns else box(1.3 * size, 1.3 * size, 2.4 * size)
    return form.moved(towards(vector(link.joint.axis)), (0, 0, 0))


def _pedestal(robot: Robot, reach: float) -> Triangles:
    foot = turned(np.array([[1e-6, -0.04], [0.14, -0.04], [0.14, -0.02], [0.06, 0.0], [1e-6, 0.0]]) * reach)
    ends: Sequence[Array] = [end for end in _ends(robot, "base") if np.linalg.norm(end) > 0.02 * reach]
    return foot if not ends else joined([foot, *(rod(end, 1.3 * ROD * reach) for end in ends)])


def _payload(robot: Robot, reach: float) -> Iterator[Solid]:
    payload = robot.payload
    if payload is None or not float(payload.mass):
        return
    link = payload.link or robot.last_link().name
    yield Solid("payload", "payload", link, sphere(1.5 * ROD * reach), position=vector(payload.position))
