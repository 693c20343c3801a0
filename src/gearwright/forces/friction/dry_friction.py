"""Friction of bearings and seals: viscous, Coulomb and Stribeck, with exact sticking or regularised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.friction.lubrication import (
    lubricant_inputs,
    lubricant_states,
    warm_friction,
    with_lubricant_rate,
)
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.friction.stick_slip import StickSlipFriction, stribeck_friction, total_sliding_friction
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import force_unit, joint_line, motor_line, robot_motors
from gearwright.mechanism import Mechanism, joint_kind
from gearwright.parts import Friction, Robot

LOAD_KIND = "load"
"""The kind of load-dependent friction, which is a law of the transmission (`forces.transmission.gear_losses`)."""

SMOOTHING_SPEED = 0.01
"""Regularisation speed of smooth friction at the joint [rad/s, m/s]."""


@check_arguments
@dataclass(frozen=True)
class DryFriction(StickSlipFriction):
    r"""Viscous, Coulomb and Stribeck friction with exact sticking.

    Sliding with the speed w and sign s it is $-s (F_C + (F_S - F_C) e^{-(w/w_S)^2}) - d w$; at rest it is up to $F_S$
    (Armstrong-Helouvry, Dupont and Canudas de Wit, 1994). Without a Stribeck speed, friction drops from $F_S$ to $F_C$
    as soon as it slides.

    Args:
        name, line, port, unit: as in `StickSlipFriction`.
        friction: the friction parameters [Nm or N, and per rad/s or m/s], along the line.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = DryFriction("j1.friction", Line.for_machine(arm, "j1"), friction=Friction(coulomb=2.0, viscous=0.5))
    >>> moving = Situation(0.0, [0.0] * 3, [4.0, 0.0, 0.0], (), (), FLOATS, arm)
    >>> rub.initial_mode(moving), rub.act("forward", moving).forces[0].value
    ('forward', -4.0)
    """

    friction: Friction = field(default_factory=Friction)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The temperature of a lubricant that is heated."""
        return lubricant_states(self.name, self.friction)

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The temperature of a lubricant without heat capacity."""
        return lubricant_inputs(self.name, self.friction)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The dissipated power, the force, and the rate of the temperature."""
        return with_lubricant_rate(self.friction, situation, super().follow(mode, situation, reaction))

    def holding_limit(self, situation: Situation) -> Scalar:
        """Static friction."""
        return self.friction.breakaway_friction

    def sliding_friction(self, situation: Situation, speed: Scalar) -> Scalar:
        """Coulomb, Stribeck and viscous friction."""
        return total_sliding_friction(warm_friction(self.friction, situation), speed, situation.ops)


@check_arguments
@dataclass(frozen=True)
class SmoothFriction(Law):
    r"""Regularised friction without modes, for compiled fixed-step runs: $\tanh(w / w_0)$ replaces the sign.

    $-(F_C + (F_S - F_C) e^{-(w/w_S)^2}) \tanh(w / w_0) - d w$. It does not stick: under a load below $F_C$ it creeps
    with a speed of about $w_0$ times the ratio of load to $F_C$.

    Args:
        name: its name.
        line: the line along which it acts.
        friction: the friction parameters.
        width: the regularisation speed $w_0$ [rad/s, m/s] along the line.
        port: name of the drive through whose gear it acts.
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = SmoothFriction("j1.friction", Line.for_machine(arm, "j1"), Friction(coulomb=2.0, viscous=0.5))
    >>> rub.act("on", Situation(0.0, [0.0] * 3, [4.0, 0.0, 0.0], (), (), FLOATS, arm)).forces[0].value
    -4.0
    """

    name: str
    line: Line
    friction: Friction
    width: float = SMOOTHING_SPEED
    port: str | None = None
    unit: str = "Nm"

    def __post_init__(self) -> None:
        hint = "It is the regularisation speed of the sign; for friction with exact sticking use DryFriction."
        real_number(self.name, "width", self.width, above=0.0, example=SMOOTHING_SPEED, hint=hint)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The temperature of a lubricant that is heated."""
        return lubricant_states(self.name, self.friction)

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
        return Action(forces=(Force(self.line, self._friction_force(situation), self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The dissipated power, the force, and the rate of the temperature."""
        force = self._friction_force(situation)
        outcome = Outcome(dissipated=-force * situation.speed(self.line), signals={f"{self.name}.force": force})
        return with_lubricant_rate(self.friction, situation, outcome)

    def _friction_force(self, situation: Situation) -> Scalar:
        ops, speed = situation.ops, situation.speed(self.line)
        friction = warm_friction(self.friction, situation)
        return -stribeck_friction(friction, speed, ops) * ops.tanh(speed / self.width) - friction.viscous * speed


@check_arguments
def friction_laws(robot: Robot, mech: Mechanism, *, smooth: bool = False) -> tuple[Law, ...]:
    """Return the friction of a robot's joints and motors, as laws `<joint>.friction` and `<motor>.motor_friction`.

    Args:
        robot: the robot.
        mech: its machine.
        smooth: friction without modes, for compiled fixed-step runs.

    >>> import gearwright as gw
    >>> from gearwright.parts import Joint, Link, Robot
    >>> door = Robot("door", [Link("leaf", joint=Joint("hinge", friction=0.3), mass=9.0, com=(0.4, 0, 0))])
    >>> [law.name for law in friction_laws(door, gw.assemble(door))]
    ['hinge.friction']
    """
    return tuple(
        _friction_law(*element, smooth)
        for element in _friction_elements(robot, mech)
        if element[2].kind not in ("none", LOAD_KIND)
    )


def _friction_elements(robot: Robot, mech: Mechanism) -> Iterator[tuple[str, Line, Friction, str | None, str]]:
    """Name, line, friction, port and unit of every joint and motor with friction."""
    for link in robot.links:
        line_and_offset, name = joint_line(mech, link), f"{link.joint_name}.friction"
        require_no_load(name, link.joint.total_friction)
        if line_and_offset is not None:
            yield name, line_and_offset[0], link.joint.total_friction, None, force_unit(link)
        elif joint_kind(link.joint.kind).speeds and link.joint.total_friction.kind != "none":
            raise InputError(
                f"{name}: the joint is {link.joint.kind}; friction requires a joint of one speed (revolute, "
                "prismatic, helical). Set its friction and damping to 0."
            )
    for title, motor in robot_motors(robot):
        yield f"{title}.motor_friction", motor_line(mech, title), motor.total_friction, title, "Nm"


def require_no_load(name: str, friction: Friction) -> None:
    """Raise an error for load-dependent friction where no motor transmits a torque."""
    if friction.load is not None:
        raise InputError(
            f"{name}: load-dependent friction is that of a geared motor, which transmits a torque. State it as the "
            "friction of the motor."
        )


def _friction_law(name: str, line: Line, friction: Friction, port: str | None, unit: str, smooth: bool) -> Law:
    if friction.kind == "lugre":
        return LuGre(name, line, friction, port, unit)
    if smooth or friction.kind == "viscous":
        largest = max(abs(float(primal_value(factor))) for _, factor in line.terms)
        return SmoothFriction(name, line, friction, SMOOTHING_SPEED * largest, port, unit)
    return DryFriction(name, line, port, unit, friction)
