"""The URDF writer: parts as URDF text that other tools load.

The <inertial> of a link is given by the caller: that of the *augmented* link, which contains its wheels and the payload
at rest, so that a tool without rotors computes the joint part of the approximation "none". A joint kind that URDF lacks
becomes a chain of URDF joints through links without mass, a free joint a floating one. What URDF cannot represent is
stored in the sidecar (`sidecar`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gearwright import text
from gearwright.algebra import IDENTITY, Rot, Tensor, Vec, is_number
from gearwright.errors import InputError
from gearwright.files.placements import X_AXIS, Y_AXIS, Z_AXIS
from gearwright.files.urdf.coupled_transmissions import CoupledTransmission
from gearwright.files.urdf.links import URDF_TENSOR_ATTRIBUTES
from gearwright.files.urdf.pose import rpy_of_rotation
from gearwright.files.urdf.safe_xml import Element
from gearwright.files.urdf.urdf_plus import HELD_BY_LOOP_TYPE, LOOP_ENDS, joints_in_loops
from gearwright.parts import Frame, Joint, Limits, Link, Robot, Shape

# Chains for joint kinds that URDF lacks

JointChain = Mapping[str, Joint]
"""The joints from parent to link, each by the suffix of the name of its moved link; the last moves the link itself."""


def stand_in_joints(link: Link) -> JointChain:
    """Return the joints that represent a link's joint; empty if URDF supports it directly.

    >>> list(stand_in_joints(Link("disc", joint=Joint("cross", "universal", (1, 0, 0), axis2=(0, 1, 0)))))
    ['.angle1', '']
    """
    make = STAND_IN_JOINTS.get(link.joint.kind)
    return {} if make is None else make(link.joint_name, link.joint)


def _spherical_chain(name: str, joint: Joint) -> JointChain:
    """Three revolute joints about x, y and z."""
    first = Joint(f"{name}.turn_x", "revolute", X_AXIS, joint.rotation, joint.position)
    return {
        ".x": first,
        ".y": Joint(f"{name}.turn_y", "revolute", Y_AXIS),
        "": Joint(f"{name}.turn_z", "revolute", Z_AXIS),
    }


def _universal_chain(name: str, joint: Joint) -> JointChain:
    """Two revolute joints about its two axes."""
    first = Joint(f"{name}.angle1", "revolute", joint.axis, joint.rotation, joint.position)
    return {".angle1": first, "": Joint(f"{name}.angle2", "revolute", joint.axis2)}


def _helical_chain(name: str, joint: Joint) -> JointChain:
    """A revolute joint, and a prismatic joint along its axis that mimics it."""
    turn = replace(joint, name=name, kind="revolute", pitch=None)
    return {".turn": turn, "": Joint(f"{name}.slide", "prismatic", joint.axis, follows=(name, joint.pitch, 0.0))}


STAND_IN_JOINTS: Mapping[str, Callable[[str, Joint], JointChain]] = {
    "spherical": _spherical_chain,
    "universal": _universal_chain,
    "helical": _helical_chain,
}


# The document

URDF_UNLIMITED = "1e15"
"""URDF requires a number for every limit; this one is read back as unlimited."""
KINDS_WITH_LIMITS = ("revolute", "prismatic")
KINDS_WITH_AXIS = (*KINDS_WITH_LIMITS, "planar")


class LinkInertial(NamedTuple):
    """Mass [kg], centre of mass [m] and tensor about it [kg m2], in link axes."""

    mass: float
    com: Vec
    inertia: Tensor


def urdf_text(robot: Robot, inertials: Mapping[str, LinkInertial], coupled: Sequence[CoupledTransmission] = ()) -> str:
    """Return the robot as URDF; `inertials` are those of the links with all parts, `coupled` the coupled transmissions.

    Raises:
        InputError: a parameter of the robot is symbolic, or a name has characters that XML does not allow.
    """
    from lxml import etree

    root = _robot_element(robot, inertials)
    for transmission in coupled:
        _write_coupled(root, transmission)
    document: bytes = etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="utf-8")
    return text.xml_text(document.decode())


def _robot_element(robot: Robot, inertials: Mapping[str, LinkInertial]) -> Element:
    from lxml import etree

    root = etree.Element("robot", name=_checked_attribute("robot", "name", robot.name))
    _add_element(root, "link", name="base")
    between = _links_between(robot)
    for link in robot.links:
        for name in between[link.name]:
            _add_element(root, "link", name=name)
        _write_link(root, link, inertials[link.name])
    for link in robot.links:
        _write_joints(root, link, between[link.name])
    _write_transmissions(root, robot)
    _write_loops(root, robot)
    return root


def _write_loops(root: Element, robot: Robot) -> None:
    """Write closed loops of points or whole frames as in URDF+, and mark dependent joints if the robot states them."""
    types = {HELD_BY_LOOP_TYPE[kind]: kind for kind in ("revolute", "fixed")}
    frames = {frame.name: frame for frame in robot.frames}
    for loop in robot.loops:
        if tuple(loop.held) not in types:
            continue  # the sidecar has it
        element = _add_element(root, "loop", name=loop.name, type=types[tuple(loop.held)])
        for end, name in zip(LOOP_ENDS, loop.frames, strict=True):
            frame = frames.get(name, Frame(name, name))
            inner = _add_element(element, end, link=frame.link)
            _write_origin(inner, frame.rotation, frame.position)
    if robot.independent:
        dependent = {*joints_in_loops(robot)} - {*robot.independent}
        for element in root.iter("joint"):
            if element.get("name") in dependent:
                element.set("independent", "false")


def _add_element(parent: Element, tag: str, **attributes: str) -> Element:
    from lxml import etree

    return etree.SubElement(
        parent, tag, {word: _checked_attribute(tag, word, value) for word, value in attributes.items()}
    )


def _checked_attribute(tag: str, word: str, value: str) -> str:
    """Return the value; raise if XML or URDF cannot represent it."""
    code = text.xml_forbidden_character(value)
    if code is not None:
        raise InputError(
            f"{tag} {value!r} cannot be written as URDF, since XML does not allow {code}. Rename it, or save the "
            "robot as YAML."
        )
    if word == "name" and not value.strip():
        raise InputError(f"{tag} {value!r} is blank, which URDF does not allow. Rename it.")
    return value


def _number_text(x: Any) -> str:
    if not is_number(x):
        raise InputError(f"{x!r} is not a number and cannot be written to a file. Replace it by a number first.")
    return repr(float(x))


def _numbers_text(values: Any) -> str:
    return " ".join(_number_text(x) for x in values)


def _write_origin(parent: Element, rotation: Any, position: Any) -> None:
    rotation = Rot.from_rows(rotation)
    words = {} if not any(Vec.from_values(position)) else {"xyz": _numbers_text(Vec.from_values(position))}
    if rotation != IDENTITY:
        words["rpy"] = _numbers_text(rpy_of_rotation(rotation))
    if words:
        _add_element(parent, "origin", **words)


def _write_link(root: Element, link: Link, inertial: LinkInertial) -> None:
    element = _add_element(root, "link", name=link.name)
    mass, com, inertia = inertial
    if mass or any(inertia):
        inner = _add_element(element, "inertial")
        _write_origin(inner, IDENTITY, com)
        _add_element(inner, "mass", value=_number_text(mass))
        _add_element(
            inner, "inertia", **{name: _number_text(x) for name, x in zip(URDF_TENSOR_ATTRIBUTES, inertia, strict=True)}
        )
    for shape in link.shapes:
        _write_shape(element, shape)


def _write_shape(link: Element, shape: Shape) -> None:
    outer = _add_element(link, shape.role)
    _write_origin(outer, shape.rotation, shape.position)
    geometry = _add_element(outer, "geometry")
    if shape.kind == "mesh":
        _add_element(geometry, "mesh", filename=shape.file or "", scale=_numbers_text(shape.size))
    elif shape.kind == "box":
        _add_element(geometry, "box", size=_numbers_text(shape.size))
    elif shape.kind == "cylinder":
        _add_element(geometry, "cylinder", radius=_number_text(shape.size[0]), length=_number_text(shape.size[1]))
    else:
        _add_element(geometry, "sphere", radius=_number_text(shape.size[0]))


def _links_between(robot: Robot) -> dict[str, list[str]]:
    """Return for each link the names of the massless links of its joint chain."""
    link_names = {link.name for link in robot.links}
    return {
        k.name: [text.unique_name(f"{k.name}{end}", link_names) for end in stand_in_joints(k) if end]
        for k in robot.links
    }


def _write_joints(root: Element, link: Link, between: Sequence[str]) -> None:
    """Write the joint of a link, or the joints that represent it."""
    joints = list(stand_in_joints(link).values()) or [replace(link.joint, name=link.joint_name)]
    for joint, parent, child in zip(joints, [link.parent, *between], [*between, link.name], strict=True):
        _write_joint(root, joint, parent, child)


def _write_joint(root: Element, joint: Joint, parent: str, child: str) -> None:
    element = _placed_joint_element(root, joint, parent, child)
    if joint.kind in KINDS_WITH_AXIS:
        _add_element(element, "axis", xyz=_numbers_text(Vec.from_values(joint.axis)))
    if joint.kind in KINDS_WITH_LIMITS:
        _write_limits(element, joint)
        total = joint.total_friction
        if total.viscous or total.coulomb:
            _add_element(element, "dynamics", damping=_number_text(total.viscous), friction=_number_text(total.coulomb))
    if joint.follows is not None:
        leader, multiplier, offset = joint.follows
        _add_element(element, "mimic", joint=leader, multiplier=_number_text(multiplier), offset=_number_text(offset))


def _placed_joint_element(root: Element, joint: Joint, parent: str, child: str) -> Element:
    element = _add_element(root, "joint", name=str(joint.name), type=_urdf_kind(joint))
    _write_origin(element, joint.rotation, joint.position)
    _add_element(element, "parent", link=parent)
    _add_element(element, "child", link=child)
    return element


def _urdf_kind(joint: Joint) -> str:
    if joint.kind == "revolute" and joint.limits.position is None:
        return "continuous"
    return {"free": "floating"}.get(joint.kind, joint.kind)


def _write_limits(element: Element, joint: Joint) -> None:
    limits: Limits = joint.limits
    words = {word: URDF_UNLIMITED if x is None else _number_text(x) for word, x in _effort_and_speed(limits).items()}
    if joint.kind == "revolute" and limits == Limits():
        return  # a continuous joint needs none
    if limits.position is not None:
        words |= {"lower": _number_text(limits.position[0]), "upper": _number_text(limits.position[1])}
    elif joint.kind == "prismatic":
        words |= {"lower": f"-{URDF_UNLIMITED}", "upper": URDF_UNLIMITED}
    _add_element(element, "limit", **words)


def _effort_and_speed(limits: Limits) -> dict[str, float | None]:
    return {"effort": limits.effort, "velocity": limits.speed}


def _write_transmissions(root: Element, robot: Robot) -> None:
    """Write a simple transmission for the first drive of every joint; URDF has one per joint."""
    done: set[str] = set()
    for drive in robot.drives:
        if drive.joint in done:
            continue
        done.add(drive.joint)
        outer = _add_element(root, "transmission", name=drive.title)
        _add_element(outer, "type").text = "transmission_interface/SimpleTransmission"
        joint = _add_element(outer, "joint", name=drive.joint)
        _add_element(joint, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
        actuator = _add_element(outer, "actuator", name=f"{drive.title}.motor")
        _add_element(actuator, "mechanicalReduction").text = _number_text(drive.gear.ratio)
        if drive.motor.tensor is None and drive.motor.inertia:
            _add_element(actuator, "motorInertia").text = _number_text(drive.motor.inertia)


def _write_coupled(root: Element, transmission: CoupledTransmission) -> None:
    outer = _add_element(root, "transmission", name=transmission.name)
    _add_element(outer, "type").text = f"transmission_interface/{transmission.kind}"
    for kind, ends in (("joint", transmission.joints), ("actuator", transmission.actuators)):
        for k, end in enumerate(ends, start=1):
            element = _add_element(outer, kind, name=end.name)
            _add_element(element, "role").text = f"{kind}{k}"
            if kind == "joint":
                _add_element(element, "hardwareInterface").text = "hardware_interface/EffortJointInterface"
            _add_element(element, "mechanicalReduction").text = _number_text(end.reduction)
            if end.inertia:
                _add_element(element, "motorInertia").text = _number_text(end.inertia)
