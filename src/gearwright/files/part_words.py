"""Words made from parts: a part that is a plain dataclass needs one line here to be readable and writable.

The name of a field is its word; what it may hold follows from its type (teeth, names, members) or from its name
(`radius` is a length, `line_density` a mass per length, ...).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, create_model
from pydantic_core import CoreSchema

from gearwright.algebra import Vec, is_number
from gearwright.errors import InputError
from gearwright.files.words import Direction, Fraction, Inertia, Length, Mass, Name, Number, Position, Unit, Words
from gearwright.parts import Member

Ratio = Annotated[float, Unit("number", "turns per length")]
Whole = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]


class OneOrTwo(Unit):
    """One number, or a pair of them."""

    def read(self, value: Any) -> Any:
        """The number, or the two numbers as a tuple."""
        if isinstance(value, list) and len(value) == 2:
            return tuple(Unit.read(self, x) for x in value)
        return Unit.read(self, value)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        one = Unit.__get_pydantic_json_schema__(self, schema, handler)
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 2, "maxItems": 2}]}


QUANTITIES: dict[str, Any] = {
    "axis": Direction | Name,
    "coupling": Inertia,
    "damping": Annotated[float, Unit("angular damping", "damping", least=0)],
    "distance": Length,
    "driven": Length,
    "driver": Length,
    "eccentricity": Length,
    "efficiency": Fraction,
    "inertia": Inertia,
    "lead": Annotated[float, Unit("lead")],
    "line_density": Annotated[float, Unit("line density", least=0)],
    "mass": Mass,
    "module": Length,
    "modules": Annotated[Any, OneOrTwo("length")],
    "position": Position,
    "radii": tuple[Length, Length],
    "radius": Length,
    "ratio": Ratio,
    "reduction": Number,
    "stiffness": Annotated[float, Unit("angular stiffness", "stiffness", above=0)],
    "teeth": tuple[Number, Number],
    "towards": Direction,
    "transverse_inertia": Annotated[Any, OneOrTwo("inertia")],
}
"""What a word holds, by its name."""


def words_of(part: type, title: str, special: Mapping[str, Any], optional: bool = False, **more: Any) -> type[Words]:
    """A model with one word per field of a part.

    Args:
        part: the dataclass.
        title: what the model is called in the schema.
        special: what words hold that neither type nor name tells.
        optional: whether words that the part needs may be left out all the same.
        more: words beside the part's, as (type, default).
    """
    words: dict[str, Any] = {}
    for field in fields(part):
        if field.name not in more and field.name != "kind":
            default = _default(field, optional)
            words[field.name] = (_annotation(field, special, default is None), default)
    text = (part.__doc__ or title).strip().splitlines()[0]
    return create_model(title, __base__=Words, __doc__=text, **words, **more)


def _default(field: Any, optional: bool) -> Any:
    if field.default is not MISSING:
        # A member (a dataclass) has no words yet: leaving it out means the part's own default.
        return None if isinstance(field.default, Member) else field.default
    if field.default_factory is not MISSING or optional:
        return None
    return ...


def _annotation(field: Any, special: Mapping[str, Any], may_be_none: bool) -> Any:
    kind = str(field.type).removesuffix(" | None")
    known = {"int": Whole, "bool": bool, "str": Name, "Sequence[int]": list[Whole], "Sequence[str]": list[Name]}
    if field.name in special:
        held = special[field.name]
    elif kind == "Member":
        held = MemberWords
    elif kind == "Sequence[Member]":
        held = list[MemberWords]  # type: ignore[valid-type]
    else:
        held = known[kind] if kind in known else QUANTITIES[field.name]
    return held | None if may_be_none or "None" in str(field.type) else held


MemberWords = words_of(Member, "MemberWords", {})


def part_of(words: Any) -> Any:
    """Words as the arguments of their part, inner ones made into parts; words left out are left to the part."""
    if isinstance(words, MemberWords):
        return Member(**arguments(words))
    if isinstance(words, list):
        return tuple(part_of(x) for x in words)
    return words.part() if hasattr(words, "part") else words


def arguments(words: Words) -> dict[str, Any]:
    """The arguments for the part: only words that the file states; a word that says nothing is left out."""
    stated = {word: getattr(words, word) for word in words.model_fields_set}
    return {word: part_of(value) for word, value in stated.items() if value is not None}


def plain_words(owner: str, part: Any) -> dict[str, Any]:
    """The words that give a part back: fields that differ from their defaults, as plain data."""
    words: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.name != "kind" and value is not None and not _same(value, default):
            words[field.name] = plain(f"{owner}, {field.name}", value)
    return words


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def plain(owner: str, value: Any) -> Any:
    """Plain data from a value of a part."""
    if isinstance(value, str | bool) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if is_number(value):
        return float(value)
    if isinstance(value, Vec) or (hasattr(value, "__len__") and not hasattr(value, "__dataclass_fields__")):
        return [plain(owner, x) for x in value]
    if hasattr(value, "__dataclass_fields__"):
        return plain_words(owner, value)
    raise InputError(f"{owner} is {value!r}, no number: a file cannot hold it. Put a number in its place first.")
