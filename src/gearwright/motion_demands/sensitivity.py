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
from typing import Any, TypeAlias

import numpy as np

from gearwright.algebra import ARRAYS, FLOATS, Scalar
from gearwright.algebra.differentiation.dual_arrays import array_columns, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    dual,
    dual_parameters,
    partials_of,
    primal_value,
)
from gearwright.algebra.differentiation.variational_equation import solve_variational_equation
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.forces import Law
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism, assemble_tree, tree_of
from gearwright.motion import Trajectory
from gearwright.motion_demands.actuator_forces import ActuatorForces, ForceLine
from gearwright.motion_demands.demands import followable_laws
from gearwright.motion_demands.follow_motion import FollowedMotion, follow_motion
from gearwright.motion_demands.motion_segments.law_states import law_state_rates, law_states_along
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment, all_samples
from gearwright.motion_demands.motion_segments.smooth_spans import reversing_line
from gearwright.motion_demands.problem import DemandProblem, demand_problem
from gearwright.motion_demands.result import MotionDemands, gather_demands
from gearwright.motion_demands.shaft_motion.linear_springs import LinearShafts
from gearwright.motion_demands.shaft_motion.nonlinear_spring_sensitivity import NonlinearShafts
from gearwright.motion_demands.shaft_motion.whole_motion import WholeTrajectory, join_segments
from gearwright.parts import Robot, with_parameters
from gearwright.system.inputs import InputSignals
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
    start_of: Callable[[MotionDemands], Mapping[str, Scalar]] | None = None,
) -> MotionDemands:
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
        start_of: as in `solve_demands`; the initial temperatures may be dual numbers.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
    >>> result = demand_partials(gw.load("elbow"), swing, {"link3.mass": 2.0}, samples=12)
    >>> result.series["j3.torque"].c[1].by["link3.mass"].shape
    (12,)
    """
    mech = tree_of("demand_partials", robot)
    starts = states or {}
    conditions = {"contact": contact, "actuators": actuators, "inputs": inputs}
    plain_starts = {name: primal_value(x) for name, x in starts.items()}
    nominal_laws = (*laws(robot, mech), *extra_laws)
    nominal = follow_motion(
        demand_problem(robot, mech, nominal_laws, states=plain_starts, **conditions), motion, samples
    )
    dual_robot = with_parameters(robot, dual_parameters(values))
    machine = assemble_tree(dual_robot)
    dual_laws = (*laws(dual_robot, machine), *extra_laws)
    problem = demand_problem(dual_robot, machine, dual_laws, states=starts, **conditions)
    segments = _dual_segments(nominal, problem)
    other_lines = _dual_lines(nominal, problem)
    balance = ActuatorForces(problem.system, (*problem.drives.force_lines, *other_lines), problem.drives.order)
    forces = balance.dual_forces(all_samples(segments), nominal.modes)

    def gather(problem: DemandProblem) -> MotionDemands:
        found = gather_demands(problem, segments, forces, other_lines, bounds={}, solved_speeds=nominal.solved_speeds)
        return replace(found, time_partials=partials_of(segment_times(segments)))

    start: Mapping[str, Scalar] = {}
    if start_of is not None and problem.drives.temperature_states:
        start = start_of(gather(replace(problem, drives=problem.drives.at_initial_temperatures())))
    if start:
        problem = demand_problem(dual_robot, machine, dual_laws, states={**starts, **start}, **conditions)
    return gather(problem)


def _dual_lines(nominal: FollowedMotion, problem: DemandProblem) -> tuple[ForceLine, ...]:
    """Return the lines of loop constraints, which may be dual, and the undriven lines (any complement)."""
    tied = tuple(ForceLine(line, None) for line in problem.closing_lines.values())
    return (*tied, *nominal.other_lines[len(tied) :])


def _dual_segments(nominal: FollowedMotion, problem: DemandProblem) -> list[SmoothSegment]:
    """Return the segments of the motion with partials of shafts behind springs and of the laws' states."""
    curves = _shaft_partials(nominal, problem)
    system, trajectory = problem.system, nominal.trajectory
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


def _shaft_partials(nominal: FollowedMotion, problem: DemandProblem) -> dict[str, Trajectory]:
    """Return per parameter the partials of the motion of shafts behind springs, as polynomials of time."""
    whole = nominal.trajectory
    if not isinstance(whole, WholeTrajectory):
        return {}
    if whole.shafts is None:
        return {}
    shafts = _dual_shafts(whole.shafts, problem)
    if isinstance(shafts, NonlinearShafts):
        partials = shafts.motion_partials(problem.system)
    else:
        partials = [(t, partials_of(x)) for t, x in shafts.motion_derivatives()]
    shapes = {name: slope.shape[1:] for _, slopes in partials for name, slope in slopes.items()}
    return {
        name: join_segments([(t, slopes.get(name, np.zeros((len(t), *shape)))) for t, slopes in partials])
        for name, shape in shapes.items()
    }


def _dual_shafts(shafts: LinearShafts | NonlinearShafts, problem: DemandProblem) -> LinearShafts | NonlinearShafts:
    system = problem.system
    names = [law.name for law in shafts.segments[0].system.laws]
    pushing = replace(system, laws=tuple(law for law in system.laws if law.name in names))
    segments = with_state_partials(shafts.segments, pushing, SolutionPath(shafts.joints, {}, shafts.inputs))
    loops = shafts.loops and replace(shafts.loops, lines=tuple(problem.closing_lines.values()))
    return replace(shafts, segments=tuple(segments), loops=loops)
