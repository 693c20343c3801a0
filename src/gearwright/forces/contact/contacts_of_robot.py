"""Loops and contacts that a robot's file states, as laws."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.coordinates.configuration import Configuration
from gearwright.forces.law import Law
from gearwright.parts import Loop, Robot, Touch


def surrounding_laws(robot: Robot) -> tuple[Law, ...]:
    """The loops that close a robot and the surfaces that it touches.

    >>> from gearwright.parts import Link, Plane, Robot, Touch
    >>> hammer = Robot("hammer", [Link("arm", mass=1.0)], environment=[Touch("anvil", "arm", Plane())])
    >>> [law.name for law in surrounding_laws(hammer)]
    ['anvil']
    """
    return (*loop_laws(robot), *map(_touching, robot.environment))


def loop_laws(robot: Robot) -> tuple[Constraint, ...]:
    """The loops that close a robot.

    >>> from gearwright.parts import Link, Loop, Robot
    >>> bars = Robot("bars", [Link("one", mass=1.0), Link("other", mass=1.0)], loops=[Loop("pin", ["one", "other"])])
    >>> [law.name for law in loop_laws(bars)]
    ['pin']
    """
    return tuple(map(_closing, robot.loops))


def _closing(loop: Loop) -> Constraint:
    frame, other = loop.frames
    return Constraint(loop.name, frame, other, tuple(loop.held))


@dataclass(frozen=True)
class JointCombination:
    """A sum of coordinates of joints, each times its factor, less a number."""

    factors: tuple[tuple[str, float], ...]
    rest: float = 0.0

    def __call__(self, configuration: Configuration) -> Scalar:
        """The sum [rad, m]."""
        total: Scalar = -self.rest
        for name, factor in self.factors:
            total = total + factor * configuration.coordinate(name)
        return total


def _touching(touch: Touch) -> Law:
    frame, surface, other, name = touch.frame, touch.surface, touch.relative_to, touch.name
    rigid = {"restitution": touch.restitution, "friction": touch.friction, "impact": touch.impact}
    if touch.row is not None:
        slip = [JointCombination(tuple(touch.slip.items()))] if touch.slip else []
        return Contact.of(name, JointCombination(tuple(touch.row.items()), touch.rest), slip, **rigid)
    assert frame is not None
    assert surface is not None
    if touch.stiffness is None:
        return Contact(frame, surface, relative_to=other, name=name, **rigid)  # type: ignore[arg-type]
    return SoftContact(frame, surface, touch.stiffness, touch.damping, relative_to=other, name=name)
