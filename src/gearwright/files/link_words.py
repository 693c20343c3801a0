"""The words of links and joints."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from gearwright.algebra import Vec
from gearwright.files.data_sheet_words import SlideFrictionField, TurnFrictionField
from gearwright.files.elastic_words import BeamWords, SlideSpring, TurnSpring
from gearwright.files.geometry import Seat, Vectors, modified_dh, standard_dh
from gearwright.files.words import (
    Angle,
    Direction,
    Length,
    Mass,
    Name,
    Number,
    Origin,
    Position,
    TensorWords,
    Unit,
    Words,
)
from gearwright.parts import Limits, Shape

AngularSpeed = Annotated[float, Unit("angular speed", least=0)]
Speed = Annotated[float, Unit("speed", least=0)]
ARMATURE = "reflected inertia of which nothing else is known; motor and gear say more: give a drive instead"


class DH(Words):
    """Denavit-Hartenberg parameters; theta of a revolute and d of a prismatic joint are offsets of q."""

    a: Length = 0.0
    alpha: Angle = 0.0
    d: Length = 0.0
    theta: Angle = 0.0


class VectorWords(Words):
    """The vectors of Vukobratovic and Potkonjak: the link's frame is at its mass centre."""

    e: Direction = Field(description="axis in this link's frame")
    e_before: Direction = Field(description="the same axis in the previous link's frame")
    r: Position = Field(description="from the joint to this link's mass centre, in this link's frame")
    r_before: Position = Field(description="from the joint to the previous link's mass centre, in the previous frame")
    specificity: Direction | None = Field(
        default=None, description="instead of r for the extended position, if r is parallel to e"
    )
    specificity_before: Direction | None = Field(default=None, description="the same instead of r_before")
    alpha: Angle = Field(default=0.0, description="the constant angle of a linear joint")

    def seat(self) -> Seat:
        """The joint that these vectors describe."""
        words: dict[str, Any] = {word: getattr(self, word) for word in type(self).model_fields}
        vectors: dict[str, Any] = {k: Vec.of(v) if isinstance(v, tuple) else v for k, v in words.items()}
        return Vectors(**vectors).seat()


class LimitWords(Words):
    """What a joint may do; a word left out means unlimited."""

    def limits(self) -> Limits:
        """The part."""
        return Limits(**self.model_dump())

    @model_validator(mode="after")
    def _ordered(self) -> LimitWords:
        position = getattr(self, "position", None)
        if position is not None and position[0] > position[1]:
            raise ValueError(
                f"position [{position[0]}, {position[1]}]: the lower limit is above the upper one. Swap them."
            )
        return self


class TurnLimits(LimitWords):
    """Limits of a revolute joint."""

    position: tuple[Angle, Angle] | None = None
    speed: AngularSpeed | None = None
    acceleration: Annotated[float, Unit("angular acceleration", least=0)] | None = None
    effort: Annotated[float, Unit("torque", least=0)] | None = None


class SlideLimits(LimitWords):
    """Limits of a prismatic joint."""

    position: tuple[Length, Length] | None = None
    speed: Speed | None = None
    acceleration: Annotated[float, Unit("acceleration", least=0)] | None = None
    effort: Annotated[float, Unit("force", least=0)] | None = None


class Follows(Words):
    """q = multiplier q_joint + offset: a joint without a speed of its own."""

    joint: Name
    multiplier: Number = 1.0
    offset: Annotated[float, Unit("angle", "length")] = 0.0


class _Placed(Words):
    """Where a joint is."""

    name: Name | None = Field(default=None, description="the link's name unless given")
    origin: Origin | None = None

    def seat(self) -> Seat:
        """The joint's place on its parent."""
        return Seat((self.origin or Origin()).placement, Vec(0.0, 0.0, 1.0))


class _Moving(_Placed):
    """A joint with one speed; its geometry in one of four ways."""

    axis: Direction | None = Field(default=None, description="in the link's frame")
    dh: DH | None = Field(default=None, description="standard: the link's words are in the frame at its far end")
    mdh: DH | None = Field(default=None, description="modified: the link's words are in the frame on its joint")
    vector: VectorWords | None = None
    follows: Follows | None = None

    @model_validator(mode="after")
    def _one_way(self) -> _Moving:
        ways = [name for name in ("dh", "mdh", "vector") if getattr(self, name) is not None]
        if self.origin is not None or self.axis is not None:
            ways.append("origin and axis")
        if len(ways) > 1:
            raise ValueError(f"geometry is given in {len(ways)} ways ({'; '.join(ways)}). Keep one of them.")
        if not ways or (ways == ["origin and axis"] and self.axis is None):
            raise ValueError("the joint has no axis. Give axis: [0, 0, 1], or dh, mdh or vector.")
        if self.axis is not None and not any(self.axis):
            raise ValueError("the axis [0, 0, 0] has no direction. Give a vector of non-zero length.")
        return self

    def seat(self) -> Seat:
        """The joint's place on its parent."""
        if self.dh is not None:
            return standard_dh(**self.dh.model_dump())
        if self.mdh is not None:
            return modified_dh(**self.mdh.model_dump())
        if self.vector is not None:
            return self.vector.seat()
        return Seat((self.origin or Origin()).placement, Vec.of(self.axis or (0.0, 0.0, 1.0)))


class Revolute(_Moving):
    """Turns about its axis."""

    type: Literal["revolute"] = "revolute"
    limits: TurnLimits = TurnLimits()
    damping: Annotated[float, Unit("angular damping", least=0)] = 0.0
    friction: TurnFrictionField = Field(default=0.0, description="Coulomb friction, or words of friction")
    spring: TurnSpring | None = Field(default=None, description="a passive spring between parent and link")
    armature: Annotated[float, Unit("inertia", least=0)] = Field(default=0.0, description=ARMATURE)


class Prismatic(_Moving):
    """Slides along its axis."""

    type: Literal["prismatic"]
    limits: SlideLimits = SlideLimits()
    damping: Annotated[float, Unit("damping", least=0)] = 0.0
    friction: SlideFrictionField = Field(default=0.0, description="Coulomb friction, or words of friction")
    spring: SlideSpring | None = Field(default=None, description="a passive spring between parent and link")
    armature: Annotated[float, Unit("mass", least=0)] = Field(default=0.0, description=ARMATURE)


class Fixed(_Placed):
    """Does not move."""

    type: Literal["fixed"]


class Spherical(_Placed):
    """Turns every way."""

    type: Literal["spherical"]
    damping: Annotated[float, Unit("angular damping", least=0)] = 0.0


class Free(_Placed):
    """A floating base; hangs on the base."""

    type: Literal["free"]


def _type(joint: Any) -> Any:
    return joint.get("type", "revolute") if isinstance(joint, dict) else getattr(joint, "type", "revolute")


JointWords = Annotated[
    Annotated[Revolute, Tag("revolute")]
    | Annotated[Prismatic, Tag("prismatic")]
    | Annotated[Fixed, Tag("fixed")]
    | Annotated[Spherical, Tag("spherical")]
    | Annotated[Free, Tag("free")],
    Discriminator(_type),
]


class ShapeWords(Words):
    """What a link looks like or collides as; meshes stay references."""

    kind: Literal["mesh", "box", "cylinder", "sphere"]
    size: list[Length] | None = Field(
        default=None, description="mesh: scale; box: edges; cylinder: radius, length; sphere: radius"
    )
    file: Name | None = None
    origin: Origin = Origin()
    role: Literal["visual", "collision"] = "visual"

    @field_validator("file")
    @classmethod
    def _stays_inside(cls, name: str | None) -> str | None:
        if name is not None:
            refuse_escape(name)
        return name

    @model_validator(mode="after")
    def _complete(self) -> ShapeWords:
        wanted = {"mesh": 3, "box": 3, "cylinder": 2, "sphere": 1}[self.kind]
        if self.kind == "mesh" and self.file is None:
            raise ValueError("a mesh needs a file. Give file: name.stl.")
        if len(self.size or ()) != wanted and not (self.size is None and self.kind == "mesh"):
            raise ValueError(f"the size of a {self.kind} is {wanted} number{'s' if wanted > 1 else ''} in a list.")
        return self

    def shape(self) -> Shape:
        """The part, still in the link's words' frame."""
        place = self.origin.placement
        size = tuple(self.size) if self.size is not None else (1.0, 1.0, 1.0)
        return Shape(self.kind, size, self.file, place.position, place.rotation, self.role)


def refuse_escape(name: str) -> None:
    """A mesh is named by a file beside the robot's or by an address such as package://; it may not lead elsewhere.

    Raises:
        ValueError: the name is absolute or climbs out of its folder.
    """
    address, _, rest = name.rpartition("://")
    if address not in ("", "package", "model"):
        raise ValueError(f"{name[:60]!r}: only package:// and model:// addresses and relative files are kept.")
    parts = {*PurePosixPath(rest).parts, *PureWindowsPath(rest).parts}
    if ".." in parts or PurePosixPath(rest).is_absolute() or PureWindowsPath(rest).anchor:
        raise ValueError(f"{name[:60]!r} leads out of the robot's folder. Use a relative name without '..'.")


class LinkWords(Words):
    """A rigid link without the wheels it carries, and the joint that moves it."""

    name: Name
    parent: Name = Field(description="the link that carries it, or base")
    joint: JointWords
    mass: Mass = 0.0
    com: Position = Field(default=(0.0, 0.0, 0.0), description="centre of mass in the link's frame")
    inertia: TensorWords = Field(default=TensorWords(), description="about the centre of mass, in the link's axes")
    effective: bool = Field(
        default=False, description="only combinations of its numbers matter; physical checks are relaxed"
    )
    shapes: list[ShapeWords] = Field(default=[])
    flexible: BeamWords | None = Field(
        default=None, description="the link is a beam, cut into segments; its own mass is that of a hub at the root"
    )

    @model_validator(mode="after")
    def _frame_at_mass_centre(self) -> LinkWords:
        if getattr(self.joint, "vector", None) is not None and any(self.com):
            raise ValueError(
                "with `vector` the link's frame is at its mass centre, so com must be [0, 0, 0]. Remove com."
            )
        return self
