"""`load`: a bundled robot by its name, or a robot from a file; and the lists of bundled robots and motors.

A bundled robot may be a variant: the file of another one under a separate name, with some numbers changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from gearwright.argument_kinds import check_arguments
from gearwright.catalogue.drive_catalogue import Catalogue
from gearwright.errors import FileError, InputError
from gearwright.files.formats import READABLE_ENDINGS, read_file
from gearwright.files.permissions import Permissions
from gearwright.files.tables.card_data import cards_of_folder
from gearwright.files.tables.catalogue_data import user_entries
from gearwright.parts import Robot, with_parameters
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class RobotVariant:
    """A bundled file under another name.

    Args:
        file: name of the bundled robot whose file it is.
        parameters: parameter path -> number, as in `with_parameters`.
        words: text in the description -> its replacement.
    """

    file: str
    parameters: Mapping[str, float]
    words: Mapping[str, str]

    def apply_to(self, name: str, robot: Robot) -> Robot:
        """Return the robot of the file under the other name, with the changed numbers."""
        changed = with_parameters(robot, self.parameters)
        return replace(changed, name=name, description=self.adapt_description(robot.description))

    def adapt_description(self, text: str) -> str:
        """Return the description of the file with the replacements."""
        for old, new in self.words.items():
            text = text.replace(old, new)
        return text


def _planets_variant(count: int) -> RobotVariant:
    numbers = {f"{joint}.gear.planets": count for joint in ("j1", "j2")}
    return RobotVariant("planetary_2r", numbers, {"3 planets": f"{count} planets"})


BUNDLED_VARIANTS = {f"planetary_2r_{count}": _planets_variant(count) for count in (3, 4, 5, 6)}


@check_arguments
def load(
    name_or_path: str | Path,
    *,
    floating_base: bool = False,
    xacro: bool = False,
    include: Iterable[str | Path] = (),
    srdf: str | Path | None = None,
    catalogue: Catalogue | None = None,
) -> Robot:
    """Return a bundled robot by its name, or a robot from a .yaml, .yml, .urdf, .xacro or MuJoCo .xml file.

    Files are data: nothing in a YAML, URDF or MJCF file runs code, and YAML files may only attach files in their
    folder. An MJCF may include files and meshes of other folders, as MuJoCo allows; they are also read as data only.

    Args:
        name_or_path: the name or the path.
        floating_base: attach the root link of a URDF (a quadruped, a humanoid) by a free joint instead of fixing it.
        xacro: expand a xacro file. It is a program, and expanding it runs the code in it: use it only for files that
            you trust like a script. Attached xacro files are never expanded.
        include: folders, besides that of the file, from which it may attach or include other files.
        srdf: an SRDF file whose `rotor_params` give the rotors (inertia, gear ratio) of a URDF's joints.
        catalogue: entries that the file may use besides the bundled ones, `gearwright.catalogue.drives("own.csv")`.

    >>> load("elbow").drive("j2").gear.ratio
    100.0

    Raises:
        FileError: the robot or file does not exist, or the file is not a valid robot; `problems` lists all errors.
    """
    if not isinstance(name_or_path, str | Path):
        raise InputError(
            f"{name_or_path!r} is not the name or file of a robot. Give a string such as 'elbow' or 'my_arm.urdf'."
        )
    path = robot_file(name_or_path)
    entries = user_entries({}, {}) if catalogue is None else user_entries(catalogue.motors, catalogue.gearboxes)
    with entries, cards_of_folder(path.parent):
        robot = read_file(path, Permissions.from_arguments(xacro, include), floating_base)
    variant = BUNDLED_VARIANTS.get(name_or_path) if isinstance(name_or_path, str) else None
    return _with_rotors(robot if variant is None else variant.apply_to(str(name_or_path), robot), srdf)


def robot_file(name_or_path: str | Path) -> Path:
    """Return the file of a bundled robot, or the path itself; raises an error if it is neither."""
    bundled, path = bundled_files(), Path(name_or_path)
    if isinstance(name_or_path, str) and name_or_path in bundled:
        return bundled[name_or_path]
    if path.suffix.lower() not in READABLE_ENDINGS and not path.exists():
        raise FileError(
            f"there is no bundled robot {str(name_or_path)!r}. {did_you_mean(str(name_or_path), bundled)} "
            f"The extension of a robot file is one of {', '.join(READABLE_ENDINGS)}."
        )
    return path


def _with_rotors(robot: Robot, srdf: str | Path | None) -> Robot:
    if srdf is None:
        return robot
    from gearwright.files.urdf.srdf import with_rotors

    return with_rotors(robot, Path(srdf))


@cache
def bundled_files() -> dict[str, Path]:
    """Return the files of the bundled robots by name; several names may share a file."""
    folder = Path(str(files("gearwright").joinpath("catalogue", "robots")))
    by_name = {path.stem: path for path in folder.iterdir() if path.suffix in READABLE_ENDINGS}
    by_name |= {name: by_name[variant.file] for name, variant in BUNDLED_VARIANTS.items()}
    return dict(sorted(by_name.items()))


def robots() -> dict[str, str]:
    """Return the bundled robots: name and one-line description of each.

    >>> robots()["elbow"]
    '3-joint elbow arm with a motor on each preceding link (Sciavicco, Siciliano and Villani)'
    """
    return {
        name: BUNDLED_VARIANTS[name].adapt_description(_file_description(path))
        if name in BUNDLED_VARIANTS
        else _file_description(path)
        for name, path in bundled_files().items()
    }


@cache
def _file_description(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    word = "description:"
    return next((line.removeprefix(word).strip() for line in lines if line.startswith(word)), "")


def motors() -> dict[str, str]:
    """Return the bundled motors: name and one-line description of each.

    >>> motors()["maxon_re40"]
    'maxon RE 40, 150 W, 48 V, brushed'
    """
    from gearwright.files.tables.catalogue_data import motor_fields_by_key

    return {name: str(words.get("description", "")) for name, words in motor_fields_by_key().items()}
