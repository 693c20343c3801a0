"""Friction of bearings and seals: viscous, Coulomb and Stribeck, exact at rest or smooth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.friction.stick_slip import Sticking, dry, sliding
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import force_unit, joint_line, motor_line, motors_of
from gearwright.mechanism import Mechanism
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Friction, Robot

SMOOTHING = 0.01
"""Speed [rad/s, m/s] at the joint over which smooth friction turns round."""


@dataclass(frozen=True)
class DryFriction(Sticking):
    r"""Viscous, Coulomb and Stribeck friction with exact sticking.

    Sliding with the speed w in the sense s it is $-s (F_C + (F_S - F_C) e^{-(w/w_S)^2}) - d w$; at rest anything up
    to $F_S$, as Stribeck measured and as it stands in Armstrong-Helouvry, Dupont and Canudas de Wit (1994). Without a
    Stribeck speed, friction falls from $F_S$ to $F_C$ as soon as it slides.

    Args:
        name, line, port, unit: as for everything that sticks.
        friction: the numbers [Nm or N, and per rad/s or m/s], along the line.

    >>> import gearwright as gw
    >>> from gearwright.algebra.operations import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = DryFriction("j1.friction", Line.of(arm, "j1"), friction=Friction(coulomb=2.0, viscous=0.5))
    >>> moving = Situation(0.0, [0.0] * 3, [4.0, 0.0, 0.0], (), (), FLOATS, arm)
    >>> rub.start(moving), rub.act("forward", moving).forces[0].value
    ('forward', -4.0)
    """

    friction: Friction = field(default_factory=Friction)

    def holding(self, situation: Situation) -> Scalar:
        """Static friction."""
        return self.friction.breakaway

    def sliding(self, situation: Situation, speed: Scalar) -> Scalar:
        """Coulomb, Stribeck and viscous friction."""
        return sliding(self.friction, speed, situation.ops)


@dataclass(frozen=True)
class SmoothFriction(Law):
    r"""The same friction without modes, for compiled fixed-step runs: the sign of the speed is $\tanh(w / w_0)$.

    $-(F_C + (F_S - F_C) e^{-(w/w_S)^2}) \tanh(w / w_0) - d w$. It does not stick: under a load below $F_C$ it creeps
    with a speed of about $w_0$ times load over $F_C$.

    Args:
        name: its name.
        line: along what it rubs.
        friction: the numbers.
        width: the speed $w_0$ [rad/s, m/s] along the line.
        port: name of the drive through whose gear it acts.
        unit: of its force, Nm or N.

    >>> import gearwright as gw
    >>> from gearwright.algebra.operations import FLOATS
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> rub = SmoothFriction("j1.friction", Line.of(arm, "j1"), Friction(coulomb=2.0, viscous=0.5))
    >>> rub.act("on", Situation(0.0, [0.0] * 3, [4.0, 0.0, 0.0], (), (), FLOATS, arm)).forces[0].value
    -4.0
    """

    name: str
    line: Line
    friction: Friction
    width: float = SMOOTHING
    port: str | None = None
    unit: str = "Nm"

    def __post_init__(self) -> None:
        hint = "It is the speed over which friction turns round; for friction that sticks use DryFriction."
        number(self.name, "width", self.width, above=0.0, example=SMOOTHING, hint=hint)

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its force along the line."""
        return (Quantity(f"{self.name}.force", self.unit),)

    def act(self, mode: str, situation: Situation) -> Action:
        """One force."""
        return Action(forces=(Force(self.line, self._force(situation), self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The power it takes."""
        force = self._force(situation)
        dissipated = -force * situation.speed(self.line)
        return Outcome(dissipated=dissipated, signals={f"{self.name}.force": force})

    def _force(self, situation: Situation) -> Scalar:
        ops, speed = situation.ops, situation.speed(self.line)
        return -dry(self.friction, speed, ops) * ops.tanh(speed / self.width) - self.friction.viscous * speed


@check_arguments
def friction_laws(robot: Robot, mech: Mechanism, *, smooth: bool = False) -> tuple[Law, ...]:
    """The friction that a robot states at its joints and motors, as laws `<joint>.friction`, `<motor>.motor_friction`.

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
    return tuple(_law(*one, smooth) for one in _rubbing(robot, mech) if one[2].kind != "none")


def _rubbing(robot: Robot, mech: Mechanism) -> Iterator[tuple[str, Line, Friction, str | None, str]]:
    """Name, line, friction, port and unit of everything that may rub."""
    for link in robot.links:
        place, name = joint_line(mech, link), f"{link.joint_name}.friction"
        if place is not None:
            yield name, place[0], link.joint.total_friction, None, force_unit(link)
        elif joint_kind(link.joint.kind).speeds and link.joint.total_friction.kind != "none":
            raise InputError(
                f"{name}: friction acts along joints of one speed (revolute, prismatic, helical); this one is "
                f"{link.joint.kind}. Set its friction and damping to 0."
            )
    for title, motor in motors_of(robot):
        yield f"{title}.motor_friction", motor_line(mech, title), motor.total_friction, title, "Nm"


def _law(name: str, line: Line, friction: Friction, port: str | None, unit: str, smooth: bool) -> Law:
    if friction.kind == "lugre":
        return LuGre(name, line, friction, port, unit)
    if smooth or friction.kind == "viscous":
        largest = max(abs(float(value_of(factor))) for _, factor in line.terms)
        return SmoothFriction(name, line, friction, SMOOTHING * largest, port, unit)
    return DryFriction(name, line, port, unit, friction)
