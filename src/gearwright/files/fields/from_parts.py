"""File fields derived from parts: one line here makes a dataclass readable and writable.

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
    FieldModel,
    Fraction,
    Inertia,
    Length,
    Mass,
    Name,
    Number,
    Position,
    Unit,
)
from gearwright.files.units import file_value
from gearwright.parts import Hysteresis, KinematicError, Losses, Member, StiffnessPiece, Torsion
from gearwright.parts.drives.thermal import TEMPERATURE_FIELDS

# Descriptions from docstrings

ARGS_ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*)$")


def field_descriptions(part: type) -> dict[str, str]:
    """Return the description of each field from the `Args` of the part and of its base classes.

    >>> from gearwright.parts import Mesh
    >>> field_descriptions(Mesh)["second"]
    'names of two wheels or links; a gear fixed to a link is named by the link'
    """
    descriptions: dict[str, str] = {}
    for kind in reversed(part.__mro__[:-1]):
        class_descriptions = _docstring_arguments((kind.__doc__ and getdoc(kind)) or "")
        descriptions |= {
            name: text
            for name, text in class_descriptions.items()
            if name not in descriptions or not text.startswith("as for")
        }
    return descriptions


def _docstring_arguments(text: str) -> dict[str, str]:
    """Return the entries below `Args:`; a deeper indented line continues the previous one."""
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line in text.partition("\nArgs:\n")[2].splitlines():
        entry = ARGS_ENTRY.match(line)
        if entry is not None:
            names = entry[1].split(", ")
            descriptions |= dict.fromkeys(names, entry[2])
        elif line.startswith("        ") and names:
            descriptions |= {name: f"{descriptions[name]} {line.strip()}" for name in names}
        else:
            break
    return {name: sentence.removesuffix(".").removesuffix("; or") for name, sentence in descriptions.items()}


# Fields from dataclasses

Ratio = Annotated[float, Unit("number", "turns per length")]
WholeNumber = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]


class OneOrTwo(Unit):
    """One number, or a pair of them."""

    def parse_value(self, value: Any) -> Any:
        """The number, or the two numbers as a tuple."""
        if isinstance(value, list) and len(value) == 2:
            return tuple(Unit.parse_value(self, x) for x in value)
        return Unit.parse_value(self, value)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        number_schema = Unit.__get_pydantic_json_schema__(self, schema, handler)
        return {"anyOf": [number_schema, {"type": "array", "items": number_schema, "minItems": 2, "maxItems": 2}]}


TYPES_BY_FIELD: dict[str, Any] = {
    "amplitude": Annotated[float, Unit("angle", "length")],
    "axis": Direction | Name,
    "back_efficiency": Annotated[float, Unit("fraction")],
    "backlash": Annotated[float, Unit("angle", "length", least=0)],
    "coupling": Inertia,
    "damping": Annotated[float, Unit("angular damping", "damping", least=0)],
    "diameter": Length,
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
"""The type of a field, by its name."""

FIELD_DESCRIPTION_OVERRIDES = {
    ("Member", "position"): "centre of mass in the frame of the link that carries it, where [0, 0, 0] is that link's "
    "origin; by default that of the motor or, for a member about the joint's axis, the joint's origin",
    ("Mesh", "efficiency"): "of the rolling power in the mesh (relative to its carrier), for either direction "
    "of power; above 0, and 1 without losses",
    ("Gearwheel", "position"): "centre of mass in the frame of the link that carries it, for planets the centre of "
    "their circle; by default the origin of the coaxial joint or the position of the coaxial wheel, and with an "
    "explicit axis the link's origin",
}
"""Descriptions for the file reference, by part and field, where the docstring of the part is not sufficient."""


def fields_model(
    part: type, title: str, special: Mapping[str, Any], optional: bool = False, **more: Any
) -> type[FieldModel]:
    """Return a model with one file field per field of a part.

    Args:
        part: the dataclass.
        title: name of the model in the schema.
        special: types of fields that follow neither from type nor from name.
        optional: whether required fields of the part may be left out.
        more: additional fields, as (type, default).
    """
    words: dict[str, Any] = {}
    stated = field_descriptions(part)
    for field in fields(part):
        if field.name not in more and field.name != "kind":
            default = _field_default(field, optional)
            text = FIELD_DESCRIPTION_OVERRIDES.get((part.__name__, field.name), stated.get(field.name))
            shown = Field(
                file_value(field.name, default), description=text, validate_default=field.name in TEMPERATURE_FIELDS
            )
            words[field.name] = (_field_annotation(field, special, default is None), shown)
    text = (part.__doc__ or title).strip().splitlines()[0]
    return create_model(title, __base__=FieldModel, __doc__=text, **words, **more)


def _field_default(field: Any, optional: bool) -> Any:
    if field.default is not MISSING:
        # A part within the part has no model yet: leaving it out means the part's own default.
        inner = type(field.default) in NESTED_PART_MODELS.values() or field.default == ()
        return None if inner else field.default
    if field.default_factory is not MISSING or optional:
        return None
    return ...


def _field_annotation(field: Any, special: Mapping[str, Any], may_be_none: bool) -> Any:
    kind = str(field.type).removesuffix(" | None")
    plain_types = {
        "int": WholeNumber,
        "bool": bool,
        "str": Name,
        "Sequence[int]": list[WholeNumber],
        "Sequence[str]": list[Name],
    }
    if field.name in special:
        field_type = special[field.name]
    elif kind in plain_types:
        field_type = plain_types[kind]
    else:
        field_type = NESTED_TYPES_BY_NAME[kind] if kind in NESTED_TYPES_BY_NAME else TYPES_BY_FIELD[field.name]
    return field_type | None if may_be_none or "None" in str(field.type) else field_type


NESTED_PART_MODELS: dict[type[FieldModel], type] = {}
"""The part of each model of a nested part; inner parts first."""
NESTED_TYPES_BY_NAME: dict[str, Any] = {}
"""The model for a field of such a type, or of a sequence of them."""


def _register_nested_part(part: type) -> type[FieldModel]:
    model = fields_model(part, f"{part.__name__}Fields", {})
    NESTED_PART_MODELS[model] = part
    NESTED_TYPES_BY_NAME[part.__name__] = model
    NESTED_TYPES_BY_NAME[f"Sequence[{part.__name__}]"] = list[model]  # type: ignore[valid-type]
    return model


MemberFields, PieceFields, HysteresisFields, ErrorFields, TorsionFields, LossFields = map(
    _register_nested_part, (Member, StiffnessPiece, Hysteresis, KinematicError, Torsion, Losses)
)


def part_from_fields(words: Any) -> Any:
    """Return fields as the arguments of their part, with nested parts built; missing fields are omitted."""
    if type(words) in NESTED_PART_MODELS:
        return NESTED_PART_MODELS[type(words)](**part_arguments(words))
    if isinstance(words, list):
        return tuple(part_from_fields(x) for x in words)
    return words.part() if hasattr(words, "part") else words


def part_arguments(words: FieldModel) -> dict[str, Any]:
    """Return the arguments for the part: only fields given in the file and not null."""
    stated = {word: getattr(words, word) for word in words.model_fields_set}
    return {word: part_from_fields(value) for word, value in stated.items() if value is not None}


def plain_fields(owner: str, part: Any) -> dict[str, Any]:
    """Return the fields of a part for writing: those that differ from their defaults, as plain data."""
    words: dict[str, Any] = {}
    for field in fields(part):
        value = getattr(part, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.name != "kind" and value is not None and not _is_default(value, default):
            words[field.name] = file_value(field.name, plain_value(f"{owner}, {field.name}", value))
    return words


def _is_default(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def plain_value(owner: str, value: Any) -> Any:
    """Plain data from a value of a part."""
    if isinstance(value, str | bool) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if is_number(value):
        return float(value)
    if isinstance(value, Vec) or (hasattr(value, "__len__") and not hasattr(value, "__dataclass_fields__")):
        return [plain_value(owner, x) for x in value]
    if hasattr(value, "__dataclass_fields__"):
        return plain_fields(owner, value)
    raise InputError(
        f"{owner} is {value!r}, which is not a number and cannot be written to a file. Replace it by a number first."
    )
