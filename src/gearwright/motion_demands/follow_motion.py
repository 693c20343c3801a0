"""A prescribed motion with its smooth segments, the modes of the laws, and the required forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.forces import Line
from gearwright.functions.constrained.closure import DEPENDENT_ROW_RATIO
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.actuator_forces import ActuatorForces, ForceLine
from gearwright.motion_demands.actuators import undriven_lines
from gearwright.motion_demands.given_contact_forces import require_closed_motion, require_determined_forces
from gearwright.motion_demands.motion_segments.law_states import initial_law_states, raise_if_modes_and_states
from gearwright.motion_demands.motion_segments.loop_forces import LoopClosure
from gearwright.motion_demands.motion_segments.smooth_segments import (
    SmoothSegment,
    all_samples,
    cut_into_segments,
    line_rows,
    recorded_segment,
)
from gearwright.motion_demands.problem import DemandProblem
from gearwright.motion_demands.shaft_motion.whole_motion import WholeTrajectory, trajectory_of, whole_motion
from gearwright.system.inputs import InputSignals, gather_inputs
from gearwright.system.system import Modes

DEFAULT_DEMAND_SAMPLES = 501
"""Default number of times at which a trajectory is evaluated."""


@dataclass(frozen=True)
class FollowedMotion:
    """A motion with the required forces and the modes of the laws.

    Args:
        problem: the machine with its laws and actuators.
        segments: smooth segments of the motion of the whole machine.
        inputs: inputs of the laws over time.
        trajectory: the motion of the whole machine; None where samples of a recording are used unchanged.
        other_lines: lines in addition to those of the actuators: of loop constraints, and undriven ones.
        forces: forces along all lines and their derivatives over all segments, each (T, lines).
        modes: the modes of the laws at every time.
    """

    problem: DemandProblem
    segments: Sequence[SmoothSegment]
    inputs: InputSignals
    trajectory: Trajectory | None
    other_lines: tuple[ForceLine, ...]
    forces: Sequence[Scalar]
    modes: Sequence[Modes]

    @property
    def solved_speeds(self) -> frozenset[int]:
        """The speeds whose equations determined the motion of shafts."""
        return _solved_speeds(self.trajectory)


def follow_motion(problem: DemandProblem, motion: Any, samples: int | None) -> FollowedMotion:
    """Return the forces and modes along a motion."""
    mech, system, drives, closing_lines = problem.mech, problem.system, problem.drives, problem.closing_lines
    raise_if_modes_and_states(system)
    start = initial_law_states(system, problem.states, drives.temperature_states)
    initial_inputs = {quantity.name: quantity.initial for quantity in system.inputs.values()}
    inputs = gather_inputs(mech, initial_inputs, problem.inputs)
    segments, trajectory = _motion_segments(problem, motion, inputs, start, samples)
    all_rows = all_samples(segments)
    other_lines = tuple(undriven_lines(mech, drives.demands))
    if closing_lines:
        closing_forces = tuple(ForceLine(line, None) for line in closing_lines.values())
        solved_lines = tuple(
            ForceLine(Line.for_machine(mech, mech.speeds[k]), None) for k in sorted(_solved_speeds(trajectory))
        )
        known_lines = (*closing_forces, *solved_lines)
        other_lines = (*known_lines, *_completing_lines(other_lines, (*drives.force_lines, *known_lines), all_rows))
        require_determined_forces(mech, (*drives.force_lines, *solved_lines), closing_lines, all_rows.motion[0][0])
        require_closed_motion(all_rows, closing_lines)
    balance = ActuatorForces(system, (*drives.force_lines, *other_lines), drives.order)
    forces, modes = balance.forces_and_modes(all_rows, [x for segment in segments for x in segment.first_modes])
    return FollowedMotion(problem, segments, inputs, trajectory, other_lines, forces, modes)


def _completing_lines(idle: Sequence[ForceLine], known: Sequence[ForceLine], samples: SmoothSegment) -> list[ForceLine]:
    """Return as many undriven lines as the known ones lack to span all generalized forces at the start."""
    from scipy.linalg import qr

    rows, idle_rows = (
        np.array([line_rows(push.line, samples)[0] for push in lines]).reshape(len(lines), samples.system.mech.n)
        for lines in (known, idle)
    )
    _, sizes, directions = np.linalg.svd(rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-300))
    missing = directions[int((sizes > DEPENDENT_ROW_RATIO * sizes.max(initial=0.0)).sum()) :]
    beyond = idle_rows @ missing.T
    if not beyond.size:
        return []
    _, _, order = qr(beyond.T, mode="economic", pivoting=True)
    return [idle[k] for k in sorted(order[: len(missing)])]


def _motion_segments(
    problem: DemandProblem, motion: Any, inputs: InputSignals, start: list[float], samples: int | None
) -> tuple[Sequence[SmoothSegment], Trajectory | None]:
    """Return the motion of the whole machine: samples unchanged where sufficient, otherwise smooth segments."""
    mech, system, drives = problem.mech, problem.system, problem.drives
    if isinstance(motion, Motion) and samples is None and not drives.order and _has_all_rows(mech, motion):
        return [recorded_segment(system, motion, inputs, start)], None
    trajectory, count = trajectory_of(mech, motion), samples or DEFAULT_DEMAND_SAMPLES
    if trajectory.count < mech.n:
        state_values = dict(zip(system.states, start, strict=True))
        loops = LoopClosure.from_lines(
            mech, tuple(problem.closing_lines.values()), [line.line for line in drives.force_lines]
        )
        trajectory = whole_motion(system, trajectory, problem.inputs, state_values, drives.order, 2 * count, loops)
    extra_times = trajectory.settling_times if isinstance(trajectory, WholeTrajectory) else ()
    return list(cut_into_segments(system, trajectory, inputs, start, drives.order, count, extra_times)), trajectory


def _solved_speeds(trajectory: Trajectory | None) -> frozenset[int]:
    return trajectory.solved_speeds if isinstance(trajectory, WholeTrajectory) else frozenset()


def _has_all_rows(mech: Mechanism, motion: Motion) -> bool:
    """Whether samples have all coordinates, speeds and accelerations."""
    shapes = [(len(motion.t), mech.nq), (len(motion.t), mech.n), (len(motion.t), mech.n)]
    return [np.shape(x) for x in (motion.q, motion.v, motion.a)] == shapes
