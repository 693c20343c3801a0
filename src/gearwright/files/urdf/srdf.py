"""Rotors from an SRDF, whose <rotor_params> Pinocchio reads: per joint the rotor's inertia and the gear's ratio."""

from __future__ import annotations

from dataclasses import replace
from math import isclose
from pathlib import Path

from gearwright.files.import_report import Findings
from gearwright.files.reading import read_text
from gearwright.files.urdf.safe_xml import Element, name_of, number, parse_xml, tag
from gearwright.files.urdf.tolerated_errors import containing_rotors
from gearwright.parts import Drive, Gear, Motor, Robot
from gearwright.text import did_you_mean


def with_rotors(robot: Robot, path: Path) -> Robot:
    """The robot with the rotors that an SRDF states, each included in the link before its joint, as in a URDF.

    `<rotor_params><joint name="elbow" mass="1e-4" gear_ratio="100"/></rotor_params>`: `mass` is the rotor's axial
    inertia [kg m2], whatever its name says.

    Raises:
        FileError: it is not an SRDF, states no rotors, or contradicts the robot.
    """
    found = Findings(str(path))
    root = parse_xml(read_text(path), found)
    if tag(root) != "robot":
        found.at(root, f"the outermost element is <{tag(root)[:40]}>, not <robot>. Give an SRDF.")
        raise found.error()
    joints = [joint for params in root.iter("rotor_params") for joint in params if tag(joint) == "joint"]
    if not joints:
        found.add("there is no <rotor_params> with a <joint> in it: it states no rotors. Give another SRDF.")
    for joint in joints:
        robot = _with_rotor(found, robot, joint)
    found.refuse()
    fresh = replace(robot, links=containing_rotors(found, robot.links, robot.drives, robot.trains))
    found.report().warn()
    return fresh


def _with_rotor(found: Findings, robot: Robot, element: Element) -> Robot:
    name = name_of(found, element)
    inertia, ratio = number(found, element, "mass"), number(found, element, "gear_ratio")
    links = {link.joint_name: link for link in robot.links}
    if name is None:
        return robot
    if name not in links:
        found.at(element, f"there is no joint {name!r}. {did_you_mean(name, links)}")
    elif links[name].joint.kind not in ("revolute", "prismatic"):
        found.at(element, f"joint {name!r} is {links[name].joint.kind}: no gear can drive it. Remove the entry.")
    elif inertia < 0 or ratio == 0:
        found.at(element, f"mass {inertia:g} and gear_ratio {ratio:g}: give an inertia of 0 or more and a ratio.")
    else:
        return _driven(found, robot, element, name, inertia, ratio)
    return robot


def _driven(found: Findings, robot: Robot, element: Element, joint: str, inertia: float, ratio: float) -> Robot:
    known = next((drive for drive in robot.drives if drive.joint == joint), None)
    if known is None:
        return robot.with_drive(Drive(joint, Motor(inertia, included=True), Gear(ratio)))
    other = known.motor.inertia
    if not isclose(known.gear.ratio, ratio, rel_tol=1e-9) or (other and not isclose(other, inertia, rel_tol=1e-9)):
        found.at(
            element,
            f"joint {joint!r} has the ratio {ratio:g} and the rotor {inertia:g} kg m2 here, {known.gear.ratio:g} and "
            f"{other:g} in the robot. Correct one.",
        )
        return robot
    return robot.with_drive(known.title, replace(known, motor=replace(known.motor, inertia=inertia, included=True)))
