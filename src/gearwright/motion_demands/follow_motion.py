"""A prescribed motion pursued: pieces of it, the modes of laws along them, and the forces that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gearwright.forces.law import Law
from gearwright.forces.line import Line
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuator_forces import DemandedForces, Push, Settled
from gearwright.motion_demands.actuators import Asked, Drives, given_actuators, own_motors, torques_alone, undriven
from gearwright.motion_demands.given_contact_forces import require_determined, require_kept, with_contact_forces
from gearwright.motion_demands.motion_segments.law_states import first_states, refuse_moded_states
from gearwright.motion_demands.motion_segments.loop_forces import Loops
from gearwright.motion_demands.motion_segments.smooth_segments import (
    ROUNDING,
    Piece,
    pieces_of,
    row_along,
    rows_of,
)
from gearwright.motion_demands.result import Block, Case, block_of
from gearwright.motion_demands.shaft_motion.whole_motion import WholeTrajectory, trajectory_of, whole_motion
from gearwright.parts import Robot
from gearwright.system.inputs import Inputs, gathered
from gearwright.system.system import System

SAMPLES = 501
"""At how many times a trajectory is looked at unless somebody says."""


class Given(NamedTuple):
    """What is given beside a machine and its motion, as `demands` takes it; `laws` are all that act."""

    laws: tuple[Law, ...]
    contact: Any = None
    actuators: Any = None
    inputs: Any = None
    states: Mapping[str, float] = {}


class Setting(NamedTuple):
    """A machine, what acts on it and what drives it.

    Args:
        case: who moves.
        drives: its actuators.
        inputs: inputs of the laws, with forces of contacts, as a user gives them.
        closing: lines along which constraints hold it by forces that nobody gives.
    """

    case: Case
    drives: Drives
    inputs: Any
    closing: dict[str, Line]


def setting(robot: Robot | Mechanism, mech: Mechanism, given: Given) -> Setting:
    """The machine with what is given, contacts and constraints by their forces."""
    acting, inputs, closing = with_contact_forces(mech, given.laws, given.contact, given.inputs)
    case = Case(robot, mech, _asked(robot, mech, given.actuators, given.states), System(mech, acting))
    return Setting(case, Drives(case.asked), inputs, closing)


@dataclass(frozen=True)
class Pursued:
    """A motion with all that it takes.

    Args:
        setting: who moves.
        pieces: smooth pieces of the motion of the whole machine.
        inputs: inputs of the laws over time.
        trajectory: the motion of the whole machine; None where rows of a recording were taken as they are.
        others: lines beside those of the actuators: of what closes loops, and of what nobody drives.
        settled: per piece the forces along all lines, and the modes of the laws.
    """

    setting: Setting
    pieces: Sequence[Piece]
    inputs: Inputs
    trajectory: Trajectory | None
    others: tuple[Push, ...]
    settled: Sequence[Settled]

    @property
    def case(self) -> Case:
        """Who moves."""
        return self.setting.case

    @property
    def solved(self) -> frozenset[int]:
        """The speeds whose equations gave the motion of shafts."""
        return _solved(self.trajectory)

    def blocks(self) -> list[Block]:
        """All series, piece by piece."""
        drives, closing = self.setting.drives, self.setting.closing
        pairs = zip(self.pieces, self.settled, strict=True)
        return [block_of(piece, one.forces, drives, self.others, closing) for piece, one in pairs]


def pursued(robot: Robot | Mechanism, mech: Mechanism, motion: Any, given: Given, samples: int | None) -> Pursued:
    """Forces and modes along a motion."""
    made = setting(robot, mech, given)
    case, drives, closing = made.case, made.drives, made.closing
    refuse_moded_states(case.system)
    start = first_states(case.system, given.states, drives.temperatures)
    inputs = gathered(mech, {one.name: one.initial for one in case.system.inputs.values()}, made.inputs)
    pieces, trajectory = _pieces(made, motion, inputs, start, samples)
    behind = tuple(Push(Line.of(mech, mech.speeds[k]), None) for k in sorted(_solved(trajectory)))
    tied = tuple(Push(line, None) for line in closing.values())
    idle = undriven(mech, case.asked)
    others = (*tied, *behind, *_untied(idle, closing, pieces)) if closing else tuple(idle)
    if closing:
        require_determined(mech, (*drives.pushes, *behind), closing, pieces[0].motion[0][0])
        require_kept(pieces, closing)
    forces = DemandedForces(case.system, (*drives.pushes, *others), drives.order)
    return Pursued(made, pieces, inputs, trajectory, others, [forces.settled(piece) for piece in pieces])


def _untied(idle: Sequence[Push], closing: Mapping[str, Line], pieces: Sequence[Piece]) -> Iterator[Push]:
    """Of the forces that no actuator gives, those at speeds on which nothing that closes a loop acts either."""
    rows = [np.abs(row_along(line, piece)).max(axis=0) for piece in pieces for line in closing.values()]
    acted_on = np.max(rows, axis=0) > ROUNDING * np.max(rows)
    return (push for push in idle if not any(acted_on[k] for k, _ in push.line.terms))


def _asked(robot: Robot | Mechanism, mech: Mechanism, actuators: Any, start: Mapping[str, float]) -> list[Asked]:
    if actuators is None:
        return own_motors(robot if isinstance(robot, Robot) else None, mech, start)
    return given_actuators(actuators) or torques_alone(mech)


def _pieces(
    made: Setting, motion: Any, inputs: Inputs, start: list[float], samples: int | None
) -> tuple[Sequence[Piece], Trajectory | None]:
    """The motion of the whole machine: rows as they are where that will do, else smooth pieces."""
    (_, mech, _, system), drives = made.case, made.drives
    if isinstance(motion, Motion) and samples is None and not drives.order and _is_whole(mech, motion):
        return [rows_of(system, motion, inputs, start)], None
    trajectory, count = trajectory_of(mech, motion), samples or SAMPLES
    if trajectory.count < mech.n:
        named = dict(zip(system.states, start, strict=True))
        loops = Loops.of(mech, tuple(made.closing.values()), [one.line for one in drives.pushes])
        trajectory = whole_motion(system, trajectory, made.inputs, named, drives.order, 2 * count, loops)
    also = trajectory.settling if isinstance(trajectory, WholeTrajectory) else ()
    return list(pieces_of(system, trajectory, inputs, start, drives.order, count, also)), trajectory


def _solved(trajectory: Trajectory | None) -> frozenset[int]:
    return trajectory.solved if isinstance(trajectory, WholeTrajectory) else frozenset()


def _is_whole(mech: Mechanism, motion: Motion) -> bool:
    """Whether rows have all coordinates, speeds and accelerations."""
    shapes = [(len(motion.t), mech.nq), (len(motion.t), mech.n), (len(motion.t), mech.n)]
    return [np.shape(x) for x in (motion.q, motion.v, motion.a)] == shapes
