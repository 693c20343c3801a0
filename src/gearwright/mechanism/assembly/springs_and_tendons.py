"""Passive springs: on a joint, or along a row over several of them."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.errors import JointError, StructureError
from gearwright.mechanism.elements import Spring
from gearwright.mechanism.joint_kinds import joint_kind
from gearwright.mechanism.structure_geometry import Links
from gearwright.parts import PassiveSpring
from gearwright.text import did_you_mean


def passive_springs(links: Links, springs: Sequence[PassiveSpring]) -> list[Spring]:
    """The springs of the joints, then those of the robot."""
    for joint, link in links.by_joint.items():
        if link.joint.spring is not None and not joint_kind(link.joint.kind).single:
            raise JointError(
                f"joint {joint!r} is {link.joint.kind}: a spring needs one coordinate. Put it on a revolute, prismatic "
                "or helical joint, or make the joint of several of these."
            )
    own = [
        PassiveSpring(f"{joint}.passive_spring", {joint: 1.0}, spring.stiffness, spring.damping, spring.rest)
        for joint, link in links.by_joint.items()
        if (spring := link.joint.spring) is not None
    ]
    return [_spring(links, spring) for spring in (*own, *springs)]


def _spring(links: Links, spring: PassiveSpring) -> Spring:
    """Over the machine's speeds: what a joint that follows another is stretched by at zero moves the rest."""
    known = _coordinates(links)
    for joint in spring.row:
        if joint not in known:
            raise StructureError(f"spring {spring.name!r}: there is no joint {joint!r}. {did_you_mean(joint, known)}")
    rest = spring.rest
    for joint, factor in spring.row.items():
        if joint in links.by_joint and links.by_joint[joint].joint.follows is not None:
            rest = rest - factor * links.offset(joint)
    return Spring(spring.name, links.over_speeds(dict(spring.row)), spring.stiffness, spring.damping, rest)


def _coordinates(links: Links) -> list[str]:
    """What a spring can be stretched by: the joints, and the coordinates of those that have several."""
    kinds = {name: joint_kind(link.joint.kind) for name, link in links.by_joint.items()}
    further = [name + end for name, kind in kinds.items() if kind.space.straight for end in kind.speeds if end]
    return [*kinds, *further]
