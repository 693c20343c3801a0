"""Closed loops and contacts of a robot as laws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gearwright.algebra import Scalar
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.coordinates.configuration import Configuration
from gearwright.forces.law import Law
from gearwright.parts import ContactPoint, Loop, Robot


class HasLoops(Protocol):
    """A robot or a machine with closed loops."""

    @property
    def loops(self) -> Sequence[Loop]:
        """Its loops."""
        ...


def environment_laws(robot: Robot) -> tuple[Law, ...]:
    """The laws of a robot's closed loops and contacts.

    >>> from gearwright.parts import Link, Plane, Robot, ContactPoint
    >>> hammer = Robot("hammer", [Link("arm", mass=1.0)], environment=[ContactPoint("anvil", "arm", Plane())])
    >>> [law.name for law in environment_laws(hammer)]
    ['anvil']
    """
    return (*loop_laws(robot), *map(_contact_law, robot.environment))


def loop_laws(robot: HasLoops) -> tuple[Constraint, ...]:
    """The constraints of a robot's closed loops.

    >>> from gearwright.parts import Link, Loop, Robot
    >>> bars = Robot("bars", [Link("one", mass=1.0), Link("other", mass=1.0)], loops=[Loop("pin", ["one", "other"])])
    >>> [law.name for law in loop_laws(bars)]
    ['pin']
    """
    return tuple(map(_loop_constraint, robot.loops))


def without_loops(robot: HasLoops, laws: Iterable[Law]) -> tuple[Law, ...]:
    """The laws without those of closed loops."""
    loops = loop_laws(robot)
    return tuple(law for law in laws if law not in loops)


def _loop_constraint(loop: Loop) -> Constraint:
    frame, second_frame = loop.frames
    return Constraint(loop.name, frame, second_frame, tuple(loop.held))


@dataclass(frozen=True)
class JointCombination:
    """A linear combination of joint coordinates minus a constant."""

    factors: tuple[tuple[str, float], ...]
    rest: float = 0.0

    def __call__(self, configuration: Configuration) -> Scalar:
        """The sum [rad, m]."""
        total: Scalar = -self.rest
        for name, factor in self.factors:
            total = total + factor * configuration.coordinate(name)
        return total


def _contact_law(touch: ContactPoint) -> Law:
    frame, surface, reference, name = touch.frame, touch.surface, touch.relative_to, touch.name
    rigid = {"restitution": touch.restitution, "friction": touch.friction, "impact": touch.impact}
    if touch.row is not None:
        slip = [JointCombination(tuple(touch.slip.items()))] if touch.slip else []
        return Contact.along_coordinate(name, JointCombination(tuple(touch.row.items()), touch.rest), slip, **rigid)
    assert frame is not None
    assert surface is not None
    if touch.stiffness is None:
        return Contact(frame, surface, relative_to=reference, name=name, **rigid)  # type: ignore[arg-type]
    return SoftContact(
        frame, surface, touch.stiffness, touch.damping, relative_to=reference, name=name, friction=touch.friction
    )
