"""Hysteresis: internal friction of an elastic element; loading and unloading curves differ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.event_tolerances import LIMIT_REST_SPEED
from gearwright.forces.friction.stick_slip import (
    BACKWARD_MODE,
    FORWARD_MODE,
    SLIDING_SENSE,
    STICK_MODE,
    departure_rate,
    without_noise,
)
from gearwright.forces.law import Action, FixedStepModel, Guard, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.time_stepping_impulses import SlidingSpringImpulse
from gearwright.forces.transmission.kinematic_error import ElementDeflection


@dataclass(frozen=True)
class _HysteresisLaw(Law, ABC):
    """The base of both hysteresis models: the state z is the elastic part of the deflection.

    Args:
        name: its name.
        twist: the deflection.
        torque: half the height of the loop [Nm, N].
        width: deflection over which the torque grows from 0 to `torque` [rad, m].
        unit: of its torque, Nm or N.
    """

    name: str
    twist: ElementDeflection
    torque: Scalar
    width: Scalar
    unit: str = "Nm"

    def __post_init__(self) -> None:
        for word in ("torque", "width"):
            hint = "For 0, leave out the hysteresis."
            require_range(self.name, word, getattr(self, word), above=0, hint=hint, error=TrainError)

    @property
    def stiffness(self) -> Scalar:
        """Slope of the torque right after a reversal [Nm/rad]."""
        return self.torque / self.width

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The elastic part of the deflection."""
        return (Quantity(f"{self.name}.deflection", "rad" if self.unit == "Nm" else "m"),)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The torque against the deflection."""
        return (Quantity(f"{self.name}.torque", self.unit),)

    @abstractmethod
    def deflection_rate(self, mode: str, situation: Situation) -> Scalar:
        """The rate of z."""

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque of the deflection z."""
        return Action(forces=self.twist.line_forces(situation, -self.stiffness * situation.states[0]))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rate, energy and loss: the part of the deflection rate that z does not follow is dissipated."""
        z, rate = situation.states[0], self.deflection_rate(mode, situation)
        pull = self.stiffness * z
        return Outcome(
            rates=(rate,),
            dissipated=pull * (self.twist.speed(situation) - rate),
            stored=0.5 * pull * z,
            signals={f"{self.name}.torque": pull},
        )


@check_arguments
@dataclass(frozen=True)
class MaxwellSlip(_HysteresisLaw):
    r"""A spring in series with a slider: torque $k z$, $|z| \le$ width; exact, with the modes stick, forward, backward.

    While it sticks, z follows the deflection; while it slides, z stays at its limit and the power torque times speed is
    dissipated. Several in parallel make a smooth loop (the Maxwell-slip model of Iwan, 1966).

    Args:
        name, twist, torque, width, unit: as in the base class.
    """

    @property
    def modes(self) -> tuple[str, ...]:
        """Stick, forward, backward."""
        return (STICK_MODE, FORWARD_MODE, BACKWARD_MODE)

    def initial_mode(self, situation: Situation) -> str:
        """Sliding at the limit of z, otherwise sticking."""
        z, w = situation.states[0], self.twist.speed(situation)
        limit = self.width * (1 - 1e-9)
        return FORWARD_MODE if z >= limit and w > 0 else BACKWARD_MODE if z <= -limit and w < 0 else STICK_MODE

    def deflection_rate(self, mode: str, situation: Situation) -> Scalar:
        """The rate of z: that of the deflection while it sticks, else zero."""
        return self.twist.speed(situation) if mode == STICK_MODE else 0.0

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It slides at its limit, and sticks when the deflection reverses.

        At the limit, sticking and sliding modes use the same rate: the speed of the deflection, or at rest its
        acceleration. Otherwise the modes would alternate.
        """
        ops, z, w = situation.ops, situation.states[0], self.twist.speed(situation)
        acceleration = self.twist.acceleration(situation, reaction.a)
        if mode == STICK_MODE:
            scale, departure = float(self.width), departure_rate(w, acceleration, ops)
            return (
                Guard(self.width - z, FORWARD_MODE, rate=-departure, scale=scale),
                Guard(self.width + z, BACKWARD_MODE, rate=departure, scale=scale),
            )
        forward_speed = SLIDING_SENSE[mode] * w
        forward_acceleration = without_noise(SLIDING_SENSE[mode] * acceleration, ops)
        return (
            Guard(
                forward_speed, STICK_MODE, rate=ops.where(forward_speed > LIMIT_REST_SPEED, 0.0, forward_acceleration)
            ),
        )

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """The spring at the end of the step; the slip of the slider is dissipated."""
        z, k, w = situation.states[0], self.stiffness, self.twist.speed(situation)
        half = 0.5 * step
        limit = SlidingSpringImpulse(step * k * (z + half * w), step * k * half, step * self.torque)

        def step_outcome(middle: Situation, reaction: Reaction) -> Outcome:
            after = -reaction.multipliers[0] / k
            gained_energy = 0.5 * k * (after * after - z * z)
            return Outcome(
                rates=((after - z) / step,),
                dissipated=k * after * self.twist.speed(middle) - gained_energy / step,
                stored=0.5 * k * z * z,
                signals={f"{self.name}.torque": k * after},
            )

        return FixedStepModel(STICK_MODE, (limit,), Action(holds=(Hold(self.twist.line_at(situation)),)), step_outcome)


@check_arguments
@dataclass(frozen=True)
class BoucWen(_HysteresisLaw):
    r"""The smooth loop of Bouc and Wen, $\dot z = w - |w| z / width$: torque $k z$, without modes.

    After a reversal the torque approaches its limit exponentially over the width; the loss $k |w| z^2 / width$ is
    never negative. (In the usual notation $A = 1$, $\beta = 1/width$, $\gamma = 0$, $n = 1$: Dahl friction.)

    Args:
        name, twist, torque, width, unit: as in the base class.
    """

    def deflection_rate(self, mode: str, situation: Situation) -> Scalar:
        """The rate of z, which vanishes towards its limit."""
        w = self.twist.speed(situation)
        return w - situation.ops.absolute(w) * situation.states[0] / self.width
