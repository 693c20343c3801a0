"""Quaternions (w, x, y, z) for any scalar type, and their rotation vectors."""

from __future__ import annotations

from gearwright.algebra.scalar import Operations, Scalar
from gearwright.algebra.vector import Vec

Quaternion = tuple[Scalar, Scalar, Scalar, Scalar]


def normalise_quaternion(x: Quaternion, ops: Operations) -> Quaternion:
    """Return the unit quaternion of the same rotation."""
    w, i, j, k = x
    scale = 1 / ops.sqrt(w * w + i * i + j * j + k * k)
    return w * scale, i * scale, j * scale, k * scale


def conjugate_quaternion(x: Quaternion) -> Quaternion:
    """Return the conjugate, the inverse rotation of a unit quaternion.

    >>> conjugate_quaternion((1, 2, 3, 4))
    (1, -2, -3, -4)
    """
    return x[0], -x[1], -x[2], -x[3]


def multiply_quaternions(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the product p q: rotation `q` first, then `p`.

    >>> multiply_quaternions((0, 1, 0, 0), (0, 0, 1, 0))        # i j = k
    (0, 0, 0, 1)
    """
    a, u = p[0], Vec(*p[1:])
    b, v = q[0], Vec(*q[1:])
    return a * b - u.dot(v), *(v * a + u * b + u.cross(v))


def quaternion_exponential(w: Vec, ops: Operations) -> Quaternion:
    """The quaternion of the rotation vector w: (cos(t/2), w sin(t/2)/t), with its series near zero."""
    square = w.dot(w)
    small = square < 1e-6
    angle = ops.sqrt(ops.where(small, 1.0, square))
    half = ops.where(small, 0.5 - square / 48 + square * square / 3840, ops.sin(0.5 * angle) / angle)
    real = ops.where(small, 1 - square / 8 + square * square / 384, ops.cos(0.5 * angle))
    return real, *(w * half)


def quaternion_logarithm(x: Quaternion, ops: Operations) -> Vec:
    """The rotation vector, shorter than or equal to pi, of a unit quaternion."""
    sign = ops.where(x[0] < 0, -1.0, 1.0)
    w, u = x[0] * sign, Vec(*x[1:]) * sign
    square = u.dot(u)
    small = square < 1e-10
    length = ops.sqrt(ops.where(small, 1.0, square))
    near = ops.where(small, w, 1.0)  # close to 1 where it is used; prevents division by zero elsewhere
    return u * ops.where(small, 2 / near - 2 * square / (3 * near * near * near), 2 * ops.arctan2(length, w) / length)
