"""Losses of free trains: meshes that lose by the direction of the power rolling in them."""

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
from gearwright.forces.friction.stick_slip import CREEP, NOISE
from gearwright.forces.impulse_limits import Entering
from gearwright.forces.law import (
    Action,
    Drag,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
    Stepped,
)
from gearwright.forces.line import ConstantLine, Line
from gearwright.forces.time_stepping_impulses import Meshing
from gearwright.forces.transmission.gear_losses import FORWARD_DRIVING, MODE, ROLLING, STUCK
from gearwright.forces.transmission.gear_wheels import turning_torque
from gearwright.forces.transmission.mesh_efficiency import Mesh
from gearwright.forces.transmission.train_statics import SMALL, Numbers, Source, TrainStatics, shares
from gearwright.mechanism import Mechanism
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Robot
from gearwright.text import listed

BESIDE = " | "
"""Between the modes of several meshes."""

MOST = 3
"""Lossy meshes that may depend on each other: every one has five modes, and a law lists all combinations."""


class LossyMesh(NamedTuple):
    """A mesh of a train: its name, the line of its first gear's speed relative to the carrier, and its efficiency."""

    name: str
    line: ConstantLine
    efficiency: float
    place: int
    """Its number among all meshes of the robot."""

    @property
    def teeth(self) -> Mesh:
        """Its teeth: as good both ways."""
        return Mesh(self.efficiency, self.efficiency, 0.0, 0.0)


class Acting(NamedTuple):
    """What is known of a mode: per source its push, per held mesh its push, and the torque through each mesh of both.

    Args:
        sources: per source the line along which the losses that a unit of it causes push, or None.
        held: per mesh at rest the same.
        by_source: torque through each mesh of the law per unit of each source.
        by_held: and per unit of what each mesh at rest holds.
    """

    sources: tuple[ConstantLine | None, ...]
    held: tuple[ConstantLine | None, ...]
    by_source: Array
    by_held: Array


@dataclass(frozen=True)
class TrainLoss(Law):
    r"""Meshes of free trains that lose power by the direction in which it rolls through them.

    Seen from a mesh's carrier, the first gear brings $P = \varphi \omega$; of it $\eta P$ arrives at the second gear,
    or, when the second drives, of $-P$ the part $\eta$ at the first. At rest the loss is whatever keeps the mesh at
    rest, as in `GearLoss`, between $\eta$ and $1/\eta$ times the load. Meshes whose torques depend on each other's
    losses (one behind the other, or on the same planets) are one law; its mode is theirs, side by side.

    Args:
        name: its name.
        meshes: its meshes.
        sources: what brings torque to the wheels.
        matrices: the balance of the wheels, see `train_statics`.
    """

    name: str
    meshes: tuple[LossyMesh, ...]
    sources: tuple[Source, ...]
    matrices: tuple[tuple[Numbers, ...], tuple[Numbers, ...]]

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Per mesh what enters at its first gear and what is lost, there."""
        words = ("input_torque", "loss_torque")
        return tuple(Quantity(f"{mesh.name}.{word}", "Nm") for mesh in self.meshes for word in words)

    @cached_property
    def modes(self) -> tuple[str, ...]:
        """Rest and four quadrants of every mesh, in all combinations."""
        return tuple(BESIDE.join(one) for one in product((STUCK, *ROLLING), repeat=len(self.meshes)))

    def start(self, situation: Situation) -> str:
        """By the sense of the speeds; the flanks follow."""
        speeds = [situation.speed(mesh.line) for mesh in self.meshes]
        return BESIDE.join(STUCK if w == 0 else FORWARD_DRIVING if w > 0 else MODE[-1.0, True] for w in speeds)

    def act(self, mode: str, situation: Situation) -> Action:
        """Drags in proportion to the torques of motors and wheels, and holds of the meshes at rest."""
        now, held = self._acting(mode), self._held(mode)
        holds = tuple(Hold(mesh.line, port=mesh.name, speed=0.0, firm=False) for mesh in held)
        forces, drags = [], []
        for source, push in zip(self.sources, now.sources, strict=True):
            if source.stiffness or source.damping:
                forces += [Force(push, self._twisting(source, situation))] if push is not None else []
            else:
                drags.append(self._drag(source, push, situation))
        nothing = (0.0,) * situation.mech.n
        for mesh, push in zip(held, now.held, strict=True):
            if push is not None:
                drags.append(Drag(replace(push, inlet=mesh.line), 1.0, nothing, port=mesh.name))
        return Action(tuple(forces), holds, tuple(drags))

    def _drag(self, source: Source, push: ConstantLine | None, situation: Situation) -> Drag:
        """The losses that a source causes; where there are none at the moment, only its torque is looked at."""
        row, offset = turning_torque(situation, source.spins)
        line = self.meshes[0].line if push is None else push
        return Drag(replace(line, inlet=source.line), 0.0 if push is None else 1.0, row, offset, source.port)

    @staticmethod
    def _twisting(source: Source, situation: Situation) -> Scalar:
        """What an elastic shaft gives to its wheel."""
        line = source.line
        assert line is not None  # a shaft has a line
        return source.stiffness * situation.position(line) + source.damping * situation.speed(line)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The losses."""
        entering, held = self._entering(mode, situation, reaction), iter(reaction.multipliers)
        signals: dict[str, Scalar] = {}
        total: Scalar = 0.0
        for mesh, own, T in zip(self.meshes, mode.split(BESIDE), entering, strict=True):
            loss = -next(held) if own == STUCK else mesh.teeth.loss(T, *ROLLING[own])
            signals |= {f"{mesh.name}.input_torque": T, f"{mesh.name}.loss_torque": loss}
            total = total + loss * situation.speed(mesh.line)
        return Outcome(dissipated=total, signals=signals)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Those of every mesh: rest, sense and flank."""
        entering, held = self._entering(mode, situation, reaction), iter(reaction.multipliers)
        own, found = mode.split(BESIDE), []
        for k, (mesh, T) in enumerate(zip(self.meshes, entering, strict=True)):
            if own[k] == STUCK:
                mine = _starting(mesh, situation, T, T + next(held, 0.0))
            else:
                mine = _turning(mesh, own[k], situation, reaction, T)
            found += [replace(guard, to=BESIDE.join([*own[:k], guard.to, *own[k + 1 :]])) for guard in mine]
        return tuple(found)

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """Every mesh as if it might rest: its loss is an impulse beside those of the others."""
        mode = BESIDE.join([STUCK] * len(self.meshes))
        now, limits = self._acting(mode), []
        soft = [bool(source.stiffness or source.damping) for source in self.sources]
        rows = zip(self.meshes, now.by_source.tolist(), now.by_held.tolist(), strict=True)
        for mesh, by_source, by_held in rows:
            flows = tuple(x for x, springy in zip(by_source, soft, strict=True) if not springy)
            twisted = [
                x * self._twisting(source, situation)
                for source, x, springy in zip(self.sources, by_source, soft, strict=True)
                if springy
            ]
            limits.append(Meshing(mesh.teeth.scaled(step), Entering(flows, tuple(by_held), sum(twisted, 0.0))))
        return Stepped(mode, tuple(limits))

    def _held(self, mode: str) -> list[LossyMesh]:
        return [mesh for mesh, own in zip(self.meshes, mode.split(BESIDE), strict=True) if own == STUCK]

    def _entering(self, mode: str, situation: Situation, reaction: Reaction) -> list[Scalar]:
        """The torque into each mesh at its first gear, once all wheels before it are accelerated."""
        now, flows = self._acting(mode), iter(reaction.flows)
        soft = [bool(source.stiffness or source.damping) for source in self.sources]
        given = [self._twisting(s, situation) if x else next(flows) for s, x in zip(self.sources, soft, strict=True)]
        held = list(reaction.multipliers) or [0.0] * now.by_held.shape[1]
        return [
            _weighted((*by_source, *by_held), (*given, *held))
            for by_source, by_held in zip(now.by_source.tolist(), now.by_held.tolist(), strict=True)
        ]

    def _acting(self, mode: str) -> Acting:
        if mode not in self._known:
            self._known[mode] = self._solved(mode)
        return self._known[mode]

    @cached_property
    def _known(self) -> dict[str, Acting]:
        return {}

    def _solved(self, mode: str) -> Acting:
        """The balance of the wheels in a mode."""
        first, second = (np.array(rows) for rows in self.matrices)
        kappa, own = np.ones(first.shape[1]), mode.split(BESIDE)
        for mesh, how in zip(self.meshes, own, strict=True):
            kappa[mesh.place] = 1.0 if how == STUCK else mesh.teeth.gain(ROLLING[how][1])
        places = [mesh.place for mesh in self.meshes]
        X = shares((first, second), kappa)[places]
        by_source = X @ np.array([source.on for source in self.sources]).reshape(len(self.sources), -1).T
        by_held = X @ second[:, [mesh.place for mesh in self._held(mode)]]
        lost = kappa[places] - 1.0
        pushes = [[self._push(lost * column) for column in block.T] for block in (by_source, by_held)]
        return Acting(tuple(pushes[0]), tuple(pushes[1]), by_source, by_held)

    def _push(self, amounts: Array) -> ConstantLine | None:
        """The line of forces of given sizes along the meshes' lines together."""
        total: dict[int, float] = {}
        places: dict[int, int] = {}
        for mesh, amount in zip(self.meshes, amounts.tolist(), strict=True):
            for (index, factor), place in zip(mesh.line.terms, mesh.line.places, strict=True):
                total[index], places[index] = total.get(index, 0.0) + amount * float(factor), place
        kept = {index: x for index, x in sorted(total.items()) if abs(x) > SMALL}
        if not kept:
            return None
        return ConstantLine(tuple(kept.items()), tuple(places[index] for index in kept), self.meshes[0].line.speeds)


def _starting(mesh: LossyMesh, situation: Situation, entering: Scalar, leaving: Scalar) -> list[Guard]:
    """It turns once the torque is beyond what friction can hold, or once a blow has set it going."""
    ops, speed = situation.ops, situation.speed(mesh.line)
    found = []
    for sense in (1.0, -1.0):
        out = sense * leaving
        margin = ops.maximum(out / mesh.efficiency, out * mesh.efficiency) - sense * entering
        value = ops.where(ops.absolute(speed) <= CREEP, margin, CREEP - sense * speed)
        found.append(Guard(value, MODE[sense, True]))
    return found


def _turning(mesh: LossyMesh, mode: str, situation: Situation, reaction: Reaction, entering: Scalar) -> list[Guard]:
    """It stops with its speed, and the other flanks push once the torque changes its sign."""
    sense, driving = ROLLING[mode]
    ops, rate = situation.ops, sense * situation.acceleration(mesh.line, reaction.a)
    beyond_noise = ops.where(ops.absolute(rate) < NOISE, 0.0, rate)
    stops = Guard(sense * situation.speed(mesh.line), STUCK, rate=beyond_noise)
    flank = sense * entering if driving else -sense * entering
    return [stops, Guard(flank, MODE[sense, not driving])]


def _weighted(weights: Sequence[float], values: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for weight, value in zip(weights, values, strict=True):
        if abs(weight) > SMALL:
            total = total + weight * value
    return total


@check_arguments
def train_loss_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """The losses that the meshes of a robot's trains state, as laws `<train>.<first>-<second>`.

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
    return tuple(_law(statics, mech, group) for group in statics.groups())


def _law(statics: TrainStatics, mech: Mechanism, group: Sequence[int]) -> TrainLoss:
    names = [statics.title(m) for m in group]
    if len(group) > MOST:
        raise TrainError(
            f"train: the meshes {listed(names)} lose power one behind the other, and so many directions of power at "
            f"once are too many to follow (at most {MOST}). Give the product of their efficiencies to one of them."
        )
    first, second = statics.matrices
    reach = np.abs(shares((first, second), np.ones(first.shape[1]))[list(group)])
    near = [one for one in statics.sources if np.any(reach @ np.abs(one.on) > SMALL)]
    meshes = tuple(
        LossyMesh(name, Line.of(mech, statics.rolling[m]), float(statics.meshes[m].efficiency), m)
        for name, m in zip(names, group, strict=True)
    )
    rows = tuple(tuple(map(tuple, matrix.tolist())) for matrix in (first, second))
    return TrainLoss("+".join(names), meshes, tuple(near), (rows[0], rows[1]))
