"""The fields of a link's cross-sections and material, for stresses and deflections."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.files.fields.basic import CheckedFields, Direction, FieldModel, Length, Name, Position, Unit
from gearwright.files.fields.from_parts import plain_fields
from gearwright.parts import MATERIALS, Box, CrossSection, LinkSection, Material, Tube
from gearwright.parts.structure.frame_changes import FramePlacement

Stress = Annotated[float, Unit("stress", above=0)]


class TubeFields(FieldModel):
    """A round tube; without `inner` a round bar."""

    outer: Length = Field(description="outer diameter")
    inner: Length = Field(default=0.0, description="inner diameter; 0: a solid bar")


class BoxFields(FieldModel):
    """A rectangular tube; without a wall a solid bar."""

    width: Length = Field(description="along y of the section, perpendicular to x and z")
    height: Length = Field(description="along z of the section")
    wall: Length | None = Field(default=None, description="wall thickness; none: a solid bar")


class MaterialFields(FieldModel):
    """A user-defined material."""

    name: str = Field(default="", max_length=200, description="its name")
    young: Stress = Field(description="modulus of elasticity E")
    shear: Stress = Field(description="shear modulus G")
    density: Annotated[float, Unit("density", above=0)] = Field(description="mass per volume")
    strength: Stress = Field(description="permissible stress, yield or fatigue strength as chosen by the designer")


class _ShapedFields(FieldModel):
    """A tube or a box."""

    tube: TubeFields | None = Field(default=None, description="a round tube or bar")
    box: BoxFields | None = Field(default=None, description="a rectangular tube or bar")

    @property
    def cross_section(self) -> CrossSection:
        """The given cross-section."""
        if self.tube is not None:
            return Tube(self.tube.outer, self.tube.inner)
        assert self.box is not None
        return Box(self.box.width, self.box.height, self.box.wall)


class SectionStationFields(_ShapedFields):
    """A cross-section from this station to the next."""

    start: Annotated[float, Unit("fraction", least=0)] = Field(alias="from", description="fraction of the length")

    @model_validator(mode="after")
    def _require_one_shape(self) -> SectionStationFields:
        if (self.tube is None) == (self.box is None):
            raise ValueError("a station needs exactly one cross-section. Give a tube or a box.")
        return self


def _material_form(value: Any) -> str:
    return "name" if isinstance(value, str) else "own"


class SectionFields(CheckedFields, _ShapedFields):
    """A link as a beam from its joint to a point: one cross-section, or several along it, of one material."""

    to: Position = Field(description="end of the beam in the link's frame: the next joint, or the tool")
    stations: list[SectionStationFields] | None = Field(
        default=None, min_length=1, description="cross-sections along the beam; the first has from: 0"
    )
    material: Annotated[
        Annotated[Name, Tag("name")] | Annotated[MaterialFields, Tag("own")], Discriminator(_material_form)
    ] = Field(default="aluminium", description=f"one of {', '.join(MATERIALS)}, or a mapping")
    across: Direction | None = Field(
        default=None, description="direction of the sections' z axis; by default any perpendicular direction"
    )

    @model_validator(mode="before")
    @classmethod
    def _require_one_shape(cls, value: Any) -> Any:
        given_fields = [word for word in ("tube", "box", "stations") if isinstance(value, dict) and word in value]
        if isinstance(value, dict) and len(given_fields) != 1:
            raise ValueError(
                f"{' and '.join(given_fields) or 'no cross-section'} given. Give one of tube, box or stations."
            )
        return value

    def part(self) -> LinkSection:
        """The part, in the frame of the link's fields."""
        sections = (
            self.cross_section
            if self.stations is None
            else [(station.start, station.cross_section) for station in self.stations]
        )
        stated_material = self.material
        material = (
            stated_material
            if isinstance(stated_material, str)
            else Material(
                stated_material.young,
                stated_material.shear,
                stated_material.density,
                stated_material.strength,
                stated_material.name,
            )
        )
        return LinkSection(tuple(self.to), sections, material, None if self.across is None else tuple(self.across))

    def part_in_frame(self, frame: FramePlacement) -> LinkSection:
        """The part in the link's body frame."""
        section = self.part()
        across = None if section.across is None else tuple(frame.direction_in_outer(section.across))
        return LinkSection(_as_floats(frame.point_in_outer(section.to)), section.sections, section.material, across)


def section_fields(owner: str, section: LinkSection) -> dict[str, Any]:
    """Return the fields of a section for writing."""
    stations: Any = section.sections
    shapes = [(start, {_shape_word(shape): plain_fields(owner, shape)}) for start, shape in stations]
    words: dict[str, Any] = {"to": _as_floats(section.to)}
    words |= (
        shapes[0][1]
        if len(shapes) == 1
        else {"stations": [{"from": start, **shape_fields} for start, shape_fields in shapes]}
    )
    material = section.material
    assert isinstance(material, Material)
    words["material"] = material.name if MATERIALS.get(material.name) == material else plain_fields(owner, material)
    return words if section.across is None else {**words, "across": _as_floats(section.across)}


def _shape_word(shape: CrossSection) -> str:
    return "tube" if isinstance(shape, Tube) else "box"


def _as_floats(values: Any) -> list[float]:
    return [float(x) for x in values]
