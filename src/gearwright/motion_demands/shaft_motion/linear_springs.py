"""The motion of shafts behind linear springs, and the external forces in the equations that determine it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import ARRAYS, Scalar
from gearwright.algebra.differentiation.dual_arrays import (
    array_columns,
    array_item,
    concatenate_arrays,
    stack_arrays,
)
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    primal_value,
    time_derivative,
    time_derivatives,
)
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import ACCELERATION_ORDER, LawForces, first_shaft, solve_motion_series
from gearwright.dynamics.integration_steps import StepState
from gearwright.functions.elastic.shaft_equations import ShaftPlan
from gearwright.motion import Trajectory
from gearwright.motion_demands.motion_segments.law_states import law_state_series
from gearwright.motion_demands.motion_segments.loop_forces import LoopClosure
from gearwright.motion_demands.motion_segments.smooth_segments import (
    SmoothSegment,
    all_samples,
    segment_slices,
    times_by_modes,
)
from gearwright.motion_demands.motion_segments.time_series import (
    coefficient_series,
    series_at_times,
    series_coefficients,
)
from gearwright.system.inputs import InputSignals
from gearwright.system.system import Modes


@dataclass(frozen=True)
class LinearShafts:
    """The motion of shafts behind linear springs, computed from that of the joints.

    Args:
        plan: assignment of equations to shafts.
        joints: the motion of the joints, with shafts at rest.
        inputs: inputs of the laws over time.
        segments: the motion of the joints in smooth segments, with the laws at the joints.
        order: number of derivatives of the shafts' motion beyond their accelerations.
        loops: loop constraints of the machine.
    """

    plan: ShaftPlan
    joints: Trajectory
    inputs: InputSignals
    segments: tuple[SmoothSegment, ...]
    order: int
    loops: LoopClosure | None

    def motion_derivatives(self) -> list[tuple[Array, Scalar]]:
        """Return per segment its times and the motion of the whole machine with derivatives, (T, order + 3, n)."""
        modes = [modes for segment in self.segments for modes in [segment.likely_modes] * len(segment.t)]
        motion = _with_shafts(all_samples(self.segments), modes, self.plan, self.order, self.loops)
        return [
            (x.t, array_item(motion, part))
            for x, part in zip(self.segments, segment_slices(self.segments), strict=True)
        ]


def _with_shafts(
    segment: SmoothSegment, modes: Sequence[Modes], plan: ShaftPlan, order: int, loops: LoopClosure | None
) -> Scalar:
    """Return the motion of the whole machine with its derivatives in known modes, (T, order + 3, n)."""
    mech = segment.system.mech
    derivatives = [[x[:, k] for k in range(first_shaft(mech))] for x in segment.motion[: plan.order + 1]]
    series = solve_motion_series(
        mech, plan.steps, derivatives, ARRAYS, law_forces=external_forces(segment, modes, plan, loops)
    )
    columns = [time_derivatives(coordinate, order + ACCELERATION_ORDER + 1) for coordinate in series]
    return stack_arrays(
        [stack_arrays(column, segment.t.shape) for column in columns], (len(segment.t), order + ACCELERATION_ORDER + 1)
    )


def external_forces(
    segment: SmoothSegment, modes: Sequence[Modes], plan: ShaftPlan, loops: LoopClosure | None
) -> LawForces:
    """Return the forces of laws, in known modes at every time, and of loop constraints."""
    mech = segment.system.mech

    def forces(q: Sequence[Scalar], required: Sequence[Scalar]) -> list[Scalar]:
        law_forces = _law_forces_by_modes(segment, modes, q)
        if loops is None:
            return law_forces
        remaining = [x - y for x, y in zip(required, law_forces, strict=True)]
        closing = loops.closing_forces(mech, plan.idle, segment.t, q, remaining)
        return [x + y for x, y in zip(closing, law_forces, strict=True)]

    return forces


def _law_forces_by_modes(segment: SmoothSegment, modes: Sequence[Modes], q: Sequence[Scalar]) -> list[Scalar]:
    """Return the generalized forces of the laws as series; times with the same modes are computed together."""
    groups = times_by_modes(range(len(segment.t)), modes)
    if len(groups) == 1:
        return _law_force_series(segment, modes[0], q)
    length, blocks = len(primal_value(q[0]).c), []
    for group, indices in groups.items():
        at_times = [series_at_times(x, np.array(indices)) for x in q]
        forces = _law_force_series(segment.part(indices), group, at_times)
        blocks.append(series_coefficients(forces, (len(indices), length, len(forces))))
    back = np.argsort([k for indices in groups.values() for k in indices])
    return coefficient_series(array_item(concatenate_arrays(blocks), back))


def _law_force_series(segment: SmoothSegment, modes: Modes, q: Sequence[Scalar]) -> list[Scalar]:
    """Return the generalized forces of the laws as series; sticking friction at rest transmits no force."""
    system, length, ops = segment.system, len(primal_value(q[0]).c), DualOperations(TaylorOperations(ARRAYS))
    if not system.laws:
        return [0.0] * system.mech.n
    v = [time_derivative(x) for x in q]
    t = Taylor([segment.t, 1.0]).truncated_to(length)
    u = [
        Taylor.of_derivatives([x[:, k] for x in segment.inputs[:length]]).truncated_to(length)
        for k in range(system.input_size)
    ]
    states = law_state_series(
        system, ops, t, StepState(q, v, array_columns(segment.states)), u, [time_derivative(x) for x in v]
    )
    return system.generalized_forces(
        [0.0] * system.mech.n, system.law_actions(modes, system.law_situations(ops, t, StepState(q, v, states), u))
    )
