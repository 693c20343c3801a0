"""The words of links."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal

from pydantic import Field, field_validator, model_validator

from gearwright.files.fields.basic import Length, Mass, Name, Origin, Position, TensorWords, Words
from gearwright.files.fields.cross_section import SectionWords
from gearwright.files.fields.elasticity import BeamWords
from gearwright.files.fields.joint import JointWords
from gearwright.parts import Shape


class ShapeWords(Words):
    """What a link looks like or collides as; meshes stay references."""

    kind: Literal["mesh", "box", "cylinder", "sphere"] = Field(description="what it is")
    size: list[Length] | None = Field(
        default=None, description="mesh: scale; box: edges; cylinder: radius, length; sphere: radius"
    )
    file: Name | None = Field(default=None, description="of a mesh, in the folder of this file")
    origin: Origin = Field(default=Origin(), description="its centre in the link's frame")
    role: Literal["visual", "collision"] = Field(default="visual", description="whether it is to be seen or to collide")

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

    name: Name = Field(description="what it is called")
    parent: Name = Field(description="the link that carries it, or base")
    joint: JointWords = Field(description="what connects it to its parent")
    mass: Mass = Field(
        default=0.0, description="of the link, with what does not turn on it but for motors that state their own"
    )
    com: Position = Field(default=(0.0, 0.0, 0.0), description="centre of mass in the link's frame")
    inertia: TensorWords = Field(default=TensorWords(), description="about the centre of mass, in the link's axes")
    effective: bool = Field(
        default=False, description="only combinations of its numbers matter; physical checks are relaxed"
    )
    shapes: list[ShapeWords] = Field(default=[], description="what it looks like")
    flexible: BeamWords | None = Field(
        default=None, description="the link is a beam, cut into segments; its own mass is that of a hub at the root"
    )
    tip: Position | None = Field(
        default=None,
        description="its far end in the link's frame; the origin of a Denavit-Hartenberg frame, or the end of its "
        "section, unless given",
    )
    section: SectionWords | None = Field(
        default=None, description="its cross-sections and material, for stress and deflection; its mass stays as stated"
    )

    @model_validator(mode="after")
    def _frame_at_mass_centre(self) -> LinkWords:
        if getattr(self.joint, "vector", None) is not None and any(self.com):
            raise ValueError(
                "with `vector` the link's frame is at its mass centre, so com must be [0, 0, 0]. Remove com."
            )
        return self
