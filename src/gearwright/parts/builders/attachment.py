"""Putting one robot on another: a gripper on a flange, an arm on a torso."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError, StructureError
from gearwright.parts.builders.mounting import mount_of, moved_base_wheel, moved_drive, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.drives.supply_and_servo import Supply
from gearwright.parts.environment.loops_and_contacts import Loop, Touch
from gearwright.parts.gears.elasticity import PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame
from gearwright.parts.robot import Robot
from gearwright.parts.structure.cord import Branch, Cord, moved_cord
from gearwright.parts.structure.frame_changes import HERE, PartPlace, moved_motor, placement
from gearwright.parts.structure.tendon import Tendon
from gearwright.parts.trains.train import Gearwheel, Mesh, Train, TrainMotor
from gearwright.text import listed

AlongRow = TypeVar("AlongRow", PassiveSpring, Tendon)
DIRECTIONS = ("parallel", "radial")
"""What the axis of a planet may be called beside a joint or a wheel."""


@check_arguments
def attach(robot: Robot, other: Robot, frame: str, prefix: str = "") -> Robot:
    """The robot with another one whose base is fixed to a frame of it.

    Names of the other robot's links, joints, drives, trains, wheels and frames get the prefix. Motors and wheels on its
    base are then carried by the frame's link. Named states stay those of the first robot.

    >>> arm = Robot("arm", [Link("upper", mass=2)], frames=[Frame("tool", "upper", (0.5, 0, 0))])
    >>> jaw = Robot("jaw", [Link("finger", mass=0.1)])
    >>> attach(arm, jaw, "tool", "left_").links[1].parent
    'upper'
    """
    spot = next((f for f in robot.frames if f.name == frame), None)
    if spot is None:
        known = listed(f.name for f in robot.frames) or "none"
        raise InputError(
            f"robot {robot.name!r} has no frame {frame!r} to attach {other.name!r} to. Known are: {known}."
        )
    load = robot.payload
    if load is not None and load.link is None and load.frame is None:  # it stays on what was the last link before
        robot = replace(robot, payload=replace(load, link=robot.last_link().name))
    move = _Move(spot, prefix, other)
    combined = replace(
        robot,
        links=(*robot.links, *map(move.link, other.links)),
        drives=(*robot.drives, *map(move.drive, other.drives)),
        trains=(*robot.trains, *map(move.train, other.trains)),
        frames=(*robot.frames, *map(move.frame, other.frames)),
        springs=(*robot.springs, *map(move.row, other.springs)),
        tendons=(*robot.tendons, *map(move.row, other.tendons)),
        loops=(*robot.loops, *map(move.loop, other.loops)),
        environment=(*robot.environment, *map(move.touch, other.environment)),
        cords=(*robot.cords, *map(move.cord, other.cords)),
    )
    _refuse_doubles(combined)
    return _with_payload_of(combined, other, move)


class _Move:
    """Renames with a prefix, and moves what hangs on the other robot's base onto the frame's link."""

    def __init__(self, spot: Frame, prefix: str, other: Robot) -> None:
        self.spot, self.prefix, self.other = spot, prefix, other
        self.place = placement(spot.position, spot.rotation)

    def name(self, name: str) -> str:
        """A link's (or wheel's) new name."""
        return self.spot.link if name == "base" else self.prefix + name

    def on(self, carrier: str) -> PartPlace:
        """Where the frame of a carrier is now."""
        return self.place if carrier == "base" else HERE

    def loop(self, loop: Loop) -> Loop:
        return replace(loop, name=self.prefix + loop.name, frames=[self.name(frame) for frame in loop.frames])

    def touch(self, touch: Touch) -> Touch:
        """Surfaces that were fixed in the other robot's base are not moved: they are fixed in the world."""
        where = touch.relative_to if touch.relative_to == "base" else self.name(touch.relative_to)
        frame = None if touch.frame is None else self.name(touch.frame)
        row, slip = ({self.prefix + k: x for k, x in one.items()} if one else one for one in (touch.row, touch.slip))
        return replace(touch, name=self.prefix + touch.name, frame=frame, relative_to=where, row=row, slip=slip)

    def link(self, link: Link) -> Link:
        if link.joint.kind == "free":
            raise StructureError(
                f"link {link.name!r} floats freely: it cannot be attached to a frame. Fix it to its base first."
            )
        place = self.on(link.parent).then(placement(link.joint.position, link.joint.rotation))
        joint = replace(
            link.joint, name=self.prefix + link.joint_name, position=place.position, rotation=place.rotation
        )
        if joint.follows is not None:
            joint = replace(joint, follows=(self.prefix + joint.follows[0], *joint.follows[1:]))
        return replace(link, name=self.prefix + link.name, parent=self.name(link.parent), joint=joint)

    def drive(self, drive: Drive) -> Drive:
        driven = self.other.link_of_joint(drive.joint)
        mount = mount_of(drive, driven)
        return replace(
            moved_drive(drive, output_is_link(drive, driven), self.on(mount)),
            joint=self.prefix + drive.joint,
            mounted_on=self.name(mount),
            name=None if drive.name is None else self.prefix + drive.name,
            supply=self.supply(drive.supply),
        )

    def supply(self, own: Supply | None) -> Supply | None:
        """What fed a drive feeds it still."""
        found = own if own is not None else self.other.supply
        return None if found is None else replace(found, name=self.prefix + found.name)

    def row(self, part: AlongRow) -> AlongRow:
        row = {self.prefix + joint: factor for joint, factor in part.row.items()}
        return replace(part, name=self.prefix + part.name, row=row)

    def cord(self, cord: Cord) -> Cord:
        moved = moved_cord(cord, {"base": self.place})
        course = [x if isinstance(x, Branch) else replace(x, frame=self.name(x.frame)) for x in moved.course]
        return replace(moved, name=self.prefix + cord.name, course=course)

    def train(self, train: Train) -> Train:
        carriers = {wheel.name: wheel.carrier for wheel in train.wheels}
        return Train(
            self.prefix + train.name,
            [self.wheel(wheel) for wheel in train.wheels],
            [self.mesh(mesh) for mesh in train.meshes],
            [self.train_motor(motor, self.on(carriers.get(motor.wheel, ""))) for motor in train.motors],
            [self.prefix + name for name in train.free],
        )

    def wheel(self, wheel: Gearwheel) -> Gearwheel:
        moved = moved_base_wheel(self.other, wheel, self.place) if wheel.carrier == "base" else wheel
        named = isinstance(moved.axis, str) and moved.axis not in DIRECTIONS
        axis = self.prefix + moved.axis if named else moved.axis
        return replace(moved, name=self.prefix + wheel.name, carrier=self.name(wheel.carrier), axis=axis)

    def mesh(self, mesh: Mesh) -> Mesh:
        carrier = None if mesh.carrier is None else self.name(mesh.carrier)
        return replace(mesh, first=self.name(mesh.first), second=self.name(mesh.second), carrier=carrier)

    def train_motor(self, motor: TrainMotor, place: PartPlace) -> TrainMotor:
        stator = None if motor.stator is None else self.name(motor.stator)
        moved = moved_motor(motor.motor, place)
        return replace(
            motor, name=self.prefix + motor.name, wheel=self.prefix + motor.wheel, stator=stator, motor=moved
        )

    def frame(self, frame: Frame) -> Frame:
        place = self.on(frame.link).then(placement(frame.position, frame.rotation))
        return Frame(self.prefix + frame.name, self.name(frame.link), place.position, place.rotation)


def _with_payload_of(robot: Robot, other: Robot, move: _Move) -> Robot:
    """What the other robot carries: the payload, or a fixed link when the robot carries one already."""
    carried = other.payload
    if carried is None:
        return robot
    link = move.name(carried.link if carried.link is not None else other.last_link().name)
    if robot.payload is None:
        return replace(robot, payload=replace(carried, link=link))
    body = Link(f"{move.prefix}payload", link, Joint(kind="fixed"), carried.mass, carried.position, carried.inertia)
    return replace(robot, links=(*robot.links, body))


def _refuse_doubles(robot: Robot) -> None:
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
    for kind, found in names.items():
        double = next((name for name in found if found.count(name) > 1), None)
        if double is not None:
            raise StructureError(f"both robots have a {kind} {double!r}. Attach with a prefix, such as 'left_'.")
