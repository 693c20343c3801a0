"""Locations of a robot's drives for figures: mounting link, axis, and the rates of both ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gearwright.algebra import Scalar, Vec
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.drives import (
    drive_axis,
    drive_mount,
    drive_sense,
    motor_position,
    row_behind_springs,
    shaft_names,
)
from gearwright.mechanism.assembly.link_geometry import LinkGeometry
from gearwright.parts import Drive, Robot


@dataclass(frozen=True)
class DriveLocation:
    """The location of a drive.

    Args:
        drive: the drive.
        mount: name of the link that carries it, or "base".
        driven: name of the link that it moves.
        axis: axis of the rotor in the mount's frame.
        point: position of the motor in the mount's frame [m].
        joint: axis and origin of the joint in the mount's frame; None if the mount is on neither side of it.
        motor_row: row of the driven side before any spring, over names of speeds: a wheel at `ratio` turns about
            `axis` at ratio times this row, with the sign given by the directions of the axes.
        joint_row: the same row behind all springs.
    """

    drive: Drive
    mount: str
    driven: str
    axis: Vec
    point: Vec
    joint: tuple[Vec, Vec] | None
    motor_row: Mapping[str, Scalar]
    joint_row: Mapping[str, Scalar]


def drive_locations(robot: Robot) -> tuple[DriveLocation, ...]:
    """Return the location of each drive of a robot, in the order of its drives.

    >>> from gearwright.parts import Gear, Link, Motor
    >>> arm = Robot("arm", [Link("upper", mass=2, com=(0.2, 0, 0))], [Drive("upper", Motor(1e-4), Gear(100))])
    >>> drive_locations(arm)[0].mount, drive_locations(arm)[0].motor_row
    ('base', {'upper': 1.0})
    """
    links = LinkGeometry(parents_first(robot.links))
    return tuple(_drive_location(links, drive) for drive in robot.drives)


def _drive_location(links: LinkGeometry, drive: Drive) -> DriveLocation:
    mount, sense = drive_mount(links, drive), float(drive_sense(links, drive))
    point = motor_position(links, drive)
    return DriveLocation(
        drive,
        mount,
        links.by_joint[drive.joint].name,
        drive_axis(links, drive, mount),
        Vec(0.0, 0.0, 0.0) if point is None else point,
        links.joint_axis(drive.joint, mount),
        row_behind_springs(links, drive, 0, sense),
        row_behind_springs(links, drive, len(shaft_names(drive)), sense),
    )
