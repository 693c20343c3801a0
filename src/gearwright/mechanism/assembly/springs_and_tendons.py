"""Passive springs, armatures and tendons assembled over the speeds of a machine.

A spring acts on a joint or along a row over several. Armatures and tendons are reflected inertia along such a row, as
balanced spins; the motors of tendons are actuators.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar, Vec, is_zero
from gearwright.errors import JointError, StructureError
from gearwright.mechanism.assembly.link_geometry import Links
from gearwright.mechanism.elements import Actuator, Spin, Spring
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.rows import plain
from gearwright.parts import PassiveSpring, Tendon
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


Z = Vec(0.0, 0.0, 1.0)
"""The axis of a balanced spin, which nothing depends on."""


def armature_spins(links: Links) -> list[Spin]:
    """The armatures that joints state."""
    stated = {joint: link.joint.armature for joint, link in links.by_joint.items()}
    for joint, armature in stated.items():
        kind = links.by_joint[joint].joint.kind
        if not is_zero(armature) and not joint_kind(kind).single:
            raise JointError(
                f"joint {joint!r} is {kind}: an armature needs one coordinate. Put it on a revolute, prismatic or "
                "helical joint, or make the joint of several of these."
            )
    return [
        _balanced(f"{joint}.armature", armature, links.over_speeds({joint: 1.0}))
        for joint, armature in stated.items()
        if not is_zero(armature)
    ]


def tendon_spins(links: Links, tendons: Sequence[Tendon]) -> list[Spin]:
    """What tendons and the rotors of their motors add to the kinetic energy."""
    rows = [(tendon, _row(links, tendon)) for tendon in tendons]
    return [
        _balanced(f"{tendon.name}.tendon", tendon.total_inertia, row)
        for tendon, row in rows
        if not is_zero(tendon.total_inertia)
    ]


def tendon_actuators(links: Links, tendons: Sequence[Tendon]) -> list[Actuator]:
    """The motors that pull tendons."""
    return [Actuator(tendon.name, _row(links, tendon)) for tendon in tendons if tendon.motor is not None]


def _balanced(name: str, inertia: Scalar, row: dict[str, Scalar]) -> Spin:
    return Spin(name, "base", Z, plain(f"{name}, inertia", inertia), row, coupling=0.0)


def _row(links: Links, tendon: Tendon) -> dict[str, Scalar]:
    for joint in tendon.row:
        if joint not in links.by_joint:
            raise StructureError(
                f"tendon {tendon.name!r}: there is no joint {joint!r}. {did_you_mean(joint, links.by_joint)}"
            )
    return links.over_speeds(dict(tendon.row))
