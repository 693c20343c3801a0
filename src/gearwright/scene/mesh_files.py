"""Mesh files that shapes name: where they are, and what is in them."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from gearwright.errors import FileError, MissingExtraError
from gearwright.files.urdf_report import Findings
from gearwright.files.urdf_xml import refuse_doctype
from gearwright.parts import Shape
from gearwright.scene.triangles import Triangles

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
        text = path.read_text(encoding="utf-8")
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
