"""The fields of joints, one class per kind."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.algebra import Vec
from gearwright.files.field_synonyms import stated_name
from gearwright.files.fields.basic import (
    Angle,
    Direction,
    FieldModel,
    Length,
    Name,
    Number,
    PosedFields,
    Position,
    SynonymFields,
    Unit,
)
from gearwright.files.fields.elasticity import SlideSpring, TurnSpring
from gearwright.files.fields.motor_data import SlideFrictionField, TurnFrictionField
from gearwright.files.placements import LinkPlacement, VukobratovicVectors, modified_dh, standard_dh
from gearwright.parts import Limits

AngularSpeed = Annotated[float, Unit("angular speed", least=0)]
Speed = Annotated[float, Unit("speed", least=0)]


ARMATURE_DESCRIPTION = "reflected inertia of an unknown motor; if motor and gear are known, give a drive instead"


class DH(FieldModel):
    """Denavit-Hartenberg parameters; theta of a revolute and d of a prismatic joint are offsets of q."""

    a: Length = Field(default=0.0, description="length of the link along x")
    alpha: Angle = Field(default=0.0, description="twist of the link about x")
    d: Length = Field(default=0.0, description="offset along z")
    theta: Angle = Field(default=0.0, description="angle about z")


class VectorFields(FieldModel):
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

    def link_placement(self) -> LinkPlacement:
        """The joint that these vectors describe."""
        words: dict[str, Any] = {word: getattr(self, word) for word in type(self).model_fields}
        vectors: dict[str, Any] = {k: Vec.from_values(v) if isinstance(v, tuple) else v for k, v in words.items()}
        return VukobratovicVectors(**vectors).link_placement()


class LimitFields(SynonymFields):
    """The limits of a joint; a missing field means unlimited."""

    synonyms = ("velocity",)

    def to_limits(self) -> Limits:
        """The part."""
        return Limits(**self.model_dump())

    @model_validator(mode="after")
    def _require_ordered_position(self) -> LimitFields:
        position = getattr(self, "position", None)
        if position is not None and position[0] > position[1]:
            raise ValueError(
                f"position [{position[0]}, {position[1]}]: the lower limit is above the upper one. Swap them."
            )
        return self


class TurnLimits(LimitFields):
    """Limits of a revolute joint."""

    position: tuple[Angle, Angle] | None = Field(
        default=None, description="lower and upper end of the range; in simulation, plastic end stops"
    )
    speed: AngularSpeed | None = Field(default=None, description="largest magnitude")
    acceleration: Annotated[float, Unit("angular acceleration", least=0)] | None = Field(
        default=None, description="largest magnitude, for planning"
    )
    effort: Annotated[float, Unit("torque", least=0)] | None = Field(
        default=None, description="largest torque at the joint"
    )


class SlideLimits(LimitFields):
    """Limits of a prismatic joint."""

    position: tuple[Length, Length] | None = Field(
        default=None, description="lower and upper end of the range; in simulation, plastic end stops"
    )
    speed: Speed | None = Field(default=None, description="largest magnitude")
    acceleration: Annotated[float, Unit("acceleration", least=0)] | None = Field(
        default=None, description="largest magnitude, for planning"
    )
    effort: Annotated[float, Unit("force", least=0)] | None = Field(
        default=None, description="largest force at the joint"
    )


class Follows(FieldModel):
    """A mimic joint, q = multiplier q_joint + offset."""

    joint: Name = Field(description="name of the leading joint")
    multiplier: Number = Field(default=1.0, description="speed of this joint / speed of the leading joint")
    offset: Annotated[float, Unit("angle", "length")] = Field(
        default=0.0, description="position of this joint at zero of the leading joint"
    )


class _PlacedJoint(PosedFields):
    """The placement of a joint."""

    synonyms = (*PosedFields.synonyms, "type", "mimic")

    motion: ClassVar[Literal["turn", "slide"] | None] = None
    """The quantity of the joint's coordinate, which determines the units of its drive."""
    name: Name | None = Field(default=None, description="its name; by default that of the link")
    position: Position = Field(
        default=(0.0, 0.0, 0.0), description="its origin in the parent's frame, with all coordinates at zero"
    )

    def link_placement(self) -> LinkPlacement:
        """The placement of the joint on its parent."""
        return LinkPlacement(self.placement, Vec(0.0, 0.0, 1.0))


class _SingleSpeedJoint(_PlacedJoint):
    """A joint with one speed; its geometry in one of four forms."""

    axis: Direction | None = Field(default=None, description="in the link's frame")
    dh: DH | None = Field(default=None, description="standard: the link's fields refer to the frame at its far end")
    mdh: DH | None = Field(default=None, description="modified: the link's fields refer to the frame on its joint")
    vector: VectorFields | None = Field(
        default=None, description="the vectors of Vukobratovic and Potkonjak: the link's frame is at its mass centre"
    )
    follows: Follows | None = Field(default=None, description="the leading joint of a mimic joint")

    @model_validator(mode="after")
    def _require_one_geometry(self) -> _SingleSpeedJoint:
        geometries = [name for name in ("dh", "mdh", "vector") if getattr(self, name) is not None]
        if self.origin is not None or self.stated_pose_fields or self.axis is not None:
            geometries.append("position and axis")
        if len(geometries) > 1:
            raise ValueError(
                f"geometry is given in {len(geometries)} forms ({'; '.join(geometries)}). Keep one of them."
            )
        if not geometries or (geometries == ["position and axis"] and self.axis is None):
            raise ValueError("the joint has no axis. Give axis: [0, 0, 1], or dh, mdh or vector.")
        if self.vector is not None and self.vector.alpha and getattr(self, "kind", None) != "prismatic":
            raise ValueError(
                f"vector.alpha {self.vector.alpha:g} rad is the constant angle of a linear joint, but this joint is "
                f"{getattr(self, 'kind', 'not linear')} and its angle is the coordinate. Remove it, or make the joint "
                "prismatic."
            )
        if self.axis is not None and not any(self.axis):
            raise ValueError("the axis is [0, 0, 0]. Give a vector of non-zero length.")
        return self

    def link_placement(self) -> LinkPlacement:
        """The placement of the joint on its parent."""
        if self.dh is not None:
            return standard_dh(**self.dh.model_dump())
        if self.mdh is not None:
            return modified_dh(**self.mdh.model_dump())
        if self.vector is not None:
            return self.vector.link_placement()
        return LinkPlacement(self.placement, Vec.from_values(self.axis or (0.0, 0.0, 1.0)))


class _RotaryJoint(_SingleSpeedJoint):
    """A joint whose coordinate is an angle."""

    motion = "turn"
    limits: TurnLimits = Field(default=TurnLimits(), description="limits of the joint")
    damping: Annotated[float, Unit("angular damping", least=0)] = Field(
        default=0.0, description="viscous, torque per angular speed"
    )
    friction: TurnFrictionField = Field(default=0.0, description="Coulomb friction, or fields of friction")
    spring: TurnSpring | None = Field(default=None, description="a passive spring between parent and link")
    armature: Annotated[float, Unit("inertia", least=0)] = Field(default=0.0, description=ARMATURE_DESCRIPTION)


class Revolute(_RotaryJoint):
    """A revolute joint: rotation about its axis."""

    kind: Literal["revolute"] = Field(default="revolute", description="kind of joint; by default revolute")


class Helical(_RotaryJoint):
    """A helical joint: coupled rotation about and translation along its axis, as of a nut on a screw."""

    kind: Literal["helical"] = Field(description="kind of joint")
    pitch: Annotated[float, Unit("pitch")] = Field(description="travel per radian")

    @model_validator(mode="after")
    def _require_pitch(self) -> Helical:
        if self.pitch == 0:
            raise ValueError("pitch 0 gives no translation. Make the joint revolute, or give a pitch.")
        return self


class Prismatic(_SingleSpeedJoint):
    """A prismatic joint: translation along its axis."""

    motion = "slide"
    kind: Literal["prismatic"] = Field(description="kind of joint")
    limits: SlideLimits = Field(default=SlideLimits(), description="limits of the joint")
    damping: Annotated[float, Unit("damping", least=0)] = Field(default=0.0, description="viscous, force per speed")
    friction: SlideFrictionField = Field(default=0.0, description="Coulomb friction, or fields of friction")
    spring: SlideSpring | None = Field(default=None, description="a passive spring between parent and link")
    armature: Annotated[float, Unit("mass", least=0)] = Field(default=0.0, description=ARMATURE_DESCRIPTION)


class _MultiSpeedJoint(_PlacedJoint):
    """A joint with several speeds and an axis."""

    axis: Direction = Field(default=(0.0, 0.0, 1.0), description="in the link's frame")

    @model_validator(mode="after")
    def _require_axis_direction(self) -> _MultiSpeedJoint:
        for word in {"axis", "axis2"} & self.__class__.model_fields.keys():
            if not any(getattr(self, word)):
                raise ValueError(f"{word} is [0, 0, 0]. Give a vector of non-zero length.")
        return self

    def link_placement(self) -> LinkPlacement:
        """The placement of the joint on its parent."""
        return LinkPlacement(self.placement, Vec.from_values(self.axis))


class Planar(_MultiSpeedJoint):
    """A planar joint in the plane with the normal `axis`: coordinates x, y, angle; speeds vx, vy in body axes, wz."""

    kind: Literal["planar"] = Field(description="kind of joint")


class Universal(_MultiSpeedJoint):
    """A universal (Cardan) joint: rotation about `axis`, then about `axis2`, which turns with the first."""

    kind: Literal["universal"] = Field(description="kind of joint")
    axis: Direction = Field(description="first axis, in the link's frame")
    axis2: Direction = Field(description="second axis, in the link's frame")

    @model_validator(mode="after")
    def _require_crossing_axes(self) -> Universal:
        first_axis, second_axis = Vec.from_values(self.axis), Vec.from_values(self.axis2)
        across = first_axis.cross(second_axis)
        if across.dot(across) <= 1e-12 * first_axis.dot(first_axis) * second_axis.dot(second_axis):
            raise ValueError("axis2 is parallel to axis. Give it another direction, or make the joint revolute.")
        return self


class Fixed(_PlacedJoint):
    """A fixed joint."""

    kind: Literal["fixed"] = Field(description="kind of joint")


class Spherical(_PlacedJoint):
    """A spherical joint."""

    kind: Literal["spherical"] = Field(description="kind of joint")
    damping: Annotated[float, Unit("angular damping", least=0)] = Field(
        default=0.0, description="viscous, about every axis"
    )


class Free(_PlacedJoint):
    """A free joint: the floating base of a robot."""

    kind: Literal["free"] = Field(description="kind of joint")


def _joint_discriminator(joint: Any) -> Any:
    if isinstance(joint, dict):
        return joint.get(stated_name(joint, "kind"), "revolute")
    return getattr(joint, "kind", "revolute")


JointFields = Annotated[
    Annotated[Revolute, Tag("revolute")]
    | Annotated[Prismatic, Tag("prismatic")]
    | Annotated[Fixed, Tag("fixed")]
    | Annotated[Spherical, Tag("spherical")]
    | Annotated[Free, Tag("free")]
    | Annotated[Planar, Tag("planar")]
    | Annotated[Helical, Tag("helical")]
    | Annotated[Universal, Tag("universal")],
    Discriminator(_joint_discriminator),
]

JOINT_FIELDS_BY_KIND: dict[str, type[_PlacedJoint]] = {
    get_args(words.model_fields["kind"].annotation)[0]: words
    for words in (Revolute, Prismatic, Fixed, Spherical, Free, Planar, Helical, Universal)
}
"""The fields of each kind of joint."""
