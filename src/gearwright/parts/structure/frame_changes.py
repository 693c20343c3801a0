"""Transformations between frames, and of parts from one frame to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Tensor, Vec, is_zero
from gearwright.parts.drives.motor import Motor
from gearwright.parts.gears.gear import Gear, GearType
from gearwright.parts.gears.member import Member
from gearwright.parts.trains.train import Gearwheel


class FramePlacement(NamedTuple):
    """The pose of a frame in another: `rotation` maps vectors to the other frame, `position` is the origin there."""

    rotation: Rot = IDENTITY
    position: Vec = ZERO

    def compose_with(self, inner: FramePlacement) -> FramePlacement:
        """Return the placement of a frame that is given in this frame.

        >>> FramePlacement(position=Vec(0, 0, 1)).compose_with(FramePlacement(position=Vec(1, 0, 0))).position
        Vec(1.0, 0.0, 1.0)
        """
        if self is IDENTITY_PLACEMENT:
            return inner
        return FramePlacement(self.rotation.after(inner.rotation), self.point_in_outer(inner.position))

    def point_in_outer(self, p: Any) -> Vec:
        """A point of this frame in the other one."""
        return Vec.from_values(p) if self is IDENTITY_PLACEMENT else self.rotation @ Vec.from_values(p) + self.position

    def direction_in_outer(self, e: Any) -> Vec:
        """A direction of this frame in the other one."""
        return Vec.from_values(e) if self is IDENTITY_PLACEMENT else self.rotation @ Vec.from_values(e)

    def tensor_in_outer(self, inertia: Any) -> Tensor:
        """A tensor of this frame in the axes of the other frame."""
        tensor = Tensor.from_rows(matrix_rows(inertia))
        return tensor if self is IDENTITY_PLACEMENT else tensor.rotated_by(self.rotation)


IDENTITY_PLACEMENT = FramePlacement()
"""The identity placement, which leaves all numbers bitwise unchanged."""


def matrix_rows(matrix: Any) -> Any:
    """Return a matrix of any type as rows."""
    return matrix.rows() if isinstance(matrix, Rot | Tensor) else matrix


def frame_placement(position: Any, rotation: Any) -> FramePlacement:
    """Return a placement from a position and the rows of a rotation matrix."""
    return FramePlacement(Rot.from_rows(matrix_rows(rotation)), Vec.from_values(position))


def motor_in_frame(motor: Motor, mount: FramePlacement) -> Motor:
    """Return a motor with positions given in a frame, expressed in the body frame of the link that carries it.

    A position that is not given remains open; it follows from the joint or wheel.
    """
    if mount is IDENTITY_PLACEMENT or (motor.position is None and motor.com is None and motor.tensor is None):
        return motor
    return replace(
        motor,
        position=None if motor.position is None else mount.point_in_outer(motor.position),
        com=None if motor.com is None else mount.point_in_outer(motor.com),
        tensor=None if motor.tensor is None else mount.tensor_in_outer(motor.tensor),
    )


def gear_in_frame(gear: GearType, mount: FramePlacement, output: FramePlacement) -> Any:
    """Return a gear with member positions given in frames of their carrying links, expressed in the body frames.

    Args:
        gear: the gear.
        mount: the frame in which positions on the mount are given.
        output: the frame for positions on the output member; that of the mount if the output is not a link.
    """
    if (mount is IDENTITY_PLACEMENT and output is IDENTITY_PLACEMENT) or isinstance(gear, Gear):
        return gear
    output_fields = getattr(gear, "driven_frame_fields", ())
    changed: dict[str, Any] = {}
    for field in fields(gear):
        frame = output if field.name in output_fields else mount
        changed[field.name] = _field_in_frame(field.name, getattr(gear, field.name), frame)
    if "stages" in changed:  # only the last output may be a link
        *before, last = changed["stages"]
        changed["stages"] = (
            *(gear_in_frame(stage, mount, mount) for stage in before),
            gear_in_frame(last, mount, output),
        )
    return replace(gear, **changed)


def _field_in_frame(name: str, value: Any, frame: FramePlacement) -> Any:
    if isinstance(value, Member):
        return _with_moved_vector(value, "position", frame.point_in_outer)
    if name == "towards" and value is not None:
        return tuple(frame.direction_in_outer(value))
    if name == "idler_members":
        return tuple(_with_moved_vector(member, "position", frame.point_in_outer) for member in value)
    return value


def wheel_with_defaults(wheel: Gearwheel, axis: Vec | None) -> Gearwheel:
    """Return a wheel of a train with its default positions made explicit, so that they transform with the frame.

    Args:
        wheel: a wheel on a link.
        axis: its axis in that link's frame, if known.
    """
    if wheel.position is None and not isinstance(wheel.axis, str):
        wheel = replace(wheel, position=(0.0, 0.0, 0.0))
    if axis is None or wheel.towards is not None or is_zero(wheel.radius):
        return wheel
    return replace(wheel, towards=tuple(default_direction(axis)))


def default_direction(axis: Vec) -> Vec:
    """Return the default direction to the first wheel of a circle about an axis: near x, or near y if the axis is x."""
    size = (axis.dot(axis)) ** 0.5
    return Vec(1.0, 0.0, 0.0) if abs(axis.x) < 0.9 * size else Vec(0.0, 1.0, 0.0)


def wheel_in_frame(wheel: Gearwheel, carrier: FramePlacement) -> Gearwheel:
    """Return a wheel of a train with its position given in a frame, expressed in the body frame of its link."""
    if carrier is IDENTITY_PLACEMENT:
        return wheel
    moved = _with_moved_vector(
        _with_moved_vector(wheel, "position", carrier.point_in_outer), "towards", carrier.direction_in_outer
    )
    return moved if isinstance(wheel.axis, str) else _with_moved_vector(moved, "axis", carrier.direction_in_outer)


def _with_moved_vector(part: Any, field: str, move: Callable[[Any], Vec]) -> Any:
    """Return the part with one vector transformed, if it is given."""
    value = getattr(part, field)
    return part if value is None else replace(part, **{field: tuple(move(value))})
