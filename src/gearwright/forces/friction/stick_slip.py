"""Stick and slip: the modes that friction, brakes and clutches share, and the Stribeck curve of all friction laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar
from gearwright.forces.law import (
    Action,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
    Stepped,
)
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import Bounded
from gearwright.parts import Friction

STICK, FORWARD, BACKWARD = "stick", "forward", "backward"

SENSE = {FORWARD: 1.0, BACKWARD: -1.0}
"""The sign of the speed in the modes that slide."""

REVERSE = {FORWARD: BACKWARD, BACKWARD: FORWARD}
"""The mode that slides the other way."""

CREEP = 1e-8
"""Speed [rad/s, m/s] from which on something that sticks has been set going, by an impact elsewhere."""


RESTS = 1e-3
"""Speed per duration of a fixed step [rad/s2, m/s2] up to which something rests: sweeps leave less of it."""


NOISE = 1e-9
"""Accelerations [rad/s2, m/s2] below this are rounding where something else keeps the line at rest."""

RESTING = 1e-10
"""Up to this speed [rad/s, m/s] the acceleration says where something at a limit goes."""


@dataclass(frozen=True)
class Sticking(Law, ABC):
    r"""Dry friction along a line, exact at rest: the base of friction, brakes and clutches.

    Sliding, it is $-s F(s w)$ for the sense s of the motion with the speed w. Sticking, it is whatever keeps the line
    at rest, $|\lambda| \le F_0$; beyond that it slides:

    stick: $\dot w = 0$, $-F_0 \le \lambda \le F_0$; forward: $w \ge 0$; backward: $w \le 0$.

    There is no speed below which it is smoothed, so nothing creeps and nothing chatters.

    Args:
        name: its name.
        line: along what it rubs.
        port: name of the drive through whose gear it acts, when it rubs at the motor's side.
        unit: of its force, Nm or N.
    """

    name: str
    line: Line
    port: str | None = None
    unit: str = "Nm"

    @abstractmethod
    def holding(self, situation: Situation) -> Scalar:
        """The most it holds at rest, F_0 [Nm, N]."""

    @abstractmethod
    def sliding(self, situation: Situation, speed: Scalar) -> Scalar:
        """What it takes while sliding, F [Nm, N], at a speed counted in the sense of the motion."""

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    @property
    def modes(self) -> tuple[str, ...]:
        """It sticks or slides."""
        return (STICK, FORWARD, BACKWARD)

    def start(self, situation: Situation) -> str:
        """By the sense of the speed."""
        return sense_of(situation.speed(self.line))

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold while sticking, a force while sliding."""
        if mode == STICK:
            return Action(holds=(Hold(self.line, port=self.port, speed=0.0, firm=False),))
        return Action(forces=(Force(self.line, self._force(mode, situation), self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The power it takes."""
        force = reaction.multipliers[0] if mode == STICK else self._force(mode, situation)
        return Outcome(dissipated=-force * situation.speed(self.line), signals={f"{self.name}.force": force})

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It slides when it cannot hold, and sticks when the speed turns round."""
        speed = situation.speed(self.line)
        if mode == STICK:
            return self._breakaway(situation, reaction.multipliers[0], speed)
        sense = SENSE[mode]
        turning = beyond_noise(sense * situation.acceleration(self.line, reaction.a), situation.ops)
        return (
            Guard(sense * speed, STICK, rate=turning, when=sense * speed >= -CREEP),
            Guard(sense * speed, REVERSE[mode], rate=turning, when=sense * speed < -CREEP),  # turned round by a blow
        )

    def stepped(self, situation: Situation, step: Scalar) -> Stepped:
        """It brings the line to rest with at most what it takes at the speed that the step begins with."""
        ops, pace = situation.ops, situation.ops.absolute(situation.speed(self.line))
        level = ops.where(pace > RESTS * step, self.sliding(situation, pace), self.holding(situation))
        most = step * ops.maximum(level, 0.0)
        return Stepped(STICK, (Bounded(-most, most),))

    def _force(self, mode: str, situation: Situation) -> Scalar:
        """The branch of its own mode, also where a trial step has gone beyond it."""
        sense = SENSE[mode]
        return -sense * self.sliding(situation, sense * situation.speed(self.line))

    def _breakaway(self, situation: Situation, force: Scalar, speed: Scalar) -> tuple[Guard, ...]:
        """It slides when the force is too much, or when a blow has set it going: then the force does not count."""
        ops, level = situation.ops, self.holding(situation)
        size, rests = ops.maximum(level, 1e-12), ops.absolute(speed) <= CREEP
        return (
            Guard(level + force, FORWARD, scale=size, when=rests),
            Guard(level - force, BACKWARD, scale=size, when=rests),
            Guard(CREEP - speed, FORWARD),
            Guard(CREEP + speed, BACKWARD),
        )


def sense_of(speed: Scalar) -> str:
    """The mode that fits a speed.

    >>> sense_of(0.2), sense_of(0.0), sense_of(-0.2)
    ('forward', 'stick', 'backward')
    """
    return STICK if abs(speed) <= CREEP else FORWARD if speed > 0 else BACKWARD


def beyond_noise(rate: Scalar, ops: Operations) -> Scalar:
    """A rate that decides a tie: 0, so that the mode stays as it is, where only rounding would decide.

    >>> from gearwright.algebra.operations import FLOATS
    >>> beyond_noise(-1e-16, FLOATS), beyond_noise(-0.1, FLOATS)
    (0.0, -0.1)
    """
    return ops.where(ops.absolute(rate) < NOISE, 0.0, rate)


def onward(speed: Scalar, acceleration: Scalar, ops: Operations) -> Scalar:
    """The rate with which something at a limit goes on: its speed, and where it rests its acceleration beyond noise.

    The speed of something that another law keeps at rest is rounding, and says nothing of where it goes.

    >>> from gearwright.algebra.operations import FLOATS
    >>> onward(-0.2, 3.0, FLOATS), onward(-1e-16, 3.0, FLOATS), onward(-1e-16, 1e-16, FLOATS)
    (-0.2, 3.0, 0.0)
    """
    return ops.where(ops.absolute(speed) > RESTING, speed, beyond_noise(acceleration, ops))


def dry(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    r"""What does not vanish at rest, $F_C + (F_S - F_C) e^{-(w/w_S)^2}$; without a Stribeck speed $F_C$ alone.

    >>> from gearwright.algebra.operations import FLOATS
    >>> dry(Friction(coulomb=1.0, static=1.5, stribeck_speed=0.1), 0.0, FLOATS)
    1.5
    """
    if not friction.drops or friction.stribeck_speed is None:
        return friction.coulomb
    ratio = speed / friction.stribeck_speed
    return friction.coulomb + (friction.breakaway - friction.coulomb) * ops.exp(-ratio * ratio)


def sliding(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    """Friction at a speed in the sense of the motion, viscous friction included."""
    return dry(friction, speed, ops) + friction.viscous * speed
