"""A contact as a controller knows it: which frame touches, along which coordinates it is held, what gives way there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.control.force.known_environment import KnownEnvironment
from gearwright.control.task_space.frame_motion import WORLD, Axes, FrameMotion, frame_motion
from gearwright.control.task_space.operational_law import AXES
from gearwright.errors import InputError
from gearwright.forces.contact.constraint import Constraint, Still
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.force_sensor import Measured
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.forces.coordinates.perturbed_configuration import here
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import BASE, Mechanism

NORMAL = 2
"""The axis of a surface that is held: its normal, after its two tangents."""


@dataclass(frozen=True)
class KnownContact:
    """What touches, and how: the coordinates s(q, t) of the law that is in the run, with their rows and drifts.

    Args:
        law: the constraint or contact.
        frame: the body or frame that touches.
        held: which of x, y, z, rx, ry, rz along the axes of what is touched are held.
        environment: what gives way; None: nothing does.
        sensors: what measures the force per held axis; () for none.
    """

    law: Constraint | Contact | SoftContact
    frame: str | int
    held: tuple[int, ...]
    environment: KnownEnvironment | None = None
    sensors: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The held axes by name."""
        return tuple(AXES[k] for k in self.held)

    @property
    def moves(self) -> bool:
        """Whether what is touched moves by a law of time."""
        other = self.law.relative_to
        return isinstance(other, MovingFrame) and not (
            isinstance(other.path, Still) and isinstance(other.turn, Still | None)
        )

    def motion(self, scene: Scene, size: int) -> tuple[FrameMotion, list[Scalar]]:
        """The frame along what it touches: free ways along the axes, held ones along s; and the values of s."""
        lines = [line.placed(scene) for line in self._lines(scene.mech.speeds)]
        held = dict(zip(self.held, lines, strict=True))
        frame = frame_motion(scene, self.frame, size, self._axes(scene), held)
        return frame, [line.position(scene.q) for line in lines]

    def _lines(self, speeds: tuple[str, ...]) -> tuple[Line, ...]:
        """The held coordinates on a machine with these speeds."""
        if isinstance(self.law, Constraint):
            return self.law.lines(speeds)
        return (self.law.lines(speeds)[f"{self.law.name}.force"],)

    def _axes(self, scene: Scene) -> Axes:
        """The axes of what is touched where the frame is: those of a frame, or the tangents and normal of a surface."""
        now, other = here(scene), self.law.relative_to
        if other == "base" and isinstance(self.law, Constraint):
            return WORLD
        R, _ = now.placement(other)
        if isinstance(self.law, Constraint):
            return R.columns()
        assert self.law.surface is not None  # it names a frame
        first, second = self.law.surface.tangents_at(now.seen_from(other, now.point(self.frame)), scene.ops)
        return tuple(R @ axis for axis in (first, second, first.cross(second)))


def known_contact(caller: str, contact: object, environment: KnownEnvironment | None = None) -> KnownContact:
    """What a controller knows of a Constraint, Contact or SoftContact, Measured or not."""
    if isinstance(contact, Measured):
        bare = known_contact(caller, contact.law, environment)
        shown = [x.name for x in contact.states[len(contact.law.states) :]]
        return replace(bare, sensors=tuple(shown[: len(bare.held)]))
    if not isinstance(contact, Constraint | Contact | SoftContact):
        raise InputError(
            f"{caller}: a {type(contact).__name__} is not a contact. Give a gw.contact.Constraint, Contact or "
            "SoftContact, the one that goes into the simulation."
        )
    frame = _frame(caller, contact.name, contact.frame)
    if isinstance(contact, Constraint):
        if environment is not None:
            raise InputError(f"{caller}: constraint {contact.name!r} does not give way. Give a Contact.")
        return KnownContact(contact, frame, tuple(AXES.index(word) for word in contact.held))
    if environment is None and isinstance(contact, SoftContact):
        environment = KnownEnvironment(contact.stiffness, contact.damping, 0.0, contact.exponent)
    return KnownContact(contact, frame, (NORMAL,), environment)


def _frame(caller: str, name: str, frame: Anchor | None) -> str | int:
    if isinstance(frame, str | int):
        return frame
    raise InputError(f"{caller}: contact {name!r} names no frame of the machine. Give one with a frame.")


def require_given_motion(caller: str, mech: Mechanism, contact: Constraint | Contact | SoftContact) -> None:
    """Refuse what is fixed to a link that moves: how it moves is not given, and forces act on it too."""
    other = contact.relative_to
    if not isinstance(other, MovingFrame) and other != BASE and mech.is_moved(mech.place_of(other)[0]):
        raise InputError(
            f"{caller}: contact {contact.name!r} is relative to {other!r}, a link, which moves as forces make it. Give "
            "one relative to the base or to a MovingFrame; for a wall with mass a Contact with the surface where it "
            "rests, and `environment`."
        )
