"""URDF -> parts, with a report of what was read how, and what was not understood.

Decisions, stated once:

- The root link is a body fixed to the base, so that its inertia is kept though a fixed base does not feel it; without
  inertia and shapes it is the base itself; with `floating_base` it hangs on the base by a free joint.
- A link that breaks a physical rule is accepted as `effective`, a joint that moves nothing with inertia as fixed; one
  warning names all of them.
- A rotor is `included` in the link before its joint: a URDF states the mass of everything bolted to a link there.
- A planar joint becomes two slides and a turn, a floating joint on a moving link three slides and a ball.
- Meshes stay references; nothing they name is opened.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.errors import InputError, MissingExtraError
from gearwright.files.reading import read_text
from gearwright.files.urdf_acceptance import containing_rotors, without_idle_joints
from gearwright.files.urdf_differentials import coupled_trains, read_coupled
from gearwright.files.urdf_joints import UrdfJoint, checked_followers, read_joint
from gearwright.files.urdf_links import read_link
from gearwright.files.urdf_report import Findings, Report
from gearwright.files.urdf_sidecar import completed, sidecar_of
from gearwright.files.urdf_transmissions import read_drives
from gearwright.files.urdf_tree import grow, robot_links
from gearwright.files.urdf_xml import Element, children, parse_xml, refuse_doctype, refuse_root, report_others
from gearwright.parts import Link, Robot

TEXT = "URDF text"
UNDERSTOOD = ("link", "joint", "transmission", "ros2_control", "material")


def read_urdf(source: str | Path, *, floating_base: bool = False) -> Robot:
    """The robot of a URDF (or xacro) file, or of the text of one.

    Emits one `GearwrightWarning` that lists the links taken as effective and everything not understood.

    >>> read_urdf('<robot name="rod"><link name="pole"/></robot>').links[0].joint.kind
    'fixed'

    Args:
        source: a path, or the text itself (which begins with "<").
        floating_base: hang the root link on the base by a free joint.

    Raises:
        FileError: with every problem of the file and its line.
    """
    robot, report = read_urdf_with_report(source, floating_base=floating_base)
    report.warn()
    return robot


def read_urdf_with_report(source: str | Path, *, floating_base: bool = False) -> tuple[Robot, Report]:
    """The robot and the report of reading it: notes (what each ratio was read as), broken rules, what was ignored."""
    text, title, fallback = _text(source)
    found = Findings(title)
    root = parse_xml(text, found)
    refuse_root(root, found)
    robot = _robot(found, root, fallback, floating_base)
    if isinstance(source, Path) or title != TEXT:
        robot = _with_sidecar(found, robot, sidecar_of(Path(source)))
    return robot, found.report()


def _with_sidecar(found: Findings, robot: Robot, path: Path) -> Robot:
    """The robot with what the file beside its URDF adds; what that file restates needs no excuse any more."""
    if not path.exists():
        return robot
    robot, restated = completed(robot, path)
    found.note(f"read together with {path.name}")
    joints = [link.joint_name for link in robot.links if link.name in restated]
    settled = {f"link {name!r}" for name in restated} | {f"joint {name!r}" for name in joints}
    found.broken = [problem for problem in found.broken if problem.path not in settled]
    return robot


def _text(source: str | Path) -> tuple[str, str, str]:
    """The text, what to call it in messages, and a name for a robot without one."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return source, TEXT, "robot"
    if not isinstance(source, str | Path):
        raise InputError(f"read_urdf takes a file's name or the text of a URDF, not {type(source).__name__}.")
    path = Path(source)
    if path.suffix.lower() == ".xacro":
        return _expanded(path), str(path), path.name.partition(".")[0]
    return read_text(path), str(path), path.stem


def _expanded(path: Path) -> str:
    """A xacro file turned into a URDF by xacrodoc."""
    refuse_doctype(read_text(path), Findings(str(path)))  # the same refusals as for any file
    try:
        from xacrodoc import XacroDoc
    except ImportError:
        raise MissingExtraError(
            f"{path}: reading xacro needs xacrodoc: pip install 'gearwright[xacro]'. A URDF is read without it."
        ) from None
    try:
        return str(XacroDoc.from_file(str(path)).to_urdf_string())
    except Exception as error:  # xacro evaluates Python expressions, which can fail in any way
        found = Findings(str(path))
        found.add(f"xacro cannot expand it: {type(error).__name__}: {error}")
        raise found.error() from None


def _robot(found: Findings, root: Element, fallback: str, floating_base: bool) -> Robot:
    report_others(found, root, ("name", "version"), UNDERSTOOD, "robot")
    name = root.get("name") or fallback
    links = _named(found, root, "link", read_link)
    joints = checked_followers(found, list(_named(found, root, "joint", read_joint).values()))
    complete = len(joints) == len(children(root, "joint"))
    _note_materials(found, root)
    elements = {element.get("name"): element for element in children(root, "link")}
    tree = grow(found, links, joints, complete, elements) if links else None
    drives = read_drives(found, root, joints)
    coupled = read_coupled(found, root, [joint.name for joint in joints])
    found.refuse()
    if tree is None:
        found.accept("", None, "there is no link in it: a robot that cannot move.")
        return Robot(name, ())
    placed = robot_links(found, replace(tree, root_moves=floating_base))
    moving, drives = without_idle_joints(found, placed, drives)
    trains = coupled_trains(found, coupled, moving)
    return Robot(name, containing_rotors(found, moving, drives, trains), drives, trains=trains)


def _named(found: Findings, root: Element, kind: str, read: Any) -> dict[str, Any]:
    """Everything of a kind by name; a name used twice is a problem."""
    made: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for element in children(root, kind):
        part: Link | UrdfJoint | None = read(found, element)
        if part is None:
            continue
        if part.name in made:
            found.at(element, f"there is another {kind} {part.name!r} in line {lines[part.name]}. Rename one.")
        else:
            made[part.name], lines[part.name] = part, element.sourceline
    return made


def _note_materials(found: Findings, root: Element) -> None:
    count = sum(1 for _ in root.iter("material"))
    if count:
        found.note(f"{count} materials (colours) are not kept")
