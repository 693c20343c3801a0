"""Clutches, one-way clutches and brakes: friction whose normal force is an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.event_tolerances import BREAKAWAY_SPEED
from gearwright.forces.friction.stick_slip import (
    BACKWARD_MODE,
    FORWARD_MODE,
    STICK_MODE,
    StickSlipFriction,
    without_noise,
)
from gearwright.forces.law import Action, FixedStepModel, Guard, Impact, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.speed_tables import checked_table, interpolate_table
from gearwright.forces.time_stepping_impulses import UNBOUNDED_IMPULSE, BoundedImpulse
from gearwright.mechanism import Mechanism

FREE_MODE = "free"
"""The mode of a released clutch or brake."""

RELEASE_LEVEL, GRIP_LEVEL = 1e-7, 2e-7
"""Levels of release and of engagement; they differ to prevent switching by rounding."""


@check_arguments
@dataclass(frozen=True)
class Clutch(StickSlipFriction):
    r"""Friction discs pressed together along a line: a clutch between two shafts, or a brake of one.

    The input `<name>.level` u sets the normal force $f_n = f_{max} u$. Sliding friction at the speed w is
    $c\, \mu(|w|) f_n$ against the motion, and static friction is up to $p\, c\, \mu(0) f_n$. At $u \le 0$ the discs are
    released. The quantities are those of Modelica's `Clutch` and `Brake` (`fn_max`, `cgeo`, `mu_pos`, `peak`).

    Args:
        name: its name.
        line: the speed of one side relative to the other; see `Clutch.between_speeds` and `Clutch.brake`.
        port: name of the drive through whose gear it acts, for a clutch on the motor side.
        unit: of its force, Nm or N.
        normal_force: $f_{max}$ [N].
        coefficients: (speed, $\mu$) pairs with rising speeds, linear in between.
        geometry: c [m]: friction torque per normal force and $\mu$, the mean radius times the number of surfaces.
        peak: p, ratio of static to sliding friction at zero speed.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> brake = Clutch.brake(arm, "j1.brake", "j1", normal_force=100.0, coefficients=[(0, 0.4)], geometry=0.05)
    >>> brake.act("forward", Situation(0.0, [0.0] * 3, [1.0, 0.0, 0.0], (), [0.5], FLOATS, arm)).forces[0].value
    -1.0
    """

    normal_force: float = 1.0
    coefficients: Sequence[tuple[float, float]] = ((0.0, 0.5),)
    geometry: float = 1.0
    peak: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", checked_table(f"{self.name}, coefficients", self.coefficients))
        for word in ("normal_force", "geometry"):
            real_number(self.name, word, getattr(self, word), above=0.0)
        real_number(self.name, "peak", self.peak, least=1.0, hint="Static friction is at least sliding friction.")
        if any(mu < 0 for _, mu in self.coefficients):
            raise InputError(f"{self.name}: a friction coefficient of {self.coefficients} is negative. Give 0 or more.")

    @staticmethod
    def between_speeds(mech: Mechanism, name: str, first: str, second: str, **data: object) -> Clutch:
        """A clutch between two speeds; its line is the first minus the second."""
        return Clutch(name, Line.for_machine(mech, {first: 1.0, second: -1.0}), **data)  # type: ignore[arg-type]

    @staticmethod
    def brake(mech: Mechanism, name: str, speed: str, **data: object) -> Clutch:
        """A brake of one speed."""
        return Clutch(name, Line.for_machine(mech, speed), **data)  # type: ignore[arg-type]

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The engagement level, 0 to 1."""
        return (Quantity(f"{self.name}.level", "1"),)

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of friction, and free."""
        return (FREE_MODE, *super().modes)

    def initial_mode(self, situation: Situation) -> str:
        """Free at level 0, otherwise by the speed."""
        return FREE_MODE if situation.inputs[0] <= RELEASE_LEVEL else super().initial_mode(situation)

    def holding_limit(self, situation: Situation) -> Scalar:
        """The static friction limit."""
        return self.peak * self.sliding_friction(situation, 0.0)

    def sliding_friction(self, situation: Situation, speed: Scalar) -> Scalar:
        """The sliding friction."""
        normal_moment = self.geometry * self.normal_force * situation.inputs[0]
        return normal_moment * interpolate_table(self.coefficients, speed, situation.ops)  # type: ignore[arg-type]

    def act(self, mode: str, situation: Situation) -> Action:
        """No force while it is free, otherwise friction."""
        return Action() if mode == FREE_MODE else super().act(mode, situation)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Zero force while it is free, otherwise friction."""
        if mode == FREE_MODE:
            return Outcome(signals={f"{self.name}.force": 0.0})
        return super().follow(mode, situation, reaction)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It is released at level 0 and engages above."""
        level, speed = situation.inputs[0], situation.speed(self.line)
        if mode == FREE_MODE:
            grip_margin = GRIP_LEVEL - level
            return (
                Guard(grip_margin, STICK_MODE, when=situation.ops.absolute(speed) <= BREAKAWAY_SPEED),
                Guard(grip_margin, FORWARD_MODE, when=speed > BREAKAWAY_SPEED),
                Guard(grip_margin, BACKWARD_MODE, when=speed < -BREAKAWAY_SPEED),
            )
        return (*super().guards(mode, situation, reaction), Guard(level - RELEASE_LEVEL, FREE_MODE))


@check_arguments
@dataclass(frozen=True)
class OneWayClutch(Clutch):
    r"""A clutch in parallel with a freewheel: its line turns forwards only, $w \ge 0$.

    Forwards it slips with the friction of the clutch, or freely at level 0. At rest the freewheel locks: the force is
    at least $-p\, c\, \mu(0) f_n$, and positive without limit. A clutch and a freewheel that both stick would share
    their force arbitrarily; this is one element. It is Modelica's `OneWayClutch`, and at level 0 a freewheel.

    Args:
        name: its name.
        line: the speed of one side relative to the other; see `OneWayClutch.of_speeds`.
        port: name of the drive through whose gear it acts, for a clutch on the motor side.
        unit: of its force, Nm or N.
        normal_force: $f_{max}$ [N].
        coefficients: (speed, $\mu$) pairs with rising speeds, linear in between.
        geometry: c [m]: friction torque per normal force and $\mu$.
        peak: p, ratio of static to sliding friction at zero speed.

    >>> import gearwright as gw
    >>> disc = gw.Mechanism([gw.Body("disc", axis=(0, 0, 1), mass=1, inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])])
    >>> freewheel = OneWayClutch("freewheel", Line.for_machine(disc, "disc"))
    >>> push = {"freewheel.level": 0.0, "tau.disc": lambda t: 1.0 if t < 1 else -2.0}
    >>> gw.simulate(disc, until=3.0, laws=[freewheel], inputs=push, samples=[0.0, 1.0, 3.0]).v[:, 0].round(6) + 0.0
    array([0., 1., 0.])
    """

    @staticmethod
    def of_speeds(mech: Mechanism, name: str, first: str, second: str, **data: object) -> OneWayClutch:
        """A one-way clutch between two speeds: the first is never less than the second."""
        return OneWayClutch(name, Line.for_machine(mech, {first: 1.0, second: -1.0}), **data)  # type: ignore[arg-type]

    @property
    def modes(self) -> tuple[str, ...]:
        """Stick and forward."""
        return (STICK_MODE, FORWARD_MODE)

    def initial_mode(self, situation: Situation) -> str:
        """Stick at rest; a start backwards is an error."""
        speed = situation.speed(self.line)
        if speed < -BREAKAWAY_SPEED:
            raise InputError(
                f"one-way clutch {self.name!r} starts with the speed {float(speed):.6g}, but it turns forwards only. "
                "Give a start with a speed of 0 or more, or exchange the two sides."
            )
        return FORWARD_MODE if speed > BREAKAWAY_SPEED else STICK_MODE

    def sliding_friction(self, situation: Situation, speed: Scalar) -> Scalar:
        """The sliding friction; 0 at level 0 and below."""
        return situation.ops.maximum(super().sliding_friction(situation, speed), 0.0)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It slips beyond the static limit, and locks where its speed ends, by an impact if it is thrown backwards."""
        ops, speed = situation.ops, situation.speed(self.line)
        if mode == STICK_MODE:
            limit, is_at_rest = self.holding_limit(situation), ops.absolute(speed) <= BREAKAWAY_SPEED
            margin = limit + reaction.multipliers[0]
            return (
                Guard(margin, FORWARD_MODE, scale=ops.maximum(limit, 1.0), when=is_at_rest),
                Guard(BREAKAWAY_SPEED - speed, FORWARD_MODE),
                Guard(BREAKAWAY_SPEED + speed, FORWARD_MODE),
            )
        rate = without_noise(situation.acceleration(self.line, reaction.a), ops)
        return (
            Guard(speed, STICK_MODE, rate=rate, when=speed >= -BREAKAWAY_SPEED),
            Guard(speed, STICK_MODE, rate=rate, impact=Impact(self.line, 0.0), when=speed < -BREAKAWAY_SPEED),
        )

    def fixed_step_model(self, situation: Situation, step: Scalar) -> FixedStepModel:
        """An impulse that ends the motion: forwards at most by friction, backwards without limit."""
        limit = step * self.sliding_friction(situation, situation.ops.absolute(situation.speed(self.line)))
        return FixedStepModel(STICK_MODE, (BoundedImpulse(-limit, UNBOUNDED_IMPULSE),))
