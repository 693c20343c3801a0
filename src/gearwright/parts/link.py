"""Links and joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Scalar, Vec
from gearwright.errors import JointError, NotTraceableError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.friction import Friction, all_friction
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.structure.cross_sections import LinkSection


@dataclass(frozen=True)
class Limits:
    """What a joint may do; None means unlimited. SI units at the joint side."""

    position: tuple[float, float] | None = None
    speed: float | None = None
    acceleration: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        try:
            ordered = self.position is None or bool(self.position[0] <= self.position[1])
        except NotTraceableError:  # a symbol stands for a number that nobody knows yet
            ordered = True
        except (TypeError, IndexError):
            ordered = False
        if not ordered:
            raise JointError(f"limits: position {self.position!r} is not a range. Give (lower, upper).")


@dataclass(frozen=True)
class Joint:
    """How a link moves on its parent.

    Args:
        name: name of the joint and of its speed; the link's name unless given.
        kind: revolute, prismatic, fixed, spherical, free, planar, helical or universal.
        axis: axis in the joint frame (the link's frame); the normal of a planar joint, the first of a universal one.
        rotation: rotation of the joint frame in the parent's frame, (3, 3).
        position: origin of the joint frame in the parent's frame [m].
        limits: what it may do.
        follows: (joint, multiplier, offset) for a joint without a speed of its own.
        damping: viscous friction [Nms/rad or Ns/m] at the joint side.
        friction: Coulomb friction [Nm or N] at the joint side, or a Friction.
        spring: a passive spring between parent and link.
        axis2: second axis of a universal joint, in the link's frame.
        pitch: of a helical joint, how far it slides per radian [m/rad].
        armature: reflected inertia [kg m2 or kg] of which nothing else is known: energy, no push on the parent. A
            motor and gear say more: give a Drive instead.
    """

    name: str | None = None
    kind: str = "revolute"
    axis: Any = (0.0, 0.0, 1.0)
    rotation: Any = IDENTITY
    position: Any = ZERO
    limits: Limits = field(default_factory=Limits)
    follows: tuple[str, Scalar, Scalar] | None = None
    damping: Scalar = 0.0
    friction: Scalar | Friction = 0.0
    spring: JointSpring | None = None
    axis2: Any = None
    pitch: Scalar | None = None
    armature: Scalar = 0.0

    def __post_init__(self) -> None:
        require_kind(f"joint {self.name!r}", "limits", self.limits, Limits)
        require_at_least(f"joint {self.name!r}", 0.0, armature=self.armature)
        if self.spring is not None:
            require_kind(f"joint {self.name!r}", "spring", self.spring, JointSpring)

    @property
    def total_friction(self) -> Friction:
        """Friction and damping of the joint, as one part."""
        return all_friction(self.friction, self.damping)


@dataclass(frozen=True)
class Shape:
    """What a link looks like or collides as, kept as a reference: no mesh is opened, no dynamics uses it.

    Args:
        kind: mesh, box, cylinder or sphere.
        size: mesh: scale (3,); box: three edges [m]; cylinder: radius and length [m]; sphere: radius [m].
        file: the mesh's file or address, as it was written.
        position: of the shape's frame in the link's frame [m].
        rotation: of the shape's frame in the link's frame, (3, 3).
        role: visual or collision.
    """

    kind: Literal["mesh", "box", "cylinder", "sphere"]
    size: tuple[float, ...] = (1.0, 1.0, 1.0)
    file: str | None = None
    position: Any = ZERO
    rotation: Any = IDENTITY
    role: Literal["visual", "collision"] = "visual"


FREE = Joint(kind="free")
"""The joint of a floating base."""


class StatedLength(NamedTuple):
    """A length of a file's geometry: the letter it has there (a, d), its value [m] and where it points."""

    letter: str
    value: Scalar
    direction: Vec


@dataclass(frozen=True)
class StatedFrame:
    """The frame in which a file states the numbers of a link, so that equations can be written in the file's words.

    Args:
        rotation: of that frame in the link's frame.
        lengths: what leads from the link's origin to that frame's, in the link's axes (standard Denavit-Hartenberg).
        joint: what leads from the parent's stated frame to the link's joint, in the parent's stated axes (modified).
    """

    rotation: Rot = IDENTITY
    lengths: tuple[StatedLength, ...] = ()
    joint: tuple[StatedLength, ...] = ()


UNSTATED = StatedFrame()
"""The link's own frame."""


@dataclass(frozen=True)
class Link:
    """A rigid link without the wheels it carries.

    Args:
        name: its name.
        parent: name of the link that carries it, or "base".
        joint: how it moves on its parent.
        mass: mass [kg].
        com: centre of mass in the link frame [m].
        inertia: tensor about the centre of mass in link axes [kg m2], (3, 3).
        effective: only combinations of its numbers matter; physical checks are relaxed.
        shapes: what it looks like and collides as, as references.
        section: its cross-sections and material, for stress and deflection; its mass stays as stated.
        tip: its far end in the link frame [m], where a payload sits by default; see `end`.
        stated: the frame in which a file states it, for equations in the file's words; no computation needs it.
    """

    name: str
    parent: str = "base"
    joint: Joint = field(default_factory=Joint)
    mass: Scalar = 0.0
    com: Any = ZERO
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    effective: bool = False
    shapes: Sequence[Shape] = ()
    section: LinkSection | None = None
    tip: Any = None
    stated: StatedFrame = field(default=UNSTATED, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_kind(f"link {self.name!r}", "joint", self.joint, Joint)
        object.__setattr__(self, "shapes", tuple(self.shapes))

    @property
    def end(self) -> Vec | None:
        """Its tip, or the end of its section, in the link frame [m]; None where neither is stated."""
        if self.tip is not None:
            return Vec.of(self.tip)
        return None if self.section is None else Vec.of(self.section.to)

    @property
    def joint_name(self) -> str:
        """The name of its joint."""
        return self.joint.name if self.joint.name is not None else self.name
