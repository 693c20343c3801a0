"""External coordinates of a frame: position with yaw, pitch and roll or a quaternion, and their derivatives.

With J the Jacobian of the frame (velocity v_p, angular velocity w, world axes), the external coordinates s change with

    ds/dt   = S(s) J v                     S = diag(1, E^-1) or diag(1, Q)
    d2s/dt2 = S(s) J a + A(q, v)           A: the adjoint term (Vukobratovic and Potkonjak)

where w = E (dyaw, dpitch, droll) and d(quaternion)/dt = Q w = 1/2 (0, w) quaternion.

Relative to a frame B they are those of R_B' R and R_B' (p - p_B). The relative twist is that of the frame less that of
the point of B at the same place, in the axes of B; d/dt of it has the Coriolis term 2 w_B x v_rel. B is a frame of the
machine, whose motion is linear in v too, or has a prescribed motion, s = s(q, t): then ds/dt = J v + ds/dt|q.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Operations, Rot, Scalar, Vec
from gearwright.algebra.quaternion import Quaternion
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.task_space.jacobian import jacobian, jacobian_rate

SINGULAR_PITCH_COSINE = 1e-12
"""Cosine of the pitch below which yaw and roll are about the same axis."""


class BodyPlace(NamedTuple):
    """A frame on a body: the body's index, and rotation and position on it."""

    body: int
    rotation: Rot
    position: Vec

    def world_placement(self, pose: Pose) -> tuple[Rot, Vec]:
        """Rotation and position in the world."""
        R, p = pose.world_placements[self.body]
        return R.after(self.rotation), p + R @ self.position


class YawPitchRoll(NamedTuple):
    """Yaw, pitch and roll [rad] with R = Rz(yaw) Ry(pitch) Rx(roll), and cosines and sines of the first two."""

    yaw: Scalar
    pitch: Scalar
    roll: Scalar
    cos_yaw: Scalar
    sin_yaw: Scalar
    cos_pitch: Scalar
    sin_pitch: Scalar


def quaternion_from_rotation(R: Rot, ops: Operations) -> Quaternion:
    """Return the unit quaternion (w, x, y, z) of a rotation, w not negative; accurate near half turns too.

    Four times the products of its largest element with all elements are sums of elements of R.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.rows()
    sums = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    a, b, c = zy - yz, xz - zx, yx - xy
    d, e, f = yx + xy, xz + zx, zy + yz
    cases = ((sums[0], a, b, c), (a, sums[1], d, e), (b, d, sums[2], f), (c, e, f, sums[3]))
    best: tuple[Scalar, ...] = cases[0]
    size: Scalar = sums[0]
    for case, candidate_size in zip(cases[1:], sums[1:], strict=True):
        larger = candidate_size > size
        best = tuple(ops.where(larger, x, y) for x, y in zip(case, best, strict=True))
        size = ops.where(larger, candidate_size, size)
    w, x, y, z = best
    scale = ops.where(w < 0, -1.0, 1.0) / ops.sqrt(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


def yaw_pitch_roll_of(R: Rot, ops: Operations) -> YawPitchRoll:
    """Yaw, pitch and roll of a rotation; at a pitch of +-90 deg the roll is zero."""
    (xx, xy, _), (yx, yy, _), (zx, zy, zz) = R.rows()
    across = ops.sqrt(xx * xx + yx * yx)
    upright = across < SINGULAR_PITCH_COSINE
    top, side = ops.where(upright, -xy, yx), ops.where(upright, yy, xx)
    pitch, yaw = ops.arctan2(-zx, across), ops.arctan2(top, side)
    roll = ops.where(upright, 0.0, ops.arctan2(zy, zz))
    return YawPitchRoll(yaw, pitch, roll, ops.cos(yaw), ops.sin(yaw), across, -zx)


class ReferenceMotion(NamedTuple):
    """A prescribed motion of a frame in world axes: rotation, origin, velocities and accelerations."""

    rotation: Rot
    position: Vec
    velocity: Vec
    omega: Vec
    acceleration: Vec
    alpha: Vec


Reference = BodyPlace | ReferenceMotion | None
"""The frame that external coordinates are relative to; None: the world."""

Twist = tuple[Vec, Vec]
"""Velocity of a point and angular velocity, or accelerations."""


def external_coordinates(
    pose: Pose, ops: Operations, spot: BodyPlace, quaternion: bool, reference: Reference = None
) -> list[Scalar]:
    """Position, then yaw, pitch, roll (6) or a quaternion w, x, y, z (7)."""
    R, p = _relative_placement(pose, spot, reference)
    return [*p, *(quaternion_from_rotation(R, ops) if quaternion else yaw_pitch_roll_of(R, ops)[:3])]


def external_jacobian(
    pose: Pose, ops: Operations, spot: BodyPlace, quaternion: bool, reference: Reference = None
) -> Matrix:
    """S J (6 or 7, n): rates of the external coordinates per unit of each speed."""
    R, _ = _relative_placement(pose, spot, reference)
    columns = _relative_columns(pose, spot, reference)
    rows = _angular_rates(R, ops, quaternion, [angular for _, angular in columns])
    linear = [[velocity[k] for velocity in (tuple(x) for x, _ in columns)] for k in range(3)]
    return [*linear, *(list(row) for row in zip(*rows, strict=True))]  # Vukobratovic (20.83)


def external_rates(
    pose: Pose, ops: Operations, v: Sequence[Scalar], spot: BodyPlace, quaternion: bool, reference: Reference = None
) -> list[Scalar]:
    """ds/dt (6 or 7): the rates of the external coordinates, those of a moving reference included."""
    R, _ = _relative_placement(pose, spot, reference)
    linear, w = _relative_twist(pose, v, spot, reference)
    return [*linear, *_angular_rates(R, ops, quaternion, [w])[0]]


def external_adjoint(
    pose: Pose, ops: Operations, v: Sequence[Scalar], spot: BodyPlace, quaternion: bool, reference: Reference = None
) -> list[Scalar]:
    """A(q, v) (6 or 7): second derivatives of the external coordinates at constant speeds."""
    R, _ = _relative_placement(pose, spot, reference)
    _, w = _relative_twist(pose, v, spot, reference)
    drift, alpha = _relative_drift(pose, v, spot, reference)  # Vukobratovic (20.84)-(20.86): the adjoint term
    if quaternion:
        unit = quaternion_from_rotation(R, ops)
        turned, centripetal = _quaternion_rate(alpha, unit), _quaternion_rate(w, _quaternion_rate(w, unit))
        return [*drift, *(x + y for x, y in zip(turned, centripetal, strict=True))]
    turn = yaw_pitch_roll_of(R, ops)
    yaw, pitch, roll = _yaw_pitch_roll_rates(turn, w)
    # The axes of pitch and roll depend on the preceding angles: w = e_z dyaw + e_p dpitch + e_r droll.
    e_pitch = Vec(-turn.sin_yaw, turn.cos_yaw, 0.0)
    e_roll = Vec(turn.cos_yaw * turn.cos_pitch, turn.sin_yaw * turn.cos_pitch, -turn.sin_pitch)
    about_yaw = Vec(0.0, 0.0, 1.0) * yaw
    moving = about_yaw.cross(e_pitch) * pitch + (about_yaw + e_pitch * pitch).cross(e_roll) * roll
    return [*drift, *_yaw_pitch_roll_rates(turn, alpha - moving)]


def _relative_placement(pose: Pose, spot: BodyPlace, reference: Reference) -> tuple[Rot, Vec]:
    R, p = spot.world_placement(pose)
    if reference is None:
        return R, p
    R_b, p_b = _reference_placement(pose, reference)
    return R_b.T.after(R), R_b.T @ (p - p_b)


def _reference_placement(pose: Pose, reference: BodyPlace | ReferenceMotion) -> tuple[Rot, Vec]:
    if isinstance(reference, BodyPlace):
        return reference.world_placement(pose)
    return reference.rotation, reference.position


def _coincident_point(pose: Pose, spot: BodyPlace, reference: BodyPlace) -> Vec:
    """The origin of the frame as a point of the reference's body."""
    R, p = pose.world_placements[reference.body]
    return R.T @ (spot.world_placement(pose)[1] - p)


def _relative_columns(pose: Pose, spot: BodyPlace, reference: Reference) -> list[Twist]:
    """Per speed the relative velocity and angular velocity in the axes of the reference."""
    columns = _column_twists(jacobian(pose, spot.body, spot.position))
    if reference is None:
        return columns
    if isinstance(reference, BodyPlace):
        carried = jacobian(pose, reference.body, _coincident_point(pose, spot, reference))
        columns = [_twist_difference(*pair) for pair in zip(columns, _column_twists(carried), strict=True)]
    back = _reference_placement(pose, reference)[0].T
    return [(back @ linear, back @ angular) for linear, angular in columns]


def _relative_twist(pose: Pose, v: Sequence[Scalar], spot: BodyPlace, reference: Reference) -> Twist:
    """Relative velocity and angular velocity in the axes of the reference."""
    total = _weighted_sum(_relative_columns(pose, spot, reference), v)
    if not isinstance(reference, ReferenceMotion):
        return total
    back, arm = reference.rotation.T, spot.world_placement(pose)[1] - reference.position
    carried = back @ (reference.velocity + reference.omega.cross(arm)), back @ reference.omega
    return _twist_difference(total, carried)


def _relative_drift(pose: Pose, v: Sequence[Scalar], spot: BodyPlace, reference: Reference) -> Twist:
    """Derivative of the relative twist at constant speeds, in the axes of the reference."""
    drift = _weighted_sum(_column_twists(jacobian_rate(pose, v, spot.body, spot.position)), v)
    if reference is None:
        return drift
    if isinstance(reference, BodyPlace):
        point = _coincident_point(pose, spot, reference)
        omega = _weighted_sum(_column_twists(jacobian(pose, reference.body, point)), v)[1]
        carried = _weighted_sum(_column_twists(jacobian_rate(pose, v, reference.body, point)), v)
    else:
        omega, arm = reference.omega, spot.world_placement(pose)[1] - reference.position
        field = reference.alpha.cross(arm) + omega.cross(omega.cross(arm))
        carried = reference.acceleration + field, reference.alpha
    back = _reference_placement(pose, reference)[0].T
    linear, angular = _twist_difference(drift, carried)
    velocity, w = _relative_twist(pose, v, spot, reference)
    turning = back @ omega
    return back @ linear - turning.cross(velocity) * 2, back @ angular - turning.cross(w)


def _column_twists(rows: Matrix) -> list[Twist]:
    return [(Vec(*column[:3]), Vec(*column[3:])) for column in zip(*rows, strict=True)]


def _weighted_sum(twists: Sequence[Twist], v: Sequence[Scalar]) -> Twist:
    linear, angular = ZERO, ZERO
    for (x, y), speed in zip(twists, v, strict=True):
        linear, angular = linear + x * speed, angular + y * speed
    return linear, angular


def _twist_difference(x: Twist, y: Twist) -> Twist:
    return x[0] - y[0], x[1] - y[1]


def _angular_rates(R: Rot, ops: Operations, quaternion: bool, columns: Sequence[Vec]) -> list[Sequence[Scalar]]:
    if quaternion:
        unit = quaternion_from_rotation(R, ops)
        return [_quaternion_rate(w, unit) for w in columns]
    turn = yaw_pitch_roll_of(R, ops)
    return [_yaw_pitch_roll_rates(turn, w) for w in columns]


def _yaw_pitch_roll_rates(turn: YawPitchRoll, w: Vec) -> tuple[Scalar, Scalar, Scalar]:
    """(dyaw, dpitch, droll) = E^-1 w; infinite at a pitch of +-90 deg."""
    ahead = turn.cos_yaw * w.x + turn.sin_yaw * w.y
    roll = ahead / turn.cos_pitch
    return w.z + turn.sin_pitch * roll, turn.cos_yaw * w.y - turn.sin_yaw * w.x, roll


def _quaternion_rate(w: Vec, unit: Quaternion) -> Quaternion:
    """1/2 (0, w) quaternion: the rate of a quaternion for an angular velocity in world axes."""
    real, u = unit[0], Vec(*unit[1:])
    turned = (w * real + w.cross(u)) * 0.5
    return -0.5 * w.dot(u), *turned
