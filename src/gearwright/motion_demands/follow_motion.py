"""A prescribed motion with its smooth segments, the modes of the laws, and the required forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gearwright.forces import Law, Line
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuator_forces import ActuatorForces, ForceLine, SegmentForces
from gearwright.motion_demands.actuators import (
    ActuatorDemand,
    DriveInverses,
    actuator_demands,
    motor_demands,
    motor_torque_demands,
    undriven_lines,
)
from gearwright.motion_demands.given_contact_forces import (
    require_closed_motion,
    require_determined_forces,
    with_contact_forces,
)
from gearwright.motion_demands.motion_segments.law_states import initial_law_states, raise_if_modes_and_states
from gearwright.motion_demands.motion_segments.loop_forces import LoopClosure
from gearwright.motion_demands.motion_segments.smooth_segments import (
    SmoothSegment,
    cut_into_segments,
    line_rows,
    recorded_segment,
)
from gearwright.motion_demands.motion_segments.smooth_spans import TIME_ROUNDING_RATIO
from gearwright.motion_demands.result import DemandProblem, SegmentSeries, segment_series
from gearwright.motion_demands.shaft_motion.whole_motion import WholeTrajectory, trajectory_of, whole_motion
from gearwright.parts import Robot
from gearwright.system.inputs import InputSignals, gather_inputs
from gearwright.system.system import System

DEFAULT_DEMAND_SAMPLES = 501
"""Default number of times at which a trajectory is evaluated."""


class DemandInputs(NamedTuple):
    """The arguments of `demands` other than machine and motion; `laws` are all acting laws."""

    laws: tuple[Law, ...]
    contact: Any = None
    actuators: Any = None
    inputs: Any = None
    states: Mapping[str, float] = {}


class DemandSetup(NamedTuple):
    """A machine with its laws and actuators.

    Args:
        problem: the machine with its laws.
        drives: its actuators.
        inputs: inputs of the laws, with forces of contacts, as given by the user.
        closing_lines: lines of the constraint forces that are not given.
    """

    problem: DemandProblem
    drives: DriveInverses
    inputs: Any
    closing_lines: dict[str, Line]


def demand_setup(robot: Robot | Mechanism, mech: Mechanism, problem_inputs: DemandInputs) -> DemandSetup:
    """Return the machine with the given laws, with contacts and constraints replaced by their forces."""
    laws, inputs, closing_lines = with_contact_forces(
        mech, problem_inputs.laws, problem_inputs.contact, problem_inputs.inputs
    )
    problem = DemandProblem(
        robot, mech, _actuator_demands(robot, mech, problem_inputs.actuators, problem_inputs.states), System(mech, laws)
    )
    return DemandSetup(problem, DriveInverses(problem.demands), inputs, closing_lines)


@dataclass(frozen=True)
class FollowedMotion:
    """A motion with the required forces and the modes of the laws.

    Args:
        setup: the machine with its laws and actuators.
        segments: smooth segments of the motion of the whole machine.
        inputs: inputs of the laws over time.
        trajectory: the motion of the whole machine; None where samples of a recording are used unchanged.
        undriven_lines: lines in addition to those of the actuators: of loop constraints, and undriven ones.
        segment_forces: per segment the forces along all lines, and the modes of the laws.
    """

    setup: DemandSetup
    segments: Sequence[SmoothSegment]
    inputs: InputSignals
    trajectory: Trajectory | None
    undriven_lines: tuple[ForceLine, ...]
    segment_forces: Sequence[SegmentForces]

    @property
    def problem(self) -> DemandProblem:
        """The machine with its laws."""
        return self.setup.problem

    @property
    def solved_speeds(self) -> frozenset[int]:
        """The speeds whose equations determined the motion of shafts."""
        return _solved_speeds(self.trajectory)

    def segment_series(self) -> list[SegmentSeries]:
        """All series, segment by segment."""
        drives, closing_lines = self.setup.drives, self.setup.closing_lines
        pairs = zip(self.segments, self.segment_forces, strict=True)
        return [
            segment_series(segment, forces.forces, drives, self.undriven_lines, closing_lines)
            for segment, forces in pairs
        ]


def follow_motion(
    robot: Robot | Mechanism, mech: Mechanism, motion: Any, problem_inputs: DemandInputs, samples: int | None
) -> FollowedMotion:
    """Return the forces and modes along a motion."""
    setup = demand_setup(robot, mech, problem_inputs)
    problem, drives, closing_lines = setup.problem, setup.drives, setup.closing_lines
    raise_if_modes_and_states(problem.system)
    start = initial_law_states(problem.system, problem_inputs.states, drives.temperature_states)
    inputs = gather_inputs(
        mech, {quantity.name: quantity.initial for quantity in problem.system.inputs.values()}, setup.inputs
    )
    segments, trajectory = _motion_segments(setup, motion, inputs, start, samples)
    solved_lines = tuple(
        ForceLine(Line.for_machine(mech, mech.speeds[k]), None) for k in sorted(_solved_speeds(trajectory))
    )
    closing_forces = tuple(ForceLine(line, None) for line in closing_lines.values())
    idle = undriven_lines(mech, problem.demands)
    undriven = (
        (*closing_forces, *solved_lines, *_untouched_by_loops(idle, closing_lines, segments))
        if closing_lines
        else tuple(idle)
    )
    if closing_lines:
        require_determined_forces(mech, (*drives.force_lines, *solved_lines), closing_lines, segments[0].motion[0][0])
        require_closed_motion(segments, closing_lines)
    forces = ActuatorForces(problem.system, (*drives.force_lines, *undriven), drives.order)
    return FollowedMotion(
        setup, segments, inputs, trajectory, undriven, [forces.forces_and_modes(segment) for segment in segments]
    )


def _untouched_by_loops(
    idle: Sequence[ForceLine], closing_lines: Mapping[str, Line], segments: Sequence[SmoothSegment]
) -> Iterator[ForceLine]:
    """Yield the undriven lines at speeds on which no loop constraint acts."""
    rows = [np.abs(line_rows(line, segment)).max(axis=0) for segment in segments for line in closing_lines.values()]
    acted_on = np.max(rows, axis=0) > TIME_ROUNDING_RATIO * np.max(rows)
    return (push for push in idle if not any(acted_on[k] for k, _ in push.line.terms))


def _actuator_demands(
    robot: Robot | Mechanism, mech: Mechanism, actuators: Any, start: Mapping[str, float]
) -> list[ActuatorDemand]:
    if actuators is None:
        return motor_demands(robot if isinstance(robot, Robot) else None, mech, start)
    return actuator_demands(actuators) or motor_torque_demands(mech)


def _motion_segments(
    setup: DemandSetup, motion: Any, inputs: InputSignals, start: list[float], samples: int | None
) -> tuple[Sequence[SmoothSegment], Trajectory | None]:
    """Return the motion of the whole machine: samples unchanged where sufficient, otherwise smooth segments."""
    (_, mech, _, system), drives = setup.problem, setup.drives
    if isinstance(motion, Motion) and samples is None and not drives.order and _has_all_rows(mech, motion):
        return [recorded_segment(system, motion, inputs, start)], None
    trajectory, count = trajectory_of(mech, motion), samples or DEFAULT_DEMAND_SAMPLES
    if trajectory.count < mech.n:
        state_values = dict(zip(system.states, start, strict=True))
        loops = LoopClosure.from_lines(
            mech, tuple(setup.closing_lines.values()), [line.line for line in drives.force_lines]
        )
        trajectory = whole_motion(system, trajectory, setup.inputs, state_values, drives.order, 2 * count, loops)
    extra_times = trajectory.settling_times if isinstance(trajectory, WholeTrajectory) else ()
    return list(cut_into_segments(system, trajectory, inputs, start, drives.order, count, extra_times)), trajectory


def _solved_speeds(trajectory: Trajectory | None) -> frozenset[int]:
    return trajectory.solved_speeds if isinstance(trajectory, WholeTrajectory) else frozenset()


def _has_all_rows(mech: Mechanism, motion: Motion) -> bool:
    """Whether samples have all coordinates, speeds and accelerations."""
    shapes = [(len(motion.t), mech.nq), (len(motion.t), mech.n), (len(motion.t), mech.n)]
    return [np.shape(x) for x in (motion.q, motion.v, motion.a)] == shapes
