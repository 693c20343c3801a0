"""From parts to the flat machine: wheels are lumped into the links that carry them, and what is left are spins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gearwright.algebra import ZERO, Inertia, Rot, Tensor, Vec, is_number
from gearwright.errors import InputError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import Actuator, Body, Frame, Rest, Spin, Spring, matrix, vector
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.rows import plain, suggestion
from gearwright.parts import Drive, Link, Payload, Robot, Wheel
from gearwright.parts.revolution import axial_and_transverse, refuse_off_axis


class Lump(NamedTuple):
    """Something fixed to a link: the link's name and the inertia in its frame."""

    link: str
    inertia: Inertia


def assemble(robot: Robot) -> Mechanism:
    """The flat machine of a robot: augmented links, spins, shafts and springs of elastic drives, actuators, frames.

    Runs over scalars of any kind, so that a rotor inertia or a payload can stay symbolic: spin and carrier follow.

    >>> from gearwright.parts import Drive, Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> assemble(arm).spins[0].ratio
    (100.0,)
    """
    if not isinstance(robot, Robot):
        raise InputError(
            f"assemble: a {type(robot).__name__} is no Robot. Give the parts; a Mechanism is assembled already."
        )
    links = _parents_first(robot.links)
    joints = {link.joint_name: link for link in links}
    spins: list[Spin] = []
    lumps: list[Lump] = []
    for drive in robot.drives:
        if drive.joint not in joints:
            raise StructureError(
                f"drive {drive.title!r}: there is no joint {drive.joint!r}. {suggestion(drive.joint, joints)}"
            )
        for spin, lump in _wheels(drive, joints[drive.joint], links):
            spins.append(spin)
            lumps += [lump] if lump else []
    if robot.payload is not None:
        lumps.append(_payload(robot, robot.payload))
    return Mechanism(
        bodies=[_body(link, [lump.inertia for lump in lumps if lump.link == link.name]) for link in links],
        spins=spins,
        shafts=[_shaft(drive) for drive in robot.drives if _elastic(drive)],
        springs=[_spring(drive) for drive in robot.drives if _elastic(drive)],
        actuators=[Actuator(drive.title, {_motor_speed(drive): drive.gear.ratio}) for drive in robot.drives],
        gravity=robot.gravity,
        frames=[Frame(f.name, f.link, f.rotation, f.position) for f in robot.frames],
    )


def _parents_first(links: Sequence[Link]) -> list[Link]:
    """The links in their order, but every parent before its children; circles are left for the machine to refuse."""
    waiting, ordered, placed = list(links), [], {"base"}
    known = {link.name for link in links}
    while waiting:
        ready = next((k for k in waiting if k.parent in placed or k.parent not in known), waiting[0])
        waiting.remove(ready)
        ordered.append(ready)
        placed.add(ready.name)
    return ordered


def _elastic(drive: Drive) -> bool:
    return drive.gear.stiffness is not None


def _shaft(drive: Drive) -> str:
    return f"{drive.joint}.motor"


def _motor_speed(drive: Drive) -> str:
    """The speed that the motor turns with; an elastic drive's shaft counts at the joint side."""
    return _shaft(drive) if _elastic(drive) else drive.joint


def _spring(drive: Drive) -> Spring:
    row = {drive.joint: 1.0, _shaft(drive): -1.0}
    return Spring(f"{drive.title}.spring", row, drive.gear.stiffness, drive.gear.damping)


def _wheels(drive: Drive, driven: Link, links: Sequence[Link]) -> list[tuple[Spin, Lump | None]]:
    """The rotor and the gear's wheels as spins, each with what it adds to its carrier at rest."""
    mount = drive.mounted_on if drive.mounted_on is not None else driven.parent
    names = ["base", *(link.name for link in links)]
    if mount not in names:
        raise StructureError(
            f"drive {drive.title!r}: it is mounted on {mount!r}, which is no link. {suggestion(mount, names)}"
        )
    axis = _axis(drive, driven, mount)
    made = []
    for wheel in (_rotor(drive, axis), *drive.gear.wheels()):
        if is_number(wheel.inertia) and wheel.inertia == 0 and is_number(wheel.mass) and wheel.mass == 0:
            continue
        carrier = mount if wheel.carrier == "mount" else driven.name
        made.append(_spin(drive, wheel, carrier, axis))
    return made


def _axis(drive: Drive, driven: Link, mount: str) -> Vec:
    owner = f"drive {drive.title!r}, axis"
    if drive.axis is not None:
        return checks.unit(owner, vector(owner, drive.axis))
    along = vector(owner, driven.joint.axis)
    if mount == driven.parent:
        along = Rot(*matrix(owner, driven.joint.rotation)) @ along
    elif mount != driven.name:
        raise StructureError(
            f"drive {drive.title!r}: it is mounted on {mount!r}, neither side of joint {drive.joint!r}. "
            "Give the rotor's axis in that link's frame."
        )
    return checks.unit(owner, along)


def _rotor(drive: Drive, axis: Vec) -> Wheel:
    """The motor's rotor as a wheel, once its tensor and centre of mass are seen to be those of a body of revolution."""
    motor, owner = drive.motor, f"drive {drive.title!r}, rotor"
    axial, transverse, position = motor.inertia, motor.transverse_inertia, vector(owner, motor.position)
    if motor.tensor is not None:
        rows = matrix(owner, motor.tensor)
        checks.symmetric(owner, rows)
        axial, transverse = axial_and_transverse(owner, Tensor.of([tuple(row) for row in rows]), axis)
    if motor.com is not None:
        com = vector(owner, motor.com)
        refuse_off_axis(owner, com, position, axis)
        position = com
    return Wheel(
        "rotor",
        axial,
        drive.gear.ratio,
        mass=motor.mass,
        transverse_inertia=transverse,
        position=position,
        coupling=motor.coupling,
        included=motor.included,
    )


def _spin(drive: Drive, wheel: Wheel, carrier: str, axis: Vec) -> tuple[Spin, Lump | None]:
    owner = f"{drive.title}.{wheel.name}"
    e = axis if wheel.axis is None else checks.unit(f"{owner}, axis", vector(owner, wheel.axis))
    axial = plain(owner, wheel.inertia)
    across = plain(owner, axial * 0.5 if wheel.transverse_inertia is None else wheel.transverse_inertia)
    mass = plain(owner, wheel.mass)
    where = vector(owner, drive.motor.position if wheel.position is None else wheel.position)
    speed = _motor_speed(drive) if wheel.side == "motor" else drive.joint
    spin = Spin(owner, carrier, e, axial, {speed: wheel.ratio}, wheel.coupling, Rest(mass, where, across))
    if wheel.included or carrier == "base":
        return spin, None
    return spin, Lump(carrier, Inertia.of_body(mass, where, Tensor.of_revolution(e, axial, across)))


def _payload(robot: Robot, payload: Payload) -> Lump:
    link = payload.link if payload.link is not None else robot.last_link().name
    if link not in [k.name for k in robot.links]:
        raise StructureError(f"payload: there is no link {link!r}. {suggestion(link, [k.name for k in robot.links])}")
    mass = plain("payload, mass", payload.mass)
    rows = matrix("payload, inertia", payload.inertia)
    checks.symmetric("payload, inertia", rows)
    tensor = Tensor.of([tuple(row) for row in rows])
    checks.body("payload", mass, tensor, effective=False)
    return Lump(link, Inertia.of_body(mass, vector("payload, position", payload.position), tensor))


def _body(link: Link, lumps: Sequence[Inertia]) -> Body:
    """The augmented link: the link and everything fixed to it or at rest on it."""
    joint = link.joint
    shared: dict[str, Any] = {
        "parent": link.parent,
        "joint": joint.kind,
        "axis": joint.axis,
        "rotation": joint.rotation,
        "position": joint.position,
        "joint_name": link.joint_name,
        "follows": joint.follows,
        "effective": link.effective,
    }
    alone = Body(link.name, mass=link.mass, com=link.com, inertia=link.inertia, **shared)
    if not lumps:
        return alone
    total = alone.about_origin
    for lump in lumps:
        total = total + lump
    massless = is_number(total.mass) and total.mass == 0
    com = ZERO if massless else total.moment * (1 / total.mass)
    central = total.tensor - Tensor.point(com, total.mass)
    return Body(link.name, mass=total.mass, com=com, inertia=central, **shared)
