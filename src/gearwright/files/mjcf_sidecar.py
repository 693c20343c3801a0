"""Gears and motors for an MJCF file, in a YAML file beside it: `arm.xml` and `arm.gearwright.yaml`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gearwright.files.urdf_report import Findings
from gearwright.files.urdf_sidecar import completed
from gearwright.parts import Drive, Robot


def with_sidecar(found: Findings, robot: Robot, path: Path) -> Robot:
    """The robot with what the sidecar says.

    MuJoCo's armature is the trace of a rotor: where the sidecar states the drive, the armature gives way, and the
    report gives both numbers. Otherwise the rotor would count twice.
    """
    fresh, _ = completed(robot, path)
    found.note(f"read together with {path.name}")
    rotors = {drive.joint: drive for drive in fresh.drives if drive.motor.inertia and not _stated(robot, drive)}
    links = []
    for link in fresh.links:
        drive, armature = rotors.get(link.joint_name), link.joint.armature
        if drive is not None and armature and armature == robot.link_of_joint(link.joint_name).joint.armature:
            reflected = drive.motor.inertia * drive.gear.ratio**2
            found.note(
                f"joint {link.joint_name!r}: the rotor of {path.name}, {reflected:g} at the joint, takes the place of "
                f"the armature {armature:g}"
            )
            link = replace(link, joint=replace(link.joint, armature=0.0))
        links.append(link)
    return replace(fresh, links=links)


def _stated(robot: Robot, drive: Drive) -> bool:
    """Whether the file itself states this rotor."""
    return any(known.title == drive.title and known.motor.inertia == drive.motor.inertia for known in robot.drives)
