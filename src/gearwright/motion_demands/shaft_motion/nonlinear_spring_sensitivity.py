"""Solutions for shafts behind nonlinear springs, part by part, and their partial derivatives by parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import ARRAYS, FLOATS, Scalar
from gearwright.algebra.differentiation.dual_arrays import array_columns, stack_arrays
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    dual,
    map_linear,
    partials_of,
    primal_value,
    time_coefficient,
)
from gearwright.algebra.differentiation.taylor_series import Taylor
from gearwright.algebra.differentiation.variational_equation import solve_variational_equation
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place_machine
from gearwright.functions.elastic.shaft_equations import ShaftPlan
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.motion_demands.motion_segments.loop_forces import LoopClosure
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment
from gearwright.motion_demands.shaft_motion.follow_nonlinear_spring import FollowedPart, inside_times
from gearwright.motion_demands.shaft_motion.linear_springs import external_forces
from gearwright.motion_demands.shaft_motion.motion_segments import JointState, ShaftPart
from gearwright.motion_demands.shaft_motion.nonlinear_springs import NonlinearShaft
from gearwright.system.inputs import InputSignals
from gearwright.system.system import System


@dataclass(frozen=True)
class ShaftSolution:
    """The solution of one shaft, part by part."""

    shaft: NonlinearShaft
    parts: tuple[FollowedPart, ...]


@dataclass(frozen=True)
class NonlinearShafts:
    """The motion of shafts behind nonlinear springs, computed from that of the joints.

    Args:
        plan: assignment of equations to shafts.
        joints: the motion of the joints, with shafts at rest.
        inputs: inputs of the laws over time.
        segments: the motion of the joints in smooth segments, with the laws at the joints.
        loops: loop constraints of the machine.
        solutions: the solution of each shaft.
    """

    plan: ShaftPlan
    joints: Trajectory
    inputs: InputSignals
    segments: tuple[SmoothSegment, ...]
    loops: LoopClosure | None
    solutions: tuple[ShaftSolution, ...]

    def initial_parts(self) -> list[ShaftPart]:
        """Return the segments without shafts, with the forces of laws at the joints."""
        return [_initial_part(segment, self.plan, self.loops).part for segment in self.segments]

    def motion_partials(self, system: System) -> list[tuple[Array, dict[str, Array]]]:
        """Return per part its times and per parameter the partials of q, v and a, (T, 3, n).

        Args:
            system: the machine with dual parameters and all its laws; the segments refer to it already.
        """
        parts = [_initial_part(segment, self.plan, self.loops) for segment in self.segments]
        for solution in self.solutions:
            names = [law.name for law in solution.shaft.system.laws]
            acting = replace(system, laws=tuple(law for law in system.laws if law.name in names))
            parts = _with_shaft_partials(replace(solution.shaft, system=acting), solution.parts, parts)
        return [(part.part.t, dict(part.partials)) for part in parts]


@dataclass(frozen=True)
class PartWithPartials:
    """A part of a motion with its partial derivatives.

    Args:
        part: the part.
        partials: partials of coordinates, speeds and accelerations by parameter, (T, 3, n).
        force_partials: partials of the forces of laws by parameter, (T,) -> (T, n).
    """

    part: ShaftPart
    partials: Mapping[str, Array]
    force_partials: Mapping[str, Callable[[Array], Array]]

    @cached_property
    def _partial_splines(self) -> dict[str, Any]:
        return {name: replace(self.part, values=values).spline for name, values in self.partials.items()}

    def motion_at(self, t: Any) -> list[list[Scalar]]:
        """Return coordinates, speeds and accelerations at times."""
        result = []
        for k in range(3):
            partials = {name: np.atleast_2d(curve(t, k)) for name, curve in self._partial_splines.items()}
            result.append(array_columns(dual(np.atleast_2d(self.part.spline(t, k)), partials)))
        return result

    def remaining_force(self, mech: Mechanism, equation: int) -> Callable[[Any, int], Scalar]:
        """Return the required spring torque of a joint's equation at times, or its rate."""
        from scipy.interpolate import make_interp_spline

        t = self.part.t
        q, v, a = self.motion_at(t)
        forces = dual(self.part.law_forces(t), {name: curve(t) for name, curve in self.force_partials.items()})
        pose = place_machine(mech, q, DualOperations(ARRAYS))
        remaining = inverse_dynamics(pose, v, a)[equation] - array_columns(forces)[equation]
        whole = map_linear(lambda x: np.broadcast_to(x, t.shape), remaining)
        curves = map_linear(lambda x: make_interp_spline(t, x, k=min(5, len(t) - 1)), whole)
        return lambda times, order: map_linear(lambda curve: curve(times, order), curves)

    def partials_at(self, t: Array) -> dict[str, Array]:
        """Return the partials at times, (T, 3, n)."""
        return {
            name: np.stack([curve(t, k) for k in range(3)], axis=1) for name, curve in self._partial_splines.items()
        }


def _initial_part(segment: SmoothSegment, plan: ShaftPlan, loops: LoopClosure | None) -> PartWithPartials:
    """Return a segment without shafts, with the forces of laws at the joints."""
    from scipy.interpolate import make_interp_spline

    mech = segment.system.mech
    q = [Taylor.of_derivatives([x[:, k] for x in segment.motion]) for k in range(mech.n)]
    required: list[Scalar] = []
    if loops is not None:
        positions, v, a = (array_columns(x) for x in segment.motion[:3])
        required = inverse_dynamics(place_machine(mech, positions, DualOperations(ARRAYS)), v, a)
    forces = [
        time_coefficient(x, 0)
        for x in external_forces(segment, [segment.likely_modes] * len(segment.t), plan, loops)(q, required)
    ]
    degree = min(5, len(segment.t) - 1)
    curves = map_linear(lambda x: make_interp_spline(segment.t, x, k=degree), stack_arrays(forces, segment.t.shape))
    part = ShaftPart(segment.t, np.stack(segment.motion[:3], axis=1), primal_value(curves))
    return PartWithPartials(part, {}, partials_of(curves))


def _with_shaft_partials(
    shaft: NonlinearShaft, solutions: Sequence[FollowedPart], parts: Sequence[PartWithPartials]
) -> list[PartWithPartials]:
    """Return the parts with the partials of one more shaft."""
    result: list[PartWithPartials] = []
    ahead: dict[str, Array] | None = None
    for solution, part in zip(solutions, parts, strict=True):
        shaft_partials = _ShaftPartials(shaft, solution, part)
        for smooth in solution.parts:
            first = shaft_partials.start_partials(smooth.t[0], ahead)
            partials = shaft_partials.partials_along(smooth.t, first)
            result.append(shaft_partials.with_partials(smooth, partials))
            ahead = {name: x[-1] for name, x in partials.items()}
    return result


class _ShaftPartials:
    """The partials of a shaft along a part of a motion."""

    def __init__(self, shaft: NonlinearShaft, solution: FollowedPart, part: PartWithPartials) -> None:
        self.shaft, self.solution, self.part = shaft, solution, part
        self._remaining_force = part.remaining_force(shaft.system.mech, shaft.equation)

    def _joint_state(self, t: Array) -> JointState:
        q, v, a = self.part.motion_at(t)
        return JointState(t, q, v, a, self._remaining_force(t, 0), self._remaining_force(t, 1), ARRAYS)

    def _joint_state_at(self, t: float) -> JointState:
        """Return the motion of the joints at one time, in numbers or dual numbers."""
        t_only = np.array([t])
        state = self._joint_state(t_only)
        q, v, a = (
            [map_linear(lambda y: float(np.ravel(y)[0]), x) for x in part] for part in (state.q, state.v, state.a)
        )
        remaining, rate = (
            map_linear(lambda y: float(np.ravel(y)[0]), x) for x in (state.remaining_force, state.remaining_force_rate)
        )
        return JointState(t, q, v, a, remaining, rate, FLOATS)

    def start_partials(self, t: float, before: Mapping[str, Array] | None) -> dict[str, Array]:
        """Return the partials of the shaft's deflection from its joint and of the laws' states, (1 + states,)."""
        angle, *states = np.asarray(self.solution.solution(t)).tolist()
        state, shaft = self._joint_state_at(t), self.shaft
        if before is None:
            memory = [quantity.initial for quantity in shaft.system.states.values()]
            shaft_angle, memory, _ = shaft.initial_motion(state, True, angle, memory)
        elif self.solution.time_constant:
            return dict(before)
        else:
            dual_states = [dual(x, {name: s[1 + k] for name, s in before.items()}) for k, x in enumerate(states)]
            shaft_angle, memory, _ = shaft.initial_motion(state, False, angle, dual_states)
        ahead = shaft_angle - state.q[shaft.equation]
        names = {name: None for x in (ahead, *memory) for name in partials_of(x)}
        return {name: np.array([float(partials_of(x).get(name, 0.0)) for x in (ahead, *memory)]) for name in names}

    def partials_along(self, t: Array, first: Mapping[str, Array]) -> dict[str, Array]:
        """Return the same partials at times of a smooth part, (T, 1 + states)."""
        shaft, damped = self.shaft, self.solution.time_constant > 0
        inside = inside_times(t)

        def rates(times: Array, y: list[Scalar]) -> list[Scalar]:
            return shaft.shaft_rates(self._joint_state(np.clip(times, inside[0], inside[-1])), y, damped)

        def solution(times: Array) -> Array:
            values = np.asarray(self.solution.solution(times))
            return np.concatenate([values[:1] - self.part.part.spline(times).T[shaft.equation], values[1:]]).T

        return solve_variational_equation(rates, t, solution, first)

    def with_partials(self, smooth: ShaftPart, slopes: Mapping[str, Array]) -> PartWithPartials:
        """Return a smooth part with the partials of the shaft's coordinate, speed and acceleration."""
        from scipy.interpolate import make_interp_spline

        shaft, t = self.shaft, smooth.t
        inside = inside_times(t)
        values = np.asarray(self.solution.solution(inside))
        state = self._joint_state(inside)
        dual_values = [dual(values[k], {name: x[:, k] for name, x in slopes.items()}) for k in range(len(values))]
        speed = shaft.shaft_speed(state, dual_values[0], dual_values[1:], self.solution.time_constant > 0)
        degree = min(5, len(t) - 1)
        rate = map_linear(lambda x: make_interp_spline(t, np.broadcast_to(x, t.shape), k=degree)(t, 1), speed)
        partials = self.part.partials_at(t)
        for k, x in enumerate((dual_values[0], speed, rate)):
            for name, slope in partials_of(x).items():
                partials.setdefault(name, np.zeros((len(t), 3, shaft.system.mech.n)))[:, k, shaft.shaft] = slope
        return PartWithPartials(smooth, partials, self.part.force_partials)
