r"""The demands of a motion with exact partial derivatives by parameters: the equations of `demands` over dual numbers.

Motions, modes of laws and smooth segments are those of the nominal robot. A small change of a parameter moves none of
them but shafts behind springs, and with these the instants at which they reverse, where friction and losses jump: the
times of a segment's ends have derivatives too. Along a line with the speed s(t, p) the reversal is at s = 0, so that
$dt/dp = -(\partial s / \partial p) / \dot s$. States of laws have derivatives along each segment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import chained, columns_of, stacked
from gearwright.algebra.differentiation.dual_numbers import (
    VariedOperations,
    linear,
    slopes_of,
    value_of,
    varied_parameters,
    with_slopes,
)
from gearwright.algebra.differentiation.variational_equation import slopes_along
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import Moving
from gearwright.forces.law import Law
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism, assemble, machine_of
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuator_forces import DemandedForces, Push
from gearwright.motion_demands.demands import followable_laws
from gearwright.motion_demands.follow_motion import Given, Pursued, Setting, pursued, setting
from gearwright.motion_demands.motion_segments.law_states import state_rates, states_along
from gearwright.motion_demands.motion_segments.smooth_segments import Piece, turning_lines
from gearwright.motion_demands.result import Block, block_of, short_speeds
from gearwright.motion_demands.shaft_motion.linear_springs import LinearShafts
from gearwright.motion_demands.shaft_motion.nonlinear_spring_sensitivity import BentShafts
from gearwright.motion_demands.shaft_motion.whole_motion import WholeTrajectory, joined
from gearwright.parts import Robot, with_parameters
from gearwright.system.inputs import TAU, Inputs
from gearwright.system.system import System

# States of laws


@dataclass(frozen=True)
class Way:
    """A motion that may depend on parameters, with the inputs of laws along it.

    Args:
        motion: the motion.
        slopes: per parameter its slopes, as polynomials of time.
        inputs: inputs of the laws over time.
    """

    motion: Trajectory
    slopes: Mapping[str, Trajectory]
    inputs: Inputs

    def at(self, t: Array, derivative: int) -> list[Scalar]:
        """Per coordinate its value, speed or acceleration at times (T,)."""
        slopes = {name: curve.at(t, derivative) for name, curve in self.slopes.items()}
        return columns_of(with_slopes(self.motion.at(t, derivative), slopes))


def varied_states(pieces: Sequence[Piece], system: System, way: Way) -> list[Piece]:
    """Pieces of a motion on a machine that varies, with the slopes of the states of its laws."""
    first = slopes_of(stacked([one.initial for one in system.states.values()], ()))
    found = []
    for piece in pieces:
        slopes = _slopes(piece, system, way, first) if system.states and len(piece.t) > 1 else {}
        found.append(replace(piece, system=system, states=with_slopes(piece.states, slopes)))
        first = {name: x[-1] for name, x in slopes.items()} or first
    return found


def _slopes(piece: Piece, system: System, way: Way, first: Mapping[str, Array]) -> dict[str, Array]:
    """Per parameter the slopes of the states along a piece, (T, states)."""
    last = float(np.nextafter(piece.t[-1], piece.t[0]))  # what comes after the piece is another motion

    def rates(t: Array, states: list[Scalar]) -> list[Scalar]:
        inside = np.minimum(t, last)
        q, v, a = (way.at(inside, k) for k in range(3))
        u = np.array([way.inputs.at(now) for now in inside.tolist()])
        return state_rates(system, VariedOperations(ARRAYS), inside, Moving(q, v, states), list(u.T), a)

    def solution(t: Array) -> Array:
        times = np.concatenate([piece.t[:1], t])
        return states_along(piece.system, way.motion, times, piece.states[0].tolist(), way.inputs)[1:]

    return slopes_along(rates, piece.t, solution, first)


# Instants of reversal

TURNING = 1e-9
"""Share of the largest acceleration times a piece's duration below which a speed is zero."""


def varied_times(pieces: Sequence[Piece]) -> Scalar:
    """The times of all pieces, (T,), with slopes where one piece ends and the next begins."""
    starts = np.cumsum([0, *(len(piece.t) for piece in pieces)])
    slopes: dict[str, Array] = {}
    for (_, after), start in zip(pairwise(pieces), starts[1:-1].tolist(), strict=True):
        for name, slope in _slopes_of_start(after).items():
            slopes.setdefault(name, np.zeros(starts[-1]))[start - 1 : start + 1] = slope
    return with_slopes(np.concatenate([piece.t for piece in pieces]), slopes)


def _slopes_of_start(piece: Piece) -> Mapping[str, float]:
    """Per parameter the slope of the time at which a piece begins; none where the motion itself ends a piece there."""
    now = piece.some([0]).numbers
    scene = Scene(piece.system.mech, now.x.q, now.x.v, VariedOperations(FLOATS), now.t)
    for line in turning_lines(piece.system):
        placed = line.placed(scene)
        speed, rate = placed.speed(now.x.v), value_of(placed.acceleration(now.a))
        if slopes_of(speed) and abs(value_of(speed)) <= TURNING * abs(rate) * (piece.t[-1] - piece.t[0]):
            return {name: -float(slope) / rate for name, slope in slopes_of(speed).items()}
    return {}


# Demands

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
    extra_laws: Sequence[Law] = (),
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
        extra_laws: laws beside those, as of `demands`.
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
    given = Given((*laws(robot, mech), *extra_laws), contact, actuators, inputs, plain_starts)
    plain = pursued(robot, mech, motion, given, samples)
    varied = with_parameters(robot, varied_parameters(values))
    machine = assemble(varied)
    there = setting(varied, machine, given._replace(laws=(*laws(varied, machine), *extra_laws), states=starts))
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
