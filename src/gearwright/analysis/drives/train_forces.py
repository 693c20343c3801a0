r"""Forces in the meshes of trains over a cycle, from the torques that the train's own power flow puts through them.

Motors and elastic shafts bring torques to wheels, their own inertia takes some, and the balance of all wheels
(`forces.transmission.train_statics`) tells the torque $\varphi$ through each mesh; what a mesh loses goes by which of
its gears drives. Where several equal planets mesh each carries the same part. The bearings of a wheel carry at most
what all its meshes together do, across its axis, along it (helical and bevel teeth) and as a moment: where on the wheel
they are, a train need not say. Across the axis equal planets balance each other, along it they add up. Friction in the
bearings of a train's motors counts as if it went through the meshes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.line import ConstantLine
from gearwright.forces.transmission.train_statics import Source, TrainStatics, shares
from gearwright.functions.dynamics import jacobian, jacobian_rate, placement
from gearwright.mechanism import Mechanism, Spin
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Mesh, Robot
from gearwright.parts.gears.forces.tooth_forces import COMPONENTS, ToothForce
from gearwright.parts.trains.mesh_teeth import mesh_forces, unknown_of
from gearwright.text import listed

SETTLING = 4
"""How often the directions of power are looked at again at most; losses change the torques little. Where power that
circulates would turn round with every look, those of the last one count."""


def train_forces(robot: Robot, mech: Mechanism, found: MotionDemands) -> dict[str, tuple[ToothForce, ...]]:
    """Per train the forces in its meshes and on the bearings of its wheels over a cycle [N]."""
    if all(unknown_of(mesh) is not None for train in robot.trains for mesh in train.meshes):
        return {train.name: () for train in robot.trains}
    train = TrainStructure(parents_first(robot.links), robot.trains)
    statics = TrainStatics(train, mech)
    entering, rolling, kappa = _flow(statics, mech, found)
    ratios = np.array([float(circuit.gear.ratio) for circuit in train.graph.circuits])
    leaving = entering * kappa * ratios
    drives = entering * rolling >= 0
    each: dict[str, list[ToothForce]] = {one.name: [] for one in robot.trains}
    bearings: dict[str, dict[str, ToothForce]] = {one.name: {} for one in robot.trains}
    for m, (owner, mesh) in enumerate((one, mesh) for one in robot.trains for mesh in one.meshes):
        told = _mesh(train, m, mesh, leaving[:, m], drives[:, m])
        each[owner.name] += [one for one in told if not one.is_bearing]
        for wheel, load in _bearing_loads(train, mesh, told):
            known = bearings[owner.name].get(wheel)
            bearings[owner.name][wheel] = load if known is None else _added(known, load)
    return {name: (*forces, *bearings[name].values()) for name, forces in each.items()}


def _mesh(train: TrainStructure, m: int, mesh: Mesh, leaving: Array, drives: Any) -> list[ToothForce]:
    """One of the equal meshes that several planets make."""
    count = max(_count(train, mesh.first), _count(train, mesh.second))
    angle = _shaft_angle(train, m) if mesh.kind == "bevel" else 0.0
    ways = [mesh_forces(mesh, leaving / count, driving, angle) for driving in (True, False)]
    return [one.where(drives, other) for one, other in zip(*ways, strict=True)]


def _shaft_angle(train: TrainStructure, m: int) -> float:
    """Between the axes of a bevel pair, both taken away from the apex; radial planets lie across their arm's axis."""
    circuit = train.graph.circuits[m]
    axes = [train.direction(label, circuit.carrier) for label in circuit.axes]
    if axes[0] is None or axes[1] is None:
        return math.pi / 2
    one, other = (np.array([float(x) for x in axis]) for axis in axes if axis is not None)
    angle = math.acos(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
    return angle if train.meshes[m].sense > 0 else math.pi - angle


def _count(train: TrainStructure, name: str) -> int:
    return train.wheels[name].count if name in train.wheels else 1


def _bearing_loads(train: TrainStructure, mesh: Mesh, told: list[ToothForce]) -> Iterator[tuple[str, ToothForce]]:
    """Per wheel of a mesh what all equal meshes of its kind put on its bearing at most: across its axis, along it."""
    wheels, own = (mesh.first, mesh.second), [one for one in told if one.is_bearing]
    for wheel, other, one in zip(wheels, wheels[::-1], own, strict=False):
        if wheel in train.wheels:
            planets = _count(train, other) if _count(train, wheel) == 1 else 1
            across = np.hypot(one.tangential, one.radial)
            if "belt" in mesh.kind:  # spans that point the same way
                across = sum(span.size for span in told if not span.is_bearing)
            name = f"{wheel} bearing (at most)"
            yield wheel, ToothForce(name, True, 0.0 * across, across, planets * one.axial, one.moment)


def _added(one: ToothForce, other: ToothForce) -> ToothForce:
    """Two loads of a bearing that point the same way."""
    return one._replace(**{word: getattr(one, word) + getattr(other, word) for word in COMPONENTS})


def unknown_meshes(robot: Robot) -> Iterator[str]:
    """What trains lack for the forces in their meshes, one sentence for all that lack the same."""
    lacking: dict[str, list[str]] = {}
    for train in robot.trains:
        for mesh in train.meshes:
            what = unknown_of(mesh)
            if what is not None:
                lacking.setdefault(what, []).append(f"{mesh.first}-{mesh.second}")
    for what, names in lacking.items():
        yield f"forces in the meshes {listed(names)} are not told: {what}."


def _flow(statics: TrainStatics, mech: Mechanism, found: MotionDemands) -> tuple[Array, Array, Array]:
    """Per time and mesh the torque into its first gear, that gear's speed and what the teeth make of the torque."""
    motion = found.motion
    brought = sum((np.outer(_brought(mech, found, one), one.on) for one in statics.sources), start=np.zeros((1, 1)))
    rows = np.array([[row.get(name, 0.0) for name in mech.speeds] for row in statics.rolling])
    rolling = np.asarray(motion.v @ rows.T)
    losses = np.array([float(mesh.efficiency) for mesh in statics.meshes])
    kappa = np.ones_like(rolling)
    entering = _through(statics, kappa, brought)
    for _ in range(SETTLING if (losses < 1).any() else 0):
        power = np.sign(entering * rolling)
        looked = np.where(power > 0, losses, np.where(power < 0, 1 / losses, 1.0))
        if np.array_equal(looked, kappa):
            break
        kappa, entering = looked, _through(statics, looked, brought)
    return entering, rolling, kappa


def _through(statics: TrainStatics, kappa: Array, brought: Array) -> Array:
    """The torque through each mesh, (T, meshes)."""
    patterns, which = np.unique(kappa, axis=0, return_inverse=True)
    found = np.zeros_like(kappa)
    for k, pattern in enumerate(patterns):
        now = np.ravel(which) == k
        found[now] = brought[now] @ shares(statics.matrices, pattern).T
    return found


def _brought(mech: Mechanism, found: MotionDemands, source: Source) -> Array:
    """The torque that a motor or a shaft brings to its wheel, or that the inertia of the wheel takes, (T,)."""
    motion = found.motion
    if source.spins:
        nothing = np.zeros(len(found.t))
        return -sum((weight * _turning(mech, found, spin) for spin, weight in source.spins), start=nothing)
    if source.stiffness or source.damping:
        assert isinstance(source.line, ConstantLine)
        terms = zip(source.line.terms, source.line.places, strict=True)
        parts = [
            float(factor) * (source.stiffness * motion.q[:, place] + source.damping * motion.v[:, index])
            for (index, factor), place in terms
        ]
        return np.asarray(sum(parts))
    return np.asarray(found[f"{source.port}.torque"])


def _turning(mech: Mechanism, found: MotionDemands, spin: Spin) -> Array:
    """What accelerates a wheel: its own turning, and that of its carrier about its axis."""
    motion = found.motion
    own = sum(float(spin.inertia) * float(b) * motion.a[:, index] for index, b in spin.terms)
    carrier, felt = spin.carrier, float(spin.coupled)
    if not felt or carrier in (-1, "base"):
        return np.asarray(own + np.zeros(len(motion.t)))
    rotation, _ = placement(mech, motion.q, carrier)
    axis = np.asarray(rotation) @ np.array([float(x) for x in spin.axis])
    J, dJ = jacobian(mech, motion.q, carrier), jacobian_rate(mech, motion.q, motion.v, carrier)
    alpha = np.einsum("tij,tj->ti", J[:, 3:], motion.a) + np.einsum("tij,tj->ti", dJ[:, 3:], motion.v)
    return np.asarray(own + felt * np.einsum("ti,ti->t", axis, alpha))
