"""Stick-slip: the common modes of friction, brakes and clutches, and the Stribeck curve of all friction laws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar, is_number
from gearwright.forces.event_tolerances import ACCELERATION_NOISE, BREAKAWAY_SPEED, LIMIT_REST_SPEED
from gearwright.forces.law import (
    Action,
    FixedStepModel,
    Force,
    Guard,
    Hold,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.time_stepping_impulses import BoundedImpulse
from gearwright.parts import Friction

STICK_MODE, FORWARD_MODE, BACKWARD_MODE = "stick", "forward", "backward"

SLIDING_SENSE = {FORWARD_MODE: 1.0, BACKWARD_MODE: -1.0}
"""The sign of the speed in the sliding modes."""

REVERSED_MODE = {FORWARD_MODE: BACKWARD_MODE, BACKWARD_MODE: FORWARD_MODE}
"""The sliding mode of the opposite direction."""


REST_ACCELERATION = 1e-3
"""Speed per step duration [rad/s2, m/s2] up to which a line rests in time stepping: the solver's residual is less."""


@dataclass(frozen=True)
class StickSlipFriction(Law, ABC):
    r"""Dry friction along a line, exact at rest: the base of friction, brakes and clutches.

    Sliding, it is $-s F(s w)$ with the speed w and its sign s. Sticking, it is the force that keeps the line at rest,
    $|\lambda| \le F_0$; beyond that it slides:

    stick: $\dot w = 0$, $-F_0 \le \lambda \le F_0$; forward: $w \ge 0$; backward: $w \le 0$.

    It is not regularised, so it neither creeps nor chatters.

    Args:
        name: its name.
        line: the line along which it acts.
        port: name of the drive through whose gear it acts, for friction on the motor side.
        unit: of its force, Nm or N.
    """

    name: str
    line: Line
    port: str | None = None
    unit: str = "Nm"

    @abstractmethod
    def holding_limit(self, situation: Situation) -> Scalar:
        """The static friction limit F_0 [Nm, N]."""

    @abstractmethod
    def sliding_friction(self, situation: Situation, speed: Scalar) -> Scalar:
        """The sliding friction F [Nm, N] at a speed that is positive in the direction of motion."""

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    @property
    def modes(self) -> tuple[str, ...]:
        """Stick, forward, backward."""
        return (STICK_MODE, FORWARD_MODE, BACKWARD_MODE)

    def initial_mode(self, situation: Situation) -> str:
        """The mode of the sign of the speed."""
        return mode_for_speed(situation.speed(self.line))

    def act(self, mode: str, situation: Situation) -> Action:
        """A hold while sticking, a force while sliding."""
        if mode == STICK_MODE:
            return Action(holds=(Hold(self.line, port=self.port, speed=0.0, is_firm=False),))
        return Action(forces=(Force(self.line, self._sliding_force(mode, situation), self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The dissipated power and the force."""
        force = reaction.multipliers[0] if mode == STICK_MODE else self._sliding_force(mode, situation)
        return Outcome(dissipated=-force * situation.speed(self.line), signals={f"{self.name}.force": force})

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It slides when the static limit is exceeded, and sticks when the speed changes its sign."""
        speed = situation.speed(self.line)
        if mode == STICK_MODE:
            return self._breakaway_guards(situation, reaction.multipliers[0], speed)
        sense = SLIDING_SENSE[mode]
        acceleration = without_noise(sense * situation.acceleration(self.line, reaction.a), situation.ops)
        return (
            Guard(sense * speed, STICK_MODE, rate=acceleration, when=sense * speed >= -BREAKAWAY_SPEED),
            Guard(
                sense * speed, REVERSED_MODE[mode], rate=acceleration, when=sense * speed < -BREAKAWAY_SPEED
            ),  # reversed by an impact
        )

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """An impulse that brings the line to rest, at most the friction at the initial speed of the step."""
        ops, speed_size = situation.ops, situation.ops.absolute(situation.speed(self.line))
        level = ops.where(
            speed_size > REST_ACCELERATION * step,
            self.sliding_friction(situation, speed_size),
            self.holding_limit(situation),
        )
        impulse_limit = step * ops.maximum(level, 0.0)
        return FixedStepModel(STICK_MODE, (BoundedImpulse(-impulse_limit, impulse_limit),))

    def _sliding_force(self, mode: str, situation: Situation) -> Scalar:
        """The force of the current mode, also in a trial step beyond its end."""
        sense = SLIDING_SENSE[mode]
        return -sense * self.sliding_friction(situation, sense * situation.speed(self.line))

    def _breakaway_guards(self, situation: Situation, force: Scalar, speed: Scalar) -> tuple[Guard, ...]:
        """It slides when the force exceeds the limit, or when an impact has set it in motion."""
        ops, level = situation.ops, self.holding_limit(situation)
        scale, is_at_rest = ops.maximum(level, 1e-12), ops.absolute(speed) <= BREAKAWAY_SPEED
        return (
            Guard(level + force, FORWARD_MODE, scale=scale, when=is_at_rest),
            Guard(level - force, BACKWARD_MODE, scale=scale, when=is_at_rest),
            Guard(BREAKAWAY_SPEED - speed, FORWARD_MODE),
            Guard(BREAKAWAY_SPEED + speed, BACKWARD_MODE),
        )


def mode_for_speed(speed: Scalar) -> str:
    """The mode of a speed's sign.

    >>> mode_for_speed(0.2), mode_for_speed(0.0), mode_for_speed(-0.2)
    ('forward', 'stick', 'backward')
    """
    return STICK_MODE if abs(speed) <= BREAKAWAY_SPEED else FORWARD_MODE if speed > 0 else BACKWARD_MODE


def without_noise(rate: Scalar, ops: Operations) -> Scalar:
    """A rate that decides a guard at zero; 0 (no mode change) where it is rounding.

    >>> from gearwright.algebra import FLOATS
    >>> without_noise(-1e-16, FLOATS), without_noise(-0.1, FLOATS)
    (0.0, -0.1)
    """
    return ops.where(ops.absolute(rate) < ACCELERATION_NOISE, 0.0, rate)


def departure_rate(speed: Scalar, acceleration: Scalar, ops: Operations) -> Scalar:
    """The rate of motion at a limit: the speed, or at rest the acceleration above noise.

    The speed of a line that another law keeps at rest is rounding, and does not indicate its direction.

    >>> from gearwright.algebra import FLOATS
    >>> departure_rate(-0.2, 3.0, FLOATS), departure_rate(-1e-16, 3.0, FLOATS), departure_rate(-1e-16, 1e-16, FLOATS)
    (-0.2, 3.0, 0.0)
    """
    return ops.where(ops.absolute(speed) > LIMIT_REST_SPEED, speed, without_noise(acceleration, ops))


SLOWEST_STRIBECK_RATIO = 1e-12
"""Least ratio of speed to Stribeck speed of which a power with a general exponent is taken."""


def stribeck_factor(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    r"""The share of low-speed friction at a speed, $e^{-|w/w_S|^\alpha}$; without a Stribeck speed 0.

    >>> from gearwright.algebra import FLOATS
    >>> stribeck_factor(Friction(stribeck_speed=0.1, stribeck_exponent=3.0), 0.0, FLOATS)
    1.0
    """
    if friction.stribeck_speed is None:
        return 0.0
    ratio = speed / friction.stribeck_speed
    if is_number(friction.stribeck_exponent) and friction.stribeck_exponent == 2:
        return ops.exp(-ratio * ratio)
    size = ops.maximum(ops.absolute(ratio), SLOWEST_STRIBECK_RATIO)
    return ops.exp(-ops.exp(friction.stribeck_exponent * ops.log(size)))


def stribeck_friction(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    r"""Friction without its viscous part, $F_C + (F_S - F_C) e^{-|w/w_S|^\alpha}$; without a Stribeck speed $F_C$.

    >>> from gearwright.algebra import FLOATS
    >>> stribeck_friction(Friction(coulomb=1.0, static=1.5, stribeck_speed=0.1), 0.0, FLOATS)
    1.5
    """
    if not friction.has_stiction or friction.stribeck_speed is None:
        return friction.coulomb
    return friction.coulomb + (friction.breakaway_friction - friction.coulomb) * stribeck_factor(friction, speed, ops)


def total_sliding_friction(friction: Friction, speed: Scalar, ops: Operations) -> Scalar:
    """Friction at a speed that is positive in the direction of motion, with its viscous part."""
    return stribeck_friction(friction, speed, ops) + friction.viscous * speed
