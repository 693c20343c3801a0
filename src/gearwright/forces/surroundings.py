"""Loops and contacts that a robot's file states, as laws."""

from __future__ import annotations

from gearwright.forces.constraint import Constraint
from gearwright.forces.contact import Contact
from gearwright.forces.law import Law
from gearwright.forces.soft_contact import SoftContact
from gearwright.parts import Robot, Touch


def surrounding_laws(robot: Robot) -> tuple[Law, ...]:
    """The loops that close a robot and the surfaces that it touches.

    >>> from gearwright.parts import Link, Plane, Robot, Touch
    >>> hammer = Robot("hammer", [Link("arm", mass=1.0)], environment=[Touch("anvil", "arm", Plane())])
    >>> [law.name for law in surrounding_laws(hammer)]
    ['anvil']
    """
    loops = [Constraint(loop.name, *loop.frames, held=tuple(loop.held)) for loop in robot.loops]
    return (*loops, *(_touching(touch) for touch in robot.environment))


def _touching(touch: Touch) -> Law:
    where = {"relative_to": touch.relative_to, "name": touch.name}
    if touch.stiffness is None:
        return Contact(touch.frame, touch.surface, touch.restitution, touch.friction, **where)
    return SoftContact(touch.frame, touch.surface, touch.stiffness, touch.damping, **where)
