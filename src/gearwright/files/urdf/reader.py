"""URDF -> parts, with a report of what was read how, and what was not understood.

Decisions, stated once:

- The root link is a body fixed to the base, so that its inertia is kept though a fixed base does not feel it; without
  inertia and shapes it is the base itself; with `floating_base` it hangs on the base by a free joint.
- A link that breaks a physical rule is accepted as `effective`, a joint that moves nothing with inertia as fixed; one
  warning names all of them.
- A rotor is `included` in the link before its joint: a URDF states the mass of everything bolted to a link there.
- A planar joint becomes two slides and a turn, a floating joint on a moving link three slides and a ball.
- Meshes stay references; nothing they name is opened.
- A xacro is a program: it is expanded only when that is permitted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.errors import InputError
from gearwright.files.import_report import Findings, Report
from gearwright.files.permissions import Permissions
from gearwright.files.reading import read_text
from gearwright.files.size_limits import MAX_NAME, too_many
from gearwright.files.urdf.coupled_transmissions import coupled_trains, read_coupled
from gearwright.files.urdf.joints import UrdfJoint, checked_followers, read_joint
from gearwright.files.urdf.links import read_link
from gearwright.files.urdf.safe_xml import Element, children, parse_xml, refuse_root, report_others
from gearwright.files.urdf.sidecar import completed, sidecar_of
from gearwright.files.urdf.tolerated_errors import containing_rotors, without_idle_joints
from gearwright.files.urdf.transmissions import read_drives
from gearwright.files.urdf.tree import grow, robot_links
from gearwright.files.urdf.xacro import expanded
from gearwright.parts import Link, Robot

UNDERSTOOD = ("link", "joint", "transmission", "ros2_control", "material")


def read_urdf(
    source: str | Path, *, floating_base: bool = False, xacro: bool = False, include: Iterable[str | Path] = ()
) -> Robot:
    """The robot of a URDF (or xacro) file, or of the text of a URDF.

    Emits one `GearwrightWarning` that lists the links taken as effective and everything not understood.

    >>> read_urdf('<robot name="rod"><link name="pole"/></robot>').links[0].joint.kind
    'fixed'

    Args:
        source: a path, or the text itself (which begins with "<").
        floating_base: hang the root link on the base by a free joint.
        xacro: expand a xacro file, which runs the code in it.
        include: folders besides that of the file from which a xacro may include files.

    Raises:
        FileError: with every problem of the file and its line.
    """
    permissions = Permissions.given(xacro, include)
    robot, report = read_urdf_with_report(source, floating_base=floating_base, permissions=permissions)
    report.warn()
    return robot


def read_urdf_with_report(
    source: str | Path, *, floating_base: bool = False, permissions: Permissions | None = None
) -> tuple[Robot, Report]:
    """The robot and the report of reading it: notes (what each ratio was read as), broken rules, what was ignored."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        found = Findings("URDF text")
        robot = _parsed(found, source, "robot", floating_base)
    elif isinstance(source, str | Path):
        found = Findings(str(source))
        robot = _from_file(found, Path(source), floating_base, permissions or Permissions())
    else:
        raise InputError(f"read_urdf takes a file's name or the text of a URDF, not {type(source).__name__}.")
    return robot, found.report()


def _from_file(found: Findings, path: Path, floating_base: bool, permissions: Permissions) -> Robot:
    """The robot of a file and of the sidecar that stands beside it."""
    if path.suffix.lower() == ".xacro":
        text, fallback = expanded(path, permissions), path.name.partition(".")[0]
    else:
        text, fallback = read_text(path), path.stem
    robot = _parsed(found, text, fallback, floating_base)
    sidecar = sidecar_of(path)
    return _with_sidecar(found, robot, permissions.found(path.parent, sidecar.name)) if sidecar.exists() else robot


def _parsed(found: Findings, text: str, fallback: str, floating_base: bool) -> Robot:
    root = parse_xml(text, found)
    refuse_root(root, found)
    return _robot(found, root, fallback, floating_base)


def _with_sidecar(found: Findings, robot: Robot, path: Path) -> Robot:
    """The robot with what the file beside its URDF adds; what that file restates needs no excuse any more."""
    robot, restated, notes = completed(robot, path)
    found.note(f"read together with {path.name}")
    for note in notes:
        found.note(note)
    joints = [link.joint_name for link in robot.links if link.name in restated]
    settled = {f"link {name!r}" for name in restated} | {f"joint {name!r}" for name in joints}
    found.broken = [problem for problem in found.broken if problem.path not in settled]
    return robot


def _robot(found: Findings, root: Element, fallback: str, floating_base: bool) -> Robot:
    report_others(found, root, ("name", "version"), UNDERSTOOD, "robot")
    name = root.get("name") or fallback
    if len(name) > MAX_NAME:
        found.at(root, f"the robot's name is {len(name)} characters long. Use at most {MAX_NAME}.")
    _refuse_number(found, len(children(root, "transmission")), "transmissions")
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
    _refuse_number(found, len(placed), "links, those of planar and floating joints included")
    moving, drives = without_idle_joints(found, placed, drives)
    trains = coupled_trains(found, coupled, moving)
    return Robot(name, containing_rotors(found, moving, drives, trains), drives, trains=trains)


def _named(found: Findings, root: Element, kind: str, read: Any) -> dict[str, Any]:
    """Everything of a kind by name; a name used twice is a problem."""
    made: dict[str, Any] = {}
    lines: dict[str, int] = {}
    elements = children(root, kind)
    _refuse_number(found, len(elements), f"{kind}s")
    for element in elements:
        part: Link | UrdfJoint | None = read(found, element)
        if part is None:
            continue
        if part.name in made:
            found.at(element, f"there is another {kind} {part.name!r} in line {lines[part.name]}. Rename one.")
        else:
            made[part.name], lines[part.name] = part, element.sourceline
    return made


def _refuse_number(found: Findings, count: int, what: str) -> None:
    reason = too_many(count, what)
    if reason is not None:
        found.add(reason)
        raise found.error()


def _note_materials(found: Findings, root: Element) -> None:
    count = sum(1 for _ in root.iter("material"))
    if count:
        found.note(f"{count} materials (colours) are not kept")
