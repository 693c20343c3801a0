"""Drives of one joint: rotor and gear wheels as spins, the elastic ones with shafts and springs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gearwright.algebra import Scalar, Tensor, Vec, is_zero
from gearwright.errors import DriveError, InertiaError, JointError, StructureError, TrainError
from gearwright.mechanism import checks
from gearwright.mechanism.assembly.link_geometry import LinkGeometry, parallel_sense
from gearwright.mechanism.assembly.wheel_lumping import Lump, PlacedWheel, point_mass
from gearwright.mechanism.elements import Actuator, Spring, checked_matrix, checked_vector
from gearwright.mechanism.joints.kinds import JointKind, joint_kind
from gearwright.mechanism.rows import as_number
from gearwright.parts import Drive, Motor, Wheel, elastic_elements
from gearwright.parts.builders.mounting import mounting_link, output_is_link
from gearwright.parts.checks import axial_and_transverse, refuse_off_axis
from gearwright.text import did_you_mean


def shaft_names(drive: Drive) -> tuple[str, ...]:
    """Return the names of an elastic drive's shafts from motor to joint (joint-side speeds); empty if rigid."""
    count = len(elastic_elements(drive.gear))
    return tuple(f"{drive.joint}.stage{k}" if k else f"{drive.joint}.motor" for k in range(count))


def drive_springs(links: LinkGeometry, drive: Drive) -> list[Spring]:
    """Return the elastic elements from motor to joint, each between two shafts, the last one at the joint."""
    elements, shafts = elastic_elements(drive.gear), shaft_names(drive)
    names = (
        [f"{drive.title}.spring"]
        if len(elements) == 1
        else [f"{drive.title}.spring{k + 1}" for k in range(len(elements))]
    )
    springs = []
    for k, (name, element) in enumerate(zip(names, elements, strict=True)):
        ahead = {shafts[k + 1]: 1.0} if k + 1 < len(shafts) else links.row_over_speeds({drive.joint: 1.0})
        springs.append(Spring(name, {**ahead, shafts[k]: -1.0}, element.stiffness, element.damping))
    return springs


def drive_actuator(links: LinkGeometry, drive: Drive) -> Actuator:
    """Return the actuator of a drive: its column of the structure matrix."""
    # Sciavicco (1), Melhem (1), Vukobratovic (20.68)-(20.69)
    return Actuator(
        drive.title, row_behind_springs(links, drive, 0, _signed_ratio(drive.gear.ratio, drive_sense(links, drive)))
    )


def drive_sense(links: LinkGeometry, drive: Drive) -> int:
    """Return -1 if the geometry reverses the sign of the gear ratio, otherwise 1.

    The ratio of a gear with parallel axes holds for axes in the same direction, seen from the joint's parent. An axis
    opposite to the joint's reverses it, and so does a mount on the driven side, from which the parent moves in the
    opposite direction. A ratio given as a number, and an axis at an angle to the joint's, are not changed.
    """
    if not getattr(drive.gear, "parallel_axes", False):
        return 1
    mount = drive_mount(links, drive)
    axis, joint_axis = drive_axis(links, drive, mount), links.axis_direction(drive.joint, mount)
    if drive.axis is not None and not checks.are_numbers(*axis):
        raise TrainError(
            f"drive {drive.title!r}: its axis {tuple(axis)} is symbolic, but the sign of its "
            f"{drive.gear.kind} gear's ratio depends on its direction. Give numbers, or the signed ratio alone."
        )
    direction = 0 if joint_axis is None else parallel_sense(axis, joint_axis)
    driven_side = links.by_joint[drive.joint].name in [link.name for link in links.links_to_base(mount)]
    return (-direction if driven_side else direction) or 1


def _signed_ratio(ratio: Scalar, sense: int) -> Scalar:
    return ratio if sense == 1 else -ratio


def drive_wheels(links: LinkGeometry, drive: Drive) -> list[PlacedWheel]:
    """Return the rotor and the gear's wheels, placed on the links that carry them."""
    if drive.joint not in links.by_joint:
        raise StructureError(
            f"drive {drive.title!r}: there is no joint {drive.joint!r}. {did_you_mean(drive.joint, links.by_joint)}"
        )
    kind = joint_kind(links.by_joint[drive.joint].joint.kind)
    if not kind.has_one_coordinate:
        raise JointError(
            f"drive {drive.title!r}: joint {drive.joint!r} is {kind.name}; a gear cannot drive it. "
            "Drive a revolute, prismatic or helical joint."
        )
    _refuse_other_motion(drive, kind)
    mount = drive_mount(links, drive)
    axis = drive_axis(links, drive, mount)
    wheels = (
        rotor_wheel(f"drive {drive.title!r}, rotor", drive.motor, drive.gear.ratio, axis, motor_position(links, drive)),
        *_gear_wheels(links, drive, mount),
    )
    real = [wheel for wheel in wheels if not _is_massless(wheel)]
    _refuse_idle_shafts(drive, real)
    sense = drive_sense(links, drive)
    return [_placed_wheel(links, drive, wheel, mount, axis, sense) for wheel in real]


def drive_mount(links: LinkGeometry, drive: Drive) -> str:
    """Return the link that carries the motor: the joint's parent unless given."""
    mount = mounting_link(drive, links.by_joint[drive.joint])
    return links.require_link(f"drive {drive.title!r}: it is mounted on", mount)


def drive_stator(links: LinkGeometry, drive: Drive) -> list[Lump]:
    """Return the motor's stator as a mass on its mount."""
    owner = f"drive {drive.title!r}, stator"
    mount = mounting_link(drive, links.by_joint[drive.joint])
    mass = 0.0 if drive.motor.included else as_number(f"{owner}, mass", drive.motor.mass_at_rest)
    if is_zero(mass):
        return []
    return point_mass(mount, mass, _part_position(drive, "stator", mount, mass, motor_position(links, drive)))


def motor_position(links: LinkGeometry, drive: Drive) -> Vec | None:
    """Return the motor's position in its mount's frame: stated, or the joint's origin; None on another link."""
    if drive.motor.position is not None:
        return checked_vector(f"drive {drive.title!r}, motor", drive.motor.position)
    joint_axis = links.joint_axis(drive.joint, mounting_link(drive, links.by_joint[drive.joint]))
    return None if joint_axis is None else joint_axis[1]


def _part_position(drive: Drive, part: str, mount: str, mass: Scalar, place: Vec | None) -> Vec:
    """Return the position of a part of the motor; any position if it has no mass."""
    if place is not None:
        return place
    if not is_zero(mass):
        raise DriveError(
            f"drive {drive.title!r}: its {part} has a mass of {mass} kg but no position: it is mounted on {mount!r}, "
            f"on neither side of joint {drive.joint!r}, whose origin is the default. Give the `position` of the motor "
            f"in the frame of {mount!r}, or state `included: true` if that link's numbers contain it."
        )
    return Vec(0.0, 0.0, 0.0)


def _refuse_idle_shafts(drive: Drive, wheels: list[Wheel]) -> None:
    """Raise an error if a shaft of an elastic drive has no inertia."""
    shafts, elements = shaft_names(drive), elastic_elements(drive.gear)
    turned_shafts = {wheel.springs_before(len(shafts)) for wheel in wheels if not is_zero(wheel.inertia)}
    for k, shaft in enumerate(shafts):
        if k in turned_shafts:
            continue
        owner = f"drive {drive.title!r}: stiffness {elements[k].stiffness} Nm/rad on joint {drive.joint!r}"
        if k == 0:
            raise InertiaError(
                f"{owner} without a motor: shaft {shaft!r} would have no inertia. Give the motor's inertia, or remove "
                "the drive and give the joint a spring."
            )
        raise InertiaError(
            f"{owner}: shaft {shaft!r} between two springs would have no inertia. Give a member there an inertia, or "
            "combine the two springs, 1/k = 1/k1 + 1/k2."
        )


def _refuse_other_motion(drive: Drive, kind: JointKind) -> None:
    """Raise an error for a screw or rack on a turning joint, or toothed gears on a sliding one."""
    slides = drive.gear.kind in ("screw", "rack") or getattr(drive.gear, "is_translating", False)
    if slides and kind.has_rotation:
        remedy = "Drive a prismatic joint with it"
    elif hasattr(drive.gear, "output_wheels") and not kind.has_rotation and not slides:
        remedy = "Use a screw or a rack, alone or behind these gears in a series, or give the whole ratio [rad/m] alone"
    else:
        return
    raise TrainError(
        f"drive {drive.title!r}: joint {drive.joint!r} is {kind.name}, its gear is a {drive.gear.kind}. {remedy}."
    )


def _is_massless(wheel: Wheel) -> bool:
    return all(is_zero(x) for x in (wheel.inertia, wheel.mass, *(wheel.shape or ())))


def _gear_wheels(links: LinkGeometry, drive: Drive, mount: str) -> tuple[Wheel, ...]:
    """Return the gear's wheels; a planet carrier is the driven link only if coaxial with the joint and rigid."""
    members: Callable[[bool], tuple[Wheel, ...]] | None = getattr(drive.gear, "output_wheels", None)
    if members is None:
        return drive.gear.wheels()
    driven = links.by_joint[drive.joint]
    if mount == driven.name:
        raise TrainError(
            f"drive {drive.title!r}: its {drive.gear.kind} gear is mounted on the driven link {mount!r} itself, "
            f"from which joint {drive.joint!r} turns in the opposite direction. Mount it on {driven.parent!r}, or give "
            "its signed ratio alone, as seen from the driven link."
        )
    return members(output_is_link(drive, driven))


def drive_axis(links: LinkGeometry, drive: Drive, mount: str) -> Vec:
    """Return the rotor's axis in its mount's frame: as stated, or the joint's."""
    owner = f"drive {drive.title!r}, axis"
    if drive.axis is not None:
        return checks.unit_axis(owner, checked_vector(owner, drive.axis))
    joint_axis = links.joint_axis(drive.joint, mount)
    if joint_axis is None:
        raise StructureError(
            f"drive {drive.title!r}: it is mounted on {mount!r}, on neither side of joint {drive.joint!r}. "
            "Give the rotor's axis in that link's frame."
        )
    return checks.unit_axis(owner, joint_axis[0])


def rotor_wheel(owner: str, motor: Motor, ratio: Scalar, axis: Vec, place: Vec | None) -> Wheel:
    """Return the motor's rotor as a wheel, after checking that it is a body of revolution.

    Args:
        owner: its name in messages.
        motor: the motor.
        ratio: the rotor's ratio.
        axis: its axis in the frame of the link that carries it.
        place: position of the motor in that frame; None if unknown.
    """
    axial, transverse, position = motor.inertia, motor.transverse_inertia, place
    if motor.tensor is not None:
        rows = checked_matrix(owner, motor.tensor)
        checks.check_symmetry(owner, rows)
        axial, transverse = axial_and_transverse(owner, Tensor.from_rows([tuple(row) for row in rows]), axis)
    if motor.com is not None:
        com = checked_vector(owner, motor.com)
        if place is not None:
            refuse_off_axis(owner, com, place, axis)
        position = com
    body_data: dict[str, Any] = {"mass": motor.mass, "transverse_inertia": transverse, "included": motor.included}
    return Wheel("rotor", axial, ratio, position=position, coupling=motor.coupling, **body_data)


def row_behind_springs(links: LinkGeometry, drive: Drive, behind: int, ratio: Scalar) -> dict[str, Scalar]:
    """Return the row of a wheel behind a number of springs: on a shaft (joint side), or on the joint."""
    shafts = shaft_names(drive)
    return {shafts[behind]: ratio} if behind < len(shafts) else links.row_over_speeds({drive.joint: ratio})


def _placed_wheel(links: LinkGeometry, drive: Drive, wheel: Wheel, mount: str, axis: Vec, sense: int) -> PlacedWheel:
    """Return a wheel on its link; `sense` is the sign of rates about the motor's axis."""
    owner = f"{drive.title}.{wheel.name}"
    driven = links.by_joint[drive.joint].name
    carrier = mount if wheel.carrier == "mount" else driven
    e, point = axis, motor_position(links, drive)
    if wheel.about == "joint" and wheel.axis is None:
        e, point = _joint_axis_and_point(links, owner, drive.joint, carrier)
        sense = 1
    elif wheel.axis is not None:
        e, sense = checks.unit_axis(f"{owner}, axis", checked_vector(owner, wheel.axis)), 1
    if wheel.position is not None:
        place = checked_vector(owner, wheel.position)
    else:
        place = _part_position(drive, wheel.name, mount, 0.0 if wheel.included else wheel.mass, point)
    inertia = as_number(owner, wheel.inertia)
    return PlacedWheel(
        name=owner,
        carrier=carrier,
        axis=e,
        position=place,
        ratio=row_behind_springs(
            links, drive, wheel.springs_before(len(shaft_names(drive))), _signed_ratio(wheel.ratio, sense)
        ),
        inertia=inertia,
        mass=as_number(owner, wheel.mass),
        transverse_inertia=inertia * 0.5
        if wheel.transverse_inertia is None
        else as_number(owner, wheel.transverse_inertia),
        coupling=wheel.coupling,
        included=wheel.included,
        count=wheel.count,
        radius=wheel.radius,
        towards=_set_direction(links, owner, drive.joint, carrier, point, wheel.towards),
        shape=wheel.shape,
    )


def _joint_axis_and_point(links: LinkGeometry, owner: str, joint: str, carrier: str) -> tuple[Vec, Vec]:
    joint_axis = links.joint_axis(joint, carrier)
    if joint_axis is None or not joint_kind(links.by_joint[joint].joint.kind).has_rotation:
        raise TrainError(
            f"{owner}: it turns about the axis of joint {joint!r}, which is not fixed in {carrier!r}. Mount the drive "
            "on the joint's parent, or add this member's mass and inertia to the driven link."
        )
    return checks.unit_axis(owner, joint_axis[0]), joint_axis[1]


def _set_direction(
    links: LinkGeometry, owner: str, joint: str, carrier: str, point: Vec | None, towards: Any
) -> Vec | None:
    """Return the direction to the first wheel of a set; "joint": from the motor to the joint, for a belt."""
    if towards is None:
        return None
    if not isinstance(towards, str):
        return checked_vector(f"{owner}, towards", towards)
    joint_axis = links.joint_axis(joint, carrier)
    if joint_axis is None:
        raise TrainError(f"{owner}: the joint {joint!r} is not on {carrier!r}. Give the direction `towards`.")
    run = joint_axis[1] - (joint_axis[1] if point is None else point)
    if all(is_zero(x) for x in run):
        raise TrainError(
            f"{owner}: its motor is at the origin of joint {joint!r}, so its direction is undefined. Give the motor's "
            "`position` on its link, or the direction `towards`."
        )
    return run
