"""Common errors of URDFs that are accepted, each with a remark in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import Rot, Scalar, Tensor, Vec
from gearwright.files.import_report import ImportFindings
from gearwright.parts import Drive, Joint, Link, Train
from gearwright.parts.checks import negative_carrier_moment


class ContainedRotor(NamedTuple):
    """A rotor included in a link: the link, the axis in its frame, J and Jc [kg m2], and the name of its drive."""

    carrier: str
    axis: Vec
    inertia: Scalar
    coupling: Scalar
    title: str


def without_idle_joints(
    findings: ImportFindings, links: Sequence[Link], drives: Sequence[Drive]
) -> tuple[list[Link], list[Drive]]:
    """Return the links with all joints fixed that move no inertia, and the drives of the others."""
    idle = _idle_joints(links, drives)
    for drive in drives:
        if drive.joint in idle:
            findings.add_ignored(f"the motor of {drive.joint!r}, which moves no inertia")
    fixed = [_with_fixed_joint(findings, link) if link.joint_name in idle else link for link in links]
    return fixed, [drive for drive in drives if drive.joint not in idle]


def _idle_joints(links: Sequence[Link], drives: Sequence[Drive]) -> set[str]:
    """Return the joints that move, with all their followers, neither mass nor inertia nor a rotor."""
    heavy: dict[str, bool] = {link.name: _has_inertia(link) for link in links}
    for link in reversed(links):  # parents come first, so children are summed before them
        if heavy[link.name] and link.parent != "base":
            heavy[link.parent] = True
    joints = {link.joint_name: link for link in links}
    busy = {drive.joint for drive in drives if drive.motor.inertia}
    for link in links:
        if heavy[link.name]:
            busy.add(_leader_joint(link, joints))
    moving = [link for link in links if link.joint.kind not in ("fixed", "free")]
    return {link.joint_name for link in moving if _leader_joint(link, joints) not in busy}


def _has_inertia(link: Link) -> bool:
    return bool(link.mass) or any(bool(x) for row in link.inertia for x in row)


def _leader_joint(link: Link, joints: Mapping[str, Link]) -> str:
    """Return the independent joint that moves the link, through any number of followers."""
    while link.joint.follows is not None:
        link = joints[link.joint.follows[0]]
    return link.joint_name


def _with_fixed_joint(findings: ImportFindings, link: Link) -> Link:
    findings.add_accepted(
        f"joint {link.joint_name!r}", None, "it moves no mass or inertia; it is treated as fixed at zero."
    )
    old = link.joint
    return replace(link, joint=Joint(link.joint_name, "fixed", old.axis, old.rotation, old.position))


def with_contained_rotors(
    findings: ImportFindings, links: Sequence[Link], drives: Sequence[Drive], trains: Sequence[Train]
) -> list[Link]:
    """Return the links; those with less inertia than their included rotors are treated as effective."""
    rotors: dict[str, list[ContainedRotor]] = {link.name: [] for link in links}
    for rotor in _stated_rotors(links, drives, trains):
        rotors.setdefault(rotor.carrier, []).append(rotor)
    return [_with_contained_rotors(findings, link, rotors[link.name]) for link in links]


def _stated_rotors(links: Sequence[Link], drives: Sequence[Drive], trains: Sequence[Train]) -> list[ContainedRotor]:
    driven = {link.joint_name: link for link in links}
    rotors = []
    for drive in drives:
        link, motor = driven[drive.joint], drive.motor
        coupling = motor.inertia if motor.coupling is None else motor.coupling
        rotors.append(ContainedRotor(link.parent, joint_axis_in_parent(link), motor.inertia, coupling, drive.joint))
    for train in trains:
        for train_motor in train.motors:
            wheel, inertia = train.find_wheel(train_motor.wheel), train_motor.motor.inertia
            if wheel is not None:
                rotors.append(
                    ContainedRotor(wheel.carrier, Vec.from_values(wheel.axis), inertia, inertia, train_motor.name)
                )
    return [rotor for rotor in rotors if rotor.inertia]


def _with_contained_rotors(findings: ImportFindings, link: Link, rotors: Sequence[ContainedRotor]) -> Link:
    wheels = [(rotor.axis, rotor.inertia, rotor.coupling) for rotor in rotors]
    if link.effective or not wheels or negative_carrier_moment(Tensor.from_rows(link.inertia), wheels) is None:
        return link
    names = ", ".join(repr(rotor.title) for rotor in rotors)
    findings.add_accepted(
        f"link {link.name!r}",
        None,
        f"its inertia is less than that of the included rotors of {names}; it is treated as effective.",
    )
    return replace(link, effective=True)


def joint_axis_in_parent(driven: Link) -> Vec:
    """Return the axis of a link's joint in its parent's frame, a unit vector."""
    axis = Rot.from_rows(driven.joint.rotation) @ Vec.from_values(driven.joint.axis)
    return axis * (1 / axis.dot(axis) ** 0.5)
