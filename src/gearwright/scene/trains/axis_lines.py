"""The axes of a train's wheels in the base frame, all coordinates zero; axes that a file leaves open may be moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gearwright.algebra import Vec
from gearwright.arrays import Array
from gearwright.mechanism.assembly.trains import PARALLEL, RADIAL, TrainStructure
from gearwright.parts import Gearwheel
from gearwright.parts.structure.frame_changes import default_direction
from gearwright.scene.triangles import as_vector

Poses = Mapping[str, tuple[Array, Array]]
"""Per body, and for "base", rotation (3, 3) and origin (3,) in the base frame, all coordinates zero."""
SAME_DIRECTION = 1e-9
"""Largest sine of the angle between parallel axes."""
SAME_POINT = 1e-7
"""Largest distance [m] between axes that intersect."""


@dataclass
class AxisLine:
    """An axis on which gears turn.

    Args:
        label: name of the joint or wheel whose axis it is.
        direction: unit vector, (3,).
        point: a point of it [m], (3,): the joint's origin, or the stated position of the wheel.
        is_placed: whether its position is stated; otherwise it may be moved sideways until its gears mesh.
        arm: label of the axis about which it orbits, for planets.
        towards: direction from that axis to the first planet.
    """

    label: str
    direction: Array
    point: Array
    is_placed: bool
    arm: str = ""
    towards: Array = field(default_factory=lambda: np.zeros(3))

    def height_of(self, point: Array) -> float:
        """The coordinate of a point along the axis [m]."""
        return float(self.direction @ (point - self.point))

    def point_at(self, height: float) -> Array:
        """The point of the axis at a coordinate."""
        return np.asarray(self.point + height * self.direction)

    def offset_to(self, other: AxisLine) -> Array:
        """The perpendicular vector to a parallel axis [m]."""
        across = other.point - self.point
        return np.asarray(across - self.direction * (self.direction @ across))


@dataclass(frozen=True)
class TrainPlacement:
    """The trains of a robot, its bodies with all coordinates zero, and its size [m]."""

    train: TrainStructure
    poses: Poses
    reach: float

    def stated_position(self, name: str) -> Array | None:
        """The stated centre of mass of a wheel in the base frame [m]; None if it is open, or `name` is a link."""
        wheel = self.train.wheels.get(name)
        if wheel is None or wheel.position is None or wheel.carrier in self.train.wheels:
            return None
        rotation, origin = self.poses[wheel.carrier]
        return np.asarray(origin + rotation @ as_vector(wheel.position))

    def is_joint(self, line: AxisLine) -> bool:
        """Whether an axis is that of a joint."""
        return line.label in self.train.link_geometry.by_joint


def axis_lines(train: TrainStructure, poses: Poses) -> dict[str, AxisLine]:
    """The axes of all meshes of a train, by label."""
    wanted = {label for circuit in train.graph.circuits for label in circuit.axes}
    lines: dict[str, AxisLine] = {}
    for label in [label for label in wanted if label not in train.wheels]:
        link = train.link_geometry.by_joint[label]
        rotation, origin = poses[link.name]
        lines[label] = AxisLine(label, _unit(rotation @ as_vector(link.joint.axis)), origin, True)
    # Axes of arms come before those of their planets.
    planets = [label for label in wanted if label in train.wheels and _is_planet(train, train.wheels[label])]
    for label in sorted(wanted - set(lines) - set(planets)):
        wheel = train.wheels[label]
        axis, point = (as_vector(x) for x in train.axis_and_point(wheel))
        rotation, origin = poses[wheel.carrier]
        lines[label] = AxisLine(
            label,
            _unit(rotation @ axis),
            origin + rotation @ point,
            any(_is_stated(train, label, w) for w in train.wheels),
        )
    for label in sorted(planets):
        lines[label] = _planet_line(train, label, lines, poses)
    return lines


def _planet_line(train: TrainStructure, label: str, lines: dict[str, AxisLine], poses: Poses) -> AxisLine:
    wheel = train.wheels[label]
    on_arm = wheel.carrier in train.wheels
    arm_wheel = train.wheels[wheel.carrier] if on_arm else wheel
    body = arm_wheel.carrier
    axis, centre = (as_vector(x) for x in (train.axis_and_point(arm_wheel) if on_arm else train.arm_axis(wheel)))
    rotation, origin = poses[body]
    direction, middle = _unit(rotation @ axis), origin + rotation @ centre
    first = rotation @ as_vector(default_direction(Vec(*axis)) if wheel.towards is None else wheel.towards)
    towards = _unit(first - direction * (direction @ first))
    arm = "" if on_arm else train.link_geometry.by_name[wheel.carrier].joint_name
    arm = next((name for name, line in lines.items() if _coincide(line, direction, middle)), arm)
    if arm not in lines:
        arm = f"arm of {label}"
        lines[arm] = AxisLine(arm, direction, middle, True)
    radius = float(wheel.radius)
    if wheel.axis == RADIAL:
        return AxisLine(label, towards, middle, True, arm, towards)
    return AxisLine(label, direction, middle + radius * towards, radius > 0, arm, towards)


def _is_planet(train: TrainStructure, wheel: Gearwheel) -> bool:
    return wheel.carrier in train.wheels or wheel.axis in (PARALLEL, RADIAL)


def _is_stated(train: TrainStructure, label: str, name: str) -> bool:
    wheel = train.wheels[name]
    return wheel.position is not None and (name == label or wheel.axis == label)


def _coincide(line: AxisLine, direction: Array, point: Array) -> bool:
    across = point - line.point
    across = across - line.direction * (line.direction @ across)
    return bool(
        np.linalg.norm(np.cross(line.direction, direction)) < SAME_DIRECTION and np.linalg.norm(across) < SAME_POINT
    )


def are_parallel(a: AxisLine, b: AxisLine) -> bool:
    """Whether two axes have the same or opposite directions."""
    return bool(np.linalg.norm(np.cross(a.direction, b.direction)) < SAME_DIRECTION)


def common_perpendicular(a: AxisLine, b: AxisLine) -> tuple[Array, Array]:
    """The points of two axes that are not parallel nearest to each other [m], (3,) each."""
    cosine = float(a.direction @ b.direction)
    between = b.point - a.point
    along = np.linalg.solve(
        [[1.0, -cosine], [cosine, -1.0]], [float(a.direction @ between), float(b.direction @ between)]
    )
    return a.point_at(float(along[0])), b.point_at(float(along[1]))


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))
