"""An MJCF file that anybody may have written: looked at as data first, then compiled by MuJoCo.

Includes and meshes may lie in other folders. They are data: MuJoCo reads numbers from them, and loads no plugin that a
file names. The bounds of robot files hold for the file and for every file it includes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gearwright.errors import MissingExtraError
from gearwright.files.import_report import Findings
from gearwright.files.reading import read_text
from gearwright.files.size_limits import MAX_BODY_DEPTH, MAX_FILES, MAX_PARTS, shortened
from gearwright.files.urdf.safe_xml import Element, parse_xml, tag

MjModel = Any
"""A model compiled by MuJoCo, which has no types."""

OTHERS = {
    "robot": "it is a URDF. Rename it to .urdf (or .xacro, if it is one).",
    "sdf": "it is an SDF, which Gearwright does not read. Convert it to URDF or MJCF first.",
    "mujocoinclude": "it is a piece that other MJCF files include. Give the file that includes it.",
    "COLLADA": "it is a mesh. Give the robot's file.",
}
"""What an XML file of another kind is, by its outermost element."""
NUMBERS = {
    "body": ("pos", "quat", "ipos", "iquat", "mass", "inertia"),
    "jnt": ("pos", "axis", "stiffness"),
    "tendon": ("stiffness", "damping", "armature"),
    "actuator": ("gear", "armature", "gainprm", "biasprm", "dynprm"),
    "site": ("pos", "quat"),
    "key": ("qpos", "qvel"),
}
"""Fields of a compiled model that a robot is made of."""
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
        with _noting_warnings(mujoco, found):
            spec = mujoco.MjSpec.from_file(str(path))
            _refuse_missing(spec, path, found)
            model = spec.compile()
    except (ValueError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        found.add(f"MuJoCo refuses it: {' '.join(str(error).split())}")
        raise found.error() from None
    if not model.njnt:
        found.add("nothing in it moves: it is a scene without joints. Give the file of a robot.")
        raise found.error()
    _refuse_infinities(model, found)
    return model


@contextmanager
def _noting_warnings(mujoco: Any, found: Findings) -> Iterator[None]:
    """Note MuJoCo's warnings, which it would print, and log into a file in the folder at hand."""
    before, notes = mujoco.get_mju_user_warning(), list[str]()
    mujoco.set_mju_user_warning(notes.append)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield
    finally:
        mujoco.set_mju_user_warning(before)
    for note in dict.fromkeys([*notes, *(str(warning.message) for warning in said)]):
        found.note(f"MuJoCo says: {' '.join(note.split())}")


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
    waiting, visited = [root], {path.resolve()}
    while waiting:
        element = waiting.pop()
        _refuse_multiplication(element, found)
        _refuse_nan(element, found)
        for inner in element.iter("include"):
            other = (path.parent / (inner.get("file") or "")).resolve()
            if other in visited or not other.is_file():
                continue  # MuJoCo says so
            visited.add(other)
            if len(visited) > MAX_FILES:
                found.at(inner, f"the robot is made of more than {MAX_FILES} files. Join some of them.")
                raise found.error()
            waiting.append(parse_xml(read_text(other), found, MAX_BODY_DEPTH))


def _refuse_nan(root: Element, found: Findings) -> None:
    """A number that is none, which MuJoCo takes and logs into a file; a part of that name is allowed."""
    names = {element.get("name") for element in root.iter()}
    for element in root.iter():
        for word, value in element.attrib.items():
            if word != "name" and value not in names and "nan" in value.lower().split():
                found.at(element, f"{word} {shortened(value)} is not a finite number. Give a finite one.")
    found.refuse()


def _refuse_infinities(model: MjModel, found: Findings) -> None:
    """Every number that a robot is made of is finite."""
    for kind, fields in NUMBERS.items():
        for field in fields:
            for index, values in enumerate(getattr(model, f"{kind}_{field}")):
                if not (abs(values) < float("inf")).all():
                    name = getattr(model, "joint" if kind == "jnt" else kind)(index).name or index
                    found.add(f"{field} of {kind} {name!r} is not finite. Give finite numbers.")
    if not (abs(model.opt.gravity) < float("inf")).all():
        found.add("gravity is not finite. Give finite numbers.")
    found.refuse()


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
