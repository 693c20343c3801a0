"""The fields of gears: a registry from `kind` to the part."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from gearwright.errors import FileError, PartError, TrainError
from gearwright.files.field_synonyms import stated_name, without_synonyms
from gearwright.files.fields.basic import SynonymFields
from gearwright.files.fields.from_parts import Ratio, fields_model, part_arguments, plain_fields
from gearwright.files.tables.catalogue_data import gearbox_entry, gearbox_sheet, has_gearbox, is_stated_in_file
from gearwright.parts import (
    Belt,
    Bevel,
    Cycloidal,
    Gear,
    GearType,
    Harmonic,
    Planetary,
    Rack,
    Screw,
    Series,
    Shaft,
    Spur,
    Wolfrom,
    Worm,
    gear_losses,
)
from gearwright.parts.drives.data_sheet_consistency import DATA_SHEET_TOLERANCE

GEAR_PARTS: dict[str, type] = {
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
"""The values of `gear: {kind: ...}` and their parts. A new kind of gear is a part and one entry here."""

LOSS_FIELDS = frozenset({"efficiency", "mesh_efficiency", "friction_coefficient", "losses"})
"""Fields that describe the losses of a gear."""
SHARED_GEAR_FIELDS = ("kind", "ratio", *(field.name for field in fields(Gear)))


class GearFields(SynonymFields):
    """A gear by its members, or (every kind) by its ratio only."""

    synonyms = ("type", "reduction")

    @model_validator(mode="before")
    @classmethod
    def _with_catalogue_data(cls, value: Any) -> Any:
        """Complete the fields with those of the data sheet named in the file; fields of the file have priority."""
        value = without_synonyms(value, cls.own_synonyms())
        if not isinstance(value, dict) or not isinstance(value.get("catalogue"), str):
            return value
        try:
            entry = gearbox_entry(value["catalogue"])
        except FileError as error:
            if is_stated_in_file("gearbox", value["catalogue"], value, "ratio"):
                return value
            raise ValueError(str(error)) from None
        return {**_data_sheet_fields(entry, value), **value}

    @model_validator(mode="after")
    def _require_complete(self) -> GearFields:
        """Require either a ratio or all fields of the part, and build the part as a check."""
        kind = self._gear_kind
        given_fields = {word for word in self.model_fields_set if getattr(self, word) is not None}
        specific_fields = sorted(given_fields - set(SHARED_GEAR_FIELDS))
        needed = [f.name for f in fields(GEAR_PARTS[kind]) if f.default is MISSING and f.default_factory is MISSING]
        if self._stated_ratio is not None and specific_fields:
            raise ValueError(
                f"both the ratio and {', '.join(specific_fields)}, which determine it, are given. Keep one of them."
            )
        missing = [word for word in needed if word not in given_fields]
        if self._stated_ratio is None and missing:
            raise ValueError(f"a {kind} gear needs {' and '.join(missing)}, or only its ratio. Give them.")
        try:
            gear = self.part()
            _require_sheet_kind(gear)
            _require_sheet_ratio(gear, drawn=self._stated_ratio is None)
        except (PartError, ArithmeticError) as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def _gear_kind(self) -> str:
        return str(getattr(self, "kind", "simple"))

    @property
    def _stated_ratio(self) -> float | None:
        return getattr(self, "ratio", None) if "ratio" in self.model_fields_set else None

    def part(self) -> Any:
        """The gear; with only a ratio, a `Gear` of that kind."""
        kind, words = self._gear_kind, part_arguments(self)
        words.pop("kind", None)
        if self._stated_ratio is None:
            words.pop("ratio", None)  # `ratio: null` means not given
        make = Gear if self._stated_ratio is not None else GEAR_PARTS[kind]
        return make(**words, kind=kind)


def _data_sheet_fields(entry: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return the data-sheet fields that a gear in a file lacks: ratio, efficiency, mass and inertia.

    The ratio of a gear defined by its teeth follows from them, and data of its members, meshes and stages replace those
    of the whole gearbox.
    """
    inner, drawn = _inner_field_names(list(value.values())), any(word not in SHARED_GEAR_FIELDS for word in value)
    if "catalogue" in inner:
        return {}
    stated = inner | ({"ratio"} if drawn else set())
    if LOSS_FIELDS & (inner | set(value)):
        stated |= {"efficiency"}
    return {word: x for word, x in entry.items() if word not in stated}


def _inner_field_names(value: Any) -> set[str]:
    """All fields of nested parts."""
    if isinstance(value, dict):
        return set(value) | _inner_field_names(list(value.values()))
    return set().union(*map(_inner_field_names, value)) if isinstance(value, list) else set()


KINDS_OF_SHEETS = {"planetary": ("planetary", "wolfrom"), "cycloid": ("cycloidal",)}
"""Kinds of gears by the kind in a data sheet, where the words differ."""

KINDS_OF_ANY_SHEET = ("simple", "shaft", "series")
"""Kinds that state no principle of operation."""


def _require_sheet_kind(gear: Any) -> None:
    """Raise if the kind of a gear contradicts the named data sheet."""
    key = getattr(gear, "catalogue", None)
    if key is None or not has_gearbox(key) or gear.kind in KINDS_OF_ANY_SHEET:
        return
    sheet_kind = gearbox_sheet(key).kind
    kinds = KINDS_OF_SHEETS.get(sheet_kind, (sheet_kind,))
    if kinds[0] in GEAR_PARTS and gear.kind not in kinds:
        raise TrainError(
            f"gear {key!r}: its kind {gear.kind!r} contradicts its data sheet, which describes a {sheet_kind} gear. "
            f"Write {kinds[0]}, or leave `catalogue` out."
        )


def _require_sheet_ratio(gear: Any, drawn: bool) -> None:
    """Raise if the ratio contradicts the named data sheet, beyond rounding."""
    key = getattr(gear, "catalogue", None)
    if key is None or not has_gearbox(key):
        return
    sheet = gearbox_sheet(key)
    if sheet.ratio is None:
        return
    remedy = (
        "Check its teeth, or leave `catalogue` out" if drawn else "Leave out `ratio` (the sheet has it) or `catalogue`"
    )
    if abs(abs(gear.ratio) / sheet.ratio - 1) > DATA_SHEET_TOLERANCE:
        raise TrainError(
            f"gear {key!r}: its ratio {gear.ratio:.6g} differs from that of its data sheet, {sheet.ratio:.6g}. "
            f"{remedy}."
        )
    if drawn and gear.parallel_axes and sheet.direction is not None and gear.ratio * sheet.direction < 0:
        raise TrainError(
            f"gear {key!r}: its ratio {gear.ratio:.6g} by teeth and the direction {sheet.direction} of its data sheet "
            "have opposite signs. Check which member is held, or leave `catalogue` out."
        )


def _gear_model(name: str, special: dict[str, Any]) -> type[GearFields]:
    description = "kind of gear"
    kind = (Literal[name], Field("simple" if name == "simple" else ..., description=description))
    ratio = (
        (Ratio, Field(1.0, description="motor speed / joint speed, signed; above 1: a reduction"))
        if name == "simple"
        else (Ratio | None, Field(default=None, description="motor speed / joint speed, instead of all other fields"))
    )
    words = fields_model(GEAR_PARTS[name], f"{name.capitalize()}Gear", special, optional=True, kind=kind, ratio=ratio)
    return type(words.__name__, (GearFields, words), {"__doc__": words.__doc__, "__module__": __name__})


def _gear_discriminator(gear: Any) -> Any:
    return gear.get(stated_name(gear, "kind"), "simple") if isinstance(gear, dict) else getattr(gear, "kind", "simple")


def _tagged_union(models: dict[str, type[GearFields]]) -> Any:
    union: Any = None
    for name, model in models.items():
        tagged = Annotated[model, Tag(name)]  # type: ignore[valid-type]
        union = tagged if union is None else union | tagged
    return Annotated[union, Discriminator(_gear_discriminator)]


_STAGE_MODELS = {name: _gear_model(name, {}) for name in GEAR_PARTS if name != "series"}
GEAR_MODELS = {**_STAGE_MODELS, "series": _gear_model("series", {"stages": list[_tagged_union(_STAGE_MODELS)]})}  # type: ignore[misc]
"""The model of the fields of each kind."""

GearField: Any = _tagged_union(GEAR_MODELS)
DIRECT_DRIVE: Any = GEAR_MODELS["simple"]()


def gear_fields(owner: str, gear: GearType) -> dict[str, Any]:
    """Return the fields of a gear for writing."""
    kind = gear.kind if gear.kind in GEAR_PARTS else "simple"
    words = {"kind": kind, **plain_fields(owner, gear)}
    if isinstance(gear, Gear):
        words["ratio"] = words.get("ratio", 1.0)
    if getattr(gear, "catalogue", None) is not None:  # omitted fields would be read from the data sheet
        words = {"inertia": 0.0, "mass": 0.0, **({} if gear_losses(gear) else {"efficiency": gear.efficiency}), **words}
    if isinstance(gear, Series):
        words["stages"] = [gear_fields(owner, stage) for stage in gear.stages]
    return words
