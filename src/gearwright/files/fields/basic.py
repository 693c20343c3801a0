"""Basic types of the file format: numbers with units, vectors, tensors, placements.

The models of this folder are the fields of a robot file; their JSON Schema is published. Every field is described here
only.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PrivateAttr,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from gearwright.algebra import IDENTITY, Rot, Tensor, Vec
from gearwright.errors import PartError
from gearwright.files.field_synonyms import (
    FIELDS_BY_SYNONYM,
    POSE_FIELDS,
    add_origin_to_schema,
    add_synonyms_to_schema,
    without_synonyms,
)
from gearwright.files.placements import rotation_of_rpy
from gearwright.files.units import UNITS_BY_DIMENSION, kelvin_from_celsius, parse_quantity, with_article
from gearwright.parts.checks import TENSOR_TOLERANCE
from gearwright.parts.structure.frame_changes import FramePlacement


class FieldModel(BaseModel):
    """A mapping of known fields; any other field is a problem."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class SynonymFields(FieldModel):
    """Fields that may be given under the name that URDF uses."""

    synonyms: ClassVar[tuple[str, ...]] = ()
    """The accepted synonyms."""

    @classmethod
    def own_synonyms(cls) -> dict[str, str]:
        """The synonyms of this mapping: those whose field it has, and that are no fields themselves."""
        fields, known = {synonym: FIELDS_BY_SYNONYM[synonym] for synonym in cls.synonyms}, cls.model_fields
        return {synonym: field for synonym, field in fields.items() if field in known and synonym not in known}

    @model_validator(mode="before")
    @classmethod
    def _fields_from_synonyms(cls, value: Any) -> Any:
        return without_synonyms(value, cls.own_synonyms())

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        add_synonyms_to_schema(handler.resolve_ref_schema(described), cls.own_synonyms())
        return described


class LocatedFields(FieldModel):
    """Fields with their location in a file, for errors that are detected later."""

    _location: str = PrivateAttr(default="")

    def with_location(self, location: str) -> Self:
        """The same fields with a location such as `pick.yaml, line 3: motions[0]`."""
        located = self.model_copy()
        located._location = location
        return located

    def location_or(self, otherwise: str) -> str:
        """The location, or a substitute if it is unknown."""
        return self._location or otherwise


class CheckedFields(FieldModel):
    """Fields whose part is built during validation, so that its errors refer to this line of the file."""

    @abstractmethod
    def part(self) -> Any:
        """The part described by the fields."""

    @model_validator(mode="after")
    def _require_valid_part(self) -> Self:
        try:
            self.part()
        except PartError as error:
            raise ValueError(str(error)) from None
        return self


class Unit:
    """A number in SI units, or a text with a unit of one of the dimensions; in a range.

    A plain temperature is in degrees Celsius.
    """

    def __init__(self, *dimensions: str, least: float | None = None, above: float | None = None) -> None:
        self.dimensions, self.least, self.above = dimensions, least, above

    def parse_value(self, value: Any) -> float:
        """Return the value in SI units; raise a ValueError with the reason otherwise."""
        if isinstance(value, str):
            number = parse_quantity(value, *self.dimensions)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            number = kelvin_from_celsius(value) if "temperature" in self.dimensions else float(value)
        else:
            raise ValueError(
                f"{_value_kind_text(value)} is not a number. Give {with_article(' or '.join(self.dimensions))}."
            )
        if not math.isfinite(number):
            raise ValueError(f"{value} is not a finite number. Give a finite number.")
        if self.least is not None and number < self.least:
            raise ValueError(f"{value} is less than {self.least:g}. Give {self.least:g} or more.")
        if self.above is not None and number <= self.above:
            raise ValueError(f"{value} is not above {self.above:g}. Give a larger number.")
        return number

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.parse_value)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        units = [unit for dimension in self.dimensions for unit in UNITS_BY_DIMENSION[dimension] if unit]
        number: dict[str, Any] = {"type": "number"}
        if self.least is not None:
            number["minimum"] = self.least
        if self.above is not None:
            number["exclusiveMinimum"] = self.above
        if not units:
            return number
        text = {"type": "string", "description": f"a number and one of the units {', '.join(units)}"}
        bare = any(not unit for dimension in self.dimensions for unit in UNITS_BY_DIMENSION[dimension])
        return {"anyOf": [{**number, "description": "as a fraction" if bare else f"in {units[0]}"}, text]}


def _value_kind_text(value: Any) -> str:
    kinds = {bool: "true or false", type(None): "nothing", list: "a list", dict: "a mapping"}
    return kinds.get(type(value), f"{value!r}")


Number = Annotated[float, Unit("number")]
Fraction = Annotated[float, Unit("fraction", above=0)]
Length = Annotated[float, Unit("length")]
Mass = Annotated[float, Unit("mass")]
Angle = Annotated[float, Unit("angle")]
Inertia = Annotated[float, Unit("inertia")]
Temperature = Annotated[float, Unit("temperature")]
Stiffness = Annotated[float, Unit("stiffness", least=0)]
Damping = Annotated[float, Unit("damping", least=0)]
Torque = Annotated[float, Unit("torque", least=0)]
Direction = tuple[Number, Number, Number]
Position = tuple[Length, Length, Length]
Gravity = tuple[
    Annotated[float, Unit("acceleration")],
    Annotated[float, Unit("acceleration")],
    Annotated[float, Unit("acceleration")],
]
MatrixRow = tuple[Number, Number, Number]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class TensorFields(FieldModel):
    """A symmetric inertia tensor by its elements (xz is the element, not minus it), or as three rows of three."""

    xx: Inertia = Field(default=0.0, description="moment of inertia about x")
    yy: Inertia = Field(default=0.0, description="about y")
    zz: Inertia = Field(default=0.0, description="about z")
    xy: Inertia = Field(default=0.0, description="element xy, minus the product of inertia")
    xz: Inertia = Field(default=0.0, description="element xz")
    yz: Inertia = Field(default=0.0, description="element yz")

    @model_validator(mode="before")
    @classmethod
    def _elements_from_rows(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        if len(value) != 3 or not all(isinstance(row, list) and len(row) == 3 for row in value):
            raise ValueError("not a 3 x 3 matrix. Give three rows of three numbers, or {xx: .., yy: .., zz: ..}.")
        rows = [[Unit("inertia").parse_value(x) for x in row] for row in value]
        places = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        for name, (i, j) in places.items():
            upper, lower = rows[i][j], rows[j][i]
            if abs(upper - lower) > TENSOR_TOLERANCE * (abs(upper) + abs(lower)) + 1e-15:
                raise ValueError(
                    f"element {name} is {upper:g} above and {lower:g} below the diagonal. Make it symmetric."
                )
        return {name: rows[i][j] for name, (i, j) in places.items()}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        by_elements = handler(schema)
        row = {"type": "array", "minItems": 3, "maxItems": 3}
        return {
            "description": cls.__doc__,
            "anyOf": [by_elements, {**row, "items": {**row, "items": {"type": ["number", "string"]}}}],
        }

    @property
    def as_tensor(self) -> Tensor:
        """The six elements."""
        return Tensor(self.xx, self.xy, self.xz, self.yy, self.yz, self.zz)


class PoseFields(SynonymFields):
    """The pose of a frame in another: its position, and its rotation (one of rpy, rotation, quaternion)."""

    synonyms: ClassVar[tuple[str, ...]] = ("xyz",)

    position: Position = Field(default=(0.0, 0.0, 0.0), description="its origin, in the frame of the parent")
    rpy: tuple[Angle, Angle, Angle] | None = Field(
        default=None, description="fixed axes, as in URDF: Rz(yaw) Ry(pitch) Rx(roll)"
    )
    rotation: tuple[MatrixRow, MatrixRow, MatrixRow] | None = Field(
        default=None, description="the rotation matrix, three rows"
    )
    quaternion: tuple[Number, Number, Number, Number] | None = Field(default=None, description="w, x, y, z")

    @model_validator(mode="after")
    def _require_one_rotation(self) -> Self:
        given_fields = [name for name in ("rpy", "rotation", "quaternion") if getattr(self, name) is not None]
        if len(given_fields) > 1:
            raise ValueError(f"{' and '.join(given_fields)} are given. Keep one of them.")
        if self.rotation is not None:
            _require_rotation_matrix(Rot.from_rows(self.rotation))
        if self.quaternion is not None and sum(x * x for x in self.quaternion) < 1e-12:
            raise ValueError("a quaternion of length zero is not a rotation. Give w, x, y, z such as [1, 0, 0, 0].")
        return self

    @property
    def placement(self) -> FramePlacement:
        """Rotation and position."""
        position = Vec.from_values(self.position)
        if self.rpy is not None:
            return FramePlacement(rotation_of_rpy(*self.rpy), position)
        if self.quaternion is not None:
            return FramePlacement(Rot.from_quaternion(*self.quaternion), position)
        return FramePlacement(IDENTITY if self.rotation is None else Rot.from_rows(self.rotation), position)


class PosedFields(PoseFields):
    """Fields of a part with a pose; URDF gives the pose in a mapping of its own."""

    origin: PoseFields | None = Field(
        default=None, description="synonym of position, and of rpy, rotation or quaternion, in a mapping as in URDF"
    )

    @model_validator(mode="after")
    def _require_one_pose(self) -> Self:
        pose = self.stated_pose_fields
        if self.origin is not None and pose:
            raise ValueError(f"both {' and '.join(pose)} and the synonym origin are given. Keep one of them.")
        return self

    @property
    def stated_pose_fields(self) -> list[str]:
        """The fields of the pose that are given."""
        return [name for name in POSE_FIELDS if name in self.model_fields_set]

    @property
    def placement(self) -> FramePlacement:
        """Rotation and position."""
        return super().placement if self.origin is None else self.origin.placement

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = super().__get_pydantic_json_schema__(schema, handler)
        add_origin_to_schema(handler.resolve_ref_schema(described))
        return described


def _require_rotation_matrix(R: Rot) -> None:
    error = max(abs(x - (i == j)) for i, row in enumerate(R.after(R.T).rows()) for j, x in enumerate(row))
    if error > 1e-6 or R.a.dot(R.b.cross(R.c)) < 0:
        raise ValueError("the rotation is not orthogonal with determinant 1. Give a rotation matrix, or rpy.")
