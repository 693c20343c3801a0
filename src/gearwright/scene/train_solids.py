"""Solids of trains: every wheel on its carrier, orbiting planets, gears that are fixed to links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Gearwheel, Mesh, Robot
from gearwright.parts.structure.frame_changes import default_direction
from gearwright.scene.drive_solids import motor_solids
from gearwright.scene.solid import Solid, scaled_row
from gearwright.scene.tooth_profiles import trapezoidal_outline
from gearwright.scene.toothed_gears import BORE_RATIO, external_gear_mesh, internal_gear_mesh
from gearwright.scene.triangles import Triangles, as_vector, cylinder_mesh, rotation_towards, wheel_mesh


def train_solids(robot: Robot, reach: float) -> Iterator[Solid]:
    """The wheels and motors of a robot's trains."""
    train = TrainStructure(parents_first(robot.links), robot.trains)
    sizes, stack_counts = _WheelSizes(train, reach), Counter[tuple[Any, ...]]()
    for part in train.wheels.values():
        yield from _wheel_solids(train, part, sizes, stack_counts)
    for name in sizes.teeth:
        if name in train.link_geometry.by_name:
            yield _link_gear_solid(train, name, sizes)
    for motor in train.motors:
        driven_wheel = train.wheels[motor.wheel]
        axis, point = train.axis_and_point(driven_wheel)
        row = {motor.name: 1.0} if motor.stiffness is not None else train.wheel_row(driven_wheel.name)
        yield from motor_solids(
            motor.name, motor.motor, driven_wheel.carrier, _axis_frame(axis, point), scaled_row(row, 1.0), reach
        )


class _WheelSizes:
    """Sizes of the wheels of trains: from their radii, else from their teeth and a common module.

    The module follows from a pair with stated positions; otherwise it is a visible size.
    """

    def __init__(self, train: TrainStructure, reach: float) -> None:
        self.width, self.plain_radius = 0.02 * reach, 0.03 * reach
        self.teeth: dict[str, int] = {}
        self.radii: dict[str, float] = {}
        self.rings: set[str] = set()
        self.bevels: set[str] = set()
        for mesh in train.meshes:
            self._add_mesh(mesh)
        largest = max([*self.teeth.values(), 1])
        stated = [module for mesh in train.meshes for module in _stated_modules(train, mesh)]
        self.module = min([*stated, 0.6 * reach / largest]) if stated else 0.14 * reach / largest

    def _add_mesh(self, mesh: Mesh) -> None:
        names = (mesh.first, mesh.second)
        if mesh.teeth is not None and "belt" not in mesh.kind:
            self.teeth.update({name: int(z) for name, z in zip(names, mesh.teeth, strict=True)})
        if mesh.radii is not None:
            self.radii.update({name: float(r) for name, r in zip(names, mesh.radii, strict=True)})
            self.teeth.update({name: self.teeth.get(name, 30) for name in names})
        sizes = mesh.teeth or mesh.radii
        if mesh.kind == "internal" and sizes is not None:
            self.rings.add(names[0] if sizes[0] > sizes[1] else names[1])
        if mesh.kind == "bevel":
            self.bevels |= set(names)

    def pitch_radius(self, name: str) -> float:
        """Radius of the pitch circle of a wheel [m]."""
        return self.radii.get(name, self.module * self.teeth.get(name, 0) / 2)

    def wheel_triangles(self, name: str) -> Triangles:
        """The mesh of a wheel by name."""
        if name not in self.teeth:
            return cylinder_mesh(self.plain_radius, self.width, BORE_RATIO * self.plain_radius)
        teeth = self.teeth[name]
        module = 2 * self.pitch_radius(name) / teeth
        if name in self.bevels:
            radius = module * teeth / 2
            return wheel_mesh(trapezoidal_outline(teeth, radius), BORE_RATIO * radius, self.width, taper=0.75)
        return (internal_gear_mesh if name in self.rings else external_gear_mesh)(teeth, module, self.width, 0.0)

    def solid_kind(self, name: str) -> str:
        """The kind of solid of a wheel."""
        return "ring" if name in self.rings else "gear"


def _wheel_solids(
    train: TrainStructure, part: Gearwheel, sizes: _WheelSizes, stack_counts: Counter[tuple[Any, ...]]
) -> Iterator[Solid]:
    on_arm = part.carrier in train.wheels
    arm = train.wheels[part.carrier] if on_arm else part
    axis, point = train.axis_and_point(arm) if on_arm else train.arm_axis(part)
    place = (arm.carrier, *np.round(np.abs([*axis, *point]), 6).tolist())
    height = 1.5 * sizes.width * stack_counts[place]
    stack_counts[place] += 1
    rotation, position = _axis_frame(axis, point)
    spin_row, orbit = (
        scaled_row(train.wheel_row(part.name), 1.0),
        scaled_row(train.wheel_row(arm.name), 1.0) if on_arm else {},
    )
    mesh, kind = sizes.wheel_triangles(part.name), "planet" if part.count > 1 or on_arm else sizes.solid_kind(part.name)
    radius = float(part.radius) or (0.0 if part.count == 1 and not on_arm else 0.06 * sizes.width / 0.02)
    first = default_direction(axis) if part.towards is None else part.towards
    start = rotation.T @ as_vector(first)
    begin = float(np.arctan2(start[1], start[0]))
    for k in range(part.count):
        angle = begin + 2 * pi * k / part.count
        arm_to = radius * np.array([cos(angle), sin(angle), 0.0]) + (0.0, 0.0, height)
        tilt = rotation_towards((cos(angle), sin(angle), 0.0)) if part.axis == "radial" else np.eye(3)
        name = part.name if part.count == 1 else f"{part.name}{k + 1}"
        yield Solid(name, kind, arm.carrier, mesh, rotation, position, spin_row, orbit, arm_to, tilt)


def _link_gear_solid(train: TrainStructure, name: str, sizes: _WheelSizes) -> Solid:
    """A gear fixed to a link, about the axis of its joint; a bevel gear at its distance from the apex."""
    axis = as_vector(train.link_geometry.by_name[name].joint.axis)
    partners = [m.second if m.first == name else m.first for m in train.meshes if name in (m.first, m.second)]
    height = sizes.pitch_radius(partners[0]) if name in sizes.bevels else 0.0
    down = np.diag([1.0, -1.0, -1.0]) if name in sizes.bevels else np.eye(3)
    arm = np.array([0.0, 0.0, height])
    return Solid(
        f"{name}.gear",
        sizes.solid_kind(name),
        name,
        sizes.wheel_triangles(name),
        rotation_towards(axis),
        arm=arm,
        tilt=down,
    )


def _stated_modules(train: TrainStructure, mesh: Mesh) -> Iterator[float]:
    """The module of a pair from its centre distance, or of bevel gears from their distance to the apex [m]."""
    if mesh.teeth is None or "belt" in mesh.kind:
        return
    for name, partner_name, teeth in (
        (mesh.first, mesh.second, mesh.teeth[1]),
        (mesh.second, mesh.first, mesh.teeth[0]),
    ):
        part, partner = train.wheels.get(name), train.wheels.get(partner_name)
        if part is None or part.position is None or part.carrier in train.wheels:
            continue
        axis, point = (as_vector(x) for x in train.axis_and_point(part))
        if mesh.kind == "bevel" and part.axis in train.link_geometry.by_joint:
            joint = train.link_geometry.joint_axis(part.axis, part.carrier)
            away = 0.0 if joint is None else abs(float(axis @ (point - as_vector(joint[1]))))
            yield from (2 * away / float(teeth) for _ in range(away > 0))
        elif partner is not None and partner.carrier == part.carrier and mesh.kind != "bevel":
            between = as_vector(train.axis_and_point(partner)[1]) - point
            apart = float(np.linalg.norm(between - axis * (axis @ between)))
            sign = -1 if mesh.kind == "internal" else 1
            span = abs(float(mesh.teeth[0]) + sign * float(mesh.teeth[1]))
            yield from (2 * apart / span for _ in range(apart > 0))


def _axis_frame(axis: Any, point: Any) -> tuple[Array, Array]:
    return rotation_towards(as_vector(axis)), as_vector(point)
