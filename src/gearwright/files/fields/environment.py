"""The fields of kinematic loops and of the environment (contact surfaces)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, model_validator

from gearwright.files.fields.basic import (
    CheckedFields,
    Damping,
    Direction,
    FieldModel,
    Length,
    Mass,
    Name,
    Number,
    Position,
    Stiffness,
    Unit,
)
from gearwright.parts import ContactPoint, Cylinder, Loop, Plane, Robot, Sphere, with_wall
from gearwright.parts.environment.surfaces import Surface


class LoopFields(CheckedFields):
    """A closed kinematic loop: a constraint between two frames or links."""

    name: Name = Field(description="its name")
    frames: tuple[Name, Name] = Field(
        description="the constrained frame, and the frame relative to which it is constrained"
    )
    held: list[Literal["x", "y", "z", "rx", "ry", "rz"]] = Field(
        default=["x", "y", "z"], description="coordinates of the first frame relative to the second that are zero"
    )

    def part(self) -> Loop:
        """The part."""
        return Loop(self.name, self.frames, self.held)


class PlaneFields(FieldModel):
    """A plane; its normal points to the free side."""

    point: Position = Field(default=(0.0, 0.0, 0.0), description="a point of the plane")
    normal: Direction = Field(default=(0.0, 0.0, 1.0), description="points to the free side")


class SphereFields(FieldModel):
    """A sphere, touched from outside unless it is hollow."""

    centre: Position = Field(description="its centre")
    radius: Length = Field(description="its radius")
    hollow: bool = Field(default=False, description="whether the contact is on the inside")


class CylinderFields(FieldModel):
    """A cylinder without ends, touched from outside unless it is hollow."""

    point: Position = Field(description="a point of its axis")
    axis: Direction = Field(description="direction of its axis")
    radius: Length = Field(description="its radius")
    hollow: bool = Field(default=False, description="whether the contact is on the inside")


class SurfaceFields(FieldModel):
    """One of plane, sphere, cylinder."""

    plane: PlaneFields | None = Field(default=None, description="a plane")
    sphere: SphereFields | None = Field(default=None, description="a sphere")
    cylinder: CylinderFields | None = Field(default=None, description="a cylinder without ends")

    @model_validator(mode="after")
    def _require_one_surface(self) -> SurfaceFields:
        given_fields = [word for word in ("plane", "sphere", "cylinder") if getattr(self, word) is not None]
        if len(given_fields) != 1:
            raise ValueError(
                f"{' and '.join(given_fields) or 'no surface'} is given. Give one of plane, sphere, cylinder."
            )
        return self

    def surface_part(self) -> Surface:
        """The part."""
        if self.plane is not None:
            return Plane(self.plane.point, self.plane.normal)
        if self.sphere is not None:
            return Sphere(self.sphere.centre, self.sphere.radius, self.sphere.hollow)
        assert self.cylinder is not None  # the validator ensures one of the three
        return Cylinder(self.cylinder.point, self.cylinder.axis, self.cylinder.radius, self.cylinder.hollow)


class BehindFields(FieldModel):
    """Spring and damper behind a surface, with mass (a separate link with rigid contact) or without."""

    mass: Mass = Field(default=0.0, description="mass that moves with the surface")
    stiffness: Stiffness = Field(default=0.0, description="of the spring behind it")
    damping: Damping = Field(default=0.0, description="of the damper behind it")
    weight: bool = Field(
        default=False, description="whether the mass sags under its weight; by default the spring is preloaded"
    )


class ContactPointFields(CheckedFields):
    """A surface that a frame of the robot can touch."""

    name: Name = Field(description="its name")
    frame: Name | None = Field(default=None, description="the frame or link whose origin is the contact point")
    surface: SurfaceFields | None = Field(default=None, description="the contact surface")
    row: dict[Name, Number] | None = Field(
        default=None, description="instead of frame and surface: factor of each joint coordinate in the gap"
    )
    rest: Annotated[float, Unit("angle", "length")] = Field(default=0.0, description="value of row . q at zero gap")
    slip: dict[Name, Number] | None = Field(
        default=None, description="with a row: factor of each joint coordinate in the slip, for friction"
    )
    restitution: Number = Field(default=0.0, description="coefficient of restitution, 0 (plastic) to 1")
    friction: Number = Field(default=0.0, description="Coulomb's coefficient")
    impact: Literal["energetic", "poisson", "newton"] = Field(
        default="energetic", description="definition of restitution with friction: by energy, impulse or speed"
    )
    behind: BehindFields | None = Field(default=None, description="compliance of the surface; by default rigid")
    relative_to: Name = Field(default="base", description="the frame or link that carries the surface")

    def part(self) -> ContactPoint:
        """The part; a mass behind it becomes a link in `with_wall_mass`."""
        if self.surface is None and self.row is None:
            raise ValueError(
                "the field 'surface' is missing. Add it, or give a row of joints (row: {j2: 0.4}) instead."
            )
        surface, behind = None if self.surface is None else self.surface.surface_part(), self.behind
        rigid = ContactPoint(
            self.name,
            self.frame,
            surface,
            self.restitution,
            self.friction,
            relative_to=self.relative_to,
            impact=self.impact,
            row=self.row,
            rest=self.rest,
            slip=self.slip,
        )
        if behind is None:
            return rigid
        if not behind.mass:
            return replace(rigid, stiffness=behind.stiffness, damping=behind.damping)
        if not isinstance(surface, Plane) or self.relative_to != "base":
            raise ValueError(
                "mass behind a surface is supported for planes of the base only. Model it as a link on a spring."
            )
        face = Plane((0.0, 0.0, 0.0), surface.normal)
        return replace(rigid, surface=face, relative_to=self.name)

    def with_wall_mass(self, robot: Robot) -> Robot:
        """Return the robot with the mass behind the surface as a separate link."""
        if self.surface is None and self.row is None:
            raise ValueError(
                "the field 'surface' is missing. Add it, or give a row of joints (row: {j2: 0.4}) instead."
            )
        surface, behind = None if self.surface is None else self.surface.surface_part(), self.behind
        if behind is None or not behind.mass or not isinstance(surface, Plane):
            return robot
        return with_wall(robot, self.name, surface, behind.mass, behind.stiffness, behind.damping, behind.weight)
