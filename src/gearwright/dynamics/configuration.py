"""Configurations: the neutral one, motion at constant speeds, and differences.

Each joint has the configuration space of its kind (`mechanism.joints.spaces`): free joints move along the screw motion
of their body twist, spherical ones in SO(3), planar ones along circular arcs, all others and the shafts in R.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.quaternion import normalise_quaternion
from gearwright.mechanism import Mechanism
from gearwright.mechanism.joints.spaces import LINES, ConfigurationSpace


class JointSlices(NamedTuple):
    """A joint or shaft with its own speeds: its space, and the indices of its coordinates and speeds."""

    space: ConfigurationSpace
    q: slice
    v: slice


def independent_joints(mech: Mechanism) -> Iterator[JointSlices]:
    """The joints with speeds of their own in body order, then the shafts together."""
    mech = mech.tree
    nq = n = 0
    for body in mech.bodies:
        if body.follows is None:
            kind = body.kind
            q, v = slice(nq, nq + len(kind.coordinates)), slice(n, n + len(kind.speeds))
            nq, n = q.stop, v.stop
            yield JointSlices(kind.space, q, v)
    yield JointSlices(LINES, slice(nq, mech.nq), slice(n, mech.n))


def quaternion_slices(mech: Mechanism) -> Iterator[slice]:
    """Yield the slices of q with quaternions."""
    for space, q, _ in independent_joints(mech):
        if space.quaternion_start is not None:
            yield slice(q.start + space.quaternion_start, q.start + space.quaternion_start + 4)


def neutral(mech: Mechanism) -> list[float]:
    """All coordinates zero, all quaternions the identity (w, x, y, z) = (1, 0, 0, 0)."""
    return [x for space, q, _ in independent_joints(mech) for x in space.neutral_coordinates(q.stop - q.start)]


def integrate(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the configuration after motion from q at constant speeds v (body axes) for one unit of time."""
    return [x for joint in independent_joints(mech) for x in joint.space.integrate(q[joint.q], v[joint.v], ops)]


def difference(mech: Mechanism, q0: Sequence[Scalar], q1: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the constant speeds from q0 to q1 in one unit of time, the inverse of `integrate`."""
    return [x for joint in independent_joints(mech) for x in joint.space.difference(q0[joint.q], q1[joint.q], ops)]


def integrate_first_order(mech: Mechanism, q: Sequence[Scalar], d: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """`integrate` to first order in d, for derivatives in the tangent space."""
    return [
        x for joint in independent_joints(mech) for x in joint.space.integrate_first_order(q[joint.q], d[joint.v], ops)
    ]


def coordinate_rates(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the rate dq/dt of all coordinates: 1/2 q (0, w) for quaternions, R v for positions of free joints."""
    return [x for joint in independent_joints(mech) for x in joint.space.coordinate_rates(q[joint.q], v[joint.v], ops)]


def with_unit_quaternions(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The same configuration with quaternions of length one."""
    out = list(q)
    for quaternion in quaternion_slices(mech):
        w, x, y, z = q[quaternion]
        out[quaternion] = normalise_quaternion((w, x, y, z), ops)
    return out
