"""How the coordinates of a joint move along its speeds: on straight lines, or on the rotations and motions of a body.

A space answers for the coordinates and speeds of one joint. `integrate` moves along constant speeds for one unit of
time, `difference` is its inverse, `nudge` the same to first order (what a derivative in the tangent needs), `rate` the
rate of the coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gearwright.algebra import Operations, Rot, Scalar, Vec
from gearwright.algebra import quaternion as quaternions
from gearwright.algebra.hinge import rotated
from gearwright.algebra.quaternion import Quaternion
from gearwright.algebra.screw_motion import screw_step, screw_step_inverse

Entries = Sequence[Scalar]


class Space(Protocol):
    """The configurations of one joint."""

    @property
    def straight(self) -> bool:
        """Whether every speed is the rate of its own coordinate."""
        ...

    @property
    def quaternion(self) -> int | None:
        """Where among the coordinates a quaternion begins."""
        ...

    def neutral(self, count: int) -> list[float]:
        """The coordinates of no motion."""
        ...

    def integrate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The coordinates after one unit of time with constant speeds."""
        ...

    def difference(self, q0: Entries, q1: Entries, ops: Operations) -> Entries:
        """The constant speeds that lead from q0 to q1 in one unit of time."""
        ...

    def nudge(self, q: Entries, d: Entries, ops: Operations) -> Entries:
        """`integrate` to first order in d."""
        ...

    def rate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The rate of the coordinates."""
        ...


class Lines:
    """Coordinates whose rates are the speeds."""

    straight, quaternion = True, None

    def neutral(self, count: int) -> list[float]:
        """All zero."""
        return [0.0] * count

    def integrate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The sum q + v."""
        return [x + step for x, step in zip(q, v, strict=True)]

    def difference(self, q0: Entries, q1: Entries, ops: Operations) -> Entries:
        """The difference q1 - q0."""
        return [there - here for here, there in zip(q0, q1, strict=True)]

    def nudge(self, q: Entries, d: Entries, ops: Operations) -> Entries:
        """The sum q + d."""
        return self.integrate(q, d, ops)

    def rate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The speeds themselves."""
        return v


class Rotations:
    """A quaternion (w, x, y, z); the speeds are the angular velocity in body axes: SO(3)."""

    straight, quaternion = False, 0

    def neutral(self, count: int) -> list[float]:
        """The identity."""
        return [1.0, 0.0, 0.0, 0.0]

    def integrate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """A turn about a fixed axis."""
        return quaternions.product(_turn(q, ops), quaternions.exponential(Vec(*v), ops))

    def difference(self, q0: Entries, q1: Entries, ops: Operations) -> Entries:
        """The shortest turn."""
        back = quaternions.conjugate(_turn(q0, ops))
        return list(quaternions.logarithm(quaternions.product(back, _turn(q1, ops)), ops))

    def nudge(self, q: Entries, d: Entries, ops: Operations) -> Entries:
        """The product q (1, d/2)."""
        return quaternions.product(_four(q), (1.0, *(x * 0.5 for x in d)))

    def rate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The product 1/2 q (0, w)."""
        return quaternions.product(_four(q), (0.0, *(x * 0.5 for x in v)))


class Motions:
    """A place and a quaternion; the speeds are velocity, then angular velocity, in body axes: SE(3)."""

    straight, quaternion = False, 3

    def neutral(self, count: int) -> list[float]:
        """At the origin, not turned."""
        return [0.0, 0.0, 0.0, *ROTATIONS.neutral(4)]

    def integrate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """Along the screw of the body twist."""
        step = screw_step(Vec(*v[3:]), Vec(*v[:3]), ops)
        place = Vec(*q[:3]) + Rot.of_quaternion(*_turn(q[3:], ops)) @ step
        return [*place, *ROTATIONS.integrate(q[3:], v[3:], ops)]

    def difference(self, q0: Entries, q1: Entries, ops: Operations) -> Entries:
        """The twist of the screw that leads there."""
        w = ROTATIONS.difference(q0[3:], q1[3:], ops)
        step = Rot.of_quaternion(*_turn(q0[3:], ops)).T @ (Vec(*q1[:3]) - Vec(*q0[:3]))
        return [*screw_step_inverse(Vec(*w), step, ops), *w]

    def nudge(self, q: Entries, d: Entries, ops: Operations) -> Entries:
        """The place moves by R d."""
        place = Vec(*q[:3]) + Rot.of_quaternion(*q[3:]) @ Vec(*d[:3])
        return [*place, *ROTATIONS.nudge(q[3:], d[3:], ops)]

    def rate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The place moves with R v."""
        return [*(Rot.of_quaternion(*q[3:]) @ Vec(*v[:3])), *ROTATIONS.rate(q[3:], v[3:], ops)]


class PlaneMotions:
    """A place in a plane and an angle; the speeds are the velocity in body axes and the rate of the angle: SE(2).

    The angle counts turns: what is more than a revolution apart stays so.
    """

    straight, quaternion = False, None

    def neutral(self, count: int) -> list[float]:
        """At the origin, not turned."""
        return [0.0, 0.0, 0.0]

    def integrate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """Along the circle of the body twist."""
        step = screw_step(Vec(0.0, 0.0, v[2]), Vec(v[0], v[1], 0.0), ops)
        return self._moved(q, (step.x, step.y, v[2]), ops)

    def difference(self, q0: Entries, q1: Entries, ops: Operations) -> Entries:
        """The twist of the circle that leads there."""
        turn = q1[2] - q0[2]
        cos, sin = ops.cos(q0[2]), ops.sin(q0[2])
        x, y = rotated((cos, -sin), q1[0] - q0[0], q1[1] - q0[1])
        v = screw_step_inverse(Vec(0.0, 0.0, turn), Vec(x, y, 0.0), ops)
        return [v.x, v.y, turn]

    def nudge(self, q: Entries, d: Entries, ops: Operations) -> Entries:
        """The place moves by R d."""
        return self._moved(q, d, ops)

    def rate(self, q: Entries, v: Entries, ops: Operations) -> Entries:
        """The place moves with R v."""
        return [*rotated((ops.cos(q[2]), ops.sin(q[2])), v[0], v[1]), v[2]]

    def _moved(self, q: Entries, step: Entries, ops: Operations) -> Entries:
        return [x + dx for x, dx in zip(q, self.rate(q, step, ops), strict=True)]


LINES, ROTATIONS, MOTIONS, PLANE_MOTIONS = Lines(), Rotations(), Motions(), PlaneMotions()


def _four(q: Entries) -> Quaternion:
    w, x, y, z = q
    return w, x, y, z


def _turn(q: Entries, ops: Operations) -> Quaternion:
    return quaternions.unit(_four(q), ops)
