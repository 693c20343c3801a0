"""Nonlinear springs: hardening, piecewise linear stiffness, with a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, require_range
from gearwright.errors import TrainError
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.transmission.kinematic_error import ElementDeflection, dead_band
from gearwright.mechanism import Mechanism
from gearwright.parts import StiffnessPiece


@check_arguments
@dataclass(frozen=True)
class TorqueCurve:
    r"""Torque over deflection: $T = k x + h x^3 + \sum \Delta k_i\, d(x, x_i)$, d the excess of x beyond $\pm x_i$.

    At $\pm x_i$ the stiffness changes by $\Delta k_i$. Linear pieces with the stiffnesses K1, K2, K3 that meet at the
    torques T1, T2 are $k = K_1$, $\Delta k = (K_2 - K_1, K_3 - K_2)$ at the deflections where they meet. The energy is
    exact: $k x^2/2 + h x^4/4 + \sum \Delta k_i\, d^2/2$.

    Args:
        stiffness: k [Nm/rad, N/m].
        hardening: h [Nm/rad3, N/m3].
        stiffness_steps: ($x_i$, $\Delta k_i$).

    >>> from gearwright.algebra import FLOATS
    >>> drive = TorqueCurve.from_pieces([StiffnessPiece(100.0, 5.0), StiffnessPiece(200.0)])
    >>> drive.torque(0.05, FLOATS), drive.torque(0.06, FLOATS), drive.torque(-0.06, FLOATS)
    (5.0, 7.0, -7.0)
    """

    stiffness: Scalar
    hardening: Scalar = 0.0
    stiffness_steps: tuple[tuple[Scalar, Scalar], ...] = ()

    def __post_init__(self) -> None:
        slope = self.stiffness
        for extra in (0.0, *(step for _, step in self.stiffness_steps)):
            slope = slope + extra
            hint = "It must be positive on every piece: check them."
            require_range("spring", "stiffness", slope, above=0, hint=hint, error=TrainError)
        hint = "A softening spring becomes unstable."
        require_range("spring", "hardening", self.hardening, least=0, hint=hint, error=TrainError)

    @staticmethod
    def from_pieces(pieces: Sequence[StiffnessPiece], hardening: Scalar = 0.0) -> TorqueCurve:
        """The curve of linear pieces from zero outwards, each up to the torque where the next begins."""
        bends, deflection, before = [], 0.0, 0.0  # type: list[tuple[Scalar, Scalar]], Scalar, Scalar
        for piece, following in pairwise(pieces):
            deflection = deflection + (piece.until - before) / piece.stiffness
            before = piece.until
            bends.append((deflection, following.stiffness - piece.stiffness))
        return TorqueCurve(pieces[0].stiffness, hardening, tuple(bends))

    def torque(self, x: Scalar, ops: Operations) -> Scalar:
        """The torque at a deflection."""
        total = self.stiffness * x + self.hardening * x * x * x
        for at, step in self.stiffness_steps:
            total = total + step * dead_band(x, at, ops)
        return total

    def slope(self, x: Scalar, ops: Operations) -> Scalar:
        """The stiffness at a deflection of 0 or more."""
        total = self.stiffness + 3.0 * self.hardening * x * x
        for at, step in self.stiffness_steps:
            total = total + ops.where(x > at, step, 0.0)
        return total

    def energy(self, x: Scalar, ops: Operations) -> Scalar:
        """The energy at a deflection, the integral of the torque."""
        total = 0.5 * self.stiffness * x * x + 0.25 * self.hardening * x * x * x * x
        for at, step in self.stiffness_steps:
            beyond = dead_band(x, at, ops)
            total = total + 0.5 * step * beyond * beyond
        return total


@check_arguments
@dataclass(frozen=True)
class LinearSpring:
    """A linear spring of the machine: its line and its parameters."""

    line: Line
    stiffness: Scalar
    damping: Scalar = 0.0
    rest: Scalar = 0.0

    @staticmethod
    def from_machine(mech: Mechanism, name: str) -> LinearSpring:
        """The machine's spring of that name."""
        spring = next(spring for spring in mech.springs if spring.name == name)
        return LinearSpring(Line.for_machine(mech, spring.row), spring.stiffness, spring.damping, spring.rest)

    def deflection(self, situation: Situation) -> tuple[Scalar, Scalar]:
        """Its deflection and deflection rate."""
        return situation.position(self.line) - self.rest, situation.speed(self.line)


@check_arguments
@dataclass(frozen=True)
class NonlinearSpring(Law):
    r"""A nonlinear spring and damper over a deflection, optionally with a gap (backlash); without modes.

    With y the deflection beyond the gap and T(y) its curve, the torque is $-(T + D)$, D the damping torque $d \dot x$.
    With a gap, D is limited to $|D| \le c |T|$: there is no torque inside the gap, the torque is never tensile, and it
    does not jump at contact (Modelica's `ElastoBacklash`, c = 1). With large damping a contact then returns the part
    $e^2 = (1 - c) / (1 + c)$ of the energy: $c = (1 - e^2) / (1 + e^2)$ gives a compliant impact of restitution e.

    The machine may have a linear spring in its place, for natural modes and linearisation; the law then removes its
    force, energy and losses.

    Args:
        name: its name.
        twist: the deflection.
        curve: torque over deflection.
        damping: d [Nms/rad, Ns/m].
        gap: the total gap [rad, m].
        instead_of: the linear spring of the machine that it replaces.
        unit: of its torque, Nm or N.
        damping_limit: c, at most 1.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> deflection = ElementDeflection(Line.for_machine(arm, "j2"))
    >>> spring = NonlinearSpring("stay", deflection, TorqueCurve(100.0, hardening=1000.0))
    >>> spring.act("on", Situation(0.0, [0.0, 0.1, 0.0], [0.0] * 3, (), (), FLOATS, arm)).forces[0].value
    -11.0
    """

    name: str
    twist: ElementDeflection
    curve: TorqueCurve
    damping: Scalar = 0.0
    gap: Scalar = 0.0
    instead_of: LinearSpring | None = None
    unit: str = "Nm"
    damping_limit: float = 1.0

    def __post_init__(self) -> None:
        real_number(self.name, "damping_limit", self.damping_limit, least=0, most=1, error=TrainError)
        for word in ("damping", "gap"):
            require_range(self.name, word, getattr(self, word), least=0, hint="Check value and sign.", error=TrainError)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its deflection, and the torque against it."""
        twist = "rad" if self.unit == "Nm" else "m"
        return (Quantity(f"{self.name}.twist", twist), Quantity(f"{self.name}.torque", self.unit))

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque over the deflection, and the compensation of the linear spring."""
        _, elastic, damping = self._deflection_and_torques(mode, situation)
        return Action(
            forces=(*self.twist.line_forces(situation, -elastic - damping), *self._linear_spring_relief(situation))
        )

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Energy and loss of the element minus those of the linear spring that it replaces."""
        y, elastic, damping = self._deflection_and_torques(mode, situation)
        stored = self.curve.energy(y, situation.ops)
        dissipated = damping * self.twist.speed(situation)
        linear = self.instead_of
        if linear is not None:
            x, w = linear.deflection(situation)
            stored = stored - 0.5 * linear.stiffness * x * x
            dissipated = dissipated - linear.damping * w * w
        return Outcome(dissipated=dissipated, stored=stored, signals=self._signals_of(situation, elastic + damping))

    def _signals_of(self, situation: Situation, torque: Scalar) -> dict[str, Scalar]:
        return {f"{self.name}.twist": self.twist.position(situation), f"{self.name}.torque": torque}

    def _deflection_beyond_gap(self, mode: str, situation: Situation) -> Scalar:
        """The deflection beyond the gap."""
        return dead_band(self.twist.position(situation), 0.5 * self.gap, situation.ops)

    def _deflection_and_torques(self, mode: str, situation: Situation) -> tuple[Scalar, Scalar, Scalar]:
        """Deflection beyond the gap, elastic torque and damping torque."""
        ops = situation.ops
        y = self._deflection_beyond_gap(mode, situation)
        elastic = self.curve.torque(y, ops)
        damping = self.damping * self.twist.speed(situation)
        if not (is_zero(self.gap) or is_zero(self.damping)):
            damping_limit = self.damping_limit * ops.absolute(elastic)
            damping = ops.minimum(ops.maximum(damping, -damping_limit), damping_limit)
        return y, elastic, damping

    def _linear_spring_relief(self, situation: Situation) -> tuple[Force, ...]:
        """The force of the linear spring with reversed sign."""
        linear = self.instead_of
        if linear is None:
            return ()
        x, w = linear.deflection(situation)
        return (Force(linear.line, linear.stiffness * x + linear.damping * w),)
