"""Configuration spaces of joints: vector spaces, rotations SO(3), rigid motions SE(3) and SE(2).

A space holds the coordinates and speeds of one joint. `integrate` moves at constant speeds for one unit of time,
`difference` is its inverse, `nudge` its first-order approximation (for derivatives in the tangent space), `rate` the
rate of the coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gearwright.algebra import Operations, Rot, Scalar, Vec
from gearwright.algebra import quaternion as quaternions
from gearwright.algebra.hinge import rotate_in_plane
from gearwright.algebra.quaternion import Quaternion
from gearwright.algebra.screw_motion import screw_step, screw_step_inverse

SpaceEntries = Sequence[Scalar]


class ConfigurationSpace(Protocol):
    """The configuration space of one joint."""

    @property
    def speeds_are_rates(self) -> bool:
        """Whether every speed is the rate of its own coordinate."""
        ...

    @property
    def quaternion_start(self) -> int | None:
        """Index of the first coordinate of a quaternion."""
        ...

    def neutral_coordinates(self, count: int) -> list[float]:
        """Return the neutral coordinates."""
        ...

    def integrate(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Return the coordinates after one unit of time at constant speeds."""
        ...

    def difference(self, q0: SpaceEntries, q1: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Return the constant speeds from q0 to q1 in one unit of time."""
        ...

    def integrate_first_order(self, q: SpaceEntries, d: SpaceEntries, ops: Operations) -> SpaceEntries:
        """`integrate` to first order in d."""
        ...

    def coordinate_rates(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The rate of the coordinates."""
        ...


class LineSpace:
    """Coordinates whose rates are the speeds."""

    speeds_are_rates, quaternion_start = True, None

    def neutral_coordinates(self, count: int) -> list[float]:
        """All zero."""
        return [0.0] * count

    def integrate(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The sum q + v."""
        return [x + step for x, step in zip(q, v, strict=True)]

    def difference(self, q0: SpaceEntries, q1: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The difference q1 - q0."""
        return [end - start for start, end in zip(q0, q1, strict=True)]

    def integrate_first_order(self, q: SpaceEntries, d: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The sum q + d."""
        return self.integrate(q, d, ops)

    def coordinate_rates(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The speeds themselves."""
        return v


class RotationSpace:
    """A quaternion (w, x, y, z); the speeds are the angular velocity in body axes: SO(3)."""

    speeds_are_rates, quaternion_start = False, 0

    def neutral_coordinates(self, count: int) -> list[float]:
        """The identity."""
        return [1.0, 0.0, 0.0, 0.0]

    def integrate(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Rotate about a fixed axis."""
        return quaternions.multiply_quaternions(
            _unit_quaternion(q, ops), quaternions.quaternion_exponential(Vec(*v), ops)
        )

    def difference(self, q0: SpaceEntries, q1: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Return the rotation vector of the shortest rotation."""
        back = quaternions.conjugate_quaternion(_unit_quaternion(q0, ops))
        return list(
            quaternions.quaternion_logarithm(quaternions.multiply_quaternions(back, _unit_quaternion(q1, ops)), ops)
        )

    def integrate_first_order(self, q: SpaceEntries, d: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The product q (1, d/2)."""
        return quaternions.multiply_quaternions(_as_quaternion(q), (1.0, *(x * 0.5 for x in d)))

    def coordinate_rates(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The product 1/2 q (0, w)."""
        return quaternions.multiply_quaternions(_as_quaternion(q), (0.0, *(x * 0.5 for x in v)))


class MotionSpace:
    """A position and a quaternion; the speeds are velocity, then angular velocity, in body axes: SE(3)."""

    speeds_are_rates, quaternion_start = False, 3

    def neutral_coordinates(self, count: int) -> list[float]:
        """At the origin, not turned."""
        return [0.0, 0.0, 0.0, *ROTATIONS.neutral_coordinates(4)]

    def integrate(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Move along the screw motion of the body twist."""
        step = screw_step(Vec(*v[3:]), Vec(*v[:3]), ops)
        place = Vec(*q[:3]) + Rot.from_quaternion(*_unit_quaternion(q[3:], ops)) @ step
        return [*place, *ROTATIONS.integrate(q[3:], v[3:], ops)]

    def difference(self, q0: SpaceEntries, q1: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Return the twist of the screw motion from q0 to q1."""
        w = ROTATIONS.difference(q0[3:], q1[3:], ops)
        step = Rot.from_quaternion(*_unit_quaternion(q0[3:], ops)).T @ (Vec(*q1[:3]) - Vec(*q0[:3]))
        return [*screw_step_inverse(Vec(*w), step, ops), *w]

    def integrate_first_order(self, q: SpaceEntries, d: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The place moves by R d."""
        place = Vec(*q[:3]) + Rot.from_quaternion(*q[3:]) @ Vec(*d[:3])
        return [*place, *ROTATIONS.integrate_first_order(q[3:], d[3:], ops)]

    def coordinate_rates(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The place moves with R v."""
        return [*(Rot.from_quaternion(*q[3:]) @ Vec(*v[:3])), *ROTATIONS.coordinate_rates(q[3:], v[3:], ops)]


class PlaneMotionSpace:
    """A position in a plane and an angle; the speeds are the velocity in body axes and the rate of the angle: SE(2).

    The angle is not reduced modulo 2 pi: full turns count.
    """

    speeds_are_rates, quaternion_start = False, None

    def neutral_coordinates(self, count: int) -> list[float]:
        """At the origin, not turned."""
        return [0.0, 0.0, 0.0]

    def integrate(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Move along the circular arc of the body twist."""
        step = screw_step(Vec(0.0, 0.0, v[2]), Vec(v[0], v[1], 0.0), ops)
        return self._after_step(q, (step.x, step.y, v[2]), ops)

    def difference(self, q0: SpaceEntries, q1: SpaceEntries, ops: Operations) -> SpaceEntries:
        """Return the twist of the circular arc from q0 to q1."""
        turn = q1[2] - q0[2]
        cos, sin = ops.cos(q0[2]), ops.sin(q0[2])
        x, y = rotate_in_plane((cos, -sin), q1[0] - q0[0], q1[1] - q0[1])
        v = screw_step_inverse(Vec(0.0, 0.0, turn), Vec(x, y, 0.0), ops)
        return [v.x, v.y, turn]

    def integrate_first_order(self, q: SpaceEntries, d: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The place moves by R d."""
        return self._after_step(q, d, ops)

    def coordinate_rates(self, q: SpaceEntries, v: SpaceEntries, ops: Operations) -> SpaceEntries:
        """The place moves with R v."""
        return [*rotate_in_plane((ops.cos(q[2]), ops.sin(q[2])), v[0], v[1]), v[2]]

    def _after_step(self, q: SpaceEntries, step: SpaceEntries, ops: Operations) -> SpaceEntries:
        return [x + dx for x, dx in zip(q, self.coordinate_rates(q, step, ops), strict=True)]


LINES, ROTATIONS, MOTIONS, PLANE_MOTIONS = LineSpace(), RotationSpace(), MotionSpace(), PlaneMotionSpace()


def _as_quaternion(q: SpaceEntries) -> Quaternion:
    w, x, y, z = q
    return w, x, y, z


def _unit_quaternion(q: SpaceEntries, ops: Operations) -> Quaternion:
    return quaternions.normalise_quaternion(_as_quaternion(q), ops)
