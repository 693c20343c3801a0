"""Losses of gear trains: mesh losses by the direction of the rolling power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import TrainError
from gearwright.forces.event_tolerances import ACCELERATION_NOISE, BREAKAWAY_SPEED
from gearwright.forces.impulse_limits import PortInflow
from gearwright.forces.law import (
    Action,
    Drag,
    FixedStepModel,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import ConstantLine, Line
from gearwright.forces.time_stepping_impulses import GearLossImpulse
from gearwright.forces.transmission.gear_losses import FORWARD_DRIVING, QUADRANT_MODE, QUADRANTS, STUCK_MODE
from gearwright.forces.transmission.gear_wheels import turning_torque
from gearwright.forces.transmission.mesh_efficiency import MeshEfficiency
from gearwright.forces.transmission.train_statics import (
    NEGLIGIBLE_SHARE,
    Numbers,
    TorqueSource,
    TrainStatics,
    torque_shares,
)
from gearwright.mechanism import Mechanism
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Robot
from gearwright.text import listed_names

MODE_SEPARATOR = " | "
"""Separator between the modes of several meshes."""

MAX_COUPLED_MESHES = 3
"""Largest number of coupled lossy meshes: each has five modes, and a law lists all combinations."""


class LossyMesh(NamedTuple):
    """A mesh of a train: its name, the line of its first gear's speed relative to the carrier, and its efficiency."""

    name: str
    line: ConstantLine
    efficiency: float
    mesh_index: int
    """Its index among all meshes of the robot."""

    @property
    def mesh_efficiency(self) -> MeshEfficiency:
        """Its teeth, with the same efficiency in both directions."""
        return MeshEfficiency(self.efficiency, self.efficiency, 0.0, 0.0)


class ModeBalance(NamedTuple):
    """The solved balance of a mode: loss lines of sources and meshes at rest, and the mesh torques due to both.

    Args:
        source_pushes: per source the line of the losses per unit of it, or None.
        held_pushes: the same per mesh at rest.
        by_source: torque through each mesh of the law per unit of each source.
        by_held: torque through each mesh per unit of holding torque of each mesh at rest.
    """

    source_pushes: tuple[ConstantLine | None, ...]
    held_pushes: tuple[ConstantLine | None, ...]
    by_source: Array
    by_held: Array


@dataclass(frozen=True)
class TrainLoss(Law):
    r"""Losses of the meshes of gear trains by the direction of the rolling power.

    Relative to a mesh's carrier, the first gear transmits $P = \varphi \omega$; $\eta P$ arrives at the second gear,
    or, when the second drives, the part $\eta$ of $-P$ at the first. At rest the loss keeps the mesh at rest, as in
    `GearLoss`, between $\eta$ and $1/\eta$ times the load. Meshes whose torques depend on each other's losses (in
    series, or on the same planets) are one law; its mode is the combination of theirs.

    Args:
        name: its name.
        meshes: its meshes.
        sources: the torque sources of the wheels.
        matrices: the balance of the wheels, see `train_statics`.
    """

    name: str
    meshes: tuple[LossyMesh, ...]
    sources: tuple[TorqueSource, ...]
    matrices: tuple[tuple[Numbers, ...], tuple[Numbers, ...]]

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Per mesh the input torque and the loss torque at its first gear."""
        words = ("input_torque", "loss_torque")
        return tuple(Quantity(f"{mesh.name}.{word}", "Nm") for mesh in self.meshes for word in words)

    @cached_property
    def modes(self) -> tuple[str, ...]:
        """All combinations of rest and four quadrants of the meshes."""
        return tuple(
            MODE_SEPARATOR.join(combination)
            for combination in product((STUCK_MODE, *QUADRANTS), repeat=len(self.meshes))
        )

    def initial_mode(self, situation: Situation) -> str:
        """The mode of the speeds' signs; guards find the flanks."""
        speeds = [situation.speed(mesh.line) for mesh in self.meshes]
        return MODE_SEPARATOR.join(
            STUCK_MODE if w == 0 else FORWARD_DRIVING if w > 0 else QUADRANT_MODE[-1.0, True] for w in speeds
        )

    def act(self, mode: str, situation: Situation) -> Action:
        """Drags proportional to the torques of motors and wheels, and constraints of the meshes at rest."""
        balance, held_meshes = self._mode_balance(mode), self._held_meshes(mode)
        holds = tuple(Hold(mesh.line, port=mesh.name, speed=0.0, is_firm=False) for mesh in held_meshes)
        forces, drags = [], []
        for source, push in zip(self.sources, balance.source_pushes, strict=True):
            if source.stiffness or source.damping:
                forces += [Force(push, self._shaft_torque(source, situation))] if push is not None else []
            else:
                drags.append(self._source_drag(source, push, situation))
        no_sense = (0.0,) * situation.mech.n
        for mesh, push in zip(held_meshes, balance.held_pushes, strict=True):
            if push is not None:
                drags.append(Drag(replace(push, inlet=mesh.line), 1.0, no_sense, port=mesh.name))
        return Action(tuple(forces), holds, tuple(drags))

    def _source_drag(self, source: TorqueSource, push: ConstantLine | None, situation: Situation) -> Drag:
        """The losses due to a source; a drag with zero gain only reports its torque."""
        row, offset = turning_torque(situation.kinematics, source.spins)
        line = self.meshes[0].line if push is None else push
        return Drag(replace(line, inlet=source.line), 0.0 if push is None else 1.0, row, offset, source.port)

    @staticmethod
    def _shaft_torque(source: TorqueSource, situation: Situation) -> Scalar:
        """The torque of an elastic shaft on its wheel."""
        line = source.line
        assert line is not None  # a shaft has a line
        return source.stiffness * situation.position(line) + source.damping * situation.speed(line)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The dissipated power, input torques and loss torques."""
        input_torques, hold_torques = self._input_torques(mode, situation, reaction), iter(reaction.multipliers)
        signals: dict[str, Scalar] = {}
        total: Scalar = 0.0
        for mesh, mesh_mode, T in zip(self.meshes, mode.split(MODE_SEPARATOR), input_torques, strict=True):
            loss = (
                -next(hold_torques)
                if mesh_mode == STUCK_MODE
                else mesh.mesh_efficiency.torque_loss(T, *QUADRANTS[mesh_mode])
            )
            signals |= {f"{mesh.name}.input_torque": T, f"{mesh.name}.loss_torque": loss}
            total = total + loss * situation.speed(mesh.line)
        return Outcome(dissipated=total, signals=signals)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """The guards of every mesh: rest, direction and flank."""
        input_torques, hold_torques = self._input_torques(mode, situation, reaction), iter(reaction.multipliers)
        mesh_modes, guards = mode.split(MODE_SEPARATOR), []
        for k, (mesh, T) in enumerate(zip(self.meshes, input_torques, strict=True)):
            if mesh_modes[k] == STUCK_MODE:
                mesh_guards = _starting_guards(mesh, situation, T, T + next(hold_torques, 0.0))
            else:
                mesh_guards = _turning_guards(mesh, mesh_modes[k], situation, reaction, T)
            guards += [
                replace(guard, to=MODE_SEPARATOR.join([*mesh_modes[:k], guard.to, *mesh_modes[k + 1 :]]))
                for guard in mesh_guards
            ]
        return tuple(guards)

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """One loss impulse per mesh, each of which may rest."""
        mode = MODE_SEPARATOR.join([STUCK_MODE] * len(self.meshes))
        balance, limits = self._mode_balance(mode), []
        is_elastic = [bool(source.stiffness or source.damping) for source in self.sources]
        rows = zip(self.meshes, balance.by_source.tolist(), balance.by_held.tolist(), strict=True)
        for mesh, by_source, by_held in rows:
            flows = tuple(x for x, elastic in zip(by_source, is_elastic, strict=True) if not elastic)
            shaft_torques = [
                x * self._shaft_torque(source, situation)
                for source, x, elastic in zip(self.sources, by_source, is_elastic, strict=True)
                if elastic
            ]
            limits.append(
                GearLossImpulse(
                    mesh.mesh_efficiency.with_torque_factor(step),
                    PortInflow(flows, tuple(by_held), sum(shaft_torques, 0.0)),
                )
            )
        return FixedStepModel(mode, tuple(limits))

    def _held_meshes(self, mode: str) -> list[LossyMesh]:
        return [
            mesh
            for mesh, mesh_mode in zip(self.meshes, mode.split(MODE_SEPARATOR), strict=True)
            if mesh_mode == STUCK_MODE
        ]

    def _input_torques(self, mode: str, situation: Situation, reaction: Reaction) -> list[Scalar]:
        """The torque into each mesh at its first gear, after acceleration of all wheels before it."""
        balance, flows = self._mode_balance(mode), iter(reaction.flows)
        is_elastic = [bool(source.stiffness or source.damping) for source in self.sources]
        source_torques = [
            self._shaft_torque(s, situation) if x else next(flows)
            for s, x in zip(self.sources, is_elastic, strict=True)
        ]
        hold_torques = list(reaction.multipliers) or [0.0] * balance.by_held.shape[1]
        return [
            _weighted_sum((*by_source, *by_held), (*source_torques, *hold_torques))
            for by_source, by_held in zip(balance.by_source.tolist(), balance.by_held.tolist(), strict=True)
        ]

    def _mode_balance(self, mode: str) -> ModeBalance:
        if mode not in self._balance_cache:
            self._balance_cache[mode] = self._solve_balance(mode)
        return self._balance_cache[mode]

    @cached_property
    def _balance_cache(self) -> dict[str, ModeBalance]:
        return {}

    def _solve_balance(self, mode: str) -> ModeBalance:
        """The balance of the wheels in a mode."""
        first, second = (np.array(rows) for rows in self.matrices)
        kappa, mesh_modes = np.ones(first.shape[1]), mode.split(MODE_SEPARATOR)
        for mesh, mesh_mode in zip(self.meshes, mesh_modes, strict=True):
            kappa[mesh.mesh_index] = (
                1.0 if mesh_mode == STUCK_MODE else mesh.mesh_efficiency.torque_gain(QUADRANTS[mesh_mode][1])
            )
        places = [mesh.mesh_index for mesh in self.meshes]
        X = torque_shares((first, second), kappa)[places]
        by_source = X @ np.array([source.wheel_torques for source in self.sources]).reshape(len(self.sources), -1).T
        by_held = X @ second[:, [mesh.mesh_index for mesh in self._held_meshes(mode)]]
        loss_factors = kappa[places] - 1.0
        pushes = [[self._combined_line(loss_factors * column) for column in block.T] for block in (by_source, by_held)]
        return ModeBalance(tuple(pushes[0]), tuple(pushes[1]), by_source, by_held)

    def _combined_line(self, amounts: Array) -> ConstantLine | None:
        """The combined line of forces of given magnitudes along the meshes' lines."""
        total: dict[int, float] = {}
        places: dict[int, int] = {}
        for mesh, amount in zip(self.meshes, amounts.tolist(), strict=True):
            for (index, factor), place in zip(mesh.line.terms, mesh.line.coordinate_indices, strict=True):
                total[index], places[index] = total.get(index, 0.0) + amount * float(factor), place
        factors = {index: x for index, x in sorted(total.items()) if abs(x) > NEGLIGIBLE_SHARE}
        if not factors:
            return None
        return ConstantLine(
            tuple(factors.items()), tuple(places[index] for index in factors), self.meshes[0].line.speeds
        )


def _starting_guards(mesh: LossyMesh, situation: Situation, entering: Scalar, leaving: Scalar) -> list[Guard]:
    """It turns when the torque exceeds the holding range of friction, or when an impact has set it in motion."""
    ops, speed = situation.ops, situation.speed(mesh.line)
    guards = []
    for sense in (1.0, -1.0):
        out = sense * leaving
        margin = ops.maximum(out / mesh.efficiency, out * mesh.efficiency) - sense * entering
        value = ops.where(ops.absolute(speed) <= BREAKAWAY_SPEED, margin, BREAKAWAY_SPEED - sense * speed)
        guards.append(Guard(value, QUADRANT_MODE[sense, True]))
    return guards


def _turning_guards(
    mesh: LossyMesh, mode: str, situation: Situation, reaction: Reaction, entering: Scalar
) -> list[Guard]:
    """It stops at zero speed, and the flanks change when the torque changes its sign."""
    sense, driving = QUADRANTS[mode]
    ops, rate = situation.ops, sense * situation.acceleration(mesh.line, reaction.a)
    filtered_rate = ops.where(ops.absolute(rate) < ACCELERATION_NOISE, 0.0, rate)
    stops = Guard(sense * situation.speed(mesh.line), STUCK_MODE, rate=filtered_rate)
    flank = sense * entering if driving else -sense * entering
    return [stops, Guard(flank, QUADRANT_MODE[sense, not driving])]


def _weighted_sum(weights: Sequence[float], values: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for weight, value in zip(weights, values, strict=True):
        if abs(weight) > NEGLIGIBLE_SHARE:
            total = total + weight * value
    return total


@check_arguments
def train_loss_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """Return the mesh losses of a robot's gear trains, as laws `<train>.<first>-<second>`.

    >>> import gearwright as gw
    >>> from gearwright.parts import Gearwheel, Link, Mesh, Robot, Train, TrainMotor
    >>> pair = [Mesh("pinion", "arm", teeth=(20, 60), efficiency=0.97)]
    >>> lift = Train("lift", [Gearwheel("pinion", inertia=1e-5)], pair, [TrainMotor("m", "pinion")])
    >>> robot = Robot("crane", [Link("arm", mass=2, com=(0.3, 0, 0))], trains=[lift])
    >>> [law.name for law in train_loss_laws(robot, gw.assemble(robot))]
    ['lift.pinion-arm']
    """
    if all(mesh.efficiency == 1 for train in robot.trains for mesh in train.meshes):
        return ()
    statics = TrainStatics(TrainStructure(parents_first(robot.links), robot.trains), mech)
    return tuple(_train_loss(statics, mech, group) for group in statics.coupled_groups())


def _train_loss(statics: TrainStatics, mech: Mechanism, group: Sequence[int]) -> TrainLoss:
    names = [statics.mesh_title(m) for m in group]
    if len(group) > MAX_COUPLED_MESHES:
        raise TrainError(
            f"train: the losses of the meshes {listed_names(names)} are coupled; at most {MAX_COUPLED_MESHES} coupled "
            "lossy meshes are supported. Give the product of their efficiencies to one of them."
        )
    first, second = statics.mesh_matrices
    influence = np.abs(torque_shares((first, second), np.ones(first.shape[1]))[list(group)])
    acting_sources = [
        source
        for source in statics.torque_sources
        if np.any(influence @ np.abs(source.wheel_torques) > NEGLIGIBLE_SHARE)
    ]
    meshes = tuple(
        LossyMesh(name, Line.for_machine(mech, statics.rolling_rows[m]), float(statics.meshes[m].efficiency), m)
        for name, m in zip(names, group, strict=True)
    )
    rows = tuple(tuple(map(tuple, matrix.tolist())) for matrix in (first, second))
    return TrainLoss("+".join(names), meshes, tuple(acting_sources), (rows[0], rows[1]))
