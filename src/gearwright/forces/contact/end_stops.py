"""End stops: rigid ones that bounce, and compliant ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, require_scalar
from gearwright.dynamics.configuration import neutral
from gearwright.dynamics.elimination import solve
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.errors import InputError
from gearwright.forces.coordinates.coordinate import Coordinate, row_somewhere
from gearwright.forces.friction.stick_slip import onward
from gearwright.forces.law import (
    Action,
    Guard,
    Hold,
    Impact,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
    Stepped,
)
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import force_unit, joint_line
from gearwright.forces.time_stepping_impulses import UNBOUNDED, Bounded
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.kinematic_error import Twist
from gearwright.forces.transmission.nonlinear_spring import Curve, NonlinearSpring
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.parts import Link, Robot

FREE, LOWER, UPPER = "free", "lower", "upper"

SIDES = {LOWER: 1.0, UPPER: -1.0}
"""In which sense each stop pushes."""

CLEAR = 1e-8
"""A gap [rad, m] that something leaving a stop has at least: events are located a billionth behind it."""

FAR = 1e6
"""Where a compliant range ends [rad, m] on a side without a limit."""

RATE = 200.0
"""How fast compliant stops of compiled runs swing [rad/s]: a fifth of what a step of a millisecond can follow."""


@dataclass(frozen=True)
class Stops(Law):
    r"""Rigid stops at both ends of a line, with Newton's restitution $w^+ = -e\, w^-$.

    free: lower < x < upper; lower: $\dot w = 0$ with the force $\lambda \ge 0$; upper: $\lambda \le 0$. A bounce that
    would leave with less than the `capture` speed ends at the stop, so that ever smaller bounces come to rest.

    Args:
        name: its name.
        line: what is limited.
        lower: end [rad, m] or -inf.
        upper: end [rad, m] or inf.
        restitution: e, 0 (plastic) to 1.
        capture: speed [rad/s, m/s] below which it does not bounce any more.
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> from gearwright.algebra.operations import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> ends = Stops("j2.stops", Line.of(arm, "j2"), -1.0, 1.0, restitution=0.5)
    >>> falling = Situation(0.0, [0.0, -1.0, 0.0], [0.0, -2.0, 0.0], (), (), FLOATS, arm)
    >>> guard = next(one for one in ends.guards("free", falling, Reaction([0.0] * 3)) if one.when)
    >>> guard.value, guard.to, guard.impact.restitution
    (0.0, 'free', 0.5)
    """

    name: str
    line: Line
    lower: Scalar
    upper: Scalar
    restitution: float = 0.0
    capture: float = 1e-3
    unit: str = "Nm"

    def __post_init__(self) -> None:
        numbers = [end for end in (self.lower, self.upper) if is_number(end)]
        for word in ("lower", "upper"):
            if not _is_symbol(getattr(self, word)):
                number(self.name, word, getattr(self, word), infinite=True)
        if len(numbers) == 2 and not self.lower < self.upper:
            raise InputError(
                f"{self.name}: the stops at {self.lower} and {self.upper} leave no room. Give lower < upper."
            )
        hint = "0 does not bounce, 1 loses nothing."
        number(self.name, "restitution", self.restitution, least=0.0, most=1.0, example=0.5, hint=hint)
        number(self.name, "capture", self.capture, least=0.0, example=1e-3)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The force of the stop."""
        return (Quantity(f"{self.name}.force", self.unit),)

    @property
    def modes(self) -> tuple[str, ...]:
        """Between the stops, or at one of them."""
        return (FREE, LOWER, UPPER)

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold at a stop."""
        return Action() if mode == FREE else Action(holds=(Hold(self.line, speed=0.0),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The force of the stop."""
        if mode == FREE:
            return Outcome(signals={f"{self.name}.force": 0.0})
        force = reaction.multipliers[0]
        return Outcome(dissipated=-force * situation.speed(self.line), signals={f"{self.name}.force": force})

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Stops push and do not pull; meeting one is an impact."""
        if mode != FREE:
            return (Guard(SIDES[mode] * reaction.multipliers[0], FREE),)
        ends = {LOWER: self.lower, UPPER: self.upper}
        return tuple(
            guard
            for side, end in ends.items()
            if _is_limit(end)
            for guard in self._meeting(side, end, situation, reaction)
        )

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """Beyond an end in the middle of the step it pushes, until the line leaves with what restitution asks for."""
        ops = situation.ops
        x, back = situation.position(self.line), -self.restitution * situation.speed(self.line)
        below, above = _within_reach(self.lower) - x, x - _within_reach(self.upper)
        leaving = ops.where(ops.absolute(back) > self.capture, back, 0.0)
        target = ops.where(below >= 0, ops.maximum(leaving, 0.0), ops.minimum(leaving, 0.0))
        low, high = (ops.where(beyond >= 0, UNBOUNDED, 0.0) for beyond in (above, below))
        return Stepped(LOWER, (Bounded(-low, high, target),), penetration=ops.maximum(below, above))

    def _meeting(self, side: str, end: float, situation: Situation, reaction: Reaction) -> tuple[Guard, Guard]:
        """The guards of one end, caught there or thrown back: both are the gap.

        The gap is open for what does not approach, however close it still is.
        """
        ops, away = situation.ops, SIDES[side]
        gap = away * (situation.position(self.line) - end)
        speed = away * situation.speed(self.line)
        leaving = onward(speed, away * situation.acceleration(self.line, reaction.a), ops)
        clear = ops.where(leaving >= 0, ops.maximum(gap, CLEAR), gap)
        back = -self.restitution * speed
        caught, thrown = Impact(self.line), Impact(self.line, self.restitution)
        return (
            Guard(clear, side, rate=leaving, impact=caught, when=back <= self.capture),
            Guard(clear, FREE, rate=leaving, impact=thrown, when=back > self.capture),
        )


def _within_reach(end: Scalar) -> Scalar:
    """An end that is nowhere, put somewhere."""
    return max(min(end, FAR), -FAR) if is_number(end) else end


@check_arguments
def compliant_stops(
    name: str,
    line: Line,
    lower: Scalar,
    upper: Scalar,
    stiffness: Scalar,
    damping: Scalar = 0.0,
    unit: str = "Nm",
    smooth: bool = False,
) -> NonlinearSpring:
    """Stops that give way: a spring and damper behind each end, which push and never pull.

    Args:
        name: their name.
        line: what is limited.
        lower: end [rad, m].
        upper: end [rad, m].
        stiffness: [Nm/rad, N/m].
        damping: [Nms/rad, Ns/m], limited as for backlash: a range between stops is a wide gap.
        unit: of the force, Nm or N.
        smooth: without modes, for compiled fixed-step runs.

    >>> import gearwright as gw
    >>> from gearwright.algebra.operations import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> ends = compliant_stops("j2.stops", Line.of(arm, "j2"), -1.0, 1.0, stiffness=1000.0)
    >>> pressed = Situation(0.0, [0.0, -1.5, 0.0], [0.0] * 3, (), (), FLOATS, arm)
    >>> ends.start(pressed), ends.act("lower", pressed).forces[0].value
    ('lower', 500.0)
    """
    for word, value in (("lower", lower), ("upper", upper), ("stiffness", stiffness), ("damping", damping)):
        require_scalar("compliant_stops", word, value)
    if is_number(lower) and is_number(upper) and lower > upper:
        raise InputError(f"compliant_stops: lower={lower:g} lies above upper={upper:g}. Swap them.")
    kind = NonlinearSpring if smooth else Backlash
    twist = Twist(line, 0.5 * (lower + upper))
    return kind(name, twist, Curve(stiffness), damping, upper - lower, unit=unit)


@check_arguments
def stop_laws(robot: Robot, mech: Mechanism, *, restitution: float = 0.0, smooth: bool = False) -> tuple[Law, ...]:
    """Stops at the position limits that a robot states, as laws `<joint>.stops`.

    Args:
        robot: the robot.
        mech: its machine.
        restitution: how much of the speed comes back, 0 to 1.
        smooth: compliant stops without modes instead, for compiled fixed-step runs; as stiff as a step of about a
            millisecond allows.

    >>> import gearwright as gw
    >>> robot = gw.load("panda_like")
    >>> [law.name for law in stop_laws(robot, gw.assemble(robot))][:2]
    ['joint1.stops', 'joint2.stops']
    """
    number("stop_laws", "restitution", restitution, least=0, most=1, example=0.5)
    found = [(link, joint_line(mech, link)) for link in robot.links if link.joint.limits.position is not None]
    rigid = [_stops(link, *where, restitution) for link, where in found if where is not None]
    limited = [law for law in rigid if _is_limit(law.lower) or _is_limit(law.upper)]
    if not smooth:
        return tuple(limited)
    M = mass_matrix(place(mech, neutral(mech), math))  # type: ignore[arg-type]  # it needs cos and sin only
    return tuple(_softened(law, M) for law in limited)


def _stops(link: Link, line: Line, offset: Scalar, restitution: float) -> Stops:
    lower, upper = (end - offset for end in link.joint.limits.position or ())
    return Stops(f"{link.joint_name}.stops", line, lower, upper, restitution, unit=force_unit(link))


def _is_limit(end: Scalar) -> bool:
    """Whether there is a stop at all; a symbol stands for a number."""
    return not is_number(end) or abs(end) < float("inf")


def _softened(law: Stops, M: Sequence[Sequence[Scalar]]) -> NonlinearSpring:
    """Compliant stops with the same restitution; their spring takes 1/RATE to stop the joint's own inertia."""
    index, factor = law.line.terms[0]
    return _compliant(law, float(M[index][index]) / float(factor) ** 2)


def softened_along(law: Stops, mech: Mechanism) -> NonlinearSpring:
    r"""Compliant stops along a coordinate, for its inertia $1/(b M^{-1} b')$ in a general position near neutral."""
    assert isinstance(law.line, Coordinate)
    q, row = row_somewhere(law.line, mech)
    M, n = mass_matrix(place(mech, q, math)), mech.n  # type: ignore[arg-type]  # it needs cos and sin only
    b = [float(x) for x in spread(row, n)]
    answer = solve(M, [set(range(n)) - {k} for k in range(n)], range(n), b)
    return _compliant(law, 1.0 / sum(x * y for x, y in zip(b, answer, strict=True)))


def _compliant(law: Stops, inertia: float) -> NonlinearSpring:
    stiffness = RATE * RATE * inertia
    square = law.restitution**2
    soft = compliant_stops(
        law.name, law.line, max(law.lower, -FAR), min(law.upper, FAR), stiffness, stiffness, law.unit, smooth=True
    )
    return replace(soft, damping_limit=(1 - square) / (1 + square))


def _is_symbol(end: Scalar) -> bool:
    """Whether an end is a scalar whose number comes later: it can be divided, and is neither a number nor a text."""
    later = hasattr(end, "__truediv__") and not isinstance(end, complex)
    return later and not is_number(end) and getattr(getattr(end, "dtype", None), "kind", "f") in "fiu"
