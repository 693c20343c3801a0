"""The words of gears: a registry from `type` to the part, so that a kind of gear is one entry."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.errors import FileError, PartError, TrainError
from gearwright.files.fields.basic import Words
from gearwright.files.fields.from_parts import Ratio, arguments, plain_words, words_of
from gearwright.files.tables.catalogue_data import gearbox_entry, gearbox_sheet, has_gearbox, stated_instead
from gearwright.parts import (
    AnyGear,
    Belt,
    Bevel,
    Cycloidal,
    Gear,
    Harmonic,
    Planetary,
    Rack,
    Screw,
    Series,
    Shaft,
    Spur,
    Wolfrom,
    Worm,
    losses_of,
)
from gearwright.parts.drives.data_sheet_consistency import TOLERANCE

GEARS: dict[str, type] = {
    "simple": Gear,
    "spur": Spur,
    "bevel": Bevel,
    "worm": Worm,
    "belt": Belt,
    "chain": Belt,
    "rack": Rack,
    "screw": Screw,
    "planetary": Planetary,
    "wolfrom": Wolfrom,
    "harmonic": Harmonic,
    "cycloidal": Cycloidal,
    "shaft": Shaft,
    "series": Series,
}
"""What `gear: {type: ...}` may say, and the part it makes. A new kind of gear is one entry here and its part."""

LOSSES = frozenset({"efficiency", "mesh_efficiency", "friction_coefficient", "losses"})
"""Words that state what a gear loses."""
SHARED = ("type", "ratio", *(field.name for field in fields(Gear)))


class GearWords(Words):
    """A gear by what it is made of, or (every type) by its ratio alone."""

    @model_validator(mode="before")
    @classmethod
    def _from_catalogue(cls, value: Any) -> Any:
        """What the data sheet of a gearbox says that the file names; what the file says replaces it, by any type."""
        if not isinstance(value, dict) or not isinstance(value.get("catalogue"), str):
            return value
        try:
            entry = gearbox_entry(value["catalogue"])
        except FileError as error:
            if stated_instead("gearbox", value["catalogue"], value, "ratio"):
                return value
            raise ValueError(str(error)) from None
        return {**_sheet_words(entry, value), **value}

    @model_validator(mode="after")
    def _complete(self) -> GearWords:
        """Either a ratio, or all that the part needs, and a part that can exist."""
        kind = self._kind
        given = {word for word in self.model_fields_set if getattr(self, word) is not None}
        own = sorted(given - set(SHARED))
        needed = [f.name for f in fields(GEARS[kind]) if f.default is MISSING and f.default_factory is MISSING]
        if self._ratio is not None and own:
            raise ValueError(f"the ratio is given, and {', '.join(own)} too, from which it follows. Keep one of them.")
        missing = [word for word in needed if word not in given]
        if self._ratio is None and missing:
            raise ValueError(f"a {kind} gear needs {' and '.join(missing)}, or just its ratio.")
        try:
            _require_sheet_ratio(self.part(), drawn=self._ratio is None)
        except (PartError, ArithmeticError) as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def _kind(self) -> str:
        return str(getattr(self, "type", "simple"))

    @property
    def _ratio(self) -> float | None:
        return getattr(self, "ratio", None) if "ratio" in self.model_fields_set else None

    def part(self) -> Any:
        """The gear; by its ratio alone it is a plain one of that kind."""
        kind, words = self._kind, arguments(self)
        words.pop("type", None)
        if self._ratio is None:
            words.pop("ratio", None)  # `ratio: null` says nothing
        make = Gear if self._ratio is not None else GEARS[kind]
        return make(**words, kind=kind)


def _sheet_words(entry: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """What a data sheet adds to the words of a gear: ratio, efficiency, mass and inertia that the file does not state.

    The ratio of a drawn gear follows from the drawing, and numbers of its members, meshes and stages count instead of
    those of the whole gearbox.
    """
    inner, drawn = _inner_words(list(value.values())), any(word not in SHARED for word in value)
    if "catalogue" in inner:
        return {}
    stated = inner | ({"ratio"} if drawn else set())
    if LOSSES & (inner | set(value)):
        stated |= {"efficiency"}
    return {word: x for word, x in entry.items() if word not in stated}


def _inner_words(value: Any) -> set[str]:
    """All words of parts inside the words of a part."""
    if isinstance(value, dict):
        return set(value) | _inner_words(list(value.values()))
    return set().union(*map(_inner_words, value)) if isinstance(value, list) else set()


def _require_sheet_ratio(gear: Any, drawn: bool) -> None:
    """Refuse a ratio that contradicts the data sheet which the gear names; rounded figures pass."""
    key = getattr(gear, "catalogue", None)
    if key is None or not has_gearbox(key):
        return
    sheet = gearbox_sheet(key)
    if sheet.ratio is None:
        return
    way = "Check its teeth, or leave `catalogue` out" if drawn else "Leave `ratio` out (it follows), or `catalogue`"
    if abs(abs(gear.ratio) / sheet.ratio - 1) > TOLERANCE:
        raise TrainError(
            f"gear {key!r}: its ratio {gear.ratio:.6g} is not that of its data sheet, {sheet.ratio:.6g}. {way}."
        )
    if drawn and gear.parallel_axes and sheet.direction is not None and gear.ratio * sheet.direction < 0:
        raise TrainError(
            f"gear {key!r}: as drawn its output turns with the ratio {gear.ratio:.6g}, by its data sheet the other way "
            f"(direction {sheet.direction}). Check which member is held, or leave `catalogue` out."
        )


def _model(name: str, special: dict[str, Any]) -> type[GearWords]:
    what = "what kind of gear it is"
    kind = (Literal[name], Field("simple" if name == "simple" else ..., description=what))
    ratio = (
        (Ratio, Field(1.0, description="motor speed / joint speed, signed; more than 1 reduces"))
        if name == "simple"
        else (Ratio | None, Field(default=None, description="instead of everything else"))
    )
    words = words_of(GEARS[name], f"{name.capitalize()}Gear", special, optional=True, type=kind, ratio=ratio)
    return type(words.__name__, (GearWords, words), {"__doc__": words.__doc__, "__module__": __name__})


def _type(gear: Any) -> Any:
    return gear.get("type", "simple") if isinstance(gear, dict) else getattr(gear, "type", "simple")


def _union(models: dict[str, type[GearWords]]) -> Any:
    union: Any = None
    for name, model in models.items():
        tagged = Annotated[model, Tag(name)]  # type: ignore[valid-type]
        union = tagged if union is None else union | tagged
    return Annotated[union, Discriminator(_type)]


_STAGES = {name: _model(name, {}) for name in GEARS if name != "series"}
MODELS = {**_STAGES, "series": _model("series", {"stages": list[_union(_STAGES)]})}  # type: ignore[misc]
"""Per type the model of its words."""

GearField: Any = _union(MODELS)
NO_GEAR: Any = MODELS["simple"]()


def gear_words(owner: str, gear: AnyGear) -> dict[str, Any]:
    """The words that give the part back."""
    kind = gear.kind if gear.kind in GEARS else "simple"
    words = {"type": kind, **plain_words(owner, gear)}
    if isinstance(gear, Gear):
        words["ratio"] = words.get("ratio", 1.0)
    if getattr(gear, "catalogue", None) is not None:  # what is not written would be read from the data sheet
        words = {"inertia": 0.0, "mass": 0.0, **({} if losses_of(gear) else {"efficiency": gear.efficiency}), **words}
    if isinstance(gear, Series):
        words["stages"] = [gear_words(owner, stage) for stage in gear.stages]
    return words
