"""Putting one robot on another: a gripper on a flange, an arm on a torso."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError, StructureError
from gearwright.parts.builders.mounting import base_wheel_in_frame, drive_in_frame, mounting_link, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.drives.supply_and_servo import Supply
from gearwright.parts.environment.loops_and_contacts import ContactPoint, Loop
from gearwright.parts.gears.elasticity import PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame
from gearwright.parts.robot import Robot
from gearwright.parts.structure.cord import Branch, Cord, cord_in_frames
from gearwright.parts.structure.frame_changes import IDENTITY_PLACEMENT, FramePlacement, frame_placement, motor_in_frame
from gearwright.parts.structure.tendon import Tendon
from gearwright.parts.trains.train import Gearwheel, Mesh, Train, TrainMotor
from gearwright.text import listed_names

RowPart = TypeVar("RowPart", PassiveSpring, Tendon)
PLANET_AXIS_WORDS = ("parallel", "radial")
"""Keywords for the axis of a planet, as alternatives to the name of a joint or wheel."""


@check_arguments
def attach(robot: Robot, other: Robot, frame: str, prefix: str = "") -> Robot:
    """Return the robot with another robot whose base is fixed to one of its frames.

    Names of the other robot's links, joints, drives, trains, wheels and frames get the prefix. Motors and wheels on its
    base are then carried by the frame's link. Named states stay those of the first robot.

    >>> arm = Robot("arm", [Link("upper", mass=2)], frames=[Frame("tool", "upper", (0.5, 0, 0))])
    >>> jaw = Robot("jaw", [Link("finger", mass=0.1)])
    >>> attach(arm, jaw, "tool", "left_").links[1].parent
    'upper'
    """
    spot = next((f for f in robot.frames if f.name == frame), None)
    if spot is None:
        frame_names = listed_names(f.name for f in robot.frames) or "none"
        raise InputError(
            f"robot {robot.name!r} has no frame {frame!r} to attach {other.name!r} to. Available frames: {frame_names}."
        )
    load = robot.payload
    if load is not None and load.link is None and load.frame is None:  # the payload stays on the previous last link
        robot = replace(robot, payload=replace(load, link=robot.last_link().name))
    move = _AttachedParts(spot, prefix, other)
    combined = replace(
        robot,
        links=(*robot.links, *map(move.attached_link, other.links)),
        drives=(*robot.drives, *map(move.attached_drive, other.drives)),
        trains=(*robot.trains, *map(move.attached_train, other.trains)),
        frames=(*robot.frames, *map(move.attached_frame, other.frames)),
        springs=(*robot.springs, *map(move.attached_row_part, other.springs)),
        tendons=(*robot.tendons, *map(move.attached_row_part, other.tendons)),
        loops=(*robot.loops, *map(move.attached_loop, other.loops)),
        environment=(*robot.environment, *map(move.attached_contact, other.environment)),
        cords=(*robot.cords, *map(move.attached_cord, other.cords)),
        independent=(*robot.independent, *(prefix + name for name in other.independent)),
    )
    _refuse_duplicate_names(combined)
    return _with_attached_payload(combined, other, move)


class _AttachedParts:
    """Renaming with a prefix, and transfer of the parts on the other robot's base to the link of the frame."""

    def __init__(self, spot: Frame, prefix: str, other: Robot) -> None:
        self.spot, self.prefix, self.other = spot, prefix, other
        self.place = frame_placement(spot.position, spot.rotation)

    def new_name(self, name: str) -> str:
        """The new name of a link or wheel."""
        return self.spot.link if name == "base" else self.prefix + name

    def carrier_place(self, carrier: str) -> FramePlacement:
        """The new placement of a carrier's frame."""
        return self.place if carrier == "base" else IDENTITY_PLACEMENT

    def attached_loop(self, loop: Loop) -> Loop:
        return replace(loop, name=self.prefix + loop.name, frames=[self.new_name(frame) for frame in loop.frames])

    def attached_contact(self, touch: ContactPoint) -> ContactPoint:
        """The renamed contact. Surfaces fixed to the other robot's base are fixed in the world and are not moved."""
        relative_to = touch.relative_to if touch.relative_to == "base" else self.new_name(touch.relative_to)
        frame = None if touch.frame is None else self.new_name(touch.frame)
        row, slip = (
            {self.prefix + k: x for k, x in coefficients.items()} if coefficients else coefficients
            for coefficients in (touch.row, touch.slip)
        )
        return replace(touch, name=self.prefix + touch.name, frame=frame, relative_to=relative_to, row=row, slip=slip)

    def attached_link(self, link: Link) -> Link:
        if link.joint.kind == "free":
            raise StructureError(
                f"link {link.name!r} has a free joint and cannot be attached to a frame. Fix it to its base first."
            )
        place = self.carrier_place(link.parent).compose_with(frame_placement(link.joint.position, link.joint.rotation))
        joint = replace(
            link.joint, name=self.prefix + link.joint_name, position=place.position, rotation=place.rotation
        )
        if joint.follows is not None:
            joint = replace(joint, follows=(self.prefix + joint.follows[0], *joint.follows[1:]))
        return replace(link, name=self.prefix + link.name, parent=self.new_name(link.parent), joint=joint)

    def attached_drive(self, drive: Drive) -> Drive:
        driven = self.other.link_of_joint(drive.joint)
        mount = mounting_link(drive, driven)
        return replace(
            drive_in_frame(drive, output_is_link(drive, driven), self.carrier_place(mount)),
            joint=self.prefix + drive.joint,
            mounted_on=self.new_name(mount),
            name=None if drive.name is None else self.prefix + drive.name,
            supply=self.attached_supply(drive.supply),
        )

    def attached_supply(self, drive_supply: Supply | None) -> Supply | None:
        """The drive's own supply, or that of the other robot, renamed."""
        supply = drive_supply if drive_supply is not None else self.other.supply
        return None if supply is None else replace(supply, name=self.prefix + supply.name)

    def attached_row_part(self, part: RowPart) -> RowPart:
        row = {self.prefix + joint: factor for joint, factor in part.row.items()}
        return replace(part, name=self.prefix + part.name, row=row)

    def attached_cord(self, cord: Cord) -> Cord:
        moved = cord_in_frames(cord, {"base": self.place})
        route = [x if isinstance(x, Branch) else replace(x, frame=self.new_name(x.frame)) for x in moved.route]
        return replace(moved, name=self.prefix + cord.name, route=route)

    def attached_train(self, train: Train) -> Train:
        carriers = {wheel.name: wheel.carrier for wheel in train.wheels}
        return Train(
            self.prefix + train.name,
            [self.attached_wheel(wheel) for wheel in train.wheels],
            [self.attached_mesh(mesh) for mesh in train.meshes],
            [
                self.attached_train_motor(motor, self.carrier_place(carriers.get(motor.wheel, "")))
                for motor in train.motors
            ],
            [self.prefix + name for name in train.free],
        )

    def attached_wheel(self, wheel: Gearwheel) -> Gearwheel:
        moved = base_wheel_in_frame(self.other, wheel, self.place) if wheel.carrier == "base" else wheel
        is_named_axis = isinstance(moved.axis, str) and moved.axis not in PLANET_AXIS_WORDS
        axis = self.prefix + moved.axis if is_named_axis else moved.axis
        return replace(moved, name=self.prefix + wheel.name, carrier=self.new_name(wheel.carrier), axis=axis)

    def attached_mesh(self, mesh: Mesh) -> Mesh:
        carrier = None if mesh.carrier is None else self.new_name(mesh.carrier)
        return replace(mesh, first=self.new_name(mesh.first), second=self.new_name(mesh.second), carrier=carrier)

    def attached_train_motor(self, motor: TrainMotor, place: FramePlacement) -> TrainMotor:
        stator = None if motor.stator is None else self.new_name(motor.stator)
        moved = motor_in_frame(motor.motor, place)
        return replace(
            motor, name=self.prefix + motor.name, wheel=self.prefix + motor.wheel, stator=stator, motor=moved
        )

    def attached_frame(self, frame: Frame) -> Frame:
        place = self.carrier_place(frame.link).compose_with(frame_placement(frame.position, frame.rotation))
        return Frame(self.prefix + frame.name, self.new_name(frame.link), place.position, place.rotation)


def _with_attached_payload(robot: Robot, other: Robot, move: _AttachedParts) -> Robot:
    """Add the other robot's payload: as the payload, or as a fixed link if the robot already has a payload."""
    carried = other.payload
    if carried is None:
        return robot
    link = move.new_name(carried.link if carried.link is not None else other.last_link().name)
    if robot.payload is None:
        return replace(robot, payload=replace(carried, link=link))
    body = Link(f"{move.prefix}payload", link, Joint(kind="fixed"), carried.mass, carried.position, carried.inertia)
    return replace(robot, links=(*robot.links, body))


def _refuse_duplicate_names(robot: Robot) -> None:
    names = {
        "link": [link.name for link in robot.links],
        "joint": [link.joint_name for link in robot.links],
        "drive": [drive.title for drive in robot.drives],
        "train": [train.name for train in robot.trains],
        "frame": [frame.name for frame in robot.frames],
        "spring": [spring.name for spring in robot.springs],
        "tendon": [tendon.name for tendon in robot.tendons],
        "loop": [loop.name for loop in robot.loops],
        "surface": [touch.name for touch in robot.environment],
        "cord": [cord.name for cord in robot.cords],
    }
    for kind, part_names in names.items():
        duplicate = next((name for name in part_names if part_names.count(name) > 1), None)
        if duplicate is not None:
            raise StructureError(f"both robots have a {kind} {duplicate!r}. Attach with a prefix, such as 'left_'.")
