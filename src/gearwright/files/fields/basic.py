"""The atoms of the file format: numbers with units, vectors, tensors, placements.

The models of this folder are the fields of a robot file; their JSON Schema is published, so every field is described
here and nowhere else.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Any, Self

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
from gearwright.files.placements import of_rpy
from gearwright.files.units import UNITS, a, quantity, temperature
from gearwright.parts.checks import TENSOR_TOLERANCE
from gearwright.parts.structure.frame_changes import PartPlace


class Words(BaseModel):
    """A mapping of known words; any other word is a problem."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class PlacedWords(Words):
    """Words that know where a file has them, for errors that show only once they are acted upon."""

    _where: str = PrivateAttr(default="")

    def found_at(self, where: str) -> Self:
        """The same words, found at a place such as `pick.yaml, line 3: motions[0]`."""
        known = self.model_copy()
        known._where = where
        return known

    def where(self, otherwise: str) -> str:
        """The place, or what to call them where nobody knows it."""
        return self._where or otherwise


class CheckedWords(Words):
    """Words whose part is made once while they are checked, so that its rules speak for this line of the file."""

    @abstractmethod
    def part(self) -> Any:
        """The part as the words state it."""

    @model_validator(mode="after")
    def _can_exist(self) -> Self:
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

    def read(self, value: Any) -> float:
        """The value in SI units, or a ValueError that says what is wrong."""
        if isinstance(value, str):
            number = quantity(value, *self.dimensions)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            number = temperature(value) if "temperature" in self.dimensions else float(value)
        else:
            raise ValueError(f"{_kind(value)} stands where a number is wanted. Give {a(' or '.join(self.dimensions))}.")
        if not math.isfinite(number):
            raise ValueError(f"{value} is not a finite number. Give a finite one.")
        if self.least is not None and number < self.least:
            raise ValueError(f"{value} is less than {self.least:g}. Give {self.least:g} or more.")
        if self.above is not None and number <= self.above:
            raise ValueError(f"{value} is not above {self.above:g}. Give a larger number.")
        return number

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        units = [unit for dimension in self.dimensions for unit in UNITS[dimension] if unit]
        number: dict[str, Any] = {"type": "number"}
        if self.least is not None:
            number["minimum"] = self.least
        if self.above is not None:
            number["exclusiveMinimum"] = self.above
        if not units:
            return number
        text = {"type": "string", "description": f"a number and one of the units {', '.join(units)}"}
        bare = any(not unit for dimension in self.dimensions for unit in UNITS[dimension])
        return {"anyOf": [{**number, "description": "as a fraction" if bare else f"in {units[0]}"}, text]}


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", type(None): "nothing", list: "a list", dict: "a mapping"}
    return kinds.get(type(value), f"{value!r}")


Number = Annotated[float, Unit("number")]
Fraction = Annotated[float, Unit("fraction", above=0)]
Length = Annotated[float, Unit("length")]
Mass = Annotated[float, Unit("mass")]
Angle = Annotated[float, Unit("angle")]
Inertia = Annotated[float, Unit("inertia")]
Temperature = Annotated[float, Unit("temperature")]
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


class TensorWords(Words):
    """A symmetric inertia tensor by its elements (xz is the element, not minus it), or as three rows of three."""

    xx: Inertia = Field(default=0.0, description="moment of inertia about x")
    yy: Inertia = Field(default=0.0, description="about y")
    zz: Inertia = Field(default=0.0, description="about z")
    xy: Inertia = Field(default=0.0, description="element xy, minus the product of inertia")
    xz: Inertia = Field(default=0.0, description="element xz")
    yz: Inertia = Field(default=0.0, description="element yz")

    @model_validator(mode="before")
    @classmethod
    def _rows(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        if len(value) != 3 or not all(isinstance(row, list) and len(row) == 3 for row in value):
            raise ValueError("not a 3 x 3 matrix. Give three rows of three numbers, or {xx: .., yy: .., zz: ..}.")
        rows = [[Unit("inertia").read(x) for x in row] for row in value]
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
    def tensor(self) -> Tensor:
        """The six elements."""
        return Tensor(self.xx, self.xy, self.xz, self.yy, self.yz, self.zz)


class Origin(Words):
    """A frame in another: where its origin is, and how it is turned (one of rpy, rotation, quaternion)."""

    xyz: Position = Field(default=(0.0, 0.0, 0.0), description="the origin in the parent's frame")
    rpy: tuple[Angle, Angle, Angle] | None = Field(
        default=None, description="fixed axes, as in URDF: Rz(yaw) Ry(pitch) Rx(roll)"
    )
    rotation: tuple[MatrixRow, MatrixRow, MatrixRow] | None = Field(
        default=None, description="the rotation matrix, three rows"
    )
    quaternion: tuple[Number, Number, Number, Number] | None = Field(default=None, description="w, x, y, z")

    @model_validator(mode="after")
    def _one_rotation(self) -> Origin:
        given = [name for name in ("rpy", "rotation", "quaternion") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are given. Keep one of them.")
        if self.rotation is not None:
            _refuse_no_rotation(Rot.of(self.rotation))
        if self.quaternion is not None and sum(x * x for x in self.quaternion) < 1e-12:
            raise ValueError("a quaternion of length zero is not a rotation. Give w, x, y, z such as [1, 0, 0, 0].")
        return self

    @property
    def placement(self) -> PartPlace:
        """Rotation and position."""
        position = Vec.of(self.xyz)
        if self.rpy is not None:
            return PartPlace(of_rpy(*self.rpy), position)
        if self.quaternion is not None:
            return PartPlace(Rot.of_quaternion(*self.quaternion), position)
        return PartPlace(IDENTITY if self.rotation is None else Rot.of(self.rotation), position)


def _refuse_no_rotation(R: Rot) -> None:
    error = max(abs(x - (i == j)) for i, row in enumerate(R.after(R.T).rows()) for j, x in enumerate(row))
    if error > 1e-6 or R.a.dot(R.b.cross(R.c)) < 0:
        raise ValueError("the rotation is not orthogonal with determinant 1. Give a rotation matrix, or rpy.")
