"""Backlash: a gap between two elastic contacts."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.law import ACTIVE_MODE, Action, FixedStepModel, Guard, Hold, Outcome, Reaction, Situation
from gearwright.forces.time_stepping_impulses import GapSpringImpulse
from gearwright.forces.transmission.kinematic_error import dead_band
from gearwright.forces.transmission.nonlinear_spring import NonlinearSpring

GAP, UPPER, LOWER = "gap", "upper", "lower"


@check_arguments
@dataclass(frozen=True)
class Backlash(NonlinearSpring):
    r"""A spring with a gap b whose contacts are modes: closing and opening are located events.

    With the deflection x: gap, $|x| < b/2$: no torque; upper, $x > b/2$: $-(T(x - b/2) + D)$; lower, $x < -b/2$:
    $-(T(x + b/2) + D)$, with $|D| \le c |T|$ as for every spring with a gap: the torque is never tensile and does not
    jump. The quantities are those of Modelica's `ElastoBacklash`.

    Args:
        name, twist, curve, damping, gap, instead_of, unit, damping_limit: as in NonlinearSpring; the gap is positive.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        hint = "Without a gap use NonlinearSpring."
        require_range(self.name, "gap", self.gap, above=0, hint=hint, error=TrainError)

    @property
    def modes(self) -> tuple[str, ...]:
        """In the gap, or in contact on one side."""
        return (GAP, UPPER, LOWER)

    def initial_mode(self, situation: Situation) -> str:
        """The mode of the deflection."""
        x, half = self.twist.position(situation), 0.5 * self.gap
        return UPPER if x > half else LOWER if x < -half else GAP

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """A contact closes and opens at the edges of the gap."""
        x, w, half = self.twist.position(situation), self.twist.speed(situation), 0.5 * self.gap
        size = situation.ops.minimum(1.0, self.gap)
        if mode == UPPER:
            return (Guard(x - half, GAP, rate=w, scale=size),)
        if mode == LOWER:
            return (Guard(-half - x, GAP, rate=-w, scale=size),)
        return (Guard(half - x, UPPER, rate=-w, scale=size), Guard(x + half, LOWER, rate=w, scale=size))

    def _deflection_beyond_gap(self, mode: str, situation: Situation) -> Scalar:
        """The deflection beyond the gap in the current mode, also in a trial step beyond its end."""
        if mode == GAP:
            return 0.0
        if mode == ACTIVE_MODE:
            return super()._deflection_beyond_gap(mode, situation)
        side = 0.5 * self.gap if mode == UPPER else -0.5 * self.gap
        return self.twist.position(situation) - side

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """The contact on the nearer side at the end of the step, its curve linearised about the middle."""
        ops, half = situation.ops, 0.5 * step
        x, w = self.twist.position(situation), self.twist.speed(situation)
        side = ops.where(x >= 0, 1.0, -1.0)
        depth = side * x - 0.5 * self.gap
        inside, outside = ops.maximum(depth, 0.0), ops.minimum(depth, 0.0)
        slope = self.curve.slope(inside, ops)
        push = self.curve.torque(inside, ops) + slope * outside
        limit = GapSpringImpulse(side, step * push, step * half * slope, step * self.damping, self.damping_limit)

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            mean_rate = self.twist.speed(middle)
            before, after = x - half * w, x + half * (2.0 * mean_rate - w)
            gained_energy = self._curve_energy(after, situation) - self._curve_energy(before, situation)
            linear_outcome = self.follow(ACTIVE_MODE, middle, reaction)
            spring = self.instead_of
            relief = 0.0 if spring is None else spring.damping * middle.speed(spring.line) * middle.speed(spring.line)
            torque = -reaction.multipliers[0]
            dissipated = torque * mean_rate - gained_energy / step - relief
            return Outcome(
                dissipated=dissipated, stored=linear_outcome.stored, signals=self._signals_of(middle, torque)
            )

        line = self.twist.line_at(situation)
        return FixedStepModel(
            ACTIVE_MODE,
            (limit,),
            Action(forces=self._linear_spring_relief(situation), holds=(Hold(line),)),
            step_outcome,
        )

    def _curve_energy(self, x: Scalar, situation: Situation) -> Scalar:
        """The energy of the curve at a deflection."""
        return self.curve.energy(dead_band(x, 0.5 * self.gap, situation.ops), situation.ops)
