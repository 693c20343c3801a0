r"""The torque through each mesh of a robot's gear trains.

A mesh takes $\varphi$ from its first gear and transmits $g \kappa \varphi$ to its second one, with the ratio g of the
two speeds relative to the carrier and the torque ratio $\kappa$ of the teeth ($\kappa = 1$ without loss). Every wheel u
that is driven by meshes only is in balance: with the turns $a_{um}, b_{um}$ of the first and second gear of mesh m per
turn of the wheel, relative to the mesh's carrier,

$$\sum_m (a_{um} - g_m \kappa_m b_{um}) \, \varphi_m = Q_u - p_u + \sum_{m\ at\ rest} g_m b_{um} \mu_m$$

where Q are torques of motors and shafts on the wheel, p is the torque that accelerates it, and $\mu$ the friction
torque of a mesh at rest. With as many meshes as wheels the torques are determined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import TrainError
from gearwright.forces.line import Line
from gearwright.mechanism import Mechanism, Spin
from gearwright.mechanism.assembly.trains import PARALLEL, TrainStructure
from gearwright.parts import Mesh, TrainMotor
from gearwright.text import listed_names

Numbers = tuple[float, ...]

NEGLIGIBLE_SHARE = 1e-12
"""Shares below this are rounding."""


@dataclass(frozen=True)
class TorqueSource:
    """A torque source of wheels: a motor (port and line), an elastic shaft (line and stiffness), or inertia (spins).

    Args:
        wheel_torques: torque per unit on each wheel that is driven by meshes.
        line: of the motor, or of the shaft's deflection.
        port: the motor's name.
        stiffness: of the shaft [Nm/rad].
        damping: of the shaft [Nms/rad].
        spins: the inertias that turn with the wheel, each with its ratio to the wheel.
    """

    wheel_torques: Numbers
    line: Line | None = None
    port: str | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    spins: tuple[tuple[Spin, float], ...] = ()


class TrainStatics:
    """The torque balance of all wheels that the meshes of a robot drive.

    Args:
        train: the robot's trains.
        mech: its machine.
    """

    def __init__(self, train: TrainStructure, mech: Mechanism) -> None:
        self._train, self._mech = train, mech
        self.meshes = train.meshes
        self._wheels = [name for name in train.wheels if name not in train.free_wheels]

    @cached_property
    def rolling_rows(self) -> list[dict[str, float]]:
        """Per mesh the speed of its first gear relative to its carrier, as a row over the machine's speeds."""
        graph, rates = self._train.graph, self._train.relative_rates
        rows = (graph.relative_row(rates, c.carrier, c.gear.first) for c in graph.circuits)
        summed = (self._train.link_geometry.row_over_speeds(row) for row in rows)
        return [{name: float(x) for name, x in row.items() if abs(x) > NEGLIGIBLE_SHARE} for row in summed]

    @cached_property
    def mesh_matrices(self) -> tuple[Array, Array]:
        """The matrices a and g b, (wheels, meshes)."""
        first, second = np.zeros((2, len(self._wheels), len(self.meshes)))
        place = {name: k for k, name in enumerate(self._wheels)}
        for m, circuit in enumerate(self._train.graph.circuits):
            for into, half, factor in ((first, circuit.to_first, 1.0), (second, circuit.to_second, circuit.gear.ratio)):
                for pair, sign in half:
                    if pair.title in place:
                        into[place[pair.title], m] += sign * float(factor)
        return first, second

    @cached_property
    def torque_sources(self) -> list[TorqueSource]:
        """All torque sources of the wheels."""
        inertias = (self._inertia_source(name) for name in self._wheels)
        return [
            *(s for m in self._train.motors for s in self._motor_sources(m)),
            *(source for source in inertias if source.spins),
        ]

    def _wheel_vector(self, wheel: str, size: float = 1.0) -> Numbers:
        return tuple(size if name == wheel else 0.0 for name in self._wheels)

    def _motor_sources(self, motor: TrainMotor) -> Iterator[TorqueSource]:
        """A motor's torque on the wheel of its rotor and on that of its stator; behind a shaft, the shaft's torque."""
        actuator = next(part for part in self._mech.actuators if part.name == motor.name)
        wheel_torques = np.zeros(len(self._wheels))
        if motor.stiffness is None:
            wheel_torques += self._wheel_vector(motor.wheel)
        else:
            spring = next(part for part in self._mech.springs if part.name == f"{motor.name}.spring")
            line, stiffness, damping = (
                Line.for_machine(self._mech, spring.row),
                float(spring.stiffness),
                float(spring.damping),
            )
            yield TorqueSource(self._wheel_vector(motor.wheel), line, stiffness=stiffness, damping=damping)
        if motor.stator in self._train.wheels:
            wheel_torques -= self._wheel_vector(motor.stator, self._rotation_sense(motor.wheel, motor.stator))
        if wheel_torques.any():
            yield TorqueSource(tuple(wheel_torques.tolist()), Line.for_machine(self._mech, actuator.row), motor.name)

    def _rotation_sense(self, wheel: str, stator: str) -> float:
        """1 if the axes of two coaxial wheels have the same direction, else -1."""
        axes = []
        for coaxial_wheel in (self._train.wheels[wheel], self._train.wheels[stator]):
            e, _ = self._train.axis_and_point(coaxial_wheel)
            axes.append(self._train.link_geometry.rotation_in_base(coaxial_wheel.carrier) @ e)
        return float(round(axes[0].dot(axes[1])))

    def _inertia_source(self, name: str) -> TorqueSource:
        """The inertia that turns with a wheel: its own body, its rotors, and the planets that it carries."""
        spin_names = {name, *(f"{motor.name}.rotor" for motor in self._train.motors if self._rigid_on(motor, name))}
        spin_names |= {f"{name}{k + 1}" for k in range(self._train.wheels[name].count)}  # radial planets on a link
        for rider in self._train.wheels.values():
            if rider.carrier == name:
                spin_names |= {f"{rider.name}.orbit"} | ({rider.name} if rider.axis == PARALLEL else set())
        return TorqueSource(
            self._wheel_vector(name), spins=tuple((spin, 1.0) for spin in self._mech.spins if spin.name in spin_names)
        )

    @staticmethod
    def _rigid_on(motor: TrainMotor, wheel: str) -> bool:
        return motor.wheel == wheel and motor.stiffness is None

    @cached_property
    def lossy_meshes(self) -> list[int]:
        """The indices of rolling meshes with losses; an error where their load is not determined."""
        meshes = [m for m, mesh in enumerate(self.meshes) if mesh.efficiency != 1 and self.rolling_rows[m]]
        if meshes:
            self._refuse_undetermined(meshes)
        return meshes

    def _refuse_undetermined(self, lossy: Sequence[int]) -> None:
        first, second = self.mesh_matrices
        _, sizes, rows = np.linalg.svd(first - second)
        idle = np.abs(rows[int((sizes > 1e-9 * sizes.max(initial=0.0)).sum()) :])
        for m in lossy:
            shared = [k for row in idle if row[m] > 1e-9 for k in np.flatnonzero(row > 1e-9).tolist() if k != m]
            if shared:
                other_meshes = listed_names(self.meshes[k].title for k in dict.fromkeys(shared))
                raise TrainError(
                    f"mesh {self.meshes[m].title}: it shares its load with {other_meshes}, and the load distribution "
                    f"is statically indeterminate, so efficiency {self.meshes[m].efficiency} cannot be used. Remove "
                    "one of these meshes, or leave out the efficiency."
                )

    def coupled_groups(self) -> list[list[int]]:
        """The lossy meshes, grouped where the loss of one changes the torque through another."""
        kappa = np.ones(len(self.meshes))
        kappa[self.lossy_meshes] = 0.9 + 0.09 * np.sin(
            np.arange(1, len(self.lossy_meshes) + 1)
        )  # avoids accidental cancellation
        influence = np.abs(torque_shares(self.mesh_matrices, kappa) @ self.mesh_matrices[1]) > 1e-9
        groups: list[list[int]] = []
        for m in self.lossy_meshes:
            coupled = [g for g in groups if any(influence[m, k] or influence[k, m] for k in g)]
            groups = [g for g in groups if g not in coupled] + [sorted([m, *(k for g in coupled for k in g)])]
        return sorted(groups)

    def mesh_title(self, mesh: int) -> str:
        """`<train>.<first>-<second>` of a mesh."""
        chosen_mesh: Mesh = self.meshes[mesh]
        train = next(
            train for train in self._train.trains if any(chosen_mesh is train_mesh for train_mesh in train.meshes)
        )
        return f"{train.name}.{chosen_mesh.first}-{chosen_mesh.second}"


def torque_shares(matrices: tuple[Array, Array], kappa: Array) -> Array:
    """X (meshes, wheels): the torque through each mesh per unit of torque on each wheel."""
    first, second = matrices
    return np.asarray(np.linalg.pinv(first - second * kappa))
