"""Which ways two bodies of a compiled MJCF model can move against each other at a point.

A planar linkage cannot leave its plane: to hold it there would be to hold what no joint moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import IDENTITY, Rot
from gearwright.arrays import Array
from gearwright.files.mjcf_source import mujoco_module

LOOKS = 4
"""Configurations that are looked at; one may be singular by chance."""
STILL = 1e-9
"""A share of the largest motion below this is none."""


class Mobility(NamedTuple):
    """Axes, seen from those given, and which of x, y, z, rx, ry, rz along and about them can move."""

    axes: Rot
    moves: tuple[bool, ...]


def mobility(model: Any, bodies: tuple[int, int], position: Array, rotation: Array, turns: bool) -> Mobility:
    """How a point of the first body can move as the second one sees it, joints that follow others taken as free.

    Args:
        model: the model.
        bodies: the two bodies.
        position: of the point, in the first body.
        rotation: (3, 3), axes in the second body as columns.
        turns: whether turning matters too.
    """
    rates = _rates(model, bodies, position, rotation)
    scale = max(np.abs(rates).max(), 1e-300)
    parts = [rates[:3], rates[3:]] if turns else [rates[:3]]
    axes = next((found for part in parts if (found := _axes(part / scale)) is not None), np.eye(3))
    along = np.vstack([axes.T @ rates[:3], axes.T @ rates[3:]]) / scale
    moves = tuple(bool(x > STILL) for x in np.abs(along).max(axis=1))
    plain = IDENTITY if np.array_equal(axes, np.eye(3)) else Rot.of(axes.tolist())
    return Mobility(plain, moves)


def _axes(rates: Array) -> Array | None:
    """Axes along some of which nothing moves; None where all directions move."""
    vectors, values, _ = np.linalg.svd(rates, full_matrices=False)
    still = int((values < STILL).sum())
    if still == 0:
        return None
    if (np.abs(rates).max(axis=1) < STILL).sum() == still:
        return np.eye(3)
    return np.asarray(vectors * np.sign(np.linalg.det(vectors)), dtype=float)


def _rates(model: Any, bodies: tuple[int, int], position: Array, rotation: Array) -> Array:
    """(6, n times looks): relative velocities per unit speed, linear then angular, in the axes of the second."""
    mujoco, rng = mujoco_module(), np.random.default_rng(0)
    data = mujoco.MjData(model)
    found = []
    for _ in range(LOOKS):
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.3)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        point = data.xpos[bodies[0]] + data.xmat[bodies[0]].reshape(3, 3) @ position
        one, two = (_jacobian(model, data, body, point) for body in bodies)
        inward = (data.xmat[bodies[1]].reshape(3, 3) @ rotation).T
        found.append(np.vstack([inward @ (one - two)[:3], inward @ (one - two)[3:]]))
    return np.hstack(found)


def _jacobian(model: Any, data: Any, body: int, point: Array) -> Array:
    both = np.zeros((6, model.nv))
    mujoco_module().mj_jac(model, data, both[:3], both[3:], point.reshape(3, 1), body)
    return both
