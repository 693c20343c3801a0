"""`load`: a bundled robot by its name, or a robot from a file; and the lists of bundled robots and motors.

A bundled robot may be a variant: the file of another one under a name of its own, with some numbers changed.
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
from gearwright.files.formats import ENDINGS, read_file
from gearwright.files.permissions import Permissions
from gearwright.files.tables.catalogue_data import own_articles
from gearwright.parts import Robot, with_parameters
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class Variant:
    """A bundled file under another name.

    Args:
        file: name of the bundled robot whose file it is.
        parameters: parameter path -> number, as `with_parameters` takes them.
        words: per word of the description the one that stands there instead.
    """

    file: str
    parameters: Mapping[str, float]
    words: Mapping[str, str]

    def of(self, name: str, robot: Robot) -> Robot:
        """The robot of the file under its other name, with its own numbers."""
        changed = with_parameters(robot, self.parameters)
        return replace(changed, name=name, description=self.described(robot.description))

    def described(self, text: str) -> str:
        """The description of the file with its own words."""
        for old, new in self.words.items():
            text = text.replace(old, new)
        return text


def _planets(count: int) -> Variant:
    numbers = {f"{joint}.gear.planets": count for joint in ("j1", "j2")}
    return Variant("planetary_2r", numbers, {"3 planets": f"{count} planets"})


VARIANTS = {f"planetary_2r_{count}": _planets(count) for count in (3, 4, 5, 6)}


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
    """A bundled robot by its name, or a robot from a .yaml, .yml, .urdf, .xacro or MuJoCo's .xml file.

    Files are data: nothing in a YAML, URDF or MJCF file runs code, and what YAML files attach stays in their folder.
    An MJCF may include files and name meshes elsewhere, as MuJoCo allows; they are read as data too.

    Args:
        name_or_path: the name or the path.
        floating_base: let the root link of a URDF float (a quadruped, a humanoid) instead of standing on the base.
        xacro: expand a xacro file. It is a program, and expanding it runs whatever code is in it: only for files that
            you trust as you trust a script. What a file attaches is never expanded.
        include: folders, besides that of the file, from which it may attach or include other files.
        srdf: an SRDF file whose `rotor_params` state the rotors (inertia, gear ratio) of a URDF's joints.
        catalogue: articles that the file may name beside the bundled ones, `gearwright.catalogue.drives("own.csv")`.

    >>> load("elbow").drive("j2").gear.ratio
    100.0

    Raises:
        FileError: there is no such robot or file, or the file is not a robot; its `problems` list all that is wrong.
    """
    if not isinstance(name_or_path, str | Path):
        raise InputError(f"{name_or_path!r} is not a robot's name or file. Give a text: 'elbow' or 'my_arm.urdf'.")
    with own_articles({}, {}) if catalogue is None else own_articles(catalogue.motors, catalogue.gearboxes):
        robot = read_file(robot_file(name_or_path), Permissions.given(xacro, include), floating_base)
    variant = VARIANTS.get(name_or_path) if isinstance(name_or_path, str) else None
    return _with_rotors(robot if variant is None else variant.of(str(name_or_path), robot), srdf)


def robot_file(name_or_path: str | Path) -> Path:
    """The file of a bundled robot, or the path itself; a word that is neither is refused."""
    bundled, path = bundled_files(), Path(name_or_path)
    if isinstance(name_or_path, str) and name_or_path in bundled:
        return bundled[name_or_path]
    if path.suffix.lower() not in ENDINGS and not path.exists():
        raise FileError(
            f"there is no bundled robot {str(name_or_path)!r}. {did_you_mean(str(name_or_path), bundled)} "
            f"A file's name ends with one of {', '.join(ENDINGS)}."
        )
    return path


def _with_rotors(robot: Robot, srdf: str | Path | None) -> Robot:
    if srdf is None:
        return robot
    from gearwright.files.urdf.srdf import with_rotors

    return with_rotors(robot, Path(srdf))


@cache
def bundled_files() -> dict[str, Path]:
    """The files of the bundled robots by their names; several names may share one."""
    folder = Path(str(files("gearwright").joinpath("catalogue", "robots")))
    found = {path.stem: path for path in folder.iterdir() if path.suffix in ENDINGS}
    found |= {name: found[variant.file] for name, variant in VARIANTS.items()}
    return dict(sorted(found.items()))


def robots() -> dict[str, str]:
    """The bundled robots: name and one line about each.

    >>> robots()["elbow"]
    '3-joint elbow arm with a motor on each preceding link (Sciavicco, Siciliano and Villani)'
    """
    return {
        name: VARIANTS[name].described(_description(path)) if name in VARIANTS else _description(path)
        for name, path in bundled_files().items()
    }


@cache
def _description(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    word = "description:"
    return next((line.removeprefix(word).strip() for line in lines if line.startswith(word)), "")


def motors() -> dict[str, str]:
    """The bundled motors: name and one line about each.

    >>> motors()["maxon_re40"]
    'maxon RE 40, 150 W, 48 V, brushed'
    """
    from gearwright.files.tables.catalogue_data import motor_table

    return {name: str(words.get("description", "")) for name, words in motor_table().items()}
