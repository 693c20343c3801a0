"""Links and joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gearwright.algebra import IDENTITY, ZERO, MatrixLike, OptionalVector, Rot, Scalar, Vec, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import JointError, NotTraceableError
from gearwright.parts.checks import require_at_least, require_kind
from gearwright.parts.drives.friction import Friction, combined_friction
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.structure.cross_sections import LinkSection


@check_arguments
@dataclass(frozen=True)
class Limits:
    """The limits of a joint; None means unlimited. SI units at the joint side."""

    position: tuple[float, float] | None = None
    speed: float | None = None
    acceleration: float | None = None
    effort: float | None = None

    def __post_init__(self) -> None:
        try:
            ordered = self.position is None or bool(self.position[0] <= self.position[1])
        except NotTraceableError:  # symbolic limits cannot be compared
            ordered = True
        except (TypeError, IndexError):
            ordered = False
        if not ordered:
            raise JointError(f"limits: position {self.position!r} is not a range. Give (lower, upper).")
        for word in ("speed", "acceleration", "effort"):
            if isinstance(value := getattr(self, word), float | int):
                real_number("limits", word, value, least=0, infinite=True, hint="It is a magnitude.", error=JointError)


@check_arguments
@dataclass(frozen=True)
class Joint:
    """The joint between a link and its parent.

    Args:
        name: name of the joint and of its speed; by default that of the link.
        kind: revolute, prismatic, fixed, spherical, free, planar, helical or universal.
        axis: axis in the joint frame (the link's frame); the normal of a planar joint, the first of a universal one.
        rotation: rotation of the joint frame in the parent's frame, (3, 3).
        position: origin of the joint frame in the parent's frame [m].
        limits: of position, speed and effort.
        follows: (joint, multiplier, offset) for a joint that mimics another joint.
        damping: viscous friction [Nms/rad or Ns/m] at the joint side.
        friction: Coulomb friction [Nm or N] at the joint side, or a Friction.
        spring: a passive spring between parent and link.
        axis2: second axis of a universal joint, in the link's frame.
        pitch: travel of a helical joint per radian [m/rad].
        armature: reflected inertia of an unknown motor [kg m2 or kg]: it stores energy, without a reaction on the
            parent. If motor and gear are known, give a Drive instead.
    """

    name: str | None = None
    kind: str = "revolute"
    axis: VectorLike = (0.0, 0.0, 1.0)
    rotation: MatrixLike = IDENTITY
    position: VectorLike = ZERO
    limits: Limits = field(default_factory=Limits)
    follows: tuple[str, Scalar, Scalar] | None = None
    damping: Scalar = 0.0
    friction: Scalar | Friction = 0.0
    spring: JointSpring | None = None
    axis2: OptionalVector = None
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
        return combined_friction(self.friction, self.damping)


@check_arguments
@dataclass(frozen=True)
class Shape:
    """A visual or collision shape of a link, stored as a reference: mesh files are not read, dynamics do not use it.

    Args:
        kind: mesh, box, cylinder or sphere.
        size: mesh: scale (3,); box: three edges [m]; cylinder: radius and length [m]; sphere: radius [m].
        file: file or address of the mesh, as written in the robot file.
        position: of the shape's frame in the link's frame [m].
        rotation: of the shape's frame in the link's frame, (3, 3).
        role: visual or collision.
    """

    kind: Literal["mesh", "box", "cylinder", "sphere"]
    size: tuple[float, ...] = (1.0, 1.0, 1.0)
    file: str | None = None
    position: VectorLike = ZERO
    rotation: MatrixLike = IDENTITY
    role: Literal["visual", "collision"] = "visual"


FREE_JOINT = Joint(kind="free")
"""The joint of a floating base."""


class StatedLength(NamedTuple):
    """A length in the geometry of a file: its symbol (a, d), its value [m] and its direction."""

    letter: str
    value: Scalar
    direction: Vec


@dataclass(frozen=True)
class StatedFrame:
    """The frame in which a file gives the data of a link, for equations and payloads in the notation of the file.

    Args:
        rotation: of that frame in the link's frame.
        lengths: offsets from the link's origin to that frame's origin, in the link's axes (standard
            Denavit-Hartenberg).
        joint: offsets from the parent's stated frame to the link's joint, in the parent's stated axes (modified).
        offset: further offset from the link's origin to that frame's origin, without symbols (vectors) [m].
    """

    rotation: Rot = IDENTITY
    lengths: tuple[StatedLength, ...] = ()
    joint: tuple[StatedLength, ...] = ()
    offset: Vec = ZERO

    @property
    def origin(self) -> Vec:
        """Origin of that frame in the link's frame [m]."""
        return sum((length.direction * length.value for length in self.lengths), self.offset)


LINK_FRAME = StatedFrame()
"""The link's own frame."""


@check_arguments
@dataclass(frozen=True)
class Link:
    """A rigid link without the wheels it carries.

    Args:
        name: its name.
        parent: name of the link that carries it, or "base".
        joint: the joint to its parent.
        mass: mass [kg].
        com: centre of mass in the link frame [m].
        inertia: tensor about the centre of mass in link axes [kg m2], (3, 3).
        effective: whether its inertial parameters are base parameters (combinations with those of other links);
            physical checks are relaxed.
        shapes: visual and collision shapes, as references.
        section: its cross-sections and material, for stress and deflection; they do not change its mass.
        tip: its far end in the link frame [m], the default position of a payload; see `end_point`.
        stated: the frame in which a file gives it, for equations and payloads in the notation of the file.
    """

    name: str
    parent: str = "base"
    joint: Joint = field(default_factory=Joint)
    mass: Scalar = 0.0
    com: VectorLike = ZERO
    inertia: MatrixLike = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    effective: bool = False
    shapes: Sequence[Shape] = ()
    section: LinkSection | None = None
    tip: OptionalVector = None
    stated: StatedFrame = field(default=LINK_FRAME, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_kind(f"link {self.name!r}", "joint", self.joint, Joint)
        object.__setattr__(self, "shapes", tuple(self.shapes))

    @property
    def end_point(self) -> Vec | None:
        """Its tip, or the end of its section, in the link frame [m]; None if neither is given."""
        if self.tip is not None:
            return Vec.from_values(self.tip)
        return None if self.section is None else Vec.from_values(self.section.to)

    @property
    def joint_name(self) -> str:
        """The name of its joint."""
        return self.joint.name if self.joint.name is not None else self.name
