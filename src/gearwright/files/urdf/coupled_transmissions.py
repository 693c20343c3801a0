"""Transmissions of two motors and two joints, as ros_control defines them, read as gear trains.

With reductions n of the actuators (a) and the joints (j):

- DifferentialTransmission: a1 = n_a1 (n_j1 j1 + n_j2 j2), a2 = n_a2 (n_j1 j1 - n_j2 j2);
- FourBarLinkageTransmission (remote actuation): a1 = n_a1 n_j1 j1, a2 = n_a2 (j1 + n_j2 j2).

A URDF says nothing about the wheels, so they have no inertia of their own: a side wheel, coaxial with the nearer joint,
turns at the sum of that joint and the geared motion of the farther one; the motor, beside it, turns with that wheel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gearwright.files.import_report import Findings
from gearwright.files.urdf.safe_xml import Element, children, name_of, tag, text_number
from gearwright.files.urdf.tolerated_errors import joint_axis
from gearwright.files.urdf.transmissions import (
    COUPLED,
    INERTIAS,
    RATIOS,
    SILENT,
    is_zero_offset,
    kind_of,
    transmissions,
)
from gearwright.parts import Gearwheel, Link, Mesh, Motor, Train, TrainMotor
from gearwright.text import did_you_mean


@dataclass(frozen=True)
class End:
    """A joint or an actuator of a transmission: its name, reduction and rotor inertia."""

    name: str
    reduction: float = 1.0
    inertia: float = 0.0


@dataclass(frozen=True)
class Coupled:
    """A transmission of two motors and two joints as it is written."""

    name: str
    kind: str
    line: int
    actuators: tuple[End, End]
    joints: tuple[End, End]


def read_coupled(found: Findings, root: Element, known: Collection[str]) -> list[Coupled]:
    """The coupled transmissions of a URDF with joints of these names."""
    made: dict[str, Coupled] = {}
    for element in transmissions(root):
        coupled = _coupled(found, element, known) if kind_of(element) in COUPLED else None
        if coupled is not None and coupled.name in made:
            found.at(element, f"there is another transmission {coupled.name!r}. Rename one.")
        elif coupled is not None:
            made[coupled.name] = coupled
    return list(made.values())


def _coupled(found: Findings, element: Element, known: Collection[str]) -> Coupled | None:
    name, kind = name_of(found, element), kind_of(element)
    ends = {role: _end(found, element, role) for role in ("actuator1", "actuator2", "joint1", "joint2")}
    missing = [role for role, end in ends.items() if end is None]
    if missing:
        found.ignore(f"transmission {name!r} of type {kind} without {missing[0]}", element.sourceline)
        return None
    a1, a2, j1, j2 = (end for end in ends.values() if end is not None)
    for end in (j1, j2):
        if end.name not in known:
            found.at(element, f"there is no joint {end.name!r} to drive. {did_you_mean(end.name, known)}")
    if any(end.reduction == 0 for end in (a1, a2, j1, j2)):
        found.at(element, "a reduction of 0 moves nothing. Give motor speed / joint speed.")
    return None if name is None else Coupled(name, kind, element.sourceline, (a1, a2), (j1, j2))


def coupled_trains(found: Findings, coupled: Iterable[Coupled], links: Sequence[Link]) -> list[Train]:
    """The transmissions as gear trains, on links whose names and places are settled."""
    joints = {link.joint_name: link for link in links}
    made = []
    for transmission in coupled:
        # A joint that was taken apart (planar, floating) is not among those of the links.
        ends = [joints[end.name] for end in transmission.joints if end.name in joints]
        near, far = near_and_far(*ends) if len(ends) == 2 else (None, None)
        if near is None or far is None:
            text = f"transmission {transmission.name!r}: its joints do not follow one another, or do not move"
            found.ignore(text, transmission.line)
        else:
            made.append(_train(found, transmission, near, far))
    return made


def _end(found: Findings, element: Element, role: str) -> End | None:
    """The joint or actuator of that role, which is written as a child or an attribute."""
    for kid in children(element, role[:-1]):
        written = kid.get("role") or next((inner.text for inner in children(kid, "role")), None)
        if (written or "").strip() == role:
            return _read_end(found, kid)
    return None


def _read_end(found: Findings, kid: Element) -> End:
    values = {words: [text_number(found, inner) for inner in children(kid, *words)] for words in (RATIOS, INERTIAS)}
    for inner in kid:
        if tag(inner) not in (*RATIOS, *INERTIAS, *SILENT) and not is_zero_offset(inner):
            found.ignore(f"transmission/{tag(kid)}/{tag(inner)}", inner.sourceline)
    ratio, inertia = values[RATIOS] or [1.0], values[INERTIAS] or [0.0]
    if len(set(ratio)) > 1 or len(set(inertia)) > 1 or (inertia[0] or 0.0) < 0:
        found.at(kid, f"its ratios {ratio} or rotor inertias {inertia} contradict each other. Keep one, not negative.")
    return End(name_of(found, kid) or "", ratio[0] or 0.0, inertia[0] or 0.0)


def near_and_far(one: Link, other: Link) -> tuple[Link | None, Link | None]:
    """The link nearer to the base and the one it carries; none when they do not follow one another or stand still."""
    moving = all(k.joint.kind in ("revolute", "prismatic") and k.joint.follows is None for k in (one, other))
    if moving and other.parent == one.name:
        return one, other
    return (other, one) if moving and one.parent == other.name else (None, None)


def _rows(transmission: Coupled) -> list[dict[str, float]]:
    """Per actuator its speed per unit speed of either joint."""
    j1, j2 = transmission.joints
    n1, n2 = j1.reduction, j2.reduction
    differential = transmission.kind == "DifferentialTransmission"
    rows = [(n1, n2), (n1, -n2)] if differential else [(n1, 0.0), (1.0, n2)]
    scales = [actuator.reduction for actuator in transmission.actuators]
    return [{j1.name: n * x, j2.name: n * y} for n, (x, y) in zip(scales, rows, strict=True)]


def _geared(
    motor: str, side: str, near: Link, far: Link, row: Mapping[str, float]
) -> tuple[list[Gearwheel], list[Mesh]]:
    """The wheels and meshes that give a motor this row over the two joints."""
    n, m = row[near.joint_name], row[far.joint_name]
    if n == 0 or m == 0:
        only, ratio = (near, n) if m == 0 else (far, m)
        wheel = Gearwheel(motor, only.parent, tuple(joint_axis(only)))
        return [wheel], [Mesh(motor, only.name, ratio=ratio, carrier=only.parent)]
    wheels = [Gearwheel(motor, near.parent, tuple(joint_axis(near))), Gearwheel(side, near.parent, near.joint_name)]
    across = Mesh(side, far.name, ratio=m / n, carrier=near.name)
    return wheels, [across, Mesh(motor, side, ratio=n, carrier=near.parent)]


def _train(found: Findings, transmission: Coupled, near: Link, far: Link) -> Train:
    wheels: list[Gearwheel] = []
    meshes: list[Mesh] = []
    motors: list[TrainMotor] = []
    name = transmission.name
    for k, (actuator, row) in enumerate(zip(transmission.actuators, _rows(transmission), strict=True), start=1):
        motor = f"{name}.motor{k}"
        more_wheels, more_meshes = _geared(motor, f"{name}.side{k}", near, far, row)
        wheels += more_wheels
        meshes += more_meshes
        motors.append(TrainMotor(actuator.name, motor, motor=Motor(actuator.inertia, included=True)))
        terms = " + ".join(f"{x:g} x {joint!r}" for joint, x in row.items() if x)
        found.note(f"motor {actuator.name!r} of {name!r} (line {transmission.line}): its speed is read as {terms}")
    return Train(name, wheels, meshes, motors)
