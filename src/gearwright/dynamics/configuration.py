"""Configurations: where a machine is neutral, how it moves along speeds, and how two differ.

Free joints move along the screw of their body twist (the exponential of SE(3)), spherical ones along SO(3), all others
along straight lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gearwright.algebra import Operations, Rot, Scalar, Vec
from gearwright.mechanism import Mechanism

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]


def neutral(mech: Mechanism) -> list[float]:
    """All coordinates zero, all quaternions the identity (w, x, y, z) = (1, 0, 0, 0)."""
    out = [0.0] * mech.nq
    for joint in turning_joints(mech):
        out[joint.quaternion.start] = 1.0
    return out


class Slots(NamedTuple):
    """Where a spherical or free joint has its numbers in q and v; a spherical joint has no place or velocity."""

    quaternion: slice
    angular: slice
    place: slice | None
    linear: slice | None


def turning_joints(mech: Mechanism) -> Iterator[Slots]:
    """The joints whose coordinates are quaternions."""
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        if body.joint in ("spherical", "free"):
            q, v = joint.first, joint.dofs[0].speed
            if body.joint == "spherical":
                yield Slots(slice(q, q + 4), slice(v, v + 3), None, None)
            else:
                yield Slots(slice(q + 3, q + 7), slice(v + 3, v + 6), slice(q, q + 3), slice(v, v + 3))


def integrate(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The configuration reached from q with constant speeds v (body axes) after one unit of time."""
    out = _straight(mech, q, v)
    for joint in turning_joints(mech):
        turn, w = _unit(_quaternion(q, joint), ops), Vec(*v[joint.angular])
        out[joint.quaternion] = _product(turn, _exponential(w, ops))
        if joint.place and joint.linear:
            step = _screw_step(w, Vec(*v[joint.linear]), ops)
            out[joint.place] = Vec(*q[joint.place]) + Rot.of_quaternion(*turn) @ step
    return out


def difference(mech: Mechanism, q0: Sequence[Scalar], q1: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The constant speeds that lead from q0 to q1 in one unit of time, the inverse of `integrate`."""
    out: list[Scalar] = [q1[where] - q0[where] if where >= 0 else 0.0 for where in mech.layout.coordinate_of]
    for joint in turning_joints(mech):
        turn, there = _unit(_quaternion(q0, joint), ops), _unit(_quaternion(q1, joint), ops)
        w = logarithm(_product(_conjugate(turn), there), ops)
        out[joint.angular] = w
        if joint.place and joint.linear:
            step = Rot.of_quaternion(*turn).T @ (Vec(*q1[joint.place]) - Vec(*q0[joint.place]))
            out[joint.linear] = _screw_step_inverse(w, step, ops)
    return out


def nudge(mech: Mechanism, q: Sequence[Scalar], d: Sequence[Scalar]) -> list[Scalar]:
    """`integrate` to first order in d, with + and * only: what a derivative in the tangent needs."""
    out = _straight(mech, q, d)
    for joint in turning_joints(mech):
        turn, (x, y, z) = _quaternion(q, joint), d[joint.angular]
        out[joint.quaternion] = _product(turn, (1.0, x * 0.5, y * 0.5, z * 0.5))
        if joint.place and joint.linear:
            out[joint.place] = Vec(*q[joint.place]) + Rot.of_quaternion(*turn) @ Vec(*d[joint.linear])
    return out


def rate(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """The rate dq/dt of all coordinates: quaternions turn with 1/2 q (0, w), places of free joints move with R v."""
    out: list[Scalar] = [0.0] * mech.nq
    for k, where in enumerate(mech.layout.coordinate_of):
        if where >= 0:
            out[where] = v[k]
    for joint in turning_joints(mech):
        turn, (x, y, z) = _quaternion(q, joint), v[joint.angular]
        out[joint.quaternion] = _product(turn, (0.0, x * 0.5, y * 0.5, z * 0.5))
        if joint.place and joint.linear:
            out[joint.place] = Rot.of_quaternion(*turn) @ Vec(*v[joint.linear])
    return out


def normalised(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The same configuration with quaternions of length one."""
    out = list(q)
    for joint in turning_joints(mech):
        out[joint.quaternion] = _unit(_quaternion(q, joint), ops)
    return out


def _straight(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """The sum q + v where a coordinate belongs to a speed; quaternions and places stay."""
    out = list(q)
    for k, where in enumerate(mech.layout.coordinate_of):
        if where >= 0:
            out[where] = q[where] + v[k]
    return out


def _quaternion(q: Sequence[Scalar], joint: Slots) -> Quaternion:
    w, x, y, z = q[joint.quaternion]
    return w, x, y, z


def _unit(x: Quaternion, ops: Operations) -> Quaternion:
    w, i, j, k = x
    scale = 1 / ops.sqrt(w * w + i * i + j * j + k * k)
    return w * scale, i * scale, j * scale, k * scale


def _conjugate(x: Quaternion) -> Quaternion:
    return x[0], -x[1], -x[2], -x[3]


def _product(p: Quaternion, q: Quaternion) -> Quaternion:
    a, u = p[0], Vec(*p[1:])
    b, v = q[0], Vec(*q[1:])
    return a * b - u.dot(v), *(v * a + u * b + u.cross(v))


def _exponential(w: Vec, ops: Operations) -> Quaternion:
    """The quaternion of the rotation vector w: (cos(t/2), w sin(t/2)/t), with its series near zero."""
    square = w.dot(w)
    small = square < 1e-6
    angle = ops.sqrt(ops.where(small, 1.0, square))
    half = ops.where(small, 0.5 - square / 48 + square * square / 3840, ops.sin(0.5 * angle) / angle)
    real = ops.where(small, 1 - square / 8 + square * square / 384, ops.cos(0.5 * angle))
    return real, *(w * half)


def logarithm(x: Quaternion, ops: Operations) -> Vec:
    """The rotation vector, shorter than or equal to pi, of a unit quaternion."""
    sign = ops.where(x[0] < 0, -1.0, 1.0)
    w, u = x[0] * sign, Vec(*x[1:]) * sign
    square = u.dot(u)
    small = square < 1e-10
    length = ops.sqrt(ops.where(small, 1.0, square))
    near = ops.where(small, w, 1.0)  # close to 1 where it is used; never divides by zero where it is not
    return u * ops.where(small, 2 / near - 2 * square / (3 * near * near * near), 2 * ops.arctan2(length, w) / length)


def _screw_step(w: Vec, v: Vec, ops: Operations) -> Vec:
    """Displacement of a body moving one unit of time with the body twist (v, w): v + B w x v + C w x (w x v)."""
    B, C = _screw_factors(w, ops)
    turned = w.cross(v)
    return v + turned * B + w.cross(turned) * C


def _screw_step_inverse(w: Vec, step: Vec, ops: Operations) -> Vec:
    """The v whose screw step is `step`: step - w x step / 2 + D w x (w x step)."""
    square = w.dot(w)
    small = square < 1e-4
    B, C = _screw_factors(w, ops)
    safe = ops.where(small, 1.0, square)
    A = 1 - square * C  # sin t / t
    exact = (1 - A / (2 * ops.where(small, 1.0, B))) / safe
    D = ops.where(small, 1 / 12 + square / 720 + square * square / 30240, exact)
    turned = w.cross(step)
    return step - turned * 0.5 + w.cross(turned) * D


def _screw_factors(w: Vec, ops: Operations) -> tuple[Scalar, Scalar]:
    """(1 - cos t)/t^2 and (t - sin t)/t^3, with their series near zero."""
    square = w.dot(w)
    small = square < 1e-4
    safe = ops.where(small, 1.0, square)
    angle = ops.sqrt(safe)
    half = ops.sin(0.5 * angle)
    B = ops.where(small, 0.5 - square / 24 + square * square / 720, 2 * half * half / safe)
    series = 1 / 6 - square / 120 + square * square / 5040 - square * square * square / 362880
    C = ops.where(small, series, (angle - ops.sin(angle)) / (safe * angle))
    return B, C
