"""Joints that URDF has no word for, as chains of joints that it has, through links without mass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gearwright.files.placements import X, Y, Z
from gearwright.parts import Joint, Link

Chain = Mapping[str, Joint]
"""The joints from parent to link, each by the ending of the name of the link that it moves; the last moves the link."""


def stand_ins(link: Link) -> Chain:
    """The joints as which a link's joint is written; nothing where URDF has a word for it.

    >>> list(stand_ins(Link("disc", joint=Joint("cross", "universal", (1, 0, 0), axis2=(0, 1, 0)))))
    ['.angle1', '']
    """
    make = STAND_INS.get(link.joint.kind)
    return {} if make is None else make(link.joint_name, link.joint)


def _ball(name: str, joint: Joint) -> Chain:
    """Three turns about x, y and z."""
    first = Joint(f"{name}.turn_x", "revolute", X, joint.rotation, joint.position)
    return {".x": first, ".y": Joint(f"{name}.turn_y", "revolute", Y), "": Joint(f"{name}.turn_z", "revolute", Z)}


def _cross(name: str, joint: Joint) -> Chain:
    """Two turns about its two axes."""
    first = Joint(f"{name}.angle1", "revolute", joint.axis, joint.rotation, joint.position)
    return {".angle1": first, "": Joint(f"{name}.angle2", "revolute", joint.axis2)}


def _screw(name: str, joint: Joint) -> Chain:
    """A turn, and a slide along its axis that follows it."""
    turn = replace(joint, name=name, kind="revolute", pitch=None)
    return {".turn": turn, "": Joint(f"{name}.slide", "prismatic", joint.axis, follows=(name, joint.pitch, 0.0))}


STAND_INS: Mapping[str, Callable[[str, Joint], Chain]] = {"spherical": _ball, "universal": _cross, "helical": _screw}
