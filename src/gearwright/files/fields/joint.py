"""The words of joints, one class per kind."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.algebra import Vec
from gearwright.files.fields.basic import Angle, Direction, Length, Name, Number, Origin, Position, Unit, Words
from gearwright.files.fields.elasticity import SlideSpring, TurnSpring
from gearwright.files.fields.motor_data import SlideFrictionField, TurnFrictionField
from gearwright.files.placements import Seat, Vectors, modified_dh, standard_dh
from gearwright.parts import Limits

AngularSpeed = Annotated[float, Unit("angular speed", least=0)]
Speed = Annotated[float, Unit("speed", least=0)]


ARMATURE = "reflected inertia of which nothing else is known; motor and gear say more: give a drive instead"


class DH(Words):
    """Denavit-Hartenberg parameters; theta of a revolute and d of a prismatic joint are offsets of q."""

    a: Length = Field(default=0.0, description="length of the link along x")
    alpha: Angle = Field(default=0.0, description="twist of the link about x")
    d: Length = Field(default=0.0, description="offset along z")
    theta: Angle = Field(default=0.0, description="angle about z")


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

    position: tuple[Angle, Angle] | None = Field(
        default=None, description="lower and upper end of its travel; a simulation has a plastic stop at each"
    )
    speed: AngularSpeed | None = Field(default=None, description="largest magnitude")
    acceleration: Annotated[float, Unit("angular acceleration", least=0)] | None = Field(
        default=None, description="largest magnitude, for planning"
    )
    effort: Annotated[float, Unit("torque", least=0)] | None = Field(
        default=None, description="largest torque at the joint"
    )


class SlideLimits(LimitWords):
    """Limits of a prismatic joint."""

    position: tuple[Length, Length] | None = Field(
        default=None, description="lower and upper end of its travel; a simulation has a plastic stop at each"
    )
    speed: Speed | None = Field(default=None, description="largest magnitude")
    acceleration: Annotated[float, Unit("acceleration", least=0)] | None = Field(
        default=None, description="largest magnitude, for planning"
    )
    effort: Annotated[float, Unit("force", least=0)] | None = Field(
        default=None, description="largest force at the joint"
    )


class Follows(Words):
    """q = multiplier q_joint + offset: a joint without a speed of its own."""

    joint: Name = Field(description="name of the joint that it follows")
    multiplier: Number = Field(default=1.0, description="turns of this joint per turn of the other")
    offset: Annotated[float, Unit("angle", "length")] = Field(
        default=0.0, description="where this joint is when the other is at zero"
    )


class _Placed(Words):
    """Where a joint is."""

    motion: ClassVar[Literal["turn", "slide"] | None] = None
    """What the one coordinate of the joint counts: it decides in which units its drive is given."""
    name: Name | None = Field(default=None, description="the link's name unless given")
    origin: Origin | None = Field(
        default=None, description="where the joint is in the parent's frame, with all coordinates at zero"
    )

    def seat(self) -> Seat:
        """The joint's place on its parent."""
        return Seat((self.origin or Origin()).placement, Vec(0.0, 0.0, 1.0))


class _Moving(_Placed):
    """A joint with one speed; its geometry in one of four ways."""

    axis: Direction | None = Field(default=None, description="in the link's frame")
    dh: DH | None = Field(default=None, description="standard: the link's words are in the frame at its far end")
    mdh: DH | None = Field(default=None, description="modified: the link's words are in the frame on its joint")
    vector: VectorWords | None = Field(
        default=None, description="the vectors of Vukobratovic and Potkonjak: the link's frame is at its mass centre"
    )
    follows: Follows | None = Field(
        default=None, description="another joint that it follows, without a speed of its own"
    )

    @model_validator(mode="after")
    def _one_way(self) -> _Moving:
        ways = [name for name in ("dh", "mdh", "vector") if getattr(self, name) is not None]
        if self.origin is not None or self.axis is not None:
            ways.append("origin and axis")
        if len(ways) > 1:
            raise ValueError(f"geometry is given in {len(ways)} ways ({'; '.join(ways)}). Keep one of them.")
        if not ways or (ways == ["origin and axis"] and self.axis is None):
            raise ValueError("the joint has no axis. Give axis: [0, 0, 1], or dh, mdh or vector.")
        if self.vector is not None and self.vector.alpha and getattr(self, "type", None) != "prismatic":
            raise ValueError(
                f"vector.alpha {self.vector.alpha:g} rad is the constant angle of a linear joint, and this one is "
                f"{getattr(self, 'type', 'not linear')}: its angle is the coordinate. Remove it, or make the joint "
                "prismatic."
            )
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


class _Turning(_Moving):
    """A joint whose coordinate is an angle."""

    motion = "turn"
    limits: TurnLimits = Field(default=TurnLimits(), description="what the joint may do")
    damping: Annotated[float, Unit("angular damping", least=0)] = Field(
        default=0.0, description="viscous, torque per angular speed"
    )
    friction: TurnFrictionField = Field(default=0.0, description="Coulomb friction, or words of friction")
    spring: TurnSpring | None = Field(default=None, description="a passive spring between parent and link")
    armature: Annotated[float, Unit("inertia", least=0)] = Field(default=0.0, description=ARMATURE)


class Revolute(_Turning):
    """Turns about its axis."""

    type: Literal["revolute"] = Field(default="revolute", description="what kind of joint it is; revolute unless given")


class Helical(_Turning):
    """Turns about its axis and slides along it, as a nut on a screw."""

    type: Literal["helical"] = Field(description="what kind of joint it is")
    pitch: Annotated[float, Unit("pitch")] = Field(description="how far it slides per radian")

    @model_validator(mode="after")
    def _slides(self) -> Helical:
        if self.pitch == 0:
            raise ValueError("pitch 0 never slides. Make the joint revolute, or give a pitch.")
        return self


class Prismatic(_Moving):
    """Slides along its axis."""

    motion = "slide"
    type: Literal["prismatic"] = Field(description="what kind of joint it is")
    limits: SlideLimits = Field(default=SlideLimits(), description="what the joint may do")
    damping: Annotated[float, Unit("damping", least=0)] = Field(default=0.0, description="viscous, force per speed")
    friction: SlideFrictionField = Field(default=0.0, description="Coulomb friction, or words of friction")
    spring: SlideSpring | None = Field(default=None, description="a passive spring between parent and link")
    armature: Annotated[float, Unit("mass", least=0)] = Field(default=0.0, description=ARMATURE)


class _Axial(_Placed):
    """A joint of several speeds with an axis of its own."""

    axis: Direction = Field(default=(0.0, 0.0, 1.0), description="in the link's frame")

    @model_validator(mode="after")
    def _has_direction(self) -> _Axial:
        for word in {"axis", "axis2"} & self.__class__.model_fields.keys():
            if not any(getattr(self, word)):
                raise ValueError(f"{word} [0, 0, 0] has no direction. Give a vector of non-zero length.")
        return self

    def seat(self) -> Seat:
        """The joint's place on its parent."""
        return Seat((self.origin or Origin()).placement, Vec.of(self.axis))


class Planar(_Axial):
    """Slides in a plane and turns about its normal `axis`: coordinates x, y, angle; speeds vx, vy in body axes, wz."""

    type: Literal["planar"] = Field(description="what kind of joint it is")


class Universal(_Axial):
    """Turns about `axis`, then about `axis2`, which the first turn carries along: a cardan joint."""

    type: Literal["universal"] = Field(description="what kind of joint it is")
    axis: Direction = Field(description="first axis, in the link's frame")
    axis2: Direction = Field(description="second axis, in the link's frame")

    @model_validator(mode="after")
    def _cross(self) -> Universal:
        one, other = Vec.of(self.axis), Vec.of(self.axis2)
        across = one.cross(other)
        if across.dot(across) <= 1e-12 * one.dot(one) * other.dot(other):
            raise ValueError("axis2 is parallel to axis. Give it another direction, or make the joint revolute.")
        return self


class Fixed(_Placed):
    """Does not move."""

    type: Literal["fixed"] = Field(description="what kind of joint it is")


class Spherical(_Placed):
    """Turns every way."""

    type: Literal["spherical"] = Field(description="what kind of joint it is")
    damping: Annotated[float, Unit("angular damping", least=0)] = Field(
        default=0.0, description="viscous, about every axis"
    )


class Free(_Placed):
    """A floating base; hangs on the base."""

    type: Literal["free"] = Field(description="what kind of joint it is")


def _type(joint: Any) -> Any:
    return joint.get("type", "revolute") if isinstance(joint, dict) else getattr(joint, "type", "revolute")


JointWords = Annotated[
    Annotated[Revolute, Tag("revolute")]
    | Annotated[Prismatic, Tag("prismatic")]
    | Annotated[Fixed, Tag("fixed")]
    | Annotated[Spherical, Tag("spherical")]
    | Annotated[Free, Tag("free")]
    | Annotated[Planar, Tag("planar")]
    | Annotated[Helical, Tag("helical")]
    | Annotated[Universal, Tag("universal")],
    Discriminator(_type),
]

KINDS: dict[str, type[_Placed]] = {
    get_args(words.model_fields["type"].annotation)[0]: words
    for words in (Revolute, Prismatic, Fixed, Spherical, Free, Planar, Helical, Universal)
}
"""The words of each kind of joint."""
