"""Drives of one joint: rotor and gear wheels as spins, the elastic ones with shafts and springs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.algebra import Scalar, Tensor, Vec, is_zero
from gearwright.errors import DriveError, InertiaError, JointError, StructureError, TrainError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.link_geometry import Links, pointing
from gearwright.mechanism.assembly.wheel_lumping import Lump, Placed, point_mass
from gearwright.mechanism.elements import Actuator, Spring, matrix, vector
from gearwright.mechanism.joints.kinds import JointKind, joint_kind
from gearwright.mechanism.rows import plain
from gearwright.parts import Drive, Motor, Wheel, elements_of
from gearwright.parts.builders.mounting import mount_of, output_is_link
from gearwright.parts.checks import axial_and_transverse, refuse_off_axis
from gearwright.text import did_you_mean


def shaft_names(drive: Drive) -> tuple[str, ...]:
    """The speeds of an elastic drive's shafts from motor to joint, counted at the joint side; none: it is rigid."""
    count = len(elements_of(drive.gear))
    return tuple(f"{drive.joint}.stage{k}" if k else f"{drive.joint}.motor" for k in range(count))


def drive_springs(links: Links, drive: Drive) -> list[Spring]:
    """The elastic elements from motor to joint, each between two shafts, the last one at the joint."""
    elements, shafts = elements_of(drive.gear), shaft_names(drive)
    names = (
        [f"{drive.title}.spring"]
        if len(elements) == 1
        else [f"{drive.title}.spring{k + 1}" for k in range(len(elements))]
    )
    springs = []
    for k, (name, element) in enumerate(zip(names, elements, strict=True)):
        ahead = {shafts[k + 1]: 1.0} if k + 1 < len(shafts) else links.over_speeds({drive.joint: 1.0})
        springs.append(Spring(name, {**ahead, shafts[k]: -1.0}, element.stiffness, element.damping))
    return springs


def drive_actuator(links: Links, drive: Drive) -> Actuator:
    """The motor's place in the structure matrix."""
    # Sciavicco (1), Melhem (1), Vukobratovic (20.68)-(20.69)
    return Actuator(drive.title, row_behind(links, drive, 0, _turned(drive.gear.ratio, drive_sense(links, drive))))


def drive_sense(links: Links, drive: Drive) -> int:
    """-1 when geometry turns the sign of the gear's ratio round, else 1.

    The ratio of a gear with parallel axes is that of axes which point the same way, seen from the joint's parent. An
    axis opposite to the joint's turns it round, and so does a mount on the driven side, from where the parent turns
    (or slides) the other way. A bare ratio, and an axis at an angle to the joint's, stay as stated.
    """
    if not getattr(drive.gear, "parallel_axes", False):
        return 1
    mount = drive_mount(links, drive)
    axis, joint_axis = drive_axis(links, drive, mount), links.axis_direction(drive.joint, mount)
    if drive.axis is not None and not checks.numbers(*axis):
        raise TrainError(
            f"drive {drive.title!r}: its axis {tuple(axis)} is not given in numbers, but the sign of its "
            f"{drive.gear.kind} gear's ratio follows from where it points. Give numbers, or the signed ratio alone."
        )
    way = 0 if joint_axis is None else pointing(axis, joint_axis)
    driven_side = links.by_joint[drive.joint].name in [link.name for link in links.to_base(mount)]
    return (-way if driven_side else way) or 1


def _turned(ratio: Scalar, sense: int) -> Scalar:
    return ratio if sense == 1 else -ratio


def drive_wheels(links: Links, drive: Drive) -> list[Placed]:
    """The rotor and the gear's wheels, placed on the links that carry them."""
    if drive.joint not in links.by_joint:
        raise StructureError(
            f"drive {drive.title!r}: there is no joint {drive.joint!r}. {did_you_mean(drive.joint, links.by_joint)}"
        )
    kind = joint_kind(links.by_joint[drive.joint].joint.kind)
    if not kind.single:
        raise JointError(
            f"drive {drive.title!r}: joint {drive.joint!r} is {kind.name}, and no gear can drive it. "
            "Drive a revolute or prismatic joint, or a helical one."
        )
    _refuse_other_motion(drive, kind)
    mount = drive_mount(links, drive)
    axis = drive_axis(links, drive, mount)
    wheels = (
        rotor_wheel(f"drive {drive.title!r}, rotor", drive.motor, drive.gear.ratio, axis, motor_place(links, drive)),
        *_gear(links, drive, mount),
    )
    real = [wheel for wheel in wheels if not _nothing(wheel)]
    _refuse_idle_shafts(drive, real)
    sense = drive_sense(links, drive)
    return [_placed(links, drive, wheel, mount, axis, sense) for wheel in real]


def drive_mount(links: Links, drive: Drive) -> str:
    """The link that carries the motor: the joint's parent unless given."""
    mount = mount_of(drive, links.by_joint[drive.joint])
    return links.require(f"drive {drive.title!r}: it is mounted on", mount)


def drive_stator(links: Links, drive: Drive) -> list[Lump]:
    """The motor's stator at rest on its mount."""
    owner = f"drive {drive.title!r}, stator"
    mount = mount_of(drive, links.by_joint[drive.joint])
    mass = 0.0 if drive.motor.included else plain(f"{owner}, mass", drive.motor.mass_at_rest)
    if is_zero(mass):
        return []
    return point_mass(mount, mass, _place(drive, "stator", mount, mass, motor_place(links, drive)))


def motor_place(links: Links, drive: Drive) -> Vec | None:
    """Where the motor is in its mount's frame: as stated, or at the joint's origin; None: on neither of its links."""
    if drive.motor.position is not None:
        return vector(f"drive {drive.title!r}, motor", drive.motor.position)
    joint_axis = links.joint_axis(drive.joint, mount_of(drive, links.by_joint[drive.joint]))
    return None if joint_axis is None else joint_axis[1]


def _place(drive: Drive, part: str, mount: str, mass: Scalar, place: Vec | None) -> Vec:
    """The place of a part that goes with the motor; without mass any will do."""
    if place is not None:
        return place
    if not is_zero(mass):
        raise DriveError(
            f"drive {drive.title!r}: its {part} has a mass of {mass} kg but no place: it is mounted on {mount!r}, on "
            f"neither side of joint {drive.joint!r}, whose origin it would take. Give the `position` of the motor in "
            f"the frame of {mount!r}, or say `included: true` if that link's numbers contain it."
        )
    return Vec(0.0, 0.0, 0.0)


def _refuse_idle_shafts(drive: Drive, wheels: list[Wheel]) -> None:
    """Every shaft of an elastic drive turns something with inertia; a joint without a motor has passive springs."""
    shafts, elements = shaft_names(drive), elements_of(drive.gear)
    turned = {wheel.springs_before(len(shafts)) for wheel in wheels if not is_zero(wheel.inertia)}
    for k, shaft in enumerate(shafts):
        if k in turned:
            continue
        owner = f"drive {drive.title!r}: stiffness {elements[k].stiffness} Nm/rad on joint {drive.joint!r}"
        if k == 0:
            raise InertiaError(
                f"{owner} without a motor: shaft {shaft!r} would have no inertia. Give the motor's inertia, or leave "
                "the drive out and give the joint a spring."
            )
        raise InertiaError(
            f"{owner}: shaft {shaft!r} between two springs would have no inertia. Give a member there inertia, or join "
            "the two springs into one, 1/k = 1/k1 + 1/k2."
        )


def _refuse_other_motion(drive: Drive, kind: JointKind) -> None:
    """A screw or rack slides a joint, gears of teeth alone turn one; a bare ratio may do either."""
    slides = drive.gear.kind in ("screw", "rack") or getattr(drive.gear, "slides", False)
    if slides and kind.turns:
        way = "Drive a prismatic joint with it"
    elif hasattr(drive.gear, "members") and not kind.turns and not slides:
        way = "Use a screw or a rack, alone or behind these gears in a series, or give the whole ratio [rad/m] alone"
    else:
        return
    raise TrainError(
        f"drive {drive.title!r}: joint {drive.joint!r} is {kind.name}, its gear is a {drive.gear.kind}. {way}."
    )


def _nothing(wheel: Wheel) -> bool:
    return all(is_zero(x) for x in (wheel.inertia, wheel.mass, *(wheel.shape or ())))


def _gear(links: Links, drive: Drive, mount: str) -> tuple[Wheel, ...]:
    """The gear's wheels; a planet carrier is the driven link only in line with the joint and without a spring."""
    members: Callable[[bool], tuple[Wheel, ...]] | None = getattr(drive.gear, "members", None)
    if members is None:
        return drive.gear.wheels()
    driven = links.by_joint[drive.joint]
    if mount == driven.name:
        raise TrainError(
            f"drive {drive.title!r}: its {drive.gear.kind} gear is mounted on the driven link {mount!r} itself, from "
            f"where joint {drive.joint!r} turns the other way round. Mount it on {driven.parent!r}, or give its signed "
            "ratio alone, as seen from the driven link."
        )
    return members(output_is_link(drive, driven))


def drive_axis(links: Links, drive: Drive, mount: str) -> Vec:
    """The rotor's axis in its mount's frame: as stated, or the joint's."""
    owner = f"drive {drive.title!r}, axis"
    if drive.axis is not None:
        return checks.unit(owner, vector(owner, drive.axis))
    joint_axis = links.joint_axis(drive.joint, mount)
    if joint_axis is None:
        raise StructureError(
            f"drive {drive.title!r}: it is mounted on {mount!r}, neither side of joint {drive.joint!r}. "
            "Give the rotor's axis in that link's frame."
        )
    return checks.unit(owner, joint_axis[0])


def rotor_wheel(owner: str, motor: Motor, ratio: Scalar, axis: Vec, place: Vec | None) -> Wheel:
    """The motor's rotor as a wheel, once its tensor and centre of mass are seen to be those of a body of revolution.

    Args:
        owner: what it is called in messages.
        motor: the motor.
        ratio: the rotor's ratio.
        axis: its axis in the frame of the link that carries it.
        place: a point of it there, the motor's place; None if nothing tells.
    """
    axial, transverse, position = motor.inertia, motor.transverse_inertia, place
    if motor.tensor is not None:
        rows = matrix(owner, motor.tensor)
        checks.symmetric(owner, rows)
        axial, transverse = axial_and_transverse(owner, Tensor.of([tuple(row) for row in rows]), axis)
    if motor.com is not None:
        com = vector(owner, motor.com)
        if place is not None:
            refuse_off_axis(owner, com, place, axis)
        position = com
    more: dict[str, Any] = {"mass": motor.mass, "transverse_inertia": transverse, "included": motor.included}
    return Wheel("rotor", axial, ratio, position=position, coupling=motor.coupling, **more)


def row_behind(links: Links, drive: Drive, behind: int, ratio: Scalar) -> dict[str, Scalar]:
    """The row of a wheel behind so many springs: on a shaft, which counts at the joint side, or on the joint."""
    shafts = shaft_names(drive)
    return {shafts[behind]: ratio} if behind < len(shafts) else links.over_speeds({drive.joint: ratio})


def _placed(links: Links, drive: Drive, wheel: Wheel, mount: str, axis: Vec, sense: int) -> Placed:
    """A wheel on its link; `sense` turns the rate of those about the motor's axis."""
    owner = f"{drive.title}.{wheel.name}"
    driven = links.by_joint[drive.joint].name
    carrier = mount if wheel.carrier == "mount" else driven
    e, point = axis, motor_place(links, drive)
    if wheel.about == "joint" and wheel.axis is None:
        e, point = _about_joint(links, owner, drive.joint, carrier)
        sense = 1
    elif wheel.axis is not None:
        e, sense = checks.unit(f"{owner}, axis", vector(owner, wheel.axis)), 1
    if wheel.position is not None:
        place = vector(owner, wheel.position)
    else:
        place = _place(drive, wheel.name, mount, 0.0 if wheel.included else wheel.mass, point)
    inertia = plain(owner, wheel.inertia)
    return Placed(
        name=owner,
        carrier=carrier,
        axis=e,
        position=place,
        ratio=row_behind(links, drive, wheel.springs_before(len(shaft_names(drive))), _turned(wheel.ratio, sense)),
        inertia=inertia,
        mass=plain(owner, wheel.mass),
        across=inertia * 0.5 if wheel.transverse_inertia is None else plain(owner, wheel.transverse_inertia),
        coupling=wheel.coupling,
        included=wheel.included,
        count=wheel.count,
        radius=wheel.radius,
        towards=_towards(links, owner, drive.joint, carrier, point, wheel.towards),
        shape=wheel.shape,
    )


def _about_joint(links: Links, owner: str, joint: str, carrier: str) -> tuple[Vec, Vec]:
    joint_axis = links.joint_axis(joint, carrier)
    if joint_axis is None or not joint_kind(links.by_joint[joint].joint.kind).turns:
        raise TrainError(
            f"{owner}: it turns about the axis of joint {joint!r}, which does not lie in {carrier!r}. Mount the drive "
            "on the joint's parent, or put this member's mass and inertia into the driven link."
        )
    return checks.unit(owner, joint_axis[0]), joint_axis[1]


def _towards(links: Links, owner: str, joint: str, carrier: str, point: Vec | None, towards: Any) -> Vec | None:
    """The direction to the first wheel of a set; "joint": from the motor to the joint, where a belt runs."""
    if towards is None:
        return None
    if not isinstance(towards, str):
        return vector(f"{owner}, towards", towards)
    joint_axis = links.joint_axis(joint, carrier)
    if joint_axis is None:
        raise TrainError(f"{owner}: the joint {joint!r} is not on {carrier!r}. Give `towards`, the direction it runs.")
    run = joint_axis[1] - (joint_axis[1] if point is None else point)
    if all(is_zero(x) for x in run):
        raise TrainError(
            f"{owner}: its motor sits on the joint {joint!r} itself, so that it would run nowhere. Give the motor's "
            "`position` on its link, or `towards`, the direction it runs."
        )
    return run
