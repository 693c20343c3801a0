"""The fields of links."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal

from pydantic import Field, field_validator, model_validator

from gearwright.files.fields.basic import (
    FieldModel,
    Length,
    Mass,
    Name,
    PosedFields,
    PoseFields,
    Position,
    TensorFields,
)
from gearwright.files.fields.cross_section import SectionFields
from gearwright.files.fields.elasticity import BeamFields
from gearwright.files.fields.joint import JointFields
from gearwright.parts import Shape


class ShapeFields(PosedFields):
    """A visual or collision shape of a link; meshes stay references."""

    synonyms = (*PosedFields.synonyms, "type")

    kind: Literal["mesh", "box", "cylinder", "sphere"] = Field(description="kind of shape")
    size: list[Length] | None = Field(
        default=None, description="mesh: scale; box: edges; cylinder: radius, length; sphere: radius"
    )
    file: Name | None = Field(default=None, description="file of a mesh, in the folder of this file")
    position: Position = Field(default=(0.0, 0.0, 0.0), description="its centre in the link's frame")
    role: Literal["visual", "collision"] = Field(
        default="visual", description="whether it is for display or for collision checks"
    )

    @field_validator("file")
    @classmethod
    def _require_file_inside(cls, name: str | None) -> str | None:
        if name is not None:
            require_inside_folder(name)
        return name

    @model_validator(mode="after")
    def _require_file_and_size(self) -> ShapeFields:
        count = {"mesh": 3, "box": 3, "cylinder": 2, "sphere": 1}[self.kind]
        if self.kind == "mesh" and self.file is None:
            raise ValueError("a mesh needs a file. Give file: name.stl.")
        if len(self.size or ()) != count and not (self.size is None and self.kind == "mesh"):
            raise ValueError(
                f"the size of a {self.kind} must be a list of {count} number{'s' if count > 1 else ''}. Correct it."
            )
        return self

    def to_shape(self) -> Shape:
        """The part, in the frame of the link's fields."""
        place = self.placement
        size = tuple(self.size) if self.size is not None else (1.0, 1.0, 1.0)
        return Shape(self.kind, size, self.file, place.position, place.rotation, self.role)


def require_inside_folder(name: str) -> None:
    """Raise unless a mesh is a relative file in the robot's folder or an address such as package://.

    Raises:
        ValueError: the name is absolute or leads out of its folder.
    """
    address, _, file_path = name.rpartition("://")
    if address not in ("", "package", "model"):
        raise ValueError(
            f"{name[:60]!r} is neither a package:// or model:// address nor a relative file. Use one of these."
        )
    parts = {*PurePosixPath(file_path).parts, *PureWindowsPath(file_path).parts}
    if ".." in parts or PurePosixPath(file_path).is_absolute() or PureWindowsPath(file_path).anchor:
        raise ValueError(f"{name[:60]!r} leads out of the robot's folder. Use a relative name without '..'.")


class ClosesFields(PoseFields):
    """The link that a second joint moves, and the pose of the joint's frame in that link's frame."""

    link: Name = Field(description="the link, which gives half of its mass and inertia to this entry")


class ChildFields(PoseFields):
    """The second link of a joint, and the pose of the joint's frame in that link's frame."""

    link: Name = Field(description="the link; the joint's coordinate is that of this link relative to the parent")


class ConnectionFields(FieldModel):
    """A joint between two links. Which joints form the open tree, and which close loops, is chosen."""

    parent: Name = Field(description="one link, or base")
    joint: JointFields = Field(description="the joint, with a name; its position is in the frame of the parent")
    child: ChildFields = Field(description="the other link")

    @model_validator(mode="after")
    def _require_name_and_pose(self) -> ConnectionFields:
        if self.joint.name is None:
            raise ValueError("the joint has no name. Give it one.")
        if any(getattr(self.joint, word, None) is not None for word in ("dh", "mdh", "vector")):
            raise ValueError(
                f"joint {self.joint.name!r} between two links has a position and an axis. Give these instead of dh, "
                "mdh or vector."
            )
        return self


class LinkFields(FieldModel):
    """A rigid link without the wheels it carries, and the joint to its parent."""

    name: Name = Field(description="its name")
    parent: Name | None = Field(default=None, description="the link that carries it, or base")
    joint: JointFields | None = Field(
        default=None, description="the joint to its parent; not stated for a link of which `joints` has a joint"
    )
    mass: Mass = Field(
        default=0.0, description="mass of the link with all non-rotating parts on it, except motors with their own mass"
    )
    com: Position = Field(default=(0.0, 0.0, 0.0), description="centre of mass in the link's frame")
    inertia: TensorFields = Field(default=TensorFields(), description="about the centre of mass, in the link's axes")
    effective: bool = Field(
        default=False, description="whether its inertial parameters are base parameters; physical checks are relaxed"
    )
    shapes: list[ShapeFields] = Field(default=[], description="its visual and collision shapes")
    flexible: BeamFields | None = Field(
        default=None, description="a flexible beam, divided into segments; the link's mass becomes a hub at the root"
    )
    closes: ClosesFields | None = Field(
        default=None,
        description="this entry is a second joint of that link and closes a loop; it has no mass of its own",
    )
    tip: Position | None = Field(
        default=None,
        description="its far end in the link's frame; by default the origin of a Denavit-Hartenberg frame, or the end "
        "of its section",
    )
    section: SectionFields | None = Field(
        default=None,
        description="its cross-sections and material, for stress and deflection; they do not change its mass",
    )

    @model_validator(mode="after")
    def _require_parent_and_joint(self) -> LinkFields:
        missing = [word for word in ("parent", "joint") if getattr(self, word) is None]
        if len(missing) == 1 or (missing and self.closes is not None):
            raise ValueError(f"the field {missing[0]!r} is missing. Add it.")
        return self

    @model_validator(mode="after")
    def _require_no_mass_of_second_joint(self) -> LinkFields:
        if self.closes is not None and (self.mass or self.flexible is not None):
            raise ValueError("an entry with closes has the mass of the link it names. Remove mass and flexible here.")
        return self

    @model_validator(mode="after")
    def _require_com_at_origin(self) -> LinkFields:
        if getattr(self.joint, "vector", None) is not None and any(self.com):
            raise ValueError(
                "with `vector` the link's frame is at its mass centre, so com must be [0, 0, 0]. Remove com."
            )
        return self
