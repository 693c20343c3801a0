"""Ratios and rotors of a URDF, in all the spellings of the wild, gathered per joint.

Read are `<transmission>` of ros_control, of the PR2 and of ros2_control (SimpleTransmission), `<motorInertia>`,
`<drake:rotor_inertia>`, `<drake:gear_ratio>` (under a transmission's or a joint's actuator) and raisim's
`<dynamics rotor_inertia>`, which is reflected to the joint already. All mean ratio = motor speed / joint speed. A URDF
has no place for the rotor's mass, so that a rotor is taken to be *included* in the link before its joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isclose

from gearwright.files.import_report import Findings, where
from gearwright.files.urdf.joints import UrdfJoint
from gearwright.files.urdf.safe_xml import Element, children, name_of, report_others, tag, text_number
from gearwright.parts import Drive, Gear, Motor
from gearwright.text import did_you_mean, listed

RATIOS = ("mechanicalReduction", "mechanical_reduction", "drake:gear_ratio")
INERTIAS = ("motorInertia", "motor_inertia", "drake:rotor_inertia")
COUPLED = ("DifferentialTransmission", "FourBarLinkageTransmission")
"""Two motors on two joints; see `coupled_transmissions`."""
SILENT = ("hardwareInterface", "role")
"""Words about software; no dynamics is lost with them."""


@dataclass
class Stated:
    """What a file says about the motor of one joint: values, each with the element it stands in."""

    element: Element
    ratios: list[tuple[float, Element]] = field(default_factory=list)
    inertias: list[tuple[float, Element]] = field(default_factory=list)
    actuators: set[str] = field(default_factory=set)


def read_drives(found: Findings, root: Element, joints: list[UrdfJoint]) -> list[Drive]:
    """The drives of a robot, in the order of its joints."""
    known = {joint.name: joint for joint in joints}
    stated: dict[str, Stated] = {}
    for outer in children(root, "ros2_control"):
        report_others(found, outer, ("name", "type", "rw_rate"), ("transmission",), "ros2_control")
    for element in transmissions(root):
        if kind_of(element) not in COUPLED:
            _read_transmission(found, element, known, stated)
    for joint in joints:
        _read_joint_tags(found, joint, stated)
    return [drive for name in known for drive in _drive(found, known[name], stated.get(name))]


def transmissions(root: Element) -> Iterator[Element]:
    """Every <transmission>, also inside <ros2_control>."""
    yield from children(root, "transmission")
    for outer in children(root, "ros2_control"):
        yield from children(outer, "transmission")


def _read_transmission(
    found: Findings, element: Element, known: dict[str, UrdfJoint], stated: dict[str, Stated]
) -> None:
    joints, actuators = children(element, "joint"), children(element, "actuator")
    kind = kind_of(element)
    if kind != "SimpleTransmission" or len(joints) != 1 or len(actuators) > 1:
        what = kind if kind != "SimpleTransmission" else f"{kind} with {len(joints)} joints, {len(actuators)} actuators"
        found.ignore(f"transmission {element.get('name')!r} of type {what}", element.sourceline)
        return
    report_others(found, element, ("name", "type"), ("type", "plugin", "joint", "actuator", *RATIOS), "transmission")
    name = name_of(found, joints[0])
    if name is None:
        return
    here = stated.setdefault(name, Stated(element)) if name in known else Stated(element)
    here.actuators |= {actuator.get("name", "") for actuator in actuators}
    for place in (element, *joints, *actuators):
        _collect(found, place, here)
    if name not in known:
        _nobody(found, joints[0], here, f"there is no joint {name!r} to drive. {did_you_mean(name, known)}")


def _nobody(found: Findings, element: Element, here: Stated, message: str) -> None:
    """A motor without its joint: a problem, unless it says no more than "there is a motor" (ratio 1, no rotor)."""
    if here.inertias or any(abs(value) != 1 for value, _ in here.ratios):
        found.at(element, message)
    else:
        found.accept(where(element), element.sourceline, f"left out: {message}")


def kind_of(element: Element) -> str:
    """The type without its package; simple when there is none."""
    inner = children(element, "type", "plugin")
    text = (inner[0].text or "").strip() if inner else element.get("type", "SimpleTransmission")
    return str(text).replace("::", "/").rpartition("/")[2][:80]


def _collect(found: Findings, place: Element, here: Stated) -> None:
    """The ratios and inertias among the children of a transmission, joint or actuator."""
    for kid in place:
        name = tag(kid)
        if name in RATIOS or name in INERTIAS:
            value = text_number(found, kid)
            target = here.ratios if name in RATIOS else here.inertias
            target += [(value, kid)] if value is not None else []
        elif (
            place is not here.element
            and tag(place) != "transmission"
            and name not in SILENT
            and not is_zero_offset(kid)
        ):
            found.ignore(f"transmission/{tag(place)}/{name}", kid.sourceline)


def is_zero_offset(element: Element) -> bool:
    """An offset of zero says nothing."""
    return tag(element) == "offset" and (element.text or "").strip() in ("0", "0.0", "0.00")


def _read_joint_tags(found: Findings, joint: UrdfJoint, stated: dict[str, Stated]) -> None:
    """Drake's tags under a joint or its <actuator>."""
    actuators = children(joint.element, "actuator")
    drake = [kid for place in (joint.element, *actuators) for kid in place if tag(kid) in (*RATIOS, *INERTIAS)]
    if not drake and not actuators:
        return
    here = stated.setdefault(joint.name, Stated(joint.element))
    here.actuators |= {actuator.get("name", "") for actuator in actuators}
    for kid in drake:
        value = text_number(found, kid)
        target = here.ratios if tag(kid) in RATIOS else here.inertias
        target += [(value, kid)] if value is not None else []


def _drive(found: Findings, joint: UrdfJoint, stated: Stated | None) -> list[Drive]:
    """The drive of a joint; none when nothing is stated, or (with a line in the report) when it cannot be driven."""
    reflected = joint.rotor_inertia or None
    if stated is None and reflected is None:
        return []
    element = joint.element if stated is None else stated.element
    if not joint.moves or joint.joint.follows is not None:
        kind = "follower" if joint.moves else joint.joint.kind
        found.ignore(f"the motor of {joint.name!r}, a {kind} joint", element.sourceline)
        return []
    if stated is not None and len(stated.actuators) > 1:
        names = listed(sorted(stated.actuators))
        found.ignore(f"all but one of the actuators {names} of joint {joint.name!r}", element.sourceline)
    ratio = None if stated is None else _agreed(found, joint, "ratio", stated.ratios)
    inertia = None if stated is None else _agreed(found, joint, "rotor inertia", stated.inertias)
    return _checked_drive(found, joint, element, ratio, inertia, reflected)


def _agreed(found: Findings, joint: UrdfJoint, what: str, values: list[tuple[float, Element]]) -> float | None:
    """The one value that all tags state; two different ones are a problem."""
    if not values:
        return None
    first, source = values[0]
    for value, element in values[1:]:
        if not isclose(value, first, rel_tol=1e-9):
            found.at(
                element,
                f"joint {joint.name!r} has the {what} {value:g} here and {first:g} in line {source.sourceline}. "
                "Remove the wrong one.",
            )
    if what == "ratio":
        found.note(
            f"joint {joint.name!r}: ratio {first:g} from <{tag(source)}> in line {source.sourceline}, "
            "read as motor speed / joint speed"
        )
    return first


def _checked_drive(
    found: Findings,
    joint: UrdfJoint,
    element: Element,
    ratio: float | None,
    inertia: float | None,
    reflected: float | None,
) -> list[Drive]:
    if ratio == 0:
        found.at(element, f"joint {joint.name!r}: with ratio 0 its motor never turns. Give motor / joint speed.")
        return []
    if inertia is not None and inertia < 0:
        found.at(element, f"joint {joint.name!r}: the rotor inertia {inertia:g} kg m2 is negative. Give 0 or more.")
        return []
    n = 1.0 if ratio is None else ratio
    if ratio is None:
        found.note(f"joint {joint.name!r}: no ratio is stated, taken as 1")
    if inertia is not None or reflected is None:
        if reflected is not None and not isclose(reflected, (inertia or 0.0) * n * n, rel_tol=1e-6):
            found.at(
                element,
                f"joint {joint.name!r}: the rotor inertia {inertia:g} at ratio {n:g} is not the reflected "
                f"{reflected:g} kg m2 of <dynamics rotor_inertia>. Remove the wrong one.",
            )
        return [Drive(joint.name, Motor(inertia=inertia or 0.0, included=True), Gear(n))]
    found.note(f"joint {joint.name!r}: rotor_inertia {reflected:g} kg m2 read as reflected to the joint")
    coupling = None if ratio is not None else 0.0
    return [Drive(joint.name, Motor(inertia=reflected / (n * n), included=True, coupling=coupling), Gear(n))]
