"""Frames in frames, and parts stated in one frame moved into another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Tensor, Vec, is_zero
from gearwright.parts.drives.motor import Motor
from gearwright.parts.gears.gear import AnyGear, Gear
from gearwright.parts.gears.member import Member
from gearwright.parts.trains.train import Gearwheel


class PartPlace(NamedTuple):
    """A frame in another one: `rotation` turns vectors from it into the other, `position` is its origin there."""

    rotation: Rot = IDENTITY
    position: Vec = ZERO

    def then(self, inner: PartPlace) -> PartPlace:
        """The placement of a frame that is given in this frame.

        >>> PartPlace(position=Vec(0, 0, 1)).then(PartPlace(position=Vec(1, 0, 0))).position
        Vec(1.0, 0.0, 1.0)
        """
        if self is HERE:
            return inner
        return PartPlace(self.rotation.after(inner.rotation), self.point(inner.position))

    def point(self, p: Any) -> Vec:
        """A point of this frame in the other one."""
        return Vec.of(p) if self is HERE else self.rotation @ Vec.of(p) + self.position

    def direction(self, e: Any) -> Vec:
        """A direction of this frame in the other one."""
        return Vec.of(e) if self is HERE else self.rotation @ Vec.of(e)

    def tensor(self, inertia: Any) -> Tensor:
        """A tensor about any point of this frame in the other one's axes."""
        tensor = Tensor.of(rows(inertia))
        return tensor if self is HERE else tensor.rotated(self.rotation)


HERE = PartPlace()
"""The frame itself: whatever is stated in it stays as it is, to the last bit."""


def rows(matrix: Any) -> Any:
    """A matrix as rows, whatever it came as."""
    return matrix.rows() if isinstance(matrix, Rot | Tensor) else matrix


def placement(position: Any, rotation: Any) -> PartPlace:
    """A placement from any three numbers and any three rows."""
    return PartPlace(Rot.of(rows(rotation)), Vec.of(position))


def moved_motor(motor: Motor, mount: PartPlace) -> Motor:
    """A motor whose places are stated in a frame, in the body frame of the link that carries it.

    A place that is not given stays so: it goes with the joint or the wheel that it follows from.
    """
    if mount is HERE:
        return motor
    return replace(
        motor,
        position=None if motor.position is None else mount.point(motor.position),
        com=None if motor.com is None else mount.point(motor.com),
        tensor=None if motor.tensor is None else mount.tensor(motor.tensor),
    )


def moved_gear(gear: AnyGear, mount: PartPlace, output: PartPlace) -> Any:
    """A gear whose members' places are stated in frames of the links that carry them, in their body frames.

    Args:
        gear: the gear.
        mount: the frame in which places on the mount are stated.
        output: the frame in which those of members on the output member are; the mount's where that is not a link.
    """
    if (mount is HERE and output is HERE) or isinstance(gear, Gear):
        return gear
    riding = getattr(gear, "riding", ())
    changed: dict[str, Any] = {}
    for field in fields(gear):
        frame = output if field.name in riding else mount
        changed[field.name] = _moved(field.name, getattr(gear, field.name), frame)
    if "stages" in changed:  # only the last output may be a link
        *before, last = changed["stages"]
        changed["stages"] = (*(moved_gear(stage, mount, mount) for stage in before), moved_gear(last, mount, output))
    return replace(gear, **changed)


def _moved(name: str, value: Any, frame: PartPlace) -> Any:
    if isinstance(value, Member):
        return _optional(value, "position", frame.point)
    if name == "towards" and value is not None:
        return tuple(frame.direction(value))
    if name == "idler_members":
        return tuple(_optional(member, "position", frame.point) for member in value)
    return value


def stated_wheel(wheel: Gearwheel, axis: Vec | None) -> Gearwheel:
    """A wheel of a train with the places that its carrier's frame gives it stated, so that they move with the frame.

    Args:
        wheel: a wheel on a link.
        axis: its axis in that link's frame, as far as it is known.
    """
    if wheel.position is None and not isinstance(wheel.axis, str):
        wheel = replace(wheel, position=(0.0, 0.0, 0.0))
    if axis is None or wheel.towards is not None or is_zero(wheel.radius):
        return wheel
    return replace(wheel, towards=tuple(usual_direction(axis)))


def usual_direction(axis: Vec) -> Vec:
    """Where the first wheel of a circle about an axis lies unless given: near x, or near y where the axis is x."""
    size = (axis.dot(axis)) ** 0.5
    return Vec(1.0, 0.0, 0.0) if abs(axis.x) < 0.9 * size else Vec(0.0, 1.0, 0.0)


def moved_wheel(wheel: Gearwheel, carrier: PartPlace) -> Gearwheel:
    """A wheel of a train whose place is stated in a frame, in the body frame of the link that carries it."""
    if carrier is HERE:
        return wheel
    moved = _optional(_optional(wheel, "position", carrier.point), "towards", carrier.direction)
    return moved if isinstance(wheel.axis, str) else _optional(moved, "axis", carrier.direction)


def _optional(part: Any, field: str, move: Callable[[Any], Vec]) -> Any:
    """The part with one vector moved, if it is given."""
    value = getattr(part, field)
    return part if value is None else replace(part, **{field: tuple(move(value))})
