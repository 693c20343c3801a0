"""A controller's model of a contact: frame, constrained coordinates, and compliant environment."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.control.force.known_environment import KnownEnvironment
from gearwright.control.task_space.frame_motion import WORLD_AXES, FrameAxes, FrameMotion, frame_motion
from gearwright.control.task_space.operational_law import FRAME_AXIS_NAMES
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.errors import InputError
from gearwright.forces import Contact, ForceSensor, Line, SoftContact
from gearwright.forces.contact.constraint import ConstantFunction, Constraint
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.forces.coordinates.perturbed_configuration import plain_configuration
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import BASE, Mechanism

NORMAL_AXIS_INDEX = 2
"""The constrained axis of a surface: its normal, after its two tangents."""


@dataclass(frozen=True)
class KnownContact:
    """A known contact: the coordinates s(q, t) of the contact law of the run, with their Jacobian rows and drifts.

    Args:
        law: the constraint or contact.
        frame: the body or frame in contact.
        held: constrained coordinates among x, y, z, rx, ry, rz along the axes of the environment.
        environment: the compliant environment; None: rigid.
        sensors: force sensors per constrained axis; () for none.
    """

    law: Constraint | Contact | SoftContact
    frame: str | int
    held: tuple[int, ...]
    environment: KnownEnvironment | None = None
    sensors: tuple[str, ...] = ()

    @property
    def axis_names(self) -> tuple[str, ...]:
        """Names of the constrained axes."""
        return tuple(FRAME_AXIS_NAMES[k] for k in self.held)

    @property
    def is_moving(self) -> bool:
        """Whether the environment moves as a function of time."""
        touched = self.law.relative_to
        return isinstance(touched, MovingFrame) and not (
            isinstance(touched.path, ConstantFunction) and isinstance(touched.turn, ConstantFunction | None)
        )

    def contact_motion(self, kinematics: SharedKinematics, size: int) -> tuple[FrameMotion, list[Scalar]]:
        """Return the motion of the frame, in free directions along the axes, in constrained ones along s; and s."""
        tree = tree_kinematics(kinematics)
        lines = [line.placed_in(tree) for line in self._held_lines(tree.mech.speeds)]
        held = dict(zip(self.held, lines, strict=True))
        frame = frame_motion(kinematics, self.frame, size, self._contact_axes(tree), held)
        return frame, [line.position(kinematics.q) for line in lines]

    def _held_lines(self, speeds: tuple[str, ...]) -> tuple[Line, ...]:
        """Return the constrained coordinates on a machine with these speeds."""
        if isinstance(self.law, Constraint):
            return self.law.force_lines(speeds)
        return (self.law.force_lines(speeds)[f"{self.law.name}.force"],)

    def _contact_axes(self, kinematics: SharedKinematics) -> FrameAxes:
        """Return the axes of the environment at the frame: those of a frame, or tangents and normal of a surface."""
        configuration, touched = plain_configuration(kinematics), self.law.relative_to
        if touched == "base" and isinstance(self.law, Constraint):
            return WORLD_AXES
        R, _ = configuration.placement(touched)
        if isinstance(self.law, Constraint):
            return R.columns()
        assert self.law.surface is not None  # it names a frame
        first, second = self.law.surface.tangents_at(
            configuration.point_in_frame(touched, configuration.point(self.frame)), kinematics.ops
        )
        return tuple(R @ axis for axis in (first, second, first.cross(second)))


def tree_kinematics(kinematics: SharedKinematics) -> SharedKinematics:
    """Return the kinematics of all speeds of a machine with closed loops; without loops the same."""
    mech, q, ops = kinematics.mech, kinematics.q, kinematics.ops
    if mech.closure is None:
        return kinematics
    _, speed_map = placed_machine(mech, q, ops)
    return SharedKinematics(mech.tree, q, speed_map.speeds(kinematics.v), ops, kinematics.t)


def known_contact(caller: str, contact: object, environment: KnownEnvironment | None = None) -> KnownContact:
    """Return the model of a Constraint, Contact or SoftContact, with or without a force sensor."""
    if isinstance(contact, ForceSensor):
        unmeasured = known_contact(caller, contact.law, environment)
        sensor_names = [x.name for x in contact.states[len(contact.law.states) :]]
        return replace(unmeasured, sensors=tuple(sensor_names[: len(unmeasured.held)]))
    if not isinstance(contact, Constraint | Contact | SoftContact):
        raise InputError(
            f"{caller}: a {type(contact).__name__} is not a contact. Give a gw.contact.Constraint, Contact or "
            "SoftContact, the one that goes into the simulation."
        )
    frame = _contact_frame(caller, contact.name, contact.frame)
    if isinstance(contact, Constraint):
        if environment is not None:
            raise InputError(f"{caller}: constraint {contact.name!r} is not compliant. Give a Contact.")
        return KnownContact(contact, frame, tuple(FRAME_AXIS_NAMES.index(axis) for axis in contact.held))
    if environment is None and isinstance(contact, SoftContact):
        environment = KnownEnvironment(contact.stiffness, contact.damping, 0.0, contact.exponent)
    return KnownContact(contact, frame, (NORMAL_AXIS_INDEX,), environment)


def _contact_frame(caller: str, name: str, frame: Anchor | None) -> str | int:
    if isinstance(frame, str | int):
        return frame
    raise InputError(f"{caller}: contact {name!r} has no frame of the machine. Give one with a frame.")


def require_prescribed_motion(caller: str, mech: Mechanism, contact: Constraint | Contact | SoftContact) -> None:
    """Raise an error for a contact with a moving link, whose motion depends on the forces."""
    touched = contact.relative_to
    if not isinstance(touched, MovingFrame) and touched != BASE and mech.is_moved(mech.place_of(touched)[0]):
        raise InputError(
            f"{caller}: contact {contact.name!r} is relative to {touched!r}, a link whose motion depends on the "
            "forces. Give one relative to the base or to a MovingFrame; for a wall with mass, a Contact with the "
            "surface at rest, and `environment`."
        )
