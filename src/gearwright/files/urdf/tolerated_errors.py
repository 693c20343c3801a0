"""What real URDFs break, and how it is accepted: each case with a sentence in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import Rot, Scalar, Tensor, Vec
from gearwright.files.import_report import Findings
from gearwright.parts import Drive, Joint, Link, Train
from gearwright.parts.checks import overdrawn


class Rotor(NamedTuple):
    """A rotor that a link is said to contain: the link, the axis in its frame, J and Jc [kg m2], and whose it is."""

    carrier: str
    axis: Vec
    inertia: Scalar
    coupling: Scalar
    title: str


def without_idle_joints(
    found: Findings, links: Sequence[Link], drives: Sequence[Drive]
) -> tuple[list[Link], list[Drive]]:
    """The links with every joint that moves nothing fixed, and the drives of the others."""
    idle = _idle_joints(links, drives)
    for drive in drives:
        if drive.joint in idle:
            found.ignore(f"the motor of {drive.joint!r}, which moves nothing")
    fixed = [_fixed(found, link) if link.joint_name in idle else link for link in links]
    return fixed, [drive for drive in drives if drive.joint not in idle]


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


def containing_rotors(
    found: Findings, links: Sequence[Link], drives: Sequence[Drive], trains: Sequence[Train]
) -> list[Link]:
    """The links, those smaller than the rotors they are said to contain taken as effective."""
    rotors: dict[str, list[Rotor]] = {link.name: [] for link in links}
    for rotor in _rotors(links, drives, trains):
        rotors.setdefault(rotor.carrier, []).append(rotor)
    return [_containing(found, link, rotors[link.name]) for link in links]


def _rotors(links: Sequence[Link], drives: Sequence[Drive], trains: Sequence[Train]) -> list[Rotor]:
    driven = {link.joint_name: link for link in links}
    found = []
    for drive in drives:
        link, motor = driven[drive.joint], drive.motor
        coupling = motor.inertia if motor.coupling is None else motor.coupling
        found.append(Rotor(link.parent, joint_axis(link), motor.inertia, coupling, drive.joint))
    for train in trains:
        for fitted in train.motors:
            wheel, inertia = train.wheel(fitted.wheel), fitted.motor.inertia
            if wheel is not None:
                found.append(Rotor(wheel.carrier, Vec.of(wheel.axis), inertia, inertia, fitted.name))
    return [rotor for rotor in found if rotor.inertia]


def _containing(found: Findings, link: Link, rotors: Sequence[Rotor]) -> Link:
    wheels = [(rotor.axis, rotor.inertia, rotor.coupling) for rotor in rotors]
    if link.effective or not wheels or overdrawn(Tensor.of(link.inertia), wheels) is None:
        return link
    names = ", ".join(repr(rotor.title) for rotor in rotors)
    found.accept(f"link {link.name!r}", None, f"smaller than the rotors of {names} it carries, taken as effective.")
    return replace(link, effective=True)


def joint_axis(driven: Link) -> Vec:
    """The axis of a link's joint in its parent's frame, a unit vector."""
    axis = Rot.of(driven.joint.rotation) @ Vec.of(driven.joint.axis)
    return axis * (1 / axis.dot(axis) ** 0.5)
