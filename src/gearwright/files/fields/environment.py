"""The words of loops and of the environment: what closes a robot, and what it touches."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, model_validator

from gearwright.files.fields.basic import CheckedWords, Direction, Length, Mass, Name, Number, Position, Unit, Words
from gearwright.parts import Cylinder, Loop, Plane, Robot, Sphere, Touch, with_wall
from gearwright.parts.environment.surfaces import Surface

Stiffness = Annotated[float, Unit("stiffness", least=0)]
Damping = Annotated[float, Unit("damping", least=0)]


class LoopWords(CheckedWords):
    """Two frames or links that stay together: a closed loop."""

    name: Name = Field(description="what it is called")
    frames: tuple[Name, Name] = Field(description="the frame that is held, and the one relative to which it is")
    held: list[Literal["x", "y", "z", "rx", "ry", "rz"]] = Field(
        default=["x", "y", "z"], description="coordinates of the first, seen from the second, that are zero"
    )

    def part(self) -> Loop:
        """The part."""
        return Loop(self.name, self.frames, self.held)


class PlaneWords(Words):
    """A plane; its normal points to the free side."""

    point: Position = Field(default=(0.0, 0.0, 0.0), description="on the plane")
    normal: Direction = Field(default=(0.0, 0.0, 1.0), description="towards the side that is free")


class SphereWords(Words):
    """A sphere, touched from outside unless it is hollow."""

    centre: Position = Field(description="its centre")
    radius: Length = Field(description="its radius")
    hollow: bool = Field(default=False, description="whether what touches is inside")


class CylinderWords(Words):
    """A cylinder without ends, touched from outside unless it is hollow."""

    point: Position = Field(description="on its axis")
    axis: Direction = Field(description="its direction")
    radius: Length = Field(description="its radius")
    hollow: bool = Field(default=False, description="whether what touches is inside")


class SurfaceWords(Words):
    """One of plane, sphere, cylinder."""

    plane: PlaneWords | None = Field(default=None, description="a plane")
    sphere: SphereWords | None = Field(default=None, description="a sphere")
    cylinder: CylinderWords | None = Field(default=None, description="a cylinder without ends")

    @model_validator(mode="after")
    def _one(self) -> SurfaceWords:
        given = [word for word in ("plane", "sphere", "cylinder") if getattr(self, word) is not None]
        if len(given) != 1:
            raise ValueError(f"{' and '.join(given) or 'no surface'} is given. Give one of plane, sphere, cylinder.")
        return self

    def surface(self) -> Surface:
        """The part."""
        if self.plane is not None:
            return Plane(self.plane.point, self.plane.normal)
        if self.sphere is not None:
            return Sphere(self.sphere.centre, self.sphere.radius, self.sphere.hollow)
        assert self.cylinder is not None  # the validator saw one of the three
        return Cylinder(self.cylinder.point, self.cylinder.axis, self.cylinder.radius, self.cylinder.hollow)


class BehindWords(Words):
    """What is behind a surface: spring and damper, with mass (a link of its own, touched rigidly) or without."""

    mass: Mass = Field(default=0.0, description="that moves with the surface")
    stiffness: Stiffness = Field(default=0.0, description="of the spring behind it")
    damping: Damping = Field(default=0.0, description="of the damper behind it")
    weight: bool = Field(default=False, description="whether the mass sags under its weight; else it rests in place")


class TouchWords(CheckedWords):
    """A surface that a frame of the robot can touch."""

    name: Name = Field(description="what it is called")
    frame: Name | None = Field(default=None, description="the frame or link whose origin touches")
    surface: SurfaceWords | None = Field(default=None, description="what is touched")
    row: dict[Name, Number] | None = Field(
        default=None, description="instead of frame and surface: per joint the factor of its coordinate in the gap"
    )
    rest: Annotated[float, Unit("angle", "length")] = Field(default=0.0, description="the row where the gap is zero")
    slip: dict[Name, Number] | None = Field(
        default=None, description="beside a row: per joint the factor of its coordinate in the slip, for friction"
    )
    restitution: Number = Field(default=0.0, description="0 (plastic) to 1")
    friction: Number = Field(default=0.0, description="Coulomb's coefficient")
    impact: Literal["energetic", "poisson", "newton"] = Field(
        default="energetic", description="whether restitution with friction is a share of energy, impulse or speed"
    )
    behind: BehindWords | None = Field(default=None, description="what gives way; rigid unless given")
    relative_to: Name = Field(default="base", description="the frame or link that is touched")

    def part(self) -> Touch:
        """The part; a mass behind it becomes a link in `standing_before`."""
        if self.surface is None and self.row is None:
            raise ValueError("the word 'surface' is missing. Add it, or a row of joints (row: {j2: 0.4}) instead.")
        surface, behind = None if self.surface is None else self.surface.surface(), self.behind
        rigid = Touch(
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
            raise ValueError("mass behind a surface needs a plane of the base. Write a link on a spring instead.")
        face = Plane((0.0, 0.0, 0.0), surface.normal)
        return replace(rigid, surface=face, relative_to=self.name)

    def standing_before(self, robot: Robot) -> Robot:
        """The robot with the mass behind the surface as a link of its own."""
        if self.surface is None and self.row is None:
            raise ValueError("the word 'surface' is missing. Add it, or a row of joints (row: {j2: 0.4}) instead.")
        surface, behind = None if self.surface is None else self.surface.surface(), self.behind
        if behind is None or not behind.mass or not isinstance(surface, Plane):
            return robot
        return with_wall(robot, self.name, surface, behind.mass, behind.stiffness, behind.damping, behind.weight)
