"""Ratios and rotors of a URDF, in all common notations, collected per joint.

Supported are `<transmission>` of ros_control, of the PR2 and of ros2_control (SimpleTransmission), `<motorInertia>`,
`<drake:rotor_inertia>`, `<drake:gear_ratio>` (under a transmission's or a joint's actuator) and raisim's `<dynamics
rotor_inertia>`, which is reflected to the joint. All define ratio = motor speed / joint speed. A URDF has no field for
the rotor's mass, so a rotor is treated as *included* in the link before its joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isclose

from gearwright.files.import_report import ImportFindings, element_path
from gearwright.files.urdf.joints import UrdfJoint
from gearwright.files.urdf.safe_xml import (
    Element,
    attribute_name,
    children_of_tags,
    element_tag,
    report_unknown_content,
    text_number,
)
from gearwright.parts import Drive, Gear, Motor
from gearwright.text import did_you_mean, listed_names

RATIO_TAGS = ("mechanicalReduction", "mechanical_reduction", "drake:gear_ratio")
INERTIA_TAGS = ("motorInertia", "motor_inertia", "drake:rotor_inertia")
COUPLED_TYPES = ("DifferentialTransmission", "FourBarLinkageTransmission")
"""Two motors on two joints; see `coupled_transmissions`."""
SOFTWARE_TAGS = ("hardwareInterface", "role")
"""Elements for control software, irrelevant for the dynamics."""


@dataclass
class StatedTransmission:
    """The data of one joint's motor in a file: values, each with its element."""

    element: Element
    ratios: list[tuple[float, Element]] = field(default_factory=list)
    inertias: list[tuple[float, Element]] = field(default_factory=list)
    actuators: set[str] = field(default_factory=set)


def read_drives(findings: ImportFindings, root: Element, joints: list[UrdfJoint]) -> list[Drive]:
    """Return the drives of a robot, in the order of its joints."""
    joints_by_name = {joint.name: joint for joint in joints}
    stated: dict[str, StatedTransmission] = {}
    for outer in children_of_tags(root, "ros2_control"):
        report_unknown_content(findings, outer, ("name", "type", "rw_rate"), ("transmission",), "ros2_control")
    for element in transmission_elements(root):
        if transmission_type(element) not in COUPLED_TYPES:
            _read_transmission(findings, element, joints_by_name, stated)
    for joint in joints:
        _read_joint_tags(findings, joint, stated)
    return [
        drive for name in joints_by_name for drive in _joint_drives(findings, joints_by_name[name], stated.get(name))
    ]


def transmission_elements(root: Element) -> Iterator[Element]:
    """Return every <transmission>, also inside <ros2_control>."""
    yield from children_of_tags(root, "transmission")
    for outer in children_of_tags(root, "ros2_control"):
        yield from children_of_tags(outer, "transmission")


def _read_transmission(
    findings: ImportFindings,
    element: Element,
    joints_by_name: dict[str, UrdfJoint],
    stated: dict[str, StatedTransmission],
) -> None:
    joints, actuators = children_of_tags(element, "joint"), children_of_tags(element, "actuator")
    kind = transmission_type(element)
    if kind != "SimpleTransmission" or len(joints) != 1 or len(actuators) > 1:
        description = (
            kind if kind != "SimpleTransmission" else f"{kind} with {len(joints)} joints, {len(actuators)} actuators"
        )
        findings.add_ignored(f"transmission {element.get('name')!r} of type {description}", element.sourceline)
        return
    report_unknown_content(
        findings, element, ("name", "type"), ("type", "plugin", "joint", "actuator", *RATIO_TAGS), "transmission"
    )
    name = attribute_name(findings, joints[0])
    if name is None:
        return
    statement = (
        stated.setdefault(name, StatedTransmission(element)) if name in joints_by_name else StatedTransmission(element)
    )
    statement.actuators |= {actuator.get("name", "") for actuator in actuators}
    for place in (element, *joints, *actuators):
        _collect_values(findings, place, statement)
    if name not in joints_by_name:
        _report_missing_joint(
            findings, joints[0], statement, f"there is no joint {name!r} to drive. {did_you_mean(name, joints_by_name)}"
        )


def _report_missing_joint(
    findings: ImportFindings, element: Element, statement: StatedTransmission, message: str
) -> None:
    """Add a problem for a motor without a joint; a remark if it has no data (ratio 1, no rotor)."""
    if statement.inertias or any(abs(value) != 1 for value, _ in statement.ratios):
        findings.add_at(element, message)
    else:
        findings.add_accepted(element_path(element), element.sourceline, f"ignored: {message}")


def transmission_type(element: Element) -> str:
    """Return the type without its package; by default simple."""
    inner = children_of_tags(element, "type", "plugin")
    text = (inner[0].text or "").strip() if inner else element.get("type", "SimpleTransmission")
    return str(text).replace("::", "/").rpartition("/")[2][:80]


def _collect_values(findings: ImportFindings, place: Element, statement: StatedTransmission) -> None:
    """Collect the ratios and inertias among the children of a transmission, joint or actuator."""
    for kid in place:
        name = element_tag(kid)
        if name in RATIO_TAGS or name in INERTIA_TAGS:
            value = text_number(findings, kid)
            target = statement.ratios if name in RATIO_TAGS else statement.inertias
            target += [(value, kid)] if value is not None else []
        elif (
            place is not statement.element
            and element_tag(place) != "transmission"
            and name not in SOFTWARE_TAGS
            and not is_zero_offset(kid)
        ):
            findings.add_ignored(f"transmission/{element_tag(place)}/{name}", kid.sourceline)


def is_zero_offset(element: Element) -> bool:
    """Report a joint offset other than zero."""
    return element_tag(element) == "offset" and (element.text or "").strip() in ("0", "0.0", "0.00")


def _read_joint_tags(findings: ImportFindings, joint: UrdfJoint, stated: dict[str, StatedTransmission]) -> None:
    """Collect Drake's tags under a joint or its <actuator>."""
    actuators = children_of_tags(joint.element, "actuator")
    drake = [
        kid
        for place in (joint.element, *actuators)
        for kid in place
        if element_tag(kid) in (*RATIO_TAGS, *INERTIA_TAGS)
    ]
    if not drake and not actuators:
        return
    statement = stated.setdefault(joint.name, StatedTransmission(joint.element))
    statement.actuators |= {actuator.get("name", "") for actuator in actuators}
    for kid in drake:
        value = text_number(findings, kid)
        target = statement.ratios if element_tag(kid) in RATIO_TAGS else statement.inertias
        target += [(value, kid)] if value is not None else []


def _joint_drives(findings: ImportFindings, joint: UrdfJoint, stated: StatedTransmission | None) -> list[Drive]:
    """Return the drive of a joint; None without data, or (with a line in the report) if it cannot be driven."""
    reflected = joint.rotor_inertia or None
    if stated is None and reflected is None:
        return []
    element = joint.element if stated is None else stated.element
    if not joint.is_single_speed or joint.joint.follows is not None:
        kind = "follower" if joint.is_single_speed else joint.joint.kind
        findings.add_ignored(f"the motor of {joint.name!r}, a {kind} joint", element.sourceline)
        return []
    if stated is not None and len(stated.actuators) > 1:
        names = listed_names(sorted(stated.actuators))
        findings.add_ignored(f"all but one of the actuators {names} of joint {joint.name!r}", element.sourceline)
    ratio = None if stated is None else _consistent_value(findings, joint, "ratio", stated.ratios)
    inertia = None if stated is None else _consistent_value(findings, joint, "rotor inertia", stated.inertias)
    return _checked_drives(findings, joint, element, ratio, inertia, reflected)


def _consistent_value(
    findings: ImportFindings, joint: UrdfJoint, quantity: str, values: list[tuple[float, Element]]
) -> float | None:
    """Return the common value of all tags; different values are a problem."""
    if not values:
        return None
    first, source = values[0]
    for value, element in values[1:]:
        if not isclose(value, first, rel_tol=1e-9):
            findings.add_at(
                element,
                f"joint {joint.name!r} has the {quantity} {value:g} here and {first:g} in line {source.sourceline}. "
                "Remove the wrong one.",
            )
    if quantity == "ratio":
        findings.add_note(
            f"joint {joint.name!r}: ratio {first:g} from <{element_tag(source)}> in line {source.sourceline}, "
            "read as motor speed / joint speed"
        )
    return first


def _checked_drives(
    findings: ImportFindings,
    joint: UrdfJoint,
    element: Element,
    ratio: float | None,
    inertia: float | None,
    reflected: float | None,
) -> list[Drive]:
    if ratio == 0:
        findings.add_at(element, f"joint {joint.name!r}: its ratio is 0. Give motor speed / joint speed.")
        return []
    if inertia is not None and inertia < 0:
        findings.add_at(
            element, f"joint {joint.name!r}: the rotor inertia {inertia:g} kg m2 is negative. Give 0 or more."
        )
        return []
    n = 1.0 if ratio is None else ratio
    if ratio is None:
        findings.add_note(f"joint {joint.name!r}: no ratio is given; 1 is assumed")
    if inertia is not None or reflected is None:
        if reflected is not None and not isclose(reflected, (inertia or 0.0) * n * n, rel_tol=1e-6):
            findings.add_at(
                element,
                f"joint {joint.name!r}: the rotor inertia {inertia:g} at ratio {n:g} contradicts the reflected "
                f"inertia {reflected:g} kg m2 of <dynamics rotor_inertia>. Remove the wrong one.",
            )
        return [Drive(joint.name, Motor(inertia=inertia or 0.0, included=True), Gear(n))]
    findings.add_note(f"joint {joint.name!r}: rotor_inertia {reflected:g} kg m2 read as reflected to the joint")
    coupling = None if ratio is not None else 0.0
    return [Drive(joint.name, Motor(inertia=reflected / (n * n), included=True, coupling=coupling), Gear(n))]
