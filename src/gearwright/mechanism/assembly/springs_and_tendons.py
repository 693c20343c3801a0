"""Passive springs, armatures and tendons assembled over the speeds of a machine.

A spring acts on a joint or along a row over several. Armatures and tendons are reflected inertia along such a row, as
balanced spins; the motors of tendons are actuators.
"""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Z_AXIS, Scalar, is_zero
from gearwright.errors import JointError, StructureError
from gearwright.mechanism.assembly.link_geometry import LinkGeometry
from gearwright.mechanism.elements import Actuator, Spin, Spring
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.rows import as_number
from gearwright.parts import PassiveSpring, Tendon
from gearwright.text import did_you_mean


def passive_springs(links: LinkGeometry, springs: Sequence[PassiveSpring]) -> list[Spring]:
    """Return the springs of the joints, then those of the robot."""
    for joint, link in links.by_joint.items():
        if link.joint.spring is not None and not joint_kind(link.joint.kind).has_one_coordinate:
            raise JointError(
                f"joint {joint!r} is {link.joint.kind}: a spring needs one coordinate. Put it on a revolute, prismatic "
                "or helical joint, or make the joint of several of these."
            )
    joint_springs = [
        PassiveSpring(f"{joint}.passive_spring", {joint: 1.0}, spring.stiffness, spring.damping, spring.rest)
        for joint, link in links.by_joint.items()
        if (spring := link.joint.spring) is not None
    ]
    return [_passive_spring(links, spring) for spring in (*joint_springs, *springs)]


def _passive_spring(links: LinkGeometry, spring: PassiveSpring) -> Spring:
    """Return a spring over the machine's speeds; offsets of mimic joints shift its rest position."""
    coordinate_names = _spring_coordinates(links)
    for joint in spring.row:
        if joint not in coordinate_names:
            raise StructureError(
                f"spring {spring.name!r}: there is no joint {joint!r}. {did_you_mean(joint, coordinate_names)}"
            )
    rest_length = spring.rest
    for joint, factor in spring.row.items():
        if joint in links.by_joint and links.by_joint[joint].joint.follows is not None:
            rest_length = rest_length - factor * links.follower_offset(joint)
    return Spring(spring.name, links.row_over_speeds(dict(spring.row)), spring.stiffness, spring.damping, rest_length)


def _spring_coordinates(links: LinkGeometry) -> list[str]:
    """Return the coordinates that a spring can act on: joints, and coordinates of joints with several."""
    kinds = {name: joint_kind(link.joint.kind) for name, link in links.by_joint.items()}
    further = [name + end for name, kind in kinds.items() if kind.space.speeds_are_rates for end in kind.speeds if end]
    return [*kinds, *further]


def armature_spins(links: LinkGeometry) -> list[Spin]:
    """Return the armatures of joints as balanced spins."""
    stated = {joint: link.joint.armature for joint, link in links.by_joint.items()}
    for joint, armature in stated.items():
        kind = links.by_joint[joint].joint.kind
        if not is_zero(armature) and not joint_kind(kind).has_one_coordinate:
            raise JointError(
                f"joint {joint!r} is {kind}: an armature needs one coordinate. Put it on a revolute, prismatic or "
                "helical joint, or make the joint of several of these."
            )
    return [
        _balanced_spin(f"{joint}.armature", armature, links.row_over_speeds({joint: 1.0}))
        for joint, armature in stated.items()
        if not is_zero(armature)
    ]


def tendon_spins(links: LinkGeometry, tendons: Sequence[Tendon]) -> list[Spin]:
    """Return the inertias of tendons and of the rotors of their motors as balanced spins."""
    rows = [(tendon, _tendon_row(links, tendon)) for tendon in tendons]
    return [
        _balanced_spin(f"{tendon.name}.tendon", tendon.total_inertia, row)
        for tendon, row in rows
        if not is_zero(tendon.total_inertia)
    ]


def tendon_actuators(links: LinkGeometry, tendons: Sequence[Tendon]) -> list[Actuator]:
    """Return the motors of tendons as actuators."""
    return [Actuator(tendon.name, _tendon_row(links, tendon)) for tendon in tendons if tendon.motor is not None]


def _balanced_spin(name: str, inertia: Scalar, row: dict[str, Scalar]) -> Spin:
    return Spin(name, "base", Z_AXIS, as_number(f"{name}, inertia", inertia), row, coupling=0.0)


def _tendon_row(links: LinkGeometry, tendon: Tendon) -> dict[str, Scalar]:
    for joint in tendon.row:
        if joint not in links.by_joint:
            raise StructureError(
                f"tendon {tendon.name!r}: there is no joint {joint!r}. {did_you_mean(joint, links.by_joint)}"
            )
    return links.row_over_speeds(dict(tendon.row))
