"""The motion of a whole machine from a prescribed one; with elastic drives, that of the joints suffices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import ACCELERATION_ORDER, ShaftStep, first_shaft
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.forces import Action, Law
from gearwright.functions.elastic.shaft_equations import ShaftPlan, plan_shafts
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory
from gearwright.motion.piecewise_polynomials import hermite_interpolant, on_knots, piecewise_polynomial
from gearwright.motion.recorded_motion import spline_through
from gearwright.motion_demands.motion_segments.loop_forces import LoopClosure
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment, cut_into_segments
from gearwright.motion_demands.motion_segments.smooth_spans import TIME_ROUNDING_RATIO
from gearwright.motion_demands.shaft_motion.follow_nonlinear_spring import FollowedPart, follow_shaft
from gearwright.motion_demands.shaft_motion.linear_springs import LinearShafts
from gearwright.motion_demands.shaft_motion.nonlinear_spring_sensitivity import NonlinearShafts, ShaftSolution
from gearwright.motion_demands.shaft_motion.nonlinear_springs import NonlinearShaft
from gearwright.system.inputs import gather_inputs
from gearwright.system.system import System
from gearwright.text import listed_names

NONLINEAR_DERIVATIVES = 2
"""Order of the force derivatives whose discontinuities affect the motor acceleration behind a nonlinear spring."""


SERIES_MISMATCH_RATIO = 1e-6
"""Difference between speeds and rates of positions, relative to the largest speed, above which a damper's equation is
integrated."""


def trajectory_of(mech: Mechanism, motion: Any) -> Trajectory:
    """Return a motion with exact derivatives, of all speeds or of the joints alone; samples are interpolated."""
    if isinstance(motion, Motion):
        motion = spline_through("demands", motion.t, motion.q)
    if not isinstance(motion, Trajectory):
        raise InputError(f"demands: motion is a {type(motion).__name__}. Give a Trajectory or a Motion.")
    if not mech.speeds_are_rates:
        raise InputError(
            "demands: the machine has free, spherical or planar joints, whose speeds are not the rates of coordinates. "
            "Give a Motion with its speeds and accelerations, and motors without inductance."
        )
    if motion.count not in (mech.n, first_shaft(mech)):
        joints = f", or those of its {first_shaft(mech)} joints" if mech.shafts else ""
        raise InputError(
            f"demands: the motion has {motion.count} coordinates, the machine has {mech.n} "
            f"({listed_names(mech.coordinates)}). Give all of them{joints}."
        )
    return motion


@dataclass(frozen=True, repr=False)
class WholeTrajectory(Trajectory):
    """A motion of a whole machine that is smooth between its known `edges`.

    Between `settling_times` times a transient decays faster than equally spaced samples resolve. `solved_speeds` are
    the speeds whose equations determined the motion of shafts, `shafts` the solutions.
    """

    edges: tuple[float, ...] = ()
    settling_times: tuple[float, ...] = ()
    solved_speeds: frozenset[int] = frozenset()
    shafts: LinearShafts | NonlinearShafts | None = None

    def derivative_jumps(self, order: int) -> list[float]:
        """Return the edges between start and end."""
        return [t for t in self.edges if 0 < t < self.duration]


def whole_motion(
    system: System,
    joints: Trajectory,
    inputs: Any,
    start: Mapping[str, float],
    order: int,
    samples: int,
    loops: LoopClosure | None = None,
) -> WholeTrajectory:
    r"""Return the motion of joints and shafts for a motion of the joints.

    The equation of a joint behind a spring determines its motor motion: $K \theta = K q + M a + C v + g - f$, where f
    are the forces of laws on the joint, such as friction. All quantities are series of time (`motor_motion` states the
    number of derivatives required).

    Args:
        system: the machine with its laws.
        joints: the motion of the joints.
        inputs: inputs of the laws, as given by the user.
        start: initial states of the laws.
        order: number of derivatives of the actuators' forces.
        samples: least number of times at which the motion is computed; between them, Hermite polynomials match its
            derivatives up to the accelerations, and `order` more.
        loops: loop constraints; their forces follow from the equations without drives.
    """
    mech = system.mech
    shaft_plan = plan_shafts(mech, order, None if loops is None else loops.actuator_rows)
    solved = frozenset(e for step in shaft_plan.steps for e in step.equations)
    behind_springs = {*solved, *np.flatnonzero(shaft_plan.idle.any(axis=1)).tolist()}
    acting = [law for law in system.laws if _acts_behind_springs(law, system, behind_springs)]
    nonlinear_laws = [law for law in acting if _acts_on_shafts(law, system)]
    pushing = replace(system, laws=tuple(law for law in acting if law not in nonlinear_laws))
    law_inputs = {k: x for k, x in inputs.items() if k in pushing.inputs} if isinstance(inputs, Mapping) else None
    input_signals = gather_inputs(
        mech, {quantity.name: quantity.initial for quantity in pushing.inputs.values()}, law_inputs
    )
    first = [start[name] for name in pushing.states]
    padded = _with_fixed_shafts(joints, mech.n)

    def segments(further: int) -> tuple[SmoothSegment, ...]:
        bends = joints.derivative_jumps(further + ACCELERATION_ORDER + 1)  # between samples there are none
        return tuple(cut_into_segments(pushing, padded, input_signals, first, further, samples, bends))

    if not nonlinear_laws:
        further = shaft_plan.order - ACCELERATION_ORDER
        shafts = LinearShafts(shaft_plan, padded, input_signals, segments(further), order, loops)
        parts = shafts.motion_derivatives()
        if not shaft_plan.damped or not _can_integrate(shaft_plan) or series_mismatch(parts) < SERIES_MISMATCH_RATIO:
            return replace(_with_joints(join_segments(parts), joints), solved_speeds=solved, shafts=shafts)
    _raise_if_idle_shafts(shaft_plan, nonlinear_laws)
    nonlinear = NonlinearShafts(shaft_plan, padded, input_signals, segments(NONLINEAR_DERIVATIVES), loops, ())
    return _follow_nonlinear_springs(joints, nonlinear, replace(system, laws=tuple(nonlinear_laws)), start)


def _can_integrate(shaft_plan: ShaftPlan) -> bool:
    """Whether every shaft follows from one equation that has no other unknown."""
    return not shaft_plan.in_idle and all(len(step.shafts) == 1 for step in shaft_plan.steps)


def series_mismatch(parts: Sequence[tuple[Array, Array]]) -> float:
    r"""Return by how much positions differ from the integral of their speeds, relative to the largest speed.

    The series of a damper, $K \theta = -R - D \dot\theta$, is truncated earlier for every further derivative of
    $\theta$: where damping over stiffness is not small beside the time of the motion, position, speed and acceleration
    are not those of one motion.
    """
    mismatch = 0.0
    for t, values in parts:
        curve = hermite_interpolant(t, [values[:, 1], values[:, 2]]).antiderivative()
        risen = np.diff(curve(t), axis=0)
        error = np.abs(np.diff(values[:, 0], axis=0) - risen) / np.diff(t)[:, None]
        mismatch = max(mismatch, float(error.max()))
    return mismatch / max(float(np.abs(values[:, 1]).max()) for _, values in parts)


def _follow_nonlinear_springs(
    joints: Trajectory, nonlinear: NonlinearShafts, system: System, start: Mapping[str, float]
) -> WholeTrajectory:
    """Shaft by shaft the motion behind springs that are not linear."""
    shaft_plan, solutions = nonlinear.plan, []
    parts = nonlinear.initial_parts()
    for step in shaft_plan.steps:
        _raise_if_coupled_shafts(step, system)
        (equation,), (shaft,) = step.equations, step.shafts
        acting = replace(system, laws=tuple(x for x in system.laws if _acts_behind_springs(x, system, {equation})))
        nonlinear_shaft, followed_parts = NonlinearShaft(acting, equation, shaft), list[FollowedPart]()
        for part in parts:
            previous = followed_parts[-1].end_state if followed_parts else None
            followed_parts.append(
                follow_shaft(nonlinear_shaft, part, previous, [start[name] for name in acting.states])
            )
        solutions.append(ShaftSolution(nonlinear_shaft, tuple(followed_parts)))
        parts = [part for followed in followed_parts for part in followed.parts]
    nonlinear = replace(nonlinear, solutions=tuple(solutions))
    settling = tuple(float(t) for part in parts for t in part.settling_times)
    solved = frozenset(e for step in shaft_plan.steps for e in step.equations)
    whole = _with_joints(join_segments([(part.t, part.values) for part in parts]), joints)
    return replace(whole, settling_times=settling, solved_speeds=solved, shafts=nonlinear)


def _raise_if_idle_shafts(shaft_plan: ShaftPlan, nonlinear_laws: Sequence[Law]) -> None:
    if shaft_plan.in_idle:
        raise InputError(
            f"demands: the wheels of {listed_names(shaft_plan.in_idle)} act on loop joints without drives, and "
            f"{nonlinear_laws[0].name!r} is nonlinear. Give the motion of all coordinates, or exclude that law."
        )


def _raise_if_coupled_shafts(step: ShaftStep, system: System) -> None:
    if len(step.shafts) > 1:
        names = listed_names((system.mech.speeds[k] for k in step.shafts), " and ")
        raise InputError(
            f"demands: the motion of {names} follows from the equations of several joints, and "
            f"{system.laws[0].name!r} is "
            f"nonlinear. Give the motion of all {system.mech.n} coordinates, or exclude that law."
        )


@dataclass(frozen=True, repr=False)
class _FixedShafts(Trajectory):
    """A motion of joints with shafts at rest, for laws that do not depend on shafts."""

    joints: Trajectory | None = None

    def at(self, t: ArrayLike, derivative: int = 0) -> Array:
        """Return values of the joints' trajectory, whose derivatives are exact."""
        assert self.joints is not None
        joint_values = self.joints.at(t, derivative)
        return np.concatenate(
            [joint_values, np.zeros((*joint_values.shape[:-1], self.count - self.joints.count))], axis=-1
        )

    def derivative_jumps(self, order: int) -> list[float]:
        """Return the knots of the joints' trajectory."""
        assert self.joints is not None
        return self.joints.derivative_jumps(order)


def _with_fixed_shafts(joints: Trajectory, n: int) -> Trajectory:
    c = joints.pieces.c
    pieces = piecewise_polynomial(
        np.concatenate([c, np.zeros((*c.shape[:2], n - c.shape[2]))], axis=2), joints.pieces.x
    )
    return _FixedShafts(pieces, joints=joints)


def _acts_behind_springs(law: Law, system: System, behind: set[int]) -> bool:
    """Whether a law acts on joints behind springs; a law with modes between joint and motor raises an error."""
    acts = False
    for touched, action in _speeds_and_actions(law, system):
        if touched & behind:
            acts = True
            if action.drags or (_is_shaft(touched, system.mech) and (len(law.modes) > 1 or action.holds or law.inputs)):
                raise _modes_between_error(law, touched, system.mech)
    return acts


def _acts_on_shafts(law: Law, system: System) -> bool:
    return any(_is_shaft(touched, system.mech) for touched, _ in _speeds_and_actions(law, system))


def _is_shaft(touched: set[int], mech: Mechanism) -> bool:
    return any(index >= first_shaft(mech) for index in touched)


def _speeds_and_actions(law: Law, system: System) -> Iterator[tuple[set[int], Action]]:
    """Yield the speeds of every line along which a law acts, in any mode."""
    single_law = replace(system, laws=(law,))
    anywhere = [0.1 + 0.3 * k for k in range(system.mech.nq)]  # a general position, without accidental zeros in a row
    state = StepState(anywhere, [0.0] * system.mech.n, [s.initial for s in law.states])
    situation = single_law.law_situations(FLOATS, 0.0, state, single_law.initial_inputs)[0]
    for action in (law.act(mode, situation).placed_in(situation.kinematics) for mode in law.modes):
        yield from (({index for index, _ in line.terms}, action) for line in action.acting_lines)


def _modes_between_error(law: Law, touched: set[int], mech: Mechanism) -> InputError:
    speeds = listed_names((mech.speeds[index] for index in sorted(touched)), " and ")
    return InputError(
        f"demands: law {law.name!r} acts between {speeds}, and the motion of the joint alone does not determine its "
        f"modes ({listed_names(law.modes)}) or its constraint forces (within a gap the motor position is arbitrary). "
        f"Give the motion of all {mech.n} coordinates, or exclude the law: laws=[x for x in gw.laws(robot) if "
        f"x.name != {law.name!r}]."
    )


def join_segments(parts: Sequence[tuple[Array, Array]]) -> WholeTrajectory:
    """Polynomials between all times that meet the derivatives there."""
    assert all(earlier[0][-1] == later[0][0] for earlier, later in pairwise(parts))
    curves = [hermite_interpolant(t, list(np.moveaxis(values, 1, 0))) for t, values in parts]
    knots = np.concatenate([curves[0].x, *(curve.x[1:] for curve in curves[1:])])
    pieces = piecewise_polynomial(np.concatenate(_padded_alike([curve.c for curve in curves]), axis=1), knots)
    return WholeTrajectory(pieces, edges=tuple(float(t[0]) for t, _ in parts))


def _with_joints(whole: WholeTrajectory, joints: Trajectory) -> WholeTrajectory:
    """The motion with that of the joints as given: polynomials between samples lose its last digits.

    A trajectory that closes loops at every time is more than its polynomials, and is sampled.
    """
    if type(joints).at is not Trajectory.at:
        return whole
    knots = _with_knots(whole.pieces.x, joints.pieces.x)
    shafts = on_knots(whole.pieces, knots)[..., joints.count :]
    both = _padded_alike([on_knots(joints.pieces, knots), shafts])
    return replace(whole, pieces=piecewise_polynomial(np.concatenate(both, axis=2), knots))


def _with_knots(times: Array, others: Array) -> Array:
    """Return both sets of times in order, without those of `others` that equal one of `times` up to rounding."""
    after = np.clip(np.searchsorted(times, others), 1, len(times) - 1)
    gaps = np.minimum(np.abs(others - times[after - 1]), np.abs(others - times[after]))
    return np.sort(np.concatenate([times, others[gaps > TIME_ROUNDING_RATIO * times[-1]]]))


def _padded_alike(coefficients: Sequence[Array]) -> list[Array]:
    """Coefficients of polynomials as of the highest degree among them."""
    degree = max(map(len, coefficients))
    return [np.concatenate([np.zeros((degree - len(c), *c.shape[1:])), c]) for c in coefficients]
