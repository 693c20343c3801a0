"""The URDF writer: parts as URDF text that other tools load.

The <inertial> of a link is given by the caller: that of the *augmented* link, which contains its wheels and the payload
at rest, so that a tool without rotors computes the joints' part of the approximation "none". A joint kind that URDF
lacks becomes a chain of URDF joints through links without mass, a free joint a floating one. What URDF cannot represent
is kept in the sidecar (`sidecar`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gearwright import text
from gearwright.algebra import IDENTITY, Rot, Tensor, Vec, is_number
from gearwright.errors import InputError
from gearwright.files.placements import X, Y, Z
from gearwright.files.urdf.coupled_transmissions import Coupled
from gearwright.files.urdf.links import TENSOR
from gearwright.files.urdf.pose import rpy_of_rotation
from gearwright.files.urdf.safe_xml import Element
from gearwright.parts import Joint, Limits, Link, Robot, Shape

# Chains for joint kinds that URDF lacks

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


# The document

UNLIMITED = "1e15"
"""URDF demands a number for every limit; this one is read back as none."""
WITH_LIMITS = ("revolute", "prismatic")
WITH_AXIS = (*WITH_LIMITS, "planar")


class Inertial(NamedTuple):
    """Mass [kg], centre of mass [m] and tensor about it [kg m2], in link axes."""

    mass: float
    com: Vec
    inertia: Tensor


def urdf_text(robot: Robot, inertials: Mapping[str, Inertial], coupled: Sequence[Coupled] = ()) -> str:
    """The robot as URDF; `inertials` are the links with everything on them, `coupled` trains of two motors and joints.

    Raises:
        InputError: a number of the robot is a symbol, or a name holds characters that XML cannot.
    """
    from lxml import etree

    root = _document(robot, inertials)
    for transmission in coupled:
        _write_coupled(root, transmission)
    document: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="utf-8")
    return text.xml(document.decode())


def _document(robot: Robot, inertials: Mapping[str, Inertial]) -> Element:
    from lxml import etree

    root = etree.Element("robot", name=_holdable("robot", "name", robot.name))
    _add(root, "link", name="base")
    between = _links_between(robot)
    for link in robot.links:
        for name in between[link.name]:
            _add(root, "link", name=name)
        _write_link(root, link, inertials[link.name])
    for link in robot.links:
        _write_joints(root, link, between[link.name])
    _write_transmissions(root, robot)
    return root


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    from lxml import etree

    return etree.SubElement(parent, tag, {word: _holdable(tag, word, value) for word, value in attributes.items()})


def _holdable(tag: str, word: str, value: str) -> str:
    """The value, which is refused by name when XML or URDF cannot hold it."""
    code = text.beyond_xml(value)
    if code is not None:
        raise InputError(
            f"{tag} {value!r} cannot be written as URDF: XML cannot hold {code}. Rename it, or save the robot as YAML."
        )
    if word == "name" and not value.strip():
        raise InputError(f"{tag} {value!r} cannot be written as URDF, whose names are not blank. Rename it.")
    return value


def _number(x: Any) -> str:
    if not is_number(x):
        raise InputError(f"{x!r} is not a number: a file cannot hold it. Put a number in its place first.")
    return repr(float(x))


def _row(values: Any) -> str:
    return " ".join(_number(x) for x in values)


def _write_origin(parent: Element, rotation: Any, position: Any) -> None:
    rotation = Rot.of(rotation)
    words = {} if not any(Vec.of(position)) else {"xyz": _row(Vec.of(position))}
    if rotation != IDENTITY:
        words["rpy"] = _row(rpy_of_rotation(rotation))
    if words:
        _add(parent, "origin", **words)


def _write_link(root: Element, link: Link, inertial: Inertial) -> None:
    element = _add(root, "link", name=link.name)
    mass, com, inertia = inertial
    if mass or any(inertia):
        inner = _add(element, "inertial")
        _write_origin(inner, IDENTITY, com)
        _add(inner, "mass", value=_number(mass))
        _add(inner, "inertia", **{name: _number(x) for name, x in zip(TENSOR, inertia, strict=True)})
    for shape in link.shapes:
        _write_shape(element, shape)


def _write_shape(link: Element, shape: Shape) -> None:
    outer = _add(link, shape.role)
    _write_origin(outer, shape.rotation, shape.position)
    geometry = _add(outer, "geometry")
    if shape.kind == "mesh":
        _add(geometry, "mesh", filename=shape.file or "", scale=_row(shape.size))
    elif shape.kind == "box":
        _add(geometry, "box", size=_row(shape.size))
    elif shape.kind == "cylinder":
        _add(geometry, "cylinder", radius=_number(shape.size[0]), length=_number(shape.size[1]))
    else:
        _add(geometry, "sphere", radius=_number(shape.size[0]))


def _links_between(robot: Robot) -> dict[str, list[str]]:
    """Per link the names of the links without mass that its joint is written with."""
    taken = {link.name for link in robot.links}
    return {k.name: [text.fresh_name(f"{k.name}{end}", taken) for end in stand_ins(k) if end] for k in robot.links}


def _write_joints(root: Element, link: Link, between: Sequence[str]) -> None:
    """The joint of a link, or those that stand for it."""
    joints = list(stand_ins(link).values()) or [replace(link.joint, name=link.joint_name)]
    for joint, parent, child in zip(joints, [link.parent, *between], [*between, link.name], strict=True):
        _write_joint(root, joint, parent, child)


def _write_joint(root: Element, joint: Joint, parent: str, child: str) -> None:
    element = _placed(root, joint, parent, child)
    if joint.kind in WITH_AXIS:
        _add(element, "axis", xyz=_row(Vec.of(joint.axis)))
    if joint.kind in WITH_LIMITS:
        _write_limits(element, joint)
        total = joint.total_friction
        if total.viscous or total.coulomb:
            _add(element, "dynamics", damping=_number(total.viscous), friction=_number(total.coulomb))
    if joint.follows is not None:
        leader, multiplier, offset = joint.follows
        _add(element, "mimic", joint=leader, multiplier=_number(multiplier), offset=_number(offset))


def _placed(root: Element, joint: Joint, parent: str, child: str) -> Element:
    element = _add(root, "joint", name=str(joint.name), type=_urdf_kind(joint))
    _write_origin(element, joint.rotation, joint.position)
    _add(element, "parent", link=parent)
    _add(element, "child", link=child)
    return element


def _urdf_kind(joint: Joint) -> str:
    if joint.kind == "revolute" and joint.limits.position is None:
        return "continuous"
    return {"free": "floating"}.get(joint.kind, joint.kind)


def _write_limits(element: Element, joint: Joint) -> None:
    limits: Limits = joint.limits
    words = {word: UNLIMITED if x is None else _number(x) for word, x in _sizes(limits).items()}
    if joint.kind == "revolute" and limits == Limits():
        return  # a continuous joint needs none
    if limits.position is not None:
        words |= {"lower": _number(limits.position[0]), "upper": _number(limits.position[1])}
    elif joint.kind == "prismatic":
        words |= {"lower": f"-{UNLIMITED}", "upper": UNLIMITED}
    _add(element, "limit", **words)


def _sizes(limits: Limits) -> dict[str, float | None]:
    return {"effort": limits.effort, "velocity": limits.speed}


def _write_transmissions(root: Element, robot: Robot) -> None:
    """A simple transmission for the first drive of every joint; others could only contradict it."""
    done: set[str] = set()
    for drive in robot.drives:
        if drive.joint in done:
            continue
        done.add(drive.joint)
        outer = _add(root, "transmission", name=drive.title)
        _add(outer, "type").text = "transmission_interface/SimpleTransmission"
        joint = _add(outer, "joint", name=drive.joint)
        _add(joint, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
        actuator = _add(outer, "actuator", name=f"{drive.title}.motor")
        _add(actuator, "mechanicalReduction").text = _number(drive.gear.ratio)
        if drive.motor.tensor is None and drive.motor.inertia:
            _add(actuator, "motorInertia").text = _number(drive.motor.inertia)


def _write_coupled(root: Element, transmission: Coupled) -> None:
    outer = _add(root, "transmission", name=transmission.name)
    _add(outer, "type").text = f"transmission_interface/{transmission.kind}"
    for kind, ends in (("joint", transmission.joints), ("actuator", transmission.actuators)):
        for k, end in enumerate(ends, start=1):
            element = _add(outer, kind, name=end.name)
            _add(element, "role").text = f"{kind}{k}"
            if kind == "joint":
                _add(element, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
            _add(element, "mechanicalReduction").text = _number(end.reduction)
            if end.inertia:
                _add(element, "motorInertia").text = _number(end.inertia)
