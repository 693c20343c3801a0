"""Fields of files derived from parts: a part that is a plain dataclass needs one line here to be readable and writable.

The name of a dataclass field is its key in the file; the quantity it holds follows from its type (teeth, names,
members) or from its name (`radius` is a length, `line_density` a mass per length, ...). The file reference takes the
description of a field from the part's docstring.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from inspect import getdoc
from typing import Annotated, Any, Literal

from pydantic import Field, GetJsonSchemaHandler, create_model
from pydantic_core import CoreSchema

from gearwright.algebra import Vec, is_number
from gearwright.errors import InputError
from gearwright.files.fields.basic import (
    Angle,
    Direction,
    Fraction,
    Inertia,
    Length,
    Mass,
    Name,
    Number,
    Position,
    Unit,
    Words,
)
from gearwright.files.units import file_value
from gearwright.parts import Hysteresis, KinematicError, Losses, Member, StiffnessPiece, Torsion
from gearwright.parts.drives.thermal import TEMPERATURES

# Descriptions from docstrings

ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*)$")


def told(part: type) -> dict[str, str]:
    """Per field what the `Args` of the part, or of what it is based on, say.

    >>> from gearwright.parts import Mesh
    >>> told(Mesh)["second"]
    'names of two wheels or links; a gear fixed to a link is named by the link'
    """
    found: dict[str, str] = {}
    for kind in reversed(part.__mro__[:-1]):
        own = _arguments((kind.__doc__ and getdoc(kind)) or "")
        found |= {name: text for name, text in own.items() if name not in found or not text.startswith("as for")}
    return found


def _arguments(text: str) -> dict[str, str]:
    """The entries below `Args:`; a line further in continues the one before."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.partition("\nArgs:\n")[2].splitlines():
        entry = ENTRY.match(line)
        if entry is not None:
            names = entry[1].split(", ")
            found |= dict.fromkeys(names, entry[2])
        elif line.startswith("        ") and names:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
        else:
            break
    return {name: sentence.removesuffix(".").removesuffix("; or") for name, sentence in found.items()}


# Fields from dataclasses

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
    "amplitude": Annotated[float, Unit("angle", "length")],
    "axis": Direction | Name,
    "back_efficiency": Annotated[float, Unit("fraction")],
    "backlash": Annotated[float, Unit("angle", "length", least=0)],
    "coupling": Inertia,
    "damping": Annotated[float, Unit("angular damping", "damping", least=0)],
    "distance": Length,
    "driven": Length,
    "driver": Length,
    "eccentricity": Length,
    "efficiency": Fraction,
    "face_width": Length,
    "friction_coefficient": Annotated[float, Unit("number", least=0)],
    "hardening": Annotated[float, Unit("angular hardening", "hardening", least=0)],
    "helix_angle": Angle,
    "inertia": Inertia,
    "lead": Annotated[float, Unit("lead")],
    "lead_angle": Annotated[float, Unit("angle", above=0)],
    "line_density": Annotated[float, Unit("line density", least=0)],
    "mass": Mass,
    "mesh_efficiency": Fraction,
    "module": Length,
    "modules": Annotated[Any, OneOrTwo("length")],
    "no_load_torque": Annotated[float, Unit("torque", least=0)],
    "output_circle": Length,
    "per": Literal["motor", "joint"],
    "periods": Number,
    "phase": Angle,
    "pin_circle": Length,
    "position": Position,
    "pressure_angle": Angle,
    "pretension": Annotated[float, Unit("force", least=0)],
    "radii": tuple[Length, Length],
    "radius": Length,
    "ratio": Ratio,
    "reduction": Number,
    "shaft_angle": Annotated[float, Unit("angle", above=0)],
    "side": Literal["motor", "joint"],
    "speed": Annotated[float, Unit("angular speed", least=0)],
    "stiffness": Annotated[float, Unit("angular stiffness", "stiffness", above=0)],
    "teeth": tuple[Number, Number],
    "torque": Annotated[float, Unit("torque", "force", least=0)],
    "towards": Direction,
    "transverse_inertia": Annotated[Any, OneOrTwo("inertia")],
    "until": Annotated[float, Unit("torque", "force", above=0)],
    "width": Annotated[float, Unit("angle", "length", above=0)],
}
"""What a word holds, by its name."""

DESCRIPTIONS = {
    ("Member", "position"): "centre of mass in the frame of the link that carries it, where [0, 0, 0] is that link's "
    "origin; unless given that of the motor, or, for a member about the joint's axis, the joint's origin",
    ("Mesh", "efficiency"): "the part of the power rolling in the mesh, seen from its carrier, that arrives, whichever "
    "of the two gears drives; above 0, and 1 when nothing is lost",
    ("Gearwheel", "position"): "centre of mass in the frame of the link that carries it, for planets the centre of "
    "their circle; unless given the origin of the joint or the place of the wheel it is coaxial with, and with a drawn "
    "axis the link's origin",
}
"""What the file reference says about a word, by its part and name, where the name alone does not tell."""


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
    stated = told(part)
    for field in fields(part):
        if field.name not in more and field.name != "kind":
            default = _default(field, optional)
            text = DESCRIPTIONS.get((part.__name__, field.name), stated.get(field.name))
            shown = Field(
                file_value(field.name, default), description=text, validate_default=field.name in TEMPERATURES
            )
            words[field.name] = (_annotation(field, special, default is None), shown)
    text = (part.__doc__ or title).strip().splitlines()[0]
    return create_model(title, __base__=Words, __doc__=text, **words, **more)


def _default(field: Any, optional: bool) -> Any:
    if field.default is not MISSING:
        # A part within the part has no words yet: leaving it out means the part's own default.
        inner = type(field.default) in NESTED.values() or field.default == ()
        return None if inner else field.default
    if field.default_factory is not MISSING or optional:
        return None
    return ...


def _annotation(field: Any, special: Mapping[str, Any], may_be_none: bool) -> Any:
    kind = str(field.type).removesuffix(" | None")
    known = {"int": Whole, "bool": bool, "str": Name, "Sequence[int]": list[Whole], "Sequence[str]": list[Name]}
    if field.name in special:
        held = special[field.name]
    elif kind in known:
        held = known[kind]
    else:
        held = NESTED_KINDS[kind] if kind in NESTED_KINDS else QUANTITIES[field.name]
    return held | None if may_be_none or "None" in str(field.type) else held


NESTED: dict[type[Words], type] = {}
"""Per model of a part within a part the part itself; inner ones first."""
NESTED_KINDS: dict[str, Any] = {}
"""What a field of such a type, or of a sequence of them, holds."""


def _nest(part: type) -> type[Words]:
    model = words_of(part, f"{part.__name__}Words", {})
    NESTED[model] = part
    NESTED_KINDS[part.__name__] = model
    NESTED_KINDS[f"Sequence[{part.__name__}]"] = list[model]  # type: ignore[valid-type]
    return model


MemberWords, PieceWords, HysteresisWords, ErrorWords, TorsionWords, LossWords = map(
    _nest, (Member, StiffnessPiece, Hysteresis, KinematicError, Torsion, Losses)
)


def part_of(words: Any) -> Any:
    """Words as the arguments of their part, inner ones made into parts; words left out are left to the part."""
    if type(words) in NESTED:
        return NESTED[type(words)](**arguments(words))
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
            words[field.name] = file_value(field.name, plain(f"{owner}, {field.name}", value))
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
