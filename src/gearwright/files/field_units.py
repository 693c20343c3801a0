"""Units of robot parameters by their paths, from the fields of robot and task files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from gearwright.files.fields.basic import Unit
from gearwright.files.fields.robot import RobotFields
from gearwright.files.fields.task import TaskFields

FieldPath = tuple[str, ...]


def parameter_value(path: str, value: float | str) -> float:
    """Return the SI value of a parameter from the form used in files: a plain number, or a text with a unit.

    Args:
        path: of the parameter, as in `gw.parts.with_parameters`, or `task.` and a field of a task.
        value: a number in SI units (a temperature in degrees Celsius), or a number with a unit.

    >>> parameter_value("upper.section.outer", "30 mm"), parameter_value("elbow.gear.ratio", "50")
    (0.03, 50.0)

    Raises:
        ValueError: not a number, or a unit of another dimension.
    """
    try:
        plain: Any = float(value)
    except ValueError:
        plain = value
    return Unit(*parameter_dimensions(path)).parse_value(plain)


def parameter_difference(path: str, value: str) -> float:
    """Return the SI value of a difference of a parameter: a standard deviation, a step.

    >>> parameter_difference("task.ambient", "5"), parameter_difference("upper.section.outer", "2 mm")
    (5.0, 0.002)

    Raises:
        ValueError: not a number, or a unit of another dimension.
    """
    return parameter_value(path, value) - parameter_value(path, re.sub(r"^\s*[-+]?[\d.]+([eE][-+]?\d+)?", "0", value))


def parameter_dimensions(path: str) -> tuple[str, ...]:
    """Return the admissible dimensions (keys of `UNITS_BY_DIMENSION`) of the file field at a parameter's path.

    >>> parameter_dimensions("upper.section.width"), parameter_dimensions("upper.com.x")
    (('length',), ('length',))
    """
    words = path.split(".")
    while words:
        fields = {place: units for place, units in _dimensions_by_field().items() if place[-1] == words[-1]}
        inside = {place: units for place, units in fields.items() if set(words[1:]) <= set(place)}
        if fields:
            return tuple(sorted({unit for units in (inside or fields).values() for unit in units}))
        words.pop()  # an element, such as `x` of `com`
    return ("number",)


@cache
def _dimensions_by_field() -> dict[FieldPath, set[str]]:
    """Path of a file field -> its admissible dimensions."""
    dimensions: dict[FieldPath, set[str]] = {}
    for model in (RobotFields, TaskFields):
        for place, units in _fields_with_dimensions(model, (), ()):
            dimensions.setdefault(place, set()).update(units)
    return dimensions


def _fields_with_dimensions(
    model: type[BaseModel], place: FieldPath, above: tuple[type, ...]
) -> Iterator[tuple[FieldPath, set[str]]]:
    for name, field in model.model_fields.items():
        kinds = list(_units_and_models((field.annotation, *field.metadata)))
        if units := {unit for kind in kinds if isinstance(kind, Unit) for unit in kind.dimensions}:
            yield (*place, name), units
        for kind in kinds:
            if isinstance(kind, type) and kind not in (model, *above):
                yield from _fields_with_dimensions(kind, (*place, name), (model, *above))


def _units_and_models(annotations: tuple[Any, ...]) -> Iterator[Any]:
    """Units and models in annotations."""
    for kind in annotations:
        if isinstance(kind, Unit) or (isinstance(kind, type) and issubclass(kind, BaseModel)):
            yield kind
        else:
            yield from _units_and_models((*get_args(kind), *getattr(kind, "__metadata__", ())))
