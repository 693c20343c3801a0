"""Screw motion of a body with a constant body twist for one unit of time: the exponential map of SE(3)."""

from __future__ import annotations

from gearwright.algebra.scalar import Operations, Scalar
from gearwright.algebra.vector import Vec


def screw_step(w: Vec, v: Vec, ops: Operations) -> Vec:
    """Return the displacement for the body twist (v, w) in one unit of time: v + B w x v + C w x (w x v)."""
    B, C = _screw_factors(w, ops)
    crossed = w.cross(v)
    return v + crossed * B + w.cross(crossed) * C


def screw_step_inverse(w: Vec, step: Vec, ops: Operations) -> Vec:
    """Return the velocity v of a displacement `step`: step - w x step / 2 + D w x (w x step)."""
    square = w.dot(w)
    small = square < 1e-4
    B, C = _screw_factors(w, ops)
    safe = ops.where(small, 1.0, square)
    A = 1 - square * C  # sin t / t
    exact = (1 - A / (2 * ops.where(small, 1.0, B))) / safe
    D = ops.where(small, 1 / 12 + square / 720 + square * square / 30240, exact)
    crossed = w.cross(step)
    return step - crossed * 0.5 + w.cross(crossed) * D


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
