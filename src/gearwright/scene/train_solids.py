"""Trains to look at: every wheel on its carrier, planets circling, gears that are fixed to links."""

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
from gearwright.parts.structure.frame_changes import usual_direction
from gearwright.scene.drive_solids import motor_solids
from gearwright.scene.solid import Solid, times
from gearwright.scene.tooth_profiles import trapezoid
from gearwright.scene.toothed_gears import BORE, external, internal
from gearwright.scene.triangles import Triangles, cylinder, towards, vector, wheel


def train_solids(robot: Robot, reach: float) -> Iterator[Solid]:
    """The wheels and motors of a robot's trains."""
    train = TrainStructure(parents_first(robot.links), robot.trains)
    looks, stacked = _Looks(train, reach), Counter[tuple[Any, ...]]()
    for part in train.wheels.values():
        yield from _wheel(train, part, looks, stacked)
    for name in looks.teeth:
        if name in train.where.by_name:
            yield _fixed_to_link(train, name, looks)
    for motor in train.motors:
        one = train.wheels[motor.wheel]
        axis, point = train.axis_and_point(one)
        row = {motor.name: 1.0} if motor.stiffness is not None else train.row(one.name)
        yield from motor_solids(motor.name, motor.motor, one.carrier, _frame(axis, point), times(row, 1.0), reach)


class _Looks:
    """How large the wheels of trains are drawn: by their radii, else by their teeth and one module for all.

    The module follows from a pair whose places the file states, else it is one that can be seen.
    """

    def __init__(self, train: TrainStructure, reach: float) -> None:
        self.width, self.plain = 0.02 * reach, 0.03 * reach
        self.teeth: dict[str, int] = {}
        self.radii: dict[str, float] = {}
        self.rings: set[str] = set()
        self.bevels: set[str] = set()
        for mesh in train.meshes:
            self._read(mesh)
        largest = max([*self.teeth.values(), 1])
        stated = [module for mesh in train.meshes for module in _modules(train, mesh)]
        self.module = min([*stated, 0.6 * reach / largest]) if stated else 0.14 * reach / largest

    def _read(self, mesh: Mesh) -> None:
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

    def radius(self, name: str) -> float:
        """Of the pitch circle of a wheel that meshes [m]."""
        return self.radii.get(name, self.module * self.teeth.get(name, 0) / 2)

    def mesh(self, name: str) -> Triangles:
        """The wheel of a name."""
        if name not in self.teeth:
            return cylinder(self.plain, self.width, BORE * self.plain)
        teeth = self.teeth[name]
        module = 2 * self.radius(name) / teeth
        if name in self.bevels:
            radius = module * teeth / 2
            return wheel(trapezoid(teeth, radius), BORE * radius, self.width, taper=0.75)
        return (internal if name in self.rings else external)(teeth, module, self.width, 0.0)

    def kind(self, name: str) -> str:
        """What it is drawn as."""
        return "ring" if name in self.rings else "gear"


def _wheel(train: TrainStructure, part: Gearwheel, looks: _Looks, stacked: Counter[tuple[Any, ...]]) -> Iterator[Solid]:
    on_arm = part.carrier in train.wheels
    arm = train.wheels[part.carrier] if on_arm else part
    axis, point = train.axis_and_point(arm) if on_arm else train.arm_axis(part)
    place = (arm.carrier, *np.round(np.abs([*axis, *point]), 6).tolist())
    height = 1.5 * looks.width * stacked[place]
    stacked[place] += 1
    rotation, position = _frame(axis, point)
    own, orbit = times(train.row(part.name), 1.0), times(train.row(arm.name), 1.0) if on_arm else {}
    mesh, kind = looks.mesh(part.name), "planet" if part.count > 1 or on_arm else looks.kind(part.name)
    radius = float(part.radius) or (0.0 if part.count == 1 and not on_arm else 0.06 * looks.width / 0.02)
    first = usual_direction(axis) if part.towards is None else part.towards
    start = rotation.T @ vector(first)
    begin = float(np.arctan2(start[1], start[0]))
    for k in range(part.count):
        angle = begin + 2 * pi * k / part.count
        arm_to = radius * np.array([cos(angle), sin(angle), 0.0]) + (0.0, 0.0, height)
        tilt = towards((cos(angle), sin(angle), 0.0)) if part.axis == "radial" else np.eye(3)
        name = part.name if part.count == 1 else f"{part.name}{k + 1}"
        yield Solid(name, kind, arm.carrier, mesh, rotation, position, own, orbit, arm_to, tilt)


def _fixed_to_link(train: TrainStructure, name: str, looks: _Looks) -> Solid:
    """A gear that is one piece with a link, about the axis of its joint; a bevel gear as far from where axes meet."""
    axis = vector(train.where.by_name[name].joint.axis)
    partners = [m.second if m.first == name else m.first for m in train.meshes if name in (m.first, m.second)]
    height = looks.radius(partners[0]) if name in looks.bevels else 0.0
    down = np.diag([1.0, -1.0, -1.0]) if name in looks.bevels else np.eye(3)
    arm = np.array([0.0, 0.0, height])
    return Solid(f"{name}.gear", looks.kind(name), name, looks.mesh(name), towards(axis), arm=arm, tilt=down)


def _modules(train: TrainStructure, mesh: Mesh) -> Iterator[float]:
    """The module of a pair whose axes are stated so far apart, or of bevel gears so far from where they meet [m]."""
    if mesh.teeth is None or "belt" in mesh.kind:
        return
    for name, other, teeth in ((mesh.first, mesh.second, mesh.teeth[1]), (mesh.second, mesh.first, mesh.teeth[0])):
        part, partner = train.wheels.get(name), train.wheels.get(other)
        if part is None or part.position is None or part.carrier in train.wheels:
            continue
        axis, point = (vector(x) for x in train.axis_and_point(part))
        if mesh.kind == "bevel" and part.axis in train.where.by_joint:
            joint = train.where.joint_axis(part.axis, part.carrier)
            away = 0.0 if joint is None else abs(float(axis @ (point - vector(joint[1]))))
            yield from (2 * away / float(teeth) for _ in range(away > 0))
        elif partner is not None and partner.carrier == part.carrier and mesh.kind != "bevel":
            between = vector(train.axis_and_point(partner)[1]) - point
            apart = float(np.linalg.norm(between - axis * (axis @ between)))
            sign = -1 if mesh.kind == "internal" else 1
            span = abs(float(mesh.teeth[0]) + sign * float(mesh.teeth[1]))
            yield from (2 * apart / span for _ in range(apart > 0))


def _frame(axis: Any, point: Any) -> tuple[Array, Array]:
    return towards(vector(axis)), vector(point)
