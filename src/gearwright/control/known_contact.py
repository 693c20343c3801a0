"""A contact as a controller knows it: which frame touches, along which axes it is held, and what gives way there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra.operations import FLOATS
from gearwright.control.frame_motion import WORLD, Axes, along_axes
from gearwright.control.known_environment import KnownEnvironment
from gearwright.control.operational_law import AXES
from gearwright.errors import InputError
from gearwright.forces.configuration import Anchor, MovingFrame
from gearwright.forces.constraint import Constraint, Still
from gearwright.forces.contact import Contact
from gearwright.forces.measured import Measured
from gearwright.forces.soft_contact import SoftContact
from gearwright.parts.surface import Plane, Surface


@dataclass(frozen=True)
class KnownContact:
    """Which frame touches and how.

    Args:
        frame: the body or frame that touches.
        axes: axes of what is touched, world coordinates.
        held: which of x, y, z, rx, ry, rz along them are held.
        level: where the surface is along the last axis [m].
        environment: what gives way; None: nothing does.
        sensors: what measures the force per held axis; () for none.
    """

    frame: str | int
    axes: Axes
    held: tuple[int, ...]
    level: float = 0.0
    environment: KnownEnvironment | None = None
    sensors: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The held axes by name."""
        return tuple(AXES[k] for k in self.held)


def known_contact(caller: str, contact: object, environment: KnownEnvironment | None = None) -> KnownContact:
    """What a controller knows of a contact: a Constraint, or a Contact or SoftContact on a plane; Measured or not."""
    if isinstance(contact, Measured):
        bare = known_contact(caller, contact.law, environment)
        shown = [x.name for x in contact.states[len(contact.law.states) :]]
        return replace(bare, sensors=tuple(shown[: len(bare.held)]))
    if isinstance(contact, Constraint):
        if environment is not None:
            raise InputError(f"{caller}: constraint {contact.name!r} does not give way. Give a Contact on a plane.")
        frame = _frame(caller, contact.name, contact.frame)
        return KnownContact(frame, _axes_of(caller, contact), tuple(AXES.index(word) for word in contact.held))
    if not isinstance(contact, Contact | SoftContact):
        raise InputError(
            f"{caller}: a {type(contact).__name__} is not a contact. Give a gw.contact.Constraint, Contact or "
            "SoftContact, the one that goes into the simulation."
        )
    plane, frame = _plane(caller, contact), _frame(caller, contact.name, contact.frame)
    axes = (*plane.tangents, plane.normal)
    level = float(along_axes(axes, plane.point)[2])
    if environment is None and isinstance(contact, SoftContact):
        environment = KnownEnvironment(contact.stiffness, contact.damping, 0.0, contact.exponent)
    return KnownContact(frame, axes, (2,), level, environment)


def _plane(caller: str, contact: Contact | SoftContact) -> Plane:
    surface: Surface = contact.surface
    if not isinstance(surface, Plane) or contact.relative_to != "base":
        raise InputError(
            f"{caller}: contact {contact.name!r} is with a {type(surface).__name__} relative to "
            f"{contact.relative_to!r}; the controller presses on planes that stand in the world. Give it a "
            "Contact with the plane where it is at rest, and `environment` for what moves."
        )
    return surface


def _frame(caller: str, name: str, frame: Anchor | None) -> str | int:
    if isinstance(frame, str | int):
        return frame
    raise InputError(f"{caller}: contact {name!r} names no frame of the machine. Give one with a frame.")


def _axes_of(caller: str, constraint: Constraint) -> Axes:
    """The axes of what a constraint refers to, which must stand still."""
    other = constraint.relative_to
    if other == "base":
        return WORLD
    if isinstance(other, MovingFrame) and isinstance(other.turn, Still | None):
        if not isinstance(other.path, Still):
            raise InputError(
                f"{caller}: constraint {constraint.name!r} moves with {other.name!r}. Give one that rests."
            )
        return WORLD if other.turn is None else tuple(zip(*other.turn(0.0, FLOATS), strict=True))
    raise InputError(
        f"{caller}: constraint {constraint.name!r} is relative to {getattr(other, 'name', other)!r}, which moves. Give "
        "one relative to the base or to a fixed_frame."
    )
