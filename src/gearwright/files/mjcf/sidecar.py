"""Gears and motors for an MJCF file, in a YAML file beside it: `arm.xml` and `arm.gearwright.yaml`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gearwright.files.import_report import ImportFindings
from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.urdf.sidecar import complete_with_sidecar, sidecar_text
from gearwright.files.yaml_tree import parse_yaml
from gearwright.parts import Link, Robot

IMPOSSIBLE_ARMATURE = 1e99
"""An impossible armature [kg m2]: the true one always differs from it and is therefore written."""


def with_sidecar(findings: ImportFindings, robot: Robot, path: Path) -> Robot:
    """Return the robot with the data of the sidecar.

    MuJoCo's armature represents a rotor. If the sidecar gives the drive but no armature, the armature is removed, and
    the report states both numbers; otherwise the rotor would count twice.
    """
    fresh, _, notes = complete_with_sidecar(robot, path)
    findings.add_note(f"read together with {path.name}")
    for note in notes:
        findings.add_note(note)
    findings.remove_unrepresentable(_removed_names(robot, fresh))
    stated = _stated_armatures(path)
    return replace(
        fresh,
        links=[link if link.name in stated else _without_rotor_armature(findings, fresh, link) for link in fresh.links],
    )


def mjcf_sidecar_text(robot: Robot, alone: Robot, name: str) -> str:
    """Return the data of the robot that its MJCF (read back as `alone`) lacks, and all armatures of driven joints."""
    driven = {drive.joint for drive in robot.drives}
    links = [
        replace(link, joint=replace(link.joint, armature=IMPOSSIBLE_ARMATURE)) if link.joint_name in driven else link
        for link in alone.links
    ]
    return sidecar_text(robot, replace(alone, links=links), name)


def _without_rotor_armature(findings: ImportFindings, robot: Robot, link: Link) -> Link:
    """Return a link without the armature that represents its drive's rotor."""
    rotors = [drive for drive in robot.drives if drive.joint == link.joint_name and drive.motor.inertia]
    armature = link.joint.armature
    if not armature or not any(
        drive.motor.coupling is None for drive in rotors
    ):  # rotors read from MJCF have coupling 0
        return link
    reflected = sum(drive.motor.inertia * drive.gear.ratio**2 for drive in rotors)
    findings.add_note(
        f"joint {link.joint_name!r}: the rotor of the sidecar (reflected inertia {reflected:g} kg m2 or kg) replaces "
        f"the armature {armature:g}"
    )
    return replace(link, joint=replace(link.joint, armature=0.0))


def _stated_armatures(path: Path) -> set[str]:
    """Return the links for whose joints the sidecar gives an armature."""
    data = parse_yaml(read_text(path), FileProblems(str(path))).data
    links = [link for link in data.get("links") or [] if isinstance(link, dict)]
    return {link["name"] for link in links if isinstance(link.get("joint"), dict) and "armature" in link["joint"]}


def _removed_names(robot: Robot, fresh: Robot) -> set[str]:
    """Return the links and joints that the sidecar removes; their unrepresentable elements are not reported."""
    left = {link.name for link in fresh.links}
    return {name for link in robot.links if link.name not in left for name in (link.name, link.joint_name)}
