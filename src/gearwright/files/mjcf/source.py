"""An MJCF file that anybody may have written: checked as data first, then compiled by MuJoCo in a child process.

Includes, attached models and meshes may lie in other folders. They are data: MuJoCo reads numbers from them, and loads
no plugin that a file names. The bounds of robot files hold for the file and for every file it includes or attaches.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gearwright.errors import MissingExtraError
from gearwright.files.import_report import Findings
from gearwright.files.mjcf.compiler import COMPILER
from gearwright.files.reading import read_text
from gearwright.files.size_limits import LONGEST_NUMBER, MAX_BODY_DEPTH, MAX_FILES, MAX_PARTS, MAX_VALUES, shortened
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
FOLDERS = ("assetdir", "meshdir", "texturedir")
"""Attributes of <compiler> that say where files are."""
BINARY = "model.mjb"
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
    _SourceCheck(found).check_model(root, path)
    COMPILER.start()
    mujoco = mujoco_module()
    outcome = COMPILER.compile(path)
    for note in dict.fromkeys(outcome.notes):
        found.note(f"MuJoCo says: {' '.join(note.split())}")
    for name, folder in outcome.missing:
        found.add(
            f"the mesh {shortened(name)} is not in {folder!r}. Put it there: masses and inertias may follow from it."
        )
    if outcome.error is not None:
        found.add(f"MuJoCo refuses it: {outcome.error}")
    found.refuse()
    model = mujoco.MjModel.from_binary_path(BINARY, {BINARY: outcome.model})
    if not model.njnt:
        found.add("nothing in it moves: it is a scene without joints. Give the file of a robot.")
        raise found.error()
    _refuse_infinities(model, found)
    return model


def refuse_other_kinds(root: Element, found: Findings) -> None:
    """The outermost element must be <mujoco>."""
    kind = tag(root)
    if kind == "mujoco":
        return
    what = OTHERS.get(kind, "Give an MJCF file.")
    found.at(root, f"the outermost element is <{kind[:40]}>, not <mujoco>: {what}")
    raise found.error()


class _SourceCheck:
    """Holds a file and all that it pulls in to the bounds of robot files, before MuJoCo opens any of them."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self.files: set[Path] = set()

    def check_model(self, root: Element, path: Path, attaching: tuple[Path, ...] = ()) -> None:
        """Check a model with the files that it includes, then the models that it attaches."""
        chain = (*attaching, path.resolve())
        waiting, visited = [(root, path)], {path.resolve()}
        while waiting:
            element, file = waiting.pop()
            _refuse_multiplication(element, self.found)
            _refuse_sizes(element, self.found)
            _refuse_nan(element, self.found)
            self._refuse_irregular_assets(element, path, file)
            for inner in element.iter("include"):
                for other in self._named_files(inner, path, file):
                    if other not in visited:
                        visited.add(other)
                        waiting.append((self._parsed(inner, other), other))
            for inner in element.iter("model"):
                for other in self._named_files(inner, path, file):
                    if other in chain:
                        self.found.at(inner, f"{inner.get('file')!r} attaches itself. Attach another model.")
                        raise self.found.error()
                    attached = self._parsed(inner, other)
                    refuse_other_kinds(attached, self.found)
                    self.check_model(attached, other, chain)

    def _parsed(self, element: Element, path: Path) -> Element:
        self.files.add(path)
        if len(self.files) > MAX_FILES:
            self.found.at(element, f"the robot is made of more than {MAX_FILES} files. Join some of them.")
            raise self.found.error()
        return parse_xml(read_text(path), self.found, MAX_BODY_DEPTH)

    def _named_files(self, element: Element, model: Path, file: Path) -> list[Path]:
        """Where MuJoCo may find what an element names: from the folder of the model, or of the file with the element.

        What is missing is MuJoCo's to say.
        """
        return self._existing(element, element.get("file") or "", (model.parent, file.parent))

    def _existing(self, element: Element, name: str, folders: Iterable[Path]) -> list[Path]:
        """The regular files of a name below some folders; a pipe or a device is refused."""
        places = []
        for folder in folders:
            try:
                place = (folder / name).resolve()
                there = bool(name) and place.exists() and not place.is_dir()
                if there and not place.is_file():
                    self.found.at(element, f"{shortened(name)} is a pipe or a device. Name a regular file.")
                    raise self.found.error()
            except (OSError, ValueError, RuntimeError):  # a NUL in the name, links in a circle
                self.found.at(element, f"{shortened(name)} is not the name of a file. Correct it.")
                raise self.found.error() from None
            places += [place] if there else []
        return list(dict.fromkeys(places))

    def _refuse_irregular_assets(self, root: Element, model: Path, file: Path) -> None:
        """Meshes, height fields, textures and skins may lie anywhere, but they are regular files."""
        stated = {compiler.get(word) for compiler in root.iter("compiler") for word in FOLDERS}
        folders = {base / (place or "") for base in (model.parent, file.parent) for place in stated | {""}}
        for element in root.iter():
            for word, name in element.attrib.items():
                if word.startswith("file") and tag(element) not in ("include", "model"):
                    for spelling in {name, Path(name).name}:  # `strippath`
                        self._existing(element, spelling, folders)


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


def _refuse_sizes(root: Element, found: Findings) -> None:
    """Numbers that reserve room without stating what fills it."""
    for element in root.iter("size"):
        count = _product([element.get("nkey")])
        if count > MAX_PARTS:
            found.at(element, f"nkey is {count}; a robot file holds at most {MAX_PARTS} keyframes. Reserve fewer.")
    for element in root.iter("hfield"):
        count = _product([element.get("nrow"), element.get("ncol")])
        if count > MAX_VALUES:
            found.at(element, f"it has {count} heights; at most {MAX_VALUES} are read. Take fewer rows and columns.")
    found.refuse()


def _product(numbers: Iterable[str | None]) -> int:
    """The product of whole numbers; what is not one is MuJoCo's to say."""
    total = 1
    for number in numbers:
        text = (number or "").strip()
        total *= max(int(text), 1) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else 1
    return total


def _refuse_multiplication(root: Element, found: Findings) -> None:
    """A few words can ask for a great many bodies."""
    for element in root.iter(*MULTIPLIED):
        total = 1
        for outer in (element, *element.iterancestors()):
            word = MULTIPLIED.get(tag(outer))
            total *= _product((outer.get(word) or "").split() if word else ())
        if total > MAX_PARTS:
            found.at(element, f"it makes {total} parts; a robot file holds at most {MAX_PARTS}. Repeat fewer.")
            raise found.error()
