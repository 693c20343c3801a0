"""Where a robot's drives are, for pictures: the link that carries each, its axis, and how fast its two ends turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.algebra import Scalar, Vec
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.drives import (
    drive_axis,
    drive_mount,
    drive_sense,
    motor_place,
    row_behind,
    shaft_names,
)
from gearwright.mechanism.assembly.link_geometry import Links
from gearwright.parts import Drive, Robot


@dataclass(frozen=True)
class DrivePlace:
    """Where a drive is.

    Args:
        drive: the drive.
        mount: name of the link that carries it, or "base".
        driven: name of the link that it moves.
        axis: of the rotor, in the mount's frame.
        point: of the motor there [m].
        joint: axis and origin of the joint in the mount's frame; None when the mount is on neither side of it.
        motor_row: the speed of the driven side as the motor sees it, before any spring, over names of speeds: a wheel
            at `ratio` turns about `axis` at ratio times this row, with the sign of where the axes point.
        joint_row: the same behind all springs.
    """

    drive: Drive
    mount: str
    driven: str
    axis: Vec
    point: Vec
    joint: tuple[Vec, Vec] | None
    motor_row: Mapping[str, Scalar]
    joint_row: Mapping[str, Scalar]


def drive_places(robot: Robot) -> tuple[DrivePlace, ...]:
    """Where each drive of a robot is, in the order of its drives.

    >>> from gearwright.parts import Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> drive_places(arm)[0].mount, drive_places(arm)[0].motor_row
    ('base', {'upper': 1.0})
    """
    links = Links(parents_first(robot.links))
    return tuple(_place(links, drive) for drive in robot.drives)


def _place(links: Links, drive: Drive) -> DrivePlace:
    mount, sense = drive_mount(links, drive), float(drive_sense(links, drive))
    point = motor_place(links, drive)
    return DrivePlace(
        drive,
        mount,
        links.by_joint[drive.joint].name,
        drive_axis(links, drive, mount),
        Vec(0.0, 0.0, 0.0) if point is None else point,
        links.joint_axis(drive.joint, mount),
        row_behind(links, drive, 0, sense),
        row_behind(links, drive, len(shaft_names(drive)), sense),
    )
