"""Configurations: where a machine is neutral, how it moves along speeds, and how two differ.

Each joint moves in the space of its kind (`mechanism.joints.spaces`): free joints along the screw of their body twist,
spherical ones along SO(3), planar ones along circles, all others and the shafts along straight lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.quaternion import unit
from gearwright.mechanism import Mechanism
from gearwright.mechanism.joints.spaces import LINES, Space


class Own(NamedTuple):
    """What moves by itself, a joint or a shaft: its space, and where its coordinates and speeds are."""

    space: Space
    q: slice
    v: slice


def own_joints(mech: Mechanism) -> Iterator[Own]:
    """The joints with speeds of their own in body order, then the shafts together."""
    nq = n = 0
    for body in mech.bodies:
        if body.follows is None:
            kind = body.kind
            q, v = slice(nq, nq + len(kind.coordinates)), slice(n, n + len(kind.speeds))
            nq, n = q.stop, v.stop
            yield Own(kind.space, q, v)
    yield Own(LINES, slice(nq, mech.nq), slice(n, mech.n))


def quaternions(mech: Mechanism) -> Iterator[slice]:
    """Where in q the quaternions are."""
    for space, q, _ in own_joints(mech):
        if space.quaternion is not None:
            yield slice(q.start + space.quaternion, q.start + space.quaternion + 4)


def neutral(mech: Mechanism) -> list[float]:
    """All coordinates zero, all quaternions the identity (w, x, y, z) = (1, 0, 0, 0)."""
    return [x for space, q, _ in own_joints(mech) for x in space.neutral(q.stop - q.start)]


def integrate(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The configuration reached from q with constant speeds v (body axes) after one unit of time."""
    return [x for own in own_joints(mech) for x in own.space.integrate(q[own.q], v[own.v], ops)]


def difference(mech: Mechanism, q0: Sequence[Scalar], q1: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The constant speeds that lead from q0 to q1 in one unit of time, the inverse of `integrate`."""
    return [x for own in own_joints(mech) for x in own.space.difference(q0[own.q], q1[own.q], ops)]


def nudge(mech: Mechanism, q: Sequence[Scalar], d: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """`integrate` to first order in d: what a derivative in the tangent needs."""
    return [x for own in own_joints(mech) for x in own.space.nudge(q[own.q], d[own.v], ops)]


def rate(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The rate dq/dt of all coordinates: quaternions turn with 1/2 q (0, w), places of free joints move with R v."""
    return [x for own in own_joints(mech) for x in own.space.rate(q[own.q], v[own.v], ops)]


def normalised(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The same configuration with quaternions of length one."""
    out = list(q)
    for four in quaternions(mech):
        w, x, y, z = q[four]
        out[four] = unit((w, x, y, z), ops)
    return out
