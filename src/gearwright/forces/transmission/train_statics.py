r"""Which torque goes through each mesh of a robot's trains.

A mesh takes $\varphi$ from its first gear and gives $g \kappa \varphi$ to its second one, with the ratio g of the two
speeds relative to the carrier and $\kappa$ what the teeth make of a torque ($\kappa = 1$ without loss). Every wheel u
that meshes alone turn is in balance: with the turns $a_{um}, b_{um}$ of the first and second gear of mesh m per turn of
the wheel, relative to the mesh's carrier,

$$\sum_m (a_{um} - g_m \kappa_m b_{um}) \, \varphi_m = Q_u - p_u + \sum_{m\ at\ rest} g_m b_{um} \mu_m$$

where Q are torques of motors and shafts on the wheel, p is what accelerates it, and $\mu$ what a mesh at rest holds by
friction. As many meshes as wheels: the torques are determined.
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
from gearwright.text import listed

Numbers = tuple[float, ...]

SMALL = 1e-12
"""Shares below this are rounding."""


@dataclass(frozen=True)
class Source:
    """What brings torque to wheels: a motor (port and line), an elastic shaft (line and stiffness), or inertia (spins).

    Args:
        on: torque per unit on each wheel that meshes turn.
        line: of the motor, or of the shaft's twist.
        port: the motor's name.
        stiffness: of the shaft [Nm/rad].
        damping: of the shaft [Nms/rad].
        spins: what turns with the wheel, each with its turns per turn of the wheel.
    """

    on: Numbers
    line: Line | None = None
    port: str | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    spins: tuple[tuple[Spin, float], ...] = ()


class TrainStatics:
    """The balance of all wheels that the meshes of a robot turn.

    Args:
        train: the robot's trains.
        mech: its machine.
    """

    def __init__(self, train: TrainStructure, mech: Mechanism) -> None:
        self._train, self._mech = train, mech
        self.meshes = train.meshes
        self._wheels = [name for name in train.wheels if name not in train.free]

    @cached_property
    def rolling(self) -> list[dict[str, float]]:
        """Per mesh the speed of its first gear relative to its carrier, as a row over the machine's speeds."""
        graph, rates = self._train.graph, self._train.rates
        rows = (graph.relative(rates, c.carrier, c.gear.first) for c in graph.circuits)
        summed = (self._train.where.over_speeds(row) for row in rows)
        return [{name: float(x) for name, x in row.items() if abs(x) > SMALL} for row in summed]

    @cached_property
    def matrices(self) -> tuple[Array, Array]:
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
    def sources(self) -> list[Source]:
        """Everything that brings torque to the wheels."""
        inertias = (self._inertia(name) for name in self._wheels)
        return [*(s for m in self._train.motors for s in self._motor(m)), *(one for one in inertias if one.spins)]

    def _unit(self, wheel: str, size: float = 1.0) -> Numbers:
        return tuple(size if name == wheel else 0.0 for name in self._wheels)

    def _motor(self, motor: TrainMotor) -> Iterator[Source]:
        """A motor's torque on the wheel of its rotor and on that of its stator; behind a shaft, the shaft's torque."""
        actuator = next(one for one in self._mech.actuators if one.name == motor.name)
        on = np.zeros(len(self._wheels))
        if motor.stiffness is None:
            on += self._unit(motor.wheel)
        else:
            spring = next(one for one in self._mech.springs if one.name == f"{motor.name}.spring")
            line, stiffness, damping = Line.of(self._mech, spring.row), float(spring.stiffness), float(spring.damping)
            yield Source(self._unit(motor.wheel), line, stiffness=stiffness, damping=damping)
        if motor.stator in self._train.wheels:
            on -= self._unit(motor.stator, self._same_way(motor.wheel, motor.stator))
        if on.any():
            yield Source(tuple(on.tolist()), Line.of(self._mech, actuator.row), motor.name)

    def _same_way(self, wheel: str, stator: str) -> float:
        """1 when two coaxial wheels count their turns the same way, else -1."""
        axes = []
        for one in (self._train.wheels[wheel], self._train.wheels[stator]):
            e, _ = self._train.axis_and_point(one)
            axes.append(self._train.where.turn(one.carrier) @ e)
        return float(round(axes[0].dot(axes[1])))

    def _inertia(self, name: str) -> Source:
        """What turns with a wheel: its own body, rotors on it, and the planets that ride on it."""
        own = {name, *(f"{motor.name}.rotor" for motor in self._train.motors if self._rigid_on(motor, name))}
        own |= {f"{name}{k + 1}" for k in range(self._train.wheels[name].count)}  # radial planets on a link
        for rider in self._train.wheels.values():
            if rider.carrier == name:
                own |= {f"{rider.name}.orbit"} | ({rider.name} if rider.axis == PARALLEL else set())
        return Source(self._unit(name), spins=tuple((spin, 1.0) for spin in self._mech.spins if spin.name in own))

    @staticmethod
    def _rigid_on(motor: TrainMotor, wheel: str) -> bool:
        return motor.wheel == wheel and motor.stiffness is None

    @cached_property
    def lossy(self) -> list[int]:
        """The meshes that roll and lose something; refused where their load is not determined."""
        found = [m for m, mesh in enumerate(self.meshes) if mesh.efficiency != 1 and self.rolling[m]]
        if found:
            self._refuse_undetermined(found)
        return found

    def _refuse_undetermined(self, lossy: Sequence[int]) -> None:
        first, second = self.matrices
        _, sizes, rows = np.linalg.svd(first - second)
        idle = np.abs(rows[int((sizes > 1e-9 * sizes.max(initial=0.0)).sum()) :])
        for m in lossy:
            shared = [k for row in idle if row[m] > 1e-9 for k in np.flatnonzero(row > 1e-9).tolist() if k != m]
            if shared:
                others = listed(self.meshes[k].title for k in dict.fromkeys(shared))
                raise TrainError(
                    f"mesh {self.meshes[m].title}: it shares its load with {others}, and how much goes through each is "
                    f"not determined, so efficiency {self.meshes[m].efficiency} says nothing. Remove one of these "
                    "meshes, or leave the efficiency out."
                )

    def groups(self) -> list[list[int]]:
        """The lossy meshes, together where the loss of one changes the torque through another."""
        kappa = np.ones(len(self.meshes))
        kappa[self.lossy] = 0.9 + 0.09 * np.sin(np.arange(1, len(self.lossy) + 1))  # nothing that cancels by chance
        reach = np.abs(shares(self.matrices, kappa) @ self.matrices[1]) > 1e-9
        groups: list[list[int]] = []
        for m in self.lossy:
            tied = [g for g in groups if any(reach[m, k] or reach[k, m] for k in g)]
            groups = [g for g in groups if g not in tied] + [sorted([m, *(k for g in tied for k in g)])]
        return sorted(groups)

    def title(self, mesh: int) -> str:
        """`<train>.<first>-<second>` of a mesh."""
        one: Mesh = self.meshes[mesh]
        train = next(train for train in self._train.trains if any(one is mine for mine in train.meshes))
        return f"{train.name}.{one.first}-{one.second}"


def shares(matrices: tuple[Array, Array], kappa: Array) -> Array:
    """X (meshes, wheels): the torque through each mesh per unit of torque on each wheel."""
    first, second = matrices
    return np.asarray(np.linalg.pinv(first - second * kappa))
