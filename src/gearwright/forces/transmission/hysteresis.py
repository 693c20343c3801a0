"""Hysteresis: friction inside a twisting element, so that going there and back takes different torques."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError
from gearwright.forces.friction.stick_slip import BACKWARD, FORWARD, RESTING, SENSE, STICK, beyond_noise, onward
from gearwright.forces.law import Action, Guard, Hold, Law, Outcome, Quantity, Reaction, Situation, Stepped
from gearwright.forces.time_stepping_impulses import Slipping
from gearwright.forces.transmission.kinematic_error import Twist


@dataclass(frozen=True)
class _Loop(Law, ABC):
    """What both kinds of hysteresis share: a state z that is the part of the twist that is stored.

    Args:
        name: its name.
        twist: the deflection it rubs along.
        torque: half the height of the loop [Nm, N].
        width: twist over which the torque grows from 0 to that [rad, m].
        unit: of its torque, Nm or N.
    """

    name: str
    twist: Twist
    torque: Scalar
    width: Scalar
    unit: str = "Nm"

    def __post_init__(self) -> None:
        for word in ("torque", "width"):
            hint = "Leave the hysteresis out for none."
            require_range(self.name, word, getattr(self, word), above=0, hint=hint, error=TrainError)

    @property
    def stiffness(self) -> Scalar:
        """Slope of the torque right after a reversal [Nm/rad]."""
        return self.torque / self.width

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The part of the twist that is stored."""
        return (Quantity(f"{self.name}.deflection", "rad" if self.unit == "Nm" else "m"),)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The torque against the twist."""
        return (Quantity(f"{self.name}.torque", self.unit),)

    @abstractmethod
    def rate(self, mode: str, situation: Situation) -> Scalar:
        """The rate of z."""

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque of the deflection z."""
        return Action(forces=self.twist.forces(situation, -self.stiffness * situation.states[0]))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """What z does not follow of the twist is lost."""
        z, rate = situation.states[0], self.rate(mode, situation)
        pull = self.stiffness * z
        return Outcome(
            rates=(rate,),
            dissipated=pull * (self.twist.speed(situation) - rate),
            stored=0.5 * pull * z,
            signals={f"{self.name}.torque": pull},
        )


@dataclass(frozen=True)
class MaxwellSlip(_Loop):
    r"""A spring in series with a slider: torque $k z$, $|z| \le$ width; exact, with the modes stick, forward, backward.

    While it sticks, z follows the twist; while it slides, z stays at its limit and the power torque times speed is
    lost. Several beside each other make a smooth loop (the Maxwell-slip model of Iwan, 1966).

    Args:
        name, twist, torque, width, unit: as for every hysteresis.
    """

    @property
    def modes(self) -> tuple[str, ...]:
        """It sticks or slides."""
        return (STICK, FORWARD, BACKWARD)

    def start(self, situation: Situation) -> str:
        """Sliding only at its limit."""
        z, w = situation.states[0], self.twist.speed(situation)
        limit = self.width * (1 - 1e-9)
        return FORWARD if z >= limit and w > 0 else BACKWARD if z <= -limit and w < 0 else STICK

    def rate(self, mode: str, situation: Situation) -> Scalar:
        """Z follows the twist while it sticks."""
        return self.twist.speed(situation) if mode == STICK else 0.0

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It slides at its limit, and sticks when the twist turns round.

        At its limit both kinds of modes read the same from a twist: while it moves, its speed decides, and where it
        rests, its acceleration. Otherwise one would send it to the other and be sent back.
        """
        ops, z, w = situation.ops, situation.states[0], self.twist.speed(situation)
        acceleration = self.twist.acceleration(situation, reaction.a)
        if mode == STICK:
            size, growing = float(self.width), onward(w, acceleration, ops)
            return (
                Guard(self.width - z, FORWARD, rate=-growing, scale=size),
                Guard(self.width + z, BACKWARD, rate=growing, scale=size),
            )
        ahead = SENSE[mode] * w
        turning = beyond_noise(SENSE[mode] * acceleration, ops)
        return (Guard(ahead, STICK, rate=ops.where(ahead > RESTING, 0.0, turning)),)

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """The spring as it is at the end of the step: what the slider does not follow is lost."""
        z, k, w = situation.states[0], self.stiffness, self.twist.speed(situation)
        half = 0.5 * step
        limit = Slipping(step * k * (z + half * w), step * k * half, step * self.torque)

        def outcome(then: Situation, reaction: Reaction) -> Outcome:
            after = -reaction.multipliers[0] / k
            gained = 0.5 * k * (after * after - z * z)
            return Outcome(
                rates=((after - z) / step,),
                dissipated=k * after * self.twist.speed(then) - gained / step,
                stored=0.5 * k * z * z,
                signals={f"{self.name}.torque": k * after},
            )

        return Stepped(STICK, (limit,), Action(holds=(Hold(self.twist.line_at(situation)),)), outcome)


@dataclass(frozen=True)
class BoucWen(_Loop):
    r"""The smooth loop of Bouc and Wen, $\dot z = w - |w| z / width$: torque $k z$, without modes.

    From any reversal the torque approaches its limit exponentially over the width; the loss $k |w| z^2 / width$ is
    never negative. (In the usual letters $A = 1$, $\beta = 1/width$, $\gamma = 0$, $n = 1$: Dahl's friction.)

    Args:
        name, twist, torque, width, unit: as for every hysteresis.
    """

    def rate(self, mode: str, situation: Situation) -> Scalar:
        """Z follows the twist the less, the closer it is to its limit."""
        w = self.twist.speed(situation)
        return w - situation.ops.absolute(w) * situation.states[0] / self.width
