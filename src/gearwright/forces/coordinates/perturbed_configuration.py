"""Displaced configurations: with derivatives in all tangent directions, and along the motion at constant speeds.

The derivatives of placements are the velocities and accelerations from the recursions of `dynamics`, which cover every
type of joint: a body rotates with R' = S(w) R and R'' = (S(alpha) + S(w) S(w)) R.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from gearwright.algebra import Operations, Rot, Scalar, Vec, is_zero
from gearwright.algebra.differentiation.dual_numbers import Dual, DualOperations
from gearwright.algebra.differentiation.taylor_series import TaylorOperations
from gearwright.dynamics.configuration import coordinate_rates, independent_joints
from gearwright.forces.coordinates.configuration import Configuration, FramePose
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism

TIME_DIRECTION = "t"
"""Key of the derivative by explicit time; the other keys are speed indices."""


def plain_configuration(kinematics: SharedKinematics, ops: Operations | None = None) -> Configuration:
    """The configuration in the scalars of the scene, without derivatives."""
    return Configuration(
        kinematics.mech,
        kinematics.t,
        kinematics.q,
        ops or kinematics.ops,
        lambda body: kinematics.pose.world_placements[body],
    )


def tangent_configuration(kinematics: SharedKinematics) -> Configuration:
    """The configuration with derivatives in the direction of every speed and of time, shared by all coordinates."""
    return kinematics.compute_once(("tangent",), kinematics, lambda: _tangent_configuration(kinematics))


def motion_configuration(kinematics: SharedKinematics) -> Configuration:
    """The configuration along the motion at constant speeds: scalars with first and second time derivative, shared."""
    return kinematics.compute_once(("motion",), kinematics, lambda: _motion_configuration(kinematics))


def _tangent_configuration(kinematics: SharedKinematics) -> Configuration:
    slopes = _coordinate_slopes(kinematics.mech, kinematics.q, kinematics.ops)
    ops = DualOperations.for_displacement(kinematics.ops)
    q = [ops.with_partials(x, slope) for x, slope in zip(kinematics.q, slopes, strict=True)]
    t = ops.with_partials(kinematics.t, {TIME_DIRECTION: 1.0})
    return Configuration(kinematics.mech, t, q, ops, cache(partial(_tangent_pose, kinematics, ops)))


def _motion_configuration(kinematics: SharedKinematics) -> Configuration:
    ops = TaylorOperations.for_displacement(kinematics.ops)
    first = coordinate_rates(kinematics.mech, kinematics.q, kinematics.v, kinematics.ops)
    moving = coordinate_rates(
        kinematics.mech, [ops.series([x, dx]) for x, dx in zip(kinematics.q, first, strict=True)], kinematics.v, ops
    )
    q = [
        _scalar_with_derivatives(ops, x, dx, ops.coefficient(r, 1))
        for x, dx, r in zip(kinematics.q, first, moving, strict=True)
    ]
    t = ops.series([kinematics.t, 1.0, 0.0])
    return Configuration(kinematics.mech, t, q, ops, cache(partial(_motion_pose, kinematics, ops)))


def _coordinate_slopes(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> list[dict[object, Scalar]]:
    """Per coordinate its rate per unit of each speed, where it is not zero."""
    slopes: list[dict[object, Scalar]] = [{} for _ in q]
    for space, coordinates, speeds in independent_joints(mech):
        size = speeds.stop - speeds.start
        for k in range(size):
            if space.speeds_are_rates:
                slopes[coordinates.start + k][speeds.start + k] = 1.0
                continue
            unit = [float(j == k) for j in range(size)]
            for i, x in enumerate(space.coordinate_rates(q[coordinates], unit, ops)):
                slopes[coordinates.start + i][speeds.start + k] = x
    return slopes


def _tangent_pose(kinematics: SharedKinematics, ops: DualOperations, body: int) -> FramePose:
    R, p = kinematics.pose.world_placements[body]
    J = kinematics.body_jacobian(body)
    speed_indices = range(kinematics.mech.n)
    linear = [{k: J[i][k] for k in speed_indices} for i in range(3)]
    turns = {k: Vec(J[3][k], J[4][k], J[5][k]) for k in speed_indices if not all(is_zero(J[i][k]) for i in (3, 4, 5))}
    columns = []
    for column in R.columns():
        rates = {k: w.cross(column) for k, w in turns.items()}
        columns.append(
            Vec(*(ops.with_partials(x, {k: tuple(u)[i] for k, u in rates.items()}) for i, x in enumerate(column)))
        )
    return Rot(*columns).T, Vec(*(ops.with_partials(x, slope) for x, slope in zip(p, linear, strict=True)))


def _motion_pose(kinematics: SharedKinematics, ops: TaylorOperations, body: int) -> FramePose:
    R, p = kinematics.pose.world_placements[body]
    velocity, acceleration = kinematics.body_velocities[body], kinematics.coasting_accelerations[body]
    rotation_rate, rotation_acceleration = R.after(Rot.cross_matrix(velocity.omega)), R.after(acceleration.field)
    rows = [
        Vec(*(_scalar_with_derivatives(ops, *derivatives) for derivatives in zip(*rows, strict=True)))
        for rows in zip(R.rows(), rotation_rate.rows(), rotation_acceleration.rows(), strict=True)
    ]
    velocity_world, acceleration_world = R @ velocity.linear, R @ acceleration.linear
    return Rot(*rows), Vec(
        *(
            _scalar_with_derivatives(ops, *derivatives)
            for derivatives in zip(p, velocity_world, acceleration_world, strict=True)
        )
    )


def _scalar_with_derivatives(ops: TaylorOperations, x: Scalar, first: Scalar, second: Scalar) -> Scalar:
    return x if is_zero(first) and is_zero(second) else ops.series([x, first, second / 2])


def without_displacement(x: Scalar) -> Scalar:
    """A scalar of a displaced configuration at the configuration itself, so that it is constant in derivatives."""
    return x.c[0] if getattr(x, "rank", 0) > Dual.first_rank else x
