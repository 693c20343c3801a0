"""The words of a link's cross-sections and material, for stresses and deflections."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.files.fields.basic import CheckedWords, Direction, Length, Name, Position, Unit, Words
from gearwright.files.fields.from_parts import plain_words
from gearwright.parts import MATERIALS, Box, CrossSection, LinkSection, Material, Tube
from gearwright.parts.structure.frame_changes import PartPlace

Stress = Annotated[float, Unit("stress", above=0)]


class TubeWords(Words):
    """A round tube; without `inner` a round bar."""

    outer: Length = Field(description="outer diameter")
    inner: Length = Field(default=0.0, description="inner diameter; 0: a solid bar")


class BoxWords(Words):
    """A rectangular tube; without a wall a solid bar."""

    width: Length = Field(description="along y of the section, which is across x and z")
    height: Length = Field(description="along z of the section")
    wall: Length | None = Field(default=None, description="thickness; none: solid")


class MaterialWords(Words):
    """A material of one's own."""

    name: str = Field(default="", max_length=200, description="what it is called")
    young: Stress = Field(description="modulus of elasticity E")
    shear: Stress = Field(description="shear modulus G")
    density: Annotated[float, Unit("density", above=0)] = Field(description="mass per volume")
    strength: Stress = Field(description="stress that it bears, yield or fatigue as the designer means it")


class _Shaped(Words):
    """A tube or a box."""

    tube: TubeWords | None = Field(default=None, description="a round tube or bar")
    box: BoxWords | None = Field(default=None, description="a rectangular tube or bar")

    @property
    def shape(self) -> CrossSection:
        """The one that is given."""
        if self.tube is not None:
            return Tube(self.tube.outer, self.tube.inner)
        assert self.box is not None
        return Box(self.box.width, self.box.height, self.box.wall)


class StationOfSection(_Shaped):
    """A cross-section from here to the next station."""

    start: Annotated[float, Unit("fraction", least=0)] = Field(alias="from", description="share of the length")

    @model_validator(mode="after")
    def _one_shape(self) -> StationOfSection:
        if (self.tube is None) == (self.box is None):
            raise ValueError("a station has one cross-section. Give a tube or a box.")
        return self


def _form(value: Any) -> str:
    return "name" if isinstance(value, str) else "own"


class SectionWords(CheckedWords, _Shaped):
    """A link as a beam from its joint to a point: one cross-section, or several along it, of one material."""

    to: Position = Field(description="where the beam ends, in the link's frame: the next joint, or the tool")
    stations: list[StationOfSection] | None = Field(default=None, min_length=1, description="the first from: 0")
    material: Annotated[Annotated[Name, Tag("name")] | Annotated[MaterialWords, Tag("own")], Discriminator(_form)] = (
        Field(default="aluminium", description=f"one of {', '.join(MATERIALS)}, or a mapping")
    )
    across: Direction | None = Field(default=None, description="direction of the sections' z; any one across")

    @model_validator(mode="before")
    @classmethod
    def _one_shape(cls, value: Any) -> Any:
        given = [word for word in ("tube", "box", "stations") if isinstance(value, dict) and word in value]
        if isinstance(value, dict) and len(given) != 1:
            raise ValueError(f"{' and '.join(given) or 'no cross-section'} given. Give one of tube, box or stations.")
        return value

    def part(self) -> LinkSection:
        """The part, in the frame of the link's words."""
        sections = self.shape if self.stations is None else [(one.start, one.shape) for one in self.stations]
        own = self.material
        material = own if isinstance(own, str) else Material(own.young, own.shear, own.density, own.strength, own.name)
        return LinkSection(tuple(self.to), sections, material, None if self.across is None else tuple(self.across))

    def placed(self, frame: PartPlace) -> LinkSection:
        """The part in the link's own frame."""
        made = self.part()
        across = None if made.across is None else tuple(frame.direction(made.across))
        return LinkSection(_numbers(frame.point(made.to)), made.sections, made.material, across)


def section_words(owner: str, section: LinkSection) -> dict[str, Any]:
    """The words that give a section back."""
    stations: Any = section.sections
    shapes = [(start, {_word(shape): plain_words(owner, shape)}) for start, shape in stations]
    words: dict[str, Any] = {"to": _numbers(section.to)}
    words |= shapes[0][1] if len(shapes) == 1 else {"stations": [{"from": start, **one} for start, one in shapes]}
    material = section.material
    assert isinstance(material, Material)
    words["material"] = material.name if MATERIALS.get(material.name) == material else plain_words(owner, material)
    return words if section.across is None else {**words, "across": _numbers(section.across)}


def _word(shape: CrossSection) -> str:
    return "tube" if isinstance(shape, Tube) else "box"


def _numbers(values: Any) -> list[float]:
    return [float(x) for x in values]
