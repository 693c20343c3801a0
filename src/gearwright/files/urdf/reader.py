"""URDF -> parts, with a report of interpretations and unrecognised elements.

Conventions:

- The root link is a body fixed to the base, so that its inertia is kept, although it has no effect on a fixed base;
without inertia and shapes it is the base itself; with `floating_base` it is attached to the base by a free joint.
- A link that violates a physical rule is accepted as `effective`, a joint that moves no inertia as fixed; one warning
names all of them.
- A rotor is `included` in the link before its joint: the mass of a URDF link contains everything mounted on it.
- A planar joint becomes two prismatic joints and a revolute one, a floating joint on a moving link three prismatic
joints and a spherical one.
- URDF+: couplings, loops and dependent joints, see `urdf_plus`; so is the list of loops in a YAML file beside the URDF.
- Meshes stay references; their files are not opened.
- A xacro is a program: it is expanded only with permission.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.errors import InputError
from gearwright.files.import_report import ImportFindings, ImportReport
from gearwright.files.permissions import Permissions
from gearwright.files.reading import read_text
from gearwright.files.size_limits import MAX_NAME_LENGTH, part_count_problem
from gearwright.files.urdf.coupled_transmissions import coupled_trains, read_coupled
from gearwright.files.urdf.joints import UrdfJoint, checked_followers, read_joint
from gearwright.files.urdf.links import read_link
from gearwright.files.urdf.loop_list import with_loop_list
from gearwright.files.urdf.safe_xml import (
    Element,
    children_of_tags,
    parse_xml,
    report_unknown_content,
    require_robot_root,
)
from gearwright.files.urdf.sidecar import complete_with_sidecar, sidecar_path
from gearwright.files.urdf.tolerated_errors import with_contained_rotors, without_idle_joints
from gearwright.files.urdf.transmissions import read_drives
from gearwright.files.urdf.tree import build_tree, robot_links
from gearwright.files.urdf.urdf_plus import read_urdf_plus, with_couplings
from gearwright.files.urdf.xacro import expand_xacro
from gearwright.parts import Link, Robot

ROBOT_CHILDREN = ("link", "joint", "transmission", "ros2_control", "material", "coupling", "loop")


def read_urdf(
    source: str | Path, *, floating_base: bool = False, xacro: bool = False, include: Iterable[str | Path] = ()
) -> Robot:
    """Return the robot of a URDF (or xacro) file, or of the text of a URDF.

    Emits one `GearwrightWarning` that lists the links treated as effective and all unrecognised elements.

    >>> read_urdf('<robot name="rod"><link name="pole"/></robot>').links[0].joint.kind
    'fixed'

    Args:
        source: a path, or the text itself (which begins with "<").
        floating_base: attach the root link to the base by a free joint.
        xacro: expand a xacro file, which runs the code in it.
        include: folders besides that of the file from which a xacro may include files.

    Raises:
        FileError: with every problem of the file and its line.
    """
    permissions = Permissions.from_arguments(xacro, include)
    robot, report = read_urdf_with_report(source, floating_base=floating_base, permissions=permissions)
    report.emit_warning()
    return robot


def read_urdf_with_report(
    source: str | Path, *, floating_base: bool = False, permissions: Permissions | None = None
) -> tuple[Robot, ImportReport]:
    """Return the robot and the report: notes (interpretation of ratios), violated rules, ignored elements."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        findings = ImportFindings("URDF text")
        robot = _robot_from_text(findings, source, "robot", floating_base)
    elif isinstance(source, str | Path):
        findings = ImportFindings(str(source))
        robot = _robot_from_file(findings, Path(source), floating_base, permissions or Permissions())
    else:
        raise InputError(f"read_urdf: the source is a {type(source).__name__}. Give a file name or the text of a URDF.")
    return robot, findings.to_report()


def _robot_from_file(findings: ImportFindings, path: Path, floating_base: bool, permissions: Permissions) -> Robot:
    """Return the robot of a file and of its sidecar."""
    if path.suffix.lower() == ".xacro":
        text, fallback = expand_xacro(path, permissions), path.name.partition(".")[0]
    else:
        text, fallback = read_text(path), path.stem
    robot = _robot_from_text(findings, text, fallback, floating_base)
    loop_list, sidecar = path.with_suffix(".yaml"), sidecar_path(path)
    if loop_list.is_file():
        robot = with_loop_list(findings, robot, permissions.resolve_file(path.parent, loop_list.name))
    return (
        _with_sidecar(findings, robot, permissions.resolve_file(path.parent, sidecar.name))
        if sidecar.exists()
        else robot
    )


def _robot_from_text(findings: ImportFindings, text: str, fallback: str, floating_base: bool) -> Robot:
    root = parse_xml(text, findings)
    require_robot_root(root, findings)
    return _robot_from_root(findings, root, fallback, floating_base)


def _with_sidecar(findings: ImportFindings, robot: Robot, path: Path) -> Robot:
    """Return the robot with the data of its sidecar; violated rules in fields that the sidecar replaces are dropped."""
    robot, restated, notes = complete_with_sidecar(robot, path)
    findings.add_note(f"read together with {path.name}")
    for note in notes:
        findings.add_note(note)
    joints = [link.joint_name for link in robot.links if link.name in restated]
    restated_paths = {f"link {name!r}" for name in restated} | {f"joint {name!r}" for name in joints}
    findings.accepted_problems = [
        problem for problem in findings.accepted_problems if problem.path not in restated_paths
    ]
    return robot


def _robot_from_root(findings: ImportFindings, root: Element, fallback: str, floating_base: bool) -> Robot:
    report_unknown_content(findings, root, ("name", "version"), ROBOT_CHILDREN, "robot")
    name = root.get("name") or fallback
    if len(name) > MAX_NAME_LENGTH:
        findings.add_at(root, f"the robot's name has {len(name)} characters. Use at most {MAX_NAME_LENGTH}.")
    _require_part_count(findings, len(children_of_tags(root, "transmission")), "transmissions")
    links = _read_by_name(findings, root, "link", read_link)
    joints = checked_followers(findings, list(_read_by_name(findings, root, "joint", read_joint).values()))
    all_joints_read = len(joints) == len(children_of_tags(root, "joint"))
    _note_materials(findings, root)
    elements = {element.get("name"): element for element in children_of_tags(root, "link")}
    tree = build_tree(findings, links, joints, all_joints_read, elements) if links else None
    drives = read_drives(findings, root, joints)
    plus = read_urdf_plus(findings, root, links, joints)
    coupled = read_coupled(findings, root, [joint.name for joint in joints])
    findings.raise_if_any()
    if tree is None:
        findings.add_accepted("", None, "the robot has no links and cannot move.")
        return Robot(name, ())
    placed, final_names = robot_links(findings, replace(tree, root_moves=floating_base))
    _require_part_count(findings, len(placed), "links, including those for planar and floating joints")
    robot = with_couplings(findings, Robot(name, placed, drives), plus, final_names)
    findings.raise_if_any()
    moving, drives = without_idle_joints(findings, robot.links, robot.drives)
    trains = [*robot.trains, *coupled_trains(findings, coupled, moving)]
    return replace(robot, links=with_contained_rotors(findings, moving, drives, trains), drives=drives, trains=trains)


def _read_by_name(findings: ImportFindings, root: Element, kind: str, read: Any) -> dict[str, Any]:
    """Return all parts of a kind by name; a repeated name is a problem."""
    by_name: dict[str, Any] = {}
    lines: dict[str, int] = {}
    elements = children_of_tags(root, kind)
    _require_part_count(findings, len(elements), f"{kind}s")
    for element in elements:
        part: Link | UrdfJoint | None = read(findings, element)
        if part is None:
            continue
        if part.name in by_name:
            findings.add_at(element, f"{kind} {part.name!r} is already defined in line {lines[part.name]}. Rename one.")
        else:
            by_name[part.name], lines[part.name] = part, element.sourceline
    return by_name


def _require_part_count(findings: ImportFindings, count: int, kind: str) -> None:
    reason = part_count_problem(count, kind)
    if reason is not None:
        findings.add(reason)
        raise findings.to_error()


def _note_materials(findings: ImportFindings, root: Element) -> None:
    count = sum(1 for _ in root.iter("material"))
    if count:
        findings.add_note(f"{count} materials (colours) are not imported")
