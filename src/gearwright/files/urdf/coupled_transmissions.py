"""Transmissions of two motors and two joints, as ros_control defines them, read as gear trains.

With reductions n of the actuators (a) and the joints (j):

- DifferentialTransmission: a1 = n_a1 (n_j1 j1 + n_j2 j2), a2 = n_a2 (n_j1 j1 - n_j2 j2);
- FourBarLinkageTransmission (remote actuation): a1 = n_a1 n_j1 j1, a2 = n_a2 (j1 + n_j2 j2).

A URDF does not describe the wheels, so they have no inertia: a side wheel, coaxial with the proximal joint, turns at
the sum of that joint's speed and the geared speed of the distal joint; the motor turns with that wheel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gearwright.files.import_report import ImportFindings
from gearwright.files.urdf.safe_xml import Element, attribute_name, children_of_tags, element_tag, text_number
from gearwright.files.urdf.tolerated_errors import joint_axis_in_parent
from gearwright.files.urdf.transmissions import (
    COUPLED_TYPES,
    INERTIA_TAGS,
    RATIO_TAGS,
    SOFTWARE_TAGS,
    is_zero_offset,
    transmission_elements,
    transmission_type,
)
from gearwright.parts import Gearwheel, Link, Mesh, Motor, Train, TrainMotor
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class TransmissionEnd:
    """A joint or an actuator of a transmission: its name, reduction and rotor inertia."""

    name: str
    reduction: float = 1.0
    inertia: float = 0.0


@dataclass(frozen=True)
class CoupledTransmission:
    """A transmission of two motors and two joints as written in the file."""

    name: str
    kind: str
    line: int
    actuators: tuple[TransmissionEnd, TransmissionEnd]
    joints: tuple[TransmissionEnd, TransmissionEnd]


def read_coupled(findings: ImportFindings, root: Element, joint_names: Collection[str]) -> list[CoupledTransmission]:
    """Return the coupled transmissions of a URDF with joints of these names."""
    by_name: dict[str, CoupledTransmission] = {}
    for element in transmission_elements(root):
        coupled = (
            _read_coupled_transmission(findings, element, joint_names)
            if transmission_type(element) in COUPLED_TYPES
            else None
        )
        if coupled is not None and coupled.name in by_name:
            findings.add_at(element, f"transmission {coupled.name!r} occurs twice. Rename one.")
        elif coupled is not None:
            by_name[coupled.name] = coupled
    return list(by_name.values())


def _read_coupled_transmission(
    findings: ImportFindings, element: Element, joint_names: Collection[str]
) -> CoupledTransmission | None:
    name, kind = attribute_name(findings, element), transmission_type(element)
    ends = {role: _end_of_role(findings, element, role) for role in ("actuator1", "actuator2", "joint1", "joint2")}
    missing = [role for role, end in ends.items() if end is None]
    if missing:
        findings.add_ignored(f"transmission {name!r} of type {kind} without {missing[0]}", element.sourceline)
        return None
    a1, a2, j1, j2 = (end for end in ends.values() if end is not None)
    for end in (j1, j2):
        if end.name not in joint_names:
            findings.add_at(element, f"there is no joint {end.name!r} to drive. {did_you_mean(end.name, joint_names)}")
    if any(end.reduction == 0 for end in (a1, a2, j1, j2)):
        findings.add_at(element, "the reduction is 0. Give motor speed / joint speed.")
    return None if name is None else CoupledTransmission(name, kind, element.sourceline, (a1, a2), (j1, j2))


def coupled_trains(
    findings: ImportFindings, coupled: Iterable[CoupledTransmission], links: Sequence[Link]
) -> list[Train]:
    """Return the transmissions as gear trains on links with final names and placements."""
    joints = {link.joint_name: link for link in links}
    trains = []
    for transmission in coupled:
        # A joint that was decomposed (planar, floating) is not among those of the links.
        ends = [joints[end.name] for end in transmission.joints if end.name in joints]
        near, far = near_and_far(*ends) if len(ends) == 2 else (None, None)
        if near is None or far is None:
            text = f"transmission {transmission.name!r}: its joints are not consecutive, or do not move"
            findings.add_ignored(text, transmission.line)
        else:
            trains.append(_gear_train(findings, transmission, near, far))
    return trains


def _end_of_role(findings: ImportFindings, element: Element, role: str) -> TransmissionEnd | None:
    """Return the joint or actuator of a role, given as a child element or an attribute."""
    for kid in children_of_tags(element, role[:-1]):
        written = kid.get("role") or next((inner.text for inner in children_of_tags(kid, "role")), None)
        if (written or "").strip() == role:
            return _read_end(findings, kid)
    return None


def _read_end(findings: ImportFindings, kid: Element) -> TransmissionEnd:
    values = {
        words: [text_number(findings, inner) for inner in children_of_tags(kid, *words)]
        for words in (RATIO_TAGS, INERTIA_TAGS)
    }
    for inner in kid:
        if element_tag(inner) not in (*RATIO_TAGS, *INERTIA_TAGS, *SOFTWARE_TAGS) and not is_zero_offset(inner):
            findings.add_ignored(f"transmission/{element_tag(kid)}/{element_tag(inner)}", inner.sourceline)
    ratio, inertia = values[RATIO_TAGS] or [1.0], values[INERTIA_TAGS] or [0.0]
    if len(set(ratio)) > 1 or len(set(inertia)) > 1 or (inertia[0] or 0.0) < 0:
        findings.add_at(
            kid, f"its ratios {ratio} or rotor inertias {inertia} are contradictory or negative. Keep one valid value."
        )
    return TransmissionEnd(attribute_name(findings, kid) or "", ratio[0] or 0.0, inertia[0] or 0.0)


def near_and_far(first: Link, second: Link) -> tuple[Link | None, Link | None]:
    """Return the proximal and the distal link; None if they are not consecutive or do not move."""
    moving = all(k.joint.kind in ("revolute", "prismatic") and k.joint.follows is None for k in (first, second))
    if moving and second.parent == first.name:
        return first, second
    return (second, first) if moving and first.parent == second.name else (None, None)


def _speed_rows(transmission: CoupledTransmission) -> list[dict[str, float]]:
    """Return the speed of each actuator per unit speed of either joint."""
    j1, j2 = transmission.joints
    n1, n2 = j1.reduction, j2.reduction
    differential = transmission.kind == "DifferentialTransmission"
    rows = [(n1, n2), (n1, -n2)] if differential else [(n1, 0.0), (1.0, n2)]
    scales = [actuator.reduction for actuator in transmission.actuators]
    return [{j1.name: n * x, j2.name: n * y} for n, (x, y) in zip(scales, rows, strict=True)]


def _wheels_and_meshes(
    motor: str, side: str, near: Link, far: Link, row: Mapping[str, float]
) -> tuple[list[Gearwheel], list[Mesh]]:
    """Return the wheels and meshes that give a motor this row of the two joints."""
    n, m = row[near.joint_name], row[far.joint_name]
    if n == 0 or m == 0:
        driven, ratio = (near, n) if m == 0 else (far, m)
        wheel = Gearwheel(motor, driven.parent, tuple(joint_axis_in_parent(driven)))
        return [wheel], [Mesh(motor, driven.name, ratio=ratio, carrier=driven.parent)]
    wheels = [
        Gearwheel(motor, near.parent, tuple(joint_axis_in_parent(near))),
        Gearwheel(side, near.parent, near.joint_name),
    ]
    across = Mesh(side, far.name, ratio=m / n, carrier=near.name)
    return wheels, [across, Mesh(motor, side, ratio=n, carrier=near.parent)]


def _gear_train(findings: ImportFindings, transmission: CoupledTransmission, near: Link, far: Link) -> Train:
    wheels: list[Gearwheel] = []
    meshes: list[Mesh] = []
    motors: list[TrainMotor] = []
    name = transmission.name
    for k, (actuator, row) in enumerate(zip(transmission.actuators, _speed_rows(transmission), strict=True), start=1):
        motor = f"{name}.motor{k}"
        more_wheels, more_meshes = _wheels_and_meshes(motor, f"{name}.side{k}", near, far, row)
        wheels += more_wheels
        meshes += more_meshes
        motors.append(TrainMotor(actuator.name, motor, motor=Motor(actuator.inertia, included=True)))
        terms = " + ".join(f"{x:g} x {joint!r}" for joint, x in row.items() if x)
        findings.add_note(
            f"motor {actuator.name!r} of {name!r} (line {transmission.line}): its speed is read as {terms}"
        )
    return Train(name, wheels, meshes, motors)
