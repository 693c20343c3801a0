"""Backlash: a gap between two elastic contacts."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.law import ON, Action, Guard, Hold, Outcome, Reaction, Situation, Stepped
from gearwright.forces.time_stepping_impulses import Pressed
from gearwright.forces.transmission.kinematic_error import dead_band
from gearwright.forces.transmission.nonlinear_spring import NonlinearSpring

GAP, UPPER, LOWER = "gap", "upper", "lower"


@dataclass(frozen=True)
class Backlash(NonlinearSpring):
    r"""A spring with a gap b, its contacts as modes, so that they are met and left exactly.

    With the twist x: gap, $|x| < b/2$: no torque; upper, $x > b/2$: $-(T(x - b/2) + D)$; lower, $x < -b/2$:
    $-(T(x + b/2) + D)$, with $|D| \le c |T|$ as for every spring with a gap: neither does it pull, nor does the torque
    jump. The quantities are those of Modelica's `ElastoBacklash`.

    Args:
        name, twist, curve, damping, gap, instead_of, unit, damping_limit: as for NonlinearSpring; the gap is positive.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        hint = "Without a gap use NonlinearSpring."
        require_range(self.name, "gap", self.gap, above=0, hint=hint, error=TrainError)

    @property
    def modes(self) -> tuple[str, ...]:
        """In the gap, or in contact on one side."""
        return (GAP, UPPER, LOWER)

    def start(self, situation: Situation) -> str:
        """By the twist."""
        x, half = self.twist.position(situation), 0.5 * self.gap
        return UPPER if x > half else LOWER if x < -half else GAP

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Contacts are met and left."""
        x, w, half = self.twist.position(situation), self.twist.speed(situation), 0.5 * self.gap
        size = min(1.0, float(self.gap))
        if mode == UPPER:
            return (Guard(x - half, GAP, rate=w, scale=size),)
        if mode == LOWER:
            return (Guard(-half - x, GAP, rate=-w, scale=size),)
        return (Guard(half - x, UPPER, rate=-w, scale=size), Guard(x + half, LOWER, rate=w, scale=size))

    def _beyond(self, mode: str, situation: Situation) -> Scalar:
        """The branch of its own mode, also where a trial step has gone beyond it."""
        if mode == GAP:
            return 0.0
        if mode == ON:
            return super()._beyond(mode, situation)
        side = 0.5 * self.gap if mode == UPPER else -0.5 * self.gap
        return self.twist.position(situation) - side

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """The contact on the nearer side as it is at the end of the step, its curve straight from the middle on."""
        ops, half = situation.ops, 0.5 * step
        x, w = self.twist.position(situation), self.twist.speed(situation)
        side = ops.where(x >= 0, 1.0, -1.0)
        depth = side * x - 0.5 * self.gap
        inside, outside = ops.maximum(depth, 0.0), ops.minimum(depth, 0.0)
        slope = self.curve.slope(inside, ops)
        push = self.curve.torque(inside, ops) + slope * outside
        limit = Pressed(side, step * push, step * half * slope, step * self.damping, self.damping_limit)

        def outcome(then: Situation, reaction: Reaction) -> Outcome:
            pace = self.twist.speed(then)
            before, after = x - half * w, x + half * (2.0 * pace - w)
            gained = self._energy(after, situation) - self._energy(before, situation)
            booked = self.follow(ON, then, reaction)
            spring = self.instead_of
            relief = 0.0 if spring is None else spring.damping * then.speed(spring.line) * then.speed(spring.line)
            torque = -reaction.multipliers[0]
            lost = torque * pace - gained / step - relief
            return Outcome(dissipated=lost, stored=booked.stored, signals=self._signals_of(then, torque))

        line = self.twist.line_at(situation)
        return Stepped(ON, (limit,), Action(forces=self._relief(situation), holds=(Hold(line),)), outcome)

    def _energy(self, x: Scalar, situation: Situation) -> Scalar:
        """What the curve stores at a twist."""
        return self.curve.energy(dead_band(x, 0.5 * self.gap, situation.ops), situation.ops)
