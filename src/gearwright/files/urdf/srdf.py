"""Rotors from the <rotor_params> of an SRDF, as in Pinocchio: rotor inertia and gear ratio of each joint."""

from __future__ import annotations

from dataclasses import replace
from math import isclose
from pathlib import Path

from gearwright.files.import_report import ImportFindings
from gearwright.files.reading import read_text
from gearwright.files.urdf.safe_xml import Element, attribute_name, attribute_number, element_tag, parse_xml
from gearwright.files.urdf.tolerated_errors import with_contained_rotors
from gearwright.parts import Drive, Gear, Motor, Robot
from gearwright.text import did_you_mean


def with_rotors(robot: Robot, path: Path) -> Robot:
    """Return the robot with the rotors of an SRDF, each included in the link before its joint, as in a URDF.

    `<rotor_params><joint name="elbow" mass="1e-4" gear_ratio="100"/></rotor_params>`: `mass` is the rotor's axial
    inertia [kg m2], despite its name.

    Raises:
        FileError: the file is not an SRDF, has no rotors, or contradicts the robot.
    """
    findings = ImportFindings(str(path))
    root = parse_xml(read_text(path), findings)
    if element_tag(root) != "robot":
        findings.add_at(root, f"the root element is <{element_tag(root)[:40]}>, not <robot>. Give an SRDF.")
        raise findings.to_error()
    joints = [joint for params in root.iter("rotor_params") for joint in params if element_tag(joint) == "joint"]
    if not joints:
        findings.add("the file has no <rotor_params> with a <joint> and therefore no rotors. Give another SRDF.")
    for joint in joints:
        robot = _with_rotor(findings, robot, joint)
    findings.raise_if_any()
    fresh = replace(robot, links=with_contained_rotors(findings, robot.links, robot.drives, robot.trains))
    findings.to_report().emit_warning()
    return fresh


def _with_rotor(findings: ImportFindings, robot: Robot, element: Element) -> Robot:
    name = attribute_name(findings, element)
    inertia, ratio = attribute_number(findings, element, "mass"), attribute_number(findings, element, "gear_ratio")
    links = {link.joint_name: link for link in robot.links}
    if name is None:
        return robot
    if name not in links:
        findings.add_at(element, f"there is no joint {name!r}. {did_you_mean(name, links)}")
    elif links[name].joint.kind not in ("revolute", "prismatic"):
        findings.add_at(
            element, f"joint {name!r} is {links[name].joint.kind}: it cannot be driven by a gear. Remove the entry."
        )
    elif inertia < 0 or ratio == 0:
        findings.add_at(
            element,
            f"mass {inertia:g} or gear_ratio {ratio:g} is invalid. Give an inertia of 0 or more and a non-zero ratio.",
        )
    else:
        return _with_rotor_inertia(findings, robot, element, name, inertia, ratio)
    return robot


def _with_rotor_inertia(
    findings: ImportFindings, robot: Robot, element: Element, joint: str, inertia: float, ratio: float
) -> Robot:
    existing = next((drive for drive in robot.drives if drive.joint == joint), None)
    if existing is None:
        return robot.with_drive(Drive(joint, Motor(inertia, included=True), Gear(ratio)))
    existing_inertia = existing.motor.inertia
    if not isclose(existing.gear.ratio, ratio, rel_tol=1e-9) or (
        existing_inertia and not isclose(existing_inertia, inertia, rel_tol=1e-9)
    ):
        findings.add_at(
            element,
            f"joint {joint!r} has the ratio {ratio:g} and the rotor {inertia:g} kg m2 here, {existing.gear.ratio:g} "
            f"and {existing_inertia:g} in the robot. Correct one.",
        )
        return robot
    return robot.with_drive(
        existing.title, replace(existing, motor=replace(existing.motor, inertia=inertia, included=True))
    )
