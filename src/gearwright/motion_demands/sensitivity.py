"""What a motion asks for, with its exact slopes by parameters: the equations of `demands`, over what varies.

Motions, modes of laws and pieces are those of the robot as it is. A small change of a parameter moves none of them but
shafts behind springs, and with these the instants at which they turn round, where friction and losses jump: the times
of a piece's ends have slopes too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.variations import linear, slopes_of, value_of, varied_parameters, with_slopes
from gearwright.algebra.varied_arrays import chained, columns_of
from gearwright.arrays import Array
from gearwright.forces.law import Law
from gearwright.mechanism import Mechanism, assemble, machine_of
from gearwright.motion import Motion, Trajectory
from gearwright.parts import Robot
from gearwright.parts.paths import with_parameters
from gearwright.system.bent_course import BentShafts
from gearwright.system.demand_blocks import Block, block_of
from gearwright.system.demanded_forces import DemandedForces, Push
from gearwright.system.demands import followable_laws
from gearwright.system.gathered_demands import short_speeds
from gearwright.system.linear_shafts import LinearShafts
from gearwright.system.motion_pieces import Piece
from gearwright.system.pursuit import Given, Pursued, Setting, pursued, setting
from gearwright.system.signals import TAU
from gearwright.system.state_slopes import Way, varied_states
from gearwright.system.turning_times import varied_times
from gearwright.system.whole_motion import WholeTrajectory, joined

LawsOf: TypeAlias = Callable[[Robot, Mechanism], Sequence[Law]]
"""The laws of a robot, whose numbers may vary."""


class SlopedMotion(NamedTuple):
    """What `Motion` has: times (T,), and arrays (T, n) that are `Varied` where they depend on parameters."""

    t: Array
    q: Scalar
    v: Scalar
    a: Scalar


AnyMotion: TypeAlias = Motion | SlopedMotion
"""A motion of a whole machine, in numbers or with slopes."""


@dataclass(frozen=True)
class SlopedDemands:
    """What `MotionDemands` has, `Varied` where it depends on parameters.

    Args:
        motion: of the whole machine.
        tau: per speed the force, (T, n).
        series: all series by name, each (T,); slopes are those at fixed times.
        t: the times of the motion, `Varied` where the instants at which series jump depend on parameters.
    """

    motion: SlopedMotion
    tau: Scalar
    series: dict[str, Scalar]
    t: Scalar

    def __getitem__(self, name: str) -> Scalar:
        """A series by its name."""
        return self.series[name]


def demand_slopes(
    robot: Robot,
    motion: Trajectory,
    values: Mapping[str, float],
    *,
    laws: LawsOf = followable_laws,
    loads: Sequence[Law] = (),
    contact: Any = None,
    actuators: Any = None,
    samples: int | None = None,
    inputs: Any = None,
    states: Mapping[str, Scalar] | None = None,
) -> SlopedDemands:
    """What a motion asks of a robot, with its exact slopes by parameters.

    Args:
        robot: the robot.
        motion: a trajectory of all speeds or of the joints alone.
        values: per parameter path its value; not zero.
        laws: the laws of a robot; its own unless given.
        loads: as of `demands`.
        contact: likewise.
        actuators: its own motors unless given; () asks for torques alone.
        samples: as of `demands`.
        inputs: likewise.
        states: likewise; they may vary.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> found = demand_slopes(gw.load("elbow"), swing, {"link3.mass": 2.0}, samples=12)
    >>> found.series["j3.torque"].c[1].by["link3.mass"].shape
    (12,)
    """
    mech = machine_of("demand_slopes", robot)
    starts = states or {}
    plain_starts = {name: value_of(x) for name, x in starts.items()}
    given = Given((*laws(robot, mech), *loads), contact, actuators, inputs, plain_starts)
    plain = pursued(robot, mech, motion, given, samples)
    varied = with_parameters(robot, varied_parameters(values))
    machine = assemble(varied)
    there = setting(varied, machine, given._replace(laws=(*laws(varied, machine), *loads), states=starts))
    pieces = _varied_pieces(plain, there)
    return _gathered(plain, _varied_blocks(plain, there, pieces), varied_times(pieces))


def _varied_blocks(plain: Pursued, there: Setting, pieces: Sequence[Piece]) -> list[Block]:
    """The series of all pieces with their slopes."""
    drives, others = there.drives, _others(plain, there)
    forces = DemandedForces(there.case.system, (*drives.pushes, *others), drives.order)
    blocks = []
    for piece, settled in zip(pieces, plain.settled, strict=True):
        found = forces.varied(piece, settled.modes)
        blocks.append(block_of(piece, found, drives, others, there.closing))
    return blocks


def _others(plain: Pursued, there: Setting) -> tuple[Push, ...]:
    """Lines of what closes loops, which may vary, and of what nobody drives: any complement will do."""
    tied = tuple(Push(line, None) for line in there.closing.values())
    return (*tied, *plain.others[len(tied) :])


def _varied_pieces(plain: Pursued, there: Setting) -> list[Piece]:
    """The pieces of the motion with its slopes, which only shafts behind springs and states of laws have."""
    curves = _shaft_slopes(plain, there)
    system, trajectory = there.case.system, plain.trajectory
    moving = [_on(piece, curves, range(len(piece.motion))) for piece in plain.pieces]
    if trajectory is None:
        return [replace(piece, system=system) for piece in moving]
    way = Way(trajectory, curves, plain.inputs)
    return varied_states(moving, system, way)


def _on(piece: Piece, curves: Mapping[str, Trajectory], orders: Sequence[int]) -> Piece:
    """A piece whose motion has the slopes of curves."""
    if not curves:
        return piece
    inside = piece.t.copy()
    inside[-1] = np.nextafter(inside[-1], inside[0])  # from the left, as the motion itself
    return replace(
        piece,
        motion=[
            with_slopes(piece.motion[k], {name: curve.at(inside, k) for name, curve in curves.items()}) for k in orders
        ],
    )


def _shaft_slopes(plain: Pursued, there: Setting) -> dict[str, Trajectory]:
    """Per parameter the slopes of the motion of shafts behind springs, as polynomials of time."""
    whole = plain.trajectory
    if not isinstance(whole, WholeTrajectory):
        return {}
    if whole.shafts is None:
        return {}
    shafts = _varied_shafts(whole.shafts, there)
    if isinstance(shafts, BentShafts):
        found = shafts.slopes(there.case.system)
    else:
        found = [(t, slopes_of(x)) for t, x in shafts.values()]
    shapes = {name: slope.shape[1:] for _, slopes in found for name, slope in slopes.items()}
    return {
        name: joined([(t, slopes.get(name, np.zeros((len(t), *shape)))) for t, slopes in found])
        for name, shape in shapes.items()
    }


def _varied_shafts(shafts: LinearShafts | BentShafts, there: Setting) -> LinearShafts | BentShafts:
    system = there.case.system
    names = [law.name for law in shafts.pieces[0].system.laws]
    pushing = replace(system, laws=tuple(law for law in system.laws if law.name in names))
    pieces = varied_states(shafts.pieces, pushing, Way(shafts.joints, {}, shafts.inputs))
    loops = shafts.loops and replace(shafts.loops, lines=tuple(there.closing.values()))
    return replace(shafts, pieces=tuple(pieces), loops=loops)


def _gathered(plain: Pursued, blocks: Sequence[Block], times: Scalar) -> SlopedDemands:
    """All pieces, one after the other."""
    mech = plain.case.mech
    q, v, a, tau, missing = (
        chained([getattr(block, x) for block in blocks]) for x in ("q", "v", "a", "tau", "missing")
    )
    short = short_speeds(value_of(tau), value_of(missing), plain.solved)
    tau = tau + linear(lambda x: np.where(short, x, 0.0), missing)
    series = {TAU + name: column for name, column in zip(mech.speeds, columns_of(tau), strict=True)}
    series |= {name: chained([block.series[name] for block in blocks]) for name in blocks[0].series}
    t = np.concatenate([block.t for block in blocks])
    return SlopedDemands(SlopedMotion(t, q, v, a), tau, series, times)
