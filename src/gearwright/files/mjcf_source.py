"""An MJCF file that anybody may have written: looked at as data first, then compiled by MuJoCo.

Includes and meshes may lie in other folders. They are data: MuJoCo reads numbers from them, and loads no plugin that a
file names. The bounds of robot files hold for the file and for every file it includes.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from gearwright.errors import MissingExtraError
from gearwright.files.bounds import MAX_BODY_DEPTH, MAX_FILES, MAX_PARTS, shortened
from gearwright.files.reading import read_text
from gearwright.files.urdf_report import Findings
from gearwright.files.urdf_xml import Element, parse_xml, tag

MjModel = Any
"""A model compiled by MuJoCo, which has no types."""

OTHERS = {
    "robot": "it is a URDF. Rename it to .urdf (or .xacro, if it is one).",
    "sdf": "it is an SDF, which Gearwright does not read. Convert it to URDF or MJCF first.",
    "mujocoinclude": "it is a piece that other MJCF files include. Give the file that includes it.",
    "COLLADA": "it is a mesh. Give the robot's file.",
}
"""What an XML file of another kind is, by its outermost element."""
MULTIPLIED = {"replicate": "count", "composite": "count", "flexcomp": "count"}
"""Elements that MuJoCo repeats, and the attribute that says how often."""


def mujoco_module() -> Any:
    """The library, or an error that says what to type."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError(
            "MJCF files are read and written through MuJoCo: pip install 'gearwright[mjcf]'. Everything else works "
            "without it."
        ) from None
    return mujoco


def compiled(path: Path, found: Findings) -> MjModel:
    """The compiled model of a file; what is wrong with the file is in one FileError."""
    root = parse_xml(read_text(path), found, MAX_BODY_DEPTH)
    refuse_other_kinds(root, found)
    _look_through_includes(root, path, found)
    mujoco = mujoco_module()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            spec = mujoco.MjSpec.from_file(str(path))
            _refuse_missing(spec, path, found)
            model = spec.compile()
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        found.add(f"MuJoCo refuses it: {' '.join(str(error).split())}")
        raise found.error() from None
    for warning in said:
        found.note(f"MuJoCo says: {' '.join(str(warning.message).split())}")
    if not model.njnt:
        found.add("nothing in it moves: it is a scene without joints. Give the file of a robot.")
        raise found.error()
    return model


def refuse_other_kinds(root: Element, found: Findings) -> None:
    """The outermost element must be <mujoco>."""
    kind = tag(root)
    if kind == "mujoco":
        return
    what = OTHERS.get(kind, "Give an MJCF file.")
    found.at(root, f"the outermost element is <{kind[:40]}>, not <mujoco>: {what}")
    raise found.error()


def _look_through_includes(root: Element, path: Path, found: Findings) -> None:
    """Hold the file and all that it includes to the bounds of robot files; MuJoCo looks for them from the main file."""
    waiting, seen = [root], {path.resolve()}
    while waiting:
        element = waiting.pop()
        _refuse_multiplication(element, found)
        for inner in element.iter("include"):
            other = (path.parent / (inner.get("file") or "")).resolve()
            if other in seen or not other.is_file():
                continue  # MuJoCo says so
            seen.add(other)
            if len(seen) > MAX_FILES:
                found.at(inner, f"the robot is made of more than {MAX_FILES} files. Join some of them.")
                raise found.error()
            waiting.append(parse_xml(read_text(other), found, MAX_BODY_DEPTH))


def _refuse_multiplication(root: Element, found: Findings) -> None:
    """Few words can ask for a great many bodies."""
    for element in root.iter(*MULTIPLIED):
        total = 1
        for outer in (element, *element.iterancestors()):
            word = MULTIPLIED.get(tag(outer))
            for number in (outer.get(word) or "1").split() if word else ():
                total *= max(int(number), 1) if number.isdigit() and len(number) < 10 else 1
        if total > MAX_PARTS:
            found.at(element, f"it makes {total} parts; a robot file holds at most {MAX_PARTS}. Repeat fewer.")
            raise found.error()


def _refuse_missing(spec: Any, path: Path, found: Findings) -> None:
    """Every mesh and height field that is not there, in one list."""
    folder = path.parent
    places = [(asset.file, spec.meshdir) for asset in (*spec.meshes, *spec.hfields)]
    for name, place in places:
        if name and not (folder / place / name).is_file() and not (folder / name).is_file():
            found.add(
                f"the mesh {shortened(name)} is not in {str(folder / place)!r}. Put it there: masses and inertias may "
                "follow from it."
            )
    found.refuse()
