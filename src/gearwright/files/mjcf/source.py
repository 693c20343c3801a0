"""Untrusted MJCF files: checked as data first, then compiled by MuJoCo in a child process.

Includes, attached models and meshes may be in other folders. They are data: MuJoCo reads numbers from them, and plugins
named in a file are not loaded. The size limits of robot files apply to the file and to every included or attached file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gearwright.errors import MissingExtraError
from gearwright.files.import_report import ImportFindings
from gearwright.files.mjcf.compiler import MJCF_COMPILER
from gearwright.files.reading import read_text
from gearwright.files.size_limits import (
    MAX_BODY_DEPTH,
    MAX_FILES,
    MAX_NUMBER_LENGTH,
    MAX_PARTS,
    MAX_YAML_VALUES,
    quoted_short,
)
from gearwright.files.urdf.safe_xml import Element, element_tag, parse_xml

MjModel = Any
"""A model compiled by MuJoCo, which has no types."""

OTHER_XML_KINDS = {
    "robot": "it is a URDF. Rename it to .urdf (or .xacro, if it is one).",
    "sdf": "it is an SDF, which Gearwright does not read. Convert it to URDF or MJCF first.",
    "mujocoinclude": "it is a fragment for inclusion in other MJCF files. Give the file that includes it.",
    "COLLADA": "it is a mesh. Give the robot file.",
}
"""Descriptions of other kinds of XML files, by root element."""
CHECKED_MODEL_FIELDS = {
    "body": ("pos", "quat", "ipos", "iquat", "mass", "inertia"),
    "jnt": ("pos", "axis", "stiffness"),
    "tendon": ("stiffness", "damping", "armature"),
    "actuator": ("gear", "armature", "gainprm", "biasprm", "dynprm"),
    "site": ("pos", "quat"),
    "key": ("qpos", "qvel"),
}
"""Fields of a compiled model from which a robot is made."""
FOLDER_ATTRIBUTES = ("assetdir", "meshdir", "texturedir")
"""Attributes of <compiler> with folders of files."""
MODEL_FILE_NAME = "model.mjb"
REPEATING_ELEMENTS = {"replicate": "count", "composite": "count", "flexcomp": "count"}
"""Elements that MuJoCo repeats, and the attribute with the number of repetitions."""


def mujoco_module() -> Any:
    """Return the library; raise an error with the installation command if it is missing."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError(
            "MJCF files are read and written through MuJoCo: pip install 'gearwright[mjcf]'. Other formats do not "
            "need it."
        ) from None
    return mujoco


def compile_model(path: Path, findings: ImportFindings) -> MjModel:
    """Return the compiled model of a file; raise one FileError with all its problems."""
    root = parse_xml(read_text(path), findings, MAX_BODY_DEPTH)
    require_mujoco_root(root, findings)
    _SourceCheck(findings).check_model(root, path)
    MJCF_COMPILER.start()
    mujoco = mujoco_module()
    outcome = MJCF_COMPILER.compile_file(path)
    for note in dict.fromkeys(outcome.notes):
        findings.add_note(f"MuJoCo warning: {' '.join(note.split())}")
    for name, folder in outcome.missing:
        findings.add(
            f"the mesh {quoted_short(name)} is not in {folder!r}. Put it there: masses and inertias may depend on it."
        )
    if outcome.error is not None:
        findings.add(f"MuJoCo rejects the file: {outcome.error}")
    findings.raise_if_any()
    model = mujoco.MjModel.from_binary_path(MODEL_FILE_NAME, {MODEL_FILE_NAME: outcome.model})
    if not model.njnt:
        findings.add("the model has no joints (a scene?). Give the file of a robot.")
        raise findings.to_error()
    _require_finite_model(model, findings)
    return model


def require_mujoco_root(root: Element, findings: ImportFindings) -> None:
    """Add a problem unless the root element is <mujoco>."""
    kind = element_tag(root)
    if kind == "mujoco":
        return
    hint = OTHER_XML_KINDS.get(kind, "Give an MJCF file.")
    findings.add_at(root, f"the root element is <{kind[:40]}>, not <mujoco>: {hint}")
    raise findings.to_error()


class _SourceCheck:
    """Check of a file and all its included files against the limits of robot files, before MuJoCo opens them."""

    def __init__(self, findings: ImportFindings) -> None:
        self.findings = findings
        self.file_count = 0  # a file that is attached twice counts twice: MuJoCo reads it twice

    def check_model(self, root: Element, path: Path, attaching: tuple[Path, ...] = ()) -> None:
        """Check a model with the files that it includes, then the models that it attaches."""
        chain = (*attaching, path.resolve())
        waiting, visited = [(root, path)], {path.resolve()}
        while waiting:
            element, file = waiting.pop()
            _refuse_multiplication(element, self.findings)
            _refuse_sizes(element, self.findings)
            _refuse_nan(element, self.findings)
            self._require_regular_assets(element, path, file)
            for inner in element.iter("include"):
                for named_file in self._named_files(inner, path, file):
                    if named_file not in visited:
                        visited.add(named_file)
                        waiting.append((self._parse_file(inner, named_file), named_file))
            for inner in element.iter("model"):
                for named_file in self._named_files(inner, path, file):
                    if named_file in chain:
                        self.findings.add_at(inner, f"{inner.get('file')!r} attaches itself. Attach another model.")
                        raise self.findings.to_error()
                    attached = self._parse_file(inner, named_file)
                    require_mujoco_root(attached, self.findings)
                    self.check_model(attached, named_file, chain)

    def _parse_file(self, element: Element, path: Path) -> Element:
        self.file_count += 1
        if self.file_count > MAX_FILES:
            self.findings.add_at(element, f"the robot consists of more than {MAX_FILES} files. Merge some of them.")
            raise self.findings.to_error()
        return parse_xml(read_text(path), self.findings, MAX_BODY_DEPTH)

    def _named_files(self, element: Element, model: Path, file: Path) -> list[Path]:
        """Yield the files that an element may name: from the folder of the model, or of the file with the element.

        MuJoCo reports missing files.
        """
        return self._existing_files(element, element.get("file") or "", (model.parent, file.parent))

    def _existing_files(self, element: Element, name: str, folders: Iterable[Path]) -> list[Path]:
        """Yield the regular files of a name below some folders; a pipe or a device is a problem."""
        places = []
        for folder in folders:
            try:
                place = (folder / name).resolve()
                is_present = bool(name) and place.exists() and not place.is_dir()
                if is_present and not place.is_file():
                    self.findings.add_at(element, f"{quoted_short(name)} is a pipe or a device. Give a regular file.")
                    raise self.findings.to_error()
            except (OSError, ValueError, RuntimeError):  # a NUL in the name, cyclic links
                self.findings.add_at(element, f"{quoted_short(name)} is not a valid file name. Correct it.")
                raise self.findings.to_error() from None
            places += [place] if is_present else []
        return list(dict.fromkeys(places))

    def _require_regular_assets(self, root: Element, model: Path, file: Path) -> None:
        """Check that meshes, height fields, textures and skins are regular files; they may be in any folder."""
        stated = {compiler.get(word) for compiler in root.iter("compiler") for word in FOLDER_ATTRIBUTES}
        folders = {base / (place or "") for base in (model.parent, file.parent) for place in stated | {""}}
        for element in root.iter():
            for word, name in element.attrib.items():
                if word.startswith("file") and element_tag(element) not in ("include", "model"):
                    for spelling in {name, Path(name).name}:  # `strippath`
                        self._existing_files(element, spelling, folders)


def _refuse_nan(root: Element, findings: ImportFindings) -> None:
    """Add a problem for NaN and infinite numbers, which MuJoCo accepts and logs; parts may have such names."""
    names = {element.get("name") for element in root.iter()}
    for element in root.iter():
        for word, value in element.attrib.items():
            if word != "name" and value not in names and "nan" in value.lower().split():
                findings.add_at(element, f"{word} {quoted_short(value)} is not a finite number. Give a finite number.")
    findings.raise_if_any()


def _require_finite_model(model: MjModel, findings: ImportFindings) -> None:
    """Check that all numbers of a robot are finite."""
    for kind, fields in CHECKED_MODEL_FIELDS.items():
        for field in fields:
            for index, values in enumerate(getattr(model, f"{kind}_{field}")):
                if not (abs(values) < float("inf")).all():
                    name = getattr(model, "joint" if kind == "jnt" else kind)(index).name or index
                    findings.add(f"{field} of {kind} {name!r} is not finite. Give finite numbers.")
    if not (abs(model.opt.gravity) < float("inf")).all():
        findings.add("gravity is not finite. Give finite numbers.")
    findings.raise_if_any()


def _refuse_sizes(root: Element, findings: ImportFindings) -> None:
    """Check numbers that reserve memory without content."""
    for element in root.iter("size"):
        count = _count_product([element.get("nkey")])
        if count > MAX_PARTS:
            findings.add_at(element, f"nkey is {count}, more than the limit of {MAX_PARTS} keyframes. Reserve fewer.")
    for element in root.iter("hfield"):
        count = _count_product([element.get("nrow"), element.get("ncol")])
        if count > MAX_YAML_VALUES:
            findings.add_at(
                element,
                f"it has {count} heights, more than the limit of {MAX_YAML_VALUES}. Use fewer rows and columns.",
            )
    findings.raise_if_any()


def _count_product(numbers: Iterable[str | None]) -> int:
    """Return the product of integers; MuJoCo reports other values."""
    total = 1
    for number in numbers:
        text = (number or "").strip()
        total *= max(int(text), 1) if text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_LENGTH else 1
    return total


def _refuse_multiplication(root: Element, findings: ImportFindings) -> None:
    """Check the number of repeated bodies, which few elements can make very large."""
    for element in root.iter(*REPEATING_ELEMENTS):
        total = 1
        for outer in (element, *element.iterancestors()):
            word = REPEATING_ELEMENTS.get(element_tag(outer))
            total *= _count_product((outer.get(word) or "").split() if word else ())
        if total > MAX_PARTS:
            findings.add_at(
                element, f"it makes {total} parts, more than the limit of {MAX_PARTS}. Use fewer repetitions."
            )
            raise findings.to_error()
