"""LuGre friction: bristles that deflect before they slip."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.friction.lubrication import (
    lubricant_inputs,
    lubricant_states,
    warm_friction,
    with_lubricant_rate,
)
from gearwright.forces.friction.stick_slip import stribeck_friction
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.parts import Friction


@check_arguments
@dataclass(frozen=True)
class LuGre(Law):
    r"""The LuGre model of Canudas de Wit, Olsson, Astrom and Lischinsky (1995): one state, no modes.

    The bristles' deflection is z, $\dot z = w - \sigma_0 |w| z / g(w)$ with $g = F_C + (F_S - F_C) e^{-(w/w_S)^2}$.
    Friction is $-(\sigma_0 z + \sigma_1 \dot z + d w)$. At constant speed it is the Stribeck curve,
    $-(\mathrm{sign}(w) g + d w)$. The bristles store $\sigma_0 z^2 / 2$; the rest of the power is dissipated:

    $\sigma_0^2 |w| z^2 / g + \sigma_1 \dot z w + d w^2$.

    With a constant $\sigma_1$ the second term can exceed the others while g falls, and the model would not be passive.
    The bristles' damping is therefore $\min(\sigma_1, 4 F_C / |w|)$, the largest for which the sum is never negative
    (for $s = \sigma_0 |z| / g > 1$, $\sigma_1 |w| (s - 1) \le g s^2$ requires $\sigma_1 |w| \le 4 g$). The steady-state
    curve does not depend on it.

    Args:
        name: its name.
        line: the line along which it acts.
        friction: the friction parameters, with the bristles' `stiffness` and `damping`.
        port: name of the drive through whose gear it acts, for friction on the motor side.
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = LuGre("j1.friction", Line.for_machine(arm, "j1"), Friction(coulomb=2.0, stiffness=1e4, damping=10.0))
    >>> slid_in = Situation(0.0, [0.0] * 3, [0.1, 0.0, 0.0], [2.0 / 1e4], (), FLOATS, arm)
    >>> rub.act("on", slid_in).forces[0].value
    -2.0
    """

    name: str
    line: Line
    friction: Friction
    port: str | None = None
    unit: str = "Nm"

    def __post_init__(self) -> None:
        if self.friction.stiffness is None:
            raise InputError(
                f"{self.name}: LuGre friction requires the stiffness of its bristles. Give Friction(stiffness=...)."
            )

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The deflection of the bristles, and the temperature of a lubricant that is heated."""
        deflection = Quantity(f"{self.name}.deflection", "rad" if self.unit == "Nm" else "m")
        return (deflection, *lubricant_states(self.name, self.friction))

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The temperature of a lubricant without heat capacity."""
        return lubricant_inputs(self.name, self.friction)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """One force."""
        return Action(forces=(Force(self.line, self._bristle_rate_and_force(situation)[1], self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The rate of the deflection, the stored energy and the dissipated power."""
        rate, force = self._bristle_rate_and_force(situation, reaction)
        z: Scalar = situation.states[0]
        stiffness: Scalar = self.friction.stiffness
        outcome = Outcome(
            rates=(rate,),
            dissipated=-force * situation.speed(self.line) - stiffness * z * rate,
            stored=0.5 * stiffness * z * z,
            signals={f"{self.name}.force": force},
        )
        return with_lubricant_rate(self.friction, situation, outcome)

    def _range(self, situation: Situation, reaction: Reaction | None) -> Scalar:
        """The friction at which the bristles slip, g."""
        return stribeck_friction(self.friction, situation.speed(self.line), situation.ops)

    def _bristle_rate_and_force(self, situation: Situation, reaction: Reaction | None = None) -> tuple[Scalar, Scalar]:
        """Rate of the deflection, and force; without bristle damping the force does not depend on the rate."""
        ops, parameters, w = situation.ops, warm_friction(self.friction, situation), situation.speed(self.line)
        z, speed_size = situation.states[0], ops.absolute(w)
        rate = w - parameters.stiffness * speed_size * z / self._range(situation, reaction)
        damping = parameters.damping / ops.maximum(1.0, parameters.damping * speed_size / (4.0 * parameters.coulomb))
        return rate, -(parameters.stiffness * z + damping * rate + parameters.viscous * w)
