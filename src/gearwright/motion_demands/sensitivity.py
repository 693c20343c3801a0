r"""The demands of a motion with exact partial derivatives by parameters: `demands` evaluated with dual numbers.

Motions, modes of laws and smooth segments are those of the nominal robot. A small change of a parameter affects only
the motion of shafts behind springs, and the instants at which they reverse, where friction and losses are
discontinuous: the end times of a segment have derivatives too. Along a line with the speed s(t, p) the reversal is at
s = 0, and $dt/dp = -(\partial s / \partial p) / \dot s$. States of laws have derivatives along each segment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_columns, concatenate_arrays, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    dual,
    dual_parameters,
    map_linear,
    partials_of,
    primal_value,
)
from gearwright.algebra.differentiation.variational_equation import solve_variational_equation
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.forces import Law
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, assemble, machine_of
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuator_forces import ActuatorForces, ForceLine
from gearwright.motion_demands.demands import followable_laws
from gearwright.motion_demands.follow_motion import (
    DemandInputs,
    DemandSetup,
    FollowedMotion,
    demand_setup,
    follow_motion,
)
from gearwright.motion_demands.motion_segments.law_states import law_state_rates, law_states_along
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment
from gearwright.motion_demands.motion_segments.smooth_spans import reversing_line
from gearwright.motion_demands.result import SegmentSeries, segment_series, undriven_speeds
from gearwright.motion_demands.shaft_motion.linear_springs import LinearShafts
from gearwright.motion_demands.shaft_motion.nonlinear_spring_sensitivity import NonlinearShafts
from gearwright.motion_demands.shaft_motion.whole_motion import WholeTrajectory, join_segments
from gearwright.parts import Robot, with_parameters
from gearwright.system.inputs import FORCE_INPUT_PREFIX, InputSignals
from gearwright.system.system import System

# States of laws


@dataclass(frozen=True)
class SolutionPath:
    """A motion that may depend on parameters, with the inputs of the laws.

    Args:
        motion: the motion.
        partials: its partial derivatives by parameter, as polynomials of time.
        inputs: inputs of the laws over time.
    """

    motion: Trajectory
    partials: Mapping[str, Trajectory]
    inputs: InputSignals

    def coordinates_at(self, t: Array, derivative: int) -> list[Scalar]:
        """Return per coordinate its value, speed or acceleration at times (T,)."""
        slopes = {name: curve.at(t, derivative) for name, curve in self.partials.items()}
        return array_columns(dual(self.motion.at(t, derivative), slopes))


def with_state_partials(segments: Sequence[SmoothSegment], system: System, path: SolutionPath) -> list[SmoothSegment]:
    """Return segments of a motion on a machine with dual parameters, with the partials of the laws' states."""
    first = partials_of(stack_arrays([quantity.initial for quantity in system.states.values()], ()))
    result = []
    for segment in segments:
        slopes = _state_partials(segment, system, path, first) if system.states and len(segment.t) > 1 else {}
        result.append(replace(segment, system=system, states=dual(segment.states, slopes)))
        first = {name: x[-1] for name, x in slopes.items()} or first
    return result


def _state_partials(
    segment: SmoothSegment, system: System, path: SolutionPath, first: Mapping[str, Array]
) -> dict[str, Array]:
    """Return per parameter the partials of the states along a segment, (T, states)."""
    last = float(np.nextafter(segment.t[-1], segment.t[0]))  # the next segment starts at its end

    def rates(t: Array, states: list[Scalar]) -> list[Scalar]:
        inside = np.minimum(t, last)
        q, v, a = (path.coordinates_at(inside, k) for k in range(3))
        u = np.array([path.inputs.values_at(now) for now in inside.tolist()])
        return law_state_rates(system, DualOperations(ARRAYS), inside, StepState(q, v, states), list(u.T), a)

    def solution(t: Array) -> Array:
        times = np.concatenate([segment.t[:1], t])
        return law_states_along(segment.system, path.motion, times, segment.states[0].tolist(), path.inputs)[1:]

    return solve_variational_equation(rates, segment.t, solution, first)


# Instants of reversal

ZERO_SPEED_RATIO = 1e-9
"""Speed relative to the largest acceleration times a segment's duration below which it is zero."""


def segment_times(segments: Sequence[SmoothSegment]) -> Scalar:
    """Return the times of all segments, (T,), with partials at the ends between segments."""
    starts = np.cumsum([0, *(len(segment.t) for segment in segments)])
    slopes: dict[str, Array] = {}
    for (_, after), start in zip(pairwise(segments), starts[1:-1].tolist(), strict=True):
        for name, slope in _start_time_partials(after).items():
            slopes.setdefault(name, np.zeros(starts[-1]))[start - 1 : start + 1] = slope
    return dual(np.concatenate([segment.t for segment in segments]), slopes)


def _start_time_partials(segment: SmoothSegment) -> Mapping[str, float]:
    """Return per parameter the partial of a segment's start time; empty where the prescribed motion fixes it."""
    now = segment.samples_at([0]).values
    kinematics = SharedKinematics(segment.system.mech, now.x.q, now.x.v, DualOperations(FLOATS), now.t)
    for line in filter(None, map(reversing_line, segment.system.laws)):
        placed = line.placed_in(kinematics)
        speed, rate = placed.speed(now.x.v), primal_value(placed.acceleration(now.a))
        if partials_of(speed) and abs(primal_value(speed)) <= ZERO_SPEED_RATIO * abs(rate) * (
            segment.t[-1] - segment.t[0]
        ):
            return {name: -float(slope) / rate for name, slope in partials_of(speed).items()}
    return {}


# Demands

LawsOfRobot: TypeAlias = Callable[[Robot, Mechanism], Sequence[Law]]
"""The laws of a robot, whose parameters may be dual numbers."""


class MotionWithPartials(NamedTuple):
    """A motion as in `Motion`: times (T,), and arrays (T, n) that are `Dual` where they depend on parameters."""

    t: Array
    q: Scalar
    v: Scalar
    a: Scalar


MotionType: TypeAlias = Motion | MotionWithPartials
"""A motion of a whole machine, with or without partial derivatives."""


@dataclass(frozen=True)
class DemandsWithPartials:
    """The values of `MotionDemands`, `Dual` where they depend on parameters.

    Args:
        motion: motion of the whole machine.
        tau: generalized forces, (T, n).
        series: all series by name, each (T,); partial derivatives are at fixed times.
        t: the times of the motion, `Dual` where the instants of discontinuities depend on parameters.
    """

    motion: MotionWithPartials
    tau: Scalar
    series: dict[str, Scalar]
    t: Scalar

    def __getitem__(self, name: str) -> Scalar:
        """A series by its name."""
        return self.series[name]


def demand_partials(
    robot: Robot,
    motion: Trajectory,
    values: Mapping[str, float],
    *,
    laws: LawsOfRobot = followable_laws,
    extra_laws: Sequence[Law] = (),
    contact: Any = None,
    actuators: Any = None,
    samples: int | None = None,
    inputs: Any = None,
    states: Mapping[str, Scalar] | None = None,
) -> DemandsWithPartials:
    """Return the demands of a motion on a robot, with exact partial derivatives by parameters.

    Args:
        robot: the robot.
        motion: a trajectory of all speeds or of the joints alone.
        values: value of each parameter by its path; not zero.
        laws: the laws of a robot; its own unless given.
        extra_laws: additional laws, as in `demands`.
        contact: as in `demands`.
        actuators: its own motors unless given; () computes torques only.
        samples: as in `demands`.
        inputs: as in `demands`.
        states: as in `demands`; they may be dual numbers.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> result = demand_partials(gw.load("elbow"), swing, {"link3.mass": 2.0}, samples=12)
    >>> result.series["j3.torque"].c[1].by["link3.mass"].shape
    (12,)
    """
    mech = machine_of("demand_partials", robot)
    starts = states or {}
    plain_starts = {name: primal_value(x) for name, x in starts.items()}
    problem_inputs = DemandInputs((*laws(robot, mech), *extra_laws), contact, actuators, inputs, plain_starts)
    nominal = follow_motion(robot, mech, motion, problem_inputs, samples)
    varied_robot = with_parameters(robot, dual_parameters(values))
    machine = assemble(varied_robot)
    varied_setup = demand_setup(
        varied_robot, machine, problem_inputs._replace(laws=(*laws(varied_robot, machine), *extra_laws), states=starts)
    )
    segments = _dual_segments(nominal, varied_setup)
    return _gather_partials(nominal, _dual_series(nominal, varied_setup, segments), segment_times(segments))


def _dual_series(nominal: FollowedMotion, setup: DemandSetup, segments: Sequence[SmoothSegment]) -> list[SegmentSeries]:
    """Return the series of all segments with their partials."""
    drives, undriven = setup.drives, _undriven_lines(nominal, setup)
    forces = ActuatorForces(setup.problem.system, (*drives.force_lines, *undriven), drives.order)
    blocks = []
    for segment, segment_forces in zip(segments, nominal.segment_forces, strict=True):
        dual_forces = forces.dual_forces(segment, segment_forces.modes)
        blocks.append(segment_series(segment, dual_forces, drives, undriven, setup.closing_lines))
    return blocks


def _undriven_lines(nominal: FollowedMotion, setup: DemandSetup) -> tuple[ForceLine, ...]:
    """Return the lines of loop constraints, which may be dual, and the undriven lines (any complement)."""
    tied = tuple(ForceLine(line, None) for line in setup.closing_lines.values())
    return (*tied, *nominal.undriven_lines[len(tied) :])


def _dual_segments(nominal: FollowedMotion, setup: DemandSetup) -> list[SmoothSegment]:
    """Return the segments of the motion with partials of shafts behind springs and of the laws' states."""
    curves = _shaft_partials(nominal, setup)
    system, trajectory = setup.problem.system, nominal.trajectory
    moving = [_with_motion_partials(segment, curves, range(len(segment.motion))) for segment in nominal.segments]
    if trajectory is None:
        return [replace(segment, system=system) for segment in moving]
    path = SolutionPath(trajectory, curves, nominal.inputs)
    return with_state_partials(moving, system, path)


def _with_motion_partials(
    segment: SmoothSegment, curves: Mapping[str, Trajectory], orders: Sequence[int]
) -> SmoothSegment:
    """Return a segment whose motion has the partials given by curves."""
    if not curves:
        return segment
    inside = segment.t.copy()
    inside[-1] = np.nextafter(inside[-1], inside[0])  # left-sided, as the motion itself
    return replace(
        segment,
        motion=[dual(segment.motion[k], {name: curve.at(inside, k) for name, curve in curves.items()}) for k in orders],
    )


def _shaft_partials(nominal: FollowedMotion, setup: DemandSetup) -> dict[str, Trajectory]:
    """Return per parameter the partials of the motion of shafts behind springs, as polynomials of time."""
    whole = nominal.trajectory
    if not isinstance(whole, WholeTrajectory):
        return {}
    if whole.shafts is None:
        return {}
    shafts = _dual_shafts(whole.shafts, setup)
    if isinstance(shafts, NonlinearShafts):
        partials = shafts.motion_partials(setup.problem.system)
    else:
        partials = [(t, partials_of(x)) for t, x in shafts.motion_derivatives()]
    shapes = {name: slope.shape[1:] for _, slopes in partials for name, slope in slopes.items()}
    return {
        name: join_segments([(t, slopes.get(name, np.zeros((len(t), *shape)))) for t, slopes in partials])
        for name, shape in shapes.items()
    }


def _dual_shafts(shafts: LinearShafts | NonlinearShafts, setup: DemandSetup) -> LinearShafts | NonlinearShafts:
    system = setup.problem.system
    names = [law.name for law in shafts.segments[0].system.laws]
    pushing = replace(system, laws=tuple(law for law in system.laws if law.name in names))
    segments = with_state_partials(shafts.segments, pushing, SolutionPath(shafts.joints, {}, shafts.inputs))
    loops = shafts.loops and replace(shafts.loops, lines=tuple(setup.closing_lines.values()))
    return replace(shafts, segments=tuple(segments), loops=loops)


def _gather_partials(nominal: FollowedMotion, blocks: Sequence[SegmentSeries], times: Scalar) -> DemandsWithPartials:
    """Concatenate all segments."""
    mech = nominal.problem.mech
    q, v, a, tau, missing = (
        concatenate_arrays([getattr(block, x) for block in blocks]) for x in ("q", "v", "a", "tau", "missing")
    )
    is_undriven = undriven_speeds(primal_value(tau), primal_value(missing), nominal.solved_speeds)
    tau = tau + map_linear(lambda x: np.where(is_undriven, x, 0.0), missing)
    series = {FORCE_INPUT_PREFIX + name: column for name, column in zip(mech.speeds, array_columns(tau), strict=True)}
    series |= {name: concatenate_arrays([block.series[name] for block in blocks]) for name in blocks[0].series}
    t = np.concatenate([block.t for block in blocks])
    return DemandsWithPartials(MotionWithPartials(t, q, v, a), tau, series, times)
