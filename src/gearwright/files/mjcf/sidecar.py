"""Gears and motors for an MJCF file, in a YAML file beside it: `arm.xml` and `arm.gearwright.yaml`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gearwright.files.import_report import Findings
from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.urdf.sidecar import completed, sidecar_text
from gearwright.files.yaml_tree import parse
from gearwright.parts import Link, Robot

OTHER = 1e99
"""An armature that no robot has: what is written then differs from it, and so is stated."""


def with_sidecar(found: Findings, robot: Robot, path: Path) -> Robot:
    """The robot with what the sidecar says.

    MuJoCo's armature is the trace of a rotor: where the sidecar states the drive and says nothing about the armature,
    the armature gives way, and the report gives both numbers. Otherwise the rotor would count twice.
    """
    fresh, _, notes = completed(robot, path)
    found.note(f"read together with {path.name}")
    for note in notes:
        found.note(note)
    found.settle(_gone(robot, fresh))
    stated = _stated_armatures(path)
    return replace(fresh, links=[link if link.name in stated else _driven(found, fresh, link) for link in fresh.links])


def mjcf_sidecar_text(robot: Robot, alone: Robot, name: str) -> str:
    """What an MJCF (read back as `alone`) does not say of the robot; the armature of every driven joint is stated."""
    driven = {drive.joint for drive in robot.drives}
    links = [
        replace(link, joint=replace(link.joint, armature=OTHER)) if link.joint_name in driven else link
        for link in alone.links
    ]
    return sidecar_text(robot, replace(alone, links=links), name)


def _driven(found: Findings, robot: Robot, link: Link) -> Link:
    """A link without the armature that is the trace of its drive's rotor."""
    rotors = [drive for drive in robot.drives if drive.joint == link.joint_name and drive.motor.inertia]
    armature = link.joint.armature
    if not armature or not any(drive.motor.coupling is None for drive in rotors):  # MJCF's own rotors have coupling 0
        return link
    reflected = sum(drive.motor.inertia * drive.gear.ratio**2 for drive in rotors)
    found.note(
        f"joint {link.joint_name!r}: the rotor of the sidecar, {reflected:g} at the joint, takes the place of the "
        f"armature {armature:g}"
    )
    return replace(link, joint=replace(link.joint, armature=0.0))


def _stated_armatures(path: Path) -> set[str]:
    """The links of whose joints a sidecar states the armature."""
    data = parse(read_text(path), Problems(str(path))).data
    links = [link for link in data.get("links") or [] if isinstance(link, dict)]
    return {link["name"] for link in links if isinstance(link.get("joint"), dict) and "armature" in link["joint"]}


def _gone(robot: Robot, fresh: Robot) -> set[str]:
    """Names of links and joints that the sidecar takes away: what is lost of them need not be said."""
    left = {link.name for link in fresh.links}
    return {name for link in robot.links if link.name not in left for name in (link.name, link.joint_name)}
