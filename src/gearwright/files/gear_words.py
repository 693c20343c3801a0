"""The words of gears: a registry from `type` to a model that makes the part, so that a kind of gear is one entry."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.algebra import is_number
from gearwright.files.words import Fraction, Inertia, Unit, Words
from gearwright.parts import Gear

Ratio = Annotated[float, Unit("number", "turns per length")]
Stiffness = Annotated[float, Unit("angular stiffness", "stiffness", above=0)]
Damping = Annotated[float, Unit("angular damping", "damping", least=0)]
Teeth = Annotated[int, Field(ge=1, le=100_000)]


class GearWords(Words):
    """What every gear may state; numbers of the elastic element are at the joint side."""

    stiffness: Stiffness | None = Field(None, description="at the joint side; left out: rigid")
    damping: Damping = Field(0.0, description="of the elastic element, at the joint side")
    efficiency: Fraction | None = Field(None, description="fraction of the power that reaches the joint")
    inertia: Inertia = Field(0.0, description="of the gear at its input, turning with the motor")

    def gear(self) -> Gear:
        """The part."""
        shared = {word: getattr(self, word) for word in GearWords.model_fields}
        return Gear(ratio=self._ratio(), kind=getattr(self, "type", "simple"), **shared)

    def _ratio(self) -> float:
        raise NotImplementedError


class SimpleGear(GearWords):
    """A gear known by its ratio."""

    type: Literal["simple"] = "simple"
    ratio: Ratio = Field(1.0, description="motor speed / joint speed, signed; for a prismatic joint in rad/m")

    def _ratio(self) -> float:
        return self.ratio


class HarmonicGear(SimpleGear):
    """A strain-wave gear known by its ratio."""

    type: Literal["harmonic"]  # type: ignore[assignment]


class PlanetaryGear(GearWords):
    """A planetary stage: motor on the sun (on the ring when the sun is held), Zr = Zs + 2 Zp."""

    type: Literal["planetary"]
    sun: Teeth | None = None
    planet: Teeth | None = None
    ring: Teeth | None = None
    planets: Annotated[int, Field(ge=1, le=100)] = 3
    held: Literal["ring", "carrier", "sun"] = Field("ring", description="the member that does not turn")
    ratio: Ratio | None = Field(None, description="instead of the teeth")

    @model_validator(mode="after")
    def _teeth_fit(self) -> PlanetaryGear:
        teeth = (self.sun, self.planet, self.ring)
        if self.ratio is not None:
            return self
        if None in teeth:
            raise ValueError("a planetary gear needs the teeth of sun, planet and ring (or just its ratio).")
        sun, planet, ring = (int(z or 0) for z in teeth)
        if ring != sun + 2 * planet:
            raise ValueError(
                f"ring {ring} is not sun {sun} + 2 x planet {planet} = {sun + 2 * planet} teeth. Change one of the three."
            )
        return self

    def _ratio(self) -> float:
        if self.ratio is not None:
            return self.ratio
        sun, ring = float(self.sun or 1), float(self.ring or 1)
        return {"ring": 1 + ring / sun, "carrier": -ring / sun, "sun": 1 + sun / ring}[self.held]


class ScrewGear(GearWords):
    """A screw (ball screw, lead screw) on a prismatic joint: the ratio is 2 pi / lead."""

    type: Literal["screw"]
    lead: Annotated[float, Unit("lead")] | None = Field(None, description="travel per turn; negative: left-hand thread")
    ratio: Ratio | None = Field(None, description="instead of lead and reduction, in rad/m")
    reduction: Annotated[float, Unit("number")] = Field(1.0, description="motor turns per turn of the screw")

    @model_validator(mode="after")
    def _moves(self) -> ScrewGear:
        if self.ratio is None and (not self.lead or not self.reduction):
            raise ValueError("a screw without lead or reduction never moves. Give the travel per turn, such as 10 mm.")
        return self

    def _ratio(self) -> float:
        return self.ratio if self.ratio is not None else 2 * math.pi / (self.lead or 1.0) * self.reduction


GEARS: dict[str, type[GearWords]] = {
    "simple": SimpleGear,
    "harmonic": HarmonicGear,
    "planetary": PlanetaryGear,
    "screw": ScrewGear,
}
"""What `gear: {type: ...}` may say. A new kind of gear is one entry here, its part and its model."""


def gear_words(gear: Gear) -> dict[str, Any]:
    """The words that give the part back."""
    words = {"type": gear.kind if gear.kind in GEARS else "simple", "ratio": gear.ratio}
    shared = {word: getattr(gear, word) for word in GearWords.model_fields}
    return words | {word: x for word, x in shared.items() if x is not None and not (is_number(x) and x == 0)}


def _type(gear: Any) -> Any:
    return gear.get("type", "simple") if isinstance(gear, dict) else getattr(gear, "type", "simple")


def _union() -> Any:
    union: Any = None
    for name, model in GEARS.items():
        tagged = Annotated[model, Tag(name)]  # type: ignore[valid-type]
        union = tagged if union is None else union | tagged
    return Annotated[union, Discriminator(_type)]


GearField: Any = _union()
