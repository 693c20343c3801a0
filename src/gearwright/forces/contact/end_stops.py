"""End stops: rigid ones with restitution, and compliant ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, require_scalar
from gearwright.dynamics.configuration import neutral
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError
from gearwright.forces.coordinates.coordinate import Coordinate, nonzero_row
from gearwright.forces.friction.stick_slip import departure_rate
from gearwright.forces.law import (
    Action,
    FixedStepModel,
    Guard,
    Hold,
    Impact,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import force_unit, joint_line
from gearwright.forces.time_stepping_impulses import UNBOUNDED_IMPULSE, BoundedImpulse
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.kinematic_error import ElementDeflection
from gearwright.forces.transmission.nonlinear_spring import NonlinearSpring, TorqueCurve
from gearwright.mechanism import Mechanism, dense_row
from gearwright.parts import Link, Robot

FREE_MODE, LOWER, UPPER = "free", "lower", "upper"

STOP_SENSE = {LOWER: 1.0, UPPER: -1.0}
"""Sign of the force of each stop."""

STOP_CLEARANCE = 1e-8
"""Scale of the gap [rad, m] when leaving a stop: events are located 1e-9 of it beyond zero."""

UNLIMITED_STOP_POSITION = 1e6
"""Where a compliant range ends [rad, m] on a side without a limit."""

COMPLIANT_STOP_FREQUENCY = 200.0
"""Natural frequency of compliant stops in compiled runs [rad/s]: a fifth of what a step of 1 ms resolves."""


@check_arguments
@dataclass(frozen=True)
class Stops(Law):
    r"""Rigid stops at both ends of a line, with Newton's restitution $w^+ = -e\, w^-$.

    free: lower < x < upper; lower: $\dot w = 0$ with the force $\lambda \ge 0$; upper: $\lambda \le 0$. A bounce with a
    separation speed below `capture` ends at the stop, so an infinite sequence of bounces terminates.

    Args:
        name: its name.
        line: the limited coordinate.
        lower: end [rad, m] or -inf.
        upper: end [rad, m] or inf.
        restitution: e, 0 (plastic) to 1.
        capture: separation speed [rad/s, m/s] below which it does not bounce.
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> ends = Stops("j2.stops", Line.for_machine(arm, "j2"), -1.0, 1.0, restitution=0.5)
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
                real_number(self.name, word, getattr(self, word), infinite=True)
        if len(numbers) == 2 and not self.lower < self.upper:
            raise InputError(
                f"{self.name}: the range from lower={self.lower} to upper={self.upper} is empty. Give lower < upper."
            )
        hint = "0 is a plastic impact, 1 an elastic one."
        real_number(self.name, "restitution", self.restitution, least=0.0, most=1.0, example=0.5, hint=hint)
        real_number(self.name, "capture", self.capture, least=0.0, example=1e-3)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The force of the stop."""
        return (Quantity(f"{self.name}.force", self.unit),)

    @property
    def modes(self) -> tuple[str, ...]:
        """Between the stops, or at one of them."""
        return (FREE_MODE, LOWER, UPPER)

    def act(self, mode: str, situation: Situation) -> Action:
        """A constraint at a stop."""
        return Action() if mode == FREE_MODE else Action(holds=(Hold(self.line, speed=0.0),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The force of the stop."""
        if mode == FREE_MODE:
            return Outcome(signals={f"{self.name}.force": 0.0})
        force = reaction.multipliers[0]
        return Outcome(dissipated=-force * situation.speed(self.line), signals={f"{self.name}.force": force})

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It leaves a stop where the force would be tensile, and meets one in an impact."""
        if mode != FREE_MODE:
            return (Guard(STOP_SENSE[mode] * reaction.multipliers[0], FREE_MODE),)
        ends = {LOWER: self.lower, UPPER: self.upper}
        return tuple(
            guard
            for side, end in ends.items()
            if _is_limit(end)
            for guard in self._impact_guards(side, end, situation, reaction)
        )

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """An impulse at an end that is passed in the middle of the step, up to the separation speed of restitution."""
        ops = situation.ops
        x, rebound_speed = situation.position(self.line), -self.restitution * situation.speed(self.line)
        below, above = _finite_position(self.lower) - x, x - _finite_position(self.upper)
        leaving_speed = ops.where(ops.absolute(rebound_speed) > self.capture, rebound_speed, 0.0)
        target = ops.where(below >= 0, ops.maximum(leaving_speed, 0.0), ops.minimum(leaving_speed, 0.0))
        low, high = (ops.where(penetration >= 0, UNBOUNDED_IMPULSE, 0.0) for penetration in (above, below))
        return FixedStepModel(LOWER, (BoundedImpulse(-low, high, target),), penetration=ops.maximum(below, above))

    def _impact_guards(self, side: str, end: float, situation: Situation, reaction: Reaction) -> tuple[Guard, Guard]:
        """The guards of one end, captured or bouncing: both watch the gap.

        Without approach the gap counts as open, however small it is.
        """
        ops, sense = situation.ops, STOP_SENSE[side]
        gap = sense * (situation.position(self.line) - end)
        speed = sense * situation.speed(self.line)
        departure = departure_rate(speed, sense * situation.acceleration(self.line, reaction.a), ops)
        guarded_gap = ops.where(departure >= 0, ops.maximum(gap, STOP_CLEARANCE), gap)
        rebound_speed = -self.restitution * speed
        plastic_impact, elastic_impact = Impact(self.line), Impact(self.line, self.restitution)
        return (
            Guard(guarded_gap, side, rate=departure, impact=plastic_impact, when=rebound_speed <= self.capture),
            Guard(guarded_gap, FREE_MODE, rate=departure, impact=elastic_impact, when=rebound_speed > self.capture),
        )


def _finite_position(end: Scalar) -> Scalar:
    """A finite value for an infinite end."""
    return max(min(end, UNLIMITED_STOP_POSITION), -UNLIMITED_STOP_POSITION) if is_number(end) else end


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
    """Return compliant stops: a spring and damper behind each end, which push and never pull.

    Args:
        name: their name.
        line: the limited coordinate.
        lower: end [rad, m].
        upper: end [rad, m].
        stiffness: [Nm/rad, N/m].
        damping: [Nms/rad, Ns/m], limited as for backlash: the range between stops is a wide gap.
        unit: of the force, Nm or N.
        smooth: without modes, for compiled fixed-step runs.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> ends = compliant_stops("j2.stops", Line.for_machine(arm, "j2"), -1.0, 1.0, stiffness=1000.0)
    >>> pressed = Situation(0.0, [0.0, -1.5, 0.0], [0.0] * 3, (), (), FLOATS, arm)
    >>> ends.initial_mode(pressed), ends.act("lower", pressed).forces[0].value
    ('lower', 500.0)
    """
    for word, value in (("lower", lower), ("upper", upper), ("stiffness", stiffness), ("damping", damping)):
        require_scalar("compliant_stops", word, value)
    if is_number(lower) and is_number(upper) and lower > upper:
        raise InputError(f"compliant_stops: lower={lower:g} is above upper={upper:g}. Swap them.")
    kind = NonlinearSpring if smooth else Backlash
    twist = ElementDeflection(line, 0.5 * (lower + upper))
    return kind(name, twist, TorqueCurve(stiffness), damping, upper - lower, unit=unit)


@check_arguments
def stop_laws(robot: Robot, mech: Mechanism, *, restitution: float = 0.0, smooth: bool = False) -> tuple[Law, ...]:
    """Return the stops at the position limits of a robot's joints, as laws `<joint>.stops`.

    Args:
        robot: the robot.
        mech: its machine.
        restitution: ratio of separation to approach speed, 0 to 1.
        smooth: compliant stops without modes instead, for compiled fixed-step runs; as stiff as a step of about 1 ms
            allows.

    >>> import gearwright as gw
    >>> robot = gw.load("panda_like")
    >>> [law.name for law in stop_laws(robot, gw.assemble(robot))][:2]
    ['joint1.stops', 'joint2.stops']
    """
    real_number("stop_laws", "restitution", restitution, least=0, most=1, example=0.5)
    limited_joints = [(link, joint_line(mech, link)) for link in robot.links if link.joint.limits.position is not None]
    rigid = [
        _joint_stops(link, *line_and_offset, restitution)
        for link, line_and_offset in limited_joints
        if line_and_offset is not None
    ]
    effective_stops = [law for law in rigid if _is_limit(law.lower) or _is_limit(law.upper)]
    if not smooth:
        return tuple(effective_stops)
    M = mass_matrix(place_machine(mech, neutral(mech), math))  # type: ignore[arg-type]  # it needs cos and sin only
    return tuple(_soft_joint_stops(law, M) for law in effective_stops)


def _joint_stops(link: Link, line: Line, offset: Scalar, restitution: float) -> Stops:
    lower, upper = (end - offset for end in link.joint.limits.position or ())
    return Stops(f"{link.joint_name}.stops", line, lower, upper, restitution, unit=force_unit(link))


def _is_limit(end: Scalar) -> bool:
    """Whether an end is finite or a symbol, so that it has a stop."""
    return not is_number(end) or abs(end) < float("inf")


def _soft_joint_stops(law: Stops, M: Sequence[Sequence[Scalar]]) -> NonlinearSpring:
    """Compliant stops with the same restitution; their spring stops the joint in 1 / `COMPLIANT_STOP_FREQUENCY`."""
    index, factor = law.line.terms[0]
    return _soft_stops(law, float(M[index][index]) / float(factor) ** 2)


def soft_stops_along(law: Stops, mech: Mechanism) -> NonlinearSpring:
    r"""Compliant stops along a coordinate, for its inertia $1/(b M^{-1} b')$ in a general position near neutral."""
    assert isinstance(law.line, Coordinate)
    q, row = nonzero_row(law.line, mech)
    M, n = mass_matrix(place_machine(mech, q, math)), mech.n  # type: ignore[arg-type]  # it needs cos and sin only
    b = [float(x) for x in dense_row(row, n)]
    response = solve_by_elimination(M, [set(range(n)) - {k} for k in range(n)], range(n), b)
    return _soft_stops(law, 1.0 / sum(x * y for x, y in zip(b, response, strict=True)))


def _soft_stops(law: Stops, inertia: float) -> NonlinearSpring:
    stiffness = COMPLIANT_STOP_FREQUENCY * COMPLIANT_STOP_FREQUENCY * inertia
    squared_restitution = law.restitution**2
    spring = compliant_stops(
        law.name,
        law.line,
        max(law.lower, -UNLIMITED_STOP_POSITION),
        min(law.upper, UNLIMITED_STOP_POSITION),
        stiffness,
        stiffness,
        law.unit,
        smooth=True,
    )
    return replace(spring, damping_limit=(1 - squared_restitution) / (1 + squared_restitution))


def _is_symbol(end: Scalar) -> bool:
    """Whether an end is a symbolic scalar: it can be divided, and is neither a number nor a text."""
    later = hasattr(end, "__truediv__") and not isinstance(end, complex)
    return later and not is_number(end) and getattr(getattr(end, "dtype", None), "kind", "f") in "fiu"
