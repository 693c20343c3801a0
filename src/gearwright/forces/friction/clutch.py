"""Clutches and brakes: friction whose normal force is an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.friction.stick_slip import BACKWARD, CREEP, FORWARD, STICK, Sticking
from gearwright.forces.law import Action, Guard, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.speed_tables import interpolated, rising
from gearwright.mechanism import Mechanism

FREE = "free"
"""The mode of a clutch or brake that is not pressed."""

LETS_GO, GRIPS = 1e-7, 2e-7
"""Levels at which it becomes free and at which it grips again; apart, so that rounding does not switch between them."""


@dataclass(frozen=True)
class Clutch(Sticking):
    r"""Friction discs pressed together along a line: a clutch between two shafts, or a brake of one.

    The input `<name>.level` u says how hard: the normal force is $f_n = f_{max} u$, friction while sliding with the
    speed w is $c\, \mu(|w|) f_n$ against the motion, and at rest anything up to $p\, c\, \mu(0) f_n$. At $u \le 0$ the
    discs are free. The quantities are those of Modelica's `Clutch` and `Brake` (`fn_max`, `cgeo`, `mu_pos`, `peak`).

    Args:
        name: its name.
        line: the speed of one side relative to the other; see `Clutch.between` and `Clutch.brake`.
        port: name of the drive through whose gear it acts, when it sits at the motor's side.
        unit: of its force, Nm or N.
        normal_force: $f_{max}$ [N].
        coefficients: (speed, $\mu$) pairs with rising speeds, linear in between.
        geometry: c [m]: friction torque per normal force and $\mu$, the mean radius times the number of surfaces.
        peak: p, how much more it holds at rest.

    >>> import gearwright as gw
    >>> from gearwright.algebra.operations import FLOATS
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
        object.__setattr__(self, "coefficients", rising(f"{self.name}, coefficients", self.coefficients))
        for word in ("normal_force", "geometry"):
            number(self.name, word, getattr(self, word), above=0.0)
        number(self.name, "peak", self.peak, least=1.0, hint="Discs hold at least what they drag.")
        if any(mu < 0 for _, mu in self.coefficients):
            raise InputError(f"{self.name}: a friction coefficient of {self.coefficients} is negative. Give 0 or more.")

    @staticmethod
    def between(mech: Mechanism, name: str, one: str, other: str, **data: object) -> Clutch:
        """A clutch between two speeds; its line is the first less the second."""
        return Clutch(name, Line.of(mech, {one: 1.0, other: -1.0}), **data)  # type: ignore[arg-type]

    @staticmethod
    def brake(mech: Mechanism, name: str, speed: str, **data: object) -> Clutch:
        """A brake of one speed."""
        return Clutch(name, Line.of(mech, speed), **data)  # type: ignore[arg-type]

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """How hard it is pressed, 0 to 1."""
        return (Quantity(f"{self.name}.level", "1"),)

    @property
    def modes(self) -> tuple[str, ...]:
        """As friction, and free."""
        return (FREE, *super().modes)

    def start(self, situation: Situation) -> str:
        """Free unless it is pressed."""
        return FREE if situation.inputs[0] <= LETS_GO else super().start(situation)

    def holding(self, situation: Situation) -> Scalar:
        """What it holds at rest."""
        return self.peak * self.sliding(situation, 0.0)

    def sliding(self, situation: Situation, speed: Scalar) -> Scalar:
        """What it drags while sliding."""
        pressed = self.geometry * self.normal_force * situation.inputs[0]
        return pressed * interpolated(self.coefficients, speed, situation.ops)  # type: ignore[arg-type]

    def act(self, mode: str, situation: Situation) -> Action:
        """Nothing while it is free."""
        return Action() if mode == FREE else super().act(mode, situation)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """As friction, unless it is free."""
        if mode == FREE:
            return Outcome(signals={f"{self.name}.force": 0.0})
        return super().follow(mode, situation, reaction)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """It becomes free at level 0, and grips above."""
        level, speed = situation.inputs[0], situation.speed(self.line)
        if mode == FREE:
            free = GRIPS - level
            return (
                Guard(free, STICK, when=situation.ops.absolute(speed) <= CREEP),
                Guard(free, FORWARD, when=speed > CREEP),
                Guard(free, BACKWARD, when=speed < -CREEP),
            )
        return (*super().guards(mode, situation, reaction), Guard(level - LETS_GO, FREE))
