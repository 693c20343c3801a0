r"""Forces in the meshes of trains over a cycle, from the power flow of the train.

Motors and elastic shafts apply torques to wheels, inertia takes a part of them, and the equilibrium of all wheels
(`forces.transmission.train_statics`) gives the torque $\varphi$ through each mesh. The losses of a mesh depend on which
gear drives. Several equal planets share the load equally. The bearing load of a wheel is bounded by the sum over its
meshes: perpendicular to its axis, along it (helical and bevel teeth) and as a moment, because a train need not state
the positions of the meshes. Perpendicular to the axis the forces of equal planets cancel, along it they add up.
Friction in the bearings of a train's motors is treated as if it were transmitted by the meshes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.line import ConstantLine
from gearwright.forces.transmission.train_statics import TorqueSource, TrainStatics, torque_shares
from gearwright.functions import jacobian, jacobian_rate, placement
from gearwright.mechanism import BASE, Mechanism, Spin
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Mesh, Robot
from gearwright.parts.gears.forces.tooth_forces import FORCE_COMPONENTS, ToothForce
from gearwright.parts.trains.mesh_teeth import mesh_forces, missing_mesh_data
from gearwright.text import listed_names

MAX_POWER_FLOW_ITERATIONS = 4
"""Largest number of iterations for the directions of power; losses change the torques little. If circulating power
reverses in every iteration, the last directions are used."""


def train_forces(robot: Robot, mech: Mechanism, demands: MotionDemands) -> dict[str, tuple[ToothForce, ...]]:
    """Per train the forces in its meshes and on the bearings of its wheels over a cycle [N]."""
    if all(missing_mesh_data(mesh) is not None for train in robot.trains for mesh in train.meshes):
        return {train.name: () for train in robot.trains}
    train = TrainStructure(parents_first(robot.links), robot.trains)
    statics = TrainStatics(train, mech)
    entering, rolling, kappa = _power_flow(statics, mech, demands)
    ratios = np.array([float(circuit.gear.ratio) for circuit in train.graph.circuits])
    leaving = entering * kappa * ratios
    drives = entering * rolling >= 0
    each: dict[str, list[ToothForce]] = {gear_train.name: [] for gear_train in robot.trains}
    bearings: dict[str, dict[str, ToothForce]] = {gear_train.name: {} for gear_train in robot.trains}
    for m, (owner, mesh) in enumerate((gear_train, mesh) for gear_train in robot.trains for mesh in gear_train.meshes):
        forces_of_mesh = _mesh_forces(train, m, mesh, leaving[:, m], drives[:, m])
        each[owner.name] += [gear_train for gear_train in forces_of_mesh if not gear_train.is_bearing]
        for wheel, load in _bearing_loads(train, mesh, forces_of_mesh):
            load_so_far = bearings[owner.name].get(wheel)
            bearings[owner.name][wheel] = load if load_so_far is None else _summed_loads(load_so_far, load)
    return {name: (*forces, *bearings[name].values()) for name, forces in each.items()}


def _mesh_forces(train: TrainStructure, m: int, mesh: Mesh, leaving: Array, drives: Any) -> list[ToothForce]:
    """Forces of one of the equal meshes of several planets."""
    count = max(_wheel_count(train, mesh.first), _wheel_count(train, mesh.second))
    angle = _shaft_angle(train, m) if mesh.kind == "bevel" else 0.0
    both_directions = [mesh_forces(mesh, leaving / count, driving, angle) for driving in (True, False)]
    return [
        driving_force.select_where(drives, driven_force)
        for driving_force, driven_force in zip(*both_directions, strict=True)
    ]


def _shaft_angle(train: TrainStructure, m: int) -> float:
    """Angle between the axes of a bevel pair, both pointing away from the apex; radial planets are at right angles."""
    circuit = train.graph.circuits[m]
    axes = [train.axis_direction(label, circuit.carrier) for label in circuit.axes]
    if axes[0] is None or axes[1] is None:
        return math.pi / 2
    first_axis, second_axis = (np.array([float(x) for x in axis]) for axis in axes if axis is not None)
    angle = math.acos(first_axis @ second_axis / (np.linalg.norm(first_axis) * np.linalg.norm(second_axis)))
    return angle if train.meshes[m].sense > 0 else math.pi - angle


def _wheel_count(train: TrainStructure, name: str) -> int:
    return train.wheels[name].count if name in train.wheels else 1


def _bearing_loads(train: TrainStructure, mesh: Mesh, forces: list[ToothForce]) -> Iterator[tuple[str, ToothForce]]:
    """Per wheel of a mesh the largest bearing load of all equal meshes: perpendicular to its axis and along it."""
    wheels, bearings = (mesh.first, mesh.second), [load for load in forces if load.is_bearing]
    for wheel, mating, load in zip(wheels, wheels[::-1], bearings, strict=False):
        if wheel in train.wheels:
            planets = _wheel_count(train, mating) if _wheel_count(train, wheel) == 1 else 1
            across = np.hypot(load.tangential, load.radial)
            if "belt" in mesh.kind:  # spans in the same direction
                across = sum(span.size for span in forces if not span.is_bearing)
            name = f"{wheel} bearing (at most)"
            yield wheel, ToothForce(name, True, 0.0 * across, across, planets * load.axial, load.moment)


def _summed_loads(first: ToothForce, second: ToothForce) -> ToothForce:
    """The sum of two bearing loads in the same direction."""
    return first._replace(
        **{component: getattr(first, component) + getattr(second, component) for component in FORCE_COMPONENTS}
    )


def unknown_mesh_remarks(robot: Robot) -> Iterator[str]:
    """Missing data of trains for the forces in their meshes, one sentence per kind of data."""
    meshes_by_gap: dict[str, list[str]] = {}
    for train in robot.trains:
        for mesh in train.meshes:
            gap = missing_mesh_data(mesh)
            if gap is not None:
                meshes_by_gap.setdefault(gap, []).append(f"{mesh.first}-{mesh.second}")
    for gap, names in meshes_by_gap.items():
        yield f"forces in the meshes {listed_names(names)} are not computed: {gap}."


def _power_flow(statics: TrainStatics, mech: Mechanism, demands: MotionDemands) -> tuple[Array, Array, Array]:
    """Per time and mesh the torque into its first gear, the speed of that gear and the torque after tooth losses."""
    motion = demands.motion
    source_torques = sum(
        (np.outer(_source_torque(mech, demands, source), source.wheel_torques) for source in statics.torque_sources),
        start=np.zeros((1, 1)),
    )
    rows = np.array([[row.get(name, 0.0) for name in mech.speeds] for row in statics.rolling_rows])
    rolling = np.asarray(motion.v @ rows.T)
    losses = np.array([float(mesh.efficiency) for mesh in statics.meshes])
    kappa = np.ones_like(rolling)
    entering = _mesh_torques(statics, kappa, source_torques)
    for _ in range(MAX_POWER_FLOW_ITERATIONS if (losses < 1).any() else 0):
        power = np.sign(entering * rolling)
        updated = np.where(power > 0, losses, np.where(power < 0, 1 / losses, 1.0))
        if np.array_equal(updated, kappa):
            break
        kappa, entering = updated, _mesh_torques(statics, updated, source_torques)
    return entering, rolling, kappa


def _mesh_torques(statics: TrainStatics, kappa: Array, source_torques: Array) -> Array:
    """The torque through each mesh, (T, meshes)."""
    patterns, pattern_index = np.unique(kappa, axis=0, return_inverse=True)
    torques = np.zeros_like(kappa)
    for k, pattern in enumerate(patterns):
        rows = np.ravel(pattern_index) == k
        torques[rows] = source_torques[rows] @ torque_shares(statics.mesh_matrices, pattern).T
    return torques


def _source_torque(mech: Mechanism, demands: MotionDemands, source: TorqueSource) -> Array:
    """The torque that a motor or a shaft applies to its wheel, or that accelerates the wheel, (T,)."""
    motion = demands.motion
    if source.spins:
        zero = np.zeros(len(demands.t))
        return -sum((weight * _wheel_inertia_torque(mech, demands, spin) for spin, weight in source.spins), start=zero)
    if source.stiffness or source.damping:
        assert isinstance(source.line, ConstantLine)
        terms = zip(source.line.terms, source.line.coordinate_indices, strict=True)
        parts = [
            float(factor) * (source.stiffness * motion.q[:, place] + source.damping * motion.v[:, index])
            for (index, factor), place in terms
        ]
        return np.asarray(sum(parts))
    return np.asarray(demands[f"{source.port}.torque"])


def _wheel_inertia_torque(mech: Mechanism, demands: MotionDemands, spin: Spin) -> Array:
    """The torque that accelerates a wheel: by its own rotation, and by that of its carrier about its axis."""
    motion = demands.motion
    torque = sum(float(spin.inertia) * float(b) * motion.a[:, index] for index, b in spin.terms)
    carrier, coupling = spin.carrier, float(spin.coupling_inertia)
    if not coupling or carrier in (BASE, "base"):
        return np.asarray(torque + np.zeros(len(motion.t)))
    rotation, _ = placement(mech, motion.q, carrier)
    axis = np.asarray(rotation) @ np.array([float(x) for x in spin.axis])
    J, dJ = jacobian(mech, motion.q, carrier), jacobian_rate(mech, motion.q, motion.v, carrier)
    alpha = np.einsum("tij,tj->ti", J[:, 3:], motion.a) + np.einsum("tij,tj->ti", dJ[:, 3:], motion.v)
    return np.asarray(torque + coupling * np.einsum("ti,ti->t", axis, alpha))
