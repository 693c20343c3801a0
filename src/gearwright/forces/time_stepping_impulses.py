"""The limits of impulses that laws with modes have over a fixed step: friction, stops, slips, gaps and gears."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar, is_number
from gearwright.forces.impulse_limits import Entering, Meeting, within
from gearwright.forces.line import Line
from gearwright.forces.transmission.mesh_efficiency import Mesh

NORMAL = Entering(impulses=(1.0, 0.0, 0.0))
"""The first impulse of a contact."""

UNBOUNDED = 1e100
"""An impulse that nothing reaches [Nms, Ns]."""


@dataclass(frozen=True)
class Unlimited:
    """A drive strong enough for anything: the line has the speed that is wanted."""

    entering: Entering | None = None

    def impulse(self, meeting: Meeting) -> Scalar:
        """What brings the line to its speed."""
        return (meeting.target - meeting.speed) * meeting.yields


@dataclass(frozen=True)
class Bounded:
    """What brings the line to its speed, between bounds: friction (low = -high), a stop (low = 0).

    Args:
        low: least impulse [Nms, Ns].
        high: largest impulse.
        target: the speed wanted, where it is not that of the hold.

    >>> from gearwright.algebra.operations import FLOATS
    >>> sliding = Meeting(speed=2.0, target=0.0, answer=0.5, yields=1.0, entering=0.0, share=0.0, ops=FLOATS)
    >>> Bounded(-1.0, 1.0).impulse(sliding), Bounded(-10.0, 10.0).impulse(sliding)
    (-0.5, -2.0)
    """

    low: Scalar
    high: Scalar
    target: Scalar | None = None
    entering: Entering | None = None

    def impulse(self, meeting: Meeting) -> Scalar:
        """The projection on the bounds."""
        target = meeting.target if self.target is None else self.target
        needed = (target - meeting.speed) * meeting.yields
        return within(self.low * meeting.answer, needed, self.high * meeting.answer, meeting.ops)


@dataclass(frozen=True)
class Unilateral:
    r"""A surface or stop that pushes and never pulls: no penetration at the end of the step, restitution at an impact.

    With the gap g in the middle of the step, the gap at its end is $g + \tfrac h2 w$. Where free motion would close it,
    the line leaves with $w \ge -e\,w_0$ (Newton), $w_0$ at the beginning; without restitution it may approach as far as
    the surface, $w \ge \min(0, -2 g / h)$.

    Args:
        line: the gap, not placed.
        gap: in the middle of the step [m, rad].
        leaving: $-e\,w_0$, 0 where it is captured [m/s, rad/s].
        step: h [s].
    """

    line: Line
    gap: Scalar
    leaving: Scalar
    step: Scalar
    entering: Entering | None = None

    def least(self, free: Scalar, ops: Operations) -> Scalar:
        """The least speed along the line at the end of a step that would end with the speed `free` there."""
        landing = -2.0 * self.gap / self.step
        bounces = ops.where(free < landing, self.leaving, 0.0) > 0
        return ops.where(bounces, self.leaving, ops.minimum(landing, 0.0))

    def impulse(self, meeting: Meeting) -> Scalar:
        """What keeps the line off, if it has to be pushed."""
        least = self.least(meeting.free, meeting.ops)
        return meeting.ops.maximum((least - meeting.speed) * meeting.yields, 0.0)


@dataclass(frozen=True)
class Cone:
    """Coulomb friction along the tangents of a contact, whose first impulse is that along the normal.

    Both tangents are solved together: |P| <= mu P_n, against the slip at the end of the step.

    Args:
        friction: mu.
        entering: the impulse along the normal.
    """

    friction: Scalar
    entering: Entering | None = NORMAL

    def impulse(self, meeting: Meeting) -> Scalar:
        """What stops the slip along a single tangent: the projection on the bounds."""
        most = self.friction * meeting.ops.maximum(meeting.entering, 0.0)
        return within(-most, (meeting.target - meeting.speed) * meeting.yields, most, meeting.ops)


@dataclass(frozen=True)
class Slipping:
    """A spring behind a slider: -(push + slope w), between bounds.

    Args:
        push: impulse against the line at the speed 0 [Nms, Ns].
        slope: and what it grows by with the speed.
        most: what the slider holds.
    """

    push: Scalar
    slope: Scalar
    most: Scalar
    entering: Entering | None = None

    def impulse(self, meeting: Meeting) -> Scalar:
        """The projection on the bounds."""
        most = self.most * meeting.answer
        return within(-most, -resisting(self.push, self.slope, meeting), most, meeting.ops)


@dataclass(frozen=True)
class Pressed:
    r"""A spring and damper behind a gap on one side, which push and never pull, taken at the end of the step.

    Against a compression rate u it pushes with $T + D$, $T = \max(0, a + b u)$, $|D| \le c T$, $D = d u$. This grows
    with u, so that the solution is made of those of its straight pieces by the same minima and maxima.

    Args:
        side: 1 or -1, the sense in which the line compresses it.
        push: a times the step [Nms, Ns].
        slope: b times the step.
        damping: d times the step.
        limit: c.
    """

    side: Scalar
    push: Scalar
    slope: Scalar
    damping: Scalar
    limit: float
    entering: Entering | None = None

    def impulse(self, meeting: Meeting) -> Scalar:
        """The push, against the side that it is on."""
        ops, toward = meeting.ops, meeting._replace(speed=self.side * meeting.speed)
        both = resisting(self.push, self.slope + self.damping, toward)
        least, most = (
            resisting(factor * self.push, factor * self.slope, toward)
            for factor in (1.0 - self.limit, 1.0 + self.limit)
        )
        return -self.side * ops.maximum(0.0, ops.maximum(ops.minimum(both, most), least))


def resisting(push: Scalar, slope: Scalar, meeting: Meeting) -> Scalar:
    """What brings the line to w, as a speed, where an impulse push + slope w acts against it."""
    return (push + slope * meeting.speed) * meeting.answer / (1.0 + slope * meeting.answer)


@dataclass(frozen=True)
class Meshing:
    r"""The loss of a gear, by the direction of power: bounds that depend on what it transmits.

    With the impulse T that enters, O = T + P that leaves, and A, B without load, the gear turns forward with
    $T - A = \psi(O + B)$, $\psi(o) = \max(o / \eta', \eta'' o)$, backward with the same of -T and -O, and rests in
    between. One more unit of P takes $\sigma$ off T, so that $(1 - \sigma) (T - A) + \sigma (O + B)$ is known: with it,
    both are found in closed form. A gear that jams (Painleve) has no forward motion where the joint pushes: it rests.

    A gear that locks itself holds the better, the more load it bears. Beside friction at the joint there may then be
    ways to rest and to move in the same state, by who bears the load: it rests where there is a way (`Meeting.relief`).

    Args:
        mesh: the teeth; torques without load times the step.
        entering: what enters.
    """

    mesh: Mesh
    entering: Entering | None

    @property
    def may_lock(self) -> bool:
        """Whether it may lock itself: its back-driving efficiency is not positive, or not known yet."""
        return not (is_number(self.mesh.back) and self.mesh.back > 0)

    def impulse(self, meeting: Meeting) -> Scalar:
        """What is lost, turned round."""
        ops, mesh = meeting.ops, self.mesh.scaled(meeting.answer)
        rest = -meeting.speed
        T = meeting.entering - meeting.share * rest
        forward = mesh.margin(T, T + rest, 1.0, ops)
        backward = mesh.margin(T, T + rest, -1.0, ops)
        ahead = _turning(mesh, meeting.entering, meeting.share, ops)
        back = -_turning(mesh, -meeting.entering, meeting.share, ops)
        for relief in meeting.relief:
            holds = _holding(mesh, T, T + rest - relief, ops)
            ahead, back = (ops.where(holds < 0, turns, rest - relief) for turns in (ahead, back))
        return ops.where(forward < 0, ahead, ops.where(backward < 0, back, rest))


def _holding(mesh: Mesh, entering: Scalar, leaving: Scalar, ops: Operations) -> Scalar:
    """How much more torque it takes to begin to turn either way."""
    return ops.minimum(mesh.margin(entering, leaving, 1.0, ops), mesh.margin(entering, leaving, -1.0, ops))


def _turning(mesh: Mesh, entering: Scalar, share: Scalar, ops: Operations) -> Scalar:
    """What is lost, turned round, in a gear that turns forward."""
    idle = mesh.input_torque + mesh.output_torque
    known = entering - mesh.input_torque + share * idle
    driving = known / ((1.0 - share) / mesh.drive + share)
    driven = known / ((1.0 - share) * mesh.back + share)
    leaving = ops.where(known > 0, driving, driven)
    return leaving - ops.where(known > 0, leaving / mesh.drive, leaving * mesh.back) - idle
