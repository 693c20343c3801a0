"""Clutches and brakes: friction whose normal force is an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.event_tolerances import BREAKAWAY_SPEED
from gearwright.forces.friction.stick_slip import BACKWARD_MODE, FORWARD_MODE, STICK_MODE, StickSlipFriction
from gearwright.forces.law import Action, Guard, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.speed_tables import checked_table, interpolate_table
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
