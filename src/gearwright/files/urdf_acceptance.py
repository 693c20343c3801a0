"""What real URDFs break, and how it is accepted: each case with a sentence in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gearwright.algebra import Rot, Scalar, Tensor, Vec
from gearwright.files.urdf_report import Findings
from gearwright.parts import Drive, Joint, Link
from gearwright.parts.physical import overdrawn


def accepted(found: Findings, links: Sequence[Link], drives: Sequence[Drive]) -> tuple[list[Link], list[Drive]]:
    """The links and drives that make a machine: idle joints fixed, links smaller than their rotors effective."""
    idle = _idle_joints(links, drives)
    links = [_fixed(found, link) if link.joint_name in idle else link for link in links]
    for drive in drives:
        if drive.joint in idle:
            found.ignore(f"the motor of {drive.joint!r}, which moves nothing")
    drives = [drive for drive in drives if drive.joint not in idle]
    return _accepting_rotors(found, links, drives), drives


def _idle_joints(links: Sequence[Link], drives: Sequence[Drive]) -> set[str]:
    """Joints that move, with all their followers, neither mass nor inertia nor a rotor."""
    heavy: dict[str, bool] = {link.name: _has_inertia(link) for link in links}
    for link in reversed(links):  # parents come first, so that children are summed up before them
        if heavy[link.name] and link.parent != "base":
            heavy[link.parent] = True
    joints = {link.joint_name: link for link in links}
    busy = {drive.joint for drive in drives if drive.motor.inertia}
    for link in links:
        if heavy[link.name]:
            busy.add(_leader(link, joints))
    moving = [link for link in links if link.joint.kind not in ("fixed", "free")]
    return {link.joint_name for link in moving if _leader(link, joints) not in busy}


def _has_inertia(link: Link) -> bool:
    return bool(link.mass) or any(bool(x) for row in link.inertia for x in row)


def _leader(link: Link, joints: Mapping[str, Link]) -> str:
    """The joint whose speed moves the link, through any number of followers."""
    while link.joint.follows is not None:
        link = joints[link.joint.follows[0]]
    return link.joint_name


def _fixed(found: Findings, link: Link) -> Link:
    found.accept(
        f"joint {link.joint_name!r}", None, "it moves nothing with mass or inertia, taken as fixed at its zero."
    )
    old = link.joint
    return replace(link, joint=Joint(link.joint_name, "fixed", old.axis, old.rotation, old.position))


def _accepting_rotors(found: Findings, links: Sequence[Link], drives: Sequence[Drive]) -> list[Link]:
    """The links, those smaller than the rotors they are said to contain taken as effective."""
    rotors: Mapping[str, list[Drive]] = {link.name: [] for link in links}
    driven = {link.joint_name: link for link in links}
    for drive in drives:
        if driven[drive.joint].parent in rotors:
            rotors[driven[drive.joint].parent].append(drive)
    return [_accepting(found, link, [(driven[d.joint], d) for d in rotors[link.name]]) for link in links]


def _accepting(found: Findings, link: Link, rotors: list[tuple[Link, Drive]]) -> Link:
    wheels = [(_axis(driven), d.motor.inertia, _coupling(d)) for driven, d in rotors]
    if link.effective or not any(J for _, J, _ in wheels) or overdrawn(Tensor.of(link.inertia), wheels) is None:
        return link
    names = ", ".join(repr(d.joint) for _, d in rotors)
    found.accept(f"link {link.name!r}", None, f"smaller than the rotors of {names} it carries, taken as effective.")
    return replace(link, effective=True)


def _coupling(drive: Drive) -> Scalar:
    return drive.motor.inertia if drive.motor.coupling is None else drive.motor.coupling


def _axis(driven: Link) -> Vec:
    axis = Rot.of(driven.joint.rotation) @ Vec.of(driven.joint.axis)
    return axis * (1 / axis.dot(axis) ** 0.5)
