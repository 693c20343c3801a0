"""A position servo as sold in one housing: it turns the position error into the duty of its motor's voltage."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.motors.motor import clip_optional

LEAST_CURRENT_RATIO = 1e-9
"""Current relative to its limit at which the soft limit is linear."""


@check_arguments
@dataclass(frozen=True)
class VoltageServo(Law):
    r"""A position servo with a DC motor: the duty of the supply voltage is proportional to the position error.

    $d = \mathrm{clip}(k_p (g - \theta) - k_d \omega, \pm d_{max})$, $i_0 = (d\,V - K \omega)/R$, torque $K i$,

    with the goal g, the supply voltage V and the limited current $i = i_0 / (1 + |i_0/i_{max}|^n)^{1/n}$: a soft limit,
    which describes drivers and supplies whose voltage sags; a large n is a hard limit. All values refer to the line.

    Inputs: `<name>.goal` [rad], `<name>.supply` [V], `<name>.enabled` (0: the motor is released, without current).

    Args:
        name: its name.
        line: the motor's line, or the joint.
        kp: duty per position error [1/rad].
        torque_constant: K [Nm/A].
        resistance: R [Ohm].
        kd: duty per speed [s/rad].
        max_duty: largest duty.
        max_current: $i_{max}$ [A]; None: unlimited.
        limit_exponent: n.
        supply_voltage: V where the input is not given [V].
        port: name of the drive through whose gear it acts.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> servo = VoltageServo("servo", Line.for_machine(arm, "j1"), kp=2.0, torque_constant=0.4, resistance=2.0)
    >>> held = Situation(0.0, [0.1, 0, 0], [0.0] * 3, (), (0.3, 5.0, 1.0), FLOATS, arm)
    >>> round(servo.act("on", held).forces[0].value, 12)     # 0.4 * (2 * 0.2) * 5 / 2
    0.4
    """

    name: str
    line: Line
    kp: Scalar
    torque_constant: Scalar
    resistance: Scalar
    kd: Scalar = 0.0
    max_duty: Scalar = 1.0
    max_current: Scalar | None = None
    limit_exponent: Scalar = 8.0
    supply_voltage: float = 12.0
    port: str | None = None

    def __post_init__(self) -> None:
        for word in ("torque_constant", "resistance", "max_duty", "limit_exponent", "max_current"):
            value = getattr(self, word)
            if value is not None:
                require_range(self.name, word, value, above=0)

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Goal, supply voltage, and whether the motor is powered."""
        return (
            Quantity(f"{self.name}.goal", "rad"),
            Quantity(f"{self.name}.supply", "V", self.supply_voltage),
            Quantity(f"{self.name}.enabled", "", 1.0),
        )

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Duty, current and torque."""
        return (
            Quantity(f"{self.name}.duty", ""),
            Quantity(f"{self.name}.current", "A"),
            Quantity(f"{self.name}.torque", "Nm"),
        )

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque of the motor."""
        return Action(forces=(Force(self.line, self._duty_current_torque(situation)[2], self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The supplied power and the signals."""
        duty, current, torque = self._duty_current_torque(situation)
        names = [signal.name for signal in self.signals]
        return Outcome(
            supplied=torque * situation.speed(self.line),
            signals=dict(zip(names, (duty, current, torque), strict=True)),
        )

    def _duty_current_torque(self, situation: Situation) -> tuple[Scalar, Scalar, Scalar]:
        ops, (goal, supply, enabled) = situation.ops, situation.inputs
        angle, speed = situation.position(self.line), situation.speed(self.line)
        duty = clip_optional(self.kp * (goal - angle) - self.kd * speed, -self.max_duty, self.max_duty, ops)
        current = enabled * (duty * supply - self.torque_constant * speed) / self.resistance
        if self.max_current is not None:
            ratio = ops.absolute(current) / self.max_current + LEAST_CURRENT_RATIO
            power = ops.exp(self.limit_exponent * ops.log(ratio))
            current = current * ops.exp(-ops.log(1.0 + power) / self.limit_exponent)
        return duty, current, self.torque_constant * current
